"""Forward dynamics in plain dense algebra: five formulations, two integrators; and a double pendulum in two angles.

Written to be read beside the equations and to judge faster code: nothing is vectorised. Of the engine only M, Φ, Φq and
c = −Φ̇q q̇ are used. Constraints must not depend on time, so that Φ̇ = Φq q̇ and Φ̈ = Φq q̈ − c.

    M q̈ + Φqᵀ λ = Q        the constraints act on the system with −Φqᵀ λ

    LC    classic Lagrange, index 1                                      [Nunes2017] Eq. 2.107
    LE    the same with Baumgarte's stabilisation [Baumgarte1972]        Eqs. 2.110-2.112
    LP    penalty                                                        Eqs. 2.113-2.115
    LA    augmented Lagrangian, index 1 [BayoAvello1994]                 Eqs. 2.116-2.119
    LAP   augmented Lagrangian, index 3, trapezoidal rule, projections   Eqs. 2.120-2.138, [BayoLedesma1996]

LC, LE, LP and LA are functions (q, q̇) -> (q̈, λ) that any integrator can call; LAP is formulation and integrator in one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.engine.system import System

Force = Callable[[FloatArray, FloatArray, float], FloatArray]  # Q(q, q̇, t), (n,)


@dataclass(frozen=True)
class Options:
    """Settings of all methods; each uses those it needs."""

    xi: float = 1.0  # damping ratio ξ of the stabilisation
    omega: float = 10.0  # its frequency ω [rad/s]
    alpha: float = 1e7  # penalty factor α
    tolerance: float = 1e-10  # where iterations end
    max_iterations: int = 50
    projection_passes: int = 1  # of LAP; 1 is the pure penalty, further passes add multipliers


@dataclass(frozen=True)
class Problem:
    """A system with its mass matrix M (n, n), dense, and applied forces Q(q, q̇, t) (n,)."""

    system: System
    M: FloatArray
    Q: Force


def under_gravity(system: System) -> Problem:
    """Return the problem of a system on which nothing but its weight acts."""
    return Problem(system, system.mass_matrix.toarray(), lambda q, qdot, t: system.gravity_force)


@dataclass(frozen=True)
class Motion:
    """States at t = 0, h, 2h, …

    t (T,) [s], q, q̇, q̈ (T, n), multipliers λ (T, m), and iterations (T−1,): how many each step took.
    """

    t: FloatArray
    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    multipliers: FloatArray
    iterations: FloatArray


class NotConverged(RuntimeError):
    """Raised instead of returning what unfinished iterations give, which would be the result of no method at all."""


# --------------------------------------------------------------------------------------------------------- formulations

Formulation = Callable[[Problem, FloatArray, FloatArray, float, Options], tuple[FloatArray, FloatArray]]


def lagrange_matrix(M: FloatArray, Phi_q: FloatArray) -> FloatArray:
    """[[M, Φqᵀ], [Φq, 0]], (n+m, n+m); singular if rows of Φq depend on each other."""
    m = len(Phi_q)
    return np.block([[M, Phi_q.T], [Phi_q, np.zeros((m, m))]])


def penalty_matrix(M: FloatArray, Phi_q: FloatArray, alpha: float) -> FloatArray:
    """M + Φqᵀ α Φq, (n, n); positive definite if M is, whatever the rank of Φq."""
    return M + alpha * Phi_q.T @ Phi_q


def lc(problem: Problem, q: FloatArray, qdot: FloatArray, t: float, options: Options) -> tuple[FloatArray, FloatArray]:
    """[[M, Φqᵀ], [Φq, 0]] {q̈; λ} = {Q; c}."""
    Phi_q, c = problem.system.jacobian(q), problem.system.acceleration_rhs(q, qdot)
    x = np.linalg.solve(lagrange_matrix(problem.M, Phi_q), np.concatenate([problem.Q(q, qdot, t), c]))
    return x[: len(q)], x[len(q) :]


def le(problem: Problem, q: FloatArray, qdot: FloatArray, t: float, options: Options) -> tuple[FloatArray, FloatArray]:
    """[[M, Φqᵀ], [Φq, 0]] {q̈; λ} = {Q; c − 2ξω Φ̇ − ω² Φ}."""
    Phi_q, c = problem.system.jacobian(q), problem.system.acceleration_rhs(q, qdot)
    required = c - _stabilisation(problem, q, Phi_q @ qdot, options)
    x = np.linalg.solve(lagrange_matrix(problem.M, Phi_q), np.concatenate([problem.Q(q, qdot, t), required]))
    return x[: len(q)], x[len(q) :]


def lp(problem: Problem, q: FloatArray, qdot: FloatArray, t: float, options: Options) -> tuple[FloatArray, FloatArray]:
    """(M + ΦqᵀαΦq) q̈ = Q − Φqᵀα(2ξω Φ̇ + ω² Φ − c),   λ = α(Φ̈ + 2ξω Φ̇ + ω² Φ)."""
    Phi_q, c = problem.system.jacobian(q), problem.system.acceleration_rhs(q, qdot)
    required = c - _stabilisation(problem, q, Phi_q @ qdot, options)
    rhs = problem.Q(q, qdot, t) + Phi_q.T @ (options.alpha * required)
    qddot = np.linalg.solve(penalty_matrix(problem.M, Phi_q, options.alpha), rhs)
    return qddot, options.alpha * (Phi_q @ qddot - required)


def la(problem: Problem, q: FloatArray, qdot: FloatArray, t: float, options: Options) -> tuple[FloatArray, FloatArray]:
    """LP repeated with multipliers from λ = 0:  … = Q − Φqᵀ(λ + α(…)),   λ ← λ + α(Φ̈ + 2ξω Φ̇ + ω² Φ).

    It ends when ‖Φ̈ + 2ξω Φ̇ + ω² Φ‖ falls below the tolerance. The change of q̈ is not a measure: its part along the
    motions that are free carries the round-off of the penalty, 1e-16 α ‖q̈‖, which is 1e-8 at α = 1e7.
    """
    Phi_q, c = problem.system.jacobian(q), problem.system.acceleration_rhs(q, qdot)
    required = c - _stabilisation(problem, q, Phi_q @ qdot, options)
    Q, matrix = problem.Q(q, qdot, t), penalty_matrix(problem.M, Phi_q, options.alpha)
    multipliers = np.zeros(len(c))
    for _ in range(options.max_iterations):
        qddot = np.linalg.solve(matrix, Q + Phi_q.T @ (options.alpha * required - multipliers))
        violation = Phi_q @ qddot - required
        multipliers = multipliers + options.alpha * violation
        if np.linalg.norm(violation) < options.tolerance:
            return qddot, multipliers
    raise NotConverged(f"LA: {np.linalg.norm(violation):.1e} is left after {options.max_iterations} iterations.")


def _stabilisation(problem: Problem, q: FloatArray, Phi_dot: FloatArray, options: Options) -> FloatArray:
    """2ξω Φ̇ + ω² Φ, (m,)."""
    return 2.0 * options.xi * options.omega * Phi_dot + options.omega**2 * problem.system.residual(q)


FORMULATIONS: dict[str, Formulation] = {"LC": lc, "LE": le, "LP": lp, "LA": la}


# ---------------------------------------------------------------------------------------------------------- integrators

ADAMS_BASHFORTH_3 = np.array([23.0, -16.0, 5.0]) / 12.0  # of f, f₋₁, f₋₂
ADAMS_MOULTON_4 = np.array([9.0, 19.0, -5.0, 1.0]) / 24.0  # of f⁺, f, f₋₁, f₋₂

State = tuple[FloatArray, FloatArray, FloatArray, FloatArray, int]  # q, q̇, q̈, λ, iterations of the last step


def trapezoidal(
    problem: Problem, formulation: Formulation, q: FloatArray, qdot: FloatArray, h: float, steps: int, options: Options
) -> Motion:
    """Integrate with the trapezoidal rule from (q, q̇)."""
    states: list[State] = [(q, qdot, *formulation(problem, q, qdot, 0.0, options), 0)]
    for k in range(steps):
        states.append(_trapezoidal_step(problem, formulation, states[-1], k * h, h, options))
    return _motion(states, h)


def _trapezoidal_step(
    problem: Problem, formulation: Formulation, state: State, t: float, h: float, options: Options
) -> State:
    """q⁺ = q + h/2 (q̇ + q̇⁺),   q̇⁺ = q̇ + h/2 (q̈ + q̈⁺)   by fixed-point iterations, [Nunes2017] Eq. 2.122.

    They start from q + h q̇, q̇ + h q̈ (Eq. 5.21 prints h/2) and end when ‖(Δq, h Δq̇)‖ [m] falls below the tolerance.
    """
    q0, qdot0, qddot0, _, _ = state
    q, qdot = q0 + h * qdot0, qdot0 + h * qddot0
    for iteration in range(1, options.max_iterations + 1):
        qddot, _ = formulation(problem, q, qdot, t + h, options)
        dq = q0 + 0.5 * h * (qdot0 + qdot) - q
        dqdot = qdot0 + 0.5 * h * (qddot0 + qddot) - qdot
        q, qdot = q + dq, qdot + dqdot
        if np.hypot(np.linalg.norm(dq), h * np.linalg.norm(dqdot)) < options.tolerance:
            return q, qdot, *formulation(problem, q, qdot, t + h, options), iteration
    raise NotConverged(f"Trapezoidal rule: no end after {options.max_iterations} iterations at t = {t:g} s.")


def abam(
    problem: Problem, formulation: Formulation, q: FloatArray, qdot: FloatArray, h: float, steps: int, options: Options
) -> Motion:
    """Adams-Bashforth of order 3 predicts, Adams-Moulton of order 4 corrects and is iterated; y = {q; q̇}, f = {q̇; q̈}.

        y⁺ = y + h/12 (23 f − 16 f₋₁ + 5 f₋₂)           y⁺ = y + h/24 (9 f⁺ + 19 f − 5 f₋₁ + f₋₂)

    [Nunes2017] Tables 5.2, 5.3. The first two steps are trapezoidal. Iterations end as there.
    """
    states: list[State] = [(q, qdot, *formulation(problem, q, qdot, 0.0, options), 0)]
    for k in range(steps):
        if k < 2:
            states.append(_trapezoidal_step(problem, formulation, states[-1], k * h, h, options))
        else:
            states.append(_abam_step(problem, formulation, states[-3:], k * h, h, options))
    return _motion(states, h)


def _abam_step(
    problem: Problem, formulation: Formulation, last: list[State], t: float, h: float, options: Options
) -> State:
    """One step from the last three states, oldest first."""
    n = problem.system.n
    f = np.array([np.concatenate(state[1:3]) for state in reversed(last)])  # (3, 2n), newest first
    y0 = np.concatenate(last[-1][:2])
    y = y0 + h * ADAMS_BASHFORTH_3 @ f
    for iteration in range(1, options.max_iterations + 1):
        qddot, _ = formulation(problem, y[:n], y[n:], t + h, options)
        f_new = np.concatenate([y[n:], qddot])
        dy = y0 + h * ADAMS_MOULTON_4 @ np.vstack([f_new, f]) - y
        y = y + dy
        if np.hypot(np.linalg.norm(dy[:n]), h * np.linalg.norm(dy[n:])) < options.tolerance:
            return y[:n], y[n:], *formulation(problem, y[:n], y[n:], t + h, options), iteration
    raise NotConverged(f"ABAM: no end after {options.max_iterations} iterations at t = {t:g} s.")


def lap(problem: Problem, q: FloatArray, qdot: FloatArray, h: float, steps: int, options: Options) -> Motion:
    """LAP: trapezoidal rule with q as unknown, Φ = 0 by multipliers, then q̇ and q̈ projected onto the constraints.

        f(q) = h²/4 (M q̈ + Φqᵀ(αΦ + λ) − Q) = 0   with   q̇ = 2/h q + q̂̇,   q̈ = 4/h² q + q̂̈        Eqs. 2.123-2.128

    by Newton's method with f' ≈ M + h²/4 ΦqᵀαΦq and λ ← λ + αΦ between iterations, until ‖Δq‖ falls below the
    tolerance. Derivatives of Q are left out of f': stiff springs would need them to converge, not to be right.
    (2.124 lost the dots of its last q̂; Δq of 2.125 is the change between iterations.)
    """
    system, M, alpha = problem.system, problem.M, options.alpha
    qddot, _ = lp(problem, q, qdot, 0.0, options)
    multipliers = np.zeros(system.m)
    states: list[State] = [(q, qdot, qddot, multipliers, 0)]
    for k in range(steps):
        qdot_hat = -(2.0 / h * q + qdot)
        qddot_hat = -(4.0 / h**2 * q + 4.0 / h * qdot + qddot)
        q = q + h * qdot + 0.5 * h**2 * qddot
        for iteration in range(1, options.max_iterations + 1):
            qdot, qddot = 2.0 / h * q + qdot_hat, 4.0 / h**2 * q + qddot_hat
            Phi, Phi_q = system.residual(q), system.jacobian(q)
            if iteration > 1:
                multipliers = multipliers + alpha * Phi
            reaction = Phi_q.T @ (alpha * Phi + multipliers)
            f = 0.25 * h**2 * (M @ qddot + reaction - problem.Q(q, qdot, (k + 1) * h))
            dq = np.linalg.solve(penalty_matrix(M, Phi_q, 0.25 * h**2 * alpha), -f)
            q = q + dq
            if np.linalg.norm(dq) < options.tolerance:
                break
        else:
            raise NotConverged(f"LAP: no end after {options.max_iterations} iterations at t = {k * h:g} s.")
        multipliers = multipliers + alpha * system.residual(q)
        qdot = project(problem, q, 2.0 / h * q + qdot_hat, np.zeros(system.m), options)
        qddot = project(problem, q, 4.0 / h**2 * q + qddot_hat, system.acceleration_rhs(q, qdot), options)
        states.append((q, qdot, qddot, multipliers, iteration))
    return _motion(states, h)


def project(problem: Problem, q: FloatArray, given: FloatArray, required: FloatArray, options: Options) -> FloatArray:
    """(M + ΦqᵀαΦq) x = M x* + Φqᵀ(α r − ρ),   ρ ← ρ + α(Φq x − r): the x nearest to x* in the metric M with Φq x = r.

    x = q̇ with r = 0, or x = q̈ with r = c; [Nunes2017] Eqs. 2.131-2.138 (2.131, 2.136 print dotted Jacobians).
    """
    Phi_q = problem.system.jacobian(q)
    matrix, rho = penalty_matrix(problem.M, Phi_q, options.alpha), np.zeros(len(required))
    for _ in range(options.projection_passes):
        x = np.linalg.solve(matrix, problem.M @ given + Phi_q.T @ (options.alpha * required - rho))
        rho = rho + options.alpha * (Phi_q @ x - required)
    return x


def _motion(states: list[State], h: float) -> Motion:
    q, qdot, qddot, multipliers, iterations = (np.array(column) for column in zip(*states, strict=True))
    return Motion(h * np.arange(len(states)), q, qdot, qddot, multipliers, iterations[1:])


# ------------------------------------------------------------------------------------ double pendulum, two angles, no λ


@dataclass(frozen=True)
class DoublePendulum:
    """Two equal uniform bars O-1-2 by Lagrange's equations in their angles θ₁, θ₂ from the x axis; weight along −y.

        T = ½ (4/3) mL² θ̇₁² + ½ (1/3) mL² θ̇₂² + ½ mL² θ̇₁ θ̇₂ cos(θ₁−θ₂)        V = mgL (3/2 sin θ₁ + 1/2 sin θ₂)

    d/dt ∂T/∂θ̇ − ∂T/∂θ = −∂V/∂θ, divided by mL²:

        4/3 θ̈₁ + ½ cos(θ₁−θ₂) θ̈₂ = −½ sin(θ₁−θ₂) θ̇₂² − 3/2 g/L cos θ₁
        ½ cos(θ₁−θ₂) θ̈₁ + 1/3 θ̈₂ = +½ sin(θ₁−θ₂) θ̇₁² − 1/2 g/L cos θ₂
    """

    length: float = 1.0  # L of each bar [m]
    mass: float = 1.0  # m of each bar [kg]
    g: float = 9.81  # [m/s²]

    def accelerations(self, theta: FloatArray, rate: FloatArray) -> FloatArray:
        """θ̈ (2,) [rad/s²]."""
        cosine, sine = np.cos(theta[0] - theta[1]), np.sin(theta[0] - theta[1])
        matrix = np.array([[4.0 / 3.0, 0.5 * cosine], [0.5 * cosine, 1.0 / 3.0]])
        weight = self.g / self.length * np.cos(theta)
        rhs = [-0.5 * sine * rate[1] ** 2 - 1.5 * weight[0], 0.5 * sine * rate[0] ** 2 - 0.5 * weight[1]]
        return np.linalg.solve(matrix, rhs)

    def points(self, theta: FloatArray) -> FloatArray:
        """(x₁, y₁, x₂, y₂) of the ends of the bars [m]."""
        return self._chain(self._along(theta))

    def velocities(self, theta: FloatArray, rate: FloatArray) -> FloatArray:
        """Velocities of the ends (4,) [m/s]."""
        return self._chain(rate[:, None] * self._across(theta))

    def point_accelerations(self, theta: FloatArray, rate: FloatArray) -> FloatArray:
        """Accelerations of the ends (4,) [m/s²]."""
        turning = self.accelerations(theta, rate)[:, None] * self._across(theta)
        return self._chain(turning - rate[:, None] ** 2 * self._along(theta))

    def joint_force(self, theta: FloatArray, rate: FloatArray) -> FloatArray:
        """Force on the second bar at the joint (2,) [N], by Newton's law of that bar: m (a_cm − g)."""
        ends = self.point_accelerations(theta, rate).reshape(2, 2)
        return self.mass * (ends.mean(axis=0) - np.array([0.0, -self.g]))

    def _along(self, theta: FloatArray) -> FloatArray:
        return self.length * np.column_stack([np.cos(theta), np.sin(theta)])

    def _across(self, theta: FloatArray) -> FloatArray:
        return self.length * np.column_stack([-np.sin(theta), np.cos(theta)])

    @staticmethod
    def _chain(bars: FloatArray) -> FloatArray:
        return np.cumsum(bars, axis=0).ravel()
