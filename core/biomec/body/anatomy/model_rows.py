"""Rows of a model file: names with a side, where a star stands for right and left; joint angles; masses.

A refusal names the file, the line, what is wrong and what is possible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from biomec.base.toml_table import TomlTable, did_you_mean, shown
from biomec.body.anatomy.inertia_table import ROWS, SIDED
from biomec.body.anatomy.model import (
    GROUND,
    STANDARD,
    AngleComponent,
    AngleDefinition,
    BodyModel,
    JointDefinition,
    SegmentDefinition,
)
from biomec.io.marker_set_file import LANDMARK_SIDES, WORDS
from biomec.recording.marker_set import SIDE, Side


def sides(pattern: str) -> tuple[Side | None, ...]:
    """Sides of a row by its name: both for a star, one for ``right thigh``, none on the midline."""
    if SIDE in pattern:
        return (Side.RIGHT, Side.LEFT)
    return (next((side for side in Side if pattern.startswith(WORDS.write(f"{SIDE} ", side))), None),)


def code(pattern: str, side: Side | None) -> str:
    """Landmark on a side."""
    return LANDMARK_SIDES.write(pattern, side) if side else pattern


def word(pattern: str, side: Side | None) -> str:
    """Name of a segment or joint on a side."""
    return WORDS.write(pattern, side) if side else pattern


def codes(table: TomlTable, key: str, side: Side | None) -> tuple[str, ...]:
    """Landmarks of a list, each on the side of its row; in a row without side a star stands for both."""
    found: list[str] = []
    for pattern in table.texts(key) if key in table else []:
        found += [code(pattern, side)] if side else [code(pattern, one) for one in sides(pattern)]
    return tuple(found)


def known(table: TomlTable, key: str, value: str, names: Iterable[str]) -> str:
    """Return a name that a key gives, if it is among those of the segments."""
    if value not in names:
        raise table.refusal(
            f"{key} names {shown(value)}, which is not a segment here{did_you_mean(value, list(names))}", key
        )
    return value


# --------------------------------------------------------------------------------------------------------- joint angles


ANGLE_KEYS = ("joint", "proximal", "distal", "sequence", "zero", "convention", "angles")
SEQUENCES = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ")
HINGE = "hinge"
_ANGLE = re.compile(r"\s*(?P<names>[^=]+?)\s*=\s*(?P<minus>-)?\s*(?P<sided>s\s+)?(?P<which>[abc])\s*")


def angle_rows(table: TomlTable, names: list[str]) -> list[AngleDefinition]:
    """Angles of one row, of both sides if its joint has a star; ``names`` are those of the segments."""
    table.only(ANGLE_KEYS)
    pattern, sequence = table.text("joint"), table.text("sequence")
    zero = table.text("zero") if "zero" in table else "ZXY"
    for key, value, allowed in (("sequence", sequence, (*SEQUENCES, HINGE)), ("zero", zero, SEQUENCES)):
        if value not in allowed:
            raise table.refusal(f"there is no {key} {shown(value)}. There are {', '.join(allowed)}.", key)
    texts = table.texts("angles")
    if not texts:
        raise table.refusal(
            'angles is empty. Write what to report, such as angles = ["flexion/extension = a"].', "angles"
        )
    found = []
    for side in sides(pattern):
        joint = word(pattern, side)
        ends = [word(table.text(key), side) for key in ("proximal", "distal")]
        for key, end in zip(("proximal", "distal"), ends, strict=True):
            known(table, key, end, [*names, GROUND] if key == "proximal" else names)
        found.append(
            AngleDefinition(
                joint=joint,
                side=side,
                proximal=ends[0],
                distal=ends[1],
                sequence=sequence,
                components=tuple(_component(table, text, side) for text in texts),
                convention=table.text("convention") if "convention" in table else STANDARD,
                zero=zero,
            )
        )
    return found


def check_angles(rows: Sequence[tuple[TomlTable, AngleDefinition]], joints: Sequence[JointDefinition]) -> None:
    """Refuse angles that are given twice, and hinge angles that are not those of a hinge."""
    by_name = {joint.name: joint for joint in joints}
    seen = set()
    for table, angle in rows:
        if (angle.joint, angle.convention) in seen:
            raise table.refusal(
                f"the angles of {shown(angle.joint)} are described twice for the convention {shown(angle.convention)}. "
                f"Keep one row, or give one of them another convention.",
                "joint",
            )
        seen.add((angle.joint, angle.convention))
        taken = [component.index for component in angle.components]
        twice = next((k for k in taken if taken.count(k) > 1), None)
        if twice is not None:
            raise table.refusal(
                f"two angles are the rotation {'abc'[twice]} of the sequence. Each of a, b, c gives one angle.",
                "angles",
            )
        named = [component.positive for component in angle.components]
        alike = next((name for name in named if named.count(name) > 1), None)
        if alike is not None:
            raise table.refusal(f"two angles are called {shown(alike)}. Give them different names.", "angles")
        if angle.sequence == HINGE:
            _check_hinge(table, angle, by_name)


def _check_hinge(table: TomlTable, angle: AngleDefinition, joints: Mapping[str, JointDefinition]) -> None:
    remedy = f'take a sequence such as sequence = "{angle.zero}"'
    if len(angle.components) > 1:
        raise table.refusal(f"a hinge has one angle, not {len(angle.components)}. Keep one, or {remedy}.", "angles")
    if angle.joint not in joints:
        raise table.refusal(
            f"a hinge angle needs a joint of its name, and there is no joint {shown(angle.joint)}"
            f"{did_you_mean(angle.joint, list(joints))} Correct the name, or {remedy}.",
            "joint",
        )
    joint = joints[angle.joint]
    if joint.type != "revolute":
        raise table.refusal(
            f"{shown(joint.name)} is a {joint.type} joint, and a hinge angle needs a revolute one. Here {remedy}.",
            "sequence",
        )
    for key in ("proximal", "distal"):
        if getattr(angle, key) != getattr(joint, key):
            raise table.refusal(
                f"{key} is {shown(getattr(angle, key))}, but the {key} segment of the hinge {joint.name} is "
                f"{shown(getattr(joint, key))}. Name that one, or {remedy}.",
                key,
            )


def _component(table: TomlTable, text: str, side: Side | None) -> AngleComponent:
    """``flexion/extension = a``, ``upward/downward rotation = -s b``: words behind the second name belong to both."""
    match = _ANGLE.fullmatch(text)
    if match is None or match["names"].count("/") != 1:
        raise table.refusal(
            f"{shown(text)} is not an angle. Write the positive and the negative direction and one of a, b, c, such as "
            f'"flexion/extension = a" or "upward/downward rotation = -s b".',
            "angles",
        )
    first, second = (part.strip() for part in match["names"].split("/"))
    shared_before, _, positive = first.rpartition(" ")
    negative, _, shared_after = second.partition(" ")
    before, after = f"{shared_before} " if shared_before else "", f" {shared_after}" if shared_after else ""
    sign = (-1.0 if match["minus"] else 1.0) * (-1.0 if match["sided"] and side is Side.LEFT else 1.0)
    return AngleComponent(f"{before}{positive}{after}", f"{before}{negative}{after}", "abc".index(match["which"]), sign)


# ---------------------------------------------------------------------------- masses, checked before anybody is weighed


ROUND_OFF = 1e-9  # of shares such as 0.7 + 0.3


def check_inertia(model: BodyModel, rows: Sequence[tuple[TomlTable, SegmentDefinition]]) -> None:
    """Refuse a segment of a file whose row of the inertia table is unknown, of another side, or used up by others."""
    for table, segment in rows:
        if segment.inertia is None:
            continue
        row = segment.inertia[0]
        for other in segment.inertia_with:
            if other not in ROWS or other == row:
                raise table.refusal(
                    f"inertia_with names {shown(other)}; give further rows of an inertia table: {', '.join(ROWS)}.",
                    "inertia_with",
                )
        if row not in ROWS:
            raise table.refusal(
                f"no inertia table has a row {shown(row)}{did_you_mean(row, ROWS)} Rows are {', '.join(ROWS)}.",
                "inertia",
            )
        paired = row in SIDED
        if paired != (segment.side is not None):
            whose = "belongs to the right or the left" if paired else "belongs to the middle of the body"
            remedy = (
                f'Call the segment "* {segment.name}" or "right {segment.name}", or take another row.'
                if paired
                else "Take a row of a limb, or leave inertia out."
            )
            raise table.refusal(f"the row {shown(row)} {whose}, and the {segment.name} does not. {remedy}", "inertia")
        alike = [
            other
            for other in model.segments
            if other.inertia is not None and (other.inertia[0], other.side) == (row, segment.side)
        ]
        total = sum(other.inertia[1] for other in alike if other.inertia is not None)
        if total > 1.0 + ROUND_OFF:
            raise table.refusal(
                f"{' and '.join(other.name for other in alike)} take {100.0 * total:.0f} % of the {row}'s mass together"
                f". Give them shares, such as share = 0.5, that are 1 together, or take another row.",
                "share" if "share" in table else "inertia",
            )
