"""The person's model, and the motion of its landmarks as measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Grade, Notice, info, warning
from biomec.body.anatomy.availability import Recorded
from biomec.body.anatomy.landmarks import trajectories
from biomec.body.anatomy.model_file import load_model
from biomec.body.anatomy.subject_model import SubjectModel, build_subject_model
from biomec.body.kinematics.contact_points import ModelContacts, model_contacts
from biomec.body.loads.balance import WEIGHED, MassReference
from biomec.engine.structure import Structure, structure
from biomec.pipeline.settings import BodySettings
from biomec.pipeline.steps.preparation import Prepared
from biomec.pipeline.steps.signals import CleanSignals
from biomec.recording import Result, Subject
from biomec.recording.step import step_result


@dataclass(frozen=True, eq=False)
class LoadedBody:
    """A person's model and what it needs of the recording.

    person    : the model fitted to the person who was recorded
    points    : landmarks and computed points (T, 3) [m]
    contacts  : which of its segments stands on which plate, with the forces frame by frame; None without plates
    structure : coordinates, rows, rank and degrees of freedom of the system
    """

    person: SubjectModel
    points: Mapping[str, FloatArray]
    contacts: ModelContacts | None
    structure: Structure
    subject: Subject
    options: BodySettings
    notices: tuple[Notice, ...]

    def to_result(self) -> Result:
        """Return what a session stores: the model, lengths and masses of the person, and where they come from."""
        person = self.person
        segments = [
            {"name": part.name, "mass_kg": part.mass, "com_m": part.centre_of_mass, "inertia_kgm2": part.inertia}
            for part in person.system.bodies
        ]
        return step_result(
            {"static": np.array(list(person.static.values()))},
            self.options,
            self.notices,
            model=person.model.name,
            landmarks=list(person.static),
            segments=segments,
            left_out=person.left_out,
            methods=person.plan.methods,
            measures=person.measures,
            ellipsoids=person.surfaces,
            coordinates=self.structure.coordinates,
            constraints=self.structure.rows,
            redundant=self.structure.redundant,
            dof=self.structure.degrees_of_freedom,
        )


def recorded_for_models(prepared: Prepared, clean: CleanSignals, subject: Subject) -> Recorded:
    """Return what a recording offers to any model: markers of its static pose, and those that its motion shows."""
    static = {marker: clean.static[marker] for marker in clean.static.names if np.isfinite(clean.static[marker]).all()}
    seen = tuple(marker for marker, path in trajectories(clean.markers).items() if np.isfinite(path).any())
    return Recorded(static, prepared.marker_set, subject, seen)


def _weighed(subject: Subject, clean: CleanSignals) -> tuple[Subject, list[Notice]]:
    """The subject with the mass that the plates weigh: standing in the static, or else in the movement."""
    for mass, where in ((clean.static_mass, "static"), (clean.mass, "movement")):
        unchecked = mass is None or any(notice.code == "mass-unchecked" for notice in mass.notices)
        if mass is not None and mass.mass_kg is not None and not unchecked:
            words = f"The mass, {mass.mass_kg:.1f} kg, was weighed on the force plates in the {where}."
            return replace(subject, mass_kg=mass.mass_kg), [info("mass-weighed", words)]
    return subject, []


def _compared(entered: float, weighed: float) -> list[Notice]:
    """Warn if the entered mass is not the one that the plates weigh."""
    if abs(weighed / entered - 1.0) > WEIGHED:
        words = f"The plates weigh {weighed:.1f} kg of somebody who stands still, and {entered:.1f} kg were entered: "
        words += "either not all of the body was on the plates, or the mass or their calibration is wrong. Check them."
        return [warning("mass-differs", words)]
    masses = MassReference(entered, weighed, None, weighed, "static")
    if masses.grade is Grade.GOOD:
        return []
    return [warning("mass-differs", f"{masses.sentence} Correct the mass of the subject, or check the calibration.")]


def body(
    prepared: Prepared, clean: CleanSignals, subject: Subject, settings: BodySettings = BodySettings()
) -> LoadedBody:
    """Build the person's model, and compute its landmarks in every frame."""
    name = settings.model or prepared.marker_set.model
    if not name:
        raise BiomecError(
            f"Which model suits the marker set {prepared.marker_set.name} is not known. Choose one.",
            ("model", ""),
        )
    model = load_model(name)
    notices: list[Notice] = []
    if subject.mass_kg is None:
        subject, notices = _weighed(subject, clean)
    elif clean.weighed is not None and clean.weighed.mass_kg is not None:
        notices += _compared(subject.mass_kg, clean.weighed.mass_kg)
    recorded = recorded_for_models(prepared, clean, subject)
    person = build_subject_model(
        model, recorded.static, prepared.marker_set, subject, settings.options, seen=recorded.seen
    )
    return LoadedBody(
        person,
        person.points_in_motion(trajectories(clean.markers)),
        model_contacts(clean.contacts, clean.trial.plates, [segment.name for segment in person.segments]),
        structure(person.system),
        subject,
        settings,
        (*notices, *person.notices),
    )
