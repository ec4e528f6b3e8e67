"""Body models as TOML files. Every refusal tells the file, the line, what is wrong and what to do.

`docs/models.md` describes the format with an example.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from biomec.anatomy.centres import CENTRE_METHODS
from biomec.anatomy.frames import AXES, Direction, FrameDefinition, parse_direction
from biomec.anatomy.model import (
    GROUND,
    STANDARD,
    AngleComponent,
    AngleDefinition,
    BodyModel,
    GlidingContact,
    JointDefinition,
    PointDefinition,
    SegmentDefinition,
)
from biomec.anatomy.model_base import NOTHING, appended, reduced, replaced
from biomec.anatomy.model_landmarks import check_landmarks
from biomec.errors import DescriptionError
from biomec.io.description_file import Descriptions
from biomec.io.marker_set_file import LANDMARK_SIDES, WORDS
from biomec.recording.marker_set import SIDE, Side
from biomec.toml_table import Table, did_you_mean, read_toml, shown

FILE_KEYS = (
    "name",
    "title",
    "sources",
    "base",
    "without",
    "roots",
    "landmarks",
    "point",
    "joint",
    "contact",
    "angle",
    "segment",
)
POINT_KEYS = ("name", "of", "opposite", "methods", "carried_by")
SEGMENT_KEYS = ("name", "follows", "frames", "basis", "points", "inertia", "share", "draw")
JOINT_KEYS = ("name", "type", "proximal", "distal", "centre", "axis", "distal_axis")
CONTACT_KEYS = ("name", "point", "segment", "on", "origin")
ANGLE_KEYS = ("joint", "proximal", "distal", "sequence", "zero", "convention", "angles")
JOINT_AXES = {"spherical": (), "universal": ("axis", "distal_axis"), "revolute": ("axis",)}
SEQUENCES = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ")
HINGE = "hinge"
_Named: TypeAlias = PointDefinition | SegmentDefinition | JointDefinition | GlidingContact
_ANGLE = re.compile(r"\s*(?P<names>[^=]+?)\s*=\s*(?P<minus>-)?\s*(?P<sided>s\s+)?(?P<which>[abc])\s*")


def parse_model(text: str, source: str) -> BodyModel:
    """Model described in TOML ``text``; messages call it ``source``. Raises only `DescriptionError`."""
    top = read_toml(text, source, with_lines=True)
    top.only(FILE_KEYS)
    base = _base(top)
    rows = {key: top.tables(key) for key in ("segment", "point", "joint", "contact", "angle")}
    segments = [(table, segment) for table in rows["segment"] for segment in _segments(table)]
    if not (segments or base.segments):
        raise top.refusal(
            "it describes no segment. Add blocks that start with [[segment]], or base a model on another."
        )
    kept = replaced(base.segments, [segment for _, segment in segments], lambda segment: segment.name)
    names = [segment.name for segment in kept]
    points = [(table, point) for table in rows["point"] for point in _points(table)]
    joints = [(table, joint) for table in rows["joint"] for joint in _joints(table, names)]
    contacts = [(table, contact) for table in rows["contact"] for contact in _contacts(table, names)]
    for found in (segments, points, joints, contacts):
        _refuse_twins(found)
    all_joints = replaced(base.joints, [joint for _, joint in joints], lambda joint: joint.name)
    hinges = [joint.name for joint in all_joints]
    angles = [angle for table in rows["angle"] for angle in _angles(table, names, hinges)]
    model = BodyModel(
        name=top.text("name"),
        title=top.text("title"),
        sources=tuple(top.texts("sources")) if "sources" in top else base.sources,
        roots=_roots(top, base, names),
        points=appended(base.points, [point for _, point in points]),
        segments=kept,
        joints=all_joints,
        contacts=replaced(base.contacts, [contact for _, contact in contacts], lambda contact: contact.name),
        angles=replaced(base.angles, angles, lambda angle: (angle.joint, angle.convention)),
        lines={segment.name: table.lines.first for table, segment in segments if table.lines},
    )
    _refuse_loops(joints, base.joints)
    _refuse_islands(top, segments, model)
    further = top.texts("landmarks") if "landmarks" in top else []
    check_landmarks(model, [*segments, *points, *joints, *contacts], further)
    return model


MODELS = Descriptions("model", ("models",), parse_model)
shipped_models, load_model, read_model = MODELS.shipped, MODELS.load, MODELS.read


def _base(top: Table) -> BodyModel:
    """What the file takes over from a shipped model: nothing, or that model without some of its parts."""
    if "base" not in top:
        if "without" in top:
            raise top.refusal('without needs a model to take parts from, such as base = "m21".', "without")
        return NOTHING
    name = top.text("base")
    if name not in shipped_models():
        raise top.refusal(
            f"base names {shown(name)}, which is no model that comes with Biomec"
            f"{did_you_mean(name, shipped_models())} There are {', '.join(shipped_models())}.",
            "base",
        )
    model = load_model(name)
    try:
        return reduced(model, top.texts("without") if "without" in top else [])
    except DescriptionError as error:
        raise top.refusal(str(error), "without") from error


def _roots(top: Table, base: BodyModel, names: list[str]) -> tuple[str, ...]:
    if "roots" not in top and base.roots:
        return base.roots
    roots = tuple(top.texts("roots"))
    for root in roots:
        if root not in names:
            raise top.refusal(
                f"roots names {shown(root)}, which is no segment here{did_you_mean(root, names)}", "roots"
            )
    if not roots:
        raise top.refusal(
            'roots is empty. Name the segment that carries the body, such as roots = ["pelvis"].', "roots"
        )
    return roots


# ---------------------------------------------------------------------------------------------------------- both sides
def _sides(*patterns: str) -> tuple[Side | None, ...]:
    return (Side.RIGHT, Side.LEFT) if any(SIDE in pattern for pattern in patterns) else (None,)


def _code(pattern: str, side: Side | None) -> str:
    return LANDMARK_SIDES.write(pattern, side) if side else pattern


def _word(pattern: str, side: Side | None) -> str:
    return WORDS.write(pattern, side) if side else pattern


def _codes(table: Table, key: str, side: Side | None) -> tuple[str, ...]:
    """Landmarks of a list, each on the side of its row; in a row without side a star stands for both."""
    found: list[str] = []
    for pattern in table.texts(key) if key in table else []:
        found += [_code(pattern, side)] if side else [_code(pattern, one) for one in _sides(pattern)]
    return tuple(found)


def _refuse_twins(found: Sequence[tuple[Table, _Named]]) -> None:
    seen: set[str] = set()
    for table, part in found:
        if part.name in seen:
            raise table.refusal(f"{shown(part.name)} is described twice. Keep one of them.", "name")
        seen.add(part.name)


def _known(table: Table, key: str, value: str, names: Iterable[str]) -> str:
    if value not in names:
        raise table.refusal(
            f"{key} names {shown(value)}, which is no segment here{did_you_mean(value, list(names))}", key
        )
    return value


# ------------------------------------------------------------------------------------------------------------- tables
def _points(table: Table) -> list[PointDefinition]:
    table.only(POINT_KEYS)
    pattern = table.text("name")
    if sum(key in table for key in ("of", "opposite", "methods")) != 1:
        raise table.refusal(
            'give one of: of = ["A", "B"], the points whose middle it is; opposite = ["A", "B"], as far behind B '
            'as A is before it; methods = ["…"].'
        )
    if "opposite" in table and len(table.texts("opposite")) != 2:
        raise table.refusal('opposite needs two points, such as ["CLAT_*", "KJC_*"].', "opposite")
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
            name=_code(pattern, side),
            side=side,
            of=_codes(table, "of", side),
            opposite=_codes(table, "opposite", side),
            methods=methods,
            carried_by=_codes(table, "carried_by", side),
        )
        for side in _sides(pattern)
    ]


def _segments(table: Table) -> list[SegmentDefinition]:
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
    found = []
    for side in _sides(pattern):
        found.append(
            SegmentDefinition(
                name=_word(pattern, side),
                side=side,
                frames=tuple(_frame(table, row, side) for row in frame_rows),
                basis=tuple(_code(name, side) for name in basis),
                points=_codes(table, "points", side),
                follows=tuple(_word(name, side) for name in table.texts("follows")) if "follows" in table else (),
                inertia=(table.text("inertia"), share) if "inertia" in table else None,
                draw=tuple(tuple(_code(str(name), side) for name in line) for line in draw),
            )
        )
    return found


def _frame(table: Table, row: Mapping[str, Any], side: Side | None) -> FrameDefinition:
    inner = Table(table.where, row, "frames.", table.lines)
    inner.only(("origin", *AXES))
    axes = [key for key in row if key in AXES]
    if len(axes) != 2:
        raise table.refusal(
            f"a frame needs two of its axes, in the order to build them; here are {len(axes)}.", "frames"
        )
    directions = [_direction(inner, key, side) for key in axes]
    try:
        return FrameDefinition(_code(inner.text("origin"), side), ((axes[0], directions[0]), (axes[1], directions[1])))
    except DescriptionError as error:
        raise table.refusal(str(error), "frames") from error


def _direction(table: Table, key: str, side: Side | None) -> Direction:
    try:
        return parse_direction(_code(table.text(key), side))
    except DescriptionError as error:
        raise table.refusal(f"{table.prefix}{key} = {error}", key) from error


def _joints(table: Table, names: list[str]) -> list[JointDefinition]:
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
    for side in _sides(pattern):
        axes = {key: _joint_axis(table, key, side) for key in JOINT_AXES[type_]}
        ends = [_known(table, key, _word(table.text(key), side), names) for key in ("proximal", "distal")]
        centre = _code(table.text("centre"), side)
        found.append(JointDefinition(_word(pattern, side), side, type_, ends[0], ends[1], centre, **axes))
    return found


def _joint_axis(table: Table, key: str, side: Side | None) -> Direction | str:
    return table.text(key) if table.text(key) in AXES else _direction(table, key, side)


def _contacts(table: Table, names: list[str]) -> list[GlidingContact]:
    table.only(CONTACT_KEYS)
    return [
        GlidingContact(
            _word(table.text("name"), side),
            side,
            _code(table.text("point"), side),
            _known(table, "segment", _word(table.text("segment"), side), names),
            _known(table, "on", _word(table.text("on"), side), names),
            _code(table.text("origin"), side),
        )
        for side in _sides(table.text("name"))
    ]


def _angles(table: Table, names: list[str], joints: list[str]) -> list[AngleDefinition]:
    table.only(ANGLE_KEYS)
    pattern, sequence = table.text("joint"), table.text("sequence")
    zero = table.text("zero") if "zero" in table else "ZXY"
    for key, value, allowed in (("sequence", sequence, (*SEQUENCES, HINGE)), ("zero", zero, SEQUENCES)):
        if value not in allowed:
            raise table.refusal(f"there is no {key} {shown(value)}. There are {', '.join(allowed)}.", key)
    found = []
    for side in _sides(pattern):
        joint = _word(pattern, side)
        if sequence == HINGE and joint not in joints:
            raise table.refusal(
                f"a hinge angle needs a joint of its name, and there is no joint {shown(joint)}.", "joint"
            )
        ends = [_word(table.text(key), side) for key in ("proximal", "distal")]
        for key, end in zip(("proximal", "distal"), ends, strict=True):
            _known(table, key, end, [*names, GROUND] if key == "proximal" else names)
        found.append(
            AngleDefinition(
                joint=joint,
                side=side,
                proximal=ends[0],
                distal=ends[1],
                sequence=sequence,
                components=tuple(_component(table, text, side) for text in table.texts("angles")),
                convention=table.text("convention") if "convention" in table else STANDARD,
                zero=zero,
            )
        )
    return found


def _component(table: Table, text: str, side: Side | None) -> AngleComponent:
    """``flexion/extension = a``, ``upward/downward rotation = -s b``: words behind the second name belong to both."""
    match = _ANGLE.fullmatch(text)
    if match is None or match["names"].count("/") != 1:
        raise table.refusal(
            f"{shown(text)} is no angle. Write the positive and the negative direction and one of a, b, c, such as "
            f'"flexion/extension = a" or "upward/downward rotation = -s b".',
            "angles",
        )
    first, second = (part.strip() for part in match["names"].split("/"))
    shared_before, _, positive = first.rpartition(" ")
    negative, _, shared_after = second.partition(" ")
    before, after = f"{shared_before} " if shared_before else "", f" {shared_after}" if shared_after else ""
    sign = (-1.0 if match["minus"] else 1.0) * (-1.0 if match["sided"] and side is Side.LEFT else 1.0)
    return AngleComponent(f"{before}{positive}{after}", f"{before}{negative}{after}", "abc".index(match["which"]), sign)


# ----------------------------------------------------------------------------------------------------------- topology
def _refuse_loops(joints: list[tuple[Table, JointDefinition]], taken_over: Iterable[JointDefinition]) -> None:
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


def _refuse_islands(top: Table, rows: list[tuple[Table, SegmentDefinition]], model: BodyModel) -> None:
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
