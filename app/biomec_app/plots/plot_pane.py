"""One plot as plain data: its lines, its marks, and the way between moments and places. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.reporting.statistics.cycle_statistics import SignalCycles
from biomec.signals.cycles import Cycles
from biomec_app.curves.curve import Curve, sound_and_doubtful
from biomec_app.kit.words import FROM_START
from biomec_app.session.plot_view import TIME

RIGHT, LEFT, MIDDLE = "right", "left", "middle"
CONDITIONS = ("first condition", "second condition", "third condition", "fourth condition")
"""Colours of recordings that are compared: the open one first."""
BORDER, TURN, STRIKE, OFF, EVENT = "border", "turn", "strike", "off", "event"
MARGIN = 0.06  # of the height, above and below the curves


@dataclass(frozen=True, eq=False)
class Trace:
    """One line of a plot.

    colour : `RIGHT`, `LEFT`, `MIDDLE`, one of `CONDITIONS`, or the number of a signal, which has a colour of its own
    dashed : number of its pattern of dashes; 0 for a whole line
    faint  : what another line was made from; it lies behind
    x, y   : the line, NaN where it is broken
    sd     : standard deviation beside it, or None
    singles : (K, N) single cycles, or None
    over   : the cycles that x counts percents of, or None over time
    """

    curve: Curve
    name: str
    colour: str | int
    x: FloatArray
    y: FloatArray
    dashed: int = 0
    faint: bool = False
    sd: FloatArray | None = None
    singles: FloatArray | None = None
    over: SignalCycles | None = None

    @property
    def cycles(self) -> Cycles | None:
        """What x counts percents of, or None over time."""
        return None if self.over is None else self.over.cycles

    @property
    def sound_and_doubtful(self) -> tuple[FloatArray, FloatArray | None]:
        """The line where it can be relied on, and the rest of it; None where there is none, as over the cycle."""
        return sound_and_doubtful(self.y, None if self.over is not None else self.curve.usable)

    def at(self, x: float) -> float:
        """Value of the sample nearest to x, whose steps are equal; NaN beyond the ends."""
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


@dataclass(frozen=True, eq=False)
class NormBand:
    """A norm behind the curves of a plot: mean and standard deviation (101,) at 0 to 100 %, in the plot's own sign.

    name : of the set, with its people, for the legend
    """

    name: str
    percent: FloatArray
    mean: FloatArray
    sd: FloatArray

    @property
    def edges(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper edge, mean ∓ SD."""
        return self.mean - self.sd, self.mean + self.sd


@dataclass(frozen=True)
class Mark:
    """A vertical line: `BORDER` of a cycle, `TURN` of its phase, or an event; colour as that of traces."""

    x: float
    kind: str
    colour: str
    label: str = ""


@dataclass(frozen=True, eq=False)
class Pane:
    """One plot of a recording, whose moments are its frames; plots of other things write other methods.

    span   : first and last x
    shade  : (S, 2) stretches of x whose frames do not obey the model
    rate_hz : frames a second
    norm    : what stands behind the curves, or None
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
    norm: NormBand | None = None

    @property
    def x_label(self) -> str:
        """What x counts."""
        return f"time {FROM_START} [s]" if self.over == TIME else "cycle [%]"

    @property
    def shortest(self) -> float:
        """Shortest stretch of x that can be looked at."""
        return 4.0 / self.rate_hz if self.over == TIME else 2.0

    def x_words(self, x: float) -> str:
        """Place of a sample in words."""
        return f"{x:.3f} s" if self.over == TIME else f"{x:.0f} %"

    @cached_property
    def extent(self) -> tuple[float, float]:
        """Lowest and highest value of the axis, with a margin, and at least as high as the curves ask for."""
        extents = [extent for trace in self.traces if (extent := trace.extent) is not None]
        if not extents:
            return (1e-3, 1.0) if self.log else (-1.0, 1.0)
        if self.norm is not None:
            lower, upper = self.norm.edges
            extents.append((float(lower.min()), float(upper.max())))
        low, high = min(one[0] for one in extents), max(one[1] for one in extents)
        if self.log:
            low, high = np.log10(max(low, 1e-300)), np.log10(max(high, 1e-300))
            pad = max(0.5, MARGIN * (high - low))
            return float(10.0 ** (low - pad)), float(10.0 ** (high + pad))
        least = max((trace.curve.least for trace in self.traces), default=0.0)
        half = max(0.5 * least, (0.5 + MARGIN) * (high - low))
        half = half or max(1e-12, 0.1 * abs(high)) or 1.0
        return 0.5 * (low + high) - half, 0.5 * (low + high) + half

    @cached_property
    def digits(self) -> int:
        """Digits behind the point that the axis can show; none for counts."""
        if self.log or all(_is_whole(trace.y) for trace in self.traces):
            return 0
        low, high = self.extent
        return int(np.clip(2 - np.floor(np.log10(high - low)), 0, 4))

    def number(self, value: float) -> str:
        """Value with as many digits as the axis can show."""
        if not np.isfinite(value):
            return "–"
        if self.log:
            return f"{value:.1e}"
        return f"{value:.{self.digits}f}".replace("-", "−")

    @property
    def listed(self) -> tuple[Trace, ...]:
        """Lines that the heading names, with the values at the cursor."""
        return self.traces

    @property
    def longest_numbers(self) -> tuple[str, ...]:
        """Numbers for which the heading needs room."""
        return tuple(self.number(value) for value in self.extent)

    def values(self, moment: float) -> list[str]:
        """What the heading says of every line that it lists, at a moment."""
        x = self.x_of(moment)
        return [""] * len(self.traces) if x is None else [self.number(trace.at(x)) for trace in self.traces]

    def spots(self, moment: float) -> list[tuple[float, float, Trace]]:
        """Points of the lines at a moment, where a cursor across the plot cannot show it."""
        return []

    def x_of(self, moment: float) -> float | None:
        """Where a frame is; None if it lies in none of the cycles."""
        if self.over == TIME:
            return moment / self.rate_hz
        span = self._cycle(moment)
        return None if span is None else 100.0 * (moment - span[0]) / (span[1] - span[0])

    def moment_of(self, x: float, moment: float) -> float:
        """Frame at x; over the cycle it is in the cycle of ``moment``, or in the first one."""
        if self.over == TIME:
            return round(x * self.rate_hz)
        span = self._cycle(moment)
        if span is None:
            cycles = self._cycles
            if cycles is None or not len(cycles):
                return moment
            span = (int(cycles.spans[0, 0]), int(cycles.spans[0, 1]))
        return round(span[0] + 0.01 * x * (span[1] - span[0]))

    @property
    def _cycles(self) -> Cycles | None:
        own = (trace for trace in self.traces if trace.colour not in CONDITIONS[1:])
        return next((trace.cycles for trace in own if trace.cycles is not None), None)

    def _cycle(self, frame: float) -> tuple[int, int] | None:
        borders = () if self._cycles is None else self._cycles.borders
        k = int(np.searchsorted(borders, frame, side="right")) - 1
        if k == len(borders) - 1 and k > 0 and borders[k] == frame:
            k -= 1  # the last frame of the last cycle
        return (borders[k], borders[k + 1]) if 0 <= k < len(borders) - 1 else None


def _is_whole(values: FloatArray) -> bool:
    """Whether all samples are whole numbers, such as counts."""
    there = values[np.isfinite(values)]
    return bool(there.size) and bool((there == np.round(there)).all())
