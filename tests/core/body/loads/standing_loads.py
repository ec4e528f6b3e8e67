"""A weightless person who stands in the anatomical position while hands and feet are pushed."""

from __future__ import annotations

import numpy as np

from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.segment_motion import SegmentMotion, segment_motion
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.forces.external_loads import external_loads
from biomec.engine.tree.joint_tree import joint_tree
from tests.core.body.loads.people import person


def pushed(
    segment: str, force: tuple[float, float, float], offset: tuple[float, float, float], joint: str
) -> tuple[JointLoads, SegmentMotion, SubjectModel]:
    """Push both sides' ``segment`` at an offset from the centre of ``joint``; forward, up, outward."""
    body = person("m21")
    q = np.array(body.system.reference[None])
    tree = joint_tree(body.system, body.model.roots)
    motion = segment_motion(body.system, q, np.zeros_like(q), np.zeros_like(q))
    none = external_loads((), *np.zeros((2, 1, 0, 3)))
    centre = newton_euler(tree, motion, q, none)
    points, forces = [], []
    for side, s in (("right", 1.0), ("left", -1.0)):
        outward = np.array([1.0, 1.0, s])
        points.append(centre.centre[:, centre.index(f"{side} {joint}")] + outward * offset)
        forces.append((outward * force)[None])
    external = external_loads(
        [f"right {segment}", f"left {segment}"], np.stack(points, axis=1), np.stack(forces, axis=1)
    )
    return newton_euler(tree, motion, q, external, gravity=np.zeros(3)), motion, body
