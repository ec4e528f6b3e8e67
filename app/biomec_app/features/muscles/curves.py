"""Curves of the muscles: activation, force, fibres, power and moment arms of each, and what presses in the joints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.body.muscles.joint_contact import COMPONENTS
from biomec.body.muscles.muscle_set import Muscle
from biomec.pipeline.analysis import Analysis
from biomec.recording.marker_set import Side
from biomec_app.curves.curve import Curve, capital, column, side_of_name
from biomec_app.features.muscles.readings import STEP, MuscleReadings, has_muscles, readings_of

MUSCLES, ARMS, CONTACTS = "Muscles", "Muscle moment arms", "Joint contact forces"
RESERVES, SHARES = "Muscle reserves", "Muscle shares of torques"
WANTED, RESERVE = "torque to be shared", "carried by no muscle"
PERCENT, MM = 100.0, 1e3
COURSES = {
    "activation": ("activation", "%", PERCENT, 5.0),
    "force": ("force", "N", 1.0, 20.0),
    "fibre length": ("fibre length over the optimal one", "", 1.0, 0.2),
    "fibre speed": ("fibre speed over the greatest one, stretching +", "", 1.0, 0.1),
    "passive force": ("passive force", "N", 1.0, 5.0),
    "length": ("length of muscle and tendon", "mm", MM, 10.0),
    "power": ("power, given + / taken −", "W", 1.0, 2.0),
}
"""Name -> words, unit, factor, least height of an axis."""
BY_LOADS = ("activation", "force", "power")
"""Courses that are only as good as the loads of the joints; the others follow from the motion alone."""


def muscle_key(course: str, muscle: str) -> str:
    """Key of one of `COURSES` of a muscle."""
    return f"muscle/{course}/{muscle}"


def arm_key(muscle: str, axis: str) -> str:
    """Key of the moment arm of a muscle about an axis, such as "right knee flexion"."""
    return f"muscle arm/{muscle}/{axis}"


def contact_key(joint: str, component: str) -> str:
    """Key of a contact force."""
    return f"joint contact/{joint}/{component}"


def reserve_keys(row: str) -> tuple[str, ...]:
    """Keys of a torque, and of what no muscle carries of it."""
    return tuple(f"muscle reserve/{name}/{row}" for name in (WANTED, RESERVE))


def share_key(row: str, group: str) -> str:
    """Key of what a whole muscle gives to a torque, such as "right knee flexion"."""
    return f"muscle share/{row}/{group}"


def courses(analysis: Analysis) -> Iterator[Curve]:
    """Activation, force, fibres, length and power of every muscle."""
    if not has_muscles(analysis):
        return
    readings, time = readings_of(analysis), analysis.session.dynamic.time_s
    for m, muscle in enumerate(readings.muscles):
        usable = readings.usable_muscle(muscle.name)
        for course, (words, unit, factor, least) in COURSES.items():
            yield Curve(
                muscle_key(course, muscle.name), MUSCLES, capital(muscle.group), muscle.side,
                _component(muscle, course),
                f"{muscle.sided_title}, {words}", unit,
                column(time, partial(_table, readings, course), m, scale=factor), capital(muscle.title), words,
                step=STEP, least=least, usable=usable if course in BY_LOADS else None,
            )  # fmt: skip


def _component(muscle: Muscle, course: str) -> str:
    """Elements of a group have components of their own."""
    part = muscle.title.removeprefix(muscle.group).strip(" ,")
    return f"{course}, {part}" if part else course


def _table(readings: MuscleReadings, course: str) -> FloatArray:
    forces = readings.forces
    tables: Mapping[str, Callable[[], FloatArray]] = {
        "activation": lambda: forces.activation,
        "force": lambda: forces.force,
        "fibre length": lambda: forces.length,
        "fibre speed": lambda: forces.speed,
        "passive force": lambda: forces.passive,
        "length": lambda: readings.paths.length,
        "power": lambda: -forces.force * readings.model.speed,
    }
    return np.asarray(tables[course]())


def moment_arms(analysis: Analysis) -> Iterator[Curve]:
    """Moment arms of every muscle about the angles of the joints that it crosses."""
    if not has_muscles(analysis):
        return
    readings, time = readings_of(analysis), analysis.session.dynamic.time_s
    axes = readings.axes
    for m, muscle in enumerate(readings.muscles):
        for joint in readings.crossed.get(muscle.name, ()):
            for c, axis in enumerate(axes.get(joint, ())):
                side, stem = side_of_name(axis)
                yield Curve(
                    arm_key(muscle.name, axis), ARMS, capital(muscle.group), muscle.side or side,
                    f"{muscle.title}: {stem}", f"{muscle.sided_title}, moment arm of {axis}", "mm",
                    column(time, partial(_arms, readings, joint), c, m, scale=MM), capital(muscle.title),
                    f"moment arm of {stem}", step=STEP, least=5.0,
                )  # fmt: skip


def _arms(readings: MuscleReadings, joint: str) -> FloatArray:
    """(T, C, M)."""
    return readings.arms(joint).arms


def contacts(analysis: Analysis) -> Iterator[Curve]:
    """Force of bone on bone in every joint, with muscles and without, its components, compression and shear."""
    if not has_muscles(analysis):
        return
    readings, time = readings_of(analysis), analysis.session.dynamic.time_s
    found = readings.contacts
    weight = 1.0 / readings.body_weight
    for j, joint in enumerate(found.joints):
        side, stem = side_of_name(joint)
        usable, bound = readings.usable(joint), readings.least[:, j]
        if bound.any():  # what is lacking presses on nothing
            usable = ~bound if usable is None else usable & ~bound
        make = partial(_contact, joint, stem, side, usable=usable)
        yield make("with muscles", "N", column(time, lambda: found.size, j), 50.0)
        yield make("without muscles", "N", column(time, lambda: found.net_size, j), 50.0, variant="without", dashed=1)
        yield make("with muscles", "× body weight", column(time, lambda: found.size, j, scale=weight), 0.1)
        yield make("without muscles", "× body weight", column(time, lambda: found.net_size, j, scale=weight), 0.1,
                   variant="without", dashed=1)  # fmt: skip
        for i, name in enumerate(COMPONENTS):
            yield make(f"force, {name} +", "N", column(time, found.local, j, i), 50.0)
        if joint in found.pressed:
            a = found.pressed.index(joint)
            yield make("compression", "N", column(time, found.compression, a), 50.0)
            yield make("shear", "N", column(time, found.shear, a), 50.0)
            yield make("compression without muscles", "N", column(time, found.net_compression, a), 50.0)
            yield make("shear without muscles", "N", column(time, found.net_shear, a), 50.0)
    for c, name in enumerate(found.ribs):
        side, stem = side_of_name(name)
        yield _contact(name, stem, side, "push of the ribs", "N", column(time, found.rib_force, c), 10.0)


def _contact(
    joint: str, stem: str, side: Side | None, component: str, unit: str, series: object, least: float,
    variant: str = "", dashed: int = 0, usable: BoolArray | None = None,
) -> Curve:  # fmt: skip
    size = component.endswith("muscles") and not component.startswith(("compression", "shear"))
    words = "contact force" if size else component
    return Curve(
        contact_key(joint, f"{component} [{unit}]"), CONTACTS, capital(stem), side, f"{component} [{unit}]",
        f"{joint}, {words} {component if size else ''}".strip(), unit, series, f"{capital(stem)} contact",  # type: ignore[arg-type]
        words, variant, STEP, least=least, said=component, dashed=dashed,
        usable=usable,
    )  # fmt: skip


def reserves(analysis: Analysis) -> Iterator[Curve]:
    """Torques that were shared, and what of them no muscle carries."""
    if not has_muscles(analysis):
        return
    forces, time = readings_of(analysis).forces, analysis.session.dynamic.time_s
    for k, row in enumerate(forces.rows):
        side, stem = side_of_name(row)
        for name, table in ((WANTED, forces.wanted), (RESERVE, forces.reserve)):
            yield Curve(
                f"muscle reserve/{name}/{row}", RESERVES, capital(stem), side, name, f"{row}, {name}", "N·m",
                column(time, table, k), capital(stem), name, step=STEP, least=1.0,
            )  # fmt: skip


def shares(analysis: Analysis) -> Iterator[Curve]:
    """What every whole muscle gives to each torque."""
    if not has_muscles(analysis):
        return
    readings, time = readings_of(analysis), analysis.session.dynamic.time_s
    for row in readings.forces.rows:
        side, stem = side_of_name(row)
        usable = readings.usable_row(row)
        for g, group in enumerate(readings.row_groups(row)):
            yield Curve(
                share_key(row, group), SHARES, capital(stem), side, group, f"{row}, made by {group}", "N·m",
                column(time, partial(_shares, readings, row), g), capital(stem), f"made by {group}", step=STEP,
                least=1.0, usable=usable,
            )  # fmt: skip


def _shares(readings: MuscleReadings, row: str) -> FloatArray:
    """(T, G)."""
    return readings.shares(row).torque


PROVIDERS = (courses, moment_arms, contacts, reserves, shares)
