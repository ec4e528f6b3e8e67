"""Models that are written as another one with parts taken away, replaced and added."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from biomec.base.errors import DescriptionError
from biomec.base.toml_table import did_you_mean, shown
from biomec.body.anatomy.model import GROUND, BodyModel, DeviceDefinition, PointDefinition, SegmentDefinition
from biomec.body.anatomy.model_landmarks import landmark_pattern, point_needs
from biomec.io.marker_set_file import LANDMARK_SIDES, WORDS
from biomec.recording.marker_set import SIDE, Side

Part = TypeVar("Part")
NOTHING = BodyModel(name="", title="", sources=(), roots=(), points=(), segments=(), joints=())


def replaced(old: Iterable[Part], new: Sequence[Part], key: Callable[[Part], Hashable]) -> tuple[Part, ...]:
    """Parts of a base in their order, those with the key of a new one replaced by it; then the other new ones."""
    by_key = {key(part): part for part in new}
    kept = [by_key.pop(key(part), part) for part in old]
    return (*kept, *(part for part in new if key(part) in by_key))


def merged_points(old: Iterable[PointDefinition], new: Sequence[PointDefinition]) -> tuple[PointDefinition, ...]:
    """Points of a base with new ones: points are computed in their order.

    New ones replace those of the base where they stand, so that what needs them finds them; if one of them needs what
    is only computed behind that place, all new ones stand at the end.
    """
    old = tuple(old)
    points = replaced(old, new, lambda point: point.name)
    order = {point.name: k for k, point in enumerate(points)}
    if not any(order.get(need, -1) > order[point.name] for point in new for _, need in point_needs(point)):
        return points
    names = {point.name for point in new}
    return (*(point for point in old if point.name not in names), *new)


def reduced(model: BodyModel, without: Sequence[str]) -> BodyModel:
    """A model without some segments, joints, contacts or points, and without all that refers to these segments.

    without : names, or patterns with a star for the side (``* scapula``, ``GU_*``)
    """
    segments = {segment.name for segment in model.segments}
    others = {joint.name for joint in model.joints} | {contact.name for contact in model.contacts}
    others |= {point.name for point in model.points} | {angle.joint for angle in model.angles}
    others |= {device.name for device in model.devices} | {spring.name for spring in model.springs}
    dropped: set[str] = set()
    for pattern in without:
        names = {sides.write(pattern, side) for sides in (WORDS, LANDMARK_SIDES) for side in Side}
        found = names & (segments | others)
        if not found:
            known = [_pattern(name) for name in (*segments, *others)]
            raise DescriptionError(
                f"without names {shown(pattern)}, which is not a part of {model.name}{did_you_mean(pattern, known)} "
                f"Its segments are {', '.join(dict.fromkeys(_pattern(segment.name) for segment in model.segments))}."
            )
        dropped |= found
    there = segments - dropped
    joints = {joint.name for joint in model.joints if {joint.proximal, joint.distal} <= there} - dropped
    gone = [device for device in model.devices if device.name in dropped]

    def stays(name: str, *ends: str) -> bool:
        return name not in dropped and set(ends) <= {*there, GROUND}

    return replace(
        model,
        roots=tuple(root for root in model.roots if root in there),
        points=tuple(point for point in model.points if point.name not in dropped),
        segments=tuple(_without(segment, gone) for segment in model.segments if segment.name in there),
        joints=tuple(joint for joint in model.joints if stays(joint.name, joint.proximal, joint.distal)),
        contacts=tuple(contact for contact in model.contacts if stays(contact.name, contact.segment, contact.on)),
        angles=tuple(angle for angle in model.angles if stays(angle.joint, angle.proximal, angle.distal)),
        devices=tuple(device for device in model.devices if stays(device.name, device.on)),
        springs=tuple(
            spring
            for spring in model.springs
            if stays(spring.name, *(end.partition(".")[0] for end in (spring.first, spring.second) if end))
            and (not spring.joint or spring.joint in joints)
        ),
    )


def _without(segment: SegmentDefinition, gone: Sequence[DeviceDefinition]) -> SegmentDefinition:
    """A segment that no longer carries some devices."""
    mine = [device for device in gone if device.on == segment.name]
    points, lines = {p for device in mine for p in device.points}, {line for device in mine for line in device.draw}
    return replace(
        segment,
        points=tuple(point for point in segment.points if point not in points),
        draw=tuple(line for line in segment.draw if line not in lines),
        follows=tuple(name for name in segment.follows if name not in {device.name for device in mine}),
    )


def _pattern(name: str) -> str:
    """Name with a star for the side, if it has one."""
    for side in Side:
        if name.startswith(word := WORDS.write(f"{SIDE} ", side)):
            return f"{SIDE} {name.removeprefix(word)}"
    return landmark_pattern(name)
