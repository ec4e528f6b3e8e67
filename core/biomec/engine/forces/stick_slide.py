"""Friction that sticks: every sphere holds on to the ground by a spring that lets go at the limit, and then slides.

    f_t = κ f_stick + (1 − κ) f_slide − μ_v v_t,      κ = exp(−‖v_t‖²/v_stick²)                     after [Dopico2011]
    f_stick = −(k s + c v_t), at most μ_s f_n,        f_slide = −μ_d f_n v_t/‖v_t‖
    ṡ = v_t − α(‖s‖/s_max) (v_t·s)₊ s/‖s‖²,           s_max = μ_s f_n/k;   in the air ṡ = −s/τ

s leads from where the sphere holds on to where it is; α goes from 0 to 1 as the spring nears its limit, so that the
place to hold on to moves along and a sphere far from the limit does not creep at all, as smooth friction does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.engine.forces.applied import wrench
from biomec.engine.forces.ground_contact import ContactSphere, Ground, GroundContact
from biomec.engine.system import System

FORGETS_S = 5e-3  # τ
FIRM = 0.8  # of s_max, up to which nothing moves along


@dataclass(frozen=True)
class StickSlide:
    """How spheres hold on and slide.

    stiffness : k [N/m];  damping : c [N s/m];  sticking, sliding : μ_s, μ_d;  speed : v_stick [m/s]
    viscous   : μ_v [N s/m]
    """

    stiffness: float = 1e5
    damping: float = 300.0
    sticking: float = 0.8
    sliding: float = 0.6
    speed: float = 0.01
    viscous: float = 0.0

    def __post_init__(self) -> None:
        positive = (self.stiffness, self.sticking, self.sliding, self.speed)
        if not (all(0.0 < one < np.inf for one in positive) and min(self.damping, self.viscous) >= 0.0):
            raise BiomecError(
                "Friction that sticks: stiffness, both coefficients and the speed must be positive, the others not "
                "negative."
            )


class StickSlideContact:
    """Spheres on a plane with friction that sticks: `InnerForces`, with three states of each sphere.

    Materials of the spheres give their normal forces; their own friction is left out.
    """

    def __init__(
        self,
        system: System,
        spheres: Sequence[ContactSphere],
        friction: StickSlide = StickSlide(),
        ground: Ground = Ground(),
    ) -> None:
        smooth = [replace(one, material=replace(one.material, friction=0.0)) for one in spheres]
        self.system, self.friction = system, friction
        self.normal = GroundContact(system, smooth, ground)
        direction = np.zeros(3)
        given = np.asarray(ground.normal, dtype=np.float64)
        direction[: given.size] = given
        self._up = direction / np.linalg.norm(direction)
        self._centres = []
        for one in spheres:
            body = system.layout.body(one.body)
            if body.dimension != 3:
                raise BiomecError("Friction that sticks is for bodies in space. Take smooth friction in the plane.")
            self._centres.append(system.layout.lift(body, body.point_map(np.asarray(one.centre, dtype=np.float64))))

    @property
    def size(self) -> int:
        """Number of states, three of each sphere."""
        return 3 * len(self._centres)

    def start(self, t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """Springs without tension."""
        return np.zeros(self.size)

    def rates(self, t: float, q: FloatArray, qdot: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Generalised forces Q (n,) and ẏ (3 S,) [m/s]."""
        pressed, stretch = self.normal.state(q, qdot), y.reshape(-1, 3)
        Q, rate = np.zeros(self.system.n), np.empty_like(stretch)
        for k, sphere in enumerate(self.normal.spheres):
            v = self._slip(k, q, qdot)
            f_n = float(pressed.force[k] @ self._up)
            force, rate[k] = tangential(self.friction, f_n, v, stretch[k])
            if f_n > 0.0:
                Q += wrench(self.system, sphere.body, q, pressed.point[k], pressed.force[k] + force)
        return Q, rate.ravel()

    def _slip(self, k: int, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """Velocity (3,) along the ground of the lowest point of a sphere."""
        sphere = self.normal.spheres[k]
        layout, body = self.system.layout, self.system.layout.body(sphere.body)
        G = body.angular_velocity_map(layout.body_coordinates(q, sphere.body))
        omega = G @ layout.body_coordinates(qdot, sphere.body)
        v = self._centres[k].rate(qdot) - sphere.radius * np.cross(omega, self._up)
        return np.asarray(v - (v @ self._up) * self._up)


def tangential(law: StickSlide, f_n: float, v: FloatArray, s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Friction (3,) [N] and ṡ (3,) [m/s] of a sphere pressed by f_n that slips with v and is stretched by s (3,)."""
    if not f_n > 0.0:
        return np.zeros(3), -s / FORGETS_S
    limit, speed = law.sticking * f_n, float(np.linalg.norm(v))
    stick = -(law.stiffness * s + law.damping * v)
    size = float(np.linalg.norm(stick))
    if size > limit:
        stick *= limit / size
    x = (speed / law.speed) ** 2
    kappa = float(np.exp(-x))
    slide = -law.sliding * f_n * (-np.expm1(-x) / max(speed, 1e-12)) * v  # (1 − κ) f_slide, smooth at rest
    rate = np.array(v)
    length = float(np.linalg.norm(s))
    if length > 0.0:
        share = np.clip((length * law.stiffness / limit - FIRM) / (1.0 - FIRM), 0.0, 1.0)
        rate -= share * share * (3.0 - 2.0 * share) * max(0.0, float(v @ s)) / length**2 * s
    return np.asarray(kappa * stick + slide - law.viscous * v), rate
