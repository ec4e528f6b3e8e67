"""IPOPT through CasADi: silent, with progress, and stoppable."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.progress import Cancelled, Progress
from biomec.machines.optimal_control.problem import Problem, Trajectory
from biomec.machines.optimal_control.solution import Solution
from biomec.machines.optimal_control.status import (
    FROM_IPOPT,
    NOT_A_NUMBER,
    OTHER,
    OVERDETERMINED,
    TIME_IS_UP,
    SolverStatus,
    hopeless_from_the_start,
    stopped_early,
)
from biomec.machines.time_limit import TimeUp


def watching(nlp: Any, progress: Progress | None) -> Any:
    """Callback of CasADi that tells ``progress`` how far the iterations are and lets it stop them."""
    import casadi as ca

    class Watch(ca.Callback):
        def __init__(self) -> None:
            ca.Callback.__init__(self)
            self.count = 0
            self.cancelled: Cancelled | None = None
            self.shapes = {"x": nlp["x"].sparsity(), "f": ca.Sparsity.dense(1, 1), "g": nlp["g"].sparsity()}
            self.shapes |= {"lam_x": self.shapes["x"], "lam_g": self.shapes["g"], "lam_p": ca.Sparsity(0, 0)}
            self.construct("watch", {})

        def get_n_in(self) -> int:
            return int(ca.nlpsol_n_out())

        def get_n_out(self) -> int:
            return 1

        def get_name_in(self, i: int) -> str:
            return str(ca.nlpsol_out(i))

        def get_sparsity_in(self, i: int) -> Any:
            return self.shapes[ca.nlpsol_out(i)]

        def eval(self, arg: Any) -> list[int]:
            self.count += 1
            if progress is not None:
                try:
                    progress(min(0.99, self.count / (self.count + 40.0)))  # iterations to come are not known
                except Cancelled as stop:
                    self.cancelled = stop
                    return [1]
            return [0]

    return Watch()


def solve(
    nlp: Any, bounds: Any, first: FloatArray, tolerance: float, most: int, warm: bool, watch: Any
) -> tuple[FloatArray, SolverStatus, int, float]:
    """Minimum of a nonlinear program: unknowns, how it ended, iterations, value. Raises `Cancelled` if stopped."""
    import casadi as ca

    values = ca.Function("values", [nlp["x"]], [nlp["f"], nlp["g"]])
    if not (np.isfinite(first).all() and all(np.isfinite(np.asarray(one)).all() for one in values(first))):
        return first, NOT_A_NUMBER, 0, np.nan
    if np.sum(bounds["lbg"] == bounds["ubg"]) > np.sum(bounds["lbx"] < bounds["ubx"]):
        return first, OVERDETERMINED, 0, np.nan  # CasADi would print a warning of its own
    settings: dict[str, Any] = {
        "print_level": 0,
        "sb": "yes",
        "tol": tolerance,
        "max_iter": most,
        "mu_strategy": "monotone",
        "acceptable_tol": 1e3 * tolerance,
        "acceptable_iter": 10,
    }
    if warm:
        settings |= {"mu_init": 1e-3}
    options = {"ipopt": settings, "print_time": False, "verbose": False, "iteration_callback": watch,
               "show_eval_warnings": False, "error_on_fail": False}  # fmt: skip
    solver = ca.nlpsol("solver", "ipopt", nlp, options)
    answer = solver(x0=first, **bounds)
    late = isinstance(watch.cancelled, TimeUp)
    if watch.cancelled is not None and not late:
        raise watch.cancelled
    statistics = solver.stats()
    status = TIME_IS_UP if late else FROM_IPOPT.get(statistics["return_status"], OTHER)
    found = np.asarray(answer["x"], dtype=np.float64).ravel()
    if not np.isfinite(found).all():
        return first, NOT_A_NUMBER, int(statistics["iter_count"]), np.nan
    value = np.nan if status is NOT_A_NUMBER else float(answer["f"])
    held = (answer["g"], bounds["lbg"], bounds["ubg"]), (answer["x"], bounds["lbx"], bounds["ubx"])
    off = max(violation(*(np.asarray(one, dtype=np.float64).ravel() for one in three)) for three in held)
    return found, stopped_early(status, off, tolerance), int(statistics["iter_count"]), value


def violation(values: FloatArray, low: FloatArray, high: FloatArray) -> float:
    """By how much the worst of some values leaves its bounds; infinite if one of them is NaN."""
    off = np.maximum(low - values, values - high).max(initial=0.0)
    return float(off) if np.isfinite(off) else np.inf


# ---------------------------------------------------------------------------------------------------------- collocation


AT_THE_START = 4  # points a gap in the first interval, where controls may jump


@dataclass(frozen=True)
class CollocationOptions:
    """Mesh and accuracy.

    intervals, degree : N equal intervals with d points each
    halvings          : of the first interval, because much happens at the start
    tolerance         : of IPOPT, on the scaled problem
    between           : points between those of an interval, a gap, at which the path holds too
    warm              : the guess is a solution of a problem nearby: stay close to it
    """

    intervals: int = 50
    degree: int = 3
    halvings: int = 3
    tolerance: float = 1e-7
    max_iterations: int = 400
    between: int = 1
    warm: bool = False


@dataclass(frozen=True, eq=False)
class TimeMesh:
    """Radau points: nodes (d,) of an interval of length 1, derivative (d+1, d), weights (d,); knots (N+1,) [s]."""

    nodes: FloatArray
    derivative: FloatArray
    weights: FloatArray
    knots: FloatArray

    @property
    def time_s(self) -> FloatArray:
        """Times of all points, without the start (N d,)."""
        return (self.knots[:-1, None] + self.nodes * np.diff(self.knots)[:, None]).ravel()


def radau_mesh(intervals: int, degree: int, duration_s: float, halvings: int = 0) -> TimeMesh:
    """Mesh of N equal intervals with d points each, the first of them halved so often towards the start."""
    import casadi as ca

    nodes = np.asarray(ca.collocation_points(degree, "radau"))
    derivative, _, weights = ca.collocation_coeff(list(nodes))
    knots = np.linspace(0.0, duration_s, intervals + 1)
    early = knots[1] * 0.5 ** np.arange(halvings, 0, -1)
    return TimeMesh(nodes, np.asarray(derivative), np.asarray(weights).ravel(), np.insert(knots, 1, early))


def solve_collocation(
    problem: Problem,
    guess: Trajectory,
    options: CollocationOptions = CollocationOptions(),
    progress: Progress | None = None,
) -> Solution:
    """Solution of a problem from a guess. A problem that cannot be solved gives a solution whose status says so."""
    begin = time.perf_counter()
    mesh = radau_mesh(options.intervals, options.degree, problem.duration_s, options.halvings)
    program = _program(problem, mesh, options.between)
    nodes = guess.at(mesh.time_s)
    first = program.packed(nodes.states, nodes.controls, np.zeros((len(nodes.time_s), program.nz)))
    hopeless = hopeless_from_the_start(problem)
    watch = watching(program.nlp, progress)
    if hopeless is not None:
        found, status, iterations, value = first, hopeless, 0, np.nan
    else:
        found, status, iterations, value = solve(
            program.nlp, program.bounds, first, options.tolerance, options.max_iterations, options.warm, watch
        )
    states, controls, _ = program.unpacked(found)
    everything = np.vstack([problem.start, states])
    times = np.concatenate([[0.0], mesh.time_s])
    before = _lagrange(mesh.nodes, 0.0) @ controls[: options.degree]
    return Solution(
        problem=problem,
        method="collocation",
        integrator=f"Radau {options.degree}",
        status=status,
        time_s=read_only(times),
        states=read_only(everything),
        controls=read_only(np.vstack([before, controls])),
        cost=value * problem.ordinary_cost(),
        iterations=iterations,
        seconds=time.perf_counter() - begin,
        knots=read_only(mesh.knots),
        tolerance=options.tolerance,
        degree=options.degree,
    )


@dataclass(frozen=True, eq=False)
class _Program:
    """The nonlinear program, with unknowns w = (x, u, z) of all points, each divided by its size."""

    nlp: Any
    bounds: Any
    size: FloatArray
    points: int
    nx: int
    nu: int
    nz: int

    def packed(self, states: FloatArray, controls: FloatArray, z: FloatArray) -> FloatArray:
        rows = np.hstack([states, controls, z]) / self.size
        return np.asarray(rows.ravel())

    def unpacked(self, w: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        rows = w.reshape(self.points, -1) * self.size
        return rows[:, : self.nx], rows[:, self.nx : self.nx + self.nu], rows[:, self.nx + self.nu :]


def _program(problem: Problem, mesh: TimeMesh, between: int) -> _Program:
    import casadi as ca

    one = problem.dynamics
    nx, nu, nz = one.x.numel(), one.u.numel(), one.z.numel()
    d, N, steps = len(mesh.nodes), len(mesh.knots) - 1, np.diff(mesh.knots)
    residual = ca.Function("residual", [one.rate, one.z, one.x, one.u, one.t], [one.residual])
    rate = ca.Function("cost", [one.x, one.u, one.t], [problem.cost])
    size = np.concatenate([problem.size_x, problem.size_u, np.full(nz, 100.0)])
    sizes = np.concatenate([problem.size_x * N / problem.duration_s, np.full(nz, 100.0)])  # of the equations
    inverse = ca.DM(1.0 / steps).T
    w = ca.MX.sym("w", size.size, d * N)
    whole = ca.diag(size) @ w
    x, u, z = whole[:nx, :], whole[nx : nx + nu, :], whole[nx + nu :, :]
    ends = x[:, d - 1 :: d]
    begins = ca.horzcat(ca.DM(problem.start), ends[:, : N - 1]) if N > 1 else ca.MX(ca.DM(problem.start))
    equations, costs = [], []
    inequalities = []
    gaps = []
    clear = None if problem.clear is None else ca.Function("clear", [one.x], [problem.clear]).map(N)
    path = None
    if problem.path_size:
        f = problem.path
        squares = ca.dot(f, f) / (problem.aim * problem.limit) if problem.limit > 0.0 else f[list(problem.conditions())]
        path_here = ca.Function("path", [one.x, one.u, one.t], [squares])
        path = path_here.map(N)
    stage, acting = [x[:, j::d] for j in range(d)], [u[:, j::d] for j in range(d)]
    for j in range(d):
        slope = mesh.derivative[0, j] * begins
        for i in range(d):
            slope += mesh.derivative[i + 1, j] * stage[i]
        times = ca.DM(mesh.knots[:-1] + mesh.nodes[j] * steps).T
        point = (stage[j], acting[j], times)
        off = residual.map(N)(slope * ca.repmat(inverse, nx, 1), z[:, j::d], *point)
        equations.append(ca.vec(ca.diag(1.0 / sizes) @ off))
        costs.append(mesh.weights[j] * ca.dot(rate.map(N)(*point), ca.DM(steps).T))
        if path is not None:
            inequalities.append(ca.vec(path(*point)))
        if clear is not None:
            gaps.append(ca.vec(clear(stage[j])))
    if clear is not None:
        gaps += [ca.vec(clear(_inside(mesh, begins, stage, acting, tau)[0])) for tau in _between(mesh.nodes, between)]
    if path is not None and problem.limit > 0.0:  # a polynomial must not leave the path between its points either
        for tau in _between(mesh.nodes, between):
            inequalities.append(ca.vec(path(*_inside(mesh, begins, stage, acting, tau))))
        for tau in _between(mesh.nodes, AT_THE_START):
            early = _inside(mesh, begins[:, 0], [one[:, 0] for one in stage], [one[:, 0] for one in acting], tau)
            inequalities.append(ca.vec(path_here(early[0], early[1], early[2][0])))
    low_i, high_i = (-np.inf, 1.0) if problem.limit > 0.0 else (0.0, 0.0)
    blocks = [(ca.vertcat(*equations), 0.0, 0.0), (ca.vertcat(*inequalities), low_i, high_i)]
    blocks.append((ca.vertcat(*gaps), 0.0, np.inf))
    blocks += [
        (ca.vec(one / size_k), low / size_k, high / size_k) for one, size_k, low, high in _hulls(problem, mesh, acting)
    ]
    g = ca.vertcat(*(one for one, _, _ in blocks))
    low_g, high_g = (np.concatenate([np.full(one[0].numel(), one[k]) for one in blocks]) for k in (1, 2))
    low = np.concatenate([problem.low, problem.least, np.full(nz, -np.inf)])
    high = np.concatenate([problem.high, problem.most, np.full(nz, np.inf)])
    low_w, high_w = (np.tile(one / size, (d * N, 1)) for one in (low, high))
    for k in np.flatnonzero(np.isfinite(problem.end)):
        low_w[-1, k] = high_w[-1, k] = problem.end[k] / size[k]
    nlp = {"x": ca.vec(w), "f": sum(costs[1:], costs[0]) / problem.ordinary_cost(), "g": g}
    bounds = {"lbx": low_w.ravel(), "ubx": high_w.ravel(), "lbg": low_g, "ubg": high_g}
    return _Program(nlp, bounds, size, d * N, nx, nu, nz)


def _hulls(problem: Problem, mesh: TimeMesh, acting: list[Any]) -> list[tuple[Any, float, float, float]]:
    """Bernstein coefficients (1, N) of bounded controls on all intervals, with size and bounds of the control.

    A polynomial lies within its coefficients, so that a control within bounds at the points stays so between them and
    where an interval begins. One whose bounds are the same is decided by its points, and needs none.
    """
    to_hull = np.linalg.inv(bernstein(mesh.nodes))
    found = []
    bounded = np.isfinite(problem.least) | np.isfinite(problem.most)
    for k in np.flatnonzero(bounded & (problem.least < problem.most)):
        for row in to_hull:
            value = sum(weight * at[k, :] for weight, at in zip(row, acting, strict=True))
            found.append((value, problem.size_u[k], problem.least[k], problem.most[k]))
    return found


def bernstein(at: FloatArray) -> FloatArray:
    """Values (T, d) of the d Bernstein polynomials of degree d − 1, with as many points of [0, 1] (T = d)."""
    degree = len(at) - 1
    return np.stack([comb(degree, k) * at**k * (1.0 - at) ** (degree - k) for k in range(degree + 1)], axis=1)


def _inside(mesh: TimeMesh, begins: Any, stage: list[Any], acting: list[Any], tau: float) -> tuple[Any, Any, Any]:
    """State, control and time of all intervals at a fraction of them."""
    import casadi as ca

    of_x, of_u = _lagrange(np.append(0.0, mesh.nodes), tau), _lagrange(mesh.nodes, tau)
    x = of_x[0] * begins
    for weight, value in zip(of_x[1:], stage, strict=True):
        x += weight * value
    u = of_u[0] * acting[0]
    for weight, value in zip(of_u[1:], acting[1:], strict=True):
        u += weight * value
    return x, u, ca.DM(mesh.knots[:-1] + tau * np.diff(mesh.knots)).T


def _between(nodes: FloatArray, count: int) -> FloatArray:
    """Points that divide each gap between the nodes of an interval, its beginning included, into equal parts."""
    ends = np.append(0.0, nodes)
    parts = np.arange(1, count + 1) / (count + 1)
    return np.asarray((ends[:-1, None] + parts * np.diff(ends)[:, None]).ravel())


def _lagrange(nodes: FloatArray, at: float) -> FloatArray:
    """Weights of the values at nodes in the polynomial through them, at a point."""
    factors = [[(at - b) / (a - b) for j, b in enumerate(nodes) if j != i] for i, a in enumerate(nodes)]
    return np.array([np.prod(one) for one in factors])
