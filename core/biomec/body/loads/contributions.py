"""Where joint loads come from: weight of the segments, their acceleration, and what acts from outside.

Newton's and Euler's equations are linear in gravity, in accelerations (with the gyroscopic term) and in external loads,
so that the three parts, each computed with the other two switched off, sum to the whole. So are the equations of the
whole mechanism, in q̈, and the forces of its gliding contacts with them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.multibody_inverse import multibody_loads
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.forces.external_loads import ExternalLoads, no_loads
from biomec.engine.tree.joint_tree import JointTree

PARTS = ("gravity", "inertia", "external")
TITLES = {"gravity": "gravity part", "inertia": "inertial part", "external": "external part"}


@dataclass(frozen=True, eq=False)
class LoadContributions:
    """Parts of the joint loads.

    gravity  : what holding the segments still against their weight takes
    inertia  : what their accelerations take, without weight
    external : what the loads from outside ask of the joints, without weight and motion
    """

    gravity: JointLoads
    inertia: JointLoads
    external: JointLoads

    def part(self, name: str) -> JointLoads:
        """Return the part of that name."""
        found: JointLoads = getattr(self, _known(name))
        return found

    def total(self, what: str) -> FloatArray:
        """Sum of an array of `JointLoads` over the parts: ``force``, ``torque``, ``residual_force`` …"""
        return np.asarray(sum(np.asarray(getattr(self.part(name), what)) for name in PARTS))


def load_contributions(
    tree: JointTree,
    motion: SegmentMotion,
    q: FloatArray,
    external: ExternalLoads,
    *,
    gravity: FloatArray | None = None,
) -> LoadContributions:
    """Compute the three parts; arguments as those of `newton_euler`."""
    one, two, three = (load_part(part, tree, motion, q, external, gravity=gravity) for part in PARTS)
    return LoadContributions(one, two, three)


def load_part(
    part: str,
    tree: JointTree,
    motion: SegmentMotion,
    q: FloatArray,
    external: ExternalLoads,
    *,
    gravity: FloatArray | None = None,
) -> JointLoads:
    """One of the parts, by Newton-Euler."""
    weight, acting = _switched(part, gravity, external)
    if part != "inertia":
        missing = np.where(np.isfinite(motion.a_com), 0.0, np.nan)  # frames without a motion stay without one
        motion = replace(motion, a_com=read_only(missing), omega=read_only(missing), alpha=read_only(missing))
    return _named(part, newton_euler(tree, motion, q, acting, gravity=weight))


def multibody_part(
    part: str,
    tree: JointTree,
    q: FloatArray,
    qddot: FloatArray,
    external: ExternalLoads,
    method: str = "newton",
    constraints: str = "spherical",
) -> JointLoads:
    """One of the parts, by the multibody method; arguments as those of `multibody_loads`."""
    weight, acting = _switched(part, None, external)
    if part != "inertia":
        qddot = np.where(np.isfinite(qddot), 0.0, np.nan)
    return _named(part, multibody_loads(tree, q, qddot, acting, method, constraints, gravity=weight))


def _switched(
    part: str, gravity: FloatArray | None, external: ExternalLoads
) -> tuple[FloatArray | None, ExternalLoads]:
    """Gravity and external loads of a part."""
    weight = gravity if _known(part) == "gravity" else np.zeros(3)
    return weight, external if part == "external" else no_loads(external.frames)


def _known(part: str) -> str:
    if part not in PARTS:
        raise BiomecError(f'The parts of joint loads are {", ".join(PARTS)}, not "{part}".')
    return part


def _named(part: str, loads: JointLoads) -> JointLoads:
    return replace(loads, method=f"{loads.method}, {part} only")
