"""A study to give away: its tables, and the projects of its trials with codes in the place of people.

A project without the name is made by `pipeline.without_name`, which takes names, days and names of files out of every
text. Movements themselves may still tell who moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from biomec.base.atomic import make_folder
from biomec.base.errors import BiomecError, FileError
from biomec.base.plain_text import file_name
from biomec.base.progress import Progress
from biomec.io.project import load_project, save_project
from biomec.pipeline.without_name import refuse_telling_name, without_name
from biomec.recording import Session, Subject
from biomec.study.record import PROJECT, SETTING
from biomec.study.study import Study
from biomec.study.tables import which, write_tables


def export_study(
    study: Study,
    folder: Path,
    *,
    projects: bool = False,
    parquet: bool = False,
    also: Sequence[str] = (),
    progress: Progress | None = None,
) -> tuple[Path, ...]:
    """Write tables, and with ``projects`` the trials that count, into a folder that is empty or not there yet.

    also : further words to be taken out of the projects, such as numbers of patients
    """
    folder = Path(folder)
    if folder.exists() and any(folder.iterdir()):
        raise FileError(folder.name, "the folder is not empty. Choose a new one, so that nothing else is given away.")
    make_folder(folder)
    written = list(write_tables(study, folder / "tables", parquet))
    chosen = [(one, cells) for one, cells in zip(study.trials, which(study.trials), strict=True) if one.counts]
    people = {one: k for k, one in enumerate(("", *study.people))}
    taken: set[str] = set()
    if projects:
        make_folder(folder / "projects")
    for k, (trial, (code, _, _, visit, condition, number)) in enumerate(chosen if projects else ()):
        session = load_project(study.folder_of(trial) / PROJECT)
        bare = {key: value for key, value in session.settings.items() if key != SETTING}  # file, hash and warnings
        session = _by_code(replace(session, settings=bare), str(code))
        name, clean = _cleaned(
            session, (str(code), f"person {people[trial.subject]}"), f"{visit} {condition} {number}", also
        )
        if name in taken:
            raise BiomecError(f"Two trials would have the name {name}. Name their people or conditions in study.toml.")
        taken.add(name)
        save_project(clean, folder / "projects" / name)
        if progress is not None:
            progress((k + 1) / len(chosen))
        written.append(folder / "projects" / name)
    return tuple(written)


def _by_code(session: Session, code: str) -> Session:
    """A session in which a name that is the code already, as in recordings named by codes, is no name."""

    def bare(subject: Subject) -> Subject:
        return replace(subject, name="") if subject.name.casefold() == code.casefold() else subject

    dynamic, static = session.dynamic, session.static
    return replace(
        session,
        subject=bare(session.subject),
        dynamic=replace(dynamic, subject=bare(dynamic.subject)),
        static=None if static is None else replace(static, subject=bare(static.subject)),
    )


def _cleaned(session: Session, codes: Sequence[str], rest: str, also: Sequence[str]) -> tuple[str, Session]:
    """Name of the project and the session without the name, by the first code that does not tell it."""
    fault: BiomecError | None = None
    for code in filter(None, codes):
        name = file_name(f"{code} {rest}") + ".biomec"
        try:
            refuse_telling_name(session, name, also)
            return name, without_name(session, code, also)
        except BiomecError as error:
            fault = error
    raise fault or BiomecError("The trial has no code.")
