"""What is asked of an optimal control: dynamics, cost, path, bounds, both ends.

    min ∫₀ᵀ w(x, u, t) dt     with     r(ẋ, z, x, u, t) = 0,   x(0) = x⁰,   x(T) = xᵀ where given,

bounds of x and u, and a path: residuals f(x, u, t) whose sum of squares stays below a limit, or which vanish.
Expressions are CasADi SX, so that every derivative is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.machines.optimal_control.planar_model import PlanarModel

SAMPLES = 8  # states at which residuals are compared
ROUND_OFF = 1e-12  # sum of squares of a path that is kept exactly
STABILISATION = 10.0  # 1/s, of Baumgarte's form γ − 2αΦ̇ − α²Φ: loops that drift apart close again


@dataclass(frozen=True, eq=False)
class Dynamics:
    """Equations of motion r(ẋ, z, x, u, t) = 0, and the same solved for ẋ.

    states, controls  : names
    x, u, t, rate, z  : symbols of state (nx,), control (nu,), time, ẋ (nx,) and multipliers (nz,)
    residual          : (nx + nz,) in these symbols;  explicit : ẋ (nx,) in x, u, t
    names             : what formulas may use, by name: expressions in x, u, t, or numbers
    closure           : what vanishes in every possible state: loops are closed and stay so; None if there are none
    """

    states: tuple[str, ...]
    controls: tuple[str, ...]
    x: Any
    u: Any
    t: Any
    rate: Any
    z: Any
    residual: Any
    explicit: Any
    names: Mapping[str, Any]
    closure: Any = None


def explicit_dynamics(
    states: tuple[str, ...], controls: tuple[str, ...], right_side: Callable[[Any, Any, Any], Any]
) -> Dynamics:
    """Dynamics ẋ = f(x, u, t), f written with CasADi; names of states and controls are names for formulas."""
    import casadi as ca

    x, u, t = ca.SX.sym("x", len(states)), ca.SX.sym("u", len(controls)), ca.SX.sym("t")
    rate = ca.SX.sym("rate", len(states))
    f = ca.vertcat(right_side(x, u, t))
    if f.numel() != len(states):
        raise BiomecError(f"The dynamics give {f.numel()} rates for {len(states)} states.")
    names = {name: x[k] for k, name in enumerate(states)} | {name: u[k] for k, name in enumerate(controls)}
    return Dynamics(states, controls, x, u, t, rate, ca.SX.sym("z", 0), rate - f, f, names | {"time": t})


def mechanical_dynamics(
    coordinates: tuple[str, ...],
    controls: tuple[str, ...],
    equations: Callable[[Any, Any, Any, Any], tuple[Any, Any]],
) -> Dynamics:
    """Dynamics M(q) v̇ = f(q, v, u, t); ``equations`` gives M and f, written with CasADi."""
    import casadi as ca

    n = len(coordinates)
    q, v, u, t = ca.SX.sym("q", n), ca.SX.sym("v", n), ca.SX.sym("u", len(controls)), ca.SX.sym("t")
    mass, force = equations(q, v, u, t)
    names = {name: q[k] for k, name in enumerate(coordinates)} | {
        f"rate_{name}": v[k] for k, name in enumerate(coordinates)
    }
    names |= {name: u[k] for k, name in enumerate(controls)} | {"time": t}
    none = ca.SX.zeros(0)
    return second_order(
        coordinates, controls, q, v, u, t, ca.SX(mass), ca.SX(force), none, ca.SX.zeros(0, n), none, names
    )


def machine_dynamics(model: PlanarModel) -> Dynamics:
    """Dynamics of a machine; x = (q, v)."""
    import casadi as ca

    t = ca.SX.sym("t")
    return second_order(model.coordinates, model.motors, model.q, model.v, model.u, t, model.mass, model.force,
                         model.closure, model.closure_jacobian, model.gamma, {**model.names, "time": t})  # fmt: skip


def second_order(
    coordinates: tuple[str, ...], controls: tuple[str, ...], q: Any, v: Any, u: Any, t: Any, mass: Any, force: Any,
    closure: Any, jacobian: Any, gamma: Any, names: Mapping[str, Any],
) -> Dynamics:  # fmt: skip
    """Dynamics M v̇ + Φqᵀ z = f, Φq v̇ = γ of expressions in q, v, u, t."""
    import casadi as ca

    n, m = len(coordinates), closure.numel()
    rate, z = ca.SX.sym("rate", 2 * n), ca.SX.sym("z", m)
    target = gamma
    rows = [rate[:n] - v, mass @ rate[n:] - force]
    if m:
        target = gamma - 2.0 * STABILISATION * jacobian @ v - STABILISATION**2 * closure
        rows = [rows[0], rows[1] + jacobian.T @ z, jacobian @ rate[n:] - target]
        saddle = ca.vertcat(ca.horzcat(mass, jacobian.T), ca.horzcat(jacobian, ca.SX.zeros(m, m)))
        acceleration = ca.solve(saddle, ca.vertcat(force, target))[:n]
    else:
        acceleration = ca.solve(mass, force)
    states = (*coordinates, *(f"rate of {name}" for name in coordinates))
    return Dynamics(states, controls, ca.vertcat(q, v), u, t, rate, z, ca.vertcat(*rows),
                    ca.vertcat(v, acceleration), names, ca.vertcat(closure, jacobian @ v) if m else None)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Problem:
    """An optimal control problem.

    cost       : what is integrated over time, an expression of the symbols of the dynamics
    start      : x⁰ (nx,);  end : xᵀ (nx,), NaN where it is free (empty: all free)
    clear      : expressions of the state that never become negative, such as gaps of stops; None without any
    path       : residuals f (nf,), expressions; nf = 0 without a path
    limit      : Σ f² stays at or below it; 0 makes the residuals vanish
    aim        : part of the limit that a solver stays within, below 1 where a mesh is known to leave it in between
    low, high  : bounds of x (nx,);  least, most : bounds of u (nu,); empty: none
    size_x, size_u : ordinary sizes of states and controls, which scale the numerical problem; empty: 1 and 100
    """

    dynamics: Dynamics
    duration_s: float
    cost: Any
    start: FloatArray
    path: Any = None
    limit: float = 0.0
    aim: float = 1.0
    end: FloatArray = field(default_factory=lambda: np.zeros(0))
    low: FloatArray = field(default_factory=lambda: np.zeros(0))
    high: FloatArray = field(default_factory=lambda: np.zeros(0))
    least: FloatArray = field(default_factory=lambda: np.zeros(0))
    most: FloatArray = field(default_factory=lambda: np.zeros(0))
    size_x: FloatArray = field(default_factory=lambda: np.zeros(0))
    size_u: FloatArray = field(default_factory=lambda: np.zeros(0))
    clear: Any = None

    def __post_init__(self) -> None:
        nx, nu = len(self.dynamics.states), len(self.dynamics.controls)
        empty = {"end": (nx, np.nan), "low": (nx, -np.inf), "high": (nx, np.inf), "least": (nu, -np.inf),
                 "most": (nu, np.inf), "size_x": (nx, 1.0), "size_u": (nu, 100.0), "start": (nx, np.nan)}  # fmt: skip
        for name, (size, value) in empty.items():
            given = np.asarray(getattr(self, name), dtype=np.float64)
            if given.size not in (0, size):
                raise BiomecError(f"Optimal control: {name} has {given.size} numbers, and needs {size}.")
            object.__setattr__(self, name, read_only(given if given.size else np.full(size, value)))
        if not np.isfinite(self.start).all():
            raise BiomecError("Optimal control: the state at the start is not known; some of its numbers are missing.")
        if not (np.isfinite(self.duration_s) and self.duration_s > 0.0):
            raise BiomecError(f"Optimal control: a duration of {self.duration_s:g} s is not possible.")
        if not (np.isfinite(self.limit) and self.limit >= 0.0):
            raise BiomecError("Optimal control: the limit of the path must be zero or a positive number.")
        if (self.low > self.high).any() or (self.least > self.most).any():
            raise BiomecError("Optimal control: a lower bound lies above its upper bound.")

    def ordinary_cost(self) -> float:
        """Cost of controls of ordinary size at the start, kept up: what costs are measured by. 1 if that is nothing."""
        import casadi as ca

        one = self.dynamics
        rate = float(ca.Function("rate", [one.x, one.u, one.t], [self.cost])(self.start, self.size_u, 0.0))
        found = abs(rate) * self.duration_s
        return found if np.isfinite(found) and found > 0.0 else 1.0

    def start_off_path(self) -> float | None:
        """Sum of squares of the path at the start where it is too large already, and nothing can help; else None."""
        import casadi as ca

        one = self.dynamics
        if not self.path_size or ca.depends_on(self.path, one.u):
            return None
        squares = ca.dot(self.path, self.path)
        value = float(ca.Function("l", [one.x, one.t], [squares])(self.start, 0.0))
        return None if value <= self.limit * (1.0 + 1e-6) + ROUND_OFF else value

    def least_clear(self, states: FloatArray) -> FloatArray:
        """Least value of each of ``clear`` along states (T, nx)."""
        import casadi as ca

        if self.clear is None:
            return np.zeros(0)
        value = ca.Function("clear", [self.dynamics.x], [self.clear]).map(len(states))
        return np.asarray(np.asarray(value(states.T)).min(axis=1))

    def conditions(self) -> tuple[int, ...]:
        """Places of the residuals that hold all others: neither those whose rate is a residual too, nor any twice.

        A gap that is closed at the start and whose rate vanishes stays so; what depends on torques has no such rate.
        Rates and residuals are compared, up to a factor, at a few states.
        """
        import casadi as ca

        one, count = self.dynamics, self.path_size
        if not count:
            return ()
        rates = ca.jacobian(self.path, one.x) @ one.explicit + ca.jacobian(self.path, one.t)
        random = np.random.default_rng(1)
        both = ca.Function("f", [one.x, one.u, one.t], [self.path, rates]).map(SAMPLES)
        states = self.start[:, None] + self.size_x[:, None] * random.normal(0.0, 0.3, (self.start.size, SAMPLES))
        controls = self.size_u[:, None] * random.normal(0.0, 0.3, (self.size_u.size, SAMPLES))
        values, changes = (
            np.asarray(part) for part in both(states, controls, self.duration_s * random.random(SAMPLES))
        )
        acting = ca.which_depends(self.path, one.u, 1, True)
        begins = np.asarray(ca.Function("f", [one.x, one.u, one.t], [self.path])(self.start, 0.0, 0.0)).ravel()
        lasts = [not acts and begin**2 <= ROUND_OFF for acts, begin in zip(acting, begins, strict=True)]
        implied = [
            lasts[i] and any(j != i and _alike(changes[i], values[j]) for j in range(count)) for i in range(count)
        ]
        twice = [any(_alike(values[i], values[j]) for j in range(i)) for i in range(count)]
        return tuple(i for i in range(count) if not (implied[i] or twice[i]))

    @property
    def path_size(self) -> int:
        """Number of residuals of the path."""
        return 0 if self.path is None else int(self.path.numel())


@dataclass(frozen=True, eq=False)
class Trajectory:
    """States and controls at times: a guess, or a solution. time_s (T,), states (T, nx), controls (T, nu).

    smooth : cubic splines give what lies between the times; otherwise straight lines do
    """

    time_s: FloatArray
    states: FloatArray
    controls: FloatArray
    smooth: bool = False

    def at(self, time_s: ArrayLike) -> Trajectory:
        """The same at other times; constant beyond its ends."""
        t = np.asarray(time_s, dtype=np.float64)
        if self.smooth:
            from scipy.interpolate import CubicSpline

            inside = np.clip(t, self.time_s[0], self.time_s[-1])
            both = CubicSpline(self.time_s, np.hstack([self.states, self.controls]))(inside)
            nx = self.states.shape[1]
            return Trajectory(t, both[:, :nx], both[:, nx:], smooth=True)
        return Trajectory(t, _between(t, self.time_s, self.states), _between(t, self.time_s, self.controls))

    def stretched(self, duration_s: float) -> Trajectory:
        """Its beginning where a shorter time is asked for; else the same, whose last state is held on."""
        if duration_s <= self.time_s[-1]:
            return self.at(np.append(self.time_s[self.time_s < duration_s], duration_s))
        return self.at(np.append(self.time_s, duration_s))


def _alike(a: FloatArray, b: FloatArray) -> bool:
    """Whether one row of numbers is a multiple of another, and neither is nothing."""
    sizes = float(np.linalg.norm(a) * np.linalg.norm(b))
    return sizes > 0.0 and abs(abs(float(a @ b)) / sizes - 1.0) < 1e-12


def _between(t: FloatArray, time_s: FloatArray, values: FloatArray) -> FloatArray:
    made = np.zeros((len(t), values.shape[1]))
    for k, column in enumerate(values.T):
        made[:, k] = np.interp(t, time_s, column)
    return made
