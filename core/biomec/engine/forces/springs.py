"""Springs and dampers between points and about hinges, as forces of a simulation.

The elements are those of `multibody.actuators`, which also give stiffness and damping matrices; a simulation needs the
forces alone, at every step, of all elements at once.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.engine.drivers import AngleCoordinate, angle_equation
from biomec.engine.forces.actuators import Characteristic, CoordinateElement, HingeElement, LineElement
from biomec.engine.forces.applied import Forces
from biomec.engine.forces.state_maps import StateMap, add_torque, angular_velocity, axes_map, read_rows, state_map
from biomec.engine.maps import VectorMap
from biomec.engine.system import System

Element = LineElement | HingeElement | CoordinateElement


def springs(system: System, elements: Sequence[Element]) -> Forces:
    """Forces of springs and dampers; Q is that of the elements themselves, without actuation."""
    lines = [one for one in elements if isinstance(one, LineElement)]
    hinges = [one for one in elements if isinstance(one, HingeElement)]
    parts: list[Forces] = []
    if lines:
        parts.append(_Lines(system, lines))
    if hinges:
        parts.append(_Hinges(system, hinges))
    parts += [_Added(system, one) for one in elements if isinstance(one, CoordinateElement)]

    def total(t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        Q = np.zeros(system.n)
        for part in parts:
            Q += part(t, q, qdot)
        return Q

    return total


class _Lines:
    """All translational elements: Q = Σ Tᵀ n g(s, ṡ), pointing from the first to the second point (Eqs. 2.37-2.51)."""

    def __init__(self, system: System, elements: Sequence[LineElement]) -> None:
        point = system.layout.point
        gaps = [point(one.second, f"Element {one.name}") - point(one.first, f"Element {one.name}") for one in elements]
        self.elements, self.n = elements, system.n
        self.matrix = np.concatenate([_in_space(gap).dense(system.n) for gap in gaps])
        self.offset = np.concatenate([_in_space(gap).constant for gap in gaps])

    def __call__(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        d, rate = (self.matrix @ q + self.offset).reshape(-1, 3), (self.matrix @ qdot).reshape(-1, 3)
        s = np.sqrt(np.einsum("ei,ei->e", d, d))
        if (s == 0.0).any():
            name = self.elements[int(np.argmin(s))].name
            raise BiomecError(f"Element {name}: its two ends meet at {t:.4f} s, so its force has no direction.")
        along = d / s[:, None]
        speed = np.einsum("ei,ei->e", along, rate)
        g = [
            _carried(one.spring, one.damper, *at)
            for one, at in zip(self.elements, zip(s, speed, strict=True), strict=True)
        ]
        return np.asarray((np.array(g)[:, None] * along).ravel() @ self.matrix)


class _Hinges:
    """All rotational elements: torques ±p e about the axis of the proximal body (theory §7.6)."""

    def __init__(self, system: System, elements: Sequence[HingeElement]) -> None:
        self.elements, self.n = elements, system.n
        angles = [
            angle_equation(AngleCoordinate(one.name, one.start, one.end, one.axis), system.layout, -1)
            for one in elements
        ]
        self.vectors: StateMap = state_map([_in_space(part) for a in angles for part in (a.v, a.u, a.e)])
        pairs = [(one.start.partition(".")[0], one.end.partition(".")[0]) for one in elements]
        self.axes = axes_map(system, [name for pair in pairs for name in pair])

    def __call__(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        count = len(self.elements)
        vectors, axes, rates = np.empty(9 * count), np.empty(18 * count), np.empty(18 * count)
        read_rows(self.vectors, q, False, vectors)
        read_rows(self.axes, q, False, axes)
        read_rows(self.axes, qdot, True, rates)
        Q, proximal, distal = np.zeros(self.n), np.empty(3), np.empty(3)
        for k, one in enumerate(self.elements):
            v, u, e = vectors[9 * k : 9 * k + 9].reshape(3, 3)
            angle = np.arctan2(np.cross(v, u) @ e, v @ u)
            angular_velocity(axes, rates, 2 * k, proximal)
            angular_velocity(axes, rates, 2 * k + 1, distal)
            h = _carried(one.spring, one.damper, float(angle), float(e @ (distal - proximal))) * e
            add_torque(self.axes, axes, 2 * k, -h, Q)
            add_torque(self.axes, axes, 2 * k + 1, h, Q)
        return Q


class _Added:
    """An element on an added coordinate."""

    def __init__(self, system: System, element: CoordinateElement) -> None:
        element.force(system, system.reference, np.zeros(system.n))  # refuses a coordinate that is not there
        self.element, self.n, self.column = element, system.n, system.layout.added[element.coordinate]

    def __call__(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        Q = np.zeros(self.n)
        Q[self.column] = _carried(self.element.spring, self.element.damper, q[self.column], qdot[self.column])
        return Q


def _carried(spring: Characteristic | None, damper: Characteristic | None, position: float, rate: float) -> float:
    """Scalar force of a spring and a damper, positive pushing apart."""
    force = 0.0
    if spring is not None:
        force -= float(spring.value(np.asarray(position)))
    if damper is not None:
        force -= float(damper.value(np.asarray(rate)))
    return force


def _in_space(one: VectorMap) -> VectorMap:
    """A map of the plane with a third component of zero."""
    return one if one.dimension == 3 else one.rotated(np.eye(3)[:, : one.dimension])
