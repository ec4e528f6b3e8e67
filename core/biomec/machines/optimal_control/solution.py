"""A solution: states and controls over time, its cost, how it was found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.machines.optimal_control.problem import Problem, Trajectory
from biomec.machines.optimal_control.status import SolverStatus


@dataclass(frozen=True, eq=False)
class Solution:
    """Answer of a solver.

    time_s (T,), states (T, nx), controls (T, nu) : at all points of the mesh
    cost       : the integral, by the solver's own rule;  iterations, seconds : what it took
    knots (N+1,) : of the mesh
    method, integrator, tolerance : how it was found
    degree     : of collocation; 0 for controls that are linear between the times
    """

    problem: Problem
    method: str
    integrator: str
    status: SolverStatus
    time_s: FloatArray
    states: FloatArray
    controls: FloatArray
    cost: float
    iterations: int
    seconds: float
    knots: FloatArray
    tolerance: float
    degree: int = 0

    @property
    def trajectory(self) -> Trajectory:
        """As a guess for another problem."""
        return Trajectory(self.time_s, self.states, self.controls)

    @property
    def intervals(self) -> int:
        """Number of intervals."""
        return len(self.knots) - 1

    def own_points(self) -> FloatArray:
        """Points of an interval of length 1 at which the solution stands, without its beginning."""
        count = (len(self.time_s) - 1) // self.intervals
        return np.asarray(self.time_s[1 : count + 1] / self.knots[1])

    def control_in(self, interval: int, time_s: ArrayLike) -> FloatArray:
        """Controls (..., nu) at times of an interval: the polynomial through its points, or linear between them."""
        t = np.asarray(time_s, dtype=np.float64)
        own = self.own_points()
        first = interval * len(own)
        if not self.degree:
            part = slice(first, first + len(own) + 1)
            return np.stack([np.interp(t, self.time_s[part], column) for column in self.controls[part].T], axis=-1)
        s = (t - self.knots[interval]) / (self.knots[interval + 1] - self.knots[interval])
        weights = [np.prod([(s - b) / (a - b) for j, b in enumerate(own) if j != i], axis=0) for i, a in enumerate(own)]
        return np.asarray(
            np.stack(np.broadcast_arrays(*weights), axis=-1) @ self.controls[first + 1 : first + len(own) + 1]
        )

    def control_at(self, time_s: ArrayLike) -> FloatArray:
        """Controls (T, nu) at times (T,)."""
        t = np.asarray(time_s, dtype=np.float64)
        k = np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, self.intervals - 1)
        return np.stack([self.control_in(int(interval), at) for interval, at in zip(k, t, strict=True)])
