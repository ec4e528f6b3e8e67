"""All simulations of a recording over time: distance to the recorded motion, constraints, energy."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.simulation_run import SimulationRun
from biomec_app.features.simulations.runs import NONE
from biomec_app.figures.kind import Chosen, Column, FigureChoice, FigureKind
from biomec_app.figures.style import SMALL, Ink, logarithmic, name, quiet, stroke

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEVELS = {
    "Positions": (0, 1e3, "mm", "violation", "‖Φ‖"),
    "Velocities": (1, 1.0, "m/s", "rate_violation", "‖dΦ/dt‖"),
    "Accelerations": (2, 1.0, "m/s²", "acceleration_violation", "‖d²Φ/dt²‖"),
}
RECORDING, START = "of the recording", "since the start"
DASHES: tuple[tuple[int, tuple[float, ...]] | str, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))


@dataclass(frozen=True, eq=False)
class SimulationRunContent:
    """Runs, and where their time begins [s]."""

    runs: tuple[SimulationRun, ...]
    starts: tuple[float, ...]


class SimulationRunFigure(FigureKind):
    """Runs over each other."""

    key, title = "simulation-runs", "Simulation Runs"
    help = "Distance to the recorded motion, violation of the constraints and energy of all simulations over time"
    needs = ("loads",)

    def blocked(self, analysis: Analysis) -> str | None:
        """Needs a simulation."""
        return None if analysis.simulations else super().blocked(analysis) or NONE

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """Level, and from where time counts."""
        return FigureChoice("level", "Level", tuple(LEVELS), redraws=True), FigureChoice(
            "time", "Time", (RECORDING, START)
        )

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> SimulationRunContent:
        """All runs."""
        runs = tuple(analysis.simulations.values())
        return SimulationRunContent(
            runs, tuple(float(run.step_time_s[0]) if chosen["time"] == START else 0.0 for run in runs)
        )

    def remark(self, content: SimulationRunContent, chosen: Chosen) -> str:
        """What the panels show."""
        return (
            "Mean distance of all coordinates to the recorded motion; violation of the constraints; mechanical energy "
            "that no force has brought."
        )

    def draw(self, figure: Figure, content: SimulationRunContent, chosen: Chosen, ink: Ink) -> None:
        """Three panels on one time axis."""
        level, scale, unit, violation, sign = LEVELS[chosen["level"]]
        distance, constraints, energy = figure.subplots(3, 1, sharex=True)
        handles, labels = [], []
        for axes in (distance, constraints, energy):
            quiet(axes, ink)
        for axes in (distance, constraints):
            logarithmic(axes, "y")
        colours = cycle(ink.conditions)
        for k, (run, start) in enumerate(zip(content.runs, content.starts, strict=True)):
            style = {"color": next(colours), "linestyle": DASHES[(k // len(ink.conditions)) % len(DASHES)],
                     "linewidth": 1.4}  # fmt: skip
            distance.plot(run.time_s - start, _above_zero(scale * run.distance[:, level]), **style)
            constraints.plot(run.step_time_s - start, _above_zero(getattr(run, violation)), **style)
            energy.plot(run.step_time_s - start, run.energy_drift, **style)
            if not run.completed:
                distance.plot(run.time_s[-1] - start, scale * run.distance[-1, level], "x", color=ink.alarm,
                              markersize=7, markeredgewidth=1.8)  # fmt: skip
            handles.append(stroke(**style))
            labels.append(run.name if len(run.name) < 46 else f"{run.name[:44]}…")
        distance.set_ylabel(unit)
        constraints.set_ylabel(sign)
        energy.set_ylabel("J")
        ended = "× ended early" if any(not run.completed for run in content.runs) else ""
        name(distance, ink, f"Distance to the recorded motion, {chosen['level'].lower()}", ended)
        name(constraints, ink, "Violation of the constraints")
        name(energy, ink, "Energy without a source")
        energy.set_xlabel(f"time {chosen['time']}, s")
        figure.legend(handles, labels, loc="outside lower left", ncols=2 if len(labels) > 1 else 1, frameon=False,
                      fontsize=SMALL, labelcolor=ink.theme.text)  # fmt: skip
        figure.align_ylabels()

    def data(self, content: SimulationRunContent, chosen: Chosen) -> tuple[Column, ...]:
        """All curves."""
        level, scale, unit, violation, sign = LEVELS[chosen["level"]]
        columns: list[Column] = []
        for run, start in zip(content.runs, content.starts, strict=True):
            distance: FloatArray = scale * run.distance[:, level]
            columns += [
                Column(f"{run.name}: time of frames (s)", run.time_s - start),
                Column(f"{run.name}: distance ({unit})", distance),
                Column(f"{run.name}: time of steps (s)", run.step_time_s - start),
                Column(f"{run.name}: {sign}", getattr(run, violation)),
                Column(f"{run.name}: energy without a source (J)", run.energy_drift),
            ]
        return tuple(columns)


def _above_zero(values: FloatArray) -> FloatArray:
    """Values for a logarithmic axis; what is zero, as at the start, is left out."""
    return np.where(values > 0.0, values, np.nan)
