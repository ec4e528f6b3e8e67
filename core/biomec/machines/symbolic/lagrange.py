"""Equations of motion that are not derived from a machine: from energies, from texts, or ready-made.

Lagrange's equations follow from energies, generalised forces from virtual work; ready-made equations are sorted by what
multiplies what.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise

import sympy as sp

from biomec.base.errors import BiomecError, DescriptionError
from biomec.base.physics import GRAVITY
from biomec.machines.expressions import value_of
from biomec.machines.symbolic.algebra import (
    Coordinates,
    Expr,
    Matrix,
    Symbol,
    coordinates,
    multiple_angles,
    symbol,
    tidy,
)
from biomec.machines.symbolic.equations import EquationsOfMotion
from biomec.machines.symbolic.machine_equations import FUNCTIONS
from biomec.machines.symbolic.tree import with_fractions


def lagrange_equations(kinetic: Expr, potential: Expr, coords: Coordinates) -> list[Expr]:
    """d/dt ∂L/∂q̇_j − ∂L/∂q_j with L = T − V, for each coordinate."""
    lagrangian = sp.sympify(kinetic) - sp.sympify(potential)
    return [
        coords.derivative(sp.diff(lagrangian, rate)) - sp.diff(lagrangian, one)
        for one, rate in zip(coords.q, coords.qdot, strict=True)
    ]


def generalised_forces(pairs: Sequence[tuple[Expr, Expr]], coords: Coordinates) -> Matrix:
    """Q_j = Σ f_i ∂r_i/∂q_j over scalar forces f_i and the coordinates r_i(q) that they act along, n × 1."""
    return sp.Matrix([sp.Add(*(force * sp.diff(along, one) for force, along in pairs)) for one in coords.q])


def from_lagrangian(
    kinetic: Expr,
    potential: Expr,
    coords: Coordinates,
    *,
    inputs: Sequence[Symbol] = (),
    F: Matrix | None = None,
    G: Sequence[Expr] | None = None,
    constraints: Sequence[Expr] = (),
    parameters: Mapping[Symbol, float] | None = None,
) -> EquationsOfMotion:
    """Equations of motion from energies written by the user.

    F           : n × m, what the inputs do to each coordinate (see `generalised_forces`)
    G           : n forces that depend on q and q̇, such as those of dampers
    constraints : Φ(q), zero on the mechanism; they get multipliers
    parameters  : symbol -> value, needed only to compute numbers
    """
    kinetic, potential = tidy(sp.sympify(kinetic)), tidy(sp.sympify(potential))  # short energies make short equations
    equations = sp.Matrix(lagrange_equations(kinetic, potential, coords))
    if F is not None:
        equations -= sp.Matrix(F) * sp.Matrix(len(inputs), 1, list(inputs))
    return from_equations(
        list(equations), coords, inputs, parameters, G=G, constraints=constraints, kinetic=kinetic,
        potential=potential,
    )  # fmt: skip


@lru_cache(maxsize=8)
def planar_chain(count: int) -> EquationsOfMotion:
    """Chain of bars that hangs from the origin, mass centres at mid-length, a motor at every pin [Silva2007, §3.5].

    Coordinates: absolute angles from +x, counter-clockwise. Parameters m1 L1 I1 …: 1 kg, 1 m, 1/12 kg m²; g: GRAVITY.
    """
    m, L, I = ([symbol(f"{letter}{k + 1}") for k in range(count)] for letter in "mLI")
    g = symbol("g")
    coords = coordinates([f"phi{k + 1}" for k in range(count)], [f"angle of bar {k + 1} [rad]" for k in range(count)])
    inputs = [symbol(f"u{k + 1}") for k in range(count)]
    x = y = kinetic = potential = sp.S.Zero
    for k, angle in enumerate(coords.q):
        across, up = x + L[k] * sp.cos(angle) / 2, y + L[k] * sp.sin(angle) / 2
        speeds = coords.derivative(across), coords.derivative(up)
        kinetic += m[k] * sum(speed**2 for speed in speeds) / 2 + I[k] * coords.qdot[k] ** 2 / 2
        potential += m[k] * g * up
        x, y = x + L[k] * sp.cos(angle), y + L[k] * sp.sin(angle)
    relative = [coords.q[0], *(b - a for a, b in pairwise(coords.q))]
    F = sp.Matrix(count, count, lambda j, i: sp.diff(relative[i], coords.q[j]))
    values = dict.fromkeys(m, 1.0) | dict.fromkeys(L, 1.0) | dict.fromkeys(I, 1.0 / 12.0) | {g: GRAVITY}
    return from_lagrangian(kinetic, potential, coords, inputs=inputs, F=F, parameters=values)


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


def equations_from_texts(
    names: Sequence[str],
    kinetic: str,
    potential: str,
    parameters: Mapping[str, float],
    *,
    forces: Mapping[str, str] | None = None,
    inputs: Sequence[str] = (),
    constraints: Sequence[str] = (),
) -> EquationsOfMotion:
    """Equations of motion from energies and forces in texts such as ``m*xd**2/2``; only arithmetic is read, never code.

    names       : of the coordinates; rates are called by them with a ``d``: x and xd
    forces      : coordinate -> generalised force on it, which may contain inputs, such as ``u - c*xd``
    inputs      : names of the inputs
    constraints : texts of Φ(q), zero on the mechanism
    """
    coords, given, read = _reader(names, parameters, inputs)
    unknown = sorted(set(forces or {}) - set(names))
    if unknown:
        raise DescriptionError(f"There is a force on {', '.join(unknown)}, which is not a coordinate.")
    pushed = sp.Matrix([read((forces or {}).get(name, "0"), f"Force on {name}") for name in names])
    symbols = [given[name] for name in inputs]
    F = pushed.jacobian(symbols) if symbols else sp.zeros(len(names), 0)
    if F.free_symbols & set(symbols):
        raise DescriptionError("Forces must be linear in the inputs.")
    rest = pushed.xreplace(dict.fromkeys(symbols, sp.S.Zero))
    return from_lagrangian(
        read(kinetic, "Kinetic energy"), read(potential, "Potential energy"), coords, inputs=symbols, F=F, G=list(rest),
        constraints=[read(one, "Constraint") for one in constraints],
        parameters={given[name]: float(value) for name, value in parameters.items()},
    )  # fmt: skip


def typed_equations(
    names: Sequence[str], equations: Sequence[str], parameters: Mapping[str, float], inputs: Sequence[str] = ()
) -> EquationsOfMotion:
    """Equations of motion as texts that are zero, such as ``m*xdd + k*x - u``, with accelerations called xdd."""
    coords, given, read = _reader(names, parameters, inputs)
    made = [read(text, f"Equation {k}") for k, text in enumerate(equations, 1)]
    symbols = [given[name] for name in inputs]
    return from_equations(made, coords, symbols, {given[name]: float(value) for name, value in parameters.items()})


def _reader(
    names: Sequence[str], parameters: Mapping[str, float], inputs: Sequence[str]
) -> tuple[Coordinates, dict[str, Symbol], Callable[[str, str], Expr]]:
    """Coordinates, symbols of all names, and what reads a text; the second argument says what it is, in messages."""
    clash = sorted({*parameters, *inputs} & {*names, *(f"{one}d" for one in names), *(f"{one}dd" for one in names)})
    if clash or len({*parameters, *inputs}) < len(parameters) + len(inputs):
        raise DescriptionError(
            f"Give every quantity a name of its own: {', '.join(clash) or 'an input'} is used twice."
        )
    coords = coordinates(names)
    moving = (*coords.x, *coords.qddot)
    given = {one.name: one for one in moving} | {name: symbol(name) for name in (*parameters, *inputs)}

    def read(text: str, what: str) -> sp.Expr:
        try:
            return with_fractions(sp.sympify(value_of(text, given, FUNCTIONS)))
        except DescriptionError as error:
            raise DescriptionError(f"{what}: {error}") from error

    return coords, given, read
