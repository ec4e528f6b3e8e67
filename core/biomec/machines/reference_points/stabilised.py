"""Forward dynamics of all coordinates with constraints stabilised after Baumgarte.

γ̂ = γ − 2α (Φq q̇ − ν) − β² Φ takes the place of γ in the saddle system ([Baumgarte1972], [Silva2007] with α = 1,
β = 10); α = β = 0 leaves the constraints to drift.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.machines.reference_points.integration import (
    IntegratedMotion,
    IntegrationOptions,
    Loads,
    Torques,
    ZeroCrossing,
    integrate,
)
from biomec.machines.reference_points.model import ReferencePointModel


class Stabilised:
    """The machine as equations of y = (q, q̇) (`integration.Problem`)."""

    def __init__(
        self,
        model: ReferencePointModel,
        alpha: float = 1.0,
        beta: float = 10.0,
        torques: Torques | None = None,
        loads: Loads | None = None,
    ) -> None:
        if not (alpha >= 0.0 and beta >= 0.0):
            raise BiomecError("The factors α and β of Baumgarte's stabilisation cannot be negative.")
        self.model, self.alpha, self.beta, self.torques, self.loads = model, alpha, beta, torques, loads

    def packed(self, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """y = (q, q̇)."""
        return np.concatenate([q, qdot])

    def unpacked(self, t: float, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """q and q̇ as they are."""
        return y[: self.model.n].copy(), y[self.model.n :].copy()

    def solved(self, t: float, q: FloatArray, qdot: FloatArray) -> tuple[FloatArray, FloatArray]:
        """q̈ and λ of the saddle system with γ̂."""
        J = self.model.jacobian(q)
        off = 2.0 * self.alpha * (J @ qdot - self.model.rate_rhs(t)) + self.beta**2 * self.model.residual(q, t)
        Q = self.model.applied(q, qdot, t, None if self.torques is None else self.torques(t))
        if self.loads is not None:
            Q = Q + self.loads(t, q, qdot)
        return self.model.saddle_solution(J, Q, self.model.acceleration_rhs(q, qdot, t) - off)

    def rate(self, t: float, y: FloatArray) -> FloatArray:
        """ẏ = (q̇, q̈)."""
        q, qdot = y[: self.model.n], y[self.model.n :]
        if not np.isfinite(y).all():
            return np.full(y.shape, np.nan)
        return np.concatenate([qdot, self.solved(t, q, qdot)[0]])

    def renewed(self, t: float, q: FloatArray, qdot: FloatArray) -> bool:
        """Never: the state is always the whole one."""
        return False


def simulate_stabilised(
    model: ReferencePointModel,
    q: FloatArray,
    qdot: FloatArray,
    time_s: ArrayLike,
    *,
    alpha: float = 1.0,
    beta: float = 10.0,
    torques: Torques | None = None,
    loads: Loads | None = None,
    options: IntegrationOptions = IntegrationOptions("runge-kutta 5", rtol=1e-8, atol=1e-9),
    events: Sequence[ZeroCrossing] = (),
    progress: Progress | None = None,
) -> IntegratedMotion:
    """Motion of a machine from a state that satisfies its constraints, at times (T,)."""
    problem = Stabilised(model, alpha, beta, torques, loads)
    return integrate(problem, q, qdot, time_s, options, events, torques, progress)


def constraint_errors(motion: IntegratedMotion) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Norms (T,) of Φ, of Φq q̇ − ν and of Φq q̈ − γ along a motion; the last one holds what a stabilisation adds."""
    model, t = motion.model, motion.time_s
    J = model.jacobian(motion.q)
    position = model.residual(motion.q, t)
    rate = np.einsum("tij,tj->ti", J, motion.qdot) - model.rate_rhs(t)
    acceleration = np.einsum("tij,tj->ti", J, motion.qddot) - model.acceleration_rhs(motion.q, motion.qdot, t)
    norm_p, norm_v, norm_a = (np.linalg.norm(x, axis=-1) for x in (position, rate, acceleration))
    return norm_p, norm_v, norm_a
