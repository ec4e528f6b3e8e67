"""Several files given at once: which of them is the movement, and which its static, its plates and its EMG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from biomec.base.errors import BiomecError, FileError
from biomec.io.companions import PLATE_FILES, is_emg, natural_order, parse_name, stands_still
from biomec.io.registry import read_trial
from biomec.recording import Trial


@dataclass(frozen=True)
class Roles:
    """What files are to each other; None is what is not among them.

    left_out : further movements and statics: one movement is imported at a time
    refused  : a sentence about each file that is not a recording, or cannot be read
    """

    dynamic: Path
    static: Path | None = None
    plates: Path | None = None
    emg: Path | None = None
    left_out: tuple[Path, ...] = ()
    refused: tuple[str, ...] = ()


class FileKind(Enum):
    """What a file holds."""

    MOVING = "markers that move"
    STILL = "markers of a subject who stands still"
    PLATES = "force plates"
    EMG = "EMG"


def find_roles(paths: Sequence[Path]) -> Roles:
    """Tell files apart by what they hold: markers, plates or channels, and by whether the subject stands still.

    A static says so in its name, or the subject stands still in it while another file moves. The first movement by its
    name is taken, and the first static, those that say so before others. Files that are not recordings are
    reported, the others are taken without them.
    """
    kinds: dict[Path, FileKind] = {}
    refused: list[str] = []
    for path in sorted((Path(path) for path in paths), key=natural_order):
        try:
            kinds[path] = file_kind(path, read_trial(path, examine=False))
        except BiomecError as error:
            refused.append(str(error))
    moving, statics, plates, emg = ([path for path, kind in kinds.items() if kind is one] for one in FileKind)
    if not (moving or statics):
        none = "None of these files holds the markers of a movement. Give its recording too."
        raise BiomecError(" ".join([none, *refused] if kinds else refused))
    named = [path for path in kinds if path in (*moving, *statics) and parse_name(path.stem).static]
    moving, still = ([path for path in some if path not in named] for some in (moving, statics))
    if not moving:
        moving, still = (still or named[-1:], []) if named else (still[-1:], still[:-1])
    statics = [path for path in (*named, *still) if path not in moving]
    left = (*moving[1:], *statics[1:], *plates[1:], *emg[1:])
    static, plate, signal = (next(iter(found), None) for found in (statics, plates, emg))
    return Roles(moving[0], static, plate, signal, left, tuple(refused))


def file_kind(path: Path, trial: Trial) -> FileKind:
    """What a file holds; one whose name says EMG may show markers beside it."""
    channels = trial.emg or trial.analog
    if is_emg(path) and channels is not None:
        return FileKind.EMG
    if trial.markers.names:
        return FileKind.STILL if stands_still(trial.markers) else FileKind.MOVING
    if trial.plates:
        return FileKind.PLATES
    if trial.emg is not None or (channels is not None and path.suffix.lower() not in PLATE_FILES):
        return FileKind.EMG
    raise FileError(path.name, "there are no markers, no force plates and no EMG in it.")
