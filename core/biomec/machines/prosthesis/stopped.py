"""The free motion of a machine with stops as the study `forward` shows it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.progress import Progress
from biomec.machines.closed_chain.reactions import Reaction, stop_reactions
from biomec.machines.machine import Machine
from biomec.machines.prosthesis.history import sampled
from biomec.machines.prosthesis.integration import integrate
from biomec.machines.prosthesis.reduced import reduced_model
from biomec.machines.prosthesis.swing import SwingSettings, summed_up
from biomec.machines.reference_points.integration import IntegratedMotion


@dataclass(frozen=True, eq=False)
class StoppedMotion:
    """A motion that stops may end or turn back; residual: of its audit of energy [J]."""

    motion: IntegratedMotion
    stops: tuple[Reaction, ...]
    residual: float


def stopped_motion(
    machine: Machine,
    start: tuple[FloatArray, FloatArray],
    time_s: FloatArray,
    tolerance: float,
    progress: Progress | None = None,
) -> StoppedMotion:
    """Motion from a state q, q̇ (n,) at times (T,) that begin at 0; every touch is located as an event."""
    moving = reduced_model(machine)
    q, qdot = start
    trajectory = integrate(moving, q, qdot, float(time_s[-1]), "adaptive", tolerance, progress=progress)
    settings = SwingSettings(duration=float(time_s[-1]), tolerance=tolerance)
    residual = summed_up(machine, settings, moving, trajectory, q).figures["energy_residual_J"]
    shown = time_s[time_s <= trajectory.end + 1e-12]
    history = sampled(moving, trajectory, np.minimum(shown, trajectory.end), q)
    given = moving.model.given_torques(history.time_s)
    torques = np.zeros((len(shown), len(moving.model.motors))) if given is None else given
    motion = IntegratedMotion(
        model=moving.model,
        time_s=history.time_s,
        q=history.q,
        qdot=history.qdot,
        qddot=history.qddot,
        multipliers=history.multipliers,
        torques=read_only(torques),
        status=trajectory.status,
        succeeded=trajectory.status == "completed",
        happened=tuple((f"{moving.stops.names[one.stop]}: {one.kind}", one.time_s) for one in trajectory.events),
        steps=sum(len(phase.nodes) + 1 for phase in trajectory.phases),
    )
    return StoppedMotion(motion, stop_reactions(moving.stops.names, history.force), residual)
