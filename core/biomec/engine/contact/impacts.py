"""Impacts: of rigid bodies, in no time; and of two spheres by contact laws, which differ on the simplest of impacts.

Rigid bodies: velocities jump, positions do not, and the joints take their share.

    [M Cqᵀ; Cq 0] [x; y] = [g; 0],   m_eff = 1/(g·x),   J = −(1 + e) m_eff (g·q̇),   Δq̇ = J x

g is the row of derivatives of the gap, e the restitution; −J y are the impulses of the joints [Markus2015].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.engine.contact.force_laws import HYSTERESIS, ContactLaw


@dataclass(frozen=True, eq=False)
class RigidImpact:
    """What an impact did.

    impulse          : J [N·s], 0 if the bodies were already parting
    effective_mass   : [kg] that one would feel who pushed the gap open
    rates            : (n,) velocities after it;  change : (n,) how much they jumped
    multipliers      : (m,) J y = ∫λ dt; the constraints exert −Cqᵀ of them
    gap_rate_before, gap_rate_after : [m/s]
    energy_lost      : [J] at the contact, −J (gap rate before + after)/2
    kinetic_change   : [J] of the whole; moving constraints (drivers) take part in it
    """

    impulse: float
    effective_mass: float
    rates: FloatArray
    change: FloatArray
    multipliers: FloatArray
    gap_rate_before: float
    gap_rate_after: float
    energy_lost: float
    kinetic_change: float


def rigid_impact(
    mass: ArrayLike, jacobian: ArrayLike, gap_row: ArrayLike, rates: ArrayLike, restitution: float
) -> RigidImpact:
    """Impact with restitution e of a system with mass matrix (n, n) or diagonal (n,), constraints Cq (m, n), q̇ (n,)."""
    if not 0.0 <= restitution <= 1.0:
        raise BiomecError(f"A restitution of {restitution:g} is impossible: it is between 0 and 1.")
    given = np.asarray(mass, dtype=np.float64)
    M = np.diag(given) if given.ndim == 1 else given
    C, g, v = (np.asarray(one, dtype=np.float64) for one in (jacobian, gap_row, rates))
    n, m = len(M), len(C)
    matrix = np.block([[M, C.T], [C, np.zeros((m, m))]])
    solution = np.linalg.solve(matrix, np.concatenate([g, np.zeros(m)]))
    x, y = solution[:n], solution[n:]
    push = float(g @ x)
    if push <= 1e-15 * float(g @ g) / float(np.abs(np.diag(M)).max()):
        raise BiomecError("The gap cannot change: the constraints hold the two bodies where they are.")
    before = float(g @ v)
    impulse = max(0.0, -(1.0 + restitution) * before / push)
    change = impulse * x
    after = v + change
    return RigidImpact(
        impulse,
        1.0 / push,
        read_only(after),
        read_only(change),
        read_only(impulse * y),
        before,
        float(g @ after),
        -0.5 * impulse * (before + float(g @ after)),
        0.5 * float(after @ M @ after - v @ M @ v),
    )


# ------------------------------------------------------------------------------------------------- two spheres, head-on


@dataclass(frozen=True)
class SphereImpact:
    """Deepest overlap [m], largest force [N], duration [s], speed after over before, and energy lost [J]."""

    law: str
    depth_m: float
    force_N: float
    duration_s: float
    restitution: float
    loss_J: float


def collide(law: ContactLaw, masses: tuple[float, float] = (0.092, 0.092), closing_speed: float = 0.3) -> SphereImpact:
    """Two free spheres [kg] that close at a speed [m/s] collide and part: m δ̈ = −F with the reduced mass."""
    from scipy.integrate import solve_ivp

    mass = masses[0] * masses[1] / (masses[0] + masses[1])
    length = (1.25 * mass * closing_speed**2 / law.stiffness) ** 0.4  # Hertz's deepest overlap
    time = length / closing_speed  # scales make every impact one of order 1

    def rates(_: float, y: FloatArray) -> list[float]:
        force = float(law.force(y[0] * length, y[1] * closing_speed, closing_speed))
        return [float(y[1]), -force * time / (mass * closing_speed)]

    def parted(_: float, y: FloatArray) -> float:
        return float(y[0])

    parted.terminal, parted.direction = True, -1.0  # type: ignore[attr-defined]
    run = solve_ivp(
        rates, (0.0, 1e4), [0.0, 1.0], method="DOP853", rtol=1e-11, atol=1e-13, events=parted, max_step=0.04
    )
    depth, speed = run.y[0] * length, run.y[1] * closing_speed
    force = law.force(depth, speed, closing_speed)
    peak = int(np.argmax(force))
    near = slice(max(peak - 1, 0), peak + 2)
    after = float(-speed[-1] / closing_speed)
    return SphereImpact(
        law.name,
        float(_top(run.t[_around(depth)], depth[_around(depth)])),
        float(_top(run.t[near], force[near])),
        float(run.t[-1] * time),
        after,
        0.5 * mass * closing_speed**2 * (1.0 - after**2),
    )


def compare(
    stiffness: float = 5.5e9, restitution: float = 0.7, laws: Sequence[str] = tuple(HYSTERESIS)
) -> tuple[SphereImpact, ...]:
    """The published comparison: spheres of 20 mm and 0.092 kg that close at 0.3 m/s, by each law."""
    return tuple(collide(ContactLaw(name, stiffness, 1.5, restitution)) for name in laws)


def _around(values: FloatArray) -> slice:
    top = int(np.argmax(values))
    return slice(max(top - 1, 0), top + 2)


def _top(t: FloatArray, x: FloatArray) -> float:
    """Largest value of the parabola through three samples."""
    if len(t) < 3:
        return float(x.max())
    a, b, c = np.polyfit(t - t[1], x, 2)
    return float(c - b**2 / (4.0 * a)) if a < 0.0 else float(x.max())
