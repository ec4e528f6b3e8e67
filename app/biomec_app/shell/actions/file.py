"""Menu File."""

from __future__ import annotations

from collections.abc import Callable

from biomec.io.registry import FORMATS, Format
from biomec.pipeline.analysis import run_first
from biomec_app.features.clinical.actions import open_visit_folder, write_report
from biomec_app.features.study.actions import ask_and_open_study, back_to_study
from biomec_app.figures.saved_kinds import PATTERNS, SAVED_AS
from biomec_app.session.action import SEPARATOR, Action, needs_recording
from biomec_app.session.context import Context, FigureSource
from biomec_app.session.preferences import MOST_RECENT
from biomec_app.session.project_file import may_discard, save, save_as, save_without_name, with_suffix
from biomec_app.shell import files
from biomec_app.shell.files import open_file

MENU = "File"
RECENT, EXPORT, COPY, SAVE_FIGURE = "File/Open &Recent", "File/Ex&port", "File/Cop&y Figure", "File/Save &Figure"
Blocked = Callable[[Context], str | None]


# ----------------------------------------------------------------------------------------------------- what can run
def _idle(context: Context) -> str | None:
    return f'"{context.jobs.title}" is running.' if context.jobs.busy else None


def _all(*reasons: Blocked) -> Blocked:
    """Reason of the first that has one."""
    return lambda context: next((reason for one in reasons if (reason := one(context)) is not None), None)


def _has_angles(context: Context) -> str | None:
    there = context.document.is_open and "angles" in context.document.analysis.done
    return None if there else run_first("angles")


def _has_figure(context: Context) -> str | None:
    return None if context.figure is not None else "There is no figure yet. Show signals first."


OPEN_AND_IDLE = _all(needs_recording, _idle)
FIGURE = _all(needs_recording, _has_figure)


# ----------------------------------------------------------------------------------------------------------- recent
def _recent_title(number: int) -> Callable[[Context], str | None]:
    def title(context: Context) -> str | None:
        paths = context.preferences.remembered
        if number >= len(paths):
            return None
        path = paths[number]
        name = f"{path.name}  –  {path.parent}".replace("&", "&&")
        return f"&{number + 1} {name}" if number < 9 else name

    return title


def _open_recent(number: int) -> Callable[[Context], None]:
    return lambda context: open_file(context, context.preferences.remembered[number])


def _no_recent(context: Context) -> str | None:
    return None if context.preferences.remembered else "No file was opened yet."


def _recent(number: int) -> Action:
    return Action(f"file.recent.{number + 1}", RECENT, f"Recent {number + 1}", _open_recent(number),
                  "Open this file again", blocked=_idle, title=_recent_title(number))  # fmt: skip


# ----------------------------------------------------------------------------------------------------------- figure
def _figure(context: Context) -> FigureSource:
    assert context.figure is not None  # the item is disabled without one
    return context.figure


def _copy(kind: str, text: str, help: str) -> Action:
    return Action(f"file.copy-{kind}", COPY, text, lambda context: _figure(context).copy(kind), help,
                  blocked=FIGURE)  # fmt: skip


def _save_figure(kind: str, text: str, help: str) -> Action:
    def run(context: Context) -> None:
        title = f"Save figure as {SAVED_AS[kind]}"
        start = f"{context.preferences.folder}/figure.{kind}" if context.preferences.folder else f"figure.{kind}"
        path = context.user.ask_file(title, PATTERNS[kind], True, start)
        path = None if path is None else with_suffix(context, path, f".{kind}")
        if path is not None:
            _figure(context).save(path)

    return Action(f"file.save-{kind}", SAVE_FIGURE, text, run, help, blocked=FIGURE)


# ----------------------------------------------------------------------------------------------------------- export
def _export(format_: Format, title: str, help: str, letter: str) -> Action:
    kind, ending = format_.name, format_.extensions[0]
    at = max(title.find(letter, max(title.rfind(kind), 0)), 0)  # in the name of the format, if the title has it

    def run(context: Context) -> None:
        files.export_recording(context, kind, ending)

    return Action(f"file.export-{ending[1:]}", EXPORT, f"{title[:at]}&{title[at:]}…", run, help, blocked=OPEN_AND_IDLE)


def _exports() -> tuple[Action, ...]:
    """An item for every format that is in the menu, with the first letter of its name that no other item has."""
    taken, found = set("RPS"), []  # of Results, Report and STO
    for format_ in FORMATS:
        if format_.export:
            letter = next((one for one in format_.name if one not in taken), format_.name[0])
            taken.add(letter)
            found.append(_export(format_, *format_.export, letter))
    return tuple(found)


def _stretch(context: Context) -> None:
    from biomec_app.dialogs.stretch import ask_stretch

    ask_stretch(context)


def _close_recording(context: Context) -> None:
    if may_discard(context):
        context.document.close()


def _exit(context: Context) -> None:
    if context.window is not None:
        context.window.close()


ACTIONS: tuple[Action, ...] = (
    Action("file.import", MENU, "&Import…", files.ask_and_import,
           "Import the recording of a movement and what belongs to it: C3D, EMT, TRC, CSV …", "Ctrl+I", _idle),
    Action("file.open", MENU, "&Open…", files.ask_and_open, "Open a project or a MATLAB file", "Ctrl+O", _idle),
    Action("file.open-visit", MENU, "Open &Visit…", open_visit_folder,
           "Analyse every recording in a folder, and show their clinical curves together", "Ctrl+Shift+O", _idle),
    Action("file.open-study", MENU, "Open St&udy…", ask_and_open_study,
           "Show the recordings of many people as a table: analyse, filter, compare, report", "Ctrl+Shift+U"),
    Action("file.study", MENU, "Bac&k to Study", back_to_study, "Bring the window of the study to the front",
           "Ctrl+Alt+U"),
    *(_recent(number) for number in range(MOST_RECENT)),
    Action("file.recent-separator", RECENT, SEPARATOR, None),
    Action("file.forget-recent", RECENT, "&Clear List", lambda context: context.preferences.forget_recent(),
           "Forget which files were opened", blocked=_no_recent),
    Action("file.demo", MENU, "Open &Demo", files.open_demo, "Show the push-up of a virtual subject, analysed",
           blocked=_idle),
    Action("file.separator-save", MENU, SEPARATOR, None),
    Action("file.save", MENU, "&Save", save, "Save the project", "Ctrl+S", OPEN_AND_IDLE),
    Action("file.save-as", MENU, "Save &As…", save_as, "Save the project under another name", "Ctrl+B, Ctrl+Shift+S",
           OPEN_AND_IDLE),
    Action("file.save-stretch", MENU, "Save S&tretch…", _stretch,
           "Save a part of the recording, such as one cycle, as a project of its own", "Ctrl+L", OPEN_AND_IDLE),
    Action("file.save-without-name", MENU, "Save &Without Name…", save_without_name,
           "Save a copy for others in which a code stands for the person", blocked=OPEN_AND_IDLE),
    Action("file.report", MENU, "Clinical &Report…", write_report,
           "Write what you found, see the pages, and save them as PDF, Word, Excel or for a browser", "Ctrl+P",
           _all(files.needs_analysis, _idle)),
    Action("file.export-results", EXPORT, "&Results to Folder…", files.export_results,
           "Write tables of angles, cycles, quality and coordinates, and a summary", "Ctrl+Shift+E",
           _all(files.needs_analysis, _idle)),
    Action("file.export-report", EXPORT, "Re&port to Folder…", files.export_report,
           "Write the report that can be printed, with pictures of body, angles and quality",
           blocked=_all(files.needs_analysis, _idle)),
    Action("file.export-separator", EXPORT, SEPARATOR, None),
    *_exports(),
    Action("file.export-sto", EXPORT, "Joint Angles (&STO)…", files.export_angles,
           "Write joint angles as a table for OpenSim", blocked=_all(needs_recording, _has_angles, _idle)),
    Action("file.separator-figure", MENU, SEPARATOR, None),
    _copy("png", "As &Picture", "Copy the figure as a picture"),
    _copy("svg", "As &Drawing (SVG)", "Copy the figure as lines that can be edited"),
    _copy("data", "As Da&ta", "Copy the plotted numbers, to be pasted into a spreadsheet"),
    _save_figure("png", "As &Picture (PNG)…", "Save the figure as a picture"),
    _save_figure("svg", "As &Drawing (SVG)…", "Save the figure as lines that can be edited"),
    _save_figure("pdf", "For P&rinting (PDF)…", "Save the figure for printing"),
    _save_figure("csv", "Data as &CSV…", "Save the plotted numbers as a table"),
    Action("file.separator-exit", MENU, SEPARATOR, None),
    Action("file.close", MENU, "&Close Recording", _close_recording, "Close the recording and show the start page",
           "Ctrl+W", OPEN_AND_IDLE),
    Action("file.exit", MENU, "E&xit", _exit, "Close Biomec", "Ctrl+E, Ctrl+Q"),
)  # fmt: skip
