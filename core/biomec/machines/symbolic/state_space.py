"""State equations ẋ = f(x, u) as formulas: the mass matrix inverted symbolically, for a few coordinates only."""

from __future__ import annotations

from functools import lru_cache

import sympy as sp

from biomec.base.errors import BiomecError
from biomec.machines.symbolic.coordinates import Expr, Matrix
from biomec.machines.symbolic.equations import EquationsOfMotion
from biomec.machines.symbolic.trigonometry import multiple_angles

MOST_COORDINATES = 4  # the inverse of a larger mass matrix has more terms than anybody reads or computes with


def numerators(equations: EquationsOfMotion) -> tuple[Matrix, Expr]:
    """N (n × 1) and Δ with q̈ = N/Δ and Δ = −det A, as the published sample writes them [Silva2007, App. A]."""
    refuse_large(equations)
    adjugate, determinant = _cramer(equations.n)
    entries = dict(zip(_entries(equations.n), equations.A, strict=True))
    return -adjugate.xreplace(entries) * equations.right_side, -determinant.xreplace(entries)


def accelerations(equations: EquationsOfMotion) -> Matrix:
    """q̈(q, q̇, u) as formulas, n × 1."""
    above, below = numerators(equations)
    return above / below


def state_vector(equations: EquationsOfMotion) -> Matrix:
    """ẋ = (q̇, q̈) as formulas, 2n × 1."""
    return sp.Matrix(equations.coordinates.qdot).col_join(accelerations(equations))


def multiple_angle_fractions(equations: EquationsOfMotion) -> tuple[Matrix, Expr]:
    """N and Δ of `numerators`, with products of sines and cosines as sums over multiple angles."""
    above, below = numerators(equations)
    return above.applyfunc(multiple_angles), multiple_angles(below)


def state_jacobians(equations: EquationsOfMotion) -> tuple[Matrix, Matrix]:
    """∂ẋ/∂x (2n × 2n) and ∂ẋ/∂u (2n × m) as formulas."""
    rates = state_vector(equations)
    by_input = rates.jacobian(list(equations.inputs)) if equations.inputs else sp.zeros(rates.rows, 0)
    return rates.jacobian(list(equations.coordinates.x)), by_input


def refuse_large(equations: EquationsOfMotion) -> None:
    """Refuse equations whose accelerations have no formula of a bearable length."""
    if equations.constraints.rows:
        raise BiomecError(
            "Accelerations of a machine with closed loops are not written as formulas; "
            "they come from linear equations together with the multipliers."
        )
    if equations.n > MOST_COORDINATES:
        raise BiomecError(
            f"Accelerations are written as formulas for at most {MOST_COORDINATES} coordinates, and there are "
            f"{equations.n}. Keep the mass matrix and solve with numbers."
        )


def _entries(n: int) -> list[Expr]:
    return [sp.Symbol(f"a{i}{j}") for i in range(n) for j in range(n)]


@lru_cache(maxsize=MOST_COORDINATES)
def _cramer(n: int) -> tuple[Matrix, Expr]:
    """Adjugate and determinant of a matrix of symbols."""
    matrix = sp.ImmutableMatrix(n, n, _entries(n))
    return matrix.adjugate(), matrix.det(method="berkowitz")
