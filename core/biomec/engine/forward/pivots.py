"""Which coordinates are independent, and in which order the others are eliminated.

Chosen once for a Jacobian; `constraint_factor` computes with the choice from state to state, until it no longer fits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.rows import RowTables

THRESHOLD = 0.1  # of the largest entry of its column that a pivot may have, if that keeps the factors sparse


class Pivots(NamedTuple):
    """Independent coordinates and the order of elimination, for a Jacobian of m rows, n columns and rank r.

    row_place : (m,) place of a row among the pivots, −1 for rows that depend on others
    place     : (n,) place of a dependent coordinate among the pivots, −1 − i for the i-th independent one
    rows, columns : (r,) row and coordinate of each pivot
    independent   : (g,) coordinates
    pointer, entries : coordinates of the factors' entries, row by row in the order of pivots: L, diagonal, U
    diagonal      : (r,) where the diagonal stands among them
    update        : which of them the elimination changes, one after the other
    target        : where each entry of Φq stands among them; −1 if nowhere
    """

    row_place: IntArray
    place: IntArray
    rows: IntArray
    columns: IntArray
    independent: IntArray
    pointer: IntArray
    entries: IntArray
    diagonal: IntArray
    update: IntArray
    target: IntArray


def choose_pivots(Phi_q: FloatArray, tables: RowTables, tolerance: float) -> Pivots:
    """Choose independent coordinates and a sparse order of elimination for Φq (m, n).

    QR with column pivoting finds dependent coordinates, then independent rows ([Nunes2017] §2.4.1.2; theory §10);
    Markowitz's rule orders the pivots [Markowitz1957]. Entries that are zero here may differ from zero elsewhere.
    """
    m, n = Phi_q.shape
    triangle, order = scipy.linalg.qr(Phi_q, mode="r", pivoting=True)
    diagonal = np.abs(np.diagonal(triangle))
    rank = int((diagonal > tolerance * diagonal.max(initial=0.0)).sum())
    dependent, independent = np.sort(order[:rank]), np.sort(order[rank:])
    _, order = scipy.linalg.qr(Phi_q[:, dependent].T, mode="r", pivoting=True)
    kept = np.sort(order[:rank])
    line = np.repeat(np.arange(m), np.diff(tables.pointer))  # of each entry of Φq
    pattern = np.zeros((m, n), dtype=np.bool_)
    pattern[line, tables.columns] = True
    A, there = Phi_q[np.ix_(kept, dependent)].copy(), pattern[np.ix_(kept, dependent)].copy()
    row_order, column_order = np.arange(rank), np.arange(rank)
    _markowitz(A, there, row_order, column_order)
    rows, columns = kept[row_order], dependent[column_order]
    row_place, place = np.full(m, -1), np.empty(n, dtype=np.int64)
    row_place[rows] = np.arange(rank)
    place[columns] = np.arange(rank)
    place[independent] = -1 - np.arange(n - rank)
    at = np.cumsum(there).reshape(rank, rank) - 1  # place of an entry among the factors'
    right = [k + 1 + np.flatnonzero(there[k, k + 1 :]) for k in range(rank)]
    update = [at[k, right[above]] for k in range(rank) for above in np.flatnonzero(there[k, :k])]
    taken = (row_place[line] >= 0) & (place[tables.columns] >= 0)
    target = np.full(line.size, -1)
    target[taken] = at[row_place[line[taken]], place[tables.columns[taken]]]
    found = (
        row_place, place, rows, columns, independent, np.concatenate([[0], np.cumsum(there.sum(axis=1))]),
        columns[np.nonzero(there)[1]], np.diagonal(at), np.concatenate([np.zeros(0), *update]), target,
    )  # fmt: skip
    return Pivots(*(np.array(one, dtype=np.int64) for one in found))


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
