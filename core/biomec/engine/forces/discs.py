"""Intervertebral discs: springs and dampers on the six coordinates of a body in the one below it.

    F = k (x − x₀) + c ẋ      M_x, M_z likewise      M_y = A (e^{B (φ − φ₀)} − 1) + c φ̇        [Mouzo2018] Eq. 4.1

k, A, B and c depend on the sign of the displacement. These are the loads that displace; the disc answers with the
opposite. Beyond B (φ − φ₀) = 10 the exponential goes on as a straight line, so that no number overflows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled

STEEPEST = 10.0
BENDING = 4  # the coordinate φ_y, extension and flexion


class Discs(NamedTuple):
    """D discs; pairs are for negative and positive displacements.

    body      : (D,) number of the upper body
    rest      : (D, 6) x₀, y₀, z₀ [m], φ₀ [rad]
    stiffness : (D, 2, 6) [N/m] and [N·m/rad]; of φ_y it is A [N·m]
    exponent  : (D, 2) B [1/rad]
    damping   : (D, 2, 6) [N·s/m] and [N·m·s/rad]
    """

    body: IntArray
    rest: FloatArray
    stiffness: FloatArray
    exponent: FloatArray
    damping: FloatArray


@compiled
def disc_load(discs: Discs, d: int, z: FloatArray, zdot: FloatArray, elastic: FloatArray, damping: FloatArray) -> float:
    """Fill the generalised forces (6,) on the upper body's coordinates z, ż (6,); returns the energy stored [J]."""
    energy = 0.0
    for j in range(6):
        x = z[j] - discs.rest[d, j]
        side = 1 if x > 0.0 else 0
        k = discs.stiffness[d, side, j]
        if j == BENDING:
            B = discs.exponent[d, side]
            u = B * x
            if u > STEEPEST:
                top, over = np.exp(STEEPEST), u - STEEPEST
                elastic[j] = -k * (top * (1.0 + over) - 1.0)
                energy += k / B * (top - 1.0 + top * (over + 0.5 * over * over) - u)
            else:
                rise = np.exp(u)
                elastic[j] = -k * (rise - 1.0)
                energy += k / B * (rise - 1.0 - u)
        else:
            elastic[j] = -k * x
            energy += 0.5 * k * x * x
        damping[j] = -discs.damping[d, side, j] * zdot[j]
    return energy
