"""Menu Inner Biomechanics: which muscles carry the movement, what joints bear under them, and what if they change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from biomec.pipeline.analysis import run_first
from biomec.reporting.files.muscle_files import OF_MUSCLES, write_muscle_tables
from biomec_app.dialogs.step_items import run_step, step_blocked, step_settings
from biomec_app.features.muscles.readings import STEP, has_muscles
from biomec_app.session.action import SEPARATOR, Action, needs_idle_recording, needs_recording
from biomec_app.session.context import Context
from biomec_app.session.side_window import open_beside

if TYPE_CHECKING:
    from biomec_app.features.muscles.emg_window import MuscleEmgWindow
    from biomec_app.features.muscles.what_if_window import WhatIfWindow

MENU = "Inner Biomechanics"
SETS = {
    "upper": ("arms", "&Shoulder and Upper-Limb Muscles", "Muscles of the girdle and the arms carry the movement"),
    "lower": ("legs", "&Pelvis and Lower-Limb Muscles", "Muscles of pelvis and legs carry the movement"),
    "both": ("whole-body", "&Both", "Muscles of legs, girdle and arms carry the movement"),
}
"""Key -> muscle set, text and help of its item."""


def run_muscles(context: Context, **changes: object) -> None:
    """Compute muscle and contact forces with changed settings."""
    run_step(context, STEP, **changes)


def _blocked(context: Context, **wanted: object) -> str | None:
    return step_blocked(context, STEP, **wanted)


def needs_muscles(context: Context) -> str | None:
    """Reason for items that need muscle forces."""
    reason = needs_recording(context)
    if reason is None and not has_muscles(context.document.analysis):
        reason = run_first(STEP)
    return reason


def _set_item(key: str) -> Action:
    name, text, help = SETS[key]
    return Action(
        f"muscles.{key}", MENU, text, lambda context: run_muscles(context, set=name), help,
        blocked=lambda context: _blocked(context, set=name),
        checked=lambda context: context.document.is_open and context.document.analysis.settings.muscles.set == name,
    )  # fmt: skip


def _settings(context: Context) -> None:
    step_settings(context, STEP)


def _show_contacts(context: Context) -> None:
    """Show the forces in the joints as arrows, and their curves."""
    from biomec_app.features.muscles.plotted import contact_keys

    overlays = context.document.view.overlays | {"contact forces"}
    context.document.set_view(overlays=overlays)
    context.document.select(curves=contact_keys(context.document.analysis))
    context.plots.look_asked.emit()


def open_what_if(context: Context) -> WhatIfWindow:
    """Ask what other muscles would change, in a window of its own."""
    from biomec_app.features.muscles.what_if_window import WhatIfWindow

    return open_beside(context, WhatIfWindow)


def open_muscle_emg(context: Context) -> MuscleEmgWindow:
    """Show computed activations beside EMG and usual timing."""
    from biomec_app.features.muscles.emg_window import MuscleEmgWindow

    return open_beside(context, MuscleEmgWindow)


def export_tables(context: Context) -> None:
    """Write the tables of muscles and joint contact into a folder."""
    analysis = context.document.analysis
    folder = context.user.ask_folder("Folder for the tables of muscles", context.preferences.folder)
    if folder is None:
        return
    there = [name for name in OF_MUSCLES if (folder / name).exists()]
    if there:
        question = f"{folder.name} holds {', '.join(there)} already. Overwrite them?"
        if context.user.confirm("Export muscle tables", question, ("Overwrite",)) is None:
            return
    title = f"Export muscle tables to {folder.name}"
    context.jobs.start(
        title,
        lambda progress: write_muscle_tables(analysis, folder, overwrite=bool(there)),
        lambda written: context.user.show_written(title, written, ()),
    )


def needs_current_muscles(context: Context) -> str | None:
    """Reason for items that write muscle forces, which must be those of the settings."""
    reason = needs_idle_recording(context) or needs_muscles(context)
    if reason is None and not context.document.analysis.is_current(STEP):
        reason = "Settings have changed since the muscle forces were computed. Compute them again first."
    return reason


ACTIONS: tuple[Action, ...] = (
    *(_set_item(key) for key in SETS),
    Action("muscles.separator-1", MENU, SEPARATOR, None),
    Action(
        "muscles.forces",
        MENU,
        "Muscle &Forces",
        run_muscles,
        "Share of every muscle by static optimisation, and the forces in the joints",
        "Ctrl+Alt+J",
        _blocked,
    ),
    Action(
        "muscles.settings",
        MENU,
        "&Settings…",
        _settings,
        "Muscle set, fit to the person, and how torques are shared among muscles",
        blocked=needs_recording,
    ),
    Action("muscles.separator-2", MENU, SEPARATOR, None),
    Action(
        "muscles.joints",
        MENU,
        "&Joint Forces Including Muscles",
        _show_contacts,
        "Plot what presses in the joints with and without muscles, and show it as arrows",
        blocked=needs_muscles,
    ),
    Action(
        "muscles.what-if",
        MENU,
        "&What If…",
        open_what_if,
        "Weaken, strengthen, remove or move muscles: who does their work, and what the joints bear",
        blocked=needs_muscles,
    ),
    Action(
        "muscles.emg",
        MENU,
        "&EMG beside Muscles…",
        open_muscle_emg,
        "Compare computed activations with measured EMG, and with when muscles are usually active in a gait cycle",
        blocked=needs_muscles,
    ),
    Action("muscles.separator-3", MENU, SEPARATOR, None),
    Action(
        "muscles.export",
        MENU,
        "E&xport Tables…",
        export_tables,
        "Write muscle and contact forces, shares of torques, work, and the muscles themselves as CSV",
        blocked=needs_current_muscles,
    ),
)
