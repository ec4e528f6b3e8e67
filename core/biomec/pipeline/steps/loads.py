"""What the joints carry, by two independent methods, and how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, info, warning
from biomec.base.progress import Progress
from biomec.body.anatomy.centres import CENTRE_METHODS
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.consistency import consistent_positions, consistent_rates
from biomec.body.kinematics.consistent_motion import ConsistentMotion
from biomec.body.kinematics.contact_points import ModelContacts
from biomec.body.kinematics.segment_motion import SegmentMotion, segment_motion
from biomec.body.loads.balance import BodyWrench, body_wrench
from biomec.body.loads.contact_verdict import JudgedContacts, judge_contacts, with_joints
from biomec.body.loads.device_loads import DeviceLoads, cuff_loads, gap_notices, stiff_notices, torque_shares
from biomec.body.loads.floor_contacts import FloorContacts, floor_contacts
from biomec.body.loads.ground_reaction import estimated_reaction
from biomec.body.loads.joint_loads import JointLoads, largest_difference
from biomec.body.loads.joint_verdict import JointErrors, MeasuredMarkers
from biomec.body.loads.load_components import MULTIBODY
from biomec.body.loads.load_trust import LoadTrust, load_trust, with_motion_faults
from biomec.body.loads.measured_aids import MeasuredAids, measured_aids, together
from biomec.body.loads.multibody_inverse import multibody_loads
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.loads.options import MATCHED, OWN, PLATE_FORCES, LoadOptions
from biomec.body.loads.power import LoadPower, load_power
from biomec.body.loads.residual_reduction import ReducedResiduals, reduce_residuals
from biomec.body.loads.rib_contacts import with_contacts
from biomec.engine.forces.external_loads import ExternalLoads, external_loads, no_loads
from biomec.engine.system import System
from biomec.engine.tree.joint_tree import JointTree, joint_tree
from biomec.pipeline.steps.body import LoadedBody, whole_body_advice
from biomec.pipeline.steps.preparation import Prepared
from biomec.pipeline.steps.segments import belt_of, determined_motion, is_whole, mass_share
from biomec.pipeline.steps.signals import CleanSignals
from biomec.recording import Result
from biomec.recording.step import step_result
from biomec.signals import filter_plates
from biomec.signals.contact_table import contact_table, with_forces
from biomec.signals.filtering import matching_filter
from biomec.signals.filters import low_pass

RAISED, HIGHEST = 1.5, 0.45  # cut-off by which the filter is judged, at most this share of the frame rate
APART = 1e-6  # of the largest load: two methods that differ by more do not solve the same motion


@dataclass(frozen=True, eq=False)
class LoadResult:
    """Loads of all joints over the recording, proximal on distal, in laboratory axes.

    newton_euler : by Newton's and Euler's equations, segment by segment
    multibody    : of the same motion by the equations of the whole mechanism, as the options choose
    external     : what the ground does to the body, measured or estimated
    trust        : contacts with plates, their joints, residual, balance
    power        : of the loads of the multibody method, and the energy of the body
    segments     : motion that the loads are of, NaN where nothing decides a segment's place
    plates_hz    : cut-off of the plates' forces where they were filtered like the markers [Hz]; None otherwise
    devices      : torques of orthoses apart from the person's, and forces of cuffs
    aids         : measured forces of crutches, which are among the external ones
    reduced      : the adjusted body and motion that all of these are of; None where nothing was adjusted
    """

    newton_euler: JointLoads
    multibody: JointLoads
    external: ExternalLoads
    trust: LoadTrust
    power: LoadPower
    segments: SegmentMotion
    options: LoadOptions
    notices: tuple[Notice, ...] = ()
    reduced: ReducedResiduals | None = None
    plates_hz: float | None = None
    devices: DeviceLoads = field(default_factory=DeviceLoads)
    aids: MeasuredAids | None = None

    def by_method(self, method: str) -> JointLoads:
        """Loads of one of `METHODS`.

        Both give the same ones, but where the multibody method kept the gliding contacts, only its loads know what the
        ribs bear.
        """
        return self.multibody if method == MULTIBODY else self.newton_euler

    @property
    def plate_words(self) -> str:
        """How the forces of the plates were filtered."""
        words = PLATE_FORCES[self.options.plate_forces]
        if self.options.plate_forces != MATCHED:
            return words
        return f"{words} ({self.plates_hz:.1f} Hz)" if self.plates_hz is not None else "not filtered"

    def to_result(self) -> Result:
        """Return what a session stores: loads of both methods, external loads, trust, power."""
        parts = {name: getattr(self, name).to_result() for name in ("newton_euler", "multibody", "trust", "power")}
        arrays: dict[str, NDArray[Any]] = {}
        about: dict[str, Any] = {}
        for name, part in parts.items():
            arrays |= {f"{name} {key}": array for key, array in part.arrays.items()}
            about[name] = {key: value for key, value in part.metadata.items() if key not in ("options", "notices")}
        for key in ("point", "force", "moment", "estimated"):
            arrays[f"external {key}"] = getattr(self.external, key)
        for share in self.devices.shares:
            arrays |= {f"share {share.joint} {key}": getattr(share, key) for key in ("angle", "device", "person")}
        for cuff in self.devices.cuffs:
            arrays |= {f"cuff {cuff.name} {key}": getattr(cuff, key) for key in ("gap", "force")}
        if self.reduced is not None:
            changed = self.reduced.to_result()
            arrays |= {f"reduced {key}": array for key, array in changed.arrays.items()}
            about["reduced"] = {key: changed.metadata[key] for key in ("segments", "residuals")}
        return step_result(arrays, self.options, self.notices, external=self.external.segments, **about)


def loads(
    prepared: Prepared,
    clean: CleanSignals,
    loaded: LoadedBody,
    motion: ConsistentMotion,
    segments: SegmentMotion,
    options: LoadOptions = LoadOptions(),
    progress: Progress | None = None,
) -> LoadResult:
    """Loads of all joints; NaN in frames without a motion, and towards the root from a segment that nothing decides."""
    body, rate = loaded.person, clean.trial.rate_hz
    notices, whole = _wholeness(loaded)
    if options.reduction is not None and not whole:
        advice, other = whole_body_advice(prepared, clean, loaded)
        raise BiomecError(
            f"Residuals cannot be reduced: the model holds {100.0 * mass_share(loaded):.0f} % of the body's mass, "
            f"so that the residual is what the rest of the body does. {advice}",
            ("model", other) if other else None,
        )
    tree = tree_of(body, options)
    q, qdot, qddot = determined_motion(body, motion)
    if motion.undetermined.any():
        sure = segment_motion(body.system, q, qdot, qddot)
        segments = replace(sure, masked=segments.masked, notices=segments.notices)
    ground, plates_hz = ground_contacts(prepared, clean, loaded, options)
    aids = _aids(prepared, clean, body, q, options)
    measured = together(measured_loads(ground, clean.trial.frames), aids.loads)
    floor = floor_contacts(body.system, q, qdot, rate, ground=belt_of(clean, loaded))
    if options.external != "estimated":  # which takes nothing as measured, crutches neither
        floor = floor.without(aids.loads.segments)
    required = body_wrench(body.system, segments)
    notices += aids.notices
    external, remarks = _external(measured, segments, q, qdot, rate, floor, required, body, options, whole)
    straps, cuffs = cuff_loads(body, q, qdot)
    applied = together(external, straps)
    newton = newton_euler(tree, segments, q, applied)

    faults = (*prepared.dynamic.notices, *prepared.notices, *clean.notices, *loaded.notices, *segments.notices)
    masked = segments.masked

    # by the motion as measured: a reduction makes it agree with the plates, and so could not judge them
    change = None
    if clean.filtered is not None and measured.segments:
        before = newton_euler(tree, segments, q, measured)
        change = sharper_loads(prepared, clean, loaded, motion, tree, options, aids).torque - before.torque
    errors = JointErrors(tree, newton, segments, measured, _markers(loaded, motion, change), _functional(loaded))
    judged = _judged_contacts(prepared, clean, loaded, required if whole else None, errors, aids)
    reduced = None

    entered = None if loaded.subject.mass_kg is None else _mass_kg(loaded)

    def trusted() -> LoadTrust:
        found = load_trust(
            tree, newton, segments, external, rate, required=required, floor=floor, judged=judged,
            entered_kg=entered, whole=whole, reduced=reduced is not None,
        )  # fmt: skip
        return with_motion_faults(found, faults, masked)

    trust = trusted()
    if options.reduction is not None:
        counted = trust.residuals.counted

        def acting(
            system: System, motion: SegmentMotion, states: tuple[FloatArray, FloatArray], loads: ExternalLoads
        ) -> tuple[ExternalLoads, ExternalLoads]:
            """Estimate again what no plate measured, if the motion was made consistent, and what cuffs do."""
            assert options.reduction is not None
            if options.reduction.dynamics is not None and options.external == "auto":
                kept = slice(len(measured.segments))
                plates = replace(measured, force=loads.force[:, kept], moment=loads.moment[:, kept])
                needed = body_wrench(system, motion)
                loads, _ = _external(plates, motion, *states, rate, floor, needed, body, options, whole)
            return loads, together(loads, cuff_loads(body, *states)[0])

        plates = len(measured.segments) - len(aids.devices)  # crutches follow them
        reduced = reduce_residuals(
            tree, q, qdot, qddot, external, counted, rate, options.reduction, newton, progress, acting,
            range(plates, len(measured.segments)),
        )  # fmt: skip
        tree, segments, newton = reduced.tree, reduced.motion, reduced.loads
        q, qdot, qddot, external = reduced.q, reduced.qdot, reduced.qddot, reduced.external
        straps, cuffs = cuff_loads(body, q, qdot)
        applied = together(external, straps)
        required = body_wrench(tree.system, segments)
        remarks = (*remarks, *reduced.notices)
        if reduced.dynamics is not None and reduced.dynamics.hurried.any():
            masked = reduced.dynamics.hurried if masked is None else masked | reduced.dynamics.hurried
            segments = replace(segments, masked=read_only(masked, np.bool_))
        trust = trusted()
        if reduced.changed:
            trust = replace(trust, verdict=f"{trust.verdict} {reduced.sentence}")
    multibody = multibody_loads(tree, q, qddot, applied, options.method, options.constraints)
    trust = with_contacts(trust, multibody, newton)
    notices += [*remarks, *trust.notices, *_agreement(newton, multibody), *_centre_errors(body, newton)]
    power = load_power(tree, multibody, segments, applied)
    notices += [*stiff_notices(body), *gap_notices(cuffs)]
    devices = DeviceLoads(torque_shares(body, newton, q, qdot), cuffs)
    return LoadResult(newton, multibody, external, trust, power, segments, options, tuple(notices), reduced,
                      plates_hz, devices, aids)  # fmt: skip


def _judged_contacts(
    prepared: Prepared,
    clean: CleanSignals,
    loaded: LoadedBody,
    required: BodyWrench | None,
    errors: JointErrors,
    aids: MeasuredAids,
) -> JudgedContacts | None:
    """Judge the contacts with the plates and their joints; None where there are none."""
    if loaded.contacts is None:
        return None
    measures, gait = loaded.person.measures, prepared.marker_set.gait
    soles = {} if gait is None else {
        "Right": (gait.heel.right, gait.toe.right), "Left": (gait.heel.left, gait.toe.left)
    }  # fmt: skip
    judged = judge_contacts(
        clean.trial,
        (loaded.contacts_in_space or loaded.contacts).assignment,
        errors.motion,
        loaded.person.system.gravity,
        required,
        _mass_kg(loaded),
        None if clean.weighed is None else clean.weighed.mass_kg,
        clean.quality,
        soles,
        float(measures.get("height", np.nan)),
        clean.notices,
        loaded.subject.mass_kg is None,
        aids.loads,
    )
    return with_joints(judged, errors)


def _mass_kg(loaded: LoadedBody) -> float:
    """What the plates should weigh: the person's mass as known, or that of the model where devices are part of it."""
    person = loaded.person
    if person.model.aids:
        return float(sum(part.mass for part in person.system.bodies))
    return float(person.measures["mass"])


def _markers(loaded: LoadedBody, motion: ConsistentMotion, change: FloatArray | None) -> MeasuredMarkers:
    """Distance of markers and joint centres from the model."""
    followed, landmarks = loaded.person.followed, motion.landmarks
    moved = {
        joint.name: motion.distance[:, landmarks.index(joint.centre)]
        for joint in loaded.person.model.joints
        if joint.centre in landmarks
    }
    segments = tuple(followed.get(name) for name in motion.markers)
    return MeasuredMarkers(segments, motion.marker_residual, FrozenDict(moved), change)


def sharper_loads(
    prepared: Prepared,
    clean: CleanSignals,
    loaded: LoadedBody,
    motion: ConsistentMotion,
    tree: JointTree,
    options: LoadOptions,
    aids: MeasuredAids,
) -> JointLoads:
    """Loads by the plates with every cut-off of the markers half as high again, and plates filtered as the options say.

    Consistency runs once more. Most of what changes comes from plates that are filtered like the markers.
    """
    assert clean.filtered is not None
    hz = np.minimum(RAISED * clean.filtered.cutoff_hz, HIGHEST * clean.trial.rate_hz)
    raised = low_pass(clean.reconstruction.markers.p_WM, clean.trial.rate_hz, hz, filter=clean.filtered.options.filter)
    sharper = replace(clean, filtered=replace(clean.filtered, cutoff_hz=hz))
    ground, _ = ground_contacts(prepared, sharper, loaded, options)
    found = consistent_positions(
        loaded.person,
        replace(clean.markers, p_WM=raised.values),
        motion.contacts,
        motion.options,
        origin=clean.reconstruction.origin,
        first_frame=clean.trial.first_frame,
    )
    q, qdot, qddot = determined_motion(loaded.person, consistent_rates(loaded.person, found))
    moved = segment_motion(loaded.person.system, q, qdot, qddot)
    return newton_euler(tree, moved, q, together(measured_loads(ground, clean.trial.frames), aids.loads))


def _functional(loaded: LoadedBody) -> tuple[str, ...]:
    """Hips whose centres were found from movement."""
    sides = {"CAQ_D": "right hip", "CAQ_E": "left hip"}
    return tuple(sides[point] for point in loaded.options.options.points if point in sides)


def tree_of(body: SubjectModel, options: LoadOptions = LoadOptions()) -> JointTree:
    """Return the joints of a person's model from the ends to the root that carries the residual."""
    names = [part.name for part in body.system.bodies]
    if options.root is not None and options.root not in names:
        raise BiomecError(f"The model has no {options.root} to carry the residual; it has {', '.join(names)}.")
    return joint_tree(body.system, body.model.roots if options.root is None else (options.root,))


def ground_contacts(
    prepared: Prepared, clean: CleanSignals, loaded: LoadedBody, options: LoadOptions
) -> tuple[ModelContacts | None, float | None]:
    """Contacts with forces that are filtered as the options choose, and their cut-off [Hz] if it is the markers'."""
    contacts = loaded.contacts
    if contacts is None or options.plate_forces == OWN:
        return contacts, None
    plates, hz = prepared.dynamic.plates, None
    matching = matching_filter(clean.filtered)
    if options.plate_forces == MATCHED and matching is not None:
        plates, hz = filter_plates(plates, matching).plates, matching.cutoff_hz
    if hz is None and clean.filtered_plates is None:  # the contacts have these forces already
        return contacts, None
    if loaded.plane is not None:
        plates = tuple(loaded.plane.plate(plate) for plate in plates)
    assignment = with_forces(contacts.assignment, plates)
    return replace(contacts, assignment=assignment, table=contact_table(assignment, contacts.table.segments)), hz


def _aids(
    prepared: Prepared, clean: CleanSignals, body: SubjectModel, q: FloatArray, options: LoadOptions
) -> MeasuredAids:
    """Forces of instrumented aids, filtered like those of the plates."""
    trial = prepared.dynamic
    own = None if clean.filtered_plates is None else clean.filtered_plates.options
    chosen = {MATCHED: matching_filter(clean.filtered) or own, OWN: own}.get(options.plate_forces)
    turn = prepared.recorded_axes.rotation_to(trial.axes)
    return measured_aids(body, trial.analog, q, trial.rate_hz, options.aids, chosen, turn)


def measured_loads(contacts: ModelContacts | None, frames: int) -> ExternalLoads:
    """What the plates do to the segments of the model at the frames of the cameras."""
    if contacts is None:
        return no_loads(frames)
    table = contacts.table
    return external_loads(table.segments, table.cop, table.force, table.moment)


def _external(
    measured: ExternalLoads,
    segments: SegmentMotion,
    q: FloatArray,
    qdot: FloatArray,
    rate_hz: float,
    floor: FloorContacts,
    required: BodyWrench,
    body: SubjectModel,
    options: LoadOptions,
    whole: bool,
) -> tuple[ExternalLoads, tuple[Notice, ...]]:
    """What acts on the body, as the options choose, and what was found on the way."""
    if options.external == "none":
        return no_loads(measured.frames), ()
    if options.external == "plates" or (options.external == "auto" and not whole):
        return measured, ()
    if not whole:
        raise BiomecError(
            "The ground reaction cannot be estimated: the model holds a part of the body only, and what the rest of it "
            "does is not known. Choose a model of the whole body, or the forces of the plates."
        )
    given = measured if options.external == "auto" else None
    found = estimated_reaction(body.system, segments, q, qdot, rate_hz, given, floor=floor, required=required)
    return found.loads, found.notices


def _centre_errors(body: SubjectModel, carried: JointLoads) -> list[Notice]:
    """How much moments may err because a regression gave the centre: its error times the force of the joint."""
    found: dict[str, list[str]] = {}
    for j, name in enumerate(carried.joints):
        centre = next((joint.centre for joint in body.model.joints if joint.name == name), "")
        method = CENTRE_METHODS.get(body.plan.methods.get(centre, ""))
        force = np.linalg.norm(carried.force[:, j], axis=1)
        if method is not None and method.error is not None and np.isfinite(force).any():
            mean, scatter, _ = method.error
            band = f"{1e3 * mean:.0f} ± {1e3 * scatter:.0f} mm ({method.name})"
            rms = float(np.sqrt(np.nanmean(force**2)))
            found.setdefault(band, []).append(f"{name} {mean * rms:.1f} ± {scatter * rms:.1f} N·m")
    return [
        info(
            "centre-error", f"Centres by regression err by {band}, which can change moments by {', '.join(each)} (RMS)."
        )
        for band, each in found.items()
    ]


def _wholeness(loaded: LoadedBody) -> tuple[list[Notice], bool]:
    """Whether the model holds nearly all of the body's mass, and a sentence if it does not."""
    if is_whole(loaded):
        return [], True
    words = (
        f"The model holds {100.0 * mass_share(loaded):.0f} % of the body's mass, so that the residual is what the rest "
        "of the body does to it, not an error."
    )
    return [info("model-of-a-part", words)], False


def _agreement(newton: JointLoads, multibody: JointLoads) -> list[Notice]:
    """Tell if both methods differ by more than round-off, which a motion that violates the model would make them do."""
    if multibody.contacts:
        return []  # a contact that bears load relieves the joints: the loads differ, and should
    force, torque = largest_difference(newton, multibody)
    size = max(float(np.nanmax(np.abs(one), initial=1.0)) for one in (newton.force, newton.torque))
    if max(force, torque) <= APART * size:
        return []
    words = (
        f"Both methods of inverse dynamics differ by up to {force:.2g} N and {torque:.2g} N·m: the motion does not "
        "quite obey the model. Look at the frames that are not valid."
    )
    return [warning("load-methods-differ", words)]
