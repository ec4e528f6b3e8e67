"""Joint forces and torques of an open chain from its free end inward, body by body ([Silva2007]).

    F_proximal = m (a − g) − F_distal,   τ_proximal = J α − τ_distal − moments of both forces about the centre of mass

with everything that acts on the body: F_distal, τ_distal at its distal end (measured, or minus those of the next body).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.machines.reference_points.model import ReferencePointModel


@dataclass(frozen=True)
class Link:
    """A body of a chain, with the names of the points where the body before it and the body after it hold it."""

    body: str
    proximal: str
    distal: str


@dataclass(frozen=True, eq=False)
class LinkLoad:
    """Force (..., 2) [N] and torque (...) [N m] that the body before it exerts on a link at its proximal point."""

    body: str
    force: FloatArray
    torque: FloatArray


def from_the_end(
    model: ReferencePointModel,
    links: Sequence[Link],
    q: FloatArray,
    qdot: FloatArray,
    qddot: FloatArray,
    end_force: ArrayLike,
    end_torque: ArrayLike = 0.0,
) -> tuple[LinkLoad, ...]:
    """Loads of a chain of links, listed from the first to the last, in the same order.

    q, qdot, qddot : (..., n);  end_force (..., 2), end_torque (...) : on the last link at its distal point
    Gravity, springs and ties count; motors are what is found.
    """
    if not links:
        raise BiomecError("A chain needs at least one link.")
    given = model.applied(q, qdot)
    force, torque = np.asarray(end_force, dtype=np.float64), np.asarray(end_torque, dtype=np.float64)
    found: list[LinkLoad] = []
    for link in reversed(links):
        at = 3 * model.number(link.body)
        balance = model.mass[at : at + 3] * qddot[..., at : at + 3] - given[..., at : at + 3]
        com = model.position(q, f"{link.body}.com")
        far = model.position(q, f"{link.body}.{link.distal}") - com
        near = model.position(q, f"{link.body}.{link.proximal}") - com
        hold = balance[..., :2] - force
        turn = balance[..., 2] - torque - _moment(far, force) - _moment(near, hold)
        found.append(LinkLoad(link.body, hold, turn))
        force, torque = -hold, -turn
    return tuple(reversed(found))


def _moment(arm: FloatArray, force: FloatArray) -> FloatArray:
    return np.asarray(arm[..., 0] * force[..., 1] - arm[..., 1] * force[..., 0])
