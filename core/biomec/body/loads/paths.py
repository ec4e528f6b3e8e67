"""Which joints a load passes on its way from a segment to the root of the body."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.engine.tree.joint_tree import JointTree


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
