"""Constant maps from the coordinates of a system to points and vectors in the laboratory, one or many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray, for_loops
from biomec.base.compiled import compiled


@dataclass(frozen=True)
class VectorMap:
    """A point or vector as an affine function of the coordinates: x = A q[columns] + a.

    Points and vectors of a body in natural coordinates are constant combinations of its basic points and unit
    vectors, so velocities and accelerations use the same matrix: ẋ = A q̇, ẍ = A q̈ (theory §1.2; [Nunes2017]
    Eqs. 2.12-2.16).

    columns  : (k,)      which coordinates take part
    matrix   : (dim, k)  A, the C (point) or D (vector) of the theory [-]
    constant : (dim,)    a, non-zero only for what is fixed to the ground [m]
    """

    columns: IntArray
    matrix: FloatArray
    constant: FloatArray

    @classmethod
    def fixed(cls, value: ArrayLike) -> VectorMap:
        """Map of a point or vector fixed to the ground."""
        constant = np.asarray(value, dtype=np.float64)
        return cls(np.zeros(0, dtype=np.int64), np.zeros((constant.size, 0)), constant)

    @property
    def dimension(self) -> int:
        """Number of components (3, or 2 for planar systems)."""
        return int(self.constant.size)

    def __call__(self, q: FloatArray) -> FloatArray:
        """Value (..., dim) at coordinates ``q`` (..., n)."""
        return np.asarray(q[..., self.columns] @ self.matrix.T + self.constant)

    def rate(self, qdot: FloatArray) -> FloatArray:
        """First or second time derivative (..., dim) from q̇ or q̈ (..., n)."""
        return np.asarray(qdot[..., self.columns] @ self.matrix.T)

    def __sub__(self, other: VectorMap) -> VectorMap:
        return self.plus(other, -1.0)

    def plus(self, other: VectorMap, factor: float = 1.0) -> VectorMap:
        """Return self + factor · other over the union of their columns."""
        columns = np.union1d(self.columns, other.columns)
        matrix = np.zeros((self.dimension, columns.size))
        matrix[:, np.searchsorted(columns, self.columns)] += self.matrix
        matrix[:, np.searchsorted(columns, other.columns)] += factor * other.matrix
        return VectorMap(columns, matrix, self.constant + factor * other.constant)

    def rotated(self, rotation: FloatArray) -> VectorMap:
        """Return the map of ``rotation`` @ x, for a constant rotation in laboratory axes."""
        return VectorMap(self.columns, rotation @ self.matrix, rotation @ self.constant)

    def dense(self, n: int) -> FloatArray:
        """Matrix (dim, n) over all coordinates of the system."""
        full = np.zeros((self.dimension, n))
        full[:, self.columns] = self.matrix
        return full


class VectorTable(NamedTuple):
    """Points and vectors as combinations of basic points and unit vectors.

    Vector m is constant[m] + Σ factor[k] q[column[k] … column[k] + 2] for k from first[m] to first[m + 1].
    """

    first: IntArray
    column: IntArray
    factor: FloatArray
    constant: FloatArray


def vector_table(maps: Sequence[VectorMap]) -> VectorTable:
    """Maps of natural coordinates in space: each takes x, y and z of what it combines with the same factor."""
    return VectorTable(
        np.cumsum([0, *(len(one.columns) // 3 for one in maps)]),
        np.concatenate([one.columns[::3] for one in maps]),
        np.concatenate([one.matrix[0, ::3] for one in maps]),
        np.stack([one.constant for one in maps]),
    )


def vectors_of(table: VectorTable, q: FloatArray) -> FloatArray:
    """Points and vectors (T, m, 3) at coordinates q (T, n)."""
    values = np.empty((len(q), len(table.constant), 3))
    _fill(table, for_loops(q), values)
    return values


@compiled
def _fill(table: VectorTable, q: FloatArray, values: FloatArray) -> None:
    """Fill the vectors (T, m, 3). The sums stay in registers, which a function of their own would not let them."""
    first, column, factor, constant = table
    for t in range(q.shape[0]):
        for m in range(constant.shape[0]):
            x, y, z = constant[m, 0], constant[m, 1], constant[m, 2]
            for at in range(first[m], first[m + 1]):
                c = column[at]
                x += factor[at] * q[t, c]
                y += factor[at] * q[t, c + 1]
                z += factor[at] * q[t, c + 2]
            values[t, m, 0], values[t, m, 1], values[t, m, 2] = x, y, z
