"""What moves a simulated system: generalised forces as functions of time and state."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.engine.forward.formulation import NoNumber, bounded
from biomec.engine.system import System

Forces = Callable[[float, FloatArray, FloatArray], FloatArray]
"""Q (n,) at a time [s] and a state q, q̇ (n,). Gravity is a force like any other."""


def acting(forces: Forces, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
    """Q (n,) at a time in a state; raises `NoNumber` with the time where it is none though the state is well."""
    Q = forces(t, q, qdot)
    if not np.isfinite(Q).all() and bounded(q, qdot):
        raise NoNumber(f"a force is not a number at {t:.4f} s. Look at what acts then, such as a recorded load.")
    return Q


def weight(system: System) -> Forces:
    """Gravity alone."""
    Q = np.array(system.gravity_force)
    return lambda t, q, qdot: Q


def together(*forces: Forces) -> Forces:
    """Sum of several forces."""

    def total(t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        Q = np.array(forces[0](t, q, qdot))
        for force in forces[1:]:
            Q += force(t, q, qdot)
        return Q

    return total


def recorded(time_s: ArrayLike, Q: ArrayLike) -> Forces:
    """Generalised forces (T, n) known at times (T,), by cubic splines between them and constant outside.

    The corrector of a step asks for the same moment several times: the last answer is kept.
    """
    times, values = np.asarray(time_s, dtype=np.float64), np.asarray(Q, dtype=np.float64)
    if values.ndim != 2 or len(values) != len(times) or len(times) < 2:
        raise BiomecError(f"Recorded forces need the shape (times, coordinates); got {values.shape} for {len(times)}.")
    if not np.isfinite(values).all() or not (np.diff(times) > 0.0).all():
        raise BiomecError("Recorded forces: all values must be numbers, at times that increase.")
    third, second, rate, start = np.ascontiguousarray(scipy.interpolate.CubicSpline(times, values).c)
    first, last, pieces = float(times[0]), float(times[-1]), len(times) - 1

    asked, answer = np.nan, start[0]

    def at(t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        nonlocal asked, answer
        if t != asked:
            now = min(max(t, first), last)
            k = min(int(times.searchsorted(now, "right")) - 1, pieces - 1)
            x = now - times[k]
            asked, answer = t, ((third[k] * x + second[k]) * x + rate[k]) * x + start[k]
        return np.array(answer)

    return at
