"""Inverse dynamics of a driven machine: which torques of its drivers make the motion, and which forces its joints bear.

λ = Φq⁻ᵀ (Q − M q̈); the constraints exert Fᶜ = −Φqᵀ λ on the bodies, a driver of an angle the torque −λ ([Silva2007]).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.progress import Progress
from biomec.machines.closed_chain.reactions import Reaction, joint_reactions
from biomec.machines.closed_chain.stops import Stops, forces_along
from biomec.machines.reference_points.assembly import follow
from biomec.machines.reference_points.model import ReferencePointModel


@dataclass(frozen=True, eq=False)
class ChainInverseDynamics:
    """Motion of a driven machine and what makes it; arrays are read-only.

    time_s : (T,);  q, qdot, qddot : (T, n);  multipliers : (T, m)
    constraint_forces : (T, n) −Φqᵀ λ [N, N, N m]
    driving      : driver -> (T,) its torque [N m] or force [N], −λ
    stop_forces  : (T, stops) [N]
    position_error, rate_error, acceleration_error : (T,) norms of what remains of the constraints
    """

    model: ReferencePointModel
    time_s: FloatArray
    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    multipliers: FloatArray
    constraint_forces: FloatArray
    driving: Mapping[str, FloatArray]
    stop_forces: FloatArray
    position_error: FloatArray
    rate_error: FloatArray
    acceleration_error: FloatArray

    @property
    def reactions(self) -> tuple[Reaction, ...]:
        """What its joints bear."""
        return joint_reactions(self.model, self.q, self.multipliers)

    @property
    def joint_forces(self) -> dict[str, FloatArray]:
        """Pin, guide or weld -> (T, 2) force of the proximal on the distal body [N], in the axes of the laboratory."""
        return {one.name: one.force for one in self.reactions if one.force is not None and one.kind == "joint"}

    @property
    def required(self) -> FloatArray:
        """M q̈ − Q, (T, n): what constraints and motors together must supply; torques given in the file do not count."""
        none = np.zeros((len(self.time_s), len(self.model.motors)))
        return np.asarray(self.model.mass * self.qddot - self.model.applied(self.q, self.qdot, self.time_s, none))

    @property
    def squared_integral(self) -> float:
        """∫ Σ τ² dt of all drivers [N² m² s]."""
        return squared_integral(self.time_s, np.array(list(self.driving.values())).T)


def inverse_dynamics(
    model: ReferencePointModel, time_s: ArrayLike, progress: Progress | None = None, stops: Stops | None = None
) -> ChainInverseDynamics:
    """Follow the drivers of a model through times (T,) and find what drives it.

    stops : of the machine, pressed where the motion takes circles into faces
    Raises `NotAssembled` or `SingularPosition` where there is no such motion.
    """
    time = np.asarray(time_s, dtype=np.float64)
    q, qdot, qddot = follow(model, time, progress=progress)
    J = model.jacobian(q)
    required = model.mass * qddot - model.applied(q, qdot, time)
    pressed = np.zeros((len(time), 0))
    if stops is not None:
        pressed, generalised = forces_along(stops, q, qdot)
        required -= generalised
    multipliers = _multipliers(J, -required)
    driving = {one.name: -multipliers[:, model.rows_of(one.name)[0]] for one in model.drivers}
    rate_error = np.einsum("tij,tj->ti", J, qdot) - model.rate_rhs(time)
    acceleration_error = np.einsum("tij,tj->ti", J, qddot) - model.acceleration_rhs(q, qdot, time)
    return ChainInverseDynamics(
        model=model,
        time_s=read_only(time),
        q=read_only(q),
        qdot=read_only(qdot),
        qddot=read_only(qddot),
        multipliers=read_only(multipliers),
        constraint_forces=read_only(-np.einsum("tij,ti->tj", J, multipliers)),
        driving={name: read_only(torque) for name, torque in driving.items()},
        stop_forces=read_only(pressed),
        position_error=read_only(np.linalg.norm(model.residual(q, time), axis=-1)),
        rate_error=read_only(np.linalg.norm(rate_error, axis=-1)),
        acceleration_error=read_only(np.linalg.norm(acceleration_error, axis=-1)),
    )


def _multipliers(J: FloatArray, right: FloatArray) -> FloatArray:
    """λ of Φqᵀ λ = right, (T, m); the smallest where rows repeat others."""
    JT = np.swapaxes(J, -1, -2)
    if J.shape[-1] == J.shape[-2]:
        return np.asarray(np.linalg.solve(JT, right[..., None])[..., 0])
    return np.asarray((np.linalg.pinv(JT) @ right[..., None])[..., 0])


def squared_integral(time_s: FloatArray, torques: FloatArray) -> float:
    """∫ Σ u² dt of torques (T, motors) by the trapezoidal rule [N² m² s]."""
    return float(np.trapezoid((torques**2).sum(axis=-1), time_s))
