"""Does the machine move as it should when torques found for a motion drive it? And how do its constraints drift?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.progress import Progress
from biomec.machines.closed_chain.inverse import ChainInverseDynamics
from biomec.machines.closed_chain.sharing import Sharing, motor_columns
from biomec.machines.reference_points.integration import IntegratedMotion, IntegrationOptions, torque_table
from biomec.machines.reference_points.model import ReferencePointModel
from biomec.machines.reference_points.stabilised import constraint_errors, simulate_stabilised

PUBLISHED = IntegrationOptions("runge-kutta 5", rtol=1e-8, atol=1e-9)


@dataclass(frozen=True, eq=False)
class TorqueReplay:
    """A motion under given torques beside the one that they were found for.

    motion        : what came out
    rate_off      : (T, bodies) angular velocities less those wanted [rad/s];  angle_off : (T, bodies) angles [rad]
    """

    motion: IntegratedMotion
    rate_off: FloatArray
    angle_off: FloatArray


def whole_torques(model: ReferencePointModel, sharing: Sharing) -> FloatArray:
    """Torques of all motors (T, motors), zero for those that were not chosen."""
    every = np.zeros((len(sharing.time_s), len(model.motors)))
    every[:, motor_columns(model, sharing.motors)] = sharing.torques
    return every


def replay(
    solution: ChainInverseDynamics,
    sharing: Sharing,
    interpolation: str = "linear",
    *,
    kept: tuple[str, ...] = (),
    alpha: float = 1.0,
    beta: float = 10.0,
    options: IntegrationOptions = PUBLISHED,
    progress: Progress | None = None,
) -> TorqueReplay:
    """Drive the machine, without its drivers but those ``kept``, by torques from a table, and compare."""
    model = solution.model.with_drivers(kept)
    motion = simulate_stabilised(
        model,
        solution.q[0],
        solution.qdot[0],
        solution.time_s,
        alpha=alpha,
        beta=beta,
        torques=torque_table(sharing.time_s, whole_torques(model, sharing), interpolation),
        options=options,
        progress=progress,
    )
    reached = len(motion.time_s)
    return TorqueReplay(
        motion,
        motion.qdot[:, 2::3] - solution.qdot[:reached, 2::3],
        motion.q[:, 2::3] - solution.q[:reached, 2::3],
    )


@dataclass(frozen=True, eq=False)
class Drift:
    """Norms (T,) of Φ, Φ̇ and Φ̈ at the integrator's steps of a free motion; Φ̈ is what the saddle system leaves of γ̂."""

    motion: IntegratedMotion
    position: FloatArray
    rate: FloatArray
    acceleration: FloatArray


def drift(
    model: ReferencePointModel,
    q: FloatArray,
    qdot: FloatArray,
    duration_s: float,
    *,
    alpha: float = 1.0,
    beta: float = 10.0,
    options: IntegrationOptions = PUBLISHED,
    progress: Progress | None = None,
) -> Drift:
    """How the constraints of a machine under its own weight are violated over time, with stabilisation or without."""
    motion = simulate_stabilised(
        model, q, qdot, [0.0, duration_s], alpha=alpha, beta=beta, options=replace(options, keep_steps=True),
        progress=progress,
    )  # fmt: skip
    position, rate, _ = constraint_errors(motion)
    J = model.jacobian(motion.q)
    off = 2.0 * alpha * (np.einsum("tij,tj->ti", J, motion.qdot) - model.rate_rhs(motion.time_s))
    off += beta**2 * model.residual(motion.q, motion.time_s)
    wanted = model.acceleration_rhs(motion.q, motion.qdot, motion.time_s) - off
    left = np.linalg.norm(np.einsum("tij,tj->ti", J, motion.qddot) - wanted, axis=-1)
    return Drift(motion, position, rate, left)
