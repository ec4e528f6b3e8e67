"""Intervals of differences and effects against another integral of the distribution, scipy, and coverage."""

import math

import numpy as np
import pytest
import scipy

from biomec.base.errors import BiomecError
from biomec.reporting.statistics.effect_intervals import effect, noncentral_t, noncentrality


def share_below(t: float, freedom: int, noncentral: float) -> float:
    """P(T ≤ t) of (Z + λ) / √(X / ν) by its definition: an integral over the chi-squared X."""

    def part(x: float) -> float:
        return scipy.stats.norm.cdf(t * math.sqrt(x / freedom) - noncentral) * scipy.stats.chi2.pdf(x, freedom)

    return scipy.integrate.quad(part, 0.0, freedom + 40.0 * math.sqrt(2.0 * freedom) + 60.0, limit=400)[0]


@pytest.mark.parametrize(("t", "freedom"), [(0.0, 5), (2.3, 11), (-4.1, 8), (9.0, 30)])
def test_ends_leave_the_tails_that_they_should(t, freedom):
    low, high = noncentrality(t, freedom, 0.95)
    # the integral is good to 1e-8, the search to 1e-10 in λ
    assert share_below(t, freedom, low) == pytest.approx(0.975, abs=1e-7)
    assert share_below(t, freedom, high) == pytest.approx(0.025, abs=1e-7)


def test_differences_have_the_intervals_of_scipy():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.0, 1.0, 9), rng.normal(0.7, 2.0, 9)
    paired = scipy.stats.ttest_rel(b, a).confidence_interval(0.9)
    welch = scipy.stats.ttest_ind(b, a, equal_var=False).confidence_interval(0.9)
    for interval, how in ((paired, True), (welch, False)):
        found = effect(a, b, paired=how, level=0.9)
        assert (found.low, found.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
        assert found.g_low < found.g < found.g_high


@pytest.mark.parametrize(
    ("t", "freedom", "noncentral"), [(1.0, 1, 0.3), (2.0, 6, 1.0), (-1.5, 20, 0.5), (30.0, 3, 12.0)]
)
def test_the_distribution_is_that_of_scipy_where_it_has_one(t, freedom, noncentral):
    found = noncentral_t(t, freedom, noncentral)
    assert found == pytest.approx(scipy.stats.nct.cdf(t, freedom, noncentral), abs=1e-8)  # its own accuracy is 1e-9


@pytest.mark.parametrize("t", [1e4, -1e4])
def test_a_difference_that_hardly_varies_has_an_interval_too(t):
    low, high = noncentrality(t, 4, 0.95)
    assert low < t < high or low > t > high


@pytest.mark.parametrize("paired", [True, False])
def test_the_true_effect_lies_in_95_of_100_intervals(paired):
    """400 samples with an effect of 0.8: 95 % ± 3 standard errors of such a count (√(0.95 · 0.05 / 400) = 1.1 %)."""
    rng = np.random.default_rng(3)
    inside = 0
    for _ in range(400):
        if paired:
            a = np.zeros(10)
            b = rng.normal(0.8, 1.0, 10)
        else:
            a, b = rng.normal(0.0, 1.0, 8), rng.normal(0.8, 1.0, 12)
        found = effect(a, b, paired=paired)
        inside += found.g_low <= 0.8 <= found.g_high
    assert 0.95 - 0.033 <= inside / 400 <= 0.95 + 0.033


def test_what_does_not_vary_or_is_too_little_has_no_effect():
    assert math.isnan(effect([1.0, 1.0], [1.0, 1.0]).low)
    assert math.isnan(effect([1.0], [2.0, 3.0]).difference)
    assert effect([1.0, 2.0], [2.0, 3.0], paired=True).difference == 1.0
    with pytest.raises(BiomecError, match="needs pairs"):
        effect([1.0, 2.0], [1.0], paired=True)
    with pytest.raises(BiomecError, match="level"):
        effect([1.0, 2.0], [1.0, 3.0], level=2.0)
    with pytest.raises(BiomecError, match="missing"):
        effect([1.0, float("nan")], [1.0, 3.0])
