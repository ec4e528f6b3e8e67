"""Block elimination of W + α ΦqᵀΦq along the body graph, for many frames side by side.

The matrix couples only coordinates that meet in a constraint row. `plan_elimination` orders the bodies once, fewest
neighbours first (on a tree: leaves first, so no block fills in), orders the coordinates inside each body the same way,
finds the pattern of the factor, and writes every multiply-add of the factorisation as an index list. The compiled
functions run that list with frames on the last axis. The cost is linear in the number of bodies for trees and chains,
and the matrix is never formed densely (theory §11).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import scipy

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.compiled import compiled


class Elimination(NamedTuple):
    """Pattern of the factor L D Lᵀ of the permuted matrix, and where things go.

    Entries of L stand column by column, the diagonal first; ``order[k]`` is the coordinate eliminated k-th.
    """

    order: IntArray  # (n,)
    place: IntArray  # (n,) inverse of order
    pointer: IntArray  # (n+1,) entries of column k
    rows: IntArray  # (nnz,) permuted row of each entry
    update: IntArray  # destination of every multiply-add, in the order of the factorisation

    @property
    def size(self) -> int:
        """Entries of the factor."""
        return int(self.rows.size)

    @property
    def operations(self) -> int:
        """Multiply-adds of one factorisation."""
        return int(self.update.size)

    def position(self, i: IntArray, j: IntArray) -> IntArray:
        """Entry that holds matrix element (i, j), in coordinates of the system."""
        a, b = self.place[i], self.place[j]
        low, high = np.minimum(a, b), np.maximum(a, b)
        width = np.int64(self.order.size)
        keys = np.repeat(np.arange(width), np.diff(self.pointer)) * width + self.rows
        found = np.searchsorted(keys, low * width + high)
        assert np.array_equal(keys[found], low * width + high), "element outside the pattern"
        return np.asarray(found, dtype=np.int64)


def plan_elimination(n: int, groups: Sequence[IntArray], cliques: Iterable[IntArray]) -> Elimination:
    """Plan the factorisation of a symmetric positive definite matrix.

    n       : number of coordinates
    groups  : coordinates of each body (or added coordinate), eliminated together; a partition of range(n)
    cliques : sets of coordinates that are coupled with each other

    The plan knows no numbers, only who meets whom: all trials of a model with the same markers share one.
    """
    return _plan(n, *_packed(groups), *_packed(list(cliques)))


def _packed(lists: Sequence[IntArray]) -> tuple[bytes, bytes]:
    """Sizes and members of lists of whole numbers, as something to remember a plan by."""
    none = np.zeros(0, dtype=np.int64)
    sizes = np.array([len(one) for one in lists], dtype=np.int64)
    return sizes.tobytes(), np.concatenate([none, *lists]).astype(np.int64).tobytes()


def _unpacked(sizes: bytes, members: bytes) -> list[IntArray]:
    ends = np.cumsum(np.frombuffer(sizes, dtype=np.int64))
    return np.split(np.frombuffer(members, dtype=np.int64), ends[:-1]) if ends.size else []


@lru_cache(maxsize=32)
def _plan(n: int, group_sizes: bytes, group_members: bytes, sizes: bytes, members: bytes) -> Elimination:
    groups, cliques = _unpacked(group_sizes, group_members), _unpacked(sizes, members)
    neighbours: list[set[int]] = [set() for _ in range(n)]
    coupled = list(dict.fromkeys(tuple(sorted(set(clique.tolist()))) for clique in cliques))  # each once
    for clique in coupled:
        for member in clique:
            neighbours[member].update(clique)
    for k in range(n):
        neighbours[k].discard(k)
    order: list[int] = []
    below: list[set[int]] = []  # coordinates coupled to order[k] that are eliminated after it
    for group in _body_order(n, groups, coupled):
        left = set(groups[group].tolist())
        while left:
            k = min(left, key=lambda c: (len(neighbours[c]), c))
            left.remove(k)
            order.append(k)
            below.append(neighbours[k])
            _eliminate(neighbours, k)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    columns = [np.concatenate([[k], np.sort(place[list(below[k])])]).astype(np.int64) for k in range(n)]
    pointer = np.concatenate([[0], np.cumsum([column.size for column in columns])]).astype(np.int64)
    return Elimination(np.array(order), place, pointer, np.concatenate(columns), _updates(columns))


def _eliminate(neighbours: list[set[int]], k: int) -> None:
    """Remove k from the graph; its neighbours become neighbours of each other."""
    for other in neighbours[k]:
        neighbours[other] |= neighbours[k]
        neighbours[other] -= {k, other}


def _body_order(n: int, groups: Sequence[IntArray], cliques: Sequence[Sequence[int]]) -> list[int]:
    """Order of the bodies: always the one with the fewest neighbours left."""
    owner = np.empty(n, dtype=np.int64)
    for g, group in enumerate(groups):
        owner[group] = g
    neighbours: list[set[int]] = [set() for _ in groups]
    for clique in cliques:
        members = set(owner[list(clique)].tolist())
        for g in members:
            neighbours[g] |= members - {g}
    left, order = set(range(len(groups))), []
    while left:
        g = min(left, key=lambda k: (len(neighbours[k]), k))
        left.remove(g)
        order.append(g)
        _eliminate(neighbours, g)
    return order


def _updates(columns: Sequence[IntArray]) -> IntArray:
    """Entry of every product of two entries below a column's diagonal: column by column, upper triangles by rows."""
    n = np.int64(len(columns))
    keys = np.concatenate([column + k * n for k, column in enumerate(columns)])
    parts = [np.zeros(0, dtype=np.int64)]
    for column in columns:
        a, b = _upper_pairs(column.size - 1)
        parts.append(column[1:][a] * n + column[1:][b])
    return np.asarray(np.searchsorted(keys, np.concatenate(parts)), dtype=np.int64)


@lru_cache(maxsize=512)
def _upper_pairs(size: int) -> tuple[IntArray, IntArray]:
    """Row and column indices of an upper triangle, row by row."""
    a, b = np.triu_indices(size)
    return read_only(a, np.int64), read_only(b, np.int64)


def matrix_on_pattern(plan: Elimination, matrix: scipy.sparse.csr_array) -> FloatArray:
    """Values (nnz,) of a symmetric sparse matrix on the factor's pattern."""
    row = np.repeat(np.arange(plan.order.size), np.diff(matrix.indptr))
    lower = row >= matrix.indices
    values = np.zeros(plan.size)
    np.add.at(values, plan.position(row[lower], matrix.indices[lower]), matrix.data[lower])
    return values


# ---------------------------------------------------------------------- compiled kernels, frames on the last axis


@compiled
def factor(plan: Elimination, X: FloatArray, bad: FloatArray) -> None:
    """Replace X (nnz, F), the matrix on the pattern, by its factor; the diagonal holds 1/d.

    ``bad[f]`` becomes 1 where a pivot is not positive: the matrix of that frame is not positive definite.
    """
    frames = X.shape[1]
    scaled = np.empty(frames)
    at = 0
    for k in range(plan.order.size):
        first, last = plan.pointer[k], plan.pointer[k + 1]
        for f in range(frames):
            if not X[first, f] > 0.0:
                bad[f] = 1.0
                X[first, f] = 1.0
            X[first, f] = 1.0 / X[first, f]
        for a in range(first + 1, last):
            for f in range(frames):
                scaled[f] = X[a, f] * X[first, f]
            for b in range(a, last):
                to = plan.update[at]
                at += 1
                for f in range(frames):
                    X[to, f] -= scaled[f] * X[b, f]
            for f in range(frames):
                X[a, f] = scaled[f]


@compiled
def solve(plan: Elimination, X: FloatArray, y: FloatArray) -> None:
    """Solve with the factor in place; y (n, F) stands in the order of elimination."""
    n, frames = y.shape
    for k in range(n):
        for a in range(plan.pointer[k] + 1, plan.pointer[k + 1]):
            row = plan.rows[a]
            for f in range(frames):
                y[row, f] -= X[a, f] * y[k, f]
    for k in range(n - 1, -1, -1):
        for f in range(frames):
            y[k, f] *= X[plan.pointer[k], f]
        for a in range(plan.pointer[k] + 1, plan.pointer[k + 1]):
            row = plan.rows[a]
            for f in range(frames):
                y[k, f] -= X[a, f] * y[row, f]
