"""Ligaments: lines that pull when stretched, the more steeply the longer, and more while they are being stretched.

    F = l₀ F_el(ε) (1 + C ε̇) while stretching, l₀ F_el(ε) otherwise, 0 below ε = (l − l₀)/l₀ = 0   [Mouzo2018] Eq. 4.2
    F_el has the slopes k/16, k/4, k/2 and k, which change at ε = 0.05, 0.1 and 0.2                [Mouzo2018] Eq. 4.3

The source leaves out l₀: its k [N/m] times a strain would be no force. With l₀, k is the stiffness of the last stretch.
"""

from __future__ import annotations

from typing import NamedTuple

from biomec.base.arrays import FloatArray
from biomec.base.compiled import compiled


class Ligaments(NamedTuple):
    """N ligaments: stiffness k [N/m], damping C [s], rest length l₀ [m]; each (N,)."""

    stiffness: FloatArray
    damping: FloatArray
    rest: FloatArray


@compiled
def load_curve(strain: float) -> tuple[float, float]:
    """F_el/k and its integral over the strain."""
    if strain <= 0.0:
        return 0.0, 0.0
    value, energy, begin = 0.0, 0.0, 0.0
    for end, slope in ((0.05, 1.0 / 16.0), (0.1, 0.25), (0.2, 0.5), (1e9, 1.0)):
        x = min(strain, end) - begin
        energy += value * x + 0.5 * slope * x * x
        value += slope * x
        if strain <= end:
            break
        begin = end
    return value, energy


@compiled
def ligament_pull(ligaments: Ligaments, n: int, length: float, speed: float) -> tuple[float, float, float]:
    """Elastic and damping parts of the tension [N] at a length [m] and speed [m/s], and the energy stored [J]."""
    rest = ligaments.rest[n]
    value, area = load_curve((length - rest) / rest)
    elastic = ligaments.stiffness[n] * rest * value
    damping = elastic * ligaments.damping[n] * speed / rest if speed > 0.0 else 0.0
    return elastic, damping, ligaments.stiffness[n] * rest * rest * area
