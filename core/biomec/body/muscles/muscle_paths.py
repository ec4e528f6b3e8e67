"""Paths of a person's muscles in a motion: lengths, speeds, pulls on segments, moment arms, lines for drawing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, warning
from biomec.base.progress import Progress
from biomec.body.anatomy.model import STANDARD, AngleDefinition
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.joint_angles import HINGE
from biomec.body.kinematics.segment_motion import SegmentMotion, segment_motion
from biomec.body.muscles.crossings import pulls_beyond
from biomec.body.muscles.fitting import FittedMuscles, fit_muscles
from biomec.body.muscles.muscle_set import MuscleSet
from biomec.body.muscles.options import MuscleFit
from biomec.body.muscles.set_file import load_muscle_set
from biomec.engine.paths.columns import natural_columns
from biomec.engine.paths.cords import CordPaths
from biomec.engine.paths.surfaces import FLIPPED, GAVE, INSIDE, UNSOLVED
from biomec.engine.rotations import joint_coordinate_system
from biomec.engine.tree.joint_tree import JointTree, joint_tree, path_signs

SHOWN = 5  # muscles that a notice lists
FIBRE_RANGE = (0.4, 1.6)  # of the optimal length, within which a fitted set should work


@dataclass(frozen=True, eq=False)
class MuscleArms:
    """Moment arms of all muscles about the axes of one joint.

    names : (C,) joint and positive direction, such as "right knee flexion"
    axes  : (T, C, 3) axes about which the angles turn, in the laboratory, in the positive direction
    arms  : (T, C, M) r = −∂L/∂θ [m]: positive where the muscle pulls the angle in the positive direction
    """

    joint: str
    names: tuple[str, ...]
    axes: FloatArray
    arms: FloatArray


@dataclass(frozen=True, eq=False)
class MusclePaths:
    """Paths of M muscles over the S segments of a model in T frames. Arrays are read-only, NaN where unknown.

    fitted : muscles with the person's parameters; the order of all arrays
    length : (T, M) of muscle and tendon [m]
    speed  : (T, M) lengthening [m/s]; NaN without velocities
    pair_muscle, pair_segment : (P,) every muscle with each segment on which it pulls, as indices into ``names`` and
             ``segments``; pairs of a muscle stand together
    pull   : (T, P, 6) what 1 N of tension does to that segment: force [N/N], then moment about the origin of the
             laboratory [m], in laboratory axes. Over the segments of a muscle they add up to zero, so that muscles are
             internal forces. With muscle forces F (T, M), the load on segment s is Σ F[:, pair_muscle[k]] pull[:, k]
             over its pairs k.
    status : (T, M) bits of `biomec.engine.paths.surfaces` (WRAPPED, INSIDE, FLIPPED, UNSOLVED, MISSING, KEPT, GAVE)
    q      : (T, n) coordinates of the motion
    """

    fitted: FittedMuscles
    paths: CordPaths
    motion: SegmentMotion
    q: FloatArray
    origin: FloatArray
    theta: FloatArray
    notices: tuple[Notice, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """(M,) of the muscles."""
        return self.fitted.names

    @property
    def segments(self) -> tuple[str, ...]:
        """(S,) of the model."""
        return self.motion.names

    @property
    def length(self) -> FloatArray:
        """(T, M) of muscle and tendon [m]."""
        return self.paths.length

    @property
    def speed(self) -> FloatArray:
        """(T, M) lengthening [m/s]."""
        return self.paths.speed

    @property
    def pull(self) -> FloatArray:
        """(T, P, 6) force and moment about the laboratory's origin of 1 N of tension, on the segment of each pair."""
        return self.paths.pull

    @property
    def status(self) -> IntArray:
        """(T, M) bits of `biomec.engine.paths.surfaces`."""
        return self.paths.status

    @property
    def pair_muscle(self) -> IntArray:
        """(P,) index of the muscle of each pair."""
        return self.paths.pair_cord

    @property
    def pair_segment(self) -> IntArray:
        """(P,) index of the segment of each pair."""
        return self.paths.pair_body

    @cached_property
    def tree(self) -> JointTree:
        """Joints of the model from the ends to the root."""
        return joint_tree(self.fitted.person.system, self.fitted.person.model.roots)

    def moment(self, joint: str) -> FloatArray:
        """(T, M, 3) moment about the centre of a joint that 1 N of each muscle exerts on all that lies distally [m].

        Zero for muscles that do not cross the joint. Closed loops are cut at the ribs: the shoulder blade hangs on the
        collar bone.
        """
        return self._across(joint)[1]

    def force(self, joint: str) -> FloatArray:
        """(T, M, 3) force that 1 N of each muscle exerts on all that lies distally of a joint [-]."""
        return self._across(joint)[0]

    def _across(self, joint: str) -> tuple[FloatArray, FloatArray]:
        tree = self.tree
        if joint not in tree.names:
            raise BiomecError(f"The model has no joint {joint}; there are {', '.join(tree.names)}.")
        found = tree.joints[tree.names.index(joint)]
        beyond = path_signs(tree)[:, tree.names.index(joint)] != 0.0
        total = pulls_beyond(self.pull, self.pair_muscle, self.pair_segment, len(self.names), beyond)
        total *= found.sign  # where the distal segment is nearer to the root, the pull on it is the opposite one
        centre = self.fitted.person.system.layout.point(found.parent_point)(self.q)
        force = total[..., :3]
        return force, total[..., 3:] - np.cross(centre[:, None], force)

    def arms(self, joint: str) -> MuscleArms:
        """Moment arms about the axes of the angles of a joint."""
        definition = self._angles(joint)
        moment = self.moment(joint)
        P, D = (self.motion.R_WB[:, self.motion.index(name)] for name in (definition.proximal, definition.distal))
        if definition.sequence == HINGE:
            axis = self.fitted.person.joint_axes().get(joint)
            e = [np.einsum("tij,j->ti", P, axis)] * 3 if axis is not None else [np.full((len(P), 3), np.nan)] * 3
            sign = np.sign(np.sum(e[0] * np.stack(joint_coordinate_system(P, D, definition.zero))[
                definition.components[0].index], axis=-1, keepdims=True))  # fmt: skip
            e = [sign * one for one in e]
        else:
            e = list(joint_coordinate_system(P, D, definition.sequence))
        axes = np.stack([part.sign * e[part.index] for part in definition.components], axis=1)
        names = tuple(f"{joint} {part.positive}" for part in definition.components)
        return MuscleArms(joint, names, read_only(axes), read_only(np.einsum("tci,tmi->tcm", axes, moment)))

    def _angles(self, joint: str) -> AngleDefinition:
        for one in self.fitted.person.model.angles:
            if one.joint == joint and one.convention == STANDARD:
                return one
        raise BiomecError(f"The model defines no angles of {joint}, so there are no moment arms about them.")

    @property
    def joints(self) -> tuple[str, ...]:
        """Joints of the model that some muscle crosses and that have angles, from the root outwards."""
        defined = {one.joint for one in self.fitted.person.model.angles if one.convention == STANDARD}
        found = []
        for one in reversed(self.tree.joints):
            ends = {one.child}
            for other in reversed(self.tree.joints):
                if other.parent in ends:
                    ends.add(other.child)
            inside = np.isin(self.pair_segment, list(ends))
            crossed = np.bincount(self.pair_muscle, weights=inside) * np.bincount(self.pair_muscle, weights=~inside)
            if one.name in defined and (crossed > 0).any():
                found.append(one.name)
        return tuple(found)

    def joint_centre(self, joint: str) -> FloatArray:
        """(T, 3) centre of a joint [m]."""
        found = self.tree.joints[self.tree.names.index(joint)]
        return np.asarray(self.fitted.person.system.layout.point(found.parent_point)(self.q))

    def end_of(self, muscle: int) -> FloatArray:
        """(T, 3) last point of a muscle [m]."""
        return self.fitted.cords.places(muscle, self.motion.R_WB, self.origin, self.theta)[:, -1]

    def columns(self) -> FloatArray:
        """G (T, n, M) of the natural coordinates: generalised force of 1 N of each muscle, g = −(∂L/∂q)ᵀ."""
        return natural_columns(self.fitted.person.system, self.paths, self.q)

    def polyline(self, frame: int, muscle: int) -> FloatArray:
        """Points (k, 3) [m] of a muscle in one frame, arcs on surfaces sampled; empty where it is unknown."""
        return self.fitted.cords.polyline(
            self.paths, self.motion.R_WB[frame], self.origin[frame], frame, muscle, self.theta[frame]
        )


def muscle_paths(
    person: SubjectModel,
    q: ArrayLike,
    qdot: ArrayLike | None = None,
    muscles: FittedMuscles | MuscleSet | str = "whole-body",
    options: MuscleFit = MuscleFit(),
    *,
    motion: SegmentMotion | None = None,
    progress: Progress | None = None,
) -> MusclePaths:
    """Paths of a muscle set in a motion of coordinates q and velocities q̇, each (T, n).

    muscles : a fitted set, a set to fit with ``options``, or the name or file of one
    motion  : of the segments in the same frames, if it is there already, with velocities
    """
    if isinstance(muscles, str):
        muscles = load_muscle_set(muscles)
    fitted = fit_muscles(person, muscles, options) if isinstance(muscles, MuscleSet) else muscles
    coordinates = np.asarray(q, dtype=np.float64)
    moving = motion if motion is not None else segment_motion(person.system, coordinates, qdot)
    com = np.stack([np.asarray(body.points["com"]) for body in person.system.bodies])
    R = moving.R_WB
    origin = moving.p_com - np.einsum("tsij,sj->tsi", R, com)
    twist = np.concatenate([moving.v_com - np.cross(moving.omega, moving.p_com), moving.omega], axis=-1)
    theta, turning = fitted.source_angles(R)
    traced = fitted.cords.trace(R, origin, twist=twist, theta=theta, turning=turning, progress=progress)
    notices = (*fitted.notices, *path_notices(traced, fitted))
    return MusclePaths(fitted, traced, moving, read_only(coordinates), read_only(origin), read_only(theta), notices)


def path_notices(paths: CordPaths, fitted: FittedMuscles, first: int = 0) -> list[Notice]:
    """What went on at surfaces: sides changed, points inside, paths that were not found.

    first : number of the first frame
    """
    found = []
    met = int(np.bitwise_or.reduce(paths.status, axis=None))
    sentences: Mapping[int, tuple[str, str]] = {
        FLIPPED: ("muscle-path-jumped", "change the side of a surface or jump onto it, so that their moment arms jump"),
        UNSOLVED: ("muscle-path-unsolved", "lie on a path that is only nearly the shortest"),
    }
    for bit, (code, words) in sentences.items():
        if not met & bit:
            continue
        at = (paths.status & bit) != 0
        names = [fitted.muscles[m].sided_title for m in np.flatnonzero(at.any(axis=0))]
        frames = np.flatnonzero(at.any(axis=1))
        listed = _listed(names)
        sentence = f"{listed} {words}, in {len(frames)} of {len(at)} frames. Do not trust their moment arms there."
        found.append(warning(code, sentence, *names, frames=(first + int(frames[0]), first + int(frames[-1]))))
    fates = (
        ("muscle-point-inside", INSIDE, "so that their paths run straight through it"),
        ("muscle-surface-gave-way", GAVE, "which gives way to them"),
    )
    for code, bit, words in fates:
        if met & bit:
            names = [fitted.muscles[m].sided_title for m in np.flatnonzero(((paths.status & bit) != 0).any(axis=0))]
            found.append(info(code, f"Points of {_listed(names)} lie within a surface, {words}.", *names))
    found += _fibre_notice(paths, fitted)
    return found


def _fibre_notice(paths: CordPaths, fitted: FittedMuscles) -> list[Notice]:
    """Muscles whose fibres would leave the lengths at which they can work, with a rigid tendon."""
    # fibres grow with their paths, so that the extremes of a muscle tell; NaN of unknown paths is left out
    straight = np.stack([np.fmin.reduce(paths.length), np.fmax.reduce(paths.length)]) - fitted.lts
    shortest, longest = np.sign(straight) * np.hypot(straight, fitted.lopt * np.sin(fitted.pennation)) / fitted.lopt
    outside = (shortest < FIBRE_RANGE[0]) | (longest > FIBRE_RANGE[1])
    if not outside.any():
        return []
    names = [fitted.muscles[m].sided_title for m in np.flatnonzero(outside)]
    listed = _listed(names)
    sentence = (
        f"Fibres of {listed} become shorter than {FIBRE_RANGE[0]:g} or longer than {FIBRE_RANGE[1]:g} times their "
        "optimal length, where muscles hardly pull: the set does not fit this person or this movement there."
    )
    return [warning("muscle-fibres-out-of-range", sentence, *names)]


def _listed(titles: list[str]) -> str:
    """The first of several muscles."""
    return "; ".join(titles[:SHOWN]) + (f" and {len(titles) - SHOWN} more" if len(titles) > SHOWN else "")
