"""A folder of a visit: which of its files are movements, which is the static of each, and what belongs to neither.

Names and contents decide together: a static says so in its name, or the person stands still in it. A movement gets the
static that belongs to it by name, else one of the same markers on the same body, else the only one of the folder.
Plates and EMG beside a movement are found when it is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from biomec.base.errors import BiomecError, FileError
from biomec.base.progress import Progress
from biomec.io.companions import find_companions, natural_order, parse_name, same_body
from biomec.io.file_roles import FileKind, file_kind
from biomec.io.registry import PROJECT, extensions, find_format, read_trial
from biomec.recording import Markers, Subject

TEXT = (".txt",)  # may be a recording, and mostly is not


@dataclass(frozen=True)
class Movement:
    """A movement of a visit, and its static with the reason why it is; None where the folder has none.

    subject, recorded : what the file itself says of person and day
    """

    path: Path
    static: Path | None = None
    reason: str = ""
    subject: Subject = field(default_factory=Subject)
    recorded: date | None = None


@dataclass(frozen=True)
class VisitFolder:
    """What a folder holds.

    channels  : force plates and EMG in files of their own
    projects  : projects, each with a recording and its analysis
    statics   : recordings in which the person stands still
    refused   : name and reason of files that should be recordings and cannot be read
    others    : names of files that are not recordings, such as a licence or a letter
    """

    folder: Path
    movements: tuple[Movement, ...]
    projects: tuple[Path, ...] = ()
    statics: tuple[Path, ...] = ()
    channels: tuple[Path, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    others: tuple[str, ...] = ()


def visit_folder(folder: Path | str, progress: Progress | None = None) -> VisitFolder:
    """Look through a folder, not through those within it; a sentence if it holds no movement."""
    found = folder_content(folder, progress)
    if not found.movements and not found.projects:
        raise BiomecError(_nothing(found))
    return found


def folder_content(folder: Path | str, progress: Progress | None = None) -> VisitFolder:
    """Look through a folder, not through those within it, whatever it holds."""
    folder = Path(folder)
    try:
        files = sorted((path for path in folder.iterdir() if path.is_file()), key=natural_order)
    except OSError as error:
        raise FileError(folder.name, f"the folder cannot be read: {error.strerror or error}.") from error
    files = [path for path in files if not path.name.startswith(".")]
    known = [path for path in files if path.suffix.lower() in extensions()]
    projects: list[Path] = []
    kinds: dict[Path, FileKind] = {}
    markers: dict[Path, Markers] = {}
    people: dict[Path, tuple[Subject, date | None]] = {}
    refused: list[tuple[str, str]] = []
    known_not: list[Path] = []
    for k, path in enumerate(known):
        try:
            if find_format(path)[0].name == PROJECT:
                projects.append(path)
            else:
                trial = read_trial(path, examine=False)
                kinds[path], markers[path] = file_kind(path, trial), trial.markers
                people[path] = trial.subject, trial.recorded
        except BiomecError as error:
            if path.suffix.lower() in TEXT:
                known_not.append(path)
            else:
                refused.append((path.name, str(error)))
        if progress is not None:
            progress((k + 1) / len(known))
    statics = _statics(kinds)
    moving = [path for path, kind in kinds.items() if kind is FileKind.MOVING and path not in statics]
    return VisitFolder(
        folder,
        tuple(_with_static(path, statics, markers, *people[path]) for path in moving),
        tuple(projects),
        tuple(statics),
        tuple(path for path, kind in kinds.items() if kind in (FileKind.PLATES, FileKind.EMG)),
        tuple(refused),
        tuple(path.name for path in files if path not in known or path in known_not),
    )


def _statics(kinds: dict[Path, FileKind]) -> list[Path]:
    """Recordings whose name says so, before those in which somebody stands still."""
    bodies = [path for path, kind in kinds.items() if kind in (FileKind.MOVING, FileKind.STILL)]
    named = [path for path in bodies if parse_name(path.stem).static]
    return [*named, *(path for path in bodies if kinds[path] is FileKind.STILL and path not in named)]


def _with_static(
    path: Path, statics: Sequence[Path], markers: dict[Path, Markers], subject: Subject, recorded: date | None
) -> Movement:
    by_name = find_companions(path).static
    if by_name is not None and by_name.path in statics:
        return Movement(path, by_name.path, by_name.reason, subject, recorded)
    alike = [one for one in statics if same_body(markers[path], markers[one])]
    if alike:
        return Movement(path, alike[0], "holds the same markers, as far apart as here", subject, recorded)
    if len(statics) == 1:
        return Movement(path, statics[0], "is the only static of the folder", subject, recorded)
    return Movement(path, subject=subject, recorded=recorded)


def _nothing(found: VisitFolder) -> str:
    folder, statics, refused = found.folder, found.statics, found.refused
    words = f"{folder.name}: there is no movement in this folder"
    if statics:
        words += f"; in {', '.join(one.name for one in statics)} the person stands still"
    within = sorted(one.name for one in folder.iterdir() if one.is_dir() and not one.name.startswith("."))
    advice = f" Give one of the folders in it: {', '.join(within[:5])}." if within and not statics else ""
    return " ".join([f"{words}.{advice}", *(sentence for _, sentence in refused)])
