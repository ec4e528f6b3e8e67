"""One curve over time, with everything that a plot says about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from biomec.base.arrays import FloatArray
from biomec.recording.marker_set import Side

MAIN, RAW = "", "raw"
"""Variants of a signal: the one that counts, and the one that it was made from, which is drawn behind it."""


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
    band      : half-width (N,) of the band around it, or None while that is not known
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
    band: Callable[[], FloatArray | None] = lambda: None

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
