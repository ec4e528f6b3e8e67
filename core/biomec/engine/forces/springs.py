"""Springs, dampers and actuators, with their stiffness and damping matrices (theory §7.5-7.7).

An element sums what it carries: actuator (+), spring (−) and damper (−), along a line, about an axis, or on an added
coordinate. K = −∂Q/∂q and C = −∂Q/∂q̇ (Eqs. 2.40-2.41) are exact, also away from the constraints. Laws are objects
with a value and a slope, so that any curve can take the place of `Linear`. Equation numbers are those of [Nunes2017].

A simulation needs the forces alone, at every step, of all elements at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from biomec.base.arrays import FloatArray, skew
from biomec.base.errors import BiomecError
from biomec.engine.drivers import AngleCoordinate, angle_equation
from biomec.engine.forces.applied import Forces
from biomec.engine.forces.state_maps import StateMap, add_torque, angular_velocity, axes_map, read_rows, state_map
from biomec.engine.layout import GROUND
from biomec.engine.maps import VectorMap
from biomec.engine.system import System


class Characteristic(Protocol):
    """A scalar characteristic: force of a length, torque of an angle, force of a speed."""

    def value(self, x: FloatArray) -> FloatArray:
        """Force [N] or torque [N m] at x (...)."""

    def slope(self, x: FloatArray) -> FloatArray:
        """Derivative of the value by x (...)."""


@dataclass(frozen=True)
class Linear:
    """k (x − rest): stiffness [N/m or N m/rad] with a free length or angle, or a viscous coefficient with rest 0."""

    k: float
    rest: float = 0.0

    def value(self, x: FloatArray) -> FloatArray:
        """k (x − rest)."""
        return self.k * (x - self.rest)

    def slope(self, x: FloatArray) -> FloatArray:
        """k, everywhere."""
        return np.full(np.shape(x), self.k)


class ElementForce(NamedTuple):
    """Generalised force of an element and its derivatives."""

    Q: FloatArray  # (..., n)
    K: FloatArray  # (..., n, n) = −∂Q/∂q
    C: FloatArray  # (..., n, n) = −∂Q/∂q̇


@dataclass(frozen=True)
class _Element:
    """What the three kinds of element have in common: a spring, a damper, and a given actuator force."""

    name: str
    spring: Characteristic | None = None
    damper: Characteristic | None = None

    def carried(
        self, position: FloatArray, rate: FloatArray, actuation: FloatArray | float = 0.0
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Scalar force and its derivatives by position and rate."""
        force = np.broadcast_to(np.asarray(actuation, dtype=np.float64), np.shape(position)).copy()
        by_position, by_rate = np.zeros_like(force), np.zeros_like(force)
        if self.spring is not None:
            force -= self.spring.value(position)
            by_position -= self.spring.slope(position)
        if self.damper is not None:
            force -= self.damper.value(rate)
            by_rate -= self.damper.slope(rate)
        return force, by_position, by_rate


@dataclass(frozen=True)
class LineElement(_Element):
    """Translational element between two points A and B: acts on B along n = (r_B − r_A)/s, on A oppositely.

    Positive actuation pushes the points apart; spring and damper take s and ṡ. The printed matrices (2.42-2.45) are
    dimensionally wrong; the ones here follow from T = [−I I], P = I − nnᵀ (theory §7.5).
    """

    first: str = ""
    second: str = ""

    def force(
        self, system: System, q: FloatArray, qdot: FloatArray, actuation: FloatArray | float = 0.0
    ) -> ElementForce:
        """Q, K and C at q and q̇ (..., n); ``actuation`` (...) [N]."""
        where = f"Element {self.name}"
        d_map = system.layout.point(self.second, where) - system.layout.point(self.first, where)
        d, ddot = d_map(q), d_map.rate(qdot)
        s = np.linalg.norm(d, axis=-1)
        if (s == 0.0).any():
            raise BiomecError(f"{where}: its two ends meet, so its force has no direction.")
        n = d / s[..., None]
        sdot = np.einsum("...i,...i->...", n, ddot)
        g, g_s, g_v = self.carried(s, sdot, actuation)
        along = n[..., :, None] * n[..., None, :]
        across = np.eye(d.shape[-1]) - along
        # ∂f/∂d of f = g n, with ∂s/∂d = nᵀ, ∂n/∂d = P/s, ∂ṡ/∂d = ḋᵀP/s
        bend = np.einsum("...i,...j->...ij", n, np.einsum("...j,...ji->...i", ddot, across) / s[..., None])
        by_d = g_s[..., None, None] * along + (g / s)[..., None, None] * across + g_v[..., None, None] * bend
        by_rate = g_v[..., None, None] * along
        return element_force(system, d_map, g[..., None] * n, by_d, by_rate)


@dataclass(frozen=True)
class HingeElement(_Element):
    """Rotational element about the axis of a hinge: torque on the distal body along the axis, opposite on the proximal.

    The angle runs from direction ``start`` (proximal) to ``end`` (distal) about ``axis`` (proximal), in (−π, π]; use
    an added angle coordinate and `CoordinateElement` for more than a turn. Positive actuation increases the angle.
    """

    start: str = ""
    end: str = ""
    axis: str | None = None

    def force(
        self, system: System, q: FloatArray, qdot: FloatArray, actuation: FloatArray | float = 0.0
    ) -> ElementForce:
        """Q, K and C at q and q̇ (..., n); ``actuation`` (...) [N m]. Introduced as torques ±h = ±p e (theory §7.6)."""
        angle = angle_equation(AngleCoordinate(self.name, self.start, self.end, self.axis), system.layout, -1)
        proximal, distal = self.start.partition(".")[0], self.end.partition(".")[0]
        V, U, E = (m.dense(system.n) for m in (angle.v, angle.u, angle.e))
        v, u, e = angle.v(q), angle.u(q), angle.e(q)
        sine, cosine = np.einsum("...i,...i->...", np.cross(v, u), e), np.einsum("...i,...i->...", v, u)
        sine_q = np.cross(u, e) @ V + np.cross(e, v) @ U + np.cross(v, u) @ E
        cosine_q = u @ V + v @ U
        theta = np.arctan2(sine, cosine)
        theta_q = (cosine[..., None] * sine_q - sine[..., None] * cosine_q) / (sine**2 + cosine**2)[..., None]
        turning = [(+1.0, _Turning(system, distal, q, qdot)), (-1.0, _Turning(system, proximal, q, qdot))]
        relative = sum(sign * part.omega for sign, part in turning)
        relative_q = sum(sign * part.omega_q for sign, part in turning)
        G = sum(sign * part.G for sign, part in turning)
        rate = np.einsum("...i,...i->...", e, relative)
        rate_q = np.einsum("...i,...ij->...j", e, relative_q) + relative @ E
        p, p_a, p_v = self.carried(theta, rate, actuation)
        h = p[..., None] * e
        h_q = (
            p[..., None, None] * E
            + e[..., :, None] * (p_a[..., None] * theta_q + p_v[..., None] * rate_q)[..., None, :]
        )
        h_rate = e[..., :, None] * (p_v[..., None] * np.einsum("...i,...ij->...j", e, G))[..., None, :]
        GT = np.swapaxes(G, -1, -2)
        Q_q = GT @ h_q + sum(sign * part.transposed_by_q(h) for sign, part in turning)
        return ElementForce(np.einsum("...ij,...i->...j", G, h), -Q_q, -GT @ h_rate)


@dataclass(frozen=True)
class CoordinateElement(_Element):
    """Element on an added coordinate (mixed coordinates): the scalar force acts on it directly (theory §7.7)."""

    coordinate: str = ""

    def force(
        self, system: System, q: FloatArray, qdot: FloatArray, actuation: FloatArray | float = 0.0
    ) -> ElementForce:
        """Q, K and C at q and q̇ (..., n); K and C have one entry each, and K of actuator and damper is zero."""
        if self.coordinate not in system.layout.added:
            there = ", ".join(system.layout.added) or "none"
            raise BiomecError(f"Element {self.name}: there is no added coordinate {self.coordinate} (there: {there}).")
        k = system.layout.added[self.coordinate]
        g, g_s, g_v = self.carried(q[..., k], qdot[..., k], actuation)
        Q, K, C = np.zeros(q.shape), np.zeros((*q.shape, system.n)), np.zeros((*q.shape, system.n))
        Q[..., k], K[..., k, k], C[..., k, k] = g, -g_s, -g_v
        return ElementForce(Q, K, C)


def element_force(
    system: System, d_map: VectorMap, f: FloatArray, by_d: FloatArray, by_rate: FloatArray
) -> ElementForce:
    """Element that applies the force f at the map d: Q = Tᵀf, K = −Tᵀ(∂f/∂d)T, C = −Tᵀ(∂f/∂ḋ)T with T the map of d."""
    T = d_map.dense(system.n)
    return ElementForce(f @ T, -(T.T @ by_d @ T), -(T.T @ by_rate @ T))


class _Turning:
    """Rotation of one body (or the ground) over all coordinates: ω = G q̇ with G = ½ Σ ẽ_k D_k, e_k = D_k q."""

    def __init__(self, system: System, name: str, q: FloatArray, qdot: FloatArray) -> None:
        axes = [] if name == GROUND else _axes_in_space(system, name)
        self.D = [axis.dense(system.n) for axis in axes]
        self.G = np.zeros((*q.shape[:-1], 3, system.n))
        self.omega_q = np.zeros_like(self.G)  # ∂ω/∂q
        for axis, D in zip(axes, self.D, strict=True):
            self.G += 0.5 * skew(axis(q)) @ D
            self.omega_q -= 0.5 * skew(axis.rate(qdot)) @ D
        self.omega = np.einsum("...ij,...j->...i", self.G, qdot)

    def transposed_by_q(self, h: FloatArray) -> FloatArray:
        """∂(Gᵀh)/∂q at constant h, (..., n, n), from Gᵀh = ½ Σ Dᵀ(h × D q)."""
        n = self.G.shape[-1]
        total = np.zeros((*h.shape[:-1], n, n))
        for D in self.D:
            total += 0.5 * D.T @ skew(h) @ D
        return total


def _axes_in_space(system: System, name: str) -> list[VectorMap]:
    """Maps of a body's axes as vectors of three components; a planar body has two."""
    body = system.layout.body(name, "Element")
    maps = [system.layout.lift(body, D) for D in body.axes_maps()]
    return [m.rotated(np.eye(3)[:, : m.dimension]) for m in maps]


# ----------------------------------------------------------------------------------------------- forces of a simulation


class OwnForces(_Element):
    """An element that brings what a simulation needs of it."""

    def forces(self, system: System) -> Forces:
        """Q at one state of a simulation."""
        raise NotImplementedError


Element = LineElement | HingeElement | CoordinateElement | OwnForces


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
    parts += [one.forces(system) for one in elements if isinstance(one, OwnForces)]

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
