"""Points and axes of bodies as flat tables, for forces that are computed at every step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.layout import GROUND
from biomec.engine.maps import VectorMap
from biomec.engine.system import System

AXES = 9  # rows of a body: x, y and z of its three axes


class StateMap(NamedTuple):
    """Rows x = A q + a, by rows: entries of row r stand from pointer[r] to pointer[r + 1]."""

    pointer: IntArray
    columns: IntArray
    values: FloatArray
    offset: FloatArray


def state_map(maps: Sequence[VectorMap]) -> StateMap:
    """Rows of several points or vectors, three of each; what lies in a plane gets a third component of zero."""
    pointer, columns, values, offset = [0], [], [], []
    for one in maps:
        for k in range(3):
            used = np.flatnonzero(one.matrix[k]) if k < one.dimension else np.zeros(0, dtype=np.int64)
            columns.append(one.columns[used])
            values.append(one.matrix[k, used] if used.size else np.zeros(0))
            offset.append(float(one.constant[k]) if k < one.dimension else 0.0)
            pointer.append(pointer[-1] + used.size)
    return StateMap(
        np.array(pointer, dtype=np.int64),
        np.concatenate([np.zeros(0, dtype=np.int64), *columns]),
        np.concatenate([np.zeros(0), *values]),
        np.array(offset),
    )


def axes_map(system: System, bodies: Sequence[str]) -> StateMap:
    """Axes x, y, z of bodies, nine rows of each; those of the ground are constant, and so is z of a planar body."""
    maps: list[VectorMap] = []
    for name in bodies:
        for k in range(3):
            if name == GROUND or k >= system.layout.dimension:
                maps.append(VectorMap.fixed(np.eye(3)[k]))
            else:
                maps.append(system.layout.vector(f"{name}.{'xyz'[k]}", "Force"))
    return state_map(maps)


@compiled
def read_rows(table: StateMap, q: FloatArray, moving: bool, x: FloatArray) -> None:
    """x = A q + a, or its rate A q̇ if ``moving``."""
    for r in range(x.size):
        x[r] = 0.0 if moving else table.offset[r]
        for e in range(table.pointer[r], table.pointer[r + 1]):
            x[r] += table.values[e] * q[table.columns[e]]


@compiled
def add_rows(table: StateMap, first: int, f: FloatArray, Q: FloatArray) -> None:
    """Q += Aᵀ f for the rows that begin with ``first``."""
    for k in range(f.size):
        for e in range(table.pointer[first + k], table.pointer[first + k + 1]):
            Q[table.columns[e]] += table.values[e] * f[k]


@compiled
def angular_velocity(axes: FloatArray, rates: FloatArray, body: int, omega: FloatArray) -> None:
    """ω (3,) of a body from its axes and their rates: ½ Σ e × ė."""
    at = 9 * body
    for c in range(3):
        i, j = (c + 1) % 3, (c + 2) % 3
        omega[c] = 0.0
        for k in range(3):
            e = at + 3 * k
            omega[c] += 0.5 * (axes[e + i] * rates[e + j] - axes[e + j] * rates[e + i])


@compiled
def add_torque(table: StateMap, axes: FloatArray, body: int, h: FloatArray, Q: FloatArray) -> None:
    """Q += Gᵀ h with ω = G q̇: a torque on a body, ½ Σ Dᵀ (h × e) (theory §7.2)."""
    across = np.empty(3)
    for k in range(3):
        e = 9 * body + 3 * k
        for c in range(3):
            i, j = (c + 1) % 3, (c + 2) % 3
            across[c] = 0.5 * (h[i] * axes[e + j] - h[j] * axes[e + i])
        add_rows(table, e, across, Q)
