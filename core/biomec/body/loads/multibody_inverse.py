"""Inverse dynamics in natural coordinates: Newton's method, Lagrange's method, velocity transformation.

All three solve M q̈ + Φqᵀλ = Q for what must act in the joints ([Nunes2017] §2.4.3, §5.4.2), in different unknowns:

    newton    multipliers λ of rigid bodies and spherical pairs, and torques f_m along the directions G(q) (Eq. 2.97)
    lagrange  multipliers of the same and of guides that prescribe the root's place and the Cardan angles of all joints
              (Eqs. 2.100-2.102); the effort of a guide is −λ, the torque conjugate to its angle
    velocity  f_m = Rᵀ(M q̈ − Q_c) for the root's velocity and the joints' relative angular velocities (Eq. 2.104)

Spherical pairs are written proximal minus distal, so that their multiplier is the force of proximal on distal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.newton_euler import as_loads
from biomec.body.loads.options import CONSTRAINTS, METHODS
from biomec.engine.equations import EllipsoidEquation
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.tree.block_solution import elements, loaded_bodies, solve_blocks, transform_velocities, tree_tables
from biomec.engine.tree.joint_tree import JointTree
from biomec.engine.tree.vectors import cross, dot

TITLES = {"newton": "Multibody, Newton", "lagrange": "Multibody, Lagrange", "velocity": "Velocity transformation"}


def multibody_loads(
    tree: JointTree,
    q: FloatArray,
    qddot: FloatArray,
    external: ExternalLoads,
    method: str = "newton",
    constraints: str = "spherical",
    *,
    gravity: FloatArray | None = None,
) -> JointLoads:
    """Loads of all joints from coordinates and accelerations (T, n).

    constraints : "spherical" leaves three torques to every joint. "all" keeps the gliding contacts too: their forces
                  then stand for as many torques of the joint that leads from their segment to the root, and the joints
                  beyond are relieved of them. Universal and revolute joints carry the same torque either way; which
                  part of it their bearings resist is a matter of reading it.

    The velocity transformation has no multipliers, so it knows no contact forces.
    """
    if method not in METHODS or constraints not in CONSTRAINTS:
        known = ", ".join((*METHODS, *CONSTRAINTS))
        raise BiomecError(f'Inverse dynamics knows {known}; "{method}" with "{constraints}" is not among them.')
    if constraints == "all" and method == "velocity" and tree.contacts:
        raise BiomecError("Velocity transformation gives no contact forces; choose Newton's or Lagrange's method.")
    if q.shape != qddot.shape or external.frames != len(q):
        raise BiomecError(
            f"There are {len(q)} frames of positions, {len(qddot)} of accelerations and {external.frames} of external "
            "loads; they must match."
        )
    tables = tree_tables(tree, None if gravity is None else (float(gravity[0]), float(gravity[1]), float(gravity[2])))
    s, sddot = elements(tree, q), elements(tree, qddot)
    owner = loaded_bodies(tree, external)
    force, torque = (np.empty((len(q), len(tree.joints) + 1, 3)) for _ in range(2))
    loads = (external.point, external.force, external.moment)
    centre = np.einsum("sj,tsji->tsi", tables.at_child, s[:, tables.child])
    if method == "velocity":
        transform_velocities(tables, s, sddot, owner, *loads, force, torque)
        return as_loads(TITLES[method], tree, centre, force, torque)
    directions = np.broadcast_to(np.eye(3), (len(q), s.shape[1], 3, 3))
    gliding: GlidingContacts | None = None
    if constraints == "all" and tree.contacts:
        gliding = gliding_contacts(tree, q)
        directions = gliding.directions
    glides = set() if gliding is None else set(gliding.body)
    if method == "lagrange":
        directions = _guide_directions(tree, tables.axes, s, directions, glides)
    count = 0 if gliding is None else len(gliding.body)
    none = np.zeros((len(q), 0, 3))
    pressure = np.empty((len(q), count))
    solve_blocks(
        tables,
        s,
        sddot,
        owner,
        *loads,
        np.ascontiguousarray(directions),
        np.array(() if gliding is None else gliding.body, dtype=np.int64),
        np.array(() if gliding is None else gliding.on, dtype=np.int64),
        none if gliding is None else gliding.point,
        none if gliding is None else gliding.normal,
        force,
        torque,
        pressure,
    )
    if gliding is None:
        return as_loads(TITLES[method], tree, centre, force, torque)
    pushed = pressure[..., None] * gliding.normal
    return as_loads(f"{TITLES[method]}, gliding contacts", tree, centre, force, torque, gliding.point, pushed, pressure)


def _guide_directions(
    tree: JointTree, axes: FloatArray, s: FloatArray, directions: FloatArray, glides: set[int]
) -> FloatArray:
    """Directions (T, S, 3, 3) in which the efforts of Cardan angles act as torques: the columns of E⁻ᵀ.

    E = [e₁ e₂ e₃] are the axes of the angles: one of the segment towards the root, one of the segment itself, and the
    floating axis normal to both. ω_rel = E θ̇, so the torque h does the work τ_k = e_k·h on angle k, and h = E⁻ᵀ τ. Of
    two sequences that differ in their last axis, each frame takes the one farther from gimbal lock. Segments that
    glide keep their own directions.
    """
    joints = [(joint.child, joint.parent) for joint in tree.joints] + [(tree.root, -1)]
    guided = np.array([pair for pair in joints if pair[0] not in glides], dtype=np.int64)
    result = np.array(directions)
    _fill_guides(np.ascontiguousarray(axes), np.ascontiguousarray(s), guided, result)
    return result


@compiled
def _fill_guides(axes: FloatArray, s: FloatArray, guided: IntArray, result: FloatArray) -> None:
    """Fill E⁻ᵀ = [e₂ × e₃, e₃ × e₁, e₁ × e₂] / det E for child and parent (or −1: the laboratory) of every joint."""
    e = np.zeros((3, 3))  # rows: e₁, the floating axis, e₃
    last = np.zeros(3)
    floating = np.zeros(3)
    for t in range(s.shape[0]):
        for n in range(guided.shape[0]):
            child, parent = guided[n, 0], guided[n, 1]
            for i in range(3):
                e[0, i] = 1.0 if i == 2 else 0.0
                if parent >= 0:
                    e[0, i] = 0.0
                    for j in range(4):
                        e[0, i] += axes[parent, 2, j] * s[t, parent, j, i]
            farthest = -1.0
            for k in (1, 0):
                for i in range(3):
                    last[i] = 0.0
                    for j in range(4):
                        last[i] += axes[child, k, j] * s[t, child, j, i]
                cross(last, e[0], floating)
                sine = np.sqrt(dot(floating, floating))
                if sine > farthest:
                    farthest = sine
                    e[1] = floating / sine
                    e[2] = last
            if not farthest > 0.0:  # a segment that is not known
                continue
            for k in range(3):
                cross(e[(k + 1) % 3], e[(k + 2) % 3], floating)
                determinant = dot(e[k], floating)
                for i in range(3):
                    result[t, child, i, k] = floating[i] / determinant


@dataclass(frozen=True, eq=False)
class GlidingContacts:
    """Contacts of a tree in T frames, laboratory axes.

    body, on   : (C,) numbers of the segment that glides and of the one that carries the ellipsoid
    point      : (T, C, 3) where they touch [m]
    normal     : (T, C, 3) unit, out of the ellipsoid: a force along it pushes the segment away
    directions : (T, S, 3, 3) columns: directions of the torques that the joint towards the root can give its segment.
                 The last 3 − c of a segment with c contacts do no work on the others' constraints: with the segment
                 towards the root held still, the segment can turn about them without leaving the ellipsoids.
    """

    body: tuple[int, ...]
    on: tuple[int, ...]
    point: FloatArray
    normal: FloatArray
    directions: FloatArray


def gliding_contacts(tree: JointTree, q: FloatArray) -> GlidingContacts:
    """Contacts in configurations q (T, n).

    φ = yᵀHy − 1 with y = Aᵀd has the gradient 2 A H y with respect to the point ([Nunes2017] Eq. C.25), so this is the
    direction of its force; the multiplier only scales it.
    """
    system, layout = tree.system, tree.system.layout
    names = [body.name for body in system.bodies]
    centres = {joint.child: layout.point(joint.child_point)(q) for joint in tree.joints}
    directions = np.broadcast_to(np.eye(3), (len(q), len(names), 3, 3)).copy()
    point, normal = (np.zeros((len(q), len(tree.contacts), 3)) for _ in range(2))
    body, on = [], []
    for c, contact in enumerate(tree.contacts):
        equation = contact.rows(layout)[0].equation
        assert isinstance(equation, EllipsoidEquation)
        A = np.stack([axis(q) for axis in equation.axes], axis=-1)
        y = np.einsum("tij,ti->tj", A, equation.d(q))
        n = np.einsum("tij,jk,tk->ti", A, equation.H, y)
        point[:, c] = layout.point(contact.point)(q)
        normal[:, c] = n / np.linalg.norm(n, axis=1, keepdims=True)
        body.append(names.index(contact.point.partition(".")[0]))
        on.append(names.index(contact.centre.partition(".")[0]))
    for b in dict.fromkeys(body):
        if b not in centres or any(one == b for one in on):
            raise BiomecError(f"The {names[b]} cannot both be the root or carry an ellipsoid, and glide.")
        own = [c for c, one in enumerate(body) if one == b]
        arms = np.stack([np.cross(point[:, c] - centres[b], normal[:, c]) for c in own], axis=1)
        directions[:, b, :, len(own) :] = _free_directions(arms)
    return GlidingContacts(tuple(body), tuple(on), point, normal, directions)


def _free_directions(arms: FloatArray) -> FloatArray:
    """Orthonormal vectors (T, 3, 3 − c), as columns, normal to the c moments (T, c, 3) of unit contact forces."""
    if arms.shape[1] > 2:
        raise BiomecError("At most two points of a segment can glide: a third leaves no motion to a joint's torque.")
    known = np.isfinite(arms).all(axis=(1, 2))
    result = np.full((len(arms), 3, 3 - arms.shape[1]), np.nan)
    _, _, Vt = np.linalg.svd(arms[known])
    result[known] = np.swapaxes(Vt[:, arms.shape[1] :], 1, 2)
    return result
