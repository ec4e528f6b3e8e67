"""Movements as a clinician sees them, for the signs of joint angles: where a direction of the moving segment goes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from biomec.base.arrays import FloatArray
from biomec.recording.marker_set import Side

FORWARD, UP, RIGHT = np.eye(3)


@dataclass(frozen=True)
class Movement:
    """A turn by 20° that carries the direction ``start`` of the segment towards ``end``; outward is lateral."""

    joint: str
    angle: str
    start: str
    end: str


LIMB_MOVEMENTS = (
    Movement("sternoclavicular", "protraction", "outward", "forward"),  # the acromion goes forward
    Movement("sternoclavicular", "elevation", "outward", "up"),
    Movement("scapulothoracic", "protraction", "outward", "forward"),
    Movement("scapulothoracic", "upward rotation", "outward", "up"),  # the glenoid looks up
    Movement("scapulothoracic", "posterior tilt", "up", "back"),
    Movement("shoulder", "flexion", "down", "forward"),  # the elbow goes forward
    Movement("shoulder", "abduction", "down", "outward"),
    Movement("shoulder", "internal rotation", "forward", "inward"),
    Movement("elbow", "flexion", "down", "forward"),
    Movement("radioulnar", "pronation", "forward", "inward"),  # in the anatomical position the palm looks forward
    Movement("wrist", "flexion", "down", "forward"),  # towards the palm
    Movement("wrist", "radial deviation", "down", "outward"),  # towards the thumb
    Movement("glenohumeral", "flexion", "down", "forward"),
    Movement("glenohumeral", "abduction", "down", "outward"),
    Movement("glenohumeral", "internal rotation", "forward", "inward"),
    Movement("hip", "flexion", "down", "forward"),  # the knee goes forward
    Movement("hip", "abduction", "down", "outward"),
    Movement("hip", "internal rotation", "forward", "inward"),
    Movement("knee", "flexion", "down", "back"),
    Movement("ankle", "dorsiflexion", "forward", "up"),
    Movement("ankle", "inversion", "down", "inward"),  # the sole looks inward
)

FURTHER_MOVEMENTS = (  # of models whose joints are spherical, and by the signs of Plug-in Gait
    Movement("elbow", "pronation", "forward", "inward"),
    Movement("hip", "adduction", "down", "inward"),
    Movement("knee", "abduction", "down", "outward"),
    Movement("knee", "varus", "down", "inward"),
    Movement("knee", "internal rotation", "forward", "inward"),
    Movement("ankle", "internal rotation", "forward", "inward"),
    Movement("metatarsal", "extension", "forward", "up"),  # the toes go up
    Movement("orthosis knee", "flexion", "up", "back"),  # of the orthosis' thigh over its shank
    Movement("orthosis ankle", "dorsiflexion", "up", "forward"),  # of its shank over the foot
    Movement("foot in the laboratory", "internal progression", "forward", "inward"),
    Movement("thorax in the laboratory", "right side up", "right", "up"),
)

TRUNK_MOVEMENTS = (  # of the distal segment, seen from the proximal one
    Movement("neck", "flexion", "up", "forward"),
    Movement("neck", "right lateral flexion", "up", "right"),
    Movement("neck", "left rotation", "forward", "left"),
    Movement("upper neck", "flexion", "up", "forward"),
    Movement("upper neck", "right lateral flexion", "up", "right"),
    Movement("upper neck", "left rotation", "forward", "left"),
    Movement("lumbar", "flexion", "down", "forward"),  # the pelvis forward under the thorax
    Movement("lumbar", "right lateral flexion", "down", "right"),
    Movement("lumbar", "left rotation", "forward", "right"),
    Movement("thorax in the laboratory", "forward tilt", "up", "forward"),
    Movement("thorax in the laboratory", "right tilt", "up", "right"),
    Movement("thorax in the laboratory", "left rotation", "forward", "left"),
    Movement("trunk in the laboratory", "forward tilt", "up", "forward"),
    Movement("trunk in the laboratory", "right tilt", "up", "right"),
    Movement("trunk in the laboratory", "left rotation", "forward", "left"),
    Movement("pelvis in the laboratory", "anterior tilt", "up", "forward"),
    Movement("pelvis in the laboratory", "right side up", "right", "up"),
    Movement("pelvis in the laboratory", "left rotation", "forward", "left"),
)


def direction(word: str, side: Side | None) -> FloatArray:
    """Direction in the axes of a segment: X forward, Y up, Z to the right."""
    outward = -RIGHT if side is Side.LEFT else RIGHT
    return {
        "right": RIGHT, "left": -RIGHT,
        "forward": FORWARD, "back": -FORWARD, "up": UP, "down": -UP, "outward": outward, "inward": -outward,
    }[word]  # fmt: skip


def turn(start: FloatArray, end: FloatArray, angle: float) -> FloatArray:
    """Rotation by ``angle`` that carries ``start`` towards ``end`` (two normal unit vectors)."""
    return np.asarray(Rotation.from_rotvec(angle * np.cross(start, end)).as_matrix())
