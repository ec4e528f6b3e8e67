"""One curve over time, with everything that a plot says about it, and helpers of those who provide curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray
from biomec.recording.marker_set import SIDE, MarkerSet, Side

MAIN, RAW = "", "raw"
"""Variants of a signal: the one that counts, and the one that it was made from, which is drawn behind it."""
DOUBTFUL = "estimated, or not usable"
"""What legends call the part of a load that cannot be relied on."""
WHY_DOUBTFUL = (
    "Dotted: the force of the ground is estimated beside measured ones, or missing, or its contact is poor; or nobody "
    "moves so, or the motion begins or ends there. Read the solid part."
)


@dataclass(frozen=True, eq=False)
class Curve:
    """One curve over time.

    key       : stays the same from analysis to analysis, such as ``angle/right elbow flexion``
    kind      : such as "Joint angles"; group within it: the joint, segment, marker, plate or channel
    side      : side of the body; None on the midline
    component : such as "flexion", "Y" or "force Y"
    label     : full name, such as "right elbow flexion"
    unit      : as drawn, such as "°"; "" for numbers without one
    series    : computes times (N,) [s] and values (N,)
    title     : heading of a plot that shows this curve and its partner of the other side, such as "Elbow"
    detail    : second line of it, with the positive direction, such as "flexion + / extension −"
    variant   : `MAIN`, or `RAW` for what the signal was made from
    words     : the group in words where its name is a code, such as "acromial angle, right"
    said      : what this version is called where the other stands beside it, such as "filtered"
    step      : step of the analysis that gave it; "" for what was recorded
    log       : whether a logarithmic axis suits it
    least     : smallest height of an axis, so that noise does not look like motion; 0 if any will do
    dashed    : number of its pattern of dashes beside other versions; 0 for a whole line
    compared  : place among computations of one quantity whose difference a shared plot shows, the lowest being the
                one to compare with; 0 for curves that are not compared
    counts    : frames (N,) that count in that difference; True for all
    joint     : whose load it is: only cycles whose ground reaction counts for it are averaged; "" for other curves
    usable    : frames (N,) in which a load can be relied on; None for all: elsewhere the force of the ground is
                estimated, missing or unsound, or nobody moves so
    made      : how it was computed, written once above all plots
    band      : half-width (N,) of the band around it, or None while that is not known
    clinical  : the curve of the clinical presentation that this is, and the factor that makes that one this: a sign,
                times the mass of the person where norms are per kilogram; None where it is none of them
    """

    key: str
    kind: str
    group: str
    side: Side | None
    component: str
    label: str
    unit: str
    series: Callable[[], tuple[FloatArray, FloatArray]]
    title: str = ""
    detail: str = ""
    variant: str = MAIN
    step: str = ""
    log: bool = False
    least: float = 0.0
    said: str = ""
    words: str = ""
    dashed: int = 0
    compared: int = 0
    counts: BoolArray | bool = True
    joint: str = ""
    usable: BoolArray | None = None
    made: tuple[str, ...] = ()
    band: Callable[[], FloatArray | None] = lambda: None
    clinical: tuple[str, float] | None = None

    @cached_property
    def _numbers(self) -> tuple[FloatArray, FloatArray]:
        return self.series()

    @property
    def time_s(self) -> FloatArray:
        """(N,) on the clock of the recording, whose first frame is at 0 [s]."""
        return self._numbers[0]

    @property
    def values(self) -> FloatArray:
        """(N,) in the curve's unit; NaN where missing."""
        return self._numbers[1]

    @property
    def pane(self) -> tuple[str, str, str]:
        """What curves share that belong into one plot: both sides, and raw beside filtered."""
        return self.title or self.group, self.detail or self.component, self.unit


def sound_and_doubtful(values: FloatArray, usable: BoolArray | None) -> tuple[FloatArray, FloatArray | None]:
    """A curve (N,) in two lines that meet: the usable part and the rest, NaN elsewhere; None without a rest."""
    if usable is None or len(usable) != len(values) or usable.all():
        return values, None
    beside = ~usable
    beside[1:] |= ~usable[:-1]
    beside[:-1] |= ~usable[1:]
    return np.where(usable, values, np.nan), np.where(beside, values, np.nan)


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
