"""Menu Inner Biomechanics: which muscles carry the movement, what joints bear under them, and what if they change."""

from __future__ import annotations

from dataclasses import replace

from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis, run_first, step_named
from biomec.pipeline.replay import settings_line
from biomec_app.features.muscles.readings import STEP, has_muscles
from biomec_app.kit.dialog_parts import opened
from biomec_app.session.action import SEPARATOR, Action, needs_joints, needs_recording
from biomec_app.session.context import Context

MENU = "Inner Biomechanics"
SETS = {
    "upper": ("arms", "&Shoulder and Upper-Limb Muscles", "Muscles of the girdle and the arms carry the movement"),
    "lower": ("legs", "&Pelvis and Lower-Limb Muscles", "Muscles of pelvis and legs carry the movement"),
    "both": ("whole-body", "&Both", "Muscles of legs, girdle and arms carry the movement"),
}
"""Key -> muscle set, text and help of its item."""


def run_muscles(context: Context, **changes: object) -> None:
    """Compute muscle and contact forces with changed settings; both are one step that can be undone."""
    before = context.document.analysis.settings
    after = replace(before, muscles=replace(before.muscles, **changes))  # type: ignore[arg-type]
    lines = [settings_line(before, after)] if after != before else []
    lines.append(f'analysis = analysis.run_until("{STEP}")')

    def work(found: Analysis, progress: Progress) -> Analysis:
        return found.with_settings(after).run_until(STEP, progress)

    context.analyse(step_named(STEP).title, work, "\n".join(lines))


def _blocked(context: Context, **wanted: object) -> str | None:
    reason = needs_joints(context)
    if reason is not None:
        return reason
    analysis = context.document.analysis
    settings = analysis.settings.muscles
    if analysis.is_current(STEP) and all(getattr(settings, name) == value for name, value in wanted.items()):
        return "Its result is up to date. Change a setting to run it again."
    return None


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
    from biomec_app.dialogs.settings import SettingsDialog

    opened(SettingsDialog(context, context.window, STEP))


def _show_contacts(context: Context) -> None:
    """Show the forces in the joints as arrows, and their curves."""
    from biomec_app.features.muscles.plotted import contact_keys

    overlays = context.document.view.overlays | {"contact forces"}
    context.document.set_view(overlays=overlays)
    context.document.select(curves=contact_keys(context.document.analysis))
    context.plots.look_asked.emit()


def _what_if(context: Context) -> None:
    from biomec_app.features.muscles.what_if_window import open_what_if

    open_what_if(context)


def _emg(context: Context) -> None:
    from biomec_app.features.muscles.emg_window import open_muscle_emg

    open_muscle_emg(context)


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
        _what_if,
        "Weaken, strengthen, remove or move muscles: who does their work, and what the joints bear",
        blocked=needs_muscles,
    ),
    Action(
        "muscles.emg",
        MENU,
        "&EMG beside Muscles…",
        _emg,
        "Compare computed activations with measured EMG, and with when muscles are usually active in a gait cycle",
        blocked=needs_muscles,
    ),
)
