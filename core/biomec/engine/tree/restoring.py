"""Compiled stabilisation of a tree in natural coordinates: what draws bodies back to their shapes and joints together.

Positions q are compared with the nearest ones that the tree can take, q₀, found from the root outwards: every body gets
an orthonormal frame, turned where its joint has an axis, and is moved to its joint's centre. Velocities are compared
with R ż. Then

    q̈ = R z̈ + Ṙ ż − 2ξω (q̇ − R ż) − ω² (q − q₀)

has Φ̈ + 2ξω Φ̇ + ω² Φ = 0 to first order of the violations, which is Baumgarte's condition [Baumgarte1972], without the
constraints' equations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine.tree.recursion import REVOLUTE, SIX, UNIVERSAL, Branches, mapped, motion_of_elements
from biomec.engine.tree.vectors import cross, dot

PASSES = 3  # of the orthonormalisation, each of which squares what is left
PARALLEL = 1e-14  # sine of the angle between two axes that are parallel: nothing to turn


class Shapes(NamedTuple):
    """Local coordinates of a tree's bodies; steps as in `Branches`.

    local     : (S, 4, 3) basic elements
    centre    : (J, 3) centre of the joint in the body beyond
    at_parent : (J, 4) the same in the body before, as factors of its elements
    axes      : (J, 2, 3) axis of a revolute or universal joint in the body before and in the body beyond
    angle     : (J,) between them [rad]; 0 for revolute joints
    """

    local: FloatArray
    centre: FloatArray
    at_parent: FloatArray
    axes: FloatArray
    angle: FloatArray


@compiled
def add_restoring(
    tables: Branches,
    shapes: Shapes,
    s: FloatArray,
    sdot: FloatArray,
    b: FloatArray,
    zdot: FloatArray,
    damping: float,
    stiffness: float,
    bias: FloatArray,
) -> None:
    """Add −2ξω (q̇ − R ż) − ω² (q − q₀) to accelerations (S, 4, 3) of all elements."""
    bodies = s.shape[0]
    allowed, near = np.zeros((bodies, 4, 3)), np.empty((bodies, 4, 3))
    motion_of_elements(tables, s, b, zdot, np.empty((bodies, 6)), allowed)
    nearest_on_tree(tables, shapes, s, near)
    for k in range(bodies):
        for j in range(4):
            for i in range(3):
                bias[k, j, i] -= damping * (sdot[k, j, i] - allowed[k, j, i]) + stiffness * (s[k, j, i] - near[k, j, i])


@compiled
def nearest_on_tree(tables: Branches, shapes: Shapes, s: FloatArray, near: FloatArray) -> None:
    """Elements (S, 4, 3) near those given, of rigid bodies that hang together; the root's first point stays."""
    bodies = s.shape[0]
    frames = np.empty((bodies, 3, 3))  # rows are the axes of a body
    at, before, beyond, normal = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for k in range(bodies):
        body, p = tables.body[k], tables.parent[k]
        frame = frames[body]
        for c in range(3):
            mapped(tables.frame[body, c], s[body], frame[c])
        orthonormalise(frame)
        if p < 0 or tables.kind[k] == SIX:
            mapped(tables.centre[k], s[body], at)
        else:
            mapped(shapes.at_parent[k], near[tables.body[p]], at)
        if tables.kind[k] == UNIVERSAL or tables.kind[k] == REVOLUTE:
            _laboratory(frames[tables.body[p]], shapes.axes[k, 0], before)
            _laboratory(frame, shapes.axes[k, 1], beyond)
            cross(beyond, before, normal)
            sine = np.sqrt(dot(normal, normal))
            if sine > PARALLEL:
                angle = np.arctan2(sine, dot(beyond, before)) - shapes.angle[k]
                for i in range(3):
                    normal[i] /= sine
                for c in range(3):
                    _turn(normal, angle, frame[c])
        _laboratory(frame, shapes.centre[k], beyond)
        for i in range(3):
            at[i] -= beyond[i]  # the body's local origin
        for j in range(4):
            _laboratory(frame, shapes.local[body, j], near[body, j])
            for i in range(3):
                near[body, j, i] += tables.is_point[body, j] * at[i]


@compiled
def _laboratory(frame: FloatArray, local: FloatArray, to: FloatArray) -> None:
    """to = Σ local_c e_c."""
    for i in range(3):
        to[i] = local[0] * frame[0, i] + local[1] * frame[1, i] + local[2] * frame[2, i]


@compiled
def orthonormalise(frame: FloatArray) -> None:
    """Replace the rows of a frame by the nearest orthonormal ones: E ← ½ (3 I − E Eᵀ) E, repeated."""
    gram, new = np.empty((3, 3)), np.empty((3, 3))
    for _ in range(PASSES):
        for i in range(3):
            for j in range(3):
                gram[i, j] = (1.5 if i == j else 0.0) - 0.5 * dot(frame[i], frame[j])
        for i in range(3):
            for c in range(3):
                new[i, c] = gram[i, 0] * frame[0, c] + gram[i, 1] * frame[1, c] + gram[i, 2] * frame[2, c]
        frame[:] = new


@compiled
def _turn(unit: FloatArray, angle: float, vector: FloatArray) -> None:
    """Turn a vector about a unit direction, in place (Rodrigues' formula)."""
    sine, cosine = np.sin(angle), np.cos(angle)
    along = (1.0 - cosine) * dot(unit, vector)
    x, y, z = vector[0], vector[1], vector[2]
    vector[0] = cosine * x + sine * (unit[1] * z - unit[2] * y) + along * unit[0]
    vector[1] = cosine * y + sine * (unit[2] * x - unit[0] * z) + along * unit[1]
    vector[2] = cosine * z + sine * (unit[0] * y - unit[1] * x) + along * unit[2]
