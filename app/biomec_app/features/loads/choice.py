"""Which loads are plotted: by kind, joints, axes, unit, method and sign convention. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from biomec.body.loads.contributions import PARTS
from biomec.body.loads.load_components import FORCE, METHODS, MOMENT, MULTIBODY, NEWTON_EULER, LoadReading
from biomec.pipeline.analysis import Analysis
from biomec_app.features.loads.curves import EXTERNAL, INTERNAL, PRESSED, load_key, read_key
from biomec_app.features.loads.readings import Readings, stem

WHAT = {
    "moments": "Moments",
    "forces": "Forces",
    "moment parts": "Moments by origin",
    "force parts": "Forces by origin",
    "power": "Power",
    "stress": "Compression, shear",
    "residual": "Residual",
    "contact": "Scapula on ribs",
}
UNITS = {"none": "N, N·m", "mass": "per kg", "weight": "% body weight"}
SHOWN = {MULTIBODY: "Multibody", NEWTON_EULER: "Newton-Euler", "both": "Both methods"}
SIGNS = {INTERNAL: "internal", EXTERNAL: "external"}
BOTH = "both"
QUANTITIES = {"moments": MOMENT, "forces": FORCE, "moment parts": MOMENT, "force parts": FORCE}
BY_ORIGIN = ("moment parts", "force parts")
ARMS = ("elbow", "glenohumeral")
LEGS = ("hip", "knee", "ankle")


@dataclass(frozen=True)
class LoadChoice:
    """What to plot: fields are keys of the tables above; ``joint`` without its side, "" for the important ones."""

    what: str = "moments"
    joint: str = ""
    axes: str = "joint"
    unit: str = "none"
    method: str = MULTIBODY
    sign: str = INTERNAL

    def read_as(self, reading: LoadReading) -> LoadChoice:
        """The same loads, read as the settings choose."""
        return replace(
            self, axes=reading.axes, unit=reading.normalisation, method=reading.method, sign=reading.convention
        )


def joints_of(analysis: Analysis) -> tuple[str, ...]:
    """Joints without their sides, from the root outwards."""
    return tuple(dict.fromkeys(stem(joint) for joint in Readings(analysis).joints))


def important_joints(analysis: Analysis) -> tuple[str, ...]:
    """Joints that the movement is about: those of the arms or of the legs."""
    known = joints_of(analysis)
    by = analysis.cycles.by if "cycles" in analysis.done else ""
    limbs = (LEGS, ARMS) if by == "events" or by.startswith(("knee", "hip")) else (ARMS, LEGS)
    for limb in limbs:
        found = tuple(joint for joint in limb if joint in known)
        if found:
            return found
    return known[:3]


def chosen_keys(analysis: Analysis, choice: LoadChoice) -> tuple[str, ...]:
    """Keys of the curves of a choice; both sides of a component beside each other."""
    readings = Readings(analysis)
    wanted = (choice.joint,) if choice.joint else important_joints(analysis)
    joints = [joint for one in wanted for joint in readings.joints if stem(joint) == one]
    if choice.what == "residual":
        axes = "laboratory" if choice.axes == "laboratory" else "root"
        return tuple(f"residual load/{axes}/{name}" for name in readings.residual(axes).names)
    if choice.what == "contact":
        contacts = readings.found.multibody.contacts
        return tuple(f"contact force/{name}/{part}" for part in (PRESSED, *"XYZ") for name in contacts)
    if choice.what == "power":
        unit = "W" if choice.unit == "none" else "W/kg"
        return tuple(f"power/{unit}/{joint}" for joint in joints)
    if choice.what == "stress":
        stress = readings.stress
        keys = [f"stress/{kind}/{joint}" for one in wanted for kind in ("compression", "traction", "shear")
                for joint in joints if stem(joint) == one and joint in stress.joints]  # fmt: skip
        return (*keys, *(f"stress/off axis/{joint}" for joint in joints if joint in stress.hinges))
    words, quantity = readings.words(choice.axes), QUANTITIES[choice.what]
    parts = PARTS if choice.what in BY_ORIGIN else ("",)
    methods = (
        (readings.reading.method,)
        if choice.what in BY_ORIGIN
        else METHODS
        if choice.method == BOTH
        else (choice.method,)
    )
    keys = []
    for one in wanted:
        sides = [words.of(joint, quantity) for joint in joints if stem(joint) == one]
        keys += [
            load_key(names[k], choice.axes, choice.unit, method, choice.sign, part) for k in range(3)
            for part in parts for names in sides for method in methods
        ]  # fmt: skip
    return tuple(keys)


def read_choice(keys: tuple[str, ...], before: LoadChoice) -> LoadChoice:
    """The choice with axes, unit, method and sign of what is plotted already, if that is loads."""
    read = [found for key in keys if (found := read_key(key)) is not None]
    if not read:
        return before
    first, methods = read[0], {one.method for one in read}
    what = "forces" if f" {FORCE}" in first.name else "moments"
    if first.part:
        what, methods = what.removesuffix("s") + " parts", {before.method}
    method = BOTH if len(methods) > 1 else next(iter(methods))
    return LoadChoice(what, before.joint, first.axes, first.normalisation, method, first.convention)
