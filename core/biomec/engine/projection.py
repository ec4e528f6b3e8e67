"""Velocities and accelerations that obey the constraints: projection in the metric of the masses.

    (M + ΦqᵀαΦq) x = M x* + Φqᵀ(α r − ρ),   ρ ← ρ + α(Φq x − r)        (Eqs. 2.131-2.138; theory §9.2)

with x = q̇, r = b = −Φt, or x = q̈, r = c = −Φ̇q q̇ − Φ̇t. One pass leaves a violation of order 1/α, and the round-off
of an ill-conditioned matrix along the allowed motions; further passes with the multipliers ρ mend both (theory
§9.3). Equation numbers are those of [Nunes2017]; 2.131 and 2.136 print dotted Jacobians where Φq belongs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, frames_last, read_only
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.base.progress import Progress, in_parallel
from biomec.engine import rows as row_kernels
from biomec.engine.contacts import PointContacts, check_contacts, contact_lanes
from biomec.engine.elimination import factor, solve
from biomec.engine.normal import (
    LANES,
    NormalMatrix,
    add_product,
    add_transposed,
    assemble,
    checked_metric,
    metric_product,
    normal_matrix,
)
from biomec.engine.system import Drive, System


@dataclass(frozen=True)
class ProjectionOptions:
    """Settings of the projections."""

    alpha: float = setting(
        1e7, "Penalty", "Factor of the violated constraints; larger is stricter.", typed=True
    )  # penalty factor α
    passes: int = setting(
        3, "Passes", "Solutions with one factorisation; 1 is the pure penalty.", least=0
    )  # solutions with one factorisation; 1 is the pure penalty of Eqs. 2.133 and 2.138

    def __post_init__(self) -> None:
        if not (0.0 < self.alpha < np.inf and int(self.passes) == self.passes > 0):
            raise BiomecError("Projection options: give a positive penalty and a whole number of passes.")


@dataclass(frozen=True)
class Projection:
    """Projected velocities or accelerations. Arrays are read-only.

    value  : (T, n)
    before : (T,) ‖Φq x* − r‖, the violation of what was given
    after  : (T,) ‖Φq x − r‖
    """

    value: FloatArray
    before: FloatArray
    after: FloatArray
    options: ProjectionOptions


class Projector:
    """Projects velocities and accelerations of a system onto its constraints.

    metric : M: the system's mass matrix if None, "identity" for kinematics without masses, or a sparse matrix
    """

    def __init__(
        self,
        system: System,
        *,
        metric: scipy.sparse.sparray | str | None = None,
        contacts: PointContacts | None = None,
        options: ProjectionOptions | None = None,
    ) -> None:
        self.system = system
        self.contacts = contacts
        self.options = options or ProjectionOptions()
        if metric is None:
            _refuse_massless(system)
        M = checked_metric(system.mass_matrix if metric is None else metric, system.n)
        columns = None if contacts is None else contacts.columns
        self._normal = normal_matrix(system, M, self.options.alpha, columns)

    def velocities(
        self, q: ArrayLike, qdot_star: ArrayLike, drive: Drive | None = None, progress: Progress | None = None
    ) -> Projection:
        """Project q̇* (T, n) at consistent q (T, n): Φq q̇ = −Φt holds afterwards."""
        return self._project(q, None, qdot_star, drive, progress)

    def accelerations(
        self,
        q: ArrayLike,
        qdot: ArrayLike,
        qddot_star: ArrayLike,
        drive: Drive | None = None,
        progress: Progress | None = None,
    ) -> Projection:
        """Project q̈* (T, n) at consistent q and q̇: Φq q̈ = −Φ̇q q̇ − Φ̇t holds afterwards."""
        return self._project(q, qdot, qddot_star, drive, progress)

    def _project(
        self, q: ArrayLike, qdot: ArrayLike | None, x_star: ArrayLike, drive: Drive | None, progress: Progress | None
    ) -> Projection:
        system, normal = self.system, self._normal
        at, given = (np.atleast_2d(np.asarray(a, dtype=np.float64)) for a in (q, x_star))
        moving = at if qdot is None else np.atleast_2d(np.asarray(qdot, dtype=np.float64))
        if not at.shape == given.shape == moving.shape or at.shape[1] != system.n:
            raise BiomecError(f"Give all coordinates as (frames, {system.n}); got {at.shape} and {given.shape}.")
        frames = len(at)
        check_contacts(self.contacts, frames, system.n)
        k, kdot, kddot = system.targets(drive, (frames,))
        value, before, after = np.empty_like(at), np.empty(frames), np.empty(frames)

        def work(part: slice) -> None:
            entries, _ = contact_lanes(self.contacts, part)
            lanes, rates, x = (frames_last(a[part]) for a in (at, moving, given))
            target, rate, acceleration = (np.ascontiguousarray(a[:, part]) for a in (k, kdot, kddot))
            _project_lanes(
                normal, lanes, rates, target, rate, acceleration, entries, qdot is not None, self.options.passes, x,
                before[part], after[part],
            )  # fmt: skip
            value[part] = x.T

        in_parallel(work, frames, LANES, progress)
        return Projection(read_only(value), read_only(before), read_only(after), self.options)


def _refuse_massless(system: System) -> None:
    """Masses can only be a metric where every coordinate has some."""
    weightless = list(system.layout.added)
    for name, columns in system.layout.owned.items():
        block = system.mass_matrix[columns][:, columns].toarray()
        if columns.size and np.linalg.eigvalsh(block).min() <= 0.0:
            weightless.append(name)
    if weightless:
        raise BiomecError(
            f"{', '.join(weightless)} has no mass in every direction, so masses cannot weigh the projection; "
            f'use metric="identity".'
        )


@compiled
def _project_lanes(
    normal: NormalMatrix,
    q: FloatArray,
    qdot: FloatArray,
    target: FloatArray,
    target_rate: FloatArray,
    target_acceleration: FloatArray,
    contact_entries: FloatArray,
    second_order: bool,
    passes: int,
    x: FloatArray,
    before: FloatArray,
    after: FloatArray,
) -> None:
    """Project x (n, F) in place; ``second_order`` chooses the right-hand side of accelerations."""
    n, frames = q.shape
    m = target.shape[0]
    rows = m + contact_entries.shape[0]
    phi, jacobian = np.empty((rows, frames)), np.empty((normal.tables.columns.size, frames))
    rhs, other, rho = np.zeros((rows, frames)), np.zeros((rows, frames)), np.zeros((rows, frames))
    X, y, lost = np.empty((normal.plan.rows.size, frames)), np.empty((n, frames)), np.empty((n, frames))
    sine, bad = np.empty((normal.tables.angle.size, frames)), np.zeros(frames)
    row_kernels.sine_form(normal.tables, q, target, sine)
    row_kernels.evaluate(normal.tables, q, target, sine, phi, jacobian)
    if second_order:
        row_kernels.evaluate_rates(normal.tables, q, qdot, target, target_rate, target_acceleration, sine, other, rhs)
    else:
        row_kernels.evaluate_rates(normal.tables, q, qdot, target, target_rate, target_acceleration, sine, rhs, other)
    x_star = x.copy()
    assemble(normal, normal.alpha, jacobian, contact_entries, X)
    factor(normal.plan, X, bad)
    _violation(normal, jacobian, contact_entries, x, rhs, phi, before)
    for _ in range(passes):  # as corrections of x, so that a later pass also mends the round-off of the first
        for i in range(n):
            for f in range(frames):
                lost[i, f] = x_star[i, f] - x[i, f]
        metric_product(normal, lost, y)
        for r in range(rows):
            for f in range(frames):
                other[r, f] = -(normal.alpha * phi[r, f] + rho[r, f])
        add_transposed(normal, jacobian, contact_entries, other, y)
        solve(normal.plan, X, y)
        for i in range(n):
            place = normal.plan.place[i]
            for f in range(frames):
                x[i, f] += y[place, f]
        _violation(normal, jacobian, contact_entries, x, rhs, phi, after)
        for r in range(rows):
            for f in range(frames):
                rho[r, f] += normal.alpha * phi[r, f]
    for f in range(frames):
        if bad[f] > 0.5:
            after[f] = np.nan
            for i in range(n):
                x[i, f] = np.nan


@compiled
def _violation(
    normal: NormalMatrix,
    jacobian: FloatArray,
    contact_entries: FloatArray,
    x: FloatArray,
    rhs: FloatArray,
    residual: FloatArray,
    norm: FloatArray,
) -> None:
    """residual = Φq x − rhs (rows, F) and its norm (F,)."""
    for r in range(rhs.shape[0]):
        for f in range(rhs.shape[1]):
            residual[r, f] = -rhs[r, f]
    add_product(normal, jacobian, contact_entries, x, residual)
    for f in range(rhs.shape[1]):
        total = 0.0
        for r in range(rhs.shape[0]):
            total += residual[r, f] * residual[r, f]
        norm[f] = np.sqrt(total)
