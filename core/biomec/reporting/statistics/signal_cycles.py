"""A signal over its cycles: which cycles belong to it, how many are behind its mean, and why others are not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.recording.marker_set import Side
from biomec.reporting.statistics.angle_ranges import CYCLES_OF
from biomec.signals.cycle_average import CycleCurves, resample_cycles
from biomec.signals.cycles import Cycles

NOT_CONVERGED, BY_HAND, MISSING = "not converged", "taken out by hand", "signal missing"


@dataclass(frozen=True, eq=False)
class SignalCycles:
    """The cycles of one signal on the common grid of 0 to 100 %.

    name   : whose cycles they are: "Right", "Left" or "both"
    curves : of the one signal, (K, N)
    """

    name: str
    cycles: Cycles
    curves: CycleCurves

    @property
    def used(self) -> int:
        """Cycles behind mean and standard deviation."""
        return int(self.curves.count)

    @property
    def words(self) -> str:
        """How many cycles, and why others are left out."""
        return cycles_in_words(self.used, left_out(self.cycles, self.used))


def signal_cycles(
    cycles: Mapping[str, Cycles], side: Side | None, time_s: FloatArray, values: FloatArray
) -> SignalCycles | None:
    """Lay the cycles of a signal over each other: those of its own side, or those of both; None if there is none.

    time_s, values : (N,) on any clock with equal steps whose zero is the first frame of the cycles
    """
    for name in CYCLES_OF[side]:
        found = cycles.get(name)
        if found is None or not found.valid.any() or len(time_s) < 2:
            continue
        same = len(time_s) == found.frames
        rate = None if same else (len(time_s) - 1) / float(time_s[-1] - time_s[0])
        curves = resample_cycles(found, values, rate_hz=rate, start_s=0.0 if same else float(time_s[0]))
        if int(curves.count):
            return SignalCycles(name, found, curves)
    return None


def left_out(cycles: Cycles, used: int) -> dict[str, int]:
    """Why cycles are not among the ``used`` ones -> how many; a reason without any is not in it."""
    by_hand = sum(int(first) in cycles.excluded for first in cycles.spans[:, 0])
    valid = int(np.count_nonzero(cycles.valid))
    counts = {NOT_CONVERGED: len(cycles) - valid - by_hand, BY_HAND: by_hand, MISSING: valid - used}
    return {why: count for why, count in counts.items() if count > 0}


def cycles_in_words(used: int, without: Mapping[str, int]) -> str:
    """Say how many cycles count: "5 cycles", or "5 cycles, 1 left out: not converged"."""
    told = f"{used} cycle{'' if used == 1 else 's'}"
    if len(without) == 1:
        ((why, count),) = without.items()
        return f"{told}, {count} left out: {why}"
    if without:
        reasons = ", ".join(f"{count} {why}" for why, count in without.items())
        return f"{told}, {sum(without.values())} left out: {reasons}"
    return told
