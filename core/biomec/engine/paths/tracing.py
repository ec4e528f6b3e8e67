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

from typing import NamedTuple

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.paths.ellipsoids import wrap_ellipsoid
from biomec.engine.paths.simm_spline import Curves, curve_at
from biomec.engine.paths.surfaces import (
    CYLINDER,
    ELLIPSOID,
    FLIPPED,
    HIT,
    INSIDE,
    MISSING,
    RING,
    SPHERE,
    UNSOLVED,
    WRAPPED,
    wrap_cylinder,
    wrap_ring,
    wrap_sphere,
)

FIXED, CONDITIONAL, MOVING = 0, 1, 2
MOST_SWEEPS = 100
SMALLEST_SHRUNK = 0.7  # part of its size to which a surface gives way
SETTLED = 1e-11  # [m] largest change of a tangent point in a sweep over several surfaces
MEMORY = 8  # numbers of each contact that go from frame to frame: those of `surfaces`, and the stretch it lies in


class PathTables(NamedTuple):
    """Paths of M cords as flat tables, with N points, V possible contacts, S surfaces and P pairs.

    A pair is a cord and a body that it pulls on. All lengths are in m, angles in rad.

    point_first : (M + 1,) points of cord m from point_first[m] to point_first[m + 1], in the order of the path
    point_body, point_kind : (N,) body; FIXED, CONDITIONAL or MOVING
    point_local : (N, 3) in the body's axes; of a moving point where no curve is given
    point_coordinate : (N, 3) of a conditional point [:, 0], of a moving one for x, y, z; −1 for none
    point_range : (N, 2) a conditional point takes part where range[0] ≤ coordinate ≤ range[1]
    point_curve : (N, 3) curve of x, y, z of a moving point, −1 for a constant
    point_pair  : (N,)
    couple_pair : (N, 3, 2) pairs of the proximal and distal bodies of these coordinates
    curve       : the splines
    wrap_first  : (M + 1,) contacts of cord m
    wrap_surface, wrap_pair : (V,)
    wrap_range  : (V, 2) first and last point, within the cord, between which the surface may be touched
    wrap_side   : (V,) sense ±1 in which a cylinder must be passed, 0 where geometry decides
    wrap_gives  : (V,) whether an ellipsoid or a sphere shrinks where an end of the path lies within
    surface_kind, surface_body, surface_axis : (S,) `CYLINDER` …; active axis 0 to 2, −1 for none
    surface_sign   : (S,) side of that axis
    surface_centre : (S, 3), surface_attitude : (S, 3, 3) columns are the axes of the surface in the body
    surface_size   : (S, 3) radius and length of a cylinder, radius, semi-axes, radius of a ring's circle
    pair_first  : (M + 1,), pair_body : (P,)
    """

    point_first: IntArray
    point_body: IntArray
    point_kind: IntArray
    point_local: FloatArray
    point_coordinate: IntArray
    point_range: FloatArray
    point_curve: IntArray
    point_pair: IntArray
    couple_pair: IntArray
    curve: Curves
    wrap_first: IntArray
    wrap_surface: IntArray
    wrap_pair: IntArray
    wrap_range: IntArray
    wrap_side: FloatArray
    wrap_gives: BoolArray
    surface_kind: IntArray
    surface_body: IntArray
    surface_axis: IntArray
    surface_sign: FloatArray
    surface_centre: FloatArray
    surface_attitude: FloatArray
    surface_size: FloatArray
    pair_first: IntArray
    pair_body: IntArray


class Traced(NamedTuple):
    """What `trace` fills, for T frames.

    length  : (T, M) [m]
    speed   : (T, M) lengthening [m/s]
    pull    : (T, P, 6) force [-] and moment about the origin of the laboratory [m] of a unit tension on the pair's body
    status  : (T, M) bits of `surfaces`
    contact : (T, V, 6) tangent points in the axes of their surface [m], NaN where there is no contact
    place   : (T, V) place of the contact in the order of the path: index of the point before it within its cord, plus a
              fraction if several contacts follow the same point; −1 where there is none
    """

    length: FloatArray
    speed: FloatArray
    pull: FloatArray
    status: IntArray
    contact: FloatArray
    place: FloatArray


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
    warm, work = np.zeros((wraps, MEMORY)), np.zeros((wraps + 2, 13))
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
                count, status, arcs = _contacts(
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


@compiled
def _contacts(
    tables: PathTables, v: int, nw: int, chain: IntArray, count: int, at: FloatArray, frame: FloatArray,
    centre: FloatArray, memory: FloatArray, warm: FloatArray, entry: FloatArray, leave: FloatArray, work: FloatArray,
) -> tuple[int, int, float]:  # fmt: skip
    """Insert contacts into the chain: codes −1, −2 … of surfaces beside indices of points.

    Each surface in turn leaves the chain, is tried in every stretch, and goes where the straight line runs through it
    and adds least; until no tangent point moves any more. New length of the chain, status, and length of all arcs.
    """
    p1, p2, hold, trial, best = np.empty(3), np.empty(3), np.empty(6), work[nw], work[nw + 1]
    for k in range(nw):
        warm[k] = memory[v + k]
    flags = np.zeros(nw, dtype=np.int64)
    last = np.zeros((2 * nw + 1, 6))
    settled = False
    for _ in range(MOST_SWEEPS):
        change = 0.0
        for k in range(nw):
            was = False
            for j in range(count):
                if chain[j] == -k - 1:
                    for i in range(j, count - 1):
                        chain[i] = chain[i + 1]
                    count -= 1
                    was = True
                    break
            place, gain, met, code = -1, np.inf, False, 0
            gap_of = 0
            for j in range(count - 1):
                low, high = j, j + 1
                while chain[low] < 0:
                    low -= 1
                while chain[high] < 0:
                    high += 1
                if chain[low] < tables.wrap_range[v + k, 0] or chain[high] > tables.wrap_range[v + k, 1]:
                    continue
                left, right = chain[j], chain[j + 1]
                start = at[left] if left >= 0 else leave[-left - 1]
                end = at[right] if right >= 0 else entry[-right - 1]
                for i in range(3):
                    p1[i] = p2[i] = 0.0
                    for o in range(3):
                        p1[i] += frame[k, o, i] * (start[o] - centre[k, o])
                        p2[i] += frame[k, o, i] * (end[o] - centre[k, o])
                gap = float(chain[low] + 1)
                # only the iteration of an ellipsoid starts from the sweep before; sides are those of the frame before
                again = tables.surface_kind[tables.wrap_surface[v + k]] == ELLIPSOID
                for i in range(6):
                    hold[i] = warm[k, i] if again else memory[v + k, i]
                if (warm[k, 6] if again else memory[v + k, 6]) != gap:
                    hold[0] = 0.0
                bits = _wrap(tables, v + k, p1, p2, hold, trial)
                if bits & WRAPPED:
                    hit = (bits & HIT) != 0
                    if (hit and not met) or (hit == met and trial[7] < gain):
                        place, gain, met, code = j, trial[7], hit, bits
                        gap_of = chain[low] + 1
                        best[:] = trial
                elif place < 0:
                    code |= bits
            flags[k] = code
            if place < 0:
                change = max(change, 1.0 if was else 0.0)
                warm[k, 0] = 0.0
                continue
            for i in range(count, place + 1, -1):
                chain[i] = chain[i - 1]
            chain[place + 1] = -k - 1
            count += 1
            for i in range(3):
                x, y = centre[k, i], centre[k, i]
                for o in range(3):
                    x += frame[k, i, o] * best[o]
                    y += frame[k, i, o] * best[3 + o]
                change = max(change, max(np.abs(x - entry[k, i]), np.abs(y - leave[k, i])) if was else 1.0)
                entry[k, i], leave[k, i] = x, y
            work[k, :] = best
            warm[k, :5] = best[8:13]
            warm[k, 6] = gap_of
        if nw == 1 or change < SETTLED:
            settled = True
            break
        _extrapolate(nw, change, entry, leave, last)
    status, arcs = 0, 0.0
    for k in range(nw):
        status |= flags[k] & ~HIT
    for j in range(count):
        if chain[j] < 0:
            arcs += work[-chain[j] - 1, 6]
    if not settled:
        status |= UNSOLVED
    for k in range(nw):
        if memory[v + k, 5] != 0.0 and memory[v + k, 0] * warm[k, 0] < 0.0:
            status |= FLIPPED
        memory[v + k] = warm[k]
        memory[v + k, 5] = 1.0
    return count, status, arcs


@compiled
def _extrapolate(nw: int, change: float, entry: FloatArray, leave: FloatArray, last: FloatArray) -> None:
    """Carry tangent points of several surfaces to where their sweeps are heading [Aitken1926].

    Changes Δ of successive sweeps shrink by a factor λ = Δ·Δ₋/Δ₋·Δ₋, so that λ/(1 − λ) Δ is left. The next sweep finds
    true tangent points again, and only sweeps say whether the path has settled.

    last : (2 nw + 1, 6) tangent points and changes of the sweep before; in the last row how many sweeps they rest on
    """
    known = last[2 * nw, 0] if change < 1.0 else 0.0
    along = square = 0.0
    for k in range(nw):
        for i in range(6):
            now = entry[k, i] if i < 3 else leave[k, i - 3]
            step = now - last[k, i]
            along += step * last[nw + k, i]
            square += last[nw + k, i] ** 2
            last[k, i], last[nw + k, i] = now, step
    last[2 * nw, 0] = known + 1.0
    if known < 2.0 or square == 0.0:
        return
    rate = along / square
    if not 0.01 < rate < 0.9:
        return
    for k in range(nw):
        for i in range(6):
            ahead = rate / (1.0 - rate) * last[nw + k, i]
            last[k, i] += ahead
            if i < 3:
                entry[k, i] += ahead
            else:
                leave[k, i - 3] += ahead
    last[2 * nw, 0] = 0.0


@compiled
def _wrap(tables: PathTables, k: int, p1: FloatArray, p2: FloatArray, memory: FloatArray, out: FloatArray) -> int:
    """Contact k between two points in the axes of its surface."""
    s = tables.wrap_surface[k]
    kind, size = tables.surface_kind[s], tables.surface_size[s]
    axis, sign = tables.surface_axis[s], tables.surface_sign[s]
    if kind == CYLINDER:
        return wrap_cylinder(p1, p2, size[0], size[1], axis, sign, tables.wrap_side[k], memory, out)
    if kind == RING:
        return wrap_ring(p1, p2, size[0], memory, out)
    shrunk, code = 1.0, 0
    if tables.wrap_gives[k]:
        first = last = 0.0
        for i in range(3):
            semi = size[0] if kind == SPHERE else size[i]
            first += (p1[i] / semi) ** 2
            last += (p2[i] / semi) ** 2
        nearest = np.sqrt(min(first, last))
        if SMALLEST_SHRUNK < nearest < 1.0:
            shrunk, code = nearest * (1.0 - 1e-12), INSIDE
    if kind == SPHERE:
        return code | wrap_sphere(p1, p2, shrunk * size[0], memory, out)
    return code | wrap_ellipsoid(p1, p2, shrunk * size, axis, sign, memory, out)
