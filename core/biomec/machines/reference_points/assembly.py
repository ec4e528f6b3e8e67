"""Positions and velocities that satisfy the constraints of a reference-point model.

A sentence states what cannot be: `NotAssembled` where parts cannot be joined, `SingularPosition` where the machine
stands such that its motion is not determined.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.machines.reference_points.model import ReferencePointModel

TOLERANCE = 1e-14  # of residuals [m, rad] and steps: round-off
ACCEPTED = 1e-10  # residual that counts as closed where round-off ends the search earlier
ITERATIONS = 30
RESTARTS = 12  # from other places, where the file's poses do not lead to a closed machine
SINGULAR = 1e-6  # smallest over largest singular value of the rows; at dead points Newton's method leaves about 1e-8
NEAR = 0.15  # [m, rad] between a position and what the position before foretold
HALVINGS = 12  # of the time between two instants
REPORTED = 50  # instants between two calls of progress


class NotAssembled(BiomecError):
    """The parts of a machine cannot be joined."""


class SingularPosition(BiomecError):
    """The constraints of a machine do not determine how it moves on."""


def assembled(
    model: ReferencePointModel,
    t: float = 0.0,
    guess: ArrayLike | None = None,
    fixed: Sequence[int] = (),
    iterations: int = ITERATIONS,
    damping: bool = True,
) -> FloatArray:
    """Coordinates (n,) with Φ(q, t) = 0 by Newton's method from a guess, that of the file if none is given.

    fixed : columns of q that keep their values; where rows and these are fewer than coordinates, the rest of q moves
            as little as it can
    damping : where Newton's method fails, try it again with shorter steps, and from other places if no guess is given
    Raises `NotAssembled` with the joint that stays open.
    """
    start = np.array(model.guess if guess is None else guess, dtype=np.float64)
    free = np.setdiff1d(np.arange(model.n), np.asarray(fixed, dtype=np.int64))
    for damped in (False, True) if damping else (False,):
        q, worst = _newton(model, start.copy(), t, free, iterations * (3 if damped else 1), damped)
        if worst <= ACCEPTED:
            return q
    if damping and guess is None:
        random = np.random.default_rng(0)  # the same tries every time
        for _ in range(RESTARTS):
            other = start.copy()
            other[free] += random.normal(size=free.size)
            found, worst = _newton(model, other, t, free, iterations, False)
            if worst <= ACCEPTED:
                return found
    raise NotAssembled(_open_joint(model, q, t))


def _newton(
    model: ReferencePointModel, q: FloatArray, t: float, free: IntArray, iterations: int, damped: bool
) -> tuple[FloatArray, float]:
    """Newton's method; ``damped``, a step that makes the residual worse is halved."""
    phi = model.residual(q, t)
    worst = float(np.abs(phi).max(initial=0.0))
    for _ in range(iterations):
        if worst <= TOLERANCE:
            break
        step = _step(model.jacobian(q)[:, free], -phi)
        if not np.isfinite(step).all():
            return q, np.inf
        share = 1.0
        while True:
            tried = q.copy()
            tried[free] += share * step
            phi = model.residual(tried, t)
            size = float(np.abs(phi).max(initial=0.0))
            if not damped or size < worst or share < 1e-3:
                break
            share *= 0.5
        stalled = worst <= ACCEPTED and size >= worst
        if stalled:  # round-off: the position before is as good
            break
        q, worst = tried, size
        if not np.isfinite(worst):
            return q, np.inf
        if np.abs(step).max() <= TOLERANCE * (1.0 + np.abs(q).max()):
            break
    return q, worst


def _step(J: FloatArray, right: FloatArray) -> FloatArray:
    """Solution of J x = right; the smallest one, or the best one, where it is not square or singular."""
    if J.shape[0] == J.shape[1]:
        try:
            x = np.linalg.solve(J, right)
            if np.isfinite(x).all() and np.abs(x).max(initial=0.0) < 1e6:
                return np.asarray(x)
        except np.linalg.LinAlgError:
            pass
    return np.asarray(np.linalg.lstsq(J, right, rcond=1e-10)[0])


def _open_joint(model: ReferencePointModel, q: FloatArray, t: float) -> str:
    phi = model.residual(q, t)
    at = np.nan_to_num(np.abs(phi), nan=np.inf)
    name = next(name for name, rows in model.equations.row_of.items() if int(at.argmax()) in rows)
    many = _too_many_drivers(model, q)
    if many:
        return f"{model.name}: its drivers contradict each other at t = {t:g} s. {many}"
    gap = f"{at.max():.3g}" if np.isfinite(at.max()) else "far too much"
    return (
        f"{model.name}: its parts cannot be joined at t = {t:g} s: {name} stays open by {gap} (m or rad). "
        "Check the lengths and the angles that are prescribed."
    )


def _too_many_drivers(model: ReferencePointModel, q: FloatArray) -> str:
    """Which drivers are more than the degrees of freedom that the joints leave; empty if they are not."""
    bare = model.with_drivers(())
    J = bare.jacobian(q)
    free = model.n - (int(np.linalg.matrix_rank(J, tol=1e-9 * np.abs(J).max())) if J.size else 0)
    rows = sum(one.rows for one in model.drivers)
    if rows <= free:
        return ""
    names = ", ".join(one.name for one in model.drivers)
    degrees = f"{free} degree{'s' if free != 1 else ''} of freedom"
    return f"{rows} drivers ({names}) share {degrees}: leave {'one' if rows - free == 1 else rows - free} of them free."


def velocities(
    model: ReferencePointModel, q: FloatArray, t: float = 0.0, given: ArrayLike | None = None, fixed: Sequence[int] = ()
) -> FloatArray:
    """q̇ (n,) with Φq q̇ = ν.

    given : (n,) velocities, of which those of the columns ``fixed`` are kept; the others change as little as they can
    """
    rate = np.zeros(model.n) if given is None else np.array(given, dtype=np.float64)
    free = np.setdiff1d(np.arange(model.n), np.asarray(fixed, dtype=np.int64))
    J, nu = model.jacobian(q), model.rate_rhs(t)
    rate[free] += _step(J[:, free], nu - J @ rate)
    if np.abs(J @ rate - nu).max(initial=0.0) > 1e-8 * (1.0 + np.abs(rate).max(initial=0.0)):
        raise SingularPosition(_singular(model, t))
    return rate


def follow(
    model: ReferencePointModel,
    time_s: ArrayLike,
    guess: ArrayLike | None = None,
    progress: Progress | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """q, q̇, q̈, each (T, n), of a machine whose drivers determine its motion.

    Instants follow each other, because each is the guess of the next. Raises `NotAssembled`, `SingularPosition`.
    """
    q, qdot, qddot, reason = follow_as_far(model, time_s, guess, progress)
    if reason is not None:
        raise reason
    return q, qdot, qddot


def follow_as_far(
    model: ReferencePointModel,
    time_s: ArrayLike,
    guess: ArrayLike | None = None,
    progress: Progress | None = None,
) -> tuple[FloatArray, FloatArray, FloatArray, NotAssembled | SingularPosition | None]:
    """q, q̇, q̈ of the instants that the machine reaches, and why it reaches no more, or None."""
    time = np.asarray(time_s, dtype=np.float64).reshape(-1)
    states: list[tuple[FloatArray, FloatArray, FloatArray]] = []
    reason: NotAssembled | SingularPosition | None = None
    for k, t in enumerate(time):
        try:
            if k:
                state = _advanced(model, states[-1], float(time[k - 1]), float(t))
            else:
                begin = 0.0 if guess is None else float(t)  # the file places the bodies where they are at time 0
                q = assembled(model, begin, guess)
                state = _advanced(model, (q, *_determined(model, q, begin)), begin, float(t))
        except (NotAssembled, SingularPosition) as error:
            reason = error
            break
        states.append(state)
        if progress is not None and k % REPORTED == 0:
            progress((k + 1) / time.size)
    whole = np.array(states).reshape(-1, 3, model.n)
    return whole[:, 0], whole[:, 1], whole[:, 2], reason


def _advanced(
    model: ReferencePointModel, state: tuple[FloatArray, FloatArray, FloatArray], begin: float, end: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """State at ``end``, in steps so small that each is near what the last one foretold: no other branch is taken."""
    (q, qdot, qddot), t, step = state, begin, end - begin
    smallest = abs(step) * 2.0**-HALVINGS
    while t != end:
        h = end - t if abs(end - t) <= 1.001 * abs(step) else step
        foretold = q + h * qdot + 0.5 * h * h * qddot
        try:
            tried = assembled(model, t + h, foretold, damping=False)
            near = bool(np.abs(tried - foretold).max() < NEAR)
        except NotAssembled:
            near = False
        if not near and abs(h) > smallest:
            step = 0.5 * h
            continue
        if not near:
            tried = assembled(model, t + h, foretold)
            if np.abs(tried - foretold).max() > NEAR:
                raise NotAssembled(
                    f"{model.name}: it cannot go on at t = {t:g} s; what drives it asks for a place out of its reach."
                )
        q, t = tried, (end if h == end - t else t + h)
        qdot, qddot = _determined(model, q, t)
    return q, qdot, qddot


def _determined(model: ReferencePointModel, q: FloatArray, t: float) -> tuple[FloatArray, FloatArray]:
    """q̇ and q̈ of a driven machine."""
    J, nu = model.jacobian(q), model.rate_rhs(t)
    values = np.linalg.svd(J, compute_uv=False)
    rank = int((values > SINGULAR * values[0]).sum()) if values.size else 0
    if rank < model.n:
        raise SingularPosition(_singular(model, t, rank))
    qdot = _step(J, nu)
    gamma = model.acceleration_rhs(q, qdot, t)
    qddot = _step(J, gamma)
    unmet = max(np.abs(J @ qdot - nu).max(), np.abs(J @ qddot - gamma).max())
    if unmet > 1e-6 * (1.0 + np.abs(qdot).max() + np.abs(qddot).max()):
        raise NotAssembled(
            f"{model.name}: what its drivers ask for contradicts its joints at t = {t:g} s. "
            f"{_too_many_drivers(model, q)}"
        )
    return qdot, qddot


def _singular(model: ReferencePointModel, t: float, rank: int | None = None) -> str:
    rank_words = "" if rank is None else f" ({rank} of {model.n} coordinates are determined)"
    return (
        f"{model.name}: at t = {t:g} s it stands where its constraints do not say how it moves on{rank_words}. "
        "Such positions (bars in line) or drivers that are missing have no single answer."
    )
