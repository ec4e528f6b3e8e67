"""Curves of the loads: moments and forces in four kinds of axes and three units, both methods, power, stress, residual.

Listed are loads in all axes by the method, sign and scale of the settings, and what weight, acceleration and the
ground ask for in the axes of the settings; others are chosen in the panel Loads, which asks for their keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

from biomec.base.arrays import FloatArray
from biomec.body.loads.contributions import PARTS, TITLES
from biomec.body.loads.load_axes import AXES
from biomec.body.loads.load_components import (
    AXES_WORDS,
    CONVENTIONS,
    FORCE,
    MOMENT,
    MULTIBODY,
    NEWTON_EULER,
    NORMALISATIONS,
    UNITS,
    LoadReading,
)
from biomec.pipeline.analysis import Analysis
from biomec.reporting.clinical_presentation import BY_NAME, clinical_of
from biomec.reporting.clinical_presentation import MOMENT as CLINICAL_MOMENT
from biomec_app.curves.curve import AXES as LABORATORY
from biomec_app.curves.curve import MAIN, Curve, along, capital, column, side_of_name
from biomec_app.features.loads.device_curves import devices
from biomec_app.features.loads.readings import Readings, has_loads

MOMENTS, FORCES, POWER, STRESS = "Joint moments", "Joint forces", "Joint power", "Compression and shear"
RESIDUAL, CONTACT, ENERGY = "Residual", "Scapula on ribs", "Energy"
QUANTITIES = {MOMENT: MOMENTS, FORCE: FORCES}
LEAST = {("none", FORCE): 10.0, ("none", MOMENT): 2.0, ("mass", FORCE): 0.15, ("mass", MOMENT): 0.03,
         ("weight", FORCE): 1.5, ("weight", MOMENT): 0.2}  # fmt: skip
STEP, PRESSED = "loads", "pressed"
STRESSES = ("compression", "traction", "shear")
OFF_AXIS = "torque off the axis"
NBSP = "\N{NO-BREAK SPACE}"
INTERNAL, EXTERNAL = CONVENTIONS


class LoadKey(NamedTuple):
    """What the key of a component says."""

    name: str
    axes: str = "joint"
    normalisation: str = "none"
    method: str = MULTIBODY
    convention: str = INTERNAL
    part: str = ""

    @property
    def text(self) -> str:
        """The key."""
        words = ("load", "" if self.convention == INTERNAL else EXTERNAL,
                 "" if self.method == MULTIBODY else "newton-euler", self.part and f"{self.part}-part")  # fmt: skip
        return f"{' '.join(filter(None, words))}/{self.axes}/{self.normalisation}/{self.name}"


def load_key(
    name: str, axes: str = "joint", normalisation: str = "none", method: str = MULTIBODY, convention: str = INTERNAL,
    part: str = "",
) -> str:  # fmt: skip
    """Key of a component, such as "right elbow flexion moment"; of one of `PARTS` only, if it is named."""
    return LoadKey(name, axes, normalisation, method, convention, part).text


def read_key(key: str) -> LoadKey | None:
    """What the key of a component says; None for other keys."""
    parts = key.split("/", 3)
    words = parts[0].split()
    if len(parts) != 4 or words[:1] != ["load"]:
        return None
    method = NEWTON_EULER if "newton-euler" in words else MULTIBODY
    part = next((one for one in PARTS if f"{one}-part" in words), "")
    found = LoadKey(parts[3], parts[1], parts[2], method, EXTERNAL if EXTERNAL in words else INTERNAL, part)
    return found if found.text == key else None


def joint_loads(analysis: Analysis) -> Iterator[Curve]:
    """Moments, then forces, of all joints."""
    if not has_loads(analysis):
        return
    readings = Readings(analysis)
    for quantity in (MOMENT, FORCE):
        for axes in dict.fromkeys((readings.reading.axes, *AXES)):
            for joint in readings.joints:
                yield from _components(readings, joint, quantity, replace(readings.reading, axes=axes))


def parts(analysis: Analysis) -> Iterator[Curve]:
    """What weight, acceleration and the ground ask of the joints; computed when one is asked for."""
    if not has_loads(analysis):
        return
    readings = Readings(analysis)
    for quantity in (MOMENT, FORCE):
        for part in PARTS:
            for joint in readings.joints:
                yield from _components(readings, joint, quantity, readings.reading, part)


def by_key(analysis: Analysis) -> Callable[[str], Curve | None]:
    """What finds curves of loads that are not listed, by their keys; it finds each once."""
    if not has_loads(analysis):
        return lambda key: None
    readings, joints = Readings(analysis), analysis.loads.newton_euler.joints

    @cache
    def find(key: str) -> Curve | None:
        read = read_key(key)
        if read is None or read.axes not in AXES or read.normalisation not in NORMALISATIONS:
            return None
        words = readings.words(read.axes)
        if read.name not in words:
            return None
        k = words.index(read.name)
        joint, quantity = words.joint[k], words.quantity[k]
        assert joint in joints
        reading = replace(
            readings.reading, axes=read.axes, normalisation=read.normalisation, method=read.method,
            convention=read.convention,
        )  # fmt: skip
        alike = _components(readings, joint, quantity, reading, read.part)
        return next(curve for curve in alike if curve.key == key)

    return find


def _components(readings: Readings, joint: str, quantity: str, reading: LoadReading, part: str = "") -> Iterator[Curve]:
    axes, normalisation, method = reading.axes, reading.normalisation, reading.method
    words, time = readings.words(axes), readings.analysis.session.dynamic.time_s
    side, stem = side_of_name(joint)
    borne = {one.joint for one in readings.found.trust.effects}  # their bands are those of the loads without the ribs
    for k, name in enumerate(words.of(joint, quantity)):
        at = words.index(name)
        here = k + (0 if quantity == FORCE else 3)  # number among the six of the joint
        positive, negative = words.positive[at], words.negative[at]
        senses = f"{positive}{NBSP}+ / {negative}{NBSP}−" if axes != "laboratory" else along(LABORATORY[k])
        origin = f", {TITLES[part]}" if part else ""
        yield Curve(
            load_key(name, axes, normalisation, method, reading.convention, part),
            f"{QUANTITIES[quantity]}{origin}, {AXES_WORDS[axes]}",
            capital(stem), side, positive, f"{name}{origin}, {reading.words}", UNITS[normalisation, quantity],
            column(time, partial(_values, readings, joint, axes, normalisation, method, part), here,
                   scale=reading.sense),
            f"{capital(stem)} {quantity}{origin}", f"{senses} · {AXES_WORDS[axes]}, {reading.convention}",
            MAIN if method == readings.reading.method else method, STEP, least=LEAST[normalisation, quantity],
            said=method, dashed=method == NEWTON_EULER, joint=joint, usable=readings.usable(joint),
            made=readings.made(reading),
            band=(lambda: None) if part or (method == MULTIBODY and joint in borne)
            else partial(readings.half_width, joint, axes, normalisation, here),
            clinical=None if part else _clinical(readings, stem, (positive, negative), quantity, reading),
        )  # fmt: skip


def _clinical(
    readings: Readings, joint: str, words: tuple[str, str], quantity: str, reading: LoadReading
) -> tuple[str, float] | None:
    """The clinical curve that a moment is, and the factor between them; norms hold internal ones in distal axes."""
    if (quantity, reading.axes, reading.convention) != (MOMENT, "distal", INTERNAL):
        return None
    found = clinical_of(CLINICAL_MOMENT, joint, *words)
    kilograms = {"mass": 1.0, "none": readings.mass_kg}.get(reading.normalisation)
    return None if found is None or kilograms is None else (found[0], found[1] * kilograms)


def _values(readings: Readings, joint: str, axes: str, normalisation: str, method: str, part: str) -> FloatArray:
    return readings.components(joint, axes, normalisation, method, part).values


def powers(analysis: Analysis) -> Iterator[Curve]:
    """Power of every joint; energy of the whole body."""
    if not has_loads(analysis):
        return
    readings, time = Readings(analysis), analysis.session.dynamic.time_s
    power, made = readings.power, readings.made()
    for joint in readings.joints:
        side, stem = side_of_name(joint)
        for unit, scale in (("W", 1.0), ("W/kg", 1.0 / readings.mass_kg)):
            yield Curve(
                f"power/{unit}/{joint}", POWER, capital(stem), side, f"power [{unit}]", f"{joint} power", unit,
                column(time, power.joint, power.joints.index(joint), scale=scale), capital(stem),
                f"power, delivered{NBSP}+ / taken up{NBSP}−", step=STEP, least=5.0 * scale,
                joint=joint, usable=readings.usable(joint), made=made,
                clinical=(f"{stem} power", scale * readings.mass_kg) if f"{stem} power" in BY_NAME else None,
            )  # fmt: skip
    for name, values, unit in (
        ("kinetic energy", power.kinetic, "J"), ("potential energy", power.potential, "J"),
        ("power of the residual", power.residual, "W"), ("power without a source", power.imbalance, "W"),
    ):  # fmt: skip
        yield Curve(f"energy/{name}", ENERGY, "whole body", None, name, f"whole body, {name}", unit,
                    column(time, values), "Whole body", name, step=STEP, least=1.0)  # fmt: skip


def stresses(analysis: Analysis) -> Iterator[Curve]:
    """Compression, traction and shear of every joint, and torque off the axis of hinges."""
    if not has_loads(analysis):
        return
    readings, time = Readings(analysis), analysis.session.dynamic.time_s
    stress, made = readings.stress, readings.made()
    for joint in (joint for joint in readings.joints if joint in stress.joints):
        side, stem = side_of_name(joint)
        for kind in STRESSES:
            yield Curve(
                f"stress/{kind}/{joint}", STRESS, capital(stem), side, kind, f"{joint} {kind}", "N",
                column(time, partial(getattr, stress, kind), stress.index(joint)), capital(stem), kind, step=STEP,
                least=10.0, joint=joint, usable=readings.usable(joint), made=made,
            )  # fmt: skip
        if joint in stress.hinges:
            yield Curve(
                f"stress/off axis/{joint}", STRESS, capital(stem), side, OFF_AXIS, f"{joint} {OFF_AXIS}", "N·m",
                column(time, stress.off_axis, stress.hinges.index(joint)), capital(stem), OFF_AXIS, step=STEP,
                least=2.0, joint=joint, usable=readings.usable(joint), made=made,
            )  # fmt: skip


def residuals(analysis: Analysis) -> Iterator[Curve]:
    """Residual force and moment of the root, and the balance of the whole body."""
    if not has_loads(analysis):
        return
    readings, time = Readings(analysis), analysis.session.dynamic.time_s
    root = readings.found.newton_euler.root
    for axes, words in (("root", f"axes of the {root}"), ("laboratory", "laboratory")):
        found = readings.residual(axes)
        for k, name in enumerate(found.names):
            yield Curve(
                f"residual load/{axes}/{name}", RESIDUAL, f"on the {root}, {words}", None, name.split(" ", 1)[1],
                f"{name}, {words}", found.units[k], column(time, found.values, k),
                f"Residual {found.quantity[k]}", f"{along(LABORATORY[k % 3])} · {words}", step=STEP,
                least=LEAST["none", found.quantity[k]],
            )  # fmt: skip
    balance = readings.found.trust.balance
    for quantity, unit, values in ((FORCE, "N", balance.force), (MOMENT, "N·m", balance.moment)):
        for k, axis in enumerate(LABORATORY):
            yield Curve(
                f"balance/{quantity} {axis[0]}", RESIDUAL, "measured − required", None, f"{quantity} {axis[0]}",
                f"balance of the whole body, {quantity} {axis[0]}", unit, column(time, values, k),
                f"Whole body, {quantity}", f"measured − required, {along(axis)}", step=STEP,
                least=LEAST["none", quantity],
            )  # fmt: skip


def contacts(analysis: Analysis) -> Iterator[Curve]:
    """Force between scapula and ribs, where all constraints were kept."""
    if not has_loads(analysis):
        return
    loads, time = analysis.loads.multibody, analysis.session.dynamic.time_s
    for k, name in enumerate(loads.contacts):
        side, stem = side_of_name(name)
        yield Curve(
            f"contact force/{name}/{PRESSED}", CONTACT, capital(stem), side, "pressed on the ribs",
            f"{name}, pressed on the ribs", "N", column(time, loads.contact_pressing, k), capital(stem),
            f"pressed on the ribs{NBSP}+ / pulled off{NBSP}−", step=STEP, least=LEAST["none", FORCE],
        )  # fmt: skip
        for i, axis in enumerate(LABORATORY):
            yield Curve(
                f"contact force/{name}/{axis[0]}", CONTACT, capital(stem), side, f"force {axis[0]}",
                f"{name}, force {axis[0]}", "N", column(time, loads.contact_force, k, i), capital(stem),
                f"force on the scapula, {along(axis)}", step=STEP, least=LEAST["none", FORCE],
            )  # fmt: skip


PROVIDERS = (joint_loads, parts, powers, stresses, residuals, contacts, devices)
