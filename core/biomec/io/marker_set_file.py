"""Marker sets as TOML files, written by pattern: a row with a star stands for the right and the left marker.

`docs/marker-sets.md` describes the format with an example.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

from biomec.base.description_file import ENDING, Descriptions, read_text
from biomec.base.errors import DescriptionError
from biomec.base.toml_table import TomlTable, did_you_mean, read_toml, shown
from biomec.recording.marker_set import (
    SIDE,
    BodyMidline,
    ClusterPlate,
    ContactSegment,
    FitMethod,
    MarkerDefinition,
    MarkerSet,
    SegmentMarkers,
    Side,
    Sides,
    WalkingMarkers,
)
from biomec_resources import resource

FILE_KEYS = (
    "name",
    "title",
    "sources",
    "base",
    "model",
    "method",
    "sides",
    "midline",
    "contacts",
    "gait",
    "landmarks",
    "segment",
    "cluster",
    "marker",
)
MARKER_KEYS = ("name", "segments", "landmark", "flags", "rebuilt_by", "replaces", "aliases", "near", "place")
FLAGS = ("internal", "removed", "technical", "optional")
MIDLINE_KEYS = ("front", "back", "top", "bottom")
GAIT_KEYS = ("pelvis", "heel", "toe")
LANDMARK_SIDES = Sides("D", "E")  # how body models write the side of a landmark: CIAS_D, CIAS_E
WORDS = Sides("right", "left")  # segments and plates are named in words: "* scapula" is the right and the left scapula


def parse_marker_set(text: str, source: str) -> MarkerSet:
    """Marker set described in TOML ``text``; messages call it ``source``. Raises only `DescriptionError`."""
    top = _with_base(read_toml(text, source))
    top.only(FILE_KEYS)
    sides = _sides(top)
    rows = top.tables("marker")
    if not rows:
        raise top.refusal('it describes no marker. Add rows such as { name = "C7", segments = ["thorax"] }.')
    names = _Names(sides, [row.text("name") for row in rows])
    segment_rows = top.tables("segment")
    segment_names = [
        WORDS.write(row.text("name"), side) if side else row.text("name")
        for row in segment_rows
        for side in _each_side(row.text("name"))
    ]
    drafts = [marker for row in rows for marker in _markers(row, names, segment_names)]
    segments = [segment for row in segment_rows for segment in _segments(row, names, drafts)]
    donors = {segment.name: segment.rebuilt_by for segment in segments}
    markers = [
        marker if given or not marker.segments else _with_donors(marker, donors[marker.segments[0]])
        for marker, given in drafts
    ]
    midline = top.table("midline")
    midline.only(MIDLINE_KEYS)
    found = {key: names.resolve(midline, key, None) for key in MIDLINE_KEYS if key in midline}
    try:
        return MarkerSet(
            name=top.text("name"),
            title=top.text("title"),
            sources=tuple(top.texts("sources")) if "sources" in top else (),
            model=_model(top) if "model" in top else "",
            method=_method(top),
            markers=tuple(markers),
            segments=tuple(segments),
            clusters=tuple(plate for row in top.tables("cluster") for plate in _clusters(row, names, segment_names)),
            sides=sides,
            midline=BodyMidline(**found),
            contacts=_contacts(top.table("contacts"), names, segment_names),
            gait=_gait(top.table("gait"), names) if "gait" in top else None,
            landmarks=_landmarks(top.table("landmarks"), names),
        )
    except DescriptionError as error:
        raise DescriptionError(f"{source}: {error}") from error


def _with_base(top: TomlTable) -> TomlTable:
    """A file with what it takes over from a shipped set: lists grow, tables are completed, other keys replace."""
    if "base" not in top:
        return top
    name = top.text("base")
    if name not in shipped_marker_sets():
        raise top.refusal(
            f"base names {shown(name)}, which is not a marker set that comes with Biomec"
            f"{did_you_mean(name, shipped_marker_sets())} There are {', '.join(shipped_marker_sets())}.",
            "base",
        )
    values: dict[str, Any] = dict(_with_base(read_toml(_shipped_text(name), name)).values)
    for key, value in top.values.items():
        kept = values.get(key)
        if isinstance(kept, list) and isinstance(value, list):
            values[key] = [*kept, *value]
        elif isinstance(kept, dict) and isinstance(value, dict):
            values[key] = {**kept, **value}
        elif key != "base":
            values[key] = value
    return replace(top, values=values)


def _shipped_text(name: str) -> str:
    return read_text(resource("marker_sets", name + ENDING))


MARKER_SETS = Descriptions("marker set", ("marker_sets",), parse_marker_set)
shipped_marker_sets, load_marker_set, read_marker_set = MARKER_SETS.shipped, MARKER_SETS.load, MARKER_SETS.read


def _method(top: TomlTable) -> FitMethod:
    said = top.text("method") if "method" in top else "coordinates"
    for known in get_args(FitMethod):
        if said == known:
            method: FitMethod = known
            return method
    raise top.refusal(f"method is {shown(said)}{did_you_mean(said, get_args(FitMethod))} There are "
                      f"{' and '.join(get_args(FitMethod))}.")  # fmt: skip


def _model(top: TomlTable) -> str:
    """Name of a body model; a file of one is chosen in the settings, not by another file."""
    name = top.text("model")
    if name.endswith(ENDING):
        raise top.refusal(
            f"model is {shown(name)}, and must be the name of a model that comes with Biomec. Choose one of your own "
            "in the settings of the body model, or with --model.",
            "model",
        )
    return name


def _sides(top: TomlTable) -> Sides | None:
    if "sides" not in top:
        return None
    table = top.table("sides")
    table.only(("right", "left"))
    sides = Sides(table.text("right"), table.text("left"))
    if sides.right == sides.left:
        raise top.refusal(f"sides.right and sides.left are both {shown(sides.right)}. They must differ.")
    return sides


def _each_side(pattern: str) -> tuple[Side | None, ...]:
    return (Side.RIGHT, Side.LEFT) if SIDE in pattern else (None,)


class _Names:
    """The markers of a file, by pattern and by label."""

    def __init__(self, sides: Sides | None, patterns: list[str]) -> None:
        self.sides = sides
        self.patterns = patterns
        self.labels = [self.label(pattern, side) for pattern in patterns for side in _each_side(pattern)]

    def label(self, pattern: str, side: Side | None) -> str:
        return pattern if side is None or self.sides is None else self.sides.write(pattern, side)

    def resolve(self, table: TomlTable, key: str, side: Side | None) -> tuple[str, ...]:
        """Labels that a list means: a pattern is the same side in a row with a side, both sides in one without."""
        found: list[str] = []
        for word in table.texts(key):
            if word in self.patterns:
                each = (side,) if side and SIDE in word else _each_side(word)
                found += [self.label(word, one) for one in each]
            elif word in self.labels:
                found.append(word)
            else:
                known = [*self.patterns, *self.labels]
                raise table.refusal(f"{table.prefix}{key} names {shown(word)}, which is not a marker here"
                                    f"{did_you_mean(word, known)}")  # fmt: skip
        return tuple(found)


def _markers(row: TomlTable, names: _Names, segment_names: list[str]) -> list[tuple[MarkerDefinition, bool]]:
    """The marker or the two markers of a row, and whether the row itself says what rebuilds them."""
    row.only(MARKER_KEYS)
    pattern = row.text("name")
    if SIDE in pattern and names.sides is None:
        raise row.refusal('the name has a star, but the file does not say sides = { right = "R", left = "L" }.')
    flags = row.texts("flags") if "flags" in row else []
    for flag in flags:
        if flag not in FLAGS:
            raise row.refusal(
                f"there is no flag {shown(flag)}{did_you_mean(flag, FLAGS)} There are {', '.join(FLAGS)}."
            )
    aliases, near = (tuple(row.texts(key)) if key in row else () for key in ("aliases", "near"))
    for alias in (*aliases, *near):
        if (SIDE in alias) != (SIDE in pattern):
            says = "needs a star for the side" if SIDE in pattern else "has a star, but the marker has no side"
            raise row.refusal(f"the alias {shown(alias)} {says}.")
    place = row.numbers("place", (3,)) if "place" in row else None
    found = []
    for side in _each_side(pattern):
        segments = tuple(WORDS.write(name, side) if side else name for name in row.texts("segments"))
        for name in segments:
            if name not in segment_names:
                raise row.refusal(f"there is no segment {shown(name)}{did_you_mean(name, segment_names)}")
        mirror = -1.0 if side is Side.LEFT else 1.0
        marker = MarkerDefinition(
            name=names.label(pattern, side),
            pattern=pattern,
            side=side,
            landmark=row.text("landmark") if "landmark" in row else "",
            segments=segments,
            rebuilt_by=names.resolve(row, "rebuilt_by", side) if "rebuilt_by" in row else (),
            replaces=names.resolve(row, "replaces", side) if "replaces" in row else (),
            aliases=aliases,
            near=near,
            place=None if place is None else (float(place[0]), float(place[1]), mirror * float(place[2])),
            **dict.fromkeys(flags, True),
        )
        found.append((marker, "rebuilt_by" in row))
    return found


def _segments(row: TomlTable, names: _Names, drafts: list[tuple[MarkerDefinition, bool]]) -> list[SegmentMarkers]:
    row.only(("name", "rebuilt_by"))
    found = []
    for side in _each_side(row.text("name")):
        name = WORDS.write(row.text("name"), side) if side else row.text("name")
        members = [marker for marker, _ in drafts if name in marker.segments]
        if "rebuilt_by" in row:
            donors = names.resolve(row, "rebuilt_by", side)
        else:
            donors = tuple(marker.name for marker in members if not (marker.internal or marker.removed))
        found.append(SegmentMarkers(name, tuple(marker.name for marker in members), donors))
    return found


def _with_donors(marker: MarkerDefinition, donors: tuple[str, ...]) -> MarkerDefinition:
    return marker if marker.internal else replace(marker, rebuilt_by=donors)


def _clusters(row: TomlTable, names: _Names, segment_names: list[str]) -> list[ClusterPlate]:
    row.only(("name", "segment", "markers"))
    found = []
    for side in _each_side(row.text("name")):
        name, segment = (WORDS.write(row.text(key), side) if side else row.text(key) for key in ("name", "segment"))
        if segment not in segment_names:
            raise row.refusal(f"there is no segment {shown(segment)}{did_you_mean(segment, segment_names)}")
        markers = names.resolve(row, "markers", side)
        if len(markers) != 4 or len(set(markers)) != 4:
            raise row.refusal(f"a plate has four different markers (C11, C12, C21, C22), and here are {len(markers)}.")
        found.append(ClusterPlate(name, segment, (markers[0], markers[1], markers[2], markers[3])))
    return found


def _contacts(table: TomlTable, names: _Names, segment_names: list[str]) -> tuple[ContactSegment, ...]:
    """Rows such as ``"* foot" = ["*HEE", "*TOE"]``."""
    found = []
    for key in table.values:
        for side in _each_side(key):
            segment = WORDS.write(key, side) if side else key
            if segment not in segment_names:
                raise table.refusal(f"contacts: there is no segment {shown(segment)}"
                                    f"{did_you_mean(segment, segment_names)}")  # fmt: skip
            found.append(ContactSegment(segment, names.resolve(table, key, side)))
    return tuple(found)


def _gait(table: TomlTable, names: _Names) -> WalkingMarkers:
    table.only(GAIT_KEYS)

    def both(key: str) -> Sides:
        pattern = table.text(key)
        if SIDE not in pattern or pattern not in names.patterns:
            raise table.refusal(f"gait.{key} is {shown(pattern)}, which is not a marker with a star for the side"
                                f"{did_you_mean(pattern, names.patterns)}")  # fmt: skip
        return Sides(names.label(pattern, Side.RIGHT), names.label(pattern, Side.LEFT))

    return WalkingMarkers(names.resolve(table, "pelvis", None), both("heel"), both("toe"))


def _landmarks(table: TomlTable, names: _Names) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Rows such as ``PMCP = "RPSI + LPSI | SACR"``: the mean of markers, or else another way."""
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for key in table.values:
        for side in _each_side(key):
            ways = []
            for way in table.text(key).split("|"):
                words = TomlTable(table.where, {key: [word.strip() for word in way.split("+")]}, table.prefix)
                ways.append(names.resolve(words, key, side))
            found[LANDMARK_SIDES.write(key, side) if side else key] = tuple(ways)
    return found
