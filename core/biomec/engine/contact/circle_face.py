"""A circle on one body against a straight face of another, in closed form: gap, its rate and its row of derivatives.

    gap = (r_c − r_p)·n − radius,   n = A_j n̄

with r_c the circle's centre on body i, r_p a point of the face and n̄ its outward normal on body j. The row of
derivatives by (x_i, y_i, θ_i, x_j, y_j, θ_j) is (n, n·(ẑ × ρ_i), −n, −n·(ẑ × (r_c − R_j))), ρ_i = r_c − R_i: a force F
at the contact acts on these coordinates as F times the row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray


@dataclass(frozen=True, eq=False)
class CircleFace:
    """Geometry of the contact; points in axes that sit where the coordinates of the bodies are measured [m].

    centre : (2,) of the circle on body i;  radius : [m]
    point  : (2,) of the face on body j;  normal : (2,) unit, outward, in axes of body j
    """

    centre: FloatArray
    radius: float
    point: FloatArray
    normal: FloatArray

    def gap(self, pose_i: ArrayLike, pose_j: ArrayLike) -> FloatArray:
        """Gap (...) [m], negative while the bodies overlap; poses are (..., 3)."""
        i, j = np.asarray(pose_i, dtype=np.float64), np.asarray(pose_j, dtype=np.float64)
        between = i[..., :2] + turned(self.centre, i[..., 2]) - j[..., :2] - turned(self.point, j[..., 2])
        return np.asarray(np.sum(between * turned(self.normal, j[..., 2]), axis=-1) - self.radius)

    def row(self, pose_i: ArrayLike, pose_j: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Derivatives of the gap by the coordinates of body i and of body j, each (..., 3)."""
        i, j = np.asarray(pose_i, dtype=np.float64), np.asarray(pose_j, dtype=np.float64)
        n = turned(self.normal, j[..., 2])
        arm_i = turned(self.centre, i[..., 2])
        arm_j = i[..., :2] + arm_i - j[..., :2]
        return (np.concatenate([n, _moment(arm_i, n)], axis=-1), -np.concatenate([n, _moment(arm_j, n)], axis=-1))

    def quadratic(self, pose_i: ArrayLike, pose_j: ArrayLike, rate_i: ArrayLike, rate_j: ArrayLike) -> FloatArray:
        """Part of the second time derivative of the gap that does not come from accelerations (...) [m/s²]:

        (r̈_c − r̈_p)·n + 2 (ṙ_c − ṙ_p)·ṅ + (r_c − r_p)·n̈  with q̈ = 0.
        """
        i, j, vi, vj = (np.asarray(one, dtype=np.float64) for one in (pose_i, pose_j, rate_i, rate_j))
        n, arm_i, arm_p = turned(self.normal, j[..., 2]), turned(self.centre, i[..., 2]), turned(self.point, j[..., 2])
        wi, wj = vi[..., 2:], vj[..., 2:]
        between = i[..., :2] + arm_i - j[..., :2] - arm_p
        closing = vi[..., :2] + wi * _quarter(arm_i) - vj[..., :2] - wj * _quarter(arm_p)
        return np.asarray(
            np.sum((wj**2 * arm_p - wi**2 * arm_i - wj**2 * between) * n + 2.0 * wj * closing * _quarter(n), axis=-1)
        )

    def contact_point(self, pose_i: ArrayLike, pose_j: ArrayLike) -> FloatArray:
        """Point of the circle that is deepest in the face, or closest to it (..., 2) [m]."""
        i, j = np.asarray(pose_i, dtype=np.float64), np.asarray(pose_j, dtype=np.float64)
        centre = i[..., :2] + turned(self.centre, i[..., 2])
        return np.asarray(centre - self.radius * turned(self.normal, j[..., 2]))


def turned(local: ArrayLike, angle: ArrayLike) -> FloatArray:
    """A(θ) v for a constant v (2,) and angles (...) [rad] -> (..., 2)."""
    x, y = np.asarray(local, dtype=np.float64)
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * x - s * y, s * x + c * y], axis=-1)


def _quarter(v: FloatArray) -> FloatArray:
    return np.stack([-v[..., 1], v[..., 0]], axis=-1)


def _moment(arm: FloatArray, force: FloatArray) -> FloatArray:
    """x F_y − y F_x with a last axis of one."""
    return np.asarray(arm[..., :1] * force[..., 1:] - arm[..., 1:] * force[..., :1])
