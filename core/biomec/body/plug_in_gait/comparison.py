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
from biomec.body.plug_in_gait.segments import Segments
from biomec.body.plug_in_gait.sides import SIDES
from biomec.engine.rotations import wrapped
from biomec.recording import Outputs

Curves: TypeAlias = Iterable[tuple[str, str, FloatArray]]
"""Name, kind and curve (T,): angles in radians, moments and powers per kilogram."""
ANGLE, MOMENT, POWER, FORCE = "angle", "moment", "power", "force"
UNITS = {ANGLE: "°", MOMENT: "N·m/kg", POWER: "W/kg", FORCE: "N/kg"}
STORED_PER_UNIT = {MOMENT: 1e3, POWER: 1.0, FORCE: 1.0}  # moments are stored in N·mm/kg
MOMENTS = {
    "ankle": ("plantarflexor", "evertor", "external rotator"),
    "knee": ("extensor", "valgus", "external rotator"),
    "hip": ("extensor", "abductor", "external rotator"),
}
"""Joint -> what a positive internal moment about Vicon's X, Y, Z does."""
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


def stored_curves(outputs: Outputs) -> Curves:
    """Name, kind and curve (T,) of everything that a file stores of Plug-in Gait, in radians and per kilogram."""
    known = {name: outputs.values[:, k] for k, name in enumerate(outputs.names)}
    for leg in SIDES:
        for row in ROWS:
            values = known.get(leg.vicon + row.output)
            for k, part in enumerate(row.components if values is not None else ()):
                yield f"{leg.name(row.joint)} {part.positive}", ANGLE, np.radians(values[:, k])  # type: ignore[index]
        for joint, words in MOMENTS.items():
            stem = leg.vicon + joint.capitalize()
            moment, power = known.get(f"{stem}Moment"), known.get(f"{stem}Power")
            for k, word in enumerate(words if moment is not None else ()):
                yield f"{leg.name(joint)} {word} moment", MOMENT, moment[:, k] / STORED_PER_UNIT[MOMENT]  # type: ignore[index]
            if power is not None:
                yield f"{leg.name(joint)} power", POWER, power[:, 2]


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
    return tuple(one for one in found if one is not None)


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
