"""Do more than two conditions differ, and where? Permutation within people, the largest F of a whole curve.

Each of K people (or other blocks) has a curve in each of C conditions. At every sample

    F = [K Σ_c (ȳ_c − ȳ)² / (C − 1)] / [Σ (y_kc − ȳ_k − ȳ_c + ȳ)² / ((K − 1) (C − 1))]

If the conditions do not differ, their names may be exchanged within each person, all ways or many at random; the
largest F anywhere in the curve is noted each time, as in `curve_permutation` [NicholsHolmes2002]. Pairs of conditions
are then compared by the paired permutation test, with the probabilities of all pairs by Holm [Holm1979].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from math import factorial

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.reporting.statistics.curve_permutation import TIES, curve_permutation
from biomec.reporting.statistics.load_comparison import holm

BATCH = 200  # exchanges at a time


@dataclass(frozen=True, eq=False)
class ConditionTest:
    """Result for curves of N samples; arrays are read-only.

    F        : (N,) NaN where nothing varies;  p : (N,) probability of so large an F anywhere in the curve by chance
    critical : F beyond which a sample differs; NaN if there are too few people for any sample to
    exchanges : in how many ways conditions were exchanged
    """

    F: FloatArray
    p: FloatArray
    critical: float
    exchanges: int

    def different(self, alpha: float) -> BoolArray:
        """(N,) samples that differ at that level."""
        return np.nan_to_num(self.p, nan=1.0) <= alpha


@dataclass(frozen=True, eq=False)
class PairTest:
    """Two conditions, by their numbers: probability (N,) of the paired test after Holm, and second less first (N,)."""

    first: int
    second: int
    p: FloatArray
    difference: FloatArray


def condition_test(curves: ArrayLike, *, alpha: float = 0.05, exchanges: int = 2000, seed: int = 0) -> ConditionTest:
    """Compare conditions of curves (K, C, N), without missing values; at least two people and two conditions."""
    y = _checked(curves)
    K, C, _ = y.shape
    orders, whole = _orders(K, C, exchanges, np.random.default_rng(seed))
    observed = _f(y[None])[0]
    largest = np.empty(len(orders))
    for begin in range(0, len(orders), BATCH):
        part = orders[begin : begin + BATCH]  # (B, K, C)
        exchanged = np.take_along_axis(y[None], part[..., None], axis=2)
        largest[begin : begin + BATCH] = np.nan_to_num(_f(exchanged), nan=0.0, posinf=np.inf).max(axis=1)
    reached = largest[:, None] >= observed * (1.0 - TIES)
    p = np.where(np.isnan(observed), np.nan, reached.mean(axis=0))
    ordered = np.sort(largest)[::-1]
    allowed = int(np.floor(alpha * len(largest) + TIES))
    least = (factorial(C) if whole else 1) / len(largest)  # renaming all conditions alike gives the same F
    critical = float(ordered[allowed]) if least <= alpha else float("nan")
    return ConditionTest(read_only(observed), read_only(p), critical, len(largest))


def pair_tests(curves: ArrayLike, *, exchanges: int = 2000, seed: int = 0) -> tuple[PairTest, ...]:
    """Every pair of conditions of curves (K, C, N), probabilities by Holm over the pairs.

    A pair is as improbable as its most improbable sample. In the order of these, the probabilities of the first of m
    pairs are multiplied by m, those of the next by m − 1, and so on; none is smaller than one before it.
    """
    y = _checked(curves)
    pairs = list(combinations(range(y.shape[1]), 2))
    found = [curve_permutation(y[:, a], y[:, b], paired=True, exchanges=exchanges, seed=seed) for a, b in pairs]
    adjusted = holm_curves([one.p for one in found])
    return tuple(
        PairTest(a, b, read_only(p), read_only((y[:, b] - y[:, a]).mean(axis=0)))
        for (a, b), p in zip(pairs, adjusted, strict=True)
    )


def holm_curves(p: Sequence[FloatArray]) -> list[FloatArray]:
    """Probabilities (N,) of several curves, each as improbable as its most improbable sample, by Holm."""
    least = [float(np.nanmin(one)) if np.isfinite(one).any() else 1.0 for one in p]
    floors = holm(np.array(least))
    adjusted: dict[int, FloatArray] = {}
    for rank, k in enumerate(np.argsort(least, kind="stable")):
        adjusted[int(k)] = np.clip(np.maximum((len(p) - rank) * p[k], floors[k]), None, 1.0)
    return [adjusted[k] for k in range(len(p))]


def _checked(curves: ArrayLike) -> FloatArray:
    y = np.asarray(curves, dtype=np.float64)
    if y.ndim != 3 or min(y.shape[:2]) < 2 or not np.isfinite(y).all():
        raise BiomecError(
            "Comparison of conditions needs whole curves of two people at least in two conditions or more; the shape "
            f"is {' × '.join(map(str, y.shape))}."
        )
    return y


def _f(y: FloatArray) -> FloatArray:
    """F (B, N) of curves (B, K, C, N)."""
    _, K, C, _ = y.shape
    y = y - y.mean(axis=(1, 2), keepdims=True)
    conditions, people = y.mean(axis=1, keepdims=True), y.mean(axis=2, keepdims=True)
    between = K * (conditions**2).sum(axis=(1, 2)) / (C - 1)
    within = ((y - conditions - people) ** 2).sum(axis=(1, 2)) / ((K - 1) * (C - 1))
    total = (y**2).sum(axis=(1, 2))
    within = np.where(within > 1e-14 * total, within, 0.0)
    between = np.where(between > 1e-14 * total, between, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(between / within)  # NaN where neither varies


def _orders(people: int, conditions: int, exchanges: int, rng: np.random.Generator) -> tuple[IntArray, bool]:
    """Orders (B, K, C) of the conditions within each person, the observed one first; all of them if not too many."""
    if factorial(conditions) ** people <= exchanges:
        every: Iterator[Sequence[tuple[int, ...]]] = product(permutations(range(conditions)), repeat=people)
        return np.array(list(every), dtype=np.int64), True
    observed = np.tile(np.arange(conditions), (people, 1))
    drawn = rng.permuted(np.tile(observed, (exchanges, 1, 1)), axis=2)
    return np.concatenate([observed[None], drawn]), False
