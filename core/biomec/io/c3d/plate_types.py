"""Plate types 1 to 7: from signals to force and moment about the surface's centre [C3D2021] [Visual3DPlates].

Plate axes (C3D): x and y lie in the surface, z points into the ground; corners and sensors are numbered by quadrant.

           y                     F  force, M moment, both of the file's own sense (see `biomec.io.c3d.plates`)
      2    |    1                o  ORIGIN, from the sensors' origin up to the centre of the surface: z negative
           +---- x               a, b  half the distance between sensors along x and y (types 3, 6, 7)
      3         4

In the code F × o is written F @ skew(o), for rows F.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from biomec.base.arrays import FloatArray, skew

Wrench: TypeAlias = tuple[FloatArray, FloatArray]  # force [N] and moment about the surface's centre [N m], both (N, 3)


@dataclass(frozen=True)
class PlateType:
    """One type of plate.

    channels   : number of analog channels
    signals    : what the signals are after calibration: F force, M moment, P position
    calibrated : the channels are multiplied by CAL_MATRIX, (len(signals), channels)
    half_sides : ORIGIN holds half the sensors' distances along x and y, not a vector
    wrench     : signals (N, S) [N, N m, m] and ORIGIN (3,) [m] to force and moment
    """

    channels: int
    signals: str
    calibrated: bool
    half_sides: bool
    wrench: Callable[[FloatArray, FloatArray], Wrench]


def from_centre_of_pressure(signals: FloatArray, origin: FloatArray) -> Wrench:
    """Type 1: Fx Fy Fz, Px Py of the centre of pressure, and the free moment Tz: M = p × F + (0, 0, Tz)."""
    force = signals[:, :3]
    point = np.zeros_like(force)
    point[:, :2] = signals[:, 3:5]
    moment = np.cross(point, force)
    moment[:, 2] += signals[:, 5]
    return force, moment


def from_sensor_origin(signals: FloatArray, origin: FloatArray) -> Wrench:
    """Types 2, 4, 5: Fx Fy Fz, and Mx My Mz about the sensors' origin: M about the surface = M + F × o."""
    force = signals[:, :3]
    return force, signals[:, 3:6] + force @ skew(origin)


def from_four_sensors(signals: FloatArray, origin: FloatArray) -> Wrench:
    """Type 6: Fx Fy Fz of each of four sensors at (±a, ±b): M = Σ rₖ × Fₖ + F × (0, 0, o_z)."""
    a, b, depth = origin
    sensors = signals.reshape(-1, 4, 3)
    arms = np.array([[a, b, 0.0], [-a, b, 0.0], [-a, -b, 0.0], [a, -b, 0.0]])
    force = sensors.sum(axis=1)
    return force, np.cross(arms, sensors).sum(axis=1) + force @ skew([0.0, 0.0, depth])


def from_paired_sensors(signals: FloatArray, origin: FloatArray) -> Wrench:
    """Types 3, 7 [KistlerPlates]: fx12 fx34 fy14 fy23 fz1 fz2 fz3 fz4.

    Mx = b (fz1 + fz2 − fz3 − fz4)    My = a (−fz1 + fz2 + fz3 − fz4)    Mz = b (fx34 − fx12) + a (fy14 − fy23)
    about the sensors' plane, then M + F × (0, 0, o_z).
    """
    a, b, depth = origin
    x12, x34, y14, y23, z1, z2, z3, z4 = signals.T
    force = np.stack([x12 + x34, y14 + y23, z1 + z2 + z3 + z4], axis=1)
    moment = np.stack([b * (z1 + z2 - z3 - z4), a * (-z1 + z2 + z3 - z4), b * (x34 - x12) + a * (y14 - y23)], axis=1)
    return force, moment + force @ skew([0.0, 0.0, depth])


PLATE_TYPES = {
    1: PlateType(6, "FFFPPM", False, False, from_centre_of_pressure),
    2: PlateType(6, "FFFMMM", False, False, from_sensor_origin),
    3: PlateType(8, "FFFFFFFF", False, True, from_paired_sensors),
    4: PlateType(6, "FFFMMM", True, False, from_sensor_origin),
    5: PlateType(8, "FFFMMM", True, False, from_sensor_origin),
    6: PlateType(12, "FFFFFFFFFFFF", True, True, from_four_sensors),
    7: PlateType(8, "FFFFFFFF", True, True, from_paired_sensors),
}


def corrected_by_polynomial(wrench: Wrench, coefficients: FloatArray) -> Wrench:
    """Kistler's correction of the centre of pressure by twelve coefficients c, (FPCOPPOLY), for x, y in metres.

    Δx = (c₁ y⁴ + c₂ y² + c₃) x³ + (c₄ y⁴ + c₅ y² + c₆) x, and alike for y; the point moves to (x − Δx, y − Δy).
    """
    force, moment = wrench
    pressed = np.abs(force[:, 2]) > 0.0
    fz = np.where(pressed, force[:, 2], 1.0)
    x, y = -moment[:, 1] / fz, moment[:, 0] / fz
    c = coefficients
    shift_x = (c[0] * y**4 + c[1] * y**2 + c[2]) * x**3 + (c[3] * y**4 + c[4] * y**2 + c[5]) * x
    shift_y = (c[6] * x**4 + c[7] * x**2 + c[8]) * y**3 + (c[9] * x**4 + c[10] * x**2 + c[11]) * y
    corrected = np.stack([(y - shift_y) * fz, -(x - shift_x) * fz, moment[:, 2]], axis=1)
    return force, np.where(pressed[:, None], corrected, moment)
