"""Compiled acceleration of sweeps over several surfaces, by Anderson's mixing [Anderson1965].

A sweep takes tangent points x to g(x), and the path is the fixed point. With f = g(x) − x and the last changes ΔX, ΔF,

    x₊ = x + f − (ΔX + ΔF) γ,      γ = argmin |f − ΔF γ|

which is exact after d + 1 sweeps where g is linear in d directions; only sweeps say whether the path has settled. What
the first surface leaves behind is found anew from the others, and takes no part in γ.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled

DEPTH = 3  # changes that are remembered
ROWS = 3 + 4 * DEPTH  # of what is remembered
BOLDEST = 30.0  # times the last change of a sweep that a point may be carried
DEPENDENT = 1e-6  # part of a change that must be new beside the others


@compiled
def begin_sweep(t: int, entry: FloatArray, leave: FloatArray, past: FloatArray) -> None:
    """Remember x, from where a sweep sets out."""
    for k in range(entry.shape[1]):
        for i in range(3):
            past[0, 6 * k + i], past[0, 6 * k + 3 + i] = entry[t, k, i], leave[t, k, i]


@compiled
def accelerated(t: int, change: float, known: int, entry: FloatArray, leave: FloatArray, past: FloatArray) -> int:
    """Carry entry and leave (T, nw, 3) from g(x) to where sweeps are heading; how many sweeps are now remembered.

    change : largest change of the last sweep [m], 1 where the order of the path changed
    known  : what this function returned after the sweep before; 0 at the beginning
    past   : (ROWS, 6 nw) x, then f and g of the sweep before, ΔF and ΔG newest first, and room to work in
    """
    n = past.shape[1]
    depth = min(known, DEPTH)
    dF, dG, Q, H = 3, 3 + DEPTH, 3 + 2 * DEPTH, 3 + 3 * DEPTH
    for row in range(depth - 1, 0, -1):
        for o in range(n):
            past[dF + row, o], past[dG + row, o] = past[dF + row - 1, o], past[dG + row - 1, o]
    for o in range(n):
        k, i = o // 6, o % 6
        g = entry[t, k, i] if i < 3 else leave[t, k, i - 3]
        f = g - past[0, o]
        past[dF, o], past[dG, o] = f - past[1, o], g - past[2, o]
        past[1, o], past[2, o] = f, g
        past[0, o] = f  # what of f is left
    if change >= 1.0:
        return 0
    for j in range(depth):
        square = _copy(past, dF + j, Q + j)
        _copy(past, dG + j, H + j)
        for i in range(j):
            along = _dot(past, Q + j, Q + i)
            for o in range(n):
                past[Q + j, o] -= along * past[Q + i, o]
                past[H + j, o] -= along * past[H + i, o]
        new = np.sqrt(_dot(past, Q + j, Q + j))
        scale = 0.0 if new <= DEPENDENT * np.sqrt(square) else 1.0 / new
        for o in range(n):
            past[Q + j, o] *= scale
            past[H + j, o] *= scale
        along = _dot(past, 0, Q + j)
        for o in range(n):
            past[0, o] -= along * past[Q + j, o]
            carried = -along * past[H + j, o]
            carried = min(max(carried, -BOLDEST * change), BOLDEST * change)
            if o % 6 < 3:
                entry[t, o // 6, o % 6] += carried
            else:
                leave[t, o // 6, o % 6 - 3] += carried
    return known + 1


@compiled
def _copy(past: FloatArray, row: int, to: int) -> float:
    """Copy a row; the square of what counts of it."""
    for o in range(past.shape[1]):
        past[to, o] = past[row, o]
    return _dot(past, to, to)


@compiled
def _dot(past: FloatArray, one: int, other: int) -> float:
    """Product of two rows, without what the first surface leaves behind."""
    total = 0.0
    for o in range(6, past.shape[1]):
        total += past[one, o] * past[other, o]
    return total
