"""Ground reactions changed so that a body needs nobody to hold it.

What is missing, a force and a moment, is shared among the contacts by the load that each bears: of all changes with the
right sum, the least in the norm of the loads, as if hands and feet stood on springs as stiff as they are loaded
([Mouzo2018] Eq. 2.32 for the six equations of the root).
"""

from __future__ import annotations

import numpy as np

from biomec.arrays import FloatArray, skew
from biomec.dynamics.forward.formulation import Unsolvable

REACH_M = 0.05  # how far a contact can shift its load, as the lever of its moments


def shared_change(
    force: FloatArray, moment: FloatArray, centre: FloatArray, up: FloatArray, wanted: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Changes of forces (K, 3) and of moments about the laboratory's origin (K, 3).

    force, moment : (K, 3) that the contacts bear, moments about the origin
    centre        : (K, 3) joint towards the body of the segments that touch the ground [m]
    up            : (3,) direction in which the ground pushes
    wanted        : (6,) force and moment about the origin that all changes together must have
    """
    borne = np.maximum(force @ up, 0.0)
    total = float(borne.sum())
    if not total > 0.0:
        raise Unsolvable("No hand and no foot presses on the ground, so the ground cannot hold the body.")
    count = len(force)
    square = np.maximum(np.einsum("ki,ki->k", force, force), 1e-12)[:, None]
    point = (
        centre + np.cross(force, moment - np.cross(centre, force)) / square
    )  # where the force acts, near the segment
    A, S = np.zeros((6, 6 * count)), np.zeros(6 * count)
    for k in range(count):
        at = 6 * k
        A[:3, at : at + 3] = A[3:, at + 3 : at + 6] = np.eye(3)
        A[3:, at : at + 3] = skew(point[k])
        S[at : at + 3], S[at + 3 : at + 6] = borne[k] / total, borne[k] / total * REACH_M**2
    SAt = S[:, None] * A.T
    u = (SAt @ np.linalg.solve(A @ SAt, wanted)).reshape(count, 6)
    return u[:, :3], u[:, 3:] + np.cross(point, u[:, :3])
