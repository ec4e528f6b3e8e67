"""Ground reactions changed so that a body needs nobody to hold it.

What is missing, a force and a moment, is shared among the contacts by the load that each bears: of all changes with the
right sum, the least in the norm of the loads, as if hands and feet stood on springs as stiff as they are loaded
([Mouzo2018] Eq. 2.32 for the six equations of the root).
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray, skew
from biomec.engine.forward.formulation import Unsolvable

NEXT, LAST = [1, 2, 0], [2, 0, 1]  # components of a cross product
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
    share = (borne / total)[:, None]
    square = np.maximum(np.einsum("ki,ki->k", force, force), 1e-12)[:, None]
    point = (
        centre + cross_product(force, moment - cross_product(centre, force)) / square
    )  # where the force acts, near the segment
    # least Σ ‖f‖²/s + ‖m‖²/(s reach²) with Σ f = F and Σ (m + p × f) = M:  f = s (a + b × p),  m = s reach² b
    middle = skew((share * point).sum(axis=0))
    turning = (np.einsum("ki,ki", share * point, point) + REACH_M**2) * np.eye(3) - (share * point).T @ point
    b = np.linalg.solve(turning + middle @ middle, wanted[3:] - middle @ wanted[:3])
    a = wanted[:3] + middle @ b
    change = share * (a + cross_product(b, point))
    return change, share * REACH_M**2 * b + cross_product(point, change)


def cross_product(a: FloatArray, b: FloatArray) -> FloatArray:
    """a × b of (..., 3), contiguous as compiled code wants it; for few vectors much faster than `numpy.cross`."""
    return np.ascontiguousarray(a[..., NEXT] * b[..., LAST] - a[..., LAST] * b[..., NEXT])
