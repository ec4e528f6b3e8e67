"""Landmarks that a model speaks of: checked, because a misspelt one would only be missed when its segment drops out;
and in words, for people who know their anatomy and their labels but not Biomec's codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TypeAlias

from biomec.base.toml_table import TomlTable, did_you_mean, shown
from biomec.body.anatomy.centres import CENTRE_METHODS
from biomec.body.anatomy.frames import Direction
from biomec.body.anatomy.model import (
    BodyModel,
    DeviceDefinition,
    GlidingContact,
    JointDefinition,
    PointDefinition,
    SegmentDefinition,
    SpringDefinition,
)
from biomec.engine.rotations import AXES
from biomec.io.marker_set_file import LANDMARK_SIDES, load_marker_set, shipped_marker_sets
from biomec.recording.marker_set import SIDE, MarkerSet, Side

_Part: TypeAlias = (
    SegmentDefinition | PointDefinition | JointDefinition | GlidingContact | DeviceDefinition | SpringDefinition
)
CANONICAL = "biomec-full"  # the marker set whose markers are called like the landmarks


@cache
def shipped_landmarks() -> frozenset[str]:
    """Landmarks that some marker set of Biomec gives."""
    own = {marker.name for marker in load_marker_set(CANONICAL).markers}
    return frozenset(own.union(*(load_marker_set(name).landmarks for name in shipped_marker_sets())))


def check_landmarks(
    model: BodyModel,
    rows: Iterable[tuple[TomlTable, _Part]],
    further: Sequence[str],
) -> None:
    """Refuse a row of a file that names a landmark which no marker set and no point of the model gives.

    further : landmarks of the user's own marker sets, or patterns
    """
    known = shipped_landmarks() | {point.name for point in model.points}
    known |= {LANDMARK_SIDES.write(pattern, side) for pattern in further for side in Side}
    for table, part in rows:
        for key, name in _named(part):
            if name not in known:
                raise table.refusal(
                    f"{key} names the landmark {shown(name)}, which no marker set and no point of the model gives"
                    f"{did_you_mean(name, sorted(known))} If it comes from a marker set of your own, write "
                    f'landmarks = ["{landmark_pattern(name)}"] at the top of the file.',
                    key,
                )


def check_order(model: BodyModel, rows: Iterable[tuple[TomlTable, PointDefinition]], further: Sequence[str]) -> None:
    """Refuse a row of a file whose point needs itself, or one that is computed later and that no marker set gives."""
    given = shipped_landmarks() | {LANDMARK_SIDES.write(pattern, side) for pattern in further for side in Side}
    order = [point.name for point in model.points]
    for table, point in rows:
        later = set(order[order.index(point.name) :]) - given
        for key, need in point_needs(point):
            if need == point.name:
                raise table.refusal(f"{key} names {need} itself. Name the points that it is computed from.", key)
            if need in later:
                raise table.refusal(
                    f"{key} needs {need}, which is computed later. Points are computed in their order: put the row of "
                    f"{landmark_pattern(need)} before this one.",
                    key,
                )


def point_needs(point: PointDefinition) -> Iterator[tuple[str, str]]:
    """Key and landmark that a point is computed from."""
    for key in ("of", "opposite", "beyond", "carried_by"):
        yield from ((key, name) for name in getattr(point, key))
    for method in point.methods:
        for need in CENTRE_METHODS[method].needs:
            yield "methods", LANDMARK_SIDES.write(need, point.side) if point.side else need


def _named(part: _Part) -> Iterator[tuple[str, str]]:
    """Key and landmark of all that a row names."""
    if isinstance(part, (SegmentDefinition, DeviceDefinition)):
        for frame in part.frames if isinstance(part, SegmentDefinition) else (part.frame,):
            yield "origin", frame.origin
            for axis, direction in frame.axes:
                yield from ((axis, name) for name in direction.landmarks)
        if isinstance(part, SegmentDefinition):
            yield from (("basis", name) for name in part.basis if name not in AXES)
        yield from (("points", name) for name in part.points)
        yield from (("draw", name) for line in part.draw for name in line)
    elif isinstance(part, PointDefinition):
        for key in ("of", "opposite", "beyond", "carried_by"):
            yield from ((key, name) for name in getattr(part, key))
    elif isinstance(part, SpringDefinition):
        ends = [end for end in (part.first, part.second) if end]
        yield from (("point" if part.kind == "cuff" else "between", end.partition(".")[2]) for end in ends)
    elif isinstance(part, JointDefinition):
        yield "centre", part.centre
        for key, direction_or_axis in (("axis", part.axis), ("distal_axis", part.distal_axis)):
            if isinstance(direction_or_axis, Direction):
                yield from ((key, name) for name in direction_or_axis.landmarks)
    else:
        yield "point", part.point
        yield "origin", part.origin


def landmark_pattern(name: str) -> str:
    """Name of a landmark with a star for the side, if it has one: ``CIAS_*``."""
    return f"{name[:-1]}{SIDE}" if name.endswith(("_D", "_E")) else name


# ------------------------------------------------------------------------------------------------------------- in words


COMPUTED = {
    "CRC_*": "upper end of the crutch",
    "HAX_*": "radial side of the wrist on the crutch",
    "HGR_*": "knuckles on the crutch",
    "HWR_*": "centre of the wrist on the crutch",
    "OTL_*": "upper end of the orthosis",
    "OTK_*": "outer side of the knee hinge",
    "OTM_*": "middle of hip and outer knee",
    "OTN_*": "outer side of the ankle hinge",
    "OTT_*": "outer side of the hip",
    "OHP_*": "cuff of the orthosis at hip level",
    "OKN_*": "knee hinge of the orthosis",
    "TIP_*": "tip of the crutch",
    "HIP": "middle of the hips",
    "TOP": "middle of the shoulders",
    "TAC": "middle of the acromions",
    "CAH": "centre of the joint of head and neck",
    "CAP_*": "centre of the wrist",
    "CAT_*": "centre of the ankle",
    "FTA_*": "tip of the foot's axis",
    "FTL_*": "side of the ankle along the foot's axis",
    "KJC_*": "centre of the knee",
    "PHA": "middle of the front of the head",
    "PHL_*": "side of the head",
    "PHP": "middle of the back of the head",
    "PMCH_*": "middle of the hand",
    "PME_*": "centre of the elbow",
    "PMM_*": "middle of the malleoli",
    "PMT_*": "middle of the forefoot",
    "PTA": "middle of the front of the thorax",
    "PTI": "lower middle of the thorax",
    "PTP": "middle of the back of the thorax",
    "PTS": "upper middle of the thorax",
    "T12L1": "centre between the 12th thoracic and the 1st lumbar vertebra",
}  # points that models compute and no marker marks


def in_words(marker_set: MarkerSet) -> Callable[[str], str]:
    """Return what writes a landmark or a measure in words, with the marker that gives it in the set, or with its code.

    ``CMED_D`` is "medial femoral condyle, right (marker RKNM)" for Plug-in Gait, and "… (CMED_D)" for a set that has
    no other name for it.
    """

    def words_of(code: str) -> str:
        markers = marker_set.landmarks[code][0] if code in marker_set.landmarks else ()
        known = shipped_words()
        words = known.get(code, "")
        if is_measure(code):
            name = code.removesuffix("_D").removesuffix("_E")
            return f"{_sided(name.replace('_', ' '), _side(code))} ({code})"
        if not words:
            return f"marker {' and '.join(markers)}" if markers else code
        if markers and markers != (code,):
            return f"{words} (marker{'s' if len(markers) > 1 else ''} {' and '.join(markers)})"
        return f"{words} ({code})"

    return words_of


def is_measure(code: str) -> bool:
    """Whether a code is of a measure of the person, such as knee_width_D, and not of a landmark."""
    return code[:1].islower()


@cache
def shipped_words() -> dict[str, str]:
    """Landmark -> where it is, in words and with its side, for all that Biomec's models and marker sets speak of."""
    found: dict[str, str] = {}
    sets = [load_marker_set(name) for name in (CANONICAL, *shipped_marker_sets())]
    for marker in sets[0].markers:
        found[marker.name] = _sided(marker.landmark.split(",")[0], marker.side)
    for pattern, words in COMPUTED.items():
        for side in Side if SIDE in pattern else (None,):
            found[LANDMARK_SIDES.write(pattern, side) if side else pattern] = _sided(words, side)
    for marker_set in sets[1:]:
        for landmark, ((first, *_), *_) in marker_set.landmarks.items():
            found.setdefault(landmark, _sided(marker_set[first].landmark.split(",")[0], _side(landmark)))
    return {name: words for name, words in found.items() if words}


def _sided(words: str, side: Side | None) -> str:
    return words if side is None or not words else f"{words}, {side}"


def _side(landmark: str) -> Side | None:
    if landmark_pattern(landmark) == landmark:
        return None
    return Side.RIGHT if landmark.endswith(LANDMARK_SIDES.right) else Side.LEFT
