"""What the ground must do in all, for a motion that is known with its derivatives."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.loads.contact_sharing import GroundReaction, SharedContact, shared_reactions
from biomec.engine.system import System
from biomec.virtual.skeleton import Placed

__all__ = ["GroundReaction", "SharedContact", "required_wrench", "shared_reactions"]


def required_wrench(system: System, placed: Mapping[str, Placed]) -> tuple[FloatArray, FloatArray]:
    """Force (T, 3) and moment about the laboratory's origin (T, 3) that the ground must exert on the whole body.

    f = Σ m (r̈ − g),   h = Σ r × m (r̈ − g) + J ω̇ + ω × J ω          (Newton, Euler; [Nunes2017] Eqs. 5.24, 5.25)

    ω and ω̇ are the skew parts of Ė Eᵀ and Ë Eᵀ, E being the turn of a segment away from standing.
    """
    force, moment = np.zeros((2, len(next(iter(placed.values())).now.value), 3))
    for body in system.bodies:
        one = placed[body.name]
        stood = np.asarray(body.position, dtype=np.float64) + body.attitude_matrix @ body.points["com"]
        r = one.point(stood)
        E, Edot, Eddot = one.turn.parts
        w, wdot = (_axial(D @ np.swapaxes(E, -1, -2)) for D in (Edot, Eddot))
        A = E @ body.attitude_matrix
        J = A @ body.inertia_matrix @ np.swapaxes(A, -1, -2)
        f = body.mass * (r.acceleration - system.gravity)
        spin = _times(J, wdot) + np.cross(w, _times(J, w))
        force, moment = force + f, moment + np.cross(r.value, f) + spin
    return force, moment


def _axial(matrix: FloatArray) -> FloatArray:
    """Axial vector (T, 3) of the skew part of matrices (T, 3, 3)."""
    skewed = 0.5 * (matrix - np.swapaxes(matrix, -1, -2))
    return np.stack([skewed[:, 2, 1], skewed[:, 0, 2], skewed[:, 1, 0]], axis=1)


def _times(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("tij,tj->ti", matrix, vector))
