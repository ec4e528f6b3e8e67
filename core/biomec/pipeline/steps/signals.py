"""Lost markers rebuilt, markers and plates filtered, contacts given to hands and feet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.notices import Notice, warning
from biomec.base.progress import Progress, part_of
from biomec.pipeline.settings import ContactChoice, SignalSettings
from biomec.pipeline.steps.preparation import Prepared
from biomec.recording import Markers, Result, Trial
from biomec.recording.marker_set import MarkerSet
from biomec.recording.step import marker_arrays, plate_arrays, step_result
from biomec.signals import (
    ContactAssignment,
    FilteredMarkers,
    FilteredPlates,
    GaitEvents,
    MassEstimate,
    PlateQuality,
    Reconstruction,
    StaticPose,
    assign_contacts,
    check_accelerations,
    check_plates,
    detect_contacts,
    filter_markers,
    filter_plates,
    gait_events,
    gait_markers,
    mass_from_plates,
    reconstruct,
    static_pose,
)
from biomec.signals.contacts import AssignedContact, assign, unassign
from biomec.signals.kinematic_events import belt_velocity
from biomec.signals.plate_geometry import called

WALKED = 0.8  # m; a pelvis that travels less does not walk
OBLIQUE_DEG = 20.0  # between the way of walking and the forward axis; less is a bend in the way


@dataclass(frozen=True, eq=False)
class CleanSignals:
    """What the cameras and plates say after repair.

    trial     : the dynamic trial with rebuilt and filtered markers and filtered plates
    filtered  : cut-offs and what else the filter tells; None where no filter was wanted
    contacts  : which hand or foot stands on which plate; None without plates
    quality   : where feet and forces lie on the plates; None without plates
    mass      : what the plates weigh; None without plates
    static_mass : what they weigh in the static; None where it has no plates
    masked    : (T,) frames around leaps and around accelerations that no body bears, not to be used; read-only
    travels   : whether the pelvis goes over the floor, or the floor under it
    """

    trial: Trial
    static: StaticPose
    reconstruction: Reconstruction
    filtered: FilteredMarkers | None
    filtered_plates: FilteredPlates | None
    contacts: ContactAssignment | None
    quality: PlateQuality | None
    events: GaitEvents
    mass: MassEstimate | None
    static_mass: MassEstimate | None
    options: SignalSettings
    notices: tuple[Notice, ...]
    masked: BoolArray
    travels: bool = False

    @property
    def markers(self) -> Markers:
        """Rebuilt and filtered markers."""
        return self.trial.markers

    @property
    def weighed(self) -> MassEstimate | None:
        """The subject weighed while standing still, in the static or else in the movement; None where never."""
        still = (one for one in (self.static_mass, self.mass) if one is not None and one.how == "still")
        return next(still, None)

    def to_result(self) -> Result:
        """Return what a session stores: markers and plates, origin of every sample, contacts, events, mass."""
        cutoffs = {} if self.filtered is None else {"cutoff_hz": self.filtered.cutoff_hz}
        return step_result(
            {
                **marker_arrays(self.markers),
                **plate_arrays(self.trial.plates),
                **cutoffs,
                "origin": self.reconstruction.origin.astype("uint8"),
                "rebuilt_residual": self.reconstruction.residual,
                "masked": self.masked,
            },
            self.options,
            self.notices,
            names=self.markers.names,
            rate_hz=self.markers.rate_hz,
            plates=[plate.name for plate in self.trial.plates],
            contacts=[] if self.contacts is None else [_contact_row(item) for item in self.contacts.contacts],
            events=self.events.events,
            mass_kg=None if self.mass is None else self.mass.mass_kg,
            static_mass_kg=None if self.static_mass is None else self.static_mass.mass_kg,
            quality=self.reconstruction.quality,
        )


def _contact_row(item: AssignedContact) -> dict[str, Any]:
    """A contact as plain data, without its samples: those are computed from the plates that are stored."""
    row = {"segment": item.segment, "by": item.by, "confidence": item.confidence, "reason": item.reason}
    about = ("plate", "number", "first", "last", "on_s", "off_s", "starts_before", "ends_after", "peak_n", "path_m")
    return row | {name: getattr(item.contact, name) for name in about}


def signals(
    prepared: Prepared, settings: SignalSettings = SignalSettings(), progress: Progress | None = None
) -> CleanSignals:
    """Rebuild, filter and assign, in this order."""
    trial, marker_set = prepared.dynamic, prepared.marker_set
    pose = prepared.pose
    if pose is None or pose.options != settings.static:
        pose = static_pose(prepared.static, marker_set, settings.static)
    rebuilt = reconstruct(trial, pose, marker_set, settings.reconstruction, part_of(progress, 0.0, 0.3))
    filtered = filtered_plates = None
    clean = replace(trial, markers=rebuilt.markers)
    if settings.marker_filter is not None:
        filtered = filter_markers(rebuilt.markers, settings.marker_filter, part_of(progress, 0.3, 0.8))
        clean = replace(clean, markers=filtered.markers)
    if settings.plate_filter is not None and trial.plates:
        filtered_plates = filter_plates(trial.plates, settings.plate_filter, part_of(progress, 0.8, 1.0))
        clean = replace(clean, plates=filtered_plates.plates)
    notices = [*pose.notices, *rebuilt.notices]
    notices += [notice for one in (filtered, filtered_plates) if one is not None for notice in one.notices]
    masked, spikes = check_accelerations(clean.markers, filtered is not None, clean.first_frame)
    notices += spikes
    if prepared.masked is not None:
        masked = masked | prepared.masked
    contacts = mass = quality = None
    if clean.plates:
        detected = detect_contacts(clean, settings.contacts)
        contacts = assign_contacts(clean, detected, marker_set.contact_segments, settings.assignment)
        contacts, remarks = chosen_by_hand(contacts, settings.by_hand)
        notices += remarks
        quality = check_plates(clean, contacts, recorded=trial.plates)
        notices += [*detected.notices, *contacts.notices, *quality.notices]
    travels = _walks(clean, marker_set) or bool(not clean.plates and belt_of_markers(clean, marker_set).any())
    walking = gait_markers(marker_set, clean.markers.names) if travels else None
    events = gait_events(clean, walking, contacts, quality)
    notices += events.notices
    if events.forward is not None and walking is not None:
        notices += _heading(clean, events.forward)
    if contacts is not None:
        mass = mass_from_plates(clean, contacts, events.events)
    static_mass = None if prepared.static_is_dynamic else _static_mass(prepared.static, marker_set, settings)
    return CleanSignals(
        clean, pose, rebuilt, filtered, filtered_plates, contacts, quality, events, mass, static_mass, settings,
        tuple(notices), read_only(masked, np.bool_), travels,
    )  # fmt: skip


def _static_mass(static: Trial, marker_set: MarkerSet, settings: SignalSettings) -> MassEstimate | None:
    """Weigh the static, by preference with both feet known to stand on plates; None without plates."""
    if not static.plates:
        return None
    contacts = assign_contacts(
        static, detect_contacts(static, settings.contacts), marker_set.contact_segments, settings.assignment
    )
    checked = mass_from_plates(static, contacts)
    return checked if checked.how == "still" else mass_from_plates(static)


def chosen_by_hand(
    contacts: ContactAssignment, choices: Sequence[ContactChoice]
) -> tuple[ContactAssignment, list[Notice]]:
    """Give contacts to the segments that the user has chosen; a choice that fits no contact gets a notice."""
    notices = []
    for choice in choices:
        meant = [
            item.contact.number
            for item in contacts.contacts
            if item.contact.plate == choice.plate and item.contact.on_s <= choice.at_s <= item.contact.off_s
        ]
        if not meant:
            when = f"{choice.at_s:.2f} s from start"
            words = f"There is no contact with {called(choice.plate)} at {when}, so that the choice of"
            words += f" {choice.segment or 'nobody'} for it was not used."
            notices.append(warning("contact-choice-unused", words, choice.plate))
        elif choice.segment is None:
            contacts = unassign(contacts, choice.plate, meant[0])
        else:
            contacts = assign(contacts, choice.plate, meant[0], choice.segment)
    return contacts, notices


def _heading(trial: Trial, walked: FloatArray) -> list[Notice]:
    """Warn if somebody walks obliquely: angles relative to the laboratory count from its forward axis."""
    forward = trial.axes.forward_vector
    turned = float(np.degrees(np.arccos(np.clip(walked @ forward, -1.0, 1.0))))
    if turned < OBLIQUE_DEG:
        return []
    words = (
        f"The subject walks at {turned:.0f}° to the forward axis of the laboratory. Rotation and progression of pelvis,"
    )
    words += " trunk and feet count from that axis; by the convention plug-in-gait their tilts do so too."
    return [warning("walks-obliquely", words)]


def belt_of_markers(trial: Trial, marker_set: MarkerSet) -> FloatArray:
    """Velocity (3,) of a treadmill's belt by the feet alone [m/s]; 0 without one, and where the set shows no steps."""
    if marker_set.gait is None:
        return np.zeros(3)
    return belt_velocity(trial.markers, gait_markers(marker_set, trial.markers.names), trial.axes.up_vector)


def _walks(trial: Trial, marker_set: MarkerSet) -> bool:
    """Whether the pelvis travels over the floor; otherwise steps are not sought in the markers."""
    if marker_set.gait is None:
        return False
    there = [name for name in marker_set.gait.pelvis if name in trial.markers]
    feet = [name for name in marker_set.gait.names if name not in marker_set.gait.pelvis]
    if not there or not all(name in trial.markers for name in feet):
        return False
    path = trial.markers.select(there).p_WM.mean(axis=1)
    level = path - (path @ trial.axes.up_vector)[:, None] * trial.axes.up_vector
    seen = level[np.isfinite(level).all(axis=1)]
    return bool(seen.size) and float(np.linalg.norm(np.ptp(seen, axis=0))) > WALKED
