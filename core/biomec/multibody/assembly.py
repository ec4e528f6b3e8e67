"""Assembly: a configuration that satisfies the constraints, from a description that may be far from one."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from biomec.multibody.position import PositionOptions, PositionResult, PositionSolver
from biomec.multibody.system import Drive, System


def assemble(
    system: System, start: ArrayLike | None = None, drive: Drive | None = None, options: PositionOptions | None = None
) -> PositionResult:
    """Bring a system together from ``start`` (n,), its reference configuration by default.

    A trust-region search for the least violation covers the distance, where the quadratic steps of the position
    problem would run away; the position problem then finishes. The result has one frame, and its status tells if the
    parts fit.
    """
    at = np.asarray(system.reference if start is None else start, dtype=np.float64)
    near = optimize.least_squares(
        lambda q: system.residual(q, drive), at, lambda q: system.jacobian(q, drive), xtol=1e-12, ftol=1e-12, gtol=1e-12
    )
    return PositionSolver(system, options=options).solve(near.x, drive=drive)
