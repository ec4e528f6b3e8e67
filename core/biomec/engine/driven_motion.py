"""Kinematic analysis of mechanisms: assembly, velocities, accelerations, and motion that follows drivers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.engine.equations import AngleEquation
from biomec.engine.position import FrameStatus, PositionOptions, PositionResult, PositionSolver, summarised
from biomec.engine.structure import RANK_TOLERANCE
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


SMALLEST_STEP = 2.0**-10  # of the step between two driver values, before a position counts as not reachable


@dataclass(frozen=True)
class RateSolution:
    """Velocities or accelerations, and how well they are determined. Arrays are read-only.

    value    : (..., n); NaN in frames whose coordinates are not all numbers
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
    whole = np.asarray(np.isfinite(Phi_q).all(axis=(-1, -2)) & np.isfinite(rhs).all(axis=-1))
    U, values, Vt = np.linalg.svd(np.where(whole[..., None, None], Phi_q, 0.0), full_matrices=False)
    kept = values > RANK_TOLERANCE * values.max(axis=-1, keepdims=True, initial=0.0)
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=kept)
    solution = np.einsum("...kn,...k,...mk,...m->...n", Vt, inverse, U, rhs, optimize=True)
    residual = np.linalg.norm(np.einsum("...mn,...n->...m", Phi_q, solution) - rhs, axis=-1)
    solution = np.where(whole[..., None], solution, np.nan)
    return RateSolution(read_only(solution), read_only(kept.sum(axis=-1), np.int64), read_only(residual))


@dataclass(frozen=True)
class DrivenMotion:
    """Configurations of a mechanism along its drivers' values. Arrays are read-only.

    q         : (T, n); NaN where the drivers' values could not be reached
    status    : (T,) `FrameStatus`: PHI, UNREACHABLE, or MISSING where a driver's value is not a number
    violation : (T,) ‖Φ‖ at the end of the search
    """

    q: FloatArray
    status: IntArray
    violation: FloatArray

    @property
    def valid(self) -> BoolArray:
        """Frames that satisfy the constraints (T,)."""
        return np.asarray(self.status == FrameStatus.PHI)

    def summary(self) -> str:
        """Count the frames by how they ended, in one line."""
        return summarised(self.status)


def follow_drivers(
    system: System, drive: Drive, start: ArrayLike | None = None, options: PositionOptions | None = None
) -> DrivenMotion:
    """Finite displacement: the configurations that follow the drivers, frame after frame, without leaving the branch.

    drive : values (T, drivers). Each frame starts from the extrapolation of the two before it and takes the nearest
            configuration that satisfies the constraints; a step that fails is halved until it succeeds or
            becomes smaller than 2⁻¹⁰ of the given one: then the value counts as not reachable from here.
    start : (n,) configuration near the first frame; the reference configuration by default. At a change point, where
            branches meet, the first step may take any of them: start beside it.
    """
    values = np.atleast_2d(np.asarray(drive.value, dtype=np.float64))
    if not system.drivers or values.shape[1] != len(system.drivers):
        raise BiomecError(f"{system.name} has {len(system.drivers)} drivers; give (frames, drivers) values for them.")
    solver = PositionSolver(system, options=options or PositionOptions())
    tracker = _Tracker(solver, np.asarray(system.reference if start is None else start, dtype=np.float64), values[0])
    q_all = np.full((len(values), system.n), np.nan)
    status = np.empty(len(values), dtype=np.int64)
    violation = np.empty(len(values))
    for t, value in enumerate(values):  # each frame continues the one before it
        status[t], violation[t] = tracker.move_to(value)
        if status[t] == FrameStatus.PHI:
            q_all[t] = tracker.q
    return DrivenMotion(read_only(q_all), read_only(status, np.int64), read_only(violation))


class _Tracker:
    """Walks along a branch of configurations: the last point, its driver values, and the slope since the one before.

    It sets out from the driver values that the start configuration has, angles counted in the turn of ``first``.
    """

    def __init__(self, solver: PositionSolver, start: FloatArray, first: FloatArray) -> None:
        self.solver = solver
        system = solver.system
        measured = system.driver_values(start)
        angles = {row.driver for row in system.rows if isinstance(row.equation, AngleEquation)}
        turns = np.array([2.0 * np.pi if name in angles else 0.0 for name in system.drivers])
        whole = np.divide(first - measured, turns, out=np.zeros_like(measured), where=turns > 0.0)
        self.value = measured + turns * np.where(np.isfinite(whole), np.round(whole), 0.0)
        near = self._solved(start, self.value)
        self.q = near.q[0] if near.valid[0] else start
        self.slope = np.zeros_like(start)  # change of q per unit of driver motion along ``direction``
        self.direction = np.zeros_like(self.value)

    def move_to(self, target: FloatArray) -> tuple[int, float]:
        if not np.isfinite(target).all():
            return int(FrameStatus.MISSING), np.nan
        start, done, step, violation = self.value, 0.0, 1.0, 0.0
        while done < 1.0:
            step = min(step, 1.0 - done)
            reached, violation = self._try(start + (done + step) * (target - start))
            if reached:
                done += step
                step *= 2.0
            elif step < SMALLEST_STEP:
                return int(FrameStatus.UNREACHABLE), violation
            else:
                step *= 0.5
        return int(FrameStatus.PHI), violation

    def _try(self, value: FloatArray) -> tuple[bool, float]:
        guess = self.q + float((value - self.value) @ self.direction) * self.slope
        result = self._solved(guess, value)
        q, violation = result.q[0], float(result.violation[0])
        if not result.valid[0]:
            return False, violation
        length = float(np.linalg.norm(value - self.value))
        if length > 0.0:
            self.direction = (value - self.value) / length
            self.slope = (q - self.q) / length
        self.q, self.value = q, value
        return True, violation

    def _solved(self, guess: FloatArray, value: FloatArray) -> PositionResult:
        still = np.zeros_like(value)
        return self.solver.solve(guess, drive=Drive(value, still, still))
