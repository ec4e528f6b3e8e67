"""Recorded loads on segments, such as those of force plates, as functions of time, and how to change them.

Ground reactions are changed so that nobody needs to hold the body (`shared_change`).
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray, skew
from biomec.base.errors import BiomecError
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.forward.formulation import Unsolvable
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.tree.joint_dynamics import add_wrenches

NEXT, LAST = [1, 2, 0], [2, 0, 1]  # components of a cross product
REACH_M = 0.05  # how far a contact can shift its load, as the lever of its moments


class PrescribedLoads:
    """Loads on segments as functions of time, by cubic splines between frames and constant outside.

    What is interpolated is the force and its moment about the laboratory's origin: both are smooth where a hand or a
    foot leaves the ground, and the point of application is not. The loads keep their place in the laboratory.
    """

    def __init__(self, space: JointSpace, time_s: ArrayLike, external: ExternalLoads) -> None:
        times = np.asarray(time_s, dtype=np.float64)
        if len(times) != external.frames or len(times) < 2:
            raise BiomecError(f"Loads of {external.frames} frames do not fit {len(times)} times.")
        names = [body.name for body in space.system.bodies]
        unknown = sorted(set(external.segments) - set(names))
        if unknown:
            raise BiomecError(f"Loads act on {', '.join(unknown)}, which the model does not have.")
        self.space = space
        self.segments = external.segments
        self.bodies: IntArray = np.array([names.index(one) for one in external.segments], dtype=np.int64)
        moment = external.moment + np.cross(external.point, external.force)
        self._curve = scipy.interpolate.CubicSpline(times, np.stack([external.force, moment], axis=1))
        self._first, self._last = float(times[0]), float(times[-1])

    def wrenches(self, t: float) -> tuple[FloatArray, FloatArray]:
        """Forces (K, 3) [N] and moments about the laboratory's origin (K, 3) [N m]."""
        force, moment = self._curve(min(max(t, self._first), self._last))
        return np.ascontiguousarray(force), np.ascontiguousarray(moment)

    def __call__(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """Generalised forces Q (n,)."""
        Q = np.zeros(self.space.system.n)
        add_wrenches(self.space.tables, np.array(q), self.bodies, *self.wrenches(t), Q)
        return Q


def shared_change(
    force: FloatArray, moment: FloatArray, centre: FloatArray, up: FloatArray, wanted: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Changes of forces (K, 3) and of moments about the laboratory's origin (K, 3).

    The force and the moment that are missing for nobody to hold the body are shared among the contacts by the load that
    each bears: of all changes with the right sum, the least in the norm of the loads, as if hands and feet stood on
    springs as stiff as they are loaded ([Mouzo2018] Eq. 2.32 for the six equations of the root).

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
