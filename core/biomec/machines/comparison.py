"""How the histories of two runs differ, or those of a run and of another program's table.

Every quantity that both have is compared at the instants of the first: least, largest and mean size of the difference,
as published comparisons print them [Markus2015], and the difference over time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.plain_text import table
from biomec.machines.columns import Columns
from biomec.machines.study import Run, StudyCurve, curve

KEY = "differences"
DIFFERENCES = "differences.csv"
SCALES = {("rad", "deg"): 180.0 / np.pi, ("rad/s", "deg/s"): 180.0 / np.pi, ("rad/s²", "deg/s²"): 180.0 / np.pi,
          ("deg/s²", "rad/s²"): np.pi / 180.0, ("mm", "m"): 1e-3, ("m", "mm"): 1e3, ("kN", "N"): 1e3,
          ("N m", "N·m"): 1.0, ("Nm", "N·m"): 1.0, ("N.m", "N·m"): 1.0, ("deg/s2", "deg/s²"): 1.0,
          ("rad/s2", "rad/s²"): 1.0}  # fmt: skip
"""Unit of a table, unit of a curve -> factor."""
LONGEST_NAME = 27  # characters of either run in the title of their differences
TURN = 360.0  # [deg] whole turns between angles say nothing


@dataclass(frozen=True, eq=False)
class Difference:
    """A quantity of two runs: sizes of what they differ by, and that over time (T,), NaN where one has nothing."""

    group: str
    name: str
    unit: str
    least: float
    largest: float
    mean: float
    values: FloatArray


def differences(run: Run, other: Run) -> tuple[Difference, ...]:
    """The first run less the other, quantity by quantity, at the instants of the first."""
    theirs = {(one.group, one.name, one.unit): one for one in other.curves}
    found = []
    for one in run.curves:
        twin = theirs.get((one.group, one.name, one.unit))
        if twin is None:
            continue
        n, m = min(len(run.time_s), len(one.values)), min(len(other.time_s), len(twin.values))
        there = np.interp(run.time_s[:n], other.time_s[:m], twin.values[:m], left=np.nan, right=np.nan)
        apart = one.values[:n] - there
        if one.unit == "deg" and np.isfinite(apart).any():
            apart = apart - TURN * np.round(apart[np.isfinite(apart)][0] / TURN)
        size = np.abs(apart[np.isfinite(apart)])
        if size.size:
            sizes = (float(size.min()), float(size.max()), float(size.mean()))
            found.append(Difference(one.group, one.name, one.unit, *sizes, read_only(apart)))
    if not found:
        raise BiomecError(
            "They have no quantity in common. Columns are called as curves are, such as Angles: crank [deg]."
        )
    return tuple(found)


def difference_run(run: Run, other: Run, name: str, other_name: str) -> Run:
    """The differences of two runs as a run of its own; its curves are called as theirs are."""
    found = differences(run, other)
    return Run(
        study=KEY,
        title=f"{_short(name)} − {_short(other_name)}",
        machine=run.machine,
        options=run.options,
        time_s=run.time_s,
        curves=tuple(curve(f"Δ {one.group}", one.name, one.unit, one.values) for one in found),
        figures={},
        poses=run.poses,
        text=f"{name} less {other_name}\n\n{difference_text(found)}",
        files={DIFFERENCES: difference_table(run, found)},
    )


def _short(name: str) -> str:
    """A name that leaves room for another beside it."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1].rstrip(' ,')}…"


def with_differences(run: Run, other: Run, name: str) -> Run:
    """A run with its differences to another, as curves, as a table to be read, and as a file."""
    found = differences(run, other)
    return replace(
        run,
        curves=(*run.curves, *(curve(f"Δ {one.group}", one.name, one.unit, one.values) for one in found)),
        text="\n\n".join(
            one for one in (run.text, f"Absolute differences to {name}\n\n{difference_text(found)}") if one
        ),
        files={**run.files, DIFFERENCES: difference_table(run, found)},
        notices=(*run.notices, *(one for one in other.notices if one not in run.notices)),
    )


def difference_text(found: Sequence[Difference]) -> str:
    """Least, largest and mean absolute difference, a line for each quantity."""
    wide = max(len(f"{one.group}: {one.name}") for one in found)
    lines = [f"{'':{wide}}  {'':8}{'least':>12}{'largest':>12}{'mean':>12}"]
    lines += [
        f"{f'{one.group}: {one.name}':{wide}}  {one.unit:8}{one.least:12.4f}{one.largest:12.4f}{one.mean:12.4f}"
        for one in found
    ]
    return "\n".join(lines)


def difference_table(run: Run, found: Sequence[Difference]) -> str:
    """The differences over time as a table with commas."""
    rows = [["time [s]", *(f"{one.group}: {one.name}{f' [{one.unit}]' * bool(one.unit)}" for one in found)]]
    for k, time in enumerate(run.time_s):
        values = (one.values[k] if k < len(one.values) else np.nan for one in found)
        rows.append([f"{time:.9g}", *("" if np.isnan(value) else f"{value:.9g}" for value in values)])
    return table(rows)


def table_run(columns: Columns, run: Run) -> Run:
    """A table of another program as a run beside one of ours: its columns are our curves of that name.

    A column is called ``Angles: crank [deg]``, as in a `curves.csv`, or ``crank [deg]`` where one quantity alone has
    that name and a unit that fits. Units are converted; columns that are not curves of the run are listed in a notice.
    """
    made, left = [], []
    for column, values in columns.values.items():
        twin, factor = _twin(column, columns.units[column], run.curves)
        if twin is None:
            left.append(column)
        else:
            made.append(curve(twin.group, twin.name, twin.unit, factor * values))
    if not made:
        some = ", ".join(f"{one.group}: {one.name} [{one.unit}]" for one in run.curves[:3])
        raise BiomecError(f"{columns.source}: no column has the name and unit of a curve of this run, such as {some}.")
    notices = (f"{columns.source}: these columns are not curves of the run: {', '.join(left)}.",) if left else ()
    return Run(run.study, columns.source, run.machine, run.options, columns.time_s, tuple(made), {}, notices=notices)


def _twin(column: str, unit: str, curves: Sequence[StudyCurve]) -> tuple[StudyCurve | None, float]:
    """The curve that a column is, and the factor of its unit; none if it is not clear."""
    whole = [one for one in curves if f"{one.group}: {one.name}".casefold() == column.casefold()]
    named = whole or [one for one in curves if one.name.casefold() == column.casefold()]
    fitting = [(one, SCALES.get((unit, one.unit), 1.0)) for one in named
               if unit == one.unit or (unit, one.unit) in SCALES or (not unit and whole)]  # fmt: skip
    exact = [one for one in fitting if one[0].unit == unit]
    best = exact or fitting
    return best[0] if len(best) == 1 else (None, 1.0)
