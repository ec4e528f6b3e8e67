"""Joint loads of an analysis as named curves, in the axes, method and scale that a reader chooses."""

from __future__ import annotations

from collections.abc import Sequence

from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.load_components import LoadComponents, LoadReading, load_components
from biomec.pipeline.analysis import Analysis


def motion_of_loads(analysis: Analysis) -> SegmentMotion:
    """Motion that the loads belong to: that of the segments, or as residual reduction has changed it."""
    reduced = analysis.loads.reduced
    return analysis.segments if reduced is None else reduced.motion


def read_loads(
    analysis: Analysis,
    reading: LoadReading = LoadReading(),
    *,
    multibody: bool | None = None,
    joints: Sequence[str] | None = None,
) -> LoadComponents:
    """Loads of all joints, or of those named, as named curves.

    multibody : by the multibody method, or by Newton-Euler; those that count as the result (`carried`) if not given
    """
    found = analysis.loads
    loads = found.carried if multibody is None else found.multibody if multibody else found.newton_euler
    return named_loads(analysis, loads, reading, joints)


def named_loads(
    analysis: Analysis,
    loads: JointLoads,
    reading: LoadReading = LoadReading(),
    joints: Sequence[str] | None = None,
) -> LoadComponents:
    """Loads of the motion of an analysis, such as a part of them, as named curves; of all joints, or of those named."""
    body = analysis.body.person
    return load_components(
        loads,
        motion_of_loads(analysis),
        body.model,
        reading,
        hinges=body.joint_axes(),
        mass_kg=float(body.measures["mass"]),
        height_m=float(body.measures["height"]),
        joints=joints,
    )
