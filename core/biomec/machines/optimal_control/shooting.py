"""Direct shooting: the controls are splines, the motion follows by integration, a quadratic program improves them.

The way of [Silva2007]: unknowns are the coefficients of the splines alone, every iterate obeys the equations of motion,
and the path holds at the ends of the intervals only. It is slower than collocation and fails where that does not:
an unstable motion magnifies every change of the early controls. It is here for comparison.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.machines.optimal_control.problem import Problem, Trajectory
from biomec.machines.optimal_control.solution import Solution
from biomec.machines.optimal_control.status import (
    LINE_SEARCH,
    MOST_ITERATIONS,
    NO_FEASIBLE_POINT,
    NO_GRADIENT,
    NORMAL,
    NOT_A_NUMBER,
    OTHER,
    TIME_IS_UP,
    SolverStatus,
    hopeless_from_the_start,
    stopped_early,
)
from biomec.machines.time_limit import TimeUp

RK4, IMPLICIT = "RK4", "implicit"
INTEGRATORS = (RK4, IMPLICIT)
FROM_SLSQP = {0: NORMAL, 2: OTHER, 3: NO_FEASIBLE_POINT, 4: NO_FEASIBLE_POINT, 5: NO_GRADIENT, 6: NO_GRADIENT,
              7: NO_GRADIENT, 8: LINE_SEARCH, 9: MOST_ITERATIONS}  # fmt: skip
FEASIBLE = 1e-3  # of the limit: what the path may be exceeded by where the search ends


@dataclass(frozen=True)
class ShootingOptions:
    """Mesh, splines and accuracy.

    intervals, order : N equal intervals; splines of order 2 (linear) or 4 (cubic), with N + order − 1 coefficients
    integrator       : ``RK4`` with one step an interval, or ``implicit`` (Radau IIA, for stiff machines)
    tolerance        : of SciPy's SLSQP, on the cost
    """

    intervals: int = 50
    order: int = 2
    integrator: str = RK4
    tolerance: float = 1e-6
    max_iterations: int = 200


def solve_shooting(
    problem: Problem, guess: Trajectory, options: ShootingOptions = ShootingOptions(), progress: Progress | None = None
) -> Solution:
    """Solution from the controls of a guess. What goes wrong becomes its status."""
    from scipy.optimize import minimize

    begin = time.perf_counter()
    shot = _Shot(problem, options)
    first = shot.fitted(guess)
    counted, latest = 0, first

    def report(w: FloatArray) -> None:
        nonlocal counted, latest
        counted, latest = counted + 1, np.array(w)
        if progress is not None:
            progress(min(0.99, counted / (counted + 40.0)))

    hopeless = hopeless_from_the_start(problem)
    if hopeless is not None:
        return shot.solution(first, hopeless, 0, begin)
    value, slopes = shot.values(first), shot.slopes(first)
    if not all(np.isfinite(one).all() for one in value):
        return shot.solution(first, NOT_A_NUMBER, 0, begin)
    if not all(np.isfinite(one).all() for one in slopes):
        return shot.solution(first, NO_GRADIENT, 0, begin)
    kinds = (("eq", 1), ("ineq", 2))
    constraints = [
        {"type": kind, "fun": lambda w, k=k: shot.values(w)[k], "jac": lambda w, k=k: shot.slopes(w)[k]}
        for kind, k in kinds
        if value[k].size
    ]
    try:
        found = minimize(
            lambda w: float(shot.values(w)[0][0]),
            first,
            jac=lambda w: shot.slopes(w)[0].ravel(),
            method="SLSQP",
            bounds=list(zip(*shot.coefficient_bounds(), strict=True)),
            constraints=constraints,
            options={"maxiter": options.max_iterations, "ftol": options.tolerance},
            callback=report,
        )
    except TimeUp:
        return shot.solution(latest, TIME_IS_UP, counted, begin)
    return shot.solution(np.asarray(found.x), shot.judged(found.x, int(found.status)), int(found.nit), begin)


class _Shot:
    """Motion, cost and constraints as functions of the spline coefficients, each divided by its size."""

    def __init__(self, problem: Problem, options: ShootingOptions) -> None:
        if options.order not in (2, 4) or options.intervals < 2:
            raise BiomecError("Shooting takes splines of order 2 or 4 on at least 2 intervals.")
        if options.integrator not in INTEGRATORS:
            raise BiomecError(f"Shooting integrates by {' or '.join(INTEGRATORS)}, not {options.integrator}.")
        if problem.clear is not None:
            raise BiomecError("Shooting does not keep clear of stops. Choose collocation, or take the stops out.")
        import casadi as ca

        self.problem, self.options, self.ca = problem, options, ca
        one = problem.dynamics
        self.nu, self.count = one.u.numel(), options.intervals + options.order - 1
        N, h = options.intervals, problem.duration_s / options.intervals
        nodes = (0.0, 0.5, 1.0) if options.integrator == RK4 else tuple(ca.collocation_points(3, "radau"))
        w = ca.MX.sym("w", self.nu * self.count)
        coefficients = ca.diag(ca.DM(problem.size_u)) @ ca.reshape(w, self.nu, self.count)
        knots: FloatArray = np.arange(N, dtype=np.float64) * h
        acting = [coefficients @ ca.DM(self.basis(knots + node * h)).T for node in nodes]
        step = self._rk4(h) if options.integrator == RK4 else self._implicit(h)
        start = ca.DM(np.append(problem.start, 0.0))
        motion = step.mapaccum(N)(start, ca.vertcat(*acting), ca.DM(knots).T)
        states, cost = motion[:-1, :], motion[-1, -1]
        self.motion = ca.Function("motion", [w], [states])
        end = np.flatnonzero(np.isfinite(problem.end))
        equal = [ca.vec((states[k, -1] - problem.end[k]) / problem.size_x[k]) for k in end]
        least: list[Any] = []
        if problem.path_size:
            f, conditions = problem.path, list(problem.conditions())
            kept = 1.0 - ca.dot(f, f) / (problem.aim * problem.limit) if problem.limit > 0.0 else f[conditions]
            last = coefficients @ ca.DM(self.basis(knots + h)).T
            path = ca.Function("path", [one.x, one.u, one.t], [kept]).map(N)(states, last, ca.DM(knots + h).T)
            (least if problem.limit > 0.0 else equal).append(ca.vec(path))
        for k in range(one.x.numel()):
            for side, bound in ((1.0, problem.low[k]), (-1.0, problem.high[k])):
                if np.isfinite(bound):
                    least.append(ca.vec(side * (states[k, :] - bound)) / problem.size_x[k])
        parts = [
            cost / problem.ordinary_cost(),
            *(ca.vertcat(*some) if some else ca.MX(0, 1) for some in (equal, least)),
        ]
        self._values = ca.Function("values", [w], parts)
        self._slopes = ca.Function("slopes", [w], [ca.densify(ca.jacobian(part, w)) for part in parts])
        self._kept: dict[str, tuple[bytes, list[FloatArray]]] = {}

    def _rk4(self, h: float) -> Any:
        ca, one = self.ca, self.problem.dynamics
        rates = ca.Function("rates", [one.x, one.u, one.t], [ca.vertcat(one.explicit, self.problem.cost)])
        y, u, t = ca.SX.sym("y", one.x.numel() + 1), ca.SX.sym("u", 3 * self.nu), ca.SX.sym("t")
        x, (u1, u2, u3) = y[:-1], ca.vertsplit(u, self.nu)
        k1 = rates(x, u1, t)
        k2 = rates(x + 0.5 * h * k1[:-1], u2, t + 0.5 * h)
        k3 = rates(x + 0.5 * h * k2[:-1], u2, t + 0.5 * h)
        k4 = rates(x + h * k3[:-1], u3, t + h)
        return ca.Function("step", [y, u, t], [y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)])

    def _implicit(self, h: float) -> Any:
        """One step of Radau IIA, its stages found by Newton's method."""
        ca, one = self.ca, self.problem.dynamics
        nx, d = one.x.numel(), 3
        nodes = np.asarray(ca.collocation_points(d, "radau"))
        slope, _, weights = (np.asarray(part) for part in ca.collocation_coeff(list(nodes)))
        rates = ca.Function("rates", [one.x, one.u, one.t], [one.explicit])
        cost = ca.Function("cost", [one.x, one.u, one.t], [self.problem.cost])
        stage, y, u, t = ca.SX.sym("s", nx * d), ca.SX.sym("y", nx + 1), ca.SX.sym("u", d * self.nu), ca.SX.sym("t")
        xs, us = ca.vertsplit(stage, nx), ca.vertsplit(u, self.nu)
        off, paid = [], 0.0
        for j in range(d):
            moved = slope[0, j] * y[:-1] + sum(slope[i + 1, j] * xs[i] for i in range(d))
            off.append(moved - h * rates(xs[j], us[j], t + nodes[j] * h))
            paid += h * weights.ravel()[j] * cost(xs[j], us[j], t + nodes[j] * h)
        equations = {"x": stage, "p": ca.vertcat(y, u, t), "g": ca.vertcat(*off)}
        newton = ca.rootfinder("newton", "newton", equations, {"error_on_fail": False, "abstol": 1e-11})
        given, forces, when = ca.MX.sym("y", nx + 1), ca.MX.sym("u", d * self.nu), ca.MX.sym("t")
        found = newton(x0=ca.repmat(given[:-1], d, 1), p=ca.vertcat(given, forces, when))["x"]
        paying = ca.Function("paid", [stage, y, u, t], [paid])
        after = ca.vertcat(found[nx * (d - 1) :], given[-1] + paying(found, given, forces, when))
        return ca.Function("step", [given, forces, when], [after])

    # ------------------------------------------------------------------------------------------------------ splines
    def basis(self, at: FloatArray) -> FloatArray:
        """Values (T, count) of the splines at times."""
        from scipy.interpolate import BSpline

        degree, T = self.options.order - 1, self.problem.duration_s
        knots = np.concatenate([np.zeros(degree), np.linspace(0.0, T, self.options.intervals + 1), np.full(degree, T)])
        return np.asarray(BSpline.design_matrix(np.clip(at, 0.0, T), knots, degree).toarray())

    def fitted(self, guess: Trajectory) -> FloatArray:
        """Coefficients nearest to the controls of a guess."""
        times = np.linspace(0.0, self.problem.duration_s, 4 * self.options.intervals + 1)
        wished = guess.at(times).controls / self.problem.size_u
        return np.asarray(np.linalg.lstsq(self.basis(times), wished, rcond=None)[0].ravel())

    def coefficient_bounds(self) -> tuple[FloatArray, FloatArray]:
        """A spline lies within its coefficients, so bounds of the controls are bounds of those."""
        low, high = (np.tile(b / self.problem.size_u, self.count) for b in (self.problem.least, self.problem.most))
        return low, high

    # ------------------------------------------------------------------------------------------------------- values
    def values(self, w: FloatArray) -> list[FloatArray]:
        """Cost (1,), what must vanish, and what must not be negative."""
        return [one.ravel() for one in self._once("values", self._values, w)]

    def slopes(self, w: FloatArray) -> list[FloatArray]:
        """Their derivatives by the coefficients."""
        return self._once("slopes", self._slopes, w)

    def _once(self, name: str, function: Any, w: FloatArray) -> list[FloatArray]:
        key = np.asarray(w, dtype=np.float64).tobytes()
        if self._kept.get(name, (b"", []))[0] != key:
            try:
                made = [np.asarray(one, dtype=np.float64) for one in function(w)]
            except RuntimeError:  # an implicit step without a solution
                made = [np.full(function.size_out(k), np.nan) for k in range(function.n_out())]
            self._kept[name] = (key, made)
        return self._kept[name][1]

    def judged(self, w: FloatArray, code: int) -> SolverStatus:
        """How a search of SLSQP ended."""
        cost, equal, least = self.values(w)
        if not (np.isfinite(cost).all() and np.isfinite(equal).all() and np.isfinite(least).all()):
            return NOT_A_NUMBER
        off = max(np.abs(equal).max(initial=0.0), -least.min(initial=0.0))
        status = FROM_SLSQP.get(code, OTHER)
        if status.succeeded and off > FEASIBLE:
            return NO_FEASIBLE_POINT
        return stopped_early(status, float(off), self.options.tolerance)

    def solution(self, w: FloatArray, status: SolverStatus, iterations: int, begin: float) -> Solution:
        """The solution of coefficients."""
        problem, N, order = self.problem, self.options.intervals, self.options.order
        knots = np.linspace(0.0, problem.duration_s, N + 1)
        h = knots[1]
        inside = np.arange(1, order + 1) / order
        times = np.concatenate([[0.0], (knots[:-1, None] + inside * h).ravel()])
        coefficients = w.reshape(self.count, self.nu) * problem.size_u
        controls = self.basis(times) @ coefficients
        try:
            ends = np.vstack([problem.start, np.asarray(self.motion(w)).T])
        except RuntimeError:
            ends = np.full((N + 1, len(problem.start)), np.nan)
        return Solution(
            problem=problem,
            method="shooting",
            integrator=self.options.integrator,
            status=status,
            time_s=read_only(times),
            states=read_only(self._hermite(knots, ends, self.basis(knots) @ coefficients, inside)),
            controls=read_only(controls),
            cost=np.nan
            if status is NOT_A_NUMBER or not iterations
            else float(self.values(w)[0][0]) * problem.ordinary_cost(),
            iterations=iterations,
            seconds=time.perf_counter() - begin,
            knots=read_only(knots),
            tolerance=self.options.tolerance,
            degree=order,
        )

    def _hermite(self, knots: FloatArray, ends: FloatArray, controls: FloatArray, inside: FloatArray) -> FloatArray:
        """States at all times, from those at the knots and their rates."""
        ca, one = self.ca, self.problem.dynamics
        rates = ca.Function("rates", [one.x, one.u, one.t], [one.explicit]).map(len(knots))
        slopes = np.asarray(rates(ends.T, controls.T, knots[None, :])).T
        h, s = knots[1], inside[None, :, None]
        a, b, da, db = ends[:-1, None], ends[1:, None], h * slopes[:-1, None], h * slopes[1:, None]
        made = (1 + 2 * s) * (1 - s) ** 2 * a + s**2 * (3 - 2 * s) * b + s * (1 - s) ** 2 * da + s**2 * (s - 1) * db
        return np.vstack([ends[:1], made.reshape(-1, ends.shape[1])])
