"""Compiled paths around an ellipsoid in planes through both ends: where the search for the shortest one begins.

With x = a∘y an ellipsoid of semi-axes a is the unit sphere |y| = 1, and a plane cuts it in a circle.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled

PIECES = 8  # chords by which an arc in a plane is measured
TILTS = 6  # planes on either side that are tried


@compiled
def _section(
    size: FloatArray, p1: FloatArray, p2: FloatArray, u: FloatArray, a1: float, a2: float, m: FloatArray,
    side: FloatArray, offset: float, height: float, ends: FloatArray,
) -> float:  # fmt: skip
    """Length of the path in a plane through both points, on the side of m; its scaled tangent points, arc and middle.

    In scaled axes the plane cuts the unit sphere in a circle about ``offset`` · side; both points lie at ``height``
    along m, at a1 and a2 along u. ``ends`` (4, 3) takes both tangent points, length on the surface, and middle.
    """
    radius = np.sqrt(max(0.0, 1.0 - offset * offset))
    d1, d2 = np.sqrt(a1 * a1 + height * height), np.sqrt(a2 * a2 + height * height)
    begin = np.arctan2(height, a1) - np.arccos(min(1.0, radius / d1))
    end = np.arctan2(height, a2) + np.arccos(min(1.0, radius / d2))
    if np.arctan2(height, a1) < -0.5 * np.pi:
        begin += 2.0 * np.pi
    arc = 0.0
    for k in range(PIECES):
        b, c = begin + (end - begin) * k / PIECES, begin + (end - begin) * (k + 1) / PIECES
        square = 0.0
        for i in range(3):
            square += (size[i] * radius * ((np.cos(c) - np.cos(b)) * u[i] + (np.sin(c) - np.sin(b)) * m[i])) ** 2
        arc += np.sqrt(square)
    first = last = 0.0
    middle = 0.5 * (begin + end)
    for i in range(3):
        ends[0, i] = offset * side[i] + radius * (np.cos(begin) * u[i] + np.sin(begin) * m[i])
        ends[1, i] = offset * side[i] + radius * (np.cos(end) * u[i] + np.sin(end) * m[i])
        ends[3, i] = offset * side[i] + radius * (np.cos(middle) * u[i] + np.sin(middle) * m[i])
        first += (size[i] * ends[0, i] - p1[i]) ** 2
        last += (size[i] * ends[1, i] - p2[i]) ** 2
    ends[2, 0] = arc
    return float(np.sqrt(first) + arc + np.sqrt(last))


@compiled
def section_through(
    size: FloatArray, p1: FloatArray, p2: FloatArray, q1: FloatArray, q2: FloatArray, y: FloatArray
) -> float:
    """Length of the path in the plane through both points and y."""
    u, m, side, ends = np.empty(3), np.empty(3), np.empty(3), np.empty((4, 3))
    far = lean = square = 0.0
    for i in range(3):
        u[i] = q2[i] - q1[i]
        far += u[i] * u[i]
    far = np.sqrt(far)
    for i in range(3):
        u[i] /= far
        lean += (y[i] - q1[i]) * u[i]
    for i in range(3):
        m[i] = y[i] - q1[i] - lean * u[i]
        square += m[i] * m[i]
    if square < 1e-12:
        return np.inf
    offset = height = along = 0.0
    for i in range(3):
        m[i] /= np.sqrt(square)
    side[0], side[1], side[2] = u[1] * m[2] - u[2] * m[1], u[2] * m[0] - u[0] * m[2], u[0] * m[1] - u[1] * m[0]
    for i in range(3):
        offset += q1[i] * side[i]
        height += q1[i] * m[i]
        along += q1[i] * u[i]
    return _section(size, p1, p2, u, along, along + far, m, side, offset, height, ends)


@compiled
def best_section(
    size: FloatArray, p1: FloatArray, p2: FloatArray, q1: FloatArray, q2: FloatArray, axis: int, sign: float,
    ends: FloatArray,
) -> float:  # fmt: skip
    """Shortest path in a plane through both points, among planes turned about their line; ``ends`` as in `_section`."""
    u, n, b, m, side = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    far = along = 0.0
    for i in range(3):
        u[i] = q2[i] - q1[i]
        far += u[i] * u[i]
    far = np.sqrt(far)
    for i in range(3):
        u[i] /= far
        along += q1[i] * u[i]
    near = 0.0
    for i in range(3):
        n[i] = q1[i] - along * u[i]
        near += n[i] * n[i]
    near = np.sqrt(near)
    if near < 1e-9:  # straight through the centre: any plane will do
        smallest = int(np.argmin(np.abs(u)))
        n[:] = 0.0
        n[smallest] = 1.0
        lean, length = u[smallest], 0.0
        for i in range(3):
            n[i] -= lean * u[i]
            length += n[i] * n[i]
        n /= np.sqrt(length)
        near = 0.0
    else:
        n /= near
    b[0], b[1], b[2] = u[1] * n[2] - u[2] * n[1], u[2] * n[0] - u[0] * n[2], u[0] * n[1] - u[1] * n[0]
    trial, best = np.empty((4, 3)), np.inf
    reach = np.pi if axis >= 0 else 0.45 * np.pi
    for attempt in range(2):
        for k in range(-TILTS, TILTS + 1):
            tilt = reach * k / TILTS
            for i in range(3):
                m[i] = np.cos(tilt) * n[i] + np.sin(tilt) * b[i]
            side[0], side[1] = u[1] * m[2] - u[2] * m[1], u[2] * m[0] - u[0] * m[2]
            side[2] = u[0] * m[1] - u[1] * m[0]
            length = _section(
                size, p1, p2, u, along, along + far, m, side, -near * np.sin(tilt), near * np.cos(tilt), trial
            )
            if length < best and (axis < 0 or attempt == 1 or sign * trial[3, axis] >= 0.0):
                best = length
                ends[:] = trial
        if best < np.inf:
            break
    return best
