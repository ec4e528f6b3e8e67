"""Where two outlines are closest, or overlap most.

Convex outlines in polar form S(φ) about a point of their body:

    ξ = S cos φ,  η = S sin φ,     t = A (ξ', η'),     n = A (η', −ξ')

With φ counter-clockwise n points outwards. The closest points solve n_jᵀ t_i = 0 and dᵀ t_i = 0, d = r_i − r_j, for φ_i
and φ_j [Markus2015]. The same equations also hold on the far side of an outline; the root that is wanted has normals
against each other, n_i·n_j < 0, and of two such roots the larger gap d·n_j.

A circle against a straight face, in closed form:

    gap = (r_c − r_p)·n − radius,   n = A_j n̄

with r_c the circle's centre on body i, r_p a point of the face and n̄ its outward normal on body j. The row of
derivatives by (x_i, y_i, θ_i, x_j, y_j, θ_j) is (n, n·(ẑ × ρ_i), −n, −n·(ẑ × (r_c − R_j))), ρ_i = r_c − R_i: a force F
at the contact acts on these coordinates as F times the row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, planar_rotation, read_only
from biomec.base.errors import BiomecError

MAX_ITERATIONS = 50
TOLERANCE = 1e-13  # of the step of φ [rad]; the last step of Newton's method is far smaller than the one before
STARTS = 12  # angles of each outline from which the search begins anew when the first guess leads elsewhere


class Profile(Protocol):
    """An outline in polar form."""

    def polar(self, phi: float) -> tuple[float, float, float]:
        """S [m], dS/dφ and d²S/dφ² at φ [rad]."""


@dataclass(frozen=True)
class Circle:
    """S = radius [m]."""

    radius: float

    def polar(self, phi: float) -> tuple[float, float, float]:
        """The radius and zeros."""
        return self.radius, 0.0, 0.0


@dataclass(frozen=True)
class ProfileLine:
    """The line η = slope ξ + intercept [m]: S = intercept/(sin φ − slope cos φ); solid is the origin's side."""

    intercept: float
    slope: float

    def polar(self, phi: float) -> tuple[float, float, float]:
        """Distance along the ray at φ; negative where the ray goes the other way."""
        d, d1 = np.sin(phi) - self.slope * np.cos(phi), np.cos(phi) + self.slope * np.sin(phi)
        s = self.intercept / d
        return s, -s * d1 / d, s * (1.0 + 2.0 * (d1 / d) ** 2)


@dataclass(frozen=True)
class Cubic:
    """S = a₀ + a₁ φ + a₂ φ² + a₃ φ³ [m]."""

    a0: float
    a1: float = 0.0
    a2: float = 0.0
    a3: float = 0.0

    def polar(self, phi: float) -> tuple[float, float, float]:
        """The cubic and its derivatives."""
        return (
            self.a0 + phi * (self.a1 + phi * (self.a2 + phi * self.a3)),
            self.a1 + phi * (2.0 * self.a2 + 3.0 * phi * self.a3),
            2.0 * self.a2 + 6.0 * self.a3 * phi,
        )


@dataclass(frozen=True, eq=False)
class ProfileOutline:
    """A profile on a body.

    origin : (2,) where S is measured from, in the body's axes [m]
    pose   : x, y [m] and angle [rad] of the body
    """

    profile: Profile
    origin: FloatArray
    pose: FloatArray

    def at(self, phi: float) -> tuple[FloatArray, FloatArray, FloatArray, float]:
        """Position, first and second derivative by φ in the laboratory, each (2,), and S."""
        s, s1, s2 = self.profile.polar(phi)
        along, across = np.array([np.cos(phi), np.sin(phi)]), np.array([-np.sin(phi), np.cos(phi)])
        turn = planar_rotation(float(self.pose[2]))
        point = np.asarray(self.pose[:2]) + turn @ (np.asarray(self.origin) + s * along)
        return point, turn @ (s1 * along + s * across), turn @ ((s2 - s) * along + 2.0 * s1 * across), s


@dataclass(frozen=True, eq=False)
class ClosestPoints:
    """Answer of `closest_points`.

    phi_i, phi_j       : [rad]
    point_i, point_j   : (2,) [m];  normal_i, normal_j : (2,) unit, outward
    gap                : [m], d·n_j; negative while the bodies overlap
    iterations         : of Newton's method from the guess that led here
    """

    phi_i: float
    phi_j: float
    point_i: FloatArray
    point_j: FloatArray
    normal_i: FloatArray
    normal_j: FloatArray
    gap: float
    iterations: int


def closest_points(i: ProfileOutline, j: ProfileOutline, guess: ArrayLike = (0.0, np.pi)) -> ClosestPoints:
    """Closest points of two convex outlines, the first kind of which must be curved (a line has no unique φ_i).

    guess : φ_i, φ_j [rad] to begin from; others are tried when it leads to the far side or nowhere
    """
    for start in _starts(np.asarray(guess, dtype=np.float64)):
        found = _newton(i, j, start)
        if found is not None:
            behind = _newton(i, j, np.array([found.phi_i, found.phi_j]) + np.pi)  # the two far sides face away alike
            return behind if behind is not None and behind.gap > found.gap else found
    raise BiomecError(
        "No pair of points was found where the two outlines face each other. "
        "Check their positions, and that both are convex; give the curved one first."
    )


def _starts(guess: FloatArray) -> Iterator[FloatArray]:
    yield guess
    turns = 2.0 * np.pi * np.arange(STARTS) / STARTS
    for b in turns:
        for a in turns:
            yield guess + np.array([a, b])


def _newton(i: ProfileOutline, j: ProfileOutline, start: FloatArray) -> ClosestPoints | None:
    """Newton's method on n_jᵀ t_i = 0, dᵀ t_i = 0; None if it does not end where normals face each other."""
    phi = start.copy()
    for iteration in range(1, MAX_ITERATIONS + 1):
        p_i, t_i, c_i, _ = i.at(float(phi[0]))
        p_j, t_j, c_j, _ = j.at(float(phi[1]))
        d = p_i - p_j
        value = np.array([_normal(t_j) @ t_i, d @ t_i])
        slope = np.array([[_normal(t_j) @ c_i, _normal(c_j) @ t_i], [t_i @ t_i + d @ c_i, -t_j @ t_i]])
        determinant = slope[0, 0] * slope[1, 1] - slope[0, 1] * slope[1, 0]
        if not np.isfinite(determinant) or abs(determinant) <= 1e-14 * np.abs(slope).max() ** 2:
            return None
        change = -np.array(
            [slope[1, 1] * value[0] - slope[0, 1] * value[1], slope[0, 0] * value[1] - slope[1, 0] * value[0]]
        ) / determinant  # fmt: skip
        phi += np.clip(change, -1.0, 1.0)
        if np.abs(change).max() < TOLERANCE * (1.0 + np.abs(phi).max()):
            return _facing(i, j, phi, iteration)
    return None


def _facing(i: ProfileOutline, j: ProfileOutline, phi: FloatArray, iterations: int) -> ClosestPoints | None:
    p_i, t_i, _, s_i = i.at(float(phi[0]))
    p_j, t_j, _, s_j = j.at(float(phi[1]))
    n_i, n_j = _normal(t_i) / np.linalg.norm(t_i), _normal(t_j) / np.linalg.norm(t_j)
    if s_i <= 0.0 or s_j <= 0.0 or n_i @ n_j >= 0.0:
        return None
    phi_i, phi_j = (float(np.mod(one + np.pi, 2.0 * np.pi) - np.pi) for one in phi)
    gap = float((p_i - p_j) @ n_j)
    return ClosestPoints(phi_i, phi_j, read_only(p_i), read_only(p_j), read_only(n_i), read_only(n_j), gap, iterations)


def _normal(tangent: FloatArray) -> FloatArray:
    """Right of the tangent: outward when φ runs counter-clockwise."""
    return np.array([tangent[1], -tangent[0]])


# ------------------------------------------------------------------------------------------------------ circle and face


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
