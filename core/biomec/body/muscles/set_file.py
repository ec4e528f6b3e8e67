"""Reader of muscle files: elements and paths of a source, what is taken from other files, and changes to it.

`docs/muscle-sets.md` describes the format. Files of the numbers of published models and a user's own are read alike.
"""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.description_file import ENDING, Descriptions, beside, read_text
from biomec.base.frozen import FrozenDict
from biomec.base.toml_table import TomlTable, did_you_mean, read_toml, shown
from biomec.body.muscles.carried_bodies import carried_bodies, with_carried_points
from biomec.body.muscles.muscle_set import (
    FIBRE_LENGTHS_A_SECOND,
    BodyMap,
    Muscle,
    MuscleSet,
    MuscleSource,
    SetPoint,
    SourceCoordinate,
    Wrap,
    WrapUse,
)
from biomec.body.muscles.source_functions import spline_of
from biomec.engine.rotations import SEQUENCES, rotation
from biomec.recording.marker_set import Side
from biomec_resources import resource

TOP = ("meta", "map", "coordinate", "wrap", "muscle", "include", "change", "body", "joint", "constraint", "marker")
META = ("model", "title", "source", "commit", "licence", "credit", "sides", "units", "wrap_rotation",
        "frame_orientation", "frames", "region", "stress", "note")  # fmt: skip
MUSCLE = (
    "name",
    "title",
    "group",
    "region",
    "fmax",
    "lopt",
    "lts",
    "penn",
    "vmax",
    "points",
    "wraps",
    "model",
    "groups",
)
POINT = ("body", "kind", "xyz", "coordinate", "range", "coordinates", "fx", "fy", "fz")
WRAP = ("name", "type", "body", "translation", "rotation", "radius", "length", "dimensions", "inner_radius",
        "outer_radius", "quadrant", "active")  # fmt: skip
CHANGE = ("muscles", "fmax", "lopt", "lts", "fmax_times", "lopt_times", "lts_times", "without_wraps", "remove")
CURVES = ("Kact", "KshapeActive", "Af", "Flen", "FmaxMuscleStrain", "FmaxTendonStrain", "KshapePassive", "tau_act",
          "tau_deact")  # fmt: skip
KINDS = {"cylinder": "cylinder", "sphere": "sphere", "ellipsoid": "ellipsoid", "torus": "ring", "ring": "ring"}
SIDES = {"both": None, "right": Side.RIGHT, "left": Side.LEFT}
ENDINGS = {"_r": Side.RIGHT, "_l": Side.LEFT}
MIRROR = np.array([1.0, 1.0, -1.0])
MOST_INCLUDES = 20  # files that a file may build on, each counted as often as it is named
APART = 1e-3  # [m] least distance of landmarks between which a bone is bent
FOLDER = ("muscles", "sets")


@dataclass
class _Reading:
    """Where files named in files are looked for, and how many were read for one set."""

    folder: Path | None
    files: int = 0


def load_muscle_set(name: str) -> MuscleSet:
    """Muscle set that comes with Biomec, or that of a file if ``name`` ends with .toml."""
    return _file(Path(name), _Reading(Path(name).parent)) if name.endswith(ENDING) else SETS.load(name)


def parse_muscle_set(text: str, source: str) -> MuscleSet:
    """Muscle set of the text of a file; ``source`` is its name in messages. Included files are shipped ones."""
    return _set(text, source, _Reading(None))


SETS: Descriptions[MuscleSet] = Descriptions("muscle set", FOLDER, parse_muscle_set)


def _file(path: Path, reading: _Reading) -> MuscleSet:
    return _set(read_text(path), path.name, reading)


def _set(text: str, file: str, reading: _Reading) -> MuscleSet:
    top = read_toml(text, file, with_lines=True)
    top.only(TOP)
    meta = top.table("meta")
    meta.only(META)
    name = meta.text("model")
    muscles: list[Muscle] = []
    for part in top.tables("include"):
        muscles += _included(part, reading)
    if "muscle" in top:
        muscles += _own(top, meta, name)
    for change in top.tables("change"):
        muscles = _changed(change, muscles)
    twice = sorted(one for one, count in Counter(muscle.name for muscle in muscles).items() if count > 1)
    if twice:
        raise top.refusal(f"there are several muscles called {', '.join(twice[:5])}. Give each its own name.")
    if not muscles:
        raise top.refusal("it holds no muscles. Add a [[muscle]] or an [[include]].")
    return MuscleSet(name, meta.text("title") if "title" in meta else name, tuple(muscles))


# ------------------------------------------------------------------ files that build on others


def _included(part: TomlTable, reading: _Reading) -> list[Muscle]:
    part.only(("set", "only", "without", "region"))
    loaded = _named_set(part, part.text("set"), reading)
    chosen = list(loaded.muscles)
    for key, keep in (("only", True), ("without", False)):
        if key in part:
            patterns = part.texts(key)
            _every_pattern_matches(part, key, patterns, chosen)
            chosen = [one for one in chosen if _matches(one, patterns) == keep]
    return [replace(one, region=part.text("region")) for one in chosen] if "region" in part else chosen


def _named_set(part: TomlTable, name: str, reading: _Reading) -> MuscleSet:
    """A set that comes with Biomec, or that of a file in the same folder: no file reaches further."""
    reading.files += 1
    if reading.files > MOST_INCLUDES:
        raise part.refusal(f"{name} includes itself, or it builds on more than {MOST_INCLUDES} files.", "set")
    if not name.endswith(ENDING):
        shipped = SETS.shipped()
        if name not in shipped:
            raise part.refusal(
                f'there is no muscle set "{name}"{did_you_mean(name, shipped)} There are {", ".join(shipped)}.', "set"
            )
        return SETS.load(name)
    path = beside(reading.folder, name)
    if path is None:
        raise part.refusal(f"{shown(name)} must be a file in the same folder, named without a folder.", "set")
    return _file(path, reading)


def _changed(change: TomlTable, muscles: list[Muscle]) -> list[Muscle]:
    change.only(CHANGE)
    patterns = change.texts("muscles")
    _every_pattern_matches(change, "muscles", patterns, muscles)
    if "remove" in change and change.values["remove"] is True:
        return [one for one in muscles if not _matches(one, patterns)]
    new = []
    for muscle in muscles:
        values: dict[str, Any] = {}
        if _matches(muscle, patterns):
            for key in ("fmax", "lopt", "lts"):
                if key in change:
                    values[key] = _length(change, key, least=0.0, may_be_zero=key == "lts")
                if f"{key}_times" in change:
                    factor = _length(change, f"{key}_times", least=0.0, may_be_zero=key == "fmax")
                    values[key] = values.get(key, getattr(muscle, key)) * factor
            if "without_wraps" in change:
                lost = change.texts("without_wraps")
                values["wraps"] = tuple(use for use in muscle.wraps if use.wrap not in lost)
                unknown = [name for name in lost if name not in muscle.source.wraps]
                if unknown:
                    raise change.refusal(f"There is no surface {unknown[0]} in the source of {muscle.name}.", "muscles")
        new.append(replace(muscle, **values) if values else muscle)
    return new


def _matches(muscle: Muscle, patterns: list[str]) -> bool:
    """Whether a muscle's name, with or without its side, fits one of the patterns with stars."""
    names = (muscle.name, _stem(muscle.name))
    return any(fnmatch.fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _every_pattern_matches(table: TomlTable, key: str, patterns: list[str], muscles: list[Muscle]) -> None:
    for pattern in patterns:
        if not any(_matches(one, [pattern]) for one in muscles):
            known = [_stem(one.name) for one in muscles]
            raise table.refusal(f'there is no muscle "{pattern}"{did_you_mean(pattern, known)}', key)


def _stem(name: str) -> str:
    return name[:-2] if name[-2:] in ENDINGS else name


# ------------------------------------------------------------------ a file's own muscles


def _own(top: TomlTable, meta: TomlTable, name: str) -> list[Muscle]:
    sides = meta.text("sides")
    if sides not in SIDES:
        raise meta.refusal(f'sides must be "both", "right" or "left", not "{sides}".', "sides")
    frames = meta.text("frames") if "frames" in meta else name
    maps, coordinates = _shipped_frames(frames)
    for table in top.tables("map"):
        one = _map(table)
        maps[one.body] = one
    for table in top.tables("coordinate"):
        angle = _coordinate(table, maps)
        coordinates[angle.name] = angle
    wraps: dict[str, Wrap] = {}
    for table in top.tables("wrap"):
        surface = _wrap(table, sides == "both")
        if surface.name in wraps:
            raise table.refusal("another surface has this name. Give each its own.", "name")
        wraps[surface.name] = surface
    bodies = _bodies(top, maps)
    for table, surface in zip(top.tables("wrap"), wraps.values(), strict=True):
        _known(table, "body", surface.body, bodies, "body")
    stress = float(meta.numbers("stress", ())) if "stress" in meta else float("nan")
    source = MuscleSource(
        name=name, title=meta.text("title") if "title" in meta else name, file=meta.text("source"),
        commit=meta.text("commit") if "commit" in meta else "", licence=meta.text("licence"),
        credit=meta.text("credit") if "credit" in meta else "", stress=stress,
        maps=FrozenDict(maps), coordinates=FrozenDict(coordinates), wraps=FrozenDict(wraps),
        chain=FrozenDict({key: top.values[key] for key in ("joint", "constraint") if key in top}),
    )  # fmt: skip
    known = _coordinate_names(top, coordinates)
    region = meta.text("region") if "region" in meta else ""
    found: list[Muscle] = []
    for table in top.tables("muscle"):
        muscle = _muscle(table, source, bodies, known, region, SIDES[sides])
        if sides == "both":
            found.append(muscle)
            continue
        for side in (Side.RIGHT, Side.LEFT):
            name_of_one = muscle.name.removesuffix(f"_{sides[0]}")  # of a right set, "bic_l" is not a left muscle
            found.append(replace(muscle, name=f"{name_of_one}_{side.value[0]}", side=side))
    carriers = carried_bodies(top, maps)
    return [with_carried_points(one, carriers) for one in found] if carriers else found


def _bodies(top: TomlTable, maps: Mapping[str, BodyMap]) -> list[str]:
    """Bodies that points may lie on: those that the file lists and its ground, or those whose place is known."""
    listed = [table.text("name") for table in top.tables("body")]
    return [*listed, "ground"] if listed else [*maps, *(_other(name) for name in maps if name.endswith("_r"))]


def _other(name: str) -> str:
    return name[:-2] + "_l" if name.endswith("_r") else name


def _right(name: str, side: Side | None) -> str:
    """Name of the right body or coordinate that a left one mirrors."""
    return name[:-2] + "_r" if side is Side.LEFT and name.endswith("_l") else name


def _coordinate_names(top: TomlTable, coordinates: Mapping[str, SourceCoordinate]) -> list[str]:
    listed = [one.text("name") for table in top.tables("joint") for one in table.tables("coordinates") if "name" in one]
    return listed or [*coordinates, *(_other(name) for name in coordinates)]


def _known(table: TomlTable, key: str, name: str, known: list[str], what: str) -> str:
    if name not in known:
        raise table.refusal(f'there is no {what} "{name}"{did_you_mean(name, known)}', key)
    return name


def _length(table: TomlTable, key: str, *, least: float = 0.0, may_be_zero: bool = False) -> float:
    value = float(table.numbers(key, ()))
    if value < least or (value == least and not may_be_zero):
        raise table.refusal(
            f"{key} is {value:g}, and it must be {'at least' if may_be_zero else 'more than'} zero.", key
        )
    return value


def _muscle(
    table: TomlTable, source: MuscleSource, bodies: list[str], coordinates: list[str], region: str, written: Side | None
) -> Muscle:
    table.only(
        (*MUSCLE, *(key for key in table.values if key not in MUSCLE and not isinstance(table.values[key], list)))
    )
    name = table.text("name")
    side = written or ENDINGS.get(name[-2:])
    points = []
    for number, row in enumerate(_rows(table, "points"), start=1):
        inner = TomlTable(table.where, row, f"point {number}: ", table.lines)
        inner.only(POINT)
        points.append(_point(inner, bodies, coordinates, side))
    if len(points) < 2:
        raise table.refusal("a path needs at least two points. Add [[…]] rows to points.", "points")
    if all(one.body == points[0].body and not any(one.curves) and (one.at == points[0].at).all() for one in points):
        raise table.refusal("all points of its path are the same, so that it has no length.", "points")
    wraps = []
    for row in _rows(table, "wraps") if "wraps" in table else []:
        inner = TomlTable(table.where, row, "wraps: ", table.lines)
        inner.only(("object", "method", "range", "side", "gives"))
        wraps.append(_use(inner, source.wraps, len(points)))
    penn = float(table.numbers("penn", ())) if "penn" in table else 0.0
    if not 0.0 <= penn < np.pi / 2.0:
        raise table.refusal(f"penn is {penn:g} rad; a pennation lies between 0 and a right angle (1.57).", "penn")
    return Muscle(
        name=name,
        title=table.text("title") if "title" in table else _stem(name),
        group=table.text("group") if "group" in table else _stem(name),
        region=table.text("region") if "region" in table else region,
        side=side,
        source=source,
        fmax=_length(table, "fmax"),
        lopt=_length(table, "lopt"),
        lts=_length(table, "lts", may_be_zero=True),
        pennation=penn,
        vmax=_length(table, "vmax") if "vmax" in table else FIBRE_LENGTHS_A_SECOND,
        points=tuple(points),
        wraps=tuple(wraps),
        curve=FrozenDict({key: float(table.numbers(key, ())) for key in CURVES if key in table}),
    )


def _rows(table: TomlTable, key: str) -> list[dict[str, Any]]:
    rows = table.values.get(key)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise table.refusal(f"{key} must be a list of tables in braces.", key)
    return rows


def _point(table: TomlTable, bodies: list[str], coordinates: list[str], side: Side | None) -> SetPoint:
    """A point, written for the right side."""
    flip = MIRROR if side is Side.LEFT else np.ones(3)
    body = _right(_known(table, "body", table.text("body"), bodies, "body"), side)
    kind = table.text("kind") if "kind" in table else "fixed"
    if kind == "moving":
        names = table.texts("coordinates")
        if len(names) != 3:
            raise table.refusal("coordinates must name three, for x, y and z.", "coordinates")
        curves = []
        for axis, key in enumerate(("fx", "fy", "fz")):
            name = _right(_known(table, "coordinates", names[axis], coordinates, "coordinate"), side)
            rows = spline_of(table.table(key).values, table, key)
            curves.append((name, read_only(rows * np.array([1.0, *np.full(4, flip[axis])]))))
        return SetPoint(body, read_only(np.zeros(3)), curves=tuple(curves))
    at = read_only(table.numbers("xyz", (3,)) * flip)
    if kind == "fixed":
        return SetPoint(body, at)
    if kind != "conditional":
        raise table.refusal(f'kind must be "fixed", "conditional" or "moving", not "{kind}".', "kind")
    name = _known(table, "coordinate", table.text("coordinate"), coordinates, "coordinate")
    low, high = (float(value) for value in table.numbers("range", (2,)))
    if low > high:
        raise table.refusal(f"the range {low:g} to {high:g} is empty; write the smaller number first.", "range")
    return SetPoint(body, at, _right(name, side), (low, high))


def _use(table: TomlTable, wraps: Mapping[str, Wrap], points: int) -> WrapUse:
    name = _known(table, "object", table.text("object"), list(wraps), "surface")
    first, last = (int(n) for n in table.numbers("range", (2,))) if "range" in table else (-1, -1)
    if first > points or last > points or (0 < last <= first):
        raise table.refusal(f"the range {first} to {last} is not one of the {points} points of the path.", "range")
    side = float(table.numbers("side", ())) if "side" in table else 0.0
    if side not in (-1.0, 0.0, 1.0):
        raise table.refusal("side must be 1 or −1 for a sense around the surface, or 0.", "side")
    gives = table.values.get("gives", False)
    if not isinstance(gives, bool):
        raise table.refusal("gives must be true or false.", "gives")
    return WrapUse(name, max(first - 1, 0), last - 1 if last > 0 else -1, side, gives)


def _wrap(table: TomlTable, both: bool) -> Wrap:
    table.only(WRAP)
    name, kind = table.text("name"), table.text("type")
    if kind not in KINDS:
        raise table.refusal(f'type must be one of {", ".join(KINDS)}, not "{kind}".', "type")
    if kind == "cylinder":
        size: tuple[float, ...] = (_length(table, "radius"), _length(table, "length"))
    elif kind == "sphere":
        size = (_length(table, "radius"),)
    elif kind == "ellipsoid":
        size = tuple(float(value) for value in table.numbers("dimensions", (3,)))
        if not min(size) > 0.0:
            raise table.refusal("the semi-axes must be more than zero.", "dimensions")
    else:
        inner, outer = _length(table, "inner_radius"), _length(table, "outer_radius")
        if inner >= outer:
            raise table.refusal(
                f"the ring is inside out: its inner radius {inner:g} m is not below its outer radius {outer:g} m.",
                "inner_radius",
            )
        size = (0.5 * (inner + outer),)
    active = table.text("quadrant") if "quadrant" in table else "all"
    active = "" if active == "all" else active.removeprefix("+")
    sides = ["x", "-x", "y", "-y", *(["z", "-z"] if kind != "cylinder" else [])]
    if active in ("z", "-z") and kind == "cylinder":
        active = ""  # a cylinder has no side along its axis; its source says so all the same
    elif active and active not in sides:
        raise table.refusal(f'quadrant must be "all" or one of {", ".join(sides)}, not "{active}".', "quadrant")
    attitude = rotation(table.numbers("rotation", (3,)), "XYZ") if "rotation" in table else np.eye(3)
    centre, body = table.numbers("translation", (3,)), table.text("body")
    if body.endswith("_l") or (both and name.endswith("_l")):  # written for the right side, as points are
        body, centre, attitude = _right(body, Side.LEFT), centre * MIRROR, MIRROR[:, None] * attitude * MIRROR
        active = {"z": "-z", "-z": "z"}.get(active, active)
    return Wrap(name, KINDS[kind], body, read_only(centre), read_only(attitude), size, active)


# ------------------------------------------------------------------ frames of a source


def _shipped_frames(name: str) -> tuple[dict[str, BodyMap], dict[str, SourceCoordinate]]:
    """Maps and coordinates that Biomec knows for a source; empty for others."""
    top = read_toml(resource("muscles", "frames.toml").read_text("utf-8"), "frames.toml", with_lines=True)
    name = next((table.text("model") for table in top.tables("called") if name in table.texts("names")), name)
    maps: dict[str, BodyMap] = {}
    for table in top.tables("map"):
        if table.text("model") == name:
            one = _map(table)
            maps[one.body] = one
    coordinates: dict[str, SourceCoordinate] = {}
    for table in top.tables("coordinate"):
        if table.text("model") == name:
            angle = _coordinate(table, maps)
            coordinates[angle.name] = angle
    return maps, coordinates


def _map(table: TomlTable) -> BodyMap:
    table.only(
        (
            "model",
            "source_body",
            "segment",
            "R",
            "o",
            "anchor",
            "anchor_point",
            "ref",
            "landmarks",
            "confidence",
            "note",
        )
    )
    R = table.numbers("R", (3, 3))
    if not np.allclose(R @ R.T, np.eye(3), atol=1e-4) or np.linalg.det(R) < 0.0:
        raise table.refusal("R must be a rotation: rows of unit length, normal to each other, right-handed.", "R")
    origin = table.numbers("o", (3,))
    anchor = table.numbers("anchor", (3,)) if "anchor" in table else origin
    reference = {key: _length(table.table("ref"), key) for key in table.table("ref").values}
    return BodyMap(
        body=table.text("source_body"),
        segment=table.text("segment"),
        R=read_only(_orthonormal(R)),
        origin=read_only(origin),
        anchor=read_only(anchor),
        anchor_point=table.text("anchor_point") if "anchor_point" in table else "",
        reference=FrozenDict(reference),
        landmarks=FrozenDict(_landmarks(table.table("landmarks"), anchor) if "landmarks" in table else {}),
        confidence=table.text("confidence") if "confidence" in table else "",
    )


def _landmarks(table: TomlTable, anchor: FloatArray) -> dict[str, FloatArray]:
    found: dict[str, FloatArray] = {}
    for key in table.values:
        at = table.numbers(key, (3,))
        for name, other in {"anchor": anchor, **found}.items():
            if np.linalg.norm(at - other) < APART:
                raise table.refusal(f"The landmark {key} lies at the same place as {name}.", key)
        found[key] = read_only(at)
    return found


def _orthonormal(R: FloatArray) -> FloatArray:
    """Nearest rotation: files give six digits."""
    u, _, vt = np.linalg.svd(R)
    return np.asarray(u @ vt)


def _coordinate(table: TomlTable, maps: Mapping[str, BodyMap]) -> SourceCoordinate:
    table.only(("model", "name", "proximal", "distal", "sequence", "component", "sign"))
    bodies = list(maps)
    component = int(table.numbers("component", ()))
    if component not in (1, 2, 3):
        raise table.refusal(f"component must be 1, 2 or 3, not {component}.", "component")
    if table.text("sequence") not in SEQUENCES:
        raise table.refusal(f"sequence must be one of {', '.join(SEQUENCES)}.", "sequence")
    return SourceCoordinate(
        name=table.text("name"),
        proximal=_known(table, "proximal", table.text("proximal"), bodies, "body"),
        distal=_known(table, "distal", table.text("distal"), bodies, "body"),
        sequence=table.text("sequence"),
        component=component - 1,
        sign=float(table.numbers("sign", ())) if "sign" in table else 1.0,
    )
