"""How contacts share what the ground must do in all.

Their sum is given, by the equations of Newton and Euler for the whole body. How it is shared is not determined by the
motion when several contacts bear load; it is the smallest in a weighted sense, like the reactions of a body on springs,
and changes smoothly with the springs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only, skew
from biomec.base.errors import BiomecError


@dataclass(frozen=True, eq=False)
class SharedContact:
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


def shared_reactions(
    force: FloatArray, moment: FloatArray, contacts: Sequence[SharedContact]
) -> dict[str, GroundReaction]:
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
    load = np.where(load.sum(axis=1, keepdims=True) > 1e-3, load, S[:, 1::6])  # in free fall nothing presses
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
            raise BiomecError("Too few hands and feet touch the ground to bear the body.") from error
        u = u + _times(SAt, np.asarray(multipliers, dtype=np.float64))
    return u


def _times(matrix: FloatArray, vector: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("tij,tj->ti", matrix, vector))
