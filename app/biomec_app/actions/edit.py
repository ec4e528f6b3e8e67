"""Menu Edit: undo, redo, and the settings of the analysis."""

from __future__ import annotations

from biomec_app.actions.action import SEPARATOR, Action, needs_idle_recording
from biomec_app.context import Context

MENU = "Edit"


def _undo_blocked(context: Context) -> str | None:
    return needs_idle_recording(context) if context.document.undo_stack.canUndo() else "There is nothing to undo."


def _redo_blocked(context: Context) -> str | None:
    return needs_idle_recording(context) if context.document.undo_stack.canRedo() else "There is nothing to redo."


def _settings(context: Context) -> None:
    from biomec_app.dialogs.settings import SettingsDialog

    SettingsDialog(context, context.window).open()


def _subject(context: Context) -> None:
    from biomec_app.dialogs.subject import edit_subject

    edit_subject(context)


def _labels(context: Context) -> None:
    from biomec_app.dialogs.mapping import edit_labels

    edit_labels(context)


def _plates(context: Context) -> None:
    from biomec_app.dialogs.plates import edit_plates

    edit_plates(context)


def _plates_blocked(context: Context) -> str | None:
    from biomec_app.dialogs.plates import needs_contacts

    return needs_idle_recording(context) or needs_contacts(context)


ACTIONS: tuple[Action, ...] = (
    Action("edit.undo", MENU, "&Undo", lambda c: c.document.undo_stack.undo(), "Undo the last change", "Ctrl+Z",
           _undo_blocked),
    Action("edit.redo", MENU, "&Redo", lambda c: c.document.undo_stack.redo(), "Do again what was undone",
           "Ctrl+Shift+Z", _redo_blocked),
    Action("edit.separator", MENU, SEPARATOR, None),
    Action("edit.subject", MENU, "&Subject…", _subject, "Mass, height, sex and measures of the subject", "",
           needs_idle_recording),
    Action("edit.labels", MENU, "&Labels…", _labels, "Which label of the recording is which marker", "",
           needs_idle_recording),
    Action("edit.plates", MENU, "&Plate Assignment…", _plates, "Whose force every contact with a plate is", "",
           _plates_blocked),
    Action("edit.settings", MENU, "&Settings of the Analysis…", _settings, "How every step works", "Ctrl+,",
           needs_idle_recording),
)  # fmt: skip
