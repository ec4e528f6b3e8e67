"""LAP: augmented Lagrangian of index 3 with projections of velocities and accelerations [BayoLedesma1996].

An implicit formula makes velocities and accelerations of the new state functions of its coordinates, q̇ = c₁ q + d₁ and
q̈ = c₂ q + d₂. The equations of motion with Φ = 0 itself, not its second derivative, are then solved for q by Newton's
method ([Nunes2017] Eqs. 2.120-2.128), and q̇ and q̈ are projected onto Φ̇ = 0 and Φ̈ = 0 (Eqs. 2.131-2.138):

    f(q) = (M q̈ + Φqᵀ(αΦ + λ) − Q) / c₂,    f' ≈ M + ΦqᵀαΦq / c₂,    λ ← λ + αΦ after each iteration

With the trapezoidal rule c₂ = 4/h², which is the published method; the other formulas only change c and d. Stiffness
and damping of Q are left out of f': a stiff contact converges more slowly, not to something else.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine.forces.applied import Forces, acting
from biomec.engine.forward.formulation import (
    FormulationOptions,
    State,
    StepResult,
    Unsolvable,
    checked_state,
    refuse_runaway,
)
from biomec.engine.forward.integrators import IntegratorOptions, new_integrator
from biomec.engine.forward.lagrangian import penalty_matrix
from biomec.engine.forward.one_state import (
    accelerations_rhs,
    add_product,
    add_transposed,
    assemble,
    evaluate,
    factor,
    mass_product,
    solve,
)
from biomec.engine.normal import NormalMatrix
from biomec.engine.system import System

PASSES = 2  # of the projections; the second drops ‖Φ̇‖ and ‖Φ̈‖ to round-off
ENOUGH = 2.0  # times the largest mass: α/c₂ below it would need many iterations, so that short steps raise α
TITLE = "augmented Lagrangian, index 3, projections"


class Index3:
    """Steps of the augmented Lagrangian of index 3, by any of the implicit formulas.

    The integrator remembers what its formula needs of the past, so that an object serves one run.
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
        self._linear, self._mass = self._projector.linear, self._projector.metric
        self._inertia = float(system.mass_matrix.diagonal().max())
        self._rule = new_integrator(integrator)

    def start(self, t: float, q: FloatArray, qdot: FloatArray) -> State:
        """State with the accelerations that the forces give, by one penalty solution (Eq. 2.115), multipliers zero."""
        free, Q = np.zeros(self.system.n), acting(self.forces, t, q, qdot)
        refuse_runaway(self.system, q, qdot, Q)
        if not _forced(self._projector, *checked_state(self.system, q, qdot, Q), PASSES, free):
            raise Unsolvable(f"{self.system.name}: the matrix of {TITLE} cannot be factored at {t:.4f} s.")
        return State(t, q, qdot, free, np.zeros(self.system.m))

    def step(self, state: State, h: float) -> StepResult:
        """Take one step of h seconds."""
        formula = self._rule.formula(state, h)
        alpha = max(self.options.alpha, ENOUGH * self._inertia * formula.c_2)
        matrix = self._newton_matrix(alpha / formula.c_2)
        q = state.q + h * state.qdot + 0.5 * h * h * state.qddot
        multipliers = np.array(state.multipliers)
        dq = np.empty(self.system.n)
        t, change, least, done = state.t + h, np.inf, np.inf, 0
        while done < self.integrator.max_iterations:
            qdot, qddot = formula.c_1 * q + formula.d_1, formula.c_2 * q + formula.d_2
            Q = acting(self.forces, t, q, qdot)
            refuse_runaway(self.system, q, qdot, Q)
            change = _newton(matrix, alpha, formula.c_2, q, qddot, np.ascontiguousarray(Q), multipliers, dq)
            if change < 0.0:
                raise Unsolvable(f"{self.system.name}: the matrix of {TITLE} cannot be factored at {t:.4f} s.")
            q, done = q + dq, done + 1
            if change < self.integrator.tolerance or not change < 1e3 * least:
                break
            least = min(least, change)
        raw_v, raw_a = formula.c_1 * q + formula.d_1, formula.c_2 * q + formula.d_2
        qdot, qddot = np.array(raw_v), np.array(raw_a)
        if not _project_both(self._projector, q, qdot, qddot, PASSES):
            raise Unsolvable(f"{self.system.name}: velocities or accelerations cannot be projected at {t:.4f} s.")
        self._rule.reached(state, qddot)
        new = State(t, q, qdot, qddot, multipliers)
        return StepResult(new, done, change, bool(change < self.integrator.tolerance))

    # ------------------------------------------------------------------ linear algebra

    def _newton_matrix(self, alpha: float) -> NormalMatrix:
        """M + αΦqᵀΦq on the pattern that is there."""
        return self._projector._replace(alpha=alpha, constant=self._mass + alpha * self._linear)


# ---------------------------------------------------------------------- compiled, one state


@compiled
def _newton(
    one: NormalMatrix,
    alpha: float,
    c_2: float,
    q: FloatArray,
    qddot: FloatArray,
    Q: FloatArray,
    multipliers: FloatArray,
    dq: FloatArray,
) -> float:
    """Fill dq (n,) of f' Δq = −f, then λ += α Φ(q + Δq); ‖Δq‖, or −1 if the matrix is not positive definite."""
    n, m, plan = q.size, multipliers.size, one.plan
    phi, jacobian = np.empty(m), np.empty(one.tables.columns.size)
    X, y = np.empty(plan.rows.size), np.empty(n)
    evaluate(one.tables, q, phi, jacobian)
    assemble(one, jacobian, X)
    if not factor(plan, X):
        return -1.0
    mass_product(one, qddot, y)
    for i in range(n):
        place = plan.place[i]
        y[place] = Q[i] - y[place]
    for r in range(m):
        phi[r] = -(alpha * phi[r] + multipliers[r])
    add_transposed(one, jacobian, phi, y)
    for i in range(n):
        y[i] /= c_2
    solve(plan, X, y)
    total = 0.0
    moved = np.empty(n)
    for i in range(n):
        dq[i] = y[plan.place[i]]
        moved[i] = q[i] + dq[i]
        total += dq[i] * dq[i]
    evaluate(one.tables, moved, phi, jacobian)
    for r in range(m):
        multipliers[r] += alpha * phi[r]
    return float(np.sqrt(total))


@compiled
def _project_both(one: NormalMatrix, q: FloatArray, qdot: FloatArray, qddot: FloatArray, passes: int) -> bool:
    """Project q̇ onto Φ̇ = 0 and then q̈ onto Φ̈ = 0, with one factor; False if there is none."""
    n, m = q.size, one.tables.constant.size
    phi, rhs, jacobian = np.empty(m), np.zeros(m), np.empty(one.tables.columns.size)
    X, none = np.empty(one.plan.rows.size), np.zeros(n)
    evaluate(one.tables, q, phi, jacobian)
    assemble(one, jacobian, X)
    if not factor(one.plan, X):
        return False
    _project(one, jacobian, X, none, rhs, passes, qdot)
    accelerations_rhs(one.tables, q, qdot, rhs)
    _project(one, jacobian, X, none, rhs, passes, qddot)
    return True


@compiled
def _forced(one: NormalMatrix, q: FloatArray, qdot: FloatArray, Q: FloatArray, passes: int, qddot: FloatArray) -> bool:
    """Accelerations that forces Q cause (Eq. 2.115); qddot (n,) is zero before. False if there is no factor."""
    m = one.tables.constant.size
    phi, rhs, jacobian = np.empty(m), np.zeros(m), np.empty(one.tables.columns.size)
    X = np.empty(one.plan.rows.size)
    evaluate(one.tables, q, phi, jacobian)
    accelerations_rhs(one.tables, q, qdot, rhs)
    assemble(one, jacobian, X)
    if not factor(one.plan, X):
        return False
    _project(one, jacobian, X, Q, rhs, passes, qddot)
    return True


@compiled
def _project(
    one: NormalMatrix,
    jacobian: FloatArray,
    X: FloatArray,
    force: FloatArray,
    rhs: FloatArray,
    passes: int,
    x: FloatArray,
) -> None:
    """(M + ΦqᵀαΦq) x = M x* + force + Φqᵀ(α r − ρ), ρ ← ρ + α(Φq x − r), in place, with the factor X."""
    n, m, plan, alpha = x.size, rhs.size, one.plan, one.alpha
    phi, other, rho = np.empty(m), np.empty(m), np.zeros(m)
    y, lost, x_star = np.empty(n), np.empty(n), x.copy()
    for r in range(m):
        phi[r] = -rhs[r]
    add_product(one, jacobian, x, phi)
    for _ in range(passes):
        for i in range(n):
            lost[i] = x_star[i] - x[i]
        mass_product(one, lost, y)
        for i in range(n):
            y[plan.place[i]] += force[i]
        for r in range(m):
            other[r] = -(alpha * phi[r] + rho[r])
        add_transposed(one, jacobian, other, y)
        solve(plan, X, y)
        for i in range(n):
            x[i] += y[plan.place[i]]
        for r in range(m):
            phi[r] = -rhs[r]
        add_product(one, jacobian, x, phi)
        for r in range(m):
            rho[r] += alpha * phi[r]
