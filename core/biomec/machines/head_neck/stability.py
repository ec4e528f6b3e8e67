"""How long a step may be: the linear map of one step about the equilibrium must not let anything grow."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.machines.head_neck.equilibrium import Equilibrium
from biomec.machines.head_neck.steps import EULER, NeckState, evaluate, neck_work

SHIFT, RATE = 1e-7, 1e-4  # [m, rad] and [m/s, rad/s] of the differences
GROWTH = 1e-3  # of a step: muscles let go slowly, which is not the step's fault


def linearised(equilibrium: Equilibrium) -> tuple[FloatArray, FloatArray]:
    """∂z̈/∂z and ∂z̈/∂ż (48, 48) at the equilibrium, by central differences; muscles keep their fibres."""
    work, state = neck_work(equilibrium.tables), equilibrium.state
    excitation, size = np.array(equilibrium.excitation), state.z.size

    def at(z: FloatArray, zdot: FloatArray) -> FloatArray:
        moved = NeckState(z, zdot, state.y, state.onset)
        evaluate(equilibrium.tables, moved, excitation, 0.0, work)
        return work.zddot.copy()

    K, C, rest = np.empty((size, size)), np.empty((size, size)), np.zeros(size)
    for j in range(size):
        unit = np.zeros(size)
        unit[j] = 1.0
        K[:, j] = (at(state.z + SHIFT * unit, rest) - at(state.z - SHIFT * unit, rest)) / (2.0 * SHIFT)
        C[:, j] = (at(state.z, RATE * unit) - at(state.z, -RATE * unit)) / (2.0 * RATE)
    return K, C


def growth(K: FloatArray, C: FloatArray, method: int, h: float) -> float:
    """Spectral radius of one step h [s] of z̈ = K z + C ż."""
    one, none = np.eye(len(K)), np.zeros_like(K)
    if method == EULER:
        faster = np.hstack([h * K, one + h * C])
        step = np.vstack([np.hstack([one, none]) + h * faster, faster])
    else:
        A = h * np.vstack([np.hstack([none, one]), np.hstack([K, C])])
        whole, step = np.eye(len(A)), np.eye(len(A))
        for k in range(1, 5):
            whole = whole @ A / k
            step = step + whole
    return float(np.abs(np.linalg.eigvals(step)).max())


def longest_step(equilibrium: Equilibrium, method: int, wanted: float) -> float:
    """``wanted`` [s] if nothing grows, otherwise the longest step at which nothing does, to 5 %."""
    if wanted <= PROVEN[method]:
        return wanted
    K, C = linearised(equilibrium)
    if growth(K, C, method, wanted) <= 1.0 + GROWTH:
        return wanted
    low, high = PROVEN[method], wanted
    while high > 1.05 * low:
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if growth(K, C, method, middle) <= 1.0 + GROWTH else (low, middle)
    return low


PROVEN = (5e-6, 1e-5)
"""Steps [s] of the two methods that need no look: the usual ones."""
