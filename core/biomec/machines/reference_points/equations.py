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

from biomec.base.arrays import FloatArray, IntArray
from biomec.machines.laws import Law, Polynomial

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
class RelativeAngle:
    """φ_first − φ_second + offset − law(t) = 0, one row [rad]."""

    name: str
    first: int
    second: int
    offset: float
    law: Law = FIXED
    rows = 1


@dataclass(frozen=True, eq=False)
class OnLine:
    """The distance of a point from a line of another body, sign (A n)·(r_first − r_second) − law(t) = 0 [m].

    n is a direction of ``first``. Without a law the point stays on the line.
    """

    name: str
    first: int
    first_at: FloatArray
    normal: FloatArray
    second: int
    second_at: FloatArray
    sign: float = 1.0
    law: Law = FIXED
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


Equation: TypeAlias = Pin | RelativeAngle | OnLine | Length | Component


_QUARTER = np.array([-1.0, 1.0])


def perp(v: FloatArray) -> FloatArray:
    """Vectors (..., 2) turned by a quarter, counter-clockwise."""
    return np.asarray(v[..., ::-1] * _QUARTER)


def dot(a: FloatArray, b: FloatArray) -> FloatArray:
    """Scalar products of vectors (..., 2)."""
    return np.asarray(a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1])


class BodyPoints:
    """Points fixed in numbered bodies, all evaluated at once."""

    def __init__(self, bodies: Sequence[int], local: Sequence[ArrayLike]) -> None:
        self.bodies: IntArray = np.asarray(bodies, dtype=np.int64).reshape(-1)
        self.local: FloatArray = np.asarray(local, dtype=np.float64).reshape(-1, 2)
        self._complex = self.local[:, 0] + 1j * self.local[:, 1]

    def arms(self, pose: FloatArray) -> FloatArray:
        """A u, (..., k, 2), of poses (..., bodies + 1, 3): a product of complex numbers."""
        turned = np.ascontiguousarray(np.exp(1j * pose[..., 2])[..., self.bodies] * self._complex)
        return np.asarray(turned.view(np.float64).reshape(*turned.shape, 2))

    def positions(self, pose: FloatArray, arms: FloatArray) -> FloatArray:
        """Positions (..., k, 2) [m]."""
        return np.asarray(pose[..., self.bodies, :2] + arms)

    def velocities(self, rate: FloatArray, arms: FloatArray) -> FloatArray:
        """Velocities (..., k, 2) [m/s]."""
        moving = rate[..., self.bodies, :]
        return np.asarray(moving[..., :2] + moving[..., 2:] * perp(arms))

    def centripetal(self, rate: FloatArray, arms: FloatArray) -> FloatArray:
        """ω² A u: what is to be taken from R̈ + α perp(A u), (..., k, 2) [m/s²]."""
        return np.asarray((rate[..., 2] ** 2)[..., self.bodies, None] * arms)


class Equations:
    """All rows of a model in their order, as tables by kind: pins, lines, lengths (these have two ends), components."""

    def __init__(self, equations: Sequence[Equation], bodies: int) -> None:
        self.all = tuple(equations)
        self.bodies = bodies
        self.m = sum(one.rows for one in self.all)
        firsts = np.cumsum([0, *(one.rows for one in self.all)])
        self.row_of = {one.name: np.arange(at, at + one.rows) for one, at in zip(self.all, firsts, strict=False)}
        at_row = {id(one): int(at) for one, at in zip(self.all, firsts, strict=False)}
        pins = [one for one in self.all if isinstance(one, Pin)]
        lines = [one for one in self.all if isinstance(one, OnLine)]
        lengths = [one for one in self.all if isinstance(one, Length)]
        components = [one for one in self.all if isinstance(one, Component)]
        angles = [one for one in self.all if isinstance(one, RelativeAngle)]
        two_ended: list[Pin | OnLine | Length] = [*pins, *lines, *lengths]
        self.ends = BodyPoints(
            [one.first for one in two_ended] + [one.second for one in two_ended] + [one.first for one in components],
            [one.first_at for one in two_ended] + [one.second_at for one in two_ended]
            + [one.first_at for one in components],
        )  # fmt: skip
        self.pairs = len(two_ended)
        self.pins, self.lines = slice(0, len(pins)), slice(len(pins), len(pins) + len(lines))
        self.lengths = slice(self.lines.stop, self.pairs)
        self.normals = BodyPoints([one.first for one in lines], [one.sign * one.normal for one in lines])
        self.pin_rows, self.line_rows, self.length_rows, self.component_rows, self.angle_rows = (
            np.array([at_row[id(one)] for one in kind], dtype=np.int64)
            for kind in (pins, lines, lengths, components, angles)
        )
        self.pin_rows = self.pin_rows[:, None] + np.arange(2)
        self.pin_entries = np.tile(self.pin_rows, (2, 1))
        pin_ends = [one.first for one in pins] + [one.second for one in pins]
        self.pin_columns = 3 * np.array(pin_ends, dtype=np.int64)[:, None] + 2
        self.pin_places = np.concatenate([np.arange(len(pins)), self.pairs + np.arange(len(pins))]).astype(np.int64)
        self.pin_signs = np.repeat([1.0, -1.0], len(pins))[:, None]
        self.angle_ends = np.array([[one.first, one.second] for one in angles], dtype=np.int64).reshape(-1, 2).T
        self.angle_offset = np.array([one.offset for one in angles])
        self.component_places = 2 * self.pairs + np.arange(len(components)), np.array([c.axis for c in components], int)
        self.constant = np.zeros((self.m, 3 * (bodies + 1)))
        for one in pins:
            for axis in (0, 1):
                row = at_row[id(one)] + axis
                self.constant[row, [3 * one.first + axis, 3 * one.second + axis]] = 1.0, -1.0
        for angle in angles:
            self.constant[at_row[id(angle)], [3 * angle.first + 2, 3 * angle.second + 2]] = 1.0, -1.0
        for part in components:
            self.constant[at_row[id(part)], 3 * part.first + part.axis] = 1.0
        laws = [(at_row[id(one)], one.law) for one in self.all if not isinstance(one, Pin)]
        self.laws = tuple((row, law) for row, law in laws if law is not FIXED)

    # ------------------------------------------------------------------ laws

    def law_values(self, t: ArrayLike, order: int) -> FloatArray:
        """Values of the laws of all rows, or their derivatives of an order, (..., m) at times (...)."""
        values = np.zeros((*np.shape(t), self.m))
        for row, law in self.laws:
            values[..., row] = (law.value, law.rate, law.acceleration)[order](t)
        return values

    # ------------------------------------------------------------------ rows

    def residual(self, pose: FloatArray, t: ArrayLike) -> FloatArray:
        """Φ, (..., m)."""
        phi = np.zeros((*pose.shape[:-2], self.m)) - self.law_values(t, 0)
        at = self.ends.positions(pose, self.ends.arms(pose))
        gap = at[..., : self.pairs, :] - at[..., self.pairs : 2 * self.pairs, :]
        phi[..., self.pin_rows] = gap[..., self.pins, :]
        if self.angle_rows.size:
            first, second = self.angle_ends
            phi[..., self.angle_rows] += pose[..., first, 2] - pose[..., second, 2] + self.angle_offset
        if self.line_rows.size:
            phi[..., self.line_rows] += dot(self.normals.arms(pose), gap[..., self.lines, :])
        if self.length_rows.size:
            phi[..., self.length_rows] += np.linalg.norm(gap[..., self.lengths, :], axis=-1)
        if self.component_rows.size:
            phi[..., self.component_rows] += at[..., self.component_places[0], self.component_places[1]]
        return phi

    def jacobian(self, pose: FloatArray) -> FloatArray:
        """Φq, (..., m, 3 bodies)."""
        J = np.empty((*pose.shape[:-2], *self.constant.shape))
        J[...] = self.constant
        arms = self.ends.arms(pose)
        around = perp(arms)
        J[..., self.pin_entries, self.pin_columns] = around[..., self.pin_places, :] * self.pin_signs
        if self.line_rows.size:
            normal = self.normals.arms(pose)
            self._along(J, around, self.line_rows, self.lines, normal)
            gap = self._gap(pose, arms)[..., self.lines, :]
            J[..., self.line_rows, 3 * self.normals.bodies + 2] += dot(perp(normal), gap)
        if self.length_rows.size:
            gap = self._gap(pose, arms)[..., self.lengths, :]
            e = gap / (np.linalg.norm(gap, axis=-1, keepdims=True) + TINY)
            self._along(J, around, self.length_rows, self.lengths, e)
        if self.component_rows.size:
            places, axes = self.component_places
            J[..., self.component_rows, 3 * self.ends.bodies[places] + 2] = around[..., places, axes]
        return J[..., : 3 * self.bodies]

    def acceleration_rhs(self, pose: FloatArray, rate: FloatArray, t: ArrayLike) -> FloatArray:
        """γ = −(Φq q̇)_q q̇ − 2 Φqt q̇ − Φtt, (..., m)."""
        gamma = np.zeros((*np.broadcast_shapes(pose.shape, rate.shape)[:-2], self.m)) + self.law_values(t, 2)
        arms = self.ends.arms(pose)
        inward = self.ends.centripetal(rate, arms)
        turning = inward[..., : self.pairs, :] - inward[..., self.pairs : 2 * self.pairs, :]
        gamma[..., self.pin_rows] = turning[..., self.pins, :]
        if self.line_rows.size or self.length_rows.size:
            gap, speed = self._gap(pose, arms), self._speed(rate, arms)
        if self.line_rows.size:
            normal, w = self.normals.arms(pose), rate[..., self.normals.bodies, 2]
            slide = dot(perp(normal), speed[..., self.lines, :])
            whole = w[..., None] ** 2 * gap[..., self.lines, :] + turning[..., self.lines, :]
            gamma[..., self.line_rows] += dot(normal, whole) - 2.0 * w * slide
        if self.length_rows.size:
            d, v = gap[..., self.lengths, :], speed[..., self.lengths, :]
            length = np.linalg.norm(d, axis=-1) + TINY
            e = d / length[..., None]
            across = (dot(v, v) - dot(e, v) ** 2) / length
            gamma[..., self.length_rows] += dot(e, turning[..., self.lengths, :]) - across
        if self.component_rows.size:
            gamma[..., self.component_rows] += inward[..., self.component_places[0], self.component_places[1]]
        return gamma

    def _gap(self, pose: FloatArray, arms: FloatArray) -> FloatArray:
        at = self.ends.positions(pose, arms)
        return np.asarray(at[..., : self.pairs, :] - at[..., self.pairs : 2 * self.pairs, :])

    def _speed(self, rate: FloatArray, arms: FloatArray) -> FloatArray:
        v = self.ends.velocities(rate, arms)
        return np.asarray(v[..., : self.pairs, :] - v[..., self.pairs : 2 * self.pairs, :])

    def _along(self, J: FloatArray, around: FloatArray, rows: IntArray, kind: slice, direction: FloatArray) -> None:
        """Rows direction · (ṙ_first − ṙ_second)."""
        for begin, sign in ((0, 1.0), (self.pairs, -1.0)):
            places = np.arange(begin + kind.start, begin + kind.stop)
            columns = 3 * self.ends.bodies[places]
            for axis in (0, 1):
                J[..., rows, columns + axis] = sign * direction[..., axis]
            J[..., rows, columns + 2] = sign * dot(direction, around[..., places, :])
