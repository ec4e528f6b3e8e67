"""What a designer of a knee wants to know of a swing: flexion, instant centre, stability, toe clearance.

A leg is a machine with the bodies ``thigh`` and ``shank``, the hip ``thigh.O`` and the foot points ``shank.ankle`` and
``shank.toe``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.engine.contact.profiles import turned
from biomec.machines.machine import Machine
from biomec.machines.prosthesis.history import History
from biomec.machines.prosthesis.reduced import Reduced

THIGH, SHANK = "thigh", "shank"
HIP, ANKLE, TOE = "thigh.O", "shank.ankle", "shank.toe"


@dataclass(frozen=True, eq=False)
class Readouts:
    """Read-outs at T times.

    flexion          : (T,) angle of the thigh less that of the shank [rad]; negative is beyond straight
    shank_turn       : (T,) turn of the shank since the start [rad]
    centre           : (T, 2) instant centre of the shank against the thigh, in the laboratory [m]
    centre_on_thigh  : (T, 2) the same in the thigh's axes, from its file origin
    behind_load_line : (T,) how far the instant centre lies behind the line from hip to ankle [m]; positive is stable:
                       a load along that line then straightens the knee, negative bends it
    ankle, toe       : (T, 2) [m]
    clearance        : (T,) height of the lower of both above the lowest of them at the start, where the foot leaves the
                       ground [m]; the hip does not move
    """

    flexion: FloatArray
    shank_turn: FloatArray
    centre: FloatArray
    centre_on_thigh: FloatArray
    behind_load_line: FloatArray
    ankle: FloatArray
    toe: FloatArray
    clearance: FloatArray


def leg_refusal(machine: Machine) -> str | None:
    """Why a machine is not a leg, or None."""
    there = {body.name: set(body.points) for body in machine.system.bodies}
    for point in (HIP, ANKLE, TOE):
        body, _, name = point.partition(".")
        if name not in there.get(body, set()):
            return f"{machine.name} is not a leg: it has no point {name} on a body {body}."
    return None


def readouts(moving: Reduced, history: History) -> Readouts:
    """Read-outs of a swing of a leg (`leg_refusal` is None)."""
    model, q = moving.model, history.q
    thigh, shank = model.column(THIGH), model.column(SHANK)
    centre = instant_centres(moving, q)
    hip, ankle, toe = (model.position(q, point) for point in (HIP, ANKLE, TOE))
    down = ankle - hip
    down /= np.linalg.norm(down, axis=-1, keepdims=True)
    ahead = np.stack([-down[:, 1], down[:, 0]], axis=-1)  # left of downwards is forwards
    lower = np.minimum(ankle[:, 1], toe[:, 1])
    from_com = turned_back(centre - q[:, thigh - 2 : thigh], q[:, thigh])
    found = (
        q[:, thigh] - q[:, shank],
        q[:, shank] - q[0, shank],
        centre,
        from_com - model.origins[model.number(THIGH)],
        -np.sum((centre - hip) * ahead, axis=-1),
        ankle,
        toe,
        lower - lower[0],
    )
    return Readouts(*(read_only(one) for one in found))


def instant_centres(moving: Reduced, q: FloatArray, first: str = SHANK, second: str = THIGH) -> FloatArray:
    """Instant centre (T, 2) of a body against another in the free motion of a machine with one degree of freedom [m].

    With drivers at rest, v(P) of both bodies is equal there: from the rates R of all coordinates by the free one.
    NaN where the bodies do not turn against each other.
    """
    right = np.zeros((len(q), moving.model.n))
    right[:, -1] = 1.0
    rates = np.linalg.solve(moving.square(q), right[..., None])[..., 0]
    i, j = moving.model.column(first), moving.model.column(second)
    turn = rates[:, i] - rates[:, j]
    # v_i − ω_i ẑ×R_i − (v_j − ω_j ẑ×R_j) + (ω_i − ω_j) ẑ×P = 0
    d = [rates[:, k - 2 : k] - rates[:, k, None] * _quarter(q[:, k - 2 : k]) for k in (i, j)]
    slip = d[0] - d[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(_quarter(slip) / np.where(np.abs(turn) > 1e-12, turn, np.nan)[:, None])


def crossing(time_s: FloatArray, values: FloatArray) -> float | None:
    """First time at which a curve passes from above to zero, by a straight line between samples; None if never."""
    passed = np.flatnonzero((values[:-1] > 0.0) & (values[1:] <= 0.0))
    if not passed.size:
        return None
    k = int(passed[0])
    share = values[k] / (values[k] - values[k + 1])
    return float(time_s[k] + share * (time_s[k + 1] - time_s[k]))


def turned_back(v: FloatArray, angle: FloatArray) -> FloatArray:
    """Aᵀ v for vectors (T, 2) and angles (T,)."""
    x, y = turned([1.0, 0.0], angle), turned([0.0, 1.0], angle)
    return np.stack([np.sum(v * x, axis=-1), np.sum(v * y, axis=-1)], axis=-1)


def _quarter(v: FloatArray) -> FloatArray:
    return np.stack([-v[..., 1], v[..., 0]], axis=-1)
