"""Straight muscles around the joints of a body, drawn at random: paths whose pulls are known without any tracing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.engine.forces.hill_muscle import HillParameters
from biomec.engine.tree.joint_tree import JointTree


@dataclass(frozen=True)
class Straight:
    """A muscle between points (3,) of two segments, from their centres of mass in their axes [m]."""

    name: str
    first: str
    second: str
    at_first: FloatArray
    at_second: FloatArray


@dataclass(frozen=True, eq=False)
class StraightPaths:
    """As `biomec.body.muscles.crossings.Paths` has it."""

    names: tuple[str, ...]
    length: FloatArray
    speed: FloatArray
    pair_muscle: IntArray
    pair_segment: IntArray
    pull: FloatArray


def muscles_around(
    tree: JointTree,
    motion: SegmentMotion,
    centre: FloatArray,
    rng: np.random.Generator,
    each: int = 8,
    joints: Sequence[str] = (),
) -> list[Straight]:
    """Muscles on all sides of joints (all if none are given), along the distal segment, 15 cm from them on both bodies.

    Every second one lies opposite the one before it in the first frame, so that they can turn their joint either way.

    centre : (T, J, 3) of the tree's joints
    """
    made = []
    for j, joint in enumerate(tree.joints):
        if joints and joint.name not in joints:
            continue
        ends = [end.partition(".")[0] for end in (joint.joint.proximal, joint.joint.distal)]
        along = motion.p_com[0, motion.index(ends[1])] - centre[0, j]
        along = along / np.linalg.norm(along)
        aside = np.zeros((2, 3))
        for k in range(each):
            aside = -aside if k % 2 else rng.normal(size=(2, 3)) * 0.05
            places = []
            for end, way, shift in zip(ends, (-0.15, 0.15), aside, strict=True):
                b = motion.index(end)
                places.append(motion.R_WB[0, b].T @ (centre[0, j] + way * along + shift - motion.p_com[0, b]))
            made.append(Straight(f"{joint.name} {k + 1}", ends[0], ends[1], places[0], places[1]))
    return made


def straight_paths(motion: SegmentMotion, muscles: Sequence[Straight]) -> StraightPaths:
    """Their paths in a motion."""
    T, M = motion.frames, len(muscles)
    length, speed, pulls = np.empty((T, M)), np.empty((T, M)), np.empty((T, 2 * M, 6))
    bodies = np.empty(2 * M, dtype=np.int64)
    for m, muscle in enumerate(muscles):
        ends, rates = [], []
        for k, (name, at) in enumerate(((muscle.first, muscle.at_first), (muscle.second, muscle.at_second))):
            b = bodies[2 * m + k] = motion.index(name)
            arm = motion.R_WB[:, b] @ at
            ends.append(motion.p_com[:, b] + arm)
            rates.append(motion.v_com[:, b] + np.cross(motion.omega[:, b], arm))
        line = ends[1] - ends[0]
        length[:, m] = np.linalg.norm(line, axis=1)
        along = line / length[:, [m]]
        speed[:, m] = np.einsum("ti,ti->t", along, rates[1] - rates[0])
        for k, sign in ((0, 1.0), (1, -1.0)):
            pulls[:, 2 * m + k, :3] = sign * along
            pulls[:, 2 * m + k, 3:] = np.cross(ends[k], sign * along)
    return StraightPaths(tuple(one.name for one in muscles), length, speed, np.repeat(np.arange(M), 2), bodies, pulls)


def hill_of(paths: StraightPaths, fmax: float = 1500.0) -> HillParameters:
    """Parameters with which every muscle works near its optimal length."""
    mean = np.nanmean(paths.length, axis=0)
    full = np.ones(len(paths.names))
    return HillParameters(fmax * full, 0.95 * mean, 0.05 * mean, 0.1 * full, 10.0 * full)
