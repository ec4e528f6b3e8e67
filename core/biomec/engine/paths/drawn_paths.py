"""Paths of all cords in one frame as points at equal steps, for drawing, in one compiled pass.

The same path as `biomec.engine.paths.cords.Cords.polyline`: its points, and the arcs on the surfaces that it touches.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine.paths.cords import ARC, CordPaths
from biomec.engine.paths.geodesics import geodesic
from biomec.engine.paths.path_tables import CONDITIONAL, MOVING, PathTables
from biomec.engine.paths.simm_spline import curve_at
from biomec.engine.paths.surfaces import CYLINDER, RING, SPHERE
from biomec.engine.paths.vectors import vector

LONGEST = 4 * ARC + 2  # points of an arc


def drawn_paths(
    paths: CordPaths, R: FloatArray, p: FloatArray, theta: FloatArray, frame: int, stations: int
) -> FloatArray:
    """Points (M, stations, 3) [m] of all cords in a frame, NaN for those that are missing.

    R, p, theta : (B, 3, 3), (B, 3), (K,) of that frame
    """
    out = np.empty((len(paths.cords.cords), stations, 3))
    _drawn(
        paths.cords.tables, np.ascontiguousarray(R), np.ascontiguousarray(p), np.ascontiguousarray(theta),
        paths.length[frame], paths.contact[frame], paths.place[frame], out,
    )  # fmt: skip
    return out


@compiled
def _drawn(
    tables: PathTables, R: FloatArray, p: FloatArray, theta: FloatArray, length: FloatArray, contact: FloatArray,
    place: FloatArray, out: FloatArray,
) -> None:  # fmt: skip
    most = 2
    for m in range(length.size):
        points = tables.point_first[m + 1] - tables.point_first[m]
        most = max(most, points + LONGEST * (tables.wrap_first[m + 1] - tables.wrap_first[m]))
    line, along = np.zeros((most, 3)), np.zeros(most)
    centre, A = np.zeros(3), np.zeros((3, 3))
    for m in range(length.size):
        if not np.isfinite(length[m]):
            out[m] = np.nan
            continue
        count = 0
        first = tables.point_first[m]
        for k in range(first, tables.point_first[m + 1]):
            if not _point(tables, k, R, p, theta, line[count]):
                continue
            count += 1
            done = -1.0
            while True:  # contacts behind this point, in the order of the path
                v, at = -1, np.inf
                for c in range(tables.wrap_first[m], tables.wrap_first[m + 1]):
                    if k - first <= place[c] < k - first + 1.0 and done < place[c] < at:
                        v, at = c, place[c]
                if v < 0:
                    break
                done = at
                s = tables.wrap_surface[v]
                b = tables.surface_body[s]
                for i in range(3):
                    centre[i] = p[b, i]
                    for j in range(3):
                        centre[i] += R[b, i, j] * tables.surface_centre[s, j]
                        A[i, j] = 0.0
                        for o in range(3):
                            A[i, j] += R[b, i, o] * tables.surface_attitude[s, o, j]
                count = _arc(tables.surface_kind[s], tables.surface_size[s], contact[v], centre, A, line, count)
        _spread(line, count, along, out[m])


@compiled
def _point(tables: PathTables, k: int, R: FloatArray, p: FloatArray, theta: FloatArray, at: FloatArray) -> bool:
    """Place of a point, and whether it takes part."""
    kind = tables.point_kind[k]
    if kind == CONDITIONAL:
        value = theta[tables.point_coordinate[k, 0]]
        if not tables.point_range[k, 0] <= value <= tables.point_range[k, 1]:
            return False
    b = tables.point_body[k]
    for i in range(3):
        at[i] = p[b, i]
    for j in range(3):
        local = tables.point_local[k, j]
        if kind == MOVING and tables.point_curve[k, j] >= 0:
            local, _ = curve_at(tables.curve, tables.point_curve[k, j], theta[tables.point_coordinate[k, j]])
        for i in range(3):
            at[i] += R[b, i, j] * local
    return True


@compiled
def _arc(
    kind: int, size: FloatArray, ends: FloatArray, centre: FloatArray, A: FloatArray, line: FloatArray, count: int
) -> int:
    """Append the points of an arc to a line of so many points; the new number of points."""
    start, end, x, d = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    axes = np.zeros(3)
    far, chord = 0.0, 0.0
    for i in range(3):
        start[i], end[i], x[i] = ends[i], ends[3 + i], ends[i]
        axes[i] = size[0] if kind == SPHERE else size[i]
        before = 0.0
        for j in range(3):
            before += A[j, i] * (line[count - 1, j] - centre[j])
        d[i] = start[i] - before
        far += d[i] * d[i]
        chord += (end[i] - start[i]) ** 2
    if kind == RING:
        return _append(start, centre, A, line, count)
    if kind == CYLINDER:
        sense = 1.0 if start[0] * d[1] - start[1] * d[0] >= 0.0 else -1.0
        first, radius = np.arctan2(start[1], start[0]), np.hypot(start[0], start[1])  # less if it gives way
        turn = (sense * (np.arctan2(end[1], end[0]) - first)) % (2.0 * np.pi)
        for k in range(ARC):
            share = k / (ARC - 1.0)
            angle = first + sense * turn * share
            x[0], x[1] = radius * np.cos(angle), radius * np.sin(angle)
            x[2] = start[2] + share * (end[2] - start[2])
            count = _append(x, centre, A, line, count)
        return count
    far, step = max(np.sqrt(far), 1e-12), np.sqrt(chord) / (ARC - 1)
    count = _append(start, centre, A, line, count)
    at, along = vector(start), (d[0] / far, d[1] / far, d[2] / far)
    for _ in range(4 * ARC):  # the length on the surface is not stored: walk until the end is nearest
        at, along, _, _ = geodesic(vector(axes), at, along, 0.0, 0.0, step, 1)
        if (end[0] - at[0]) * along[0] + (end[1] - at[1]) * along[1] + (end[2] - at[2]) * along[2] <= 0.0:
            break
        x[0], x[1], x[2] = at
        count = _append(x, centre, A, line, count)
    return _append(end, centre, A, line, count)


@compiled
def _append(x: FloatArray, centre: FloatArray, A: FloatArray, line: FloatArray, count: int) -> int:
    for i in range(3):
        line[count, i] = centre[i] + A[i, 0] * x[0] + A[i, 1] * x[1] + A[i, 2] * x[2]
    return count + 1


@compiled
def _spread(line: FloatArray, count: int, along: FloatArray, out: FloatArray) -> None:
    """Points at equal steps along a line of so many points; NaN for fewer than two."""
    if count < 2:
        out[:] = np.nan
        return
    along[0] = 0.0
    for k in range(1, count):
        step = 0.0
        for i in range(3):
            step += (line[k, i] - line[k - 1, i]) ** 2
        along[k] = along[k - 1] + np.sqrt(step)
    stations, k = out.shape[0], 1
    for s in range(stations):
        at = along[count - 1] * s / (stations - 1.0)
        while k < count - 1 and along[k] < at:
            k += 1
        width = along[k] - along[k - 1]
        share = (at - along[k - 1]) / width if width > 0.0 else 0.0
        for i in range(3):
            out[s, i] = line[k - 1, i] + share * (line[k, i] - line[k - 1, i])
