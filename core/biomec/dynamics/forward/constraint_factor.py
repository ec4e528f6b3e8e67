"""Compiled sparse factorisation of the constraint Jacobian of one state, with an order of pivots that is kept.

Which rows and coordinates take part, in which order, is chosen once (`choose_pivots`); from state to state only the
numbers are computed anew (`transformation`), on the same pattern, until they show that the choice no longer fits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from biomec.arrays import BoolArray, FloatArray, IntArray
from biomec.compiled import compiled
from biomec.multibody import rows as row_kernels
from biomec.multibody.rows import RowTables

THRESHOLD = 0.1  # of the largest entry of its column that a pivot may have, if that keeps the factors sparse


class Pivots(NamedTuple):
    """Independent coordinates and the order of elimination, for a Jacobian of m rows, n columns and rank r.

    row_place : (m,) place of a row among the pivots, −1 for rows that depend on others
    place     : (n,) place of a dependent coordinate among the pivots, −1 − i for the i-th independent one
    rows, columns : (r,) row and coordinate of each pivot
    independent   : (g,) coordinates
    below, right  : entries below and right of each pivot, from pointer to pointer
    """

    row_place: IntArray
    place: IntArray
    rows: IntArray
    columns: IntArray
    independent: IntArray
    below_pointer: IntArray
    below: IntArray
    right_pointer: IntArray
    right: IntArray


class MassTable(NamedTuple):
    """A sparse matrix by rows."""

    pointer: IntArray
    columns: IntArray
    values: FloatArray


def choose_pivots(Phi_q: FloatArray, pattern: BoolArray, tolerance: float) -> Pivots:
    """Choose independent coordinates and a sparse order of elimination for Φq (m, n).

    QR with column pivoting finds dependent coordinates, then independent rows ([Nunes2017] §2.4.1.2; theory §10);
    Markowitz's rule orders the pivots [Markowitz1957]. pattern : (m, n) entries that may differ from zero elsewhere.
    """
    m, n = Phi_q.shape
    triangle, order = scipy.linalg.qr(Phi_q, mode="r", pivoting=True)
    diagonal = np.abs(np.diagonal(triangle))
    rank = int((diagonal > tolerance * diagonal.max(initial=0.0)).sum())
    dependent, independent = np.sort(order[:rank]), np.sort(order[rank:])
    _, order = scipy.linalg.qr(Phi_q[:, dependent].T, mode="r", pivoting=True)
    kept = np.sort(order[:rank])
    A, there = Phi_q[np.ix_(kept, dependent)].copy(), pattern[np.ix_(kept, dependent)].copy()
    row_order, column_order = np.arange(rank), np.arange(rank)
    _markowitz(A, there, row_order, column_order)
    rows, columns = kept[row_order], dependent[column_order]
    row_place, place = np.full(m, -1), np.empty(n, dtype=np.int64)
    row_place[rows] = np.arange(rank)
    place[columns] = np.arange(rank)
    place[independent] = -1 - np.arange(n - rank)
    below = [np.flatnonzero(there[k + 1 :, k]) + k + 1 for k in range(rank)]
    right = [np.flatnonzero(there[k, k + 1 :]) + k + 1 for k in range(rank)]

    def flat(parts: list[IntArray]) -> tuple[IntArray, IntArray]:
        pointer = np.concatenate([[0], np.cumsum([part.size for part in parts])]).astype(np.int64)
        return pointer, np.concatenate([np.zeros(0), *parts]).astype(np.int64)

    return Pivots(
        row_place.astype(np.int64), place, rows.astype(np.int64), columns.astype(np.int64),
        independent.astype(np.int64), *flat(below), *flat(right),
    )  # fmt: skip


@compiled
def _markowitz(A: FloatArray, there: BoolArray, row_order: IntArray, column_order: IntArray) -> None:
    """Eliminate A (r, r) in place, taking as pivot what fills in least among entries that are large enough.

    Rows and columns are exchanged as it goes; ``there`` becomes the pattern of the factors.
    """
    r = A.shape[0]
    row_count, column_count, largest = np.empty(r), np.empty(r), np.empty(r)
    for k in range(r):
        row_count[k:] = 0.0
        column_count[k:] = 0.0
        largest[k:] = 0.0
        for i in range(k, r):
            for j in range(k, r):
                if there[i, j]:
                    row_count[i] += 1.0
                    column_count[j] += 1.0
                    largest[j] = max(largest[j], abs(A[i, j]))
        best, size, row, column = np.inf, 0.0, k, k
        for i in range(k, r):
            for j in range(k, r):
                if there[i, j] and A[i, j] != 0.0 and abs(A[i, j]) >= THRESHOLD * largest[j]:
                    cost = (row_count[i] - 1.0) * (column_count[j] - 1.0)
                    if cost < best or (cost == best and abs(A[i, j]) > size):
                        best, size, row, column = cost, abs(A[i, j]), i, j
        for j in range(r):
            A[k, j], A[row, j] = A[row, j], A[k, j]
            there[k, j], there[row, j] = there[row, j], there[k, j]
        for i in range(r):
            A[i, k], A[i, column] = A[i, column], A[i, k]
            there[i, k], there[i, column] = there[i, column], there[i, k]
        row_order[k], row_order[row] = row_order[row], row_order[k]
        column_order[k], column_order[column] = column_order[column], column_order[k]
        for i in range(k + 1, r):
            if there[i, k]:
                factor = A[i, k] / A[k, k]
                for j in range(k + 1, r):
                    if there[k, j]:
                        A[i, j] -= factor * A[k, j]
                        there[i, j] = True


@compiled
def transformation(
    pivots: Pivots,
    tables: RowTables,
    mass: MassTable,
    q: FloatArray,
    qdot: FloatArray,
    damping: float,
    stiffness: float,
    A: FloatArray,
    X: FloatArray,
    W: FloatArray,
    MW: FloatArray,
) -> tuple[float, float, float]:
    """W (n, g + 1) = [R, S c], and M W; A (r, r) keeps the factors, X (r, g + 1) is work space.

        Φq_d R_d = −Φq_i,   R_i = I          Φq_d (S c)_d = c − 2ξω Φ̇ − ω² Φ,   (S c)_i = 0

    Returns how well this went: the largest multiplier of the elimination, the largest entry of R, and the largest
    entry of Φq R in the rows that were left out because they depended on the others.
    """
    n, r = q.size, pivots.rows.size
    g = pivots.independent.size
    m = pivots.row_place.size
    none = np.zeros((m, 1))
    phi, entries = np.empty((m, 1)), np.empty((tables.columns.size, 1))
    first, second = np.empty((m, 1)), np.empty((m, 1))
    sine = np.empty((tables.angle.size, 1))
    at, moving = q.reshape(n, 1), qdot.reshape(n, 1)
    row_kernels.sine_form(tables, at, none, sine)
    row_kernels.evaluate(tables, at, none, sine, phi, entries)
    row_kernels.evaluate_rates(tables, at, moving, none, none, none, sine, first, second)
    X[:] = 0.0
    for k in range(r):
        A[k, k] = 0.0
        for e in range(pivots.below_pointer[k], pivots.below_pointer[k + 1]):
            A[pivots.below[e], k] = 0.0
        for e in range(pivots.right_pointer[k], pivots.right_pointer[k + 1]):
            A[k, pivots.right[e]] = 0.0
    for row in range(m):
        k = pivots.row_place[row]
        if k < 0:
            continue
        X[k, g] = second[row, 0] - stiffness * phi[row, 0]
        for z in range(tables.pointer[row], tables.pointer[row + 1]):
            column = tables.columns[z]
            X[k, g] -= damping * entries[z, 0] * qdot[column]
            if pivots.place[column] >= 0:
                A[k, pivots.place[column]] = entries[z, 0]
            else:
                X[k, -1 - pivots.place[column]] = -entries[z, 0]
    growth = _factor(pivots, A)
    _solve(pivots, A, X)
    largest = 0.0
    W[:] = 0.0
    for i in range(g):
        W[pivots.independent[i], i] = 1.0
    for k in range(r):
        column = pivots.columns[k]
        for i in range(g + 1):
            W[column, i] = X[k, i]
        for i in range(g):
            largest = max(largest, abs(X[k, i]))
    leak = 0.0
    line = np.empty(g)
    for row in range(m):
        if pivots.row_place[row] < 0:
            line[:] = 0.0
            for z in range(tables.pointer[row], tables.pointer[row + 1]):
                for i in range(g):
                    line[i] += entries[z, 0] * W[tables.columns[z], i]
            for i in range(g):
                leak = max(leak, abs(line[i]))
    _times(mass, W, MW)
    return growth, largest, leak


@compiled
def _factor(pivots: Pivots, A: FloatArray) -> float:
    """Replace A by its factors L U on their pattern; returns the largest multiplier, infinite without a pivot."""
    growth = 0.0
    for k in range(A.shape[0]):
        if A[k, k] == 0.0:
            return np.inf
        for e in range(pivots.below_pointer[k], pivots.below_pointer[k + 1]):
            i = pivots.below[e]
            factor = A[i, k] / A[k, k]
            growth = max(growth, abs(factor))
            A[i, k] = factor
            if factor != 0.0:
                for f in range(pivots.right_pointer[k], pivots.right_pointer[k + 1]):
                    A[i, pivots.right[f]] -= factor * A[k, pivots.right[f]]
    return growth


@compiled
def _solve(pivots: Pivots, A: FloatArray, X: FloatArray) -> None:
    """Solve L U Y = X in place for all columns of X (r, ...)."""
    r, width = X.shape
    for k in range(r):
        for e in range(pivots.below_pointer[k], pivots.below_pointer[k + 1]):
            i = pivots.below[e]
            factor = A[i, k]
            for c in range(width):
                X[i, c] -= factor * X[k, c]
    for k in range(r - 1, -1, -1):
        for e in range(pivots.right_pointer[k], pivots.right_pointer[k + 1]):
            j = pivots.right[e]
            factor = A[k, j]
            for c in range(width):
                X[k, c] -= factor * X[j, c]
        factor = 1.0 / A[k, k]
        for c in range(width):
            X[k, c] *= factor


@compiled
def multipliers_of(pivots: Pivots, A: FloatArray, force: FloatArray, load: FloatArray) -> None:
    """λ (m,) of Φqᵀ λ = force (n,), from its dependent rows; 0 for constraint rows that were left out."""
    r = pivots.rows.size
    y = np.empty(r)
    for k in range(r):
        y[k] = force[pivots.columns[k]]
    for k in range(r):
        y[k] /= A[k, k]
        for e in range(pivots.right_pointer[k], pivots.right_pointer[k + 1]):
            y[pivots.right[e]] -= A[k, pivots.right[e]] * y[k]
    for k in range(r - 1, -1, -1):
        for e in range(pivots.below_pointer[k], pivots.below_pointer[k + 1]):
            y[k] -= A[pivots.below[e], k] * y[pivots.below[e]]
    load[:] = 0.0
    for k in range(r):
        load[pivots.rows[k]] = y[k]


@compiled
def _times(mass: MassTable, W: FloatArray, MW: FloatArray) -> None:
    """M W."""
    width = W.shape[1]
    for i in range(W.shape[0]):
        for c in range(width):
            MW[i, c] = 0.0
        for z in range(mass.pointer[i], mass.pointer[i + 1]):
            value, j = mass.values[z], mass.columns[z]
            for c in range(width):
                MW[i, c] += value * W[j, c]
