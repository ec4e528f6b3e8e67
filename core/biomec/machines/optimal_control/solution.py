"""A solution: states and controls over time, its cost, how it was found; and whether it is what it claims to be.

A solver holds the path at the points of its mesh; between them, and where its own rule of integration errs, the machine
may leave it. The audit integrates the controls with LSODA, which controls its error and changes between Adams' formulas
and backward differences as the machine is stiff or not, and looks at the path at many points between those of the mesh.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.progress import Progress
from biomec.machines.optimal_control.problem import Problem, Trajectory
from biomec.machines.optimal_control.status import SolverStatus


@dataclass(frozen=True, eq=False)
class Solution:
    """Answer of a solver.

    time_s (T,), states (T, nx), controls (T, nu) : at all points of the mesh
    cost       : the integral, by the solver's own rule;  iterations, seconds : what it took
    knots (N+1,) : of the mesh
    method, integrator, tolerance : how it was found
    degree     : of collocation; 0 for controls that are linear between the times
    """

    problem: Problem
    method: str
    integrator: str
    status: SolverStatus
    time_s: FloatArray
    states: FloatArray
    controls: FloatArray
    cost: float
    iterations: int
    seconds: float
    knots: FloatArray
    tolerance: float
    degree: int = 0

    @property
    def trajectory(self) -> Trajectory:
        """As a guess for another problem."""
        return Trajectory(self.time_s, self.states, self.controls)

    @property
    def intervals(self) -> int:
        """Number of intervals."""
        return len(self.knots) - 1

    def own_points(self) -> FloatArray:
        """Points of an interval of length 1 at which the solution stands, without its beginning."""
        count = (len(self.time_s) - 1) // self.intervals
        return np.asarray(self.time_s[1 : count + 1] / self.knots[1])

    def control_in(self, interval: int, time_s: ArrayLike) -> FloatArray:
        """Controls (..., nu) at times of an interval: the polynomial through its points, or linear between them."""
        t = np.asarray(time_s, dtype=np.float64)
        own = self.own_points()
        first = interval * len(own)
        if not self.degree:
            part = slice(first, first + len(own) + 1)
            return np.stack([np.interp(t, self.time_s[part], column) for column in self.controls[part].T], axis=-1)
        s = (t - self.knots[interval]) / (self.knots[interval + 1] - self.knots[interval])
        weights = [np.prod([(s - b) / (a - b) for j, b in enumerate(own) if j != i], axis=0) for i, a in enumerate(own)]
        return np.asarray(
            np.stack(np.broadcast_arrays(*weights), axis=-1) @ self.controls[first + 1 : first + len(own) + 1]
        )

    def torque_table(self, points: int = 20) -> tuple[FloatArray, FloatArray]:
        """Times (T,) and controls (T, nu) for straight lines, which follow the jumps from one interval to the next."""
        inside = np.linspace(0.0, 1.0, points + 1)
        inside[0] = JUMP
        shares = [np.insert(inside, 0, 0.0) if not k else inside for k in range(self.intervals)]
        steps = np.diff(self.knots)
        times = [self.knots[k] + share * steps[k] for k, share in enumerate(shares)]
        return np.concatenate(times), np.vstack([self.control_in(k, t) for k, t in enumerate(times)])


JUMP = 1e-6  # of an interval: how long a jump of the controls takes in a table, whose times must increase


# ---------------------------------------------------------------------------------------------------------------- audit


POINTS = 9  # looked at inside every interval
ALLOWANCE = 1.03  # the path may be left by three per cent of its limit
RUNAWAY = 1e6  # rad or rad/s: nothing but a motion that has left all bounds
MOST_EVALUATIONS = 20000  # of the rates in one interval; a hard one takes some hundred


@dataclass(frozen=True, eq=False)
class Audit:
    """What the controls really do.

    time_s (T,), states (T, nx), controls (T, nu) : of the second integration
    path       : Σ f² (T,);  path_max : its largest value, NaN without a path or an end
    off        : how far each residual of the path is off at most (nf,), in sizes of the states that would put it right
    beyond     : by how much states and controls leave their bounds at most (nx + nu,), 0 where they do not
    cost       : the integral of the cost along it
    difference : largest distance of states from those of the solution, at the points of the mesh (nx,)
    complete   : whether the integration came to the end
    """

    time_s: FloatArray
    states: FloatArray
    controls: FloatArray
    path: FloatArray
    path_max: float
    off: FloatArray
    beyond: FloatArray
    cost: float
    difference: FloatArray
    complete: bool

    def kept(self, limit: float) -> bool:
        """Whether the path is kept to within three per cent of its limit."""
        return self.complete and (not np.isfinite(self.path_max) or self.path_max <= ALLOWANCE * limit)


def audited(
    solution: Solution,
    progress: Progress | None = None,
    relative: float = 1e-8,
    absolute: float = 1e-10,
    points: int = POINTS,
) -> Audit:
    """Audit of a solution; ``relative``, ``absolute`` are the tolerances of the integration."""
    import casadi as ca

    problem = solution.problem
    one = problem.dynamics
    nx = one.x.numel()
    whole = ca.vertcat(one.explicit, problem.cost)  # the cost is integrated as one state more
    J = ca.horzcat(ca.jacobian(whole, one.x), ca.SX.zeros(nx + 1, 1))
    rates = ca.Function("rates", [one.x, one.u, one.t], [whole])
    slope = ca.Function("slope", [one.x, one.u, one.t], [ca.densify(J)])
    knots = solution.knots
    fine = np.linspace(0.0, 1.0, points + 2)[1:]
    own = solution.own_points()
    y, worst, complete = np.append(problem.start, 0.0), np.zeros(nx), True
    times, states, controls = [knots[:1]], [y[None, :]], [solution.control_in(0, knots[:1])]
    for k in range(solution.intervals):  # controls may jump from one interval to the next
        begin, end = knots[k], knots[k + 1]
        f = lambda t, y, k=k: np.asarray(rates(y[:-1], solution.control_in(k, t), t)).ravel()
        jac = lambda t, y, k=k: np.asarray(slope(y[:-1], solution.control_in(k, t), t))
        found = _integrated(f, jac, (begin, end), y, relative, absolute)
        if found is None:
            complete = False
            break
        y = found.y[:, -1]
        t = begin + fine * (end - begin)
        times.append(t)
        states.append(np.vstack([found.sol(t[:-1]).T, y]))
        controls.append(solution.control_in(k, t))
        mine = slice(k * len(own) + 1, (k + 1) * len(own) + 1)
        there = found.sol(begin + own * (end - begin)).T[:, :-1]
        worst = np.maximum(worst, np.abs(there - solution.states[mine]).max(axis=0))
        if progress is not None:
            progress((k + 1) / solution.intervals)
    t, x, u = np.concatenate(times), np.vstack(states)[:, :-1], np.vstack(controls)
    path = path_values(problem, t, x, u)
    return Audit(
        time_s=read_only(t),
        states=read_only(x),
        controls=read_only(u),
        path=read_only(path),
        path_max=float(path.max()) if problem.path_size and complete else np.nan,
        off=read_only(path_off(problem, t, x, u)),
        beyond=read_only(beyond(problem, x, u)),
        cost=float(y[-1]) if complete else np.nan,
        difference=read_only(worst if complete else np.full(nx, np.inf)),
        complete=complete,
    )


def apart(solution: Solution, audit: Audit) -> float:
    """How far the audited motion ends from the planned one [rad, m]; rates count against the largest of the plan."""
    if not audit.complete:
        return np.inf
    sizes = np.maximum(1.0, np.abs(solution.states).max(axis=0))
    return float((np.abs(audit.states[-1] - solution.states[-1]) / sizes).max())


class _TooMany(Exception):
    """Raised from within an integration that gets nowhere."""


def _integrated(f: Any, jac: Any, span: tuple[float, float], y: FloatArray, relative: float, absolute: float) -> Any:
    """SciPy's solution over an interval; None where it fails, runs away, or takes steps too small to tell apart."""
    from scipy.integrate import solve_ivp

    counted = 0

    def rates(t: float, y: FloatArray) -> FloatArray:
        nonlocal counted
        counted += 1
        if counted > MOST_EVALUATIONS:
            raise _TooMany
        return np.asarray(f(t, y))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its status states what LSODA warns of
        try:
            found = solve_ivp(rates, span, y, "LSODA", dense_output=True, jac=jac, rtol=relative, atol=absolute)
        except (ValueError, np.linalg.LinAlgError, _TooMany):  # times that no longer increase, no numbers, no end
            return None
    gone = not found.success or not np.isfinite(found.y).all() or np.abs(found.y[:-1, -1]).max() > RUNAWAY
    return None if gone else found


def path_values(problem: Problem, time_s: FloatArray, states: FloatArray, controls: FloatArray) -> FloatArray:
    """Sum of squares of the residuals of the path at times (T,); zeros without a path."""
    import casadi as ca

    if not problem.path_size:
        return np.zeros(len(time_s))
    one = problem.dynamics
    value = ca.Function("l", [one.x, one.u, one.t], [ca.dot(problem.path, problem.path)]).map(len(time_s))
    return np.asarray(value(states.T, controls.T, time_s[None, :]), dtype=np.float64).ravel()


def path_off(problem: Problem, time_s: FloatArray, states: FloatArray, controls: FloatArray) -> FloatArray:
    """Largest size of each residual of the path (nf,), divided by how much it changes with states and controls.

    A residual may be a speed, a force or a power. Divided by the largest Σ |∂f/∂x| and Σ |∂f/∂u| times their ordinary
    sizes (at least 1), all are as large as the error of the motion that they tell of [rad, rad/s, m, m/s].
    """
    import casadi as ca

    if not problem.path_size:
        return np.zeros(0)
    one = problem.dynamics
    slopes = ca.horzcat(ca.jacobian(problem.path, one.x), ca.jacobian(problem.path, one.u))
    change = ca.fabs(slopes) @ ca.DM(np.concatenate([problem.size_x, problem.size_u]))
    both = ca.Function("f", [one.x, one.u, one.t], [problem.path, change]).map(len(time_s))
    values, sizes = (np.abs(np.asarray(part)).max(axis=1) for part in both(states.T, controls.T, time_s[None, :]))
    return np.asarray(values / np.maximum(1.0, sizes))


def beyond(problem: Problem, states: FloatArray, controls: FloatArray) -> FloatArray:
    """By how much states and controls leave their bounds at most (nx + nu,); 0 where they keep them."""
    values = np.hstack([states, controls])
    low, high = np.concatenate([problem.low, problem.least]), np.concatenate([problem.high, problem.most])
    return np.asarray(np.maximum(0.0, np.maximum(low - values, values - high)).max(axis=0))
