"""Virtual movements with the loads that belong to them, for tests of trust."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Grade
from biomec.body.kinematics.segment_motion import SegmentMotion, segment_motion
from biomec.body.loads.balance import MassReference
from biomec.body.loads.contact_figures import ContactFigures
from biomec.body.loads.contact_verdict import ContactVerdict
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.newton_euler import newton_euler
from biomec.engine.forces.external_loads import ExternalLoads, external_loads
from biomec.engine.system import System
from biomec.engine.tree.joint_tree import JointTree, joint_tree
from biomec.virtual import Movement, PushUp, RecordOptions, Squat, VirtualAcquisition, Walk, record

MOVEMENTS: dict[str, Movement] = {"push-up": PushUp(cycles=1), "squat": Squat(cycles=1), "walk": Walk()}
RATE_HZ = 100.0


@dataclass(frozen=True)
class Performed:
    """What really happened, frames first."""

    acquisition: VirtualAcquisition
    tree: JointTree
    motion: SegmentMotion
    external: ExternalLoads

    @property
    def system(self) -> System:
        """The person's."""
        return self.tree.system

    @property
    def q(self) -> FloatArray:
        """(T, n) coordinates."""
        return self.acquisition.truth.q

    @property
    def qdot(self) -> FloatArray:
        """(T, n) velocities."""
        return self.acquisition.truth.qdot

    @property
    def qddot(self) -> FloatArray:
        """(T, n) accelerations."""
        return self.acquisition.truth.qddot

    def loads(self, external: ExternalLoads | None = None) -> JointLoads:
        """By Newton-Euler, with the true ground reactions or others."""
        return newton_euler(self.tree, self.motion, self.q, self.external if external is None else external)


@cache
def performed(name: str) -> Performed:
    """A movement without any disturbance."""
    acquisition = record(MOVEMENTS[name], options=RecordOptions(rate_hz=RATE_HZ))
    truth = acquisition.truth
    system = acquisition.model.system
    reactions = list(truth.reactions.values())
    point, force, moment = (np.stack([getattr(r, a) for r in reactions], axis=1) for a in ("point", "force", "moment"))
    return Performed(
        acquisition,
        joint_tree(system, acquisition.model.model.roots),
        segment_motion(system, truth.q, truth.qdot, truth.qddot),
        external_loads([r.segment for r in reactions], point, force, moment),
    )


def on_segment(external: ExternalLoads, segment: str) -> tuple[FloatArray, FloatArray]:
    """Force (T, 3) and moment about the laboratory's origin (T, 3) of all loads on a segment."""
    mine = [k for k, name in enumerate(external.segments) if name == segment]
    force = external.force[:, mine]
    moment = external.moment[:, mine] + np.cross(external.point[:, mine], force)
    return force.sum(axis=1), moment.sum(axis=1)


WEIGHED = MassReference(75.0, 75.0, 75.0, 75.0, "static")


def contact(segment: str | None, grade: Grade = Grade.GOOD, fault: str = "", **given: object) -> ContactVerdict:
    """A contact with a plate that was judged, from 1.2 to 1.4 s unless given otherwise."""
    one = ContactVerdict(
        segment, (), "Plate1", 1, 1.2, 1.4, (120, 140), False, grade, fault, f"{segment}: {grade}.",
        ContactFigures("single support", 0.3, 0.0), np.zeros(0, dtype=np.bool_),
    )  # fmt: skip
    return replace(one, **given)  # type: ignore[arg-type]
