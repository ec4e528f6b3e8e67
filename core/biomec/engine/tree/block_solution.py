"""Inverse dynamics in natural coordinates, segment by segment along the tree instead of one large matrix a frame.

    M q̈ + Φqᵀ λ − Gᵀ f_m = Q            ([Nunes2017] Eqs. 2.97-2.99, §5.4.2)

has as many equations as unknowns: six multipliers of the rigid body, three of its spherical pair and three torques for
each segment of twelve coordinates. A segment's equations hold only its own unknowns and those of the joints to segments
farther from the root. Taken from the ends of the tree, every segment therefore gives twelve equations in twelve
unknowns, and what is found passes to the next one as a known force: the large matrix is block triangular.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.engine.equations import Quadratic
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.joints import rigid_body_rows
from biomec.engine.tree.joint_tree import JointTree

SIZE = 12  # coordinates of a spatial body, and unknowns of its block


class TreeTables(NamedTuple):
    """Constants of a tree for the compiled loops. Maps of a body are c ⊗ I₃ over its four basic elements.

    rigid   : (S, 6, 4, 4) gradient of rigid row r with respect to element j is Σ_k rigid[r, j, k] s_k
    mass    : (S, 4, 4)  M = mass ⊗ I₃
    weight  : (S, 4, 3) generalised force of gravity
    axes    : (S, 3, 4) local axes
    origin  : (S, 4) local origin
    is_point: (S, 4) 1 for basic points, 0 for unit vectors
    child, parent : (J + 1,) bodies of every joint, the residual last with parent −1
    at_child, at_parent : (J + 1, 4) the joint's centre in both
    """

    rigid: FloatArray
    mass: FloatArray
    weight: FloatArray
    axes: FloatArray
    origin: FloatArray
    is_point: FloatArray
    child: IntArray
    parent: IntArray
    at_child: FloatArray
    at_parent: FloatArray


@lru_cache(maxsize=8)
def tree_tables(tree: JointTree, gravity: tuple[float, float, float] | None = None) -> TreeTables:
    """Lay out a tree for the compiled loops; every body must own its twelve coordinates.

    gravity : [m/s²]; the system's if not given
    """
    system = tree.system
    g = system.gravity if gravity is None else np.array(gravity)
    parts: list[tuple[ArrayLike, ...]] = []
    for body in system.bodies:
        if body.shared or body.size != SIZE:
            raise BiomecError(f"Inverse dynamics: {body.name} shares points with others, which hides their reactions.")
        columns = system.layout.columns(body.name)
        gradients = np.zeros((6, SIZE, SIZE))
        for r, row in enumerate(rigid_body_rows(body, system.layout)):
            assert isinstance(row.equation, Quadratic)
            own = np.searchsorted(columns, row.equation.columns)
            gradients[r][np.ix_(own, own)] = row.equation.N + row.equation.N.T
        parts.append(
            (
                gradients[:, ::3, ::3],
                body.mass_matrix[::3, ::3],
                np.outer(_factors(body.point_map("com")), body.mass * g),
                np.array([_factors(D) for D in body.axes_maps()]),
                _factors(body.point_map("origin")),
                np.array([float(name in body.basic_points) for name in body.basis]),
            )
        )
    rigid, mass, weight, axes, origin, is_point = (
        np.array(part, dtype=np.float64) for part in zip(*parts, strict=True)
    )

    def at(point: str) -> FloatArray:
        owner, name = point.split(".", 1)
        return _factors(system.layout.bodies[owner].point_map(name))

    return TreeTables(
        rigid,
        mass,
        weight,
        axes,
        origin,
        is_point,
        child=np.array([*(joint.child for joint in tree.joints), tree.root], dtype=np.int64),
        parent=np.array([*(joint.parent for joint in tree.joints), -1], dtype=np.int64),
        at_child=np.array([*(at(joint.child_point) for joint in tree.joints), at(tree.root_point)]),
        at_parent=np.array([*(at(joint.parent_point) for joint in tree.joints), np.zeros(4)]),
    )


def elements(tree: JointTree, q: FloatArray) -> FloatArray:
    """Basic points and vectors of all bodies, (T, S, 4, 3), out of coordinates or their derivatives (T, n)."""
    columns = np.concatenate([tree.system.layout.columns(body.name) for body in tree.system.bodies])
    return np.ascontiguousarray(q[:, columns].reshape(len(q), -1, 4, 3))


def loaded_bodies(tree: JointTree, external: ExternalLoads) -> IntArray:
    """Numbers of the bodies that the external loads act on."""
    names = [body.name for body in tree.system.bodies]
    unknown = [name for name in external.segments if name not in names]
    if unknown:
        raise BiomecError(f"An external load acts on {', '.join(unknown)}, which the model does not have.")
    return np.array([names.index(name) for name in external.segments], dtype=np.int64)


def _factors(matrix: FloatArray) -> FloatArray:
    """The four factors c of a map c ⊗ I₃."""
    return np.asarray(matrix[0, ::3])


# ---------------------------------------------------------------------- compiled


@compiled
def add_torque(axes: FloatArray, s: FloatArray, h: FloatArray, sign: float, Q: FloatArray) -> None:
    """Q (4, 3) += sign Gᵀ h, with G of ω = ½ Σ e_k × ė_k: element j gets ½ Σ_k axes_kj (h × e_k)."""
    for k in range(3):
        x = y = z = 0.0
        for j in range(4):
            x += axes[k, j] * s[j, 0]
            y += axes[k, j] * s[j, 1]
            z += axes[k, j] * s[j, 2]
        a, b, c = h[1] * z - h[2] * y, h[2] * x - h[0] * z, h[0] * y - h[1] * x
        for j in range(4):
            factor = 0.5 * sign * axes[k, j]
            Q[j, 0] += factor * a
            Q[j, 1] += factor * b
            Q[j, 2] += factor * c


@compiled
def add_wrench(
    tables: TreeTables, b: int, s: FloatArray, point: FloatArray, force: FloatArray, moment: FloatArray, Q: FloatArray
) -> None:
    """Q (4, 3) += C_oᵀ f + Gᵀ(h + (p − r_o) × f) of a wrench at a laboratory point p on body b."""
    arm = np.zeros(3)
    total = np.empty(3)
    for i in range(3):
        arm[i] = point[i]
        for j in range(4):
            arm[i] -= tables.origin[b, j] * s[j, i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        total[i] = moment[i] + arm[j] * force[k] - arm[k] * force[j]
        for e in range(4):
            Q[e, i] += tables.origin[b, e] * force[i]
    add_torque(tables.axes[b], s, total, 1.0, Q)


@compiled
def required_forces(
    tables: TreeTables,
    s: FloatArray,
    sddot: FloatArray,
    owner: IntArray,
    point: FloatArray,
    force: FloatArray,
    moment: FloatArray,
    Q: FloatArray,
) -> None:
    """Q (S, 4, 3) = Q_c − M q̈ in one frame: gravity and external loads less what the accelerations need."""
    for b in range(s.shape[0]):
        for j in range(4):
            for i in range(3):
                Q[b, j, i] = tables.weight[b, j, i]
                for k in range(4):
                    Q[b, j, i] -= tables.mass[b, j, k] * sddot[b, k, i]
    for e in range(owner.size):
        b = owner[e]
        add_wrench(tables, b, s[b], point[e], force[e], moment[e], Q[b])


@compiled
def solve_blocks(
    tables: TreeTables,
    s: FloatArray,
    sddot: FloatArray,
    owner: IntArray,
    point: FloatArray,
    ground_force: FloatArray,
    ground_moment: FloatArray,
    directions: FloatArray,
    glider: IntArray,
    carrier: IntArray,
    touched: FloatArray,
    normal: FloatArray,
    force: FloatArray,
    torque: FloatArray,
    pressure: FloatArray,
) -> None:
    """Solve all blocks of all frames.

    directions : (T, S, 3, 3) columns: directions of a segment's torques; a contact of the segment takes the place of
                 one of them, in order
    glider, carrier, touched (T, C, 3), normal (T, C, 3) : gliding contacts, none if they are left to the joints
    force, torque : (T, J + 1, 3) on the children, filled;  pressure : (T, C) forces along the normals, filled
    """
    bodies = s.shape[1]
    Q = np.empty((bodies, 4, 3))
    A = np.empty((SIZE, SIZE))
    x = np.empty(SIZE)
    column = np.empty((4, 3))
    h = np.empty(3)
    f = np.empty(3)
    none = np.zeros(3)
    for t in range(s.shape[0]):
        required_forces(tables, s[t], sddot[t], owner, point[t], ground_force[t], ground_moment[t], Q)
        for step in range(tables.child.size):
            b, p = tables.child[step], tables.parent[step]
            for i in range(3):  # −Cᵀ of the spherical pair; first, because it is sparse and stays so
                for j in range(4):
                    for k in range(3):
                        A[3 * j + k, i] = -tables.at_child[step, j] if k == i else 0.0
            for r in range(6):  # Φcrᵀ
                for j in range(4):
                    for i in range(3):
                        value = 0.0
                        for k in range(4):
                            value += tables.rigid[b, r, j, k] * s[t, b, k, i]
                        A[3 * j + i, 3 + r] = value
            at = 9
            for c in range(glider.size):
                if glider[c] == b:
                    column.fill(0.0)
                    for i in range(3):
                        f[i] = -normal[t, c, i]
                    add_wrench(tables, b, s[t, b], touched[t, c], f, none, column)
                    _put(column, A, at)
                    at += 1
            first_torque = at
            for d in range(first_torque - 9, 3):  # −Gᵀ of the torques
                column.fill(0.0)
                for i in range(3):
                    h[i] = directions[t, b, i, d]
                add_torque(tables.axes[b], s[t, b], h, -1.0, column)
                _put(column, A, at)
                at += 1
            for j in range(4):
                for i in range(3):
                    x[3 * j + i] = Q[b, j, i]
            _solve(A, x)
            for i in range(3):
                force[t, step, i] = x[i]
                torque[t, step, i] = 0.0
                for d in range(first_torque - 9, 3):
                    torque[t, step, i] += directions[t, b, i, d] * x[9 + d]
            at = 9
            for c in range(glider.size):
                if glider[c] == b:
                    pressure[t, c] = x[at]
                    for i in range(3):
                        f[i] = -x[at] * normal[t, c, i]
                    add_wrench(tables, carrier[c], s[t, carrier[c]], touched[t, c], f, none, Q[carrier[c]])
                    at += 1
            if p >= 0:
                for j in range(4):
                    for i in range(3):
                        Q[p, j, i] -= tables.at_parent[step, j] * force[t, step, i]
                add_torque(tables.axes[p], s[t, p], torque[t, step], -1.0, Q[p])


@compiled
def _put(values: FloatArray, A: FloatArray, at: int) -> None:
    """Write the values (4, 3) of a body's elements into a column of A."""
    for j in range(4):
        for i in range(3):
            A[3 * j + i, at] = values[j, i]


@compiled
def _solve(A: FloatArray, x: FloatArray) -> None:
    """Solve A y = x in place by elimination with row exchanges; a singular block gives NaN."""
    n = x.size
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        if not abs(A[pivot, k]) > 1e-14:
            x[:] = np.nan
            return
        if pivot != k:
            for j in range(k, n):
                A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
            x[k], x[pivot] = x[pivot], x[k]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            if factor == 0.0:
                continue
            for j in range(k + 1, n):
                A[i, j] -= factor * A[k, j]
            x[i] -= factor * x[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= A[k, j] * x[j]
        x[k] /= A[k, k]


@compiled
def transform_velocities(
    tables: TreeTables,
    s: FloatArray,
    sddot: FloatArray,
    owner: IntArray,
    point: FloatArray,
    ground_force: FloatArray,
    ground_moment: FloatArray,
    force: FloatArray,
    torque: FloatArray,
) -> None:
    """f_m = Rᵀ(M q̈ − Q_c) for the velocities of the root and the relative angular velocities of the joints.

    Column d of R moves everything beyond a joint as one rigid body, a turn about the joint's centre: Rᵀ applied to a
    generalised force is its moment about that centre (and its sum, for the root's translation), gathered from the ends
    of the tree. Force and torque (T, J + 1, 3) on the children, filled.
    """
    bodies = s.shape[1]
    Q = np.empty((bodies, 4, 3))
    f = np.empty((bodies, 3))
    h = np.empty((bodies, 3))  # about the laboratory's origin
    centre = np.empty(3)
    for t in range(s.shape[0]):
        required_forces(tables, s[t], sddot[t], owner, point[t], ground_force[t], ground_moment[t], Q)
        for b in range(bodies):
            for i in range(3):
                k, m = (i + 1) % 3, (i + 2) % 3
                f[b, i] = 0.0
                h[b, i] = 0.0
                for j in range(4):
                    f[b, i] -= tables.is_point[b, j] * Q[b, j, i]
                    h[b, i] -= s[t, b, j, k] * Q[b, j, m] - s[t, b, j, m] * Q[b, j, k]
        for step in range(tables.child.size):
            b, p = tables.child[step], tables.parent[step]
            for i in range(3):
                centre[i] = 0.0
                for j in range(4):
                    centre[i] += tables.at_child[step, j] * s[t, b, j, i]
            for i in range(3):
                k, m = (i + 1) % 3, (i + 2) % 3
                force[t, step, i] = f[b, i]
                torque[t, step, i] = h[b, i] - (centre[k] * f[b, m] - centre[m] * f[b, k])
                if p >= 0:
                    f[p, i] += f[b, i]
                    h[p, i] += h[b, i]
