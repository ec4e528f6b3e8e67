"""A virtual acquisition as files: as a laboratory would hand them over, and the truth beside them if asked for.

20260302_Demo_PushUpClosed1.emt        dynamic trial       20260302_Demo_PushUpClosed1.mot       force plates
20260302_Demo_Static.emt               static              20260302_Demo_PushUpClosed1_EMG.emt   EMG
20260302_Demo_PushUpClosed1.c3d        all of the dynamic trial in one, with 20260302_Demo_Static.c3d
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from biomec.base.atomic import atomic_path
from biomec.base.errors import BiomecError, FileError
from biomec.io.emt import write_emt
from biomec.io.registry import write_trial
from biomec.io.storage import write_storage
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
