"""Joint forces a second way: the balances of force and moment of each free body, written down from its points.

Nothing of the constraint equations or their multipliers is used: unknown are the force of each pin on its first body
(its second body feels the opposite) and the torque of each driven angle; given are accelerations and applied forces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.engine.contact.profiles import turned
from biomec.machines.prosthesis.history import History
from biomec.machines.prosthesis.reduced import Reduced
from biomec.machines.reference_points.equations import Pin, RelativeAngle


@dataclass(frozen=True, eq=False)
class FreeBodyForces:
    """Forces of pins (T, 2) [N] on their first bodies and torques (T,) [N·m] of driven angles, by name.

    mismatch : (T,) what the balance that is left over (one for each degree of freedom) misses, least squares
    """

    pins: dict[str, FloatArray]
    torques: dict[str, FloatArray]
    mismatch: FloatArray


def free_body_forces(moving: Reduced, history: History) -> FreeBodyForces:
    """Joint forces of a motion from the balance of every body."""
    model = moving.model
    rows = (*model.joints, *model.drivers)
    pins = [one for one in rows if isinstance(one, Pin)]
    angles = [one for one in rows if isinstance(one, RelativeAngle)]
    if len(pins) + len(angles) != len(rows):
        raise BiomecError(f"{model.name} has joints other than pins; its free bodies are not balanced here.")
    T, bodies = len(history.time_s), len(model.bodies)
    balance = np.zeros((T, 3 * bodies, 2 * len(pins) + len(angles)))
    for k, pin in enumerate(pins):
        for body, at, sign in ((pin.first, pin.first_at, 1.0), (pin.second, pin.second_at, -1.0)):
            if body < bodies:
                arm = turned(at, history.q[:, 3 * body + 2])
                balance[:, 3 * body, 2 * k] += sign
                balance[:, 3 * body + 1, 2 * k + 1] += sign
                balance[:, 3 * body + 2, 2 * k] += -sign * arm[:, 1]
                balance[:, 3 * body + 2, 2 * k + 1] += sign * arm[:, 0]
    for k, angle in enumerate(angles):
        for body, sign in ((angle.first, 1.0), (angle.second, -1.0)):
            if body < bodies:
                balance[:, 3 * body + 2, 2 * len(pins) + k] += sign
    applied = model.applied(history.q, history.qdot, history.time_s) + history.contact
    needed = model.mass * history.qddot - applied
    unknown = (np.linalg.pinv(balance) @ needed[..., None])[..., 0]
    missed = needed - np.einsum("tij,tj->ti", balance, unknown)
    return FreeBodyForces(
        {pin.name: read_only(unknown[:, 2 * k : 2 * k + 2]) for k, pin in enumerate(pins)},
        {angle.name: read_only(unknown[:, 2 * len(pins) + k]) for k, angle in enumerate(angles)},
        read_only(np.linalg.norm(missed, axis=-1)),
    )
