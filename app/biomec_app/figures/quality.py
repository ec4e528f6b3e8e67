"""Where the samples come from, how every frame was solved, and what does not fit the model, on one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.progress import Progress
from biomec.body.kinematics.consistent_motion import ConsistentPositions
from biomec.pipeline.analysis import Analysis
from biomec.reporting.facts import constraint_words, motion_facts
from biomec.reporting.statistics.recording_quality import DistanceSpread, origin_shares, spreads
from biomec.reporting.tables import power
from biomec.signals.reconstruction import SampleOrigin
from biomec.signals.stretches import stretches
from biomec_app.figures.convergence import solution_courses
from biomec_app.figures.courses import draw_course
from biomec_app.figures.distances import MILLIMETRE, draw_box
from biomec_app.figures.kind import Chosen, Column, FigureKind
from biomec_app.figures.style import SMALL, Ink, logarithmic, name, nothing, patch, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ORIGINS = {
    SampleOrigin.MEASURED: ("measured", "measured", 0.45),
    SampleOrigin.REBUILT: ("rebuilt from the segment", "rebuilt", 0.9),
    SampleOrigin.INTERPOLATED: ("interpolated", "interpolated", 0.9),
    SampleOrigin.MISSING: ("missing", "line", 0.6),
}
"""Origin of a sample -> its words, the colour of the theme and its opacity."""
WORST = 12
FLOOR = 1e-17  # what a violation of exactly zero is drawn as


@dataclass(frozen=True, eq=False)
class QualityContent:
    """Time (T,) [s], share (T,) of the markers by origin, and the solution of every frame."""

    time_s: FloatArray
    shares: dict[SampleOrigin, FloatArray]
    positions: ConsistentPositions


class QualityFigure(FigureKind):
    """Quality of signals and solution."""

    key, title = "quality", "Quality of Signals and Solution"
    check = True
    help = "Origin of the samples, course of the solution, and distances to the model along the recording"
    needs = ("signals", "positions")
    least = (10.5, 8.0)

    def content(self, analysis: Analysis, chosen: Chosen, progress: Progress | None = None) -> QualityContent:
        """Shares of the origins, and the consistent positions."""
        rebuilt = analysis.signals.reconstruction
        shares = origin_shares(rebuilt.origin[:, rebuilt.seen])
        return QualityContent(analysis.signals.trial.time_s, shares, analysis.positions)

    def size(self, content: QualityContent, chosen: Chosen) -> tuple[float, float]:
        """A full page."""
        return 12.5, 11.6

    def remark(self, content: QualityContent, chosen: Chosen) -> str:
        """How many frames obey the model, by which method, and how to read a box."""
        positions = content.positions
        facts = motion_facts(positions)
        return (
            f"{facts['solved'].text} frames obey the model; "
            f"{facts['method'].text}. Boxes: 25 to 75 % of the frames and the median; thin lines: 5 to "
            "95 %; dots: the largest."
        )

    def draw(self, figure: Figure, content: QualityContent, chosen: Chosen, ink: Ink) -> None:
        """Along the time above, by what it is below."""
        positions = content.positions
        lanes = _lanes(positions, ink)
        outer = figure.add_gridspec(3, 1, height_ratios=(2.5, 1.5, 4.0))
        strip = outer[0].subgridspec(2, 1, height_ratios=(2.0, 0.55 * len(lanes)))
        shares = figure.add_subplot(strip[0])
        _draw_shares(shares, content, ink)
        _draw_lanes(figure.add_subplot(strip[1], sharex=shares), lanes, positions.rate_hz, ink)
        course = outer[1].subgridspec(1, 2)
        courses, counts = solution_courses(positions), positions.position.iterations[positions.valid]
        tolerance = power(positions.position.options.tolerance)
        remarks = {
            "iterations": ("Iterations of a frame", f"{counts.mean():.1f} on average" if counts.size else ""),
            "violation": ("Rest ‖Φ‖ after solving", f"dashed: tolerance {tolerance}"),
        }
        for k, (key, (title, beside)) in enumerate(remarks.items()):
            axes = figure.add_subplot(course[k])
            draw_course(axes, content.time_s, positions.valid, courses[key], ink)
            axes.set_xlabel("time, s")
            name(axes, ink, title, beside)
        low = outer[2].subgridspec(1, 3)
        _draw_types(figure.add_subplot(low[0]), positions, ink)
        for k, (title, label, names, distances) in enumerate((
            ("Landmarks", "moved to obey the model, mm", positions.landmarks, positions.distance),
            ("Markers", "measured to model, mm", positions.markers, positions.marker_residual),
        )):  # fmt: skip
            ranked = spreads(names, distances, positions.valid)
            _draw_boxes(figure.add_subplot(low[1 + k]), ranked, title, label, ink)

    def data(self, content: QualityContent, chosen: Chosen) -> tuple[Column, ...]:
        """One row a frame."""
        position = content.positions.position
        shares = [Column(f"{words} (%)", 100.0 * content.shares[kind]) for kind, (words, *_) in ORIGINS.items()]
        return (
            Column("time (s)", content.time_s),
            *shares,
            Column("valid", content.positions.valid.astype(int)),
            Column("iterations", position.iterations),
            Column("violation", position.violation),
        )


# ------------------------------------------------------------------------------------------------------- along the time
def _draw_shares(axes: Axes, content: QualityContent, ink: Ink) -> None:
    """Share of the markers of every origin, stacked."""
    time, below = content.time_s, np.zeros(len(content.time_s))
    used = [kind for kind in ORIGINS if content.shares[kind].any()]
    looks = [{"facecolor": getattr(ink.theme, ORIGINS[kind][1]), "alpha": ORIGINS[kind][2]} for kind in used]
    for kind, look in zip(used, looks, strict=True):
        above = below + 100.0 * content.shares[kind]
        axes.fill_between(time, below, above, step="post", linewidth=0, **look)
        below = above
    axes.set(xlim=(0.0, float(max(time[-1], 1e-3))), ylim=(0.0, 100.0), ylabel="markers, %")
    quiet(axes, ink, grid="")
    axes.tick_params(labelbottom=False)
    name(axes, ink, "Where the samples come from")
    axes.legend(
        [patch(**look) for look in looks], [ORIGINS[kind][0] for kind in used], loc="lower right",
        bbox_to_anchor=(1.0, 1.0), ncols=len(used), frameon=False, fontsize=SMALL, labelcolor=ink.theme.text,
        borderaxespad=0.2,
    )  # fmt: skip


def _lanes(positions: ConsistentPositions, ink: Ink) -> list[tuple[str, BoolArray, str]]:
    """Name, frames and colour of every lane: frames that do not obey the model, and every contact."""
    lanes = [("not converged", ~positions.valid, ink.theme.failed)]
    if positions.contacts is not None:
        sides = {"right": ink.theme.right, "left": ink.theme.left}
        lanes += [
            (f"{segment} held", positions.contacts.active[:, k], sides.get(segment.split()[0], ink.theme.contact))
            for k, segment in enumerate(positions.contacts.segments)
        ]
    return lanes


def _draw_lanes(axes: Axes, lanes: Sequence[tuple[str, BoolArray, str]], rate_hz: float, ink: Ink) -> None:
    for k, (_, on, colour) in enumerate(lanes):
        bars = [(first / rate_hz, (stop - first) / rate_hz) for first, stop in stretches(np.asarray(on)).tolist()]
        axes.broken_barh(bars, (k - 0.36, 0.72), facecolors=colour, alpha=0.85, linewidth=0)
    axes.set_yticks(range(len(lanes)), [words for words, _, _ in lanes])
    axes.set(ylim=(len(lanes) - 0.4, -0.6), xlabel="time, s")
    quiet(axes, ink, grid="x")
    axes.tick_params(axis="y", length=0)


# -------------------------------------------------------------------------------------------------------- by what it is
def _draw_types(axes: Axes, positions: ConsistentPositions, ink: Ink) -> None:
    """Violation by type of constraint, as measured and consistent: mean as a dot, up to the largest as a line."""
    position, kinds = positions.position, list(positions.position.before)
    looks = ((position.before, ink.theme.rebuilt, -0.13), (position.after, ink.theme.accent, 0.13))
    for k, kind in enumerate(kinds):
        for table, colour, shift in looks:
            values = table[kind][positions.valid]
            values = np.maximum(values[np.isfinite(values)], FLOOR)
            if values.size:
                axes.plot([values.mean(), values.max()], [k + shift] * 2, color=colour, linewidth=2.0, alpha=0.55)
                axes.plot(values.mean(), k + shift, "o", color=colour, markersize=6)
    if not positions.valid.any():
        nothing(axes, ink, "no valid frame")
    quiet(axes, ink, grid="x")
    logarithmic(axes, "x")
    axes.set_xlim(0.3 * FLOOR, 1.0)
    axes.set_xticks([1e-15, 1e-10, 1e-5, 1.0])
    axes.set_yticks(range(len(kinds)), [_wrapped(constraint_words(kind)) for kind in kinds])
    axes.set(ylim=(max(len(kinds), 3) - 0.4, -0.6), xlabel="violation, mean of a row, SI units")
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", which="minor", bottom=False)
    name(axes, ink, "Constraints")
    axes.legend(
        [patch(facecolor=colour) for _, colour, _ in looks], ["measured", "consistent"], loc="lower right",
        bbox_to_anchor=(1.06, 0.99), frameon=False, fontsize=SMALL, ncols=2, labelcolor=ink.theme.text,
        handlelength=1.0, handletextpad=0.5, columnspacing=0.9,
    )  # fmt: skip


def _wrapped(words: str) -> str:
    """Words on two lines if they are many."""
    parts = words.split(" ")
    if len(words) < 18 or len(parts) < 2:
        return words
    half = min(range(1, len(parts)), key=lambda k: abs(len(" ".join(parts[:k])) - 0.5 * len(words)))
    return " ".join(parts[:half]) + "\n" + " ".join(parts[half:])


def _draw_boxes(axes: Axes, ranked: Sequence[DistanceSpread], title: str, label: str, ink: Ink) -> None:
    """Lying boxes of the worst names."""
    from matplotlib.ticker import MaxNLocator

    worst, rest = ranked[:WORST], len(ranked) - WORST
    quiet(axes, ink, grid="x")
    for k, spread in enumerate(worst):
        draw_box(axes, k, spread, ink.theme.accent, ink, upright=False)
    axes.set_yticks(range(len(worst)), [spread.name for spread in worst])
    axes.set(ylim=(max(len(worst), 3) - 0.4, -0.6), xlabel=label)
    axes.set_xlim(0.0, max(0.1, 1.08 * MILLIMETRE * max((spread.largest for spread in worst), default=0.0)))
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.tick_params(axis="y", length=0)
    if not worst:
        nothing(axes, ink, "no valid frame")
    name(axes, ink, title, f"{rest} others below" if rest > 0 else "")
