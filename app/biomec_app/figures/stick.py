"""The body as lines at the phases A, B, C and D of a cycle: [Nunes2017] Fig. 4.20."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.recording.marker_set import Side
from biomec.reporting.statistics.stick_figure import VIEWS, StickLine, phase_frames, stick_figure
from biomec_app.figures.kind import WHOLE, Chosen, Column, FigureChoice, FigureKind, cycle_choice, cycle_options
from biomec_app.figures.style import Ink, legend, name, nothing, stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CONSISTENT, RAW = "Consistent", "Raw"
WIDTH = {Side.RIGHT: 2.2, Side.LEFT: 1.6, None: 2.0}


@dataclass(frozen=True, eq=False)
class StickContent:
    """Phase -> its time [s] and lines; the height of the floor [m]; what happens at phase C, in words."""

    phases: Mapping[str, tuple[float, tuple[StickLine, ...]]]
    floor: float
    turn: str


class StickFigure(FigureKind):
    """Stick figure at four phases."""

    key, title = "stick", "Stick Figure at the Phases of a Cycle"
    help = "The body as lines at phases A, B, C and D of a cycle, seen from the side, the front or above"
    needs = ("signals", "body", "positions")

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """View, cycle, and which positions."""
        return (
            FigureChoice("view", "View", tuple(view.capitalize() for view in VIEWS), redraws=True),
            cycle_choice(analysis, WHOLE),
            FigureChoice("signal", "Positions", (CONSISTENT, RAW)),
        )

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> StickContent:
        """Lines at the frames of the phases; quarters of the recording without a cycle."""
        body, trial = analysis.body.person, analysis.signals.trial
        cycles = cycle_options(analysis)
        if chosen["cycle"] in cycles:
            frames, turn = phase_frames(*cycles[chosen["cycle"]]), cycles[chosen["cycle"]][0].phase
        else:
            turn = "half of the recording"
            frames = {phase: round(k / 4 * (trial.frames - 1)) for k, phase in enumerate("ABCD")}
        segments = tuple(body.system.layout.bodies)
        phases = {}
        for phase, frame in frames.items():
            if chosen["signal"] == RAW:
                points = {point: path[frame] for point, path in analysis.body.points.items()}
            else:
                points = body.points_of(analysis.positions.q[frame])
            phases[phase] = frame / trial.rate_hz, stick_figure(body.model, points, segments)
        floors = [float(plate.origin @ plate.up) for plate in trial.plates]
        return StickContent(phases, min(floors, default=0.0), turn)

    def remark(self, content: StickContent, chosen: Chosen) -> str:
        """What the phases are."""
        return (
            f"{chosen['cycle']}, {chosen['signal'].lower()} positions. A: start of the cycle, C: {content.turn}, "
            "B and D: halfway before and after."
        )

    def draw(self, figure: Figure, content: StickContent, chosen: Chosen, ink: Ink) -> None:
        """Four panels on one scale; phase A stays behind the others as a shadow."""
        paper = VIEWS[chosen["view"].lower()]
        upright = chosen["view"] != "Superior"
        lines = [line.points for _, figure_ in content.phases.values() for line in figure_]
        shape = (2, 2)
        if lines:
            every = np.concatenate(lines) @ paper
            low, high = every.min(axis=0), every.max(axis=0)
            across, upwards = figure.get_size_inches() / np.maximum(high - low, 0.1)  # inches a metre, in one panel
            shape = max(((2, 2), (1, 4), (4, 1)), key=lambda grid: min(across / grid[1], upwards / grid[0]))
        grid = figure.subplots(*shape, squeeze=False, sharex=True, sharey=True).ravel()
        first = content.phases["A"][1]
        for axes, (phase, (time, parts)) in zip(grid, content.phases.items(), strict=True):
            self._panel(axes, upright, content.floor, ink)
            if phase != "A":
                for line in first:
                    axes.plot(*(line.points @ paper).T, color=ink.theme.line, linewidth=1.4, solid_capstyle="round")
            for line in sorted(parts, key=lambda one: one.side is Side.RIGHT):  # the right is nearer to the eye
                axes.plot(*(line.points @ paper).T, color=ink.side(line.side), linewidth=WIDTH[line.side],
                          solid_capstyle="round", solid_joinstyle="round")  # fmt: skip
            name(axes, ink, phase, f"{time:.2f} s")
            if not parts:
                nothing(axes, ink, "this frame does not obey the model")
        if lines:
            margin = 0.06 * float((high - low).max())
            grid[0].set_xlim(low[0] - margin, high[0] + margin)
            bottom = min(low[1], content.floor) if upright else low[1]
            grid[0].set_ylim(bottom - margin, high[1] + margin)
        handles = [stroke(color=ink.side(side), linewidth=2.5) for side in (Side.RIGHT, Side.LEFT, None)]
        legend(figure, ink, handles, ("right", "left", "middle"))

    @staticmethod
    def _panel(axes: Axes, upright: bool, floor: float, ink: Ink) -> None:
        axes.set_aspect("equal", adjustable="box")
        axes.set_facecolor(ink.theme.panel)
        axes.set_xticks([])
        axes.set_yticks([])
        for spine in axes.spines.values():
            spine.set_visible(False)
        if upright:
            axes.axhline(floor, color=ink.theme.faint, linewidth=1.0)

    def data(self, content: StickContent, chosen: Chosen) -> tuple[Column, ...]:
        """One row a point of a line."""
        rows = [
            (phase, time, line.segment, *point)
            for phase, (time, parts) in content.phases.items()
            for line in parts
            for point in line.points.tolist()
        ]
        names = ("phase", "time (s)", "segment", "X (m)", "Y (m)", "Z (m)")
        return tuple(Column(heading, [row[k] for row in rows]) for k, heading in enumerate(names))
