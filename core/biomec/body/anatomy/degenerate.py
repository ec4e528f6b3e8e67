"""Frames and joint axes that a static pose cannot give, because landmarks lie at one place or on a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.frames import Direction, FrameDefinition, Points
from biomec.body.anatomy.model import JointDefinition, SegmentDefinition

SHORTEST = 1e-3  # m: two landmarks nearer than this have no direction, because no marker is placed better
FLATTEST = 1e-2  # sine of the angle of two directions (0.6°) below which a millimetre would turn their plane at will


def degenerate_parts(
    segments: Iterable[tuple[SegmentDefinition, FrameDefinition]], joints: Iterable[JointDefinition], static: Points
) -> dict[str, str]:
    """Segments whose frame, or whose joint's axis, has no direction in the static pose, and why.

    static : landmark -> (3,) position [m]; all landmarks of the frames and axes are there
    """
    found = {}
    for segment, frame in segments:
        (name, first), (_, second) = frame.axes
        built = {name: first.unit(static, segment.sign)}
        good = _has_direction(first, static, {}) and _has_direction(second, static, built)
        if not (good and _sine(built[name], second.unit(static, segment.sign, built)) > FLATTEST):
            needed = tuple(dict.fromkeys((*first.landmarks, *second.landmarks)))
            found[segment.name] = f"its frame cannot be built, because {_flat(needed)}"
    for joint in joints:
        for axis in (joint.axis, joint.distal_axis):
            if isinstance(axis, Direction) and not _has_direction(axis, static, {}):
                why = f"its joint, {joint.name}, has no axis, because {_flat(axis.landmarks)}"
                found.setdefault(joint.distal, why)
    return found


def _has_direction(direction: Direction, static: Points, axes: Mapping[str, FloatArray]) -> bool:
    terms = [term for term in (direction.first, direction.second) if term is not None]
    vectors = [term.along(static, axes) for term in terms if term.axis or term.head]
    long = all(np.linalg.norm(vector) > SHORTEST for vector in vectors)
    return bool(long and (len(vectors) < 2 or _sine(vectors[0], vectors[1]) > FLATTEST))


def _sine(a: FloatArray, b: FloatArray) -> float:
    return float(np.linalg.norm(np.cross(a, b)) / (np.linalg.norm(a) * np.linalg.norm(b)))


def _flat(landmarks: tuple[str, ...]) -> str:
    return f"{', '.join(landmarks)} lie at one place or on a line in the static; check their labels"
