"""Body models as TOML files. Every refusal tells the file, the line, what is wrong and what to do.

`docs/models.md` describes the format with an example.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from biomec.base.description_file import Descriptions
from biomec.base.errors import DescriptionError
from biomec.base.toml_table import TomlTable, did_you_mean, read_toml, shown
from biomec.body.anatomy.centres import CENTRE_METHODS
from biomec.body.anatomy.frames import Direction, FrameDefinition, parse_direction
from biomec.body.anatomy.model import (
    BodyModel,
    CompressionAxis,
    DeviceDefinition,
    GlidingContact,
    JointDefinition,
    PointDefinition,
    SegmentDefinition,
    SpringDefinition,
)
from biomec.body.anatomy.model_base import NOTHING, merged_points, reduced, replaced
from biomec.body.anatomy.model_devices import GIVEN_KEYS, carrying, devices, given_inertia, springs
from biomec.body.anatomy.model_landmarks import check_landmarks, check_order
from biomec.body.anatomy.model_rows import angle_rows, check_angles, check_inertia, code, codes, known, sides, word
from biomec.engine.joint_kinds import TREE_KINDS
from biomec.engine.rotations import AXES
from biomec.recording.marker_set import Side

FILE_KEYS = ("name", "title", "sources", "base", "without", "roots", "landmarks", "point", "joint", "contact",
             "angle", "segment", "device", "spring", "plane")  # fmt: skip
POINT_KEYS = ("name", "of", "opposite", "beyond", "distance_m", "methods", "carried_by")
SEGMENT_KEYS = ("name", "follows", "frames", "basis", "points", "inertia", "inertia_with", "share",
                "draw", *GIVEN_KEYS)  # fmt: skip
JOINT_KEYS = ("name", "type", "proximal", "distal", "centre", "axis", "distal_axis", "compression")
CONTACT_KEYS = ("name", "point", "segment", "on", "origin")
JOINT_AXES = {key: kind.axes for key, kind in TREE_KINDS.items()}
_COMPRESSION = re.compile(r"(?P<of>proximal|distal)\s+(?P<minus>-\s*)?(?P<sided>s\s+)?(?P<axis>[xyz])")
_Named: TypeAlias = (
    PointDefinition | SegmentDefinition | JointDefinition | GlidingContact | DeviceDefinition | SpringDefinition
)


def parse_model(text: str, source: str) -> BodyModel:
    """Model described in TOML ``text``; messages call it ``source``. Raises only `DescriptionError`."""
    top = read_toml(text, source, with_lines=True)
    top.only(FILE_KEYS)
    base = _base(top)
    rows = {key: top.tables(key) for key in ("segment", "point", "joint", "contact", "angle", "device", "spring")}
    segments = [(table, segment) for table in rows["segment"] for segment in _segments(table)]
    if not (segments or base.segments):
        raise top.refusal(
            "it describes no segment. Add blocks that start with [[segment]], or base a model on another."
        )
    segments = [(table, _replacing(segment, base)) for table, segment in segments]
    kept = replaced(base.segments, [segment for _, segment in segments], lambda segment: segment.name)
    names = [segment.name for segment in kept]
    points = [(table, point) for table in rows["point"] for point in _points(table)]
    joints = [(table, joint) for table in rows["joint"] for joint in _joints(table, names)]
    contacts = [(table, contact) for table in rows["contact"] for contact in _contacts(table, names)]
    all_joints = replaced(base.joints, [joint for _, joint in joints], lambda joint: joint.name)
    carried = [(table, device) for table in rows["device"] for device in devices(table, names)]
    held = [(table, spring) for table in rows["spring"] for spring in springs(table, names, all_joints)]
    for found in (segments, points, joints, contacts, carried, held):
        _refuse_twins(found)
    all_devices = replaced(base.devices, [device for _, device in carried], lambda device: device.name)
    angles = [(table, angle) for table in rows["angle"] for angle in angle_rows(table, names)]
    check_angles(angles, all_joints)
    model = BodyModel(
        name=top.text("name"),
        title=top.text("title"),
        sources=tuple(top.texts("sources")) if "sources" in top else base.sources,
        roots=_roots(top, base, names),
        points=merged_points(base.points, [point for _, point in points]),
        segments=carrying(kept, all_devices),
        joints=all_joints,
        contacts=replaced(base.contacts, [contact for _, contact in contacts], lambda contact: contact.name),
        angles=replaced(base.angles, [angle for _, angle in angles], lambda angle: (angle.joint, angle.convention)),
        lines={segment.name: table.lines.first for table, segment in segments if table.lines},
        devices=all_devices,
        planar=_planar(top, base),
        springs=replaced(base.springs, [spring for _, spring in held], lambda spring: spring.name),
    )
    _refuse_loops(joints, base.joints)
    _refuse_islands(top, segments, model)
    further = top.texts("landmarks") if "landmarks" in top else []
    check_landmarks(model, [*segments, *points, *joints, *contacts, *carried, *held], further)
    check_order(model, points, further)
    check_inertia(model, segments)
    return model


MODELS = Descriptions("model", ("models",), parse_model)
shipped_models, load_model, read_model = MODELS.shipped, MODELS.load, MODELS.read


def _replacing(segment: SegmentDefinition, base: BodyModel) -> SegmentDefinition:
    """A segment with the row of the table that its given mass stands for, if the base weighs the same by a table."""
    if segment.given is None:
        return segment
    rows = [one.inertia[0] for one in base.segments if one.name == segment.name and one.inertia is not None]
    return replace(segment, replaces=rows[0]) if rows else segment


def _base(top: TomlTable) -> BodyModel:
    """What the file takes over from a shipped model: nothing, or that model without some of its parts."""
    if "base" not in top:
        if "without" in top:
            raise top.refusal('without needs a model to take parts from, such as base = "m21".', "without")
        return NOTHING
    name = top.text("base")
    if name not in shipped_models():
        raise top.refusal(
            f"base names {shown(name)}, which is not a model that comes with Biomec"
            f"{did_you_mean(name, shipped_models())} There are {', '.join(shipped_models())}.",
            "base",
        )
    model, without = load_model(name), top.texts("without") if "without" in top else []
    try:
        return reduced(model, without)
    except DescriptionError as error:
        raise top.refusal(str(error), "without") from error


def _planar(top: TomlTable, base: BodyModel) -> bool:
    """Whether the body moves in its sagittal plane, where all joints are hinges about the same direction."""
    if "plane" not in top:
        return base.planar
    if top.text("plane") != "sagittal":
        raise top.refusal(
            f'plane is {shown(top.text("plane"))}. Write plane = "sagittal", or leave it out for a model in space.',
            "plane",
        )
    return True


def _roots(top: TomlTable, base: BodyModel, names: list[str]) -> tuple[str, ...]:
    if "roots" not in top and base.roots:
        return base.roots
    roots = tuple(top.texts("roots"))
    for root in roots:
        if root not in names:
            raise top.refusal(
                f"roots names {shown(root)}, which is not a segment here{did_you_mean(root, names)}", "roots"
            )
    if not roots:
        raise top.refusal(
            'roots is empty. Name the segment that carries the body, such as roots = ["pelvis"].', "roots"
        )
    return roots


def _refuse_twins(found: Sequence[tuple[TomlTable, _Named]]) -> None:
    seen: set[str] = set()
    for table, part in found:
        if part.name in seen:
            raise table.refusal(f"{shown(part.name)} is described twice. Keep one of them.", "name")
        seen.add(part.name)


# ------------------------------------------------------------------------------------------------------------- tables
def _points(table: TomlTable) -> list[PointDefinition]:
    table.only(POINT_KEYS)
    pattern = table.text("name")
    if sum(key in table for key in ("of", "opposite", "beyond", "methods")) != 1:
        raise table.refusal(
            'give one of: of = ["A", "B"], the points whose middle it is; opposite = ["A", "B"], as far behind B '
            'as A is before it; beyond = ["A", "B"] with distance_m, on their line behind B; methods = ["…"].'
        )
    for key in ("opposite", "beyond"):
        if key in table and len(table.texts(key)) != 2:
            raise table.refusal(f'{key} needs two points, such as ["CLAT_*", "KJC_*"].', key)
    if ("beyond" in table) != ("distance_m" in table):
        raise table.refusal("beyond and distance_m belong together: how far behind the second point, in metres.")
    for key in ("of", "methods"):
        if key in table and not table.texts(key):
            raise table.refusal(
                f"{key} is empty, so that nothing gives {pattern}. Name something, or drop the row.", key
            )
    methods = tuple(table.texts("methods")) if "methods" in table else ()
    for method in methods:
        if method not in CENTRE_METHODS:
            raise table.refusal(
                f"there is no method {shown(method)}{did_you_mean(method, list(CENTRE_METHODS))} For {pattern} there "
                f"are {', '.join(m.name for m in CENTRE_METHODS.values() if m.centre == pattern) or 'none'}.",
                "methods",
            )
        if CENTRE_METHODS[method].centre != pattern:
            raise table.refusal(f"the method {method} gives {CENTRE_METHODS[method].centre}, not {pattern}.", "methods")
    return [
        PointDefinition(
            name=code(pattern, side),
            side=side,
            of=codes(table, "of", side),
            opposite=codes(table, "opposite", side),
            methods=methods,
            carried_by=codes(table, "carried_by", side),
            beyond=codes(table, "beyond", side),
            distance_m=float(table.numbers("distance_m", ())) if "distance_m" in table else 0.0,
        )
        for side in sides(pattern)
    ]


def _segments(table: TomlTable) -> list[SegmentDefinition]:
    table.only(SEGMENT_KEYS)
    pattern = table.text("name")
    if "." in pattern:
        raise table.refusal("the name of a segment has no dot.", "name")
    basis = table.texts("basis")
    kinds = ["v" if name in AXES else "p" for name in basis]
    if kinds not in (["p", "v", "v", "v"], ["p", "p", "v", "v"]):
        raise table.refusal(
            'basis must be one point and three axes, such as ["CAC", "x", "y", "z"], or two points and two axes, such '
            'as ["GU_*", "PME_*", "x", "z"].',
            "basis",
        )
    if len(set(basis)) < len(basis):
        twice = next(name for name in basis if basis.count(name) > 1)
        raise table.refusal(f"basis names {shown(twice)} twice. Each point and axis stands there once.", "basis")
    frame_rows = table.values.get("frames")
    if not (isinstance(frame_rows, list) and frame_rows and all(isinstance(row, dict) for row in frame_rows)):
        raise table.refusal(
            'frames must be a list such as [{ origin = "CAC", y = "VC - CAC", z = "(GLAB - CAC) x y" }].', "frames"
        )
    share = float(table.numbers("share", ())) if "share" in table else 1.0
    if not 0.0 < share <= 1.0:
        raise table.refusal(f"share is {share:g}; it is the part of the row's mass, above 0 and at most 1.", "share")
    draw = table.values.get("draw", [])
    if not (isinstance(draw, list) and all(isinstance(line, list) and len(line) > 1 for line in draw)):
        raise table.refusal('draw must be a list of lines of landmarks, such as [["GU_*", "PME_*"]].', "draw")
    given = given_inertia(table) if "mass_kg" in table else None
    if given is not None and "inertia" in table:
        raise table.refusal("give either inertia, a row of the inertia table, or mass_kg with its inertia.", "mass_kg")
    if given is None:
        for key in GIVEN_KEYS:
            if key in table:
                raise table.refusal(f"{key} needs mass_kg beside it.", key)
    found = []
    for side in sides(pattern):
        frames = tuple(_frame(table, row, side) for row in frame_rows)
        _refuse_flat_basis(table, tuple(code(name, side) for name in basis), frames)
        found.append(
            SegmentDefinition(
                name=word(pattern, side),
                side=side,
                frames=frames,
                basis=tuple(code(name, side) for name in basis),
                points=codes(table, "points", side),
                follows=tuple(word(name, side) for name in table.texts("follows")) if "follows" in table else (),
                inertia=(table.text("inertia"), share) if "inertia" in table else None,
                draw=tuple(tuple(code(str(name), side) for name in line) for line in draw),
                given=given,
                inertia_with=tuple(table.texts("inertia_with")) if "inertia_with" in table else (),
            )
        )
    return found


def _refuse_flat_basis(table: TomlTable, basis: tuple[str, ...], frames: Iterable[FrameDefinition]) -> None:
    """Refuse two points together with the axis that runs along their line: all four lie in one plane."""
    ends = {name for name in basis if name not in AXES}
    for frame in frames:
        name, direction = frame.axes[0]
        if name in basis and direction.second is None and {direction.first.head, direction.first.tail} == ends:
            raise table.refusal(
                f"basis is flat: {name} runs from {direction.first.tail} to {direction.first.head}, which are in it. "
                f"Take the two other axes.",
                "basis",
            )


def _frame(table: TomlTable, row: Mapping[str, Any], side: Side | None) -> FrameDefinition:
    inner = TomlTable(table.where, row, "frames.", table.lines)
    inner.only(("origin", *AXES))
    axes = [key for key in row if key in AXES]
    if len(axes) != 2:
        raise table.refusal(
            f"a frame needs two of its axes, in the order to build them; here are {len(axes)}.", "frames"
        )
    directions = [_direction(inner, key, side) for key in axes]
    try:
        return FrameDefinition(code(inner.text("origin"), side), ((axes[0], directions[0]), (axes[1], directions[1])))
    except DescriptionError as error:
        raise table.refusal(str(error), "frames") from error


def _direction(table: TomlTable, key: str, side: Side | None) -> Direction:
    try:
        return parse_direction(code(table.text(key), side))
    except DescriptionError as error:
        raise table.refusal(f"{table.prefix}{key} = {error}", key) from error


def _joints(table: TomlTable, names: list[str]) -> list[JointDefinition]:
    table.only(JOINT_KEYS)
    pattern, type_ = table.text("name"), table.text("type")
    if type_ not in JOINT_AXES:
        raise table.refusal(
            f"there is no type {shown(type_)}{did_you_mean(type_, list(JOINT_AXES))} There are "
            f"{', '.join(JOINT_AXES)}.",
            "type",
        )
    for key in ("axis", "distal_axis"):
        if (key in table) != (key in JOINT_AXES[type_]):
            must = "needs" if key in JOINT_AXES[type_] else "has no"
            raise table.refusal(f"a {type_} joint {must} {key}.", key)
    found = []
    for side in sides(pattern):
        axes: dict[str, Any] = {key: _joint_axis(table, key, side) for key in JOINT_AXES[type_]}
        ends = [known(table, key, word(table.text(key), side), names) for key in ("proximal", "distal")]
        centre = code(table.text("centre"), side)
        joint = JointDefinition(word(pattern, side), side, type_, ends[0], ends[1], centre, **axes)
        found.append(replace(joint, compression=_compression(table, side)))
    return found


def _compression(table: TomlTable, side: Side | None) -> CompressionAxis | None:
    """``distal -y``, ``proximal s z``: an axis of one of the two segments, s reversing it on the left."""
    if "compression" not in table:
        return None
    match = _COMPRESSION.fullmatch(table.text("compression").strip())
    if match is None:
        raise table.refusal(
            f"compression is {shown(table.text('compression'))}. Write whose axis it is and which, in the direction in "
            f'which the proximal segment pushes, such as "distal -y" or "proximal s z".',
            "compression",
        )
    sign = (-1.0 if match["minus"] else 1.0) * (-1.0 if match["sided"] and side is Side.LEFT else 1.0)
    return CompressionAxis(match["of"], AXES.index(match["axis"]), sign)


def _joint_axis(table: TomlTable, key: str, side: Side | None) -> Direction | str:
    if table.text(key) in AXES:
        return table.text(key)
    direction = _direction(table, key, side)
    if direction.axes:
        raise table.refusal(
            f"{key} is {shown(direction.text)}, but the direction of a joint has no axes to build on. Write one axis, "
            f'such as "z", or landmarks, such as "EL_* - EU_*".',
            key,
        )
    return direction


def _contacts(table: TomlTable, names: list[str]) -> list[GlidingContact]:
    table.only(CONTACT_KEYS)
    found = []
    for side in sides(table.text("name")):
        segment, on = (known(table, key, word(table.text(key), side), names) for key in ("segment", "on"))
        if segment == on:
            raise table.refusal(
                f"a point of the {segment} cannot glide on the {on} itself. Name the segment that carries the "
                f"ellipsoid, such as the thorax.",
                "on",
            )
        point, origin = (code(table.text(key), side) for key in ("point", "origin"))
        found.append(GlidingContact(word(table.text("name"), side), side, point, segment, on, origin))
    return found


# ----------------------------------------------------------------------------------------------------------- topology
def _refuse_loops(joints: list[tuple[TomlTable, JointDefinition]], taken_over: Iterable[JointDefinition]) -> None:
    """Refuse a segment with two proximal joints: joints make a tree, and loops are closed by contacts."""
    own = {joint.name for _, joint in joints}
    above = {joint.distal: joint.name for joint in taken_over if joint.name not in own}
    for table, joint in joints:
        if joint.proximal == joint.distal:
            raise table.refusal(f"the joint {joint.name} joins {joint.distal} to itself. Check its ends.", "distal")
        if joint.distal in above:
            raise table.refusal(
                f"{joint.distal} is the distal segment of two joints, {above[joint.distal]} and {joint.name}. Joints "
                f"make a tree: turn one of them round or leave it out.",
                "distal",
            )
        above[joint.distal] = joint.name


def _refuse_islands(top: TomlTable, rows: list[tuple[TomlTable, SegmentDefinition]], model: BodyModel) -> None:
    """Refuse segments that neither joints nor contacts connect to the first root."""
    lost = {segment.name for segment in model.segments} - connected(model.roots[0], model.joints, model.contacts)
    if lost:
        table, key = next(((table, "name") for table, segment in rows if segment.name in lost), (top, "without"))
        raise table.refusal(
            f"nothing connects {', '.join(sorted(lost))} to {model.roots[0]}. Add a joint, or leave the segment out.",
            key,
        )


def connected(start: str, joints: Iterable[JointDefinition], contacts: Iterable[GlidingContact] = ()) -> set[str]:
    """Segments that joints and gliding contacts connect with ``start``, itself included."""
    pairs = [(joint.proximal, joint.distal) for joint in joints]
    pairs += [(contact.on, contact.segment) for contact in contacts]
    reached, grown = {start}, True
    while grown:
        grown = False
        for a, b in pairs:
            if (a in reached) != (b in reached):
                reached |= {a, b}
                grown = True
    return reached
