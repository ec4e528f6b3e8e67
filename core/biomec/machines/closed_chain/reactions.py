"""What joints, springs and stops of a planar machine bear along a motion: one place for all studies.

The constraints exert −Φqᵀ λ, so that a joint's forces are its multipliers in the directions of its rows ([Silva2007]):
a pin gives both components, a guide the force across it and the moment that keeps its slider from turning, a weld all
three, a rod its tension. Forces are those of the proximal on the distal body, in the axes of the laboratory; moments
are about the point of the distal body that the joint names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.engine.layout import GROUND
from biomec.machines.closed_chain.study_parts import key
from biomec.machines.machine import Machine
from biomec.machines.reference_points.equations import Equation, Length, OnLine, Pin, RelativeAngle
from biomec.machines.reference_points.model import ReferencePointModel
from biomec.machines.study import StudyCurve, curve

COMPANION = ", angle"  # ends the name of the row that keeps a guide or a weld from turning
REPEATED = (
    "Some joints repeat what others do: how they share forces is not determined, and the smallest ones are shown."
)


@dataclass(frozen=True, eq=False)
class Reaction:
    """What one joint or element does.

    kind   : ``joint``, ``rod``, ``spring``, ``tie``, ``hinge`` or ``stop``
    force  : (T, 2) of the proximal on the distal body, or on the first of two points [N]; None if it only turns
    moment : (T,) about the distal point [N m], or None;  pull : (T,) tension of a rod or spring, force of a stop [N]
    """

    name: str
    kind: str
    force: FloatArray | None = None
    moment: FloatArray | None = None
    pull: FloatArray | None = None


def joint_reactions(model: ReferencePointModel, q: FloatArray, multipliers: FloatArray) -> tuple[Reaction, ...]:
    """Reactions of all joints of a motion q (T, n) with its multipliers (T, m)."""
    found: dict[str, Reaction] = {}
    for one in model.joints:
        of_row = multipliers[:, model.rows_of(one.name)]
        if isinstance(one, RelativeAngle):
            moment = read_only(_sign(one, model) * of_row[:, 0])
            owner = one.name.removesuffix(COMPANION)
            there = found.get(owner, Reaction(owner, "joint"))
            found[owner] = Reaction(owner, "joint", there.force, moment)
        elif isinstance(one, Pin):
            found[one.name] = Reaction(one.name, "joint", read_only(_sign(one, model) * of_row))
        elif isinstance(one, OnLine):
            normal = one.sign * _turned(_angle(model, q, one.first), one.normal)
            found[one.name] = Reaction(one.name, "joint", read_only(of_row * normal))
        elif isinstance(one, Length):
            apart = _at(model, q, one.first, one.first_at) - _at(model, q, one.second, one.second_at)
            along = apart / np.linalg.norm(apart, axis=-1, keepdims=True)
            found[one.name] = Reaction(one.name, "rod", read_only(-of_row * along), pull=read_only(of_row[:, 0]))
    return tuple(found.values())


def element_reactions(
    machine: Machine, model: ReferencePointModel, q: FloatArray, qdot: FloatArray
) -> tuple[Reaction, ...]:
    """What springs and ties do to their first points, and torsion springs to their distal bodies."""
    found = []
    for spring in machine.springs:
        d = model.position(q, spring.second) - model.position(q, spring.first)
        speed = model.velocity(q, qdot, spring.second) - model.velocity(q, qdot, spring.first)
        length = np.linalg.norm(d, axis=-1)
        e = d / np.maximum(length, np.finfo(float).tiny)[:, None]
        pull = spring.stiffness * (length - spring.free_length) + spring.actuation
        pull = pull + spring.damping * np.einsum("ti,ti->t", e, speed)
        found.append(Reaction(spring.name, "spring", read_only(pull[:, None] * e), pull=read_only(pull)))
    for tie in machine.ties:
        gap = model.position(q, tie.first) - model.position(q, tie.second)
        rate = model.velocity(q, qdot, tie.first) - model.velocity(q, qdot, tie.second)
        found.append(Reaction(tie.name, "tie", read_only(-tie.stiffness * gap - tie.damping * rate)))
    for hinge in machine.hinges:
        turn, speed = (_of_body(model, x, hinge.distal) - _of_body(model, x, hinge.proximal) for x in (q, qdot))
        moment = -hinge.stiffness * (turn - np.deg2rad(hinge.rest_deg)) - hinge.damping * speed
        found.append(Reaction(hinge.name, "hinge", moment=read_only(moment)))
    return tuple(found)


def stop_reactions(names: Sequence[str], force: FloatArray) -> tuple[Reaction, ...]:
    """Forces (T, s) [N] of stops, along the normals of their faces."""
    return tuple(Reaction(name, "stop", pull=read_only(force[:, k])) for k, name in enumerate(names))


TITLES = {"spring": "Forces of springs and dampers", "rod": "Tension of rods", "stop": "Contact force"}


def reaction_curves(reactions: Sequence[Reaction]) -> list[StudyCurve]:
    """Sizes and components of forces, and moments."""
    found = []
    for one in reactions:
        if one.pull is not None:
            found.append(curve(TITLES[one.kind], one.name, "N", one.pull))
        group = "Forces of ties" if one.kind == "tie" else "Joint forces"
        if one.force is not None and one.kind in ("joint", "tie"):
            found.append(curve(group, one.name, "N", np.linalg.norm(one.force, axis=1)))
            found += [
                curve(f"{group}, components", f"{one.name} {axis}", "N", one.force[:, k]) for k, axis in enumerate("xy")
            ]
        if one.moment is not None:
            found.append(
                curve("Joint moments" if one.kind == "joint" else "Torques of hinges", one.name, "N·m", one.moment)
            )
    return found


def reaction_figures(reactions: Sequence[Reaction]) -> dict[str, float]:
    """Largest size of every force and moment."""
    found: dict[str, float] = {}
    for one in reactions:
        if one.force is not None:
            found[f"{key(one.name)}_{one.kind}_force_max_N"] = float(np.linalg.norm(one.force, axis=1).max(initial=0.0))
        elif one.pull is not None:
            found[f"{key(one.name)}_{one.kind}_force_max_N"] = float(np.abs(one.pull).max(initial=0.0))
        if one.moment is not None:
            found[f"{key(one.name)}_{one.kind}_moment_max_Nm"] = float(np.abs(one.moment).max(initial=0.0))
    return found


def repeats(model: ReferencePointModel, q: FloatArray) -> bool:
    """Whether some rows of a position q (n,) say what others say, so that forces are not determined."""
    J = model.jacobian(q)
    return bool(J.shape[0]) and int(np.linalg.matrix_rank(J, tol=1e-9 * np.abs(J).max())) < J.shape[0]


def _sign(one: Equation, model: ReferencePointModel) -> float:
    """Of λ in what the distal body feels: it is the second body, or the first if the second is the ground."""
    assert isinstance(one, Pin | RelativeAngle)
    return -1.0 if one.second == len(model.bodies) else 1.0


def _of_body(model: ReferencePointModel, values: FloatArray, body: str) -> FloatArray:
    return np.zeros(len(values)) if body == GROUND else values[:, model.column(body)]


def _angle(model: ReferencePointModel, q: FloatArray, body: int) -> FloatArray:
    return np.zeros(len(q)) if body == len(model.bodies) else q[:, 3 * body + 2]


def _at(model: ReferencePointModel, q: FloatArray, body: int, local: FloatArray) -> FloatArray:
    """Place (T, 2) of a local point of a numbered body."""
    arm = _turned(_angle(model, q, body), local)
    return arm if body == len(model.bodies) else np.asarray(q[:, 3 * body : 3 * body + 2] + arm)


def _turned(angle: FloatArray, u: FloatArray) -> FloatArray:
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * u[0] - s * u[1], s * u[0] + c * u[1]], axis=-1)
