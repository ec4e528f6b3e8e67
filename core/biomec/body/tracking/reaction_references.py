"""Recorded reactions of the feet as references beside those of the coordinates, as they were tried and found to fall.

    y₂ = (force, moment about the foot's origin) of every foot,   ẏ₂ = ẏ₂_ref + K_P (y₂_ref − y₂)   [Mouzo2018] Eq. 3.11

A reaction changes with velocities at once and with places over time, so that ẏ₂ = Σ ∂f/∂v J ẇ + Σ ∂f/∂p J w.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray, skew
from biomec.engine.forces.ground_contact import ContactSlopes
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import PrescribedLoads

NORMAL, OTHERS = 1e-3, 1e-2  # published weights of normal forces, and of tangential ones and moments
STEP_S = 1e-3  # of the difference that gives ẏ₂_ref


class ReferenceRows(NamedTuple):
    """Rows D (R, g) with right-hand sides s (R,) and weights (R,): D ẇ = s is wanted."""

    D: FloatArray
    s: FloatArray
    weights: FloatArray


@dataclass(frozen=True, eq=False)
class ReactionReferences:
    """Recorded reactions to follow.

    loads     : on segments, some of which are the feet
    stiffness : K_P [1/s]
    """

    loads: PrescribedLoads
    stiffness: float = 1e3

    def rows(
        self, t: float, space: JointSpace, q: FloatArray, w: FloatArray, now: ContactSlopes, J: FloatArray,
        bodies: IntArray,
    ) -> ReferenceRows:  # fmt: skip
        """Rows of all feet in a state; J (S, 3, g) are motions of the spheres on bodies (S,)."""
        found: list[ReferenceRows] = []
        for body in dict.fromkeys(bodies.tolist()):
            own = bodies == body
            origin = space.system.layout.point(f"{space.system.bodies[body].name}.origin")(q)
            arms = np.array([skew(point - origin) for point in now.point[own]])
            slope_v = np.einsum("kij,kjg->kig", now.damping[own], J[own])
            slope_p = np.einsum("kij,kj->ki", now.stiffness[own], J[own] @ w)
            force = now.force[own]
            here = np.concatenate([force.sum(axis=0), np.einsum("kij,kj->i", arms, force)])
            wanted, later = (self._wanted(at, body, origin) for at in (t, t + STEP_S))
            passing = np.concatenate([slope_p.sum(axis=0), np.einsum("kij,kj->i", arms, slope_p)])
            D = np.vstack([slope_v.sum(axis=0), np.einsum("kij,kjg->ig", arms, slope_v)])
            s = (later - wanted) / STEP_S + self.stiffness * (wanted - here) - passing
            weights = np.array([OTHERS, NORMAL, OTHERS, OTHERS, OTHERS, OTHERS])
            found.append(ReferenceRows(D, s, weights))
        return ReferenceRows(*(np.concatenate(part) for part in zip(*found, strict=True)))

    def _wanted(self, t: float, body: int, origin: FloatArray) -> FloatArray:
        force, moment = self.loads.wrenches(t)
        mine = self.loads.bodies == body
        total = force[mine].sum(axis=0)
        return np.concatenate([total, moment[mine].sum(axis=0) - np.cross(origin, total)])
