"""Newton's and Euler's equations of a tree of rigid bodies, taken one body at a time from the leaves to the root.

Nothing of the engine's equations is used here: no natural coordinate enters a force, and no constraint, mass matrix or
multiplier exists. Of a `ReferenceTree` only the description is read: where bodies and joints are in the reference
pose, masses, inertia tensors. With everything in laboratory axes, for a body with its centre of mass at r_G,

    f = m (r̈_G − g) − Σ f_k                                                       on the body at its proximal joint r
    h = J ω̇ + ω × J ω − Σ h_k − Σ (r_k − r_G) × f_k − (r − r_G) × f               J = A J' Aᵀ

where f_k, h_k at r_k are what is known to act on it: wrenches from outside, and −f, −h of the joints further out.
[Nunes2017] Eqs. 5.24, 5.25; Table 5.6 is the order of the joints.

Motions are built here too, exactly: rotations about fixed axes are composed, and points are carried along from the
root. Every array may have any leading batch shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.engine.reference.trees import ReferenceTree, TreeBody


@dataclass(frozen=True)
class Turn:
    """Rotation away from the reference pose: R (..., 3, 3), ω and ω̇ (..., 3), in laboratory axes."""

    R: FloatArray
    w: FloatArray
    wdot: FloatArray

    def then(self, inner: Turn) -> Turn:
        """R = R₁R₂, ω = ω₁ + R₁ω₂, ω̇ = ω̇₁ + ω₁ × R₁ω₂ + R₁ω̇₂: ``inner`` is a rotation seen from a body that turns."""
        relative = _times(self.R, inner.w)
        return Turn(
            self.R @ inner.R,
            self.w + relative,
            self.wdot + np.cross(self.w, relative) + _times(self.R, inner.wdot),
        )


def turn_about(axis: FloatArray, angle: FloatArray, rate: FloatArray, acceleration: FloatArray) -> Turn:
    """Rotation about a fixed axis by an angle (...) [rad] that changes: R = I + sin θ ã + (1 − cos θ) ã²."""
    a = axis / np.linalg.norm(axis)
    tilde = np.cross(np.eye(3), a)  # rows e_k × a, so that tilde x = a × x
    theta = np.asarray(angle)[..., None, None]
    R = np.eye(3) + np.sin(theta) * tilde + (1.0 - np.cos(theta)) * (tilde @ tilde)
    return Turn(R, np.asarray(rate)[..., None] * a, np.asarray(acceleration)[..., None] * a)


@dataclass(frozen=True)
class BodyMotion:
    """How a body moves: its rotation, and the place, velocity and acceleration (..., 3) of one of its points.

    point : where that point is in the reference pose (3,) [m]
    """

    turn: Turn
    point: FloatArray
    r: FloatArray
    rdot: FloatArray
    rddot: FloatArray

    def of_point(self, place: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Place, velocity and acceleration of the point of the body that is at ``place`` in the reference pose."""
        arm, armdot, armddot = self.of_vector(place - self.point)
        return self.r + arm, self.rdot + armdot, self.rddot + armddot

    def of_vector(self, direction: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """d = R d₀, ω × d and ω̇ × d + ω × (ω × d) of a vector fixed in the body, d₀ in the reference pose."""
        d = _times(self.turn.R, direction)
        ddot = np.cross(self.turn.w, d)
        return d, ddot, np.cross(self.turn.wdot, d) + np.cross(self.turn.w, ddot)


def carry(
    tree: ReferenceTree, turns: Mapping[str, Turn], root: tuple[FloatArray, FloatArray, FloatArray]
) -> dict[str, BodyMotion]:
    """Motion of every body from its rotation in the laboratory and the motion of the root joint's centre.

    root : place, velocity and acceleration of that centre, each (..., 3)
    """
    motions: dict[str, BodyMotion] = {}
    for joint in tree.joints:
        centre = motions[joint.parent].of_point(joint.centre) if motions else root
        motions[joint.child] = BodyMotion(turns[joint.child], joint.centre, *centre)
    return motions


def natural_coordinates(
    tree: ReferenceTree, motions: Mapping[str, BodyMotion]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """q, q̇ and q̈ (..., n) by rigid-body kinematics: points and unit vectors of all bodies, in the tree's order."""
    centres = {joint.name: joint.centre for joint in tree.joints}
    levels = []
    for body in tree.bodies:
        motion, axes = motions[body.name], dict(zip("xyz", body.attitude.T, strict=True))
        for element in body.basis:
            if element in axes:
                levels.append(motion.of_vector(axes[element]))
            else:
                levels.append(motion.of_point({**centres, **body.points}[element]))
    q, qdot, qddot = (np.concatenate(level, axis=-1) for level in zip(*levels, strict=True))
    return q, qdot, qddot


@dataclass(frozen=True)
class Wrench:
    """Force [N] at a laboratory point [m] and free moment [N m] on a body, each (..., 3)."""

    point: FloatArray
    force: FloatArray
    moment: FloatArray


def newton_euler(
    tree: ReferenceTree, motions: Mapping[str, BodyMotion], gravity: FloatArray, outside: Mapping[str, Sequence[Wrench]]
) -> dict[str, Wrench]:
    """What every joint does to its child, at the joint's centre; for the root joint it is what nothing explains.

    outside : body -> what acts on it from outside the tree, weight excepted
    """
    known: dict[str, list[Wrench]] = {body.name: list(outside.get(body.name, ())) for body in tree.bodies}
    bodies = {body.name: body for body in tree.bodies}
    found: dict[str, Wrench] = {}
    for joint in reversed(tree.joints):  # children before parents
        body, motion = bodies[joint.child], motions[joint.child]
        r_G, _, a_G = motion.of_point(centre_of_mass(body))
        r, _, _ = motion.of_point(joint.centre)
        f = body.mass * (a_G - gravity)
        h = _rate_of_spin(body, motion.turn)
        for other in known[joint.child]:
            f = f - other.force
            h = h - other.moment - np.cross(other.point - r_G, other.force)
        found[joint.name] = Wrench(r, f, h - np.cross(r - r_G, f))
        if joint.parent in known:
            known[joint.parent].append(Wrench(r, -f, -found[joint.name].moment))
    return found


def centre_of_mass(body: TreeBody) -> FloatArray:
    """Centre of mass in the reference pose (3,) [m]; it must be given, no rule is shared with the engine."""
    if body.com is None:
        raise ValueError(f"Say where the centre of mass of {body.name} is.")
    return body.com


def _rate_of_spin(body: TreeBody, turn: Turn) -> FloatArray:
    """J ω̇ + ω × J ω about the centre of mass [N m]."""
    A = turn.R @ body.attitude
    J = A @ body.inertia @ np.swapaxes(A, -1, -2)
    return _times(J, turn.wdot) + np.cross(turn.w, _times(J, turn.w))


def _times(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    return np.einsum("...ij,...j->...i", matrix, vector)
