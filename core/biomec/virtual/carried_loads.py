"""What the joints of the virtual person carry, from the momentum of all that lies beyond a joint.

Cut the body at a joint. What the proximal part does to the distal one is what changes the momentum of the distal one,
less what gravity and the ground do to it:

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
from biomec.virtual.contact_forces import GroundReaction
from biomec.virtual.jets import Jet, cross
from biomec.virtual.skeleton import Joint, Placed, Skeleton


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
