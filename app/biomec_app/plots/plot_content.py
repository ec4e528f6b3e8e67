"""What stands in every plot, without drawing it: which curves share one, over time or over the cycle, and its marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_cycles import cycles_of_joint
from biomec.pipeline.settings import EVENTS
from biomec.recording.marker_set import Side
from biomec.reporting.norms.norm import GRID, NormSet
from biomec.reporting.statistics.angle_ranges import cycle_sides
from biomec.reporting.statistics.cycle_statistics import SignalCycles, signal_cycles
from biomec_app.curves.curve import MAIN, Curve
from biomec_app.kit.colours import COLOURS
from biomec_app.plots.plot_marks import marks, not_converged, side_colour
from biomec_app.plots.plot_pane import CONDITIONS, MIDDLE, NormBand, Pane, Trace
from biomec_app.session.plot_view import CYCLES, MEAN, SEPARATE, SIDES, TIME, PlotView


class ComparedRecording(Protocol):
    """A recording that the open one is compared with."""

    @property
    def name(self) -> str:
        """What the legend calls it."""

    @property
    def analysis(self) -> Analysis:
        """Its analysis."""

    def curve(self, key: str) -> Curve | None:
        """The same curve of that recording, or None."""


@dataclass(frozen=True)
class Look:
    """How a line looks: fields of `Trace`."""

    name: str
    colour: str | int
    dashed: int = 0
    faint: bool = False


def panes(
    curves: Sequence[Curve],
    view: PlotView,
    analysis: Analysis,
    conditions: Sequence[ComparedRecording] = (),
    own: str = "",
    norm: NormSet | None = None,
) -> tuple[Pane, ...]:
    """Plots of these curves, in their order. Curves without a valid cycle are left out of plots over the cycle."""
    return tuple(pane for pane in panes_one_by_one(curves, view, analysis, conditions, own, norm) if pane)


def panes_one_by_one(
    curves: Sequence[Curve],
    view: PlotView,
    analysis: Analysis,
    conditions: Sequence[ComparedRecording] = (),
    own: str = "",
    norm: NormSet | None = None,
) -> Iterator[Pane | None]:
    """Make the plots as they are asked for; None where there is nothing to plot.

    conditions : recordings whose cycles are drawn beside; the colours are theirs then, and each side has its own plot
    own        : what the legend calls the open recording beside them
    norm       : stands behind the curves of a walk that it has, over the cycle
    """
    if conditions and view.over != TIME:
        for curve in dict.fromkeys(curve for curve in curves if curve.variant == MAIN):
            for side in _sides(curve, view, analysis):
                yield _with_norm(_compared(curve, side, view, analysis, conditions, own), norm, analysis)
        return
    groups: dict[object, list[Curve]] = {}
    for k, curve in enumerate(curves):
        key: object = k if view.grouping == SEPARATE else curve.pane if view.grouping == SIDES else curve.unit
        groups.setdefault((key, curve.log), []).append(curve)
    for group in groups.values():
        yield _with_norm(_pane(group, view, analysis), norm, analysis)


def walks(analysis: Analysis) -> bool:
    """Whether cycles run from foot contact to foot contact, as those of norms do."""
    return "cycles" in analysis.done and analysis.cycles.by == EVENTS


def _with_norm(pane: Pane | None, norm: NormSet | None, analysis: Analysis) -> Pane | None:
    """The plot with the norm behind it, if all its curves are the clinical curve that the norm is of."""
    if pane is None or norm is None or pane.over == TIME or not walks(analysis):
        return pane
    clinical = {trace.curve.clinical for trace in pane.traces}
    found = clinical.pop() if len(clinical) == 1 else None
    band = None if found is None else norm.band(found[0])
    if found is None or band is None:
        return pane
    factor, name = found[1], f"norm, mean ± SD: {norm.about.title} ({norm.about.people})"
    return replace(pane, norm=NormBand(name, GRID, factor * band.mean, abs(factor) * band.sd))


def _pane(curves: Sequence[Curve], view: PlotView, analysis: Analysis) -> Pane | None:
    looks = [
        replace(look, name=f"{look.name}: {words}" if words and look.name else look.name or words)
        for look, words in zip(_looks(curves, view), differences(curves), strict=True)
    ]
    found = [
        _trace(curve, view, analysis, _of_cycles(look, curve, side), side)
        for curve, look in zip(curves, looks, strict=True)
        for side in _sides(curve, view, analysis)
    ]
    traces = tuple(sorted((one for one in found if one is not None), key=lambda one: not one.faint))
    title, detail, unit = curves[0].pane
    if len({curve.pane for curve in curves}) > 1:
        kinds = list(dict.fromkeys(curve.kind for curve in curves))
        title, detail = ", ".join(kinds), f"{len(curves)} curves"
    return _filled(title, detail, unit, traces, curves, view, analysis)


def _compared(
    curve: Curve, side: Side | None, view: PlotView, analysis: Analysis, conditions: Sequence[ComparedRecording],
    own: str,
) -> Pane | None:  # fmt: skip
    """The cycle of one curve in every condition; ``side``: whose cycles."""
    found = [_trace(curve, view, analysis, Look(own, CONDITIONS[0]), side)]
    for condition, colour in zip(conditions, CONDITIONS[1:], strict=False):
        other = condition.curve(curve.key)
        if other is not None:
            found.append(_trace(other, view, condition.analysis, Look(condition.name, colour), side))
    title, detail, unit = curve.pane
    whose = "" if side is None else f", {side.value}" if curve.side is not None else f", {side.value} cycles"
    traces = tuple(one for one in found if one is not None)
    return _filled(title + whose, detail, unit, traces, (curve,), view, analysis)


def _filled(
    title: str, detail: str, unit: str, traces: tuple[Trace, ...], curves: Sequence[Curve], view: PlotView,
    analysis: Analysis,
) -> Pane | None:  # fmt: skip
    if not traces:
        return None
    trial = analysis.session.dynamic
    over_time = view.over == TIME
    span = (0.0, max(1e-3, (trial.frames - 1) / trial.rate_hz)) if over_time else (0.0, 100.0)
    return Pane(
        title, detail, unit, traces, marks(curves, traces, view, analysis),
        not_converged(analysis) if over_time else np.zeros((0, 2)), span, view.over, trial.rate_hz, curves[0].log,
    )  # fmt: skip


def _looks(curves: Sequence[Curve], view: PlotView) -> list[Look]:
    """Look of every curve of a plot.

    Sides have their colours as long as they tell the curves apart. Otherwise every signal has a colour of its own, and
    the left side is dashed; when the colours come again, so do other dashes.
    """
    apart = len({(curve.side, curve.variant) for curve in curves}) == len(curves)
    versions = len({curve.variant for curve in curves}) > 1
    looks: list[Look] = []
    if apart:
        for curve in curves:
            side = "" if curve.side is None else curve.side.value
            words = [side, curve.said or curve.variant if versions else ""]
            name = " ".join(word for word in words if word)
            faint = versions and curve.variant != MAIN and not curve.dashed
            looks.append(Look(name, side_colour(curve.side), curve.dashed, faint))
        return looks
    signals = list(dict.fromkeys((curve.pane, curve.kind if view.grouping == SIDES else "") for curve in curves))
    kinds = len({curve.kind for curve in curves}) > 1
    for curve in curves:
        k = signals.index((curve.pane, curve.kind if view.grouping == SIDES else ""))
        name = f"{curve.label} ({curve.kind.lower()})" if kinds else curve.label
        faint = curve.variant != MAIN and not kinds and not curve.dashed
        dashed = 2 * (k // COLOURS) + bool(curve.side is Side.LEFT or curve.dashed)
        looks.append(Look(name, k, dashed, faint))
    return looks


def differences(curves: Sequence[Curve]) -> list[str]:
    """How far every curve of a plot is, RMS, from the one that it is compared with: "0.02°"; empty for the others.

    Compared are curves of one side, over the frames that both have and count; angles modulo whole turns.
    """
    phrases = []
    for curve in curves:
        alike = [one for one in curves if one.compared and one.side is curve.side and one.pane == curve.pane]
        reference = min(alike, key=lambda one: one.compared, default=curve)
        if not curve.compared or reference.compared == curve.compared or len(reference.values) != len(curve.values):
            phrases.append("")
            continue
        apart = curve.values - reference.values
        if curve.unit == "°":
            apart = (apart + 180.0) % 360.0 - 180.0
        known = apart[np.isfinite(apart) & curve.counts & reference.counts]
        size = f"{np.sqrt(np.mean(known**2)):.{3 if 'N·m' in curve.unit else 2}f}" if known.size else "–"
        phrases.append(f"RMS {size}{'°' if curve.unit == '°' else ''}")  # longer units stand in the heading
    return phrases


def _sides(curve: Curve, view: PlotView, analysis: Analysis) -> tuple[Side | None, ...]:
    """Sides whose cycles a curve is drawn over: its own; one of the midline is drawn once for each side."""
    if view.over == TIME or "cycles" not in analysis.done:
        return (curve.side,)
    return cycle_sides(analysis.cycles.groups, curve.side)


def _of_cycles(look: Look, curve: Curve, side: Side | None) -> Look:
    """Look of a curve of the midline over the cycles of a side: in the side's colour, or dashed for the left one."""
    if curve.side is side or side is None:
        return look
    name = f"{look.name}, {side.value} cycles" if look.name else f"{side.value} cycles"
    if look.colour == MIDDLE:
        return replace(look, name=name, colour=side_colour(side))
    return replace(look, name=name, dashed=look.dashed or side is Side.LEFT)


def _trace(curve: Curve, view: PlotView, analysis: Analysis, look: Look, side: Side | None) -> Trace | None:
    if view.over == TIME:
        x, y = curve.time_s, curve.values
        return Trace(curve, look.name, look.colour, x, y, look.dashed, look.faint, sd=curve.band())
    found = cycles_of(curve, analysis, side)
    if found is None:
        return None
    cycle = found.curves
    several = found.used > 1
    return Trace(
        curve, look.name, look.colour, cycle.percent, cycle.mean, look.dashed, look.faint,
        sd=cycle.sd if view.over == MEAN and several else None,
        singles=cycle.curves if view.over == CYCLES and several else None, over=found,
    )  # fmt: skip


def cycles_of(curve: Curve, analysis: Analysis, side: Side | None) -> SignalCycles | None:
    """A curve over the valid cycles of a side, or over those of both; None if there are none."""
    if "cycles" not in analysis.done:
        return None
    groups = cycles_of_joint(analysis, curve.joint) if curve.joint else analysis.cycles.groups
    return signal_cycles(groups, side, curve.time_s, curve.values, analysis.settings.cycles.points)


def cycles_in_words(panes: Sequence[Pane]) -> str:
    """How many cycles are behind the curves of these plots: of all, or of each side or condition."""
    counts: dict[str, dict[str, None]] = {}
    for trace in (trace for pane in panes for trace in pane.traces):
        if trace.over is not None:
            side = "" if trace.over.name == "both" else trace.over.name.lower()
            whose = trace.name if trace.colour in CONDITIONS else ""
            counts.setdefault(" ".join(word for word in (whose, side) if word), {})[trace.over.words] = None
    if len({tuple(words) for words in counts.values()}) == 1:
        return " or ".join(next(iter(counts.values())))
    return "; ".join(f"{whose} {' or '.join(words)}".strip() for whose, words in counts.items())
