"""Where joint loads come from: weight of the segments, their acceleration, and what acts from outside.

Newton's and Euler's equations are linear in gravity, in accelerations (with the gyroscopic term) and in external loads,
so that the three parts, each computed with the other two switched off, sum to the whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from biomec.arrays import FloatArray, read_only
from biomec.dynamics.external_loads import ExternalLoads, no_loads
from biomec.dynamics.joint_loads import JointLoads
from biomec.dynamics.newton_euler import newton_euler
from biomec.dynamics.tree import JointTree
from biomec.errors import BiomecError
from biomec.kinematics.segment_motion import SegmentMotion

PARTS = ("gravity", "inertia", "external")


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
        if name not in PARTS:
            raise BiomecError(f'The parts of joint loads are {", ".join(PARTS)}, not "{name}".')
        found: JointLoads = getattr(self, name)
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
    missing = np.where(np.isfinite(motion.a_com), 0.0, np.nan)  # frames without a motion stay without one
    still = replace(motion, a_com=read_only(missing), omega=read_only(missing), alpha=read_only(missing))
    nothing, weightless = no_loads(motion.frames), np.zeros(3)
    return LoadContributions(
        _named("gravity", newton_euler(tree, still, q, nothing, gravity=gravity)),
        _named("inertia", newton_euler(tree, motion, q, nothing, gravity=weightless)),
        _named("external", newton_euler(tree, still, q, external, gravity=weightless)),
    )


def _named(part: str, loads: JointLoads) -> JointLoads:
    return replace(loads, method=f"{loads.method}, {part} only")
