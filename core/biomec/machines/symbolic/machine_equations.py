"""Equations of motion of a planar machine, its parameters left as symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import Any

import sympy as sp

from biomec.base.errors import DescriptionError
from biomec.base.physics import GRAVITY
from biomec.machines.blueprint import read_blueprint
from biomec.machines.expressions import NUMERIC
from biomec.machines.machine import Machine
from biomec.machines.symbolic.algebra import Coordinates, Expr, Matrix, exact, fixed, symbol, tidy
from biomec.machines.symbolic.equations import EquationsOfMotion
from biomec.machines.symbolic.tree import SymbolicTree, tree_of, with_fractions

FUNCTIONS: Mapping[str, Any] = {name: getattr(sp, name) for name in NUMERIC}
KEPT = 16  # machines whose derivations are kept


def machine_equations(machine: Machine) -> EquationsOfMotion:
    """Equations of motion of a machine without its drivers and stops, with the values of its parameters.

    Coordinates as in `tree`: absolute angles for pins. Gravity is in E, motors are inputs (F), springs, ties and hinges
    are in G by virtual work; joints that close loops are constraints. The derivation of a file is kept.
    """
    if not machine.is_planar:
        raise DescriptionError(
            f"{machine.name}: symbolic equations are made of planar machines, and this one is spatial."
        )
    derived = _derived(machine.blueprint.text, machine.blueprint.source)
    values = {one: machine.values[one.name] for one in derived.parameters}
    return replace(derived, parameters=values)


def machine_tree(machine: Machine) -> SymbolicTree:
    """Where the bodies of a planar machine are, in terms of the coordinates of `machine_equations`."""
    return _tree(machine.blueprint.text, machine.blueprint.source)


@lru_cache(maxsize=KEPT)
def _tree(text: str, source: str) -> SymbolicTree:
    blueprint = read_blueprint(text, source)
    names = {name: symbol(name) for name in blueprint.parameters}
    return tree_of(with_fractions(blueprint.resolved(names, FUNCTIONS)), list(names.values()))


@lru_cache(maxsize=KEPT)
def _derived(text: str, source: str) -> EquationsOfMotion:
    tree = _tree(text, source)
    coords, tables = tree.coords, tree.tables
    parameters = [symbol(name) for name in read_blueprint(text, source).parameters]
    A = _mass(tree)
    B, X, pairs = velocity_matrices(A, coords)
    potential = _weight(tree)
    E = sp.Matrix([sp.diff(potential, one) for one in coords.q]).applyfunc(tidy)
    motors = tables.get("motor", [])
    taken = [*parameters, *coords.x, *coords.qddot]
    inputs = tuple(symbol(f"u{k + 1}", taken) for k in range(len(motors)))
    about = tuple(f"torque of motor {one['name']} [N m]" for one in motors)
    F = sp.Matrix(len(coords), len(motors), lambda j, i: sp.diff(_relative(tree, motors[i]), coords.q[j]))
    G, stored = _elements(tree)
    rates = sp.Matrix(coords.qdot)
    matrices = (A, B, X, E, F, G, sp.Matrix(tree.constraints))
    used = set().union(*(one.free_symbols for one in matrices))
    return EquationsOfMotion(
        coords, inputs, about, {one: 0.0 for one in parameters if one in used}, A, B, X,
        pairs, sp.zeros(len(coords)), sp.zeros(len(coords)), E, F, G,
        sp.Matrix(len(tree.constraints), 1, tree.constraints), (rates.T * A * rates)[0] / 2, potential + stored,
        _left_out(tables),
    )  # fmt: skip


def velocity_matrices(A: Matrix, coords: Coordinates) -> tuple[Matrix, Matrix, tuple[tuple[int, int], ...]]:
    """B, X and the pairs of X from the mass matrix (Christoffel's symbols):

    of q̇_i²    : ∂A_ji/∂q_i − ½ ∂A_ii/∂q_j
    of q̇_i q̇_k : ∂A_ji/∂q_k + ∂A_jk/∂q_i − ∂A_ik/∂q_j.
    """
    n, q = len(coords), coords.q
    by = [A.diff(one) for one in q]
    B = sp.Matrix(n, n, lambda j, i: tidy(by[i][j, i] - by[j][i, i] / 2))
    columns = {
        (i, k): [tidy(by[k][j, i] + by[i][j, k] - by[j][i, k]) for j in range(n)] for i, k in combinations(range(n), 2)
    }
    pairs = tuple(pair for pair, column in columns.items() if any(one != 0 for one in column))
    return B, sp.Matrix(n, len(pairs), lambda j, c: columns[pairs[c]][j]), pairs


def _mass(tree: SymbolicTree) -> Matrix:
    """A_ij = Σ m ∂r/∂q_i · ∂r/∂q_j + J ∂θ/∂q_i ∂θ/∂q_j over the bodies, r of the centre of mass."""
    q = tree.coords.q
    total = sp.zeros(len(q))
    for body in tree.tables["body"]:
        centre, angle = tree.point(f"{body['name']}.com"), tree.poses[body["name"]].angle
        by = [centre.by(one) for one in q]
        turn = [sp.diff(angle, one) for one in q]
        for i in range(len(q)):
            for j in range(i + 1):
                total[i, j] += body.get("mass", 0) * by[i].dot(by[j]) + body.get("inertia", 0) * turn[i] * turn[j]
    return sp.Matrix(len(q), len(q), lambda i, j: tidy(total[max(i, j), min(i, j)]))


def _weight(tree: SymbolicTree) -> Expr:
    """Potential energy of gravity, −Σ m g·r; GRAVITY where the file gives none."""
    gravity = fixed(*tree.tables.get("gravity", (0, -exact(GRAVITY))))
    return tidy(
        sp.Add(*(-one.get("mass", 0) * gravity.dot(tree.point(f"{one['name']}.com")) for one in tree.tables["body"]))
    )


def _relative(tree: SymbolicTree, element: Mapping[str, Any]) -> Expr:
    """Angle of body ``distal`` against ``proximal``."""
    return tree.poses[element["distal"]].angle - tree.poses[element["proximal"]].angle


def _elements(tree: SymbolicTree) -> tuple[Matrix, Expr]:
    """Generalised forces of springs, ties and hinges, n × 1, and the energy that they store."""
    q, qdot = tree.coords.q, tree.coords.qdot
    G, stored = sp.zeros(len(q), 1), sp.S.Zero
    for tie in tree.tables.get("tie", []):
        K, C = tie.get("stiffness", 0), tie.get("damping", 0)
        e = tree.point(tie["first"]) - tree.point(tie["second"])
        force = e.times(-K) - e.along(q, qdot).times(C)
        G += sp.Matrix([tidy(force.dot(e.by(one))) for one in q])
        stored += K * tidy(e.dot(e)) / 2
    for spring in tree.tables.get("spring", []):
        e = tree.point(spring["second"]) - tree.point(spring["first"])
        length = sp.sqrt(tidy(e.dot(e)))
        along = [tidy(e.dot(e.by(one))) / length for one in q]
        stretch = length - spring.get("free_length", 0)
        rate = sp.Add(*(share * speed for share, speed in zip(along, qdot, strict=True)))
        k, c, a = (spring.get(key, 0) for key in ("stiffness", "damping", "actuation"))
        pull = k * stretch + c * rate + a
        G -= sp.Matrix([pull * share for share in along])
        stored += k * stretch**2 / 2 + a * length
    for hinge in tree.tables.get("hinge", []):
        angle = _relative(tree, hinge)
        turn = angle - hinge.get("rest_deg", 0) * sp.pi / 180
        rate = sp.Add(*(sp.diff(angle, one) * speed for one, speed in zip(q, qdot, strict=True)))
        k, c = hinge.get("stiffness", 0), hinge.get("damping", 0)
        G -= sp.Matrix([(k * turn + c * rate) * sp.diff(angle, one) for one in q])
        stored += k * turn**2 / 2
    return G, stored


def _left_out(tables: Mapping[str, Any]) -> tuple[str, ...]:
    notices = []
    if tables.get("driver"):
        notices.append("Drivers are left out: the machine is free to move.")
    if tables.get("stop"):
        notices.append("Stops are left out: the equations hold while there is no contact.")
    return tuple(notices)
