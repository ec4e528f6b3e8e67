"""Formulations with Lagrange multipliers and penalties in all coordinates: LC, LE, LP and LA.

    LC    classic Lagrange, index 1         M q̈ + Φqᵀλ = Q,  Φq q̈ = c                        ([Nunes2017] Eq. 2.107)
    LE    the same, stabilised              Φq q̈ = c − 2ξω Φ̇ − ω² Φ          [Baumgarte1972] (Eqs. 2.110-2.112)
    LP    penalty                           (M + ΦqᵀαΦq) q̈ = Q − Φqᵀα(2ξω Φ̇ + ω² Φ − c)      (Eqs. 2.113-2.115)
    LA    augmented Lagrangian              LP repeated, λ ← λ + α(Φ̈ + 2ξω Φ̇ + ω² Φ) [BayoAvello1994] (Eqs. 2.116-2.119)

All factor the one matrix M + ΦqᵀαΦq along the tree of bodies. LC and LE are the limit of the multiplier iteration: it
converges to the solution of the large system with multipliers, to round-off, within a few solutions of the same factor.
Rows that depend on each other do no harm, because nothing has to be removed: of all multipliers that give the same
forces the iteration finds those in the range of Φq.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine.forward.formulation import (
    RUNAWAY,
    Accelerations,
    FormulationOptions,
    Unsolvable,
    checked_state,
    refuse_driven,
    refuse_runaway,
)
from biomec.engine.forward.one_state import (
    accelerations_rhs,
    add_product,
    add_transposed,
    assemble,
    evaluate,
    factor,
    mass_product,
    one_state,
    solve,
)
from biomec.engine.normal import NormalMatrix
from biomec.engine.system import System

MOST = 20  # solutions with one factor; classic Lagrange comes to round-off in a few
ROUND_OFF = 4e-15  # of ‖q̈‖ + ‖c‖: what the difference Φq q̈ − c of a whole body has
PENALTY, AUGMENTED, LAGRANGE = 0, 1, 2  # how the compiled loop treats the multipliers
NOT_DEFINITE, OUT_OF_BOUNDS = -1, -2  # iterations that stand for a matrix that could not be factored, or a runaway


def penalty_matrix(system: System, alpha: float) -> NormalMatrix:
    """M + ΦqᵀαΦq of a system whose constraints do not depend on time and whose coordinates all have mass."""
    refuse_driven(system)
    return one_state(system, alpha)


@dataclass(frozen=True, eq=False)
class _Multipliers:
    """What the four formulations have in common."""

    system: System
    options: FormulationOptions = field(default_factory=FormulationOptions)
    matrix: NormalMatrix = field(init=False, repr=False)

    title: ClassVar[str]
    stabilised: ClassVar[bool] = True
    kind: ClassVar[int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", penalty_matrix(self.system, self.options.alpha))

    def accelerations(self, q: FloatArray, qdot: FloatArray, Q: FloatArray) -> Accelerations:
        """Solve the equations of motion in one state."""
        o = self.options
        state = checked_state(self.system, q, qdot, Q)
        qddot, multipliers = np.zeros(self.system.n), np.zeros(self.system.m)
        omega = o.omega if self.stabilised else 0.0
        iterations = _accelerations(
            self.matrix, *state, self.kind, o.xi, omega, o.tolerance,
            o.max_iterations if self.kind == AUGMENTED else MOST, qddot, multipliers,
        )  # fmt: skip
        if iterations < 0:
            refuse_runaway(self.system, q, qdot, Q)
            raise Unsolvable(f"{self.system.name}: the matrix of {self.title} cannot be factored in this state.")
        return Accelerations(qddot, multipliers, int(iterations))


class ClassicLagrange(_Multipliers):
    """LC: accelerations satisfy Φ̈ = 0; violations of Φ and Φ̇ grow with time (Eq. 2.109)."""

    title, kind, stabilised = "classic Lagrange", LAGRANGE, False


class StabilisedLagrange(_Multipliers):
    """LE: Baumgarte's stabilisation draws Φ and Φ̇ back to zero."""

    title, kind = "stabilised Lagrange", LAGRANGE


class Penalty(_Multipliers):
    """LP: one solution; the violation left is of order 1/α."""

    title, kind = "penalty", PENALTY


class AugmentedLagrangian(_Multipliers):
    """LA: the penalty repeated with multipliers until Φ̈ + 2ξω Φ̇ + ω² Φ falls below the tolerance."""

    title, kind = "augmented Lagrangian", AUGMENTED


@compiled
def _accelerations(
    one: NormalMatrix,
    q: FloatArray,
    qdot: FloatArray,
    Q: FloatArray,
    kind: int,
    xi: float,
    omega: float,
    tolerance: float,
    max_iterations: int,
    qddot: FloatArray,
    multipliers: FloatArray,
) -> int:
    """Fill q̈ (n,) and λ (m,); return the number of solutions, or a negative number for why there is none."""
    n, m, plan, alpha = q.size, multipliers.size, one.plan, one.alpha
    for i in range(n):
        if not (abs(q[i]) < RUNAWAY and abs(qdot[i]) < RUNAWAY and np.isfinite(Q[i])):  # True for NaN as well
            return OUT_OF_BOUNDS
    phi, rate, c, other = np.empty(m), np.zeros(m), np.empty(m), np.empty(m)
    jacobian, X, y = np.empty(one.tables.columns.size), np.empty(plan.rows.size), np.empty(n)
    evaluate(one.tables, q, phi, jacobian)
    accelerations_rhs(one.tables, q, qdot, c)
    add_product(one, jacobian, qdot, rate)
    for r in range(m):  # what Φq q̈ shall be
        c[r] -= 2.0 * xi * omega * rate[r] + omega * omega * phi[r]
    assemble(one, jacobian, X)
    if not factor(plan, X):
        return NOT_DEFINITE
    short = np.inf
    done = 0
    for r in range(m):
        phi[r] = -c[r]  # Φq q̈ − c of q̈ = 0
    for _ in range(1 if kind == PENALTY else max_iterations):
        # a correction of q̈, so that later solutions also mend the round-off of the first
        mass_product(one, qddot, y)
        for i in range(n):
            place = plan.place[i]
            y[place] = Q[i] - y[place]
        for r in range(m):
            other[r] = -(multipliers[r] + alpha * phi[r])
        add_transposed(one, jacobian, other, y)
        solve(plan, X, y)
        for i in range(n):
            qddot[i] += y[plan.place[i]]
        for r in range(m):
            phi[r] = -c[r]
        add_product(one, jacobian, qddot, phi)
        before, short = short, 0.0
        for r in range(m):
            multipliers[r] += alpha * phi[r]
            short += phi[r] * phi[r]
        short = np.sqrt(short)
        done += 1
        if kind == AUGMENTED and short < tolerance:
            break
        if kind == LAGRANGE and done > 1 and (short < ROUND_OFF * _size(qddot, c) or not short < 0.5 * before):
            break  # as good as the arithmetic allows
    return done if np.isfinite(short) else NOT_DEFINITE


@compiled
def _size(a: FloatArray, b: FloatArray) -> float:
    """‖a‖ + ‖b‖."""
    first, second = 0.0, 0.0
    for i in range(a.size):
        first += a[i] * a[i]
    for i in range(b.size):
        second += b[i] * b[i]
    return float(np.sqrt(first) + np.sqrt(second))
