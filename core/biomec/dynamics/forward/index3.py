"""LAP: augmented Lagrangian of index 3 with projections of velocities and accelerations [BayoLedesma1996].

An implicit formula makes velocities and accelerations of the new state functions of its coordinates, q̇ = c₁ q + d₁ and
q̈ = c₂ q + d₂. The equations of motion with Φ = 0 itself, not its second derivative, are then solved for q by Newton's
method ([Nunes2017] Eqs. 2.120-2.128), and q̇ and q̈ are projected onto Φ̇ = 0 and Φ̈ = 0 (Eqs. 2.131-2.138):

    f(q) = (M q̈ + Φqᵀ(αΦ + λ) − Q) / c₂,    f' ≈ M + ΦqᵀαΦq / c₂,    λ ← λ + αΦ after each iteration

With the trapezoidal rule c₂ = 4/h², which is the published method; the other formulas only change c and d. Stiffness
and damping of Q are left out of f': a stiff contact converges more slowly, not to something else.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from biomec.arrays import FloatArray
from biomec.compiled import compiled
from biomec.dynamics.forward.forces import Forces
from biomec.dynamics.forward.formulation import FormulationOptions, Unsolvable, refuse_runaway
from biomec.dynamics.forward.integrators import GEAR, MOULTON, IntegratorOptions, State, Step, alpha_coefficients
from biomec.dynamics.forward.lagrangian import penalty_matrix
from biomec.multibody import rows as row_kernels
from biomec.multibody.elimination import factor, solve
from biomec.multibody.normal import NormalMatrix, add_product, add_transposed, assemble, metric_product
from biomec.multibody.system import System

PASSES = 2  # of the projections; the second drops ‖Φ̇‖ and ‖Φ̈‖ to round-off
ENOUGH = 2.0  # times the median mass: α/c₂ below it would need many iterations, so that short steps raise α
TITLE = "augmented Lagrangian, index 3, projections"


class ImplicitFormula(NamedTuple):
    """q̇ = c₁ q + d₁ and q̈ = c₂ q + d₂ in the new state."""

    c_1: float
    d_1: FloatArray
    c_2: float
    d_2: FloatArray


class Index3:
    """Steps of the augmented Lagrangian of index 3, by any of the implicit formulas.

    The past that multistep formulas need lives here, so that an object serves one run.
    """

    title = TITLE

    def __init__(
        self,
        system: System,
        forces: Forces,
        options: FormulationOptions = FormulationOptions(),
        integrator: IntegratorOptions = IntegratorOptions(family="trapezoidal"),
    ) -> None:
        self.system, self.forces, self.options, self.integrator = system, forces, options, integrator
        self._projector = penalty_matrix(system, options.alpha)
        doubled = penalty_matrix(system, 2.0 * options.alpha)
        self._linear = (doubled.constant - self._projector.constant) / options.alpha  # ΦqᵀΦq of the linear rows
        self._mass = self._projector.constant - options.alpha * self._linear
        self._inertia = float(np.median(system.mass_matrix.diagonal()))
        self._past: deque[State] = deque(maxlen=4)
        self._averaged: FloatArray | None = None
        self._h = 0.0

    def start(self, t: float, q: FloatArray, qdot: FloatArray) -> State:
        """State with the accelerations that the forces give, by one penalty solution (Eq. 2.115), multipliers zero."""
        still = np.zeros(self.system.m)
        free = self._project(q, qdot, np.zeros_like(q), self.forces(t, q, qdot))
        return State(t, q, qdot, free, still)

    def step(self, state: State, h: float) -> Step:
        """Take one step of h seconds."""
        if h != self._h:
            self._past.clear()
            self._averaged, self._h = None, h
        self._past.appendleft(state)
        formula = self._formula(state, h)
        alpha = max(self.options.alpha, ENOUGH * self._inertia * formula.c_2)
        normal = self._newton_matrix(alpha / formula.c_2)
        q = state.q + h * state.qdot + 0.5 * h * h * state.qddot
        multipliers = np.array(state.multipliers)[:, None]
        t, change, least, done = state.t + h, np.inf, np.inf, 0
        while done < self.integrator.max_iterations:
            qdot, qddot = formula.c_1 * q + formula.d_1, formula.c_2 * q + formula.d_2
            dq = np.empty((self.system.n, 1))
            Q = self.forces(t, q, qdot)
            refuse_runaway(self.system, q, qdot, Q)
            if not _newton(normal, alpha, formula.c_2, q[:, None], qddot[:, None], Q, multipliers, dq):
                raise Unsolvable(f"{self.system.name}: the matrix of {TITLE} cannot be factored at {t:.4f} s.")
            q, done = q + dq[:, 0], done + 1
            change = float(np.linalg.norm(dq))
            _add_multipliers(normal, alpha, q[:, None], multipliers)
            if change < self.integrator.tolerance or not change < 1e3 * least:
                break
            least = min(least, change)
        raw_v, raw_a = formula.c_1 * q + formula.d_1, formula.c_2 * q + formula.d_2
        qdot = self._project(q, None, raw_v)
        qddot = self._project(q, qdot, raw_a)
        if self.integrator.family == "generalised-alpha":
            self._averaged = self._average(state, qddot)
        new = State(t, q, qdot, qddot, multipliers[:, 0])
        return Step(new, done, change, bool(change < self.integrator.tolerance))

    # ------------------------------------------------------------------ formulas

    def _formula(self, state: State, h: float) -> ImplicitFormula:
        """The implicit formula for the new state; multistep ones begin with the trapezoidal rule."""
        family, order, past = self.integrator.family, self.integrator.order, self._past
        if family == "generalised-alpha":
            return self._alpha_formula(state, h)
        if family == "trapezoidal" or len(past) < (order - 1 if family == "adams" else order):
            beta = 0.5
            known_q, known_v = state.q + 0.5 * h * state.qdot, state.qdot + 0.5 * h * state.qddot
        elif family == "adams":
            beta, *older = MOULTON[order]
            pairs = list(zip(older, past, strict=False))
            known_q = state.q + h * sum((b * one.qdot for b, one in pairs), np.zeros_like(state.q))
            known_v = state.qdot + h * sum((b * one.qddot for b, one in pairs), np.zeros_like(state.q))
        else:
            beta, factors = GEAR[order]
            known_q = sum((c * one.q for c, one in zip(factors, past, strict=False)), np.zeros_like(state.q))
            known_v = sum((c * one.qdot for c, one in zip(factors, past, strict=False)), np.zeros_like(state.q))
        c = 1.0 / (beta * h)
        return ImplicitFormula(c, -c * known_q, c * c, -c * c * known_q - c * known_v)

    def _alpha_formula(self, state: State, h: float) -> ImplicitFormula:
        alpha_m, alpha_f, beta, gamma = alpha_coefficients(self.integrator.rho)
        old = state.qddot if self._averaged is None else self._averaged
        # â₊ = (q₊ − q − h q̇)/(βh²) − (½ − β)/β â;   q̈₊ = ((1 − α_m) â₊ + α_m â − α_f q̈)/(1 − α_f)
        c = 1.0 / (beta * h * h)
        d = -c * (state.q + h * state.qdot) - (0.5 - beta) / beta * old
        mixed = (1.0 - alpha_m) / (1.0 - alpha_f)
        return ImplicitFormula(
            gamma * h * c,
            state.qdot + h * (1.0 - gamma) * old + gamma * h * d,
            mixed * c,
            mixed * d + (alpha_m * old - alpha_f * state.qddot) / (1.0 - alpha_f),
        )

    def _average(self, state: State, qddot: FloatArray) -> FloatArray:
        alpha_m, alpha_f, _, _ = alpha_coefficients(self.integrator.rho)
        old = state.qddot if self._averaged is None else self._averaged
        return ((1.0 - alpha_f) * qddot + alpha_f * state.qddot - alpha_m * old) / (1.0 - alpha_m)

    # ------------------------------------------------------------------ linear algebra

    def _newton_matrix(self, alpha: float) -> NormalMatrix:
        """M + αΦqᵀΦq on the pattern that is there."""
        return self._projector._replace(alpha=alpha, constant=self._mass + alpha * self._linear)

    def _project(
        self, q: FloatArray, qdot: FloatArray | None, given: FloatArray, force: FloatArray | None = None
    ) -> FloatArray:
        """Nearest to ``given`` in the metric of the masses with Φq x = 0, or c if velocities are given.

        force : (n,) instead of M x*: the accelerations that it causes
        """
        x = np.array(given)[:, None]
        moving = (np.zeros_like(q) if qdot is None else qdot)[:, None]
        extra = np.zeros(self.system.n) if force is None else force
        if not _project(self._projector, q[:, None], moving, extra, qdot is not None, PASSES, x):
            raise Unsolvable(f"{self.system.name}: velocities or accelerations cannot be projected in this state.")
        return np.asarray(x[:, 0])


# ---------------------------------------------------------------------- compiled, one state


@compiled
def _newton(
    normal: NormalMatrix,
    alpha: float,
    c_2: float,
    q: FloatArray,
    qddot: FloatArray,
    Q: FloatArray,
    multipliers: FloatArray,
    dq: FloatArray,
) -> bool:
    """Fill dq (n, 1) of f' Δq = −f; False if the matrix is not positive definite."""
    n, m = q.shape[0], normal.tables.constant.size
    none, zero, bad = np.zeros((0, 4, 1)), np.zeros((m, 1)), np.zeros(1)
    phi, sine = np.empty((m, 1)), np.empty((normal.tables.angle.size, 1))
    jacobian = np.empty((normal.tables.columns.size, 1))
    X, y = np.empty((normal.plan.rows.size, 1)), np.empty((n, 1))
    row_kernels.sine_form(normal.tables, q, zero, sine)
    row_kernels.evaluate(normal.tables, q, zero, sine, phi, jacobian)
    assemble(normal, jacobian, none, X)
    factor(normal.plan, X, bad)
    if bad[0] > 0.5:
        return False
    metric_product(normal, qddot, y)
    for i in range(n):
        place = normal.plan.place[i]
        y[place, 0] = Q[i] - y[place, 0]
    for r in range(m):
        phi[r, 0] = -(alpha * phi[r, 0] + multipliers[r, 0])
    add_transposed(normal, jacobian, none, phi, y)
    for i in range(n):
        y[i, 0] /= c_2
    solve(normal.plan, X, y)
    for i in range(n):
        dq[i, 0] = y[normal.plan.place[i], 0]
    return True


@compiled
def _add_multipliers(normal: NormalMatrix, alpha: float, q: FloatArray, multipliers: FloatArray) -> None:
    """λ += α Φ(q)."""
    m = normal.tables.constant.size
    zero, phi = np.zeros((m, 1)), np.empty((m, 1))
    sine, jacobian = np.empty((normal.tables.angle.size, 1)), np.empty((normal.tables.columns.size, 1))
    row_kernels.sine_form(normal.tables, q, zero, sine)
    row_kernels.evaluate(normal.tables, q, zero, sine, phi, jacobian)
    for r in range(m):
        multipliers[r, 0] += alpha * phi[r, 0]


@compiled
def _project(
    normal: NormalMatrix, q: FloatArray, qdot: FloatArray, force: FloatArray, second: bool, passes: int, x: FloatArray
) -> bool:
    """(M + ΦqᵀαΦq) x = M x* + force + Φqᵀ(α r − ρ), ρ ← ρ + α(Φq x − r), with r = c if ``second``, else 0."""
    n, m = q.shape[0], normal.tables.constant.size
    none, zero, bad = np.zeros((0, 4, 1)), np.zeros((m, 1)), np.zeros(1)
    phi, sine = np.empty((m, 1)), np.empty((normal.tables.angle.size, 1))
    rhs, other, rho = np.zeros((m, 1)), np.empty((m, 1)), np.zeros((m, 1))
    jacobian = np.empty((normal.tables.columns.size, 1))
    X, y, lost = np.empty((normal.plan.rows.size, 1)), np.empty((n, 1)), np.empty((n, 1))
    row_kernels.sine_form(normal.tables, q, zero, sine)
    row_kernels.evaluate(normal.tables, q, zero, sine, phi, jacobian)
    if second:
        row_kernels.evaluate_rates(normal.tables, q, qdot, zero, zero, zero, sine, other, rhs)
    assemble(normal, jacobian, none, X)
    factor(normal.plan, X, bad)
    if bad[0] > 0.5:
        return False
    x_star = x.copy()
    for _ in range(passes):
        for i in range(n):
            lost[i, 0] = x_star[i, 0] - x[i, 0]
        metric_product(normal, lost, y)
        for i in range(n):
            y[normal.plan.place[i], 0] += force[i]
        for r in range(m):
            phi[r, 0] = -rhs[r, 0]
        add_product(normal, jacobian, none, x, phi)
        for r in range(m):
            other[r, 0] = -(normal.alpha * phi[r, 0] + rho[r, 0])
        add_transposed(normal, jacobian, none, other, y)
        solve(normal.plan, X, y)
        for i in range(n):
            x[i, 0] += y[normal.plan.place[i], 0]
        for r in range(m):
            phi[r, 0] = -rhs[r, 0]
        add_product(normal, jacobian, none, x, phi)
        for r in range(m):
            rho[r, 0] += normal.alpha * phi[r, 0]
    return True
