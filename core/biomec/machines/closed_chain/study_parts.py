"""What the studies of machines have in common: laws for drivers that have none, times, starts, curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.engine.drivers import AngleCoordinate, AngleDriver, CoordinateDriver
from biomec.machines.laws import Polynomial
from biomec.machines.machine import Machine, Prescription
from biomec.machines.reference_points.assembly import NotAssembled, SingularPosition, assembled, velocities
from biomec.machines.reference_points.building import along, reference_point_model
from biomec.machines.reference_points.equations import FIXED, Pin, RelativeAngle
from biomec.machines.reference_points.integration import FIXED_STEP, refuse_steps
from biomec.machines.reference_points.model import ReferencePointModel
from biomec.machines.study import StudyCurve, curve

MOST_SAMPLES = 200_001
USUAL_STEP_S = 0.01  # about the longest one of integrators that choose their steps themselves, in a moving machine
FREE = 1e-7  # singular value of the constraints below which something is free
NOTICED = 1e-4  # [rad] between the start that is asked for and the one that is taken
SPATIAL = "it moves in space; this analysis is for machines in one plane."
NOT_DRIVEN = "nothing in it is driven. Give it a driver, and a law if it is not to turn steadily."
SPEED = "Speed of a driven angle that has no law"


def not_driven(machine: Machine) -> str | None:
    """Why a machine has no prescribed motion."""
    system = machine.system
    if not system.drivers:
        return NOT_DRIVEN
    now = system.drive(dict(zip(system.drivers, system.driver_values(system.reference), strict=True)))
    free = system.n - int(np.linalg.matrix_rank(system.jacobian(system.reference, now), tol=FREE))
    if free > 0:
        return f"its drivers leave {free} of its degrees of freedom free. Simulate it, or drive it further."
    return None


def with_laws(machine: Machine, speed_deg_s: float) -> Machine:
    """The machine with a law for every driver: angles without one turn steadily, the rest keeps its place."""
    system = machine.system
    driven = {one.driver for one in machine.prescriptions}
    values = system.driver_values(system.reference)
    added = [
        Prescription(
            name, Polynomial((float(values[k]), np.deg2rad(speed_deg_s) if _turns(machine, name) else 0.0)), False
        )
        for k, name in enumerate(system.drivers)
        if name not in driven
    ]
    return replace(machine, prescriptions=(*machine.prescriptions, *added))


def _turns(machine: Machine, driver: str) -> bool:
    items = {one.name: one for one in machine.system.constraints}
    item = items.get(driver)
    if isinstance(item, CoordinateDriver):
        item = items.get(item.coordinate)
    return isinstance(item, AngleDriver | AngleCoordinate)


def sample_times(machine: Machine, duration_s: float, samples: int) -> FloatArray:
    """Times (samples,) of a study; a duration of 0 is that of the machine."""
    end = duration_s or machine.duration_s
    if not (0.0 < end < np.inf and 2 <= samples <= MOST_SAMPLES):
        raise BiomecError(
            f"An analysis needs a positive duration and 2 to {MOST_SAMPLES} samples, not {end:g} s and {samples}."
        )
    return np.linspace(0.0, end, samples)


def refuse_long(integrator: str, duration_s: float, step_s: float) -> None:
    """Raise before a simulation that would take too many steps."""
    if step_s > 0.0:
        refuse_steps(duration_s, step_s if integrator == FIXED_STEP else USUAL_STEP_S)


def pushed(machine: Machine, rate_deg_s: float) -> Machine:
    """The machine with all its drivers turning steadily from where the file places them; those kept keep their laws."""
    kept = tuple(one for one in machine.prescriptions if one.kept)
    return with_laws(replace(machine, prescriptions=kept), rate_deg_s)


def start_state(
    machine: Machine, model: ReferencePointModel, rate_deg_s: float = 0.0
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """q and q̇ (n,) where a free motion of a machine begins: the angles and rates of its file, or its poses and rest.

    Driven angles begin where the file places them; where they cannot, nearby, and notices say so.
    rate_deg_s : of driven angles, where the file tells no start
    """
    if not machine.start.given and machine.system.drivers:
        driven = reference_point_model(pushed(machine, rate_deg_s))
        notices: tuple[str, ...] = ()
        try:
            q = assembled(driven)
        except NotAssembled:
            q = assembled(model)
            notices = _moved(driven, q)
        return q, velocities(driven, q), notices
    start = machine.start
    named = dict.fromkeys([*start.angles, *start.rates])
    angles = {body: start.angles.get(body, float(model.guess[model.column(body)])) for body in named}
    guides = dict.fromkeys([*start.ways, *start.speeds])
    ways = {name: start.ways.get(name, way_of(machine, model, name, model.guess)[0]) for name in guides}
    try:
        q = assembled(_starting(model, machine, angles, ways))
    except NotAssembled:  # what only has a rate need not stay where the file places it
        q = assembled(_starting(model, machine, dict(start.angles), dict(start.ways)))
    here = {body: float(q[model.column(body)]) for body in named}
    moving = _starting(model, machine, here, {name: way_of(machine, model, name, q)[0] for name in guides})
    try:
        return q, velocities(moving, q), ()
    except SingularPosition as error:
        raise NotAssembled(f"{machine.name}: the rates of the start would tear its joints apart.") from error


def _starting(
    model: ReferencePointModel, machine: Machine, angles: Mapping[str, float], ways: Mapping[str, float]
) -> ReferencePointModel:
    """The model whose bodies and guides begin at angles [rad] and ways [m], and at the rates of the file or at rest."""
    for body, angle in angles.items():
        law = Polynomial((angle, machine.start.rates.get(body, 0.0)))
        model = model.with_angle_driver(body, law, f"start of {body}")
    for name, way in ways.items():
        law = Polynomial((way, machine.start.speeds.get(name, 0.0)))
        model = replace(model, drivers=(*model.drivers, along(machine.system, name, f"start of {name}", law)))
    return model


def way_of(
    machine: Machine, model: ReferencePointModel, name: str, q: FloatArray, qdot: FloatArray | None = None
) -> tuple[float, float]:
    """Way of a guide at a position q (n,) [m], and its rate [m/s]; at rest without q̇ (n,)."""
    alone = replace(model, joints=(), drivers=(along(machine.system, name, name, FIXED),))
    return float(alone.residual(q)[0]), 0.0 if qdot is None else float(alone.jacobian(q)[0] @ qdot)


def _moved(driven: ReferencePointModel, q: FloatArray) -> tuple[str, ...]:
    """Sentences about driven angles that a position does not have."""
    found = []
    off = driven.residual(q, 0.0)
    for one in driven.drivers:
        by = float(off[driven.rows_of(one.name)[0]])
        if isinstance(one, RelativeAngle) and abs(by) > NOTICED:
            asked = float(one.law.value(0.0))
            found.append(
                f"{one.name} cannot be {np.rad2deg(asked):.5g}° at the start: the parts cannot be joined there. "
                f"The motion begins at {np.rad2deg(asked + by):.5g}°, near the places of the file."
            )
    return tuple(found)


def exceeded(machine: Machine, torques: Mapping[str, FloatArray], then: str = "It gives no more.") -> tuple[str, ...]:
    """A sentence for every motor of which more is asked than it can give.

    torques : motor -> (T,) what is asked of it [N·m];  then : what happens
    """
    found = []
    for motor in machine.motors:
        asked = torques.get(motor.name)
        if asked is None or not motor.is_limited:
            continue
        slack = 1e-9 * max(1.0, float(np.abs(asked).max(initial=0.0)))
        if asked.min() < motor.least - slack or asked.max() > motor.most + slack:
            found.append(
                f"The motor {motor.name} is asked for {asked.min():.4g} to {asked.max():.4g} N·m and can give "
                f"{motor.least:g} to {motor.most:g}. {then}"
            )
    return tuple(found)


def motion_curves(
    model: ReferencePointModel, q: FloatArray, qdot: FloatArray, qddot: FloatArray | None = None
) -> list[StudyCurve]:
    """Angles, their rates and accelerations, and the places of pins."""
    found = [curve("Angles", name, "deg", np.rad2deg(q[:, model.column(name)])) for name in model.bodies]
    found += [
        curve("Angular velocities", name, "deg/s", np.rad2deg(qdot[:, model.column(name)])) for name in model.bodies
    ]
    if qddot is not None:
        found += [curve("Angular accelerations", name, "rad/s²", qddot[:, model.column(name)]) for name in model.bodies]
    pose = np.concatenate([q, np.zeros((len(q), 3))], axis=1)
    for one in model.joints:
        if isinstance(one, Pin) and one.second != len(model.bodies):
            at = _place(pose, one.first, one.first_at)
            found += [curve("Positions of joints", f"{one.name} {axis}", "m", at[:, k]) for k, axis in enumerate("xy")]
    return found


def _place(pose: FloatArray, body: int, u: FloatArray) -> FloatArray:
    angle = pose[:, 3 * body + 2]
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray(pose[:, 3 * body : 3 * body + 2] + np.stack([c * u[0] - s * u[1], s * u[0] + c * u[1]], axis=-1))


def angle_ranges(model: ReferencePointModel, q: FloatArray) -> dict[str, float]:
    """Smallest and largest angle of every body [deg]."""
    found = {}
    for name in model.bodies:
        angle = np.rad2deg(q[:, model.column(name)])
        found[f"{key(name)}_angle_min_deg"] = float(angle.min())
        found[f"{key(name)}_angle_max_deg"] = float(angle.max())
    return found


def key(name: str) -> str:
    """A name as part of the key of a figure."""
    return name.replace(" ", "_")


def driven_angles(model: ReferencePointModel) -> Mapping[str, str]:
    """Driver of an angle -> the body that it turns."""
    ground = len(model.bodies)
    return {
        one.name: model.bodies[one.first if one.first != ground else one.second]
        for one in model.drivers
        if isinstance(one, RelativeAngle)
    }
