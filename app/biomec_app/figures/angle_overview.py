"""Angles of all joints of the arms or the legs, both sides in one panel, over the cycle or over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.reporting.statistics.angle_ranges import AngleRow, angle_rows
from biomec_app.figures.angles import MEAN, OTHERS, TIME, RecordedAngles, cycles_told, joints_of, limb_options, recorded
from biomec_app.figures.kind import Chosen, Column, FigureChoice, FigureKind
from biomec_app.figures.style import (
    Ink,
    at_least,
    legend,
    name,
    nothing,
    over_cycle,
    patch,
    quiet,
    stroke,
    zero_line,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 3
PANEL = (4.05, 1.95)  # inches
HEAD = 1.45  # inches of title, legend and the axis below
ROOMY = 1.3  # inches of a row from which on each of its panels has numbers below
SMALLEST = 20.0  # ° from bottom to top, so that noise does not look like motion


@dataclass(frozen=True, eq=False)
class AngleOverview:
    """Lines of panels, the curves of the recording and its time."""

    grid: tuple[tuple[AngleRow, ...], ...]
    own: RecordedAngles
    time_s: FloatArray


class AngleOverviewFigure(FigureKind):
    """Joint angles of limbs."""

    key, title = "angle-overview", "Joint Angles, Overview"
    help = "Angles of all joints of the arms or the legs, both sides in one panel, mean and standard deviation"
    needs = ("signals", "angles")
    least = (9.0, 6.2)

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """Which limbs, those that the movement is about first; over the cycle or over time."""
        over_cycles = "cycles" in analysis.done and bool(analysis.cycles.curves)
        return (
            FigureChoice("limbs", "Joints", limb_options(analysis) or (OTHERS,)),
            FigureChoice("shown", "Show", (MEAN, TIME) if over_cycles else (TIME,), redraws=True),
        )

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> AngleOverview:
        """Panels of the limbs."""
        rows = angle_rows(analysis.angles)
        joints = joints_of(tuple(dict.fromkeys(row.joint for row in rows)), chosen["limbs"])
        wanted = [row for joint in joints for row in rows if row.joint == joint]
        return AngleOverview(_grid(wanted), recorded("", analysis), analysis.signals.trial.time_s)

    def size(self, content: AngleOverview, chosen: Chosen) -> tuple[float, float]:
        """As wide as the panels of a line, as high as the lines."""
        return PANEL[0] * COLUMNS, PANEL[1] * max(1, len(content.grid)) + HEAD

    def remark(self, content: AngleOverview, chosen: Chosen) -> str:
        """Over which cycles."""
        if chosen["shown"] == TIME:
            lacking = "" if content.own.curves else "; there is no valid cycle"
            return f"Over the time of the recording{lacking}."
        return f"Mean ± SD of {cycles_told(content.own)}. Dotted: {content.own.phase}."

    def draw(self, figure: Figure, content: AngleOverview, chosen: Chosen, ink: Ink) -> None:
        """A joint a line, as far as there is room."""
        lines, over_time = content.grid, chosen["shown"] == TIME
        if not lines:
            nothing(figure.subplots(), ink, "The model has no such joint angles.")
            return
        places = figure.add_gridspec(len(lines), COLUMNS)
        roomy = figure.get_figheight() / len(lines) > ROOMY
        for i, line in enumerate(lines):
            for j, row in enumerate(line):
                axes = figure.add_subplot(places[i, j])
                quiet(axes, ink)
                name(axes, ink, row.title.removesuffix(" in the laboratory"), below=f"{row.directions}, °")
                self._panel(axes, content, row, over_time, ink)
                lowest = all(j >= len(later) for later in lines[i + 1 :])
                axes.tick_params(labelbottom=lowest or roomy)
                if lowest:
                    axes.set_xlabel("time, s" if over_time else "cycle, %")
        handles = [stroke(color=colour, linewidth=3) for colour in (ink.theme.right, ink.theme.left)]
        names = ["right", "left"]
        if not over_time and any(len(curves.numbers) > 1 for curves in content.own.curves.values()):
            handles.append(patch(facecolor=ink.theme.faint, alpha=0.3))
            names.append("± SD")
        legend(figure, ink, handles, names)

    def _panel(self, axes: Axes, content: AngleOverview, row: AngleRow, over_time: bool, ink: Ink) -> None:
        """Each side over its own cycles; an angle without side over the cycles of either side."""
        own, finite = content.own, False
        for side, angle in row.sides.items():
            column = own.angles.names.index(angle)
            if over_time:
                values = np.degrees(own.angles[angle])
                axes.plot(content.time_s, values, color=ink.side(side), linewidth=1.8)
                finite |= bool(np.isfinite(values).any())
                continue
            for whose, curves in own.curves.items():
                if side is not None and whose != "both" and whose.lower() != side.value:
                    continue
                by_cycle = {"Right": ink.theme.right, "Left": ink.theme.left}.get(whose, ink.theme.middle)
                mean, sd = np.degrees(curves.mean[:, column]), np.degrees(curves.sd[:, column])
                colour = by_cycle if side is None else ink.side(side)
                over_cycle(axes, curves.percent, mean, sd, curves.phase_change_percent, colour)
                finite |= bool(np.isfinite(mean).any())
        at_least(axes, SMALLEST)
        zero_line(ink, axes)
        first, last = (float(content.time_s[0]), float(content.time_s[-1])) if over_time else (0.0, 100.0)
        axes.set_xlim(first, max(last, first + 1e-3))
        if not finite:
            nothing(axes, ink, "no valid frame")

    def data(self, content: AngleOverview, chosen: Chosen) -> tuple[Column, ...]:
        """The plotted curves in degrees."""
        own = content.own
        drawn = [(angle, side) for line in content.grid for row in line for side, angle in row.sides.items()]
        if chosen["shown"] == TIME:
            columns = [Column(f"{angle} (deg)", np.degrees(own.angles[angle])) for angle, _ in drawn]
            return Column("time (s)", content.time_s), *columns
        columns = []
        for angle, side in drawn:
            k = own.angles.names.index(angle)
            for whose, curves in own.curves.items():
                if side is not None and whose != "both" and whose.lower() != side.value:
                    continue
                beside = f", {whose.lower()} cycles" if side is None and whose != "both" else ""
                columns.append(Column(f"{angle}{beside}, mean (deg)", np.degrees(curves.mean[:, k])))
                columns.append(Column(f"{angle}{beside}, sd (deg)", np.degrees(curves.sd[:, k])))
        return Column("cycle (%)", next(iter(own.curves.values())).percent), *columns


def _grid(rows: Sequence[AngleRow]) -> tuple[tuple[AngleRow, ...], ...]:
    """Panels in lines: a joint a line; a short joint joins the line of the one before if there is room."""
    lines: list[tuple[AngleRow, ...]] = []
    for joint in dict.fromkeys(row.joint for row in rows):
        panels = tuple(row for row in rows if row.joint == joint)
        if lines and len(lines[-1]) + len(panels) <= COLUMNS and len(panels) < COLUMNS:
            lines[-1] += panels
        else:
            lines += [panels[k : k + COLUMNS] for k in range(0, len(panels), COLUMNS)]
    return tuple(lines)
