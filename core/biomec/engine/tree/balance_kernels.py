"""Compiled balance of a whole tree: what its motion asks of the outside, and the exact derivatives of that.

Only the six equations of the root are needed: rates of change of momentum and of angular momentum less weight,

    w = Σ {p_j f_j; s_j × f_j},   f_j = Σ_m M_jm s̈_m − G_j g

over all elements s of all bodies, about the laboratory's origin; p is 1 for points and 0 for vectors. w is linear in
s̈ and bilinear in s and s̈, so that with the columns R of `chart_kernels`

    ∂w/∂ÿ: δs̈ = R δÿ,      ∂w/∂ẏ: δs̈ = 2 Ṙ δẏ,      ∂w/∂y: δs̈ = R̈ δy and δs = R δy

need sums over everything beyond a joint only: first moments and Σ M s sᵀ, Σ M s ṡᵀ, Σ M s s̈ᵀ, Σ s fᵀ.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled
from biomec.engine.rows import RowTables
from biomec.engine.tree import recursion
from biomec.engine.tree.chart_kernels import chart_motion
from biomec.engine.tree.joint_kernels import JointSides
from biomec.engine.tree.recursion import Branches
from biomec.engine.tree.restoring import Shapes


@compiled
def _gather(
    tables: Branches,
    gravity: FloatArray,
    s: FloatArray,
    sdot: FloatArray,
    sddot: FloatArray,
    mass: FloatArray,
    first: FloatArray,
    second: FloatArray,
) -> None:
    """Sums over everything beyond each step.

    mass (J,);  first (J, 4, 3): first moments of s, ṡ, s̈, and Σ p f;  second (J, 4, 3, 3): Σ M s sᵀ, Σ M s ṡᵀ, Σ M s s̈ᵀ
    and Σ s fᵀ
    """
    mass[:], first[:], second[:] = 0.0, 0.0, 0.0
    f, weighed = np.empty((4, 3)), np.empty((3, 4, 3))
    for k in range(tables.body.size - 1, -1, -1):
        body = tables.body[k]
        at = s[body]
        mass[k] += tables.total[body]
        weighed[:] = 0.0
        for j in range(4):
            for m in range(4):
                share = tables.mass[body, j, m]
                for i in range(3):
                    weighed[0, j, i] += share * at[m, i]
                    weighed[1, j, i] += share * sdot[body, m, i]
                    weighed[2, j, i] += share * sddot[body, m, i]
            for i in range(3):
                f[j, i] = weighed[2, j, i] - tables.moment[body, j] * gravity[i]
        for j in range(4):
            for i in range(3):
                first[k, 0, i] += tables.moment[body, j] * at[j, i]
                first[k, 1, i] += tables.moment[body, j] * sdot[body, j, i]
                first[k, 2, i] += tables.moment[body, j] * sddot[body, j, i]
                first[k, 3, i] += tables.is_point[body, j] * f[j, i]
                for c in range(3):
                    for n in range(3):
                        second[k, n, i, c] += at[j, i] * weighed[n, j, c]
                    second[k, 3, i, c] += at[j, i] * f[j, c]
        p = tables.parent[k]
        if p >= 0:
            mass[p] += mass[k]
            for n in range(4):
                for i in range(3):
                    first[p, n, i] += first[k, n, i]
                    for c in range(3):
                        second[p, n, i, c] += second[k, n, i, c]


@compiled
def _add_turned(a: FloatArray, G: FloatArray, E: FloatArray, factor: float, to: FloatArray) -> None:
    """Add {a × Σ x; Σ s × (a × x)} = {a × G; a tr E − Eᵀ a} for fields x, with G = Σ x and E = Σ s xᵀ."""
    trace = E[0, 0] + E[1, 1] + E[2, 2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        to[i] += factor * (a[j] * G[k] - a[k] * G[j])
        to[3 + i] += factor * (a[i] * trace - E[0, i] * a[0] - E[1, i] * a[1] - E[2, i] * a[2])


@compiled
def _add_shifted(v: FloatArray, mass: float, G: FloatArray, factor: float, to: FloatArray) -> None:
    """Add {m v; G × v} for points that all move by v, with the first moment G."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        to[i] += factor * mass * v[i]
        to[3 + i] += factor * (G[j] * v[k] - G[k] * v[j])


@compiled
def root_balance(
    tables: Branches,
    gravity: FloatArray,
    s: FloatArray,
    sdot: FloatArray,
    sddot: FloatArray,
    b: FloatArray,
    bdot: FloatArray,
    bddot: FloatArray,
    w: FloatArray,
    A: FloatArray,
) -> None:
    """w (6,) and A (3, g, 6): its derivatives by y, ẏ and ÿ."""
    steps = tables.body.size
    mass, first, second = np.empty(steps), np.empty((steps, 4, 3)), np.empty((steps, 4, 3, 3))
    _gather(tables, gravity, s, sdot, sddot, mass, first, second)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        w[i] = first[0, 3, i]
        w[3 + i] = second[0, 3, j, k] - second[0, 3, k, j]
    A[:] = 0.0
    for k in range(steps):
        m, G, E, F = mass[k], first[k], second[k], second[k, 3]
        trace = F[0, 0] + F[1, 1] + F[2, 2]
        for i in range(tables.first[k], tables.first[k + 1]):
            v, a = b[i, :3], b[i, 3:]
            _add_turned(a, G[0], E[0], 1.0, A[2, i])
            _add_shifted(v, m, G[0], 1.0, A[2, i])
            _add_turned(bdot[i, 3:], G[0], E[0], 2.0, A[1, i])
            _add_shifted(bdot[i, :3], m, G[0], 2.0, A[1, i])
            _add_turned(a, G[1], E[1], 2.0, A[1, i])
            _add_turned(bddot[i, 3:], G[0], E[0], 1.0, A[0, i])
            _add_shifted(bddot[i, :3], m, G[0], 1.0, A[0, i])
            _add_turned(bdot[i, 3:], G[1], E[1], 2.0, A[0, i])
            _add_turned(a, G[2], E[2], 1.0, A[0, i])
            for c in range(3):  # Σ (a × s) × f = F a − a tr F, and v × Σ p f
                n, l = (c + 1) % 3, (c + 2) % 3
                A[0, i, 3 + c] += F[c, 0] * a[0] + F[c, 1] * a[1] + F[c, 2] * a[2] - trace * a[c]
                A[0, i, 3 + c] += v[n] * G[3, l] - v[l] * G[3, n]


@compiled
def balance_of_frames(
    tables: Branches,
    shapes: Shapes,
    sides: JointSides,
    base: FloatArray,
    gravity: FloatArray,
    y: FloatArray,
    ydot: FloatArray,
    yddot: FloatArray,
    q: FloatArray,
    qdot: FloatArray,
    qddot: FloatArray,
    w: FloatArray,
    A: FloatArray,
    columns: FloatArray,
) -> None:
    """Of frames (T, g): q, q̇, q̈ (T, n), w (T, 6), its derivatives A (T, 3, g, 6), and screws of columns (T, g, 6)."""
    bodies, g = tables.total.size, y.shape[1]
    bdot, bddot = np.empty((g, 6)), np.empty((g, 6))
    for t in range(y.shape[0]):
        s, sdot, sddot = q[t].reshape(bodies, 4, 3), qdot[t].reshape(bodies, 4, 3), qddot[t].reshape(bodies, 4, 3)
        b = columns[t]
        chart_motion(tables, shapes, sides, base, y[t], ydot[t], yddot[t], s, sdot, sddot, b, bdot, bddot)
        root_balance(tables, gravity, s, sdot, sddot, b, bdot, bddot, w[t], A[t])


@compiled
def metric_of_frames(tables: Branches, q: FloatArray, columns: FloatArray, W: FloatArray) -> None:
    """W (T, g, g) = Rᵀ M R of coordinates q (T, n) and columns (T, g, 6), M being the mass in the tables."""
    bodies, g = tables.total.size, columns.shape[1]
    none, rest = np.zeros((bodies, 4, 3)), np.empty(g)
    for t in range(q.shape[0]):
        s = q[t].reshape(bodies, 4, 3)
        recursion.reduced_equations(tables, s, columns[t], none, none, W[t], rest)


@compiled
def loops_of_frames(
    tables: Branches,
    rows: RowTables,
    q: FloatArray,
    qdot: FloatArray,
    qddot: FloatArray,
    columns: FloatArray,
    J: FloatArray,
    gap: FloatArray,
    left: FloatArray,
) -> None:
    """Of rows Φ that close loops: J = Φ_q R (T, l, g), Φ (T, l), and −Φ̈ (T, l) at q̈."""
    bodies = tables.total.size
    for t in range(q.shape[0]):
        s, sddot = q[t].reshape(bodies, 4, 3), qddot[t].reshape(bodies, 4, 3)
        b = columns[t]
        recursion.loop_rows(tables, rows, s, q[t], qdot[t], b, sddot, 0.0, 1.0, J[t], gap[t])
        recursion.loop_rows(tables, rows, s, q[t], qdot[t], b, sddot, 0.0, 0.0, J[t], left[t])
        for r in range(left.shape[1]):
            gap[t, r] = left[t, r] - gap[t, r]
