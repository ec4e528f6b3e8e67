"""Lagrange's equations from energies, and generalised forces by virtual work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import sympy as sp

from biomec.base.physics import GRAVITY
from biomec.machines.symbolic.coordinates import Coordinates, Expr, Matrix, Symbol, coordinates, symbol
from biomec.machines.symbolic.equations import EquationsOfMotion
from biomec.machines.symbolic.sorting import from_equations
from biomec.machines.symbolic.trigonometry import tidy


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
