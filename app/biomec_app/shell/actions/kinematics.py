"""Menu Kinematics: the steps of the analysis in their order, and all of them at once."""

from __future__ import annotations

from biomec.pipeline.analysis import KINEMATICS, STEPS, Step, step_named
from biomec.pipeline.outlook import run_as_far
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
    """The last step that has to run: loads that were computed once and are out of date belong to it."""
    return step_named("loads") if "loads" in context.document.analysis.stale else LAST


def _run_due(context: Context) -> None:
    """Run the kinematic analysis and, after it, loads that are out of date; if they cannot run, a notice says why."""
    due = _due(context)
    if due is LAST:
        context.run_until(LAST.name, ALL)
    else:
        context.analyse(
            ALL,
            lambda analysis, progress: run_as_far(analysis.run_until(LAST.name, progress), due.name),
            f'analysis = analysis.run_until("{due.name}")',
        )


ACTIONS: tuple[Action, ...] = (
    *(_step(step) for step in STEPS[: STEPS.index(LAST) + 1] if step.offered),
    Action("kinematics.separator", MENU, SEPARATOR, None),
    Action(
        "kinematics.all",
        MENU,
        "Kinematic &Analysis",
        _run_due,
        "Run all steps up to the cycles whose result is missing or out of date, and joint loads that are out of date",
        "F5",
        lambda context: needs_recording(context) or _blocked(_due(context), context),
    ),
)
