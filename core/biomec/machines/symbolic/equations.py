"""Equations of motion sorted by what multiplies what [Silva2007, App. A]:

    A q̈ + B q̇∘q̇ + X (q̇_i q̇_k) + C q̇ + D q + E + Φqᵀ λ = F u + G,      Φq q̈ = γ

X holds the products of different rates, which the published template has no place for; they vanish for absolute angles
of a planar chain. Φ(q) = 0 closes loops, with multipliers λ; an open chain has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import sympy as sp

from biomec.base.errors import BiomecError
from biomec.base.toml_table import did_you_mean
from biomec.machines.symbolic.algebra import Coordinates, Expr, Matrix, Symbol, exact, multiple_angles, rounded

MATRICES = ("A", "B", "X", "C", "D", "E", "F", "G", "constraints")


@dataclass(frozen=True, eq=False)
class EquationsOfMotion:
    """Sorted equations of motion of n coordinates, m inputs and c constraints.

    coordinates : q, q̇, q̈
    inputs      : u (m);  input_names : what each is, such as ``torque of motor A [N m]``
    parameters  : symbol -> value, for every constant that is left as a symbol
    A           : n × n mass matrix;  B, C, D : n × n;  E, G : n × 1;  F : n × m
    pairs       : (i, k), i < k, of the columns of X, n × len(pairs)
    constraints : Φ, c × 1
    kinetic, potential : energies [J], or None where only the equations are known
    notices     : what was left out
    """

    coordinates: Coordinates
    inputs: tuple[Symbol, ...]
    input_names: tuple[str, ...]
    parameters: Mapping[Symbol, float]
    A: Matrix
    B: Matrix
    X: Matrix
    pairs: tuple[tuple[int, int], ...]
    C: Matrix
    D: Matrix
    E: Matrix
    F: Matrix
    G: Matrix
    constraints: Matrix = field(default_factory=lambda: sp.zeros(0, 1))
    kinetic: Expr | None = None
    potential: Expr | None = None
    notices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in MATRICES:  # constant like the rest: equations are kept and shared
            object.__setattr__(self, name, sp.ImmutableMatrix(getattr(self, name)))

    # ------------------------------------------------------------------ parts

    @property
    def n(self) -> int:
        """Coordinates."""
        return len(self.coordinates)

    @property
    def freedom(self) -> int:
        """Degrees of freedom if no constraint is redundant."""
        return self.n - int(self.constraints.rows)

    @property
    def velocity_terms(self) -> Matrix:
        """B q̇∘q̇ + X (q̇_i q̇_k) + C q̇, n × 1."""
        qdot = self.coordinates.qdot
        squares = sp.Matrix([rate**2 for rate in qdot])
        products = sp.Matrix(len(self.pairs), 1, [qdot[i] * qdot[k] for i, k in self.pairs])
        return self.B * squares + self.X * products + self.C * sp.Matrix(qdot)

    @property
    def right_side(self) -> Matrix:
        """F u + G − velocity terms − D q − E, n × 1: what the mass matrix and the multipliers balance."""
        pushed = self.F * sp.Matrix(len(self.inputs), 1, list(self.inputs))
        return pushed + self.G - self.velocity_terms - self.D * sp.Matrix(self.coordinates.q) - self.E

    @cached_property
    def jacobian(self) -> Matrix:
        """Φq, c × n."""
        return self.constraints.jacobian(list(self.coordinates.q)) if self.constraints.rows else sp.zeros(0, self.n)

    @cached_property
    def constraint_rates(self) -> Matrix:
        """Φ̇ = Φq q̇, c × 1."""
        return self.jacobian * sp.Matrix(self.coordinates.qdot)

    @cached_property
    def gamma(self) -> Matrix:
        """γ = −(Φq q̇)q q̇ of Φq q̈ = γ, c × 1."""
        if not self.constraints.rows:
            return sp.zeros(0, 1)
        return -self.constraint_rates.jacobian(list(self.coordinates.q)) * sp.Matrix(self.coordinates.qdot)

    def saddle(self, stabilisation: Expr = 0) -> tuple[Matrix, Matrix]:
        """Matrix and right side of the linear equations for (q̈, λ); for an open chain A and its right side.

        stabilisation : ω [1/s] of γ − 2 ω Φ̇ − ω² Φ [Baumgarte1972], which keeps a simulation on its constraints
        """
        if not self.constraints.rows:
            return self.A, self.right_side
        J, w = self.jacobian, sp.sympify(stabilisation)
        matrix = sp.BlockMatrix([[self.A, J.T], [J, sp.zeros(J.rows, J.rows)]]).as_explicit()
        kept = self.gamma - 2 * w * self.constraint_rates - w**2 * self.constraints
        return matrix, self.right_side.col_join(kept)

    @property
    def left_minus_right(self) -> Matrix:
        """A q̈ − right side without multipliers, n × 1: zero is the equation of motion of the open chain."""
        return self.A * sp.Matrix(self.coordinates.qddot) - self.right_side

    @property
    def values(self) -> tuple[float, ...]:
        """Values of the parameters in their order."""
        return tuple(self.parameters.values())

    # ------------------------------------------------------------------ variants

    def with_values(self, changes: Mapping[str, float]) -> EquationsOfMotion:
        """The same equations with other values of parameters."""
        known = {one.name: one for one in self.parameters}
        for name in changes:
            if name not in known:
                raise BiomecError(f"The equations have no parameter {name}{did_you_mean(name, list(known))}")
        return replace(self, parameters={one: float(changes.get(one.name, value))
                                         for one, value in self.parameters.items()})  # fmt: skip

    def with_numbers(self) -> EquationsOfMotion:
        """The values of the parameters in place of their symbols, exactly as decimal fractions."""
        numbers = {one: exact(value) for one, value in self.parameters.items()}

        def put(expression: Expr) -> Expr:
            return sp.expand(expression.xreplace(numbers))

        changed = {name: getattr(self, name).applyfunc(put) for name in MATRICES}
        for name in ("kinetic", "potential"):
            if getattr(self, name) is not None:
                changed[name] = put(getattr(self, name))
        return replace(self, parameters={}, **changed)

    def rounded(self, digits: int) -> EquationsOfMotion:
        """Every number rounded to significant digits, as the published routine does before it solves."""
        changed = {name: getattr(self, name).applyfunc(lambda one: rounded(one, digits)) for name in MATRICES}
        return replace(self, **changed)


# ------------------------------------------------------------------------------------------------------ state equations


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


def readable_fractions(equations: EquationsOfMotion) -> tuple[list[Expr], list[Expr]]:
    """Numerators and denominators of q̈, common factors cancelled and brackets kept where that is shorter."""
    above, below = [], []
    for one in accelerations(equations):
        whole = sp.fraction(sp.cancel(sp.together(one)))
        top, bottom = (min((part, sp.factor_terms(sp.factor(part))), key=sp.count_ops) for part in whole)
        above.append(top)
        below.append(bottom)
    return above, below


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
