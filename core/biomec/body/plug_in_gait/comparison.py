"""How far two computations are apart: Plug-in Gait as computed here, as a file stores it, and our own model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.kinematics.joint_angles import JointAngles
from biomec.body.plug_in_gait.angles import ROWS
from biomec.body.plug_in_gait.kinetics import PARTS, LegLoads, as_stored
from biomec.body.plug_in_gait.legs import SIDES
from biomec.body.plug_in_gait.segments import Segments
from biomec.engine.rotations import wrapped
from biomec.recording import Outputs

Curves: TypeAlias = Iterable[tuple[str, str, FloatArray]]
"""Name, kind and curve (T,): angles in radians, moments and powers per kilogram."""
ANGLE, MOMENT, POWER, FORCE = "angle", "moment", "power", "force"
UNITS = {ANGLE: "°", MOMENT: "N·m/kg", POWER: "W/kg", FORCE: "N/kg"}
PER_KG_AT_MOST = 10.0  # N·m/kg; jumps reach 6, and the legs of a child of 15 kg who walks exceed 15 N·m together
MOMENTS = {
    "ankle": ("plantarflexor", "evertor", "external rotator"),
    "knee": ("extensor", "valgus", "external rotator"),
    "hip": ("extensor", "abductor", "external rotator"),
}
"""Joint -> what a positive internal moment about Vicon's X, Y, Z does."""
LEG_MOMENTS = tuple(f"{joint.capitalize()}Moment" for joint in MOMENTS)
OWN_JOINTS = {"pelvis": "pelvis in the laboratory", "thorax": "thorax in the laboratory",
              "foot progression": "* foot in the laboratory", "spine": "lumbar"}  # fmt: skip
OWN_WORDS = {"up": "right side up", "internal rotation": "left rotation"}


@dataclass(frozen=True)
class Difference:
    """Other less Vicon's way, over the frames that both have: [°, N·m/kg, W/kg or N/kg].

    rms, largest : of the difference as it is;  offset : its mean;  rest : RMS of what is left without the offset
    """

    name: str
    kind: str
    rms: float
    offset: float
    rest: float
    largest: float
    frames: int

    @property
    def unit(self) -> str:
        """Unit of all its numbers."""
        return UNITS[self.kind]


def difference(name: str, kind: str, other: FloatArray, vicon: FloatArray) -> Difference | None:
    """Difference of two curves (T,), angles in radians; None if they share no frame."""
    apart = np.degrees(wrapped(other - vicon)) if kind == ANGLE else other - vicon
    apart = apart[np.isfinite(apart)]
    if not apart.size:
        return None
    offset = float(apart.mean())
    return Difference(
        name,
        kind,
        float(np.sqrt(np.mean(apart**2))),
        offset,
        float(apart.std()),
        float(np.abs(apart).max()),
        apart.size,
    )


def stored_curves(outputs: Outputs, mass_kg: float | None = None) -> Curves:
    """Name, kind and curve (T,) of everything that a file stores of Plug-in Gait, in radians and per kilogram.

    Vicon's programs label moments Nmm and powers W although both are per kilogram. Moments that no person has per
    kilogram are not: they are divided by the mass, and left out with the powers where the mass is not known.
    """

    def parts(name: str, words: Iterable[str]) -> Curves:
        if name in outputs.names:
            at = outputs.names.index(name)
            for k, word in enumerate(words):
                yield word, outputs.units[at], outputs.values[:, at, k]

    for leg in SIDES:
        for row in ROWS:
            for word, unit, values in parts(leg.vicon + row.output, [part.positive for part in row.components]):
                radians = values if unit.startswith("rad") else np.radians(values)
                yield f"{leg.name(row.joint)} {word}", ANGLE, radians
    per_kg = stored_per_kg(outputs, mass_kg)
    if per_kg is None:
        return
    for leg in SIDES:
        for joint, words in MOMENTS.items():
            stem = leg.vicon + joint.capitalize()
            for word, unit, values in parts(f"{stem}Moment", words):
                yield f"{leg.name(joint)} {word} moment", MOMENT, per_kg * _newton_metres(unit) * values
            for word, _, values in parts(f"{stem}Power", ("X", "Y", "power")):
                if word == "power":
                    yield f"{leg.name(joint)} power", POWER, per_kg * values


def stored_per_kg(outputs: Outputs, mass_kg: float | None = None) -> float | None:
    """By what stored moments, forces and powers are multiplied to be per kilogram: 1 if they are so already.

    None where they are not, and the mass [kg] is not known.
    """
    moments = [
        _newton_metres(unit) * outputs.values[:, k]
        for k, (kind, unit) in enumerate(zip(outputs.kinds, outputs.units, strict=True))
        if kind == MOMENT and outputs.names[k][1:] in LEG_MOMENTS
    ]
    sizes = np.abs(np.concatenate([one[np.isfinite(one)] for one in moments])) if moments else np.zeros(0)
    if not sizes.size or np.percentile(sizes, 99.0) <= PER_KG_AT_MOST:  # a few wild samples decide nothing
        return 1.0
    return 1.0 / mass_kg if mass_kg else None


def _newton_metres(unit: str) -> float:
    return 1e-3 if "mm" in unit.lower() else 1.0


def curves(angles: JointAngles, loads: LegLoads | None) -> Curves:
    """The same curves of our computation."""
    for k, name in enumerate(angles.names):
        yield name, ANGLE, angles.values[:, k]
    if loads is not None:
        yield from load_curves(loads.joints, loads.moment, loads.power)


def load_curves(joints: tuple[str, ...], moment: FloatArray, power: FloatArray) -> Curves:
    """Moments about Vicon's axes and powers (T,) of joints, by name."""
    for j, joint in enumerate(joints):
        for k, word in enumerate(MOMENTS[joint.split()[-1]]):
            yield f"{joint} {word} moment", MOMENT, moment[:, j, k]
        yield f"{joint} power", POWER, power[:, j]


def compared(other: Curves, vicon: Curves) -> tuple[Difference, ...]:
    """Differences of all curves that both have, in the order of the second."""
    known = {name: values for name, _, values in other}
    found = [difference(name, kind, known[name], values) for name, kind, values in vicon if name in known]
    return tuple(apart for apart in found if apart is not None)


# ------------------------------------------------------------------------------------------------------ our own model
def own_angles(own: JointAngles) -> Curves:
    """Angles of our own model under the names of Plug-in Gait, reversed where these count the other way."""
    by_joint: dict[str, dict[str, tuple[float, FloatArray]]] = {}
    for k, joint in enumerate(own.joint):
        known = by_joint.setdefault(joint, {})
        known[own.positive[k]] = 1.0, own.values[:, k]
        known.setdefault(own.negative[k], (-1.0, own.values[:, k]))
    for leg in SIDES:
        for row in ROWS:
            joint = OWN_JOINTS.get(row.joint, leg.name(row.joint)).replace("*", leg.word)
            midline = row.joint in ("pelvis", "thorax")
            for part in row.components:
                word = OWN_WORDS.get(part.positive, part.positive) if midline else part.positive
                sign = leg.sign if midline and part.sided else 1.0
                if word in by_joint.get(joint, {}):
                    own_sign, values = by_joint[joint][word]
                    yield f"{leg.name(row.joint)} {part.positive}", ANGLE, sign * own_sign * values


def own_loads(
    found: Segments, joints: Mapping[str, FloatArray], power: Mapping[str, FloatArray], mass_kg: float
) -> Curves:
    """Moments of our own model about the axes of Plug-in Gait's distal segments, and its powers, per kilogram.

    joints : ``right knee`` -> moment of the proximal on the distal segment (T, 3) [N·m], laboratory axes
    power  : ``right knee`` -> (T,) [W]
    """
    for leg in SIDES:
        for part in PARTS:
            joint, R = leg.name(part.joint), found.attitudes.get(leg.name(part.segment))
            if joint in joints and R is not None:
                local = np.einsum("tji,tj->ti", R, joints[joint]) / mass_kg
                _, moment = as_stored(part.joint, leg, local, local)
                for k, word in enumerate(MOMENTS[part.joint]):
                    yield f"{joint} {word} moment", MOMENT, moment[:, k]
            if joint in power:
                yield f"{joint} power", POWER, power[joint] / mass_kg
