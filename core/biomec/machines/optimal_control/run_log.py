"""The record of attempts: every run with its settings and how it ended, as the history of [Silva2007] keeps it."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from biomec.machines.optimal_control.audit import Audit
from biomec.machines.optimal_control.solution import Solution

BEFORE = ("run", "iterations", "status", "time_s", "J", "l_max", "deviation")
AFTER = ("duration_s", "method", "integrator", "tolerance", "limit", "N", "start")


@dataclass(frozen=True)
class RunAttempt:
    """One attempt.

    values : parameters of the machine that were changed, such as K, C, g
    start  : what it began with: ``kinematics``, ``zero`` or ``run 3``
    deviation : largest residual of the path that is written last, such as of the crank's speed
    """

    run: int
    iterations: int
    status: str
    time_s: float
    cost: float
    path_max: float
    deviation: float
    values: Mapping[str, float]
    duration_s: float
    method: str
    integrator: str
    tolerance: float
    limit: float
    intervals: int
    start: str


@dataclass(frozen=True)
class RunLog:
    """All attempts of a session, in order."""

    entries: tuple[RunAttempt, ...] = field(default=())

    def with_run(
        self,
        solution: Solution,
        audit: Audit | None,
        values: Mapping[str, float],
        start: str,
        deviation: float = np.nan,
    ) -> RunLog:
        """The log with one attempt more."""
        new = RunAttempt(
            run=len(self.entries) + 1,
            iterations=solution.iterations,
            status=solution.status.code,
            time_s=solution.seconds,
            cost=solution.cost,
            path_max=np.nan if audit is None else audit.path_max,
            deviation=deviation,
            values=dict(values),
            duration_s=solution.problem.duration_s,
            method=solution.method,
            integrator=solution.integrator,
            tolerance=solution.tolerance,
            limit=solution.problem.limit,
            intervals=solution.intervals,
            start=start,
        )
        return RunLog((*self.entries, new))

    def rows(self) -> list[list[str]]:
        """Head and rows of the table."""
        names = list(dict.fromkeys(name for one in self.entries for name in one.values))
        table = [[*BEFORE, *names, *AFTER]]
        for one in self.entries:
            told = [_text(one.values.get(name, np.nan)) for name in names]
            row = [f"{one.run:03d}", str(one.iterations), one.status, f"{one.time_s:.2f}", _text(one.cost)]
            row += [_text(one.path_max), _text(one.deviation), *told, _text(one.duration_s), one.method, one.integrator]
            row += [_text(one.tolerance), _text(one.limit), str(one.intervals), one.start]
            table.append(row)
        return table

    def csv_text(self) -> str:
        """The table with commas, for a file."""
        made = io.StringIO()
        csv.writer(made, lineterminator="\n").writerows(self.rows())
        return made.getvalue()

    def text(self) -> str:
        """The table to be read."""
        return aligned(self.rows())


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows with columns below each other."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def _text(value: float) -> str:
    return f"{value:.5g}" if np.isfinite(value) else "–"
