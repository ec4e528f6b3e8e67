"""A marker set: which markers a protocol places, on which segments, and which of them can rebuild the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from biomec.base.errors import DescriptionError
from biomec.base.frozen import FrozenDict

FitMethod = Literal["coordinates", "markers"]
"""What a fitted model stays near to: the coordinates that landmarks give, or all markers."""
SIDE = "*"  # stands for the side in a pattern: "*ASI" is RASI and LASI, "CLBR_*_11" is CLBR_D_11 and CLBR_E_11


class Side(StrEnum):
    """Side of the body."""

    RIGHT = "right"
    LEFT = "left"

    @property
    def opposite(self) -> Side:
        """The other side."""
        return Side.LEFT if self is Side.RIGHT else Side.RIGHT


@dataclass(frozen=True)
class Sides:
    """Words for the two sides: how a set writes them in its labels (R and L, D and E), or one marker on each."""

    right: str
    left: str

    def write(self, pattern: str, side: Side) -> str:
        """Label of one side: the star of ``pattern`` replaced."""
        return pattern.replace(SIDE, self.right if side is Side.RIGHT else self.left)


@dataclass(frozen=True)
class MarkerDefinition:
    """One marker of a set.

    name       : label in Biomec, such as ``AC_D``
    pattern    : the same with a star for the side (``AC_*``); equal to the name for a marker of the midline
    side       : side of the body, None on the midline
    landmark   : where it is placed
    segments   : segments that it moves with; the first one is its own
    rebuilt_by : markers from which it is rebuilt when it is hidden
    internal   : a computed point that no camera sees, such as a joint centre
    removed    : taken off after the static acquisition
    technical  : helps to follow the segment, marks no landmark
    optional   : its absence is not a fault
    replaces   : markers that need not be there if this one is
    aliases    : other labels of the same landmark (patterns)
    near       : labels of neighbouring landmarks that may stand in for it if the user agrees (patterns)
    place      : rough place on a standing adult, forward / up / right of the point on the floor between the ankles, as
                 a fraction of stature; or None
    """

    name: str
    pattern: str
    side: Side | None
    landmark: str
    segments: tuple[str, ...]
    rebuilt_by: tuple[str, ...] = ()
    internal: bool = False
    removed: bool = False
    technical: bool = False
    optional: bool = False
    replaces: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    place: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class SegmentMarkers:
    """A segment: the markers that move with it as one body, and those of them that rebuild the others."""

    name: str
    markers: tuple[str, ...]
    rebuilt_by: tuple[str, ...]


@dataclass(frozen=True)
class ClusterPlate:
    """Four markers on a rigid plate, in the order C11, C12, C21, C22 of its frame."""

    name: str
    segment: str
    markers: tuple[str, str, str, str]


@dataclass(frozen=True)
class BodyMidline:
    """Midline markers that tell, without any side label, where a body's front and top are; empty where unknown."""

    front: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    top: tuple[str, ...] = ()
    bottom: tuple[str, ...] = ()


@dataclass(frozen=True)
class ContactSegment:
    """A segment that may rest on a force plate, and the markers that tell where it does; they may be a neighbour's."""

    segment: str
    markers: tuple[str, ...]


@dataclass(frozen=True)
class WalkingMarkers:
    """Markers from which steps are seen: pelvis (the mean of those that are there), and heel and toe of each side."""

    pelvis: tuple[str, ...]
    heel: Sides
    toe: Sides

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.pelvis, self.heel.right, self.heel.left, self.toe.right, self.toe.left)


@dataclass(frozen=True)
class MarkerSet:
    """A protocol's markers. Constant data: read from a TOML file, or built and checked here.

    sources : keys of docs/references.md
    model   : the body model that suits it, or its file; "" where the set does not say
    method  : what its fitted model stays near to: "coordinates" that its landmarks give, or all its "markers"
    sides   : how labels write the side; None for a set without sides
    contacts: segments that may rest on a plate; empty where the set does not say
    gait    : markers from which steps are seen; None where the set does not say
    landmarks : landmark of the body models (``CIAS_D``) -> ways to get it, each the markers whose mean it is, the
                preferred way first. A marker that bears the name of a landmark is that landmark by itself.
    """

    name: str
    title: str
    sources: tuple[str, ...]
    markers: tuple[MarkerDefinition, ...]
    segments: tuple[SegmentMarkers, ...]
    clusters: tuple[ClusterPlate, ...] = ()
    sides: Sides | None = None
    midline: BodyMidline = BodyMidline()
    contacts: tuple[ContactSegment, ...] = ()
    gait: WalkingMarkers | None = None
    landmarks: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    model: str = ""
    method: FitMethod = "coordinates"

    def __post_init__(self) -> None:
        _refuse_repeated(self.name, "marker", (marker.name for marker in self.markers))
        _refuse_repeated(self.name, "segment", (segment.name for segment in self.segments))
        known, segments = set(self.names), {segment.name for segment in self.segments}
        for row in self.segments:
            self._check_donors(f"Segment {row.name}", row.rebuilt_by, known)
        for marker in self.markers:
            for segment in marker.segments:
                if segment not in segments:
                    raise DescriptionError(f"{self.name}: Marker {marker.name}: there is no segment {segment}.")
            self._check_donors(f"Marker {marker.name}", marker.rebuilt_by, known)
        midline = self.midline
        for name in (*midline.front, *midline.back, *midline.top, *midline.bottom):
            if name not in known:
                raise DescriptionError(f"{self.name}: the midline names {name}, which is not a marker of the set.")
        _refuse_repeated(self.name, "contact of", (contact.segment for contact in self.contacts))
        for contact in self.contacts:
            if contact.segment not in segments:
                raise DescriptionError(f"{self.name}: contacts name {contact.segment}, which is not a segment here.")
            for name in contact.markers:
                if name not in known:
                    raise DescriptionError(f"{self.name}: contacts name {name}, which is not a marker of the set.")
        for name in () if self.gait is None else self.gait.names:
            if name not in known:
                raise DescriptionError(f"{self.name}: gait names {name}, which is not a marker of the set.")
        for name in (name for ways in self.landmarks.values() for way in ways for name in way):
            if name not in known:
                raise DescriptionError(f"{self.name}: landmarks name {name}, which is not a marker of the set.")
        object.__setattr__(self, "landmarks", FrozenDict(dict(self.landmarks)))

    def _check_donors(self, where: str, donors: tuple[str, ...], known: set[str]) -> None:
        for name in donors:
            if name not in known:
                raise DescriptionError(f"{self.name}: {where}: rebuilt_by names {name}, which is not a marker here.")
            donor = self[name]
            if donor.internal or donor.removed:
                why = "no camera sees it" if donor.internal else "it is taken off for the dynamic trial"
                raise DescriptionError(f"{self.name}: {where}: {name} cannot rebuild other markers, because {why}.")

    @property
    def names(self) -> tuple[str, ...]:
        """All labels, in the order of the set."""
        return tuple(marker.name for marker in self.markers)

    def written_aliases(self, marker: MarkerDefinition) -> tuple[str, ...]:
        """Other labels of a marker, with its side."""
        if marker.side is None or self.sides is None:
            return marker.aliases
        return tuple(self.sides.write(alias, marker.side) for alias in marker.aliases)

    def __contains__(self, name: str) -> bool:
        return any(marker.name == name for marker in self.markers)

    def __getitem__(self, name: str) -> MarkerDefinition:
        for marker in self.markers:
            if marker.name == name:
                return marker
        raise DescriptionError(f"The marker set {self.name} has no marker {name}.")

    def segment(self, name: str) -> SegmentMarkers:
        """Return the segment of that name."""
        for segment in self.segments:
            if segment.name == name:
                return segment
        there = ", ".join(segment.name for segment in self.segments)
        raise DescriptionError(f"The marker set {self.name} has no segment {name}; it has {there}.")

    @property
    def contact_segments(self) -> dict[str, tuple[str, ...]]:
        """Segments that may rest on a force plate, with their markers."""
        return {contact.segment: contact.markers for contact in self.contacts}

    @property
    def placed(self) -> tuple[str, ...]:
        """Markers that are physically placed for the static acquisition, optional ones included."""
        return tuple(marker.name for marker in self.markers if not marker.internal)

    @property
    def followed(self) -> tuple[str, ...]:
        """Markers that stay on for the dynamic trial, optional ones included."""
        return tuple(marker.name for marker in self.markers if not (marker.internal or marker.removed))

    def lacking(self, there: Iterable[str], *, dynamic: bool) -> tuple[str, ...]:
        """Markers that a static or a dynamic trial with the labels ``there`` should have and has not.

        A segment without any marker in the trial drops out of the analysis, so that its markers are not asked for.
        """
        here = set(there)
        excused = {name for marker in self.markers if marker.name in here for name in marker.replaces}
        recorded = {segment.name for segment in self.segments if here & set(segment.markers)}
        expected = (self[name] for name in (self.followed if dynamic else self.placed))
        return tuple(
            marker.name
            for marker in expected
            if not (marker.optional or marker.name in here | excused) and recorded & set(marker.segments)
        )

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """(right, left) labels of every bilateral marker."""
        return tuple((marker.name, self.mirrored(marker.name)) for marker in self.markers if marker.side is Side.RIGHT)

    def mirrored(self, name: str) -> str:
        """Label of the same marker on the other side; a marker of the midline is its own mirror image."""
        marker = self[name]
        if marker.side is None or self.sides is None:
            return name
        return self.sides.write(marker.pattern, marker.side.opposite)

    def cluster_of(self, donors: Iterable[str]) -> ClusterPlate | None:
        """Plate that consists of exactly these markers."""
        wanted = set(donors)
        return next((cluster for cluster in self.clusters if set(cluster.markers) == wanted), None)


def _refuse_repeated(where: str, what: str, names: Iterable[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DescriptionError(f"{where}: the {what} {', '.join(twice)} is given more than once. Keep one of them.")
