"""A recording as other laboratories' systems export it: other axes, headers that do not fit, plates described wrongly.

The recording itself is true; what a reader has to see through is known, so that tests can compare.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from biomec.io.c3d.plates import plate_axes
from biomec.io.c3d.writer import MM, write_c3d
from biomec.recording import ForcePlate, LabAxes, Trial

Z_UP = LabAxes("+z", "+x")


@dataclass(frozen=True)
class ForeignExport:
    """How an export differs from what it records.

    axes               : how the laboratory's axes point
    x_screen, y_screen : what the header says about them; "" writes nothing
    corner_order       : corners in the order of the file; (0, 1, 2, 3) is the rule: by quadrant, z into the ground
    depth_m            : sensors below the surface [m]
    origin_sign        : 1, or −1 for ORIGIN with the wrong sign
    load_on_plate      : channels hold what the subject does to the plate
    """

    axes: LabAxes = Z_UP
    x_screen: str = "+X"
    y_screen: str = "+Z"
    corner_order: tuple[int, int, int, int] = (0, 1, 2, 3)
    depth_m: float = 0.04
    origin_sign: float = 1.0
    load_on_plate: bool = False


QUALISYS = ForeignExport(x_screen="-X", y_screen="-Z")
"""A common export: the laboratory has Z up, the header has it down."""


def write_foreign_c3d(trial: Trial, path: Path | str, export: ForeignExport = QUALISYS) -> None:
    """Write a trial as C3D in the way of another laboratory."""
    turned = trial.turned(export.axes)
    up = export.axes.up_vector
    plates = tuple(_measured(plate, up, export) for plate in turned.plates)
    stated: dict[tuple[str, str], Any] = {("POINT", "X_SCREEN"): [export.x_screen]}
    stated["POINT", "Y_SCREEN"] = [export.y_screen]
    corners = [plate.corners for plate in plates if plate.corners is not None]
    if corners:
        listed = [places[list(export.corner_order)].T for places in corners]
        origin = np.array([0.0, 0.0, -export.origin_sign * export.depth_m])
        stated["FORCE_PLATFORM", "CORNERS"] = MM * np.stack(listed, axis=2)
        stated["FORCE_PLATFORM", "ORIGIN"] = MM * np.tile(origin[:, None], len(corners))
    write_c3d(replace(turned, plates=plates), path, stated=stated)


def _measured(plate: ForcePlate, up: np.ndarray[Any, Any], export: ForeignExport) -> ForcePlate:
    """A plate with its corners by the rule, and the wrench about its sensors."""
    corners = plate.corners
    if corners is not None and float(plate_axes(corners)[:, 2] @ up) > 0.0:
        corners = corners[::-1]
    sign = -1.0 if export.load_on_plate else 1.0
    moment = plate.moment - np.cross(plate.force, export.depth_m * up)
    return replace(plate, force=sign * plate.force, moment=sign * moment, corners=corners)
