"""Derivatives against analytic functions, exact polynomials, and the order of convergence."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.errors import BiomecError
from biomec.signals.derivatives import Scheme, derivative


def error(rate, order, scheme):
    t = np.arange(round(2.0 * rate) + 1) / rate
    x = np.stack([np.sin(3.0 * t), np.exp(-t)], axis=1)
    truth = {1: [3.0 * np.cos(3.0 * t), -np.exp(-t)], 2: [-9.0 * np.sin(3.0 * t), np.exp(-t)]}[order]
    return np.abs(derivative(x, rate, order, scheme) - np.stack(truth, axis=1))


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize(("scheme", "inner", "ends"), [(Scheme.CENTRAL, 2, 2), (Scheme.SPLINE, 4, 4)])
def test_order_of_convergence(order, scheme, inner, ends):
    """Errors fall as h², ends included; those of the quintic spline as h⁶⁻ᵒʳᵈᵉʳ at least."""
    coarse, fine = error(50.0, order, scheme), error(100.0, order, scheme)
    assert np.log2(coarse.max() / fine.max()) > ends - 0.3
    middle = np.log2(coarse[20:-20].max() / fine[40:-40].max())
    assert middle > inner - 0.1


def test_parabolas_are_exact_and_so_are_quintics_by_splines():
    t = np.arange(20) / 50.0
    assert_allclose(derivative(2.0 - t + 3.0 * t**2, 50.0), -1.0 + 6.0 * t, atol=1e-11)
    assert_allclose(derivative(2.0 - t + 3.0 * t**2, 50.0, 2), 6.0, atol=1e-9)
    assert_allclose(derivative(t**3, 50.0, 2), 6.0 * t, atol=1e-9)  # the ends too
    assert_allclose(derivative(t**5, 50.0, 1, Scheme.SPLINE), 5.0 * t**4, atol=1e-10)
    assert_allclose(derivative(t**5, 50.0, 2, Scheme.SPLINE), 20.0 * t**3, atol=1e-8)


def test_a_natural_spline_is_exact_for_a_parabola_and_as_good_as_the_other_away_from_the_ends():
    t = np.linspace(0.0, 1.2, 61)
    assert_allclose(derivative(3.0 * t**2, 50.0, 2, Scheme.NATURAL), 6.0, atol=1e-8)
    wave = np.sin(5.0 * t)
    natural, plain = (derivative(wave, 50.0, 2, scheme) for scheme in (Scheme.NATURAL, Scheme.SPLINE))
    # the ends differ by 25 in the second derivative at most, and are forgotten by 0.43 a sample
    assert_allclose(natural[20:-20], plain[20:-20], atol=25.0 * 0.43**20 * 10.0)


@pytest.mark.parametrize("order", [1, 2])
def test_numpy_agrees_away_from_the_ends(order):
    x = np.random.default_rng(0).normal(size=(50, 4, 3))
    expected = np.gradient(x, 0.01, axis=0, edge_order=2) if order == 1 else np.diff(x, 2, axis=0) / 0.01**2
    found = derivative(x, 100.0, order)
    assert_allclose(found if order == 1 else found[1:-1], expected, rtol=1e-10, atol=1e-7)


@pytest.mark.parametrize("scheme", list(Scheme))
def test_gaps_are_not_bridged(scheme):
    x = np.random.default_rng(0).normal(size=(60, 2))
    x[30, 0] = np.nan
    x[33, 0] = np.nan
    found = derivative(x, 100.0, scheme=scheme)
    assert_array_equal(
        np.flatnonzero(np.isnan(found[:, 0])), [30, 31, 32, 33]
    )  # two samples have no second-order slope
    assert_allclose(found[:30, 0], derivative(x[:30, 0], 100.0, scheme=scheme), rtol=1e-9, atol=1e-9)
    assert np.isfinite(found[:, 1]).all()


def test_impossible_requests_are_refused():
    with pytest.raises(BiomecError, match="order 3"):
        derivative(np.zeros(10), 100.0, 3)
    with pytest.raises(BiomecError, match="rate"):
        derivative(np.zeros(10), -1.0)
