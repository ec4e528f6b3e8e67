"""Between a machine's coordinates and where its bodies are, with numbers: the state at the start, poses of a motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.machines.closed_chain.study_parts import start_state as free_start
from biomec.machines.closed_chain.study_parts import way_of
from biomec.machines.machine import Machine
from biomec.machines.motion import MachineMotion, at_free_start
from biomec.machines.reference_points import reference_point_model
from biomec.machines.symbolic.algebra import symbol
from biomec.machines.symbolic.compiled import ARRAYS, Values, values_function
from biomec.machines.symbolic.machine_equations import machine_tree
from biomec.machines.symbolic.tree import GROUND, SymbolicTree


@dataclass(frozen=True, eq=False)
class SymbolicPoses:
    """Where the bodies of a machine are, from states of its symbolic equations: made by `poses_of`."""

    bodies: tuple[str, ...]
    parameters: tuple[float, ...]
    _values: Values

    def at(self, x: ArrayLike, qddot: ArrayLike | None = None) -> tuple[dict[str, FloatArray], ...]:
        """Poses, their rates and accelerations, each body -> (..., 3) origin [m] and angle [rad], of x (..., 2n).

        qddot : (..., n) accelerations of the coordinates; 0 if not given
        """
        x = np.asarray(x, dtype=np.float64)
        n = x.shape[-1] // 2
        a = np.zeros((*x.shape[:-1], n)) if qddot is None else np.asarray(qddot, dtype=np.float64)
        found = self._values(np.moveaxis(x, -1, 0), np.moveaxis(a, -1, 0), self.parameters)
        flat = np.stack([np.broadcast_to(one, x.shape[:-1]) for one in found], axis=-1)
        parts = flat.reshape(*x.shape[:-1], 3, len(self.bodies), 3)
        return tuple({body: parts[..., k, b, :] for b, body in enumerate(self.bodies)} for k in range(3))


def poses_of(machine: Machine) -> SymbolicPoses:
    """Functions for the poses of a planar machine's bodies."""
    tree, coords = machine_tree(machine), machine_tree(machine).coords
    parameters = {symbol(name): value for name, value in machine.values.items()}
    bodies = tuple(body.name for body in machine.system.bodies)
    places = [one for body in bodies for one in (*tree.poses[body].origin.components(), tree.poses[body].angle)]
    rates = [coords.derivative(one) for one in places]
    levels = [places, rates, [coords.derivative(one) for one in rates]]
    arguments = {"x": coords.x, "a": coords.qddot, "p": tuple(parameters)}
    made = values_function(arguments, {"poses": sp.Matrix([one for level in levels for one in level])}, ARRAYS)
    return SymbolicPoses(bodies, tuple(parameters.values()), made)


def start_state(machine: Machine) -> FloatArray:
    """State x (2n,) of `machine_equations` at which a free motion begins."""
    tree, motion = machine_tree(machine), at_free_start(machine)
    if motion.fault:
        raise BiomecError(motion.fault)
    q = np.array([_value(machine, tree, motion, kind, body) for kind, body in tree.owners])
    return np.concatenate((q, _rates(machine, tree)))


def _value(machine: Machine, tree: SymbolicTree, motion: MachineMotion, kind: str, body: str) -> float:
    match kind:
        case "phi":
            axis = motion.axes[body][0, :, 0]
            measured = float(np.arctan2(axis[1], axis[0]))
            given = machine.start.angles.get(body, measured)
            return given + float(
                np.arctan2(np.sin(measured - given), np.cos(measured - given))
            )  # in the turn of the given angle
        case "s":
            joint = tree.placing[body]
            assert joint is not None
            far, near = (_place(machine, motion, joint[key]) for key in ("distal", "proximal"))
            owner, _, name = joint["axis"].partition(".")
            return float((far - near) @ _direction(machine, motion, owner, name))
    return float(motion.origins[body][0, ("x", "y").index(kind)])


def _place(machine: Machine, motion: MachineMotion, reference: str) -> FloatArray:
    owner, _, name = reference.partition(".")
    layout = machine.system.layout
    local = layout.ground[name] if owner == GROUND else layout.bodies[owner].points[name]
    return np.asarray(motion.place(owner, local)[0])


def _direction(machine: Machine, motion: MachineMotion, owner: str, name: str) -> FloatArray:
    layout = machine.system.layout
    if owner == GROUND:
        return np.asarray(layout.directions[name])
    return np.asarray(motion.axes[owner][0] @ layout.bodies[owner].vectors[name])


def _rates(machine: Machine, tree: SymbolicTree) -> FloatArray:
    """Rates (n,) of the coordinates at the start of the file, closed loops included; rest without one."""
    if not machine.start.given:
        return np.zeros(len(tree.owners))
    model = reference_point_model(machine, "none")
    q, qdot, _ = free_start(machine, model)

    def rate(kind: str, body: str) -> float:
        match kind:
            case "phi":
                return float(qdot[model.column(body)])
            case "s":
                joint = tree.placing[body]
                assert joint is not None
                return way_of(machine, model, joint["name"], q, qdot)[1]
        return float(model.velocity(q, qdot, f"{body}.origin")[("x", "y").index(kind)])

    return np.array([rate(kind, body) for kind, body in tree.owners])
