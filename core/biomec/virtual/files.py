"""A virtual acquisition as files: as a laboratory would hand them over, and the truth beside them if asked for.

20260302_Demo_PushUpClosed1.emt        dynamic trial       20260302_Demo_PushUpClosed1.mot       force plates
20260302_Demo_Static.emt               static              20260302_Demo_PushUpClosed1_EMG.emt   EMG
20260302_Demo_PushUpClosed1.c3d        all of the dynamic trial in one, with 20260302_Demo_Static.c3d
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from biomec.base.atomic import atomic_path
from biomec.base.errors import BiomecError, FileError
from biomec.io.c3d.plates import plate_axes
from biomec.io.c3d.writer import MM, write_c3d
from biomec.io.emt import write_emt
from biomec.io.registry import write_trial
from biomec.io.storage import write_storage
from biomec.recording import ForcePlate, LabAxes, Trial
from biomec.virtual.acquisition import VirtualAcquisition

FORMATS = ("emt", "c3d")


def write_acquisition(
    acquisition: VirtualAcquisition, folder: Path | str, formats: Sequence[str] = ("emt",), *, truth: bool = False
) -> dict[str, Path]:
    """Write an acquisition, and return the dynamic file of every format; files of the same names are replaced.

    formats : "emt" for EMT with MOT as BTS systems give them, "c3d" for C3D. With more than one, each has a folder of
              its own, so that a program which looks for companions by name finds those of the same format.
    truth   : also write what really happened, as .npz and .json
    """
    folder = Path(folder)
    unknown = [name for name in formats if name not in FORMATS]
    if unknown or not formats:
        raise BiomecError(
            f"A virtual acquisition is written as {' or '.join(FORMATS)}, not {', '.join(unknown) or '-'}."
        )
    written = {}
    for name in dict.fromkeys(formats):
        place = folder / name if len(set(formats)) > 1 else folder
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(place.name, f"the folder cannot be made: {error.strerror or error}.") from error
        written[name] = _write_emt(acquisition, place) if name == "emt" else _write_c3d(acquisition, place)
    if truth:
        write_truth(acquisition, folder / _stem(acquisition))
    return written


def write_truth(acquisition: VirtualAcquisition, stem: Path | str) -> None:
    """Write the truth of an acquisition: arrays as ``stem``_truth.npz, words and numbers as ``stem``_truth.json."""
    truth = acquisition.truth
    arrays = {"time_s": truth.time_s, "q": truth.q, "qdot": truth.qdot, "qddot": truth.qddot}
    arrays |= {f"landmark {name}": p for name, p in truth.landmarks.items()}
    arrays["markers"] = truth.markers.p_WM
    for name, one in truth.reactions.items():
        arrays |= {f"force {name}": one.force, f"moment {name}": one.moment, f"point {name}": one.point}
    for name, load in truth.loads.items():
        arrays |= {f"joint {what} {name}": getattr(load, what) for what in ("centre", "force", "torque")}
    words = {
        "person": {name: getattr(acquisition.person, name) for name in ("name", "mass_kg", "height_m", "sex")},
        "movement": acquisition.movement.name,
        "options": {**asdict(acquisition.options), "recorded": acquisition.options.recorded.isoformat()},
        "markers": list(truth.markers.names),
        "segments": list(acquisition.model.system.layout.bodies),
        "gaps": [asdict(gap) for gap in truth.gaps],
        "label_errors": [asdict(error) for error in truth.label_errors],
        "events": [asdict(event) for event in truth.events],
    }
    stem = Path(stem)
    with atomic_path(stem.with_name(f"{stem.name}_truth.npz")) as path, path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    with atomic_path(stem.with_name(f"{stem.name}_truth.json")) as path:
        path.write_text(json.dumps(words, indent=1, ensure_ascii=False), encoding="utf-8")


def _stem(acquisition: VirtualAcquisition, what: str | None = None) -> str:
    day = acquisition.options.recorded.strftime("%Y%m%d")
    return f"{day}_{acquisition.person.name}_{what or acquisition.movement.name + '1'}"


def _write_emt(acquisition: VirtualAcquisition, folder: Path) -> Path:
    dynamic, stem = acquisition.dynamic, _stem(acquisition)
    write_emt(acquisition.static, folder / f"{_stem(acquisition, 'Static')}.emt", tracks="points")
    write_emt(dynamic, folder / f"{stem}.emt", tracks="points")
    if dynamic.plates:
        write_storage(dynamic, folder / f"{stem}.mot", content="plates")
    if dynamic.emg is not None:
        write_emt(dynamic, folder / f"{stem}_EMG.emt", tracks="emg")
    return folder / f"{stem}.emt"


def _write_c3d(acquisition: VirtualAcquisition, folder: Path) -> Path:
    dynamic = folder / f"{_stem(acquisition)}.c3d"
    write_trial(acquisition.static, folder / f"{_stem(acquisition, 'Static')}.c3d", overwrite=True)
    write_trial(acquisition.dynamic, dynamic, overwrite=True)
    return dynamic


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
