"""A planar machine in reference-point coordinates: q = (x, y, φ) of the centre of mass of every body in its order.

Index-1 equations of motion M q̈ + Φqᵀ λ = Q with Φ(q, t) = 0, Φq q̇ = ν, Φq q̈ = γ. The multipliers stand on the left,
so the constraints exert −Φqᵀ λ on the bodies, and a driver of an angle applies the torque −λ ([Silva2007]). Springs,
ties and torsion springs act through Q.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.errors import BiomecError
from biomec.engine.layout import GROUND
from biomec.machines.laws import Law, Polynomial
from biomec.machines.machine import Hinge, Spring, Tie
from biomec.machines.motors import Motor
from biomec.machines.reference_points.equations import TINY, BodyPoints, Equation, Equations, RelativeAngle, dot, perp


class PassiveForces:
    """What springs, ties and hinges of a machine do to its bodies, all evaluated at once.

    ends : of each spring and then of each tie, (body, local point) of its first and of its second point
    """

    def __init__(
        self,
        springs: Sequence[Spring],
        ties: Sequence[Tie],
        ends: tuple[BodyPoints, BodyPoints],
        hinges: Sequence[Hinge],
        hinge_bodies: Sequence[tuple[int, int]],
    ) -> None:
        self.ends = ends
        self.springs = len(springs)
        self.k, self.l0, self.c, self.f0 = (
            np.array([getattr(one, name) for one in springs])
            for name in ("stiffness", "free_length", "damping", "actuation")
        )
        self.K, self.C = (np.array([getattr(one, name) for one in ties]) for name in ("stiffness", "damping"))
        self.hinge_k, self.hinge_c = (
            np.array([getattr(one, name) for one in hinges]) for name in ("stiffness", "damping")
        )
        self.rest = np.deg2rad([one.rest_deg for one in hinges])
        self.proximal, self.distal = np.array(hinge_bodies, dtype=np.int64).reshape(-1, 2).T

    @property
    def any(self) -> bool:
        """Whether there is a spring, tie or hinge."""
        return bool(self.ends[0].bodies.size or self.rest.size)

    def add(self, Q: FloatArray, pose: FloatArray, rate: FloatArray) -> None:
        """Add their generalised forces to Q (..., bodies + 1, 3)."""
        if self.ends[0].bodies.size:
            arms = [points.arms(pose) for points in self.ends]
            first, second = (points.positions(pose, arm) for points, arm in zip(self.ends, arms, strict=True))
            v1, v2 = (points.velocities(rate, arm) for points, arm in zip(self.ends, arms, strict=True))
            force = self._on_first(second - first, v2 - v1)
            for points, arm, sign in zip(self.ends, arms, (1.0, -1.0), strict=True):
                whole = np.concatenate([sign * force, sign * dot(perp(arm), force)[..., None]], axis=-1)
                for k, body in enumerate(points.bodies):  # a body may carry several ends
                    Q[..., body, :] += whole[..., k, :]
        for k in range(self.rest.size):
            angle, speed = self._hinge(pose, k), rate[..., self.distal[k], 2] - rate[..., self.proximal[k], 2]
            torque = -self.hinge_k[k] * angle - self.hinge_c[k] * speed
            Q[..., self.distal[k], 2] += torque
            Q[..., self.proximal[k], 2] -= torque

    def potential(self, pose: FloatArray) -> FloatArray:
        """Energy stored in springs, ties and hinges, (...) [J]; zero where they are at rest."""
        total = np.zeros(pose.shape[:-2])
        if self.ends[0].bodies.size:
            first, second = (points.positions(pose, points.arms(pose)) for points in self.ends)
            d = second - first
            length = np.linalg.norm(d[..., : self.springs, :], axis=-1)
            total += (0.5 * self.k * (length - self.l0) ** 2 + self.f0 * length).sum(axis=-1)
            total += (0.5 * self.K * dot(d, d)[..., self.springs :]).sum(axis=-1)
        for k in range(self.rest.size):
            total += 0.5 * self.hinge_k[k] * self._hinge(pose, k) ** 2
        return total

    def _on_first(self, d: FloatArray, speed: FloatArray) -> FloatArray:
        """Force on the first points (..., k, 2) [N], towards the second ones."""
        near, far = d[..., : self.springs, :], d[..., self.springs :, :]
        length = np.linalg.norm(near, axis=-1)
        e = near / (length + TINY)[..., None]
        pull = self.k * (length - self.l0) + self.c * dot(e, speed[..., : self.springs, :]) + self.f0
        held = self.K[:, None] * far + self.C[:, None] * speed[..., self.springs :, :]
        return np.concatenate([pull[..., None] * e, held], axis=-2)

    def _hinge(self, pose: FloatArray, k: int) -> FloatArray:
        return np.asarray(pose[..., self.distal[k], 2] - pose[..., self.proximal[k], 2] - self.rest[k])


SUSPICIOUS = 1e7  # solution over right-hand side: beyond, the saddle matrix may be singular


@dataclass(frozen=True, eq=False)
class ReferencePointModel:
    """Bodies, rows and forces of a planar machine. Constant: states are arguments, with any leading batch shape.

    name         : of the machine, for messages
    bodies       : names, in the order of their coordinates
    joints       : equations that always hold, in the order of the file
    drivers      : equations that follow laws of time and are active; their rows come after those of the joints
    mass         : (n,) diagonal of M: m, m, J of each body [kg, kg, kg m²]
    weight       : (n,) generalised force of gravity [N, N, N m]
    guess        : (n,) poses of the file
    passive      : springs, ties and hinges
    given        : motors, with the torques that they are given over time
    transmission : (n, motors) T, with the generalised forces T u of torques u [N m]
    points       : body (or ground) name -> point name -> local coordinates from the centre of mass [m]
    origins      : (bodies, 2) local origins of the file seen from the centres of mass [m]
    """

    name: str
    bodies: tuple[str, ...]
    joints: tuple[Equation, ...]
    drivers: tuple[Equation, ...]
    mass: FloatArray
    weight: FloatArray
    guess: FloatArray
    passive: PassiveForces
    given: tuple[Motor, ...]
    transmission: FloatArray
    points: Mapping[str, Mapping[str, FloatArray]]
    origins: FloatArray

    # ------------------------------------------------------------------ structure

    @property
    def motors(self) -> tuple[str, ...]:
        """Names of the motors."""
        return tuple(one.name for one in self.given)

    @property
    def n(self) -> int:
        """Number of coordinates, three a body."""
        return 3 * len(self.bodies)

    @property
    def m(self) -> int:
        """Number of active rows."""
        return self.equations.m

    @cached_property
    def equations(self) -> Equations:
        """Active equations as tables."""
        return Equations((*self.joints, *self.drivers), len(self.bodies))

    def rows_of(self, name: str) -> IntArray:
        """Row numbers of a joint or an active driver."""
        if name not in self.equations.row_of:
            raise BiomecError(f"{self.name}: there is no joint or active driver {name}.")
        return self.equations.row_of[name]

    def number(self, body: str) -> int:
        """Number of a body; the ground comes last."""
        if body == GROUND:
            return len(self.bodies)
        if body not in self.bodies:
            raise BiomecError(f"{self.name}: there is no body {body}; the bodies are {', '.join(self.bodies)}.")
        return self.bodies.index(body)

    def column(self, body: str, part: str = "angle") -> int:
        """Column of q of a body's ``x``, ``y`` or ``angle``."""
        return 3 * self.number(body) + ("x", "y", "angle").index(part)

    def with_drivers(self, names: Sequence[str]) -> ReferencePointModel:
        """The same with only those of its drivers active; their order stays."""
        unknown = [name for name in names if name not in {one.name for one in self.drivers}]
        if unknown:
            there = ", ".join(one.name for one in self.drivers) or "none"
            raise BiomecError(f"{self.name}: there is no driver {', '.join(unknown)}; the active ones are {there}.")
        return replace(self, drivers=tuple(one for one in self.drivers if one.name in names))

    def with_angle_driver(self, body: str, law: Law, name: str = "", from_body: str = GROUND) -> ReferencePointModel:
        """The same with one more driver: the angle of a body, absolute or seen from another body, follows a law."""
        added = RelativeAngle(name or f"angle of {body}", self.number(body), self.number(from_body), 0.0, law)
        return replace(self, drivers=(*self.drivers, added))

    def with_held_angles(self, angles: Mapping[str, float]) -> ReferencePointModel:
        """The same with angles of bodies held at values [rad], such as those of the start of a motion."""
        model = self
        for body, value in angles.items():
            model = model.with_angle_driver(body, Polynomial((float(value),)), f"held angle of {body}")
        return model

    # ------------------------------------------------------------------ constraints

    def residual(self, q: ArrayLike, t: ArrayLike = 0.0) -> FloatArray:
        """Φ(q, t), (..., m) [m or rad]."""
        return self.equations.residual(self._poses(q), t)

    def jacobian(self, q: ArrayLike, t: ArrayLike = 0.0) -> FloatArray:
        """Φq, (..., m, n). It does not depend on time."""
        return self.equations.jacobian(self._poses(q))

    def rate_rhs(self, t: ArrayLike = 0.0) -> FloatArray:
        """ν = −Φt, (..., m)."""
        return self.equations.law_values(t, 1)

    def acceleration_rhs(self, q: ArrayLike, qdot: ArrayLike, t: ArrayLike = 0.0) -> FloatArray:
        """γ, (..., m)."""
        return self.equations.acceleration_rhs(self._poses(q), self._poses(qdot), t)

    # ------------------------------------------------------------------ forces and energy

    def applied(
        self, q: ArrayLike, qdot: ArrayLike, t: ArrayLike = 0.0, torques: ArrayLike | None = None
    ) -> FloatArray:
        """Q, (..., n): gravity, springs, ties, hinges, and motors with torques (..., motors) [N m].

        Without ``torques`` the motors give what they are given in the file.
        """
        Q = np.broadcast_to(self.weight, np.broadcast_shapes(np.shape(q), np.shape(qdot))).copy()
        if self.passive.any:
            pose = self._poses(Q)
            pose[..., -1, :] = 0.0
            self.passive.add(pose, self._poses(q), self._poses(qdot))
            Q = pose[..., :-1, :].reshape(Q.shape)
        torques = self.given_torques(t) if torques is None else torques
        if torques is not None:
            Q = Q + np.asarray(torques, dtype=np.float64) @ self.transmission.T
        return Q

    def given_torques(self, t: ArrayLike) -> FloatArray | None:
        """Torques (..., motors) that the motors are given at times (...) [N m]; None if none is given any."""
        if all(one.torque is None for one in self.given):
            return None
        return np.stack([one.given(t) for one in self.given], axis=-1)

    def kinetic_energy(self, qdot: ArrayLike) -> FloatArray:
        """½ q̇ᵀ M q̇, (...) [J]."""
        return np.asarray(0.5 * (np.asarray(qdot) ** 2 @ self.mass))

    def potential_energy(self, q: ArrayLike) -> FloatArray:
        """Energy of gravity, zero at the laboratory's origin, and of springs, (...) [J]."""
        return np.asarray(-(np.asarray(q) @ self.weight) + self.passive.potential(self._poses(q)))

    # ------------------------------------------------------------------ solutions

    def accelerations(
        self,
        q: ArrayLike,
        qdot: ArrayLike,
        t: ArrayLike = 0.0,
        torques: ArrayLike | None = None,
        extra: ArrayLike = 0.0,
        correction: ArrayLike = 0.0,
    ) -> tuple[FloatArray, FloatArray]:
        """q̈ (..., n) and λ (..., m) of the saddle system [M Φqᵀ; Φq 0] [q̈; λ] = [Q; γ].

        extra      : (..., n) further generalised forces, such as those of a contact
        correction : (..., m) added to γ, such as a stabilisation
        """
        Q = self.applied(q, qdot, t, torques) + np.asarray(extra, dtype=np.float64)
        gamma = self.acceleration_rhs(q, qdot, t) + np.asarray(correction, dtype=np.float64)
        return self.saddle_solution(self.jacobian(q), Q, gamma)

    def saddle_matrix(self, J: FloatArray) -> FloatArray:
        """[M Φqᵀ; Φq 0], (..., n + m, n + m)."""
        n, m = self.n, J.shape[-2]
        K = np.zeros((*J.shape[:-2], n + m, n + m))
        K[..., np.arange(n), np.arange(n)] = self.mass
        K[..., n:, :n] = J
        K[..., :n, n:] = np.swapaxes(J, -1, -2)
        return K

    def saddle_solution(self, J: FloatArray, Q: FloatArray, gamma: FloatArray) -> tuple[FloatArray, FloatArray]:
        """q̈ and λ; rows that repeat others share their multiplier with least squares."""
        K, right = self.saddle_matrix(J), np.concatenate([Q, gamma], axis=-1)
        try:
            x = np.linalg.solve(K, right[..., None])[..., 0]
            good = np.isfinite(x).all() and np.abs(x).max(initial=0.0) < SUSPICIOUS * (1.0 + np.abs(right).max())
        except np.linalg.LinAlgError:
            good = False
        if not good:
            x = (np.linalg.pinv(K, rcond=1e-12) @ right[..., None])[..., 0]
        return x[..., : self.n], x[..., self.n :]

    # ------------------------------------------------------------------ points

    def local(self, point: str) -> tuple[int, FloatArray]:
        """Body number and local coordinates of ``body.point`` or ``ground.point``."""
        owner, _, name = point.partition(".")
        number = self.number(owner)
        if name not in self.points[owner]:
            raise BiomecError(f"{self.name}: {owner} has no point {name}; it has {', '.join(self.points[owner])}.")
        return number, self.points[owner][name]

    def position(self, q: ArrayLike, point: str) -> FloatArray:
        """Position of ``body.point`` (..., 2) [m]."""
        body, u = self.local(point)
        pose = self._poses(q)[..., body, :]
        return np.asarray(pose[..., :2] + _arm(pose, u))

    def velocity(self, q: ArrayLike, qdot: ArrayLike, point: str) -> FloatArray:
        """Velocity of ``body.point`` (..., 2) [m/s]."""
        body, u = self.local(point)
        pose, rate = self._poses(q)[..., body, :], self._poses(qdot)[..., body, :]
        return np.asarray(rate[..., :2] + rate[..., 2:] * perp(_arm(pose, u)))

    def acceleration(self, q: ArrayLike, qdot: ArrayLike, qddot: ArrayLike, point: str) -> FloatArray:
        """Acceleration of ``body.point`` (..., 2) [m/s²]."""
        body, u = self.local(point)
        pose, rate, change = (self._poses(x)[..., body, :] for x in (q, qdot, qddot))
        arm = _arm(pose, u)
        return np.asarray(change[..., :2] + change[..., 2:] * perp(arm) - rate[..., 2:] ** 2 * arm)

    def poses(self, q: ArrayLike) -> dict[str, FloatArray]:
        """Body name -> (..., 3): position of the origin that the file gives it [m], and angle [rad]."""
        every = self._poses(q)
        found = {}
        for k, name in enumerate(self.bodies):
            pose = every[..., k, :].copy()
            pose[..., :2] += _arm(pose, self.origins[k])
            found[name] = pose
        return found

    def _poses(self, q: ArrayLike) -> FloatArray:
        """Poses (..., bodies + 1, 3), the last one of the ground, which does not move."""
        given = np.asarray(q, dtype=np.float64)
        if given.shape[-1:] != (self.n,):
            raise BiomecError(
                f"{self.name}: coordinates of shape {given.shape} were given; the last axis needs {self.n}."
            )
        every = np.zeros((*given.shape[:-1], len(self.bodies) + 1, 3))
        every[..., :-1, :] = given.reshape(*given.shape[:-1], -1, 3)
        return every


def _arm(pose: FloatArray, u: FloatArray) -> FloatArray:
    """A u of one body, (..., 2)."""
    c, s = np.cos(pose[..., 2]), np.sin(pose[..., 2])
    return np.stack([c * u[0] - s * u[1], s * u[0] + c * u[1]], axis=-1)
