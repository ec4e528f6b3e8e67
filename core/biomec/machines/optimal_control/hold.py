"""Where motors lose their hold: a moment at which no torque, however large, keeps a machine to its path.

A path that is held exactly and leaves nothing free fixes the motion, and with it what the torques have to do: with the
first derivatives by time of its residuals that torques enter,

    a(t) + D(t) u = 0.

Where det D passes zero and a does not, u has a pole like 1/(t − t₀) and ∫u² dt no value: the finer the mesh, the larger
the cost. A crank-rocker driven at its rocker is such a machine: the rocker stands still wherever it turns round.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.machines.optimal_control.guess import path_guess
from biomec.machines.optimal_control.problem import Problem

ON_PATH = 1e-6  # largest residual of a motion that keeps to the path
REGULAR = 1e-6  # least singular value of conditions, against their largest, that fix a motion
NOTHING = 1e-3  # of the largest that the torques have to do: so little needs no hold
ROUND_OFF = 1e-9  # of an ordinary torque: likewise


def lost_hold(problem: Problem) -> float | None:
    """Time [s] at which the motors have no hold on the path; None if they always have, or if it cannot be told.

    It can be told of a path that is held exactly, fixes the motion, and has as many conditions as there are torques.
    """
    import casadi as ca

    one, places = problem.dynamics, problem.conditions()
    n, m = one.x.numel() // 2, 0 if one.closure is None else one.closure.numel() // 2
    if problem.limit > 0.0 or one.x.numel() % 2 or not len(places) == one.u.numel() == n - m:
        return None
    if not ca.is_equal(one.explicit[:n], one.x[n:]):  # other equations than those of q and its rates
        return None
    levels = [_levels(problem, problem.path[k]) for k in places]
    known = [one for one in levels if one is not None]
    if len(known) < len(levels):
        return None
    conditions, asked = (ca.vertcat(*(level[k] for level in known)) for k in (0, 1))
    gain = ca.jacobian(asked, one.u)
    if ca.depends_on(gain, one.u):
        return None
    motion = path_guess(problem)
    whole = conditions if one.closure is None else ca.vertcat(conditions, one.closure[m:])
    value = ca.Function("hold", [one.x, one.u, one.t], [problem.path, ca.jacobian(whole, one.x[n:]), gain, asked])
    found = [value(x, np.zeros(one.u.numel()), t) for x, t in zip(motion.states, motion.time_s, strict=True)]
    off, fixed, D, a = (np.array([np.asarray(at[k]) for at in found]) for k in range(4))
    sizes = np.linalg.svd(fixed, compute_uv=False) if np.isfinite(fixed).all() else np.zeros((1, n))
    if not (np.abs(off).max() < ON_PATH and (sizes[:, -1] > REGULAR * sizes[:, 0]).all()):
        return None
    return _pole(motion.time_s, D, a[..., 0], problem.size_u)


def _levels(problem: Problem, residual: Any) -> tuple[Any, Any] | None:
    """A residual or its rate, which fixes velocities, and the rate of that, which torques enter; None if none does."""
    import casadi as ca

    one = problem.dynamics
    now = residual
    for _ in range(2):
        after = ca.jacobian(now, one.x) @ one.explicit + ca.jacobian(now, one.t)
        if ca.depends_on(now, one.u):
            return None
        if ca.depends_on(after, one.u):
            return now, after
        now = after
    return None


def _pole(time_s: FloatArray, D: FloatArray, a: FloatArray, ordinary: FloatArray) -> float | None:
    """First time at which a + D u = 0 asks for an endless u, by Cramer's rule; D (T, nu, nu), a (T, nu).

    ordinary : (nu,) ordinary sizes of u, against which a that is zero but for round-off asks for nothing
    """
    below = np.linalg.det(D)
    above = np.stack([np.linalg.det(_replaced(D, a, k)) for k in range(a.shape[1])], axis=1)
    nothing = np.maximum(NOTHING * np.abs(above).max(axis=0), ROUND_OFF * np.abs(below).max() * ordinary)
    for k in np.flatnonzero(below[1:] * below[:-1] <= 0.0):
        share = below[k] / (below[k] - below[k + 1]) if below[k] != below[k + 1] else 0.0
        there = (1.0 - share) * above[k] + share * above[k + 1]
        if (np.abs(there) > nothing).any():
            return float((1.0 - share) * time_s[k] + share * time_s[k + 1])
    return None


def _replaced(D: FloatArray, a: FloatArray, column: int) -> FloatArray:
    made = D.copy()
    made[..., column] = a
    return made
