"""The tree of joints, and which of them a load passes on its way from hands, feet and head to the root of the body."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.engine.joint_kinds import TREE_JOINTS, TREE_KINDS
from biomec.engine.joints import BodyJoint, EllipsoidContact, Free
from biomec.engine.system import System


@dataclass(frozen=True)
class TreeJoint:
    """A joint seen from the root.

    joint          : its description, which says what is proximal and what is distal
    parent, child  : numbers of the bodies nearer to the root and farther from it
    parent_point, child_point : the joint's centre as ``body.point`` of either
    sign           : +1 where the parent is the proximal body, −1 where the root lies on the distal side
    """

    joint: BodyJoint
    parent: int
    child: int
    parent_point: str
    child_point: str
    sign: float

    @property
    def name(self) -> str:
        """Name of the joint."""
        return self.joint.name


@dataclass(frozen=True, eq=False)
class JointTree:
    """A system as a tree.

    joints     : every joint stands after those farther from the root, so that loads can be passed on in this order
    root       : number of the body that carries the residual
    root_point : where the residual acts, the first basic point of the root, as ``body.point``
    contacts   : points that glide on another body, beside the tree
    """

    system: System
    joints: tuple[TreeJoint, ...]
    root: int
    root_point: str
    contacts: tuple[EllipsoidContact, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints, in their order."""
        return tuple(joint.name for joint in self.joints)


def joint_tree(system: System, roots: Sequence[str] = (), *, free: bool = False) -> JointTree:
    """Order the joints of a spatial system from its ends to its root.

    roots : bodies that may be the root, the preferred one first; without any that is there, the body that no joint has
            on its distal side
    free  : whether joints with six freedoms may be among its joints; loads do not pass along them, velocities do
    """
    if system.layout.dimension != 3:
        raise BiomecError(f"{system.name} is a planar mechanism; joint loads along a tree are for bodies in space.")
    names = [body.name for body in system.bodies]
    kinds: tuple[type[Any], ...] = (*TREE_JOINTS, Free) if free else TREE_JOINTS
    found: list[BodyJoint] = [one for one in system.constraints if isinstance(one, kinds)]
    contacts = tuple(one for one in system.constraints if isinstance(one, EllipsoidContact))
    others = [one for one in system.constraints if not isinstance(one, (*kinds, EllipsoidContact))]
    if others:
        raise BiomecError(
            f"{system.name}: loads along a tree are known for {_listed(TREE_KINDS)} joints, "
            f"not for {', '.join(one.name for one in others)}."
        )
    ends = [(one, names.index(_body(one.proximal, system)), names.index(_body(one.distal, system))) for one in found]
    root = _root(system, names, roots, {distal for _, _, distal in ends})
    ordered: list[TreeJoint] = []
    reached, remaining = {root}, ends
    while remaining:
        touching = [end for end in remaining if (end[1] in reached) or (end[2] in reached)]
        if not touching:
            raise _cut_off(system.name, names, root, reached)
        for joint, proximal, distal in touching:
            if proximal in reached and distal in reached:
                raise BiomecError(f"{system.name}: the joint {joint.name} closes a loop; loads pass along trees only.")
            if proximal in reached:
                ordered.append(TreeJoint(joint, proximal, distal, joint.proximal, joint.distal, 1.0))
            else:
                ordered.append(TreeJoint(joint, distal, proximal, joint.distal, joint.proximal, -1.0))
            reached.add(ordered[-1].child)
        remaining = [end for end in remaining if end not in touching]
    if len(reached) < len(names):
        raise _cut_off(system.name, names, root, reached)
    point = f"{names[root]}.{system.bodies[root].basic_points[0]}"
    return JointTree(system, tuple(reversed(ordered)), root, point, contacts)


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}"


def _cut_off(model: str, names: list[str], root: int, reached: set[int]) -> BiomecError:
    """The sentence about bodies that no joints lead to."""
    cut = ", ".join(name for k, name in enumerate(names) if k not in reached)
    return BiomecError(
        f"{model}: loads pass from joint to joint, and no joint leads from the {names[root]} to {cut}. Add markers of "
        "the segments between them, or leave these out in the settings of the model."
    )


def _body(point: str, system: System) -> str:
    owner = point.partition(".")[0]
    if owner not in system.layout.bodies:
        raise BiomecError(f"{system.name} is joined to the ground at {point}; its tree needs a body as its root.")
    return owner


def _root(system: System, names: list[str], roots: Sequence[str], distal: set[int]) -> int:
    for name in roots:
        if name in names:
            return names.index(name)
    free = [k for k in range(len(names)) if k not in distal]
    if not free:
        raise BiomecError(f"{system.name}: every body hangs on another one, so none can be the root.")
    return free[0]


def joints_to_root(tree: JointTree, segment: str) -> tuple[str, ...]:
    """Names of the joints between a segment and the root, from the segment on; none for the root."""
    names = [body.name for body in tree.system.bodies]
    if segment not in names:
        raise BiomecError(f"There is no segment {segment}; there are {', '.join(names)}.")
    path = path_signs(tree)[names.index(segment)]
    return tuple(joint.name for joint, sign in zip(tree.joints, path, strict=True) if sign != 0.0)


def path_signs(tree: JointTree) -> FloatArray:
    """(S, J): what a load on a segment adds to the load of a joint, proximal on distal, times −1; 0 off its path.

    +1 where the joint's distal side holds the segment, −1 where the root lies there.
    """
    joint_of = {joint.child: k for k, joint in enumerate(tree.joints)}
    signs = np.zeros((len(tree.system.bodies), len(tree.joints)))
    for segment in range(len(signs)):
        at = segment
        while at != tree.root:
            k = joint_of[at]
            signs[segment, k] = tree.joints[k].sign
            at = tree.joints[k].parent
    return signs


def chained_origins(tree: JointTree, R: FloatArray, stretch: FloatArray | None = None) -> FloatArray:
    """Origins (T, S, 3) of the bodies in attitudes R (T, S, 3, 3) with closed joints, the root's origin at 0 [m].

    stretch : (S, 3, 3) by which the points of each body are multiplied, in its own axes
    """
    bodies = tree.system.bodies
    p = np.zeros((*R.shape[:2], 3))
    for joint in reversed(tree.joints):
        ends = []
        for body, point in ((joint.parent, joint.parent_point), (joint.child, joint.child_point)):
            local = np.asarray(bodies[body].points[point.partition(".")[2]])
            ends.append(R[:, body] @ (local if stretch is None else stretch[body] @ local))
        p[:, joint.child] = p[:, joint.parent] + ends[0] - ends[1]
    return p
