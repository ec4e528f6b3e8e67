"""Where do two sets of curves differ? A permutation test that counts a whole curve as one question.

At every sample t is computed (two-sample, pooled; or paired). If the conditions do not differ, it does not matter which
curve is called which: the labels are exchanged (paired: signs are), all ways or many at random, and the largest |t|
anywhere in the curve is noted each time [NicholsHolmes2002]. A sample differs at the level α if not more than the share
α of those largest values reaches its |t|. The chance that any sample of a curve is called different by mistake is then
at most α, however smooth the curve and whatever its distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from math import comb

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError

TIES = 1e-9  # relative: exchanged labels that give the same t up to round-off count as the same


@dataclass(frozen=True, eq=False)
class CurveTest:
    """Result for curves of N samples; arrays are read-only.

    t        : (N,) of second − first; NaN where nothing varies
    p        : (N,) probability of so large a |t| anywhere in the curve by chance
    critical : |t| beyond which a sample differs; NaN if there are too few curves for any sample to
    least_p  : least p that so many curves can give
    exchanges : in how many ways labels were exchanged
    """

    t: FloatArray
    p: FloatArray
    critical: float
    least_p: float
    exchanges: int

    def different(self, alpha: float) -> BoolArray:
        """(N,) samples that differ at that level."""
        return np.nan_to_num(self.p, nan=1.0) <= alpha


def curve_permutation(
    first: FloatArray,
    second: FloatArray,
    *,
    paired: bool = False,
    alpha: float = 0.05,
    exchanges: int = 2000,
    seed: int = 0,
) -> CurveTest:
    """Compare curves (K1, N) with curves (K2, N); at least two of each. ``paired``: curve k of both belong together."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if min(len(a), len(b)) < 2 or (paired and len(a) != len(b)):
        raise BiomecError(
            f"Comparison of curves: there are {len(a)} and {len(b)}; at least two of each are needed, and as many of "
            "one as of the other where they are paired."
        )
    rng = np.random.default_rng(seed)
    if paired:
        signs, whole = _signs(len(a), exchanges, rng)
        t = _paired_t(b - a, signs)
    else:
        labels, whole = _labels(len(a), len(b), exchanges, rng)
        t = _pooled_t(np.concatenate([a, b]), labels)
    largest = np.abs(np.nan_to_num(t, nan=0.0, posinf=np.inf, neginf=-np.inf)).max(axis=1)  # first row: as observed
    reached = largest[:, None] >= np.abs(t[0]) * (1.0 - TIES)
    p = np.where(np.isnan(t[0]), np.nan, reached.mean(axis=0))
    mirrored = whole and (paired or len(a) == len(b))  # every exchange has an opposite one with the same |t|
    least = (2.0 if mirrored else 1.0) / len(largest)
    ordered = np.sort(largest)[::-1]
    allowed = int(np.floor(alpha * len(largest) + TIES))  # so many of the largest may reach a |t| that differs
    critical = float(ordered[allowed]) if least <= alpha else float("nan")
    return CurveTest(read_only(t[0]), read_only(p), critical, least, len(largest))


def _labels(n1: int, n2: int, exchanges: int, rng: np.random.Generator) -> tuple[FloatArray, bool]:
    """Rows of 0 (first) and 1 (second), the observed one first; all of them if there are not too many."""
    n = n1 + n2
    observed = np.repeat([0.0, 1.0], [n1, n2])
    if comb(n, n2) <= exchanges:
        rows = np.zeros((comb(n, n2), n))
        for row, chosen in zip(rows, combinations(range(n - 1, -1, -1), n2), strict=True):  # the last n2 come first
            row[list(chosen)] = 1.0
        return rows, True
    shuffled = rng.permuted(np.tile(observed, (exchanges, 1)), axis=1)
    return np.concatenate([observed[None], shuffled]), False


def _signs(n: int, exchanges: int, rng: np.random.Generator) -> tuple[FloatArray, bool]:
    if 2**n <= exchanges:
        return np.array(list(product((1.0, -1.0), repeat=n))), True
    return np.concatenate([np.ones((1, n)), rng.choice([-1.0, 1.0], size=(exchanges, n))]), False


def _pooled_t(x: FloatArray, labels: FloatArray) -> FloatArray:
    """t (B, N) of curves (K, N) by labels (B, K)."""
    centred = x - x.mean(axis=0)
    n2 = labels[0].sum()
    n1 = len(x) - n2
    second = labels @ centred / n2
    first = -second * n2 / n1  # both groups together have the mean zero
    within = (centred**2).sum(axis=0) - n1 * first**2 - n2 * second**2
    return _ratio(second - first, within * (1.0 / n1 + 1.0 / n2) / (len(x) - 2), (centred**2).sum(axis=0))


def _paired_t(difference: FloatArray, signs: FloatArray) -> FloatArray:
    """t (B, N) of differences (K, N) with signs (B, K)."""
    n = len(difference)
    mean = signs @ difference / n
    squares = (difference**2).sum(axis=0)
    within = squares - n * mean**2
    return _ratio(mean, within / (n - 1) / n, squares)


def _ratio(difference: FloatArray, variance: FloatArray, squares: FloatArray) -> FloatArray:
    """Difference by its standard error: infinite if only the difference varies, NaN if nothing does."""
    error = np.sqrt(np.where(variance > 1e-14 * squares, variance, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(squares > 0.0, difference / error, np.nan)
