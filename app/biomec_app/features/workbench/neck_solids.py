"""Head and neck as simple solids, with ligaments and muscles as lines, over the moments of a run. Without Qt.

The solids only show where a bone is; the sizes of theirs that matter are the points of ligaments, muscles and contacts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.errors import BiomecError
from biomec.machines.head_neck.impact import Blow
from biomec.machines.head_neck.measures import strain_limit
from biomec.machines.head_neck.model import HEAD, HeadNeck
from biomec.machines.head_neck.study import model_of
from biomec.machines.study import Run
from biomec_app.viewer.meshes import SurfaceMesh, ellipsoid, loft

UPRIGHT = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # turns Y, about which meshes are made, to Z
BONE, DISC, HEAD_PART = "bone", "disc", "head"
END_PLATE, DEEP, WIDE = 5.5e-3, 8.0e-3, 11.0e-3  # half height, depth and width of a vertebral body [m]
ROUND = 12  # points around a vertebral body
MM = 1e-3
CRANIUM = (0.0, 0.0, 20.0), (94.0, 74.0, 68.0)  # middle from the head's centre of mass, half axes [mm]
FACE = (42.0, 0.0, -34.0), (47.0, 56.0, 66.0)
VERTEBRA = (
    ((-14.0, 20.0, -1.0), (6.0, 5.5, 8.0)), ((-14.0, -20.0, -1.0), (6.0, 5.5, 8.0)),
    ((-21.0, 0.0, -1.0), (4.0, 19.0, 5.0)), ((-34.0, 0.0, -4.5), (12.0, 3.0, 4.5)),
)  # fmt: skip
ATLAS = (
    ((-2.0, 20.0, -2.0), (9.0, 7.0, 7.0)), ((-2.0, -20.0, -2.0), (9.0, 7.0, 7.0)), ((9.0, 0.0, 0.0), (3.0, 17.0, 5.0)),
    ((-31.0, 0.0, 0.0), (4.0, 17.0, 4.5)), ((-17.0, 19.0, 0.0), (15.0, 3.5, 4.0)),
    ((-17.0, -19.0, 0.0), (15.0, 3.5, 4.0)),
)  # fmt: skip
DENS = (((3.0, 0.0, 14.0), (4.5, 4.5, 12.0)),)
"""Ellipsoids of a bone: middle and half axes in its axes [mm]."""


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles of all bones, discs and the head.

    points : (V, 3) in the axes of their bodies [m];  bodies : (V,);  faces : (F, 3);  kinds : (F,) of `BONE` …
    """

    points: FloatArray
    bodies: IntArray
    faces: IntArray
    kinds: np.ndarray


@dataclass(frozen=True, eq=False)
class Lines:
    """Straight pieces of ligaments or muscles.

    bodies : (S, 2);  points : (S, 2, 3) in their axes [m];  element : (S,) the ligament or muscle of each
    """

    bodies: IntArray
    points: FloatArray
    element: IntArray


@dataclass(frozen=True, eq=False)
class NeckSolids:
    """The model over the moments of a run, or in its initial pose.

    R, p     : (T, B, 3, 3), (T, B, 3) of T1 and the bones [m]
    strain   : (T, N) of ligaments;  limit : (N,) at failure
    force    : (T, N) of ligaments, pull : (T, M) of muscles [N];  blow_N : (T,)
    """

    model: HeadNeck
    surface: Surface
    ligaments: Lines
    muscles: Lines
    time_s: FloatArray
    R: FloatArray
    p: FloatArray
    strain: FloatArray
    limit: FloatArray
    force: FloatArray
    pull: FloatArray
    blow_N: FloatArray

    def at(self, time_s: float) -> Moment:
        """The moment, between two states a straight blend of both."""
        last = len(self.time_s) - 1
        k = int(np.clip(np.searchsorted(self.time_s, time_s, side="right") - 1, 0, max(last - 1, 0)))
        after = min(k + 1, last)
        span = float(self.time_s[after] - self.time_s[k])
        share = float(np.clip((time_s - self.time_s[k]) / span, 0.0, 1.0)) if span > 0.0 else 0.0

        def now(values: FloatArray) -> Any:
            return (1.0 - share) * values[k] + share * values[after]

        R, p = now(self.R), now(self.p)

        def placed(bodies: IntArray, points: FloatArray) -> FloatArray:
            return np.asarray(np.einsum("...ij,...j->...i", R[bodies], points) + p[bodies])

        return Moment(
            placed(self.surface.bodies, self.surface.points), placed(self.ligaments.bodies, self.ligaments.points),
            placed(self.muscles.bodies, self.muscles.points), R, p, now(self.strain), now(self.force), now(self.pull),
            float(now(self.blow_N)),
        )  # fmt: skip

    @property
    def most(self) -> tuple[float, float, float]:
        """Greatest strain and force of a ligament and greatest force of a muscle, for scales that stay as it moves."""
        return tuple(float(max(one.max(initial=0.0), 0.0)) for one in (self.strain, self.force, self.pull))  # type: ignore[return-value]

    @property
    def head(self) -> int:
        """Number of the head among the bodies."""
        return self.model.names.index(HEAD)


@dataclass(frozen=True, eq=False)
class Moment:
    """Places in axes of T1 [m]: (V, 3) of the surface, (S, 2, 3) of lines, attitudes and origins of bodies; loads."""

    points: FloatArray
    ligaments: FloatArray
    muscles: FloatArray
    R: FloatArray
    p: FloatArray
    strain: FloatArray
    force: FloatArray
    pull: FloatArray
    blow_N: float


def still(model: HeadNeck) -> NeckSolids:
    """The model in its initial pose, without loads."""
    R, p = (np.array([one[name] for name in model.names])[None] for one in (model.R, model.p))
    N, M = len(model.ligaments), len(model.muscles)
    return _solids(model, np.zeros(1), R, p, np.zeros((1, N)), np.zeros((1, N)), np.zeros((1, M)), np.zeros(1))


def of_run(run: Run) -> NeckSolids:
    """What a run of `head-impact` found; its model is read again."""
    model = known_model(run.options)
    there = {one.name for one in run.curves}
    wanted = {one.name for one in model.ligaments} | {one.name for one in model.muscles}
    if not wanted <= there or not set(model.names[1:]) <= set(run.poses):
        raise BiomecError("The files of its model have changed since. Run it again.")
    named = {(one.group, one.name): np.asarray(one.values) for one in run.curves}
    frames = len(run.time_s)
    first = np.tile(np.eye(3, 4), (frames, 1, 1))
    poses = np.stack([first, *(np.asarray(run.poses[name])[:frames] for name in model.names[1:])], axis=1)

    def gathered(group: str, elements: Sequence[Any]) -> FloatArray:
        return np.column_stack([named[group, one.name] for one in elements])

    return _solids(
        model, np.asarray(run.time_s), poses[..., :3], poses[..., 3], gathered("Ligament strain", model.ligaments),
        gathered("Ligament force", model.ligaments), gathered("Muscle force", model.muscles), named["Blow", "force"],
    )  # fmt: skip


def known_model(options: Any) -> HeadNeck:
    """The model of a study's options."""
    return model_of(options, options.folder)


def _solids(model: HeadNeck, time_s: FloatArray, R: FloatArray, p: FloatArray, strain: FloatArray, force: FloatArray,
            pull: FloatArray, blow_N: FloatArray) -> NeckSolids:  # fmt: skip
    number = {name: k for k, name in enumerate(model.names)}
    ligaments = Lines(
        np.array([[number[one.lower], number[one.upper]] for one in model.ligaments]),
        np.array([[one.lower_point, one.upper_point] for one in model.ligaments]),
        np.arange(len(model.ligaments)),
    )
    bodies, points, element = [], [], []
    for m, muscle in enumerate(model.muscles):
        for k in range(len(muscle.bodies) - 1):
            bodies.append([number[muscle.bodies[k]], number[muscle.bodies[k + 1]]])
            points.append(muscle.points[k : k + 2])
            element.append(m)
    limit = np.array([strain_limit(one.name) for one in model.ligaments])
    return NeckSolids(
        model, surface(model), ligaments, Lines(np.array(bodies), np.array(points), np.array(element)), time_s, R, p,
        strain, limit, force, pull, blow_N,
    )  # fmt: skip


def surface(model: HeadNeck) -> Surface:
    """The solids of a model."""
    number = {name: k for k, name in enumerate(model.names)}
    points: list[FloatArray] = []
    bodies: list[IntArray] = []
    faces: list[IntArray] = []
    kinds: list[str] = []

    def add(mesh: SurfaceMesh, own: int | IntArray, kind: str) -> None:
        faces.append(mesh.faces + sum(len(one) for one in points))
        points.append(mesh.points)
        bodies.append(np.broadcast_to(own, len(mesh.points)).astype(np.int64))
        kinds.extend([kind] * len(mesh.faces))

    for name in model.names:
        if name == HEAD:
            for mesh in head_solids(tuple(model.head_com)):
                add(mesh, number[name], HEAD_PART)
            continue
        for mesh in _vertebra(name):
            add(mesh, number[name], BONE)
    for disc in model.discs:
        add(_disc(), np.repeat([number[disc.lower], number[disc.upper]], ROUND), DISC)
    return Surface(np.concatenate(points), np.concatenate(bodies), np.concatenate(faces), np.array(kinds))


@lru_cache(maxsize=8)
def head_solids(com: tuple[float, float, float]) -> tuple[SurfaceMesh, ...]:
    """Cranium and face around a centre of mass [m], in the head's axes."""
    return tuple(
        ellipsoid(np.array(com) + MM * np.array(middle), UPRIGHT, MM * np.array(half)[[0, 2, 1]], 11, 20)
        for middle, half in (CRANIUM, FACE)
    )


@lru_cache(maxsize=16)
def _vertebra(name: str) -> tuple[SurfaceMesh, ...]:
    parts = {"C1": ATLAS, "C2": VERTEBRA + DENS}.get(name, VERTEBRA)
    made = [ellipsoid(MM * np.array(middle), UPRIGHT, MM * np.array(half)[[0, 2, 1]], 4, 7) for middle, half in parts]
    if name != "C1":
        heights, size = END_PLATE * np.array([-1.0, 1.0]), np.ones(2)
        body = loft(heights, WIDE * size, DEEP * size, sectors=ROUND, ends=(-END_PLATE, END_PLATE))
        made.append(body.moved(UPRIGHT))
    return tuple(made)


@lru_cache(maxsize=1)
def _disc() -> SurfaceMesh:
    """A band from the upper end of the bone below to the lower end of the one above, each in its own axes."""
    size = np.array([0.97, 0.97])
    band = loft(np.array([0.0, 1.0]), WIDE * size, DEEP * size, sectors=ROUND, ends=None)
    upright = band.moved(UPRIGHT)
    upright.points[:ROUND, 2], upright.points[ROUND:, 2] = END_PLATE, -END_PLATE
    return upright


@dataclass(frozen=True, eq=False)
class Touched:
    """A place on the head: point from its centre of mass, in its axes [m], and outward normal, in axes of T1."""

    point: FloatArray
    normal: FloatArray


def touched_head(solids: NeckSolids, moment: Moment, origin: FloatArray, way: FloatArray) -> Touched | None:
    """Where a line of sight from an origin (3,) in a direction (3,), in axes of T1, first meets the head.

    For |A(o + s d − m)|² = 1 with A = diag(1/half axes) in the head's axes, s is the smaller root.
    """
    R, p, com = moment.R[solids.head], moment.p[solids.head], solids.model.head_com
    o, d = R.T @ (origin - p) - com, R.T @ way
    best: tuple[float, Touched] | None = None
    for middle, half in (CRANIUM, FACE):
        size = MM * np.array(half)
        a, b = d / size, (o - MM * np.array(middle)) / size
        square, mixed, rest = a @ a, a @ b, b @ b - 1.0
        inside = mixed * mixed - square * rest
        if inside <= 0.0:
            continue
        s = float((-mixed - np.sqrt(inside)) / square)
        normal = (b + s * a) / size
        if best is None or s < best[0]:
            best = s, Touched(o + s * d, R @ (normal / np.linalg.norm(normal)))
    return None if best is None else best[1]


def arrow(solids: NeckSolids, moment: Moment, blow: Blow, length: float = 0.07) -> FloatArray:
    """Tail and tip (2, 3) of an arrow for a blow, in axes of T1 [m]."""
    tip = moment.p[solids.head] + moment.R[solids.head] @ (solids.model.head_com + np.asarray(blow.point))
    return np.array([tip - length * np.asarray(blow.direction), tip])
