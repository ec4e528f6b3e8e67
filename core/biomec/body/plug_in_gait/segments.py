"""All segments of Plug-in Gait in every frame, straight from the markers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from biomec.base.arrays import FloatArray, read_only
from biomec.base.frozen import FrozenDict
from biomec.body.anatomy.centres import Measures, Points
from biomec.body.plug_in_gait.legs import (
    LEG,
    PELVIS,
    SIDES,
    LegSide,
    ankle,
    foot,
    hip,
    knee,
    long_bone,
    pelvis,
    untorsioned,
)
from biomec.body.plug_in_gait.trunk import ARM, ARM_MEASURES, HEAD, THORAX, arm, head, thorax

TORSIONED = "torsioned shank"
LEG_MEASURES = ("leg_length", "knee_width", "ankle_width")
OFFSETS = ("foot_plantar_flexion", "foot_rotation")


@dataclass(frozen=True, eq=False)
class Segments:
    """Centres and attitudes of every frame; NaN where a marker is missing.

    centres   : point (``CAQ_D`` hip, ``KJC_D`` knee, ``CAT_D`` ankle, ``GU_D`` shoulder …) -> (T, 3) [m]
    attitudes : segment (``pelvis``, ``right thigh``, ``right shank``, ``right torsioned shank`` …) -> R (T, 3, 3),
                columns X forward, Y up, Z right
    """

    centres: Mapping[str, FloatArray]
    attitudes: Mapping[str, FloatArray]

    def __post_init__(self) -> None:
        for name in ("centres", "attitudes"):
            known = {key: read_only(array) for key, array in getattr(self, name).items()}
            object.__setattr__(self, name, FrozenDict(known))


def segments(points: Points, measures: Measures) -> Segments:
    """Segments whose landmarks (T, 3) [m] and measures [m, rad] are known; the others are left out.

    A foot needs both offsets of the static; torsion, rotations and abduction of the ankle that are not known are zero.
    """
    centres: dict[str, FloatArray] = {}
    attitudes: dict[str, FloatArray] = {}
    if _has(points, PELVIS):
        attitudes["pelvis"] = pelvis(points)
        for leg in SIDES:
            if _has(points, map(leg.key, LEG)) and _has(measures, map(leg.key, LEG_MEASURES)):
                _leg(points, measures, leg, centres, attitudes)
    if _has(points, HEAD):
        attitudes["head"] = head(points, float(measures.get("head_offset", 0.0)))
    if _has(points, THORAX):
        attitudes["thorax"] = thorax(points)
        for leg in SIDES:
            if _has(points, map(leg.key, ARM)) and _has(measures, map(leg.key, ARM_MEASURES)):
                found, turned = arm(points, measures, leg)
                centres |= found
                attitudes |= turned
    return Segments(centres, attitudes)


def has_legs(points: Points) -> bool:
    """Whether there are the landmarks of the pelvis and of one leg."""
    return _has(points, PELVIS) and any(_has(points, map(leg.key, LEG)) for leg in SIDES)


def _leg(
    points: Points, measures: Measures, leg: LegSide, centres: dict[str, FloatArray], attitudes: dict[str, FloatArray]
) -> None:
    """Add thigh, shank and foot of a side."""
    known = dict(points)
    for stem, find in (("CAQ", hip), ("KJC", knee), ("CAT", ankle)):
        known[leg.key(stem)] = centres[leg.key(stem)] = find(known, measures, leg)
    hip_centre, knee_centre, ankle_centre = (centres[leg.key(stem)] for stem in ("CAQ", "KJC", "CAT"))
    attitudes[leg.name("thigh")] = long_bone(hip_centre, knee_centre, points[leg.key("CLAT")], leg)
    torsioned = long_bone(knee_centre, ankle_centre, points[leg.key("ML")], leg)
    shank = untorsioned(torsioned, float(measures.get(leg.key("tibial_torsion"), 0.0)), leg)
    attitudes[leg.name(TORSIONED)], attitudes[leg.name("shank")] = torsioned, shank
    if leg.key("TOE") in points and _has(measures, map(leg.key, OFFSETS)):
        flexion, rotation = (float(measures[leg.key(offset)]) for offset in OFFSETS)
        attitudes[leg.name("foot")] = foot(points, shank, ankle_centre, flexion, rotation, leg)


def _has(known: Mapping[str, object], names: Iterable[str]) -> bool:
    return all(name in known for name in names)
