"""A machine's task in words: which motors act, what it costs, which path must be kept, where it ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.machines.machine import Machine
from biomec.machines.optimal_control.formulas import bounds, end_state, formula, formulas, squared_torques
from biomec.machines.optimal_control.planar_model import PlanarModel, planar_model
from biomec.machines.optimal_control.problem import Problem, machine_dynamics


@dataclass(frozen=True)
class Task:
    """What a machine is to do; texts are formulas in its names (`formulas`).

    motors     : names of those that act; empty: all
    cost       : integrand; empty: Σ w u² with ``weights``
    path       : residuals, with semicolons;  limit : Σ f² stays at or below it, 0 makes them vanish
    end        : such as ``angle_rod = pi; rate_rod = 0``;  bounds : such as ``torque_A = -5, 5``
    duration_s : 0 takes the machine's
    """

    motors: tuple[str, ...] = ()
    cost: str = ""
    weights: str = ""
    path: str = ""
    limit: float = 0.0
    end: str = ""
    bounds: str = ""
    duration_s: float = 0.0


def machine_problem(machine: Machine, task: Task) -> tuple[Problem, PlanarModel]:
    """Problem of a task, and the model it is made of."""
    model = planar_model(machine, task.motors or None)
    if not model.motors:
        raise BiomecError(f"{machine.title} has no motor that acts, so nothing can be controlled.")
    dynamics = machine_dynamics(model)
    cost = formula(task.cost, dynamics, "cost") if task.cost.strip() else squared_torques(dynamics, task.weights)
    low, high, least, most = bounds(task.bounds, dynamics)
    made = Problem(
        dynamics=dynamics,
        duration_s=task.duration_s or machine.duration_s,
        cost=cost,
        start=np.concatenate(model.start),
        path=formulas(task.path, dynamics, "path"),
        limit=task.limit,
        end=end_state(task.end, dynamics),
        low=low,
        high=high,
        least=least,
        most=most,
        size_u=torque_sizes(machine, model, least, most),
    )
    return made, model


def torque_sizes(machine: Machine, model: PlanarModel, least: FloatArray, most: FloatArray) -> FloatArray:
    """Ordinary sizes of the torques: their bounds, or what it takes to hold and to turn the machine."""
    import casadi as ca

    q, v = model.start
    mass, force = ca.Function("f", [model.q, model.v, model.u], [model.mass, model.force])(
        q, v, np.zeros(len(model.motors))
    )
    turning = np.abs(np.asarray(mass)).max() * (2.0 * np.pi / machine.duration_s) ** 2 / 2.0
    ordinary = float(max(np.abs(np.asarray(force)).max(), turning, 1e-6))
    limits = np.maximum(np.abs(np.asarray(least)), np.abs(np.asarray(most)))
    return np.where(np.isfinite(limits) & (limits > 0.0), limits, ordinary)
