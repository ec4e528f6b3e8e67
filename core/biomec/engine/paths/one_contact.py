"""Compiled contact of a path with one surface, which may give way to an end within (theory of muscles §2.4)."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine.paths.ellipsoids import wrap_ellipsoid
from biomec.engine.paths.surfaces import (
    CYLINDER,
    ELLIPSOID,
    GAVE,
    RING,
    SPHERE,
    WRAPPED,
    wrap_cylinder,
    wrap_ring,
    wrap_sphere,
)
from biomec.engine.paths.vectors import Vector, dot, minus, stretched, times

SMALLEST_SHRUNK = 0.7  # part of its size to which a surface gives way
JUST_BELOW = (
    1e-9  # of its size by which a surface stays below the end it gave way to: nearer, round-off turns the tangent
)


@compiled
def contact_between(
    kind: int, size: Vector, axis: int, sign: float, side: float, may_give: bool, p1: Vector, p2: Vector,
    memory: FloatArray, out: FloatArray,
) -> int:  # fmt: skip
    """Contact between two points in the axes of the surface: numbers and bits as in `biomec.engine.paths.surfaces`.

    out[13:17] : how the path grows as the end moves to which the surface gives way, see `_giving`; zeros if it does not
    """
    out[16] = 0.0
    if kind == RING:
        return wrap_ring(p1, p2, size[0], memory, out)
    shrunk, first = 1.0, True
    if kind == ELLIPSOID:
        inverse = (1.0 / size[0], 1.0 / size[1], 1.0 / size[2])
    elif kind == SPHERE:
        inverse = (1.0 / size[0], 1.0 / size[0], 1.0 / size[0])
    else:
        inverse = (1.0 / size[0], 1.0 / size[0], 0.0)
    if may_give:
        q1, q2 = stretched(inverse, p1), stretched(inverse, p2)
        s1, s2 = dot(q1, q1), dot(q2, q2)
        nearest, first = np.sqrt(min(s1, s2)), s1 < s2
        if SMALLEST_SHRUNK < nearest < 1.0:
            shrunk = nearest * (1.0 - JUST_BELOW)
    if kind == CYLINDER:
        code = wrap_cylinder(p1, p2, shrunk * size[0], size[1], axis, sign, side, memory, out)
    elif kind == SPHERE:
        code = wrap_sphere(p1, p2, shrunk * size[0], memory, out)
    else:
        code = wrap_ellipsoid(p1, p2, times(shrunk, size), axis, sign, memory, out)
    if code & WRAPPED and shrunk < 1.0:
        code |= GAVE
        _giving(p1, p2, inverse, kind == CYLINDER, shrunk, first, out)
    return code


@compiled
def _giving(
    p1: Vector, p2: Vector, inverse: Vector, upright: bool, shrunk: float, first: bool, out: FloatArray
) -> None:
    """How the path grows as the end moves to which its surface gives way: out[13:16] [-], out[16] = −1 first, 1 second.

    L is homogeneous in both ends and the share k = |p/a| of the size, so that with unit vectors e along both tangents
    ∂L/∂k = (L + e1·p1 − e2·p2)/k, and ∂k/∂p = p/(a² k) for the near end. About an ``upright`` cylinder that holds in
    the plane: L² = T² + Δz², so that T²/L stands for L, and products leave z out.
    """
    before, after = minus((out[0], out[1], out[2]), p1), minus(p2, (out[3], out[4], out[5]))
    straight = minus(p2, p1)
    far1, far2 = np.sqrt(dot(before, before)), np.sqrt(dot(after, after))
    growth = out[7] + np.sqrt(dot(straight, straight))
    if upright:
        growth -= straight[2] * straight[2] / growth
        p1, p2 = (p1[0], p1[1], 0.0), (p2[0], p2[1], 0.0)
    if far1 > 0.0:
        growth += dot(before, p1) / far1
    if far2 > 0.0:
        growth -= dot(after, p2) / far2
    near = stretched(inverse, stretched(inverse, p1 if first else p2))
    for i in range(3):
        out[13 + i] = growth / (shrunk * shrunk) * near[i]
    out[16] = -1.0 if first else 1.0
