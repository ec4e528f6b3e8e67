"""The algebra behind every constraint: three kinds of scalar equation in the coordinates.

A joint is written as rows of these kinds; `rows.py` evaluates all rows of a kind together.

    Quadratic   φ = xᵀN x + bᵀx + k₀ − k(t)           rigid bodies, all joints, distances, linear rows (N = 0)
    Ellipsoid   φ = yᵀH y − 1,  y = Aᵀd               a point gliding on an ellipsoid fixed in a body (quartic)
    Angle       φ = v·u − L cos a  or  (v×u)·e − L sin a   angle drivers and added angle coordinates

Theory §4.1. Equation numbers are those of [Nunes2017].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.engine.maps import VectorMap


@dataclass(frozen=True)
class Quadratic:
    """φ = xᵀN x + bᵀx + k₀ − k(t) with x = q[columns]: Φq = xᵀ(N+Nᵀ) + bᵀ, Φ̇q q̇ = 2 ẋᵀN ẋ (Eqs. C.1-C.19)."""

    columns: IntArray  # (k,)
    N: FloatArray  # (k, k)
    b: FloatArray  # (k,)
    constant: float  # k₀


@dataclass(frozen=True)
class EllipsoidEquation:
    """φ = yᵀH y − 1, y = Aᵀd: point − centre (d), in the axes A of the body that carries the ellipsoid (Eq. 4.7)."""

    axes: tuple[VectorMap, VectorMap, VectorMap]
    d: VectorMap
    H: FloatArray  # (3, 3) = Aᶜᵀ diag(1/r²) Aᶜ [1/m²]


@dataclass(frozen=True)
class AngleEquation:
    """The angle a from v to u about e: φ = v·u − L cos a, or φ = (v×u)·e − L sin a near a = 0 and π (Table 2.2).

    ``magnitude`` is L = |v||u|. a = k(t) for a driver, or the coordinate in column ``angle`` (−1: none).
    In the plane e is the fixed normal.
    """

    v: VectorMap
    u: VectorMap
    e: VectorMap
    magnitude: float
    angle: int = -1


Equation: TypeAlias = Quadratic | EllipsoidEquation | AngleEquation


@dataclass(frozen=True)
class Row:
    """One scalar constraint: its type, the joint or body it belongs to, and its equation.

    ``driver`` names the time function that gives k(t); ``level`` says how k follows from the driver's value:
    "value" (k = value), or "square" (k = value², for lengths).
    """

    type: str
    owner: str
    equation: Equation
    driver: str | None = None
    level: str = "value"


def dot(v: VectorMap, u: VectorMap, target: float = 0.0) -> Quadratic:
    """φ = v·u − target (Eq. 2.2)."""
    columns = np.union1d(v.columns, u.columns)
    V, U = (np.zeros((v.dimension, columns.size)) for _ in range(2))
    V[:, np.searchsorted(columns, v.columns)] = v.matrix
    U[:, np.searchsorted(columns, u.columns)] = u.matrix
    return Quadratic(columns, V.T @ U, U.T @ v.constant + V.T @ u.constant, float(v.constant @ u.constant) - target)


def components(x: VectorMap) -> list[Quadratic]:
    """φ = x, one linear row a component."""
    rows = []
    for line, constant in zip(x.matrix, x.constant, strict=True):
        used = np.flatnonzero(line)
        rows.append(Quadratic(x.columns[used], np.zeros((used.size, used.size)), line[used], float(constant)))
    return rows


def minus_square(equation: Quadratic, column: int) -> Quadratic:
    """Return φ − s² for the added coordinate s in ``column``."""
    columns = np.append(equation.columns, column)  # an added coordinate stands after all bodies, so this stays sorted
    size = columns.size
    N = np.zeros((size, size))
    N[:-1, :-1] = equation.N
    N[-1, -1] = -1.0
    return Quadratic(columns, N, np.append(equation.b, 0.0), equation.constant)
