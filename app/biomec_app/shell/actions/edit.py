"""Menu Edit: undo, redo, what is known of the recording, and the settings of the analysis."""

from __future__ import annotations

from biomec.pipeline.analysis import run_first
from biomec_app.features.clinical.actions import edit_norms
from biomec_app.kit.dialog_parts import opened
from biomec_app.session.action import SEPARATOR, Action, needs_idle_recording
from biomec_app.session.context import Context
from biomec_app.shell.files import load_settings, save_settings

MENU = "Edit"


def _undo_blocked(context: Context) -> str | None:
    return needs_idle_recording(context) if context.document.undo_stack.canUndo() else "There is nothing to undo."


def _redo_blocked(context: Context) -> str | None:
    return needs_idle_recording(context) if context.document.undo_stack.canRedo() else "There is nothing to redo."


def _settings(context: Context) -> None:
    from biomec_app.dialogs.settings import SettingsDialog

    opened(SettingsDialog(context, context.window))


def _subject(context: Context) -> None:
    from biomec_app.dialogs.subject import edit_subject

    edit_subject(context)


def _labels(context: Context) -> None:
    from biomec_app.dialogs.mapping import edit_labels

    edit_labels(context)


def _repair(context: Context) -> None:
    from biomec_app.dialogs.mapping import repair_labels

    repair_labels(context)


def _repair_blocked(context: Context) -> str | None:
    from biomec_app.dialogs.mapping import nothing_to_repair

    return nothing_to_repair(context)


def _axes(context: Context) -> None:
    from biomec_app.dialogs.axes import edit_axes

    edit_axes(context)


def _events(context: Context) -> None:
    from biomec_app.dialogs.events import edit_events

    edit_events(context)


def _plates(context: Context) -> None:
    from biomec_app.dialogs.plates import edit_plates

    edit_plates(context)


def _plates_blocked(context: Context) -> str | None:
    from biomec_app.dialogs.plates import needs_contacts

    return needs_idle_recording(context) or needs_contacts(context)


def _emg(context: Context) -> None:
    from biomec_app.dialogs.emg_channels import edit_emg_channels

    edit_emg_channels(context)


def _emg_blocked(context: Context) -> str | None:
    from biomec_app.dialogs.emg_channels import needs_emg

    return needs_idle_recording(context) or needs_emg(context)


def _functional(context: Context) -> None:
    from biomec_app.dialogs.functional import ask_functional

    ask_functional(context)


def _functional_blocked(context: Context) -> str | None:
    reason = needs_idle_recording(context)
    return reason if reason or context.document.analysis.is_current("body") else run_first("body")


def _named(word: str, what: str) -> str:
    """Text of an item that says what it would undo."""
    return f"{word} {what.replace('&', '&&')}".strip()


ACTIONS: tuple[Action, ...] = (
    Action("edit.undo", MENU, "&Undo", lambda c: c.document.undo_stack.undo(), "Undo the last change", "Ctrl+Z",
           _undo_blocked, title=lambda c: _named("&Undo", c.document.undo_stack.undoText())),
    Action("edit.redo", MENU, "&Redo", lambda c: c.document.undo_stack.redo(), "Do again what was undone",
           "Ctrl+Shift+Z, Ctrl+Y", _redo_blocked, title=lambda c: _named("&Redo", c.document.undo_stack.redoText())),
    Action("edit.separator", MENU, SEPARATOR, None),
    Action("edit.subject", MENU, "&Subject…", _subject, "Mass, height, sex and measures of the subject", "",
           needs_idle_recording),
    Action("edit.axes", MENU, "&Axes and Units…", _axes, "How the laboratory's axes point, and how large everything is",
           "", needs_idle_recording),
    Action("edit.labels", MENU, "&Labels…", _labels, "Which label of the recording is which marker", "",
           needs_idle_recording),
    Action("edit.repair-labels", MENU, "Repair E&xchanged Labels", _repair,
           "Exchange labels back where two markers are under each other's label", "", _repair_blocked),
    Action("edit.plates", MENU, "&Plate Assignment…", _plates, "Whose force every contact with a plate is", "",
           _plates_blocked),
    Action("edit.emg", MENU, "E&MG Channels…", _emg, "Which muscle every EMG channel is of", "", _emg_blocked),
    Action("edit.events", MENU, "&Events…", _events, "When a foot touches or leaves the ground, and other marks", "",
           needs_idle_recording),
    Action("edit.functional", MENU, "&Functional Trial…", _functional,
           "Find the centre or the axis of a joint from a movement that was made for it", "", _functional_blocked),
    Action("edit.separator-settings", MENU, SEPARATOR, None),
    Action("edit.settings", MENU, "Se&ttings of the Analysis…", _settings, "How every step works", "Ctrl+,",
           needs_idle_recording),
    Action("edit.norms", MENU, "&Norm Data…", edit_norms,
           "Sets of people without complaints behind clinical curves: choose, import, make or remove"),
    Action("edit.load-settings", MENU, "L&oad Settings…", load_settings,
           "Take the settings of another analysis, such as settings.json of its results", "", needs_idle_recording),
    Action("edit.save-settings", MENU, "Sa&ve Settings…", save_settings,
           "Save the settings for other recordings, and for biomec analyze", "", needs_idle_recording),
)  # fmt: skip
