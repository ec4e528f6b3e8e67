"""Bands about a mean curve that hold for the whole curve at once, by the bootstrap.

    band of the mean     m ± C s / √n      C: quantile of max_t |m* − m| / (s* / √n)
    band of prediction   m ± C s           C: quantile of max_t |x_k − m*| / s*

m, s are mean and sample standard deviation of n curves, m*, s* those of n curves drawn from them with replacement
[Lenhoff1999]. The mean curve of all such people, or one further curve, lies within the band at every sample at once
with nearly the stated probability; there, bands for 90 % held 86 % of the curves. Curves that are drawn are the units:
cycles of one person tell nothing about other people.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError

FEWEST_CURVES = 3
DRAWN = 1000


@dataclass(frozen=True, eq=False)
class CurveBand:
    """A band about a mean curve; arrays (N,) are read-only.

    factor : C, how many standard errors (or deviations, for a further curve) the band reaches to either side
    curves : how many curves are behind it;  level : probability, such as 0.95
    """

    mean: FloatArray
    low: FloatArray
    high: FloatArray
    factor: float
    curves: int
    level: float

    @property
    def words(self) -> str:
        """How a caption names it."""
        return f"{100.0 * self.level:g} % band of {self.curves} curves by the bootstrap (whole curve at once)"


def mean_band(curves: ArrayLike, level: float = 0.95, drawn: int = DRAWN, seed: int = 0) -> CurveBand:
    """Band of confidence of the mean of curves (K, N), without missing values."""
    x = _checked(curves, level, drawn)
    n = len(x)
    mean, error = x.mean(axis=0), x.std(axis=0, ddof=1) / np.sqrt(n)
    means, deviations = _drawn(x, drawn, seed)
    largest = _largest(np.abs(means - mean), deviations / np.sqrt(n))
    return _band(mean, error, largest, level, n)


def prediction_band(curves: ArrayLike, level: float = 0.95, drawn: int = DRAWN, seed: int = 0) -> CurveBand:
    """Band in which one further curve lies."""
    x = _checked(curves, level, drawn)
    means, deviations = _drawn(x, drawn, seed)
    largest = np.concatenate([_largest(np.abs(curve - means), deviations) for curve in x])
    return _band(x.mean(axis=0), x.std(axis=0, ddof=1), largest, level, len(x))


def _checked(curves: ArrayLike, level: float, drawn: int) -> FloatArray:
    x = np.asarray(curves, dtype=np.float64)
    if x.ndim != 2 or len(x) < FEWEST_CURVES or not np.isfinite(x).all():
        count = len(x) if x.ndim else 0
        raise BiomecError(f"A band needs {FEWEST_CURVES} whole curves at least; there are {count}.")
    if not (0.5 <= level < 1.0 and drawn >= 100):
        raise BiomecError(
            f"A band needs a level from 0.5 to below 1 and 100 drawings; given are {level:g} and {drawn}."
        )
    return x


def _drawn(x: FloatArray, drawn: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Means and standard deviations (B, N) of drawn sets of curves."""
    chosen = np.random.default_rng(seed).integers(0, len(x), size=(drawn, len(x)))
    means, deviations = np.empty((drawn, x.shape[1])), np.empty((drawn, x.shape[1]))
    for row, which in enumerate(chosen):  # a loop over drawings: all at once would take much memory
        means[row], deviations[row] = x[which].mean(axis=0), x[which].std(axis=0, ddof=1)
    return means, deviations


def _largest(apart: FloatArray, deviations: FloatArray) -> FloatArray:
    """Largest ratio of each drawing; drawings of one curve alone, which have no spread, are left out."""
    varied = deviations > 1e-9 * (deviations.max(axis=0) + 1e-300)
    ratio = np.divide(apart, deviations, out=np.zeros_like(apart), where=varied)
    whole = varied.any(axis=1)
    return np.asarray(ratio[whole].max(axis=1))


def _band(mean: FloatArray, spread: FloatArray, largest: FloatArray, level: float, curves: int) -> CurveBand:
    factor = float(np.quantile(largest, level)) if largest.size else 0.0  # curves that are all alike have no band
    return CurveBand(
        read_only(mean), read_only(mean - factor * spread), read_only(mean + factor * spread), factor, curves, level
    )
