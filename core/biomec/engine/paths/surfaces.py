"""Compiled shortest paths around one surface: cylinder, sphere, ellipsoid, ring (theory of muscles §2).

All work in the axes of the surface, where a cylinder and a ring have the axis z, and fill ``out`` (13,):

    out[0:3], out[3:6] : tangent points, where the path meets the surface and leaves it [m]
    out[6] : length of the path on the surface [m]          out[7] : length added to the straight line [m]
    out[8:13] : what to remember for the next frame: sense of a cylinder or 1; angle [rad] or length on the surface [m];
                then three numbers, for a sphere the normal of its plane, for an ellipsoid the scaled point of entry

They return bits: `WRAPPED` the path touches; `HIT` the straight line runs through the body; `INSIDE` an end lies within
the surface, so that nothing can be wrapped; `FLIPPED` the path changed sides since the frame before; `UNSOLVED` the
iteration gave up and a nearby path was taken; `KEPT` the side of the frame before was kept against the rule for new
contacts; `GAVE` the surface shrank to an end within it. ``memory`` (6,) is what the frame before left in out[8:13],
with memory[0] = 0 if it did not touch, and a last number that is not 0 if there was a frame before.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine.paths.vectors import Vector, ahead, cross, dot, minus, times

CYLINDER, SPHERE, ELLIPSOID, RING = 0, 1, 2, 3
WRAPPED, INSIDE, FLIPPED, UNSOLVED, MISSING, KEPT, HIT, GAVE = 1, 2, 4, 8, 16, 32, 64, 128

TURN = 2.0 * np.pi
LARGEST_TURN = 1.5 * np.pi  # a path that turns farther around a cylinder slips off to the other side
JUMP = 0.5  # [rad] a contact that begins or moves by more between two frames is reported


@compiled
def wrap_cylinder(
    p1: Vector, p2: Vector, radius: float, length: float, axis: int, sign: float, side: float,
    memory: FloatArray, out: FloatArray,
) -> int:  # fmt: skip
    """Shortest helix; exact. ``axis`` 0 or 1 with ``sign`` is the active side (−1: none); ``side`` ±1 fixes the sense.

    Sense σ = +1 turns from x to y. α1 = φ1 + σ acos(R/d1), α2 = φ2 − σ acos(R/d2), θ = σ (α2 − α1) (mod 2π);
    T = √(d1² − R²) + Rθ + √(d2² − R²), L = √(T² + Δz²).
    """
    d1, d2 = np.sqrt(p1[0] ** 2 + p1[1] ** 2), np.sqrt(p2[0] ** 2 + p2[1] ** 2)
    if d1 < radius or d2 < radius:
        return INSIDE
    ux, uy = p2[0] - p1[0], p2[1] - p1[1]
    square = ux * ux + uy * uy
    along = 0.0 if square == 0.0 else -(p1[0] * ux + p1[1] * uy) / square
    nx, ny = p1[0] + along * ux, p1[1] + along * uy
    hit = 0.0 < along < 1.0 and nx * nx + ny * ny < radius * radius
    wanted = hit
    if side != 0.0:  # the axis must lie to the left of the path (σ = +1) or to its right
        offset = 0.0 if square == 0.0 else side * (uy * p1[0] - ux * p1[1]) / np.sqrt(square)
        wanted = 0.0 < along < 1.0 and offset < radius
    elif axis >= 0:
        wanted = _wanted(sign * p1[axis], sign * p2[axis], sign * (nx if axis == 0 else ny), hit)
    held = memory[0]
    if not wanted and held == 0.0:
        return 0
    phi1, phi2 = np.arctan2(p1[1], p1[0]), np.arctan2(p2[1], p2[0])
    open1, open2 = np.arccos(radius / d1), np.arccos(radius / d2)
    plus = (phi2 - phi1 - open1 - open2) % TURN
    minus = (phi1 - phi2 - open1 - open2) % TURN
    sense = 1.0 if plus <= minus else -1.0
    if side != 0.0:
        sense = side
    elif axis >= 0:
        sense = _active_sense(axis, sign, phi1, phi2, open1, open2)
    code = 0
    theta = plus if sense > 0.0 else minus
    if held != 0.0:
        kept = plus if held > 0.0 else minus
        kept += TURN * np.round((memory[1] - kept) / TURN)
        if 0.0 < kept < LARGEST_TURN and np.abs(kept - memory[1]) < 1.0:
            if not wanted or sense != held:
                code |= KEPT
            wanted, sense, theta = True, held, kept
        elif wanted or kept > JUMP:
            code |= FLIPPED
    if not wanted:
        return code
    if theta > TURN - 1e-9:
        theta = 0.0
    if held == 0.0 and memory[5] != 0.0 and theta > JUMP:
        code |= FLIPPED
    straight1, straight2 = np.sqrt(d1 * d1 - radius * radius), np.sqrt(d2 * d2 - radius * radius)
    flat = straight1 + radius * theta + straight2
    rise = p2[2] - p1[2]
    z1 = p1[2] + rise * straight1 / flat
    z2 = p1[2] + rise * (straight1 + radius * theta) / flat
    if np.abs(z1) > 0.5 * length and np.abs(z2) > 0.5 * length:
        return code & FLIPPED
    a1, a2 = phi1 + sense * open1, phi2 - sense * open2
    out[0], out[1], out[2] = radius * np.cos(a1), radius * np.sin(a1), z1
    out[3], out[4], out[5] = radius * np.cos(a2), radius * np.sin(a2), z2
    total = np.sqrt(flat * flat + rise * rise)
    out[6] = total * radius * theta / flat
    out[7] = total - np.sqrt(square + rise * rise)
    out[8], out[9] = sense, theta
    return code | WRAPPED | (HIT if hit else 0)


@compiled
def _wanted(first: float, last: float, nearest: float, hit: bool) -> bool:
    """Whether a cylinder of which one side is active is wrapped (the rule of its source).

    first, last, nearest : how far both ends, and the point of their line nearest to the axis, lie on the active side
    """
    if first < 0.0 and last < 0.0:
        return True
    return hit or ((first >= 0.0) != (last >= 0.0) and nearest < 0.0)


@compiled
def _active_sense(axis: int, sign: float, phi1: float, phi2: float, open1: float, open2: float) -> float:
    """The sense in which such a cylinder is wrapped (the rule of its source)."""
    shift = 0.0 if axis == 0 else 0.5 * np.pi
    entry_plus = sign * np.cos(phi1 + open1 - shift) >= 0.0
    entry_minus = sign * np.cos(phi1 - open1 - shift) >= 0.0
    leave_plus = sign * np.cos(phi2 - open2 - shift) >= 0.0
    leave_minus = sign * np.cos(phi2 + open2 - shift) >= 0.0
    if entry_plus and entry_minus:
        return -1.0 if leave_minus else 1.0
    if entry_plus:
        return 1.0
    if entry_minus:
        return -1.0
    if leave_minus:
        return -1.0
    if leave_plus:
        return 1.0
    plus, minus = np.cos(phi1 + open1 - phi2 + open2), np.cos(phi1 - open1 - phi2 - open2)
    return 1.0 if plus < minus else -1.0


@compiled
def line_meets(p1: Vector, p2: Vector, radius: float) -> bool:
    """Whether the segment comes nearer to the origin than ``radius`` between its ends, which lie farther."""
    u = minus(p2, p1)
    square, along = dot(u, u), -dot(p1, u)
    if not 0.0 < along < square:
        return False
    nearest = ahead(p1, along / square, u)
    return bool(dot(nearest, nearest) < radius * radius)


@compiled
def plane_of(p1: Vector, p2: Vector, before: Vector) -> tuple[float, Vector, Vector]:
    """Angle from p1 to p2 about the origin [rad], e1 along p1, and e2 normal to it towards p2, both unit.

    Where both lie on one line through the origin, the plane is that of normal ``before`` (or any).
    """
    e1 = times(1.0 / np.sqrt(dot(p1, p1)), p1)
    along = dot(p2, e1)
    e2 = ahead(p2, -along, e1)
    across = np.sqrt(dot(e2, e2))
    if across > 1e-9 * np.sqrt(dot(p2, p2)):
        return float(np.arctan2(across, along)), e1, times(1.0 / across, e2)
    e2 = cross(before, e1)
    if dot(e2, e2) < 1e-6:
        e2 = cross((1.0, 0.0, 0.0) if np.abs(e1[0]) < 0.6 else (0.0, 1.0, 0.0), e1)
    return np.pi if along < 0.0 else 0.0, e1, times(1.0 / np.sqrt(dot(e2, e2)), e2)


@compiled
def wrap_sphere(p1: Vector, p2: Vector, radius: float, memory: FloatArray, out: FloatArray) -> int:
    """Great circle in the plane of both ends and the centre; exact."""
    d1, d2 = np.sqrt(dot(p1, p1)), np.sqrt(dot(p2, p2))
    if d1 < radius or d2 < radius:
        return INSIDE
    if not line_meets(p1, p2, radius):
        return 0
    phi, e1, e2 = plane_of(p1, p2, (memory[2], memory[3], memory[4]))
    a1, a2 = np.arccos(radius / d1), np.arccos(radius / d2)
    theta = phi - a1 - a2
    if theta <= 0.0:
        return 0
    code = WRAPPED | HIT
    n, straight = cross(e1, e2), minus(p2, p1)
    if memory[0] != 0.0 and n[0] * memory[2] + n[1] * memory[3] + n[2] * memory[4] < 0.0:
        code |= FLIPPED
    if memory[0] == 0.0 and memory[5] != 0.0 and theta > JUMP:
        code |= FLIPPED
    entry = ahead(times(radius * np.cos(a1), e1), radius * np.sin(a1), e2)
    leave = ahead(times(radius * np.cos(a1 + theta), e1), radius * np.sin(a1 + theta), e2)
    for i in range(3):
        out[i], out[3 + i], out[10 + i] = entry[i], leave[i], n[i]
    out[6] = radius * theta
    out[7] = np.sqrt(d1 * d1 - radius * radius) + out[6] + np.sqrt(d2 * d2 - radius * radius)
    out[7] -= np.sqrt(dot(straight, straight))
    out[8], out[9] = 1.0, theta
    return code


@compiled
def wrap_ring(p1: Vector, p2: Vector, radius: float, memory: FloatArray, out: FloatArray) -> int:
    """Shortest path over a point of the disc of ``radius`` in z = 0: straight through the hole, or over the rim.

    Where both ends lie on one side of the plane, the path still goes to the disc, so that its length is continuous.
    """
    apart = np.abs(p1[2]) + np.abs(p2[2])
    share = 0.5 if apart == 0.0 else np.abs(p1[2]) / apart
    x, y = p1[0] + share * (p2[0] - p1[0]), p1[1] + share * (p2[1] - p1[1])
    angle, solved, outside = np.arctan2(y, x), True, x * x + y * y > radius * radius
    if outside:
        angle, solved = _rim(p1, p2, radius, memory[1] if memory[0] != 0.0 else angle)
        x, y = radius * np.cos(angle), radius * np.sin(angle)
    elif p1[2] * p2[2] <= 0.0:
        return 0
    at = (x, y, 0.0)
    before, after, straight = minus(at, p1), minus(at, p2), minus(p2, p1)
    for i in range(3):
        out[i], out[3 + i], out[10 + i] = at[i], at[i], 0.0
    out[6] = 0.0
    out[7] = np.sqrt(dot(before, before)) + np.sqrt(dot(after, after)) - np.sqrt(dot(straight, straight))
    jumped = outside and memory[0] != 0.0 and np.abs((angle - memory[1] + np.pi) % TURN - np.pi) > JUMP
    out[8], out[9] = 1.0, angle
    return WRAPPED | HIT | (FLIPPED if jumped else 0) | (0 if solved else UNSOLVED)


@compiled
def _rim(p1: Vector, p2: Vector, radius: float, angle: float) -> tuple[float, bool]:
    """Angle of the point of a rim over which the path is shortest, and whether it was found."""
    for _ in range(60):
        x, y = radius * np.cos(angle), radius * np.sin(angle)
        slope = bend = 0.0
        for end in range(2):
            p = p1 if end == 0 else p2
            far = np.sqrt((x - p[0]) ** 2 + (y - p[1]) ** 2 + p[2] ** 2)
            rate = (y * p[0] - x * p[1]) / far
            slope += rate
            bend += (x * p[0] + y * p[1] - rate * rate) / far
        step = -slope / bend if bend > 0.0 else -0.3 * np.sign(slope)
        step = min(max(step, -0.5), 0.5)
        angle += step
        if np.abs(step) < 1e-13:
            return angle, True
    return angle, False
