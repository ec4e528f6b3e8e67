"""The position problem: the configuration nearest to a measured one that obeys every constraint.

    minimise ½ (q − q*)ᵀ W (q − q*)   subject to   Φ(q) = 0            (Eqs. 2.61-2.68, 4.14; theory §8.1)

by augmented Lagrangians, each frame on its own:

    (W + ΦqᵀαΦq) Δq = −W (q − q*) − Φqᵀ(αΦ + λ);   q ← q + Δq;   λ ← λ + αΦ(q)

The multipliers take Φ *after* the step (Eq. 2.68 prints the one before, which diverges). Redundant rows do no harm:
the matrix is positive definite because W is. Equation numbers are those of [Nunes2017].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from biomec.arrays import BoolArray, FloatArray, IntArray, frames_last, read_only
from biomec.compiled import compiled
from biomec.errors import BiomecError
from biomec.frozen import FrozenDict
from biomec.multibody import rows as row_kernels
from biomec.multibody.contacts import PointContacts, check_contacts, contact_lanes
from biomec.multibody.elimination import factor, solve
from biomec.multibody.normal import (
    LANES,
    NormalMatrix,
    add_transposed,
    assemble,
    checked_metric,
    metric_product,
    normal_matrix,
)
from biomec.multibody.system import Drive, System
from biomec.progress import Progress, in_parallel

RUNAWAY = 1e6  # ‖Δq‖ of a search that has left the laboratory [m]


class FrameStatus(IntEnum):
    """How the solution of a frame ended. Only PHI is a valid configuration."""

    PHI = 0  # converged: ‖Φ‖ below the tolerance
    DQ = 1  # stopped moving (‖Δq‖ below the tolerance) with constraints still violated
    MAX_ITER = 2  # iterations used up
    SINGULAR = 3  # a factorisation failed or the iteration ran away
    MISSING = 4  # coordinates, contacts or driver values of this frame are not all numbers
    MIRRORED = 5  # the rows are satisfied, but a driven or added angle came out as its mirror image
    UNREACHABLE = 6  # no continuous motion leads from the frame before to these driver values

    @property
    def sentence(self) -> str:
        """What the status means for the user."""
        return _SENTENCES[self]


_SENTENCES = {
    FrameStatus.PHI: "The constraints are satisfied.",
    FrameStatus.DQ: "The search stopped moving before all constraints were satisfied; they may contradict each other.",
    FrameStatus.MAX_ITER: "The iterations were used up before the constraints were satisfied.",
    FrameStatus.SINGULAR: "The search ran away: from this configuration the constraints cannot be satisfied.",
    FrameStatus.MISSING: "The coordinates, contacts or driver values of this frame are incomplete.",
    FrameStatus.UNREACHABLE: "The drivers cannot reach these values from the configuration before.",
    FrameStatus.MIRRORED: "An angle came out as its mirror image; start nearer to the configuration that is meant.",
}


@dataclass(frozen=True)
class PositionOptions:
    """Settings of the position problem (theory §8.1)."""

    alpha: float = 1e7  # penalty factor α
    tolerance: float = 1e-10  # on ‖Φ‖ and on ‖Δq‖
    max_iterations: int = 50

    def __post_init__(self) -> None:
        whole = int(self.max_iterations) == self.max_iterations > 0
        if not (0.0 < self.alpha < np.inf and self.tolerance > 0.0 and whole):
            raise BiomecError("Position options: penalty and tolerance must be positive, iterations a whole number.")


@dataclass(frozen=True)
class PositionResult:
    """Consistent coordinates and how each of the T frames was solved. Arrays are read-only.

    q           : (T, n) consistent coordinates; NaN in frames with status MISSING or SINGULAR
    status      : (T,) `FrameStatus`
    iterations  : (T,)
    violation   : (T,) last ‖Φ‖ (mixed units: a convergence measure, not a length)
    increment   : (T,) last ‖Δq‖
    seconds     : (T,) time spent on the frame: its share of the frames solved side by side
    multipliers : (T, rows) λ, system rows then contact rows
    before, after : row type -> (T,) mean violation ‖Φ_type‖ / rows of the type, at q* and at q
    options     : settings used
    """

    q: FloatArray
    status: IntArray
    iterations: IntArray
    violation: FloatArray
    increment: FloatArray
    seconds: FloatArray
    multipliers: FloatArray
    before: Mapping[str, FloatArray]
    after: Mapping[str, FloatArray]
    options: PositionOptions

    @property
    def valid(self) -> BoolArray:
        """Frames that satisfy the constraints (T,)."""
        return np.asarray(self.status == FrameStatus.PHI)

    def summary(self) -> str:
        """Count the frames by how they ended, in one line."""
        return summarised(self.status)


def summarised(statuses: IntArray) -> str:
    """Count frames by how they ended, in one line."""
    counts = [(status, int((statuses == status).sum())) for status in FrameStatus]
    return " ".join(f"{count} frame{'s' * (count > 1)}: {status.sentence}" for status, count in counts if count)


class PositionSolver:
    """Solves the position problem of one system, metric and set of contact bodies for any number of frames.

    metric : W: None or "identity", weights (n,), or a symmetric positive definite matrix (n, n). A larger weight means
             that the coordinate moves less. Only ratios count: the penalty is taken in units of the median weight.
             Ratios beyond about 1e4 cost iterations.
    """

    def __init__(
        self,
        system: System,
        *,
        metric: ArrayLike | sparse.sparray | str | None = None,
        options: PositionOptions | None = None,
    ) -> None:
        self.system = system
        self.options = options or PositionOptions()
        self._metric = checked_metric(metric, system.n)
        self._alpha = self.options.alpha * float(np.median(self._metric.diagonal()))
        self._normals: dict[bytes, NormalMatrix] = {}

    def solve(
        self,
        q_star: ArrayLike,
        *,
        contacts: PointContacts | None = None,
        drive: Drive | None = None,
        progress: Progress | None = None,
    ) -> PositionResult:
        """Make measured coordinates q* (T, n), or (n,) for one frame, consistent."""
        given = np.atleast_2d(np.asarray(q_star, dtype=np.float64))
        if given.ndim != 2 or given.shape[1] != self.system.n:
            raise BiomecError(
                f"Coordinates have shape {given.shape}; {self.system.name} has {self.system.n} coordinates a frame."
            )
        frames = given.shape[0]
        check_contacts(contacts, frames, self.system.n)
        normal = self._normal(contacts)
        rows = normal.rows
        target, _, _ = self.system.targets(drive, (frames,))
        q, multipliers = np.empty((frames, self.system.n)), np.empty((frames, rows))
        first_phi, last_phi = np.empty((frames, rows)), np.empty((frames, rows))
        status, iterations = np.empty(frames, dtype=np.int64), np.empty(frames, dtype=np.int64)
        increment, seconds = np.empty(frames), np.empty(frames)

        def work(part: slice) -> None:
            started = perf_counter()
            entries, points = contact_lanes(contacts, part)
            lanes = frames_last(given[part])
            lam = np.zeros((rows, lanes.shape[1]))
            phi_0, phi = np.empty_like(lam), np.empty_like(lam)
            _solve_lanes(
                normal, lanes, np.ascontiguousarray(target[:, part]), entries, points, self.options.tolerance,
                self.options.max_iterations, lam, phi_0, phi, status[part], iterations[part], increment[part],
            )  # fmt: skip
            q[part], multipliers[part], first_phi[part], last_phi[part] = lanes.T, lam.T, phi_0.T, phi.T
            seconds[part] = (perf_counter() - started) / lanes.shape[1]

        in_parallel(work, frames, LANES, progress)
        lost = (status == FrameStatus.MISSING) | (status == FrameStatus.SINGULAR)
        q[lost], multipliers[lost], last_phi[lost] = np.nan, np.nan, np.nan
        if self.system.tables.angle.size:
            status[(status == FrameStatus.PHI) & self.system.mirrored_angles(q, drive)] = FrameStatus.MIRRORED
        types = _types_with_contacts(self.system, contacts)
        return PositionResult(
            q=read_only(q),
            status=read_only(status, np.int64),
            iterations=read_only(iterations, np.int64),
            violation=read_only(np.linalg.norm(last_phi, axis=1)),
            increment=read_only(increment),
            seconds=read_only(seconds),
            multipliers=read_only(multipliers),
            before=_by_type(types, first_phi),
            after=_by_type(types, last_phi),
            options=self.options,
        )

    def _normal(self, contacts: PointContacts | None) -> NormalMatrix:
        columns = None if contacts is None else contacts.columns
        key = b"" if columns is None else columns.tobytes()
        if key not in self._normals:
            self._normals[key] = normal_matrix(self.system, self._metric, self._alpha, columns)
        return self._normals[key]


def _types_with_contacts(system: System, contacts: PointContacts | None) -> dict[str, IntArray]:
    types = dict(system.row_types)
    if contacts is not None and contacts.rows:
        types["temporary"] = np.arange(system.m, system.m + contacts.rows)
    return types


def _by_type(types: Mapping[str, IntArray], phi: FloatArray) -> Mapping[str, FloatArray]:
    return FrozenDict(
        {name: read_only(np.linalg.norm(phi[:, rows], axis=1) / rows.size) for name, rows in types.items()}
    )


@compiled
def _residuals(
    normal: NormalMatrix,
    q: FloatArray,
    target: FloatArray,
    sine: FloatArray,
    contact_entries: FloatArray,
    contact_points: FloatArray,
    phi: FloatArray,
    jacobian: FloatArray,
) -> None:
    """Φ of the system and of the contacts (rows, F), and the system's Jacobian entries."""
    m, frames = target.shape
    row_kernels.evaluate(normal.tables, q, target, sine, phi, jacobian)
    for r in range(contact_points.shape[0]):
        for f in range(frames):
            phi[m + r, f] = -contact_points[r, f]
        for i in range(4):
            column = normal.contact_columns[r, i]
            for f in range(frames):
                phi[m + r, f] += contact_entries[r, i, f] * q[column, f]


@compiled
def _solve_lanes(
    normal: NormalMatrix,
    q: FloatArray,
    target: FloatArray,
    contact_entries: FloatArray,
    contact_points: FloatArray,
    tolerance: float,
    max_iterations: int,
    lam: FloatArray,
    phi_0: FloatArray,
    phi: FloatArray,
    status: IntArray,
    iterations: IntArray,
    increment: FloatArray,
) -> None:
    """Augmented-Lagrangian iterations for the frames in q (n, F), in place; a frame that has ended stays as it is."""
    n, frames = q.shape
    rows = phi.shape[0]
    q_star = q.copy()
    jacobian = np.empty((normal.tables.columns.size, frames))
    X = np.empty((normal.plan.rows.size, frames))
    y, step = np.empty((n, frames)), np.empty((n, frames))
    weighted = np.empty((rows, frames))
    norm, bad, active, before = np.empty(frames), np.zeros(frames), np.ones(frames), np.full(frames, np.inf)
    sine = np.empty((normal.tables.angle.size, frames))
    row_kernels.sine_form(normal.tables, q, target, sine)
    _residuals(normal, q, target, sine, contact_entries, contact_points, phi, jacobian)
    left = frames
    for f in range(frames):
        status[f], iterations[f], increment[f] = 2, 0, 0.0
        total = 0.0
        for i in range(n):
            total += q[i, f]
        for r in range(rows):
            phi_0[r, f] = phi[r, f]
            total += phi[r, f]
        if not np.isfinite(total):
            status[f], active[f] = 4, 0.0
            left -= 1
    for iteration in range(1, max_iterations + 1):
        if left == 0:
            break
        for i in range(n):
            for f in range(frames):
                step[i, f] = q_star[i, f] - q[i, f]
        metric_product(normal, step, y)
        for r in range(rows):
            for f in range(frames):
                weighted[r, f] = -(normal.alpha * phi[r, f] + lam[r, f])
        add_transposed(normal, jacobian, contact_entries, weighted, y)
        assemble(normal, jacobian, contact_entries, X)
        for f in range(frames):
            bad[f], norm[f] = 0.0, 0.0
        factor(normal.plan, X, bad)
        solve(normal.plan, X, y)
        for i in range(n):
            k = normal.plan.place[i]
            for f in range(frames):
                norm[f] += y[k, f] * y[k, f]
                if active[f] > 0.5:
                    q[i, f] += y[k, f]
        _residuals(normal, q, target, sine, contact_entries, contact_points, phi, jacobian)
        for f in range(frames):
            if active[f] < 0.5:
                continue
            total = 0.0
            for r in range(rows):
                lam[r, f] += normal.alpha * phi[r, f]
                total += phi[r, f] * phi[r, f]
            iterations[f] = iteration
            increment[f] = np.sqrt(norm[f])
            if bad[f] > 0.5 or not increment[f] < RUNAWAY:
                status[f], active[f] = 3, 0.0
            elif np.sqrt(total) < tolerance:
                status[f], active[f] = 0, 0.0
            elif increment[f] < tolerance and not total < 0.25 * before[f]:  # a violation that still falls goes on
                status[f], active[f] = 1, 0.0
            before[f] = total
            if active[f] < 0.5:
                left -= 1
