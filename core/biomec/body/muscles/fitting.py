"""A muscle set on a person: which elements the model can carry, their paths in its segments, their parameters.

Fibres and tendons grow with the path: ρ = L(person)/L(source) in the static pose, both skeletons in the same attitudes;
lopt ← ρ lopt, lts ← ρ lts (theory §1.2).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, warning
from biomec.body.anatomy.model_file import MODELS
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.muscles.coverage import carried
from biomec.body.muscles.muscle_set import Muscle, MuscleSet, MuscleSource, SourceCoordinate
from biomec.body.muscles.options import MuscleFit
from biomec.body.muscles.scaling import SegmentScale, segment_scale
from biomec.body.muscles.sign_screen import SignFinding, screen_signs, sign_notices
from biomec.body.muscles.strength import strong
from biomec.body.muscles.transfer import MIRROR, Placed, cord_of, placed, sided, surface_of
from biomec.engine.forces.hill_muscle import HillParameters
from biomec.engine.paths.cords import Coordinate, Cords, Surface
from biomec.engine.rotations import cardan, joint_coordinate_system
from biomec.engine.tree.joint_tree import chained_origins, joint_tree
from biomec.recording.marker_set import Side

STANDARD_MODEL = "m21"  # its segments have the axes in which maps are given


@dataclass(frozen=True, eq=False)
class SourceAngle:
    """A source coordinate on a side of a person.

    proximal, distal : indices of segments; axes_p, axes_d : (3, 3) the source's axes in them, mirrored on the left
    """

    definition: SourceCoordinate
    side: Side | None
    proximal: int
    distal: int
    axes_p: FloatArray
    axes_d: FloatArray

    def of(self, R: FloatArray) -> tuple[FloatArray, FloatArray]:
        """θ (T,) [rad] and a (T, 3) with θ̇ = a·(ω_distal − ω_proximal), of attitudes R (T, B, 3, 3)."""
        E = MIRROR if self.side is Side.LEFT else np.ones(3)
        P, D = (
            E[:, None] * (R[:, body] @ axes)
            for body, axes in ((self.proximal, self.axes_p), (self.distal, self.axes_d))
        )
        k, sign, sequence = self.definition.component, self.definition.sign, self.definition.sequence
        theta = sign * cardan(np.swapaxes(P, -1, -2) @ D, sequence)[:, k]
        e = joint_coordinate_system(P, D, sequence)
        across = np.cross(e[(k + 1) % 3], e[(k + 2) % 3])
        with np.errstate(divide="ignore", invalid="ignore"):
            axis = sign * across / np.sum(e[k] * across, axis=-1, keepdims=True)
        if self.side is Side.LEFT:  # of a mirrored motion, ω′ = −E ω
            axis = -E * axis
        return theta, axis


@dataclass(frozen=True, eq=False)
class FittedMuscles:
    """Muscles of a person, M of them, on the B segments of the person's model.

    muscles  : (M,) with lopt, lts and fmax of the person; `original` has those of the set
    cords    : their paths in the axes of the segments, for `biomec.engine.paths`
    angles   : (K,) the source coordinates on which paths depend, in the order of ``cords.coordinates``
    scales   : how segments were stretched
    rho      : (M,) length of the path over that of the source
    left_out : muscle -> why the model cannot carry it
    signs    : muscles that turn a joint the wrong way, the worst first
    """

    person: SubjectModel
    set_name: str
    muscles: tuple[Muscle, ...]
    original: tuple[Muscle, ...]
    cords: Cords
    angles: tuple[SourceAngle, ...]
    scales: tuple[SegmentScale, ...]
    rho: FloatArray
    left_out: dict[str, str]
    options: MuscleFit
    signs: tuple[SignFinding, ...]
    notices: tuple[Notice, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """(M,) of the muscles."""
        return tuple(muscle.name for muscle in self.muscles)

    @cached_property
    def fmax(self) -> FloatArray:
        """(M,) greatest isometric forces [N]."""
        return read_only([muscle.fmax for muscle in self.muscles])

    @cached_property
    def lopt(self) -> FloatArray:
        """(M,) optimal fibre lengths [m]."""
        return read_only([muscle.lopt for muscle in self.muscles])

    @cached_property
    def lts(self) -> FloatArray:
        """(M,) slack lengths of the tendons [m]."""
        return read_only([muscle.lts for muscle in self.muscles])

    @cached_property
    def pennation(self) -> FloatArray:
        """(M,) at the optimal fibre length [rad]."""
        return read_only([muscle.pennation for muscle in self.muscles])

    @cached_property
    def vmax(self) -> FloatArray:
        """(M,) greatest shortening speed [lopt/s]."""
        return read_only([muscle.vmax for muscle in self.muscles])

    @property
    def hill(self) -> HillParameters:
        """The same for the muscle model of the engine."""
        return HillParameters(self.fmax, self.lopt, self.lts, self.pennation, self.vmax)

    @cached_property
    def mirror(self) -> IntArray:
        """(M,) index of the same muscle of the other side; −1 where there is none."""
        other = {"_r": "_l", "_l": "_r"}
        return read_only(
            [self.names.index(n) if (n := name[:-2] + other.get(name[-2:], "")) in self.names and n != name else -1
             for name in self.names], np.int64)  # fmt: skip

    def source_angles(self, R: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coordinates θ (T, K) [rad] and axes a (T, K, 3) on which paths depend, of attitudes R (T, B, 3, 3)."""
        return source_angles(self.angles, R)


def source_angles(angles: Sequence[SourceAngle], R: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Values (T, K) [rad] and axes (T, K, 3) of K source coordinates, of attitudes R (T, B, 3, 3)."""
    theta, axes = np.empty((len(R), len(angles))), np.empty((len(R), len(angles), 3))
    for k, angle in enumerate(angles):
        theta[:, k], axes[:, k] = angle.of(R)
    return theta, axes


def fit_muscles(person: SubjectModel, muscle_set: MuscleSet, options: MuscleFit = MuscleFit()) -> FittedMuscles:
    """Lay a muscle set on a person's model. What the model cannot carry (`coverage`) is left out, with one notice."""
    bodies = tuple(person.system.layout.bodies)
    fitter = _Fitter(person, bodies, options)
    kept, left_out = carried(muscle_set.muscles, fitter.missing)
    if not kept:
        raise BiomecError(
            f"None of the muscles of {muscle_set.title} fits the model {person.model.title}: "
            f"{next(iter(left_out.values()))}. Choose another model or another muscle set."
        )
    angles, coordinates = fitter.angles(kept)
    cords = [cord_of(muscle, muscle.name, fitter.places(muscle)) for muscle in kept]
    reference = [cord_of(muscle, muscle.name, fitter.places(muscle, unscaled=True)) for muscle in kept]
    built = Cords(bodies, tuple(cords), fitter.surfaces(kept), coordinates)
    unscaled = Cords(bodies, tuple(reference), fitter.surfaces(kept, unscaled=True), coordinates)
    rho = _growth(person, built, unscaled, fitter, angles, [fitter.stretched(muscle) for muscle in kept])
    grown = tuple(replace(m, lopt=m.lopt * r, lts=m.lts * r) for m, r in zip(kept, rho, strict=True))
    grown = strong(grown, person, options.strength)
    signs = screen_signs(person, grown, built, lambda R: source_angles(angles, R))
    notices = [*muscle_set.notices, *_notices(muscle_set, fitter.scales, left_out), *sign_notices(signs)]
    return FittedMuscles(
        person, muscle_set.name, grown, tuple(kept), built, angles, tuple(fitter.scales.values()), read_only(rho),
        left_out, options, signs, tuple(notices),
    )  # fmt: skip


Stretched = tuple[tuple[str, tuple[float, ...]], ...]
"""Segments and their factors along x, y, z."""


class _Fitter:
    """Places of source bodies in a person's segments, each computed once."""

    def __init__(self, person: SubjectModel, bodies: tuple[str, ...], options: MuscleFit) -> None:
        self.person, self.bodies, self.options = person, bodies, options
        self.scales: dict[tuple[str, str, str], SegmentScale] = {}
        self._placed: dict[tuple[str, str, Side | None, bool], Placed] = {}

    def segment(self, source: MuscleSource, body: str, side: Side | None) -> str:
        """Name of the segment that carries a source body."""
        return source.maps[body].segment.replace("*", (side or Side.RIGHT).value)

    def missing(self, muscle: Muscle) -> str:
        """Why the model cannot carry a muscle; empty if it can."""
        for body in _bodies(muscle):
            if body not in muscle.source.maps:
                return f"the place of {body} of {muscle.source.title} in a segment is not known"
            if muscle.source.maps[body].confidence == "none":
                return f"{body} of {muscle.source.title} moves in every segment"
            segment = self.segment(muscle.source, body, muscle.side)
            if segment not in self.bodies:
                return f"the model has no {segment}"
        for name in _coordinates(muscle):
            if name not in muscle.source.coordinates:
                return f"the coordinate {name} of {muscle.source.title} is not known"
            angle = muscle.source.coordinates[name]
            for body in (angle.proximal, angle.distal):
                segment = self.segment(muscle.source, body, muscle.side)
                if segment not in self.bodies:
                    return f"the model has no {segment}"
        return ""

    def places(self, muscle: Muscle, *, unscaled: bool = False) -> dict[str, Placed]:
        """Place of every body that a muscle touches."""
        return {body: self.place(muscle.source, body, muscle.side, unscaled) for body in _bodies(muscle)}

    def place(self, source: MuscleSource, body: str, side: Side | None, unscaled: bool = False) -> Placed:
        """Place of a source body in its segment; ``unscaled`` shrinks everything back by the segment's factors."""
        key = (source.name, body, side, unscaled)
        if key not in self._placed:
            one, segment = source.maps[body], self.segment(source, body, side)
            origin, turned = self.standard(segment)
            anchor = one.anchor_point.replace("*", "E" if side is Side.LEFT else "D") or origin
            code = "E" if side is Side.LEFT else "D"
            landmarks = {name: self.local(segment, f"{name}_{code}") for name in one.landmarks
                         if np.isfinite(self.person.static.get(f"{name}_{code}", np.nan)).all()}  # fmt: skip
            factors, at = self.factors(source, body, side), self.local(segment, anchor)
            found = placed(one, segment, side, factors, at, turned, landmarks)
            self._placed[key] = found.shrunk() if unscaled else found
        return self._placed[key]

    def standard(self, segment: str) -> tuple[str, FloatArray]:
        """Origin and axes (3, 3) of the standard frame of a segment, in the segment's own axes.

        They are those of the whole-body model, from the landmarks of the static pose; a model that builds a segment
        otherwise, as Plug-in Gait does with shanks, is thus given the muscles where its bones are. The segment's own
        where landmarks are missing.
        """
        own = self.person.system.layout.bodies[segment]
        definitions = MODELS.load(STANDARD_MODEL).segments
        for one in definitions:
            if one.name == segment:
                for frame in one.frames:
                    if all(point in self.person.static for point in frame.landmarks):
                        R = np.asarray(own.attitude).T @ frame.attitude(self.person.static, one.sign)
                        if np.isfinite(R).all():
                            return frame.origin, R
                return one.frames[0].origin, np.eye(3)
        return "", np.eye(3)

    def factors(self, source: MuscleSource, body: str, side: Side | None) -> FloatArray:
        """Factors (3,) of a source body: by its own references, or those of the other bodies in its segment."""
        if self.options.scaling == "none":
            return np.ones(3)
        one, segment = source.maps[body], self.segment(source, body, side)
        alike = [one] if one.reference else [m for m in source.maps.values() if m.segment == one.segment]
        owner = next((m.body for m in alike if m.reference), one.body)
        key = (source.name, owner, segment)
        if key not in self.scales:
            self.scales[key] = segment_scale(self.person, alike, segment, side)
        return self.scales[key].factors

    def local(self, segment: str, point: str) -> FloatArray:
        """Place (3,) of a point of the static pose in the axes of a segment [m]."""
        points = self.person.system.layout.bodies[segment].points
        if point in points:
            return np.asarray(points[point])
        if point not in self.person.static:
            return np.zeros(3)
        definition = self.person.frames[segment]
        sign = next(one.sign for one in self.person.segments if one.name == segment)
        R = definition.attitude(self.person.static, sign)
        return np.asarray(R.T @ (self.person.static[point] - self.person.static[definition.origin]))

    def surfaces(self, muscles: Iterable[Muscle], *, unscaled: bool = False) -> tuple[Surface, ...]:
        """Surfaces that muscles touch, each once a side."""
        found: dict[str, Surface] = {}
        for muscle in muscles:
            for use in muscle.wraps:
                name = sided(muscle, use.wrap)
                if name not in found:
                    wrap = muscle.source.wraps[use.wrap]
                    found[name] = surface_of(name, wrap, self.place(muscle.source, wrap.body, muscle.side, unscaled))
        return tuple(found.values())

    def angles(self, muscles: Iterable[Muscle]) -> tuple[tuple[SourceAngle, ...], tuple[Coordinate, ...]]:
        """Source coordinates that paths depend on, each once a side."""
        found: dict[str, SourceAngle] = {}
        for muscle in muscles:
            for name in _coordinates(muscle):
                key = sided(muscle, name)
                if key not in found:
                    angle = muscle.source.coordinates[name]
                    ends = [self.bodies.index(self.segment(muscle.source, body, muscle.side))
                            for body in (angle.proximal, angle.distal)]  # fmt: skip
                    axes = [self.place(muscle.source, body, muscle.side).axes
                            for body in (angle.proximal, angle.distal)]  # fmt: skip
                    found[key] = SourceAngle(angle, muscle.side, ends[0], ends[1], axes[0], axes[1])
        named = (Coordinate(key, self.bodies[one.proximal], self.bodies[one.distal]) for key, one in found.items())
        return tuple(found.values()), tuple(named)

    def stretched(self, muscle: Muscle) -> Stretched:
        """How the segments of its source were stretched; those of a muscle by the body with most of its points."""
        on = Counter(point.body for point in muscle.points)
        found = {one.segment: one.factors for key, one in self.scales.items() if key[0] == muscle.source.name}
        for body in sorted(_bodies(muscle), key=lambda body: on[body]):
            found[self.segment(muscle.source, body, muscle.side)] = self.factors(muscle.source, body, muscle.side)
        return tuple(sorted((segment, tuple(factors.tolist())) for segment, factors in found.items()))

    def shrunk_positions(self, R: FloatArray, own: Stretched) -> FloatArray:
        """Origins (B, 3) of the segments of a source's skeleton in attitudes R (B, 3, 3), joint to joint.

        own : factors of the segments of that source; others are stretched as in the mean of all sources
        """
        back = np.tile(np.eye(3), (len(self.bodies), 1, 1))
        for k, name in enumerate(self.bodies):
            others = [one.factors for one in self.scales.values() if one.segment == name]
            if others:
                factors = dict(own).get(name, np.mean(others, axis=0))
                Q = self.standard(name)[1]
                back[k] = Q @ np.diag(1.0 / np.asarray(factors)) @ Q.T
        tree = joint_tree(self.person.system, self.person.model.roots)
        return np.asarray(chained_origins(tree, R[None], back)[0])


def _bodies(muscle: Muscle) -> tuple[str, ...]:
    """Bodies of points and surfaces."""
    wraps = (muscle.source.wraps[use.wrap].body for use in muscle.wraps)
    return tuple(dict.fromkeys([*(point.body for point in muscle.points), *wraps]))


def _coordinates(muscle: Muscle) -> tuple[str, ...]:
    """Coordinates that points depend on."""
    moving = (curve[0] for point in muscle.points for curve in point.curves if curve is not None)
    return tuple(dict.fromkeys([*(point.coordinate for point in muscle.points if point.coordinate), *moving]))


def _growth(
    person: SubjectModel,
    cords: Cords,
    reference: Cords,
    fitter: _Fitter,
    angles: tuple[SourceAngle, ...],
    stretched: list[Stretched],
) -> FloatArray:
    """ρ (M,): length of each path in the static pose over that of its source's skeleton in the same attitudes.

    stretched : (M,) how their segments were; a humerus of one source is not as long as that of another
    """
    bodies = person.system.layout.bodies
    R = np.stack([np.asarray(bodies[name].attitude) for name in cords.bodies])[None]
    p = np.stack([np.asarray(bodies[name].position) for name in cords.bodies])[None]
    theta = np.nan_to_num(source_angles(angles, R)[0])
    own = cords.trace(R, p, theta=theta).length[0]
    there = np.empty_like(own)
    for own_factors in dict.fromkeys(stretched):
        its = [m for m, one in enumerate(stretched) if one == own_factors]
        there[its] = reference.trace(R, fitter.shrunk_positions(R[0], own_factors)[None], theta=theta).length[0, its]
    return np.asarray(own / there)


def _notices(
    muscle_set: MuscleSet, scales: dict[tuple[str, str, str], SegmentScale], left_out: dict[str, str]
) -> list[Notice]:
    """One sentence each about what was left out, clipped, or could not be measured."""
    found = []
    if left_out:
        reasons = list(dict.fromkeys(left_out.values()))
        names = ", ".join(list(left_out)[:4]) + (" …" if len(left_out) > 4 else "")
        found.append(
            info(
                "muscles-left-out",
                f"{len(left_out)} of the {len(muscle_set.muscles)} muscles of {muscle_set.title} are left out "
                f"({names}), because {'; '.join(reasons[:3])}.",
                *left_out,
            )
        )
    clipped = [f"{one.segment} ({', '.join(one.clipped)})" for one in scales.values() if one.clipped]
    if clipped:
        found.append(
            warning(
                "muscle-scale-clipped",
                f"Muscle paths were stretched by the limit of 0.8 or 1.25 along axes of {', '.join(clipped)}: these "
                "segments are far from the size of the source. Check the markers of the static pose; moment arms there "
                "are less certain.",
                *(one.segment for one in scales.values() if one.clipped),
            )
        )
    unknown = [f"{one.segment} ({', '.join(one.missing)})" for one in scales.values() if one.missing]
    if unknown:
        found.append(
            info(
                "muscle-scale-unknown",
                "The static pose lacks lengths by which muscle paths are scaled; other lengths of the same "
                f"segment stand in: {'; '.join(unknown)}.",
                *(one.segment for one in scales.values() if one.missing),
            )
        )
    return found
