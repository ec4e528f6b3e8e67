"""Hinges of devices about the axes of the person's own movement: the ankle axis of an orthosis, identified.

The axis about which a joint turns most is the dominant eigenvector of Σ ω ωᵀ, ω being the angular velocity of its
distal on its proximal segment in axes of the segment that carries the hinge. It is fixed there, and points to the
subject's right [Mouzo2018].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import info, warning
from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis

LEAST_SHARE = 0.8  # of the squared angular velocity about the axis; below it a movement has no axis
LEAST_RANGE_RAD_S = 0.1  # root mean square; slower joints tell nothing

FOUND, NOT_FOUND = "axis-found", "axis-not-found"  # codes of notices; a new search replaces those of the last one


@dataclass(frozen=True, eq=False)
class TurningAxis:
    """Axis (3,) about which a joint turns most, in axes of a segment, and its share of all turning (0 to 1).

    speed : root mean square of the angular velocity [rad/s]
    """

    direction: FloatArray
    share: float
    speed: float


def turning_axis(omega: FloatArray) -> TurningAxis:
    """Dominant axis of angular velocities (T, 3) [rad/s]; frames that are NaN do not count. It points towards +z."""
    known = omega[np.isfinite(omega).all(axis=1)]
    if not len(known):
        raise BiomecError("No frame tells how the joint turns, so that its axis cannot be found.")
    values, vectors = np.linalg.eigh(known.T @ known)
    axis = vectors[:, -1]
    total = float(values.sum())
    return TurningAxis(
        read_only(axis if axis[2] >= 0.0 else -axis),
        float(values[-1]) / total if total > 0.0 else 0.0,
        float(np.sqrt(total / len(known))),
    )


def device_hinges(analysis: Analysis) -> dict[str, str]:
    """Hinge of a device -> joint of the person beside it."""
    person = analysis.body.person
    hinges = {joint.name for joint in person.model.joints if joint.type == "revolute"}
    return {one.joint: one.supports for one in person.springs if one.joint in hinges and one.supports != one.joint}


def ankle_hinges(analysis: Analysis) -> dict[str, str]:
    """Hinges of devices on a segment of the joint beside them, such as that of the ankle on the foot."""
    joints = {joint.name: joint for joint in analysis.body.person.model.joints}
    return {
        hinge: beside
        for hinge, beside in device_hinges(analysis).items()
        if joints[hinge].proximal in (joints[beside].proximal, joints[beside].distal)
    }


def with_device_axes(analysis: Analysis, progress: Progress | None = None) -> Analysis:
    """The analysis with the hinges of devices at ankles about the axes of the movement; it needs the body model.

    Only hinges on a segment of the person are set; others keep their axes. The movement is that of the model with its
    own axes, so that a second search finds the same: axes that were found change how the legs are fitted, a little.
    What follows the body model is out of date afterwards.
    """
    hinges = ankle_hinges(analysis)
    if not hinges:
        raise BiomecError(
            "The body model has no device with a hinge of its own at the ankle, so there is no axis to find. Choose "
            "one, such as m18-free-orthoses."
        )
    kept = {name: axis for name, axis in analysis.settings.body.options.axes.items() if name not in hinges}
    bare = with_axes(analysis, kept).run_until("segments", progress)
    person, motion = bare.body.person, bare.segments
    layout, axes, notices = person.system.layout, kept, []
    joints = {joint.name: joint for joint in person.model.joints}
    for hinge, beside in hinges.items():
        carrier = joints[hinge].proximal
        relative = (
            motion.omega[:, motion.index(joints[beside].distal)]
            - motion.omega[:, motion.index(joints[beside].proximal)]
        )
        R_WB = motion.R_WB[:, motion.index(carrier)]
        found = turning_axis(np.einsum("tji,tj->ti", R_WB, relative))
        if found.share < LEAST_SHARE or found.speed < LEAST_RANGE_RAD_S:
            words = (
                f"The movement shows no axis of the {beside}: {100.0 * found.share:.0f} % of its turning is about one "
                f"direction, at {found.speed:.2f} rad/s. The {hinge} keeps the axis of the model."
            )
            notices.append(warning(NOT_FOUND, words, carrier))
            continue
        direction = layout.bodies[carrier].attitude_matrix @ found.direction
        axes[hinge] = (float(direction[0]), float(direction[1]), float(direction[2]))
        apart = np.degrees(np.arccos(np.clip(found.direction[2], -1.0, 1.0)))
        words = (
            f"The axis of the {hinge} was found in the movement: {100.0 * found.share:.0f} % of what the {beside} "
            f"turns is about it, {apart:.0f}° from the right of the {carrier}."
        )
        notices.append(info(FOUND, words, carrier))
    before = (notice for notice in analysis.session.notices if notice.code not in (FOUND, NOT_FOUND))
    session = replace(analysis.session, notices=(*before, *notices))
    return with_axes(replace(analysis, session=session), axes)


def with_axes(analysis: Analysis, axes: Mapping[str, tuple[float, float, float]]) -> Analysis:
    """The analysis with axes of hinges in the static pose."""
    settings = analysis.settings
    options = replace(settings.body.options, axes=axes)
    return analysis.with_settings(replace(settings, body=replace(settings.body, options=options)))
