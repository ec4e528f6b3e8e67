"""Menu Dynamics ▸ Simulation: simulations of the movement, and how they compare."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from biomec_app.session.action import SEPARATOR, Action, needs_joints, needs_recording
from biomec_app.session.context import Context

SIMULATION = "Dynamics/Simulation"


def _simulate(context: Context, **wanted: Any) -> None:
    """Open the dialog with what a menu item asks for."""
    from biomec_app.features.simulations.dialog import default_settings, open_simulation

    open_simulation(context, replace(default_settings(context.document.analysis), **wanted))


def _simulation(part: str, key: str, text: str, help: str, **wanted: Any) -> Action:
    return Action(
        f"dynamics.{key}", f"{SIMULATION}/{part}", f"{text}…", lambda context: _simulate(context, **wanted), help,
        blocked=needs_joints,
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


NEWTON = {"input": "resultant", "formulation": "newton-euler"}
ACTIONS: tuple[Action, ...] = (
    Action(
        "dynamics.simulate", SIMULATION, "&Follow the Movement…", _simulate,
        "Simulate the movement by torques that follow it; ask what if", "Ctrl+Shift+J", needs_joints,
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
