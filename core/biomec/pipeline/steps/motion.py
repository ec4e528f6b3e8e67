"""Velocities and accelerations that obey the model."""

from __future__ import annotations

from biomec.base.progress import Progress
from biomec.body.kinematics.consistency import consistent_rates
from biomec.body.kinematics.consistent_motion import ConsistentMotion, ConsistentPositions
from biomec.body.kinematics.held_devices import with_held_devices
from biomec.pipeline.steps.body import LoadedBody


def motion(body: LoadedBody, positions: ConsistentPositions, progress: Progress | None = None) -> ConsistentMotion:
    """Consistent coordinates, velocities and accelerations (T, n); devices without markers hang in their cuffs."""
    return with_held_devices(body.person, consistent_rates(body.person, positions, progress))
