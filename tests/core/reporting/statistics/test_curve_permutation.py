import numpy as np
import pytest
from scipy import stats

from biomec.base.errors import BiomecError
from biomec.reporting.statistics.curve_permutation import curve_permutation


def smooth(rng, count, samples=60):
    """Curves that vary as slowly as loads do."""
    wide = rng.normal(size=(count, samples + 20))
    return np.stack([np.convolve(row, np.hanning(21) / 3.3, mode="valid") for row in wide])


@pytest.mark.parametrize("paired", [False, True])
def test_t_is_that_of_scipy_at_every_sample(paired):
    rng = np.random.default_rng(1)
    a, b = smooth(rng, 7), smooth(rng, 7) + 0.3
    expected = stats.ttest_rel(b, a).statistic if paired else stats.ttest_ind(b, a).statistic
    found = curve_permutation(a, b, paired=paired)
    np.testing.assert_allclose(found.t, expected, rtol=0, atol=1e-12)


def test_one_sample_is_the_exact_permutation_test():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(5, 1)), rng.normal(size=(6, 1)) + 1.0
    found = curve_permutation(a, b)

    def statistic(x, y):
        return np.abs(stats.ttest_ind(y, x).statistic)

    exact = stats.permutation_test((a[:, 0], b[:, 0]), statistic, n_resamples=np.inf, alternative="greater")
    assert found.exchanges == 462  # all ways to take six of eleven
    assert found.p[0] == pytest.approx(exact.pvalue, abs=1e-12)


def test_paired_signs_are_all_tried():
    rng = np.random.default_rng(3)
    difference = rng.normal(size=(8, 1)) + 0.5
    found = curve_permutation(np.zeros((8, 1)), difference, paired=True)

    def statistic(x):
        return np.abs(stats.ttest_1samp(x, 0.0).statistic)

    exact = stats.permutation_test(
        (difference[:, 0],), statistic, permutation_type="samples", n_resamples=np.inf, alternative="greater"
    )
    assert found.exchanges == 256
    assert found.p[0] == pytest.approx(exact.pvalue, abs=1e-12)


@pytest.mark.parametrize("paired", [False, True])
def test_equal_conditions_are_seldom_called_different(paired):
    rng = np.random.default_rng(4)
    trials = 300
    wrong = 0
    for _ in range(trials):
        a, b = smooth(rng, 6), smooth(rng, 6)
        found = curve_permutation(a, b, paired=paired, alpha=0.1, exchanges=400)
        wrong += bool(found.different(0.1).any())
    # binomial: 0.1 expected at most, 300 trials; 3 standard deviations above are 0.152
    assert wrong / trials < 0.152
    assert wrong / trials > 0.02  # and the test is not simply silent
    uncorrected = np.mean([(stats.ttest_ind(smooth(rng, 6), smooth(rng, 6)).pvalue < 0.1).any() for _ in range(trials)])
    assert uncorrected > 0.2  # what a t test at every sample would do


def test_a_bump_is_found_where_it_is():
    rng = np.random.default_rng(5)
    a, b = smooth(rng, 8), smooth(rng, 8)
    b[:, 25:35] += 5.0
    found = curve_permutation(a, b)
    there = found.different(0.05)
    assert there[27:33].all()
    assert not there[:20].any()
    assert not there[40:].any()
    np.testing.assert_array_equal(there, np.abs(found.t) > found.critical)


def test_too_few_curves_can_show_nothing_and_say_so():
    rng = np.random.default_rng(6)
    found = curve_permutation(smooth(rng, 3), smooth(rng, 3) + 100.0)
    assert found.least_p == pytest.approx(0.1)  # 20 ways, each with its opposite
    assert not found.different(0.05).any()
    assert np.isnan(found.critical)
    with pytest.raises(BiomecError, match="at least two of each"):
        curve_permutation(smooth(rng, 1), smooth(rng, 5))
    with pytest.raises(BiomecError, match="where they are paired"):
        curve_permutation(smooth(rng, 4), smooth(rng, 5), paired=True)


def test_constant_samples_are_left_alone():
    rng = np.random.default_rng(7)
    a, b = smooth(rng, 5), smooth(rng, 5)
    a[:, 3] = b[:, 3] = 7.0
    a[:, 4], b[:, 4] = 0.0, 1.0  # nothing varies but the difference
    found = curve_permutation(a, b)
    assert np.isnan(found.t[3])
    assert np.isnan(found.p[3])
    assert found.t[4] == np.inf
    assert found.p[4] == pytest.approx(2.0 / 252.0)
