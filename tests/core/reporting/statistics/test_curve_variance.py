"""Largest F within people: against least squares, the paired t test, and every exchange written out."""

from itertools import permutations, product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.reporting.statistics.curve_permutation import curve_permutation
from biomec.reporting.statistics.curve_variance import condition_test, pair_tests
from biomec.reporting.statistics.stretch_words import conditions_in_words, difference_of, in_words, stretches_of


def f_by_least_squares(y):
    """F of conditions (K, C) from the residuals of two linear models, with and without the conditions."""
    K, C = y.shape
    people = np.repeat(np.eye(K), C, axis=0)
    both = np.hstack([people, np.tile(np.eye(C), (K, 1))[:, 1:]])

    def rest(X):
        return float(((y.ravel() - X @ np.linalg.lstsq(X, y.ravel(), rcond=None)[0]) ** 2).sum())

    return (rest(people) - rest(both)) / (C - 1) / (rest(both) / ((K - 1) * (C - 1)))


def test_f_is_that_of_linear_models_and_p_of_all_exchanges():
    y = np.random.default_rng(0).normal(size=(4, 3, 6)) + np.linspace(0.0, 2.0, 3)[:, None]
    found = condition_test(y)
    assert found.exchanges == 6**4
    assert_allclose(found.F, [f_by_least_squares(y[:, :, t]) for t in range(6)], rtol=1e-9)
    largest = []
    for orders in product(permutations(range(3)), repeat=4):
        exchanged = np.array([y[k, list(order)] for k, order in enumerate(orders)])
        K, C = 4, 3
        centred = exchanged - exchanged.mean(axis=1, keepdims=True)
        means = centred.mean(axis=0)
        rest = ((centred - means) ** 2).sum(axis=(0, 1)) / ((K - 1) * (C - 1))
        largest.append((K * (means**2).sum(axis=0) / (C - 1) / rest).max())
    p = [np.mean(np.array(largest) >= F * (1 - 1e-9)) for F in found.F]
    assert_allclose(found.p, p, atol=1e-12)


def test_two_conditions_are_the_paired_test():
    """F = t², and every exchange of two conditions is a change of sign."""
    y = np.random.default_rng(1).normal(size=(7, 2, 9))
    y[:, 1, 4] += 3.0
    found, pair = condition_test(y), curve_permutation(y[:, 0], y[:, 1], paired=True)
    assert_allclose(found.F, pair.t**2, rtol=1e-9)
    assert_allclose(found.p, pair.p, atol=1e-12)
    assert found.exchanges == pair.exchanges == 2**7
    assert found.different(0.05).tolist() == pair.different(0.05).tolist()


def test_pairs_are_corrected_by_holm():
    rng = np.random.default_rng(2)
    y = rng.normal(scale=0.3, size=(8, 3, 5))
    y[:, 2] += 2.0
    found = {(one.first, one.second): one for one in pair_tests(y)}
    assert set(found) == {(0, 1), (0, 2), (1, 2)}
    plain = {pair: curve_permutation(y[:, pair[0]], y[:, pair[1]], paired=True).p for pair in found}
    order = sorted(found, key=lambda pair: plain[pair].min())
    least = 0.0
    for factor, pair in zip((3, 2, 1), order, strict=True):
        assert_allclose(found[pair].p, np.clip(np.maximum(factor * plain[pair], least), None, 1.0), atol=1e-12)
        least = max(least, factor * plain[pair].min())
    assert found[0, 2].p.max() < 0.05
    assert found[0, 1].p.min() > 0.05
    assert_allclose(found[0, 2].difference, (y[:, 2] - y[:, 0]).mean(axis=0))


def test_many_exchanges_are_drawn_and_nothing_varies_nowhere():
    y = np.random.default_rng(3).normal(size=(6, 4, 4))
    y[:, :, 2] = 1.0
    found = condition_test(y, exchanges=300)
    assert found.exchanges == 301
    assert np.isnan(found.F[2])
    assert np.isnan(found.p[2])
    assert not found.different(0.05)[2]
    for wrong in (np.ones((1, 3, 4)), np.ones((3, 1, 4)), np.full((3, 3, 4), np.nan), np.ones((3, 3))):
        with pytest.raises(BiomecError, match="Comparison of conditions"):
            condition_test(wrong)


# ------------------------------------------------------------------------------------------------------------ in words
def test_a_stretch_is_said_with_its_ends_and_the_test():
    rng = np.random.default_rng(6)
    first = rng.normal(scale=0.5, size=(6, 101))
    second = rng.normal(scale=0.5, size=(6, 101))
    second[:, 32:48] += 5.0
    test = curve_permutation(first, second, exchanges=1000)
    difference = difference_of(first, second)
    (one,) = stretches_of(test, difference)
    assert (one.first, one.last) == (32.0, 47.0)
    assert one.low < one.largest < one.high
    error = np.sqrt((first.var(axis=0, ddof=1) + second.var(axis=0, ddof=1)) / 6)[int(one.at)]  # two samples of six
    assert one.high - one.largest == pytest.approx(test.critical * error, rel=1e-9)
    sentence, method, caution = in_words(test, difference, "°", cycles=True)
    assert sentence.startswith("32–47 %, p = 0.00")
    assert f"at {one.at:.0f} %" in sentence
    assert "largest |t|, two samples" in method
    assert f"{test.exchanges} exchanges [NicholsHolmes2002]" in method
    assert "these cycles only" in caution


def test_no_stretch_and_too_few_curves_are_said():
    rng = np.random.default_rng(5)
    test = curve_permutation(rng.normal(size=(2, 11)), rng.normal(size=(2, 11)))
    words = in_words(test, np.zeros(11), "°")
    assert words[0].startswith("No stretch of the cycle differs")
    assert "can never differ" in words[1]
    y = rng.normal(scale=0.2, size=(5, 3, 11))
    y[:, 1, 3:6] += 4.0
    assert conditions_in_words(condition_test(y))[0].startswith("30–50 %, p = ")
    assert "largest F within people" in conditions_in_words(condition_test(y))[-1]
