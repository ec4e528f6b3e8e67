"""Second derivatives of the constraints: Σ λ ∂²φ/∂q², the part of Newton's matrix that multipliers carry (theory §8.6).

Rows of points and vectors are quadratic, so their second derivatives are constants. Those of an ellipsoid follow from
its twelve inputs. Rows of driven and added angles are left out: with them the search loses speed, not its solution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.elimination import Elimination
from biomec.engine.rows import ELLIPSOID_INPUTS, RowTables, read_inputs


class Curvature(NamedTuple):
    """Where second derivatives of rows go in the matrix that is factored, and their constant factors.

    ``row``, ``to``, ``value`` are the terms of the quadratic rows. The terms of the i-th ellipsoid row are
    ``pointer[i]`` … ``pointer[i + 1]``: a pair of inputs, its place, and the product of the inputs' coefficients.
    """

    row: IntArray
    to: IntArray
    value: FloatArray
    pointer: IntArray
    first: IntArray
    second: IntArray
    input_to: IntArray
    input_value: FloatArray


def no_curvature() -> Curvature:
    """Return tables without terms."""
    none, zero = np.zeros(0, dtype=np.int64), np.zeros(0)
    return Curvature(none, none, zero, np.zeros(1, dtype=np.int64), none, none, none, zero)


def curvature_tables(tables: RowTables, plan: Elimination) -> Curvature:
    """Prepare the second derivatives of a system's rows for a planned elimination."""
    entry = np.repeat(np.arange(tables.columns.size), np.diff(tables.p_pointer))  # whose derivative each P belongs to
    row = np.searchsorted(tables.pointer, entry, side="right") - 1
    lower = tables.columns[entry] >= tables.p_column  # the matrix is symmetric and stored once
    entry, row = entry[lower], row[lower]
    pointer, parts = [0], []
    for i in range(tables.ellipsoid.size):
        parts.append(_input_pairs(tables, plan, i * ELLIPSOID_INPUTS))
        pointer.append(pointer[-1] + parts[-1][0].size)
    none = np.zeros(0, dtype=np.int64)
    first, second, input_to, input_value = (
        np.concatenate(part) for part in zip((none, none, none, np.zeros(0)), *parts, strict=True)
    )
    return Curvature(
        row=row.astype(np.int64),
        to=plan.position(tables.columns[entry], tables.p_column[lower]),
        value=tables.p_value[lower],
        pointer=np.array(pointer, dtype=np.int64),
        first=first,
        second=second,
        input_to=input_to,
        input_value=input_value,
    )


def _input_pairs(tables: RowTables, plan: Elimination, at: int) -> tuple[IntArray, IntArray, IntArray, FloatArray]:
    """Pairs of coefficients of the inputs that start at ``at``: both inputs, the place, and the product."""
    span = slice(tables.x_pointer[at], tables.x_pointer[at + ELLIPSOID_INPUTS])
    counts = np.diff(tables.x_pointer[at : at + ELLIPSOID_INPUTS + 1])
    inputs = np.repeat(np.arange(ELLIPSOID_INPUTS), counts)
    columns, values = tables.columns[tables.x_entry[span]], tables.x_value[span]
    i, j = np.tril_indices(columns.size)
    twice = (i != j) & (columns[i] == columns[j])  # both orders of the pair fall on the diagonal
    product = values[i] * values[j] * np.where(twice, 2.0, 1.0)
    return inputs[i], inputs[j], plan.position(columns[i], columns[j]), product


# ---------------------------------------------------------------------- compiled kernels, frames on the last axis


@compiled
def add_curvature(tables: RowTables, curvature: Curvature, q: FloatArray, lam: FloatArray, X: FloatArray) -> None:
    """X (nnz, F) += Σ λ ∂²φ/∂q² at q (n, F), with multipliers (rows, F)."""
    frames = q.shape[1]
    for t in range(curvature.row.size):
        r, to, value = curvature.row[t], curvature.to[t], curvature.value[t]
        for f in range(frames):
            X[to, f] += value * lam[r, f]
    x = np.empty((ELLIPSOID_INPUTS, frames))
    second = np.empty((ELLIPSOID_INPUTS, ELLIPSOID_INPUTS, frames))
    for i in range(curvature.pointer.size - 1):
        read_inputs(tables, q, tables.x0, i * ELLIPSOID_INPUTS, x)
        _ellipsoid_second(x, tables.H[i], lam[tables.ellipsoid[i]], second)
        for t in range(curvature.pointer[i], curvature.pointer[i + 1]):
            a, b = curvature.first[t], curvature.second[t]
            to, value = curvature.input_to[t], curvature.input_value[t]
            for f in range(frames):
                X[to, f] += value * second[a, b, f]


@compiled
def _ellipsoid_second(x: FloatArray, H: FloatArray, lam: FloatArray, second: FloatArray) -> None:
    """λ times the second derivatives of φ = yᵀHy − 1, y_k = a_k·d, in the inputs (a_1, a_2, a_3, d).

    With g = 2Hy and h_k = 2 Σ_j H_kj a_j:  ∂²φ/∂a_k∂a_j = 2 H_kj d dᵀ,  ∂²φ/∂a_k∂d = g_k I + d h_kᵀ,
    ∂²φ/∂d∂d = Σ_k h_k a_kᵀ.
    """
    g = np.empty(3)
    h = np.empty((3, 3))
    for f in range(x.shape[1]):
        for k in range(3):
            g[k] = 0.0
            for c in range(3):
                h[k, c] = 0.0
                for j in range(3):
                    h[k, c] += 2.0 * H[k, j] * x[3 * j + c, f]
                g[k] += h[k, c] * x[9 + c, f]
        for c in range(3):
            for e in range(3):
                both = 0.0
                for k in range(3):
                    both += h[k, c] * x[3 * k + e, f]
                    mixed = x[9 + c, f] * h[k, e]
                    if c == e:
                        mixed += g[k]
                    second[3 * k + c, 9 + e, f] = lam[f] * mixed
                    second[9 + e, 3 * k + c, f] = lam[f] * mixed
                    for j in range(3):
                        second[3 * k + c, 3 * j + e, f] = lam[f] * 2.0 * H[k, j] * x[9 + c, f] * x[9 + e, f]
                second[9 + c, 9 + e, f] = lam[f] * both
