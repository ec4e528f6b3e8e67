"""Compiled shortest path around an ellipsoid: a true geodesic between its two tangent lines (theory of muscles §2.4).

With x = a∘y an ellipsoid of semi-axes a is the unit sphere |y| = 1. Points at which a line from p1 touches are those of
y·q1 = 1, q1 = p1/a: a circle, whose angle s and the length ℓ of the geodesic are the two unknowns. A geodesic obeys

    x″ = −(x′ᵀ D x′)/(G·G) G,   D = diag(1/a²),  G = D x

and its end (x, d = x′) must look straight at p2: N·(p2 − x) = 0 and (N × d)·(p2 − x) = 0, N = G/|G|. Newton's method
finds both, from the shortest path in a plane or from the solution of the frame before.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine.paths.plane_sections import best_section, section_through
from biomec.engine.paths.surfaces import FLIPPED, HIT, INSIDE, JUMP, UNSOLVED, WRAPPED, _line_meets, _plane

STEP = 0.08  # longest step of a geodesic, as a part of the smallest semi-axis; errors stay below 2e-7 of the length
SMALLEST_STEPS, MOST_STEPS = 6, 120
ITERATIONS = 40
TOLERANCE = 1e-13  # [m] by which the end may miss the line to p2
ACCEPTED = 1e-10  # [m] the same where round-off stops the iteration
OFF_SURFACE = 1.0 + 1e-6  # of |q1|²: nearer to the surface, p1 counts as lying on it
FORWARDS, BACKWARDS = 1.0, 2.0  # from which end a path was found, in the memory for the next frame
NEAR_SURFACE = 1.0 + 1e-3  # of |q2|²: the path ends almost at p2
ALMOST = 1e-12  # [m] by which the end may miss it
BEFORE = 1e-7  # [m] before a point on the surface a path leaves it, so that it has a direction there
NUDGE = 1e-7  # [rad] for the derivative in s


@compiled
def geodesic(size: FloatArray, x: FloatArray, d: FloatArray, length: float, steps: int) -> None:
    """Move point x (3,) and unit tangent d (3,) along the geodesic by ``length`` [m], in Runge-Kutta steps."""
    i0, i1, i2 = 1.0 / size[0] ** 2, 1.0 / size[1] ** 2, 1.0 / size[2] ** 2
    h = length / steps
    for _ in range(steps):
        x0, x1, x2, d0, d1, d2 = x[0], x[1], x[2], d[0], d[1], d[2]
        g0, g1, g2 = i0 * x0, i1 * x1, i2 * x2
        f = -(i0 * d0 * d0 + i1 * d1 * d1 + i2 * d2 * d2) / (g0 * g0 + g1 * g1 + g2 * g2)
        a0, a1, a2 = f * g0, f * g1, f * g2
        u0, u1, u2 = d0 + 0.5 * h * a0, d1 + 0.5 * h * a1, d2 + 0.5 * h * a2
        g0, g1, g2 = i0 * (x0 + 0.5 * h * d0), i1 * (x1 + 0.5 * h * d1), i2 * (x2 + 0.5 * h * d2)
        f = -(i0 * u0 * u0 + i1 * u1 * u1 + i2 * u2 * u2) / (g0 * g0 + g1 * g1 + g2 * g2)
        b0, b1, b2 = f * g0, f * g1, f * g2
        v0, v1, v2 = d0 + 0.5 * h * b0, d1 + 0.5 * h * b1, d2 + 0.5 * h * b2
        g0, g1, g2 = i0 * (x0 + 0.5 * h * u0), i1 * (x1 + 0.5 * h * u1), i2 * (x2 + 0.5 * h * u2)
        f = -(i0 * v0 * v0 + i1 * v1 * v1 + i2 * v2 * v2) / (g0 * g0 + g1 * g1 + g2 * g2)
        c0, c1, c2 = f * g0, f * g1, f * g2
        w0, w1, w2 = d0 + h * c0, d1 + h * c1, d2 + h * c2
        g0, g1, g2 = i0 * (x0 + h * v0), i1 * (x1 + h * v1), i2 * (x2 + h * v2)
        f = -(i0 * w0 * w0 + i1 * w1 * w1 + i2 * w2 * w2) / (g0 * g0 + g1 * g1 + g2 * g2)
        k = h / 6.0
        x[0] = x0 + k * (d0 + 2.0 * u0 + 2.0 * v0 + w0)
        x[1] = x1 + k * (d1 + 2.0 * u1 + 2.0 * v1 + w1)
        x[2] = x2 + k * (d2 + 2.0 * u2 + 2.0 * v2 + w2)
        d[0] = d0 + k * (a0 + 2.0 * b0 + 2.0 * c0 + f * g0)
        d[1] = d1 + k * (a1 + 2.0 * b1 + 2.0 * c1 + f * g1)
        d[2] = d2 + k * (a2 + 2.0 * b2 + 2.0 * c2 + f * g2)


@compiled
def _shot(
    size: FloatArray, p1: FloatArray, p2: FloatArray, centre: FloatArray, span: float, e1: FloatArray, e2: FloatArray,
    s: float, length: float, steps: int, x: FloatArray, d: FloatArray, w: FloatArray,
) -> None:  # fmt: skip
    """Geodesic that starts at angle s of the circle of entry: end x, d, and w = misses (2,), ∂w/∂ℓ (2,), ahead (1,)."""
    far = 0.0
    for i in range(3):
        x[i] = size[i] * (centre[i] + span * (np.cos(s) * e1[i] + np.sin(s) * e2[i]))
        d[i] = x[i] - p1[i]
        far += d[i] * d[i]
    far = np.sqrt(far)
    if far < 1e-12:  # p1 lies on the surface: start along the surface towards p2
        along = square = 0.0
        for i in range(3):
            g = x[i] / size[i] ** 2
            along += g * (p2[i] - x[i])
            square += g * g
        far = 0.0
        for i in range(3):
            d[i] = p2[i] - x[i] - along / square * x[i] / size[i] ** 2
            far += d[i] * d[i]
        far = np.sqrt(far)
    for i in range(3):
        d[i] /= far
    geodesic(size, x, d, length, steps)
    g0, g1, g2 = x[0] / size[0] ** 2, x[1] / size[1] ** 2, x[2] / size[2] ** 2
    k0, k1, k2 = d[0] / size[0] ** 2, d[1] / size[1] ** 2, d[2] / size[2] ** 2
    scale = 1.0 / np.sqrt(g0 * g0 + g1 * g1 + g2 * g2)
    g0, g1, g2 = g0 * scale, g1 * scale, g2 * scale
    turn = (g0 * k0 + g1 * k1 + g2 * k2) * scale
    k0, k1, k2 = k0 * scale - turn * g0, k1 * scale - turn * g1, k2 * scale - turn * g2  # N′
    l0, l1, l2 = p2[0] - x[0], p2[1] - x[1], p2[2] - x[2]
    b0, b1, b2 = g1 * d[2] - g2 * d[1], g2 * d[0] - g0 * d[2], g0 * d[1] - g1 * d[0]
    c0, c1, c2 = k1 * d[2] - k2 * d[1], k2 * d[0] - k0 * d[2], k0 * d[1] - k1 * d[0]
    w[0] = g0 * l0 + g1 * l1 + g2 * l2
    w[1] = b0 * l0 + b1 * l1 + b2 * l2
    w[2] = k0 * l0 + k1 * l1 + k2 * l2
    w[3] = c0 * l0 + c1 * l1 + c2 * l2
    w[4] = d[0] * l0 + d[1] * l1 + d[2] * l2


@compiled
def _arrived(
    size: FloatArray, p1: FloatArray, p2: FloatArray, centre: FloatArray, span: float, e1: FloatArray, e2: FloatArray,
    start: FloatArray, x: FloatArray,
) -> bool:  # fmt: skip
    """Improve start = (s, ℓ) for a point p2 so near to the surface that the path ends almost there.

    The height N·(p2 − x) then has a double root at the end, at which Newton's method only halves its error. The
    geodesic is brought below p2 instead, d·(p2 − x) = 0, and ends √(2 h/κ) before it, h the height and κ the curvature.
    Of a point on the surface that is the solution: ``x`` lies `BEFORE` p2 along the tangent. Whether it was found.
    """
    d, w, other = np.empty(3), np.empty(5), np.empty(5)
    smallest = min(size[0], min(size[1], size[2]))
    near = False
    for _ in range(ITERATIONS):
        steps = min(MOST_STEPS, SMALLEST_STEPS + int(start[1] / (STEP * smallest)))
        _shot(size, p1, p2, centre, span, e1, e2, start[0], start[1], steps, x, d, w)
        near = np.abs(w[1]) < ALMOST and np.abs(w[4]) < ALMOST
        if near:
            break
        _shot(size, p1, p2, centre, span, e1, e2, start[0] + NUDGE, start[1], steps, x, d, other)
        aside, ahead = (other[1] - w[1]) / NUDGE, (other[4] - w[4]) / NUDGE
        if np.abs(aside) < 1e-18:
            return False
        ds = min(max(-w[1] / aside, -0.4), 0.4)
        start[0] += ds
        start[1] += min(max(w[4] + ahead * ds, -0.5 * smallest), 0.5 * smallest)
    square = bend = 0.0
    for i in range(3):
        square += (x[i] / size[i] ** 2) ** 2
        bend += (d[i] / size[i]) ** 2
    before = np.sqrt(2.0 * max(w[0], 0.0) * np.sqrt(square) / bend + BEFORE * BEFORE)
    start[1] -= before
    for i in range(3):
        x[i] = p2[i] - before * d[i]
    return near


@compiled
def _closed(
    size: FloatArray, p1: FloatArray, p2: FloatArray, centre: FloatArray, span: float, e1: FloatArray, e2: FloatArray,
    start: FloatArray, x: FloatArray,
) -> bool:  # fmt: skip
    """Improve start = (s, ℓ) until the geodesic ends on the line to p2; x (3,) is its end. Whether that came out."""
    d, w, other = np.empty(3), np.empty(5), np.empty(5)
    smallest = min(size[0], min(size[1], size[2]))
    steps = min(MOST_STEPS, SMALLEST_STEPS + int(start[1] / (STEP * smallest)))
    fresh, best = 0, np.inf
    js0 = js1 = 0.0
    for turn in range(ITERATIONS):
        _shot(size, p1, p2, centre, span, e1, e2, start[0], start[1], steps, x, d, w)
        miss = max(np.abs(w[0]), np.abs(w[1]))
        if miss < TOLERANCE:
            return bool(w[4] >= -TOLERANCE)
        if turn == 0 or miss > 0.1 * best or fresh > 3:
            _shot(size, p1, p2, centre, span, e1, e2, start[0] + NUDGE, start[1], steps, x, d, other)
            js0, js1, fresh = (other[0] - w[0]) / NUDGE, (other[1] - w[1]) / NUDGE, 0
        fresh += 1
        best = miss
        det = js0 * w[3] - js1 * w[2]
        if np.abs(det) < 1e-18:
            return False
        ds = min(max((w[1] * w[2] - w[0] * w[3]) / det, -0.4), 0.4)
        dl = min(max((js1 * w[0] - js0 * w[1]) / det, -0.5 * smallest), 0.5 * smallest)
        start[0] += ds
        start[1] += dl
    return bool(best < ACCEPTED and w[4] >= -TOLERANCE)


@compiled
def _solved(
    size: FloatArray, p1: FloatArray, p2: FloatArray, centre: FloatArray, span: float, e1: FloatArray, e2: FloatArray,
    start: FloatArray, x: FloatArray, s1: float, s2: float,
) -> bool:  # fmt: skip
    """The same for any heights of both ends over the surface, s1 = |q1|², s2 = |q2|²."""
    if s1 > OFF_SURFACE and s2 < NEAR_SURFACE:
        found = _arrived(size, p1, p2, centre, span, e1, e2, start, x)
        if s2 < OFF_SURFACE:
            return found
    return _closed(size, p1, p2, centre, span, e1, e2, start, x)


@compiled
def _length(
    size: FloatArray, p1: FloatArray, p2: FloatArray, centre: FloatArray, span: float, e1: FloatArray, e2: FloatArray,
    start: FloatArray, x: FloatArray,
) -> float:  # fmt: skip
    """Length of the whole path that enters at s, runs ℓ on the surface and leaves it at x."""
    first = last = 0.0
    for i in range(3):
        first += (size[i] * (centre[i] + span * (np.cos(start[0]) * e1[i] + np.sin(start[0]) * e2[i])) - p1[i]) ** 2
        last += (p2[i] - x[i]) ** 2
    return float(np.sqrt(first) + start[1] + np.sqrt(last))


@compiled
def _angle(y: FloatArray, e1: FloatArray, e2: FloatArray) -> float:
    """Angle of a point on the circle of entry."""
    along = across = 0.0
    for i in range(3):
        along += y[i] * e1[i]
        across += y[i] * e2[i]
    return float(np.arctan2(across, along))


@compiled
def wrap_ellipsoid(
    p1: FloatArray, p2: FloatArray, size: FloatArray, axis: int, sign: float, memory: FloatArray, out: FloatArray
) -> int:
    """Geodesic around the ellipsoid of semi-axes ``size`` (3,) [m].

    An active side says on which side of the centre a new contact begins; afterwards the path moves by itself. A path
    that begins next to the surface is found from its other end, where its tangent is well defined.
    """
    s1 = s2 = 0.0
    for i in range(3):
        s1 += (p1[i] / size[i]) ** 2
        s2 += (p2[i] / size[i]) ** 2
    direction = BACKWARDS if s1 < NEAR_SURFACE and s2 > s1 else FORWARDS
    known = memory.copy()
    if known[0] != direction:
        known[0] = 0.0
        if memory[0] != 0.0:  # the same path, seen from its other end: nothing to compare with
            known[5] = 0.0
    if direction == FORWARDS:
        code = _wrapped(p1, p2, size, axis, sign, known, out)
    else:
        code = _wrapped(p2, p1, size, axis, sign, known, out)
        for i in range(3):
            out[i], out[3 + i] = out[3 + i], out[i]
    out[8] = direction
    return code


@compiled
def _wrapped(
    p1: FloatArray, p2: FloatArray, size: FloatArray, axis: int, sign: float, memory: FloatArray, out: FloatArray
) -> int:
    """Geodesic from the tangent of p1 to that of p2."""
    q1, q2 = p1 / size, p2 / size
    s1, s2 = q1[0] ** 2 + q1[1] ** 2 + q1[2] ** 2, q2[0] ** 2 + q2[1] ** 2 + q2[2] ** 2
    if s1 < 1.0 or s2 < 1.0:
        return INSIDE
    if not _line_meets(q1, q2, 1.0):
        return 0
    e1, e2, e3 = np.empty(3), np.empty(3), np.empty(3)
    phi = _plane(q1, q2, e1, e2, np.zeros(3))
    theta = phi - np.arccos(min(1.0, 1.0 / np.sqrt(s1))) - np.arccos(min(1.0, 1.0 / np.sqrt(s2)))
    if theta <= 0.0:
        return 0
    e3[0], e3[1], e3[2] = e1[1] * e2[2] - e1[2] * e2[1], e1[2] * e2[0] - e1[0] * e2[2], e1[0] * e2[1] - e1[1] * e2[0]
    centre = q1 / s1
    span = np.sqrt(max(0.0, 1.0 - 1.0 / s1))
    start, x = np.empty(2), np.empty(3)
    solved, code = False, WRAPPED | HIT
    if (
        memory[0] != 0.0 and s1 > OFF_SURFACE
    ):  # from a point on it, all paths enter there: memory cannot tell them apart
        start[0], start[1] = _angle(memory[2:5], e2, e3), memory[1]
        bound = section_through(size, p1, p2, q1, q2, memory[2:5])
        solved = _solved(size, p1, p2, centre, span, e2, e3, start, x, s1, s2)
        if solved:
            solved = start[1] <= 0.0 or _length(size, p1, p2, centre, span, e2, e3, start, x) <= 1.001 * bound
    if not solved:
        ends = np.empty((4, 3))
        bound = best_section(size, p1, p2, q1, q2, axis, sign, ends)
        start[0], start[1] = _angle(ends[0], e2, e3), ends[2, 0]
        solved = _solved(size, p1, p2, centre, span, e2, e3, start, x, s1, s2)
        if solved and axis < 0:  # no shortest path is longer than one in a plane
            solved = start[1] <= 0.0 or _length(size, p1, p2, centre, span, e2, e3, start, x) < 1.01 * bound
        if not solved:
            code |= UNSOLVED
            start[0], start[1] = _angle(ends[0], e2, e3), ends[2, 0]
            for i in range(3):
                x[i] = size[i] * ends[1, i]
    if start[1] <= 0.0:
        return 0
    s, length = start[0], start[1]
    straight = moved = 0.0
    for i in range(3):
        y = centre[i] + span * (np.cos(s) * e2[i] + np.sin(s) * e3[i])
        out[i], out[3 + i], out[10 + i] = size[i] * y, x[i], y
        moved += (y - memory[2 + i]) ** 2
        straight += (p2[i] - p1[i]) ** 2
    out[6] = length
    out[7] = _length(size, p1, p2, centre, span, e2, e3, start, x) - np.sqrt(straight)
    out[8], out[9] = 1.0, length
    jumped = np.abs(length - memory[1]) > JUMP * min(size[0], min(size[1], size[2]))
    if memory[0] != 0.0 and (moved > JUMP * JUMP or jumped):
        code |= FLIPPED
    if memory[0] == 0.0 and memory[5] != 0.0 and theta > JUMP:
        code |= FLIPPED
    return code
