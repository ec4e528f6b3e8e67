"""Stops of a machine against numbered bodies: gaps, their rates and rows, and forces, for many instants at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.engine.contact.force_laws import ContactLaw
from biomec.engine.contact.profiles import CircleFace
from biomec.engine.layout import GROUND
from biomec.machines.machine import Machine, Stop
from biomec.machines.reference_points import ReferencePointModel


@dataclass(frozen=True, eq=False)
class Stops:
    """Stops between numbered bodies; the ground has the last number.

    names, faces, laws : of each stop;  circles, plates : numbers of the bodies that carry circle and face
    bodies             : how many bodies move
    """

    names: tuple[str, ...]
    faces: tuple[CircleFace, ...]
    laws: tuple[ContactLaw, ...]
    circles: tuple[int, ...]
    plates: tuple[int, ...]
    bodies: int

    def gaps(self, q: ArrayLike) -> FloatArray:
        """Gap of each stop (..., s) [m]; negative while it is pressed."""
        poses = self._poses(q)
        found = [face.gap(poses[..., i, :], poses[..., j, :]) for face, i, j in self._each()]
        return np.stack(found, axis=-1) if found else np.zeros((*poses.shape[:-2], 0))

    def rows(self, q: ArrayLike) -> FloatArray:
        """Derivatives of the gaps by q (..., s, n)."""
        poses = self._poses(q)
        rows = np.zeros((*poses.shape[:-2], len(self.faces), self.bodies + 1, 3))
        for k, (face, i, j) in enumerate(self._each()):
            on_circle, on_face = face.row(poses[..., i, :], poses[..., j, :])
            rows[..., k, i, :] += on_circle
            rows[..., k, j, :] += on_face
        return rows[..., : self.bodies, :].reshape(*rows.shape[:-2], 3 * self.bodies)

    def quadratic(self, q: ArrayLike, qdot: ArrayLike, k: int) -> FloatArray:
        """Second derivative of gap k without accelerations (...) [m/s²]: what the row times q̈ is added to."""
        poses, rates = self._poses(q), self._poses(qdot)
        face, i, j = self.faces[k], self.circles[k], self.plates[k]
        return face.quadratic(poses[..., i, :], poses[..., j, :], rates[..., i, :], rates[..., j, :])

    def points(self, q: ArrayLike) -> FloatArray:
        """Contact points (..., s, 2) [m]."""
        poses = self._poses(q)
        found = [face.contact_point(poses[..., i, :], poses[..., j, :]) for face, i, j in self._each()]
        return np.stack(found, axis=-2) if found else np.zeros((*poses.shape[:-2], 0, 2))

    def forces(self, gaps: FloatArray, rates: FloatArray, onset_rates: Sequence[float | None]) -> FloatArray:
        """Force of each stop (..., s) [N]; one without an onset rate is not touched and does not push."""
        force = np.zeros_like(gaps)
        for k, (law, onset) in enumerate(zip(self.laws, onset_rates, strict=True)):
            if onset is not None:
                force[..., k] = law.force(-gaps[..., k], -rates[..., k], onset)
        return force

    def _each(self) -> list[tuple[CircleFace, int, int]]:
        return list(zip(self.faces, self.circles, self.plates, strict=True))

    def _poses(self, q: ArrayLike) -> FloatArray:
        given = np.asarray(q, dtype=np.float64)
        poses = np.zeros((*given.shape[:-1], self.bodies + 1, 3))
        poses[..., :-1, :] = given.reshape(*given.shape[:-1], self.bodies, 3)
        return poses


def stops_of(machine: Machine, model: ReferencePointModel, law: str = "") -> Stops:
    """Stops of a machine; ``law`` replaces the contact law of the file, its numbers stay."""

    def local(body: str, at: FloatArray) -> FloatArray:
        return at if body == GROUND else np.asarray(at + model.origins[model.number(body)])

    stops = machine.stops
    return Stops(
        tuple(one.name for one in stops),
        tuple(
            CircleFace(
                local(one.circle, one.centre), one.radius, local(one.face, one.point),
                np.asarray(one.normal / np.linalg.norm(one.normal)),
            )
            for one in stops
        ),
        tuple(law_of(one, law) for one in stops),
        tuple(model.number(one.circle) for one in stops),
        tuple(model.number(one.face) for one in stops),
        len(model.bodies),
    )  # fmt: skip


def law_of(stop: Stop, name: str = "") -> ContactLaw:
    """Contact law of a stop, or another one with the stop's numbers."""
    return ContactLaw(
        name or stop.law, stop.stiffness, stop.exponent, stop.restitution, stop.max_damping, stop.max_depth
    )


def forces_along(stops: Stops, q: FloatArray, qdot: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Forces (T, s) [N] of stops along a known motion q, q̇ (T, n), and their generalised forces (T, n).

    The speed of a touch, which laws with restitution ask for, is that at the first instant with overlap, or 0 where the
    motion begins with one.
    """
    gaps, rows = stops.gaps(q), stops.rows(q)
    rates = np.einsum("tsn,tn->ts", rows, qdot)
    force = np.zeros_like(gaps)
    for k, law in enumerate(stops.laws):
        pressed = gaps[:, k] < 0.0
        begins = np.flatnonzero(pressed & ~np.concatenate([[False], pressed[:-1]]))
        for begin in begins:
            ends = np.flatnonzero(~pressed[begin:])
            part = slice(begin, begin + int(ends[0]) if ends.size else len(gaps))
            speed = max(0.0, float(-rates[begin, k]))
            force[part, k] = law.force(-gaps[part, k], -rates[part, k], speed)
    return force, np.einsum("ts,tsn->tn", force, rows)
