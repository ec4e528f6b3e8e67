"""How large a difference is, with intervals: of the difference itself, and of it in standard deviations.

Of samples a, b of n₁ and n₂ units, difference of means D = b̄ − ā:

    two samples   D ± t_ν s_D,  s_D² = s₁²/n₁ + s₂²/n₂,  ν by Welch      δ: t = D k / s,  k = √(n₁ n₂ / (n₁ + n₂))
    paired        D ± t_ν s / √n,  s of the differences,  ν = n − 1        δ: t = D k / s,  k = √n

The effect δ of the population, in standard deviations (two samples: their common one; paired: that of the
differences), has the interval λ / k, where t is just at the upper or lower end of the noncentral t distribution with
noncentrality λ and ν = n₁ + n₂ − 2 or n − 1 degrees of freedom [CummingFinch2001].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.reporting.statistics.load_comparison import hedges_g

SPREADS, PANELS, NODES = 14.0, 100, 10  # reach in standard deviations of S, which leaves out less than 1e-20


@dataclass(frozen=True)
class Effect:
    """A difference and the effect, each with the ends of its interval; NaN where nothing varies or too few are there.

    difference : b less a, in their unit;  g : Hedges' g;  level : of both intervals
    """

    difference: float
    low: float
    high: float
    g: float
    g_low: float
    g_high: float
    level: float


def effect(a: ArrayLike, b: ArrayLike, *, paired: bool = False, level: float = 0.95) -> Effect:
    """Difference of b from a (n,) and the effect, with their intervals; units that are missing must be left out."""
    first, second = (_sample(one) for one in (a, b))
    if paired and len(first) != len(second):
        raise BiomecError(f"A paired comparison needs pairs; there are {len(first)} and {len(second)} values.")
    if not 0.5 <= level < 1.0:
        raise BiomecError(f"The level of an interval lies between 0.5 and 1, not at {level:g}.")
    nan = math.nan
    if min(len(first), len(second)) < 2:
        return Effect(nan, nan, nan, nan, nan, nan, level)
    difference = float(second.mean() - first.mean())
    n1, n2 = len(first), len(second)
    if paired:
        freedom, error = n1 - 1.0, float((second - first).std(ddof=1)) / math.sqrt(n1)
        scale, t_error, nu = math.sqrt(n1), error, n1 - 1
    else:
        v1, v2 = float(first.var(ddof=1)) / n1, float(second.var(ddof=1)) / n2
        error, nu = math.sqrt(v1 + v2), n1 + n2 - 2
        parts = v1**2 / (n1 - 1) + v2**2 / (n2 - 1)
        freedom = (v1 + v2) ** 2 / parts if parts else nan
        pooled = ((n1 - 1) * first.var(ddof=1) + (n2 - 1) * second.var(ddof=1)) / nu
        t_error, scale = math.sqrt(float(pooled) * (1.0 / n1 + 1.0 / n2)), math.sqrt(n1 * n2 / (n1 + n2))
    size = max(float(abs(first).max()), float(abs(second).max()))
    if not error > 1e-12 * size:  # as in `load_comparison`: values that do not vary are not tested
        return Effect(difference, nan, nan, nan, nan, nan, level)
    half = float(scipy.stats.t.ppf(0.5 + 0.5 * level, freedom)) * error
    low, high = (one / scale for one in noncentrality(difference / t_error, nu, level))
    g = hedges_g(first, second, paired=paired) if nu > 1 else nan  # its correction for few units leaves nothing of one
    return Effect(difference, difference - half, difference + half, g, low, high, level)


def noncentrality(t: float, freedom: int, level: float) -> tuple[float, float]:
    """Noncentralities λ at which t is the upper and the lower end of the middle ``level`` of the t distribution."""
    tail = 0.5 * (1.0 - level)
    return _at(t, freedom, 1.0 - tail), _at(t, freedom, tail)


def noncentral_t(t: float, freedom: int, noncentral: float) -> float:
    """P(T ≤ t) of T = (Z + λ) / S, Z normal, S² = χ²_ν / ν: the mean of Φ(t S − λ) over the density of S.

    Integrated by Gauss–Legendre panels; `scipy.stats.nct` gives no number for some of the arguments needed here.
    """
    s, weight = _deviations(freedom)
    return float(weight @ scipy.special.ndtr(t * s - noncentral))


@cache
def _deviations(freedom: int) -> tuple[FloatArray, FloatArray]:
    """Places s and weights of an integral over the density 2 (ν/2)^(ν/2) / Γ(ν/2) s^(ν−1) exp(−ν s²/2)."""
    reach = SPREADS / np.sqrt(2.0 * freedom)
    edges = np.linspace(max(0.0, 1.0 - reach), 1.0 + reach, PANELS + 1)
    x, w = np.polynomial.legendre.leggauss(NODES)
    half = 0.5 * np.diff(edges)[:, None]
    s = (edges[:-1, None] + half * (1.0 + x)).ravel()
    half_nu = 0.5 * freedom
    log = (
        math.log(2.0) + half_nu * math.log(half_nu) - math.lgamma(half_nu) + (freedom - 1) * np.log(s) - half_nu * s**2
    )
    return s, (half * w).ravel() * np.exp(log)


def _at(t: float, freedom: int, share: float) -> float:
    def apart(noncentral: float) -> float:
        return noncentral_t(t, freedom, noncentral) - share

    width = 4.0 + abs(t)
    while not apart(t - width) > 0.0 > apart(t + width):
        width *= 2.0
    return float(scipy.optimize.brentq(apart, t - width, t + width, xtol=1e-10))


def _sample(values: ArrayLike) -> FloatArray:
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or not np.isfinite(x).all():
        raise BiomecError("Effects are of lists of numbers without missing ones.")
    return x
