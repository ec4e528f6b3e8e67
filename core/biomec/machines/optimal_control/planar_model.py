"""Equations of motion of any planar machine, written for CasADi: exact derivatives of everything that is built on them.

Coordinates are taken along the joints, from the ground outwards: the absolute angle of a body that hangs on a pin, the
way of a body that slides, and place and angle of one that hangs on nothing. Joints that close a loop become constraint
equations with multipliers,

    M(q) v̇ + Φqᵀ λ = f(q, v, u),     Φq v̇ = γ(q, v).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import DescriptionError
from biomec.base.toml_table import did_you_mean
from biomec.engine.drivers import AngleCoordinate, AngleDriver, LengthCoordinate
from biomec.engine.joint_kinds import PLANAR_JOINTS, PlanarForm, planar_form
from biomec.engine.joints import Prismatic
from biomec.engine.layout import GROUND, Layout
from biomec.machines.closed_chain.study_parts import start_state
from biomec.machines.machine import Hinge, Machine, Spring, Stop, Tie
from biomec.machines.reference_points import reference_point_model

MERELY_READ = (AngleCoordinate, LengthCoordinate)  # coordinates added to be read; they hold nothing
FIRST = (PlanarForm.SLIDE, PlanarForm.WELD)  # joints that are taken before the others
SHORTEST_m = 1e-9  # a spring whose ends meet has no direction


Measured = Callable[[Mapping[str, FloatArray]], float]
"""A coordinate from the poses (3,) of all bodies: origin [m] and angle [rad]."""


@dataclass(frozen=True, eq=False)
class CasadiPose:
    """A body in terms of the coordinates: place of its origin (2,) and angle, as expressions."""

    origin: Any
    angle: Any


@dataclass(frozen=True, eq=False)
class PlanarModel:
    """Expressions (CasADi SX) of a machine's equations of motion.

    coordinates : names of q, such as ``angle of crank``;  motors : names of the torques u
    q, v, u     : symbols;  mass (n, n), force (n,), closure Φ (m,), closure_jacobian (m, n), gamma (m,) expressions
    bodies      : body name -> place and angle
    names       : what a formula may use, by name: parameters, ``angle_…``, ``rate_…``, ``torque_…`` (see `docs`)
    start       : q (n,) and v (n,) where the motion begins
    gaps        : stop -> distance of its circle from its face [m]
    """

    coordinates: tuple[str, ...]
    motors: tuple[str, ...]
    q: Any
    v: Any
    u: Any
    mass: Any
    force: Any
    closure: Any
    closure_jacobian: Any
    gamma: Any
    bodies: Mapping[str, CasadiPose]
    names: Mapping[str, Any]
    start: tuple[FloatArray, FloatArray]
    gaps: Mapping[str, Any]


def refusal(machine: Machine) -> str | None:
    """Why no such model can be made of a machine, as a sentence, or None."""
    if not machine.is_planar:
        return "it moves in space; optimal control is computed for planar machines."
    for one in machine.free_system.constraints:
        if not isinstance(one, (*PLANAR_JOINTS, *MERELY_READ)):
            return f"it has a joint of a kind that optimal control does not know: {one.name}."
    return None


def planar_model(machine: Machine, motors: Sequence[str] | None = None) -> PlanarModel:
    """Model of a machine in which only the named motors act; all of them if None."""
    sentence = refusal(machine)
    if sentence is not None:
        raise DescriptionError(f"{machine.title}: {sentence}")
    return _Builder(machine, motors).model()


class _Builder:
    """Walks over the joints once, collecting coordinates, poses and closures."""

    def __init__(self, machine: Machine, motors: Sequence[str] | None) -> None:
        import casadi

        self.ca = casadi
        self.machine = machine
        self.layout: Layout = machine.system.layout
        self.symbols: list[Any] = []
        self.labels: list[str] = []
        self.start: list[float] = []
        self.rates: list[float] = []
        self.measured: list[Measured] = []
        self.bodies: dict[str, CasadiPose] = {GROUND: CasadiPose(casadi.SX.zeros(2), casadi.SX(0))}
        self.named: dict[str, tuple[Any, str]] = {}  # name -> expression, kind of coordinate
        self.closures: list[Any] = []
        self.angles, self.speeds = _begun(machine)
        known = [one.name for one in machine.motors]
        wished = known if motors is None else list(motors)
        for name in wished:
            if name not in known:
                there = ", ".join(known) or "none"
                raise DescriptionError(
                    f"{machine.name}: there is no motor {name}{did_you_mean(name, known)} The motors are {there}."
                )
        self.motors = [one for one in machine.motors if one.name in wished]

    def model(self) -> PlanarModel:
        ca = self.ca
        self._walk()
        q = ca.vertcat(*self.symbols)
        v = ca.SX.sym("v", q.numel())
        u = ca.SX.sym("u", len(self.motors))
        mass, force = self._inertia(q, v)
        names: dict[str, Any] = {**self.machine.values}
        force += self._forces(q, v, names) + self._torques(q, v, u, names)
        closure = ca.vertcat(*self.closures) if self.closures else ca.SX.zeros(0)
        jacobian = ca.jacobian(closure, q)
        gamma = -ca.jtimes(jacobian @ v, q, v) if self.closures else ca.SX.zeros(0)
        for name, placed in self.bodies.items():
            if name != GROUND:
                word = slug(name)
                names[f"angle_{word}"], names[f"rate_{word}"] = placed.angle, ca.jtimes(placed.angle, q, v)
                names[f"x_{word}"], names[f"y_{word}"] = placed.origin[0], placed.origin[1]
        for word, (expression, _) in self.named.items():
            names[f"way_{word}"], names[f"speed_{word}"] = expression, ca.jtimes(expression, q, v)
        gaps = {one.name: self._gap(one) for one in self.machine.stops}
        names |= {f"gap_{slug(name)}": gap for name, gap in gaps.items()}
        start = self._begins(q, v, closure, jacobian)
        return PlanarModel(
            coordinates=tuple(self.labels),
            motors=tuple(one.name for one in self.motors),
            q=q,
            v=v,
            u=u,
            mass=mass,
            force=force,
            closure=closure,
            closure_jacobian=jacobian,
            gamma=gamma,
            bodies={name: placed for name, placed in self.bodies.items() if name != GROUND},
            names=names,
            start=start,
            gaps=gaps,
        )

    # ------------------------------------------------------------------------------------------------- coordinates
    def _walk(self) -> None:
        joints = [one for one in self.machine.free_system.constraints if not isinstance(one, MERELY_READ)]
        # guides and welds first, as in symbolic equations: a way is a coordinate wherever its guide stands in the file
        waiting = sorted(joints, key=lambda one: planar_form(one) not in FIRST)
        while True:
            chained = [one for one in waiting if self._hang(one)]
            waiting = [one for one in waiting if one not in chained]
            if not chained:
                free = next((b.name for b in self.machine.system.bodies if b.name not in self.bodies), None)
                if free is None:
                    break
                self._float(free)
        for one in waiting:
            self._close(one)

    def _coordinate(self, label: str, start: float, rate: float, measured: Measured) -> Any:
        self.measured.append(measured)
        symbol = self.ca.SX.sym(label)
        self.symbols.append(symbol)
        self.labels.append(label)
        self.start.append(start)
        self.rates.append(rate)
        return symbol

    def _pose(self, body: str) -> tuple[FloatArray, float]:
        """Place and angle where the motion begins: of ``start`` or else of the file."""
        if body == GROUND:
            return np.zeros(2), 0.0
        one = self.layout.body(body)
        attitude = np.eye(2) if one.attitude is None else np.asarray(one.attitude)
        place = np.zeros(2) if one.position is None else np.asarray(one.position)
        angle = float(np.arctan2(attitude[1, 0], attitude[0, 0]))
        return place, self.angles.get(body, angle)

    def _hang(self, joint: Any) -> bool:
        """Place a body on one that is placed already; False where the joint does not join such two."""
        if planar_form(joint) is PlanarForm.ROD:
            return False
        (a, first), (b, second) = self._local(joint.proximal), self._local(joint.distal)
        if (a in self.bodies) == (b in self.bodies):
            return False
        if b in self.bodies:
            a, first, b, second = b, second, a, first
        parent = self.bodies[a]
        at = self.point(a, first)
        match planar_form(joint):
            case PlanarForm.PIN:
                angle = self._coordinate(
                    f"angle of {b}", self._pose(b)[1], self.speeds.get(b, 0.0), lambda poses: float(poses[b][2])
                )
            case PlanarForm.SLIDE:
                axis = self._axis(joint)
                (pa, fa), (pb, fb) = self._pose(a), self._pose(b)
                offset = pb + _turned(fb, second) - pa - _turned(fa, first)

                def measured(poses: Mapping[str, FloatArray]) -> float:
                    (near, far) = (_placed(poses, one, at) for one, at in ((a, first), (b, second)))
                    return float((far - near) @ _turned(0.0 if a == GROUND else float(poses[a][2]), axis))

                way = self._coordinate(f"way of {b}", float(offset @ _turned(fa, axis)), 0.0, measured)
                self.named[slug(joint.name)] = (way, "way")
                angle = parent.angle + (fb - fa)
                at = at + way * self._rotated(parent.angle, axis)
            case _:
                angle = parent.angle + (self._pose(b)[1] - self._pose(a)[1])
        self.bodies[b] = CasadiPose(at - self._rotated(angle, second), angle)
        return True

    def _float(self, body: str) -> None:
        place, angle = self._pose(body)
        x = self._coordinate(f"x of {body}", float(place[0]), 0.0, lambda poses: float(poses[body][0]))
        y = self._coordinate(f"y of {body}", float(place[1]), 0.0, lambda poses: float(poses[body][1]))
        turn = self._coordinate(
            f"angle of {body}", angle, self.speeds.get(body, 0.0), lambda poses: float(poses[body][2])
        )
        self.bodies[body] = CasadiPose(self.ca.vertcat(x, y), turn)

    def _close(self, joint: Any) -> None:
        if planar_form(joint) is PlanarForm.ROD:
            (a, first), (b, second) = self._local(joint.first), self._local(joint.second)
            apart = self.point(a, first) - self.point(b, second)
            length = joint.length
            if length is None:
                q0 = self.layout.reference()
                length = float(np.linalg.norm(self.layout.point(joint.first)(q0) - self.layout.point(joint.second)(q0)))
            self.closures.append((self.ca.dot(apart, apart) - length**2) / (2.0 * max(length, SHORTEST_m)))
            return
        (a, first), (b, second) = self._local(joint.proximal), self._local(joint.distal)
        apart = self.point(a, first) - self.point(b, second)
        turn = self.bodies[b].angle - self.bodies[a].angle - (self._pose(b)[1] - self._pose(a)[1])
        match planar_form(joint):
            case PlanarForm.SLIDE:
                axis = self._axis(joint)
                normal = _turned(0.5 * np.pi, axis)
                along = self._rotated(self.bodies[a].angle, axis)
                self.named[slug(joint.name)] = (-self.ca.dot(apart, along), "way")
                self.closures += [self.ca.dot(apart, self._rotated(self.bodies[a].angle, normal)), turn]
            case PlanarForm.WELD:
                self.closures += [apart, turn]
            case _:
                self.closures.append(apart)

    def _axis(self, joint: Prismatic) -> FloatArray:
        """Unit vector of the guide in the axes of the proximal body (2,)."""
        owner, name = joint.axis.split(".", 1)
        if owner == GROUND:
            return np.asarray(self.layout.directions[name], dtype=np.float64)
        return np.asarray(self.layout.body(owner).vectors[name], dtype=np.float64)

    def _local(self, reference: str) -> tuple[str, FloatArray]:
        owner, name = reference.split(".", 1)
        points = self.layout.ground if owner == GROUND else self.layout.body(owner).points
        return owner, np.asarray(points[name], dtype=np.float64)

    def _rotated(self, angle: Any, local: FloatArray) -> Any:
        c, s = self.ca.cos(angle), self.ca.sin(angle)
        return self.ca.vertcat(c * local[0] - s * local[1], s * local[0] + c * local[1])

    def point(self, body: str, local: FloatArray) -> Any:
        """A point of a body, in the laboratory (2,)."""
        placed = self.bodies[body]
        return placed.origin + self._rotated(placed.angle, local)

    def _gap(self, stop: Stop) -> Any:
        """Gap of a stop: n·(centre − point) − radius, n the normal of the face."""
        between = self.point(stop.circle, stop.centre) - self.point(stop.face, stop.point)
        normal = self._rotated(self.bodies[stop.face].angle, stop.normal / np.linalg.norm(stop.normal))
        return self.ca.dot(normal, between) - stop.radius

    # ------------------------------------------------------------------------------------------------------ forces
    def _inertia(self, q: Any, v: Any) -> tuple[Any, Any]:
        """Mass matrix Σ (m Jᵀ J + I jᵀ j), and weight less the velocity terms Σ m Jᵀ (J̇ v)."""
        ca, n = self.ca, q.numel()
        mass, force = ca.SX.zeros(n, n), ca.SX.zeros(n)
        gravity = np.asarray(self.machine.system.gravity, dtype=np.float64)
        for body in self.machine.system.bodies:
            at = self.point(body.name, np.asarray(body.points["com"]))
            J, j = ca.jacobian(at, q), ca.jacobian(self.bodies[body.name].angle, q)
            inertia = float(np.asarray(body.inertia_matrix)[0, 0])
            mass += body.mass * J.T @ J + inertia * j.T @ j
            force += body.mass * J.T @ (gravity - ca.jtimes(J @ v, q, v))
        return mass, force

    def _forces(self, q: Any, v: Any, names: dict[str, Any]) -> Any:
        total = self.ca.SX.zeros(q.numel())
        elements: tuple[Spring | Tie | Hinge, ...] = (*self.machine.ties, *self.machine.springs, *self.machine.hinges)
        for one in elements:
            total += self._force(one, q, v, names)
        return total

    def _force(self, one: Spring | Tie | Hinge, q: Any, v: Any, names: dict[str, Any]) -> Any:
        """Generalised force of one element by virtual work: Jᵀ F with J the derivative of what it acts along."""
        ca, word = self.ca, slug(one.name)
        if isinstance(one, Hinge):
            angle = self.bodies[one.distal].angle - self.bodies[one.proximal].angle
            torque = -one.stiffness * (angle - np.deg2rad(one.rest_deg)) - one.damping * ca.jtimes(angle, q, v)
            return ca.jacobian(angle, q).T * torque
        gap = self.point(*self._local(one.first)) - self.point(*self._local(one.second))
        if isinstance(one, Tie):
            rate = ca.jtimes(gap, q, v)
            spring, damper = -one.stiffness * gap, -one.damping * rate
            force = spring + damper
            for k, axis in enumerate("xy"):
                names[f"gap_{axis}_{word}"], names[f"gap_rate_{axis}_{word}"] = gap[k], rate[k]
                names[f"force_{axis}_{word}"] = force[k]
                names[f"spring_force_{axis}_{word}"], names[f"damper_force_{axis}_{word}"] = spring[k], damper[k]
            return ca.jacobian(gap, q).T @ force
        length = ca.sqrt(ca.dot(gap, gap) + SHORTEST_m**2)
        rate = ca.jtimes(length, q, v)
        spring, damper = one.stiffness * (length - one.free_length), one.damping * rate
        pull = spring + damper + one.actuation
        names[f"spring_force_{word}"], names[f"damper_force_{word}"] = spring, damper
        names[f"length_{word}"], names[f"length_rate_{word}"], names[f"force_{word}"] = length, rate, pull
        return -ca.jacobian(length, q).T * pull

    def _torques(self, q: Any, v: Any, u: Any, names: dict[str, Any]) -> Any:
        ca = self.ca
        total = ca.SX.zeros(q.numel())
        for k, motor in enumerate(self.motors):
            turn = self.bodies[motor.distal].angle - self.bodies[motor.proximal].angle
            total += ca.jacobian(turn, q).T * u[k]
            word = slug(motor.name)
            names[f"torque_{word}"], names[f"power_{word}"] = u[k], u[k] * ca.jtimes(turn, q, v)
        return total

    # ------------------------------------------------------------------------------------------------------- start
    def _begins(self, q: Any, v: Any, closure: Any, jacobian: Any) -> tuple[FloatArray, FloatArray]:
        """Where the motion begins: as in all other studies if the file has a start, else where its laws begin."""
        if not self.machine.start.given:
            return self._consistent(q, v, closure, jacobian)
        points = reference_point_model(self.machine, "none")
        whole, rates, _ = start_state(self.machine, points)
        poses = points.poses(whole)
        q0 = np.array([take(poses) for take in self.measured])
        places = self.ca.vertcat(
            *(self.ca.vertcat(one.origin, one.angle) for name, one in self.bodies.items() if name != GROUND)
        )
        change = np.concatenate(
            [[*points.velocity(whole, rates, f"{name}.origin"), rates[points.column(name)]]
             for name in self.bodies if name != GROUND]
        )  # fmt: skip
        slope = np.asarray(self.ca.Function("slope", [q], [self.ca.jacobian(places, q)])(q0), dtype=np.float64)
        return q0, np.asarray(np.linalg.lstsq(slope, change, rcond=None)[0])

    def _consistent(self, q: Any, v: Any, closure: Any, jacobian: Any) -> tuple[FloatArray, FloatArray]:
        """Start that fulfils the closures; angles and rates that laws begin with stay as they are."""
        q0, v0 = np.array(self.start), np.array(self.rates)
        if not self.closures:
            return q0, v0
        fixed = [k for k, label in enumerate(self.labels) if label.removeprefix("angle of ") in self.angles]
        given = [k for k, label in enumerate(self.labels) if label.removeprefix("angle of ") in self.speeds]
        value = self.ca.Function("closure", [q], [closure, jacobian])
        for _ in range(50):
            off, J = (np.asarray(one, dtype=np.float64) for one in value(q0))
            free = [k for k in range(len(q0)) if k not in fixed]
            if not free or np.abs(off).max() < 1e-13:
                break
            q0[free] -= np.linalg.lstsq(J[:, free], off.ravel(), rcond=None)[0]
        if not np.abs(np.asarray(value(q0)[0])).max() < 1e-9:
            raise DescriptionError(
                f"{self.machine.name}: its loops cannot be closed at the start. Change lengths or the start angles."
            )
        J = np.asarray(value(q0)[1], dtype=np.float64)
        free = [k for k in range(len(q0)) if k not in given]
        if free:
            v0[free] -= np.linalg.lstsq(J[:, free], J @ v0, rcond=None)[0]
        if np.abs(J @ v0).max() > 1e-9 * max(1.0, np.abs(v0).max()):
            raise DescriptionError(f"{self.machine.name}: the rates of the start tear its loops apart. Give fewer.")
        return q0, v0


def slug(name: str) -> str:
    """A name as it is written in a formula: letters, digits and underscores."""
    return "".join(letter if letter.isalnum() else "_" for letter in name)


def _begun(machine: Machine) -> tuple[dict[str, float], dict[str, float]]:
    """Angles and rates with which laws for absolute angles begin; those of the file where it has a start."""
    angles, rates = dict(machine.start.angles), dict(machine.start.rates)
    if machine.start.given:
        return angles, rates
    drivers = {one.name: one for one in machine.system.constraints if isinstance(one, AngleDriver)}
    for prescription in machine.prescriptions:
        driver = drivers.get(prescription.driver)
        if driver is not None and driver.start == f"{GROUND}.x" and driver.end.endswith(".x"):
            body = driver.end.removesuffix(".x")
            angles.setdefault(body, float(prescription.law.value(0.0)))
            rates.setdefault(body, float(prescription.law.rate(0.0)))
    return angles, rates


def _placed(poses: Mapping[str, FloatArray], body: str, local: FloatArray) -> FloatArray:
    """Place of a local point of a body, by the poses (3,) of all bodies but the ground."""
    return local if body == GROUND else np.asarray(poses[body][:2] + _turned(float(poses[body][2]), local))


def _turned(angle: float, local: FloatArray) -> FloatArray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * local[0] - s * local[1], s * local[0] + c * local[1]])
