"""What muscles do to the joints that they cross: force and torque of unit tension on the distal side.

A muscle pulls every body that it touches. Cut through a joint, and add what it does to all bodies on the distal side:

    f = Σ_b F_b,      h = Σ_b (M_b − c × F_b)                    bodies b beyond the joint, c the joint's centre

Surfaces that a muscle wraps around are among the bodies. Muscles are internal, so the proximal side has −f and −h, and
a muscle all of whose bodies lie on one side does nothing to the joint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.engine.paths.vectors import ahead, cross, minus
from biomec.engine.tree.joint_tree import JointTree, path_signs


class Paths(Protocol):
    """What is needed of the paths of M muscles in T frames.

    names : (M,);  length, speed : (T, M) [m], [m/s]
    pair_muscle, pair_segment : (P,) muscle, and number of the body that it touches; pairs of a muscle stand together
    pull  : (T, P, 6) force [N/N] and moment about the laboratory's origin [m] of unit tension on that body
    """

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def length(self) -> FloatArray: ...
    @property
    def speed(self) -> FloatArray: ...
    @property
    def pair_muscle(self) -> IntArray: ...
    @property
    def pair_segment(self) -> IntArray: ...
    @property
    def pull(self) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class Crossings:
    """E pairs of a joint of the tree and a muscle that crosses it; arrays are read-only.

    joint, muscle : (E,) numbers, joints in the order of the tree
    force  : (T, E, 3) on the distal side, laboratory axes [N/N]
    torque : (T, E, 3) about the joint's centre [m]
    """

    joint: IntArray
    muscle: IntArray
    force: FloatArray
    torque: FloatArray


def crossings(tree: JointTree, paths: Paths, centre: FloatArray) -> Crossings:
    """Find out which muscles cross which joints, and what they do there.

    centre : (T, J, 3) of the tree's joints [m], as `biomec.body.loads.joint_loads.JointLoads` has them
    """
    if len(centre) != len(paths.pull):
        raise BiomecError(f"There are {len(paths.pull)} frames of muscle paths and {len(centre)} of joint loads.")
    sides = path_signs(tree)[paths.pair_segment].astype(np.float64)  # (P, J)
    joint, crossing, first, pairs = [], [], [0], []
    if len(sides):
        begin = np.flatnonzero(np.diff(paths.pair_muscle, prepend=-1))
        within = np.minimum.reduceat(sides, begin) != np.maximum.reduceat(sides, begin)
        end = np.append(begin[1:], len(sides))
        for j, touching in np.argwhere(within.T):
            beyond = np.arange(begin[touching], end[touching])
            beyond = beyond[sides[beyond, j] != 0.0]
            joint.append(j)
            crossing.append(paths.pair_muscle[begin[touching]])
            pairs += list(beyond)
            first.append(len(pairs))
    sign = sides[np.array(pairs, dtype=np.int64), np.repeat(np.array(joint, dtype=np.int64), np.diff(first))]
    force, torque = np.empty((2, len(centre), len(joint), 3))
    which = np.array(joint, dtype=np.int64)
    _transmitted(
        np.ascontiguousarray(paths.pull), np.array(first, dtype=np.int64), np.array(pairs, dtype=np.int64),
        sign, which, np.ascontiguousarray(centre), force, torque,
    )  # fmt: skip
    for array in (force, torque):
        array.setflags(write=False)
    return Crossings(read_only(which, np.int64), read_only(crossing, np.int64), force, torque)


def pulls_beyond(
    pull: FloatArray, pair_muscle: IntArray, pair_segment: IntArray, muscles: int, beyond: BoolArray
) -> FloatArray:
    """What a unit tension of M muscles does to a part of the body (T, M, 6): force, moment about the origin.

    pull, pair_muscle, pair_segment : as in `Paths`
    beyond : (S,) the segments of that part. Muscles that lie all in it, or all outside, do nothing to it.
    """
    total = np.zeros((len(pull), muscles, 6))
    inside = beyond[pair_segment]
    for k in np.flatnonzero(inside):
        total[:, pair_muscle[k]] += pull[:, k]
    crossing = (np.bincount(pair_muscle, inside, muscles) > 0) & (np.bincount(pair_muscle, ~inside, muscles) > 0)
    total[:, ~crossing] = 0.0
    return total


@compiled
def _transmitted(
    pulls: FloatArray,
    first: IntArray,
    pairs: IntArray,
    sign: FloatArray,
    joint: IntArray,
    centre: FloatArray,
    force: FloatArray,
    torque: FloatArray,
) -> None:
    """Fill what E crossings transmit to the distal side."""
    for t in range(pulls.shape[0]):
        for e in range(joint.size):
            f, h = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            for k in range(first[e], first[e + 1]):
                p = pairs[k]
                f = ahead(f, sign[k], (pulls[t, p, 0], pulls[t, p, 1], pulls[t, p, 2]))
                h = ahead(h, sign[k], (pulls[t, p, 3], pulls[t, p, 4], pulls[t, p, 5]))
            j = joint[e]
            h = minus(h, cross((centre[t, j, 0], centre[t, j, 1], centre[t, j, 2]), f))
            for i in range(3):
                force[t, e, i], torque[t, e, i] = f[i], h[i]
