"""The cubic of muscle files: exact on cubics, end conditions, lines outside."""

import numpy as np
import pytest

from biomec.base.errors import DescriptionError
from biomec.engine.paths.simm_spline import curve_at, curves, simm_spline

X = np.array([-1.2, -0.7, 0.1, 0.5, 1.3, 2.0])


def values(rows: np.ndarray, at: np.ndarray) -> np.ndarray:
    curve = curves([rows])
    return np.array([curve_at(curve, 0, x) for x in at])


def test_a_cubic_is_its_own_spline() -> None:
    """End conditions from the cubic through four points are exact for a cubic; natural ends are not."""
    cubic = np.polynomial.Polynomial([0.3, -1.0, 0.7, 2.0])
    at = np.linspace(-1.2, 2.0, 33)
    found = values(simm_spline(X, cubic(X)), at)
    assert found[:, 0] == pytest.approx(cubic(at), abs=1e-13)
    assert found[:, 1] == pytest.approx(cubic.deriv()(at), abs=1e-12)


def test_value_slope_and_bend_are_continuous() -> None:
    y = np.array([0.0, 1.0, -0.5, 0.2, 0.9, 0.1])
    rows = simm_spline(X, y)
    u = np.diff(X)
    for k in range(len(X) - 1):
        _, y0, b, c, d = rows[k]
        assert y0 + u[k] * (b + u[k] * (c + u[k] * d)) == pytest.approx(y[k + 1], abs=1e-14)
        assert b + u[k] * (2 * c + 3 * u[k] * d) == pytest.approx(rows[k + 1, 2], abs=1e-12)
        if k < len(X) - 2:
            assert 2 * c + 6 * u[k] * d == pytest.approx(2 * rows[k + 1, 3], abs=1e-11)
    first = np.polynomial.Polynomial.fit(X[:4], y[:4], 3).convert().coef[3]
    assert rows[0, 4] == pytest.approx(first, rel=1e-11)


def test_it_goes_on_straight_outside() -> None:
    rows = simm_spline(X, X**2)
    found = values(rows, np.array([-2.0, 3.0]))
    assert found[:, 0] == pytest.approx([1.44 + 0.8 * 2.4, 4.0 + 4.0], abs=1e-12)
    assert found[:, 1] == pytest.approx([-2.4, 4.0], abs=1e-12)


@pytest.mark.parametrize(("x", "y", "at", "expected"), [
    ([0.5], [2.0], 7.0, 2.0), ([0.0, 2.0], [1.0, 5.0], 3.0, 7.0), ([0.0, 1.0, 3.0], [0.0, 1.0, 9.0], 2.0, 4.0),
])  # fmt: skip
def test_few_knots_give_constant_line_and_parabola(x: list[float], y: list[float], at: float, expected: float) -> None:
    assert values(simm_spline(x, y), np.array([at]))[0, 0] == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize(("x", "y"), [([], []), ([0.0, 0.0], [1.0, 2.0]), ([0.0, 1.0], [1.0]), ([0.0], [np.nan])])
def test_what_is_no_curve_is_refused(x: list[float], y: list[float]) -> None:
    with pytest.raises(DescriptionError):
        simm_spline(x, y)
