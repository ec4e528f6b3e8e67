"""Scalar equations between planar bodies given by their centre of mass and angle, evaluated for one state or many.

Bodies are numbered; the ground has the last number. Local points are seen from the centre of mass, in the axes of the
body; those of the ground from the laboratory's origin. With A the rotation of a body and perp the quarter turn,
r = R + A u, ṙ = Ṙ + ω perp(A u), r̈ = R̈ + α perp(A u) − ω² A u ([Silva2007], [Markus2015]).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from biomec.arrays import FloatArray, IntArray
from biomec.mechanisms.laws import Law, Polynomial

FIXED = Polynomial((0.0,))
TINY = 1e-300  # keeps the direction of a distance of zero a number


@dataclass(frozen=True, eq=False)
class Pin:
    """A point of one body is a point of another: r_first − r_second = 0, two rows [m]."""

    name: str
    first: int
    first_at: FloatArray
    second: int
    second_at: FloatArray
    rows = 2


@dataclass(frozen=True, eq=False)
class Angle:
    """φ_first − φ_second + offset − law(t) = 0, one row [rad]."""

    name: str
    first: int
    second: int
    offset: float
    law: Law = FIXED
    rows = 1


@dataclass(frozen=True, eq=False)
class OnLine:
    """A point of one body stays on a line of another: sign (A n)·(r_first − r_second) = 0, n of ``first`` [m]."""

    name: str
    first: int
    first_at: FloatArray
    normal: FloatArray
    second: int
    second_at: FloatArray
    sign: float = 1.0
    rows = 1


@dataclass(frozen=True, eq=False)
class Length:
    """The distance of two points follows a law: |r_first − r_second| − law(t) = 0, one row [m]."""

    name: str
    first: int
    first_at: FloatArray
    second: int
    second_at: FloatArray
    law: Law
    rows = 1


@dataclass(frozen=True, eq=False)
class Component:
    """A component of a point follows a law: (r_first)_axis − law(t) = 0, one row [m]."""

    name: str
    first: int
    first_at: FloatArray
    axis: int
    law: Law
    rows = 1


Equation: TypeAlias = Pin | Angle | OnLine | Length | Component


def perp(v: FloatArray) -> FloatArray:
    """Vectors (..., 2) turned by a quarter, counter-clockwise."""
    return np.stack([-v[..., 1], v[..., 0]], axis=-1)


def turned(angle: FloatArray, local: FloatArray) -> FloatArray:
    """A u for angles (..., k) and local vectors (k, 2): (..., k, 2)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * local[:, 0] - s * local[:, 1], s * local[:, 0] + c * local[:, 1]], axis=-1)


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Scalar products of vectors (..., 2)."""
    return np.asarray(a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1])


class Points:
    """Points fixed in numbered bodies, all evaluated at once."""

    def __init__(self, bodies: Sequence[int], local: Sequence[ArrayLike]) -> None:
        self.bodies: IntArray = np.asarray(bodies, dtype=np.int64).reshape(-1)
        self.local: FloatArray = np.asarray(local, dtype=np.float64).reshape(-1, 2)

    def arms(self, pose: FloatArray) -> FloatArray:
        """A u, (..., k, 2), of poses (..., bodies + 1, 3)."""
        return turned(pose[..., self.bodies, 2], self.local)

    def positions(self, pose: FloatArray, arms: FloatArray) -> FloatArray:
        """Positions (..., k, 2) [m]."""
        return np.asarray(pose[..., self.bodies, :2] + arms)

    def velocities(self, rate: FloatArray, arms: FloatArray) -> FloatArray:
        """Velocities (..., k, 2) [m/s]."""
        return np.asarray(rate[..., self.bodies, :2] + rate[..., self.bodies, 2:] * perp(arms))

    def centripetal(self, rate: FloatArray, arms: FloatArray) -> FloatArray:
        """ω² A u: what is to be taken from R̈ + α perp(A u), (..., k, 2) [m/s²]."""
        return np.asarray(rate[..., self.bodies, 2:] ** 2 * arms)


class Equations:
    """All rows of a model in their order, as tables by kind."""

    def __init__(self, equations: Sequence[Equation], bodies: int) -> None:
        self.all = tuple(equations)
        self.bodies = bodies
        self.m = sum(one.rows for one in self.all)
        firsts = np.cumsum([0, *(one.rows for one in self.all)])
        self.row_of = {one.name: np.arange(at, at + one.rows) for one, at in zip(self.all, firsts, strict=False)}
        at_row = dict(zip(map(id, self.all), firsts, strict=False))
        pins = [one for one in self.all if isinstance(one, Pin)]
        angles = [one for one in self.all if isinstance(one, Angle)]
        lines = [one for one in self.all if isinstance(one, OnLine)]
        lengths = [one for one in self.all if isinstance(one, Length)]
        components = [one for one in self.all if isinstance(one, Component)]
        self.constant = np.zeros((self.m, 3 * (bodies + 1)))
        self.pin_rows = _rows(pins, at_row)
        self.pin_ends = _ends(pins)
        for r, one in zip(self.pin_rows, pins, strict=True):
            for axis in (0, 1):
                self.constant[r + axis, [3 * one.first + axis, 3 * one.second + axis]] = 1.0, -1.0
        self.angle_rows = _rows(angles, at_row)
        self.angle_ends = np.array([[one.first, one.second] for one in angles], dtype=np.int64).reshape(-1, 2).T
        self.angle_offset = np.array([one.offset for one in angles])
        for r, angle in zip(self.angle_rows, angles, strict=True):
            self.constant[r, [3 * angle.first + 2, 3 * angle.second + 2]] = 1.0, -1.0
        self.line_rows = _rows(lines, at_row)
        self.line_ends = _ends(lines)
        self.line_normal = np.array([one.sign * one.normal for one in lines]).reshape(-1, 2)
        self.length_rows = _rows(lengths, at_row)
        self.length_ends = _ends(lengths)
        self.component_rows = _rows(components, at_row)
        self.component_point = Points([one.first for one in components], [one.first_at for one in components])
        self.component_axis = np.array([one.axis for one in components], dtype=np.int64)
        for r, part in zip(self.component_rows, components, strict=True):
            self.constant[r, 3 * part.first + part.axis] = 1.0
        laws = [(at_row[id(one)], one.law) for one in self.all if not isinstance(one, Pin | OnLine)]
        self.laws = tuple((int(row), law) for row, law in laws if law is not FIXED)

    # ------------------------------------------------------------------ laws

    def told(self, t: ArrayLike, order: int) -> FloatArray:
        """Values of the laws of all rows, or their derivatives of an order, (..., m) at times (...)."""
        time = np.asarray(t, dtype=np.float64)
        values = np.zeros((*time.shape, self.m))
        for row, law in self.laws:
            values[..., row] = (law.value, law.rate, law.acceleration)[order](time)
        return values

    # ------------------------------------------------------------------ rows

    def residual(self, pose: FloatArray, t: ArrayLike) -> FloatArray:
        """Φ, (..., m)."""
        phi = np.zeros((*pose.shape[:-2], self.m)) - self.told(t, 0)
        gap = _gap(pose, self.pin_ends)
        phi[..., self.pin_rows] += gap[..., 0]
        phi[..., self.pin_rows + 1] += gap[..., 1]
        first, second = self.angle_ends
        phi[..., self.angle_rows] += pose[..., first, 2] - pose[..., second, 2] + self.angle_offset
        if self.line_rows.size:
            phi[..., self.line_rows] += dot(self._normals(pose), _gap(pose, self.line_ends))
        if self.length_rows.size:
            phi[..., self.length_rows] += np.linalg.norm(_gap(pose, self.length_ends), axis=-1)
        if self.component_rows.size:
            at = self.component_point.positions(pose, self.component_point.arms(pose))
            phi[..., self.component_rows] += at[..., np.arange(self.component_axis.size), self.component_axis]
        return phi

    def jacobian(self, pose: FloatArray) -> FloatArray:
        """Φq, (..., m, 3 bodies)."""
        J = np.empty((*pose.shape[:-2], *self.constant.shape))
        J[...] = self.constant
        for ends, sign in zip(self.pin_ends, (1.0, -1.0), strict=True):
            arms = sign * ends.arms(pose)
            J[..., self.pin_rows, 3 * ends.bodies + 2] = -arms[..., 1]
            J[..., self.pin_rows + 1, 3 * ends.bodies + 2] = arms[..., 0]
        if self.line_rows.size:
            normal, first = self._normals(pose), self.line_ends[0].bodies
            self._along(J, pose, self.line_rows, self.line_ends, normal)
            J[..., self.line_rows, 3 * first + 2] += dot(perp(normal), _gap(pose, self.line_ends))
        if self.length_rows.size:
            gap = _gap(pose, self.length_ends)
            e = gap / (np.linalg.norm(gap, axis=-1, keepdims=True) + TINY)
            self._along(J, pose, self.length_rows, self.length_ends, e)
        if self.component_rows.size:
            arms = perp(self.component_point.arms(pose))
            column = 3 * self.component_point.bodies + 2
            J[..., self.component_rows, column] = arms[..., np.arange(self.component_axis.size), self.component_axis]
        return J[..., : 3 * self.bodies]

    def acceleration_rhs(self, pose: FloatArray, rate: FloatArray, t: ArrayLike) -> FloatArray:
        """γ = −(Φq q̇)_q q̇ − 2 Φqt q̇ − Φtt, (..., m)."""
        gamma = np.zeros((*np.broadcast_shapes(pose.shape, rate.shape)[:-2], self.m)) + self.told(t, 2)
        turning = _turning(pose, rate, self.pin_ends)
        gamma[..., self.pin_rows] += turning[..., 0]
        gamma[..., self.pin_rows + 1] += turning[..., 1]
        if self.line_rows.size:
            normal, w = self._normals(pose), rate[..., self.line_ends[0].bodies, 2]
            slide = dot(perp(normal), _gap_rate(pose, rate, self.line_ends))
            along = dot(normal, w[..., None] ** 2 * _gap(pose, self.line_ends))
            gamma[..., self.line_rows] += along - 2.0 * w * slide + dot(normal, _turning(pose, rate, self.line_ends))
        if self.length_rows.size:
            gap, speed = _gap(pose, self.length_ends), _gap_rate(pose, rate, self.length_ends)
            length = np.linalg.norm(gap, axis=-1) + TINY
            e = gap / length[..., None]
            across = (dot(speed, speed) - dot(e, speed) ** 2) / length
            gamma[..., self.length_rows] += dot(e, _turning(pose, rate, self.length_ends)) - across
        if self.component_rows.size:
            turning = self.component_point.centripetal(rate, self.component_point.arms(pose))
            gamma[..., self.component_rows] += turning[..., np.arange(self.component_axis.size), self.component_axis]
        return gamma

    def _normals(self, pose: FloatArray) -> FloatArray:
        return turned(pose[..., self.line_ends[0].bodies, 2], self.line_normal)

    @staticmethod
    def _along(
        J: FloatArray, pose: FloatArray, rows: IntArray, ends: tuple[Points, Points], direction: FloatArray
    ) -> None:
        """Rows direction · (ṙ_first − ṙ_second)."""
        for points, sign in zip(ends, (1.0, -1.0), strict=True):
            for axis in (0, 1):
                J[..., rows, 3 * points.bodies + axis] = sign * direction[..., axis]
            J[..., rows, 3 * points.bodies + 2] = sign * dot(direction, perp(points.arms(pose)))


def _rows(chosen: Sequence[Equation], at_row: dict[int, int]) -> IntArray:
    return np.array([at_row[id(one)] for one in chosen], dtype=np.int64)


def _ends(chosen: Sequence[Pin] | Sequence[OnLine] | Sequence[Length]) -> tuple[Points, Points]:
    return (
        Points([one.first for one in chosen], [one.first_at for one in chosen]),
        Points([one.second for one in chosen], [one.second_at for one in chosen]),
    )


def _gap(pose: FloatArray, ends: tuple[Points, Points]) -> FloatArray:
    first, second = (points.positions(pose, points.arms(pose)) for points in ends)
    return np.asarray(first - second)


def _gap_rate(pose: FloatArray, rate: FloatArray, ends: tuple[Points, Points]) -> FloatArray:
    first, second = (points.velocities(rate, points.arms(pose)) for points in ends)
    return np.asarray(first - second)


def _turning(pose: FloatArray, rate: FloatArray, ends: tuple[Points, Points]) -> FloatArray:
    first, second = (points.centripetal(rate, points.arms(pose)) for points in ends)
    return np.asarray(first - second)
