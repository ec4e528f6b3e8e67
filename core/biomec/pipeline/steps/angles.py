"""Joint angles of a consistent motion."""

from __future__ import annotations

import numpy as np

from biomec.body.kinematics.consistent_motion import ConsistentMotion
from biomec.body.kinematics.joint_angles import AngleOptions, JointAngles, joint_angles
from biomec.pipeline.steps.body import LoadedBody


def angles(body: LoadedBody, motion: ConsistentMotion, first_frame: int, options: AngleOptions) -> JointAngles:
    """Angles of all joints of the model; NaN where nothing decides the attitude of a segment."""
    person = body.person
    known = {
        segment: np.where(motion.determined(segment)[:, None, None], R, np.nan)
        for segment, R in person.attitudes(motion.q).items()
    }
    return joint_angles(
        known,
        person.model.angles,
        static=person.attitudes(person.system.reference),
        valid=motion.valid,
        axes=person.joint_axes(),
        first_frame=first_frame,
        options=options,
    )
