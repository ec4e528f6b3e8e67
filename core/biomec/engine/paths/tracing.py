"""Lengths, lengthening speeds and pulls of many cords over moving bodies, in one compiled pass (theory of muscles §2).

A path is a list of points of bodies, some of them only there in a range of a coordinate, some moving along splines of
one, and a list of surfaces that it may wrap. Every straight stretch from a to b pulls on its two ends with a unit
tension along the line, e = (b − a)/|b − a|: the body of a gets e at a, the body of b −e at b. A surface gets the pulls
at its two tangent points; the arc between them does no work (§2.6). A point that moves with a coordinate θ does work of
its own, so the bodies of that coordinate get the couple ± f·(∂p/∂θ) a with θ̇ = a·(ω_distal − ω_proximal) (§2.5).

Cords are independent of each other: threads share them, and each follows its own cord through time, so that the side on
which a surface is passed is kept from frame to frame and the result does not depend on the number of threads.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.compiled import compiled
from biomec.engine.paths.path_contacts import path_contacts
from biomec.engine.paths.path_tables import CONDITIONAL, MEMORY, MOVING, WORK, PathTables, Traced
from biomec.engine.paths.simm_spline import curve_at
from biomec.engine.paths.surfaces import MISSING


@compiled
def trace(
    tables: PathTables, first: int, last: int, R: FloatArray, p: FloatArray, twist: FloatArray, theta: FloatArray,
    turning: FloatArray, memory: FloatArray, result: Traced,
) -> None:  # fmt: skip
    """Follow the cords first … last − 1 through all frames.

    R, p    : (T, B, 3, 3), (T, B, 3) attitudes and origins of the bodies
    twist   : (T, B, 6) velocity of the body's point at the laboratory's origin [m/s], angular velocity [rad/s]
    theta   : (T, K) coordinates that points depend on, turning : (T, K, 3) their a, θ̇ = a·(ω_distal − ω_proximal)
    memory  : (V, MEMORY) of the frame before the first, zeros if there is none; that of the last frame on return
    """
    most, wraps = 1, 1
    for m in range(first, last):
        wraps = max(wraps, tables.wrap_first[m + 1] - tables.wrap_first[m])
        most = max(most, tables.point_first[m + 1] - tables.point_first[m])
    size = most + wraps
    local, slope, at = np.zeros((most, 3)), np.zeros((most, 3)), np.zeros((most, 3))
    active = np.zeros(most, dtype=np.bool_)
    force = np.zeros((most, 3))
    chain = np.zeros(size, dtype=np.int64)
    entry, leave = np.zeros((wraps, 3)), np.zeros((wraps, 3))
    warm, work = np.zeros((wraps, MEMORY)), np.zeros((wraps + 2, WORK))
    frame, centre = np.zeros((wraps, 3, 3)), np.zeros((wraps, 3))
    for m in range(first, last):
        a, n = tables.point_first[m], tables.point_first[m + 1] - tables.point_first[m]
        v, nw = tables.wrap_first[m], tables.wrap_first[m + 1] - tables.wrap_first[m]
        pair, pairs = tables.pair_first[m], tables.pair_first[m + 1] - tables.pair_first[m]
        for t in range(R.shape[0]):
            result.pull[t, pair : pair + pairs] = 0.0
            for k in range(v, v + nw):
                result.place[t, k] = -1.0
                for i in range(6):
                    result.contact[t, k, i] = np.nan
            sound = _points(tables, a, n, R[t], p[t], theta[t], local, slope, at, active)
            for k in range(nw):
                s = tables.wrap_surface[v + k]
                b = tables.surface_body[s]
                for i in range(3):
                    centre[k, i] = p[t, b, i]
                    for j in range(3):
                        centre[k, i] += R[t, b, i, j] * tables.surface_centre[s, j]
                        frame[k, i, j] = 0.0
                        for o in range(3):
                            frame[k, i, j] += R[t, b, i, o] * tables.surface_attitude[s, o, j]
                    sound = sound and np.isfinite(centre[k, i])
            if not sound:
                result.length[t, m], result.speed[t, m], result.status[t, m] = np.nan, np.nan, MISSING
                result.pull[t, pair : pair + pairs] = np.nan
                continue
            count = 0
            for i in range(n):
                if active[i]:
                    chain[count] = i
                    count += 1
            status, arcs = 0, 0.0
            if nw:
                count, status, arcs = path_contacts(
                    tables, v, nw, chain, count, at, frame, centre, memory, warm, entry, leave, work
                )
                rank = 0
                before = 0
                for j in range(count):
                    if chain[j] >= 0:
                        before, rank = chain[j], 0
                    else:
                        k = -chain[j] - 1
                        result.place[t, v + k] = before + rank / (nw + 1.0)
                        rank += 1
                        for i in range(6):
                            result.contact[t, v + k, i] = work[k, i]
            length = arcs
            force[:] = 0.0
            for j in range(count - 1):
                left, right = chain[j], chain[j + 1]
                start = at[left] if left >= 0 else leave[-left - 1]
                end = at[right] if right >= 0 else entry[-right - 1]
                x, y, z = end[0] - start[0], end[1] - start[1], end[2] - start[2]
                far = np.sqrt(x * x + y * y + z * z)
                length += far
                if far == 0.0:
                    continue
                x, y, z = x / far, y / far, z / far
                one = tables.point_pair[a + left] if left >= 0 else tables.wrap_pair[v - left - 1]
                _press(result.pull[t, one], start, x, y, z)
                one = tables.point_pair[a + right] if right >= 0 else tables.wrap_pair[v - right - 1]
                _press(result.pull[t, one], end, -x, -y, -z)
                if left >= 0:
                    force[left, 0] += x
                    force[left, 1] += y
                    force[left, 2] += z
                if right >= 0:
                    force[right, 0] -= x
                    force[right, 1] -= y
                    force[right, 2] -= z
            for j in range(1, count - 1):
                k = -chain[j] - 1
                if k < 0 or work[k, 16] == 0.0:
                    continue
                end = chain[j - 1] if work[k, 16] < 0.0 else chain[j + 1]  # to which the surface gives way
                place = at[end] if end >= 0 else leave[-end - 1] if work[k, 16] < 0.0 else entry[-end - 1]
                x = y = z = 0.0
                for i in range(3):
                    x += frame[k, 0, i] * work[k, 13 + i]
                    y += frame[k, 1, i] * work[k, 13 + i]
                    z += frame[k, 2, i] * work[k, 13 + i]
                one = tables.point_pair[a + end] if end >= 0 else tables.wrap_pair[v - end - 1]
                _press(result.pull[t, one], place, -x, -y, -z)
                _press(result.pull[t, tables.wrap_pair[v + k]], place, x, y, z)
                if end >= 0:
                    force[end, 0] -= x
                    force[end, 1] -= y
                    force[end, 2] -= z
            for i in range(n):
                if active[i] and tables.point_kind[a + i] == MOVING:
                    _couple(tables, a + i, R[t], turning[t], force[i], slope[i], result.pull[t])
            speed = 0.0
            for one in range(pair, pair + pairs):
                for i in range(6):
                    speed -= result.pull[t, one, i] * twist[t, tables.pair_body[one], i]
            result.length[t, m], result.speed[t, m], result.status[t, m] = length, speed, status


@compiled
def _points(
    tables: PathTables, first: int, n: int, R: FloatArray, p: FloatArray, theta: FloatArray, local: FloatArray,
    slope: FloatArray, at: FloatArray, active: BoolArray,
) -> bool:  # fmt: skip
    """Places ``at`` (n, 3) of the points of a cord, whether they take part, and the slopes of moving ones."""
    for i in range(n):
        k = first + i
        kind = tables.point_kind[k]
        active[i] = True
        for j in range(3):
            local[i, j], slope[i, j] = tables.point_local[k, j], 0.0
        if kind == CONDITIONAL:
            value = theta[tables.point_coordinate[k, 0]]
            if np.isnan(value):
                return False
            active[i] = tables.point_range[k, 0] <= value <= tables.point_range[k, 1]
        elif kind == MOVING:
            for j in range(3):
                if tables.point_curve[k, j] >= 0:
                    value, rate = curve_at(tables.curve, tables.point_curve[k, j], theta[tables.point_coordinate[k, j]])
                    local[i, j], slope[i, j] = value, rate
        b = tables.point_body[k]
        for j in range(3):
            at[i, j] = p[b, j] + R[b, j, 0] * local[i, 0] + R[b, j, 1] * local[i, 1] + R[b, j, 2] * local[i, 2]
            if not np.isfinite(at[i, j]):
                return False
    return True


@compiled
def _press(wrench: FloatArray, x: FloatArray, fx: float, fy: float, fz: float) -> None:
    """Add a force at x to force and moment about the origin."""
    wrench[0] += fx
    wrench[1] += fy
    wrench[2] += fz
    wrench[3] += x[1] * fz - x[2] * fy
    wrench[4] += x[2] * fx - x[0] * fz
    wrench[5] += x[0] * fy - x[1] * fx


@compiled
def _couple(
    tables: PathTables, k: int, R: FloatArray, turning: FloatArray, f: FloatArray, slope: FloatArray, pull: FloatArray
) -> None:
    """Couple on the bodies of the coordinates with which point k moves."""
    b = tables.point_body[k]
    for j in range(3):
        c = tables.point_coordinate[k, j]
        if c < 0 or slope[j] == 0.0:
            continue
        work = (f[0] * R[b, 0, j] + f[1] * R[b, 1, j] + f[2] * R[b, 2, j]) * slope[j]
        for i in range(3):
            pull[tables.couple_pair[k, j, 1], 3 + i] += work * turning[c, i]
            pull[tables.couple_pair[k, j, 0], 3 + i] -= work * turning[c, i]
