"""Menu Kinematics: the steps of the analysis in their order, and all of them at once."""

from __future__ import annotations

from biomec.pipeline.analysis import KINEMATICS, STEPS, Step, step_named
from biomec.pipeline.outlook import last_due, run_due
from biomec.pipeline.replay import run_line
from biomec_app.session.action import SEPARATOR, Action, needs_recording
from biomec_app.session.context import Context

MENU = "Kinematics"
ALL = "Kinematic Analysis"
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


def _due(context: Context) -> Step:
    """The last step that has to run."""
    return step_named(last_due(context.document.analysis))


def _run_due(context: Context) -> None:
    """Run what is missing or out of date, joint loads among it; if they cannot run, a notice says why."""
    context.analyse(ALL, run_due, run_line)


ACTIONS: tuple[Action, ...] = (
    *(_step(step) for step in STEPS[: STEPS.index(LAST) + 1] if step.offered),
    Action("kinematics.separator", MENU, SEPARATOR, None),
    Action(
        "kinematics.all",
        MENU,
        "Kinematic &Analysis",
        _run_due,
        "Run all steps whose result is missing or out of date; joint loads too, where the ground reaction is known, "
        "and muscles where they ran before",
        "F5",
        lambda context: needs_recording(context) or _blocked(_due(context), context),
    ),
)
