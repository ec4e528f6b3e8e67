"""Foot strikes and foot offs: from plates where a foot stands on one, from marker trajectories elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, info, warning
from biomec.recording import Event, Trial
from biomec.recording.limb_names import LIMBS, limb_of
from biomec.signals.contacts import ContactAssignment
from biomec.signals.event_editing import OFF, SIDES, STRIKE, merge_events, order_notices
from biomec.signals.event_patterns import learned_events
from biomec.signals.kinematic_events import (
    GaitMarkers,
    KinematicEventOptions,
    kinematic_events,
    level,
    walking_direction,
)
from biomec.signals.plate_geometry import called
from biomec.signals.plate_quality import PlateQuality


@dataclass(frozen=True)
class GaitEventOptions:
    """How events from several origins become one list.

    kinematics    : how they are found in marker trajectories
    learn_from_plates : move events from markers to where the foot moves as it did at the plates' events
    join_s        : contacts of one foot that follow each other within this are one stance [s]
    same_s        : events of one kind and foot closer than this are the same event [s]
    differ_frames : same events from two origins that differ by more than this are reported
    """

    kinematics: KinematicEventOptions = field(default_factory=KinematicEventOptions)
    learn_from_plates: bool = True
    join_s: float = 0.1
    same_s: float = 0.2
    differ_frames: float = 2.0


@dataclass(frozen=True, eq=False)
class GaitEvents:
    """Foot strikes and offs of a trial.

    events     : merged, in order of time; each says where it comes from
    plates     : those the plates gave; ``kinematics`` : those the markers gave
    forward    : (3,) direction of walking in laboratory axes; None if no markers were given
    """

    events: tuple[Event, ...]
    plates: tuple[Event, ...]
    kinematics: tuple[Event, ...]
    forward: FloatArray | None
    options: GaitEventOptions
    notices: tuple[Notice, ...] = ()


def gait_events(
    trial: Trial,
    markers: GaitMarkers | None = None,
    contacts: ContactAssignment | None = None,
    quality: PlateQuality | None = None,
    options: GaitEventOptions = GaitEventOptions(),
) -> GaitEvents:
    """Find all foot strikes and offs of a trial, and merge them with those of the file.

    Of the same event, what somebody set by hand counts most, then the file, then the plates, then the markers.
    """
    notices: list[Notice] = []
    from_plates: tuple[Event, ...] = ()
    if contacts is not None:
        from_plates, said = plate_events(contacts, quality, options.join_s)
        notices += said
    from_markers: tuple[Event, ...] = ()
    forward = None
    if markers is not None:
        up = trial.axes.up_vector
        given = options.kinematics.forward
        forward = walking_direction(trial.markers, markers, up) if given is None else level(np.asarray(given), up)
        from_markers, said = kinematic_events(trial.markers, markers, up, forward, options.kinematics)
        notices += said
        if options.learn_from_plates:
            from_markers = learned_events(trial.markers, markers, up, forward, from_plates, from_markers)
    stored = [event for event in trial.events if event.label in (STRIKE, OFF) and event.context in SIDES]
    by_hand = tuple(event for event in stored if event.origin == "manual")
    of_file = tuple(event for event in stored if event.origin != "manual")
    merged, said = merge_events(
        (by_hand, of_file, from_plates, from_markers), options.same_s, options.differ_frames / trial.rate_hz
    )
    notices += said + order_notices(merged, trial.rate_hz)
    return GaitEvents(merged, from_plates, from_markers, forward, options, tuple(notices))


def plate_events(
    contacts: ContactAssignment, quality: PlateQuality | None = None, join_s: float = 0.1
) -> tuple[tuple[Event, ...], list[Notice]]:
    """Strikes and offs of feet on plates: when the vertical force crossed the thresholds of the contact.

    Contacts of one foot that follow each other within ``join_s`` (heel on one plate, toes on the next) are one stance.
    A stance that began before the recording, or ends after it, has no strike or no off, and so has one that is cut by
    missing samples. Contacts that the checks do not
    trust give no events.
    """
    events, notices = [], _nameless(contacts)
    for side in SIDES:
        stances: list[list[float | None]] = []  # [strike, off, end of load]
        mine = [item for item in contacts.contacts if item.segment is not None and _is_foot(item.segment, side)]
        for item in sorted(mine, key=lambda item: item.contact.on_s):
            contact = item.contact
            checked = None if quality is None else quality.find(contact.plate, contact.number)
            if checked is not None and not checked.trusted and item.by != "manual":
                sentence = (
                    f"Contact {contact.number} of {called(contact.plate)} gives no {side.lower()} foot events, "
                    "because the plate does not carry the whole foot, or not it alone."
                )
                notices.append(info("contact-without-events", sentence, contact.plate, item.segment or ""))
                continue
            strike = None if contact.starts_before else contact.on_s
            off = None if contact.ends_after else contact.off_s
            last = stances[-1] if stances else None
            if last is not None and last[2] is not None and contact.on_s - last[2] < join_s:
                if contact.off_s >= last[2]:
                    last[1:] = off, contact.off_s
            else:
                stances.append([strike, off, contact.off_s])
        for strike_s, off_s, _ in stances:
            events += [Event(strike_s, STRIKE, side, "plates")] if strike_s is not None else []
            events += [Event(off_s, OFF, side, "plates")] if off_s is not None else []
    return tuple(sorted(events)), notices


def _nameless(contacts: ContactAssignment) -> list[Notice]:
    """Segments with contacts whose name does not say which hand or foot they are."""
    segments = {item.segment: None for item in contacts.contacts if item.segment and limb_of(item.segment) is None}
    if not segments:
        return []
    names = ", ".join(segments)
    sentence = (
        f"Contacts of {names} give no foot strikes and offs, because the name does not say which foot it is. "
        f"Call feet {' and '.join(limb.label for limb in LIMBS if limb.kind == 'foot')}, or right foot and left foot."
    )
    return [warning("contact-side-unknown", sentence, *segments)]


def _is_foot(segment: str, side: str) -> bool:
    limb = limb_of(segment)
    return limb is not None and (limb.kind, limb.side) == ("foot", side)
