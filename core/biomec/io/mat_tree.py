"""Variables of a MATLAB file as plain Python: dictionaries, lists, texts and arrays, whichever version wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from biomec.base.errors import FileError
from biomec.io.mat5 import read_mat5

_DEEPEST = 12  # structures within structures; deeper ones are not a recording


def read_tree(path: Path) -> dict[str, Any]:
    """All variables of a .mat file of version 5 to 7.2, or 7.3 (HDF5).

    Structures become dictionaries (lists of them where they are arrays), cells lists, char texts, numbers arrays.
    """
    try:
        with path.open("rb") as file:
            start = file.read(1024)
    except OSError as error:
        raise FileError(path.name, f"cannot be read ({error.strerror or error}).") from error
    if not start.strip(b"\0 \r\n\t"):
        raise FileError(path.name, "the file is empty.")
    # A damaged HDF5 file makes its library fail in many ways, none of which is of use to the person who opens it.
    try:
        if h5py.is_hdf5(path):
            with h5py.File(path, "r") as file:
                return {name: _from_hdf5(file, file[name], 0) for name in file if not name.startswith("#")}
        return read_mat5(path.read_bytes())
    except Exception as error:
        what = "the file is damaged" if start.startswith(b"MATLAB") else "this is not a MATLAB file"
        raise FileError(path.name, f"{what}; it cannot be read ({error or type(error).__name__}).") from error


def _from_hdf5(file: h5py.File, item: Any, depth: int) -> Any:
    """Plain Python from an item of a version 7.3 file; MATLAB stores arrays with their axes reversed."""
    if depth > _DEEPEST:
        raise ValueError("structures are nested too deeply")
    if isinstance(item, h5py.Group):
        fields = {name: item[name] for name in item}
        references = [field for field in fields.values() if _is_references(field) and "MATLAB_class" not in field.attrs]
        if fields and len(references) == len(fields):  # an array of structures: one reference an element and field
            columns = {name: _from_hdf5(file, field, depth + 1) for name, field in fields.items()}
            return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return {name: _from_hdf5(file, field, depth + 1) for name, field in fields.items()}
    kind = item.attrs.get("MATLAB_class", b"")
    kind = kind.decode() if isinstance(kind, bytes) else str(kind)
    if item.attrs.get("MATLAB_empty", 0):
        shape = tuple(int(n) for n in item[()].ravel())
        if 0 not in shape:
            raise ValueError("an empty array is stated to have elements")
        return "" if kind == "char" else [] if kind in ("cell", "struct") else np.zeros(shape)
    if _is_references(item):
        return [_from_hdf5(file, file[reference], depth + 1) for reference in item[()].T.ravel(order="F")]
    values = np.asarray(item[()]).T
    if kind == "char":
        return values.ravel(order="F").astype("<u2").tobytes().decode("utf-16-le")
    return values


def _is_references(item: Any) -> bool:
    return isinstance(item, h5py.Dataset) and h5py.check_ref_dtype(item.dtype) is not None
