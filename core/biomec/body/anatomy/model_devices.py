"""Devices of a model file: what a segment carries, masses that were weighed, and springs.

A refusal names the file, the line, what is wrong and what is possible. `docs/devices.md` describes the format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from biomec.base.errors import DescriptionError
from biomec.base.toml_table import TomlTable, did_you_mean, shown
from biomec.body.anatomy.frames import FrameDefinition, parse_direction
from biomec.body.anatomy.inertia_table import physical_fault
from biomec.body.anatomy.model import (
    DeviceDefinition,
    GivenInertia,
    JointDefinition,
    SegmentDefinition,
    SpringDefinition,
)
from biomec.body.anatomy.model_rows import code, codes, known, sides, word
from biomec.engine.rotations import AXES
from biomec.recording.marker_set import Side

GIVEN_KEYS = ("mass_kg", "com_m", "inertia_kgm2")
DEVICE_KEYS = ("name", "on", "counts_as", "frame", "points", "tip", "draw", *GIVEN_KEYS)
COUNTS_AS = ("body", "part")
HINGE, CUFF, STRUT = "hinge", "cuff", "strut"
SPRING_KEYS = {
    HINGE: ("joint", "axis", "supports", "stiffness_nm_per_rad", "damping_nms_per_rad", "free_deg", "acts"),
    CUFF: ("between", "point", "stiffness_n_per_m", "damping_ns_per_m"),
    STRUT: ("between", "stiffness_n_per_m", "damping_ns_per_m", "free_m", "acts"),
}
ACTS = ("both", "above", "below")
HEAVIEST_KG = 50.0  # of one part of a device; more is probably in grams
ELEMENTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def given_inertia(table: TomlTable) -> GivenInertia:
    """Mass, centre of mass and tensor of a device, as numbers with their units in the keys."""
    mass = float(table.numbers("mass_kg", ()))
    if not 0.0 < mass <= HEAVIEST_KG:
        raise table.refusal(
            f"mass_kg is {mass:g}; it must be more than 0 and at most {HEAVIEST_KG:g}. Check the unit: kg, not g.",
            "mass_kg",
        )
    com = table.numbers("com_m", (3,)) if "com_m" in table else np.zeros(3)
    six = table.numbers("inertia_kgm2", (6,), "in the order xx, yy, zz, xy, xz, yz")
    fault = physical_fault(tensor_of(six))
    if fault:
        raise table.refusal(
            f"the inertia is impossible: {fault}. Check the numbers and their order (xx, yy, zz, xy, xz, yz) and unit "
            f"(kg m²).",
            "inertia_kgm2",
        )
    return GivenInertia(mass, tuple(com.tolist()), tuple(six.tolist()))


def tensor_of(six: Sequence[float] | np.ndarray[Any, Any], sign: float = 1.0) -> np.ndarray[Any, Any]:
    """Tensor (3, 3) of its six elements; on the left (``sign`` −1) the products with z change sign."""
    J = np.zeros((3, 3))
    for (j, k), number in zip(ELEMENTS, six, strict=True):
        J[j, k] = J[k, j] = number
    mirror = np.array([1.0, 1.0, sign])
    return np.asarray(J * np.outer(mirror, mirror))


def devices(table: TomlTable, segments: Sequence[str]) -> list[DeviceDefinition]:
    """Devices of one row, on both sides if its name has a star; ``segments`` are those of the model."""
    table.only(DEVICE_KEYS)
    pattern = table.text("name")
    if "." in pattern:
        raise table.refusal("the name of a device has no dot.", "name")
    counts_as = table.text("counts_as") if "counts_as" in table else "body"
    if counts_as not in COUNTS_AS:
        raise table.refusal(
            f'counts_as is {shown(counts_as)}. Write "body" for something held or worn that keeps its own place in '
            f'the list of bodies, such as a crutch, or "part" for a mass that is added to its segment.',
            "counts_as",
        )
    inertia = given_inertia(table)
    draw = table.values.get("draw", [])
    if not (isinstance(draw, list) and all(isinstance(line, list) and len(line) > 1 for line in draw)):
        raise table.refusal('draw must be a list of lines of landmarks, such as [["GRP_*", "TIP_*"]].', "draw")
    rows = []
    for side in sides(pattern):
        name = word(pattern, side)
        if name in segments:
            raise table.refusal(f"{shown(name)} is also a segment. Give the device another name.", "name")
        points = codes(table, "points", side)
        tip = code(table.text("tip"), side) if "tip" in table else ""
        rows.append(
            DeviceDefinition(
                name=name,
                side=side,
                on=known(table, "on", word(table.text("on"), side), segments),
                frame=_frame(table, side),
                inertia=inertia,
                points=tuple(dict.fromkeys((*points, *([tip] if tip else [])))),
                body=counts_as == "body",
                tip=tip,
                draw=tuple(tuple(code(str(point), side) for point in line) for line in draw),
            )
        )
    return rows


def _frame(table: TomlTable, side: Side | None) -> FrameDefinition:
    frame = table.table("frame")
    axes = [key for key in frame.values if key in AXES]
    if "origin" not in frame or len(axes) != 2:
        raise table.refusal(
            'frame needs an origin and two axes, such as { origin = "GRP_*", y = "GRP_* - TIP_*", x = "CR3_* - GRP_*" '
            "}; mass_kg, com_m and inertia_kgm2 are in these axes.",
            "frame",
        )
    frame.only(("origin", *AXES))
    try:
        first, second = ((key, parse_direction(code(frame.text(key), side))) for key in axes)
        return FrameDefinition(code(frame.text("origin"), side), (first, second))
    except DescriptionError as error:
        raise table.refusal(str(error), "frame") from error


def carrying(
    segments: Iterable[SegmentDefinition], carried: Sequence[DeviceDefinition]
) -> tuple[SegmentDefinition, ...]:
    """Segments with the landmarks and lines of the devices that they carry; markers of a device move with them."""
    return tuple(_carrying(segment, [one for one in carried if one.on == segment.name]) for segment in segments)


def _carrying(segment: SegmentDefinition, carried: Sequence[DeviceDefinition]) -> SegmentDefinition:
    return replace(
        segment,
        points=tuple(dict.fromkeys([*segment.points, *(point for one in carried for point in one.points)])),
        draw=tuple(dict.fromkeys([*segment.draw, *(line for one in carried for line in one.draw)])),
        follows=tuple(dict.fromkeys([*segment.follows, *(one.name for one in carried)])),
    )


def springs(table: TomlTable, segments: Sequence[str], joints: Sequence[JointDefinition]) -> list[SpringDefinition]:
    """Springs of one row, on both sides if its name has a star."""
    kind = table.text("type")
    if kind not in SPRING_KEYS:
        raise table.refusal(
            f"there is no type {shown(kind)}{did_you_mean(kind, list(SPRING_KEYS))} There are "
            f"{', '.join(SPRING_KEYS)}.",
            "type",
        )
    table.only(("name", "type", *SPRING_KEYS[kind]))
    unit = "nm_per_rad" if kind == HINGE else "n_per_m"
    stiffness = _not_negative(table, f"stiffness_{unit}")
    damper = "damping_nms_per_rad" if kind == HINGE else "damping_ns_per_m"
    damping = _not_negative(table, damper) if damper in table else 0.0
    acts = table.text("acts") if "acts" in table else "both"
    if acts not in ACTS:
        raise table.refusal(
            f'acts is {shown(acts)}. Write "both", or "above" or "below" for a spring that resists only beyond its '
            f"free angle or length.",
            "acts",
        )
    place: Callable[[Side | None], dict[str, str]] = {
        HINGE: lambda side: _of_joint(table, side, joints),
        CUFF: lambda side: _of_cuff(table, side, segments),
        STRUT: lambda side: _of_strut(table, side, segments),
    }[kind]
    return [
        SpringDefinition(
            word(table.text("name"), side),
            side,
            kind,
            stiffness,
            damping,
            _free(table, kind, side),
            acts,
            **place(side),
        )
        for side in sides(table.text("name"))
    ]


def _not_negative(table: TomlTable, key: str) -> float:
    number = float(table.numbers(key, ()))
    if number < 0.0:
        what = "spring" if key.startswith("stiffness") else "damper"
        raise table.refusal(
            f"{key} is {number:g}; a {what} that drives the movement is not possible. Use 0 or more.", key
        )
    return number


def _free(table: TomlTable, kind: str, side: Side | None) -> float | None:
    """Angle [rad] or length [m] without force. Angles of the file are those of the right side, about the axis."""
    if kind == HINGE and "free_deg" in table:
        return float(np.deg2rad(table.numbers("free_deg", ())))
    if kind == STRUT and "free_m" in table:
        length = float(table.numbers("free_m", ()))
        if length <= 0.0:
            raise table.refusal(f"free_m is {length:g}; a length must be more than 0.", "free_m")
        return length
    return None


def _of_joint(table: TomlTable, side: Side | None, joints: Sequence[JointDefinition]) -> dict[str, str]:
    name, axis = word(table.text("joint"), side), table.text("axis") if "axis" in table else "z"
    there = [joint.name for joint in joints]
    if name not in there:
        raise table.refusal(f"joint names {shown(name)}, which is not a joint here{did_you_mean(name, there)}", "joint")
    if axis not in AXES:
        raise table.refusal(
            f'axis is {shown(axis)}. Write an axis of the proximal segment: "x", "y" or "z"; "z" is flexion.', "axis"
        )
    helped = word(table.text("supports"), side) if "supports" in table else name
    if helped not in there:
        raise table.refusal(
            f"supports names {shown(helped)}, which is not a joint here{did_you_mean(helped, there)}", "supports"
        )
    return {"joint": name, "axis": axis, "supports": helped}


def _between(table: TomlTable) -> list[str]:
    ends = table.texts("between")
    if len(ends) != 2 or ends[0] == ends[1]:
        raise table.refusal("between needs two different ends.", "between")
    return ends


def _of_cuff(table: TomlTable, side: Side | None, segments: Sequence[str]) -> dict[str, str]:
    point = code(table.text("point"), side)
    ends = [known(table, "between", word(end, side), segments) for end in _between(table)]
    return {"first": f"{ends[0]}.{point}", "second": f"{ends[1]}.{point}"}


def _of_strut(table: TomlTable, side: Side | None, segments: Sequence[str]) -> dict[str, str]:
    found = []
    for end in _between(table):
        segment, dot, point = end.partition(".")
        if not dot:
            raise table.refusal(
                f'between names {shown(end)}. Write segment and landmark with a dot, such as "* thigh.CLAT_*".',
                "between",
            )
        found.append(f"{known(table, 'between', word(segment, side), segments)}.{code(point, side)}")
    return {"first": found[0], "second": found[1]}
