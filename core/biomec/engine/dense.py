"""The position problem with plain dense linear algebra: slow, short, and the oracle of `position.py`.

The same iteration with a Jacobian that is kept, with identity weights, shows what an old Φq costs in iterations and
saves in time: its evaluation, the product ΦqᵀΦq and the factorisation. [Nunes2017] (Fig. 4.10) compares the exact one,
renewed in every iteration, with one that is frozen.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.engine.contacts import PointContacts
from biomec.engine.position import FrameStatus, PositionOptions
from biomec.engine.system import Drive, System


def solve_positions_dense(
    system: System,
    q_star: FloatArray,
    *,
    W: FloatArray | None = None,
    contacts: PointContacts | None = None,
    drive: Drive | None = None,
    options: PositionOptions | None = None,
) -> tuple[FloatArray, list[FrameStatus], list[int]]:
    """Solve every frame of q* (T, n) by the iteration of `position.py`, with dense W (n, n); q, status, iterations."""
    options = options or PositionOptions()
    metric = np.eye(system.n) if W is None else W
    solved, statuses, counts = np.array(q_star), [], []
    for t, q in enumerate(solved):  # one frame after the other: this is the plain version
        status, count = _solve_frame(
            system, q, metric, contact_rows(contacts, t, system.n), _drive_at(drive, t), options
        )
        statuses.append(status)
        counts.append(count)
    return solved, statuses, counts


def _solve_frame(
    system: System,
    q: FloatArray,
    W: FloatArray,
    contact: tuple[FloatArray, FloatArray],
    drive: Drive | None,
    options: PositionOptions,
) -> tuple[FrameStatus, int]:
    C, p = contact
    q_star, alpha = q.copy(), options.alpha * float(np.median(np.diagonal(W)))
    Phi = np.concatenate([system.residual(q, drive), C @ q - p])
    lam, before = np.zeros_like(Phi), np.inf
    for iteration in range(1, options.max_iterations + 1):
        Phi_q = np.vstack([system.jacobian(q, drive), C])
        gradient = W @ (q - q_star) + Phi_q.T @ (alpha * Phi + lam)
        dq = scipy.linalg.solve(W + alpha * Phi_q.T @ Phi_q, -gradient, assume_a="pos")
        q += dq
        Phi = np.concatenate([system.residual(q, drive), C @ q - p])
        lam += alpha * Phi
        if np.linalg.norm(Phi) < options.tolerance:
            return FrameStatus.PHI, iteration
        if np.linalg.norm(dq) < options.tolerance and not np.linalg.norm(Phi) < 0.5 * before:
            return FrameStatus.DQ, iteration
        before = float(np.linalg.norm(Phi))
    return FrameStatus.MAX_ITER, options.max_iterations


def contact_rows(contacts: PointContacts | None, t: int, n: int) -> tuple[FloatArray, FloatArray]:
    """Temporary rows of a frame as dense C (r, n) and p (r,) of C q = p; no rows without contacts."""
    if contacts is None:
        return np.zeros((0, n)), np.zeros(0)
    C = np.zeros((contacts.rows, n))
    np.put_along_axis(C, contacts.columns, contacts.entries[t], axis=1)
    return C, contacts.targets[t]


def _drive_at(drive: Drive | None, t: int) -> Drive | None:
    if drive is None or drive.value.ndim == 1:
        return drive
    return Drive(drive.value[t], drive.rate[t], drive.acceleration[t])


# ---------------------------------------------------------------------------------------------- a Jacobian that is kept


RAN_AWAY = 1e6  # ‖Φ‖ beyond which an iteration will not come back
ONCE = 0  # the Jacobian of the first frame serves all


@dataclass(frozen=True, eq=False)
class KeptSolution:
    """How frames fared with a Jacobian that is renewed every ``every`` iterations (`ONCE`: never). Read-only arrays.

    converged            : (T,) whether the constraints were satisfied
    iterations           : (T,) until then, or until it was given up
    violation, increment : (T,) last ‖Φ‖ and ‖Δq‖
    seconds              : (T,) computing time of each frame
    """

    every: int
    q: FloatArray
    converged: BoolArray
    iterations: IntArray
    violation: FloatArray
    increment: FloatArray
    seconds: FloatArray


class KeptJacobian:
    """Solves frames one after the other with a Jacobian that may be old."""

    def __init__(self, system: System, every: int, options: PositionOptions = PositionOptions()) -> None:
        if int(every) != every or every < 0:
            raise BiomecError(f"A Jacobian is renewed every 1, 2, … iterations, or 0 for never; not {every}.")
        self.system, self.every, self.options = system, int(every), options
        self._known: tuple[FloatArray, tuple[FloatArray, bool]] | None = None

    def _renew(self, q: FloatArray, C: FloatArray) -> None:
        """Evaluate Φq at q and factor I + α ΦqᵀΦq."""
        Phi_q = np.vstack([self.system.jacobian(q), C])
        normal = np.eye(self.system.n) + self.options.alpha * Phi_q.T @ Phi_q
        self._known = Phi_q, scipy.linalg.cho_factor(normal)

    def solve_frame(
        self, q_star: FloatArray, contact: tuple[FloatArray, FloatArray] | None = None
    ) -> tuple[FloatArray, int, float, float]:
        """Return q, iterations, ‖Φ‖ and ‖Δq‖ of one frame; ``contact``: rows C (r, n) and targets p (r,) of C q = p."""
        C, p = contact if contact is not None else (np.zeros((0, self.system.n)), np.zeros(0))
        alpha, q = self.options.alpha, np.array(q_star)
        Phi = np.concatenate([self.system.residual(q), C @ q - p])
        lam = np.zeros_like(Phi)
        violation = step = np.inf
        for iteration in range(1, self.options.max_iterations + 1):
            if self._known is None or (self.every and (iteration - 1) % self.every == 0):
                self._renew(q, C)
            assert self._known is not None
            Phi_q, factor = self._known
            dq = -scipy.linalg.cho_solve(factor, q - q_star + Phi_q.T @ (alpha * Phi + lam))
            q += dq
            Phi = np.concatenate([self.system.residual(q), C @ q - p])
            violation, step = float(np.linalg.norm(Phi)), float(np.linalg.norm(dq))
            if violation < self.options.tolerance or not violation < RAN_AWAY:
                return q, iteration, violation, step
            lam += alpha * Phi
        return q, self.options.max_iterations, violation, step


def solve_with_kept_jacobian(
    system: System,
    q_star: FloatArray,
    every: int,
    *,
    contacts: PointContacts | None = None,
    options: PositionOptions = PositionOptions(),
    progress: Progress | None = None,
) -> KeptSolution:
    """Solve every frame of q* (T, n). Frames that miss coordinates do not converge."""
    solver = KeptJacobian(system, every, options)
    T = len(q_star)
    q, numbers = np.full(q_star.shape, np.nan), np.full((T, 3), np.nan)  # numbers: ‖Φ‖, ‖Δq‖, seconds
    iterations = np.zeros(T, dtype=np.int64)
    for t in range(T):  # one frame after the other: the Jacobian of the first may serve the others
        if progress is not None:
            progress(t / T)
        if not np.isfinite(q_star[t]).all():
            continue
        began = perf_counter()
        q[t], iterations[t], *last = solver.solve_frame(q_star[t], contact_rows(contacts, t, system.n))
        numbers[t] = *last, perf_counter() - began
    converged = numbers[:, 0] < options.tolerance
    return KeptSolution(
        solver.every, read_only(q), read_only(converged, np.bool_), read_only(iterations, np.int64),
        *(read_only(column) for column in numbers.T),
    )  # fmt: skip
