"""Drivers and added coordinates: rows whose target follows time or a coordinate of its own.

A driver declares *what* is driven; the values come with each call as a `Drive` (see `system.py`), so the model stays
constant data. An added coordinate (mixed coordinates, theory §5.4) appends an angle or a length to q together
with the row that defines it; the number of degrees of freedom does not change.
Table numbers are those of [Nunes2017].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import DescriptionError
from biomec.engine.equations import AngleEquation, Quadratic, Row, components, dot, minus_square
from biomec.engine.layout import Layout
from biomec.engine.maps import VectorMap

PERPENDICULAR = 1e-3  # largest cosine between an axis and a direction that turns about it


@dataclass(frozen=True)
class AngleDriver:
    """The angle from direction ``start`` to direction ``end`` about ``axis`` follows a(t) [rad] (Table 2.2).

    Written v·u − cos a, and (v×u)·e − sin a where |cos a| > √2/2, because the cosine loses its rank at 0 and π
    (theory §5.2). ``axis`` is not needed in the plane.
    """

    name: str
    start: str
    end: str
    axis: str | None = None

    def rows(self, layout: Layout) -> list[Row]:
        """One row."""
        return [Row("driver", self.name, angle_equation(self, layout, -1), driver=self.name)]


@dataclass(frozen=True)
class LengthDriver:
    """The distance of two points follows l(t) [m]: φ = |r_i − r_j|² − l² (Table 2.2 prints B_ki for B_ji)."""

    name: str
    first: str
    second: str

    def rows(self, layout: Layout) -> list[Row]:
        """One row."""
        d = _difference(self, layout)
        return [Row("driver", self.name, dot(d, d), driver=self.name, level="square")]


@dataclass(frozen=True)
class PointDriver:
    """A point follows a path: its components are the drivers ``name.x``, ``name.y`` (and ``name.z``) [m]."""

    name: str
    point: str

    def rows(self, layout: Layout) -> list[Row]:
        """One linear row a component."""
        equations = components(layout.point(self.point, f"Driver {self.name}"))
        return [
            Row("driver", self.name, equation, driver=f"{self.name}.{axis}")
            for axis, equation in zip("xyz", equations, strict=False)
        ]


@dataclass(frozen=True)
class CoordinateDriver:
    """An added coordinate follows a function of time: φ = s − k(t)."""

    name: str
    coordinate: str

    def rows(self, layout: Layout) -> list[Row]:
        """One linear row."""
        if self.coordinate not in layout.added:
            there = ", ".join(layout.added) or "none"
            raise DescriptionError(
                f"Driver {self.name}: there is no added coordinate {self.coordinate} (there: {there})."
            )
        column = np.array([layout.added[self.coordinate]])
        return [Row("driver", self.name, Quadratic(column, np.zeros((1, 1)), np.ones(1), 0.0), driver=self.name)]


@dataclass(frozen=True)
class AngleCoordinate:
    """Adds the angle from ``start`` to ``end`` about ``axis`` to q [rad], with the row that defines it."""

    name: str
    start: str
    end: str
    axis: str | None = None

    def rows(self, layout: Layout) -> list[Row]:
        """One row, in cosine or sine form like an angle driver."""
        return [Row("coordinate", self.name, angle_equation(self, layout, layout.added[self.name]))]

    def measure(self, layout: Layout, q: FloatArray) -> float:
        """Angle in a configuration, from its body coordinates [rad], in (−π, π]."""
        equation = angle_equation(self, layout, -1)
        v, u, e = equation.v(q), equation.u(q), equation.e(q)
        return float(np.arctan2(np.cross(v, u) @ e, v @ u))


@dataclass(frozen=True)
class LengthCoordinate:
    """Adds the distance s of two points to the coordinates, with its row |r_i − r_j|² − s² = 0 [m]."""

    name: str
    first: str
    second: str

    def rows(self, layout: Layout) -> list[Row]:
        """One quadratic row."""
        d = _difference(self, layout)
        return [Row("coordinate", self.name, minus_square(dot(d, d), layout.added[self.name]))]

    def measure(self, layout: Layout, q: FloatArray) -> float:
        """Distance in a configuration, from its body coordinates [m]."""
        return float(np.linalg.norm(_difference(self, layout)(q)))


ADDED_COORDINATES = (AngleCoordinate, LengthCoordinate)


def _where(item: AngleDriver | LengthDriver | AngleCoordinate | LengthCoordinate) -> str:
    return f"{'Coordinate' if isinstance(item, ADDED_COORDINATES) else 'Driver'} {item.name}"


def _difference(item: LengthDriver | LengthCoordinate, layout: Layout) -> VectorMap:
    where = _where(item)
    d = layout.point(item.first, where) - layout.point(item.second, where)
    if item.first.partition(".")[0] == item.second.partition(".")[0]:
        raise DescriptionError(f"{where}: {item.first} and {item.second} belong together, so their distance is fixed.")
    if np.linalg.norm(d(layout.reference())) < 1e-9 and isinstance(item, LengthCoordinate):
        raise DescriptionError(f"{where}: its two points coincide in the reference poses, so the length has no slope.")
    return d


def angle_equation(item: AngleDriver | AngleCoordinate, layout: Layout, column: int) -> AngleEquation:
    """The equation of an angle from ``start`` to ``end``; ``column`` is the added coordinate's, or −1."""
    where = _where(item)
    if item.start.partition(".")[0] == item.end.partition(".")[0]:
        raise DescriptionError(f"{where}: {item.start} and {item.end} belong together, so their angle is fixed.")
    v, u = layout.vector(item.start, where), layout.vector(item.end, where)
    if layout.dimension == 2:
        in_space = np.eye(3)[:, :2]
        return AngleEquation(v.rotated(in_space), u.rotated(in_space), VectorMap.fixed((0.0, 0.0, 1.0)), 1.0, column)
    if item.axis is None:
        raise DescriptionError(f"{where}: an angle in space needs the axis it turns about, such as ground.z.")
    e = layout.vector(item.axis, where)
    q0 = layout.reference()
    for name, direction in ((item.start, v), (item.end, u)):
        if abs(direction(q0) @ e(q0)) > PERPENDICULAR:
            raise DescriptionError(
                f"{where}: direction {name} must be normal to its axis {item.axis} in the reference poses."
            )
    return AngleEquation(v, u, e, 1.0, column)
