"""Forward dynamics in independent coordinates: dependent ones follow exactly from the constraints at every stage.

Generalised coordinate partitioning [WehageHaug1982], as in [Markus2015]: y = (z, ż) of the independent coordinates;
positions by Newton's method, velocities and accelerations from linear equations, so nothing drifts.

    motion = simulate_partitioned(model, q, qdot, time_s, torques=…, loads=…, events=[…])
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.progress import Progress
from biomec.machines.reference_points.assembly import ACCEPTED, SINGULAR, NotAssembled, SingularPosition
from biomec.machines.reference_points.integration import (
    IntegratedMotion,
    IntegrationOptions,
    Loads,
    Torques,
    ZeroCrossing,
    integrate,
)
from biomec.machines.reference_points.model import ReferencePointModel

CLOSED = 1e-13  # residual at which a stage counts as closed [m, rad]
PASSES = 20  # of Newton's method at a stage
WORN = 0.05  # of the best conditioning of the dependent columns: choose others
ENTERED = 1e-5  # conditioning at which a motion counts as having come to a singular position: steps become tiny there


def independent_columns(model: ReferencePointModel, q: FloatArray) -> IntArray:
    """Columns of q that determine the others best, by pivoting of Φq (QR with column exchange)."""
    from scipy import linalg  # slow to import

    J = model.jacobian(q)
    if not J.shape[0]:
        return np.arange(model.n)
    _, R, order = linalg.qr(J, mode="economic", pivoting=True)
    size = np.abs(np.diag(R))
    rank = int((size > 1e-9 * size[0]).sum())
    return np.sort(order[rank:]).astype(np.int64)


class Partitioned:
    """The machine as equations of its independent coordinates alone (`integration.Problem`).

    independent : columns of q; None chooses them by pivoting, and others where the motion makes them poor
    """

    def __init__(
        self,
        model: ReferencePointModel,
        q: FloatArray,
        torques: Torques | None = None,
        loads: Loads | None = None,
        independent: Sequence[int] | None = None,
    ) -> None:
        self.model, self.torques, self.loads = model, torques, loads
        self.given = independent is not None
        self._near = np.array(q, dtype=np.float64)
        self._choose(independent_columns(model, q) if independent is None else np.asarray(independent, dtype=np.int64))

    def _choose(self, columns: IntArray, t: float | None = None) -> None:
        self.independent = columns
        self.dependent = np.setdiff1d(np.arange(self.model.n), columns)
        J = self.model.jacobian(self._near)[:, self.dependent]
        self.square = J.shape[0] == J.shape[1]
        self.best = _conditioning(J)
        if self.best < SINGULAR and self.dependent.size:
            if not self.given:
                raise SingularPosition(self._in_line(t))
            names = ", ".join(_named(self.model, column) for column in columns) or "none"
            raise SingularPosition(
                f"{self.model.name}: in this position {names} do not determine the other coordinates. "
                "Choose other independent coordinates."
            )

    def _in_line(self, t: float | None) -> str:
        where = "at the start" if t is None else f"at t = {t:.5g} s"
        return (
            f"{self.model.name}: {where} it stands in a singular position (bars in line), where its constraints do not "
            "say how it moves on."
        )

    # ------------------------------------------------------------------ state

    def packed(self, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """y = (z, ż)."""
        self._near = np.array(q)
        return np.concatenate([q[self.independent], qdot[self.independent]])

    def unpacked(self, t: float, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """q and q̇ that satisfy the constraints exactly."""
        q, J = self._closed(t, y[: self.independent.size])
        return q, self._whole(J, self._inverse(J, t), self.model.rate_rhs(t), y[self.independent.size :])

    def _closed(self, t: float, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        q = self._near.copy()
        q[self.independent] = z
        if not np.isfinite(z).all():
            raise NotAssembled(f"{self.model.name}: the motion ran away at t = {t:.5g} s.")
        worst = np.inf
        for _ in range(PASSES):
            phi = self.model.residual(q, t)
            size = float(np.abs(phi).max(initial=0.0))
            J = self.model.jacobian(q)
            if size <= CLOSED or (size <= ACCEPTED and size >= worst):
                self._near = q
                return q, J
            worst = size
            q = q.copy()
            q[self.dependent] -= self._inverse(J, t) @ phi
        raise NotAssembled(f"{self.model.name}: its parts cannot be joined at t = {t:.5g} s.")

    def _whole(self, J: FloatArray, inverse: FloatArray, right: FloatArray, free: FloatArray) -> FloatArray:
        """All components x (n,) of Φq x = right whose independent ones are ``free``."""
        x = np.empty(self.model.n)
        x[self.independent] = free
        x[self.dependent] = inverse @ (right - J[:, self.independent] @ free)
        return x

    def _inverse(self, J: FloatArray, t: float) -> FloatArray:
        """Inverse of the dependent columns; the best one where rows repeat others."""
        part = J[:, self.dependent]
        try:
            inverse = np.linalg.inv(part) if self.square else np.linalg.pinv(part)
        except np.linalg.LinAlgError:
            inverse = np.full(part.T.shape, np.nan)
        if not np.isfinite(inverse).all():
            raise SingularPosition(f"{self.model.name}: at t = {t:.5g} s it stands in a singular position.")
        return np.asarray(inverse, dtype=np.float64)

    # ------------------------------------------------------------------ motion

    def solved(self, t: float, q: FloatArray, qdot: FloatArray) -> tuple[FloatArray, FloatArray]:
        """q̈ and λ of the saddle system."""
        torques = None if self.torques is None else self.torques(t)
        extra = 0.0 if self.loads is None else self.loads(t, q, qdot)
        return self.model.accelerations(q, qdot, t, torques, extra)

    def rate(self, t: float, y: FloatArray) -> FloatArray:
        """ẏ = (ż, z̈) with (M_zz + Sᵀ M_dd S) z̈ = Q_z + Sᵀ(Q_d − M_dd Φd⁻¹ γ) and S = −Φd⁻¹ Φz."""
        model, free, rest = self.model, self.independent, self.dependent
        q, J = self._closed(t, y[: free.size])
        inverse = self._inverse(J, t)
        qdot = self._whole(J, inverse, model.rate_rhs(t), y[free.size :])
        Q = model.applied(q, qdot, t, None if self.torques is None else self.torques(t))
        if self.loads is not None:
            Q = Q + self.loads(t, q, qdot)
        S = -inverse @ J[:, free]
        M_z, M_d = model.mass[free], model.mass[rest]
        reduced = (S.T * M_d) @ S
        reduced[np.arange(free.size), np.arange(free.size)] += M_z
        bent = inverse @ model.acceleration_rhs(q, qdot, t)
        try:
            zddot = np.linalg.solve(reduced, Q[free] + S.T @ (Q[rest] - M_d * bent))
        except np.linalg.LinAlgError:
            raise SingularPosition(f"{model.name}: something without mass can move freely at t = {t:.5g} s.") from None
        return np.concatenate([y[free.size :], zddot])

    def renewed(self, t: float, q: FloatArray, qdot: FloatArray) -> bool:
        """Choose other independent coordinates where these have become poor."""
        self._near = np.array(q)
        if self.given or not self.independent.size:
            return False
        now = _conditioning(self.model.jacobian(q)[:, self.dependent])
        if now > max(WORN * self.best, ENTERED):
            return False
        columns = independent_columns(self.model, q)
        if columns.size != self.independent.size or np.array_equal(columns, self.independent):
            if now < ENTERED:  # no others are better
                raise SingularPosition(self._in_line(t))
            return False
        self._choose(columns, t)
        return True


def simulate_partitioned(
    model: ReferencePointModel,
    q: FloatArray,
    qdot: FloatArray,
    time_s: ArrayLike,
    *,
    torques: Torques | None = None,
    loads: Loads | None = None,
    independent: Sequence[int] | None = None,
    options: IntegrationOptions = IntegrationOptions(),
    events: Sequence[ZeroCrossing] = (),
    progress: Progress | None = None,
) -> IntegratedMotion:
    """Motion of a machine from a state that satisfies its constraints, at times (T,)."""
    problem = Partitioned(model, q, torques, loads, independent)
    return integrate(problem, q, qdot, time_s, options, events, torques, progress)


def _conditioning(J: FloatArray) -> float:
    """Smallest over largest singular value."""
    if not J.size:
        return 1.0
    values = np.linalg.svd(J, compute_uv=False)
    return float(values[-1] / values[0]) if values[0] > 0.0 else 0.0


def _named(model: ReferencePointModel, column: int) -> str:
    return f"{('x', 'y', 'angle')[column % 3]} of {model.bodies[column // 3]}"
