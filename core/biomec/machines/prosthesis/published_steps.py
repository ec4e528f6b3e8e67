"""The swing as a published program computed it, for comparison only: constant steps and a contact force that is frozen
over each step [Markus2015].

With ``short_cuts`` also what the printed listing does: Runge-Kutta stages that change the independent coordinate alone
and leave all others where they were at the beginning of the step, positions accepted without their last correction, and
positions stored before they are corrected. The result depends on the step: it converges with the first order only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.machines.machine import Machine
from biomec.machines.prosthesis.history import History
from biomec.machines.prosthesis.integration import rk4
from biomec.machines.prosthesis.reduced import ITERATIONS, Reduced, reduced_motion

LOOSE = 1e-3  # norm of the step of Newton's method [m, rad] at which the listing stops, without taking that step
STEP = 0.004  # [s] of the published runs


@dataclass(frozen=True, eq=False)
class PublishedRun:
    """A run with constant steps.

    history : at every step; with short cuts its positions are those before correction
    figures : onset, peak, impulse (sum of F h), duration (samples with a force times h), depth; of the samples
    """

    moving: Reduced
    history: History
    figures: Mapping[str, float]


def published_swing(
    machine: Machine,
    short_cuts: bool = True,
    step: float = STEP,
    law: str = "",
    duration: float = 0.0,
    tight: bool = False,
    progress: Progress | None = None,
) -> PublishedRun:
    """Swing with constant steps h [s] and the contact force of the beginning of each step.

    tight : with short cuts, positions are corrected fully nevertheless
    """
    if not step > 0.0:
        raise BiomecError("The step of a swing must be above 0.")
    moving, q, qdot = reduced_motion(machine, law)
    if short_cuts and not machine.start.ways:
        q = np.array(moving.model.guess)
        for body, angle in machine.start.angles.items():
            q[moving.model.column(body)] = angle
    free = list(moving.free)
    count = int(np.floor((duration or machine.duration_s) / step + 1e-9)) + 1
    onset: list[float | None] = [None] * len(moving.stops.names)
    rows = []
    for k in range(count):
        t = k * step
        before = q.copy()
        q = _loosely(moving, q, t) if short_cuts and not tight else moving.positions(q[free], t, q)
        qdot = moving.velocities(q, qdot[free], t)
        gap, g = moving.stops.gaps(q), moving.stops.rows(q)
        rate = g @ qdot
        for s, one in enumerate(onset):
            onset[s] = None if gap[s] > 0.0 else float(-rate[s]) if one is None else one
        force = moving.stops.forces(gap, rate, onset)
        extra = force @ g
        qddot, multipliers = moving.model.accelerations(q, qdot, t, extra=extra)
        shown = before if short_cuts and not tight else q
        rows.append((t, shown.copy(), qdot, qddot, multipliers, gap, rate, force, extra))
        y = rk4(_stages(moving, q, qdot, extra, short_cuts), t, np.concatenate([q[free], qdot[free]]), step)
        if not np.isfinite(y).all():
            raise BiomecError(f"{machine.name}: constant steps of {step:g} s left every bound at t = {t:.4g} s.")
        q, qdot = q.copy(), qdot.copy()
        q[free], qdot[free] = y[: moving.f], y[moving.f :]
        if progress is not None:
            progress((k + 1) / count)
    history = History(*(np.array(column) for column in zip(*rows, strict=True)))
    return PublishedRun(moving, history, _figures(history, step))


def _loosely(moving: Reduced, q: FloatArray, t: float) -> FloatArray:
    """Newton's method that stops as soon as a step would be small, and does not take it."""
    for _ in range(ITERATIONS):
        right = np.concatenate([-moving.model.residual(q, t), np.zeros(moving.f)])
        change = np.linalg.solve(moving.square(q), right)
        if np.linalg.norm(change) < LOOSE:
            break
        q = q + change
    return q


def _stages(
    moving: Reduced, q: FloatArray, qdot: FloatArray, extra: FloatArray, short_cuts: bool
) -> Callable[[float, FloatArray], FloatArray]:
    """ẏ of a stage: all coordinates solved anew, or only the independent ones changed; the contact force stays."""
    free, f = list(moving.free), moving.f

    def rates(t: float, y: FloatArray) -> FloatArray:
        if short_cuts:
            at, speed = q.copy(), qdot.copy()
            at[free], speed[free] = y[:f], y[f:]
        else:
            at = moving.positions(y[:f], t, q)
            speed = moving.velocities(at, y[f:], t)
        return np.concatenate([y[f:], moving.model.accelerations(at, speed, t, extra=extra)[0][free]])

    return rates


def _figures(history: History, step: float) -> dict[str, float]:
    force = history.force.sum(axis=1)
    touched = (history.gap <= 0.0).any(axis=1)
    figures = {
        "contact_peak_N": float(force.max(initial=0.0)),
        "contact_impulse_Ns": float(force.sum() * step),
        "contact_duration_s": float((force > 0.0).sum() * step),
        "contact_depth_mm": 1e3 * float(np.maximum(-history.gap, 0.0).max(initial=0.0)),
    }
    if touched.any():
        figures["contact_onset_s"] = float(history.time_s[np.argmax(touched)])
    return figures
