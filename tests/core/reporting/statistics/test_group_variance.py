"""Largest F between groups: against SciPy's one-way F, every exchange written out, and the test of two samples."""

from itertools import permutations

import numpy as np
import pytest
import scipy
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.reporting.statistics.curve_permutation import curve_permutation
from biomec.reporting.statistics.group_variance import group_pairs, group_test


def f_of(parts):
    return scipy.stats.f_oneway(*parts, axis=0).statistic


def test_f_is_the_one_way_f_and_p_that_of_all_exchanges():
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=(n, 5)) + shift for n, shift in ((2, 0.0), (3, 1.0), (2, 2.0))]
    found = group_test(parts)
    assert found.exchanges == 210  # 7! / (2! 3! 2!)
    assert_allclose(found.F, f_of(parts), rtol=1e-9)
    y = np.concatenate(parts)
    largest = []
    for order in permutations(range(7)):  # each way to make groups stands 24 times among these
        z = y[list(order)]
        largest.append(f_of([z[:2], z[2:5], z[5:]]).max())
    p = [np.mean(np.array(largest) >= F * (1 - 1e-9)) for F in found.F]
    assert_allclose(found.p, p, atol=1e-12)


def test_two_groups_are_the_test_of_two_samples():
    """F = t², over the same exchanges."""
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(5, 9)), rng.normal(size=(4, 9))
    second[:, 4] += 4.0
    found, pair = group_test([first, second]), curve_permutation(first, second)
    assert_allclose(found.F, pair.t**2, rtol=1e-9)
    assert_allclose(found.p, pair.p, atol=1e-12)
    assert found.exchanges == pair.exchanges == 126
    assert found.critical == pytest.approx(pair.critical**2)
    assert found.different(0.05).tolist() == [k == 4 for k in range(9)]


def test_pairs_are_first_less_second_and_corrected_by_holm():
    rng = np.random.default_rng(2)
    parts = [rng.normal(scale=0.3, size=(6, 5)) for _ in range(3)]
    parts[2] += 2.0
    found = {(one.first, one.second): one.test for one in group_pairs(parts)}
    assert set(found) == {(0, 1), (0, 2), (1, 2)}
    plain = {(a, b): curve_permutation(parts[b], parts[a], alpha=0.05 / 3) for a, b in found}
    least = 0.0
    order = sorted(found, key=lambda pair: plain[pair].p.min())
    for factor, pair in zip((3, 2, 1), order, strict=True):
        assert_allclose(found[pair].p, np.clip(np.maximum(factor * plain[pair].p, least), None, 1.0), atol=1e-12)
        least = max(least, factor * plain[pair].p.min())
        assert found[pair].critical == plain[pair].critical
    assert (found[0, 2].t < 0.0).all()
    assert found[0, 2].p.max() < 0.05
    assert found[0, 1].p.min() > 0.05


def test_drawn_exchanges_repeat_and_nothing_varies_nowhere():
    rng = np.random.default_rng(3)
    parts = [rng.normal(size=(5, 4)) for _ in range(3)]
    for one in parts:
        one[:, 2] = 1.0
    found, again = group_test(parts, exchanges=300), group_test(parts, exchanges=300)
    assert found.exchanges == 301
    assert_allclose(found.p, again.p, atol=0.0)
    assert np.isnan(found.F[2])
    assert not found.different(1.0 - 1e-9)[2]
    few = group_test([one[:2] for one in parts])
    assert few.exchanges == 90
    assert np.isnan(few.critical)  # 3! / 90 is more than 0.05
    for wrong in ([np.ones((3, 4))], [np.ones((3, 4)), np.ones((1, 4))], [np.ones((2, 4)), np.full((2, 4), np.nan)]):
        with pytest.raises(BiomecError, match="Comparison of groups"):
            group_test(wrong)
