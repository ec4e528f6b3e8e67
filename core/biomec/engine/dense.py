"""The position problem with plain dense linear algebra: slow, short, and the oracle of `position.py`."""

from __future__ import annotations

import numpy as np
import scipy

from biomec.base.arrays import FloatArray
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
