"""Torques that muscles balance: of every joint, those about the axes that it can turn about.

A ball joint has three such rows, a universal joint two, a hinge one. What a hinge's bearing resists is bone's work, not
the muscles'; knees, ankles, elbows and wrists that a model leaves as balls are treated alike (`GUIDED`). In row k with
the unit direction e_k,

    Σ_m (h_m · e_k) F_m + reserve_k + Σ_c n_ck p_c = τ · e_k

with the torque h_m of unit tension about the joint's centre, the net torque τ of inverse dynamics (spherical joints,
no gliding contacts) and contacts p ≥ 0 that push the scapula off the ribs. The root's residual is nobody's to balance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.body.anatomy.model import BodyModel
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.load_axes import LoadAxes, joint_frames, torque_axes
from biomec.body.loads.multibody_inverse import GlidingContacts
from biomec.body.muscles.crossings import Crossings
from biomec.engine.paths.vectors import cross, minus, times, vector
from biomec.engine.tree.joint_tree import JointTree, TreeJoint, path_signs

GUIDED = {
    ("thigh", "shank"): ((0, 2),),
    ("shank", "foot"): ((0, 0), (1, 2)),
    ("humerus", "forearm"): ((0, 2), (1, 1)),
    ("forearm", "hand"): ((0, 0), (1, 2)),
}
"""Proximal and distal segment -> axes that muscles turn about, where a model leaves the joint a ball: 0 for an axis of
the proximal segment, 1 of the distal one; x, y, z. Bones and ligaments bear the rest: the knee only flexes."""
NO_ARM = 1e-6  # m: a row about which no muscle has a longer arm in any frame is not for muscles to balance


@dataclass(frozen=True, eq=False)
class TorqueRows:
    """K torque rows; arrays are read-only.

    titles : (K,) "right hip flexion": the torque that is positive;  opposite : (K,) "right hip extension"
    joint  : (K,) number in the tree
    axis   : (T, K, 3) unit, laboratory axes
    wanted : (T, K) net torque [N m]
    """

    titles: tuple[str, ...]
    opposite: tuple[str, ...]
    joint: IntArray
    axis: FloatArray
    wanted: FloatArray

    def kept(self, rows: list[int]) -> TorqueRows:
        """Some of the rows."""
        return TorqueRows(
            tuple(self.titles[k] for k in rows), tuple(self.opposite[k] for k in rows),
            read_only(self.joint[rows], np.int64), read_only(self.axis[:, rows]), read_only(self.wanted[:, rows]),
        )  # fmt: skip


def torque_rows(
    tree: JointTree,
    q: FloatArray,
    loads: JointLoads,
    model: BodyModel | None = None,
    motion: SegmentMotion | None = None,
    hinges: Mapping[str, FloatArray] | None = None,
) -> TorqueRows:
    """Rows of all joints of a tree in configurations q (T, n).

    model, motion : by whose angles the torques are called; without, they are called after laboratory axes
    hinges        : hinge -> its axis (3,) in the proximal segment, as for `biomec.body.loads.load_axes.joint_frames`
    """
    if loads.contacts:
        raise BiomecError(
            "Muscle forces need joint loads without gliding contacts: the ribs take part in them by pushing, not by "
            "equations. Use the loads of Newton-Euler, or of the multibody method with joints as ball joints."
        )
    if len(q) != loads.frames:
        raise BiomecError(f"There are {len(q)} frames of coordinates and {loads.frames} of joint loads.")
    titles, opposite, numbers, axes = [], [], [], []
    for j, joint in enumerate(tree.joints):
        named = None
        if model is not None and motion is not None:
            frames = joint_frames(model, motion, joint.name, hinges or {})
            named = torque_axes(frames, "proximal"), torque_axes(frames, "distal")
        for direction, positive, negative in _directions(tree, joint, q, named):
            titles.append(f"{joint.name} {positive}")
            opposite.append(f"{joint.name} {negative}")
            numbers.append(j)
            axes.append(direction)
    axis = np.stack(axes, axis=1) if axes else np.zeros((len(q), 0, 3))
    wanted = np.einsum("tki,tki->tk", axis, loads.torque[:, numbers])
    return TorqueRows(tuple(titles), tuple(opposite), read_only(numbers, np.int64), read_only(axis), read_only(wanted))


def _directions(
    tree: JointTree, joint: TreeJoint, q: FloatArray, named: tuple[LoadAxes, LoadAxes] | None
) -> list[tuple[FloatArray, str, str]]:
    """Unit directions (T, 3) about which a joint turns, with the names of both senses.

    named : axes of the proximal and of the distal segment; a direction has the name of the nearest of its own segment
    """
    turning = joint.joint.turning
    if not turning:
        if named is None:
            return [(np.broadcast_to(e, (len(q), 3)), f"about {letter}", f"about −{letter}")
                    for e, letter in zip(np.eye(3), "XYZ", strict=True)]  # fmt: skip
        own = named[0]
        ends = (joint.joint.proximal, joint.joint.distal)
        segments = tuple(end.partition(".")[0].split()[-1] for end in ends)
        if len(segments) == 2 and segments in GUIDED:
            axes = [(named[which], k) for which, k in GUIDED[segments]]
            return [(one.axes[:, k], one.positive[k], one.negative[k]) for one, k in axes]
        return [(own.axes[:, k], own.positive[k], own.negative[k]) for k in range(3)]
    found = []
    for name in turning:
        direction = tree.system.layout.vector(name)(q)
        direction = direction / np.linalg.norm(direction, axis=1, keepdims=True)
        if named is None:
            found.append((direction, f"about {name}", f"about −{name}"))
            continue
        own = named[0 if name.partition(".")[0] == joint.joint.proximal.partition(".")[0] else 1]
        along = np.nansum(np.einsum("tki,ti->tk", own.axes, direction), axis=0)
        k = int(np.abs(along).argmax())
        found.append((direction * (1.0 if along[k] >= 0.0 else -1.0), own.positive[k], own.negative[k]))
    return found


def muscle_columns(rows: TorqueRows, crossed: Crossings, muscles: int) -> FloatArray:
    """Torque (T, M, K) of unit tension of every muscle in every row [m]; read-only."""
    columns = np.zeros((len(rows.axis), muscles, len(rows.titles)))
    _project(rows.joint, rows.axis, crossed.joint, crossed.muscle, crossed.torque, columns)
    columns.setflags(write=False)
    return columns


@compiled
def _project(
    row_joint: IntArray, axis: FloatArray, joint: IntArray, muscle: IntArray, torque: FloatArray, columns: FloatArray
) -> None:
    first = np.zeros(joint.size + 1, dtype=np.int64)
    turned = np.empty(joint.size * row_joint.size, dtype=np.int64)
    for e in range(joint.size):  # rows of the joint of each crossing
        first[e + 1] = first[e]
        for k in range(row_joint.size):
            if row_joint[k] == joint[e]:
                turned[first[e + 1]] = k
                first[e + 1] += 1
    for t in range(axis.shape[0]):
        for e in range(joint.size):
            x, y, z = torque[t, e, 0], torque[t, e, 1], torque[t, e, 2]
            for o in range(first[e], first[e + 1]):
                k = turned[o]
                columns[t, muscle[e], k] = axis[t, k, 0] * x + axis[t, k, 1] * y + axis[t, k, 2] * z


def without_muscles(rows: TorqueRows, crossed: Crossings) -> list[int]:
    """Rows about which no muscle turns in any frame."""
    longest = np.zeros(len(rows.titles))
    _longest(rows.joint, rows.axis, crossed.joint, crossed.torque, longest)
    return [int(k) for k in np.flatnonzero(longest < NO_ARM)]


@compiled
def _longest(row_joint: IntArray, axis: FloatArray, joint: IntArray, torque: FloatArray, longest: FloatArray) -> None:
    """Longest arm (K,) of any muscle in any frame, as far as it matters whether it is ``NO_ARM``."""
    for e in range(joint.size):
        for k in range(row_joint.size):
            if row_joint[k] != joint[e]:
                continue
            for t in range(axis.shape[0]):
                if longest[k] >= NO_ARM:
                    break
                arm = (
                    axis[t, k, 0] * torque[t, e, 0] + axis[t, k, 1] * torque[t, e, 1] + axis[t, k, 2] * torque[t, e, 2]
                )
                if np.abs(arm) > longest[k]:  # not of NaN
                    longest[k] = np.abs(arm)


def contact_effects(tree: JointTree, contacts: GlidingContacts, centre: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Force (T, C, J, 3) and torque about the centres (T, C, J, 3) of unit pushes of the ribs on the distal sides."""
    signs = path_signs(tree)
    share = signs[list(contacts.body)] - signs[list(contacts.on)]  # (C, J): on the scapula, and back on the thorax
    force, torque = np.empty((2, len(centre), *share.shape, 3))
    _pushes(share, contacts.normal, contacts.point, np.ascontiguousarray(centre), force, torque)
    return force, torque


@compiled
def _pushes(
    share: FloatArray, normal: FloatArray, point: FloatArray, centre: FloatArray, force: FloatArray, torque: FloatArray
) -> None:
    """Fill what C unit pushes do to J joints: share (C, J), normal and point (T, C, 3), centre (T, J, 3)."""
    for t in range(len(centre)):
        for c in range(share.shape[0]):
            n = vector(normal[t, c])
            at = vector(point[t, c])
            for j in range(share.shape[1]):
                f = times(share[c, j], n)
                h = cross(minus(at, vector(centre[t, j])), f)
                for i in range(3):
                    force[t, c, j, i], torque[t, c, j, i] = f[i], h[i]


def contact_columns(rows: TorqueRows, torque: FloatArray) -> FloatArray:
    """Torque (T, C, K) of unit pushes in every row [m], from that of `contact_effects`."""
    return np.asarray(np.einsum("tcki,tki->tck", torque[:, :, rows.joint], rows.axis))
