"""Joint angles in Vicon's order and signs."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.body.anatomy.model import GROUND, AngleComponent, AngleDefinition
from biomec.body.kinematics.joint_angles import AngleOptions, JointAngles, joint_angles
from biomec.body.plug_in_gait.legs import SIDES, LegSide
from biomec.body.plug_in_gait.segments import TORSIONED, Segments
from biomec.engine.rotations import elementary, unwrapped, wrapped

CONVENTION = "plug-in-gait"
STANDING = "ground, turned by 90°"
"""The laboratory turned about Z by −90°: Vicon's foot points down at 90°, so that its pitch is −a − 90°."""


class Component(NamedTuple):
    """One stored number: names of its directions, which angle of the sequence, sign, and whether s reverses it."""

    positive: str
    negative: str
    which: int
    sign: float
    sided: bool


class Row(NamedTuple):
    """Angles of one joint: its name and Vicon's, parent and child (a star stands for the side), sequence, X, Y, Z."""

    joint: str
    output: str
    parent: str
    child: str
    sequence: str
    components: tuple[Component, ...]


def _row(joint: str, output: str, parent: str, child: str, sequence: str, *components: str) -> Row:
    """Components are written ``flexion/extension -s a``."""
    parts = []
    for text in components:
        names, _, formula = text.rpartition(" = ")
        positive, negative = names.split("/")
        parts.append(
            Component(positive, negative, "abc".index(formula[-1]), -1.0 if "-" in formula else 1.0, "s" in formula)
        )
    return Row(joint, output, parent, child, sequence, tuple(parts))


TURN = "internal rotation/external rotation"
ROWS = (
    _row("pelvis", "PelvisAngles", GROUND, "pelvis", "ZXY",
         "anterior tilt/posterior tilt = -a", "up/down = -s b", f"{TURN} = s c"),
    _row("hip", "HipAngles", "pelvis", "* thigh", "ZXY",
         "flexion/extension = a", "adduction/abduction = s b", f"{TURN} = s c"),
    _row("knee", "KneeAngles", "* thigh", "* shank", "ZXY",
         "flexion/extension = -a", "varus/valgus = s b", f"{TURN} = s c"),
    _row("ankle", "AnkleAngles", f"* {TORSIONED}", "* foot", "ZYX",
         "dorsiflexion/plantarflexion = a", "eversion/inversion = -s c", f"{TURN} = s b"),
    _row("foot progression", "FootProgressAngles", STANDING, "* foot", "ZYX",
         "pitch down/pitch up = -a", "inversion/eversion = s c", "internal progression/external progression = s b"),
    _row("thorax", "ThoraxAngles", GROUND, "thorax", "ZXY",
         "forward tilt/backward tilt = -a", "up/down = -s b", f"{TURN} = s c"),
    _row("head", "HeadAngles", GROUND, "head", "ZXY",
         "backward tilt/forward tilt = a", "up/down = -s b", f"{TURN} = s c"),
    _row("neck", "NeckAngles", "head", "thorax", "ZXY",
         "flexion/extension = a", "lateral flexion away/lateral flexion towards = -s b", f"{TURN} = s c"),
    _row("spine", "SpineAngles", "thorax", "pelvis", "ZXY",
         "flexion/extension = a", "lateral flexion away/lateral flexion towards = -s b", f"{TURN} = s c"),
    _row("shoulder", "ShoulderAngles", "thorax", "* humerus", "XZY",
         "flexion/extension = b", "abduction/adduction = -s a", f"{TURN} = s c"),
    _row("elbow", "ElbowAngles", "* humerus", "* forearm", "ZXY", "flexion/extension = a"),
    _row("wrist", "WristAngles", "* forearm", "* hand", "ZXY",
         "flexion/extension = a", "ulnar deviation/radial deviation = -s b", f"{TURN} = s c"),
)  # fmt: skip
"""Every angle that Vicon stores, child seen from parent: RᵀparentRchild = R₁(a) R₂(b) R₃(c)      (14)"""
LEG_JOINTS = ("pelvis", "hip", "knee", "ankle", "foot progression")


def is_leg_angle(name: str) -> bool:
    """Whether ``right knee flexion`` is an angle of the pelvis, a leg or a foot, and not a load."""
    joint = name.split(" ", 1)[1]
    return joint.startswith(LEG_JOINTS) and not joint.endswith((" moment", " power"))


def definitions() -> tuple[AngleDefinition, ...]:
    """The rows of both sides, as the angles of a body model are written."""
    return tuple(_definition(row, leg) for row in ROWS for leg in SIDES)


def _definition(row: Row, leg: LegSide) -> AngleDefinition:
    parts = tuple(
        AngleComponent(part.positive, part.negative, part.which, part.sign * (leg.sign if part.sided else 1.0))
        for part in row.components
    )
    parent, child = (end.replace("*", leg.word) for end in (row.parent, row.child))
    return AngleDefinition(leg.name(row.joint), leg.side, parent, child, row.sequence, parts, CONVENTION)


def angles(found: Segments, first_frame: int = 1) -> JointAngles:
    """All angles that the segments allow, [rad]; jumps by whole turns are taken away, and nothing else is changed."""
    laboratory = progression(found.attitudes["pelvis"]) if "pelvis" in found.attitudes else np.eye(3)
    attitudes = {name: laboratory.T @ R for name, R in found.attitudes.items()}
    frames = len(next(iter(attitudes.values()), ()))
    attitudes[STANDING] = np.broadcast_to(elementary(-0.5 * np.pi, 2), (frames, 3, 3))
    options = AngleOptions(CONVENTION, unwrap=False)
    raw = joint_angles(attitudes, definitions(), static={}, first_frame=first_frame, options=options)
    curves = [unwrapped(raw.values[:, [k]]) for k in range(len(raw.names))]
    values = np.concatenate([np.zeros((frames, 0)), *map(_in_first_turn, curves)], axis=1)
    return replace(raw, values=read_only(values), notices=())


def progression(pelvis: FloatArray) -> FloatArray:
    """R (3, 3) of the laboratory by which pelvis, trunk, head and feet are measured      (15)

    Y is vertical, X that one of the four horizontal axes of the laboratory which is nearest to the mean forward axis of
    the pelvis, Z = X × Y; one frame for the whole trial. The direction of travel itself plays no part.
    """
    forward = np.nanmean(pelvis[:, :, 0], axis=0) if np.isfinite(pelvis).any() else np.array([1.0, 0.0, 0.0])
    X = np.zeros(3)
    axis = 0 if abs(forward[0]) >= abs(forward[2]) else 2
    X[axis] = 1.0 if forward[axis] >= 0.0 else -1.0
    Y = np.array([0.0, 1.0, 0.0])
    return np.stack([X, Y, np.cross(X, Y)], axis=-1)


def _in_first_turn(curve: FloatArray) -> FloatArray:
    """Curve (T, 1) moved by whole turns, so that its median lies between −180° and 180°."""
    known = curve[np.isfinite(curve)]
    middle = float(np.median(known)) if known.size else 0.0
    return np.asarray(curve - (middle - wrapped(middle)))
