"""Recorded loads on segments, such as those of force plates, as functions of time."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.errors import BiomecError
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.tree.joint_dynamics import add_wrenches


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
