"""What would change: another mass, a load in the hand, other gravity, another grip, weaker muscles.

The movement stays the recorded one; what is asked is which efforts it would take, or how far the body gets with those
it has. Recorded ground reactions belong to the body as it was: with another mass or gravity, let the ground hold the
root, so that they change by what is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.fields import CM, PERCENT, setting
from biomec.base.frozen import FrozenDict
from biomec.engine.body import Body
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.system import System

ARM_SPAN_M = 2.0  # of a tall person
LOADED_N = 1.0  # a hand that presses less does not touch


@dataclass(frozen=True)
class WhatIf:
    """Changes of a simulation; without any, everything is as recorded.

    mass     : factor of all masses and moments of inertia
    masses   : segment -> factor of its own, beside ``mass``
    carried  : segment -> mass of a load that is fixed to it, small and heavy, at its centre of mass [kg]
    gravity  : factor of gravity
    grip_m   : how much farther apart the hands touch the ground [m]; negative: closer
    weakened : joint -> share of its torque that is missing, 0 to 1
    springs  : spring or cuff of a device -> factor of its stiffness and damping; 0 takes it away
    """

    mass: float = setting(
        1.0, "Body mass", "Mass of the whole body.", unit="%", factor=PERCENT, least=10.0, most=1000.0
    )
    masses: Mapping[str, float] = setting(
        factory=dict, label="Mass", help="Mass of a segment, and which.",
        unit="%", factor=PERCENT, least=10.0, most=1000.0)  # fmt: skip
    carried: Mapping[str, float] = setting(
        factory=dict, label="Load", help="Mass of a load that is fixed to a segment, and which.",
        unit="kg", least=0.0, most=500.0)  # fmt: skip
    gravity: float = setting(
        1.0, "Gravity", "Gravity; the Moon has 17 %.", unit="%", factor=PERCENT, least=-100.0, most=1000.0
    )
    grip_m: float = setting(
        0.0, "Grip wider by", "How much wider the hands touch the ground; negative: narrower.",
        unit="cm", factor=CM, least=-100.0, most=150.0)  # fmt: skip
    weakened: Mapping[str, float] = setting(
        factory=dict, label="Weaker by", help="Part of a joint's torque that is missing, and which joint.",
        unit="%", factor=PERCENT, least=0.0, most=100.0)  # fmt: skip

    springs: Mapping[str, float] = setting(
        factory=dict, label="Device", help="Stiffness and damping of a spring or cuff, and which; 0 for none.",
        unit="%", factor=PERCENT, least=0.0, most=1000.0)  # fmt: skip

    def __post_init__(self) -> None:
        if not all(0.0 < one < np.inf for one in (self.mass, *self.masses.values())):
            raise BiomecError("What if: factors of masses must be positive.")
        if not all(0.0 <= one < np.inf for one in self.carried.values()):
            raise BiomecError("What if: a carried load cannot have a negative mass.")
        if not (np.isfinite(self.gravity) and np.isfinite(self.grip_m)):
            raise BiomecError("What if: gravity and grip must be numbers.")
        if abs(self.grip_m) > ARM_SPAN_M:
            raise BiomecError(
                f"What if: nobody's hands reach {ARM_SPAN_M:g} m apart, so that the grip cannot change by "
                f"{self.grip_m:g} m."
            )
        if not all(0.0 <= one <= 1.0 for one in self.weakened.values()):
            raise BiomecError("What if: the missing share of a torque is 0 to 1.")
        if not all(0.0 <= one < np.inf for one in self.springs.values()):
            raise BiomecError("What if: the stiffness of a spring can be multiplied by 0 or more.")
        for name in ("masses", "carried", "weakened", "springs"):
            object.__setattr__(self, name, FrozenDict(dict(getattr(self, name))))

    @property
    def changes_reactions(self) -> bool:
        """Whether the recorded ground reactions no longer fit the body."""
        return self.gravity != 1.0 or self.mass != 1.0 or bool(self.masses or self.carried)


def changed_system(system: System, what_if: WhatIf) -> System:
    """The system with other masses, carried loads and other gravity; its geometry stays."""
    if not what_if.changes_reactions:
        return system
    _known([body.name for body in system.bodies], [*what_if.masses, *what_if.carried], "segment")
    bodies = [
        _heavier(body, what_if.mass * what_if.masses.get(body.name, 1.0), what_if.carried.get(body.name, 0.0))
        for body in system.bodies
    ]
    layout = system.layout
    return System(
        bodies,
        system.constraints,
        name=system.name,
        ground={name: point for name, point in layout.ground.items() if name != "origin"},
        directions={name: one for name, one in layout.directions.items() if name not in ("x", "y", "z")},
        gravity=what_if.gravity * system.gravity,
    )


def changed_loads(external: ExternalLoads, what_if: WhatIf, shoulders: FloatArray) -> ExternalLoads:
    """Ground reactions with the hands' points moved apart: along the line from the left hand to the right one.

    shoulders : (3,) from the left shoulder to the right one, along the ground (`shoulder_line`): the line where only
                one hand presses
    """
    if what_if.grip_m == 0.0:
        return external
    hands = np.array([_side(name) if name.endswith("hand") else 0.0 for name in external.segments])
    if not hands.any():
        raise BiomecError(
            f"What if: no hand touches the ground, so the grip cannot change; loads act on "
            f"{', '.join(external.segments) or 'nothing'}."
        )
    between = _between(external, hands)
    apart = float(np.linalg.norm(between))
    if apart > 0.0:
        _refuse_reach(apart, what_if.grip_m)
    right = between if apart > 0.0 else np.asarray(shoulders, dtype=np.float64)
    length = float(np.linalg.norm(right))
    if not length > 0.0:
        raise BiomecError(
            "What if: only one hand presses, and the body has no two shoulders that would tell which way is aside. "
            "Leave the grip as it is."
        )
    return external.moved(0.5 * what_if.grip_m * hands[:, None] * right / length)


def shoulder_line(system: System, q: FloatArray) -> FloatArray:
    """(3,) from the left shoulder to the right one along the ground, as it mostly is in frames (T, n) [m].

    Zero in a model that lacks one of them; frames that are not known do not count.
    """
    centres = {joint.distal.partition(".")[0]: joint.distal for joint in system.constraints if hasattr(joint, "distal")}
    if not {"right humerus", "left humerus"} <= set(centres):
        return np.zeros(3)
    known = q[np.isfinite(q).all(axis=1)]
    right, left = (system.layout.point(centres[f"{side} humerus"])(known) for side in ("right", "left"))
    return _along_the_ground(np.median(right - left, axis=0))


def _between(external: ExternalLoads, hands: FloatArray) -> FloatArray:
    """(3,) from where the left hand presses to where the right one does, along the ground [m]; 0 if one never does."""
    pressed = np.linalg.norm(external.force, axis=2) > LOADED_N
    right, left = (external.point[pressed & (hands == side)] for side in (1.0, -1.0))
    if not (len(right) and len(left)):
        return np.zeros(3)
    return _along_the_ground(np.median(right, axis=0) - np.median(left, axis=0))


def _along_the_ground(vector: FloatArray) -> FloatArray:
    return np.asarray(vector * [1.0, 0.0, 1.0])


def _refuse_reach(apart: float, grip_m: float) -> None:
    """Hands cannot cross, nor reach farther than arms do."""
    if not 0.0 <= apart + grip_m <= ARM_SPAN_M:
        why = "they would cross" if apart + grip_m < 0.0 else f"arms that span {ARM_SPAN_M:g} m are too short"
        raise BiomecError(f"What if: the hands press {apart:.2f} m apart, and cannot change by {grip_m:g} m: {why}.")


def strengths(space: JointSpace, what_if: WhatIf) -> FloatArray:
    """What of every effort (g,) is left."""
    _known(list(space.joints), list(what_if.weakened), "joint")
    left = np.ones(space.size)
    for joint, missing in what_if.weakened.items():
        left[space.freedoms[joint]] = 1.0 - missing
    return read_only(left)


def _heavier(body: Body, factor: float, carried_kg: float) -> Body:
    """A body with its mass and inertia scaled, and a small load fixed to its centre of mass."""
    if factor == 1.0 and carried_kg == 0.0:
        return body
    return replace(body, mass=factor * body.mass + carried_kg, inertia=factor * body.inertia_matrix)


def _side(name: str) -> float:
    return 1.0 if name.startswith("right") else -1.0 if name.startswith("left") else 0.0


def _known(there: list[str], asked: list[str], what: str) -> None:
    unknown = sorted(set(asked) - set(there))
    if unknown:
        raise BiomecError(f"What if: there is no {what} {', '.join(unknown)}; there are {', '.join(there)}.")
