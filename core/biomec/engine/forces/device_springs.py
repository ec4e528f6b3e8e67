"""Springs of devices worn on a body: about an axis of a joint, and between a limb and the cuff around it.

Both follow from a potential, so that a body with them keeps its energy whatever its joints do (theory §7.8).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, skew
from biomec.engine.forces.applied import Forces
from biomec.engine.forces.springs import ElementForce, OwnForces, element_force
from biomec.engine.maps import VectorMap
from biomec.engine.system import System


@dataclass(frozen=True)
class Beyond:
    """k (x − rest) on one side of the rest only: a stop with some give, such as a brace that blocks plantarflexion.

    side : +1 resists where x is above rest, −1 where it is below
    """

    k: float
    rest: float = 0.0
    side: float = 1.0

    def value(self, x: FloatArray) -> FloatArray:
        """k (x − rest) on the side of the stop, 0 on the other."""
        return np.asarray(self.k * self.side * np.maximum(self.side * (x - self.rest), 0.0))

    def slope(self, x: FloatArray) -> FloatArray:
        """k on the side of the stop, 0 on the other."""
        return np.asarray(self.k * (self.side * (np.asarray(x) - self.rest) > 0.0))


class SpringState(NamedTuple):
    """What an element does, frame by frame.

    position : (...,) angle [rad], or (..., 3) from the first point to the second [m]
    rate     : its derivative by time
    force    : torque on the distal body about the axis (...,) [N m], or force on the second point (..., 3) [N]
    """

    position: FloatArray
    rate: FloatArray
    force: FloatArray


@dataclass(frozen=True)
class AngleElement(OwnForces):
    """Spring and damper about an axis of a joint, which may be a ball joint.

    The angle θ in (−π, π] runs from ``start`` (proximal) to the part of ``end`` (distal) normal to ``axis`` (proximal).
    Q = p ∂θ/∂q with p = −spring(θ) − damper(θ̇): the force of a potential of θ. In a hinge it is the torque p about it.
    """

    start: str = ""
    end: str = ""
    axis: str = ""

    def angle(self, system: System, q: FloatArray) -> tuple[FloatArray, FloatArray, _Parts]:
        """θ (...,), ∂θ/∂q (..., n), and what the second derivative takes."""
        maps = [system.layout.vector(name, f"Element {self.name}") for name in (self.start, self.end, self.axis)]
        V, U, E = (m.dense(system.n) for m in maps)
        v, u, e = (m(q) for m in maps)
        sine, cosine = np.einsum("...i,...i->...", np.cross(v, u), e), np.einsum("...i,...i->...", v, u)
        sine_q = np.cross(u, e) @ V + np.cross(e, v) @ U + np.cross(v, u) @ E
        cosine_q = u @ V + v @ U
        size = (sine**2 + cosine**2)[..., None]
        across = cosine[..., None] * sine_q - sine[..., None] * cosine_q
        parts = _Parts((V, U, E), (v, u, e), sine, cosine, sine_q, cosine_q, across, size)
        return np.asarray(np.arctan2(sine, cosine)), np.asarray(across / size), parts

    def direction(self, system: System, q: FloatArray) -> FloatArray:
        """(..., 3) of which p is the torque on the distal body: e − u⊥ (u·e)/|u⊥|², the axis e itself where u ⟂ e.

        θ̇ = ω · that, with ω of the distal body in the proximal one and u⊥ the part of u = ``end`` normal to e.
        """
        u, e = (system.layout.vector(name, f"Element {self.name}")(q) for name in (self.end, self.axis))
        along = np.einsum("...i,...i->...", u, e)[..., None]
        across = u - along * e
        return np.asarray(e - across * along / np.einsum("...i,...i->...", across, across)[..., None])

    def state(self, system: System, q: FloatArray, qdot: FloatArray) -> SpringState:
        """Angle, its rate and the torque (...,) at q and q̇ (..., n)."""
        theta, theta_q, _ = self.angle(system, q)
        rate = np.einsum("...i,...i->...", theta_q, qdot)
        return SpringState(theta, rate, self.carried(theta, rate, 0.0)[0])

    def force(
        self, system: System, q: FloatArray, qdot: FloatArray, actuation: FloatArray | float = 0.0
    ) -> ElementForce:
        """Q, K and C at q and q̇ (..., n); ``actuation`` (...) [N m]."""
        theta, theta_q, parts = self.angle(system, q)
        theta_qq = parts.second()
        rate = np.einsum("...i,...i->...", theta_q, qdot)
        rate_q = np.einsum("...ij,...j->...i", theta_qq, qdot)
        p, p_a, p_v = self.carried(theta, rate, actuation)
        by_q = p_a[..., None] * theta_q + p_v[..., None] * rate_q
        Q_q = p[..., None, None] * theta_qq + theta_q[..., :, None] * by_q[..., None, :]
        C = -p_v[..., None, None] * theta_q[..., :, None] * theta_q[..., None, :]
        return ElementForce(p[..., None] * theta_q, -Q_q, C)

    def forces(self, system: System) -> Forces:
        """Q at one state of a simulation."""

        def total(t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
            theta, theta_q, _ = self.angle(system, q)
            return np.asarray(self.carried(theta, theta_q @ qdot, 0.0)[0] * theta_q)

        return total


class _Parts(NamedTuple):
    """Sine and cosine of an angle with their derivatives: sin = det(v, u, e), cos = v·u, both over √size."""

    maps: tuple[FloatArray, FloatArray, FloatArray]
    vectors: tuple[FloatArray, FloatArray, FloatArray]
    sine: FloatArray
    cosine: FloatArray
    sine_q: FloatArray
    cosine_q: FloatArray
    across: FloatArray
    size: FloatArray

    def second(self) -> FloatArray:
        """∂²θ/∂q² (..., n, n)."""
        (V, U, E), (v, u, e) = self.maps, self.vectors
        half = -V.T @ skew(e) @ U + V.T @ skew(u) @ E - U.T @ skew(v) @ E
        sine_qq = half + np.swapaxes(half, -1, -2)
        cosine_qq = V.T @ U + U.T @ V
        s, c = self.sine[..., None, None], self.cosine[..., None, None]
        across_q = c * sine_qq - s * cosine_qq
        across_q += self.sine_q[..., :, None] * self.cosine_q[..., None, :]
        across_q -= self.cosine_q[..., :, None] * self.sine_q[..., None, :]
        size_q = 2.0 * (self.sine[..., None] * self.sine_q + self.cosine[..., None] * self.cosine_q)
        size = self.size[..., None]
        return np.asarray(across_q / size - self.across[..., :, None] * size_q[..., None, :] / size**2)


@dataclass(frozen=True)
class PointElement(OwnForces):
    """Spring and damper that hold two points together in all directions, such as a limb and the cuff around it.

    On the second point acts f = −k d − c ḋ with d = r_second − r_first, on the first one −f. No force acts where the
    points meet. ``spring`` and ``damper`` are not read: one stiffness and one damping hold in all directions.
    """

    first: str = ""
    second: str = ""
    k: float = 0.0
    c: float = 0.0

    def _gap(self, system: System) -> VectorMap:
        where = f"Element {self.name}"
        return system.layout.point(self.second, where) - system.layout.point(self.first, where)

    def state(self, system: System, q: FloatArray, qdot: FloatArray) -> SpringState:
        """Gap, its rate and the force on the second point (..., 3) at q and q̇ (..., n)."""
        gap = self._gap(system)
        d, ddot = gap(q), gap.rate(qdot)
        return SpringState(d, ddot, -self.k * d - self.c * ddot)

    def force(
        self, system: System, q: FloatArray, qdot: FloatArray, actuation: FloatArray | float = 0.0
    ) -> ElementForce:
        """Q, K and C at q and q̇ (..., n); ``actuation`` (...) [N] pushes the points apart along their gap."""
        gap = self._gap(system)
        d, ddot = gap(q), gap.rate(qdot)
        drive = np.asarray(actuation, dtype=np.float64)
        one = np.broadcast_to(np.eye(d.shape[-1]), (*d.shape, d.shape[-1]))
        f, by_d = -self.k * d - self.c * ddot, -self.k * one
        if drive.any():
            s = np.linalg.norm(d, axis=-1)[..., None]
            n = d / s
            f = f + drive[..., None] * n
            by_d = by_d + (drive[..., None] / s)[..., None] * (one - n[..., :, None] * n[..., None, :])
        return element_force(system, gap, f, by_d, -self.c * one)

    def forces(self, system: System) -> Forces:
        """Q at one state of a simulation."""
        gap = self._gap(system)
        matrix = gap.dense(system.n)

        def total(t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
            return np.asarray((-self.k * gap(q) - self.c * gap.rate(qdot)) @ matrix)

        return total
