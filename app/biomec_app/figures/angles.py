"""Angles of a joint, left and right in columns, mean and spread over the cycles: [Nunes2017] Figs. 4.21 to 4.26."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomec.analysis.angle_ranges import AngleRow, angle_rows, cycle_curves
from biomec.arrays import FloatArray
from biomec.kinematics.joint_angles import JointAngles
from biomec.pipeline.analysis import Analysis
from biomec.progress import Progress
from biomec.recording.marker_set import Side
from biomec.signals.cycle_average import CycleCurves
from biomec_app.figures.ink import Ink, at_least, name, nothing, quiet
from biomec_app.figures.kind import Choice, Chosen, Column, FigureKind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MEAN, EVERY, TIME = "Mean ± SD", "Every cycle", "Over time"
SMALLEST = 10.0  # ° from bottom to top, so that noise does not look like motion


@dataclass(frozen=True, eq=False)
class Content:
    """Angles, their rows by joint, and mean curves by side."""

    angles: JointAngles
    rows: tuple[AngleRow, ...]
    curves: Mapping[str, CycleCurves]
    time_s: FloatArray


class AngleFigure(FigureKind):
    """Joint angles in two columns."""

    key, title = "angles", "Joint Angles, Left and Right"
    help = "Angles of a joint over the cycle, left and right in columns, mean and standard deviation"
    needs = ("signals", "angles")

    def choices(self, analysis: Analysis) -> tuple[Choice, ...]:
        """Joint, and what of it."""
        from biomec_app.report.angle_picture import chosen_joints

        over_cycle = "cycles" in analysis.done and bool(analysis.repetitions.curves)
        first = chosen_joints(analysis) if "cycles" in analysis.done else ()
        rows = sorted(angle_rows(analysis.angles), key=lambda row: row.joint not in first)
        joints = tuple(dict.fromkeys(_called(row) for row in rows))
        shown = (MEAN, EVERY, TIME) if over_cycle else (TIME,)
        return Choice("joint", "Joint", joints), Choice("shown", "Show", shown, redraws=True)

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> Content:
        """Rows of the joint."""
        rows = tuple(row for row in angle_rows(analysis.angles) if _called(row) == chosen["joint"])
        curves = analysis.repetitions.curves if "cycles" in analysis.done else {}
        return Content(analysis.angles, rows, curves, analysis.clean.trial.time_s)

    def remark(self, content: Content, chosen: Chosen) -> str:
        """Which joint and cycles."""
        if chosen["shown"] == TIME:
            return f"{chosen['joint']} over the time of the recording."
        counts = {which: len(curves.numbers) for which, curves in content.curves.items()}
        whose = " and ".join(
            f"{count} {'' if which == 'both' else which.lower() + ' '}cycle{'s' if count > 1 else ''}"
            for which, count in counts.items()
        )
        mean = chosen["shown"] == MEAN and max(counts.values()) > 1
        what = "mean and standard deviation of " if mean else ""
        return f"{chosen['joint']}: {what}{whose}; dotted where the phase changes."

    def draw(self, figure: Figure, content: Content, chosen: Chosen, ink: Ink) -> None:
        """A row a component, left before right; the midline in one column."""
        sides: tuple[Side | None, ...] = (Side.LEFT, Side.RIGHT)
        if all(row.middle is not None for row in content.rows):
            sides = (None,)
        grid = figure.subplots(len(content.rows), len(sides), sharex=True, sharey="row", squeeze=False)
        for i, row in enumerate(content.rows):
            for j, side in enumerate(sides):
                axes = grid[i, j]
                quiet(axes, ink)
                which = "" if side is None else f", {side.value}"
                name(axes, ink, f"{row.positive[0].upper()}{row.positive[1:]}{which}")
                self._panel(axes, content, row.sides.get(side), side, chosen["shown"], ink)
                if j == 0:
                    axes.set_ylabel(f"{row.positive} (+)\n{row.negative} (−), °")
                if i == len(content.rows) - 1:
                    axes.set_xlabel("time, s" if chosen["shown"] == TIME else "cycle, %")
            _open_up(grid[i, 0], ink, grid[i])
        figure.align_ylabels()

    def _panel(self, axes: Axes, content: Content, angle: str | None, side: Side | None, shown: str, ink: Ink) -> None:
        colour = ink.side(side)
        curves = cycle_curves(content.curves, side)
        if angle is None or (curves is None and shown != TIME):
            nothing(axes, ink, "no valid cycle" if angle else "not in the model")
            return
        column = content.angles.names.index(angle)
        if shown == TIME:
            axes.plot(content.time_s, np.degrees(content.angles.values[:, column]), color=colour, linewidth=1.5)
            axes.set_xlim(float(content.time_s[0]), float(content.time_s[-1]) + 1e-9)
            return
        assert curves is not None
        mean, sd = np.degrees(curves.mean[:, column]), np.degrees(curves.sd[:, column])
        if shown == MEAN:
            if np.isfinite(sd).any():
                axes.fill_between(curves.percent, mean - sd, mean + sd, color=colour, alpha=0.16, linewidth=0)
                for bound in (mean - sd, mean + sd):
                    axes.plot(curves.percent, bound, color=colour, linewidth=0.9, linestyle=(0, (5, 3)))
            axes.plot(curves.percent, mean, color=colour, linewidth=2.0)
        else:
            for one in curves.curves[:, :, column]:
                axes.plot(curves.percent, np.degrees(one), color=colour, linewidth=0.9, alpha=0.8)
        turns = curves.phase_change_percent[np.isfinite(curves.phase_change_percent)]
        if turns.size:
            axes.axvline(float(turns.mean()), color=ink.theme.faint, linewidth=1.1, linestyle=":")
        axes.set_xlim(0.0, 100.0)

    def data(self, content: Content, chosen: Chosen) -> tuple[Column, ...]:
        """The plotted curves in degrees."""
        columns: list[Column] = []
        for row in content.rows:
            for side, angle in row.sides.items():
                k = content.angles.names.index(angle)
                curves = cycle_curves(content.curves, side)
                if chosen["shown"] == TIME or curves is None:
                    if not columns:
                        columns.append(Column("time (s)", content.time_s))
                    columns.append(Column(f"{angle} (deg)", np.degrees(content.angles.values[:, k])))
                    continue
                if not columns:
                    columns.append(Column("cycle (%)", curves.percent))
                if chosen["shown"] == MEAN:
                    columns.append(Column(f"{angle}, mean (deg)", np.degrees(curves.mean[:, k])))
                    columns.append(Column(f"{angle}, sd (deg)", np.degrees(curves.sd[:, k])))
                else:
                    columns += [
                        Column(f"{angle}, cycle {number + 1} (deg)", np.degrees(one))
                        for number, one in zip(curves.numbers.tolist(), curves.curves[:, :, k], strict=True)
                    ]
        return tuple(columns)


def _called(row: AngleRow) -> str:
    return row.joint[0].upper() + row.joint[1:]


def _open_up(axes: Axes, ink: Ink, beside: np.ndarray) -> None:
    """Make a row at least so many degrees high, and draw zero where it is in sight."""
    at_least(axes, SMALLEST)
    low, high = axes.get_ylim()
    if low < 0.0 < high:
        for one in beside:
            one.axhline(0.0, color=ink.theme.faint, linewidth=0.7)
