"""Ready-made equations of motion, sorted by what multiplies what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import sympy as sp

from biomec.base.errors import BiomecError
from biomec.machines.symbolic.coordinates import Coordinates, Expr, Matrix, Symbol
from biomec.machines.symbolic.equations import EquationsOfMotion
from biomec.machines.symbolic.trigonometry import multiple_angles, tidy


def from_equations(
    equations: Sequence[Expr],
    coordinates: Coordinates,
    inputs: Sequence[Symbol] = (),
    parameters: Mapping[Symbol, float] | None = None,
    *,
    G: Sequence[Expr] | None = None,
    constraints: Sequence[Expr] = (),
    kinetic: Expr | None = None,
    potential: Expr | None = None,
) -> EquationsOfMotion:
    """Equations 0 = eq(q, q̇, q̈, u), sorted in the order q̈, q̇², q̇_i q̇_k, q̇, q, rest [Silva2007, App. A].

    G : forces that stand on the right side already and are not part of ``equations``
    The identity of the sorted and the given equations is checked. What is of higher degree in the rates, or depends
    on them in another way, stays in E; a coordinate inside a function such as sin is not taken out of it.
    """
    n, q, qdot, qddot = len(coordinates), coordinates.q, coordinates.qdot, coordinates.qddot
    given = sp.Matrix([sp.expand(multiple_angles(sp.sympify(one))) for one in equations])
    if given.rows != n:
        raise BiomecError(f"{n} coordinates need {n} equations of motion, and there are {given.rows}.")
    A, F = given.jacobian(list(qddot)), _columns(given, inputs).applyfunc(lambda one: -one)
    if A.free_symbols & set(qddot) or (F.free_symbols & (set(inputs) | set(qddot))):
        raise BiomecError("The equations must be linear in the accelerations and in the inputs.")
    rest = given.xreplace(dict.fromkeys((*qddot, *inputs), sp.S.Zero)).applyfunc(sp.expand)
    still = dict.fromkeys(qdot, sp.S.Zero)
    first = rest.jacobian(list(qdot))
    B = sp.Matrix(n, n, lambda j, i: sp.diff(first[j, i], qdot[i]).xreplace(still) / 2)
    pairs = [(i, k) for i, k in combinations(range(n), 2)]
    X = sp.Matrix(n, len(pairs), lambda j, c: sp.diff(first[j, pairs[c][0]], qdot[pairs[c][1]]).xreplace(still))
    C = first.xreplace(still)
    kept = [c for c in range(len(pairs)) if any(tidy(one) != 0 for one in X[:, c])]
    pairs, X = [pairs[c] for c in kept], X.extract(list(range(n)), kept)
    squares = sp.Matrix([rate**2 for rate in qdot])
    products = sp.Matrix(len(pairs), 1, [qdot[i] * qdot[k] for i, k in pairs])
    rest = (rest - B * squares - X * products - C * sp.Matrix(qdot)).applyfunc(sp.expand)
    D = sp.Matrix(n, n, lambda j, i: _linear(rest[j], q[i], coordinates))
    E = (rest - D * sp.Matrix(q)).applyfunc(sp.expand)
    made = EquationsOfMotion(
        coordinates, tuple(inputs), tuple(one.name for one in inputs), dict(parameters or {}),
        A.applyfunc(tidy), B.applyfunc(tidy), X.applyfunc(tidy), tuple(pairs), C.applyfunc(tidy), D,
        E.applyfunc(tidy), F, sp.Matrix(list(G)) if G is not None else sp.zeros(n, 1),
        sp.Matrix(len(constraints), 1, list(constraints)), kinetic, potential,
    )  # fmt: skip
    refuse_another(made, given if G is None else given - made.G)
    return made


def refuse_another(made: EquationsOfMotion, given: Matrix) -> None:
    """Refuse sorted equations that are not identical to those they came from."""
    if any(tidy(one) != 0 for one in made.left_minus_right - given):
        raise BiomecError("The equations could not be sorted: they do not come back when put together again.")


def _columns(given: Matrix, symbols: Sequence[Symbol]) -> Matrix:
    return given.jacobian(list(symbols)) if symbols else sp.zeros(given.rows, 0)


def _linear(expression: Expr, one: Symbol, coordinates: Coordinates) -> Expr:
    """Sum of the coefficients of terms c·q_i whose c is free of all coordinates and rates."""
    moving = set(coordinates.x)
    found = [term.as_independent(one)[0] for term in sp.Add.make_args(expression) if term.as_independent(one)[1] == one]
    return sp.Add(*(c for c in found if not c.free_symbols & moving))
