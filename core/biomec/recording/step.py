"""What a step of the pipeline gave, as plain arrays and data that a session stores and a project file holds.

The trials of a session stay as measured; whatever was rebuilt, filtered or found lies beside them, with the options and
the notices of its step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, Scope, Severity
from biomec.recording.plate import ForcePlate
from biomec.recording.series import Markers
from biomec.recording.session import Result


def plain_data(value: Any) -> Any:
    """Options as plain data: tables for dataclasses, the values of enumerations, lists for arrays."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain_data(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain_data(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_data(item) for item in value]
    return value


def step_result(arrays: Mapping[str, NDArray[Any]], options: Any, notices: Iterable[Notice], **metadata: Any) -> Result:
    """Return a result with the options (a dataclass) and notices of its step, and whatever else is to be known."""
    about = {name: plain_data(value) for name, value in metadata.items()}
    return Result(arrays, {**about, "options": plain_data(options), "notices": plain_data(list(notices))})


def stored_notices(result: Result) -> tuple[Notice, ...]:
    """Return the notices of a step."""
    return tuple(
        Notice(
            Severity(row["severity"]),
            row["code"],
            row["sentence"],
            row["about"],
            row["frames"],
            Scope(row.get("scope", Scope.PART)),
        )
        for row in result.metadata.get("notices", ())
    )


def marker_arrays(markers: Markers) -> dict[str, NDArray[Any]]:
    """Arrays from which `stored_markers` makes the markers again; their names and rate go to the metadata."""
    residual = {} if markers.residual is None else {"capture_residual": markers.residual}
    return {"p_WM": markers.p_WM, **residual}


def stored_markers(result: Result) -> Markers:
    """Return the markers of a step that rebuilt or filtered them."""
    if "p_WM" not in result.arrays or "names" not in result.metadata:
        raise BiomecError("The step holds no markers; choose one that rebuilt or filtered them.")
    residual = result.arrays.get("capture_residual")
    return Markers(result.metadata["names"], result["p_WM"], result.metadata["rate_hz"], residual)


def plate_arrays(plates: Sequence[ForcePlate]) -> dict[str, NDArray[Any]]:
    """Arrays from which `stored_plates` makes the plates again; their names go to the metadata as ``plates``."""
    return {f"plate {k} {what}": getattr(plate, what) for k, plate in enumerate(plates) for what in ("force", "moment")}


def stored_plates(result: Result, measured: Sequence[ForcePlate]) -> tuple[ForcePlate, ...]:
    """Return the plates of a step that changed their forces; the ``measured`` ones say where they lie."""
    names = result.metadata.get("plates")
    if names is None or list(names) != [plate.name for plate in measured]:
        here = ", ".join(names or ()) or "none"
        there = ", ".join(plate.name for plate in measured) or "none"
        raise BiomecError(f"The step holds the plates {here}, the recording has {there}; they must be the same.")
    return tuple(
        replace(plate, force=result[f"plate {k} force"], moment=result[f"plate {k} moment"])
        for k, plate in enumerate(measured)
    )
