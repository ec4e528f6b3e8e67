"""How alike right and left are.

Angles are compared by their plain difference; a ratio of angles depends on where zero is.
"""

from __future__ import annotations

import math

NOT_KNOWN = float("nan")


def ratio(right: float, left: float) -> float:
    """Larger over smaller, at least 1; NaN unless both are positive."""
    if not (right > 0.0 and left > 0.0):
        return NOT_KNOWN
    return max(right, left) / min(right, left)


def log_ratio(right: float, left: float) -> float:
    """100 ln(R / L) [%]; NaN unless both are positive. Exchanging the sides changes the sign only.

    Log ratios add up: that of R to M and that of M to L sum to that of R to L. Near zero it is the difference in %.
    """
    if not (right > 0.0 and left > 0.0):
        return NOT_KNOWN
    return 100.0 * math.log(right / left)


def symmetry_index(right: float, left: float) -> float:
    """100 (R − L) / (½ (R + L)) [%] [Robinson1987]; NaN where the sum is zero.

    It grows without bound where the sum is near zero: for times, lengths and forces only.
    """
    total = 0.5 * (right + left)
    return 100.0 * (right - left) / total if total != 0.0 else NOT_KNOWN


def symmetry_angle(right: float, left: float) -> float:
    """100 (45° − arctan(L / R)) / 90° [%], 180° less where the angle is beyond 90° [Zifchock2008]; NaN if both are 0.

    Between −100 and 100 %, 0 where both are equal; it needs no reference value, and signs may differ: for moments and
    powers.
    """
    if right == 0.0 and left == 0.0:
        return NOT_KNOWN
    angle = 45.0 - (math.degrees(math.atan(left / right)) if right != 0.0 else math.copysign(90.0, left))
    return 100.0 * (angle - 180.0 if angle > 90.0 else angle) / 90.0


def difference(right: float, left: float) -> float:
    """R − L, in the unit of both: for angles."""
    return right - left
