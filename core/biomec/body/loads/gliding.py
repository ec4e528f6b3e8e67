"""Gliding contacts of the scapula as forces: where they press, along which normal, and what they leave to muscles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.engine.equations import EllipsoidEquation
from biomec.engine.tree.joint_tree import JointTree


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
