"""MAT: a whole session in one MATLAB file, so that an analysis can go to MATLAB or Octave and come back.

Beside ``trial`` and ``results`` (`biomec.io.mat`) the file holds the structure ``session``::

    session.format, .version       'biomec session', 1
    session.dynamic, .static       as ``trial``: the movement as measured, and the static; [] where there is none
    session.json                   subject, settings, history and notices, and how arrays of the results are shaped

What is read back is the same bit for bit. Imported files themselves are not held.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Notice, warning
from biomec.base.plain_types import made_from, parsed_json
from biomec.io.mat import field_name, trial_from_tree, trial_to_tree, write_variables
from biomec.io.mat_tree import read_tree
from biomec.io.session_json import StoredResult, StoredSession, session_of, session_to_json
from biomec.recording import Result, Session, Trial

_FORMAT, _VERSION = "biomec session", 1


def write_mat_session(session: Session, path: Path, trial: Trial | None = None) -> tuple[Notice, ...]:
    """Write a session; ``trial`` is what MATLAB finds as the movement, such as the filtered one (None: as measured)."""
    path = Path(path)
    plain = session_to_json(session) | {"results": {step: _shapes(one) for step, one in session.results.items()}}
    nothing = np.zeros((0, 0))
    stored = {
        "format": _FORMAT,
        "version": float(_VERSION),
        "dynamic": trial_to_tree(session.dynamic),
        "static": nothing if session.static is None else trial_to_tree(session.static),
        "json": json.dumps(plain, ensure_ascii=True, default=dict),
    }
    write_variables(path, session.dynamic if trial is None else trial, session.results, {"session": stored})
    if not session.originals:
        return ()
    names = ", ".join(original.source.name for original in session.originals)
    sentence = f"A MATLAB file does not hold the imported files themselves ({names}); a project does."
    return (warning("mat-originals", sentence),)


def read_mat_session(path: Path) -> Session | None:
    """Return the session that a MATLAB file holds; None if it holds a recording alone, or nothing of Biomec."""
    path = Path(path)
    variables = read_tree(path)
    stored = variables.get("session")
    if not (isinstance(stored, Mapping) and stored.get("format") == _FORMAT):
        return None
    if np.ravel(stored.get("version", ())).tolist() != [_VERSION]:
        raise FileError(path.name, "this file was written by a newer Biomec; use that to open it.")
    try:
        plain = made_from(StoredSession, parsed_json(stored["json"]), "session")
        if not isinstance(plain.results, Mapping):
            raise ValueError("its results are not a table")
        static = stored.get("static")
        results = variables.get("results", {})
        return session_of(
            plain,
            trial_from_tree(path.name, stored["dynamic"]),
            trial_from_tree(path.name, static) if isinstance(static, Mapping) else None,
            {step: _result(shapes, results.get(field_name(step), {})) for step, shapes in plain.results.items()},
        )
    except FileError:
        raise
    except (BiomecError, LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        words = f"the structure 'session' is not what Biomec wrote ({error}). Its recording can be imported alone."
        raise FileError(path.name, words) from error


def _shapes(result: Result) -> dict[str, Any]:
    """How arrays are shaped and typed, which MATLAB does not keep, and what is not an array."""
    arrays = {name: [array.dtype.str, list(array.shape)] for name, array in result.arrays.items()}
    return {"arrays": arrays, "metadata": result.metadata}


def _result(stored: StoredResult, fields: Mapping[str, Any]) -> Result:
    if not isinstance(stored.arrays, Mapping):
        raise ValueError("shapes of arrays are not a table")
    arrays = {name: _array(fields[field_name(name)], *how) for name, how in stored.arrays.items()}
    return Result(arrays, stored.metadata)


def _array(stored: Any, kind: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return an array with the type and the shape that it had."""
    array, type_ = np.asarray(stored), np.dtype(kind)
    if type_.kind not in "biufc":
        raise ValueError(f"an array holds {type_}, not numbers")
    if array.size != int(np.prod(shape, dtype=np.int64)):
        raise ValueError(f"an array has {array.size} values instead of {'×'.join(map(str, shape)) or 1}")
    return np.asarray(array.reshape(shape, order="F")).astype(type_)
