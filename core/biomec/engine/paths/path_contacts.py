"""Compiled search for the surfaces that a path touches, and in which stretches (theory of muscles §2.4)."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.paths.one_contact import contact_between
from biomec.engine.paths.path_tables import BEFORE, MEMORY, RANK, TANGENTS, WORK, PathTables, Traced
from biomec.engine.paths.surfaces import ELLIPSOID, FLIPPED, HIT, INSIDE, UNSOLVED, WRAPPED
from biomec.engine.paths.sweeps import ROWS, accelerated, begin_sweep
from biomec.engine.paths.vectors import Vector

MOST_SWEEPS = 100
SLOW = 0.1  # [rad] by which a path may move in a frame to be expected to go on like that
SETTLED = 1e-11  # [m] largest change of a tangent point in a sweep over several surfaces


@compiled
def path_contacts(
    tables: PathTables, m: int, R: FloatArray, p: FloatArray, at: FloatArray, chain: IntArray, count: IntArray,
    memory: FloatArray, entry: FloatArray, leave: FloatArray, gives: FloatArray, arcs: FloatArray, result: Traced,
) -> None:  # fmt: skip
    """Insert contacts into the chains of a cord: codes −1, −2 … of its surfaces beside indices of points.

    Each surface in turn leaves the chain, is tried in every stretch, and goes where the straight line runs through it
    and adds least; until no tangent point moves any more. A path over several surfaces begins with those that
    it touched in the frame before, if the points between which it touched them still take part.

    entry, leave : (T, nw, 3) tangent points;  gives : (T, nw, 4) −1 or 1 if a surface gives way to the end before or
                   after it, and its pull on that end;  arcs : (T,) length on surfaces
    """
    v, nw = tables.wrap_first[m], tables.wrap_first[m + 1] - tables.wrap_first[m]
    hold, trial = np.zeros(MEMORY), np.zeros(WORK)
    work, warm = np.zeros((nw, WORK)), np.zeros((nw, MEMORY))
    frame, centre = np.empty((nw, 3, 3)), np.empty((nw, 3))
    flags = np.zeros(nw, dtype=np.int64)
    past = np.zeros((ROWS, 6 * nw))
    for t in range(R.shape[0]):
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
                if not np.isfinite(centre[k, i]):
                    count[t] = -1
            result.place[t, v + k] = -1.0
            for i in range(6):
                result.contact[t, v + k, i] = np.nan
            _expect(memory[v + k], tables.surface_kind[s] == ELLIPSOID, warm[k])
        if count[t] < 0:
            continue
        if nw > 1 and _as_before(chain, count, t, memory[v : v + nw]):
            for k in range(nw):
                _recall(memory[v + k], frame[k], centre[k], entry[t, k], leave[t, k])
        settled, known = False, 0
        begin_sweep(t, entry, leave, past)
        for _ in range(MOST_SWEEPS):
            change = 0.0
            for k in range(nw):
                s = tables.wrap_surface[v + k]
                kind, axis, sign = tables.surface_kind[s], tables.surface_axis[s], tables.surface_sign[s]
                size = (tables.surface_size[s, 0], tables.surface_size[s, 1], tables.surface_size[s, 2])
                low, high = tables.wrap_range[v + k, 0], tables.wrap_range[v + k, 1]
                was = _without(chain, count, t, -k - 1)
                place, gap_of, code, lost, gain, met = -1, 0, 0, 0, np.inf, False
                before = -1
                for j in range(count[t] - 1):
                    left, right = chain[t, j], chain[t, j + 1]
                    if left >= 0:
                        before = left
                    after = j + 1
                    while chain[t, after] < 0:
                        after += 1
                    if before < low or chain[t, after] > high:
                        continue
                    p1 = _local(t, left, at, leave, k, frame, centre)
                    p2 = _local(t, right, at, entry, k, frame, centre)
                    # only the iteration of an ellipsoid starts from the sweep before; sides are of the frame before
                    again = kind == ELLIPSOID
                    for i in range(6):
                        hold[i] = warm[k, i] if again else memory[v + k, i]
                    if (warm[k, 6] if again else memory[v + k, 6]) != before + 1.0:
                        hold[0] = 0.0
                    bits = contact_between(
                        kind, size, axis, sign, tables.wrap_side[v + k], tables.wrap_gives[v + k], p1, p2, hold, trial
                    )
                    if bits & WRAPPED:
                        hit = (bits & HIT) != 0
                        if (hit and not met) or (hit == met and trial[7] < gain):
                            place, gain, met, code, gap_of = j, trial[7], hit, bits, before + 1
                            for i in range(WORK):
                                work[k, i] = trial[i]
                    elif place < 0:
                        code |= bits
                    lost |= bits & INSIDE
                flags[k] = code | lost
                if place < 0:
                    change = max(change, 1.0 if was else 0.0)
                    warm[k, 0] = 0.0
                    continue
                for i in range(count[t], place + 1, -1):
                    chain[t, i] = chain[t, i - 1]
                chain[t, place + 1] = -k - 1
                count[t] += 1
                for i in range(3):
                    x, y = centre[k, i], centre[k, i]
                    for o in range(3):
                        x += frame[k, i, o] * work[k, o]
                        y += frame[k, i, o] * work[k, 3 + o]
                    moved = max(np.abs(x - entry[t, k, i]), np.abs(y - leave[t, k, i])) if was else 1.0
                    change = max(change, moved)
                    entry[t, k, i], leave[t, k, i] = x, y
                for i in range(5):
                    warm[k, i] = work[k, 8 + i]
                warm[k, 6] = gap_of
            if nw == 1 or change < SETTLED or _apart(chain, count, t, nw):
                settled = True
                break
            known = accelerated(t, change, known, entry, leave, past) if _meet(chain, count, t) else 0
            begin_sweep(t, entry, leave, past)
        _conclude(tables, m, t, settled, flags, frame, chain, count, memory, warm, work, gives, arcs, result)


@compiled
def _expect(memory: FloatArray, moves_on: bool, warm: FloatArray) -> None:
    """What to start from: the frame before, and where a slow path on an ellipsoid is heading."""
    moved = 0.0
    for i in range(MEMORY):
        warm[i] = memory[i]
    for i in range(2, 5):
        moved = max(moved, np.abs(memory[i] - memory[BEFORE + i]))
    if moves_on and memory[0] != 0.0 and moved < SLOW:
        for i in range(1, 5):
            warm[i] += memory[i] - memory[BEFORE + i]
        warm[1] = max(warm[1], 0.5 * memory[1])


@compiled
def _apart(chain: IntArray, count: IntArray, t: int, nw: int) -> bool:
    """Whether all surfaces are touched, each between two points of its own, so that none moves another."""
    touched = 0
    for j in range(count[t]):
        if chain[t, j] < 0:
            touched += 1
            if chain[t, j - 1] < 0:  # the first of a chain is a point
                return False
    return touched == nw


@compiled
def _as_before(chain: IntArray, count: IntArray, t: int, memory: FloatArray) -> bool:
    """Put surfaces (nw,) where they were in the frame before, if all those points are still there; whether they are."""
    nw = len(memory)
    for rank in range(nw):
        for k in range(nw):
            if memory[k, 0] == 0.0 or memory[k, RANK] != rank:
                continue
            at = -1
            for j in range(count[t]):
                if chain[t, j] == int(memory[k, 6]) - 1:
                    at = j + 1 + rank
            if at < 0:
                for other in range(nw):
                    _without(chain, count, t, -other - 1)
                return False
            for j in range(count[t], at, -1):
                chain[t, j] = chain[t, j - 1]
            chain[t, at] = -k - 1
            count[t] += 1
    return True


@compiled
def _meet(chain: IntArray, count: IntArray, t: int) -> bool:
    """Whether the path goes from one surface to another, so that one moves the other."""
    met = False
    for j in range(1, count[t]):
        met = met or (chain[t, j] < 0 and chain[t, j - 1] < 0)
    return met


@compiled
def _without(chain: IntArray, count: IntArray, t: int, code: int) -> bool:
    """Take a surface out of the chain; whether it was there."""
    for j in range(count[t]):
        if chain[t, j] == code:
            for i in range(j, count[t] - 1):
                chain[t, i] = chain[t, i + 1]
            count[t] -= 1
            return True
    return False


@compiled
def _local(
    t: int, code: int, at: FloatArray, tangent: FloatArray, k: int, frame: FloatArray, centre: FloatArray
) -> Vector:
    """Place of a point, or of a surface's tangent point, in the axes of surface k."""
    if code >= 0:
        x, y, z = at[t, code, 0], at[t, code, 1], at[t, code, 2]
    else:
        x, y, z = tangent[t, -code - 1, 0], tangent[t, -code - 1, 1], tangent[t, -code - 1, 2]
    x, y, z = x - centre[k, 0], y - centre[k, 1], z - centre[k, 2]
    return (
        frame[k, 0, 0] * x + frame[k, 1, 0] * y + frame[k, 2, 0] * z,
        frame[k, 0, 1] * x + frame[k, 1, 1] * y + frame[k, 2, 1] * z,
        frame[k, 0, 2] * x + frame[k, 1, 2] * y + frame[k, 2, 2] * z,
    )


@compiled
def _recall(memory: FloatArray, frame: FloatArray, centre: FloatArray, entry: FloatArray, leave: FloatArray) -> None:
    """Tangent points to where they are heading from the frame before, moved along with their surface."""
    if memory[0] == 0.0:
        return
    for i in range(3):
        entry[i] = leave[i] = centre[i]
        for o in range(3):
            a, b = TANGENTS + o, TANGENTS + 3 + o
            entry[i] += frame[i, o] * (2.0 * memory[a] - memory[BEFORE + a])
            leave[i] += frame[i, o] * (2.0 * memory[b] - memory[BEFORE + b])


@compiled
def _conclude(
    tables: PathTables, m: int, t: int, settled: bool, flags: IntArray, frame: FloatArray, chain: IntArray,
    count: IntArray, memory: FloatArray, warm: FloatArray, work: FloatArray, gives: FloatArray, arcs: FloatArray,
    result: Traced,
) -> None:  # fmt: skip
    """Status, places and arcs of a frame, and what the next one starts from."""
    v, nw = tables.wrap_first[m], tables.wrap_first[m + 1] - tables.wrap_first[m]
    status, before, rank = 0 if settled else UNSOLVED, 0, 0
    for j in range(count[t]):
        if chain[t, j] >= 0:
            before, rank = chain[t, j], 0
            continue
        k = -chain[t, j] - 1
        arcs[t] += work[k, 6]
        result.place[t, v + k] = before + rank / (nw + 1.0)
        warm[k, RANK] = rank
        rank += 1
        gives[t, k, 0] = work[k, 16]
        for i in range(6):
            result.contact[t, v + k, i] = work[k, i]
            warm[k, TANGENTS + i] = work[k, i]
        for i in range(3):
            gives[t, k, 1 + i] = 0.0
            for o in range(3):
                gives[t, k, 1 + i] += frame[k, i, o] * work[k, 13 + o]
    for k in range(nw):
        status |= flags[k] & ~HIT
        if memory[v + k, 5] != 0.0 and memory[v + k, 0] * warm[k, 0] < 0.0:
            status |= FLIPPED
        goes_on = memory[v + k, 0] == warm[k, 0] and memory[v + k, 6] == warm[k, 6]
        for i in range(BEFORE):
            warm[k, BEFORE + i] = memory[v + k, i] if goes_on else warm[k, i]
        for i in range(MEMORY):
            memory[v + k, i] = warm[k, i]
        memory[v + k, 5] = 1.0
    result.status[t, m] = status
