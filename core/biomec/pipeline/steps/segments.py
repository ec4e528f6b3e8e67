"""Motion of the segments and of the centre of mass."""

from __future__ import annotations

from biomec.body.kinematics.consistent_motion import ConsistentMotion
from biomec.body.kinematics.segment_motion import SegmentMotion, segment_motion
from biomec.pipeline.steps.body import LoadedBody


def segments(body: LoadedBody, motion: ConsistentMotion) -> SegmentMotion:
    """Motion of every segment in laboratory axes."""
    return segment_motion(body.person.system, motion.q, motion.qdot, motion.qddot)
