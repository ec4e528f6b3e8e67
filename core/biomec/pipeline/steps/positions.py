"""Measured positions made to obey the model."""

from __future__ import annotations

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.body.kinematics.consistency import consistent_positions
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.body.kinematics.consistent_motion import ConsistentPositions
from biomec.body.kinematics.contact_points import contact_points
from biomec.pipeline.steps.body import LoadedBody
from biomec.pipeline.steps.signals import CleanSignals


def positions(
    signals: CleanSignals, body: LoadedBody, options: ConsistencyOptions, progress: Progress | None = None
) -> ConsistentPositions:
    """Coordinates (T, n) that obey the model; hands and feet on a plate are held as the options choose."""
    trial, person = signals.trial, body.person
    if body.plane is not None and options.method == "markers":
        raise BiomecError(
            f"The model {person.model.name} lays the recording into the sagittal plane, where markers have no distance "
            "from it to be kept small. Choose nearest coordinates."
        )
    held = contact_points(body.contacts, trial.plates, trial.frames, trial.rate_hz, options)
    return consistent_positions(
        person,
        signals.markers,
        held,
        options,
        progress,
        points=body.points,
        origin=signals.reconstruction.origin,
        first_frame=trial.first_frame,
    )
