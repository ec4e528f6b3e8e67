"""The interpolating cubic of the SIMM family of muscle files, and the flat tables that compiled code reads.

[ForsytheMalcolmMoler1977] ch. 4: a cubic spline with continuous second derivatives M, whose third derivative in the
first and the last interval is that of the cubic through the four points at that end. Outside the knots the curve goes
on along its end tangents. Two points give a line, three a parabola. It is neither natural nor not-a-knot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.base.errors import DescriptionError


class Curves(NamedTuple):
    """Piecewise cubics y + b u + c u² + d u³, u = x − knot; knots of curve k from first[k] to first[k + 1].

    knots : (n, 5), one row x, y, b, c, d for every knot; the last row of a curve holds value and slope at its end
    """

    first: IntArray
    knots: FloatArray


def simm_spline(x: ArrayLike, y: ArrayLike) -> FloatArray:
    """Rows x, y, b, c, d (n, 5) of the curve through knots x (n,), increasing, with values y (n,).

    One knot is a constant. With h_i = x_{i+1} − x_i and δ_i = (y_{i+1} − y_i)/h_i:

        h_{i−1} M_{i−1} + 2 (h_{i−1} + h_i) M_i + h_i M_{i+1} = 6 (δ_i − δ_{i−1})        inside
        (M_1 − M_0)/h_0 = 6 [x_0, x_1, x_2, x_3] y,  likewise at the other end            (0 for three knots)
    """
    at, value = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    n = at.size
    if at.ndim != 1 or at.shape != value.shape or not n or not (np.isfinite(at).all() and np.isfinite(value).all()):
        raise DescriptionError("A spline needs as many values as knots, at least one, all of them numbers.")
    h = np.diff(at)
    if not (h > 0.0).all():
        raise DescriptionError("The knots of a spline must increase.")
    rows = np.zeros((n, 5))
    rows[:, 0], rows[:, 1] = at, value
    if n == 1:
        return rows
    slope = np.diff(value) / h
    M: FloatArray = np.zeros(n)
    if n > 2:
        A, rhs = np.zeros((n, n)), np.zeros(n)
        for i in range(1, n - 1):
            A[i, i - 1 : i + 2] = h[i - 1], 2.0 * (h[i - 1] + h[i]), h[i]
            rhs[i] = 6.0 * (slope[i] - slope[i - 1])
        A[0, :2] = -1.0, 1.0
        A[-1, -2:] = -1.0, 1.0
        if n > 3:
            rhs[0] = 6.0 * h[0] * _third_difference(at[:4], value[:4])
            rhs[-1] = 6.0 * h[-1] * _third_difference(at[-4:], value[-4:])
        M = np.asarray(np.linalg.solve(A, rhs))
    rows[:-1, 2] = slope - h * (2.0 * M[:-1] + M[1:]) / 6.0
    rows[:-1, 3] = 0.5 * M[:-1]
    rows[:-1, 4] = (M[1:] - M[:-1]) / (6.0 * h)
    rows[-1, 2] = rows[-2, 2] + h[-1] * (2.0 * rows[-2, 3] + 3.0 * h[-1] * rows[-2, 4])
    return rows


def _third_difference(x: FloatArray, y: FloatArray) -> float:
    """Divided difference of third order of four points."""
    first = np.diff(y) / np.diff(x)
    second = np.diff(first) / (x[2:] - x[:-2])
    return float((second[1] - second[0]) / (x[3] - x[0]))


def curves(tables: Sequence[FloatArray]) -> Curves:
    """Rows of several splines, one after the other."""
    sizes = [len(table) for table in tables]
    return Curves(np.cumsum([0, *sizes]), np.concatenate([np.zeros((0, 5)), *tables]))


@compiled
def curve_at(curve: Curves, which: int, x: float) -> tuple[float, float]:
    """Value and slope of a curve; linear outside its knots."""
    first, last = curve.first[which], curve.first[which + 1] - 1
    knots = curve.knots
    if x <= knots[first, 0] or first == last:
        return knots[first, 1] + knots[first, 2] * (x - knots[first, 0]), knots[first, 2]
    if x >= knots[last, 0]:
        return knots[last, 1] + knots[last, 2] * (x - knots[last, 0]), knots[last, 2]
    while last - first > 1:
        middle = (first + last) // 2
        if knots[middle, 0] <= x:
            first = middle
        else:
            last = middle
    u, b, c, d = x - knots[first, 0], knots[first, 2], knots[first, 3], knots[first, 4]
    return knots[first, 1] + u * (b + u * (c + u * d)), b + u * (2.0 * c + 3.0 * u * d)
