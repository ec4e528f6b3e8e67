"""A cold start: motion that keeps to the path, with the torques that it takes."""

from __future__ import annotations

import numpy as np

from biomec.arrays import FloatArray
from biomec.mechanisms.optimal_control.problem import Problem, Trajectory

POINTS = 400
NEWTON = 20
SLIGHT = 1e-6  # weight that holds rates which the path does not care about


def path_guess(problem: Problem, points: int = POINTS) -> Trajectory:
    """Motion from the start whose path residuals vanish, step by step, and the least torques that give it.

    Needs a state x = (q, v); what the path leaves free goes on at its rate, or, where the end is given, towards it.
    """
    import casadi as ca

    one = problem.dynamics
    nx, nu = one.x.numel(), one.u.numel()
    time_s = np.linspace(0.0, problem.duration_s, points + 1)
    ends = np.isfinite(problem.end)
    straight = problem.start + np.outer(time_s / problem.duration_s, np.where(ends, problem.end - problem.start, 0.0))
    nothing = np.zeros((len(time_s), nu))
    if not problem.path_size or nx % 2:
        return Trajectory(time_s, straight, nothing)
    n, h = nx // 2, problem.duration_s / points
    path = ca.Function("f", [one.x, one.u, one.t], [problem.path, ca.jacobian(problem.path, one.x)])
    states = np.tile(problem.start, (len(time_s), 1))
    for k in range(points):  # each step begins where the last one ended
        q, v = states[k, :n], states[k, n:]
        new = v.copy()
        for _ in range(NEWTON):
            x = np.concatenate([q + 0.5 * h * (v + new), new])
            f, J = (np.asarray(part, dtype=np.float64) for part in path(x, np.zeros(nu), time_s[k + 1]))
            slope = 0.5 * h * J[:, :n] + J[:, n:]
            step = np.linalg.lstsq(np.vstack([slope, SLIGHT * np.eye(n)]),
                                   np.concatenate([-f.ravel(), SLIGHT * (v - new)]), rcond=None)[0]  # fmt: skip
            new = new + step
            if np.abs(step).max() < 1e-12 * max(1.0, np.abs(new).max()):
                break
        states[k + 1] = np.concatenate([q + 0.5 * h * (v + new), new])
        if not np.isfinite(states[k + 1]).all():
            return Trajectory(time_s, straight, nothing)
    return Trajectory(time_s, states, least_controls(problem, time_s, states))


def least_controls(problem: Problem, time_s: FloatArray, states: FloatArray) -> FloatArray:
    """Least controls (T, nu) whose motion is nearest to that of the states, instant by instant."""
    import casadi as ca

    one = problem.dynamics
    nu = one.u.numel()
    rates = np.gradient(states, time_s, axis=0, edge_order=2)
    unknown = ca.vertcat(one.u, one.z)
    value = ca.Function("r", [one.rate, one.x, one.t, unknown], [one.residual, ca.jacobian(one.residual, unknown)])
    found = np.zeros((len(time_s), nu))
    for k, t in enumerate(time_s):
        off, J = (
            np.asarray(part, dtype=np.float64) for part in value(rates[k], states[k], t, np.zeros(unknown.numel()))
        )
        found[k] = np.linalg.lstsq(J, -off.ravel(), rcond=None)[0][:nu]
    return found
