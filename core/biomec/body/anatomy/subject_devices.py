"""Devices of a person: their masses on the segments that carry them, and their springs as forces of the engine.

A device is placed in the static pose, like a segment. What it lacks there leaves the device out, and only the device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from biomec.base.arrays import read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, warning
from biomec.body.anatomy.frames import FrameDefinition, Points
from biomec.body.anatomy.inertia import BodyInertia, SegmentInertia
from biomec.body.anatomy.inertia_table import PART_OF, load_inertia_table
from biomec.body.anatomy.landmarks import Measures
from biomec.body.anatomy.model import BodyModel, DeviceDefinition, GivenInertia, SegmentDefinition, SpringDefinition
from biomec.body.anatomy.model_devices import CUFF, HINGE, tensor_of
from biomec.body.anatomy.sagittal import SagittalPlane
from biomec.engine.forces.device_springs import AngleElement, Beyond, PointElement
from biomec.engine.forces.springs import Characteristic, Element, Linear, LineElement
from biomec.engine.system import System
from biomec.recording.marker_set import Side

if TYPE_CHECKING:
    from biomec.body.anatomy.subject_model import SubjectModel

NEXT_AXIS = {"x": "y", "y": "z", "z": "x"}  # of an axis, the one that it turns towards the third


def with_given(
    inertia: BodyInertia, segments: Iterable[tuple[SegmentDefinition, FrameDefinition]], static: Points
) -> BodyInertia:
    """Inertia with that of devices which are bodies of their own."""
    found = dict(inertia.segments)
    for segment, frame in segments:
        if segment.given is not None:
            found[segment.name] = _placed(segment.given, segment.sign, segment.name, frame, static)
    return replace(inertia, segments=found)


def beside_prostheses(inertia: BodyInertia, model: BodyModel, measures: Measures) -> tuple[BodyInertia, list[Notice]]:
    """Inertia of the segments by the table where others are prostheses: the mass of the person includes these.

    All segments of the table are multiplied by (M − Σ m_given) / (M (1 − Σ p)), p being the shares of the rows that are
    replaced, so that everything together weighs M.
    """
    given = [one for one in model.segments if one.given is not None and one.replaces]
    if not given or not inertia.options.rescale:
        return inertia, []
    mass, table = float(measures["mass"]), load_inertia_table(inertia.options.table)
    sex = str(measures["sex"])
    rows = [one.replaces for one in given if one.replaces not in PART_OF]  # a foot's row includes its toes
    lost = sum(table.entry(row, sex).mass for row in rows) / table.total_percent(sex)
    own = sum(one.given.mass for one in given if one.given is not None)
    if not own < mass:
        raise BiomecError(
            f"The {' and '.join(one.name for one in given)} weigh {own:g} kg as given, the whole person {mass:g} kg. "
            "Enter the mass of the person with the prosthesis on."
        )
    factor = (mass - own) / (mass * (1.0 - lost))
    found = {
        name: replace(one, mass=factor * one.mass, J_W=read_only(factor * one.J_W))
        for name, one in inertia.segments.items()
    }
    words = (
        f"The {' and '.join(one.name for one in given)} weigh {own:.2f} kg as the model gives them, instead of "
        f"{lost * mass:.2f} kg by the table. The mass of the person, {mass:g} kg, includes them; all other segments "
        f"are multiplied by {factor:.4f}."
    )
    return replace(inertia, segments=found), [info("prosthesis-mass", words, *(one.name for one in given))]


def in_one(inertia: BodyInertia, segments: Iterable[tuple[SegmentDefinition, FrameDefinition]]) -> BodyInertia:
    """Inertia of segments that carry several rows of the table, as one."""
    found = dict(inertia.segments)
    for segment, _ in segments:
        for row in segment.inertia_with:
            found[segment.name] = _together(found[segment.name], found.pop(f"{segment.name}, {row}"))
    return replace(inertia, segments=found)


def laid_into(inertia: BodyInertia, plane: SagittalPlane) -> BodyInertia:
    """Inertia with all centres of mass in a plane, and its normal as a principal axis: nothing leaves the plane."""
    across = np.outer(plane.normal, plane.normal)
    within = np.eye(3) - across
    moved = {}
    for name, one in inertia.segments.items():
        J = within @ one.J_W @ within + across @ one.J_W @ across
        moved[name] = replace(one, com_W=read_only(plane.point(np.asarray(one.com_W))), J_W=read_only(J))
    return replace(inertia, segments=moved)


def with_devices(
    inertia: BodyInertia,
    devices: Sequence[DeviceDefinition],
    static: Points,
    kept: set[str],
    words: Callable[[str], str],
) -> tuple[BodyInertia, tuple[DeviceDefinition, ...], list[Notice]]:
    """Inertia with devices on the segments that carry them, which devices these are, and what was left out.

    kept : segments that are in the system
    """
    found, there, notices = dict(inertia.segments), [], []
    for device in devices:
        if device.on not in kept:
            why = f"the {device.on} is not in the model"
        else:
            lacking = [name for name in device.frame.landmarks if name not in static]
            why = f"{', '.join(words(name) for name in lacking)} {'are' if len(lacking) > 1 else 'is'} absent"
            why = why if lacking else ""
        if why:
            sentence = f"The {device.name} is left out of the model: {why}. Its mass does not count."
            notices.append(warning("device-left-out", sentence, device.on))
            continue
        own = _placed(device.inertia, device.sign, device.name, device.frame, static)
        found[device.on] = _together(found[device.on], own) if device.on in found else own
        there.append(device)
    return replace(inertia, segments=found), tuple(there), notices


def _placed(given: GivenInertia, sign: float, name: str, frame: FrameDefinition, static: Points) -> SegmentInertia:
    R_WB = frame.attitude(static, sign)
    com = np.asarray(static[frame.origin]) + R_WB @ (np.array([1.0, 1.0, sign]) * given.com)
    J = R_WB @ tensor_of(given.tensor, sign) @ R_WB.T
    return SegmentInertia(name, given.mass, read_only(com), read_only(J), 0.0, f"{name}: as given")


def _together(a: SegmentInertia, b: SegmentInertia) -> SegmentInertia:
    """Two rigid parts as one: J = Σ J_i + m_i (|d_i|² 1 − d_i d_iᵀ) about the common centre of mass."""
    mass = a.mass + b.mass
    com = (a.mass * a.com_W + b.mass * b.com_W) / mass
    J = np.zeros((3, 3))
    for part in (a, b):
        d = part.com_W - com
        J += part.J_W + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return replace(a, mass=mass, com_W=read_only(com), J_W=read_only(J), source=f"{a.source}, with {b.row}")


def cuff_points(springs: Iterable[SpringDefinition], segment: str) -> list[str]:
    """Landmarks of a segment that springs are fixed to."""
    ends = [end.partition(".") for spring in springs for end in (spring.first, spring.second) if end]
    return [point for owner, _, point in ends if owner == segment]


def available_springs(
    model: BodyModel, system: System, static: Points
) -> tuple[tuple[SpringDefinition, ...], list[Notice]]:
    """Springs whose segments, joints and landmarks are there; a notice for each that is left out."""
    found, notices = [], []
    joints, bodies = {one.name for one in system.constraints}, system.layout.bodies
    for spring in model.springs:
        ends = [end.partition(".") for end in (spring.first, spring.second) if end]
        if spring.kind == HINGE:
            why = "" if spring.joint in joints else f"there is no {spring.joint}"
        else:
            gone = [owner for owner, _, point in ends if owner not in bodies or point not in static]
            why = f"the {gone[0]} or its landmark is absent" if gone else ""
        if why:
            notices.append(warning("spring-left-out", f"The {spring.name} is left out of the model: {why}."))
        else:
            found.append(spring)
    return tuple(found), notices


def passive_joints(model: BodyModel, system: System, springs: Iterable[SpringDefinition]) -> tuple[str, ...]:
    """Joints whose distal segment belongs to a device that cuffs or struts hold; a prosthetic foot is held by none."""
    devices = {segment.name for segment in model.segments if segment.given is not None}
    held = {end.partition(".")[0] for spring in springs for end in (spring.first, spring.second)} & devices
    there = {one.name for one in system.constraints}
    joints = [joint for joint in model.joints if joint.name in there and joint.distal in devices]
    growing = True
    while growing:  # pieces of one device hang together by joints
        pieces = {
            end for joint in joints for end in (joint.proximal, joint.distal) if held & {joint.proximal, joint.distal}
        }
        growing = not pieces & devices <= held
        held |= pieces & devices
    return tuple(joint.name for joint in joints if joint.distal in held)


def unmarked_hinges(person: SubjectModel) -> tuple[str, ...]:
    """Passive joints of devices that no marker shows: nothing but what holds the device tells where it is."""
    passive = person.passive_joints
    pieces = {joint.distal for joint in person.model.joints if joint.name in passive}
    return () if pieces & set(person.followed.values()) else passive


def held_hinges(person: SubjectModel) -> tuple[str, ...]:
    """Of `unmarked_hinges`, those of devices that some cuff or strut with a stiffness holds."""
    held = passive_joints(person.model, person.system, [one for one in person.springs if one.stiffness])
    return tuple(name for name in unmarked_hinges(person) if name in held)


def unmarked_pieces(person: SubjectModel) -> tuple[str, ...]:
    """Segments of devices that no marker shows."""
    hinges = unmarked_hinges(person)
    return tuple(joint.distal for joint in person.model.joints if joint.name in hinges)


def spring_elements(
    springs: Sequence[SpringDefinition], joints: Mapping[str, tuple[str, str, str]], system: System
) -> tuple[Element, ...]:
    """Springs as forces of the engine, free in the static pose where the file gives no free angle or length.

    joints : joint -> proximal segment, distal segment, and the name of a hinge's axis on the proximal one, or ""
    """
    return tuple(_element(spring, joints, system) for spring in springs)


def _element(spring: SpringDefinition, joints: Mapping[str, tuple[str, str, str]], system: System) -> Element:
    if spring.kind == CUFF:
        return PointElement(spring.name, first=spring.first, second=spring.second, k=spring.stiffness, c=spring.damping)
    damper = Linear(spring.damping) if spring.damping else None
    q = np.asarray(system.reference)
    if spring.kind == HINGE:
        proximal, distal, hinge = joints[spring.joint]
        start = NEXT_AXIS[spring.axis]
        bare = AngleElement(
            spring.name,
            start=f"{proximal}.{start}",
            end=f"{distal}.{start}",
            axis=f"{proximal}.{hinge or spring.axis}",
        )
        mirrored = -1.0 if spring.side is Side.LEFT and spring.axis != "z" else 1.0
        still = float(bare.state(system, q, np.zeros(system.n)).position)
        rest = still if spring.free is None else mirrored * spring.free
        return replace(bare, spring=_law(spring, rest, mirrored), damper=damper)
    line = LineElement(spring.name, first=spring.first, second=spring.second, damper=damper)
    ends = [np.asarray(system.layout.point(end)(q)) for end in (spring.first, spring.second)]
    rest = float(np.linalg.norm(ends[1] - ends[0])) if spring.free is None else spring.free
    return replace(line, spring=_law(spring, rest, 1.0))


def _law(spring: SpringDefinition, rest: float, mirrored: float) -> Characteristic:
    if spring.acts == "both":
        return Linear(spring.stiffness, rest)
    return Beyond(spring.stiffness, rest, mirrored * (1.0 if spring.acts == "above" else -1.0))
