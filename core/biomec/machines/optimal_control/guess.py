"""A cold start: motion that keeps to the path, with the torques that it takes."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.machines.optimal_control.problem import Problem, Trajectory

POINTS = 400
NEWTON = 20
WEAK = 1e-3  # weight of q̇ = v against the path, which comes first
SLIGHT = 1e-6  # weight that holds rates which neither cares about


def path_guess(problem: Problem, points: int = POINTS) -> Trajectory:
    """Motion from the start whose path residuals vanish, step by step, and the least torques that give it.

    Needs a state x = (q, v); what the path leaves free goes on at its rate, or, where the end is given, towards it.
    Closed loops stay closed on the way.
    """
    import casadi as ca

    one = problem.dynamics
    nx, nu = one.x.numel(), one.u.numel()
    time_s = np.linspace(0.0, problem.duration_s, points + 1)
    ends = np.isfinite(problem.end)
    straight = problem.start + np.outer(time_s / problem.duration_s, np.where(ends, problem.end - problem.start, 0.0))
    nothing = np.zeros((len(time_s), nu))
    held = ca.vertcat(*(part for part in (problem.path, one.closure) if part is not None))
    if not held.numel() or nx % 2:
        return Trajectory(time_s, straight, nothing)
    n, h = nx // 2, problem.duration_s / points
    path = ca.Function("f", [one.x, one.u, one.t], [held, ca.jacobian(held, one.x)])
    towards = _wish(problem, time_s) if problem.path is None else None
    asked = np.flatnonzero(ends[:n]) if towards is not None else np.zeros(0, dtype=np.int64)
    pulled = np.eye(2 * n)[np.concatenate([asked, n + asked])]
    states = np.tile(problem.start, (len(time_s), 1))
    trapezoid = np.hstack([np.eye(n), -0.5 * h * np.eye(n)])
    rates = np.hstack([np.zeros((n, n)), np.eye(n)])
    for k in range(points):  # each step begins where the last one ended
        q, v = states[k, :n], states[k, n:]
        x = np.concatenate([q + h * v, v])
        for _ in range(NEWTON):
            f, J = (np.asarray(part, dtype=np.float64) for part in path(x, np.zeros(nu), time_s[k + 1]))
            moved, kept = x[:n] - q - 0.5 * h * (v + x[n:]), x[n:] - v
            rows = np.vstack([J, WEAK * trapezoid, SLIGHT * rates])
            wish = np.concatenate([f.ravel(), WEAK * moved, SLIGHT * kept])
            if towards is not None:
                rows = np.vstack([rows, pulled])
                wish = np.concatenate([wish, pulled @ (x - towards[k + 1])])
            step = np.linalg.lstsq(rows, -wish, rcond=None)[0]
            x = x + step
            if np.abs(step).max() < 1e-12 * max(1.0, np.abs(x).max()):
                break
        states[k + 1] = x
        if not np.isfinite(states[k + 1]).all():
            return Trajectory(time_s, straight, nothing)
    return Trajectory(time_s, states, least_controls(problem, time_s, states), smooth=True)


def _wish(problem: Problem, time_s: FloatArray) -> FloatArray:
    """States (T, nx) on cubics from the start to the end that is asked for; NaN where none is."""
    from scipy.interpolate import CubicHermiteSpline

    n, T = problem.start.size // 2, problem.duration_s
    q, v = problem.start[:n], problem.start[n:]
    last, speed = np.where(np.isfinite(problem.end[:n]), problem.end[:n], q), problem.end[n:]
    speed = np.where(np.isfinite(speed), speed, (last - q) / T)
    path = CubicHermiteSpline([0.0, T], [q, last], [v, speed])
    return np.hstack([path(time_s), path(time_s, 1)])


def least_controls(problem: Problem, time_s: FloatArray, states: FloatArray) -> FloatArray:
    """Least controls (T, nu) whose motion is nearest to that of the states, instant by instant."""
    import casadi as ca
    from scipy.interpolate import CubicSpline

    one = problem.dynamics
    nu = one.u.numel()
    rates = CubicSpline(time_s, states).derivative()(time_s)
    unknown = ca.vertcat(one.u, one.z)
    value = ca.Function("r", [one.rate, one.x, one.t, unknown], [one.residual, ca.jacobian(one.residual, unknown)])
    found = np.zeros((len(time_s), nu))
    for k, t in enumerate(time_s):
        off, J = (
            np.asarray(part, dtype=np.float64) for part in value(rates[k], states[k], t, np.zeros(unknown.numel()))
        )
        found[k] = np.linalg.lstsq(J, -off.ravel(), rcond=None)[0][:nu]
    return found
