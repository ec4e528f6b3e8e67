"""Generalised forces from pairs of a scalar force and the coordinate that it works on: Q_j = Σ F_i ∂r_i/∂q_j."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from biomec.base.arrays import FloatArray

SMALL = 1e-30  # imaginary step: derivatives to round-off, because nothing is subtracted

Coordinate = Callable[..., object]
"""r(q), a number, of coordinates q (n,), which may be complex: built from + − * / ** and numpy functions."""


def generalised_forces(pairs: Sequence[tuple[float, Coordinate]], q: FloatArray) -> FloatArray:
    """Q (n,) of forces [N] or torques [N m] F_i along coordinates r_i(q) [m or rad], at q (n,)."""
    Q = np.zeros(len(q))
    for force, coordinate in pairs:
        Q += force * gradient(coordinate, q)
    return Q


def gradient(coordinate: Coordinate, q: FloatArray) -> FloatArray:
    """∂r/∂q (n,) by imaginary steps."""
    slopes = np.empty(len(q))
    for j in range(len(q)):
        stepped = np.asarray(q, dtype=np.complex128).copy()
        stepped[j] += 1j * SMALL
        slopes[j] = np.imag(coordinate(stepped)) / SMALL  # type: ignore[call-overload]
    return slopes


def projected(pairs: Sequence[tuple[float, Coordinate]], q: FloatArray, directions: FloatArray) -> FloatArray:
    """Q along directions (n, f) that constraints leave free: Rᵀ Q, (f,)."""
    return np.asarray(directions.T @ generalised_forces(pairs, q))
