"""What a model would count in mixed natural and relative coordinates, the way published gait models count.

Points are shared between neighbours, so that a joint has one; each body that carries no other has one more at its end.
In space every body has two unit vectors, and every hinge one along its axis. Every joint has as many angles as it has
freedoms, and the body that carries the others has three. A rigid device that is fixed to a segment adds its centre of
mass and two vectors [Mouzo2018]. In the sagittal plane there are no vectors, and each joint has one angle.

    coordinates = d · points + d · vectors + angles,   d = 3 in space, 2 in the plane
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from biomec.body.anatomy.model import BodyModel, DeviceDefinition, JointDefinition
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.engine.joint_kinds import TREE_KINDS

HINGES = 1  # freedoms of a joint whose axis is a vector of its own


@dataclass(frozen=True)
class MixedCoordinates:
    """Counts of a model in mixed coordinates.

    bodies   : segments and devices that are bodies of their own
    contacts : points that glide on a segment, each of which takes a freedom
    """

    bodies: int
    points: int
    vectors: int
    angles: int
    dimension: int = 3
    contacts: int = 0

    @property
    def coordinates(self) -> int:
        """All of them."""
        return self.dimension * (self.points + self.vectors) + self.angles

    @property
    def degrees_of_freedom(self) -> int:
        """Angles, and the place of the body that carries the others, less what gliding contacts take."""
        return self.angles + self.dimension - self.contacts

    def __str__(self) -> str:
        vectors = f", {self.vectors} unit vectors" if self.vectors else ""
        return f"{self.coordinates} mixed coordinates ({self.points} points{vectors}, {self.angles} angles)"


def mixed_coordinates(model: BodyModel) -> MixedCoordinates:
    """Counts of a whole model, as its file describes it."""
    names = [segment.name for segment in model.segments]
    return _counted(names, model.joints, model.devices, len(model.contacts), model.planar)


def mixed_coordinates_of(person: SubjectModel) -> MixedCoordinates:
    """Counts of what a recording leaves of a model."""
    there = {one.name for one in person.system.constraints}
    joints = [joint for joint in person.model.joints if joint.name in there]
    names = [segment.name for segment in person.segments]
    return _counted(names, joints, person.devices, len(person.surfaces), person.model.planar)


def _counted(
    segments: list[str],
    joints: Iterable[JointDefinition],
    devices: Iterable[DeviceDefinition],
    contacts: int,
    planar: bool,
) -> MixedCoordinates:
    joints, fixed = list(joints), sum(device.body for device in devices)
    touched = [end for joint in joints for end in (joint.proximal, joint.distal)]
    ends = sum(touched.count(name) <= 1 for name in segments)
    points = len({joint.centre for joint in joints}) + ends
    freedoms = [TREE_KINDS[joint.type].freedoms for joint in joints]
    if planar:
        return MixedCoordinates(len(segments) + fixed, points + fixed, 0, 1 + len(joints), 2)
    vectors = 2 * len(segments) + 2 * fixed + freedoms.count(HINGES)
    return MixedCoordinates(len(segments) + fixed, points + fixed, vectors, 3 + sum(freedoms), contacts=contacts)
