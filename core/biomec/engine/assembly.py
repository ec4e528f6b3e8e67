"""Assembly: a configuration that satisfies the constraints, from a description that may be far from one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import read_only
from biomec.engine.position import FrameStatus, PositionOptions, PositionResult, PositionSolver
from biomec.engine.system import Drive, System


def assemble(
    system: System, start: ArrayLike | None = None, drive: Drive | None = None, options: PositionOptions | None = None
) -> PositionResult:
    """Bring a system together from ``start`` (n,), its reference configuration by default.

    A trust-region search for the least violation covers the distance, where the quadratic steps of the position
    problem would run away; the position problem then finishes. The result has one frame; where the parts do not fit, it
    is the configuration of least violation, with status DQ.
    """
    at = np.asarray(system.reference if start is None else start, dtype=np.float64)
    solver = PositionSolver(system, options=options)
    if at.shape != (system.n,) or not np.isfinite(at).all():
        return solver.solve(at, drive=drive)
    near = scipy.optimize.least_squares(
        lambda q: system.residual(q, drive), at, lambda q: system.jacobian(q, drive), xtol=1e-12, ftol=1e-12, gtol=1e-12
    )
    result = solver.solve(near.x, drive=drive)
    if result.valid[0]:
        return result
    violation = float(np.linalg.norm(near.fun))
    return replace(
        result,
        q=read_only(near.x[None]),
        status=read_only([FrameStatus.DQ], np.int64),
        violation=read_only([violation]),
        after=result.before,  # the position problem started there
    )
