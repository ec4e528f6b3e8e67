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

from biomec.arrays import FloatArray
from biomec.compiled import compiled
from biomec.dynamics.forward.formulation import (
    Accelerations,
    FormulationOptions,
    Unsolvable,
    refuse_driven,
    refuse_runaway,
)
from biomec.multibody import rows as row_kernels
from biomec.multibody.elimination import factor, solve
from biomec.multibody.normal import (
    NormalMatrix,
    add_product,
    add_transposed,
    assemble,
    checked_metric,
    metric_product,
    normal_matrix,
)
from biomec.multibody.system import System

PENALTY, AUGMENTED, LAGRANGE = 0, 1, 2  # how the compiled loop treats the multipliers
NOT_DEFINITE = -1  # iterations that stand for a matrix that could not be factored


def penalty_matrix(system: System, alpha: float) -> NormalMatrix:
    """M + ΦqᵀαΦq of a system whose constraints do not depend on time and whose coordinates all have mass."""
    refuse_driven(system)
    return normal_matrix(system, checked_metric(system.mass_matrix, system.n), alpha)


@dataclass(frozen=True, eq=False)
class _Multipliers:
    """What the four formulations have in common."""

    system: System
    options: FormulationOptions = field(default_factory=FormulationOptions)
    normal: NormalMatrix = field(init=False, repr=False)

    title: ClassVar[str]
    stabilised: ClassVar[bool] = True
    kind: ClassVar[int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", penalty_matrix(self.system, self.options.alpha))

    def accelerations(self, q: FloatArray, qdot: FloatArray, Q: FloatArray) -> Accelerations:
        """Solve the equations of motion in one state."""
        refuse_runaway(self.system, q, qdot, Q)
        o = self.options
        qddot, multipliers = np.zeros((self.system.n, 1)), np.zeros((self.system.m, 1))
        omega = o.omega if self.stabilised else 0.0
        iterations = _accelerations(
            self.normal, np.ascontiguousarray(q)[:, None], np.ascontiguousarray(qdot)[:, None], Q, self.kind,
            o.xi, omega, o.tolerance, o.max_iterations, qddot, multipliers,
        )  # fmt: skip
        if iterations == NOT_DEFINITE or not np.isfinite(qddot).all():
            raise Unsolvable(f"{self.system.name}: the matrix of {self.title} cannot be factored in this state.")
        return Accelerations(qddot[:, 0], multipliers[:, 0], int(iterations))


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
    normal: NormalMatrix,
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
    """Fill q̈ (n, 1) and λ (m, 1); return the number of solutions, or NOT_DEFINITE."""
    n, m = q.shape[0], normal.tables.constant.size
    none = np.zeros((0, 4, 1))
    zero = np.zeros((m, 1))
    phi, rate, c, other = np.empty((m, 1)), np.zeros((m, 1)), np.empty((m, 1)), np.empty((m, 1))
    jacobian, sine = np.empty((normal.tables.columns.size, 1)), np.empty((normal.tables.angle.size, 1))
    X, y, bad = np.empty((normal.plan.rows.size, 1)), np.empty((n, 1)), np.zeros(1)
    row_kernels.sine_form(normal.tables, q, zero, sine)
    row_kernels.evaluate(normal.tables, q, zero, sine, phi, jacobian)
    row_kernels.evaluate_rates(normal.tables, q, qdot, zero, zero, zero, sine, other, c)
    add_product(normal, jacobian, none, qdot, rate)
    for r in range(m):  # what Φq q̈ shall be
        c[r, 0] -= 2.0 * xi * omega * rate[r, 0] + omega * omega * phi[r, 0]
    assemble(normal, jacobian, none, X)
    factor(normal.plan, X, bad)
    if bad[0] > 0.5:
        return NOT_DEFINITE
    short = np.inf
    done = 0
    for _ in range(1 if kind == PENALTY else max_iterations):
        # a correction of q̈, so that later solutions also mend the round-off of the first
        metric_product(normal, qddot, y)
        for i in range(n):
            place = normal.plan.place[i]
            y[place, 0] = Q[i] - y[place, 0]
        for r in range(m):
            phi[r, 0] = -c[r, 0]
        add_product(normal, jacobian, none, qddot, phi)
        for r in range(m):
            other[r, 0] = -(multipliers[r, 0] + normal.alpha * phi[r, 0])
        add_transposed(normal, jacobian, none, other, y)
        solve(normal.plan, X, y)
        for i in range(n):
            qddot[i, 0] += y[normal.plan.place[i], 0]
        for r in range(m):
            phi[r, 0] = -c[r, 0]
        add_product(normal, jacobian, none, qddot, phi)
        before, short = short, 0.0
        for r in range(m):
            multipliers[r, 0] += normal.alpha * phi[r, 0]
            short += phi[r, 0] * phi[r, 0]
        short = np.sqrt(short)
        done += 1
        if kind == AUGMENTED and short < tolerance:
            break
        if kind == LAGRANGE and done > 1 and not short < 0.5 * before:  # as good as the arithmetic allows
            break
    return done
