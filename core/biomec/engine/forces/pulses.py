"""Force pulses: a force over time that is zero before and after, in straight lines between points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError

FINENESS = 400  # straight lines that a half-sine is made of: impulse to 5e-6


@dataclass(frozen=True, eq=False)
class Pulse:
    """A force [N] at times [s] that increase from 0; each (K,)."""

    time_s: FloatArray
    force: FloatArray

    def __post_init__(self) -> None:
        t, f = np.asarray(self.time_s, dtype=np.float64), np.asarray(self.force, dtype=np.float64)
        if t.ndim != 1 or t.shape != f.shape or len(t) < 2 or not (np.isfinite(t).all() and np.isfinite(f).all()):
            raise BiomecError("A blow needs two times or more, with a force for each, and all must be numbers.")
        if not (np.diff(t) > 0.0).all() or t[0] < 0.0:
            raise BiomecError("The times of a blow must increase, from 0 s on.")
        if not np.abs(f).max() > 0.0:
            raise BiomecError("A blow without force does nothing. Give a force above 0 N.")
        object.__setattr__(self, "time_s", read_only(t))
        object.__setattr__(self, "force", read_only(f))

    @property
    def end(self) -> float:
        """When it is over [s]."""
        return float(self.time_s[-1])

    @property
    def begin(self) -> float:
        """When its force begins [s]."""
        first = int(np.flatnonzero(self.force)[0])
        return float(self.time_s[max(first - 1, 0)])

    @property
    def impulse(self) -> float:
        """∫ F dt [N·s]."""
        return float(np.trapezoid(self.force, self.time_s))

    def at(self, t: ArrayLike) -> FloatArray:
        """Force [N] at times (...) [s]."""
        return np.asarray(np.interp(np.asarray(t, dtype=np.float64), self.time_s, self.force, left=0.0, right=0.0))


def triangle(peak: float, rise_s: float, end_s: float) -> Pulse:
    """From 0 to the peak [N] at ``rise_s`` and back to 0 at ``end_s``."""
    if not 0.0 < rise_s < end_s:
        raise BiomecError(
            f"A blow that rises until {1e3 * rise_s:g} ms and ends at {1e3 * end_s:g} ms has no length or no peak. "
            "Let it rise after 0 ms and end later."
        )
    return Pulse(np.array([0.0, rise_s, end_s]), np.array([0.0, peak, 0.0]))


def half_sine(peak: float, end_s: float) -> Pulse:
    """peak sin(π t/end) [N] until ``end_s``."""
    if not end_s > 0.0:
        raise BiomecError(f"A blow of {1e3 * end_s:g} ms has no length. Let it last longer than 0 ms.")
    t = np.linspace(0.0, 1.0, FINENESS + 1)
    return Pulse(t * end_s, peak * np.sin(np.pi * t))
