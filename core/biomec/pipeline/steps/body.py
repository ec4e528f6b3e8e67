"""The person's model, and the motion of its landmarks as measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Grade, Notice, Scope, info, warning
from biomec.body.anatomy.availability import Recorded
from biomec.body.anatomy.inertia_table import UPPER_BODY
from biomec.body.anatomy.landmarks import recorded_landmarks, trajectories
from biomec.body.anatomy.model_file import load_model
from biomec.body.anatomy.sagittal import SagittalPlane
from biomec.body.anatomy.subject_model import SubjectModel, build_subject_model
from biomec.body.kinematics.contact_points import ModelContacts, model_contacts
from biomec.body.loads.balance import WEIGHED, MassReference
from biomec.body.plug_in_gait.angles import angles
from biomec.body.plug_in_gait.comparison import ANGLE, compared, curves, stored_curves
from biomec.body.plug_in_gait.parameters import Calibration, PlugInGaitOptions, calibrate
from biomec.body.plug_in_gait.segments import OFFSETS, has_legs, segments
from biomec.engine.structure import Structure, structure
from biomec.pipeline.settings import BodySettings
from biomec.pipeline.steps.preparation import Prepared
from biomec.pipeline.steps.signals import CleanSignals
from biomec.recording import Result, Subject
from biomec.recording.step import step_result
from biomec.signals.contact_table import contact_table, with_forces

COMPARED_JOINTS = ("hip", "knee", "ankle")
DERIVED_DIAMETER = "c3d-marker-diameter"  # the notice that the diameter of the markers follows from stored centres
WHOLE_MODELS = (
    "m21",
    "m17",
    "plug-in-gait",
    "legs-trunk",
)  # in this order; the last has no arms and no head of its own
DIFFERS_DEG = 5.0  # one model gives the same to 1e-4°; a static of another day has cost up to 2°


@dataclass(frozen=True, eq=False)
class LoadedBody:
    """A person's model and what it needs of the recording.

    person    : the model fitted to the person who was recorded
    points    : landmarks and computed points (T, 3) [m]
    contacts  : which of its segments stands on which plate, with the forces frame by frame; None without plates
    plane     : sagittal plane of a planar model, into which points and forces are laid; None in space
    contacts_in_space : contacts as recorded
    structure : coordinates, rows, rank and degrees of freedom of the system
    """

    person: SubjectModel
    points: Mapping[str, FloatArray]
    contacts: ModelContacts | None
    structure: Structure
    subject: Subject
    options: BodySettings
    notices: tuple[Notice, ...]
    plane: SagittalPlane | None = None
    contacts_in_space: ModelContacts | None = None

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
    alone = prepared.dynamic.source.name if prepared.static_is_dynamic else ""
    return Recorded(static, prepared.marker_set, subject, seen, alone)


def whole_body_advice(prepared: Prepared, clean: CleanSignals, loaded: LoadedBody) -> tuple[str, str]:
    """What to do if a model of the whole body is needed, and the one that the recording offers, or an empty text."""
    recorded = recorded_for_models(prepared, clean, loaded.subject)
    for model in map(load_model, WHOLE_MODELS):
        if model.name != loaded.person.model.name and recorded.segments_kept(model) == len(model.segments):
            lumped = any(one.inertia and one.inertia[0] == UPPER_BODY for one in model.segments)
            words = ", whose trunk carries the mass of head and arms" if lumped else ""
            return f"Choose the model {model.name}{words}.", model.name
    return (
        "The recording shows too little of the body above the pelvis for a model of the whole body, so nobody knows "
        "how it moved; markers on both acromions are the least.",
        "",
    )


def plug_in_gait_calibration(
    prepared: Prepared, subject: Subject, options: PlugInGaitOptions
) -> tuple[Calibration | None, tuple[Notice, ...]]:
    """Measures of a person who wears Plug-in Gait, completed by the static; None for others, or without measures."""
    static = recorded_landmarks(trajectories(prepared.static.markers), prepared.marker_set)
    if not has_legs(static):
        return None, ()
    derived = [
        name
        for trial in (prepared.dynamic, prepared.static)
        for notice in trial.notices
        if notice.code == DERIVED_DIAMETER
        for name in notice.about
        if trial.subject.measures.get(name) == subject.measures.get(name)
    ]
    try:
        found = calibrate(subject.measures, None if prepared.static_is_dynamic else static, options, derived)
    except BiomecError as error:
        return None, (info("plug-in-gait-not-computed", str(error)),) if options.compute else ()
    return found, found.notices


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
        return [warning("mass-differs", words, scope=Scope.JOINTS)]
    masses = MassReference(entered, weighed, None, weighed, "static")
    if masses.grade is Grade.GOOD:
        return []
    words = f"{masses.sentence} Correct the mass of the subject, or check the calibration."
    return [warning("mass-differs", words, scope=Scope.JOINTS)]


def _against_stored(prepared: Prepared, clean: CleanSignals, calibration: Calibration) -> list[Notice]:
    """Warn if the joint angles that the file stores are not those that its markers and measures give."""
    outputs = prepared.dynamic.outputs
    if outputs is None or outputs.frames != clean.markers.frames:
        return []
    points = recorded_landmarks(trajectories(clean.reconstruction.markers), prepared.marker_set)
    found = curves(angles(segments(points, calibration.measures)), None)
    apart = [one for one in compared(found, stored_curves(outputs)) if one.name.split()[1] in COMPARED_JOINTS]
    worst = max(apart, key=lambda one: one.rms, default=None)
    if worst is None or worst.kind != ANGLE or worst.rms < DIFFERS_DEG:
        return []
    words = (
        f"Plug-in Gait of these markers and measures is {worst.rms:.0f}° (RMS, {worst.name}) off the angles stored in "
        f"{prepared.dynamic.source.name}. Rotations, torsion or foot offsets of the subject are probably wrong or in "
        "another unit, or they are of another static. Check the measures of the subject."
    )
    return [warning("stored-angles-differ", words)]


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
    leaning = any(device.tip for device in model.devices)
    if subject.mass_kg is None and leaning:
        raise BiomecError(
            "Enter the mass of the subject, without crutches: crutches bear a part of the weight, so the force plates "
            "cannot weigh it.",
            ("subject", "mass"),
        )
    if subject.mass_kg is None:
        subject, notices = _weighed(subject, clean)
        if notices and model.devices:
            carried = " and the ".join(device.name for device in model.devices)
            raise BiomecError(
                f"Enter the mass of the subject alone: the force plates weigh the {carried} too.", ("subject", "mass")
            )
    elif not model.devices and clean.weighed is not None and clean.weighed.mass_kg is not None:
        notices += _compared(subject.mass_kg, clean.weighed.mass_kg)
    calibration, more = plug_in_gait_calibration(prepared, subject, settings.plug_in_gait)
    notices += more
    if calibration is not None:
        feet = {key: value for key, value in calibration.measures.items() if key[:-2] in OFFSETS}
        subject = replace(subject, measures={**subject.measures, **feet})
        notices += _against_stored(prepared, clean, calibration)
    recorded = recorded_for_models(prepared, clean, subject)
    person = build_subject_model(
        model, recorded.static, prepared.marker_set, subject, settings.options, seen=recorded.seen, alone=recorded.alone
    )
    paths = trajectories(clean.markers)
    contacts = model_contacts(clean.contacts, clean.trial.plates, [segment.name for segment in person.segments])
    plane = person.plane_of(paths)
    return LoadedBody(
        person,
        person.points_in_motion(paths),
        contacts if plane is None else in_plane(contacts, plane),
        structure(person.system),
        subject,
        settings,
        (*notices, *person.notices, *([] if plane is None else [_in_plane_notice()])),
        plane,
        contacts,
    )


def in_plane(contacts: ModelContacts | None, plane: SagittalPlane) -> ModelContacts | None:
    """Contacts with what the plates do in a sagittal plane."""
    if contacts is None:
        return None
    plates = [plane.plate(plate) for plate in contacts.assignment.detected.plates]
    assignment = with_forces(contacts.assignment, plates)
    return replace(contacts, assignment=assignment, table=contact_table(assignment, contacts.table.segments))


def _in_plane_notice() -> Notice:
    words = (
        "The recording was laid into the sagittal plane: joints turn in it alone, and forces across it do not count."
    )
    return info("sagittal-plane", words)
