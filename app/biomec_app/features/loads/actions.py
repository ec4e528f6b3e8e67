"""Menu Dynamics: joint loads, and how they compare.

Newton-Euler and the multibody method always run beside each other; an item chooses the multibody method and what is
plotted.
"""

from __future__ import annotations

from biomec.body.loads.options import LoadOptions
from biomec.pipeline.analysis import Analysis, run_first
from biomec.pipeline.replay import settings_line
from biomec_app.dialogs.step_items import run_step, step_blocked, step_settings
from biomec_app.kit.dialog_parts import opened
from biomec_app.session.action import SEPARATOR, Action, needs_idle_recording, needs_joints, needs_recording
from biomec_app.session.context import Context

INVERSE = "Dynamics/Inverse"
STEP = "loads"
METHODS = {
    "newton": ("&Newton", "Joint loads from the multipliers of Newton's equations"),
    "lagrange": ("&Lagrange", "Joint loads from Lagrange's equations with guides"),
    "velocity": ("&Velocity Transformation", "Joint loads from the equations in relative velocities"),
}


def run_loads(context: Context, **changes: object) -> None:
    """Compute the loads with changed options."""
    run_step(context, STEP, **changes)


def _loads_blocked(context: Context, **wanted: object) -> str | None:
    return step_blocked(context, STEP, **wanted)


def _multibody(method: str) -> Action:
    text, help = METHODS[method]
    return Action(
        f"dynamics.multibody.{method}", f"{INVERSE}/Multibody", text,
        lambda context: run_loads(context, method=method), help,
        blocked=lambda context: _loads_blocked(context, method=method),
    )  # fmt: skip


def _options(context: Context) -> LoadOptions:
    return context.document.analysis.settings.loads


def _keep_all(context: Context) -> None:
    run_loads(context, constraints="spherical" if _options(context).constraints == "all" else "all")


def _settings(context: Context) -> None:
    step_settings(context, STEP)


# ---------------------------------------------------------------------------------------------- studies and comparisons
def _needs_loads(context: Context) -> str | None:
    reason = needs_idle_recording(context)
    if reason is None and STEP not in context.document.analysis.done:
        reason = run_first(STEP)
    return reason


def _needs_conditions(context: Context) -> str | None:
    reason = _needs_loads(context)
    if reason is None and not context.comparison.conditions:
        reason = "There is no other recording. Choose one with Signal Analysis ▸ Compare with Recording first."
    return reason


def _reduce(context: Context) -> None:
    from biomec_app.features.loads.reduction_dialog import ReductionDialog

    opened(ReductionDialog(context, context.window))


def _make_consistent(context: Context) -> None:
    from biomec_app.features.loads.consistent_dialog import ConsistentDialog

    opened(ConsistentDialog(context, context.window))


def _aid_channels(context: Context) -> None:
    from biomec_app.features.loads.aid_channels import edit_aid_channels

    edit_aid_channels(context)


def _aid_channels_blocked(context: Context) -> str | None:
    from biomec_app.features.loads.aid_channels import needs_crutches

    return needs_idle_recording(context) or needs_crutches(context)


def _device_axes(context: Context) -> None:
    from biomec.pipeline.device_axes import with_device_axes

    def line(after: Analysis) -> str:
        return settings_line(context.document.analysis.settings, after.settings)

    context.analyse("Find Ankle Axes of Orthoses", with_device_axes, line)


def _device_axes_blocked(context: Context) -> str | None:
    from biomec.pipeline.device_axes import ankle_hinges

    reason = needs_idle_recording(context)
    if reason is not None:
        return reason
    analysis = context.document.analysis
    if "body" not in analysis.done:
        return run_first("body")
    return None if ankle_hinges(analysis) else "The body model has no orthosis with a hinge of its own at the ankle."


def _prepare(context: Context) -> None:
    from biomec_app.figures.registry import figure_named
    from biomec_app.figures.window import open_figure

    open_figure(context, figure_named("preparations"))


def _prepare_blocked(context: Context) -> str | None:
    from biomec_app.figures.registry import figure_named

    return needs_idle_recording(context) or figure_named("preparations").blocked(context.document.analysis)


def _compare(context: Context) -> None:
    from biomec_app.features.loads.condition_dialogs import ComparisonDialog

    opened(ComparisonDialog(context, context.window))


def _rank(context: Context) -> None:
    from biomec_app.features.loads.condition_dialogs import RankingDialog

    opened(RankingDialog(context, context.window))


ACTIONS: tuple[Action, ...] = (
    Action(
        "dynamics.loads",
        INVERSE,
        "Joint &Loads",
        run_loads,
        "Compute joint loads by Newton-Euler and by the multibody method",
        "Ctrl+J",
        _loads_blocked,
    ),
    *(_multibody(method) for method in METHODS),
    Action("dynamics.multibody.separator", f"{INVERSE}/Multibody", SEPARATOR, None),
    Action(
        "dynamics.multibody.all",
        f"{INVERSE}/Multibody",
        "Keep &All Joint Constraints",
        _keep_all,
        "Also compute the force between scapula and ribs, and the loads of the shoulder girdle with it",
        blocked=needs_joints,
        checked=lambda context: context.document.is_open and _options(context).constraints == "all",
    ),
    Action(
        "dynamics.settings",
        INVERSE,
        "&Settings…",
        _settings,
        "Method, constraints, ground reaction and root of inverse dynamics",
        blocked=needs_recording,
    ),
    Action(
        "dynamics.aids",
        INVERSE,
        "&Crutch Channels…",
        _aid_channels,
        "Which channels hold the forces of instrumented crutches, their units, axes and sign",
        blocked=_aid_channels_blocked,
    ),
    Action(
        "dynamics.device-axes",
        INVERSE,
        "Find Ankle A&xes of Orthoses",
        _device_axes,
        "Turn the hinges of orthoses at the ankles into the axes about which the ankles turn most",
        blocked=_device_axes_blocked,
    ),
    Action(
        "dynamics.reduce",
        "Dynamics",
        "&Reduce Residuals…",
        _reduce,
        "Adjust masses and motion within their errors so that they agree with the plates; every change is listed",
        blocked=_needs_loads,
    ),
    Action(
        "dynamics.consistent",
        "Dynamics",
        "&Dynamically Consistent Motion…",
        _make_consistent,
        "The motion nearest to the measured one that obeys the equations of motion with the plates",
        blocked=_needs_loads,
    ),
    Action(
        "dynamics.preparations",
        "Dynamics",
        "Six &Preparations…",
        _prepare,
        "What filtering and consistency do to the loads of a joint",
        blocked=_prepare_blocked,
    ),
    Action(
        "dynamics.compare",
        "Dynamics",
        "&Compare Conditions…",
        _compare,
        "Loads of this recording against another one, with statistics",
        blocked=_needs_conditions,
    ),
    Action(
        "dynamics.rank",
        "Dynamics",
        "Rank &Exercises…",
        _rank,
        "Order this recording and those beside it by what they ask of the joints",
        blocked=_needs_conditions,
    ),
    Action("dynamics.separator", "Dynamics", SEPARATOR, None),
)
