"""Inverse dynamics by Newton's and Euler's equations of every segment, from the ends of the body to its root.

    f = m (r̈ − g) − Σ f_k                                        ([Nunes2017] Eq. 5.24)
    h = J ω̇ + ω × J ω − Σ h_k − Σ r_k × f_k − r × f              (Eq. 5.25, about the centre of mass)

Sums run over what is already known to act on the segment: the ground, and the joints farther from the root. f and h act
on the segment at its joint towards the root; the segment on the other side gets −f and −h. The root has no such joint:
what it would need there is the residual.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray, IntArray, for_loops
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.joint_loads import JointLoads
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.maps import vector_table, vectors_of
from biomec.engine.tree.joint_tree import JointTree

METHOD = "Newton-Euler"


def newton_euler(
    tree: JointTree,
    motion: SegmentMotion,
    q: FloatArray,
    external: ExternalLoads,
    *,
    gravity: FloatArray | None = None,
) -> JointLoads:
    """Loads of all joints in all frames.

    motion  : of the segments, with accelerations
    q       : (T, n) coordinates, which say where the joints are
    gravity : (3,) [m/s²]; the system's if not given
    """
    system = tree.system
    if external.frames != motion.frames or len(q) != motion.frames:
        raise BiomecError(
            f"There are {motion.frames} frames of motion, {len(q)} of coordinates and {external.frames} of external "
            "loads; they must match."
        )
    g = system.gravity if gravity is None else np.asarray(gravity, dtype=np.float64)
    inertia = np.stack([np.asarray(body.inertia_matrix) for body in system.bodies])
    places = (*(joint.child_point for joint in tree.joints), tree.root_point)
    centre = vectors_of(vector_table([system.layout.point(name) for name in places]), q)
    child = np.array([*(joint.child for joint in tree.joints), tree.root], dtype=np.int64)
    parent = np.array([*(joint.parent for joint in tree.joints), -1], dtype=np.int64)
    owner = np.array([motion.index(name) for name in external.segments], dtype=np.int64)
    force, torque = (np.empty_like(centre) for _ in range(2))
    _recursion(
        np.ascontiguousarray(motion.R_WB), motion.p_com, motion.a_com, motion.omega, motion.alpha, motion.mass, inertia,
        for_loops(g), child, parent, centre, owner, external.point, external.force, external.moment,
        force, torque,
    )  # fmt: skip
    return as_loads(METHOD, tree, centre, force, torque)


def as_loads(
    method: str,
    tree: JointTree,
    centre: FloatArray,
    force: FloatArray,
    torque: FloatArray,
    contact_point: FloatArray | None = None,
    contact_force: FloatArray | None = None,
    contact_pressing: FloatArray | None = None,
) -> JointLoads:
    """Name loads on the children of a tree, (T, J + 1, 3) with the residual last, as loads of its joints.

    Joints whose distal segment is nearer to the root change their sign: the result is always of proximal on distal.
    """
    sign = np.array([joint.sign for joint in tree.joints])[:, None]
    names = [body.name for body in tree.system.bodies]
    none = np.zeros((len(centre), 0, 3))
    return JointLoads(
        method=method,
        joints=tree.names,
        proximal=tuple(joint.joint.proximal.partition(".")[0] for joint in tree.joints),
        distal=tuple(joint.joint.distal.partition(".")[0] for joint in tree.joints),
        centre=centre[:, :-1],
        force=sign * force[:, :-1],
        torque=sign * torque[:, :-1],
        root=names[tree.root],
        root_point=centre[:, -1],
        residual_force=force[:, -1],
        residual_torque=torque[:, -1],
        contacts=() if contact_point is None else tuple(contact.name for contact in tree.contacts),
        contact_point=none if contact_point is None else contact_point,
        contact_force=none if contact_force is None else contact_force,
        contact_pressing=none[..., 0] if contact_pressing is None else contact_pressing,
    )


@compiled
def _recursion(
    R: FloatArray,
    p_com: FloatArray,
    a_com: FloatArray,
    omega: FloatArray,
    alpha: FloatArray,
    mass: FloatArray,
    inertia: FloatArray,
    g: FloatArray,
    child: IntArray,
    parent: IntArray,
    centre: FloatArray,
    owner: IntArray,
    point: FloatArray,
    ground_force: FloatArray,
    ground_moment: FloatArray,
    force: FloatArray,
    torque: FloatArray,
) -> None:
    """Fill force and torque (T, J + 1, 3) on the children, about the joints' centres."""
    bodies = mass.size
    f = np.empty((bodies, 3))  # what a segment still needs, and its moment about the centre of mass
    h = np.empty((bodies, 3))
    w = np.empty(3)
    dw = np.empty(3)
    L = np.empty(3)
    dL = np.empty(3)
    r = np.empty(3)
    for t in range(R.shape[0]):
        for b in range(bodies):
            for i in range(3):
                f[b, i] = mass[b] * (a_com[t, b, i] - g[i])
                w[i] = 0.0
                dw[i] = 0.0
                for j in range(3):  # in the segment's axes, in which J is constant
                    w[i] += R[t, b, j, i] * omega[t, b, j]
                    dw[i] += R[t, b, j, i] * alpha[t, b, j]
            for i in range(3):
                L[i] = 0.0
                dL[i] = 0.0
                for j in range(3):
                    L[i] += inertia[b, i, j] * w[j]
                    dL[i] += inertia[b, i, j] * dw[j]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                r[i] = dL[i] + w[j] * L[k] - w[k] * L[j]
            for i in range(3):
                h[b, i] = R[t, b, i, 0] * r[0] + R[t, b, i, 1] * r[1] + R[t, b, i, 2] * r[2]
        for e in range(owner.size):
            b = owner[e]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                arm_j, arm_k = point[t, e, j] - p_com[t, b, j], point[t, e, k] - p_com[t, b, k]
                f[b, i] -= ground_force[t, e, i]
                h[b, i] -= ground_moment[t, e, i] + arm_j * ground_force[t, e, k] - arm_k * ground_force[t, e, j]
        for s in range(child.size):
            b, p = child[s], parent[s]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                arm_j, arm_k = centre[t, s, j] - p_com[t, b, j], centre[t, s, k] - p_com[t, b, k]
                force[t, s, i] = f[b, i]
                torque[t, s, i] = h[b, i] - (arm_j * f[b, k] - arm_k * f[b, j])
            if p < 0:
                continue
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                arm_j, arm_k = centre[t, s, j] - p_com[t, p, j], centre[t, s, k] - p_com[t, p, k]
                f[p, i] += force[t, s, i]
                h[p, i] += torque[t, s, i] + arm_j * force[t, s, k] - arm_k * force[t, s, j]
