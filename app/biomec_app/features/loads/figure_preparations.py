"""Loads of a joint by six ways of preparing the recording, overlaid, and how far they differ: [Nunes2017] Fig. 5.10."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec.reporting.statistics.load_configurations import LoadStudy, load_study
from biomec_app.curves.curve import capital
from biomec_app.features.loads.readings import Readings
from biomec_app.figures.kind import WHOLE, Chosen, Column, FigureChoice, FigureKind, cycle_options
from biomec_app.figures.style import COMPONENTS, SMALL, Ink, legend, name, quiet, stroke

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

USUAL = "right glenohumeral"
PREPARED, SAME = "prepared like the markers (as published)", "the same in all six"
COLOURS = ("#999999", "#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#0072B2")
DARK_COLOURS = ("#B4BCC6", "#FFB84D", "#7CC8F2", "#2FBF8F", "#E59CC3", "#4DA3E0")


class PreparationFigure(FigureKind):
    """Six configurations of filter and consistency."""

    key, title = "preparations", "Six Ways to Prepare the Recording"
    check = True
    help = "What filtering and kinematic consistency do to the loads of a joint"
    needs = ("signals", "cycles", "loads")
    slow = True

    def blocked(self, analysis: Analysis) -> str | None:
        """Needs a filter of the markers that can be taken away."""
        reason = super().blocked(analysis)
        if reason is None and analysis.signals.filtered is None:
            reason = "The study compares ways to filter markers: choose a filter for them first."
        return reason

    def choices(self, analysis: Analysis) -> tuple[FigureChoice, ...]:
        """Joint, and the cycle that counts."""
        joints = sorted(Readings(analysis).joints, key=lambda joint: joint != USUAL)
        cycles = (*cycle_options(analysis), WHOLE)
        return (
            FigureChoice("joint", "Joint", tuple(capital(joint) for joint in joints)),
            FigureChoice("cycle", "Cycle", cycles),
            FigureChoice("plates", "Ground reaction", (PREPARED, SAME)),
        )

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> LoadStudy:
        """The study of the library."""
        joint = next(one for one in Readings(analysis).joints if capital(one) == chosen["joint"])
        cycles = cycle_options(analysis)
        frames = None
        if chosen["cycle"] in cycles:
            one, number = cycles[chosen["cycle"]]
            frames = int(one.spans[number][0]), int(one.spans[number][1])
        return load_study(analysis, joint, frames, progress, plates=chosen["plates"] == PREPARED)

    def remark(self, content: LoadStudy, chosen: Chosen) -> str:
        """Which joint and cycle, and what the first configuration is."""
        return (
            f"{chosen['joint']}, {chosen['cycle'].lower()}, Newton-Euler, laboratory axes, internal. "
            f"{content.notices[0].sentence}"
        )

    def draw(self, figure: Figure, content: LoadStudy, chosen: Chosen, ink: Ink) -> None:
        """Force over moment, and the table of differences at the right."""
        grid = figure.add_gridspec(2, 4, width_ratios=(1.0, 1.0, 1.0, 1.5))
        colours = DARK_COLOURS if ink.theme.name == "dark" else COLOURS
        time = content.time_s[content.counted]
        for row, (values, unit, words) in enumerate(((content.force, "N", "Force"), (content.torque, "N·m", "Moment"))):
            for k in range(3):
                axes = figure.add_subplot(grid[row, k])
                quiet(axes, ink)
                for c in (1, 0, 2, 3, 4, 5):  # what has no filter lies behind
                    axes.plot(time, values[c, content.counted, k], color=colours[c], linewidth=0.7 if c == 1 else 1.3)
                name(axes, ink, f"{words} {COMPONENTS[k]}")
                axes.set_xlim(float(time[0]), float(time[-1]) + 1e-9)
                if k == 0:
                    axes.set_ylabel(unit)
                if row == 1:
                    axes.set_xlabel("time, s")
        self._table(figure.add_subplot(grid[:, 3]), content, ink)
        handles = [stroke(color=colour, linewidth=2.0) for colour in colours]
        legend(figure, ink, handles, [f"{k + 1}" for k in range(6)])

    def _table(self, axes: Axes, content: LoadStudy, ink: Ink) -> None:
        """Mean differences: forces above the diagonal, moments below; the larger, the darker."""
        theme = ink.theme
        axes.set_axis_off()
        name(axes, ink, "Mean difference")
        count = len(content.configurations)
        table = content.table
        tops = content.force_difference.max(), content.torque_difference.max()
        axes.set_xlim(-0.6, count)
        axes.set_ylim(count + 4.6, -1.0)
        for i in range(count):
            for text_at in ((i + 0.5, -0.45), (-0.35, i + 0.5)):
                axes.text(*text_at, str(i + 1), ha="center", va="center", color=theme.faint, fontsize=SMALL)
            for j in range(count):
                if i == j:
                    text, share = "–", 0.0
                else:
                    top = tops[0] if j > i else tops[1]
                    text, share = (
                        f"{table[i, j]:.2f}" if table[i, j] < 9.995 else f"{table[i, j]:.1f}",
                        (float(table[i, j] / top) if top > 0.0 else 0.0),
                    )
                axes.fill([j, j + 1, j + 1, j], [i, i, i + 1, i + 1], color=theme.rebuilt, alpha=0.55 * share,
                          linewidth=0)  # fmt: skip
                axes.text(j + 0.5, i + 0.5, text, ha="center", va="center", color=theme.text, fontsize=SMALL - 0.5)
        axes.text(count, count + 0.4, "above the diagonal force, N; below it moment, N·m", ha="right", va="center",
                  color=theme.faint, fontsize=SMALL - 1.0)  # fmt: skip
        for k, words in enumerate(content.configurations):
            axes.text(-0.5, count + 1.1 + 0.6 * k, f"{k + 1}  {words}", ha="left", va="center", color=theme.text,
                      fontsize=SMALL - 0.5)  # fmt: skip

    def data(self, content: LoadStudy, chosen: Chosen) -> tuple[Column, ...]:
        """All curves, then the table of differences."""
        columns = [Column("time (s)", content.time_s[content.counted])]
        for c, words in enumerate(content.configurations):
            for values, what, unit in ((content.force, "force", "N"), (content.torque, "moment", "N m")):
                columns += [
                    Column(f"{what} {COMPONENTS[k]}, {c + 1} {words} ({unit})", values[c, content.counted, k])
                    for k in range(3)
                ]
        columns.append(Column("mean difference of", np.arange(1, 7)))
        columns += [
            Column(f"from {c + 1} (forces above the diagonal, N; moments below, N m)", content.table[:, c])
            for c in range(6)
        ]
        return tuple(columns)
