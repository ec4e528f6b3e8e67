"""A machine in natural coordinates: its forces, states and poses, for the formulations of `biomec.engine.forward`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.engine.drivers import ADDED_COORDINATES
from biomec.engine.forces.applied import Forces
from biomec.engine.layout import GROUND
from biomec.engine.system import System
from biomec.machines.machine import DRIVERS, Machine
from biomec.machines.reference_points.integration import Torques


def bare_system(machine: Machine) -> System:
    """The machine's system without drivers and without added coordinates, which have no mass."""
    whole = machine.system
    kept = [one for one in whole.constraints if not isinstance(one, (*DRIVERS, *ADDED_COORDINATES))]
    layout = whole.layout
    ground = {name: at for name, at in layout.ground.items() if name != "origin"}
    directions = {name: at for name, at in layout.directions.items() if name not in ("x", "y", "z")}
    return System(whole.bodies, kept, name=whole.name, ground=ground, directions=directions, gravity=whole.gravity)


def machine_forces(machine: Machine, system: System, torques: Torques | None = None) -> Forces:
    """Generalised forces of gravity, springs, ties, hinges and motors in natural coordinates.

    system  : the machine's, without drivers;  torques : of all motors at a time
    """
    layout = system.layout
    if not machine.is_planar and (machine.motors or machine.hinges):
        raise BiomecError(f"{machine.name} moves in space: motors and torsion springs are for machines in one plane.")
    lines = [(one, layout.point(one.first) - layout.point(one.second)) for one in machine.springs]
    holds = [(one, layout.point(one.first) - layout.point(one.second)) for one in machine.ties]
    weight = np.array(system.gravity_force)

    def at(t: float, q: FloatArray, qdot: FloatArray) -> FloatArray:
        Q = weight.copy()
        for spring, line in lines:
            d, speed = line(q), line.rate(qdot)
            length = float(np.linalg.norm(d))
            e = d / length if length > 0.0 else 0.0 * d
            pull = spring.stiffness * (length - spring.free_length) + spring.damping * (e @ speed) + spring.actuation
            Q[line.columns] -= line.matrix.T @ (pull * e)
        for tie, line in holds:
            Q[line.columns] -= line.matrix.T @ (tie.stiffness * line(q) + tie.damping * line.rate(qdot))
        for hinge in machine.hinges:
            angle = _heading(system, hinge.distal, q) - _heading(system, hinge.proximal, q) - np.deg2rad(hinge.rest_deg)
            wrapped = np.arctan2(np.sin(angle), np.cos(angle))
            far, near = _turning(system, hinge.distal, q), _turning(system, hinge.proximal, q)
            speed = (far - near) @ qdot
            Q -= (hinge.stiffness * wrapped + hinge.damping * speed) * (far - near)
        if torques is not None:
            for motor, torque in zip(machine.motors, torques(t), strict=True):
                Q += torque * (_turning(system, motor.distal, q) - _turning(system, motor.proximal, q))
        return Q

    return at


def _heading(system: System, body: str, q: FloatArray) -> float:
    """Angle of a body's x axis [rad], in (−π, π]."""
    if body == GROUND:
        return 0.0
    x = system.layout.vector(f"{body}.x")(q)
    return float(np.arctan2(x[1], x[0]))


def _turning(system: System, body: str, q: FloatArray) -> FloatArray:
    """Row (n,) with the angular velocity of a body as its product with q̇."""
    row = np.zeros(system.n)
    if body == GROUND:
        return row
    columns = system.layout.columns(body)
    G = system.layout.bodies[body].angular_velocity_map(system.layout.body_coordinates(q, body))[0]
    np.add.at(row, columns[columns >= 0], G[columns >= 0])
    return row


def natural_state(
    system: System, poses: Mapping[str, FloatArray], rates: Mapping[str, FloatArray] | None = None
) -> tuple[FloatArray, FloatArray]:
    """q and q̇ (..., n) of a planar system without added coordinates.

    poses, rates : body name -> (..., 3) position of its origin [m] and angle [rad], and their derivatives
    """
    layout = system.layout
    batch = next(iter(poses.values())).shape[:-1]
    q, qdot = np.zeros((*batch, system.n)), np.zeros((*batch, system.n))
    for body in system.bodies:
        pose = poses[body.name]
        rate = np.zeros_like(pose) if rates is None else rates[body.name]
        columns = layout.columns(body.name)
        for slot, element in enumerate(body.basis):
            part = columns[2 * slot : 2 * slot + 2]
            if (part < 0).any():
                continue
            is_point = element in body.points
            local = body.points[element] if is_point else body.vectors[element]
            c, s = np.cos(pose[..., 2]), np.sin(pose[..., 2])
            arm = np.stack([c * local[0] - s * local[1], s * local[0] + c * local[1]], axis=-1)
            turned = np.stack([-arm[..., 1], arm[..., 0]], axis=-1) * rate[..., 2:]
            q[..., part] = arm + (pose[..., :2] if is_point else 0.0)
            qdot[..., part] = turned + (rate[..., :2] if is_point else 0.0)
    return q, qdot


def poses_of(system: System, q: FloatArray) -> dict[str, FloatArray]:
    """Where bodies are along a motion q (T, n) in natural coordinates.

    In the plane (T, 3): position of the origin [m] and angle [rad], without jumps. In space (T, 3, 4): the columns of
    the attitude, and the position.
    """
    layout = system.layout
    found = {}
    for body in system.bodies:
        at = layout.point(f"{body.name}.origin")(q)
        axes = [layout.vector(f"{body.name}.{axis}")(q) for axis in "xyz"[: layout.dimension]]
        if layout.dimension == 2:
            angle = np.unwrap(np.arctan2(axes[0][..., 1], axes[0][..., 0]), axis=0)
            found[body.name] = np.concatenate([at, angle[..., None]], axis=-1)
        else:
            found[body.name] = np.stack([*axes, at], axis=-1)
    return found
