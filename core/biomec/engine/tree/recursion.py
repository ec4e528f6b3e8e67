"""Compiled recursions along a tree of bodies: velocities, composite inertias, the reduced equations of motion.

Element velocity of a body: Z = {ṡ; ω}, where ṡ is the velocity of its point that momentarily sits at the inertial
origin, so that a point at r moves with ṡ + ω × r and inertias of bodies simply add up ([GarciaDeJalonBayo1994]):

    Z = Z_parent + Σ b_i ż_i          Ż = Ż_parent + Σ b_i z̈_i + d

b = {r × a; a} for a turn about the direction a through the joint's centre r. Ż holds the material acceleration of the
point at the origin, not the derivative of the numbers in Z. Where ω_rel = Σ a_i ż_i and e = Σ ȧ_i ż_i,

    d = {r × e + ω_p × (ω_p × r) − ω × (ω × r); e}

A joint with six freedoms adds the velocity v of its centre in the body before, b = {1; 0}, which turns with that body:
d gains ω_p × v. (v in axes of the laboratory; in axes of the body before, it would be 2 ω_p × v.)

Geometry comes from the natural coordinates themselves: there are no angles, and no attitude is singular.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.engine import rows as row_kernels
from biomec.engine.rows import RowTables
from biomec.engine.tree.vectors import cross, dot

FREE, SPHERICAL, UNIVERSAL, REVOLUTE, SIX = 0, 1, 2, 3, 4


class Branches(NamedTuple):
    """Constants of a tree; steps run over the joints from the root outwards, the root's own freedoms first.

    Maps of a body are c ⊗ I₃ over its four basic elements, which stand in q one after the other.

    body, parent : (J,) body beyond the joint, and the step that leads to the body before it (−1: none)
    kind     : (J,) FREE of the root; SPHERICAL, UNIVERSAL, REVOLUTE or SIX freedoms of a joint
    sign     : (J,) +1 where the body beyond is the distal one: velocities are of the distal body in the proximal one
    first    : (J + 1,) velocities of step k: first[k] … first[k+1]
    above    : (g,) the velocity before each one on the way to the root; −1 for the first
    step_of  : (S,) step of a body
    centre   : (J, 4) centre of the joint in the body beyond
    axes     : (J, 2, 4) directions of the velocities of universal (proximal, distal) and revolute joints
    owner    : (J, 2) bodies of these directions
    mass     : (S, 4, 4), M = mass ⊗ I₃
    moment   : (S, 4) first moment [kg m] is Σ moment_j s_j
    total    : (S,) [kg]
    frame    : (S, 3, 4) local axes
    is_point : (S, 4) 1 for basic points, 0 for unit vectors
    """

    body: IntArray
    parent: IntArray
    kind: IntArray
    sign: FloatArray
    first: IntArray
    above: IntArray
    step_of: IntArray
    centre: FloatArray
    axes: FloatArray
    owner: IntArray
    mass: FloatArray
    moment: FloatArray
    total: FloatArray
    frame: FloatArray
    is_point: FloatArray


@compiled
def _add_centripetal(w: FloatArray, r: FloatArray, factor: float, to: FloatArray) -> None:
    """to += factor ω × (ω × r) = factor (ω (ω·r) − r ω·ω)."""
    along, square = 0.0, 0.0
    for i in range(3):
        along += w[i] * r[i]
        square += w[i] * w[i]
    for i in range(3):
        to[i] += factor * (w[i] * along - r[i] * square)


@compiled
def mapped(factors: FloatArray, s: FloatArray, to: FloatArray) -> None:
    """to = Σ factors_j s_j."""
    for i in range(3):
        to[i] = factors[0] * s[0, i] + factors[1] * s[1, i] + factors[2] * s[2, i] + factors[3] * s[3, i]


@compiled
def _angular_velocity(frame: FloatArray, s: FloatArray, sdot: FloatArray, work: FloatArray, w: FloatArray) -> None:
    """ω = ½ Σ e_k × ė_k over the body's axes; ``work`` is (3, 3)."""
    e, edot, turn = work[0], work[1], work[2]
    w[:] = 0.0
    for k in range(3):
        mapped(frame[k], s, e)
        mapped(frame[k], sdot, edot)
        cross(e, edot, turn)
        for i in range(3):
            w[i] += 0.5 * turn[i]


@compiled
def directions(tables: Branches, s: FloatArray, r: FloatArray, b: FloatArray) -> None:
    """Centres r (J, 3) of all steps and columns b (g, 6) = {r × a; a} of all velocities."""
    b[:] = 0.0
    for k in range(tables.body.size):
        mapped(tables.centre[k], s[tables.body[k]], r[k])
        first = tables.first[k]
        if tables.kind[k] == FREE or tables.kind[k] == SIX:
            for i in range(3):
                b[first + i, i] = tables.sign[k]
                b[first + 3 + i, 3 + i] = tables.sign[k]
                cross(r[k], b[first + 3 + i, 3:], b[first + 3 + i, :3])
        elif tables.kind[k] == SPHERICAL:
            for i in range(3):
                b[first + i, 3 + i] = tables.sign[k]
                cross(r[k], b[first + i, 3:], b[first + i, :3])
        else:
            for a in range(tables.first[k + 1] - first):
                mapped(tables.axes[k, a], s[tables.owner[k, a]], b[first + a, 3:])
                for i in range(3):
                    b[first + a, 3 + i] *= tables.sign[k]
                cross(r[k], b[first + a, 3:], b[first + a, :3])


@compiled
def relative_velocities(
    tables: Branches, s: FloatArray, sdot: FloatArray, b: FloatArray, zdot: FloatArray, omega: FloatArray
) -> None:
    """ż (g,) of the elements' velocities, and ω (J, 3) of the bodies that follow from it.

    The least-squares turn about the joint's directions is taken, so that velocities that leave the constraints a little
    are read as the nearest ones that do not.
    """
    w, work = np.empty(3), np.empty((3, 3))
    for k in range(tables.body.size):
        body, first = tables.body[k], tables.first[k]
        _angular_velocity(tables.frame[body], s[body], sdot[body], work, w)
        if tables.kind[k] == FREE:
            mapped(tables.centre[k], sdot[body], zdot[:3])
            for i in range(3):
                zdot[3 + i] = w[i]
                omega[k, i] = w[i]
            continue
        before = omega[tables.parent[k]]
        if tables.kind[k] == SIX:
            p = tables.parent[k]
            for i in range(3):
                zdot[first + 3 + i] = tables.sign[k] * (w[i] - before[i])
                omega[k, i] = w[i]
            mapped(tables.centre[k], sdot[body], w)
            mapped(tables.centre[p], sdot[tables.body[p]], work[0])
            mapped(tables.centre[k], s[body], work[1])
            mapped(tables.centre[p], s[tables.body[p]], work[2])
            for i in range(3):
                work[1, i] -= work[2, i]
            cross(before, work[1], work[2])
            for i in range(3):
                zdot[first + i] = tables.sign[k] * (w[i] - work[0, i] - work[2, i])
            continue
        for i in range(3):
            w[i] -= before[i]
            omega[k, i] = before[i]
        if tables.kind[k] == SPHERICAL:
            for i in range(3):
                zdot[first + i] = tables.sign[k] * w[i]
        elif tables.kind[k] == REVOLUTE:
            a = b[first, 3:]
            zdot[first] = dot(a, w) / dot(a, a)
        else:
            a, c = b[first, 3:], b[first + 1, 3:]
            aa, ac, cc, aw, cw = dot(a, a), dot(a, c), dot(c, c), dot(a, w), dot(c, w)
            zdot[first] = (cc * aw - ac * cw) / (aa * cc - ac * ac)
            zdot[first + 1] = (aa * cw - ac * aw) / (aa * cc - ac * ac)
        for j in range(first, tables.first[k + 1]):
            for i in range(3):
                omega[k, i] += b[j, 3 + i] * zdot[j]


@compiled
def bias_of_elements(
    tables: Branches,
    s: FloatArray,
    r: FloatArray,
    b: FloatArray,
    zdot: FloatArray,
    omega: FloatArray,
    bias: FloatArray,
) -> None:
    """Accelerations (S, 4, 3) of all elements at z̈ = 0: Ṙ ż."""
    steps = tables.body.size
    D = np.zeros((steps, 6))
    e, turn = np.empty(3), np.empty(3)
    for k in range(steps):
        p, body = tables.parent[k], tables.body[k]
        if p >= 0:
            D[k] = D[p]
            e[:] = 0.0
            if tables.kind[k] == SIX:
                for i in range(3):
                    e[i] = tables.sign[k] * zdot[tables.first[k] + i]
                cross(omega[p], e, turn)
                for i in range(3):
                    D[k, i] += turn[i]
                e[:] = 0.0
            elif tables.kind[k] >= UNIVERSAL:  # directions of spherical joints are the laboratory's and do not turn
                for a in range(tables.first[k + 1] - tables.first[k]):
                    j = tables.first[k] + a
                    cross(omega[tables.step_of[tables.owner[k, a]]], b[j, 3:], turn)
                    for i in range(3):
                        e[i] += turn[i] * zdot[j]
            cross(r[k], e, turn)
            for i in range(3):
                D[k, i] += turn[i]
                D[k, 3 + i] += e[i]
            _add_centripetal(omega[p], r[k], 1.0, D[k, :3])
        _add_centripetal(omega[k], r[k], -1.0, D[k, :3])
        for j in range(4):
            cross(D[k, 3:], s[body, j], bias[body, j])
            for i in range(3):
                bias[body, j, i] += tables.is_point[body, j] * D[k, i]
            _add_centripetal(omega[k], s[body, j], 1.0, bias[body, j])


@compiled
def wrench_at_origin(is_point: FloatArray, s: FloatArray, Q: FloatArray, to: FloatArray) -> None:
    """Add {f; n} about the inertial origin of generalised forces Q (4, 3) on the elements s (4, 3) of a body."""
    for j in range(4):
        for i in range(3):
            k, m = (i + 1) % 3, (i + 2) % 3
            to[i] += is_point[j] * Q[j, i]
            to[3 + i] += s[j, k] * Q[j, m] - s[j, m] * Q[j, k]


@compiled
def reduced_equations(
    tables: Branches,
    s: FloatArray,
    b: FloatArray,
    bias: FloatArray,
    Q: FloatArray,
    M_bar: FloatArray,
    Q_bar: FloatArray,
) -> None:
    """M̄ (g, g) and Q̄ (g,) by accumulation from the ends of the tree to its root.

        M̄_ij = b_iᵀ M^Σ b_j,   Q̄_i = b_iᵀ P^Σ,   P = {forces − M Ṙż}

    over everything beyond the joint of i, with j on the way from i to the root; other entries are zero.
    """
    steps = tables.body.size
    inertia = np.empty((steps, 10))  # mass, first moment, tensor xx yy zz xy xz yz, about the inertial origin
    P = np.zeros((steps, 6))
    left, weighed, b_mass = np.empty((4, 3)), np.empty((4, 3)), np.empty(6)
    for k in range(steps):
        body = tables.body[k]
        at = s[body]
        for j in range(4):
            for i in range(3):
                left[j, i] = Q[body, j, i]
                weighed[j, i] = 0.0
                for m in range(4):
                    left[j, i] -= tables.mass[body, j, m] * bias[body, m, i]
                    weighed[j, i] += tables.mass[body, j, m] * at[m, i]
        wrench_at_origin(tables.is_point[body], at, left, P[k])
        xx = yy = zz = xy = xz = yz = 0.0
        for j in range(4):
            xx += at[j, 0] * weighed[j, 0]
            yy += at[j, 1] * weighed[j, 1]
            zz += at[j, 2] * weighed[j, 2]
            xy += at[j, 0] * weighed[j, 1]
            xz += at[j, 0] * weighed[j, 2]
            yz += at[j, 1] * weighed[j, 2]
        I = inertia[k]
        I[0] = tables.total[body]
        mapped(tables.moment[body], at, I[1:4])
        I[4], I[5], I[6], I[7], I[8], I[9] = yy + zz, xx + zz, xx + yy, -xy, -xz, -yz
    M_bar[:] = 0.0
    for k in range(steps - 1, -1, -1):
        I, p = inertia[k], tables.parent[k]
        for i in range(tables.first[k], tables.first[k + 1]):
            v, w = b[i, :3], b[i, 3:]
            b_mass[0] = I[0] * v[0] + w[1] * I[3] - w[2] * I[2]
            b_mass[1] = I[0] * v[1] + w[2] * I[1] - w[0] * I[3]
            b_mass[2] = I[0] * v[2] + w[0] * I[2] - w[1] * I[1]
            b_mass[3] = I[2] * v[2] - I[3] * v[1] + I[4] * w[0] + I[7] * w[1] + I[8] * w[2]
            b_mass[4] = I[3] * v[0] - I[1] * v[2] + I[7] * w[0] + I[5] * w[1] + I[9] * w[2]
            b_mass[5] = I[1] * v[1] - I[2] * v[0] + I[8] * w[0] + I[9] * w[1] + I[6] * w[2]
            total = 0.0
            for c in range(6):
                total += b[i, c] * P[k, c]
            Q_bar[i] = total
            j = i
            while j >= 0:
                total = 0.0
                for c in range(6):
                    total += b_mass[c] * b[j, c]
                M_bar[i, j] = total
                M_bar[j, i] = total
                j = tables.above[j]
        if p >= 0:
            for c in range(10):
                inertia[p, c] += I[c]
            for c in range(6):
                P[p, c] += P[k, c]


@compiled
def motion_of_elements(
    tables: Branches, s: FloatArray, b: FloatArray, rate: FloatArray, Z: FloatArray, to: FloatArray
) -> None:
    """Add R ẋ for rates ẋ (g,) to the elements' rates (S, 4, 3); Z (J, 6) is work space."""
    turn = np.empty(3)
    for k in range(tables.body.size):
        body, p = tables.body[k], tables.parent[k]
        for c in range(6):
            Z[k, c] = Z[p, c] if p >= 0 else 0.0
            for i in range(tables.first[k], tables.first[k + 1]):
                Z[k, c] += b[i, c] * rate[i]
        for j in range(4):
            cross(Z[k, 3:], s[body, j], turn)
            for i in range(3):
                to[body, j, i] += turn[i] + tables.is_point[body, j] * Z[k, i]


@compiled
def matrix_r(tables: Branches, s: FloatArray, b: FloatArray, R: FloatArray) -> None:
    """R (n, g): how every velocity moves the elements beyond its joint."""
    turn = np.empty(3)
    R[:] = 0.0
    for k in range(tables.body.size):
        body = tables.body[k]
        i = tables.first[k + 1] - 1
        while i >= 0:
            for j in range(4):
                cross(b[i, 3:], s[body, j], turn)
                for c in range(3):
                    R[12 * body + 3 * j + c, i] = turn[c] + tables.is_point[body, j] * b[i, c]
            i = tables.above[i]


@compiled
def loop_rows(
    tables: Branches,
    rows: RowTables,
    s: FloatArray,
    q: FloatArray,
    qdot: FloatArray,
    b: FloatArray,
    bias: FloatArray,
    damping: float,
    stiffness: float,
    J: FloatArray,
    c: FloatArray,
) -> None:
    """J_z (l, g) = Φq R and c_z (l,) = c − Φq Ṙż − 2ξω Φ̇ − ω² Φ of the rows that close loops.

    Row r of Φq is read as generalised forces: their wrench on a body, projected on the velocities that move it.
    """
    n, size = q.size, c.size
    none = np.zeros((size, 1))
    phi, entries = np.empty((size, 1)), np.empty((rows.columns.size, 1))
    first, second = np.empty((size, 1)), np.empty((size, 1))
    sine = np.empty((rows.angle.size, 1))
    at, moving = q.reshape(n, 1), qdot.reshape(n, 1)
    row_kernels.evaluate(rows, at, none, sine, phi, entries)
    row_kernels.evaluate_rates(rows, at, moving, none, none, none, sine, first, second)
    flat = bias.reshape(n)
    force, wrench = np.zeros(12), np.zeros(6)
    J[:] = 0.0
    for r in range(size):
        c[r] = second[r, 0] - stiffness * phi[r, 0]
        z, last = rows.pointer[r], rows.pointer[r + 1]
        while z < last:  # columns are sorted, so that those of a body follow each other
            body = rows.columns[z] // 12
            force[:] = 0.0
            wrench[:] = 0.0
            while z < last and rows.columns[z] // 12 == body:
                column = rows.columns[z]
                force[column % 12] = entries[z, 0]
                c[r] -= entries[z, 0] * (flat[column] + damping * qdot[column])
                z += 1
            wrench_at_origin(tables.is_point[body], s[body], force.reshape(4, 3), wrench)
            j = tables.first[tables.step_of[body] + 1] - 1
            while j >= 0:
                for i in range(6):
                    J[r, j] += b[j, i] * wrench[i]
                j = tables.above[j]
