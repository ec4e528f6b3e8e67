"""A person's model with joint centres and hinges found from functional movements, instead of by regressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, Severity, info, problem, warning
from biomec.body.anatomy.functional import (
    FunctionalAxis,
    FunctionalCentre,
    FunctionalError,
    FunctionalOptions,
    SegmentPoses,
    functional_axis,
    functional_centre,
    segment_poses,
)
from biomec.body.anatomy.model import JointDefinition
from biomec.body.anatomy.subject_model import ModelOptions, SubjectModel


@dataclass(frozen=True, eq=False)
class FunctionalJoint:
    """What a functional movement says of a joint.

    joint    : its name
    found    : centre of a ball joint by SCoRE, or axis of a hinge by SARA, in both segments; None if a segment could
               not be followed
    options  : model options with the centre or the axis put in, where the movement allowed it
    moved_m  : distance of a functional centre from the one it replaces [m]; None for an axis
    turned   : angle between a functional axis and the one it replaces [rad]; None for a centre
    """

    joint: str
    found: FunctionalCentre | FunctionalAxis | None
    options: ModelOptions
    moved_m: float | None
    turned: float | None
    notices: tuple[Notice, ...]


def functional_joint(
    body: SubjectModel,
    joint: str,
    markers: Mapping[str, FloatArray],
    options: FunctionalOptions = FunctionalOptions(),
) -> FunctionalJoint:
    """Find a joint's centre or axis from a movement (marker -> (T, 3) [m]) and put it into the options of the model.

    Ball joints get a centre (SCoRE), hinges an axis (SARA). A movement that is too small or of the wrong kind, or that
    shows too few markers, gives notices, and the options stay as they were.
    """
    definition = _joint(body, joint)
    ends = [_poses(body, definition, end, markers) for end in (definition.proximal, definition.distal)]
    notices = tuple(end for end in ends if isinstance(end, Notice))
    if notices:
        return FunctionalJoint(joint, None, body.options, None, None, notices)
    proximal, distal = (end for end in ends if isinstance(end, SegmentPoses))
    if definition.type == "spherical":
        centre = functional_centre((proximal.R, proximal.p), (distal.R, distal.p), options)
        place = proximal.static(centre.centre_proximal)
        moved = float(np.linalg.norm(place - body.static[definition.centre]))
        centre_notices = (*centre.notices, *_implausible(definition, moved, centre))
        if _refused(centre_notices) or not np.isfinite(place).all():
            return FunctionalJoint(joint, centre, body.options, None, None, centre_notices)
        x, y, z = (float(value) for value in place)
        notice = info(
            "functional-centre",
            f"{definition.centre} was found from movement, {1e3 * moved:.1f} mm from the regression (residual "
            f"{1e3 * centre.residual:.1f} mm, {centre.frames} frames).",
            definition.centre,
        )
        points = {**body.options.points, definition.centre: (x, y, z)}
        changed = replace(body.options, points=points)
        return FunctionalJoint(joint, centre, changed, moved, None, (*centre_notices, notice))
    usual = _usual_axis(body, definition)
    axis = functional_axis((proximal.R, proximal.p), (distal.R, distal.p), options, towards=usual)
    direction = axis.direction_proximal
    if _refused(axis.notices) or not np.isfinite(direction).all():
        return FunctionalJoint(joint, axis, body.options, None, None, axis.notices)
    turned = float(np.arccos(np.clip(direction @ usual, -1.0, 1.0)))
    u, v, w = (float(value) for value in direction)
    notice = info(
        "functional-axis",
        f"The axis of the {joint} was found from movement, {np.degrees(turned):.1f}° from the one of the model (wobble "
        f"{np.degrees(axis.wobble):.1f}°, {axis.frames} frames).",
        joint,
    )
    changed = replace(body.options, axes={**body.options.axes, joint: (u, v, w)})
    return FunctionalJoint(joint, axis, changed, None, turned, (*axis.notices, notice))


def _implausible(joint: JointDefinition, moved: float, centre: FunctionalCentre) -> tuple[Notice, ...]:
    """What speaks against a centre, by its distance from the one of the model [m] and its residual."""
    limits = centre.options
    far = f"lies {1e3 * moved:.0f} mm from the centre of the model"
    reasons = []
    if moved > limits.farthest:
        reasons.append(f"it {far} (limit {1e3 * limits.farthest:.0f} mm)")
    if centre.residual > limits.largest_residual:
        residual = f"{1e3 * centre.residual:.0f} mm (limit {1e3 * limits.largest_residual:.0f} mm)"
        reasons.append(f"the segments do not turn about one point, with a residual of {residual}")
    if reasons:
        words = f"The centre of the {joint.name} found from movement was refused: {', and '.join(reasons)}. The model "
        words += (
            "keeps its own centre. Check the labels and the static, and record slow flexion, abduction and circling "
        )
        words += "of the joint with markers firmly on both segments."
        return (problem("functional-centre-implausible", words, joint.name, joint.centre),)
    if moved > limits.far:
        words = (
            f"The centre of the {joint.name} found from movement {far}; regressions are rarely that wrong. Check the "
        )
        words += "labels, and compare with a second trial."
        return (warning("functional-centre-far", words, joint.name, joint.centre),)
    return ()


def _joint(body: SubjectModel, name: str) -> JointDefinition:
    there = [j for j in body.model.joints if j.distal in body.frames and j.proximal in body.frames]
    for joint in there:
        if joint.name == name:
            if joint.type not in ("spherical", "revolute"):
                raise BiomecError(
                    f"The {name} is a {joint.type} joint; functional methods know ball joints and hinges."
                )
            return joint
    raise BiomecError(f"The model has no joint {name} here; it has {', '.join(joint.name for joint in there)}.")


def _poses(
    body: SubjectModel, joint: JointDefinition, segment: str, markers: Mapping[str, FloatArray]
) -> SegmentPoses | Notice:
    """Poses of a segment, or why its markers do not suffice."""
    names = [n for n, owner in body.followed.items() if owner == segment and n in markers]
    if len(names) < 3:
        why = (
            f"its functional trial shows {len(names)} marker{'' if len(names) == 1 else 's'} of the {segment} "
            f"({', '.join(names) or 'none'}); three are needed to follow it. Record it with all markers of the segment"
        )
        return _kept(joint, segment, why)
    local = body.system.layout.bodies[segment]
    static = np.array([local.attitude_matrix @ local.points[name] + np.asarray(local.position) for name in names])
    try:
        return segment_poses(np.stack([markers[name] for name in names], axis=1), static)
    except FunctionalError as error:
        return _kept(joint, segment, f"the {segment} cannot be followed. {error}".removesuffix("."))


def _kept(joint: JointDefinition, segment: str, why: str) -> Notice:
    sentence = f"The {joint.name} keeps the centre or axis of the model: {why}."
    return problem("functional-not-followed", sentence, joint.name, segment)


def _usual_axis(body: SubjectModel, joint: JointDefinition) -> FloatArray:
    """Axis (3,) of a hinge in the static pose, in laboratory components."""
    return np.asarray(body.system.layout.bodies[joint.proximal].attitude_matrix @ body.joint_axes()[joint.name])


def _refused(notices: tuple[Notice, ...]) -> bool:
    return any(notice.severity is Severity.PROBLEM for notice in notices)
