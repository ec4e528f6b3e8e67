"""What the results of runs are: panes of curves, and a table of figures with differences. Without Qt."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.plain_text import table
from biomec.machines.output import number_text
from biomec.machines.study import Run, StudyCurve
from biomec_app.curves.curve import Curve
from biomec_app.plots.plot_pane import MARGIN, Pane, Trace
from biomec_app.session.plot_view import TIME

UNITS = {
    "Nm": "N·m", "N": "N", "Ns": "N·s", "s": "s", "ms": "ms", "m": "m", "mm": "mm", "deg": "deg", "rad": "rad",
    "J": "J", "W": "W", "kg": "kg", "Hz": "Hz", "percent": "%", "Nms": "N·m·s", "mps": "m/s",
}  # fmt: skip
RATES = {"m_s": "m/s", "m_s2": "m/s²", "deg_s": "deg/s", "rad_s": "rad/s", "N_m": "N/m"}
DIFFERENCE = "Δ {}"
ROUND_OFF = 1e-12  # of what is usual in a pane, or of its largest value at that moment: so little is nothing
NOISE = 1e-9  # of a curve's largest value: less is not drawn as motion
CLOSEST = 1e-4  # of all x, at the least that a zoom shows
MOST = 12  # names in a heading; more would not fit above a plot
SAMPLES = 50  # of a curve, whose numbers a heading has room for
BESIDE = " | "  # between the values of runs
TIME_LABEL = "time [s]"


@dataclass(frozen=True, eq=False)
class RunPane(Pane):
    """Curves of runs that share axes: one group, one unit. Colours tell quantities apart, dashes runs.

    Its moments are times [s].

    over : `TIME`, or the quantity that the curves are plotted over, with its unit
    """

    @property
    def key(self) -> str:
        """What it is known by when other runs come."""
        return f"{self.title} [{self.unit}]" if self.unit else self.title

    @property
    def x_label(self) -> str:
        """What x counts."""
        return TIME_LABEL if self.over == TIME else self.over

    @property
    def shortest(self) -> float:
        """Shortest stretch of x that can be looked at."""
        return CLOSEST * (self.span[1] - self.span[0])

    @property
    def listed(self) -> tuple[Trace, ...]:
        """The first line of every quantity, unless there are too many to be named."""
        found = {trace.name: trace for trace in reversed(self.traces)}
        return tuple(found[name] for name in self._names) if len(found) <= MOST else ()

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(trace.name for trace in self.traces))

    @cached_property
    def _usual(self) -> float:
        """Median of the sizes of all values: peaks near singular positions know no bounds."""
        return _size(np.concatenate([np.zeros(0), *(trace.y for trace in self.traces)]), np.median)

    def number(self, value: float) -> str:
        """Value with four digits."""
        return f"{value:.4g}".replace("-", "−") if math.isfinite(value) else "–"

    @property
    def longest_numbers(self) -> tuple[str, ...]:
        """Numbers for which the heading needs room: one for every run."""
        some = [self.number(y) for trace in self.traces for y in trace.y[:: 1 + len(trace.y) // SAMPLES]]
        runs = len({trace.dashed for trace in self.traces})
        return (BESIDE.join([max(some, key=len, default="")] * runs),)

    def values(self, moment: float) -> list[str]:
        """Values of every quantity at a time, one for every run that has it. Round-off is written as 0."""
        now = np.array([place(trace, moment)[1] for trace in self.traces])
        size = max(_size(now, np.max), self._usual)
        found: dict[str, list[str]] = {trace.name: [] for trace in self.listed}
        for trace, value in zip(self.traces, now, strict=True):
            if found:
                found[trace.name].append(self.number(0.0 if abs(value) < ROUND_OFF * size else value))
        return [BESIDE.join(values) for values in found.values()]

    def spots(self, moment: float) -> list[tuple[float, float, Trace]]:
        """Points of the curves at a time, where they are not plotted over it."""
        if self.over == TIME:
            return []
        places = [(*place(trace, moment), trace) for trace in self.traces]
        return [(x, y, trace) for x, y, trace in places if math.isfinite(x) and math.isfinite(y)]

    def x_of(self, moment: float) -> float | None:
        """Where a time is; None over another quantity."""
        return moment if self.over == TIME else None

    def moment_of(self, x: float, moment: float) -> float:
        """Time at x; over another quantity it stays as it is."""
        return min(max(x, self.span[0]), self.span[1]) if self.over == TIME else moment


def place(trace: Trace, time_s: float) -> tuple[float, float]:
    """Point of a curve at the moment nearest to a time; NaN outside."""
    times = trace.curve.time_s
    if not len(times) or not times[0] - 1e-9 <= time_s <= times[-1] + 1e-9:
        return math.nan, math.nan
    moment = int(abs(times - time_s).argmin())
    return float(trace.x[moment]), float(trace.y[moment])


def quantities(runs: Mapping[str, Run]) -> dict[str, str]:
    """``group: name`` of everything that curves can be plotted over -> with its unit, for an axis."""
    found: dict[str, str] = {}
    for run in runs.values():
        for one in run.curves:
            found.setdefault(f"{one.group}: {one.name}", f"{one.group}: {one.name} [{one.unit}]")
    return found


def panes(runs: Mapping[str, Run], over: str = "") -> tuple[RunPane, ...]:
    """Panes of runs by their names; the same quantity of several runs lies in one pane.

    over : ``group: name`` of the curve that they are plotted over; empty for time. Runs without it are left out.
    """
    found: dict[tuple[str, str], list[Trace]] = {}
    colours: dict[tuple[str, str], dict[str, int]] = {}
    for number, (run_name, run) in enumerate(runs.items()):
        abscissa = {f"{one.group}: {one.name}": one.values for one in run.curves}.get(over) if over else run.time_s
        if abscissa is None:
            continue
        for one in run.curves:
            key = one.group, one.unit
            numbers = colours.setdefault(key, {})
            colour = numbers.setdefault(one.name, len(numbers))
            n = min(len(run.time_s), len(one.values), len(abscissa))
            curve = _curve(one, run_name, number, run.time_s[:n])
            trace = Trace(curve, one.name, colour, abscissa[:n], curve.values, number)
            found.setdefault(key, []).append(trace)
    span = _span([trace for traces in found.values() for trace in traces], margin=MARGIN if over else 0.0)
    words = quantities(runs).get(over, TIME)
    return tuple(
        RunPane(
            group, "" if len(colours[group, unit]) > 1 else traces[0].name, unit, tuple(traces), (),
            np.zeros((0, 2)), span, words, 1.0,
        )
        for (group, unit), traces in found.items()
    )  # fmt: skip


def _curve(one: StudyCurve, run: str, number: int, time_s: FloatArray) -> Curve:
    values = one.values[: len(time_s)]
    return Curve(
        f"{run}/{one.group}/{one.name}", one.group, one.group, None, one.name, f"{one.group}: {one.name}, {run}",
        one.unit, lambda: (time_s, values), least=NOISE * _size(values, np.max), said=run, dashed=number,
    )  # fmt: skip


def _span(traces: Sequence[Trace], margin: float) -> tuple[float, float]:
    """First and last x of all lines, and a share of their distance more at either end."""
    x = np.concatenate([np.zeros(0), *(trace.x for trace in traces)])
    x = x[np.isfinite(x)]
    if not len(x):
        return 0.0, 1.0
    low, high = float(x.min()), float(x.max())
    more = margin * (high - low) if high > low else 0.5 * max(1e-9, abs(low))
    return low - more, high + more


def _size(values: FloatArray, which: Callable[[FloatArray], float]) -> float:
    """The largest, or the median, of the sizes of those values (k,) that are numbers; 0 if none is."""
    sizes = np.abs(values[np.isfinite(values)])
    return float(which(sizes)) if len(sizes) else 0.0


@dataclass(frozen=True)
class FigureTable:
    """Headline figures of runs side by side.

    columns : of the runs, then of the differences to the first one
    rows    : (key, words, unit, cells)
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, str, str, tuple[str, ...]], ...]

    def text(self, separator: str = "\t") -> str:
        """The table for a clipboard or a file."""
        rows = [[words, unit, *cells] for _, words, unit, cells in self.rows]
        return table([["figure", "unit", *self.columns], *rows], separator)


def figure_table(runs: Mapping[str, Run]) -> FigureTable:
    """Headline figures of runs by their names, and what they differ by from the first."""
    names = list(runs)
    keys = list(dict.fromkeys(key for run in runs.values() for key in run.figures))
    rows = []
    for key in keys:
        words, unit = figure_words(key)
        values = [float(run.figures.get(key, math.nan)) for run in runs.values()]
        apart = [value - values[0] for value in values[1:]]
        rows.append((key, words, unit, (*map(number_text, values), *map(_signed, apart))))
    return FigureTable((*names, *(DIFFERENCE.format(name) for name in names[1:])), tuple(rows))


def figure_words(key: str) -> tuple[str, str]:
    """Words and unit of a key such as ``torque_max_Nm``."""
    for unit, sign in (*RATES.items(), *UNITS.items()):
        if key.endswith(f"_{unit}") and len(key) > len(unit) + 1:
            return key.removesuffix(f"_{unit}").replace("_", " "), sign
    return key.replace("_", " "), ""


def status_words(runs: Sequence[tuple[str, Run]]) -> str:
    """How runs ended and what was noticed, to be read."""
    lines = []
    for name, run in runs:
        lines.append(f"{name}: {run.status}")
        lines += [f"   {sentence}" for sentence in run.notices]
    return "\n".join(lines)


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{number_text(value)}"
