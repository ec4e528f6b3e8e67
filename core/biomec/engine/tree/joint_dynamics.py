"""Compiled dynamics of a tree in the rates of its joints: equations of motion, efforts and loads as generalised forces.

Rates w of a tree are the velocities ż of `SemiRecursive` with those of spherical joints in the axes of the proximal
body, where the movement of a joint is described:

    ż = T w,   z̈ = T ẇ + ω_p × ω_rel,   M = Tᵀ M̄ T
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.rows import RowTables
from biomec.engine.tree import recursion
from biomec.engine.tree.joint_kernels import JointSides, applied, attitudes
from biomec.engine.tree.recursion import FREE, REVOLUTE, SPHERICAL, Branches, mapped
from biomec.engine.tree.vectors import cross, dot


@compiled
def rates(tables: Branches, sides: JointSides, q: FloatArray, qdot: FloatArray, w: FloatArray) -> None:
    """w (g,) of velocities q̇ (n,)."""
    bodies = tables.total.size
    s, sdot = q.reshape(bodies, 4, 3), qdot.reshape(bodies, 4, 3)
    r, b, omega = np.empty((bodies, 3)), np.empty((w.size, 6)), np.empty((bodies, 3))
    A = np.empty((bodies, 3, 3))
    recursion.directions(tables, s, r, b)
    recursion.relative_velocities(tables, s, sdot, b, w, omega)
    attitudes(tables, s, A)
    _turned(tables, sides, A, w, True)


@compiled
def _turned(tables: Branches, sides: JointSides, A: FloatArray, x: FloatArray, to_proximal: bool) -> None:
    """x ← Tᵀ x into the axes of the proximal bodies, or x ← T x into those of the laboratory, in place."""
    v = np.empty(3)
    for k in range(tables.body.size):
        if tables.kind[k] == SPHERICAL:
            part = slice(tables.first[k], tables.first[k] + 3)
            v[:] = x[part]
            if to_proximal:
                applied(A[sides.proximal[k]].T, v, x[part])
            else:
                applied(A[sides.proximal[k]], v, x[part])


@compiled
def _columns_to_proximal(tables: Branches, sides: JointSides, A: FloatArray, X: FloatArray) -> None:
    """X ← X T, in place; a row that is zero in a joint stays so."""
    for k in range(tables.body.size):
        if tables.kind[k] == SPHERICAL:
            j, R = tables.first[k], A[sides.proximal[k]]
            for i in range(X.shape[0]):
                x, y, z = X[i, j], X[i, j + 1], X[i, j + 2]
                for c in range(3):
                    X[i, j + c] = R[0, c] * x + R[1, c] * y + R[2, c] * z


@compiled
def projected(tables: Branches, sides: JointSides, q: FloatArray, Q: FloatArray, u: FloatArray) -> None:
    """Efforts u (g,) that do the same work as generalised forces Q (n,)."""
    bodies = tables.total.size
    s, forces = q.reshape(bodies, 4, 3), Q.reshape(bodies, 4, 3)
    r, b, A, wrench = np.empty((bodies, 3)), np.empty((u.size, 6)), np.empty((bodies, 3, 3)), np.empty(6)
    recursion.directions(tables, s, r, b)
    u[:] = 0.0
    for body in range(bodies):
        wrench[:] = 0.0
        recursion.wrench_at_origin(tables.is_point[body], s[body], forces[body], wrench)
        j = tables.first[tables.step_of[body] + 1] - 1
        while j >= 0:
            for i in range(6):
                u[j] += b[j, i] * wrench[i]
            j = tables.above[j]
    attitudes(tables, s, A)
    _turned(tables, sides, A, u, True)


@compiled
def velocities(tables: Branches, sides: JointSides, q: FloatArray, w: FloatArray, qdot: FloatArray) -> None:
    """q̇ (n,) of rates w (g,)."""
    bodies = tables.total.size
    s = q.reshape(bodies, 4, 3)
    r, b, A = np.empty((bodies, 3)), np.empty((w.size, 6)), np.empty((bodies, 3, 3))
    recursion.directions(tables, s, r, b)
    attitudes(tables, s, A)
    z = w.copy()
    _turned(tables, sides, A, z, False)
    qdot[:] = 0.0
    recursion.motion_of_elements(tables, s, b, z, np.empty((bodies, 6)), qdot.reshape(bodies, 4, 3))


@compiled
def equations(
    tables: Branches,
    sides: JointSides,
    rows: RowTables,
    q: FloatArray,
    qdot: FloatArray,
    Q: FloatArray,
    M: FloatArray,
    Q_bar: FloatArray,
    J: FloatArray,
    c: FloatArray,
    bias: FloatArray,
) -> None:
    """Terms of M ẇ + Jᵀ λ = Q̄, J ẇ = c, and the accelerations (n,) at ẇ = 0."""
    bodies, g = tables.total.size, Q_bar.size
    s, sdot, shaped = q.reshape(bodies, 4, 3), qdot.reshape(bodies, 4, 3), bias.reshape(bodies, 4, 3)
    r, b, omega, z = np.empty((bodies, 3)), np.empty((g, 6)), np.empty((bodies, 3)), np.empty(g)
    A, d = np.empty((bodies, 3, 3)), np.zeros(g)
    recursion.directions(tables, s, r, b)
    recursion.relative_velocities(tables, s, sdot, b, z, omega)
    recursion.bias_of_elements(tables, s, r, b, z, omega, shaped)
    for k in range(bodies):  # T turns with the proximal bodies: what it does at ẇ = 0 belongs to the bias
        if tables.kind[k] == SPHERICAL:
            part = slice(tables.first[k], tables.first[k] + 3)
            cross(omega[tables.step_of[sides.proximal[k]]], z[part], d[part])
    recursion.motion_of_elements(tables, s, b, d, np.empty((bodies, 6)), shaped)
    recursion.reduced_equations(tables, s, b, shaped, Q.reshape(bodies, 4, 3), M, Q_bar)
    if c.size:
        recursion.loop_rows(tables, rows, s, q, qdot, b, shaped, 0.0, 0.0, J, c)
    attitudes(tables, s, A)
    _turned(tables, sides, A, Q_bar, True)
    _columns_to_proximal(tables, sides, A, M)
    _columns_to_proximal(tables, sides, A, M.T)
    _columns_to_proximal(tables, sides, A, J)


@compiled
def loops(tables: Branches, sides: JointSides, rows: RowTables, q: FloatArray, J: FloatArray, left: FloatArray) -> None:
    """J (l, g) and −Φ (l,) of the rows that close loops."""
    bodies = tables.total.size
    s, A = q.reshape(bodies, 4, 3), np.empty((bodies, 3, 3))
    r, b, none = np.empty((bodies, 3)), np.empty((J.shape[1], 6)), np.zeros(q.size)
    recursion.directions(tables, s, r, b)
    recursion.loop_rows(tables, rows, s, q, none, b, none.reshape(bodies, 4, 3), 0.0, 1.0, J, left)
    attitudes(tables, s, A)
    _columns_to_proximal(tables, sides, A, J)


@compiled
def as_generalised(tables: Branches, sides: JointSides, q: FloatArray, u: FloatArray, Q: FloatArray) -> None:
    """Q (n,) of efforts u (g,) conjugate to the rates w: torques of proximal on distal bodies, a wrench on the root."""
    bodies = tables.total.size
    s, A, to = q.reshape(bodies, 4, 3), np.empty((bodies, 3, 3)), Q.reshape(bodies, 4, 3)
    h, reply, d = np.empty(3), np.empty(3), np.empty(3)
    attitudes(tables, s, A)
    Q[:] = 0.0
    for k in range(bodies):
        first, p = tables.first[k], sides.proximal[k]
        if tables.kind[k] == FREE:
            for j in range(4):
                for i in range(3):
                    to[tables.body[k], j, i] += tables.centre[k, j] * u[i]
            add_torque(tables, A, tables.body[k], u[3:6], to)
            continue
        if tables.kind[k] == SPHERICAL:
            applied(A[p], u[first : first + 3], h)
        elif tables.kind[k] == REVOLUTE:
            applied(A[p], sides.axes[k, 0], h)
            for i in range(3):
                h[i] *= u[first]
        else:  # the torque in the plane of both axes whose components along them are u
            applied(A[p], sides.axes[k, 0], h)
            applied(A[sides.distal[k]], sides.axes[k, 1], d)
            aa, ad, dd = dot(h, h), dot(h, d), dot(d, d)
            one = (dd * u[first] - ad * u[first + 1]) / (aa * dd - ad * ad)
            other = (aa * u[first + 1] - ad * u[first]) / (aa * dd - ad * ad)
            for i in range(3):
                h[i] = one * h[i] + other * d[i]
        for i in range(3):
            reply[i] = -h[i]
        add_torque(tables, A, sides.distal[k], h, to)
        add_torque(tables, A, p, reply, to)


@compiled
def add_torque(tables: Branches, A: FloatArray, body: int, h: FloatArray, to: FloatArray) -> None:
    """Add the generalised forces of a torque h (3,) on a body to those (S, 4, 3) of all elements: ω = ½ Σ e_k × ė_k."""
    turn = np.empty(3)
    for c in range(3):
        cross(h, A[body, :, c], turn)
        for j in range(4):
            for i in range(3):
                to[body, j, i] += 0.5 * tables.frame[body, c, j] * turn[i]


@compiled
def add_wrenches(
    tables: Branches, q: FloatArray, bodies: IntArray, force: FloatArray, moment: FloatArray, Q: FloatArray
) -> None:
    """Add forces (K, 3) with moments about the laboratory's origin (K, 3), on bodies (K,), to Q (n,)."""
    size = tables.total.size
    s, A, to = q.reshape(size, 4, 3), np.empty((size, 3, 3)), Q.reshape(size, 4, 3)
    attitudes(tables, s, A)
    h, at = np.empty(3), np.empty(3)
    for k in range(bodies.size):
        body = bodies[k]
        step = tables.step_of[body]
        mapped(tables.centre[step], s[body], at)
        cross(at, force[k], h)
        for i in range(3):
            h[i] = moment[k, i] - h[i]
        for j in range(4):
            for i in range(3):
                to[body, j, i] += tables.centre[step, j] * force[k, i]
        add_torque(tables, A, body, h, to)


@compiled
def point_motions(
    tables: Branches, sides: JointSides, q: FloatArray, bodies: IntArray, points: FloatArray, J: FloatArray
) -> None:
    """J (K, 3, g) of points (K, 3) of the laboratory that move with bodies (K,): ṗ = J w."""
    size, g = tables.total.size, J.shape[2]
    s, A = q.reshape(size, 4, 3), np.empty((size, 3, 3))
    r, b, arm = np.empty((size, 3)), np.empty((g, 6)), np.empty(3)
    recursion.directions(tables, s, r, b)
    attitudes(tables, s, A)
    J[:] = 0.0
    for k in range(bodies.size):
        j = tables.first[tables.step_of[bodies[k]] + 1] - 1
        while j >= 0:
            cross(b[j, 3:], points[k], arm)
            for i in range(3):
                J[k, i, j] = b[j, i] + arm[i]
            j = tables.above[j]
        _columns_to_proximal(tables, sides, A, J[k])
