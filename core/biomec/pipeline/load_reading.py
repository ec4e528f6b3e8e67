"""Joint loads of an analysis as named curves, by the method, axes, sign and scale of its settings or of a reader."""

from __future__ import annotations

from collections.abc import Sequence

from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.contributions import PARTS, LoadContributions, load_part, multibody_part
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.load_components import LoadComponents, LoadReading, load_components
from biomec.body.loads.power import LoadPower, load_power
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.steps.loads import tree_of
from biomec.pipeline.steps.segments import determined_motion


def motion_of_loads(analysis: Analysis) -> SegmentMotion:
    """Motion that the loads belong to: that of the segments, or as residual reduction has changed it."""
    reduced = analysis.loads.reduced
    return analysis.segments if reduced is None else reduced.motion


def chosen_loads(analysis: Analysis) -> JointLoads:
    """Loads of all joints by the method that the settings choose."""
    return analysis.loads.by_method(analysis.settings.load_reading.method)


def chosen_power(analysis: Analysis) -> LoadPower:
    """Power of `chosen_loads`, and the energy of the body."""
    found = analysis.loads
    if chosen_loads(analysis) is found.multibody:
        return found.power
    return analysis.derived(_newton_euler_power)


def _newton_euler_power(analysis: Analysis) -> LoadPower:
    found = analysis.loads
    tree = tree_of(analysis.body.person, found.options) if found.reduced is None else found.reduced.tree
    return load_power(tree, found.newton_euler, motion_of_loads(analysis), found.external)


def read_loads(
    analysis: Analysis, reading: LoadReading | None = None, joints: Sequence[str] | None = None
) -> LoadComponents:
    """Loads of all joints, or of those named, as named curves; read as the settings choose, if not said otherwise."""
    reading = reading or analysis.settings.load_reading
    return named_loads(analysis, analysis.loads.by_method(reading.method), reading, joints)


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


def part_of(analysis: Analysis, part: str) -> JointLoads:
    """One part of the loads of the method that the settings choose, of the same body and motion.

    Where no rib bears load both methods give the same, and the faster one is taken.
    """
    found, body = analysis.loads, analysis.body.person
    if found.reduced is None:
        tree = tree_of(body, found.options)
        q, _, qddot = determined_motion(body, analysis.motion)
    else:
        tree, q, qddot = found.reduced.tree, found.reduced.q, found.reduced.qddot
    if chosen_loads(analysis).contacts:
        options = found.options
        return multibody_part(part, tree, q, qddot, found.external, options.method, options.constraints)
    return load_part(part, tree, found.segments, q, found.external)


def parts_of(analysis: Analysis) -> LoadContributions:
    """All three parts, which sum to the loads."""
    gravity, inertia, external = (part_of(analysis, part) for part in PARTS)
    return LoadContributions(gravity, inertia, external)
