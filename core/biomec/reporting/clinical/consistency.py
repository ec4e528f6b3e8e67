"""How well the cycles of each curve repeat: a table beside a grid in which every cycle is drawn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.reporting.clinical.blocks import Course, Grid
from biomec.reporting.statistics.repeatability import CurveRepeatability, between_sessions, within_sessions
from biomec.reporting.tables import NOTHING, Table, number

CAPTION = "How well the cycles repeat"
NOTE = (
    "CMC: coefficient of multiple correlation [Kadaba1989] of the cycles with their mean, 1 where they are all alike; "
    "– where it is not defined, because cycles differ by more than the curve itself moves, or with one cycle. SD: "
    "between the cycles, mean over the cycle, in the unit of the curve; CMC does not show it."
)
OF_TRIALS = (
    " Within: of cycles with the mean of their own recording. Between: of the cycles of all recordings with their "
    "common mean."
)


def digits_of(unit: str) -> int:
    """Digits after the point for differences of a clinical curve."""
    return 1 if unit == "°" else 2


def consistency_table(grid: Grid) -> Table | None:
    """CMC and mean SD of each curve and side of a grid; within and between recordings if there are several.

    None where no curve has two cycles.
    """
    panels = [panel for row in grid.rows for panel in row if panel is not None and panel.courses]
    sides = list(dict.fromkeys(course.side for panel in panels for course in panel.courses))
    if not any(len(course.curves) > 1 for panel in panels for course in panel.courses):
        return None
    several = any(len(_by_trial(course)) > 1 for panel in panels for course in panel.courses)
    columns = [""]
    for side in sides:
        name = f"{side.capitalize()}: " if side else ""
        columns += [f"{name}cycles", *(f"{name}{what}" for what in (_SEVERAL if several else _ONE))]
    rows = []
    for panel in panels:
        row = [panel.title]
        for side in sides:
            course = next((one for one in panel.courses if one.side == side), None)
            row += _cells(course, several, digits_of(panel.unit))
        rows.append(tuple(row))
    return Table(CAPTION, tuple(columns), tuple(rows), NOTE + OF_TRIALS * several)


_ONE = ("CMC", "SD")
_SEVERAL = ("CMC within", "SD within", "CMC between", "SD between")


def _by_trial(course: Course) -> list[FloatArray]:
    """Cycles (K, N) of each recording."""
    trials = np.array([one.trial for one in course.origins])
    return [course.curves[trials == k] for k in dict.fromkeys(trials.tolist())]


def _cells(course: Course | None, several: bool, digits: int) -> Sequence[str]:
    """Number of cycles, CMC and SD; twice with several recordings."""
    if course is None:
        return (NOTHING,) * (5 if several else 3)
    parts = _by_trial(course)
    within = within_sessions(parts) if max(map(len, parts)) > 1 else None
    cells = [str(len(course.curves)), *_numbers(within, digits)]
    if several:
        cells += _numbers(between_sessions(parts) if len(parts) > 1 else None, digits)
    return cells


def _numbers(found: CurveRepeatability | None, digits: int) -> tuple[str, str]:
    return (NOTHING, NOTHING) if found is None else (number(found.cmc, 3), number(found.mean_sd, digits))
