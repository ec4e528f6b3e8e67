"""Menus Dynamics and Inner Biomechanics: joint loads, simulations, and how they compare; what is to come says so.

Newton-Euler and the multibody method always run beside each other; an item chooses the multibody method and what is
plotted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from biomec.base.progress import Progress
from biomec.body.loads.options import LoadOptions
from biomec.pipeline.analysis import Analysis, run_first, step_named
from biomec.pipeline.outlook import obstacle_of_loads
from biomec.pipeline.replay import settings_line
from biomec_app.kit.dialog_parts import opened
from biomec_app.session.action import SEPARATOR, Action, needs_idle_recording, needs_recording, not_yet
from biomec_app.session.context import Context

MUSCLES = not_yet("Not in this version: muscles follow.")
INVERSE = "Dynamics/Inverse"
SIMULATION = "Dynamics/Simulation"
STEP = "loads"
METHODS = {
    "newton": ("&Newton", "Joint loads from the multipliers of Newton's equations"),
    "lagrange": ("&Lagrange", "Joint loads from Lagrange's equations with guides"),
    "velocity": ("&Velocity Transformation", "Joint loads from the equations in relative velocities"),
}


def _item(menu: str, key: str, text: str, help: str) -> Action:
    return Action(key, menu, text, lambda context: None, help, blocked=MUSCLES)


# -------------------------------------------------------------------------------------------------------------- inverse
def run_loads(context: Context, **changes: object) -> None:
    """Compute the loads with changed options; settings and result are one step that can be undone."""
    analysis = context.document.analysis
    before = analysis.settings
    after = replace(before, loads=replace(before.loads, **changes))  # type: ignore[arg-type]
    lines = [settings_line(before, after)] if after != before else []
    lines.append(f'analysis = analysis.run_until("{STEP}")')

    def work(found: Analysis, progress: Progress) -> Analysis:
        return found.with_settings(after).run_until(STEP, progress)

    context.analyse(step_named(STEP).title, work, "\n".join(lines))


def _needs_joints(context: Context) -> str | None:
    """Reason for items that compute loads: joints must lead to every segment of the model, once it is loaded."""
    reason = needs_idle_recording(context)
    if reason is None:
        reason = obstacle_of_loads(context.document.analysis) or None
    return reason


def _loads_blocked(context: Context, **wanted: object) -> str | None:
    reason = _needs_joints(context)
    if reason is not None:
        return reason
    analysis = context.document.analysis
    options = analysis.settings.loads
    if analysis.is_current(STEP) and all(getattr(options, name) == value for name, value in wanted.items()):
        return "Its result is up to date. Change a setting to run it again."
    return None


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
    from biomec_app.dialogs.settings import SettingsDialog

    opened(SettingsDialog(context, context.window, STEP))


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


# --------------------------------------------------------------------------------------------------------- simulation
def _simulate(context: Context, **wanted: Any) -> None:
    """Open the dialog with what a menu item asks for."""
    from biomec_app.features.simulations.dialog import default_settings, open_simulation

    open_simulation(context, replace(default_settings(context.document.analysis), **wanted))


def _simulation(part: str, key: str, text: str, help: str, **wanted: Any) -> Action:
    return Action(
        f"dynamics.{key}", f"{SIMULATION}/{part}", f"{text}…", lambda context: _simulate(context, **wanted), help,
        blocked=_needs_joints,
    )  # fmt: skip


def _needs_runs(context: Context) -> str | None:
    from biomec_app.features.simulations.runs import NONE

    reason = needs_recording(context)
    return reason or (None if context.document.analysis.simulations else NONE)


def _compare_runs(context: Context) -> None:
    from biomec_app.features.simulations.runs import comparison
    from biomec_app.figures.tables import open_tables

    open_tables(context, "Simulation Runs Compared", comparison(context.document.analysis), comparison)


def _draw_runs(context: Context) -> None:
    from biomec_app.figures.registry import figure_named
    from biomec_app.figures.window import open_figure

    open_figure(context, figure_named("simulation-runs"))


def _workbench(context: Context) -> None:
    """Open the workbench; what it needs is loaded beside, the first time, because that takes a while."""
    from biomec_app.features.workbench.opening import open_when_loaded

    open_when_loaded(context)


NEWTON = {"input": "resultant", "formulation": "newton-euler"}
SIMULATIONS: tuple[Action, ...] = (
    Action(
        "dynamics.simulate", SIMULATION, "&Follow the Movement…", _simulate,
        "Simulate the movement by torques that follow it; ask what if", "Ctrl+Shift+J", _needs_joints,
    ),
    _simulation("Newton-Euler", "single", "&Single Step", "Equations of the segments, trapezoidal rule", **NEWTON,
                integrator="trapezoidal"),
    _simulation("Newton-Euler", "gear", "Multistep: &Gear", "Equations of the segments, for stiff motions", **NEWTON,
                integrator="gear"),
    _simulation("Newton-Euler", "adams", "Multistep: &Adams", "Equations of the segments, for smooth motions",
                **NEWTON, integrator="adams"),
    *(
        _simulation("Multibody", key, text, help, input="resultant", formulation=formulation)
        for key, text, help, formulation in (
            ("lagrange", "Classic &Lagrange", "Multipliers with the accelerations", "classic"),
            ("baumgarte", "&Stabilised (Baumgarte)", "Violations of the constraints are damped", "stabilised"),
            ("penalty", "&Penalty", "Constraints as stiff springs", "penalty"),
            ("augmented", "&Augmented Lagrangian", "Penalty with multipliers", "augmented"),
            ("projected", "Augmented Lagrangian with P&rojections", "Velocities and accelerations are projected too",
             "index-3"),
        )
    ),
    Action("dynamics.simulation.separator", SIMULATION, SEPARATOR, None),
    Action("dynamics.simulation.compare", SIMULATION, "&Compare Runs…", _compare_runs,
           "Table of all simulations: cost, constraints, distance to the recorded motion", blocked=_needs_runs),
    Action("dynamics.simulation.figure", SIMULATION, "Figure of All &Runs…", _draw_runs,
           "Distance, constraints and energy of all simulations over time", blocked=_needs_runs),
)  # fmt: skip


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
        blocked=_needs_joints,
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
        "dynamics.reduce",
        "Dynamics",
        "&Reduce Residuals…",
        _reduce,
        "Adjust masses and motion within their errors so that they agree with the plates; every change is listed",
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
    *SIMULATIONS,
    Action(
        "dynamics.workbench",
        "Dynamics",
        "Mechanism &Workbench…",
        _workbench,
        "Describe a machine, move it, and ask for its forces, motion, equations and optimal control",
        "Ctrl+Shift+W",
    ),
    _item(
        "Inner Biomechanics",
        "muscles.upper",
        "Load &Shoulder and Upper-Limb Muscles",
        "Muscles of the girdle and arms",
    ),
    _item("Inner Biomechanics", "muscles.lower", "Load &Pelvis and Lower-Limb Muscles", "Muscles of pelvis and legs"),
    _item("Inner Biomechanics", "muscles.both", "Load &Both", "All muscles"),
    Action("muscles.separator", "Inner Biomechanics", SEPARATOR, None),
    _item("Inner Biomechanics", "muscles.forces", "Muscle &Forces", "Share of every muscle, by static optimisation"),
    _item("Inner Biomechanics", "muscles.joints", "&Joint Forces Including Muscles", "Forces in the joints"),
)
