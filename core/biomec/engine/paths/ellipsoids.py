"""Compiled shortest path around an ellipsoid: a true geodesic between its two tangent lines (theory of muscles §2.4).

With x = a∘y an ellipsoid of semi-axes a is the unit sphere |y| = 1. Points at which a line from p1 touches are those of
y·q1 = 1, q1 = p1/a: a circle, whose angle s and the length ℓ of the geodesic (`biomec.engine.paths.geodesics`) are the
two unknowns. Its end x with the direction d must look straight at p2: N·(p2 − x) = 0 and (N × d)·(p2 − x) = 0, N the
normal. Newton's method finds both, from the shortest path in a plane or from the solution of the frame before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine.paths.geodesics import geodesic, steps_for
from biomec.engine.paths.plane_sections import best_section, section_through
from biomec.engine.paths.surfaces import FLIPPED, HIT, INSIDE, JUMP, UNSOLVED, WRAPPED, line_meets, plane_of
from biomec.engine.paths.vectors import Vector, ahead, cross, dot, minus, stretched, times

ITERATIONS = 40
TOLERANCE = 1e-13  # [m] by which the end may miss the line to p2
LAST_STEP = 1e-6  # of s [rad] and of ℓ [smallest semi-axis]: after it, Newton's method is exact to its square
ACCEPTED = 1e-10  # [m] by which the end may miss where round-off stops the iteration
OFF_SURFACE = 1.0 + 1e-6  # of |q1|²: nearer to the surface, p1 counts as lying on it
FORWARDS, BACKWARDS = 1.0, 2.0  # from which end a path was found, in the memory for the next frame
NEAR_SURFACE = 1.0 + 1e-3  # of |q2|²: the path ends almost at p2
ALMOST = 1e-12  # [m] by which the end may miss it
BEFORE = 1e-7  # [m] before a point on the surface a path leaves it, so that it has a direction there
FLAT = 1e-18  # [m²] a determinant below which the two conditions are not independent
LONGER = 1.001  # times the path in a plane, to which the path of the frame before has become a detour
COLD_LONGER = 1.01  # the same for a path without a past, whose plane is one of a few


class Ends(NamedTuple):
    """Both ends of a path; lines from p1 touch it at a circle of scaled points, centre + span (cos s e1 + sin s e2)."""

    size: Vector
    smallest: float
    p1: Vector
    p2: Vector
    centre: Vector
    span: float
    e1: Vector
    e2: Vector


class Shot(NamedTuple):
    """End of a geodesic, and how it misses p2: up N·l, aside (N × d)·l, ahead d·l, with l = p2 − x; by s and by ℓ.

    x, d   : where it ends, and its direction there
    x_s    : ∂x/∂s;  ∂x/∂ℓ = d
    up, aside, ahead : value, derivative by s, derivative by ℓ
    bend   : curvature of the surface along the path [1/m]
    """

    x: Vector
    d: Vector
    x_s: Vector
    up: Vector
    aside: Vector
    ahead: Vector
    bend: float


@compiled
def _entry(ends: Ends, s: float) -> Vector:
    """Scaled point at angle s of the circle of entry."""
    return ahead(ahead(ends.centre, ends.span * np.cos(s), ends.e1), ends.span * np.sin(s), ends.e2)


@compiled
def _shot(ends: Ends, s: float, length: float, steps: int) -> Shot:
    """Geodesic that enters at angle s and runs ``length`` [m].

    A change of s moves its beginning by ∂x/∂s = τ d + y b, b = N × d; τ stays, and y follows Gauss's curvature. With
    the shape operator k_uv = uᵀDv/|G|, ∂N/∂s = (τ k_dd + y k_db) d + (τ k_db + y k_bb) b and ∂d/∂s = y′ b − … N.
    """
    size = ends.size
    x = stretched(size, _entry(ends, s))
    d = minus(x, ends.p1)
    far = np.sqrt(dot(d, d))
    square = (1.0 / size[0] ** 2, 1.0 / size[1] ** 2, 1.0 / size[2] ** 2)
    G = stretched(square, x)
    tau = y = rate = 0.0
    if far < 1e-12:  # p1 lies on the surface: start along the surface towards p2
        d = minus(ends.p2, x)
        d = ahead(d, -dot(G, d) / dot(G, G), G)
        d = times(1.0 / np.sqrt(dot(d, d)), d)
    else:
        d = times(1.0 / far, d)
        x_s = ahead(times(-np.sin(s), ends.e1), np.cos(s), ends.e2)
        x_s = stretched(size, times(ends.span, x_s))
        b = cross(G, d)
        tau, y = dot(d, x_s), dot(b, x_s) / np.sqrt(dot(b, b))
        rate = y / far
    x, d, y, rate = geodesic(size, x, d, y, rate, length, steps)
    G = stretched(square, x)
    steep = 1.0 / np.sqrt(dot(G, G))
    N = times(steep, G)
    b = cross(N, d)
    l = minus(ends.p2, x)
    Dd = stretched(square, d)
    dd, db, bb = steep * dot(d, Dd), steep * dot(b, Dd), steep * dot(b, stretched(square, b))
    along, over = tau * dd + y * db, tau * db + y * bb
    up, aside, left = dot(N, l), dot(b, l), dot(d, l)
    return Shot(
        x, d, ahead(times(tau, d), y, b),
        (up, along * left + over * aside, dd * left + db * aside),
        (aside, -rate * left - over * up - y, -db * up),
        (left, rate * aside - along * up - tau, -dd * up - 1.0),
        dd,
    )  # fmt: skip


@compiled
def _arrived(ends: Ends, s: float, length: float) -> tuple[bool, float, float, Vector]:
    """Improve s and ℓ for a point p2 so near to the surface that the path ends almost there; whether they were found.

    The height N·(p2 − x) then has a double root at the end, at which Newton's method only halves its error. The
    geodesic is brought below p2 instead, d·(p2 − x) = 0, and ends √(2 h/κ) before it, h the height and κ the curvature.
    Of a point on the surface that is the solution: x lies `BEFORE` p2 along the tangent.
    """
    found = False
    shot = _shot(ends, s, length, steps_for(ends.smallest, length))
    for _ in range(ITERATIONS):
        found = np.abs(shot.aside[0]) < ALMOST and np.abs(shot.ahead[0]) < ALMOST
        if found or np.abs(shot.aside[1]) < FLAT:
            break
        ds = min(max(-shot.aside[0] / shot.aside[1], -0.4), 0.4)
        s += ds
        length += min(max(shot.ahead[0] + shot.ahead[1] * ds, -0.5 * ends.smallest), 0.5 * ends.smallest)
        shot = _shot(ends, s, length, steps_for(ends.smallest, length))
    before = np.sqrt(2.0 * max(shot.up[0], 0.0) / shot.bend + BEFORE * BEFORE)
    return found, s, length - before, ahead(ends.p2, -before, shot.d)


@compiled
def _closed(ends: Ends, s: float, length: float) -> tuple[bool, float, float, Vector]:
    """Improve s and ℓ until the geodesic ends at x on the line to p2; whether they were found."""
    steps = steps_for(ends.smallest, length)
    limit = 0.5 * ends.smallest
    shot = _shot(ends, s, length, steps)
    for _ in range(ITERATIONS):
        if max(np.abs(shot.up[0]), np.abs(shot.aside[0])) < TOLERANCE:
            break
        det = shot.up[1] * shot.aside[2] - shot.aside[1] * shot.up[2]
        if np.abs(det) < FLAT:
            return False, s, length, shot.x
        ds = min(max((shot.aside[0] * shot.up[2] - shot.up[0] * shot.aside[2]) / det, -0.4), 0.4)
        dl = min(max((shot.aside[1] * shot.up[0] - shot.up[1] * shot.aside[0]) / det, -limit), limit)
        s += ds
        length += dl
        if np.abs(ds) < LAST_STEP and np.abs(dl) < LAST_STEP * ends.smallest:
            x = ahead(ahead(shot.x, ds, shot.x_s), dl, shot.d)
            return shot.ahead[0] >= dl - TOLERANCE, s, length, x
        shot = _shot(ends, s, length, steps)
    missed = max(np.abs(shot.up[0]), np.abs(shot.aside[0]))
    return missed < ACCEPTED and shot.ahead[0] >= -TOLERANCE, s, length, shot.x


@compiled
def _solved(ends: Ends, s: float, length: float, s1: float, s2: float) -> tuple[bool, float, float, Vector]:
    """The same for any heights of both ends over the surface, s1 = |q1|², s2 = |q2|²."""
    if s1 > OFF_SURFACE and s2 < NEAR_SURFACE:
        found, s, length, x = _arrived(ends, s, length)
        if s2 < OFF_SURFACE:
            return found, s, length, x
    return _closed(ends, s, length)


@compiled
def _whole(ends: Ends, s: float, length: float, x: Vector) -> float:
    """Length of the whole path that enters at s, runs ℓ on the surface and leaves it at x."""
    first, last = minus(stretched(ends.size, _entry(ends, s)), ends.p1), minus(ends.p2, x)
    return float(np.sqrt(dot(first, first)) + length + np.sqrt(dot(last, last)))


@compiled
def wrap_ellipsoid(
    p1: Vector, p2: Vector, size: Vector, axis: int, sign: float, memory: FloatArray, out: FloatArray
) -> int:
    """Geodesic around the ellipsoid of semi-axes ``size`` [m].

    An active side says on which side of the centre a new contact begins; afterwards the path moves by itself. A path
    that begins next to the surface is found from its other end, where its tangent is well defined.
    """
    scale = (1.0 / size[0], 1.0 / size[1], 1.0 / size[2])
    q1, q2 = stretched(scale, p1), stretched(scale, p2)
    s1, s2 = dot(q1, q1), dot(q2, q2)
    if s1 < 1.0 or s2 < 1.0:
        code = INSIDE
    elif not line_meets(q1, q2, 1.0):
        code = 0
    elif s1 < NEAR_SURFACE and s2 > s1:
        code = _wrapped(p2, p1, q2, q1, s2, s1, size, axis, sign, BACKWARDS, memory, out)
        for i in range(3):
            out[i], out[3 + i] = out[3 + i], out[i]
    else:
        code = _wrapped(p1, p2, q1, q2, s1, s2, size, axis, sign, FORWARDS, memory, out)
    return code


@compiled
def _wrapped(
    p1: Vector, p2: Vector, q1: Vector, q2: Vector, s1: float, s2: float, size: Vector, axis: int, sign: float,
    direction: float, memory: FloatArray, out: FloatArray,
) -> int:  # fmt: skip
    """Geodesic from the tangent of p1 to that of p2; a path that was found from its other end has no past."""
    known = memory[0] == direction
    first_of_all = memory[0] == 0.0 and memory[5] != 0.0
    before = (memory[2], memory[3], memory[4])
    phi, e1, e2 = plane_of(q1, q2, (0.0, 0.0, 0.0))
    e3 = cross(e1, e2)
    span = np.sqrt(max(0.0, 1.0 - 1.0 / s1))
    ends = Ends(size, min(size[0], min(size[1], size[2])), p1, p2, times(1.0 / s1, q1), span, e2, e3)
    s, length, x = 0.0, 0.0, p2
    solved, code = False, WRAPPED | HIT
    if known and s1 > OFF_SURFACE:  # from a point on it, all paths enter there: memory cannot tell them apart
        bound = section_through(size, p1, p2, q1, q2, before)
        solved, s, length, x = _solved(ends, np.arctan2(dot(before, e3), dot(before, e2)), memory[1], s1, s2)
        solved = solved and (length <= 0.0 or _whole(ends, s, length, x) <= LONGER * bound)
    if not solved:
        section = best_section(size, p1, p2, q1, q2, axis, sign)
        start = np.arctan2(dot(section.entry, e3), dot(section.entry, e2))
        solved, s, length, x = _solved(ends, start, section.arc, s1, s2)
        if solved and axis < 0:  # no shortest path is longer than one in a plane
            solved = length <= 0.0 or _whole(ends, s, length, x) < COLD_LONGER * section.length
        if not solved:
            code |= UNSOLVED
            s, length, x = start, section.arc, stretched(size, section.leave)
    if length <= 0.0:
        return 0
    y = _entry(ends, s)
    entry, straight, moved = stretched(size, y), minus(p2, p1), minus(y, before)
    for i in range(3):
        out[i], out[3 + i], out[10 + i] = entry[i], x[i], y[i]
    out[6] = length
    out[7] = _whole(ends, s, length, x) - np.sqrt(dot(straight, straight))
    out[8], out[9] = direction, length
    if known and (dot(moved, moved) > JUMP * JUMP or np.abs(length - memory[1]) > JUMP * ends.smallest):
        code |= FLIPPED
    if first_of_all and phi - np.arccos(min(1.0, 1.0 / np.sqrt(s1))) - np.arccos(min(1.0, 1.0 / np.sqrt(s2))) > JUMP:
        code |= FLIPPED
    return code
