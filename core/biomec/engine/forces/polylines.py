"""Straight lines over points of bodies, such as ligaments and muscles with fixed paths: lengths, speeds, pulls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled


class Polylines(NamedTuple):
    """N lines over P points, one after the other.

    first : (N + 1,) points of line n: first[n] … first[n + 1]
    body  : (P,) number of the point's body;  local : (P, 3) in its axes [m]
    """

    first: IntArray
    body: IntArray
    local: FloatArray


class LinePoints(NamedTuple):
    """Points in one state, in axes of the ground: arm (P, 3) from the origin of their body, place and velocity."""

    arm: FloatArray
    at: FloatArray
    moving: FloatArray


def line_points(lines: Polylines) -> LinePoints:
    """Room for the points of lines."""
    return LinePoints(*np.zeros((3, lines.body.size, 3)))


@compiled
def trace_lines(
    lines: Polylines,
    R: FloatArray,
    p: FloatArray,
    v: FloatArray,
    w: FloatArray,
    points: LinePoints,
    length: FloatArray,
    speed: FloatArray,
) -> None:
    """Lengths (N,) [m] and speeds (N,) [m/s] over bodies with attitudes R, origins p, velocities v and ω."""
    arm, at, moving = points
    for k in range(lines.body.size):
        b = lines.body[k]
        x, y, s = lines.local[k, 0], lines.local[k, 1], lines.local[k, 2]
        for i in range(3):
            arm[k, i] = R[b, i, 0] * x + R[b, i, 1] * y + R[b, i, 2] * s
            at[k, i] = p[b, i] + arm[k, i]
        for i in range(3):
            j, m = (i + 1) % 3, (i + 2) % 3
            moving[k, i] = v[b, i] + w[b, j] * arm[k, m] - w[b, m] * arm[k, j]
    for n in range(length.size):
        length[n], speed[n] = 0.0, 0.0
        for k in range(lines.first[n], lines.first[n + 1] - 1):
            square, along = 0.0, 0.0
            for i in range(3):
                d = at[k + 1, i] - at[k, i]
                square += d * d
                along += d * (moving[k + 1, i] - moving[k, i])
            part = np.sqrt(square)
            length[n] += part
            speed[n] += along / part


@compiled
def pull_line(lines: Polylines, n: int, points: LinePoints, tension: float, load: FloatArray) -> None:
    """Add a tension [N] of line n to loads (B, 6): forces, and their moments about the origins of the bodies."""
    arm, at = points.arm, points.at
    for k in range(lines.first[n], lines.first[n + 1] - 1):
        a, b = lines.body[k], lines.body[k + 1]
        if a == b:
            continue
        x, y, s = at[k + 1, 0] - at[k, 0], at[k + 1, 1] - at[k, 1], at[k + 1, 2] - at[k, 2]
        scale = tension / np.sqrt(x * x + y * y + s * s)
        x, y, s = scale * x, scale * y, scale * s
        load[a, 0] += x
        load[a, 1] += y
        load[a, 2] += s
        load[a, 3] += arm[k, 1] * s - arm[k, 2] * y
        load[a, 4] += arm[k, 2] * x - arm[k, 0] * s
        load[a, 5] += arm[k, 0] * y - arm[k, 1] * x
        load[b, 0] -= x
        load[b, 1] -= y
        load[b, 2] -= s
        load[b, 3] -= arm[k + 1, 1] * s - arm[k + 1, 2] * y
        load[b, 4] -= arm[k + 1, 2] * x - arm[k + 1, 0] * s
        load[b, 5] -= arm[k + 1, 0] * y - arm[k + 1, 1] * x
