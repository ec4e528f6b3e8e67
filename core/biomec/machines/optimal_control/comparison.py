"""Optimal torques beside those of the same motion prescribed: pseudo-inverse and least torques of every instant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.machines.catalogue import load_machine
from biomec.machines.closed_chain.comparison import Method, comparison_table
from biomec.machines.closed_chain.inverse import inverse_dynamics
from biomec.machines.closed_chain.sharing import shared
from biomec.machines.machine import Machine
from biomec.machines.optimal_control.audit import Audit
from biomec.machines.optimal_control.planar_model import PlanarModel
from biomec.machines.reference_points import reference_point_model

SAMPLES = 101  # as the published tables have them


def strokes(model: PlanarModel, machine: Machine, states: FloatArray) -> FloatArray:
    """Angles (T, motors) that the motors of a model turn through [rad]."""
    import casadi as ca

    zero = ca.SX(0)
    angles = {name: placed.angle for name, placed in model.bodies.items()}
    acting = [one for one in machine.motors if one.name in model.motors]
    turns = [angles.get(one.distal, zero) - angles.get(one.proximal, zero) for one in acting]
    value = ca.Function("s", [model.q], [ca.vertcat(*turns)]).map(len(states))
    return np.asarray(value(states[:, : model.q.numel()].T)).T


def prescribed(machine: Machine, name: str, motors: Sequence[str], samples: int = SAMPLES) -> tuple[Method, ...]:
    """Methods for a machine whose motion is prescribed, with the parameters that it shares with another machine.

    name : of the machine that comes with Biomec, such as ``four-bar``
    """
    same = load_machine(name)
    same = same.with_values({key: machine.values[key] for key in same.values if key in machine.values})
    times = np.linspace(0.0, same.duration_s, samples)
    turn = inverse_dynamics(reference_point_model(same), times)
    return tuple(shared(turn, list(motors), method) for method in ("pseudo-inverse", "pointwise"))


def compared(machine: Machine, model: PlanarModel, audit: Audit, name: str) -> tuple[str, tuple[Method, ...]]:
    """Table of cost, peaks and work of optimal control and of both methods, and the methods."""
    optimal = Method(
        "optimal control", model.motors, audit.time_s, audit.controls, strokes(model, machine, audit.states)
    )
    methods = (*prescribed(machine, name, model.motors), optimal)
    return comparison_table(methods), methods
