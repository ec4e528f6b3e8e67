"""Compiled paths around an ellipsoid in planes through both ends: where the search for the shortest one begins.

With x = a∘y an ellipsoid of semi-axes a is the unit sphere |y| = 1, and a plane cuts it in a circle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biomec.base.compiled import compiled
from biomec.engine.paths.vectors import Vector, ahead, cross, dot, minus, stretched, times

PIECES = 8  # chords by which an arc in a plane is measured
TILTS = 6  # planes on either side that are tried


class Section(NamedTuple):
    """Path in a plane: its whole length, that on the surface [m]; scaled points of entry, of leaving and half-way."""

    length: float
    arc: float
    entry: Vector
    leave: Vector
    middle: Vector


@compiled
def _on_circle(offset: float, side: Vector, radius: float, angle: float, u: Vector, m: Vector) -> Vector:
    return ahead(ahead(times(offset, side), radius * np.cos(angle), u), radius * np.sin(angle), m)


@compiled
def _section(size: Vector, p1: Vector, p2: Vector, q1: Vector, far: float, u: Vector, m: Vector) -> Section:
    """Path in the plane of both points that is spanned by u, towards q2 at a distance ``far``, and m, on the side of m.

    In scaled axes the plane cuts the unit sphere in a circle about ``offset`` · side; both points lie at ``height``
    along m, at a1 and a2 along u.
    """
    side = cross(u, m)
    offset, height, a1 = dot(q1, side), dot(q1, m), dot(q1, u)
    a2 = a1 + far
    radius = np.sqrt(max(0.0, 1.0 - offset * offset))
    up = np.arctan2(height, a1)
    begin = up - np.arccos(min(1.0, radius / np.sqrt(a1 * a1 + height * height)))
    end = np.arctan2(height, a2) + np.arccos(min(1.0, radius / np.sqrt(a2 * a2 + height * height)))
    if up < -0.5 * np.pi:
        begin += 2.0 * np.pi
    turn = (end - begin) / PIECES
    across, along, arc = np.cos(turn), np.sin(turn), 0.0
    flat, steep = np.cos(begin), np.sin(begin)
    su, sm = stretched(size, u), stretched(size, m)
    for _ in range(PIECES):
        after, rise = flat * across - steep * along, steep * across + flat * along
        chord = ahead(times(after - flat, su), rise - steep, sm)
        arc += np.sqrt(dot(chord, chord))
        flat, steep = after, rise
    arc *= radius
    entry, leave = _on_circle(offset, side, radius, begin, u, m), _on_circle(offset, side, radius, end, u, m)
    first, last = minus(stretched(size, entry), p1), minus(stretched(size, leave), p2)
    length = np.sqrt(dot(first, first)) + arc + np.sqrt(dot(last, last))
    return Section(length, arc, entry, leave, _on_circle(offset, side, radius, 0.5 * (begin + end), u, m))


@compiled
def section_through(size: Vector, p1: Vector, p2: Vector, q1: Vector, q2: Vector, y: Vector) -> float:
    """Length of the path in the plane through both points and y."""
    u = minus(q2, q1)
    far = np.sqrt(dot(u, u))
    u = times(1.0 / far, u)
    m = minus(y, q1)
    m = ahead(m, -dot(m, u), u)
    square = dot(m, m)
    if square < 1e-12:
        return np.inf
    return _section(size, p1, p2, q1, far, u, times(1.0 / np.sqrt(square), m)).length


@compiled
def best_section(size: Vector, p1: Vector, p2: Vector, q1: Vector, q2: Vector, axis: int, sign: float) -> Section:
    """Shortest path in a plane through both points, among planes turned about their line.

    axis, sign : the middle of the path lies on this side of the centre if any does; axis −1: anywhere
    """
    u = minus(q2, q1)
    far = np.sqrt(dot(u, u))
    u = times(1.0 / far, u)
    n = ahead(q1, -dot(q1, u), u)
    near = np.sqrt(dot(n, n))
    if near < 1e-9:  # straight through the centre: any plane will do
        if np.abs(u[0]) <= np.abs(u[1]) and np.abs(u[0]) <= np.abs(u[2]):
            n = ahead((1.0, 0.0, 0.0), -u[0], u)
        elif np.abs(u[1]) <= np.abs(u[2]):
            n = ahead((0.0, 1.0, 0.0), -u[1], u)
        else:
            n = ahead((0.0, 0.0, 1.0), -u[2], u)
        near = np.sqrt(dot(n, n))
    n = times(1.0 / near, n)
    b = cross(u, n)
    reach = np.pi if axis >= 0 else 0.45 * np.pi
    best = _section(size, p1, p2, q1, far, u, n)
    for attempt in range(2):
        met = False
        for k in range(-TILTS, TILTS + 1):
            tilt = reach * k / TILTS
            m = ahead(times(np.cos(tilt), n), np.sin(tilt), b)
            trial = _section(size, p1, p2, q1, far, u, m)
            middle = trial.middle[0] if axis == 0 else trial.middle[1] if axis == 1 else trial.middle[2]
            if (not met or trial.length < best.length) and (axis < 0 or attempt == 1 or sign * middle >= 0.0):
                best, met = trial, True
        if met:
            break
    return best
