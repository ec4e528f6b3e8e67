"""Compiled kinematics of a tree of joints: attitudes, movements that stay on it, differences between two poses.

Attitudes are rotation matrices, C = A_pᵀ A_d of every joint, so that nothing is singular. A movement δ has the freedoms
of the tree (g,): a shift and a turn of the root in laboratory axes, turns of spherical joints in the axes of the
proximal body, C₊ = exp(δ) C, and turns about the axes of universal and revolute joints.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.tree.recursion import FREE, REVOLUTE, SPHERICAL, Branches, mapped
from biomec.engine.tree.restoring import Shapes, orthonormalise
from biomec.engine.tree.vectors import dot, exponential, logarithm, turned_rates


class JointSides(NamedTuple):
    """Which bodies a step joins; the root's own step has the root on both sides.

    proximal, distal : (J,) numbers of bodies
    axes             : (J, 2, 3) axis of the first rate in the proximal, of the second in the distal body
    """

    proximal: IntArray
    distal: IntArray
    axes: FloatArray


@compiled
def attitudes(tables: Branches, s: FloatArray, A: FloatArray) -> None:
    """A (S, 3, 3) of all bodies; columns are their axes in the laboratory."""
    axis = np.empty(3)
    for b in range(A.shape[0]):
        for c in range(3):
            mapped(tables.frame[b, c], s[b], axis)
            for i in range(3):
                A[b, i, c] = axis[i]


@compiled
def joint_attitudes(tables: Branches, sides: JointSides, A: FloatArray, C: FloatArray) -> None:
    """C (J, 3, 3) = A_pᵀ A_d of all joints; the root's attitude itself for the root's step."""
    for k in range(C.shape[0]):
        if tables.kind[k] == FREE:
            C[k] = A[tables.body[k]]
        else:
            _product(A[sides.proximal[k]], A[sides.distal[k]], C[k])


@compiled
def _product(A: FloatArray, B: FloatArray, to: FloatArray) -> None:
    """to = Aᵀ B; to is another array."""
    for i in range(3):
        for j in range(3):
            to[i, j] = A[0, i] * B[0, j] + A[1, i] * B[1, j] + A[2, i] * B[2, j]


@compiled
def times(A: FloatArray, B: FloatArray, to: FloatArray) -> None:
    """to = A B; to is another array."""
    for i in range(3):
        for j in range(3):
            to[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]


@compiled
def applied(A: FloatArray, v: FloatArray, to: FloatArray) -> None:
    """to = A v; to is another array."""
    for i in range(3):
        to[i] = A[i, 0] * v[0] + A[i, 1] * v[1] + A[i, 2] * v[2]


@compiled
def place(tables: Branches, shapes: Shapes, sides: JointSides, root: FloatArray, C: FloatArray, q: FloatArray) -> None:
    """Natural coordinates q (n,) of the root's first basic point (3,) and all attitudes C (J, 3, 3)."""
    bodies = tables.total.size
    s, A = q.reshape(bodies, 4, 3), np.empty((bodies, 3, 3))
    at, arm = np.empty(3), np.empty(3)
    for k in range(bodies):
        body = tables.body[k]
        if tables.kind[k] == FREE:
            A[body] = C[k]
            at[:] = root
        else:
            before = tables.body[tables.parent[k]]
            if tables.sign[k] > 0.0:
                times(A[before], C[k], A[body])
            else:
                times(A[before], C[k].T, A[body])
            mapped(shapes.at_parent[k], s[before], at)
        applied(A[body], shapes.centre[k], arm)
        for i in range(3):
            at[i] -= arm[i]
        for j in range(4):
            applied(A[body], shapes.local[body, j], arm)
            for i in range(3):
                s[body, j, i] = arm[i] + tables.is_point[body, j] * at[i]


@compiled
def moved(
    tables: Branches, shapes: Shapes, sides: JointSides, q: FloatArray, delta: FloatArray, to: FloatArray
) -> None:
    """Coordinates (n,) after the movements δ (g,): root shifted and turned, joints turned."""
    bodies = tables.total.size
    A, C = np.empty((bodies, 3, 3)), np.empty((bodies, 3, 3))
    turn, new, root, v = np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty(3)
    s = q.reshape(bodies, 4, 3)
    attitudes(tables, s, A)
    joint_attitudes(tables, sides, A, C)
    for k in range(bodies):
        first = tables.first[k]
        if tables.kind[k] == FREE:
            mapped(tables.centre[k], s[tables.body[k]], root)
            for i in range(3):
                root[i] += delta[i]
                v[i] = delta[3 + i]
        elif tables.kind[k] == SPHERICAL:
            v[:] = delta[first : first + 3]
        else:
            for i in range(3):
                v[i] = sides.axes[k, 0, i] * delta[first]
        exponential(v, turn)
        times(turn, C[k], new)
        if tables.kind[k] > SPHERICAL and tables.kind[k] != REVOLUTE:
            for i in range(3):
                v[i] = sides.axes[k, 1, i] * delta[first + 1]
            exponential(v, turn)
            times(new, turn, C[k])
        else:
            C[k] = new
        orthonormalise(C[k])  # or round-off would double from step to step
    place(tables, shapes, sides, root, C, to)


@compiled
def chart(
    tables: Branches,
    sides: JointSides,
    base: FloatArray,
    y: FloatArray,
    ydot: FloatArray,
    yddot: FloatArray,
    C: FloatArray,
    w: FloatArray,
    wdot: FloatArray,
) -> None:
    """Attitudes C (J, 3, 3), rates w and ẇ (g,) of coordinates y, ẏ, ÿ (g,) about the attitudes ``base`` (J, 3, 3).

    C = exp(y) C₀ for the root and spherical joints, exp(a y₁) C₀ exp(b y₂) for those with axes.
    """
    turn, half, v = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    for k in range(base.shape[0]):
        first = tables.first[k]
        if tables.kind[k] <= SPHERICAL:
            if tables.kind[k] == FREE:
                for i in range(3):
                    w[i], wdot[i] = ydot[i], yddot[i]
                first += 3
            part = slice(first, first + 3)
            exponential(y[part], turn)
            times(turn, base[k], C[k])
            turned_rates(y[part], ydot[part], yddot[part], w[part], wdot[part])
            continue
        for j in range(first, tables.first[k + 1]):
            w[j], wdot[j] = ydot[j], yddot[j]
        for i in range(3):
            v[i] = sides.axes[k, 0, i] * y[first]
        exponential(v, turn)
        times(turn, base[k], half)
        if tables.kind[k] == REVOLUTE:
            C[k] = half
        else:
            for i in range(3):
                v[i] = sides.axes[k, 1, i] * y[first + 1]
            exponential(v, turn)
            times(half, turn, C[k])


@compiled
def deviation(
    tables: Branches, sides: JointSides, q: FloatArray, root: FloatArray, wanted: FloatArray, e: FloatArray
) -> None:
    """Movements e (g,) that lead from q to a root at (3,) and attitudes (J, 3, 3): rotation vectors of C_ref Cᵀ.

    About two axes the movement is the least-squares one, which is exact to first order.
    """
    bodies = tables.total.size
    s = q.reshape(bodies, 4, 3)
    A, C = np.empty((bodies, 3, 3)), np.empty((bodies, 3, 3))
    R, v, d = np.empty((3, 3)), np.empty(3), np.empty(3)
    attitudes(tables, s, A)
    joint_attitudes(tables, sides, A, C)
    for k in range(bodies):
        first = tables.first[k]
        times(wanted[k], C[k].T, R)
        logarithm(R, v)
        if tables.kind[k] == FREE:
            mapped(tables.centre[k], s[tables.body[k]], d)
            for i in range(3):
                e[i], e[3 + i] = root[i] - d[i], v[i]
        elif tables.kind[k] == SPHERICAL:
            e[first : first + 3] = v
        elif tables.kind[k] == REVOLUTE:
            e[first] = dot(sides.axes[k, 0], v)
        else:
            a = sides.axes[k, 0]
            applied(C[k], sides.axes[k, 1], d)
            aa, ad, dd, av, dv = dot(a, a), dot(a, d), dot(d, d), dot(a, v), dot(d, v)
            e[first] = (dd * av - ad * dv) / (aa * dd - ad * ad)
            e[first + 1] = (aa * dv - ad * av) / (aa * dd - ad * ad)
