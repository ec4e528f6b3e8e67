"""Menu Kinematics: the steps of the analysis in their order, and all of them at once."""

from __future__ import annotations

from biomec.pipeline.analysis import KINEMATICS, STEPS, Step, step_named
from biomec_app.session.action import SEPARATOR, Action, needs_recording
from biomec_app.session.context import Context

MENU = "Kinematics"
LAST = step_named(KINEMATICS)  # what comes after it belongs to the menu Dynamics
HELP = {
    "body": "Rebuild lost markers, filter, and build the person's model",
    "positions": "Make the measured positions obey the model",
    "motion": "Compute velocities and accelerations that obey the model",
    "segments": "Compute the motion of every segment and of the centre of mass",
    "angles": "Compute joint angles by the floating axis",
    "cycles": "Find the cycles of the movement and their mean curves",
}


def _blocked(step: Step, context: Context) -> str | None:
    reason = needs_recording(context)
    if reason is not None:
        return reason
    if context.jobs.busy:
        return f'"{context.jobs.title}" is running.'
    if context.document.analysis.is_current(step.name):
        return "Its result is up to date. Change a setting to run it again."
    return None


def _step(step: Step) -> Action:
    return Action(
        f"kinematics.{step.name}",
        MENU,
        step.title,
        lambda context: context.run_until(step.name),
        HELP[step.name],
        blocked=lambda context: _blocked(step, context),
    )


ACTIONS: tuple[Action, ...] = (
    *(_step(step) for step in STEPS[: STEPS.index(LAST) + 1] if step.offered),
    Action("kinematics.separator", MENU, SEPARATOR, None),
    Action(
        "kinematics.all",
        MENU,
        "Kinematic &Analysis",
        lambda context: context.run_until(LAST.name, "Kinematic Analysis"),
        "Run all steps up to the cycles whose result is missing or out of date",
        "F5",
        lambda context: _blocked(LAST, context),
    ),
)
