"""A simulated swing replayed as a driven motion: the free angle is now prescribed too, and needs no torque for it.

It closes the circle of forward and inverse dynamics: as many constraints as coordinates determine the motion, and the
multiplier of the added driver must vanish [Markus2015].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.machines.prosthesis.history import History
from biomec.machines.prosthesis.reduced import Reduced
from biomec.machines.reference_points import follow


class SampledLaw:
    """A law through samples of a value, its rate and its acceleration: quintic between them."""

    def __init__(self, time_s: FloatArray, value: FloatArray, rate: FloatArray, acceleration: FloatArray) -> None:
        from scipy.interpolate import BPoly

        self._curve = BPoly.from_derivatives(time_s, np.stack([value, rate, acceleration], axis=-1))

    def value(self, t: ArrayLike) -> FloatArray:
        """The curve."""
        return np.asarray(self._curve(t))

    def rate(self, t: ArrayLike) -> FloatArray:
        """Its first derivative."""
        return np.asarray(self._curve.derivative()(t))

    def acceleration(self, t: ArrayLike) -> FloatArray:
        """Its second derivative."""
        return np.asarray(self._curve.derivative(2)(t))


@dataclass(frozen=True, eq=False)
class DrivenReplay:
    """Coordinates (T, n) of the driven motion, multipliers (T, m) and the torque (T,) [N·m] of the added driver."""

    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    multipliers: FloatArray
    torque: FloatArray


def replayed(moving: Reduced, history: History) -> DrivenReplay:
    """The motion of a history with its free angle driven; forces of stops as they were."""
    column = moving.free[0]
    if moving.f != 1 or column % 3 != 2:
        raise BiomecError(f"{moving.model.name}: only a motion with one free angle is replayed.")
    law = SampledLaw(history.time_s, *(x[:, column] for x in (history.q, history.qdot, history.qddot)))
    model = moving.model.with_angle_driver(moving.model.bodies[column // 3], law)
    q, qdot, qddot = follow(model, history.time_s, history.q[0])
    _, multipliers = model.accelerations(q, qdot, history.time_s, extra=history.contact)
    return DrivenReplay(q, qdot, qddot, multipliers[:, :-1], -multipliers[:, -1])
