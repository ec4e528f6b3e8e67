"""The normal matrix W + α ΦqᵀΦq of a system: what the position problem and both projections factor.

`NormalMatrix` prepares, once for a system, a metric W and a set of contact bodies, everything that does not change
between frames: the elimination plan, the constant part of the matrix (W and the linear rows), and the index lists that
add the other rows. Its compiled functions work on frames side by side (last axis).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.engine.elimination import Elimination, matrix_on_pattern, plan_elimination
from biomec.engine.rows import RowTables
from biomec.engine.system import System

T = TypeVar("T", np.float64, np.int64)
LANES = 32  # frames side by side: work that does not depend on the frame is shared; 660 kB of a whole-body factor


class NormalMatrix(NamedTuple):
    """Constant data to build and factor W + α ΦqᵀΦq for any frame."""

    tables: RowTables
    plan: Elimination
    metric: FloatArray  # (nnz,) W
    linear: FloatArray  # (nnz,) Σ over linear rows of bᵀb
    constant: FloatArray  # (nnz,) W + α Σ bᵀb
    varying: IntArray  # rows whose Jacobian changes
    pairs: IntArray  # destination of each product of two entries of a varying row
    w_pointer: IntArray  # W by rows
    w_column: IntArray
    w_value: FloatArray
    contact_columns: IntArray  # (contact rows, 4)
    contact_pairs: IntArray  # (contact rows, 10)
    alpha: float

    @property
    def rows(self) -> int:
        """Rows of the system and of the contacts."""
        return int(self.tables.constant.size + self.contact_columns.shape[0])


def normal_matrix(
    system: System,
    W: scipy.sparse.csr_array,
    alpha: float,
    contact_columns: IntArray | None = None,
    target_columns: IntArray | None = None,
) -> NormalMatrix:
    """Prepare W + α ΦqᵀΦq for a metric from `checked_metric`.

    Entries of W that couple bodies make the factor fuller; those of the mass matrix do not. The pattern also holds the
    rows of targets, if their columns are given.
    """
    contacts = np.zeros((0, 4), dtype=np.int64) if contact_columns is None else contact_columns
    soft = () if target_columns is None else target_columns
    tables = system.tables
    row_columns = [tables.columns[tables.pointer[r] : tables.pointer[r + 1]] for r in range(system.m)]
    row = np.repeat(np.arange(system.n), np.diff(W.indptr))
    metric_pairs = np.column_stack([row, W.indices])[row != W.indices]
    plan = plan_elimination(system.n, _groups(system), [*row_columns, *contacts, *metric_pairs, *soft])
    varies = _varying(tables, system.m)
    linear = np.flatnonzero(~varies)
    on_pattern = matrix_on_pattern(plan, W)
    squares = np.zeros_like(on_pattern)
    if linear.size:
        first, second = _pairs([tables.j0[tables.pointer[r] : tables.pointer[r + 1]] for r in linear])
        np.add.at(squares, _pair_list(plan, [row_columns[r] for r in linear]), first * second)
    return NormalMatrix(
        tables=tables,
        plan=plan,
        metric=on_pattern,
        linear=squares,
        constant=on_pattern + alpha * squares,
        varying=np.flatnonzero(varies),
        pairs=_pair_list(plan, [row_columns[r] for r in np.flatnonzero(varies)]),
        w_pointer=W.indptr.astype(np.int64),
        w_column=W.indices.astype(np.int64),
        w_value=W.data.astype(np.float64),
        contact_columns=contacts,
        contact_pairs=_pair_list(plan, list(contacts)).reshape(-1, 10),
        alpha=alpha,
    )


def checked_metric(metric: ArrayLike | scipy.sparse.sparray | str | None, n: int) -> scipy.sparse.csr_array:
    """W as a sparse matrix of its own: identity (None or "identity"), a diagonal (n,), or a symmetric (n, n) matrix."""
    if metric is None or (isinstance(metric, str) and metric == "identity"):
        return _diagonal(np.ones(n))
    if isinstance(metric, str):
        raise BiomecError(f'The metric is "identity", weights or a matrix; not "{metric}".')
    W: Any = metric if scipy.sparse.issparse(metric) else np.asarray(metric, dtype=np.float64)
    if W.shape in ((), (1,), (n,)):
        weights = np.array(np.broadcast_to(W, (n,)), dtype=np.float64)
        _refuse_without_weight(weights, weights)
        return _diagonal(weights)
    if W.shape != (n, n):
        raise BiomecError(f"Weights need {n} numbers or a matrix of {n} by {n}; got the shape {W.shape}.")
    W = scipy.sparse.csr_array(W, copy=True).astype(np.float64)
    _refuse_without_weight(W.data, W.diagonal())
    if abs(W - W.T).max() > 1e-12 * abs(W).max():
        raise BiomecError("The matrix of the weights must be symmetric.")
    return W


def _refuse_without_weight(values: FloatArray, diagonal: FloatArray) -> None:
    if not np.isfinite(values).all() or not (diagonal > 0.0).all():
        raise BiomecError("Weights must be positive numbers; a coordinate with weight zero would not be determined.")


def _diagonal(weights: FloatArray) -> scipy.sparse.csr_array:
    places = np.arange(weights.size + 1, dtype=np.int32)
    return scipy.sparse.csr_array((weights, places[:-1], places), shape=(weights.size, weights.size))


def _groups(system: System) -> list[IntArray]:
    layout = system.layout
    bodies = [columns for columns in layout.owned.values() if columns.size]
    return bodies + [np.array([column]) for column in layout.added.values()]


def _varying(tables: RowTables, m: int) -> BoolArray:
    """(m,) rows whose Jacobian changes: all that are not quadratic, and those whose quadratic part is not empty."""
    varies = np.ones(m, dtype=np.bool_)
    products = tables.p_pointer[tables.pointer[1:]] - tables.p_pointer[tables.pointer[:-1]]
    varies[tables.quadratic] = products[tables.quadratic] > 0
    return varies


def _pair_list(plan: Elimination, cliques: Sequence[IntArray]) -> IntArray:
    """Entries that hold the products of all pairs of a clique's coordinates, clique after clique."""
    return plan.position(*_pairs(cliques)) if cliques else np.zeros(0, dtype=np.int64)


def _pairs(lists: Sequence[NDArray[T]]) -> tuple[NDArray[T], NDArray[T]]:
    """First and second of all pairs of each list, lower triangles row by row, list after list."""
    indices = [_lower_pairs(values.size) for values in lists]
    first = np.concatenate([values[i] for values, (i, _) in zip(lists, indices, strict=True)])
    second = np.concatenate([values[j] for values, (_, j) in zip(lists, indices, strict=True)])
    return first, second


@lru_cache(maxsize=512)
def _lower_pairs(size: int) -> tuple[IntArray, IntArray]:
    i, j = np.tril_indices(size)
    return read_only(i, np.int64), read_only(j, np.int64)


# ---------------------------------------------------------------------- compiled kernels, frames on the last axis


@compiled
def assemble(
    normal: NormalMatrix, alpha: float, jacobian: FloatArray, contact_entries: FloatArray, X: FloatArray
) -> None:
    """X (nnz, F) = W + α ΦqᵀΦq on the pattern, from Jacobian entries (nnz of Φq, F) and (contact rows, 4, F)."""
    frames = X.shape[1]
    scaled = np.empty(frames)
    for e in range(X.shape[0]):
        constant = normal.metric[e] + alpha * normal.linear[e]
        for f in range(frames):
            X[e, f] = constant
    at = 0
    for v in range(normal.varying.size):
        r = normal.varying[v]
        first = normal.tables.pointer[r]
        for i in range(first, normal.tables.pointer[r + 1]):
            for f in range(frames):
                scaled[f] = alpha * jacobian[i, f]
            for j in range(first, i + 1):
                to = normal.pairs[at]
                at += 1
                for f in range(frames):
                    X[to, f] += scaled[f] * jacobian[j, f]
    for r in range(contact_entries.shape[0]):
        at = 0
        for i in range(4):
            for j in range(i + 1):
                to = normal.contact_pairs[r, at]
                at += 1
                for f in range(frames):
                    X[to, f] += alpha * contact_entries[r, i, f] * contact_entries[r, j, f]


@compiled
def add_transposed(
    normal: NormalMatrix,
    jacobian: FloatArray,
    contact_entries: FloatArray,
    value: FloatArray,
    y: FloatArray,
) -> None:
    """y += Φqᵀ value, with y (n, F) in the order of elimination and value (rows, F)."""
    tables, place, frames = normal.tables, normal.plan.place, y.shape[1]
    m = tables.constant.size
    for r in range(m):
        for z in range(tables.pointer[r], tables.pointer[r + 1]):
            to = place[tables.columns[z]]
            for f in range(frames):
                y[to, f] += jacobian[z, f] * value[r, f]
    for r in range(contact_entries.shape[0]):
        for i in range(4):
            to = place[normal.contact_columns[r, i]]
            for f in range(frames):
                y[to, f] += contact_entries[r, i, f] * value[m + r, f]


@compiled
def add_product(
    normal: NormalMatrix, jacobian: FloatArray, contact_entries: FloatArray, x: FloatArray, value: FloatArray
) -> None:
    """value += Φq x, with x (n, F) in the order of q and value (rows, F)."""
    tables, frames = normal.tables, x.shape[1]
    m = tables.constant.size
    for r in range(m):
        for z in range(tables.pointer[r], tables.pointer[r + 1]):
            column = tables.columns[z]
            for f in range(frames):
                value[r, f] += jacobian[z, f] * x[column, f]
    for r in range(contact_entries.shape[0]):
        for i in range(4):
            column = normal.contact_columns[r, i]
            for f in range(frames):
                value[m + r, f] += contact_entries[r, i, f] * x[column, f]


@compiled
def metric_product(normal: NormalMatrix, x: FloatArray, y: FloatArray) -> None:
    """y = W x, with x (n, F) in the order of q and y in the order of elimination."""
    frames = x.shape[1]
    for i in range(x.shape[0]):
        to = normal.plan.place[i]
        for f in range(frames):
            y[to, f] = 0.0
        for p in range(normal.w_pointer[i], normal.w_pointer[i + 1]):
            column, value = normal.w_column[p], normal.w_value[p]
            for f in range(frames):
                y[to, f] += value * x[column, f]
