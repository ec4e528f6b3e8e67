"""What the studies on symbolic equations have in common. Nothing here loads sympy."""

from __future__ import annotations

from biomec.engine.drivers import ADDED_COORDINATES
from biomec.engine.joint_kinds import PLANAR_JOINTS
from biomec.engine.joints import Distance
from biomec.machines.machine import DRIVERS, Machine
from biomec.machines.study import StudyCurve, curve

KNOWN = (*PLANAR_JOINTS, *DRIVERS, *ADDED_COORDINATES)


def refusal(machine: Machine) -> str | None:
    """Why there are no symbolic equations of a machine."""
    if not machine.is_planar:
        return "it moves in space; symbolic equations are made of machines in one plane."
    for one in machine.system.constraints:
        if not isinstance(one, KNOWN):
            return f"symbolic equations know no joint such as {one.name} ({type(one).__name__.lower()})."
        if isinstance(one, Distance) and one.length is None:
            return f"the joint {one.name} has no length in the file; symbolic equations need it as a number."
    return None


def state_curves(about: tuple[str, ...], values: object, group: str = "") -> list[StudyCurve]:
    """Curves of coordinates and rates (T, 2n), angles in degrees; without a group named as in other studies."""
    import numpy as np

    states, found = np.asarray(values, dtype=np.float64), []
    for k, words in enumerate(about):
        name, unit = words.removesuffix("]").split(" [")
        turns = unit == "rad"
        factor, shown = (180.0 / np.pi, "deg") if turns else (1.0, unit)
        groups = (group, f"Rates ({group.lower()})")
        if not group:
            groups = ("Angles", "Angular velocities") if turns else ("Ways", "Speeds")
            name = name.removeprefix("angle of ").removeprefix("way of ")
        found.append(curve(groups[0], name, shown, factor * states[:, k]))
        found.append(curve(groups[1], name, f"{shown}/s", factor * states[:, len(about) + k]))
    return found
