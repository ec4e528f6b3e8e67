"""Torques that are known at some times, between them by straight lines or by cubic splines."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.machines.reference_points.integration import Torques

INTERPOLATIONS = ("linear", "spline")
CLOSED = 1e-9  # of the largest torque: the first and the last one are the same, so the motion repeats


def torque_table(time_s: ArrayLike, torques: ArrayLike, interpolation: str = "linear") -> Torques:
    """Torques of all motors as a function of time, constant outside the table.

    time_s : (T,);  torques : (T, motors) [N m]
    interpolation : ``linear``; or ``spline``, cubic, periodic if the table ends as it begins
    """
    times, values = np.asarray(time_s, dtype=np.float64), np.asarray(torques, dtype=np.float64)
    if values.ndim != 2 or len(values) != len(times) or len(times) < 2 or not (np.diff(times) > 0.0).all():
        raise BiomecError("A table of torques needs times that increase, with the torques of all motors at each.")
    if not np.isfinite(values).all():
        raise BiomecError("A table of torques has values that are not numbers.")
    if interpolation not in INTERPOLATIONS:
        raise BiomecError(f"Torques are interpolated {' or '.join(INTERPOLATIONS)}, not {interpolation}.")
    first, last = float(times[0]), float(times[-1])
    if interpolation == "linear":

        def straight(t: float) -> FloatArray:
            now = min(max(t, first), last)
            k = min(int(times.searchsorted(now, "right")) - 1, len(times) - 2)
            share = (now - times[k]) / (times[k + 1] - times[k])
            return np.asarray((1.0 - share) * values[k] + share * values[k + 1])

        return straight
    from scipy.interpolate import CubicSpline  # slow to import

    repeats = bool(np.abs(values[-1] - values[0]).max(initial=0.0) <= CLOSED * np.abs(values).max(initial=1.0))
    if repeats:
        values = values.copy()
        values[-1] = values[0]
    spline = CubicSpline(times, values, bc_type="periodic" if repeats and len(times) > 2 else "not-a-knot")
    return lambda t: np.asarray(spline(min(max(t, first), last)))
