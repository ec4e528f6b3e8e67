"""Motion of the segments and of the centre of mass, and whether people can move like this."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.consistent_motion import ConsistentMotion
from biomec.body.kinematics.segment_motion import SegmentMotion, segment_motion
from biomec.body.loads.contact_figures import ground_velocity
from biomec.body.loads.motion_checks import check_motion
from biomec.pipeline.steps.body import LoadedBody
from biomec.pipeline.steps.signals import CleanSignals, belt_of_markers
from biomec.recording.limb_names import limb_of
from biomec.signals.contacts import AssignedContact

WHOLE = 0.9  # share of the body mass from which on a model stands for the whole body


def segments(clean: CleanSignals, body: LoadedBody, motion: ConsistentMotion) -> SegmentMotion:
    """Motion of every segment in laboratory axes."""
    system, trial = body.person.system, clean.trial
    found = segment_motion(system, motion.q, motion.qdot, motion.qddot)
    q, qdot, qddot = determined_motion(body.person, motion)
    sure = segment_motion(system, q, qdot, qddot) if motion.undetermined.any() else found
    contacts = () if clean.contacts is None else clean.contacts.contacts
    stood = _stances(contacts, 1.0 / trial.rate_hz)
    belt = belt_of(clean, body)
    travels = clean.travels or (belt is not None and bool(belt.any()))
    checks = check_motion(
        system, sure, q, qdot, trial.rate_hz, float(body.person.measures["height"]), travels=travels,
        whole=is_whole(body), contact_s=stood, ground=belt, masked=clean.masked, first_frame=trial.first_frame,
    )  # fmt: skip
    return replace(found, masked=read_only(clean.masked | checks.masked, np.bool_), notices=checks.notices)


def belt_of(clean: CleanSignals, loaded: LoadedBody) -> FloatArray | None:
    """Velocity (3,) of what the feet stand on [m/s], by plates or, without any, by markers; None if nothing tells."""
    if loaded.contacts is None:
        belt = belt_of_markers(clean.trial, loaded.person.marker_set)
        return belt if belt.any() else None
    gravity = loaded.person.system.gravity
    return ground_velocity(clean.trial, loaded.contacts.assignment, -gravity / np.linalg.norm(gravity))


def _stances(contacts: Sequence[AssignedContact], frame_s: float) -> list[float]:
    """Durations of whole stances by the plates [s]; a foot that passes from one plate to the next stands once."""
    found: list[float] = []
    for segment in sorted({item.segment for item in contacts if item.segment is not None and _is_foot(item.segment)}):
        stances: list[list[float]] = []
        for item in sorted((item for item in contacts if item.segment == segment), key=lambda item: item.contact.on_s):
            contact = item.contact
            if stances and contact.on_s <= stances[-1][1] + frame_s:
                stances[-1][1] = max(stances[-1][1], contact.off_s)
                stances[-1][2] += contact.starts_before or contact.ends_after
            else:
                stances.append([contact.on_s, contact.off_s, contact.starts_before or contact.ends_after])
        found += [off - on for on, off, cut in stances if not cut]
    return found


def _is_foot(segment: str | None) -> bool:
    limb = None if segment is None else limb_of(segment)
    return limb is not None and limb.kind == "foot"


def mass_share(loaded: LoadedBody) -> float:
    """Share of the body's mass that the model holds; what segments carry is none of it."""
    person = loaded.person
    carried = sum(device.inertia.mass for device in person.devices)
    return (sum(one.mass for one in person.system.bodies) - carried) / float(person.measures["mass"])


def is_whole(loaded: LoadedBody) -> bool:
    """Whether the model stands for the whole body."""
    return mass_share(loaded) >= WHOLE


def determined_motion(body: SubjectModel, motion: ConsistentMotion) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Coordinates, velocities, accelerations (T, n), NaN for segments whose place nothing decides in a frame."""
    levels = (motion.q, motion.qdot, motion.qddot)
    if not motion.undetermined.any():
        return levels
    q, qdot, qddot = (level.copy() for level in levels)
    for k, name in enumerate(motion.segments):
        unknown = np.ix_(motion.undetermined[:, k], body.system.layout.columns(name))
        for level in (q, qdot, qddot):
            level[unknown] = np.nan
    return q, qdot, qddot
