"""From a described machine or system to its model in reference-point coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.engine.body import QUARTER_TURN, Body
from biomec.engine.drivers import (
    AngleCoordinate,
    AngleDriver,
    CoordinateDriver,
    LengthCoordinate,
    LengthDriver,
    PointDriver,
)
from biomec.engine.joint_kinds import PlanarForm, planar_form
from biomec.engine.joints import Prismatic
from biomec.engine.layout import GROUND
from biomec.engine.system import System
from biomec.machines.laws import Law, Polynomial
from biomec.machines.machine import Hinge, Machine, Spring, Tie
from biomec.machines.motors import Motor
from biomec.machines.reference_points.equations import (
    BodyPoints,
    Component,
    Equation,
    Length,
    OnLine,
    Pin,
    RelativeAngle,
)
from biomec.machines.reference_points.model import PassiveForces, ReferencePointModel

DRIVEN = ("all", "kept", "none")


def reference_point_model(machine: Machine, drivers: str = "all") -> ReferencePointModel:
    """Model of a planar machine.

    drivers : which of its laws are active rows: ``all``, those ``kept`` in forward dynamics, or ``none``
    """
    if drivers not in DRIVEN:
        raise BiomecError(f"Drivers can be {', '.join(DRIVEN)}, not {drivers}.")
    laws = {
        one.driver: one.law for one in machine.prescriptions if drivers == "all" or (drivers == "kept" and one.kept)
    }
    model = model_of_system(machine.system, laws, machine.motors, machine.springs, machine.ties, machine.hinges)
    guess = np.array(model.guess)
    tables = machine.blueprint.resolved(machine.values).get("body", [])
    for k, table in enumerate(tables):  # whole turns are lost in the attitude matrix of a body, not in its table
        if "angle_deg" in table:
            guess[3 * k + 2] = np.deg2rad(float(table["angle_deg"]))
    return replace(model, guess=read_only(guess))


def model_of_system(
    system: System,
    laws: Mapping[str, Law] | None = None,
    motors: tuple[Motor, ...] = (),
    springs: tuple[Spring, ...] = (),
    ties: tuple[Tie, ...] = (),
    hinges: tuple[Hinge, ...] = (),
) -> ReferencePointModel:
    """Model of a planar system; drivers without a law among ``laws`` are free."""
    if system.layout.dimension != 2:
        raise BiomecError(
            f"{system.name} moves in space; reference-point coordinates (x, y, angle) are for machines in one plane."
        )
    builder = _Builder(system)
    drivers = [row for item in system.constraints for row in builder.drivers(item, laws or {})]
    bodies = system.bodies
    weight = np.zeros((len(bodies), 3))
    weight[:, :2] = [body.mass * system.gravity for body in bodies]
    guess = [[*_com_at_reference(body), _angle(body.attitude_matrix[:, 0])] for body in bodies]
    transmission = np.zeros((3 * (len(bodies) + 1), len(motors)))
    for k, motor in enumerate(motors):
        transmission[3 * builder.number(motor.distal) + 2, k] += 1.0
        transmission[3 * builder.number(motor.proximal) + 2, k] -= 1.0
    return ReferencePointModel(
        name=system.name,
        bodies=tuple(body.name for body in bodies),
        joints=(*builder.sharing(), *(row for item in system.constraints for row in builder.joint(item))),
        drivers=tuple(drivers),
        mass=read_only([x for body in bodies for x in (body.mass, body.mass, body.inertia_matrix[0, 0])]),
        weight=read_only(weight.ravel()),
        guess=read_only(np.ravel(guess)),
        passive=PassiveForces(
            springs,
            ties,
            builder.ends([(one.first, one.second) for one in springs] + [(tie.first, tie.second) for tie in ties]),
            hinges,
            [(builder.number(one.proximal), builder.number(one.distal)) for one in hinges],
        ),
        given=tuple(motors),
        transmission=read_only(transmission[:-3]),
        points={
            **{body.name: {name: at - body.points["com"] for name, at in body.points.items()} for body in bodies},
            GROUND: dict(system.layout.ground),
        },
        origins=read_only([-body.points["com"] for body in bodies]),
    )


class _Builder:
    """Equations of joints and drivers; a body comes before the ground, so that its own point counts positive."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.layout = system.layout
        self.names = [*self.layout.bodies, GROUND]

    def number(self, body: str) -> int:
        return self.names.index(body)

    def at(self, reference: str) -> tuple[int, FloatArray]:
        """Body number and local point of ``body.point``."""
        owner, _, name = reference.partition(".")
        if owner == GROUND:
            return self.number(GROUND), self.layout.ground[name]
        body = self.layout.bodies[owner]
        return self.number(owner), np.asarray(body.points[name] - body.points["com"])

    def direction(self, reference: str) -> tuple[int, FloatArray]:
        """Body number and local direction of ``body.vector``."""
        owner, _, name = reference.partition(".")
        vectors: Mapping[str, Any] = self.layout.directions if owner == GROUND else self.layout.bodies[owner].vectors
        return self.number(owner), np.asarray(vectors[name])

    def ends(self, pairs: list[tuple[str, str]]) -> tuple[BodyPoints, BodyPoints]:
        firsts, seconds = [self.at(one) for one, _ in pairs], [self.at(two) for _, two in pairs]
        return (
            BodyPoints([body for body, _ in firsts], [at for _, at in firsts]),
            BodyPoints([body for body, _ in seconds], [at for _, at in seconds]),
        )

    # ------------------------------------------------------------------ joints

    def joint(self, item: Any) -> list[Equation]:
        match planar_form(item):
            case PlanarForm.PIN:
                return [self.pin(item.name, item.proximal, item.distal)]
            case PlanarForm.WELD:
                i, j = (one.partition(".")[0] for one in (item.proximal, item.distal))
                return [self.pin(item.name, item.proximal, item.distal), self.no_turn(f"{item.name}, angle", i, j)]
            case PlanarForm.SLIDE:
                return self.slide(item)
            case PlanarForm.ROD:
                d = self.layout.point(item.first) - self.layout.point(item.second)
                length = float(np.linalg.norm(d(self.layout.reference()))) if item.length is None else item.length
                return [self.length(item.name, item.first, item.second, Polynomial((length,)))]
        return []

    def sharing(self) -> list[Equation]:
        """Joints that bodies have because they share basic points or directions."""
        found: list[Equation] = []
        for body in self.system.bodies:
            owners = [reference.partition(".")[0] for reference in body.shared.values()]
            if len(set(owners)) < len(owners):  # two elements of the same body: they move as one
                point = next(name for name in body.shared if name in body.points)
                found.append(self.pin(f"{body.name}.{point}", body.shared[point], f"{body.name}.{point}"))
                found.append(self.no_turn(f"{body.name} on {owners[0]}", owners[0], body.name))
                continue
            for name, reference in body.shared.items():
                own, owner = f"{body.name}.{name}", reference.partition(".")[0]
                if name in body.points:
                    found.append(self.pin(own, reference, own))
                else:
                    (_, u), (_, v) = self.direction(reference), self.direction(own)
                    found.append(self.relative(own, owner, body.name, _angle(u) - _angle(v)))
        return found

    def pin(self, name: str, proximal: str, distal: str) -> Pin:
        (i, u), (j, v) = self.at(proximal), self.at(distal)
        return Pin(name, j, v, i, u) if i == self.number(GROUND) else Pin(name, i, u, j, v)

    def no_turn(self, name: str, proximal: str, distal: str) -> RelativeAngle:
        """The angle that two bodies have in the reference poses stays."""
        start = _angle(self.layout.attitude(distal).T @ self.layout.attitude(proximal)[:, 0])
        return self.relative(name, proximal, distal, -start)

    def relative(self, name: str, proximal: str, distal: str, offset: float) -> RelativeAngle:
        """φ_proximal − φ_distal + offset = 0; with the ground, its negative."""
        if proximal == GROUND:
            return RelativeAngle(name, self.number(distal), self.number(GROUND), -offset)
        return RelativeAngle(name, self.number(proximal), self.number(distal), offset)

    def slide(self, item: Prismatic) -> list[Equation]:
        (i, u), (j, v) = self.at(item.proximal), self.at(item.distal)
        proximal, distal = item.proximal.partition(".")[0], item.distal.partition(".")[0]
        _, axis = self.direction(item.axis)
        sign = -1.0 if proximal == GROUND else 1.0
        line = OnLine(item.name, i, u, QUARTER_TURN @ axis / np.linalg.norm(axis), j, v, sign)
        if item.distal_axis is None:
            return [line, self.no_turn(f"{item.name}, angle", proximal, distal)]
        _, other = self.direction(item.distal_axis)
        return [line, self.relative(f"{item.name}, angle", proximal, distal, _angle(axis) - _angle(other))]

    def length(self, name: str, first: str, second: str, law: Law) -> Length:
        (i, u), (j, v) = self.at(first), self.at(second)
        return Length(name, i, u, j, v, law)

    # ------------------------------------------------------------------ drivers

    def drivers(self, item: object, laws: Mapping[str, Law]) -> list[Equation]:
        match item:
            case AngleDriver() if item.name in laws:
                return [self.angle(item.name, item.start, item.end, laws[item.name])]
            case LengthDriver() if item.name in laws:
                return [self.length(item.name, item.first, item.second, laws[item.name])]
            case PointDriver():
                body, at = self.at(item.point)
                named = [(f"{item.name}.{axis}", k) for k, axis in enumerate("xy")]
                return [Component(name, body, at, k, laws[name]) for name, k in named if name in laws]
            case CoordinateDriver() if item.name in laws:
                added = {one.name: one for one in self.system.constraints}[item.coordinate]
                if isinstance(added, AngleCoordinate):
                    return [self.angle(item.name, added.start, added.end, laws[item.name])]
                if isinstance(added, LengthCoordinate):
                    return [self.length(item.name, added.first, added.second, laws[item.name])]
        return []

    def angle(self, name: str, start: str, end: str, law: Law) -> RelativeAngle:
        """The angle from a direction to another."""
        (i, u), (j, v) = self.direction(start), self.direction(end)
        return RelativeAngle(name, j, i, _angle(v) - _angle(u), law)


def along(system: System, guide: str, name: str, law: Law) -> OnLine:
    """The way of a guide follows a law: of its distal point from its proximal one, along its axis [m]."""
    made = _Builder(system)
    item = next(one for one in system.constraints if isinstance(one, Prismatic) and one.name == guide)
    (i, u), (j, v), (_, axis) = made.at(item.proximal), made.at(item.distal), made.direction(item.axis)
    return OnLine(name, i, u, axis / np.linalg.norm(axis), j, v, -1.0, law)


def _angle(direction: FloatArray) -> float:
    return float(np.arctan2(direction[1], direction[0]))


def _com_at_reference(body: Body) -> FloatArray:
    return np.asarray(body.position, dtype=np.float64) + body.attitude_matrix @ body.points["com"]
