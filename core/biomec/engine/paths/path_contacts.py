"""Compiled search for the surfaces that a path touches in a frame, and in which stretches (theory of muscles §2.4)."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.paths.ellipsoids import wrap_ellipsoid
from biomec.engine.paths.path_tables import PathTables
from biomec.engine.paths.surfaces import (
    CYLINDER,
    ELLIPSOID,
    FLIPPED,
    HIT,
    INSIDE,
    RING,
    SPHERE,
    UNSOLVED,
    WRAPPED,
    wrap_cylinder,
    wrap_ring,
    wrap_sphere,
)

MOST_SWEEPS = 100
SMALLEST_SHRUNK = 0.7  # part of its size to which a surface gives way
SETTLED = 1e-11  # [m] largest change of a tangent point in a sweep over several surfaces


@compiled
def path_contacts(
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
    last[2 * nw, 0] = 1.0  # the next change is already one of a sweep


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
    shrunk, code, first, last = 1.0, 0, 0.0, 0.0
    out[13:] = 0.0
    if tables.wrap_gives[k]:
        for i in range(3):
            semi = size[0] if kind == SPHERE else size[i]
            first += (p1[i] / semi) ** 2
            last += (p2[i] / semi) ** 2
        nearest = np.sqrt(min(first, last))
        if SMALLEST_SHRUNK < nearest < 1.0:
            shrunk, code = nearest * (1.0 - 1e-12), INSIDE
    if kind == SPHERE:
        code |= wrap_sphere(p1, p2, shrunk * size[0], memory, out)
    else:
        code |= wrap_ellipsoid(p1, p2, shrunk * size, axis, sign, memory, out)
    if code & WRAPPED and shrunk < 1.0:
        _giving(p1, p2, size, kind == SPHERE, shrunk, first < last, out)
    return code


@compiled
def _giving(
    p1: FloatArray, p2: FloatArray, size: FloatArray, ball: bool, shrunk: float, first: bool, out: FloatArray
) -> None:
    """How the path grows as the end moves to which its surface gives way: out[13:16] [-], out[16] = −1 first, 1 second.

    L is homogeneous in both ends and the share k = |p/a| of the size, so that with unit vectors e along both tangents
    ∂L/∂k = (L + e1·p1 − e2·p2)/k, and ∂k/∂p = p/(a² k) for the near end.
    """
    ahead = behind = straight = one = two = 0.0
    for i in range(3):
        ahead += (out[i] - p1[i]) ** 2
        behind += (p2[i] - out[3 + i]) ** 2
        straight += (p2[i] - p1[i]) ** 2
        one += (out[i] - p1[i]) * p1[i]
        two += (p2[i] - out[3 + i]) * p2[i]
    growth = out[7] + np.sqrt(straight)
    if ahead > 0.0:
        growth += one / np.sqrt(ahead)
    if behind > 0.0:
        growth -= two / np.sqrt(behind)
    for i in range(3):
        semi = size[0] if ball else size[i]
        out[13 + i] = growth / shrunk * (p1[i] if first else p2[i]) / (semi * semi * shrunk)
    out[16] = -1.0 if first else 1.0
