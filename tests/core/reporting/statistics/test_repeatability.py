"""Repeatability of curves against sums written out, reliability of values against the published example."""

import math

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.reporting.statistics.repeatability import between_sessions, reliability, within_sessions

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
"""Table 2 of [ShroutFleiss1979]: six people, four judges."""


def kadaba(sessions):
    """Both coefficients as printed, sum by sum, for the same number of cycles N in each of M sessions."""
    Y = np.array(sessions)
    M, N, T = Y.shape
    inner = outer = inner_b = outer_b = 0.0
    for i in range(M):
        for j in range(N):
            for t in range(T):
                inner += (Y[i, j, t] - Y[i, :, t].mean()) ** 2 / (M * T * (N - 1))
                outer += (Y[i, j, t] - Y[i].mean()) ** 2 / (M * (N * T - 1))
                inner_b += (Y[i, j, t] - Y[:, :, t].mean()) ** 2 / (T * (M * N - 1))
                outer_b += (Y[i, j, t] - Y.mean()) ** 2 / (M * N * T - 1)
    return math.sqrt(1 - inner / outer), math.sqrt(1 - inner_b / outer_b)


def test_coefficients_are_those_of_the_sums():
    rng = np.random.default_rng(0)
    curve = 30.0 * np.sin(np.linspace(0.0, 2 * np.pi, 21))
    sessions = [curve + 5.0 * i + rng.normal(scale=3.0, size=(4, 21)) for i in range(3)]
    within, between = kadaba(sessions)
    assert within_sessions(sessions).cmc == pytest.approx(within, abs=1e-12)
    assert between_sessions(sessions).cmc == pytest.approx(between, abs=1e-12)
    assert between < within  # markers placed anew shift whole curves
    assert within_sessions(sessions).mean_sd == pytest.approx(3.0, rel=0.2)
    assert (within_sessions(sessions).cycles, within_sessions(sessions).sessions) == (12, 3)


def test_cycles_that_are_alike_have_one_and_a_flat_curve_has_none():
    curve = np.sin(np.linspace(0.0, 6.0, 50))
    assert within_sessions([[curve, curve]]).cmc == 1.0
    assert math.isnan(within_sessions([np.array([[0.0] * 50, [1.0] * 50])]).cmc)  # offset only: negative under the root
    assert math.isnan(within_sessions([np.ones((3, 50))]).cmc)
    # closed form: two cycles s ± e have Σ(Y − Ȳ_t)²/(T(N − 1)) = 2e², and Σ(Y − Ȳ)² = 2 Σ(s − s̄)² + 2 T e²
    e, T = 0.3, len(curve)
    squares = ((curve - curve.mean()) ** 2).sum()
    expected = math.sqrt(1 - 2 * e**2 / ((2 * squares + 2 * T * e**2) / (2 * T - 1)))
    assert within_sessions([[curve + e, curve - e]]).cmc == pytest.approx(expected, abs=1e-12)


def test_sessions_may_have_different_numbers_of_cycles():
    rng = np.random.default_rng(1)
    curve = np.sin(np.linspace(0.0, 6.0, 30))
    found = within_sessions([curve + rng.normal(scale=0.1, size=(n, 30)) for n in (1, 3, 5)])
    assert 0.9 < found.cmc < 1.0
    assert found.cycles == 9


@pytest.mark.parametrize(
    "wrong", [[], [np.ones((2, 5)), np.ones((2, 6))], [np.full((2, 5), np.nan)], [np.ones((1, 5))]]
)
def test_what_cannot_be_repeated_is_refused(wrong):
    with pytest.raises(BiomecError, match="Repeatability"):
        within_sessions(wrong)


def test_reliability_is_that_of_the_published_example():
    """[ShroutFleiss1979] give ICC(2,1) = 0.29, and mean squares of 11.24, 32.49 and 1.02."""
    found = reliability(SHROUT_FLEISS)
    assert found.icc == pytest.approx(0.29, abs=0.005)
    assert found.sem == pytest.approx(math.sqrt(1.02), abs=0.005)
    assert found.mdc95 == pytest.approx(2.7718 * math.sqrt(1.02), abs=0.015)
    assert (found.people, found.occasions) == (6, 4)


def test_reliability_needs_a_whole_table():
    assert math.isnan(reliability(np.ones((3, 2))).icc)
    assert reliability([[1.0, 1.0], [2.0, 2.0]]).icc == pytest.approx(1.0)
    for wrong in ([[1.0, 2.0]], [[1.0], [2.0]], [[1.0, np.nan], [2.0, 3.0]], [1.0, 2.0]):
        with pytest.raises(BiomecError, match="two people"):
            reliability(wrong)
