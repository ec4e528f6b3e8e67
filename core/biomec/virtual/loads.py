"""What the ground and the joints of the virtual person bear, for a motion that is known with its derivatives.

Joint loads follow from the momentum of all that lies beyond a joint. Cut the body there. What the proximal part does to
the distal one is what changes the momentum of the distal one, less what gravity and the ground do to it:

    f = d/dt Σ m ṙ − Σ m g − Σ f_ground
    h = d/dt Σ (r × m ṙ + s) − Σ r × m g − Σ (p × f_ground + n_ground) − c × f      about the joint's centre c

s is the angular momentum of a segment about its own centre of mass, as the sum over its points that it is: with A its
attitude and Q = ½ tr(J) 1 − J its second moments, s̃ = Ȧ Q Aᵀ − A Q Ȧᵀ. Neither angular velocities nor Euler's equations
nor a recursion from segment to segment enter, so that this checks inverse dynamics independently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.loads.ground_reaction import GroundReaction
from biomec.engine.system import System
from biomec.virtual.jets import Jet, cross
from biomec.virtual.skeleton import Joint, Placed, Skeleton


def required_wrench(system: System, placed: Mapping[str, Placed]) -> tuple[FloatArray, FloatArray]:
    """Force (T, 3) and moment about the laboratory's origin (T, 3) that the ground must exert on the whole body.

    f = Σ m (r̈ − g),   h = Σ r × m (r̈ − g) + J ω̇ + ω × J ω          (Newton, Euler; [Nunes2017] Eqs. 5.24, 5.25)

    ω and ω̇ are the skew parts of Ė Eᵀ and Ë Eᵀ, E being the turn of a segment away from standing.
    """
    force, moment = np.zeros((2, len(next(iter(placed.values())).now.value), 3))
    for body in system.bodies:
        one = placed[body.name]
        stood = np.asarray(body.position, dtype=np.float64) + body.attitude_matrix @ body.points["com"]
        r = one.point(stood)
        E, Edot, Eddot = one.turn.parts
        w, wdot = (_axial(D @ np.swapaxes(E, -1, -2)) for D in (Edot, Eddot))
        A = E @ body.attitude_matrix
        J = A @ body.inertia_matrix @ np.swapaxes(A, -1, -2)
        f = body.mass * (r.acceleration - system.gravity)
        spin = _times(J, wdot) + np.cross(w, _times(J, w))
        force, moment = force + f, moment + np.cross(r.value, f) + spin
    return force, moment


def _axial(matrix: FloatArray) -> FloatArray:
    """Axial vector (T, 3) of the skew part of matrices (T, 3, 3)."""
    skewed = 0.5 * (matrix - np.swapaxes(matrix, -1, -2))
    return np.stack([skewed[:, 2, 1], skewed[:, 0, 2], skewed[:, 1, 0]], axis=1)


def _times(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("tij,tj->ti", matrix, vector))


@dataclass(frozen=True, eq=False)
class CarriedLoad:
    """What the proximal segment of a joint does to the distal one, in laboratory axes.

    centre : (T, 3) of the joint [m];  force : (T, 3) [N];  torque : (T, 3) about the centre [N m]
    """

    proximal: str
    distal: str
    centre: FloatArray
    force: FloatArray
    torque: FloatArray


def carried_loads(
    skeleton: Skeleton, placed: Mapping[str, Placed], reactions: Mapping[str, GroundReaction]
) -> dict[str, CarriedLoad]:
    """Loads of all joints of placed segments under ground reactions, frame by frame."""
    wrench = {name: _required(skeleton, name, one) for name, one in placed.items()}
    for one in reactions.values():
        force, moment = wrench[one.segment]
        wrench[one.segment] = (force - one.force, moment - one.moment - np.cross(one.point, one.force))
    found = {}
    for name, joint in skeleton.joints.items():
        beyond = _beyond(joint, skeleton.joints)
        force = np.asarray(sum(wrench[segment][0] for segment in beyond))
        moment = np.asarray(sum(wrench[segment][1] for segment in beyond))
        centre = placed[joint.distal].point(joint.centre).value
        found[name] = CarriedLoad(joint.proximal, joint.distal, centre, force, moment - np.cross(centre, force))
    return found


def _required(skeleton: Skeleton, name: str, placed: Placed) -> tuple[FloatArray, FloatArray]:
    """Force (T, 3) and moment about the origin (T, 3) that a segment's motion asks for beside gravity."""
    body = skeleton.bodies[name]
    r = placed.point(np.asarray(body.position, dtype=np.float64) + body.attitude_matrix @ body.points["com"])
    momentum = body.mass * _rate(r)
    J = np.asarray(body.inertia_matrix)
    Q = 0.5 * np.trace(J) * np.eye(3) - J
    A = placed.turn @ body.attitude_matrix
    turning = _rate(A) @ Q @ A.up_to(1).transposed
    spin = (turning - turning.transposed).rate
    weight = body.mass * skeleton.system.gravity
    force = momentum.rate - weight
    moment = cross(r.up_to(1), momentum).rate - np.cross(r.value, weight)
    return force, moment + np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)


def _rate(jet: Jet) -> Jet:
    """Jet of the first derivative."""
    return Jet(jet.parts[1:])


def _beyond(cut: Joint, joints: Mapping[str, Joint]) -> set[str]:
    """Segments on the distal side of a joint."""
    reached, growing = {cut.distal}, True
    while growing:
        growing = False
        for joint in joints.values():
            ends = {joint.proximal, joint.distal}
            if joint is not cut and ends & reached and not ends <= reached:
                reached |= ends
                growing = True
    return reached
