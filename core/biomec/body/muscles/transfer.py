"""Fits a muscle set to a person: source frames to segments, right to left, and to the person's size.

x = a + Q S R (x_source − anchor) + d(x_source),   a the person's anchor in the segment      (theory §1.1, §1.2)

on the right. The bend d, which is zero at the anchor, lays landmarks of the source on those of the person. Q turns the
standard axes of the segment, in which maps are given, to those of the person's model. The left side is worked out as a
right one and mirrored by E = diag(1, 1, −1) (theory §1.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import DescriptionError
from biomec.body.muscles.muscle_set import BodyMap, Muscle, SetPoint, Wrap, WrapUse
from biomec.engine.paths.cords import Contact, Cord, PathPoint, Surface
from biomec.recording.marker_set import Side

MIRROR = np.array([1.0, 1.0, -1.0])


@dataclass(frozen=True, eq=False)
class Bend:
    """Displacement d(x) = c + Σ w_i |x − x_i|, Σ w_i = 0: what is left at K landmarks of a source, and between.

    at      : (K, 3) landmarks x_i in the source [m];  weights : (K + 1, 3) of the w_i, then c [m]
    """

    at: FloatArray
    weights: FloatArray

    def __call__(self, x: FloatArray) -> FloatArray:
        """Displacement (3,) of a source point (3,) [m]."""
        return np.asarray(np.append(np.linalg.norm(x - self.at, axis=1), 1.0) @ self.weights)


STRAIGHT = Bend(np.zeros((0, 3)), np.zeros((1, 3)))


def bend(at: FloatArray, left: FloatArray) -> Bend:
    """The bend that moves source points (K, 3), two or more of them, by ``left`` (K, 3) [m]."""
    k = len(at)
    A = np.ones((k + 1, k + 1))
    A[:k, :k] = np.linalg.norm(at[:, None] - at, axis=2)
    A[k, k] = 0.0
    return Bend(at, np.asarray(np.linalg.solve(A, np.vstack([left, np.zeros(3)])), dtype=np.float64))


@dataclass(frozen=True, eq=False)
class Placed:
    """Where a source body lies in a segment: x = matrix x_source + shift + bend(x_source), on the segment's own side.

    segment : name
    axes    : (3, 3) E Q R, the turn of directions from the source (mirrored on the left)
    stretch : (3, 3) E Q S Qᵀ E, the stretch of the segment about its anchor
    mirror  : whether source points are mirrored
    """

    segment: str
    matrix: FloatArray
    shift: FloatArray
    axes: FloatArray
    stretch: FloatArray
    mirror: bool
    bend: Bend = STRAIGHT

    def point(self, at: FloatArray) -> FloatArray:
        """Place (3,) of a point of the source [m]."""
        return np.asarray(self.matrix @ at + self.shift + self.bend(at))

    def shrunk(self) -> Placed:
        """Place in a segment that is stretched back to the size and shape of the source."""
        back = np.linalg.inv(self.stretch)
        return Placed(self.segment, back @ self.matrix, back @ self.shift, self.axes, np.eye(3), self.mirror)


def placed(
    body: BodyMap, segment: str, side: Side | None, scale: FloatArray, anchor: FloatArray, turned: FloatArray,
    landmarks: Mapping[str, FloatArray] = MappingProxyType({}),
) -> Placed:  # fmt: skip
    """Map of one body of a muscle of a side.

    scale     : (3,) factors along the standard axes; anchor (3,) the person's, in the segment's own axes [m]
    turned    : (3, 3) standard axes of the segment as columns in its own axes
    landmarks : those of the body map that are known of the person, in the segment's own axes [m]
    """
    mirror = side is Side.LEFT
    E = np.diag(MIRROR) if mirror else np.eye(3)
    axes = turned @ E @ body.R
    stretch = turned @ np.diag(scale) @ turned.T
    matrix = stretch @ axes
    shift = anchor - matrix @ body.anchor
    if not landmarks:
        return Placed(segment, matrix, shift, axes, stretch, mirror)
    at = np.stack([body.anchor, *(body.landmarks[name] for name in landmarks)])
    goal = np.stack([anchor, *landmarks.values()])
    return Placed(segment, matrix, shift, axes, stretch, mirror, bend(at, goal - at @ matrix.T - shift))


def cord_of(muscle: Muscle, name: str, places: Mapping[str, Placed]) -> Cord:
    """Path of a muscle in the axes of the person's segments; coordinates and surfaces bear the side."""
    points = tuple(_point(muscle, point, places[point.body]) for point in muscle.points)
    contacts = []
    for use in muscle.wraps:
        first, last = _stretch_of(muscle, use, places) or (use.first, use.last)
        contacts.append(Contact(sided(muscle, use.wrap), first, last, use.side, use.gives))
    return Cord(name, points, tuple(contacts))


def _stretch_of(muscle: Muscle, use: WrapUse, places: Mapping[str, Placed]) -> tuple[int, int] | None:
    """Points between which a ring is passed where its source does not say: it holds tendons where they leave its bone.

    The stretch to another segment whose end on the ring's own segment lies nearest to the ring; the last one of both
    beside a single point, since rings hold tendons, at the far end of a muscle.
    """
    wrap = muscle.source.wraps[use.wrap]
    if wrap.kind != "ring" or (use.first, use.last) != (0, -1):
        return None
    own, centre = places[wrap.body].segment, places[wrap.body].point(wrap.centre)
    segments = [places[point.body].segment for point in muscle.points]
    found: list[tuple[float, int]] = []
    for i, ends in enumerate(pairwise(segments)):
        if ends.count(own) == 1:
            point = muscle.points[i + ends.index(own)]
            found.append((float(np.linalg.norm(places[point.body].point(point.at) - centre)), -i))
    return (-min(found)[1], 1 - min(found)[1]) if found else None


def sided(muscle: Muscle, name: str) -> str:
    """Name of a surface or coordinate of the muscle's source on the muscle's side; empty stays empty."""
    return f"{muscle.source.name} {name}{' left' if muscle.side is Side.LEFT else ''}" if name else ""


def _point(muscle: Muscle, point: SetPoint, place: Placed) -> PathPoint:
    moving = [curve for curve in point.curves if curve is not None]
    if not moving:
        return PathPoint(place.segment, place.point(point.at), sided(muscle, point.coordinate), point.range)
    names = {name for name, rows in moving if not _constant(rows)} or {moving[0][0]}
    if len(names) > 1:
        raise DescriptionError(
            f"A point of {place.segment} moves with {' and '.join(sorted(names))} at once; one coordinate is possible."
        )
    (name,) = names
    tables = [curve[1] if curve is not None else _level(point.at[axis]) for axis, curve in enumerate(point.curves)]
    knots = np.unique(np.concatenate([rows[:, 0] for rows in tables]))
    bent = place.bend(np.array([rows[0, 1] for rows in tables]))  # of the place where it starts
    found = []
    for axis in range(3):
        rows = combined(tables, place.matrix[axis], knots)
        rows[:, 1] += place.shift[axis] + bent[axis]
        found.append((sided(muscle, name), rows))
    start = np.array([rows[0, 1] for _, rows in found])
    return PathPoint(place.segment, start, curves=tuple(found))


def _constant(rows: FloatArray) -> bool:
    return bool(np.ptp(rows[:, 1]) == 0.0 and not rows[:, 2:].any())


def _level(value: float) -> FloatArray:
    return np.array([[0.0, value, 0.0, 0.0, 0.0]])


def combined(tables: list[FloatArray], weights: FloatArray, knots: FloatArray) -> FloatArray:
    """Rows over ``knots`` of Σ weight · spline; exact, since ``knots`` holds those of all splines."""
    total = np.zeros((len(knots), 5))
    total[:, 0] = knots
    for rows, weight in zip(tables, weights, strict=True):
        for k, x in enumerate(knots):
            inside = len(rows) > 1 and rows[0, 0] <= x < rows[-1, 0]
            i = int(np.searchsorted(rows[:, 0], x, side="right")) - 1 if inside else 0 if x <= rows[0, 0] else -1
            u, (y, b, c, d) = x - rows[i, 0], rows[i, 1:]
            if not inside:
                c = d = 0.0
            level = y + u * (b + u * (c + u * d))
            total[k, 1:] += weight * np.array([level, b + u * (2 * c + 3 * u * d), c + 3 * u * d, d])
    return total


def surface_of(name: str, wrap: Wrap, place: Placed) -> Surface:
    """Surface in the axes of the person's segment, scaled (theory §1.2)."""
    A = place.axes @ wrap.attitude
    if place.mirror:
        A = A * MIRROR  # a proper rotation again: the surface's own z is mirrored, too
    stretch = np.linalg.norm(place.stretch @ A, axis=0)  # of its axes
    size: tuple[float, ...]
    if wrap.kind == "cylinder":
        size = (wrap.size[0] * float(np.sqrt(stretch[0] * stretch[1])), wrap.size[1] * float(stretch[2]))
    elif wrap.kind == "sphere":
        size = (wrap.size[0] * float(np.cbrt(np.linalg.det(place.stretch))),)
    elif wrap.kind == "ellipsoid":
        size = tuple(float(value) for value in np.array(wrap.size) * stretch)
    else:
        size = (wrap.size[0] * float(np.sqrt(stretch[0] * stretch[1])),)
    active = wrap.active
    if place.mirror and active in ("z", "-z"):
        active = {"z": "-z", "-z": "z"}[active]
    return Surface(name, wrap.kind, place.segment, place.point(wrap.centre), A, size, active)
