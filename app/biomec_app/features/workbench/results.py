"""What the results of runs are: panes of curves, and a table of figures with differences. Without Qt."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.machines.output import number_text
from biomec.machines.study import Run

UNITS = {
    "Nm": "N·m", "N": "N", "Ns": "N·s", "s": "s", "ms": "ms", "m": "m", "mm": "mm", "deg": "deg", "rad": "rad",
    "J": "J", "W": "W", "kg": "kg", "Hz": "Hz", "percent": "%", "Nms": "N·m·s", "mps": "m/s",
}  # fmt: skip
RATES = {"m_s": "m/s", "m_s2": "m/s²", "deg_s": "deg/s", "rad_s": "rad/s", "N_m": "N/m"}
DIFFERENCE = "Δ {}"
ROUND_OFF = 1e-12  # of what is usual in a pane, or of its largest value at that moment: so little is nothing


@dataclass(frozen=True, eq=False)
class RunLine:
    """A curve of a run in a pane.

    name, run : what a legend calls it, and the run that it belongs to
    colour    : number of the quantity in the pane;  dash : number of the run
    x         : what it is plotted over: time, or another quantity
    """

    name: str
    run: str
    colour: int
    dash: int
    time_s: FloatArray
    values: FloatArray
    x: FloatArray

    def at(self, time_s: float) -> float:
        """Value at the moment nearest to a time; NaN outside."""
        return self.place(time_s)[1]

    def place(self, time_s: float) -> tuple[float, float]:
        """Point of the curve at the moment nearest to a time; NaN outside."""
        if not len(self.time_s) or not self.time_s[0] - 1e-9 <= time_s <= self.time_s[-1] + 1e-9:
            return math.nan, math.nan
        moment = int(abs(self.time_s - time_s).argmin())
        return float(self.x[moment]), float(self.values[moment])


@dataclass(frozen=True, eq=False)
class RunPane:
    """Curves that share axes: one group, one unit."""

    title: str
    unit: str
    lines: tuple[RunLine, ...]

    @property
    def key(self) -> str:
        """What it is known by when other runs come."""
        return f"{self.title} [{self.unit}]" if self.unit else self.title


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
    found: dict[tuple[str, str], list[RunLine]] = {}
    colours: dict[tuple[str, str], dict[str, int]] = {}
    for dash, (name, run) in enumerate(runs.items()):
        abscissa = {f"{one.group}: {one.name}": one.values for one in run.curves}.get(over) if over else run.time_s
        if abscissa is None:
            continue
        for one in run.curves:
            key = one.group, one.unit
            numbers = colours.setdefault(key, {})
            colour = numbers.setdefault(one.name, len(numbers))
            n = min(len(run.time_s), len(one.values), len(abscissa))
            line = RunLine(one.name, name, colour, dash, run.time_s[:n], one.values[:n], abscissa[:n])
            found.setdefault(key, []).append(line)
    return tuple(RunPane(group, unit, tuple(lines)) for (group, unit), lines in found.items())


def legend(pane: RunPane, time_s: float) -> list[tuple[int, str]]:
    """Colour and words of every quantity of a pane: its name, and its values at a time, one for every run.

    Round-off is written as 0. What is usual is a median, because peaks near singular positions know no bounds.
    """
    found: dict[tuple[int, str], list[str]] = {}
    now = np.array([line.at(time_s) for line in pane.lines])
    every = np.concatenate([np.zeros(0), *(line.values for line in pane.lines)])
    size = max(_size(now, np.max), _size(every, np.median))
    for line, at in zip(pane.lines, now, strict=True):
        value = 0.0 if abs(at) < ROUND_OFF * size else at
        found.setdefault((line.colour, line.name), []).append(f"{value:.4g}" if math.isfinite(value) else "–")
    return [(colour, f"{name} {' | '.join(values)}") for (colour, name), values in found.items()]


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
        made = io.StringIO()
        table = csv.writer(made, delimiter=separator, lineterminator="\n")
        table.writerow(["figure", "unit", *self.columns])
        for _, words, unit, cells in self.rows:
            table.writerow([words, unit, *cells])
        return made.getvalue()


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
