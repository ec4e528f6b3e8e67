"""Which curves of muscles and joints are plotted when somebody asks for a muscle or for the joints. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from biomec.pipeline.analysis import Analysis
from biomec_app.features.muscles.curves import arm_key, contact_key, muscle_key
from biomec_app.features.muscles.readings import MuscleReadings, readings_of

ARM = "moment arm"
SHOWN = {
    "activation": "Activation",
    "force": "Force",
    "fibre length": "Fibre length",
    "fibre speed": "Fibre speed",
    "length": "Length",
    "power": "Power",
    ARM: "Moment arms",
}
"""What a panel offers to plot of a muscle -> in words."""
MAIN_JOINTS = ("hip", "knee", "ankle", "glenohumeral", "elbow", "wrist")
WEIGHT = "× body weight"


def keys_of(readings: MuscleReadings, muscles: Sequence[str], courses: Sequence[str]) -> tuple[str, ...]:
    """Curves of muscles: those of a course together, moment arms last."""
    keys = [muscle_key(course, name) for course in courses if course != ARM for name in muscles]
    if ARM in courses:
        keys += [
            arm_key(name, axis)
            for name in muscles
            for joint in readings.crossed.get(name, ())
            for axis in readings.axes.get(joint, ())
        ]
    return tuple(keys)


def contact_keys(analysis: Analysis) -> tuple[str, ...]:
    """Contact forces with and without muscles of the joints that people ask for."""
    readings = readings_of(analysis)
    crossed = {joint for joints in readings.crossed.values() for joint in joints}
    joints = [
        joint
        for stem in MAIN_JOINTS
        for joint in readings.contacts.joints
        if joint in crossed and joint.removeprefix("right ").removeprefix("left ") == stem
    ]
    return tuple(
        contact_key(joint, f"{kind} [{WEIGHT}]") for joint in joints for kind in ("with muscles", "without muscles")
    )


def muscle_of_keys(keys: Sequence[str]) -> str | None:
    """The muscle that all curves are of; None if they are of several, or of something else."""
    found = {key.split("/")[2] if key.startswith("muscle/") else key.split("/")[1] if key.startswith("muscle arm/")
             else "" for key in keys}  # fmt: skip
    return found.pop() or None if len(found) == 1 else None
