"""Compiled computations with the matrix R of one state: a sparse factor of the constraint Jacobian and what follows.

Which coordinates are independent, and in which order rows eliminate the others, is chosen once for a Jacobian
(`Pivots`); from state to state only the numbers are computed anew, on the same pattern, and tell whether the choice
still fits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.forward.one_state import accelerations_rhs, evaluate
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


LANES = 16  # numbers that compiled loops take at once: rows of W have a multiple of them, as what is left costs as much


class MassTable(NamedTuple):
    """A sparse matrix by rows."""

    pointer: IntArray
    columns: IntArray
    values: FloatArray


@compiled
def transformation(
    pivots: Pivots,
    tables: RowTables,
    q: FloatArray,
    qdot: FloatArray,
    damping: float,
    stiffness: float,
    factors: FloatArray,
    W: FloatArray,
) -> tuple[float, float, float]:
    """W (n, width) = [R, S c, 0]; ``factors`` keeps L and U.

        Φq_d R_d = −Φq_i,   R_i = I          Φq_d (S c)_d = c − 2ξω Φ̇ − ω² Φ,   (S c)_i = 0

    Returns how well this went: the largest multiplier of the elimination, the largest entry of R, and the largest
    entry of Φq R in the rows that were left out because they depended on the others.
    """
    g, m = pivots.independent.size, pivots.row_place.size
    phi, c, jacobian = np.empty(m), np.empty(m), np.empty(tables.columns.size)
    evaluate(tables, q, phi, jacobian)
    accelerations_rhs(tables, q, qdot, c)
    W[:] = 0.0
    factors[:] = 0.0
    for i in range(g):
        W[pivots.independent[i], i] = 1.0
    for k in range(pivots.rows.size):
        row, here = pivots.rows[k], pivots.columns[k]
        rate = 0.0
        for z in range(tables.pointer[row], tables.pointer[row + 1]):
            column, entry = tables.columns[z], jacobian[z]
            rate += entry * qdot[column]
            if pivots.target[z] >= 0:
                factors[pivots.target[z]] = entry
            else:
                W[here, -1 - pivots.place[column]] = -entry
        W[here, g] = c[row] - damping * rate - stiffness * phi[row]
    growth = _factor(pivots, factors)
    _solve(pivots, factors, W)
    return growth, _largest(W, g), _leak(pivots, tables, jacobian, W)


@compiled
def _factor(pivots: Pivots, factors: FloatArray) -> float:
    """Replace Φq_d by its factors L, whose diagonal is 1, and U, with the inverse of its diagonal.

    Returns the largest multiplier, infinite without a pivot.
    """
    growth, at = 0.0, 0
    for k in range(pivots.rows.size):
        middle = pivots.diagonal[k]
        for e in range(pivots.pointer[k], middle):
            above = pivots.place[pivots.entries[e]]
            factor = factors[e] * factors[pivots.diagonal[above]]
            growth = max(growth, abs(factor))
            factors[e] = factor
            for f in range(pivots.diagonal[above] + 1, pivots.pointer[above + 1]):
                factors[pivots.update[at]] -= factor * factors[f]
                at += 1
        if factors[middle] == 0.0:
            return np.inf
        factors[middle] = 1.0 / factors[middle]
    return growth


@compiled
def _solve(pivots: Pivots, factors: FloatArray, W: FloatArray) -> None:
    """Solve L U Y = X in place, X standing in the rows of W that belong to dependent coordinates.

    Down with L, up with U; multiples of two other rows are subtracted at a time, to write a row less often.
    """
    r, rows = pivots.rows.size, pivots.entries
    for turn in range(2 * r):
        down = turn < r
        k = turn if down else 2 * r - 1 - turn
        here, middle = pivots.columns[k], pivots.diagonal[k]
        e, last = (pivots.pointer[k], middle) if down else (middle + 1, pivots.pointer[k + 1])
        while e + 2 <= last:
            i, j, a, b = rows[e], rows[e + 1], factors[e], factors[e + 1]
            for c in range(W.shape[1]):
                W[here, c] -= a * W[i, c] + b * W[j, c]
            e += 2
        if e < last:
            i, a = rows[e], factors[e]
            for c in range(W.shape[1]):
                W[here, c] -= a * W[i, c]
        if not down:
            inverse = factors[middle]
            for c in range(W.shape[1]):
                W[here, c] *= inverse


@compiled
def _largest(W: FloatArray, g: int) -> float:
    """Largest entry of R."""
    most = np.zeros(W.shape[1])
    for i in range(W.shape[0]):
        for c in range(W.shape[1]):
            most[c] = max(most[c], abs(W[i, c]))
    return float(most[:g].max()) if g else 0.0


@compiled
def _leak(pivots: Pivots, tables: RowTables, jacobian: FloatArray, W: FloatArray) -> float:
    """Largest entry of Φq R in the rows that were left out."""
    leak, g = 0.0, pivots.independent.size
    line = np.empty(g)
    for row in range(pivots.row_place.size):
        if pivots.row_place[row] < 0:
            line[:] = 0.0
            for z in range(tables.pointer[row], tables.pointer[row + 1]):
                for i in range(g):
                    line[i] += jacobian[z] * W[tables.columns[z], i]
            for i in range(g):
                leak = max(leak, abs(line[i]))
    return leak


@compiled
def reduced(
    mass: MassTable, W: FloatArray, Q: FloatArray, MW: FloatArray, M_bar: FloatArray, Q_bar: FloatArray
) -> None:
    """Lower triangle of M̄ (g, g) = Rᵀ M R, and Q̄ (g,) = Rᵀ(Q − M S c); MW, as large as W, is work space.

    Four coordinates at a time, and only where R has an entry in any of them: more than half of R is zero.
    """
    n, g = W.shape[0], Q_bar.size
    _mass_product(mass, W, MW)
    M_bar[:] = 0.0
    Q_bar[:] = 0.0
    for i in range(n):
        force = Q[i] - MW[i, g]
        for a in range(g):
            Q_bar[a] += W[i, a] * force
    for i in range(0, n - 3, 4):
        for a in range(g):
            p, q, r, s = W[i, a], W[i + 1, a], W[i + 2, a], W[i + 3, a]
            if p != 0.0 or q != 0.0 or r != 0.0 or s != 0.0:
                for b in range(a + 1):
                    M_bar[a, b] += p * MW[i, b] + q * MW[i + 1, b] + r * MW[i + 2, b] + s * MW[i + 3, b]
    for i in range(n - n % 4, n):
        for a in range(g):
            for b in range(a + 1):
                M_bar[a, b] += W[i, a] * MW[i, b]


@compiled
def _mass_product(mass: MassTable, W: FloatArray, MW: FloatArray) -> None:
    """M W; rows of M have four entries where a body has twelve coordinates of its own."""
    columns, values = mass.columns, mass.values
    for i in range(W.shape[0]):
        z, last = mass.pointer[i], mass.pointer[i + 1]
        if last - z == 4:
            j, k, l, m = columns[z], columns[z + 1], columns[z + 2], columns[z + 3]
            p, q, r, s = values[z], values[z + 1], values[z + 2], values[z + 3]
            for c in range(W.shape[1]):
                MW[i, c] = p * W[j, c] + q * W[k, c] + r * W[l, c] + s * W[m, c]
            continue
        for c in range(W.shape[1]):
            MW[i, c] = 0.0
        for e in range(z, last):
            j, p = columns[e], values[e]
            for c in range(W.shape[1]):
                MW[i, c] += p * W[j, c]


@compiled
def accelerations(
    pivots: Pivots,
    mass: MassTable,
    factors: FloatArray,
    W: FloatArray,
    MW: FloatArray,
    Q: FloatArray,
    qddot: FloatArray,
    load: FloatArray,
) -> bool:
    """q̈ (n,), and λ (m,) of Φqᵀ λ = Q − M q̈, 0 for rows that were left out, from what `transformation` has found.

    False if M̄ is not positive definite.
    """
    g = pivots.independent.size
    M_bar, step = np.empty((g, g)), np.zeros(W.shape[1])
    reduced(mass, W, Q, MW, M_bar, step[:g])
    if not _solve_definite(M_bar, step[:g]):
        return False
    step[g] = 1.0
    qddot[:] = np.dot(W, step)
    y = Q.copy()
    for i in range(y.size):
        for z in range(mass.pointer[i], mass.pointer[i + 1]):
            y[i] -= mass.values[z] * qddot[mass.columns[z]]
    for k in range(pivots.rows.size):
        value = y[pivots.columns[k]] * factors[pivots.diagonal[k]]
        y[pivots.columns[k]] = value
        for e in range(pivots.diagonal[k] + 1, pivots.pointer[k + 1]):
            y[pivots.entries[e]] -= factors[e] * value
    load[:] = 0.0
    for k in range(pivots.rows.size - 1, -1, -1):
        value = y[pivots.columns[k]]
        load[pivots.rows[k]] = value
        for e in range(pivots.pointer[k], pivots.diagonal[k]):
            y[pivots.entries[e]] -= factors[e] * value
    return True


@compiled
def _solve_definite(M: FloatArray, x: FloatArray) -> bool:
    """Solve M y = x in place from the lower triangle of M, by Lᵀ D L; False if M is not positive definite."""
    for k in range(x.size - 1, -1, -1):
        if not M[k, k] > 0.0:
            return False
        inverse = 1.0 / M[k, k]
        for i in range(k):
            factor = M[k, i] * inverse
            for j in range(i + 1):
                M[i, j] -= factor * M[k, j]
            x[i] -= factor * x[k]
    for k in range(x.size):
        for i in range(k):
            x[k] -= M[k, i] * x[i]
        x[k] /= M[k, k]
    return True
