"""Several files given at once: which of them is the movement, and which its static, its plates and its EMG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from biomec.errors import BiomecError
from biomec.io.companions import PLATE_FILES, is_emg, natural_order, parse_name, stands_still
from biomec.io.registry import read_trial


@dataclass(frozen=True)
class Roles:
    """What files are to each other; None is what is not among them.

    left_out : further movements and statics: one movement is imported at a time
    """

    dynamic: Path
    static: Path | None = None
    plates: Path | None = None
    emg: Path | None = None
    left_out: tuple[Path, ...] = ()


def find_roles(paths: Sequence[Path]) -> Roles:
    """Tell files apart: by their kind and name, and by whether the subject stands still.

    A static says so in its name, or the subject stands still in it while another file moves. The first movement by its
    name is taken, and the first static.
    """
    files = sorted((Path(path) for path in paths), key=natural_order)
    plates = [path for path in files if path.suffix.lower() in PLATE_FILES]
    emg = [path for path in files if path not in plates and is_emg(path)]
    recorded = [path for path in files if path not in (*plates, *emg)]
    if not recorded:
        raise BiomecError("None of these files holds the markers of a movement. Give its recording too.")
    statics = [path for path in recorded if parse_name(path.stem).static]
    if not statics and len(recorded) > 1:
        statics = [path for path in recorded if stands_still(read_trial(path, examine=False).markers)]
    moving = [path for path in recorded if path not in statics] or statics[-1:]
    statics = [path for path in statics if path not in moving]
    left = (*moving[1:], *statics[1:], *plates[1:], *emg[1:])
    static, plate, signal = (next(iter(found), None) for found in (statics, plates, emg))
    return Roles(moving[0], static, plate, signal, left)
