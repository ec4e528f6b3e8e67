"""What joints, springs and ties bear along an optimal motion."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.machines.closed_chain.reactions import Reaction, element_reactions, joint_reactions
from biomec.machines.machine import Machine
from biomec.machines.optimal_control.planar_model import PlanarModel
from biomec.machines.reference_points import reference_point_model


def optimal_reactions(
    machine: Machine, model: PlanarModel, states: FloatArray, controls: FloatArray
) -> tuple[Reaction, ...]:
    """Reactions along states (T, nx) with torques (T, nu) of the motors that act; the others give nothing."""
    points = reference_point_model(machine, "none")
    q, qdot = whole_motion(machine, model, states)
    torques = np.zeros((len(states), len(points.motors)))
    torques[:, [points.motors.index(name) for name in model.motors]] = controls
    multipliers = points.accelerations(q, qdot, 0.0, torques)[1]
    return (*joint_reactions(points, q, multipliers), *element_reactions(machine, points, q, qdot))


def whole_motion(machine: Machine, model: PlanarModel, states: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Reference-point coordinates and velocities, each (T, 3 bodies), of states (T, nx)."""
    import casadi as ca

    places = []
    for body in machine.system.bodies:
        placed, com = model.bodies[body.name], np.asarray(body.points["com"], dtype=np.float64)
        c, s = ca.cos(placed.angle), ca.sin(placed.angle)
        places += [placed.origin + ca.vertcat(c * com[0] - s * com[1], s * com[0] + c * com[1]), placed.angle]
    q = ca.vertcat(*places)
    value = ca.Function("whole", [model.q, model.v], [q, ca.jtimes(q, model.q, model.v)]).map(len(states))
    n = model.q.numel()
    made, rate = (np.asarray(one).T for one in value(states[:, :n].T, states[:, n:].T))
    return made, rate
