"""What the File menu does with other files: open, import, export, settings; each in the background."""

from __future__ import annotations

import glob
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import Notice, Severity
from biomec.base.progress import Progress
from biomec.io.file_roles import Roles, find_roles
from biomec.io.mat_session import read_mat_session
from biomec.io.project import load_project
from biomec.io.registry import PROJECT, find_format
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import KINEMATICS, Analysis, analyze, run_first
from biomec.pipeline.reopen import files_asked_for, open_again
from biomec.pipeline.replay import settings_line
from biomec.pipeline.settings_file import found_on_the_recording, read_settings, with_findings_of, write_settings
from biomec.recording import Session, Source
from biomec.reporting.files.analysis_files import write_analysis
from biomec.reporting.files.other_programs import write_angles, write_recording
from biomec_app.features.clinical.visit_opening import open_visit
from biomec_app.session.context import Context
from biomec_app.session.opening import open_project, open_with_files
from biomec_app.session.project_file import RECORDINGS, SUFFIX, may_discard, proposed_path, remember, with_suffix
from biomec_app.session.ready import ready

MATLAB = "MAT"
OPENABLE = f"Projects and MATLAB files (*{SUFFIX} *.mat);;All files (*)"
SETTINGS = "Settings of an analysis (*.json);;All files (*)"
OF_THIS, OF_THE_FILE = "Those of this recording", "Those of the file"
CLEAN, MEASURED = "Rebuilt and filtered", "As measured"
LEFT_OUT = "Left out:"


# -------------------------------------------------------------------------------------------------------------- open
def open_file(context: Context, *paths: Path) -> None:
    """Open a project, a visit, or import a recording; what cannot be opened is reported, and what is open stays.

    Of several files a project is opened, or the movement among them imported with its static, plates and EMG; those
    that are not recordings are reported, and the others opened without them. A folder is a visit.
    """
    path = paths[0]
    try:
        if context.jobs.busy:
            raise BiomecError(f'"{context.jobs.title}" is still running. Wait until it is done, or cancel it.')
        if any(one.is_dir() for one in paths):
            open_visit(context, *paths)
            return
        known, refused = _known_kinds(paths)
        if not known:
            raise BiomecError(" ".join(refused))
        path = next((one for one, kind in known.items() if kind == PROJECT), next(iter(known)))
        if known[path] == PROJECT:
            open_project(context, path)
            others = ", ".join(one.name for one in paths if one != path)
            if others:
                sentence = f"A project is opened by itself: {path.name} was taken, and {others} left out."
                context.user.tell(f"Open {path.name}", sentence)
        elif len(known) == 1 and known[path] == MATLAB:
            open_matlab(context, path)
            if refused:
                context.user.tell(f"Open {path.name}", " ".join([LEFT_OUT, *refused]))
        else:
            import_recording(context, *known, refused=refused)
    except BiomecError as error:
        context.user.fail(f"Open {path.name}", str(error))


def _known_kinds(paths: Sequence[Path]) -> tuple[dict[Path, str], list[str]]:
    """Kind of every file that Biomec may read, and sentences about those that it does not know."""
    known: dict[Path, str] = {}
    refused: dict[str, list[str]] = {}  # names by fault, so that each fault is reported once
    for path in paths:
        try:
            known[path] = find_format(path)[0].name
        except FileError as error:
            refused.setdefault(error.fault, []).append(error.file)
    return known, [f"{', '.join(names)}: {fault}" for fault, names in refused.items()]


def ask_and_open(context: Context) -> None:
    """Ask for a project or a MATLAB file, and open it."""
    path = context.user.ask_file("Open", OPENABLE, False, context.preferences.folder)
    if path is not None:
        open_file(context, path)


def ask_and_import(context: Context) -> None:
    """Ask for the recording of a movement, and import it."""
    path = context.user.ask_file("Import the recording of a movement", RECORDINGS, False, context.preferences.folder)
    if path is not None:
        open_file(context, path)


def open_matlab(context: Context, path: Path) -> None:
    """Open the session that a MATLAB file of Biomec holds; a recording alone is imported."""
    from biomec_app.dialogs.import_plan import ImportPlan, Preview, read
    from biomec_app.dialogs.importing import ask_import

    title = f"Open {path.name}"

    def work(progress: Progress) -> Analysis | Preview | Session:
        session = read_mat_session(path)
        if session is None:
            return read(ImportPlan(path))
        return session if files_asked_for(session) else ready(open_again(session, progress))

    def done(found: Analysis | Preview | Session) -> None:
        if isinstance(found, Preview):
            ask_import(context, found)
            return
        if isinstance(found, Session):
            open_with_files(context, title, found, done)
            return
        if not may_discard(context):
            return
        context.document.open(found)
        context.document.undo_stack.setClean()  # all of it lies in the file
        remember(context, path)

    context.jobs.start(title, work, done)


def import_recording(context: Context, *paths: Path, refused: Sequence[str] = ()) -> None:
    """Read a recording and what lies beside it, and show the import dialog; several files are sorted by role first.

    refused : sentences about files that were given too and are not recordings
    """
    from biomec_app.dialogs.import_plan import ImportPlan, Preview, read
    from biomec_app.dialogs.importing import ask_import

    def work(progress: Progress) -> tuple[Preview, Roles]:
        roles = Roles(paths[0]) if len(paths) == 1 else find_roles(paths)
        return read(ImportPlan(roles.dynamic, roles.static, roles.plates, roles.emg)), roles

    def done(found: tuple[Preview, Roles]) -> None:
        preview, roles = found
        ask_import(context, preview)
        sentences = []
        if roles.left_out:
            names = ", ".join(path.name for path in roles.left_out)
            sentences.append(
                f"One movement is imported at a time: {roles.dynamic.name} was taken, and {names} left out."
            )
        if refused or roles.refused:
            sentences += [LEFT_OUT, *refused, *roles.refused]
        if sentences:
            context.user.tell("Import", " ".join(sentences))

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


# ------------------------------------------------------------------------------------------------------------ export
def export_results(context: Context) -> None:
    """Write tables and a summary of everything into a folder."""
    analysis = context.document.analysis
    folder = context.user.ask_folder("Folder for the results", context.preferences.folder)
    if folder is None:
        return
    overwrite = False
    if (folder / "summary.json").exists():
        question = f"{folder.name} holds results already. Overwrite them?"
        if context.user.confirm("Export results", question, ("Overwrite",)) is None:
            return
        overwrite = True
    title = f"Export results to {folder.name}"
    context.jobs.start(
        title,
        lambda progress: write_analysis(analysis, folder, overwrite=overwrite),
        lambda written: context.user.show_written(title, written, ()),
    )


def export_report(context: Context) -> None:
    """Write the report that can be printed, and its pictures, into a folder."""
    analysis = context.document.analysis
    folder = context.user.ask_folder("Folder for the report", context.preferences.folder)
    if folder is None:
        return
    if (folder / "report.html").exists():
        question = f"{folder.name} holds a report already. Overwrite it?"
        if context.user.confirm("Export report", question, ("Overwrite",)) is None:
            return
    title = f"Export report to {folder.name}"

    def work(progress: Progress) -> tuple[Path, ...]:
        from biomec_app.figures.report.demo_pictures import draw  # plotting takes a while to load

        *pictures, page = draw(analysis, folder)
        return (page, *pictures)

    context.jobs.start(title, work, lambda written: context.user.show_written(title, written, ()))


def export_recording(context: Context, kind: str, suffix: str) -> None:
    """Write the movement as a file of another kind."""
    analysis = context.document.analysis
    measured = True
    if "signals" in analysis.done:
        answer = context.user.confirm(f"Export {kind}", "Which signals shall be written?", (CLEAN, MEASURED))
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
    start = proposed_path(context, ending or "_export").with_suffix(suffix)
    path = context.user.ask_file(f"Export {kind}", f"{kind} (*{suffix})", True, str(start))
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

    context.jobs.start(title, work, lambda written: context.user.show_written(title, *written))


# ---------------------------------------------------------------------------------------------------------- settings
def save_settings(context: Context) -> None:
    """Save the settings of the analysis as a file, for other recordings and for the command line."""
    start = str(proposed_path(context, "_settings").with_suffix(".json"))
    path = context.user.ask_file("Save settings", SETTINGS, True, start)
    path = None if path is None else with_suffix(context, path, ".json")
    if path is not None:
        write_settings(context.document.analysis.settings, path)
        context.user.show_written("Save settings", (path,), ())


def load_settings(context: Context) -> None:
    """Take the settings of a file; what was found on one recording only is taken over after asking."""
    path = context.user.ask_file("Load settings", SETTINGS, False, context.preferences.folder)
    if path is None:
        return
    analysis = context.document.analysis
    before = analysis.settings
    after, notices = read_settings(path)
    if with_findings_of(after, before) != after:
        findings = " and ".join(found_on_the_recording(after) or found_on_the_recording(before))
        where = f"The settings of {path.name} hold" if found_on_the_recording(after) else "The open recording has"
        question = f"{where} {findings}. These are true of one recording only. Which are to be used?"
        answer = context.user.confirm("Load settings", question, (OF_THIS, OF_THE_FILE))
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
        context.user.tell("Load settings", " ".join(said))


def needs_analysis(context: Context) -> str | None:
    """Reason for items that need the kinematic analysis, with nothing after it out of date."""
    if not context.document.is_open:
        return "Open or import a recording first."
    analysis = context.document.analysis
    if not analysis.is_current(KINEMATICS):
        return 'Run "Kinematic Analysis" first.'
    return run_first(analysis.stale[0]) if analysis.stale else None
