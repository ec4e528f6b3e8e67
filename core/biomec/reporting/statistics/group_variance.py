"""Do more than two groups of curves differ, and where? Permutation of whole curves between groups, the largest F.

Curves of n_c units in each of C groups, n in all, such as the cycles of a person in several visits. At every sample

    F = [Σ_c n_c (ȳ_c − ȳ)² / (C − 1)] / [Σ (y_kc − ȳ_c)² / (n − C)]

If the groups do not differ, it does not matter which curve belongs to which: curves are exchanged between groups, all
ways or many at random, and the largest F anywhere in the curve is noted each time [NicholsHolmes2002]. Of two groups F
is t² of `curve_permutation`. Pairs of groups are compared by that test, with the probabilities of all pairs by Holm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import factorial, prod

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.reporting.statistics.curve_permutation import TIES, CurveTest, curve_permutation
from biomec.reporting.statistics.curve_variance import ConditionTest, holm_curves

BATCH = 500  # exchanges at a time


@dataclass(frozen=True, eq=False)
class GroupPair:
    """Two groups, by their numbers, and the test of first less second; its p by Holm over the pairs.

    The critical value is that at α / number of pairs, so that bands made with it hold for all pairs together.
    """

    first: int
    second: int
    test: CurveTest


def group_test(
    groups: Sequence[ArrayLike], *, alpha: float = 0.05, exchanges: int = 2000, seed: int = 0
) -> ConditionTest:
    """Compare groups of curves (n_c, N), without missing values; at least two groups, two curves in each."""
    parts = _checked(groups)
    y = np.concatenate(parts)
    y = y - y.mean(axis=0)
    sizes = [len(one) for one in parts]
    labels, whole = _labels(sizes, exchanges, np.random.default_rng(seed))
    F = np.concatenate([_f(y, labels[k : k + BATCH], sizes) for k in range(0, len(labels), BATCH)])
    largest = np.nan_to_num(F, nan=0.0, posinf=np.inf).max(axis=1)
    reached = largest[:, None] >= F[0] * (1.0 - TIES)
    p = np.where(np.isnan(F[0]), np.nan, reached.mean(axis=0))
    alike = prod(factorial(count) for count in Counter(sizes).values())  # groups of one size may change their names
    least = (alike if whole else 1) / len(largest)
    allowed = int(np.floor(alpha * len(largest) + TIES))
    critical = float(np.sort(largest)[::-1][allowed]) if least <= alpha else float("nan")
    return ConditionTest(read_only(F[0]), read_only(p), critical, len(largest))


def group_pairs(
    groups: Sequence[ArrayLike], *, alpha: float = 0.05, exchanges: int = 2000, seed: int = 0
) -> tuple[GroupPair, ...]:
    """Every pair of groups."""
    parts = _checked(groups)
    pairs = list(combinations(range(len(parts)), 2))
    found = [
        curve_permutation(parts[b], parts[a], alpha=alpha / len(pairs), exchanges=exchanges, seed=seed)
        for a, b in pairs
    ]
    adjusted = holm_curves([one.p for one in found])
    return tuple(
        GroupPair(a, b, replace(one, p=read_only(p))) for (a, b), one, p in zip(pairs, found, adjusted, strict=True)
    )


def _checked(groups: Sequence[ArrayLike]) -> list[FloatArray]:
    parts = [np.asarray(one, dtype=np.float64) for one in groups]
    if len(parts) < 2 or any(
        one.ndim != 2 or len(one) < 2 or one.shape[1] != parts[0].shape[1] or not np.isfinite(one).all()
        for one in parts
    ):
        raise BiomecError("Comparison of groups needs two groups at least, each of two whole curves or more.")
    return parts


def _f(y: FloatArray, labels: IntArray, sizes: Sequence[int]) -> FloatArray:
    """F (B, N) of curves (n, N), centred, by labels (B, n)."""
    total = (y**2).sum(axis=0)
    between = sum(((labels == c).astype(float) @ y) ** 2 / size for c, size in enumerate(sizes))
    within = total - between
    within = np.where(within > 1e-14 * total, within, 0.0) / (len(y) - len(sizes))
    between = np.where(between > 1e-14 * total, between, 0.0) / (len(sizes) - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(between / within)  # NaN where nothing varies


def _labels(sizes: Sequence[int], exchanges: int, rng: np.random.Generator) -> tuple[IntArray, bool]:
    """Rows (B, n) of groups, the observed one first; all of them if there are not too many."""
    n = sum(sizes)
    observed = np.repeat(np.arange(len(sizes)), sizes)
    if factorial(n) // prod(map(factorial, sizes)) <= exchanges:
        return np.array(list(_every(tuple(range(n)), sizes))), True
    shuffled = rng.permuted(np.tile(observed, (exchanges, 1)), axis=1)
    return np.concatenate([observed[None], shuffled]), False


def _every(free: tuple[int, ...], sizes: Sequence[int], group: int = 0) -> Iterator[IntArray]:
    """All ways to give curves to groups; the first gives the first ones to the first group."""
    total = sum(sizes)
    if group == len(sizes):
        yield np.zeros(total, dtype=np.int64)
        return
    for chosen in combinations(free, sizes[group]):
        rest = tuple(k for k in free if k not in chosen)
        for row in _every(rest, sizes, group + 1):
            row[list(chosen)] = group
            yield row
