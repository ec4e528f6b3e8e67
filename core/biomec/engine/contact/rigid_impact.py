"""Impact of rigid bodies in no time: velocities jump, positions do not, and the joints take their share.

    [M Cqᵀ; Cq 0] [x; y] = [g; 0],   m_eff = 1/(g·x),   J = −(1 + e) m_eff (g·q̇),   Δq̇ = J x

g is the row of derivatives of the gap, e the restitution; −J y are the impulses of the joints [Markus2015].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError


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
