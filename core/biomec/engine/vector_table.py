"""Many points and vectors of a system in space at once, for all frames, in compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.maps import VectorMap


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
    _fill(table, np.ascontiguousarray(q), values)
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
