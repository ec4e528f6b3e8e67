"""Menu File."""

from __future__ import annotations

from pathlib import Path

from biomec_app.actions.action import SEPARATOR, Action, needs_recording
from biomec_app.context import Context

MENU = "File"
RECORDINGS = "Recordings (*.c3d *.emt *.trc *.mat *.biomec);;All files (*)"


def may_discard(context: Context) -> bool:
    """Whether what is open may go: it is saved, or the user does not want it saved."""
    if not context.document.is_modified:
        return True
    name = context.document.title.removesuffix(" *")
    answer = context.confirm("Unsaved work", f"Save the changes of {name} before it is closed?", ("Save", "Don't save"))
    if answer == "Save":
        save(context)
        return not context.document.is_modified
    return answer == "Don't save"


def open_file(context: Context, path: Path) -> None:
    """Open a project, or import a recording."""
    raise NotImplementedError


def save(context: Context) -> None:
    """Save the project; asks for a name where it has none."""
    raise NotImplementedError


def _exit(context: Context) -> None:
    if context.window is not None:
        context.window.close()


ACTIONS: tuple[Action, ...] = (
    Action("file.save", MENU, "&Save", save, "Save the project", "Ctrl+S", needs_recording),
    Action("file.separator", MENU, SEPARATOR, None),
    Action("file.exit", MENU, "E&xit", _exit, "Close Biomec", "Ctrl+E"),
)
