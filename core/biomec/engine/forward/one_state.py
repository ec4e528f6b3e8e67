"""M + ΦqᵀαΦq of one state: what `multibody.rows`, `normal` and `elimination` do, without their axis of frames.

A simulation has one state at a time. The loops over frames of those kernels cost more than their work if there is one
frame; these here do the same sums in the same order.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine import rows as row_kernels
from biomec.engine.elimination import Elimination
from biomec.engine.normal import NormalMatrix, checked_metric, normal_matrix
from biomec.engine.rows import RowTables
from biomec.engine.system import System


def one_state(system: System, alpha: float) -> NormalMatrix:
    """Prepare M + ΦqᵀαΦq of a system; all its coordinates must have mass."""
    return normal_matrix(system, checked_metric(system.mass_matrix, system.n), alpha)


@compiled
def _not_quadratic(tables: RowTables) -> RowTables:
    """Tables of the ellipsoid and angle rows alone."""
    return RowTables(
        tables.pointer, tables.columns, tables.constant, np.zeros(0, dtype=np.int64), tables.j0, tables.p_pointer,
        tables.p_column, tables.p_value, tables.ellipsoid, tables.H, tables.angle, tables.magnitude,
        tables.angle_column, tables.x_pointer, tables.x_entry, tables.x_value, tables.x0,
    )  # fmt: skip


@compiled
def evaluate(tables: RowTables, q: FloatArray, phi: FloatArray, jacobian: FloatArray) -> None:
    """Φ (m,) and entries of Φq at q (n,)."""
    for i in range(tables.quadratic.size):
        r = tables.quadratic[i]
        value = tables.constant[r]
        for z in range(tables.pointer[r], tables.pointer[r + 1]):
            j0 = tables.j0[z]
            entry = j0
            for p in range(tables.p_pointer[z], tables.p_pointer[z + 1]):
                entry += tables.p_value[p] * q[tables.p_column[p]]
            jacobian[z] = entry
            value += 0.5 * (entry + j0) * q[tables.columns[z]]
        phi[r] = value
    if tables.ellipsoid.size + tables.angle.size > 0:
        m = phi.size
        none, sine = np.zeros((m, 1)), np.empty((tables.angle.size, 1))
        at, special = q.reshape(q.size, 1), _not_quadratic(tables)
        row_kernels.sine_form(special, at, none, sine)
        row_kernels.evaluate(special, at, none, sine, phi.reshape(m, 1), jacobian.reshape(jacobian.size, 1))


@compiled
def accelerations_rhs(tables: RowTables, q: FloatArray, qdot: FloatArray, c: FloatArray) -> None:
    """c (m,) of Φq q̈ = c."""
    for i in range(tables.quadratic.size):
        r = tables.quadratic[i]
        value = 0.0
        for z in range(tables.pointer[r], tables.pointer[r + 1]):
            moving = qdot[tables.columns[z]]
            for p in range(tables.p_pointer[z], tables.p_pointer[z + 1]):
                value -= tables.p_value[p] * qdot[tables.p_column[p]] * moving
        c[r] = value
    if tables.ellipsoid.size + tables.angle.size > 0:
        m = c.size
        none, sine, other = np.zeros((m, 1)), np.empty((tables.angle.size, 1)), np.empty((m, 1))
        at, special = q.reshape(q.size, 1), _not_quadratic(tables)
        row_kernels.sine_form(special, at, none, sine)
        row_kernels.evaluate_rates(special, at, qdot.reshape(q.size, 1), none, none, none, sine, other, c.reshape(m, 1))


@compiled
def assemble(one: NormalMatrix, jacobian: FloatArray, X: FloatArray) -> None:
    """X (nnz,) = M + α ΦqᵀΦq on the pattern of the factor."""
    X[:] = one.constant
    at = 0
    for v in range(one.varying.size):
        r = one.varying[v]
        first = one.tables.pointer[r]
        for i in range(first, one.tables.pointer[r + 1]):
            scaled = one.alpha * jacobian[i]
            for j in range(first, i + 1):
                X[one.pairs[at]] += scaled * jacobian[j]
                at += 1


@compiled
def factor(plan: Elimination, X: FloatArray) -> bool:
    """Replace X by its factor, the diagonal holding 1/d; False if the matrix is not positive definite.

    Indices without a sign spare the question whether they count from the end, a third of the time.
    """
    at, next_one = np.uint64(0), np.uint64(1)
    for k in range(plan.order.size):
        first, last = np.uint64(plan.pointer[k]), np.uint64(plan.pointer[k + 1])
        if not X[first] > 0.0:
            return False
        inverse = 1.0 / X[first]
        X[first] = inverse
        a = first + next_one
        while a < last:
            scaled = X[a] * inverse
            b = a
            while b < last:
                X[np.uint64(plan.update[at])] -= scaled * X[b]
                at += next_one
                b += next_one
            X[a] = scaled
            a += next_one
    return True


@compiled
def solve(plan: Elimination, X: FloatArray, y: FloatArray) -> None:
    """Solve with the factor in place; y (n,) stands in the order of elimination."""
    n, next_one = y.size, np.uint64(1)
    for k in range(n):
        value = y[k]
        a, last = np.uint64(plan.pointer[k]) + next_one, np.uint64(plan.pointer[k + 1])
        while a < last:
            y[np.uint64(plan.rows[a])] -= X[a] * value
            a += next_one
    for k in range(n - 1, -1, -1):
        a, last = np.uint64(plan.pointer[k]), np.uint64(plan.pointer[k + 1])
        value = y[k] * X[a]
        a += next_one
        while a < last:
            value -= X[a] * y[np.uint64(plan.rows[a])]
            a += next_one
        y[k] = value


@compiled
def add_transposed(one: NormalMatrix, jacobian: FloatArray, value: FloatArray, y: FloatArray) -> None:
    """y += Φqᵀ value, y (n,) in the order of elimination."""
    tables, place = one.tables, one.plan.place
    for r in range(value.size):
        factor_ = value[r]
        for z in range(tables.pointer[r], tables.pointer[r + 1]):
            y[place[tables.columns[z]]] += jacobian[z] * factor_


@compiled
def add_product(one: NormalMatrix, jacobian: FloatArray, x: FloatArray, value: FloatArray) -> None:
    """value += Φq x, x (n,) in the order of q."""
    tables = one.tables
    for r in range(value.size):
        total = value[r]
        for z in range(tables.pointer[r], tables.pointer[r + 1]):
            total += jacobian[z] * x[tables.columns[z]]
        value[r] = total


@compiled
def mass_product(one: NormalMatrix, x: FloatArray, y: FloatArray) -> None:
    """y = M x, x (n,) in the order of q and y in the order of elimination."""
    for i in range(x.size):
        total = 0.0
        for p in range(one.w_pointer[i], one.w_pointer[i + 1]):
            total += one.w_value[p] * x[one.w_column[p]]
        y[one.plan.place[i]] = total
