"""Cords over bodies, described by names, and what they do in a motion: for muscles, ligaments, cables.

Nothing here knows of people or of files. A cord's path is traced by `biomec.engine.paths.tracing`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError, DescriptionError
from biomec.base.progress import Progress, in_parallel
from biomec.engine.paths.geodesics import geodesic_points
from biomec.engine.paths.path_tables import CONDITIONAL, FIXED, MEMORY, MOVING, PathTables, Traced
from biomec.engine.paths.simm_spline import curve_at, curves
from biomec.engine.paths.surfaces import CYLINDER, ELLIPSOID, RING, SPHERE
from biomec.engine.paths.tracing import places_of, trace

KINDS = {"cylinder": CYLINDER, "sphere": SPHERE, "ellipsoid": ELLIPSOID, "ring": RING}
"""Kind of surface -> its number; sizes: radius and length, radius, three semi-axes, radius of the circle."""
SIZES = {"cylinder": 2, "sphere": 1, "ellipsoid": 3, "ring": 1}
EVERYWHERE = (-np.inf, np.inf)
TOGETHER = 4  # cords that a thread takes at once
ARC = 12  # points of an arc in a drawing


@dataclass(frozen=True, eq=False)
class Coordinate:
    """An angle between two bodies on which points depend; its values and rates come with each motion."""

    name: str
    proximal: str
    distal: str


@dataclass(frozen=True, eq=False)
class PathPoint:
    """A point of a path.

    at         : (3,) in the body's axes [m]
    coordinate : the point takes part only where this coordinate lies within ``range`` [rad]; empty: always
    curves     : for x, y, z: None, or a coordinate and the rows of a spline of it (`simm_spline`) that replaces ``at``
    """

    body: str
    at: FloatArray
    coordinate: str = ""
    range: tuple[float, float] = EVERYWHERE
    curves: tuple[tuple[str, FloatArray] | None, ...] = (None, None, None)

    @property
    def moves(self) -> bool:
        """Whether it moves in its body."""
        return any(curve is not None for curve in self.curves)


@dataclass(frozen=True, eq=False)
class Surface:
    """A surface that paths wrap, fixed in a body.

    kind     : of `KINDS`
    centre   : (3,) in the body [m]; attitude (3, 3): columns are its axes, z that of a cylinder or a ring
    size     : as listed in `KINDS` [m]
    active   : "" or the side that paths must pass: "x", "-x", "y", "-y" (also "z", "-z" of an ellipsoid)
    """

    name: str
    kind: str
    body: str
    centre: FloatArray
    attitude: FloatArray
    size: tuple[float, ...]
    active: str = ""


@dataclass(frozen=True, eq=False)
class Contact:
    """A surface that a path may touch between its points ``first`` and ``last`` (−1: the last).

    side  : ±1 fixes the sense in which a cylinder is passed, 0 leaves it to geometry
    gives : whether the surface shrinks about its centre where an end of the path lies within, so that the path keeps
            running on it; otherwise the path then runs straight through
    """

    surface: str
    first: int = 0
    last: int = -1
    side: float = 0.0
    gives: bool = False


@dataclass(frozen=True, eq=False)
class Cord:
    """A path from point to point, straight but where it wraps a surface."""

    name: str
    points: tuple[PathPoint, ...]
    contacts: tuple[Contact, ...] = ()


@dataclass(frozen=True, eq=False)
class CordPaths:
    """Paths of M cords in T frames. Arrays are read-only; what cannot be computed is NaN and has the status MISSING.

    length    : (T, M) [m]
    speed     : (T, M) lengthening, minus the power of a unit tension [m/s]
    pair_cord, pair_body : (P,) every cord and each body that it touches, as indices; pairs of a cord stand together
    pull      : (T, P, 6) what a tension of 1 N does to that body: force [N/N] and moment about the origin of the
                laboratory [m], both in laboratory axes. Over the bodies of a cord they add up to zero.
    status    : (T, M) bits of `biomec.engine.paths.surfaces`: WRAPPED, INSIDE, FLIPPED, UNSOLVED, MISSING, KEPT, GAVE
    contact, place : (T, V, 6), (T, V) as in `Traced`
    memory    : (V, MEMORY) to go on from the last frame
    """

    cords: Cords
    length: FloatArray
    speed: FloatArray
    pull: FloatArray
    status: IntArray
    contact: FloatArray
    place: FloatArray
    memory: FloatArray

    @property
    def pair_cord(self) -> IntArray:
        """(P,) index of the cord of each pair."""
        return self.cords.pair_cord

    @property
    def pair_body(self) -> IntArray:
        """(P,) index of the body of each pair."""
        return self.cords.tables.pair_body


@dataclass(frozen=True, eq=False)
class Cords:
    """Cords, the bodies and surfaces they touch and the coordinates they depend on, ready to be traced.

    bodies : names, in the order in which attitudes and positions will be given
    """

    bodies: tuple[str, ...]
    cords: tuple[Cord, ...]
    surfaces: tuple[Surface, ...] = ()
    coordinates: tuple[Coordinate, ...] = ()
    tables: PathTables = field(init=False)
    pair_cord: IntArray = field(init=False)

    def __post_init__(self) -> None:
        tables, pair_cord = _tables(self)
        object.__setattr__(self, "tables", tables)
        object.__setattr__(self, "pair_cord", pair_cord)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """(M,) of the cords."""
        return tuple(cord.name for cord in self.cords)

    def trace(
        self,
        R: ArrayLike,
        p: ArrayLike,
        *,
        twist: ArrayLike | None = None,
        theta: ArrayLike | None = None,
        turning: ArrayLike | None = None,
        memory: FloatArray | None = None,
        progress: Progress | None = None,
    ) -> CordPaths:
        """Paths in T frames.

        R, p    : (T, B, 3, 3) attitudes, columns are the axes; (T, B, 3) origins of the bodies [m]
        twist   : (T, B, 6) velocity of the body's point that momentarily lies at the laboratory's origin [m/s], and
                  angular velocity [rad/s]; speeds are NaN if it is not given
        theta   : (T, K) coordinates [rad]; turning : (T, K, 3) a with θ̇ = a·(ω_distal − ω_proximal)
        memory  : from the frame before (`CordPaths.memory`), for one frame at a time
        """
        R, p = np.ascontiguousarray(R, dtype=np.float64), np.ascontiguousarray(p, dtype=np.float64)
        frames, bodies, count = len(R), len(self.bodies), len(self.cords)
        if R.shape != (frames, bodies, 3, 3) or p.shape != (frames, bodies, 3):
            raise BiomecError(
                f"Paths over {bodies} bodies need attitudes ({frames}, {bodies}, 3, 3) and positions "
                f"({frames}, {bodies}, 3), not {R.shape} and {p.shape}."
            )
        K = len(self.coordinates)
        moved = np.full((frames, bodies, 6), np.nan) if twist is None else np.ascontiguousarray(twist, dtype=np.float64)
        angles = np.zeros((frames, K)) if theta is None else np.ascontiguousarray(theta, dtype=np.float64)
        axes = np.zeros((frames, K, 3)) if turning is None else np.ascontiguousarray(turning, dtype=np.float64)
        if moved.shape != (frames, bodies, 6) or angles.shape != (frames, K) or axes.shape != (frames, K, 3):
            raise BiomecError(
                f"Paths need velocities ({frames}, {bodies}, 6), coordinates ({frames}, {K}) and their axes "
                f"({frames}, {K}, 3), not {moved.shape}, {angles.shape} and {axes.shape}."
            )
        contacts, pairs = len(self.tables.wrap_surface), len(self.pair_cord)
        state = np.zeros((contacts, MEMORY)) if memory is None else np.array(memory, dtype=np.float64)
        result = Traced(
            np.empty((frames, count)), np.empty((frames, count)), np.empty((frames, pairs, 6)),
            np.empty((frames, count), dtype=np.int64), np.empty((frames, contacts, 6)), np.empty((frames, contacts)),
        )  # fmt: skip

        def work(part: slice) -> None:
            trace(self.tables, part.start, part.stop, R, p, moved, angles, axes, state, result)

        if frames == 1:  # a step of a simulation: threads would cost more than they bring
            work(slice(0, count))
        else:
            in_parallel(work, count, TOGETHER, progress)
        for array in (*result, state):
            array.setflags(write=False)
        return CordPaths(self, *result, state)

    def places(self, cord: int, R: FloatArray, p: FloatArray, theta: FloatArray) -> FloatArray:
        """Places (T, n, 3) [m] of the points of a cord, NaN where they take no part; arguments as of ``trace``."""
        n = len(self.cords[cord].points)
        at, slope = np.full((2, len(R), n, 3), np.nan)
        chain, count = np.empty((len(R), n), dtype=np.int64), np.empty(len(R), dtype=np.int64)
        R, p, theta = (np.ascontiguousarray(one, dtype=np.float64) for one in (R, p, theta))
        places_of(self.tables, cord, R, p, theta, at, slope, chain, count)
        return at

    def polyline(
        self, paths: CordPaths, R: ArrayLike, p: ArrayLike, frame: int, cord: int, theta: ArrayLike
    ) -> FloatArray:
        """Points (n, 3) [m] of a cord in one frame of ``paths``, arcs on surfaces sampled; empty where it is missing.

        R, p, theta : (B, 3, 3), (B, 3), (K,) of that frame
        """
        R, p, theta = np.asarray(R), np.asarray(p), np.asarray(theta)
        if not np.isfinite(paths.length[frame, cord]):
            return np.zeros((0, 3))
        stations: list[tuple[float, FloatArray]] = []
        for index, point in enumerate(self.cords[cord].points):
            local = self._present(point, theta)
            if local is not None:
                body = self.bodies.index(point.body)
                stations.append((float(index), (p[body] + R[body] @ local)[None]))
        first, after = self.tables.wrap_first[cord], self.tables.wrap_first[cord + 1]
        touched = sorted((float(paths.place[frame, k]), int(k)) for k in range(first, after))
        step = 1.0 / (after - first + 2.0)
        placed = [(place + step / 2.0, k) for place, k in touched if place >= 0.0]
        ends = {k: paths.contact[frame, k] for _, k in placed}
        stations.sort(key=lambda station: station[0])
        for place, k in placed:
            surface = self.surfaces[int(self.tables.wrap_surface[k])]
            body = self.bodies.index(surface.body)
            A, c = R[body] @ surface.attitude, p[body] + R[body] @ surface.centre
            before = [points[-1] for at, points in stations if at < place][-1]
            arc = _arc(surface, ends[k], A.T @ (before - c))
            stations.append((place, c + arc @ A.T))
            stations.sort(key=lambda station: station[0])
        return np.concatenate([points for _, points in stations])

    def _present(self, point: PathPoint, theta: FloatArray) -> FloatArray | None:
        """Local place of a point, None where it takes no part."""
        names = [coordinate.name for coordinate in self.coordinates]
        if point.coordinate and not point.range[0] <= theta[names.index(point.coordinate)] <= point.range[1]:
            return None
        local = np.array(point.at, dtype=np.float64)
        for axis, curve in enumerate(point.curves):
            if curve is not None:
                local[axis] = curve_at(curves([curve[1]]), 0, float(theta[names.index(curve[0])]))[0]
        return local


def _arc(surface: Surface, ends: FloatArray, before: FloatArray) -> FloatArray:
    """Points (ARC, 3) of a path on its surface, in the axes of the surface."""
    start, end = ends[:3], ends[3:]
    share = np.linspace(0.0, 1.0, ARC)
    arrival = start - before
    if surface.kind == "ring":
        return start[None]
    if surface.kind == "cylinder":
        sense = 1.0 if start[0] * arrival[1] - start[1] * arrival[0] >= 0.0 else -1.0
        a = np.arctan2(start[1], start[0])
        turn = (sense * (np.arctan2(end[1], end[0]) - a)) % (2.0 * np.pi)
        angle = a + sense * turn * share
        radius = np.hypot(start[0], start[1])  # of a cylinder that gives way, less than its own
        return np.stack(
            [radius * np.cos(angle), radius * np.sin(angle), start[2] + share * (end[2] - start[2])], axis=-1
        )
    size = np.broadcast_to(surface.size, 3)
    # the length on the surface is not stored: walk until the end is nearest
    step = float(np.linalg.norm(end - start)) / (ARC - 1)
    points, along = geodesic_points(size, start, arrival / max(float(np.linalg.norm(arrival)), 1e-12), step, 4 * ARC)
    beyond = np.einsum("ki,ki->k", end - points, along) <= 0.0
    beyond[0] = False
    last = int(beyond.argmax()) if beyond.any() else len(points)
    return np.array([*points[:last], end])


def _tables(system: Cords) -> tuple[PathTables, IntArray]:
    """Flat tables, after names were checked."""
    body = _numbers(system.bodies, "body")
    coordinate = _numbers([one.name for one in system.coordinates], "coordinate")
    surface = _numbers([one.name for one in system.surfaces], "surface")
    _numbers([one.name for one in system.cords], "cord")
    turned = [(_of(body, c.proximal, c.name), _of(body, c.distal, c.name)) for c in system.coordinates]
    rows: list[FloatArray] = []
    points: list[tuple[object, ...]] = []
    wraps: list[tuple[object, ...]] = []
    pairs: list[tuple[int, int]] = []
    point_first, wrap_first, pair_first = [0], [0], [0]
    for m, cord in enumerate(system.cords):
        if len(cord.points) < 2:
            raise DescriptionError(f"{cord.name} has {len(cord.points)} points; a path needs at least two.")
        own: dict[int, int] = {}

        def pair(number: int, own: dict[int, int] = own, m: int = m) -> int:
            if number not in own:
                own[number] = len(pairs)
                pairs.append((m, number))
            return own[number]

        for point in cord.points:
            where = pair(_of(body, point.body, cord.name))
            used, curve, couple = [-1, -1, -1], [-1, -1, -1], [[0, 0], [0, 0], [0, 0]]
            kind = MOVING if point.moves else CONDITIONAL if point.coordinate else FIXED
            if point.coordinate:
                used[0] = _of(coordinate, point.coordinate, cord.name)
            for axis, moving in enumerate(point.curves):
                if moving is not None:
                    used[axis], curve[axis] = _of(coordinate, moving[0], cord.name), len(rows)
                    rows.append(np.asarray(moving[1], dtype=np.float64))
                    couple[axis] = [pair(number) for number in turned[used[axis]]]
            points.append((body[point.body], kind, point.at, used, point.range, curve, where, couple))
        for contact in cord.contacts:
            number = _of(surface, contact.surface, cord.name)
            last = len(cord.points) - 1 if contact.last < 0 else contact.last
            where = pair(_of(body, system.surfaces[number].body, cord.name))
            wraps.append((number, where, (contact.first, last), contact.side, contact.gives))
        point_first.append(len(points))
        wrap_first.append(len(wraps))
        pair_first.append(len(pairs))
    shapes = [_surface(one) for one in system.surfaces]

    def table(
        items: Sequence[tuple[object, ...]], column: int, dtype: type, *shape: int
    ) -> np.ndarray[tuple[int, ...]]:
        return np.array([item[column] for item in items], dtype=dtype).reshape(len(items), *shape)

    tables = PathTables(
        np.array(point_first), table(points, 0, np.int64), table(points, 1, np.int64), table(points, 2, np.float64, 3),
        table(points, 3, np.int64, 3), table(points, 4, np.float64, 2), table(points, 5, np.int64, 3),
        table(points, 6, np.int64), table(points, 7, np.int64, 3, 2), curves(rows),
        np.array(wrap_first), table(wraps, 0, np.int64), table(wraps, 1, np.int64), table(wraps, 2, np.int64, 2),
        table(wraps, 3, np.float64), table(wraps, 4, np.bool_),
        table(shapes, 0, np.int64), np.array([body[one.body] for one in system.surfaces], dtype=np.int64),
        table(shapes, 1, np.int64), table(shapes, 2, np.float64), table(shapes, 3, np.float64, 3),
        table(shapes, 4, np.float64, 3, 3), table(shapes, 5, np.float64, 3),
        np.array(pair_first), np.array([number for _, number in pairs], dtype=np.int64),
    )  # fmt: skip
    return tables, read_only([m for m, _ in pairs], np.int64)


def _surface(surface: Surface) -> tuple[object, ...]:
    """Numbers of a surface, or a sentence about what is wrong with it."""
    name = surface.name
    if surface.kind not in KINDS:
        raise DescriptionError(f"Surface {name} is a {surface.kind}; there are {', '.join(KINDS)}.")
    size = np.zeros(3)
    given = np.asarray(surface.size, dtype=np.float64)
    if given.shape != (SIZES[surface.kind],) or not (given > 0.0).all():
        raise DescriptionError(
            f"Surface {name}: a {surface.kind} needs {SIZES[surface.kind]} positive lengths, not {surface.size}."
        )
    size[: len(given)] = given
    R = np.asarray(surface.attitude, dtype=np.float64)
    if R.shape != (3, 3) or not np.allclose(R.T @ R, np.eye(3), atol=1e-9) or np.linalg.det(R) < 0.0:
        raise DescriptionError(f"Surface {name} is turned inside out: its axes must be a right-handed frame.")
    axis, sign = -1, 1.0
    if surface.active:
        letter = surface.active.removeprefix("-")
        if letter not in ("x", "y", "z") or (letter == "z" and surface.kind == "cylinder"):
            raise DescriptionError(f"Surface {name}: {surface.active} is not a side of a {surface.kind}.")
        axis, sign = "xyz".index(letter), -1.0 if surface.active.startswith("-") else 1.0
    return KINDS[surface.kind], axis, sign, surface.centre, R, size


def _numbers(names: Sequence[str], what: str) -> dict[str, int]:
    found = {name: number for number, name in enumerate(names)}
    if len(found) != len(names):
        twice = sorted({name for name in names if list(names).count(name) > 1})
        raise DescriptionError(f"Two paths, bodies or surfaces share a name: {what} {', '.join(twice)}.")
    return found


def _of(numbers: Mapping[str, int], name: str, cord: str) -> int:
    if name not in numbers:
        raise DescriptionError(
            f"{cord} refers to {name}, which does not exist; there are {', '.join(numbers) or 'none'}."
        )
    return numbers[name]
