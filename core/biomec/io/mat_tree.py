"""Variables of a MATLAB file as plain Python: dictionaries, lists, texts and arrays, whichever version wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from biomec.base.errors import FileError
from biomec.base.limits import Budget, whole_file
from biomec.base.special_files import refuse_special
from biomec.io.mat5 import read_mat5
from biomec.io.strangers_hdf5 import Inspector

_DEEPEST = 12  # structures within structures; deeper ones are not a recording
_TIMES = 100.0  # how much larger than the file its content may be: MATLAB compresses
_VALUE_COST = 256  # bytes that are counted for every value, however small


def read_tree(path: Path) -> dict[str, Any]:
    """All variables of a .mat file of version 5 to 7.2, or 7.3 (HDF5).

    Structures become dictionaries (lists of them where they are arrays), cells lists, char texts, numbers arrays.
    """
    refuse_special(path)
    try:
        with path.open("rb") as file:
            start = file.read(1024)
    except OSError as error:
        raise FileError(path.name, f"cannot be read ({error.strerror or error}).") from error
    if not start.strip(b"\0 \r\n\t"):
        raise FileError(path.name, "the file is empty.")
    # A damaged HDF5 file makes its library fail in many ways, none of which is of use to the person who opens it.
    try:
        budget = Budget(path.stat().st_size, _TIMES)
        if h5py.is_hdf5(path):
            with path.open("rb") as handle, h5py.File(handle, "r") as file:
                return _Hdf5(file, budget).variables()
        return read_mat5(whole_file(path, 2.0), budget)
    except FileError:
        raise
    except Exception as error:
        what = "the file is damaged" if start.startswith(b"MATLAB") else "this is not a MATLAB file"
        words = " ".join(str(error).split())[:200] or type(error).__name__
        raise FileError(path.name, f"{what}; it cannot be read ({words}).") from error


class _Hdf5:
    """Plain Python from a version 7.3 file; MATLAB stores arrays with their axes reversed.

    Everything is inspected before it is read, and counted whenever it is read: references may name one object often.
    """

    def __init__(self, file: h5py.File, budget: Budget) -> None:
        self._file, self._budget = file, budget
        self._inspector = Inspector(Budget(budget.limit, 1.0), stored=False)

    def variables(self) -> dict[str, Any]:
        """All variables by name."""
        self._inspector.inspect(self._file)
        return {name: self._plain(self._file[name], 0) for name in self._file if not name.startswith("#")}

    def _plain(self, item: Any, depth: int) -> Any:
        if depth > _DEEPEST:
            raise ValueError("structures are nested too deeply")
        self._budget.take(_VALUE_COST)
        if isinstance(item, h5py.Group):
            fields = {name: item[name] for name in item}
            references = [one for one in fields.values() if _is_references(one) and "MATLAB_class" not in one.attrs]
            if fields and len(references) == len(fields):  # an array of structures: one reference an element and field
                columns = {name: self._plain(field, depth + 1) for name, field in fields.items()}
                return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
            return {name: self._plain(field, depth + 1) for name, field in fields.items()}
        kind = item.attrs.get("MATLAB_class", b"")
        kind = kind.decode() if isinstance(kind, bytes) else str(kind)
        self._budget.take(int(item.size or 0) * item.dtype.itemsize)
        if item.attrs.get("MATLAB_empty", 0):
            shape = tuple(int(n) for n in item[()].ravel())
            if 0 not in shape:
                raise ValueError("an empty array is stated to have elements")
            return "" if kind == "char" else [] if kind in ("cell", "struct") else np.zeros(shape)
        if _is_references(item):
            return [self._referred(one, depth) for one in item[()].T.ravel(order="F")]
        values = np.asarray(item[()]).T
        if kind == "char":
            return values.ravel(order="F").astype("<u2").tobytes().decode("utf-16-le")
        return values

    def _referred(self, reference: Any, depth: int) -> Any:
        """What a reference names; it may have no other name, and then was not inspected yet."""
        item = self._file[reference]
        self._inspector.inspect(item)
        return self._plain(item, depth + 1)


def _is_references(item: Any) -> bool:
    return isinstance(item, h5py.Dataset) and h5py.check_ref_dtype(item.dtype) is not None
