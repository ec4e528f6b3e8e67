"""Kinematic analysis of mechanisms: velocities, accelerations, and motion that follows drivers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.arrays import FloatArray, IntArray, read_only
from biomec.multibody.position import FrameStatus, PositionOptions, PositionSolver
from biomec.multibody.structure import RANK_TOLERANCE
from biomec.multibody.system import Drive, System

SMALLEST_STEP = 2.0**-10  # of the step between two driver values, before a position counts as not reachable
JUMP = 4.0  # a step this many times longer than the one before it has left the branch


@dataclass(frozen=True)
class RateSolution:
    """Velocities or accelerations, and how well they are determined. Arrays are read-only.

    value    : (..., n)
    rank     : (...) rank of the equations; below n the solution of least norm was taken
    residual : (...) norm of what remains of the equations; not near zero means that they contradict each other
    """

    value: FloatArray
    rank: IntArray
    residual: FloatArray


def velocities(
    system: System, q: ArrayLike, drive: Drive | None = None, *, B: FloatArray | None = None, zdot: ArrayLike = 0.0
) -> RateSolution:
    """Solve Φq q̇ = b together with B q̇ = ż (theory §9.1, §10) at q (..., n).

    Without B the drivers alone must determine the motion; otherwise the solution of least norm is taken, and the rank
    tells.
    """
    return _solve(system.jacobian(q, drive), system.velocity_rhs(q, drive), B, zdot)


def accelerations(
    system: System,
    q: ArrayLike,
    qdot: ArrayLike,
    drive: Drive | None = None,
    *,
    B: FloatArray | None = None,
    zddot: ArrayLike = 0.0,
) -> RateSolution:
    """Solve Φq q̈ = c together with B q̈ = z̈ at q and q̇ (..., n). ([Nunes2017] Eq. 2.76 prints velocities for q̈.)"""
    return _solve(system.jacobian(q, drive), system.acceleration_rhs(q, qdot, drive), B, zddot)


def _solve(Phi_q: FloatArray, rhs: FloatArray, B: FloatArray | None, independent: ArrayLike) -> RateSolution:
    if B is not None:
        batch = Phi_q.shape[:-2]
        Phi_q = np.concatenate([Phi_q, np.broadcast_to(B, (*batch, *B.shape))], axis=-2)
        rhs = np.concatenate(
            [rhs, np.broadcast_to(np.asarray(independent, dtype=np.float64), (*batch, len(B)))], axis=-1
        )
    U, values, Vt = np.linalg.svd(Phi_q, full_matrices=False)
    kept = values > RANK_TOLERANCE * values.max(axis=-1, keepdims=True, initial=0.0)
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=kept)
    solution = np.einsum("...kn,...k,...mk,...m->...n", Vt, inverse, U, rhs, optimize=True)
    residual = np.linalg.norm(np.einsum("...mn,...n->...m", Phi_q, solution) - rhs, axis=-1)
    return RateSolution(read_only(solution), read_only(kept.sum(axis=-1), np.int64), read_only(residual))


@dataclass(frozen=True)
class DrivenMotion:
    """Configurations of a mechanism along its drivers' values. Arrays are read-only.

    q         : (T, n); NaN where the driver's value could not be reached
    status    : (T,) `FrameStatus`
    violation : (T,) ‖Φ‖ at the end of the search
    """

    q: FloatArray
    status: IntArray
    violation: FloatArray


def follow_drivers(
    system: System, drive: Drive, start: ArrayLike | None = None, options: PositionOptions | None = None
) -> DrivenMotion:
    """Finite displacement: the configurations that follow the drivers, frame after frame, without leaving the branch.

    drive : values (T, drivers). Each frame starts from the extrapolation of the two before it and takes the nearest
            configuration that satisfies the constraints; a step that fails or jumps is halved until it succeeds or
            becomes smaller than 2⁻¹⁰ of the given one: then the value counts as not reachable from here.
    start : (n,) configuration near the first frame; the reference configuration by default. At a change point, where
            branches meet, the first step may take any of them: start beside it.
    """
    solver = PositionSolver(system, options=options or PositionOptions())
    values = np.atleast_2d(drive.value)
    q_all = np.full((len(values), system.n), np.nan)
    status = np.empty(len(values), dtype=np.int64)
    violation = np.empty(len(values))
    tracker = _Tracker(solver, np.asarray(system.reference if start is None else start, dtype=np.float64))
    for t, value in enumerate(values):  # each frame continues the one before it
        status[t], violation[t] = tracker.move_to(value)
        if status[t] == FrameStatus.PHI:
            q_all[t] = tracker.q
    return DrivenMotion(read_only(q_all), read_only(status, np.int64), read_only(violation))


class _Tracker:
    """Walks along a branch of configurations: the last point, its driver values, and the slope since the one before."""

    def __init__(self, solver: PositionSolver, q: FloatArray) -> None:
        self.solver = solver
        self.q = q
        self.value: FloatArray | None = None
        self.slope = np.zeros_like(q)  # change of q per unit of driver motion along ``direction``
        self.direction: FloatArray | None = None
        self.size = 0.0  # ‖change of q‖ over the last step

    def move_to(self, target: FloatArray) -> tuple[int, float]:
        if self.value is None:
            return self._try(self.q, target)
        start, done, step = self.value, 0.0, 1.0
        outcome = (int(FrameStatus.PHI), 0.0)
        while done < 1.0:
            step = min(step, 1.0 - done)
            part = start + (done + step) * (target - start)
            outcome = self._try(self._extrapolated(part), part)
            if outcome[0] == FrameStatus.PHI:
                done += step
                step *= 2.0
            else:
                step *= 0.5
                if step < SMALLEST_STEP:
                    break
        return outcome

    def _extrapolated(self, value: FloatArray) -> FloatArray:
        assert self.value is not None
        if self.direction is None:
            return self._tangent(value - self.value)
        return np.asarray(self.q + float((value - self.value) @ self.direction) * self.slope)

    def _tangent(self, step: FloatArray) -> FloatArray:
        """First step: along the velocity that the drivers impose."""
        assert self.value is not None
        rates = velocities(self.solver.system, self.q, Drive(self.value, step, np.zeros_like(step)))
        return np.asarray(self.q + rates.value)

    def _try(self, guess: FloatArray, value: FloatArray) -> tuple[int, float]:
        still = np.zeros_like(value)
        result = self.solver.solve(guess, drive=Drive(value, still, still))
        status, q, violation = int(result.status[0]), result.q[0], float(result.violation[0])
        change = float(np.linalg.norm(q - self.q))
        if status == FrameStatus.PHI and self.value is not None:
            if self.size > 0.0 and change > JUMP * max(float(np.linalg.norm(guess - self.q)), self.size):
                return int(FrameStatus.DQ), violation  # it satisfies the constraints, but on another branch
            length = float(np.linalg.norm(value - self.value))
            if length > 0.0:
                self.direction = (value - self.value) / length
                self.slope, self.size = (q - self.q) / length, change
        if status == FrameStatus.PHI:
            self.q, self.value = q, value
        return status, violation
