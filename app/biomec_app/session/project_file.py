"""The project file of the open recording: unsaved work is not lost, saving is done in the background."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEventLoop
from PySide6.QtGui import QStatusTipEvent

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.io.project import load_project
from biomec.io.registry import extensions
from biomec.io.shared_project import ProjectChangedError, project_hash, save_as_read
from biomec.pipeline.analysis import STOPPED, Analysis
from biomec.pipeline.merge import save_merged
from biomec.pipeline.outlook import run_as_far
from biomec.pipeline.reopen import open_again
from biomec.pipeline.replay import run_line
from biomec.pipeline.stretch import stretch_session
from biomec.pipeline.without_name import CODE, refuse_telling_name, without_name
from biomec_app.session.context import Context
from biomec_app.session.ready import ready

SUFFIX = ".biomec"
RECORDINGS = f"Recordings ({' '.join('*' + end for end in extensions() if end != SUFFIX)});;All files (*)"
PROJECTS = f"Biomec project (*{SUFFIX})"
SAVE, DISCARD = "Save", "Don't save"
RELOAD, SAVE_AS, MERGE = "Reload", "Save as…", "Merge"


# ----------------------------------------------------------------------------------------------------------- unsaved
def may_discard(context: Context) -> bool:
    """Whether what is open may go: it is saved, or the user does not want it saved."""
    if not context.document.is_modified:
        return True
    name = context.document.title.removesuffix(" *")
    question = f"Save the changes of {name} before it is closed?"
    if context.jobs.busy:
        question += f' "{context.jobs.title}" is still running; it will be stopped, and its result is not saved.'
    answer = context.user.confirm("Unsaved work", question, (SAVE, DISCARD))
    if answer == SAVE:
        if context.jobs.busy:  # what runs would be lost with the window anyway
            context.jobs.cancel()
            _wait(context)
        save(context)
        _wait(context)
        return not context.document.is_modified
    return answer == DISCARD


def _wait(context: Context) -> None:
    """Wait for the running job while the window keeps drawing itself; clicks are left for later."""
    flags = QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents | QEventLoop.ProcessEventsFlag.WaitForMoreEvents
    while context.jobs.busy:
        QCoreApplication.processEvents(flags)


def remember(context: Context, path: Path) -> None:
    """Offer a file among the recent ones, and its folder where a file is asked for."""
    context.preferences.add_recent(path)
    context.preferences.folder = path.absolute().parent


# ---------------------------------------------------------------------------------------------------------- imported
def imported(context: Context, analysis: Analysis, path: Path, line: str) -> None:
    """Show an imported recording."""
    context.document.open(analysis, None, (line,))
    remember(context, path)


def analyse_imported(context: Context, step: str) -> None:
    """Analyse an import up to a step, or as far as it goes; what stops it is reported, and stays as a notice."""
    before = context.document.analysis

    def done(after: Analysis) -> None:
        if context.document.analysis is not before:
            raise BiomecError("The recording was changed meanwhile, so the result was not used. Run it again.")
        context.document.change("Analysis", after, run_line(after))
        stopped = [notice.sentence for notice in after.session.notices if notice.code == STOPPED]
        if stopped:
            if context.window is not None:  # "done" still stands there, of the reading
                QCoreApplication.sendEvent(context.window, QStatusTipEvent(""))
            raise BiomecError(stopped[-1])

    context.jobs.start("Analysis", lambda progress: ready(run_as_far(before, step, progress)), done)


# -------------------------------------------------------------------------------------------------------------- save
def save(context: Context) -> None:
    """Save the project; asks for a name where it has none."""
    if context.document.path is None:
        save_as(context)
    else:
        _save_to(context, context.document.path)


def save_as(context: Context) -> None:
    """Save the project under another name."""
    path = _ask_project(context, "Save as", context.document.path or proposed_path(context))
    if path is not None:
        _save_to(context, path)


def proposed_path(context: Context, ending: str = "") -> Path:
    """Project file named after the recording, in the folder that was used last."""
    stem = Path(context.document.analysis.session.dynamic.source.name).stem
    return Path(context.preferences.folder) / f"{stem}{ending}{SUFFIX}"


def _ask_project(context: Context, title: str, start: Path) -> Path | None:
    """Ask for the name of a project file; its end is added, and then nothing is overwritten without asking."""
    path = context.user.ask_file(title, PROJECTS, True, str(start))
    return None if path is None else with_suffix(context, path, SUFFIX)


def with_suffix(context: Context, path: Path, suffix: str) -> Path | None:
    """Return the path with the end of its kind; None if another file has that name and the user wants to keep it."""
    if path.suffix.lower() == suffix:
        return path
    path = path.with_name(path.name + suffix)
    question = f"{path.name} exists already. Overwrite it?"
    return None if path.exists() and context.user.confirm("Overwrite", question, ("Overwrite",)) is None else path


def _save_to(context: Context, path: Path) -> None:
    document = context.document
    analysis, history = document.analysis, document.history
    seen = document.seen if path == document.path else None

    def work(progress: Progress) -> str | None:
        try:
            return save_as_read(analysis.stored(), path, seen)
        except ProjectChangedError:
            return None

    def done(now: str | None) -> None:
        if now is None:
            _ask_about_change(context, path)
            return
        document.saved_as(path, now)
        if document.analysis is not analysis or document.history != history:  # changed while it was saved
            document.undo_stack.resetClean()
        remember(context, path)

    context.jobs.start(f"Save {path.name}", work, done)


# ----------------------------------------------------------------------------------------------- saved by another one
def _ask_about_change(context: Context, path: Path) -> None:
    """Another program has saved the project since it was opened here: ask what shall become of the two."""
    question = (
        f"Another program has saved {path.name} since it was opened here. Reload shows that version, and the changes "
        "made here are lost. Merge keeps the simulations of both, if nothing else differs."
    )
    answer = context.user.confirm("Project changed", question, (MERGE, SAVE_AS, RELOAD))
    if answer == SAVE_AS:
        save_as(context)
    elif answer == RELOAD:
        reload(context, path)
    elif answer == MERGE:
        _merge(context, path)


def reload(context: Context, path: Path) -> None:
    """Show a project as it lies on the disk now."""
    seen = project_hash(path)

    def done(analysis: Analysis) -> None:
        context.document.open(analysis, path, seen=seen)
        remember(context, path)

    context.jobs.start(f"Open {path.name}", lambda progress: ready(open_again(load_project(path), progress)), done)


def _merge(context: Context, path: Path) -> None:
    document = context.document
    before, seen = document.analysis, document.seen

    def done(saved: tuple[Analysis, str]) -> None:
        if document.analysis is not before:
            raise BiomecError("The recording was changed meanwhile. Save it again.")
        document.change("Merge", saved[0])
        document.saved_as(path, saved[1])

    context.jobs.start(f"Merge {path.name}", lambda progress: save_merged(before, path, seen), done)


def save_stretch(context: Context, first: int, last: int) -> None:
    """Save frames ``first`` to ``last`` (from 0, inclusive) as a project of their own; what is open stays open."""
    analysis = context.document.analysis
    counted = analysis.session.dynamic.first_frame
    path = _ask_project(context, "Save stretch", proposed_path(context, f"_{first + counted}-{last + counted}"))
    if path is None:
        return
    if context.document.path is not None and path.absolute() == context.document.path.absolute():
        raise BiomecError("A stretch cannot take the place of the project that is open. Choose another name.")
    title = f"Save {path.name}"

    def work(progress: Progress) -> None:
        save_as_read(stretch_session(analysis, first, last), path, None)

    context.jobs.start(title, work, lambda _: remember(context, path))


def save_without_name(context: Context) -> None:
    """Save a copy of the project in which a code stands for the person; what is open stays open."""
    analysis = context.document.analysis
    title = "Save without name"
    code = context.user.ask_text(title, "Code that stands for the person:", CODE)
    if code is None:
        return
    path = _ask_project(context, title, Path(context.preferences.folder) / f"{code}{SUFFIX}")
    if path is None:
        return
    if context.document.path is not None and path.absolute() == context.document.path.absolute():
        raise BiomecError("The copy cannot take the place of the project that is open. Choose another name.")
    refuse_telling_name(analysis.session, path.name)

    def work(progress: Progress) -> None:
        save_as_read(without_name(analysis.stored(), code), path, None)

    context.jobs.start(f"Save {path.name}", work, lambda _: context.user.show_written(title, (path,), ()))
