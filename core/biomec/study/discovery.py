"""What lies in a study folder: movements with what belongs to them, projects, and what every other file is.

Each folder is looked through as that of a visit (`io.visit_folder`). What was found is kept and taken again as long as
names, sizes and times of the files in the folder stay the same, so that a large study opens without reading recordings.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress, part_of
from biomec.io.companions import find_companions, natural_order, parse_name
from biomec.io.project import load_project
from biomec.io.visit_folder import Movement, folder_content
from biomec.recording import Source, Subject
from biomec.study.description import FILE, RESULTS

STATIC, CHANNELS, BROKEN, FOREIGN = "static", "plates or EMG", "unreadable", "not a recording"
TABLES = (".csv", ".txt", ".mot", ".sto")
"""Ends of names that tables of other kinds have too."""


@dataclass(frozen=True)
class FoundTrial:
    """A movement, or a project that holds one. Texts are empty where nothing is known.

    file   : its name;  sha256 : of the recording, also where a project holds it
    key    : of the trial itself: its recording, or the stretch of it that a project holds
    parts  : hashes of static, plates, EMG and project, in one text;  static : name of the static
    person, sex, born : who it is of, by its own word;  day : of the recording, ISO 8601
    trial  : what the name of the file calls it
    condition, excluded : what the notes of a project say;  project : whether it is one
    """

    file: str
    sha256: str
    key: str
    parts: str = ""
    static: str = ""
    person: str = ""
    sex: str = ""
    born: str = ""
    trial: str = ""
    day: str = ""
    condition: str = ""
    excluded: str = ""
    project: bool = False


@dataclass(frozen=True)
class FoundFile:
    """What a file of the folder is, with the reason where it cannot be used."""

    file: str
    kind: str
    reason: str = ""


@dataclass(frozen=True)
class FolderContent:
    """Content of one folder of a study, as it is kept in the index. ``signature`` is of names, sizes and times."""

    signature: str
    trials: tuple[FoundTrial, ...] = ()
    files: tuple[FoundFile, ...] = ()


def look_through(
    folder: Path, results: Path, kept: Mapping[str, FolderContent], progress: Progress | None = None
) -> tuple[dict[str, FolderContent], tuple[str, ...]]:
    """Path of each folder that holds files -> its content, and sentences about folders that cannot be entered.

    kept : what an earlier look found; folders that have not changed are not read again
    Paths are below ``folder``, "." for itself.
    """
    closed: list[str] = []
    listed = list(_folders(folder, results, closed))
    found: dict[str, FolderContent] = {}
    for k, (path, signature) in enumerate(listed):
        known = kept.get(path)
        part = part_of(progress, k / len(listed), (k + 1) / len(listed))
        if known is not None and known.signature == signature:
            found[path] = known
        else:
            found[path] = _content(folder / path, signature, part)
        if progress is not None:
            progress((k + 1) / len(listed))
    return found, tuple(closed)


def _folders(folder: Path, results: Path, closed: list[str]) -> Iterator[tuple[str, str]]:
    """Folders that hold files, in natural order, each with its signature; links to folders are not followed."""
    left = [folder]
    while left:
        here = left.pop()
        try:
            with os.scandir(here) as entries:
                listed = [one for one in entries if not one.name.startswith(".")]
            files = [(one.name, one.stat()) for one in listed if one.is_file()]
        except OSError as error:
            closed.append(f"{here.name}: the folder cannot be read ({error.strerror or error}); it was left out.")
            continue
        inner = [Path(one.path) for one in listed if one.is_dir(follow_symlinks=False)]
        inner = [one for one in inner if one != results and one.name != RESULTS]
        left += sorted(inner, key=lambda one: (natural_order(one), one.name), reverse=True)
        if files:
            lines = sorted(f"{name}\0{found.st_size}\0{found.st_mtime_ns}" for name, found in files)
            signature = hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
            yield here.relative_to(folder).as_posix(), signature


def _content(folder: Path, signature: str, progress: Progress | None) -> FolderContent:
    found = folder_content(folder, progress)
    trials: list[FoundTrial] = []
    files: list[FoundFile] = []
    for path in found.projects:
        try:
            trials.append(_of_project(path))
        except BiomecError as error:
            files.append(FoundFile(path.name, BROKEN, str(error)))
    for movement in found.movements:
        try:
            trials.append(_of_movement(movement))
        except BiomecError as error:  # it vanished, or a companion cannot be read
            files.append(FoundFile(movement.path.name, BROKEN, str(error)))
    files += [FoundFile(path.name, STATIC) for path in found.statics]
    files += [FoundFile(path.name, CHANNELS) for path in found.channels]
    files += [FoundFile(name, _refused(name), reason) for name, reason in found.refused]
    files += [FoundFile(name, FOREIGN) for name in found.others if name != FILE]
    return FolderContent(signature, tuple(trials), tuple(files))


def _refused(name: str) -> str:
    """A table may be anything; a file of a format that only recordings have is broken."""
    return FOREIGN if Path(name).suffix.lower() in TABLES else BROKEN


def _of_movement(movement: Movement) -> FoundTrial:
    path, name = movement.path, parse_name(movement.path.stem)
    beside = find_companions(path)
    parts = {
        "static": movement.static,
        "plates": None if beside.plates is None else beside.plates.path,
        "emg": None if beside.emg is None else beside.emg.path,
    }
    hashes = [f"{kind} {_hash(one)}" for kind, one in parts.items() if one is not None]
    static = "" if movement.static is None else movement.static.name
    person = movement.subject.name or beside.subject_name
    sha256 = _hash(path)
    return FoundTrial(
        path.name, sha256, sha256, "\n".join(hashes), static, *_person(movement.subject, person),
        name.trial or path.stem, _iso(beside.recorded or movement.recorded),
    )  # fmt: skip


def _of_project(path: Path) -> FoundTrial:
    session = load_project(path)
    own, notes = session.dynamic.source, session.notes
    stem = own.name.rpartition(".")[0] or path.stem
    stretch = f"{own.sha256} {session.dynamic.first_frame} {session.dynamic.frames}"
    return FoundTrial(
        path.name, own.sha256, hashlib.sha256(stretch.encode()).hexdigest(), f"project {_hash(path)}", "",
        *_person(session.subject, session.subject.name), parse_name(stem).trial or stem,
        _iso(session.recorded or session.dynamic.recorded), notes.condition, notes.excluded, True,
    )  # fmt: skip


def _person(subject: Subject, name: str) -> tuple[str, str, str]:
    """Name, sex and date of birth."""
    return " ".join(name.split()), subject.sex or "", _iso(subject.birth_date)


def _iso(day: date | None) -> str:
    return "" if day is None else day.isoformat()


def _hash(path: Path) -> str:
    return Source.of(path, "").sha256
