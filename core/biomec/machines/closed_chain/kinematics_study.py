"""The study `kinematics`: the motion that laws prescribe, without forces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.machines.closed_chain.study_parts import (
    SPEED,
    angle_ranges,
    driven_angles,
    motion_curves,
    not_driven,
    sample_times,
    with_laws,
)
from biomec.machines.machine import Machine
from biomec.machines.study import Run, Study, StudyCurve, curve, option, time_limit

KEY, TITLE = "kinematics", "Kinematics"


@dataclass(frozen=True)
class KinematicsOptions:
    """Options of the study."""

    duration_s: float = option(0.0, "Duration; 0 takes that of the machine", "s")
    samples: int = option(101, "Instants, the first and the last included")
    speed_deg_s: float = option(360.0, SPEED, "deg/s")
    compare_coordinates: bool = option(False, "Repeat a four-bar linkage in five kinds of coordinates and compare them")
    time_limit_s: float = time_limit()


def run_kinematics(machine: Machine, options: KinematicsOptions, progress: Progress | None = None) -> Run:
    """Answer the study."""
    time_s = sample_times(machine, options.duration_s, options.samples)
    driven = with_laws(machine, options.speed_deg_s)
    return (_planar if machine.is_planar else _spatial)(machine, driven, options, time_s, progress)


def _planar(
    machine: Machine, driven: Machine, options: KinematicsOptions, time_s: FloatArray, progress: Progress | None
) -> Run:
    from biomec.machines.reference_points import reference_point_model
    from biomec.machines.reference_points.assembly import follow_as_far

    model = reference_point_model(driven)
    q, qdot, qddot, reason = follow_as_far(model, time_s, progress=progress)
    time_s = time_s[: len(q)]
    if not len(q):
        return _nothing(machine, options, str(reason))
    left = np.abs(model.residual(q, time_s)).max()
    figures = {"position_error_max_m": float(left), **angle_ranges(model, q)}
    notices: tuple[str, ...] = ()
    if options.compare_coordinates:
        try:
            figures["coordinates_difference_m"] = _difference(model, q)
        except BiomecError as error:
            notices = (f"Kinds of coordinates were not compared: {error}",)
    return Run(
        study=KEY,
        title=TITLE,
        machine=machine,
        options=options,
        time_s=time_s,
        curves=tuple(motion_curves(model, q, qdot, qddot)),
        figures=figures,
        poses=model.poses(q),
        status="completed" if reason is None else str(reason),
        succeeded=reason is None,
        notices=notices,
    )


def _difference(model: object, q: FloatArray) -> float:
    """Largest distance of the joints in five kinds of coordinates [m]."""
    from biomec.machines.closed_chain.four_bar import four_bar_of, places_by_kind
    from biomec.machines.reference_points.model import ReferencePointModel

    assert isinstance(model, ReferencePointModel)
    cranks = list(driven_angles(model).values())
    if not cranks:
        raise BiomecError("no crank is driven.")
    places = places_by_kind(four_bar_of(model, cranks[0]), model, q)
    return max(float(np.abs(one - places["cartesian"]).max()) for one in places.values())


def _spatial(
    machine: Machine, driven: Machine, options: KinematicsOptions, time_s: FloatArray, progress: Progress | None
) -> Run:
    from biomec.engine.driven_motion import accelerations, follow_drivers, velocities
    from biomec.machines.natural import poses_of

    system = driven.system
    laws = {one.driver: one.law for one in driven.prescriptions}
    levels = [
        {name: getattr(law, level)(time_s) for name, law in laws.items()} for level in ("value", "rate", "acceleration")
    ]
    found = follow_drivers(system, system.drive(*levels))
    if progress is not None:
        progress(0.7)
    reached = len(time_s) if found.valid.all() else int(found.valid.argmin())
    if reached == 0:
        return _nothing(machine, options, f"{machine.name}: its parts cannot be joined at the start of the motion.")
    time_s, q = time_s[:reached], found.q[:reached]
    drive = system.drive(*({name: values[:reached] for name, values in level.items()} for level in levels))
    rates = velocities(system, q, drive)
    changes = accelerations(system, q, rates.value, drive)
    curves: list[StudyCurve] = []
    for body in system.bodies:
        centre = system.layout.point(f"{body.name}.com")
        for group, unit, values in (
            ("Positions of centres of mass", "m", centre(q)),
            ("Velocities of centres of mass", "m/s", centre.rate(rates.value)),
            ("Accelerations of centres of mass", "m/s²", centre.rate(changes.value)),
        ):
            curves += [curve(group, f"{body.name} {axis}", unit, values[:, k]) for k, axis in enumerate("xyz")]
    stuck = f"{machine.name}: it cannot go on at t = {time_s[-1]:g} s; what drives it asks for a place out of reach."
    return Run(
        study=KEY,
        title=TITLE,
        machine=machine,
        options=options,
        time_s=time_s,
        curves=tuple(curves),
        figures={"position_error_max_m": float(found.violation[:reached].max())},
        poses=poses_of(system, q),
        status="completed" if found.valid.all() else stuck,
        succeeded=bool(found.valid.all()),
    )


def _nothing(machine: Machine, options: KinematicsOptions, status: str) -> Run:
    return Run(KEY, TITLE, machine, options, np.zeros(0), (), {}, status=status, succeeded=False)


STUDY = Study(
    key=KEY,
    title=TITLE,
    about="Positions, velocities and accelerations of the motion that drivers prescribe.",
    options=KinematicsOptions,
    refusal=not_driven,
    run=run_kinematics,
)
