"""Numbers of a figure as a table, and the table as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np

from biomec.base.arrays import FloatArray
from biomec_app.plots.plot_pane import CONDITIONS, Pane, Trace
from biomec_app.session.plot_view import TIME


def figure_table(
    panes: Sequence[Pane], window: tuple[float, float] | None = None
) -> tuple[list[str], list[FloatArray]]:
    """Heads and columns of everything that is plotted, within a window of x; signals of one clock share its column."""
    heads: list[str] = []
    columns: list[FloatArray] = []
    clocks: list[tuple[FloatArray, list[tuple[str, FloatArray]]]] = []
    for pane in panes:
        for trace in pane.traces:
            keep = np.ones(len(trace.x), dtype=bool)
            if window is not None and pane.over == TIME:
                keep = (trace.x >= window[0] - 1e-9) & (trace.x <= window[1] + 1e-9)
            x = trace.x[keep]
            clock = next((known for known in clocks if np.array_equal(known[0], x)), None)
            if clock is None:
                clock = (x, [])
                clocks.append(clock)
            clock[1].extend((head, values[keep]) for head, values in _columns(trace))
    over_time = not panes or panes[0].over == TIME
    for x, series in clocks:
        heads.append("time [s]" if over_time else "cycle [%]")
        columns.append(x)
        for head, values in series:
            heads.append(head)
            columns.append(values)
    return heads, columns


def _columns(trace: Trace) -> list[tuple[str, FloatArray]]:
    curve = trace.curve
    variant = f" ({curve.variant})" if curve.variant else ""
    unit = f" [{curve.unit}]" if curve.unit else ""
    condition = f", {trace.name}" if trace.colour in CONDITIONS else ""
    name = f"{curve.label}{variant}{condition}"
    if trace.cycles is None:
        band = [] if trace.sd is None else [(f"{name}, may be off by{unit}", trace.sd)]
        return [(f"{name}{unit}", trace.y), *band]
    found = [(f"{name}, mean{unit}", trace.y)]
    if trace.sd is not None:
        found.append((f"{name}, standard deviation{unit}", trace.sd))
    for k, y in enumerate(trace.singles if trace.singles is not None else ()):
        found.append((f"{name}, cycle {k + 1}{unit}", y))
    return found


def figure_text(panes: Sequence[Pane], window: tuple[float, float] | None = None, separator: str = ",") -> str:
    """Return the table as text; missing numbers are empty, and decimals have a point in every language."""
    heads, columns = figure_table(panes, window)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow(heads)
    longest = max((len(column) for column in columns), default=0)
    cells = [[_cell(value) for value in column] + [""] * (longest - len(column)) for column in columns]
    writer.writerows(zip(*cells, strict=True))
    return out.getvalue()


def _cell(value: float) -> str:
    return f"{value:.10g}" if np.isfinite(value) else ""
