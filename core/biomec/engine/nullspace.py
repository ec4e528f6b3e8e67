"""Independent coordinates and the motions that constraints allow: partition, and the matrices R and S.

    [Φq; B] q̇ = {b; ż}   ->   q̇ = S b + R ż,   q̈ = S c + R z̈ (z̈ = B q̈)          (Eqs. 2.82-2.90; theory §10)

Φq R = 0, B R = I. Redundant rows do no harm: ranks are numerical. Equation numbers are those of [Nunes2017].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.errors import BiomecError
from biomec.engine.structure import RANK_TOLERANCE


@dataclass(frozen=True)
class Partition:
    """Columns of q that are independent (without pivot) and dependent at one configuration."""

    independent: IntArray
    dependent: IntArray

    def selection(self) -> FloatArray:
        """B (g, n), the boolean matrix with ż = B q̇."""
        B = np.zeros((self.independent.size, self.independent.size + self.dependent.size))
        B[np.arange(self.independent.size), self.independent] = 1.0
        return B


def partition_coordinates(Phi_q: FloatArray, tolerance: float = RANK_TOLERANCE) -> Partition:
    """Choose independent coordinates of Φq (m, n): the columns without pivot (QR with column pivoting, theory §10).

    The best set changes with posture: choose again along a motion.
    """
    R, order = scipy.linalg.qr(Phi_q, mode="r", pivoting=True)
    diagonal = np.abs(np.diagonal(R))
    rank = int((diagonal > tolerance * diagonal.max(initial=0.0)).sum())
    return Partition(np.sort(order[rank:]).astype(np.int64), np.sort(order[:rank]).astype(np.int64))


@dataclass(frozen=True)
class NullSpace:
    """R (n, g) and S (n, m) of a Jacobian for the chosen independent velocities ż = B q̇."""

    R: FloatArray
    S: FloatArray
    B: FloatArray


def null_space(Phi_q: FloatArray, B: FloatArray | None = None, tolerance: float = RANK_TOLERANCE) -> NullSpace:
    """R and S of Φq (m, n); B (g, n) defaults to the coordinates chosen by `partition_coordinates`.

    R = Vⁱᵀ(B Vⁱᵀ)⁻¹ with Vⁱ the right singular vectors of the zero singular values (Eqs. 2.89-2.90); S gives the
    velocities with ż = 0. With redundant rows S is the one of least norm, valid for every consistent right-hand side.
    """
    if B is None:
        B = partition_coordinates(Phi_q, tolerance).selection()
    U, values, Vt = np.linalg.svd(Phi_q)
    rank = int((values > tolerance * values.max(initial=0.0)).sum())
    allowed = Vt[rank:].T
    if B.shape[0] != allowed.shape[1]:
        raise BiomecError(f"{B.shape[0]} independent velocities were given for {allowed.shape[1]} degrees of freedom.")
    seen = B @ allowed
    if seen.size and np.linalg.cond(seen) > 1.0 / tolerance:
        raise BiomecError("The independent velocities chosen do not determine the motion in this configuration.")
    R = allowed @ np.linalg.inv(seen)
    least = Vt[:rank].T @ (U[:, :rank].T / values[:rank, None])
    return NullSpace(R=R, S=least - R @ (B @ least), B=B)
