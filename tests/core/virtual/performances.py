"""Movements performed once for all tests of a run."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.loads.ground_reaction import GroundReaction, shared_reactions
from biomec.virtual import (
    ArmElevation,
    AssistedWalk,
    Movement,
    PushUp,
    Squat,
    VirtualPerson,
    Walk,
    model_of,
)
from biomec.virtual.jets import Jet
from biomec.virtual.loads import required_wrench
from biomec.virtual.movement import Performance
from biomec.virtual.skeleton import Skeleton

MOVEMENTS: dict[str, Movement] = {
    "push-up, closed grip": PushUp("closed", cycles=1),
    "push-up, open grip": PushUp("open", cycles=1),
    "squat": Squat(cycles=1),
    "arm abduction": ArmElevation("abduction", cycles=1),
    "arm flexion": ArmElevation("flexion", cycles=1),
    "walk": Walk(strides=2),
    "walk with crutches": AssistedWalk(strides=1),
    "walk with free orthoses": AssistedWalk(strides=1, orthoses="two free"),
}
MAN, WOMAN = VirtualPerson(75.0, 1.77, "male"), VirtualPerson(58.0, 1.63, "female")


@dataclass(frozen=True, eq=False)
class Performed:
    """A movement with its coordinates and reactions."""

    model: SubjectModel
    skeleton: Skeleton
    performance: Performance
    q: Jet
    reactions: dict[str, GroundReaction]


@cache
def model(person: VirtualPerson, name: str = "m21", marker_set: str = "biomec-full") -> SubjectModel:
    return model_of(person, name, marker_set)


@cache
def performed(name: str, person: VirtualPerson = MAN, rate_hz: float = 50.0) -> Performed:
    movement = MOVEMENTS[name]
    subject = model(person, movement.model, movement.marker_set)
    skeleton = Skeleton(subject.system)
    time_s = np.arange(round(movement.duration_s * rate_hz)) / rate_hz
    performance = movement.perform(skeleton, time_s)
    wrench = required_wrench(subject.system, performance.placed)
    return Performed(
        subject,
        skeleton,
        performance,
        skeleton.coordinates(performance.placed),
        shared_reactions(*wrench, performance.contacts),
    )
