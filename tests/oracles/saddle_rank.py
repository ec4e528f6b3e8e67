"""Why a second driver is not a second motor: the rows of more drivers than degrees of freedom depend on each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.machines.reference_points.model import ReferencePointModel

TOLERANCE = 1e-10  # of the largest singular value


@dataclass(frozen=True)
class SaddleRank:
    """Rank and size of the saddle matrix [M Φqᵀ; Φq 0]."""

    rank: int
    size: int

    @property
    def solvable(self) -> bool:
        """Whether accelerations and multipliers are determined."""
        return self.rank == self.size


def saddle_rank(model: ReferencePointModel, q: FloatArray) -> SaddleRank:
    """Rank of the saddle matrix of a model with its active drivers at q (n,)."""
    K = model.saddle_matrix(model.jacobian(q))
    values = np.linalg.svd(K, compute_uv=False)
    return SaddleRank(int((values > TOLERANCE * values[0]).sum()), len(K))
