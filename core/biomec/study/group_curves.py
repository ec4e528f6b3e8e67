"""Curves of a study as panels: mean ± SD over people of every level, right and left side beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.reporting.clinical.blocks import FEWEST_FOR_BAND, LEVEL, MEAN, Course, Grid, Panel, course_of
from biomec.study.groups import Level

COLUMNS, ROWS = 4, 4  # panels beside and below each other, as many as a turned sheet of paper shows well
ROOM = 0.06  # of the range of the curves, above and below them
SIDES = ("right", "left")
UNITS = {"deg": "°"}


def group_grids(levels: Sequence[Level], caption: str, rows: int = ROWS) -> tuple[Grid, ...]:
    """All curves of the levels, in grids of at most so many rows; the scale is that of both sides of a curve."""
    pairs = _by_side(levels[0].means.names)
    cells: list[Panel | None] = []
    for columns in pairs:
        limits = _limits(levels, columns)
        cells += [_panel(levels, c, limits) for c in columns]
    lines = [tuple(cells[k : k + COLUMNS]) for k in range(0, len(cells), COLUMNS)]
    note = _note(levels)
    parts = [lines[k : k + rows] for k in range(0, len(lines), rows)]
    return tuple(
        Grid(f"{caption}, {k} of {len(parts)}" if caption and len(parts) > 1 else caption, tuple(part), MEAN, note,
             axis="% of the cycle")
        for k, part in enumerate(parts, 1)
    )  # fmt: skip


def _by_side(names: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """Numbers of the curves that belong together: right and left of one, then each that has no side."""
    place = {name: c for c, name in enumerate(names)}
    single = []
    for name, c in place.items():
        side, _, rest = name.partition(" ")
        other = place.get(f"left {rest}")
        if side == "right" and other is not None:
            yield c, other
        elif not (side == "left" and f"right {rest}" in place):
            single.append((c,))
    yield from single


def _limits(levels: Sequence[Level], columns: Sequence[int]) -> tuple[float, float]:
    """Ends of the axis: all that is drawn of these curves, and a little room."""
    parts: list[FloatArray] = []
    for level in levels:
        for c in columns:
            course = course_of("", _whole(level, c), "")
            parts += [course.mean - course.sd, course.mean + course.sd] if course.banded else [course.curves.ravel()]
    values = np.concatenate(parts)
    values = values[np.isfinite(values)]
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    room = ROOM * (high - low) or 0.5 * abs(high) or 1.0
    return low - room, high + room


def _panel(levels: Sequence[Level], c: int, limits: tuple[float, float]) -> Panel:
    means = levels[0].means
    name, unit = means.names[c], UNITS.get(means.units[c], means.units[c])
    courses = tuple(_course(level, c, k) for k, level in enumerate(levels) if len(_whole(level, c)))
    missing = "" if courses else "No cycle of any person counts for this curve."
    title = f"{name[:1].upper()}{name[1:]} [{unit}]"
    return Panel(name, title, unit, "", "", *limits, courses=courses, missing=missing)


def _course(level: Level, c: int, place: int) -> Course:
    curves = level.means.curves[:, :, c]
    known = np.isfinite(curves).all(axis=1)
    made = course_of(LEVEL, curves[known], level.name, place)
    names = tuple(code for code, there in zip(level.people, known.tolist(), strict=True) if there)
    return Course(made.side, made.visit, made.label, made.percent, made.curves, made.mean, made.sd, names=names)


def _whole(level: Level, c: int) -> FloatArray:
    """(P, N) means of the people who have the whole curve."""
    curves = level.means.curves[:, :, c]
    return np.asarray(curves[np.isfinite(curves).all(axis=1)])


def _note(levels: Sequence[Level]) -> str:
    counts = ", ".join(f"{one.name} {len(one.people)} ({sum(one.cycles)} cycles)" for one in levels)
    few = any(len(one.people) < FEWEST_FOR_BAND for one in levels)
    lines = f" With fewer than {FEWEST_FOR_BAND} people, a line is drawn for each." if few else ""
    return f"Mean ± SD over people; each person counts by the mean of all valid cycles. People: {counts}.{lines}"
