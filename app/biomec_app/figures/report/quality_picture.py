"""`quality.png`: where the samples come from, how every frame was solved, and what does not fit the model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from biomec.base.arrays import BoolArray, FloatArray
from biomec.pipeline.analysis import Analysis
from biomec.reporting.frame_quality import Spread, origin_shares, spreads
from biomec.reporting.report_content import METHODS, constraint_words
from biomec.reporting.report_table import power
from biomec.signals.reconstruction import SampleOrigin
from biomec.signals.stretches import stretches
from biomec_app.figures.export import save_figure
from biomec_app.figures.report.style import (
    FORCE,
    HAIR,
    INK,
    INTERPOLATED,
    LEFT,
    MEASURED,
    MIDDLE,
    MISSING,
    MUTED,
    NOT_CONVERGED,
    REBUILT,
    RIGHT,
)
from biomec_app.figures.style import PAPER, new_figure, quiet

ORIGINS = {
    SampleOrigin.MEASURED: ("measured", MEASURED),
    SampleOrigin.REBUILT: ("rebuilt from the segment", REBUILT),
    SampleOrigin.INTERPOLATED: ("interpolated", INTERPOLATED),
    SampleOrigin.MISSING: ("missing", MISSING),
}
WORST = 12
WIDTH, HEIGHT = 12.5, 11.6  # inches
FLOOR = 1e-17  # what a violation of exactly zero is drawn as


def draw_quality(analysis: Analysis, path: Path) -> None:
    """Draw and save the picture."""
    figure = new_figure((WIDTH, HEIGHT), layout="none")
    motion = analysis.motion
    who = analysis.body.subject.name or "Subject"
    figure.text(0.016, 0.972, f"{who}: quality", fontsize=15, fontweight="bold", color=INK)
    good = int(motion.valid.sum())
    told = f"{good} of {motion.frames} frames obey the model; {METHODS[motion.options.method]}."
    figure.text(0.016, 0.950, told, fontsize=10.5, color=MUTED)
    outer = figure.add_gridspec(3, 1, left=0.115, right=0.985, top=0.915, bottom=0.062, height_ratios=(2.5, 1.5, 4.0),
                                hspace=0.36)  # fmt: skip
    strip = outer[0].subgridspec(2, 1, height_ratios=(2.0, _lanes(analysis)), hspace=0.08)
    shares = figure.add_subplot(strip[0])
    _shares(shares, analysis)
    _strip(figure.add_subplot(strip[1], sharex=shares), analysis)
    course = outer[1].subgridspec(1, 2, wspace=0.16)
    _iterations(figure.add_subplot(course[0]), analysis)
    _violation(figure.add_subplot(course[1]), analysis)
    low = outer[2].subgridspec(1, 3, wspace=0.42, width_ratios=(1.0, 1.0, 1.0))
    _types(figure.add_subplot(low[0]), analysis)
    valid = motion.valid
    _boxes(figure.add_subplot(low[1]), spreads(motion.landmarks, motion.distance, valid), "Landmarks",
           "moved to obey the model, mm")  # fmt: skip
    _boxes(figure.add_subplot(low[2]), spreads(motion.markers, motion.marker_residual, valid), "Markers",
           "measured to model, mm")  # fmt: skip
    box = "Boxes: 25 to 75 % of the frames, and the median. Thin lines: 5 to 95 %. Purple dots: the largest."
    figure.text(0.985, 0.008, box, fontsize=8.8, color=MUTED, ha="right")
    save_figure(figure, path)


# ------------------------------------------------------------------------------------------------------- along the time
def _title(axes: Axes, text: str, below: str = "") -> None:
    axes.set_title(text, loc="left", fontsize=10.5, fontweight="bold", color=INK, pad=7)
    if below:
        axes.set_title(below, loc="right", fontsize=8.8, color=MUTED, pad=7)


def _shares(axes: Axes, analysis: Analysis) -> None:
    """Share of the markers of every origin, stacked."""
    rebuilt = analysis.signals.reconstruction
    time, shares = analysis.signals.trial.time_s, origin_shares(rebuilt.origin[:, rebuilt.seen])
    kinds = list(ORIGINS)
    axes.stackplot(
        time, *(100.0 * shares[kind] for kind in kinds), colors=[ORIGINS[k][1] for k in kinds], step="post", linewidth=0
    )
    axes.set(xlim=_span(time), ylim=(0.0, 100.0), ylabel="markers, %")
    quiet(axes, PAPER, grid="")
    axes.tick_params(labelbottom=False)
    _title(axes, "Where the samples come from")
    used = [kind for kind in kinds if shares[kind].any()]
    axes.legend(
        [Patch(facecolor=ORIGINS[k][1]) for k in used], [ORIGINS[k][0] for k in used], loc="lower right",
        bbox_to_anchor=(1.0, 1.0), ncols=len(used), frameon=False, fontsize=8.8, labelcolor=INK, borderaxespad=0.2,
    )  # fmt: skip


def _lanes(analysis: Analysis) -> float:
    contacts = analysis.motion.contacts
    return 0.55 * (1 + (0 if contacts is None else len(contacts.segments)))


def _strip(axes: Axes, analysis: Analysis) -> None:
    """One lane for frames that do not obey the model, one for every contact."""
    motion, rate = analysis.motion, analysis.signals.trial.rate_hz
    lanes: list[tuple[str, BoolArray, str]] = [("not converged", ~motion.valid, NOT_CONVERGED)]
    if motion.contacts is not None:
        lanes += [
            (f"{name} held", motion.contacts.active[:, k], _side_colour(name))
            for k, name in enumerate(motion.contacts.segments)
        ]
    for k, (_, on, colour) in enumerate(lanes):
        bars = [(first / rate, (stop - first) / rate) for first, stop in stretches(np.asarray(on)).tolist()]
        axes.broken_barh(bars, (k - 0.36, 0.72), facecolors=colour, alpha=0.85, linewidth=0)
    axes.set_yticks(range(len(lanes)), [name for name, _, _ in lanes])
    axes.set(ylim=(len(lanes) - 0.4, -0.6), xlabel="time, s", xlim=_span(analysis.signals.trial.time_s))
    axes.grid(axis="x", color=HAIR, linewidth=0.5)
    axes.set_axisbelow(True)
    quiet(axes, PAPER, grid="")
    axes.tick_params(axis="y", length=0)


def _side_colour(name: str) -> str:
    return RIGHT if name.startswith("right") else LEFT if name.startswith("left") else FORCE


def _iterations(axes: Axes, analysis: Analysis) -> None:
    time, motion = analysis.signals.trial.time_s, analysis.motion
    counts = motion.position.iterations
    axes.step(time, counts, where="mid", color=MIDDLE, linewidth=0.9)
    _crosses(axes, time, counts.astype(float), ~motion.valid)
    axes.set(xlim=_span(time), ylim=(0.0, max(4.0, 1.15 * float(counts.max(initial=0)))), xlabel="time, s")
    ticks = axes.yaxis.get_major_locator()
    assert isinstance(ticks, MaxNLocator)
    ticks.set_params(integer=True)
    quiet(axes, PAPER, grid="")
    mean = f"{counts[motion.valid].mean():.1f} on average" if motion.valid.any() else ""
    _title(axes, "Iterations of a frame", mean)


def _violation(axes: Axes, analysis: Analysis) -> None:
    time, motion = analysis.signals.trial.time_s, analysis.motion
    norm = np.maximum(motion.position.violation, FLOOR)
    axes.semilogy(time, np.where(motion.valid, norm, np.nan), ".", color=MIDDLE, markersize=2.0)
    _crosses(axes, time, norm, ~motion.valid)
    tolerance = motion.position.options.tolerance
    axes.axhline(tolerance, color=NOT_CONVERGED, linewidth=1.0, linestyle=(0, (4, 3)))
    axes.set(xlim=_span(time), xlabel="time, s")
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, 0.03 * tolerance), max(high, 5.0 * tolerance))
    quiet(axes, PAPER, grid="")
    _title(axes, "Rest ‖Φ‖ after solving", f"dashed: tolerance {power(tolerance)}")


def _crosses(axes: Axes, time: FloatArray, values: FloatArray, bad: BoolArray) -> None:
    if bad.any():
        axes.plot(time[bad], values[bad], "x", color=NOT_CONVERGED, markersize=3.5)


def _span(time: FloatArray) -> tuple[float, float]:
    return 0.0, float(max(time[-1], 1e-3)) if time.size else 1.0


# -------------------------------------------------------------------------------------------------------- by what it is
def _types(axes: Axes, analysis: Analysis) -> None:
    """Violation by type of constraint, as measured and consistent: mean as a dot, up to the largest as a line."""
    motion, position = analysis.motion, analysis.motion.position
    kinds = list(position.before)
    for k, kind in enumerate(kinds):
        for table, colour, shift in ((position.before, INTERPOLATED, -0.13), (position.after, RIGHT, 0.13)):
            values = table[kind][motion.valid]
            values = np.maximum(values[np.isfinite(values)], FLOOR)
            if values.size:
                axes.plot([values.mean(), values.max()], [k + shift] * 2, color=colour, linewidth=2.0, alpha=0.55)
                axes.plot(values.mean(), k + shift, "o", color=colour, markersize=6)
    if not motion.valid.any():
        _nothing(axes)
    axes.set_xscale("log")
    axes.set_xlim(0.3 * FLOOR, 1.0)
    axes.set_xticks([1e-15, 1e-10, 1e-5, 1.0])
    axes.set_yticks(range(len(kinds)), [_wrapped(constraint_words(kind)) for kind in kinds])
    axes.set(ylim=(max(len(kinds), 3) - 0.4, -0.6), xlabel="violation, mean of a row, SI units")
    axes.grid(axis="x", color=HAIR, linewidth=0.5)
    quiet(axes, PAPER, grid="")
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", which="minor", bottom=False)
    _title(axes, "Constraints")
    handles = [Patch(facecolor=INTERPOLATED), Patch(facecolor=RIGHT)]
    axes.legend(
        handles, ["measured", "consistent"], loc="lower right", bbox_to_anchor=(1.06, 0.99), frameon=False,
        fontsize=8.8, ncols=2, labelcolor=INK, handlelength=1.0, handletextpad=0.5, columnspacing=0.9,
    )  # fmt: skip


def _nothing(axes: Axes) -> None:
    axes.text(0.5, 0.5, "no valid frame", transform=axes.transAxes, ha="center", va="center", color=MUTED)


def _wrapped(words: str) -> str:
    """Words on two lines if they are many."""
    parts = words.split(" ")
    if len(words) < 18 or len(parts) < 2:
        return words
    half = min(range(1, len(parts)), key=lambda k: abs(len(" ".join(parts[:k])) - 0.5 * len(words)))
    return " ".join(parts[:half]) + "\n" + " ".join(parts[half:])


def _boxes(axes: Axes, ranked: Sequence[Spread], title: str, label: str) -> None:
    """The worst names: box from 25 to 75 %, whiskers from 5 to 95 %, a dot for the largest."""
    worst = ranked[:WORST]
    for k, one in enumerate(worst):
        p5, p25, median, p75, p95, largest = (
            1e3 * x for x in (one.p5, one.p25, one.median, one.p75, one.p95, one.largest)
        )
        axes.plot([p5, p95], [k, k], color=MIDDLE, linewidth=1.2)
        axes.barh(k, max(p75 - p25, 1e-9), left=p25, height=0.56, color=MEASURED, edgecolor=MIDDLE, linewidth=0.9)
        axes.plot([median] * 2, [k - 0.28, k + 0.28], color=INK, linewidth=1.8)
        axes.plot(largest, k, ".", color=NOT_CONVERGED, markersize=5)
    axes.set_yticks(range(len(worst)), [one.name for one in worst])
    axes.set(ylim=(max(len(worst), 3) - 0.4, -0.6), xlabel=label)
    axes.set_xlim(0.0, max(0.1, 1.08e3 * max((one.largest for one in worst), default=0.0)))
    axes.xaxis.set_major_locator(MaxNLocator(5))
    if not worst:
        _nothing(axes)
    axes.grid(axis="x", color=HAIR, linewidth=0.5)
    axes.set_axisbelow(True)
    quiet(axes, PAPER, grid="")
    axes.tick_params(axis="y", length=0)
    rest = len(ranked) - len(worst)
    _title(axes, title, f"{rest} others below" if rest > 0 else "")
