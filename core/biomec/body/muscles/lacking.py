"""Where torque is lacking, so that contact forces are only a lower bound: reserves press on nothing.

A reserve stands for muscles that would have to be stronger. They would press the joint of the torque, and every other
joint that they cross; without them contact looks like relief, which it is not.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.body.muscles.joint_contact import JointContacts
from biomec.body.muscles.muscle_forces import MuscleForces
from biomec.body.muscles.sharing_model import SharingModel
from biomec.body.muscles.shortages import ACCEPTED_NM, ACCEPTED_SHARE

LEAST_ARM = 1e-3  # m: muscles with less hardly make a torque, and are not the ones that would have to be stronger


def accepted_reserves(forces: MuscleForces) -> FloatArray:
    """(K,) reserve that is a diagnostic: 5 % of the row's greatest torque, at least 1 N m."""
    peak = np.nan_to_num(np.abs(forces.wanted)).max(axis=0, initial=0.0)
    return np.asarray(np.maximum(ACCEPTED_SHARE * peak, ACCEPTED_NM))


def lacking_torques(forces: MuscleForces, before: MuscleForces | None = None) -> BoolArray:
    """(T, K) torques with a reserve beyond what a diagnostic may be; ``before``: beyond that of another result."""
    limit = accepted_reserves(forces if before is None else before)
    allowed = np.broadcast_to(limit, forces.reserve.shape)
    if before is not None:
        allowed = np.maximum(limit, np.nan_to_num(np.abs(before.reserve)) + limit)
    return np.asarray(np.nan_to_num(np.abs(forces.reserve)) > allowed)


def bears(before: MuscleForces, after: MuscleForces) -> bool:
    """Whether a variant makes all torques that the recorded body makes.

    Lost is a frame without a solution that had one, or a reserve that grows beyond what a diagnostic may be.
    """
    lost = (before.solved & ~np.isfinite(after.activation).all(axis=1)).any()
    return not bool(lost or lacking_torques(after, before).any())


def lower_bounds(model: SharingModel, forces: MuscleForces) -> BoolArray:
    """(T, J) joints whose contact force is only a lower bound: a torque is lacking there.

    These are the joint of a lacking torque, and those crossed by muscles that turn in its sense and have any strength,
    for these would have to pull more. In frames without a solution nothing is known, so that all joints count.
    """
    lacking = lacking_torques(forces)
    found = np.zeros((forces.frames, len(model.loads.joints)), dtype=np.bool_)
    unknown = forces.moving & ~np.isfinite(forces.activation).all(axis=1)
    found[unknown] = True
    for k in np.flatnonzero(lacking.any(axis=0)):
        t = np.flatnonzero(lacking[:, k])
        found[t, model.rows.joint[k]] = True
        sense = np.sign(forces.reserve[t, k])[:, None]
        able = (model.arms[t, :, k] * sense > LEAST_ARM) & (np.nan_to_num(forces.optimum[t]) > 0.0)  # (t, M)
        for joint, muscle in zip(model.crossed.joint.tolist(), model.crossed.muscle.tolist(), strict=True):
            found[t, joint] |= able[:, muscle]
    return found


def joints_at_least(contacts: JointContacts, least: BoolArray) -> frozenset[str]:
    """Joints whose greatest contact force is only a lower bound, by the frames (T, J) in which their forces are."""
    return frozenset(joint for j, joint in enumerate(contacts.joints) if least[:, j].any())
