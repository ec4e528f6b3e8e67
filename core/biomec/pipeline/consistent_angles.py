"""Joint angles of a motion that residual reduction has changed, to be read beside the measured ones."""

from __future__ import annotations

from dataclasses import replace

from biomec.body.kinematics.joint_angles import JointAngles
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.steps.angles import angles


def consistent_angles(analysis: Analysis) -> JointAngles:
    """Angles of the motion that the loads are of, named as the analysis names its angles."""
    return analysis.derived(_angles)


def _angles(analysis: Analysis) -> JointAngles:
    reduced = analysis.loads.reduced
    if reduced is None:
        return analysis.angles
    motion = replace(analysis.motion, q=reduced.q)
    return angles(analysis.body, motion, analysis.signals.trial.first_frame, analysis.angles.options)
