"""What the File menu does with files: open, save, export; each in the background, and none loses unsaved work."""

from __future__ import annotations

import glob
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QCoreApplication, QEventLoop
from PySide6.QtGui import QStatusTipEvent

from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Notice, Severity
from biomec.base.progress import Progress
from biomec.io.file_roles import Roles, find_roles
from biomec.io.mat_session import read_mat_session
from biomec.io.project import load_project, save_project
from biomec.io.registry import PROJECT, extensions, find_format
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import KINEMATICS, STEPS, STOPPED, Analysis, analyze, run_first
from biomec.pipeline.outlook import run_as_far
from biomec.pipeline.reopen import open_again
from biomec.pipeline.replay import settings_line
from biomec.pipeline.settings_file import found_on_the_recording, read_settings, with_findings_of, write_settings
from biomec.pipeline.stretch import stretch_session
from biomec.recording import Source
from biomec.reporting.export import write_angles, write_recording
from biomec.reporting.output import write_analysis
from biomec_app.session.context import Context
from biomec_app.session.ready import ready

SUFFIX, MATLAB = ".biomec", "MAT"
RECORDINGS = f"Recordings ({' '.join('*' + end for end in extensions() if end != SUFFIX)});;All files (*)"
OPENABLE = f"Projects and MATLAB files (*{SUFFIX} *.mat);;All files (*)"
PROJECTS = f"Biomec project (*{SUFFIX})"
SAVE, DISCARD = "Save", "Don't save"
SETTINGS = "Settings of an analysis (*.json);;All files (*)"
OF_THIS, OF_THE_FILE = "Those of this recording", "Those of the file"
CLEAN, MEASURED = "Rebuilt and filtered", "As measured"
LEFT_OUT = "Left out:"


# ----------------------------------------------------------------------------------------------------------- unsaved
def may_discard(context: Context) -> bool:
    """Whether what is open may go: it is saved, or the user does not want it saved."""
    if not context.document.is_modified:
        return True
    name = context.document.title.removesuffix(" *")
    question = f"Save the changes of {name} before it is closed?"
    if context.jobs.busy:
        question += f' "{context.jobs.title}" is still running; it will be stopped, and its result is not saved.'
    answer = context.confirm("Unsaved work", question, (SAVE, DISCARD))
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


def _remember(context: Context, path: Path) -> None:
    context.preferences.add_recent(path)
    context.preferences.folder = path.absolute().parent


# -------------------------------------------------------------------------------------------------------------- open
def open_file(context: Context, *paths: Path) -> None:
    """Open a project, or import a recording; what cannot be opened is told, and what is open stays.

    Of several files a project is opened, or the movement among them imported with its static, plates and EMG; those
    that are no recording are told, and the others opened without them.
    """
    path = paths[0]
    try:
        if context.jobs.busy:
            raise BiomecError(f'"{context.jobs.title}" is still running. Wait until it is done, or cancel it.')
        known, refused = _known_kinds(paths)
        if not known:
            raise BiomecError(" ".join(refused))
        if not may_discard(context):
            return
        path = next((one for one, kind in known.items() if kind == PROJECT), next(iter(known)))
        if known[path] == PROJECT:
            open_project(context, path)
            others = ", ".join(one.name for one in paths if one != path)
            if others:
                told = f"A project is opened by itself: {path.name} was taken, and {others} left out."
                context.tell(f"Open {path.name}", told)
        elif len(known) == 1 and known[path] == MATLAB:
            open_matlab(context, path)
            if refused:
                context.tell(f"Open {path.name}", " ".join([LEFT_OUT, *refused]))
        else:
            import_recording(context, *known, refused=refused)
    except BiomecError as error:
        context.tell(f"Open {path.name}", str(error))


def _known_kinds(paths: Sequence[Path]) -> tuple[dict[Path, str], list[str]]:
    """Kind of every file that Biomec may read, and sentences about those that it does not know."""
    known: dict[Path, str] = {}
    refused: dict[str, list[str]] = {}  # names by fault, so that the same is told once
    for path in paths:
        try:
            known[path] = find_format(path)[0].name
        except FileError as error:
            refused.setdefault(error.fault, []).append(error.file)
    return known, [f"{', '.join(names)}: {fault}" for fault, names in refused.items()]


def ask_and_open(context: Context) -> None:
    """Ask for a project or a MATLAB file, and open it."""
    path = context.ask_file("Open", OPENABLE, False, context.preferences.folder)
    if path is not None:
        open_file(context, path)


def ask_and_import(context: Context) -> None:
    """Ask for the recording of a movement, and import it."""
    path = context.ask_file("Import the recording of a movement", RECORDINGS, False, context.preferences.folder)
    if path is not None:
        open_file(context, path)


def open_project(context: Context, path: Path) -> None:
    """Read a project and run its steps again."""

    def done(analysis: Analysis) -> None:
        context.document.open(analysis, path)
        _remember(context, path)

    title = f"Open {path.name}"
    context.jobs.start(title, lambda progress: ready(open_again(load_project(path), progress)), done)


def open_matlab(context: Context, path: Path) -> None:
    """Open the session that a MATLAB file of Biomec holds; a recording alone is imported."""
    from biomec_app.dialogs.import_plan import ImportPlan, Preview, read
    from biomec_app.dialogs.importing import ask_import

    def work(progress: Progress) -> Analysis | Preview:
        session = read_mat_session(path)
        return read(ImportPlan(path)) if session is None else ready(open_again(session, progress))

    def done(found: Analysis | Preview) -> None:
        if isinstance(found, Preview):
            ask_import(context, found)
            return
        context.document.open(found)
        context.document.undo_stack.setClean()  # all of it lies in the file
        _remember(context, path)

    context.jobs.start(f"Open {path.name}", work, done)


def import_recording(context: Context, *paths: Path, refused: Sequence[str] = ()) -> None:
    """Read a recording and what lies beside it, and show the import dialog; several files are told apart first.

    refused : sentences about files that were given too and are no recordings
    """
    from biomec_app.dialogs.import_plan import ImportPlan, Preview, read
    from biomec_app.dialogs.importing import ask_import

    def work(progress: Progress) -> tuple[Preview, Roles]:
        roles = Roles(paths[0]) if len(paths) == 1 else find_roles(paths)
        return read(ImportPlan(roles.dynamic, roles.static, roles.plates, roles.emg)), roles

    def done(found: tuple[Preview, Roles]) -> None:
        preview, roles = found
        ask_import(context, preview)
        told = []
        if roles.left_out:
            names = ", ".join(path.name for path in roles.left_out)
            told.append(f"One movement is imported at a time: {roles.dynamic.name} was taken, and {names} left out.")
        if refused or roles.refused:
            told += [LEFT_OUT, *refused, *roles.refused]
        if told:
            context.tell("Import", " ".join(told))

    title = f"Read {paths[0].name}" if len(paths) == 1 else f"Read {len(paths)} files"
    context.jobs.start(title, work, done)


def open_unasked(context: Context, path: Path) -> None:
    """Open a project, or import and analyse a recording as its files say, without any question."""

    def work(progress: Progress) -> Analysis:
        kind = find_format(path)[0].name
        session = load_project(path) if kind == PROJECT else read_mat_session(path) if kind == MATLAB else None
        if session is not None:
            return ready(open_again(session, progress))
        return ready(analyze(import_session(path), progress=progress))

    context.jobs.start(f"Open {path.name}", work, context.document.open)


def imported(context: Context, analysis: Analysis, path: Path, line: str) -> None:
    """Show an imported recording."""
    context.document.open(analysis, None, (line,))
    _remember(context, path)


def analyse_imported(context: Context, step: str) -> None:
    """Analyse what was imported up to a step, or as far as it goes; what stops it is told, and stays as a notice."""
    before = context.document.analysis

    def done(after: Analysis) -> None:
        if context.document.analysis is not before:
            raise BiomecError("The recording was changed meanwhile, so the result was not used. Run it again.")
        reached = next((one.name for one in reversed(STEPS) if one.name in after.done), "")
        line = f'analysis = analysis.run_until("{reached}")' if reached else ""
        context.document.change("Analysis", after, line)
        stopped = [notice.sentence for notice in after.session.notices if notice.code == STOPPED]
        if stopped:
            if context.window is not None:  # "done" still stands there, of the reading
                QCoreApplication.sendEvent(context.window, QStatusTipEvent(""))
            raise BiomecError(stopped[-1])

    context.jobs.start("Analysis", lambda progress: ready(run_as_far(before, step, progress)), done)


def open_demo(context: Context) -> None:
    """Record, analyse and show the push-up of the virtual subject."""
    if not may_discard(context):
        return

    def work(progress: Progress) -> Analysis:
        from biomec.reporting.demo import demo_session  # the virtual person takes a while to import

        with TemporaryDirectory(prefix="biomec-demo-") as folder:
            _, session = demo_session(Path(folder))
        progress(0.1)
        return ready(analyze(session, progress=lambda fraction: progress(0.1 + 0.9 * fraction)))

    def done(analysis: Analysis) -> None:
        context.document.open(analysis)
        context.document.undo_stack.setClean()  # nothing of the user's own is in it yet

    context.jobs.start("Demonstration", work, done)


# -------------------------------------------------------------------------------------------------------------- save
def save(context: Context) -> None:
    """Save the project; asks for a name where it has none."""
    if context.document.path is None:
        save_as(context)
    else:
        _save_to(context, context.document.path)


def save_as(context: Context) -> None:
    """Save the project under another name."""
    path = _ask_project(context, "Save as", context.document.path or _proposed(context))
    if path is not None:
        _save_to(context, path)


def _proposed(context: Context, ending: str = "") -> Path:
    stem = Path(context.document.analysis.session.dynamic.source.name).stem
    return Path(context.preferences.folder) / f"{stem}{ending}{SUFFIX}"


def _ask_project(context: Context, title: str, start: Path) -> Path | None:
    """Ask for the name of a project file; its end is added, and then nothing is overwritten without asking."""
    path = context.ask_file(title, PROJECTS, True, str(start))
    return None if path is None else with_suffix(context, path, SUFFIX)


def with_suffix(context: Context, path: Path, suffix: str) -> Path | None:
    """Return the path with the end of its kind; None if another file has that name and the user wants to keep it."""
    if path.suffix.lower() == suffix:
        return path
    path = path.with_name(path.name + suffix)
    question = f"{path.name} exists already. Overwrite it?"
    return None if path.exists() and context.confirm("Overwrite", question, ("Overwrite",)) is None else path


def _save_to(context: Context, path: Path) -> None:
    document = context.document
    analysis, history = document.analysis, document.history

    def done(_: object) -> None:
        document.saved_as(path)
        if document.analysis is not analysis or document.history != history:  # changed while it was saved
            document.undo_stack.resetClean()
        _remember(context, path)

    context.jobs.start(f"Save {path.name}", lambda progress: save_project(analysis.stored(), path), done)


def save_stretch(context: Context, first: int, last: int) -> None:
    """Save frames ``first`` to ``last`` (from 0, inclusive) as a project of their own; what is open stays open."""
    analysis = context.document.analysis
    counted = analysis.session.dynamic.first_frame
    path = _ask_project(context, "Save stretch", _proposed(context, f"_{first + counted}-{last + counted}"))
    if path is None:
        return
    if context.document.path is not None and path.absolute() == context.document.path.absolute():
        raise BiomecError("A stretch cannot take the place of the project that is open. Choose another name.")
    title = f"Save {path.name}"

    def work(progress: Progress) -> None:
        save_project(stretch_session(analysis, first, last), path)

    context.jobs.start(title, work, lambda _: _remember(context, path))


# ------------------------------------------------------------------------------------------------------------ export
def export_results(context: Context) -> None:
    """Write tables and a summary of everything into a folder."""
    analysis = context.document.analysis
    folder = context.ask_folder("Folder for the results", context.preferences.folder)
    if folder is None:
        return
    overwrite = False
    if (folder / "summary.json").exists():
        question = f"{folder.name} holds results already. Overwrite them?"
        if context.confirm("Export results", question, ("Overwrite",)) is None:
            return
        overwrite = True
    title = f"Export results to {folder.name}"
    context.jobs.start(
        title,
        lambda progress: write_analysis(analysis, folder, overwrite=overwrite),
        lambda written: context.show_written(title, written, ()),
    )


def export_report(context: Context) -> None:
    """Write the report that can be printed, and its pictures, into a folder."""
    analysis = context.document.analysis
    folder = context.ask_folder("Folder for the report", context.preferences.folder)
    if folder is None:
        return
    if (folder / "report.html").exists():
        question = f"{folder.name} holds a report already. Overwrite it?"
        if context.confirm("Export report", question, ("Overwrite",)) is None:
            return
    title = f"Export report to {folder.name}"

    def work(progress: Progress) -> tuple[Path, ...]:
        from biomec_app.figures.report.demo_pictures import draw  # plotting takes a while to load

        *pictures, page = draw(analysis, folder)
        return (page, *pictures)

    context.jobs.start(title, work, lambda written: context.show_written(title, written, ()))


def export_recording(context: Context, kind: str, suffix: str) -> None:
    """Write the movement as a file of another kind."""
    analysis = context.document.analysis
    measured = True
    if "signals" in analysis.done:
        answer = context.confirm(f"Export {kind}", "Which signals shall be written?", (CLEAN, MEASURED))
        if answer is None:
            return
        measured = answer == MEASURED
    path = _ask_export(context, kind, suffix)
    if path is not None:
        title = f"Export {path.name}"
        _write(context, title, path, lambda: write_recording(analysis, path, measured))


def export_angles(context: Context) -> None:
    """Write joint angles as an OpenSim table."""
    analysis = context.document.analysis
    path = _ask_export(context, "STO", ".sto", "_angles")
    if path is not None:
        title = f"Export {path.name}"
        _write(context, title, path, lambda: write_angles(analysis, path))


def _ask_export(context: Context, kind: str, suffix: str, ending: str = "") -> Path | None:
    start = _proposed(context, ending or "_export").with_suffix(suffix)
    path = context.ask_file(f"Export {kind}", f"{kind} (*{suffix})", True, str(start))
    path = None if path is None else with_suffix(context, path, suffix)
    if path is not None and path.exists() and _is_source(context, path):
        raise BiomecError(f"{path.name} is the recording itself, which is never overwritten. Choose another name.")
    return path


def _is_source(context: Context, path: Path) -> bool:
    """Whether a file is one that the session was imported from, by its content."""
    session = context.document.analysis.session
    sources = [trial.source for trial in (session.dynamic, session.static) if trial is not None]
    known = {source.sha256 for source in (*sources, *(original.source for original in session.originals))}
    return Source.of(path, "").sha256 in known


def _write(context: Context, title: str, path: Path, write: Callable[[], tuple[Notice, ...]]) -> None:
    """Write in the background; then show which files there are, and what their format cannot hold."""
    began = time.time() - 2.0  # some file systems count in whole seconds

    def work(progress: Progress) -> tuple[tuple[Path, ...], tuple[str, ...]]:
        notices = write()
        serious = tuple(notice.sentence for notice in notices if notice.severity is not Severity.INFO)
        beside = (one for one in path.parent.glob(f"{glob.escape(path.stem)}*") if one.stat().st_mtime >= began)
        return tuple(sorted({path, *(one for one in beside if one.is_file())})), serious

    context.jobs.start(title, work, lambda written: context.show_written(title, *written))


# ---------------------------------------------------------------------------------------------------------- settings
def save_settings(context: Context) -> None:
    """Save the settings of the analysis as a file, for other recordings and for the command line."""
    start = str(_proposed(context, "_settings").with_suffix(".json"))
    path = context.ask_file("Save settings", SETTINGS, True, start)
    path = None if path is None else with_suffix(context, path, ".json")
    if path is not None:
        write_settings(context.document.analysis.settings, path)
        context.show_written("Save settings", (path,), ())


def load_settings(context: Context) -> None:
    """Take the settings of a file; what was found on one recording only is taken over after asking."""
    path = context.ask_file("Load settings", SETTINGS, False, context.preferences.folder)
    if path is None:
        return
    analysis = context.document.analysis
    before = analysis.settings
    after, notices = read_settings(path)
    if with_findings_of(after, before) != after:
        told = " and ".join(found_on_the_recording(after) or found_on_the_recording(before))
        where = f"The settings of {path.name} hold" if found_on_the_recording(after) else "The open recording has"
        question = f"{where} {told}. These are true of one recording only. Which are to be used?"
        answer = context.confirm("Load settings", question, (OF_THIS, OF_THE_FILE))
        if answer is None:
            return
        after = after if answer == OF_THE_FILE else with_findings_of(after, before)
    if after != before:
        changed = analysis.with_settings(after)
        context.document.change(f"Load Settings of {path.name}", changed, settings_line(before, after))
    said = [notice.sentence for notice in notices]
    if after == before:
        said.append(f"The settings of {path.name} are those that the recording has already.")
    if said:
        context.tell("Load settings", " ".join(said))


def needs_analysis(context: Context) -> str | None:
    """Reason for items that need the kinematic analysis, with nothing after it out of date."""
    if not context.document.is_open:
        return "Open or import a recording first."
    analysis = context.document.analysis
    if not analysis.is_current(KINEMATICS):
        return 'Run "Kinematic Analysis" first.'
    return run_first(analysis.stale[0]) if analysis.stale else None
