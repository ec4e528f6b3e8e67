"""Ground reactions that belong to a motion: what the ground must do in all, shared among hands and feet.

The sum over all contacts is what Newton's and Euler's equations of the whole body ask for, to round-off. How it is
shared is not determined by the motion when several contacts bear load; it is the smallest in a weighted sense, like the
reactions of a body on springs, and changes smoothly with the springs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.arrays import FloatArray, read_only, skew
from biomec.errors import BiomecError
from biomec.multibody.system import System
from biomec.virtual.skeleton import Placed


@dataclass(frozen=True, eq=False)
class Contact:
    """A hand or a foot that bears load on the floor.

    name      : of the contact (``Pe_D``)
    segment   : that touches the ground
    point     : (T, 3) middle of what touches, on the floor [m]
    stiffness : (T,) how readily it takes load; 0 where it does not touch
    reach     : (T, 3) levers of the moments that it can bear about X, Y and Z [m]: how far it can shift the load along
                Z, twist by friction, and shift the load along X; 0 about Z for an edge along Z, like the ball of a foot
    squeeze   : (T, 3) force that contacts exert against each other [N], such as hands pushed together
    """

    name: str
    segment: str
    point: FloatArray
    stiffness: FloatArray
    reach: FloatArray
    squeeze: FloatArray


@dataclass(frozen=True, eq=False)
class GroundReaction:
    """What the ground does to a contact, in laboratory axes. Arrays are read-only.

    force : (T, 3) [N];  moment : (T, 3) about ``point`` [N m];  point : (T, 3) on the floor [m]
    """

    segment: str
    point: FloatArray
    force: FloatArray
    moment: FloatArray

    def centre_of_pressure(self, threshold_n: float = 1e-9) -> FloatArray:
        """(T, 3) point of the floor about which no horizontal moment acts [m]; NaN where nothing is borne."""
        vertical = np.where(self.force[:, 1] > threshold_n, self.force[:, 1], np.nan)
        offset = np.stack([self.moment[:, 2], np.zeros_like(vertical), -self.moment[:, 0]], axis=1)
        return np.asarray(self.point + offset / vertical[:, None])


def required_wrench(system: System, placed: Mapping[str, Placed]) -> tuple[FloatArray, FloatArray]:
    """Force (T, 3) and moment about the laboratory's origin (T, 3) that the ground must exert on the whole body.

    f = Σ m (r̈ − g),   h = Σ r × m (r̈ − g) + J ω̇ + ω × J ω          (Newton, Euler; [Nunes2017] Eqs. 5.24, 5.25)

    ω and ω̇ are the skew parts of Ė Eᵀ and Ë Eᵀ, E being the turn of a segment away from standing.
    """
    force, moment = np.zeros((2, len(next(iter(placed.values())).now.value), 3))
    for body in system.bodies:
        one = placed[body.name]
        stood = np.asarray(body.position, dtype=np.float64) + body.attitude_matrix @ body.points["com"]
        r = one.point(stood)
        E, Edot, Eddot = one.turn.parts
        w, wdot = (_axial(D @ np.swapaxes(E, -1, -2)) for D in (Edot, Eddot))
        A = E @ body.attitude_matrix
        J = A @ body.inertia_matrix @ np.swapaxes(A, -1, -2)
        f = body.mass * (r.acceleration - system.gravity)
        spin = _times(J, wdot) + np.cross(w, _times(J, w))
        force, moment = force + f, moment + np.cross(r.value, f) + spin
    return force, moment


def shared_reactions(force: FloatArray, moment: FloatArray, contacts: Sequence[Contact]) -> dict[str, GroundReaction]:
    """Share the required wrench (T, 3), (T, 3 about the origin) among contacts.

    With A mapping all contact wrenches u to their sum w, and S the compliance (stiffness of a contact for forces, times
    its reach squared for moments): u = u₀ + S Aᵀ (A S Aᵀ)⁻¹ (w − A u₀), the u nearest to the squeezes u₀ in the norm of
    S⁻¹ with exactly the right sum. A contact of no stiffness bears nothing. Vertical forces come first; friction is
    then shared like them, so that no contact slips before another. On one level floor the two do not affect each other.
    """
    frames, count = len(force), len(contacts)
    A = np.zeros((frames, 6, 6 * count))
    S, u_0 = np.zeros((frames, 6 * count)), np.zeros((frames, 6 * count))
    for k, contact in enumerate(contacts):
        at = 6 * k
        A[:, :3, at : at + 3] = A[:, 3:, at + 3 : at + 6] = np.eye(3)
        A[:, 3:, at : at + 3] = skew(contact.point)
        S[:, at : at + 3] = contact.stiffness[:, None]
        S[:, at + 3 : at + 6] = contact.stiffness[:, None] * contact.reach**2
        u_0[:, at : at + 3] = contact.stiffness[:, None] * contact.squeeze
    wanted = np.concatenate([force, moment], axis=1)
    u = _nearest(A, S, u_0, wanted)
    load = np.maximum(u[:, 1::6], 0.0) / np.maximum(force[:, 1:2], 1e-9)  # (T, K) share of the vertical force
    for k, contact in enumerate(contacts):
        S[:, [6 * k, 6 * k + 2]] = load[:, k : k + 1]
        S[:, 6 * k + 4] = load[:, k] * contact.reach[:, 1] ** 2
    u = _nearest(A, S, u_0, wanted)
    return {
        contact.name: GroundReaction(
            contact.segment,
            read_only(contact.point),
            read_only(u[:, 6 * k : 6 * k + 3]),
            read_only(u[:, 6 * k + 3 : 6 * k + 6]),
        )
        for k, contact in enumerate(contacts)
    }


def _nearest(A: FloatArray, S: FloatArray, u_0: FloatArray, wanted: FloatArray) -> FloatArray:
    """u (T, 6K) nearest to u₀ in the norm of S⁻¹ with A u = wanted (T, 6)."""
    SAt = S[:, :, None] * np.swapaxes(A, -1, -2)
    u = u_0
    for _ in range(2):  # the second time mends the round-off of the first
        try:
            multipliers = np.linalg.solve(A @ SAt, (wanted - _times(A, u))[..., None])[..., 0]
        except np.linalg.LinAlgError as error:
            raise BiomecError("Too few hands and feet touch the ground to bear the virtual person.") from error
        u = u + _times(SAt, np.asarray(multipliers, dtype=np.float64))
    return u


def _axial(matrix: FloatArray) -> FloatArray:
    """Axial vector (T, 3) of the skew part of matrices (T, 3, 3)."""
    skewed = 0.5 * (matrix - np.swapaxes(matrix, -1, -2))
    return np.stack([skewed[:, 2, 1], skewed[:, 0, 2], skewed[:, 1, 0]], axis=1)


def _times(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("tij,tj->ti", matrix, vector))
