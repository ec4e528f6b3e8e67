"""Springs, ties and torsion springs between planar bodies in reference-point coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.machines.machine import Hinge, Spring, Tie
from biomec.machines.reference_points.equations import TINY, BodyPoints, dot, perp


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
