"""Work of motors from torques and the angles that they turn through."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray


def work_left_riemann(torques: FloatArray, strokes: FloatArray) -> FloatArray:
    """Σ u(i) (r(i+1) − r(i)) of each motor, (motors,) [J], as published in [Silva2007].

    Its error falls only in proportion to the step, so that a motion which repeats seems to need work.
    """
    return np.asarray((torques[:-1] * np.diff(strokes, axis=0)).sum(axis=0))


def work_trapezoid(torques: FloatArray, strokes: FloatArray) -> FloatArray:
    """Σ ½ (u(i) + u(i+1)) (r(i+1) − r(i)) of each motor, (motors,) [J]; the error falls with the square of the step."""
    return np.asarray((0.5 * (torques[:-1] + torques[1:]) * np.diff(strokes, axis=0)).sum(axis=0))
