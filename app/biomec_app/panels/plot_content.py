"""What stands in every plot, without drawing it: which curves share one, over time or over the cycle, and its marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.analysis.angle_ranges import CYCLES_OF
from biomec.arrays import FloatArray
from biomec.pipeline.analysis import Analysis
from biomec.recording import Event
from biomec.recording.marker_set import Side
from biomec.signals.cycle_average import CycleCurves, resample_cycles
from biomec.signals.cycles import Cycles
from biomec.signals.stretches import stretches
from biomec_app.panels.curve import MAIN, Curve
from biomec_app.panels.plot_view import CYCLES, MEAN, SEPARATE, SIDES, TIME, PlotView

RIGHT, LEFT, MIDDLE = "right", "left", "middle"
BORDER, TURN, STRIKE, OFF, EVENT = "border", "turn", "strike", "off", "event"
MARGIN = 0.06  # of the height, above and below the curves


@dataclass(frozen=True, eq=False)
class Trace:
    """One line of a plot.

    colour : `RIGHT`, `LEFT`, `MIDDLE`, or the number of a colour of the palette
    dashed, faint : how it differs from others of its colour; faint lies behind
    x, y   : the line, NaN where it is broken; its steps of x are equal
    sd     : standard deviation beside it, or None
    singles : (K, N) single cycles, or None
    cycles : what x counts percents of, or None over time
    """

    curve: Curve
    name: str
    colour: str | int
    x: FloatArray
    y: FloatArray
    dashed: bool = False
    faint: bool = False
    sd: FloatArray | None = None
    singles: FloatArray | None = None
    cycles: Cycles | None = None

    def at(self, x: float) -> float:
        """Value of the sample nearest to x; NaN beyond the ends."""
        if len(self.x) < 2:
            return float("nan")
        first, last = float(self.x[0]), float(self.x[-1])
        k = round((x - first) * (len(self.x) - 1) / (last - first))
        return float(self.y[k]) if 0 <= k < len(self.y) else float("nan")

    @property
    def extent(self) -> tuple[float, float] | None:
        """Lowest and highest value that is drawn; None if there is none."""
        spread = 0.0 if self.sd is None else np.nan_to_num(self.sd)
        parts = [self.y - spread, self.y + spread]
        if self.singles is not None:
            parts.append(self.singles.ravel())
        values = np.concatenate(parts)
        values = values[np.isfinite(values)]
        return (float(values.min()), float(values.max())) if values.size else None


@dataclass(frozen=True)
class Mark:
    """A vertical line: `BORDER` of a cycle, `TURN` of its phase, or an event; colour as that of traces."""

    x: float
    kind: str
    colour: str
    label: str = ""


@dataclass(frozen=True, eq=False)
class Pane:
    """One plot.

    span   : first and last x
    shade  : (S, 2) stretches of x whose frames do not obey the model
    rate_hz : frames a second
    """

    title: str
    detail: str
    unit: str
    traces: tuple[Trace, ...]
    marks: tuple[Mark, ...]
    shade: FloatArray
    span: tuple[float, float]
    over: str
    rate_hz: float
    log: bool = False

    @property
    def x_label(self) -> str:
        """What x counts."""
        return "time [s]" if self.over == TIME else "cycle [%]"

    @property
    def extent(self) -> tuple[float, float]:
        """Lowest and highest value of the axis, with a margin, and at least as high as the curves ask for."""
        extents = [extent for trace in self.traces if (extent := trace.extent) is not None]
        if not extents:
            return (1e-3, 1.0) if self.log else (-1.0, 1.0)
        low, high = min(one[0] for one in extents), max(one[1] for one in extents)
        if self.log:
            low, high = np.log10(max(low, 1e-300)), np.log10(max(high, 1e-300))
            pad = max(0.5, MARGIN * (high - low))
            return float(10.0 ** (low - pad)), float(10.0 ** (high + pad))
        least = max((trace.curve.least for trace in self.traces), default=0.0)
        half = max(0.5 * least, (0.5 + MARGIN) * (high - low))
        half = half or max(1e-12, 0.1 * abs(high)) or 1.0
        return 0.5 * (low + high) - half, 0.5 * (low + high) + half

    def x_of(self, frame: int) -> float | None:
        """Where a frame is; None if it lies in none of the cycles."""
        if self.over == TIME:
            return frame / self.rate_hz
        span = self._cycle(frame)
        return None if span is None else 100.0 * (frame - span[0]) / (span[1] - span[0])

    def frame_of(self, x: float, frame: int) -> int:
        """Frame at x; over the cycle it is in the cycle of ``frame``, or in the first one."""
        if self.over == TIME:
            return round(x * self.rate_hz)
        span = self._cycle(frame)
        if span is None:
            cycles = self._cycles
            if cycles is None or not len(cycles):
                return frame
            span = (int(cycles.spans[0, 0]), int(cycles.spans[0, 1]))
        return round(span[0] + 0.01 * x * (span[1] - span[0]))

    @property
    def _cycles(self) -> Cycles | None:
        return next((trace.cycles for trace in self.traces if trace.cycles is not None), None)

    def _cycle(self, frame: int) -> tuple[int, int] | None:
        borders = () if self._cycles is None else self._cycles.borders
        k = int(np.searchsorted(borders, frame, side="right")) - 1
        if k == len(borders) - 1 and k > 0 and borders[k] == frame:
            k -= 1  # the last frame of the last cycle
        return (borders[k], borders[k + 1]) if 0 <= k < len(borders) - 1 else None


def panes(curves: Sequence[Curve], view: PlotView, analysis: Analysis) -> tuple[Pane, ...]:
    """Plots of these curves, in their order. Curves without a valid cycle are left out of plots over the cycle."""
    groups: dict[object, list[Curve]] = {}
    for k, curve in enumerate(curves):
        key: object = k if view.grouping == SEPARATE else curve.pane if view.grouping == SIDES else curve.unit
        groups.setdefault((key, curve.log), []).append(curve)
    made = (_pane(group, view, analysis) for group in groups.values())
    return tuple(pane for pane in made if pane is not None)


def _pane(curves: Sequence[Curve], view: PlotView, analysis: Analysis) -> Pane | None:
    styled = _styles(curves, view)
    found = [_trace(curve, view, analysis, *style) for curve, style in zip(curves, styled, strict=True)]
    traces = tuple(sorted((one for one in found if one is not None), key=lambda one: not one.faint))
    if not traces:
        return None
    trial = analysis.session.dynamic
    title, detail, unit = curves[0].pane
    if len({curve.pane for curve in curves}) > 1:
        kinds = list(dict.fromkeys(curve.kind for curve in curves))
        title, detail = ", ".join(kinds), f"{len(curves)} curves"
    over_time = view.over == TIME
    span = (0.0, max(1e-3, (trial.frames - 1) / trial.rate_hz)) if over_time else (0.0, 100.0)
    return Pane(
        title, detail, unit, traces, marks(curves, traces, view, analysis),
        not_converged(analysis) if over_time else np.zeros((0, 2)), span, view.over, trial.rate_hz, curves[0].log,
    )  # fmt: skip


def _styles(curves: Sequence[Curve], view: PlotView) -> list[tuple[str, str | int, bool, bool]]:
    """Name, colour, dashed and faint of every curve of a plot.

    Sides have their colours as long as they tell the curves apart. Otherwise every signal has a colour of its own, and
    the left side is dashed.
    """
    apart = len({(curve.side, curve.variant) for curve in curves}) == len(curves)
    versions = len({curve.variant for curve in curves}) > 1
    styles: list[tuple[str, str | int, bool, bool]] = []
    if apart:
        for curve in curves:
            side = "" if curve.side is None else curve.side.value
            words = [side, curve.said or curve.variant if versions else ""]
            name = " ".join(word for word in words if word)
            styles.append((name, _side_colour(curve.side), False, versions and curve.variant != MAIN))
        return styles
    signals = list(dict.fromkeys((curve.pane, curve.kind if view.grouping == SIDES else "") for curve in curves))
    kinds = len({curve.kind for curve in curves}) > 1
    for curve in curves:
        k = signals.index((curve.pane, curve.kind if view.grouping == SIDES else ""))
        name = f"{curve.label} ({curve.kind.lower()})" if kinds else curve.label
        styles.append((name, k, curve.side is Side.LEFT, curve.variant != MAIN and not kinds))
    return styles


def _side_colour(side: Side | None) -> str:
    return MIDDLE if side is None else side.value


def _trace(
    curve: Curve, view: PlotView, analysis: Analysis, name: str, colour: str | int, dashed: bool, faint: bool
) -> Trace | None:
    if view.over == TIME:
        return Trace(curve, name, colour, curve.time_s, curve.values, dashed, faint)
    found = cycles_of(curve, analysis)
    if found is None:
        return None
    cycles, resampled = found
    several = len(resampled.numbers) > 1
    return Trace(
        curve, name, colour, resampled.percent, resampled.mean, dashed, faint,
        sd=resampled.sd if view.over == MEAN and several else None,
        singles=resampled.curves if view.over == CYCLES and several else None, cycles=cycles,
    )  # fmt: skip


def cycles_of(curve: Curve, analysis: Analysis) -> tuple[Cycles, CycleCurves] | None:
    """Valid cycles of a curve: those of its own side, or those of both; None if there are none."""
    if "cycles" not in analysis.done:
        return None
    for name in CYCLES_OF[curve.side]:
        cycles = analysis.repetitions.cycles.get(name)
        if cycles is None or not cycles.valid.any():
            continue
        time = curve.time_s
        same = len(time) == cycles.frames
        rate = None if same else (len(time) - 1) / float(time[-1] - time[0])
        resampled = resample_cycles(cycles, curve.values, rate_hz=rate, start_s=0.0 if same else float(time[0]))
        if len(resampled.numbers):
            return cycles, resampled
    return None


def not_converged(analysis: Analysis) -> FloatArray:
    """Stretches (S, 2) of time whose frames do not obey the model [s]."""
    if "consistency" not in analysis.done:
        return np.zeros((0, 2))
    rate = analysis.session.dynamic.rate_hz
    return np.asarray((stretches(~analysis.positions.valid) - 0.5) / rate)


def marks(curves: Sequence[Curve], traces: Sequence[Trace], view: PlotView, analysis: Analysis) -> tuple[Mark, ...]:
    """Lines across a plot: borders of cycles, changes of phase, events; each of the sides that the plot shows."""
    found: list[Mark] = []
    if view.over != TIME:
        if view.cycles:
            for side in dict.fromkeys(trace.curve.side for trace in traces):
                cycles = next(trace.cycles for trace in traces if trace.curve.side is side)
                turn = cycles.phase_changes_percent[cycles.valid] if cycles is not None else np.zeros(0)
                if np.isfinite(turn).any():
                    found.append(Mark(float(np.nanmean(turn)), TURN, _side_colour(side), "phase change"))
        return tuple(dict.fromkeys(found))
    shown = {curve.side for curve in curves}
    by_events = False
    if view.cycles and "cycles" in analysis.done:
        by_events = analysis.repetitions.by == "events"
        for name, cycles in analysis.repetitions.cycles.items():
            if not _concerns(name, shown):
                continue
            colour = {"Right": RIGHT, "Left": LEFT}.get(name, MIDDLE)
            found += [Mark(b / cycles.rate_hz, BORDER, colour, "cycle") for b in cycles.borders if len(cycles)]
            turns = cycles.phase_changes
            found += [Mark(float(f) / cycles.rate_hz, TURN, colour, "phase change") for f in turns if np.isfinite(f)]
    if view.events:
        for event in events(analysis):
            kind = {"Foot Strike": STRIKE, "Foot Off": OFF}.get(event.label, EVENT)
            if not _concerns(event.context, shown) or (by_events and kind != EVENT):
                continue
            colour = {"Right": RIGHT, "Left": LEFT}.get(event.context, MIDDLE)
            found.append(Mark(event.time_s, kind, colour, event.label))
    return tuple(found)


def events(analysis: Analysis) -> tuple[Event, ...]:
    """Events of the analysis, or those of the file as long as there is none."""
    if "signals" in analysis.done:
        return tuple(analysis.clean.events.events)
    return analysis.session.dynamic.events


def _concerns(name: str, shown: set[Side | None]) -> bool:
    """Whether cycles or events of that name belong to a plot with curves of these sides."""
    sides = {"Right": Side.RIGHT, "Left": Side.LEFT}
    return name not in sides or not shown - {None} or sides[name] in shown
