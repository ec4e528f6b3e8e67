"""A push-up of the virtual person as a movement to follow, with its ground reactions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from biomec.engine.forces.external_loads import ExternalLoads, external_loads
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import PrescribedLoads, ReferenceMotion, reference_motion
from biomec.virtual import PushUp, RecordOptions, VirtualAcquisition, record
from tests.core.body.loads.people import truth_of


@dataclass(frozen=True)
class Followed:
    acquisition: VirtualAcquisition
    space: JointSpace
    reference: ReferenceMotion
    external: ExternalLoads
    ground: PrescribedLoads


@cache
def followed(cycles: int = 1, cycle_s: float = 2.0) -> Followed:
    """A quick push-up, recorded without any disturbance."""
    movement = PushUp(cycles=cycles, cycle_s=cycle_s, lead_s=0.1)
    acquisition = record(movement, options=RecordOptions(rate_hz=100.0))
    truth, moving = acquisition.truth, truth_of(acquisition)
    space = JointSpace(acquisition.model.system, acquisition.model.model.roots)
    reference = reference_motion(space, truth.time_s, truth.q)
    return Followed(
        acquisition, space, reference, moving.external, PrescribedLoads(space, truth.time_s, moving.external)
    )


@cache
def standing(space: JointSpace, frames: int = 12) -> ReferenceMotion:
    """The reference pose, held; gliding contacts closed."""
    q = space.system.reference
    for _ in range(6):
        q = space.closed(q, np.zeros(space.size))[0]
    return reference_motion(space, 0.1 * np.arange(frames), np.tile(q, (frames, 1)))


def ground_of(space: JointSpace, reference: ReferenceMotion, segments: list[str]) -> ExternalLoads:
    """The weight of the body, borne in equal parts by segments, straight up below its centre of mass."""
    system = space.system
    q = reference.state(0.0)[0]
    mass = np.array([body.mass for body in system.bodies])
    places = np.array([system.layout.point(f"{body.name}.com")(q) for body in system.bodies])
    com = mass @ places / mass.sum()
    force = -mass.sum() * system.gravity / len(segments)
    shape = (12, len(segments), 3)
    return external_loads(segments, np.broadcast_to(com, shape), np.broadcast_to(force, shape))
