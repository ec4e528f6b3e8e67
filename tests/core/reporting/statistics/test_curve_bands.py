"""Bootstrap bands: against the normal law at one sample, and how often they hold for smooth random curves."""

import numpy as np
import pytest
import scipy
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.errors import BiomecError
from biomec.reporting.statistics.curve_bands import mean_band, prediction_band


def smooth(rng, count):
    """Curves about a sine, whose deviations are three random harmonics."""
    t = np.linspace(0.0, 1.0, 51)
    shapes = np.array([np.ones_like(t), np.sin(2 * np.pi * t), np.cos(2 * np.pi * t), np.sin(4 * np.pi * t)])
    return 20.0 * np.sin(2 * np.pi * t) + rng.normal(size=(count, 4)) @ shapes


def test_at_one_sample_the_factor_is_that_of_the_normal_law():
    """Oracle: 97.5 % quantile of t with n − 1 degrees of freedom; of one curve the same, √(1 + 1/n) wider."""
    curves = np.random.default_rng(1).normal(size=(400, 1))
    t = scipy.stats.t.ppf(0.975, 399)
    # 4000 drawings leave about 0.04 in a 95 % quantile of |t|; 400 curves 0.08 in that of their own distribution
    assert mean_band(curves, drawn=4000).factor == pytest.approx(t, abs=0.1)
    assert prediction_band(curves, drawn=200).factor == pytest.approx(t * np.sqrt(1 + 1 / 400), abs=0.2)


def test_curves_that_move_as_a_whole_are_one_question():
    """x_k(t) = m(t) + a_k g(t): the ratio is the same at every sample, so the factor is that of the numbers a_k."""
    a = np.random.default_rng(2).normal(size=(12, 1))
    g = np.linspace(1.0, 5.0, 31)
    whole, single = mean_band(np.sin(g) + a * g), mean_band(a)
    assert whole.factor == pytest.approx(single.factor, rel=1e-9)
    assert_allclose(whole.high - whole.mean, single.factor * g * a.std(ddof=1) / np.sqrt(12), rtol=1e-9)


def test_the_band_holds_as_often_as_it_says():
    rng = np.random.default_rng(3)
    true = 20.0 * np.sin(2 * np.pi * np.linspace(0.0, 1.0, 51))
    held = 0
    for trial in range(100):
        band = mean_band(smooth(rng, 20), drawn=200, seed=trial)
        held += bool(((band.low <= true) & (true <= band.high)).all())
    assert held >= 88  # 95 expected; below 88 with a chance of 0.3 % (binomial)
    pointwise = np.mean([abs(smooth(rng, 20).mean(axis=0) - true).max() > 1.96 / np.sqrt(20) for _ in range(100)])
    assert pointwise > 0.1  # a band for single samples would miss the curve far more often than 5 %


def test_the_same_seed_gives_the_same_band():
    curves = smooth(np.random.default_rng(4), 8)
    assert_array_equal(mean_band(curves).high, mean_band(curves).high)
    assert mean_band(curves, seed=1).factor != mean_band(curves).factor
    assert "8 curves by the bootstrap" in mean_band(curves).words


def test_curves_that_are_alike_have_no_band_and_few_have_none_at_all():
    flat = mean_band(np.ones((5, 11)))
    assert (flat.factor, flat.high.max()) == (0.0, 1.0)
    for wrong in (np.ones((2, 11)), np.full((5, 11), np.nan), np.ones(5)):
        with pytest.raises(BiomecError, match="3 whole curves"):
            mean_band(wrong)
    with pytest.raises(BiomecError, match="level"):
        mean_band(np.ones((5, 11)), level=1.0)
