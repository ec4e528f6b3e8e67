"""Small helpers of the providers of curves: one computation for many curves, axes in words, units for people."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.recording.marker_set import SIDE, MarkerSet, Side

T = TypeVar("T")
Table = ArrayLike | Callable[[], FloatArray]
Series = Callable[[], tuple[FloatArray, FloatArray]]

MM = 1e3
DEGREES = float(np.degrees(1.0))
AXES = (("X", "forward"), ("Y", "up"), ("Z", "right"))
"""Biomec's axes and where they point."""
BARE = (("X", ""), ("Y", ""), ("Z", ""))
"""Axes of a file that has not been turned into Biomec's yet."""
SIDES = {Side.RIGHT: "right", Side.LEFT: "left"}
STEMS = ("right ", "left ")


def once(compute: Callable[[], T]) -> Callable[[], T]:
    """Compute at the first call only."""
    return cache(compute)


def column(time: FloatArray, table: Table, *index: int, scale: float = 1.0) -> Series:
    """Series of one column of a table (N, …) that is there, or that is computed when it is needed."""

    def series() -> tuple[FloatArray, FloatArray]:
        values = np.asarray(table() if callable(table) else table, dtype=np.float64)
        for i in index:
            values = values[:, i]
        at = time if len(time) == len(values) else _longer(time, len(values))
        return at, values * scale if scale != 1.0 else values

    return series


def _longer(time: FloatArray, samples: int) -> FloatArray:
    """Times of a result that is older than a cut of the recording, at the same rate."""
    step = float(time[1] - time[0]) if len(time) > 1 else 1.0
    return np.asarray(np.arange(samples) * step, dtype=np.float64)


def side_of_name(name: str) -> tuple[Side | None, str]:
    """Side and stem of a segment or joint: "right humerus" -> right, "humerus"."""
    for side, stem in zip((Side.RIGHT, Side.LEFT), STEMS, strict=True):
        if name.startswith(stem):
            return side, name.removeprefix(stem)
    return None, name


def side_of_point(name: str, marker_set: MarkerSet | None) -> tuple[Side | None, str]:
    """Side and stem of a marker or landmark: "AC_D" -> right, "AC"."""
    if marker_set is not None and name in marker_set:
        marker = marker_set[name]
        return marker.side, marker.pattern.replace(f"_{SIDE}", "").replace(SIDE, "")
    for code, side in (("_D", Side.RIGHT), ("_E", Side.LEFT)):
        if name.endswith(code):
            return side, name.removesuffix(code)
    return None, name


def title_of(stem: str, words: str) -> str:
    """Heading of both sides of a point: its code, which is never cut off, and where it is: "AA: acromial angle"."""
    for side in SIDES.values():
        words = words.removesuffix(f", {side}")
    return f"{stem}: {words}" if words else stem


def capital(words: str) -> str:
    """First letter large."""
    return words[:1].upper() + words[1:]


def along(axis: tuple[str, str]) -> str:
    """Axis in words: "Y, up +"."""
    letter, way = axis
    return f"{letter}, {way}\N{NO-BREAK SPACE}+" if way else letter
