"""Published ranges of motion of the joints, read from TOML files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from biomec.base.description_file import Descriptions
from biomec.base.toml_table import TomlTable, read_toml
from biomec.body.anatomy.model import STANDARD, AngleComponent, AngleDefinition
from biomec.body.anatomy.model_rows import sides, word
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.joint_angles import HINGE
from biomec.engine.forces.joint_stops import AngleStop
from biomec.engine.rotations import cardan, is_symmetric, joint_coordinate_system

FILE_KEYS = ("name", "title", "sources", "note", "range")
RANGE_KEYS = ("joint", "angle", "lower_deg", "upper_deg", "stiffness", "sources")


@dataclass(frozen=True)
class JointRange:
    """Range of one angle: joint and positive direction, ends [rad], stiffness of its stops [N·m/rad], sources."""

    joint: str
    angle: str
    lower: float
    upper: float
    stiffness: float
    sources: tuple[str, ...]


@dataclass(frozen=True)
class JointRanges:
    """Ranges of all angles of a file; a star in the name of a joint is already written out."""

    name: str
    title: str
    note: str
    sources: tuple[str, ...]
    ranges: tuple[JointRange, ...]


def parse_joint_ranges(text: str, source: str) -> JointRanges:
    """Ranges described in TOML ``text``; messages call it ``source``. Raises only `DescriptionError`."""
    top = read_toml(text, source, with_lines=True)
    top.only(FILE_KEYS)
    sources = tuple(top.texts("sources"))
    rows = [one for table in top.tables("range") for one in _ranges(table, sources)]
    seen: set[tuple[str, str]] = set()
    for one in rows:
        if (one.joint, one.angle) in seen:
            raise top.refusal(f"the range of {one.joint} {one.angle} is given twice. Keep one of them.")
        seen.add((one.joint, one.angle))
    return JointRanges(
        top.text("name"), top.text("title"), top.text("note") if "note" in top else "", sources, tuple(rows)
    )


JOINT_RANGES = Descriptions("table of joint ranges", ("joint_stops",), parse_joint_ranges)
shipped_joint_ranges, load_joint_ranges = JOINT_RANGES.shipped, JOINT_RANGES.load


def stops_of(body: SubjectModel, ranges: JointRanges) -> tuple[AngleStop, ...]:
    """Stops of a person's joints: of every angle that the model defines, by its standard convention, and the table has.

    Angles of Euler sequences (first and third axis the same) have no stops: they have no sense near zero.
    """
    by_name = {(one.joint, one.angle): one for one in ranges.ranges}
    axes, attitudes = body.joint_axes(), body.attitudes(body.system.reference)
    found = []
    for definition in body.model.angles:
        there = all(name in attitudes for name in (definition.proximal, definition.distal))
        hinge = definition.sequence == HINGE
        if definition.convention != STANDARD or not there or (not hinge and is_symmetric(definition.sequence)):
            continue
        R0 = attitudes[definition.proximal].T @ attitudes[definition.distal]
        for component in definition.components:
            limits = _limits(by_name, definition.joint, component)
            if limits is None:
                continue
            lower, upper, stiffness = limits
            which: dict[str, Any]
            if hinge and definition.joint in axes:
                axis, zero = _hinge(definition, component, axes[definition.joint], R0)
                reference = tuple(tuple(map(float, row)) for row in R0)
                which = {"axis": tuple(map(float, axis)), "zero": zero, "reference": reference}
            else:
                which = {"sequence": definition.zero if hinge else definition.sequence, "index": component.index}
            name = f"{definition.joint} {component.positive}"
            ends = (definition.proximal, definition.distal, lower, upper, stiffness, component.sign)
            found.append(AngleStop(name, *ends, **which))
    return tuple(found)


def _hinge(
    definition: AngleDefinition, component: AngleComponent, axis: np.ndarray, R0: np.ndarray
) -> tuple[np.ndarray, float]:
    """Axis in the sense of the angle, and the angle of the reference pose."""
    e = joint_coordinate_system(np.eye(3), R0, definition.zero)[component.index]
    zero = float(cardan(R0, definition.zero)[component.index])
    return (axis if float(axis @ e) >= 0.0 else -axis), zero


def _limits(
    by_name: dict[tuple[str, str], JointRange], joint: str, component: AngleComponent
) -> tuple[float, float, float] | None:
    """Lower and upper end and stiffness in the sense of the component; tables may name the other direction."""
    if (joint, component.positive) in by_name:
        one = by_name[joint, component.positive]
        return one.lower, one.upper, one.stiffness
    if (joint, component.negative) in by_name:
        one = by_name[joint, component.negative]
        return -one.upper, -one.lower, one.stiffness
    return None


def _ranges(table: TomlTable, sources: tuple[str, ...]) -> list[JointRange]:
    table.only(RANGE_KEYS)
    lower, upper = (float(table.numbers(key, ())) for key in ("lower_deg", "upper_deg"))
    stiffness = float(table.numbers("stiffness", ()))
    if not -360.0 < lower < upper < 360.0:
        raise table.refusal(
            f"the range is from {lower:g}° to {upper:g}°; it must end higher than it begins.", "upper_deg"
        )
    if not stiffness > 0.0:
        raise table.refusal(f"stiffness is {stiffness:g} N·m/rad; it must be more than 0.", "stiffness")
    own = tuple(table.texts("sources")) if "sources" in table else sources
    pattern = table.text("joint")
    return [
        JointRange(word(pattern, side), table.text("angle"), np.radians(lower), np.radians(upper), stiffness, own)
        for side in sides(pattern)
    ]
