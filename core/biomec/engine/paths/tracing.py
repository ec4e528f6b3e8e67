"""Lengths, lengthening speeds and pulls of many cords over moving bodies, in one compiled pass (theory of muscles §2).

A path is a list of points of bodies, some of them only there in a range of a coordinate, some moving along splines of
one, and a list of surfaces that it may wrap. Every straight stretch from a to b pulls on its two ends with a unit
tension along the line, e = (b − a)/|b − a|: the body of a gets e at a, the body of b −e at b. A surface gets the pulls
at its two tangent points; the arc between them does no work (§2.6). A point that moves with a coordinate θ does work of
its own, so the bodies of that coordinate get the couple ± f·(∂p/∂θ) a with θ̇ = a·(ω_distal − ω_proximal) (§2.5).

Cords are independent of each other: threads share them, and each follows its own cord through time, so that the side on
which a surface is passed is kept from frame to frame and the result does not depend on the number of threads. Each
function below goes through all frames of a cord: handing over the tables takes longer than one frame of most cords.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.paths.path_contacts import path_contacts
from biomec.engine.paths.path_tables import CONDITIONAL, GIVING, MOVING, PathTables, Traced
from biomec.engine.paths.simm_spline import curve_at
from biomec.engine.paths.surfaces import MISSING
from biomec.engine.paths.vectors import Vector, cross, dot, minus, times


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
    most, wraps, frames = 1, 0, R.shape[0]
    for m in range(first, last):
        wraps = max(wraps, tables.wrap_first[m + 1] - tables.wrap_first[m])
        most = max(most, tables.point_first[m + 1] - tables.point_first[m])
    at, slope = np.empty((frames, most, 3)), np.empty((frames, most, 3))
    chain, count = np.empty((frames, most + wraps), dtype=np.int64), np.empty(frames, dtype=np.int64)
    entry, leave = np.empty((frames, wraps, 3)), np.empty((frames, wraps, 3))
    gives, arcs = np.empty((frames, wraps, GIVING)), np.empty(frames)
    force = np.empty((most, 3))
    for m in range(first, last):
        places_of(tables, m, R, p, theta, at, slope, chain, count)
        result.status[:, m] = 0
        arcs[:] = 0.0
        if tables.wrap_first[m] < tables.wrap_first[m + 1]:
            path_contacts(tables, m, R, p, at, chain, count, memory, entry, leave, gives, arcs, result)
        _pulls(tables, m, R, twist, turning, at, slope, chain, count, entry, leave, gives, arcs, force, result)


@compiled
def places_of(
    tables: PathTables, m: int, R: FloatArray, p: FloatArray, theta: FloatArray, at: FloatArray, slope: FloatArray,
    chain: IntArray, count: IntArray,
) -> None:  # fmt: skip
    """Places (T, n, 3) of the points of a cord, slopes of moving ones, and which of them take part.

    chain, count : (T, …), (T,) indices of those that do, in order, and their number; −1 where something is not known
    """
    first, n = tables.point_first[m], tables.point_first[m + 1] - tables.point_first[m]
    count[:] = 0
    for i in range(n):
        k = first + i
        kind, b = tables.point_kind[k], tables.point_body[k]
        x, y, z = tables.point_local[k, 0], tables.point_local[k, 1], tables.point_local[k, 2]
        for t in range(R.shape[0]):
            if kind == CONDITIONAL:
                value = theta[t, tables.point_coordinate[k, 0]]
                if np.isnan(value):
                    count[t] = -1
                if not tables.point_range[k, 0] <= value <= tables.point_range[k, 1]:
                    continue
            elif kind == MOVING:
                local = (x, y, z)
                for j in range(3):
                    slope[t, i, j] = 0.0
                    if tables.point_curve[k, j] >= 0:
                        value, rate = curve_at(
                            tables.curve, tables.point_curve[k, j], theta[t, tables.point_coordinate[k, j]]
                        )
                        slope[t, i, j] = rate
                        local = (value if j == 0 else local[0], value if j == 1 else local[1],
                                 value if j == 2 else local[2])  # fmt: skip
                x, y, z = local
            total = 0.0
            for j in range(3):
                at[t, i, j] = p[t, b, j] + R[t, b, j, 0] * x + R[t, b, j, 1] * y + R[t, b, j, 2] * z
                total += at[t, i, j]
            if not np.isfinite(total):
                count[t] = -1
            elif count[t] >= 0:
                chain[t, count[t]] = i
                count[t] += 1


@compiled
def _end(t: int, code: int, at: FloatArray, tangent: FloatArray) -> Vector:
    """Place of a point of the chain, or of the tangent point of a surface."""
    if code >= 0:
        return (at[t, code, 0], at[t, code, 1], at[t, code, 2])
    return (tangent[t, -code - 1, 0], tangent[t, -code - 1, 1], tangent[t, -code - 1, 2])


@compiled
def _pulls(
    tables: PathTables, m: int, R: FloatArray, twist: FloatArray, turning: FloatArray, at: FloatArray,
    slope: FloatArray, chain: IntArray, count: IntArray, entry: FloatArray, leave: FloatArray, gives: FloatArray,
    arcs: FloatArray, force: FloatArray, result: Traced,
) -> None:  # fmt: skip
    """Length, speed and pulls of a cord from the stretches of its chain.

    force : (n, 3) scratch, what the path does to its points
    """
    a, n, v = tables.point_first[m], tables.point_first[m + 1] - tables.point_first[m], tables.wrap_first[m]
    moving = False
    for i in range(n):
        moving = moving or tables.point_kind[a + i] == MOVING
    pull = result.pull
    for t in range(R.shape[0]):
        for pair in range(tables.pair_first[m], tables.pair_first[m + 1]):
            for i in range(6):
                pull[t, pair, i] = 0.0 if count[t] >= 0 else np.nan
        if count[t] < 0:
            result.length[t, m], result.speed[t, m], result.status[t, m] = np.nan, np.nan, MISSING
            continue
        length = arcs[t]
        if moving:
            force[:] = 0.0
        for j in range(count[t] - 1):
            left, right = chain[t, j], chain[t, j + 1]
            start, end = _end(t, left, at, leave), _end(t, right, at, entry)
            e = minus(end, start)
            far = np.sqrt(dot(e, e))
            length += far
            if far == 0.0:
                continue
            e = times(1.0 / far, e)
            _press(pull, t, tables.point_pair[a + left] if left >= 0 else tables.wrap_pair[v - left - 1], start, e)
            back = times(-1.0, e)
            _press(pull, t, tables.point_pair[a + right] if right >= 0 else tables.wrap_pair[v - right - 1], end, back)
            if moving:
                _add(force, left, e)
                _add(force, right, back)
        for j in range(1, count[t] - 1):
            k = -chain[t, j] - 1
            if k < 0 or gives[t, k, 0] == 0.0:
                continue
            # the surface gives way to the end before or after it
            before = gives[t, k, 0] < 0.0
            end = chain[t, j - 1] if before else chain[t, j + 1]
            place = _end(t, end, at, leave if before else entry)
            f = (gives[t, k, 1], gives[t, k, 2], gives[t, k, 3])
            back = times(-1.0, f)
            _press(pull, t, tables.point_pair[a + end] if end >= 0 else tables.wrap_pair[v - end - 1], place, back)
            _press(pull, t, tables.wrap_pair[v + k], place, f)
            if moving:
                _add(force, end, back)
        if moving:
            for j in range(count[t]):
                i = chain[t, j]
                if i >= 0 and tables.point_kind[a + i] == MOVING:
                    _couple(tables, a + i, t, R, turning, force[i], slope[t, i], pull)
        speed = 0.0
        for pair in range(tables.pair_first[m], tables.pair_first[m + 1]):
            b = tables.pair_body[pair]
            for i in range(6):
                speed -= pull[t, pair, i] * twist[t, b, i]
        result.length[t, m], result.speed[t, m] = length, speed


@compiled
def _press(pull: FloatArray, t: int, pair: int, x: Vector, f: Vector) -> None:
    """Add a force at x to force and moment about the origin."""
    h = cross(x, f)
    for i in range(3):
        pull[t, pair, i] += f[i]
        pull[t, pair, 3 + i] += h[i]


@compiled
def _add(force: FloatArray, code: int, f: Vector) -> None:
    """Add to what a point of the path feels; surfaces have no code ≥ 0."""
    if code >= 0:
        for i in range(3):
            force[code, i] += f[i]


@compiled
def _couple(
    tables: PathTables, k: int, t: int, R: FloatArray, turning: FloatArray, f: FloatArray, slope: FloatArray,
    pull: FloatArray,
) -> None:  # fmt: skip
    """Couple on the bodies of the coordinates with which point k moves."""
    b = tables.point_body[k]
    for j in range(3):
        c = tables.point_coordinate[k, j]
        if c < 0 or slope[j] == 0.0:
            continue
        work = (f[0] * R[t, b, 0, j] + f[1] * R[t, b, 1, j] + f[2] * R[t, b, 2, j]) * slope[j]
        for i in range(3):
            pull[t, tables.couple_pair[k, j, 1], 3 + i] += work * turning[t, c, i]
            pull[t, tables.couple_pair[k, j, 0], 3 + i] -= work * turning[t, c, i]
