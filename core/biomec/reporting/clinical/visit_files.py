"""Files become a visit: recordings, projects or a whole folder, analysed one after the other with shared settings.

A recording that cannot be read or analysed never stops the others; its reason is listed with the visit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from biomec.base.errors import BiomecError, FileError
from biomec.base.progress import Cancelled, Progress, part_of
from biomec.io.project import load_project
from biomec.io.registry import PROJECT, find_format
from biomec.io.session_import import import_session
from biomec.io.visit_folder import Movement, VisitFolder, visit_folder
from biomec.pipeline.analysis import KINEMATICS, Analysis
from biomec.pipeline.reopen import open_again
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording import Session, Source, Subject
from biomec.reporting.clinical.visit import LeftOutTrial, Visit, refuse_strangers, visit_of

LOOKING = 0.05  # share of the time in which files are looked through


@dataclass(frozen=True)
class VisitFiles:
    """What a visit is made from: movements, each with its static, and projects.

    left_out : files that should be recordings and cannot be read
    """

    movements: tuple[Movement, ...]
    projects: tuple[Path, ...] = ()
    left_out: tuple[LeftOutTrial, ...] = ()

    @classmethod
    def of_folder(cls, found: VisitFolder) -> VisitFiles:
        """Everything that a folder holds."""
        refused = tuple(LeftOutTrial(name, reason) for name, reason in found.refused)
        return cls(found.movements, found.projects, refused)


def visit_files(path: Path | str, progress: Progress | None = None) -> VisitFiles:
    """What a folder, a recording or a project offers to a visit."""
    path = Path(path)
    if path.is_dir():
        return VisitFiles.of_folder(visit_folder(path, progress))
    if find_format(path)[0].name == PROJECT:
        return VisitFiles((), (path,))
    return VisitFiles((Movement(path),))


def analysed_visit(
    files: VisitFiles,
    settings: AnalysisSettings | None = None,
    subject: Subject | None = None,
    progress: Progress | None = None,
) -> Visit:
    """Analyse the recordings of a visit one after the other; raises `Cancelled` from ``progress`` and nothing else.

    settings : shared by all recordings; projects keep their own
    subject  : what the user says of the person; it wins over the files

    A recording of which a project is there is that project. Recordings that do not belong to the same person, day,
    condition and model as the first one are left out with a sentence.
    """
    work: list[Path | Movement] = [*files.projects, *files.movements]
    left_out = list(files.left_out)
    analyses: list[Analysis] = []
    names: list[str] = []
    stored: set[str] = set()
    for k, one in enumerate(work):
        part = part_of(progress, k / len(work), (k + 1) / len(work))
        path = one.path if isinstance(one, Movement) else one
        try:
            if isinstance(one, Movement) and _hash(path) in stored:
                continue
            session = _read(one, subject)
            if analyses:
                refuse_strangers([(names[0], analyses[0].session), (path.stem, session)])
            analysis = _analysed(one, session, settings, part)
            visit_of([*analyses[:1], analysis], [*names[:1], path.stem])  # a sentence if the models differ
        except Cancelled:
            raise
        except BiomecError as error:
            left_out.append(LeftOutTrial(path.stem, str(error)))
            continue
        analyses.append(analysis)
        names.append(path.stem)
        if not isinstance(one, Movement):
            stored |= _hashes(analysis)
    if progress is not None:
        progress(1.0)
    return visit_of(analyses, names, left_out)


def opened_visit(
    paths: Path | str | Sequence[Path],
    settings: AnalysisSettings | None = None,
    subject: Subject | None = None,
    progress: Progress | None = None,
) -> Visit:
    """The visit of a folder, a recording or a project, or of several together; a sentence if none can be analysed."""
    found: list[VisitFiles] = []
    several = [Path(paths)] if isinstance(paths, (str, Path)) else [Path(path) for path in paths]
    for path in several:
        if not path.exists():
            raise FileError(path.name, f"there is no such file or folder in {path.absolute().parent}.")
        found.append(visit_files(path, part_of(progress, 0.0, LOOKING) if len(several) == 1 else None))
    files = VisitFiles(
        tuple(one for files in found for one in files.movements),
        tuple(one for files in found for one in files.projects),
        tuple(one for files in found for one in files.left_out),
    )
    return analysed_visit(files, settings, subject, part_of(progress, LOOKING, 1.0))


def _read(one: Path | Movement, subject: Subject | None) -> Session:
    if isinstance(one, Movement):
        return import_session(one.path, static=one.static, subject=subject, keep_originals=False)
    return load_project(one)


def _analysed(
    one: Path | Movement, session: Session, settings: AnalysisSettings | None, progress: Progress | None
) -> Analysis:
    """Analysis with loads where there are plates; a project as it was stored, as far as it had come."""
    last = "loads" if session.dynamic.plates else KINEMATICS
    if isinstance(one, Movement):
        return Analysis(session, settings or AnalysisSettings()).run_until(last, progress)
    return open_again(session, part_of(progress, 0.0, 0.5)).run_until(last, part_of(progress, 0.5, 1.0))


def _hashes(analysis: Analysis) -> set[str]:
    session = analysis.session
    made_of = {source for record in session.provenance for source in record.inputs.values()}
    return made_of | {session.dynamic.source.sha256} - {""}


def _hash(path: Path) -> str:
    return Source.of(path, "").sha256


def trials_in_words(visits: Sequence[Visit]) -> tuple[str, ...]:
    """Sentences about recordings that are not in a visit, or do not count."""
    words = [f"{one.name} was left out. {one.reason}" for visit in visits for one in visit.left_out]
    words += [f"{one.name} does not count: {one.excluded}." for visit in visits for one in visit.trials if one.excluded]
    return tuple(words)
