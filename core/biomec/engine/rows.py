"""Evaluation of all constraint rows, a kind at a time, for one frame or many.

The rows of a system become flat tables (`RowTables`). The compiled functions below evaluate them with **frames on the
last axis**, so that neighbouring frames fill a SIMD register: q is (n, F), residuals are (m, F), and the values of the
Jacobian's fixed sparsity pattern are (nnz, F). The same functions serve the library calls (F = all frames) and the
solvers (F = one batch of lanes). Equation numbers are those of [Nunes2017].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine.equations import AngleEquation, EllipsoidEquation, Quadratic, Row
from biomec.engine.maps import VectorMap

SQRT_HALF = float(np.sqrt(0.5))
ELLIPSOID_INPUTS = 12  # three axes and d
ANGLE_INPUTS = 10  # v, u, e and the angle


class RowTables(NamedTuple):
    """Constant tables of a system's rows (see the module text). ``z`` runs over the Jacobian's entries.

    Quadratic rows have J_z = j0_z + Σ P q, and φ = ½ Σ_z (J_z + j0_z) q_z + k₀ − k. Ellipsoid and angle rows are
    functions f(x) of a few inputs x = X q + x0, with J = ∇f · X; X is stored by input, pointing at entries z.
    """

    pointer: IntArray  # (m+1,) entries of row r: pointer[r] … pointer[r+1]
    columns: IntArray  # (nnz,)
    constant: FloatArray  # (m,) k₀
    quadratic: IntArray  # rows of that kind
    j0: FloatArray  # (nnz,)
    p_pointer: IntArray  # (nnz+1,)
    p_column: IntArray
    p_value: FloatArray
    ellipsoid: IntArray  # rows of that kind
    H: FloatArray  # (rows, 3, 3)
    angle: IntArray  # rows of that kind
    magnitude: FloatArray  # (rows,)
    angle_column: IntArray  # (rows,) −1: the angle is the row's target only
    x_pointer: IntArray  # inputs of the ellipsoid rows, then of the angle rows
    x_entry: IntArray
    x_value: FloatArray
    x0: FloatArray


def build_tables(rows: Sequence[Row]) -> RowTables:
    """Lay out the rows of a system as flat tables."""
    columns: list[IntArray] = []
    none = np.zeros(0, dtype=np.int64)
    p_parts: list[tuple[IntArray, IntArray, FloatArray]] = [(none, none, np.zeros(0))]
    j0: list[FloatArray] = []
    constant = np.zeros(len(rows))
    special: dict[type, list[int]] = {Quadratic: [], EllipsoidEquation: [], AngleEquation: []}
    start = 0
    pointer = [0]
    for r, row in enumerate(rows):
        equation = row.equation
        special[type(equation)].append(r)
        if isinstance(equation, Quadratic):
            used = equation.columns
            entries, others = np.nonzero(equation.N + equation.N.T)
            p_parts.append((start + entries, used[others], (equation.N + equation.N.T)[entries, others]))
            j0.append(equation.b)
            constant[r] = equation.constant
        else:
            used = np.unique(np.concatenate([part.columns for part in _inputs(equation)]))
            j0.append(np.zeros(used.size))
        columns.append(used)
        start += used.size
        pointer.append(start)
    all_columns = np.concatenate([*columns, np.zeros(0, dtype=np.int64)])
    p_entry, p_column, p_value = (np.concatenate(parts) for parts in zip(*p_parts, strict=True))
    ellipsoids = [rows[r].equation for r in special[EllipsoidEquation]]
    angles = [rows[r].equation for r in special[AngleEquation]]
    x_pointer, x_entry, x_value, x0 = _input_tables(
        rows, special[EllipsoidEquation] + special[AngleEquation], pointer, all_columns
    )
    return RowTables(
        pointer=np.array(pointer, dtype=np.int64),
        columns=all_columns,
        constant=constant,
        quadratic=np.array(special[Quadratic], dtype=np.int64),
        j0=np.concatenate([*j0, np.zeros(0)]),
        p_pointer=np.searchsorted(p_entry, np.arange(start + 1)).astype(np.int64),
        p_column=p_column.astype(np.int64),
        p_value=p_value,
        ellipsoid=np.array(special[EllipsoidEquation], dtype=np.int64),
        H=np.array([e.H for e in ellipsoids if isinstance(e, EllipsoidEquation)]).reshape(-1, 3, 3),
        angle=np.array(special[AngleEquation], dtype=np.int64),
        magnitude=np.array([a.magnitude for a in angles if isinstance(a, AngleEquation)], dtype=np.float64),
        angle_column=np.array([a.angle for a in angles if isinstance(a, AngleEquation)], dtype=np.int64),
        x_pointer=x_pointer,
        x_entry=x_entry,
        x_value=x_value,
        x0=x0,
    )


def _inputs(equation: EllipsoidEquation | AngleEquation) -> list[VectorMap]:
    """Vectors that a non-quadratic equation is a function of; an added angle is a map of one component."""
    if isinstance(equation, EllipsoidEquation):
        return [*equation.axes, equation.d]
    if equation.angle < 0:
        return [equation.v, equation.u, equation.e, VectorMap.fixed((0.0,))]
    own = VectorMap(np.array([equation.angle]), np.ones((1, 1)), np.zeros(1))
    return [equation.v, equation.u, equation.e, own]


def _input_tables(
    rows: Sequence[Row], which: Sequence[int], pointer: Sequence[int], columns: IntArray
) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    counts: list[int] = [0]
    entry: list[int] = []
    value: list[float] = []
    x0: list[float] = []
    for r in which:
        equation = rows[r].equation
        assert not isinstance(equation, Quadratic)
        own = columns[pointer[r] : pointer[r + 1]]
        for part in _inputs(equation):
            for line, offset in zip(part.matrix, part.constant, strict=True):
                used = np.flatnonzero(line)
                entry.extend(pointer[r] + np.searchsorted(own, part.columns[used]))
                value.extend(line[used])
                counts.append(len(entry))
                x0.append(float(offset))
    return (
        np.array(counts, dtype=np.int64),
        np.array(entry, dtype=np.int64),
        np.array(value, dtype=np.float64),
        np.array(x0, dtype=np.float64),
    )


# ---------------------------------------------------------------------- compiled evaluation


@compiled
def sine_form(tables: RowTables, q: FloatArray, target: FloatArray, use_sine: FloatArray) -> None:
    """Choose the form of every angle row at ``q``: 1 where |cos a| > √2/2, else 0. use_sine : (angle rows, F)."""
    for i in range(tables.angle.size):
        for f in range(q.shape[1]):
            a = target[tables.angle[i], f]
            if tables.angle_column[i] >= 0:
                a += q[tables.angle_column[i], f]
            use_sine[i, f] = 1.0 if abs(np.cos(a)) > SQRT_HALF else 0.0


@compiled
def evaluate(
    tables: RowTables, q: FloatArray, target: FloatArray, use_sine: FloatArray, phi: FloatArray, jacobian: FloatArray
) -> None:
    """Residuals phi (m, F) and Jacobian entries (nnz, F) at q (n, F) with targets k (m, F)."""
    _quadratic(tables, q, target, phi, jacobian)
    x, gradient = np.empty((ELLIPSOID_INPUTS, q.shape[1])), np.empty((ELLIPSOID_INPUTS, q.shape[1]))
    at = 0
    for i in range(tables.ellipsoid.size):
        r = tables.ellipsoid[i]
        read_inputs(tables, q, tables.x0, at, x)
        _ellipsoid(x, tables.H[i], phi[r], gradient)
        _write_jacobian(tables, r, at, gradient, jacobian)
        at += ELLIPSOID_INPUTS
    x, gradient = np.empty((ANGLE_INPUTS, q.shape[1])), np.empty((ANGLE_INPUTS, q.shape[1]))
    for i in range(tables.angle.size):
        r = tables.angle[i]
        read_inputs(tables, q, tables.x0, at, x)
        _angle(x, target[r], tables.magnitude[i], use_sine[i], phi[r], gradient)
        _write_jacobian(tables, r, at, gradient, jacobian)
        at += ANGLE_INPUTS


@compiled
def evaluate_rates(
    tables: RowTables,
    q: FloatArray,
    qdot: FloatArray,
    target: FloatArray,
    target_rate: FloatArray,
    target_acceleration: FloatArray,
    use_sine: FloatArray,
    velocity: FloatArray,
    acceleration: FloatArray,
) -> None:
    """Right-hand sides of Φq q̇ = b and Φq q̈ = c: b = −Φt, c = −Φ̇q q̇ − Φ̇t, both (m, F)."""
    frames = q.shape[1]
    for i in range(tables.quadratic.size):
        r = tables.quadratic[i]
        for f in range(frames):
            velocity[r, f] = target_rate[r, f]
            acceleration[r, f] = target_acceleration[r, f]
        for z in range(tables.pointer[r], tables.pointer[r + 1]):
            for p in range(tables.p_pointer[z], tables.p_pointer[z + 1]):
                for f in range(frames):
                    acceleration[r, f] -= tables.p_value[p] * qdot[tables.p_column[p], f] * qdot[tables.columns[z], f]
    still = np.zeros(tables.x0.size)
    x, xdot = np.empty((ELLIPSOID_INPUTS, frames)), np.empty((ELLIPSOID_INPUTS, frames))
    at = 0
    for i in range(tables.ellipsoid.size):
        read_inputs(tables, q, tables.x0, at, x)
        read_inputs(tables, qdot, still, at, xdot)
        _ellipsoid_rates(x, xdot, tables.H[i], acceleration[tables.ellipsoid[i]])
        for f in range(frames):
            velocity[tables.ellipsoid[i], f] = 0.0
        at += ELLIPSOID_INPUTS
    x, xdot = np.empty((ANGLE_INPUTS, frames)), np.empty((ANGLE_INPUTS, frames))
    for i in range(tables.angle.size):
        r = tables.angle[i]
        read_inputs(tables, q, tables.x0, at, x)
        read_inputs(tables, qdot, still, at, xdot)
        _angle_rates(
            x, xdot, target[r], target_rate[r], target_acceleration[r], tables.magnitude[i], use_sine[i],
            velocity[r], acceleration[r],
        )  # fmt: skip
        at += ANGLE_INPUTS


@compiled
def _quadratic(tables: RowTables, q: FloatArray, target: FloatArray, phi: FloatArray, jacobian: FloatArray) -> None:
    frames = q.shape[1]
    for i in range(tables.quadratic.size):
        r = tables.quadratic[i]
        for f in range(frames):
            phi[r, f] = tables.constant[r] - target[r, f]
        for z in range(tables.pointer[r], tables.pointer[r + 1]):
            j0 = tables.j0[z]
            for f in range(frames):
                jacobian[z, f] = j0
            for p in range(tables.p_pointer[z], tables.p_pointer[z + 1]):
                column, value = tables.p_column[p], tables.p_value[p]
                for f in range(frames):
                    jacobian[z, f] += value * q[column, f]
            column = tables.columns[z]
            for f in range(frames):
                phi[r, f] += 0.5 * (jacobian[z, f] + j0) * q[column, f]


@compiled
def read_inputs(tables: RowTables, q: FloatArray, offset: FloatArray, at: int, x: FloatArray) -> None:
    """x = X q + offset for the inputs of one row, which start at ``at``."""
    for s in range(x.shape[0]):
        for f in range(q.shape[1]):
            x[s, f] = offset[at + s]
        for e in range(tables.x_pointer[at + s], tables.x_pointer[at + s + 1]):
            column, value = tables.columns[tables.x_entry[e]], tables.x_value[e]
            for f in range(q.shape[1]):
                x[s, f] += value * q[column, f]


@compiled
def _write_jacobian(tables: RowTables, r: int, at: int, gradient: FloatArray, jacobian: FloatArray) -> None:
    """J = ∇f · X into the entries of row r."""
    for z in range(tables.pointer[r], tables.pointer[r + 1]):
        for f in range(jacobian.shape[1]):
            jacobian[z, f] = 0.0
    for s in range(gradient.shape[0]):
        for e in range(tables.x_pointer[at + s], tables.x_pointer[at + s + 1]):
            z, value = tables.x_entry[e], tables.x_value[e]
            for f in range(jacobian.shape[1]):
                jacobian[z, f] += value * gradient[s, f]


@compiled
def _ellipsoid(x: FloatArray, H: FloatArray, phi: FloatArray, gradient: FloatArray) -> None:
    """φ = yᵀHy − 1 with y_k = a_k·d; with g = 2Hy: ∂φ/∂a_k = g_k d, ∂φ/∂d = Σ g_k a_k (Eqs. C.23-C.26)."""
    for f in range(x.shape[1]):
        value = -1.0
        for c in range(3):
            gradient[9 + c, f] = 0.0
        for k in range(3):
            g = 0.0
            y_k = 0.0
            for j in range(3):
                y_j = x[3 * j, f] * x[9, f] + x[3 * j + 1, f] * x[10, f] + x[3 * j + 2, f] * x[11, f]
                g += 2.0 * H[k, j] * y_j
                if j == k:
                    y_k = y_j
            value += 0.5 * g * y_k
            for c in range(3):
                gradient[3 * k + c, f] = g * x[9 + c, f]
                gradient[9 + c, f] += g * x[3 * k + c, f]
        phi[f] = value


@compiled
def _ellipsoid_rates(x: FloatArray, xdot: FloatArray, H: FloatArray, acceleration: FloatArray) -> None:
    """c = −2(ẏᵀHẏ + 2 yᵀH Ȧᵀḋ) (theory §4.3; the row φ⁸ of Table C.4 is misprinted)."""
    y = np.empty(3)
    ydot = np.empty(3)
    mixed = np.empty(3)
    for f in range(x.shape[1]):
        for k in range(3):
            y[k] = 0.0
            ydot[k] = 0.0
            mixed[k] = 0.0
            for c in range(3):
                a, adot = x[3 * k + c, f], xdot[3 * k + c, f]
                d, ddot = x[9 + c, f], xdot[9 + c, f]
                y[k] += a * d
                ydot[k] += a * ddot + adot * d
                mixed[k] += adot * ddot
        total = 0.0
        for k in range(3):
            for j in range(3):
                total += H[k, j] * (ydot[k] * ydot[j] + 2.0 * y[k] * mixed[j])
        acceleration[f] = -2.0 * total


@compiled
def _angle(
    x: FloatArray,
    target: FloatArray,
    magnitude: float,
    use_sine: FloatArray,
    phi: FloatArray,
    gradient: FloatArray,
) -> None:
    """Cosine form v·u − L cos a, or sine form (v×u)·e − L sin a, and its gradient (theory §5.2)."""
    for f in range(x.shape[1]):
        a = x[9, f] + target[f]
        if use_sine[f] > 0.5:
            phi[f] = -magnitude * np.sin(a)
            gradient[9, f] = -magnitude * np.cos(a)
            for c in range(3):
                i, j = (c + 1) % 3, (c + 2) % 3
                gradient[c, f] = x[3 + i, f] * x[6 + j, f] - x[3 + j, f] * x[6 + i, f]  # u × e
                gradient[3 + c, f] = x[6 + i, f] * x[j, f] - x[6 + j, f] * x[i, f]  # e × v
                gradient[6 + c, f] = x[i, f] * x[3 + j, f] - x[j, f] * x[3 + i, f]  # v × u
                phi[f] += gradient[c, f] * x[c, f]
        else:
            phi[f] = -magnitude * np.cos(a)
            gradient[9, f] = magnitude * np.sin(a)
            for c in range(3):
                gradient[c, f] = x[3 + c, f]
                gradient[3 + c, f] = x[c, f]
                gradient[6 + c, f] = 0.0
                phi[f] += x[c, f] * x[3 + c, f]


@compiled
def _angle_rates(
    x: FloatArray,
    xdot: FloatArray,
    target: FloatArray,
    target_rate: FloatArray,
    target_acceleration: FloatArray,
    magnitude: float,
    use_sine: FloatArray,
    velocity: FloatArray,
    acceleration: FloatArray,
) -> None:
    """b = −Φt and c = −Φ̇q q̇ − Φ̇t of both forms (theory §5.2), a = target + added coordinate."""
    for f in range(x.shape[1]):
        a, adot = x[9, f] + target[f], xdot[9, f] + target_rate[f]
        if use_sine[f] > 0.5:
            slope, curvature = -magnitude * np.cos(a), magnitude * np.sin(a)
        else:
            slope, curvature = magnitude * np.sin(a), magnitude * np.cos(a)
        velocity[f] = -slope * target_rate[f]
        total = curvature * adot * adot + slope * target_acceleration[f]
        for c in range(3):
            i, j = (c + 1) % 3, (c + 2) % 3
            if use_sine[f] > 0.5:
                total += 2.0 * (xdot[i, f] * xdot[3 + j, f] - xdot[j, f] * xdot[3 + i, f]) * x[6 + c, f]
                total += 2.0 * (xdot[i, f] * x[3 + j, f] - xdot[j, f] * x[3 + i, f]) * xdot[6 + c, f]
                total += 2.0 * (x[i, f] * xdot[3 + j, f] - x[j, f] * xdot[3 + i, f]) * xdot[6 + c, f]
            else:
                total += 2.0 * xdot[c, f] * xdot[3 + c, f]
        acceleration[f] = -total
