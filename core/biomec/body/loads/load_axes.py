"""Directions along which the load of a joint is read, and what they are called on either side of the body.

Axes of the joint are those about which its angles turn [GroodSuntay1983]: e1 fixed in the proximal segment, e3 in the
distal one, e2 normal to both. They are not at right angles, and a component is the projection

    τ_k = h · e_k,     Σ τ_k θ̇_k = h · (ω_distal − ω_proximal)

so that τ_k is the torque that does the work of the angle θ_k [Desroches2010]. The three do not add up to h.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.body.anatomy.model import GROUND, STANDARD, AngleComponent, AngleDefinition, BodyModel
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.engine.rotations import cardan, is_symmetric, joint_coordinate_system, other_solution, unwrapped
from biomec.recording.marker_set import Side

AXES = ("joint", "proximal", "distal", "laboratory")
HINGE = "hinge"
LETTERS = "XYZ"


@dataclass(frozen=True, eq=False)
class LoadAxes:
    """Three directions of a joint.

    axes     : (T, 3, 3), axes[:, k] is the k-th direction, in laboratory axes, already in its positive sense
    positive, negative : (3,) names of the two senses
    """

    axes: FloatArray
    positive: tuple[str, str, str]
    negative: tuple[str, str, str]

    def components(self, vector: FloatArray) -> FloatArray:
        """Projections (T, 3) of vectors (T, 3)."""
        return np.asarray(np.einsum("tki,ti->tk", self.axes, vector))


@dataclass(frozen=True, eq=False)
class JointAxes:
    """What the directions of one joint follow from.

    side : of the joint;  R_WP, R_WD : (T, 3, 3) attitudes of its proximal and distal segment
    definition : angles by whose sequence and words torques are read
    standard   : those of the standard convention
    hinge      : (T, 3) axis of a hinge whose angle is measured about it, or None
    """

    side: Side | None
    R_WP: FloatArray
    R_WD: FloatArray
    definition: AngleDefinition
    standard: AngleDefinition
    hinge: FloatArray | None

    @cached_property
    def standard_axes(self) -> FloatArray:
        """(T, 3, 3) e1, e2, e3 of the standard angles, before they get their senses."""
        return _joint_axes(self, self.standard)

    @cached_property
    def angle_axes(self) -> FloatArray:
        """The same of the angles that were asked for."""
        return self.standard_axes if self.definition is self.standard else _joint_axes(self, self.definition)


def joint_frames(
    model: BodyModel,
    motion: SegmentMotion,
    joint: str,
    hinges: Mapping[str, FloatArray],
    convention: str = STANDARD,
) -> JointAxes:
    """Gather what is needed for one joint of the model.

    hinges     : hinge -> its axis (3,) in the local axes of the proximal segment
    convention : of the angles, as in the body model; joints without it keep their standard angles
    """
    known = {one.name: one for one in model.joints}
    if joint not in known:
        raise BiomecError(f"The model {model.name} has no joint {joint}; it has {', '.join(known)}.")
    if convention not in model.conventions:
        raise BiomecError(
            f"No joint of {model.name} has angles by the convention {convention}; there are "
            f"{', '.join(model.conventions)}."
        )
    one = known[joint]
    R_WP, R_WD = (motion.R_WB[:, motion.index(segment)] for segment in (one.proximal, one.distal))
    standard = _definition(model, joint, one.side, one.proximal, one.distal, STANDARD)
    definition = _definition(model, joint, one.side, one.proximal, one.distal, convention)
    hinge = None
    if definition.sequence == HINGE and joint in hinges:
        axis = np.asarray(hinges[joint], dtype=np.float64)
        hinge = R_WP @ (axis / np.linalg.norm(axis))
    return JointAxes(one.side, R_WP, R_WD, definition, standard, hinge)


def force_axes(frames: JointAxes, axes: str) -> LoadAxes:
    """Directions of forces: anterior, superior, lateral (or right); X, Y, Z in the laboratory."""
    if axes == "laboratory":
        return _laboratory(len(frames.R_WP), "along")
    turned = frames.standard_axes if axes == "joint" else _segment_axes(frames, axes)
    order = _sequence(frames.standard) if axes == "joint" else LETTERS
    words = [_force_words(letter, frames.side) for letter in order]
    return _named(turned, words)


def torque_axes(frames: JointAxes, axes: str) -> LoadAxes:
    """Directions of torques, called after the angles that they change: flexion, abduction, internal rotation …"""
    if axes == "laboratory":
        return _laboratory(len(frames.R_WP), "about")
    definition = frames.definition if axes == "joint" else frames.standard
    turned = frames.angle_axes if axes == "joint" else _segment_axes(frames, axes)
    sequence = _sequence(definition)
    indices = range(3) if axes == "joint" else [sequence.index(letter) for letter in LETTERS]
    words = [_torque_words(definition, k, frames.side) for k in indices]
    if axes == "joint" and frames.hinge is not None:
        k = definition.components[0].index
        along = float(np.nansum(np.einsum("ti,ti->t", frames.hinge, turned[:, k])))
        turned = turned.copy()
        turned[:, k] = frames.hinge if along >= 0.0 else -frames.hinge
    return _named(turned, words)


def _definition(
    model: BodyModel, joint: str, side: Side | None, proximal: str, distal: str, convention: str
) -> AngleDefinition:
    """Angles of a joint: its own, else those of the same distal segment (scapula), else none by ZXY."""
    own = [one for one in model.angles if one.joint == joint and {proximal, distal} == {one.proximal, one.distal}]
    alike = [one for one in model.angles if one.distal == distal and one.proximal != GROUND]
    for found in (own, alike):
        for wanted in (convention, STANDARD):
            for one in found:
                if one.convention == wanted:
                    return one
    return AngleDefinition(joint, side, proximal, distal, "ZXY", ())


def _sequence(definition: AngleDefinition) -> str:
    return definition.zero if definition.sequence == HINGE else definition.sequence


def _segment_axes(frames: JointAxes, axes: str) -> FloatArray:
    """Axes of a segment (T, 3, 3), before they get their senses."""
    if axes not in ("proximal", "distal"):
        raise BiomecError(f'Joint loads: axes are {", ".join(AXES)}, not "{axes}".')
    return np.swapaxes(frames.R_WP if axes == "proximal" else frames.R_WD, 1, 2)


def _joint_axes(frames: JointAxes, definition: AngleDefinition) -> FloatArray:
    """Axes e1, e2, e3 (T, 3, 3) of the angles, before they get their senses."""
    sequence = _sequence(definition)
    e1, e2, e3 = joint_coordinate_system(frames.R_WP, frames.R_WD, sequence)
    return np.stack([e1, e2 * _branch(frames, definition, sequence)[:, None], e3], axis=1)


def _branch(frames: JointAxes, definition: AngleDefinition, sequence: str) -> FloatArray:
    """Sense (T,) of the floating axis, +1 or −1: that in which the second angle turns, as `joint_angles` reports it.

    Every attitude has two descriptions by three angles, and the second turns opposite ways in them. Beyond gimbal lock
    (an arm raised above the horizontal) the angle goes on, and so must its axis.
    """
    angles = cardan(np.swapaxes(frames.R_WP, 1, 2) @ frames.R_WD, sequence)
    symmetric = is_symmetric(sequence)
    if symmetric and any(one.index == 1 and one.sign < 0.0 for one in definition.components):
        angles = other_solution(angles, sequence)
    second = unwrapped(angles, sequence)[:, 1]
    return np.where((np.sin(second) if symmetric else np.cos(second)) < 0.0, -1.0, 1.0)


def _force_words(letter: str, side: Side | None) -> AngleComponent:
    """Senses of a force along an axis of a segment: outward is positive on both sides."""
    if letter == "X":
        return AngleComponent("anterior", "posterior", 0, 1.0)
    if letter == "Y":
        return AngleComponent("superior", "inferior", 1, 1.0)
    if side is None:
        return AngleComponent("rightward", "leftward", 2, 1.0)
    return AngleComponent("lateral", "medial", 2, -1.0 if side is Side.LEFT else 1.0)


def _torque_words(definition: AngleDefinition, index: int, side: Side | None) -> AngleComponent:
    """Senses of a torque: those of the angle, or the usual ones about that axis where the joint has no such angle."""
    for component in definition.components:
        if component.index == index:
            return component
    sequence = _sequence(definition)
    letter, s = sequence[index], -1.0 if side is Side.LEFT else 1.0
    if letter == "X":
        return AngleComponent("abduction", "adduction", index, -s)
    if letter == "Y" or is_symmetric(sequence):
        return AngleComponent("internal rotation", "external rotation", index, s)
    if sequence[2] == "Z":  # the clavicle, which turns about its long axis last
        return AngleComponent("backward rotation", "forward rotation", index, 1.0)
    return AngleComponent("flexion", "extension", index, 1.0)


def _named(axes: FloatArray, words: list[AngleComponent]) -> LoadAxes:
    sign = np.array([one.sign for one in words])
    a, b, c = words
    return LoadAxes(axes * sign[:, None], (a.positive, b.positive, c.positive), (a.negative, b.negative, c.negative))


def _laboratory(frames: int, how: str) -> LoadAxes:
    x, y, z = (f"{how} {letter}" for letter in LETTERS)
    nx, ny, nz = (f"{how} −{letter}" for letter in LETTERS)
    return LoadAxes(np.broadcast_to(np.eye(3), (frames, 3, 3)), (x, y, z), (nx, ny, nz))
