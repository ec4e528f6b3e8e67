"""Foot strikes and foot offs: from plates where a foot stands on one, from marker trajectories elsewhere.

Events off the plates are timed like those on them: where the foot moves as it moved when a plate saw the event.
Rules for marker trajectories have a bias of their own, several frames for some walkers. Where a plate has seen an event
of the same kind, the motion of that foot around it is a pattern to look for, after the idea of [Stanhope1990].
The pattern is the velocity of heel and toe marker along the walk and upwards, from 60 ms before to 60 ms after; an
event from the markers is moved, by at most 100 ms, to where the sum of squared differences from the pattern is least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, info, warning
from biomec.recording import Event, Markers, Trial
from biomec.recording.limb_names import LIMBS, limb_of
from biomec.signals.contacts import ContactAssignment
from biomec.signals.event_editing import OFF, SIDES, STRIKE, merge_events, order_notices, without_dismissed
from biomec.signals.filters import low_pass
from biomec.signals.kinematic_events import (
    FEWEST_FRAMES,
    GaitMarkers,
    KinematicEventOptions,
    kinematic_events,
    level,
    walking_direction,
)
from biomec.signals.plate_geometry import called
from biomec.signals.plate_quality import PlateQuality

HALF_WIDTH_S = 0.06
FARTHEST_S = 0.10
CUTOFF_HZ = 10.0


def learned_events(
    markers: Markers,
    gait: GaitMarkers,
    up: FloatArray,
    forward: FloatArray,
    plates: Sequence[Event],
    kinematics: Sequence[Event],
) -> tuple[Event, ...]:
    """Move events from markers to where they fit the pattern of the plates' events of the same kind.

    Patterns of the same foot are preferred to those of the other. Events without a pattern, or whose neighbourhood is
    not fully recorded, stay as they are; all do in a recording that is too short for a velocity.
    """
    if markers.frames < FEWEST_FRAMES:
        return tuple(sorted(kinematics))
    motion = {
        side: _motion(markers, gait.heel[side], gait.toe[side], up, forward)
        for side in gait.heel
        if gait.heel[side] in markers and gait.toe.get(side, "") in markers
    }
    steps = np.arange(-round(HALF_WIDTH_S * markers.rate_hz), round(HALF_WIDTH_S * markers.rate_hz) + 1)
    window = steps / markers.rate_hz
    shifts = np.arange(-FARTHEST_S, FARTHEST_S + 1e-9, 0.25 / markers.rate_hz)
    patterns = {
        (label, side): _pattern(motion, markers.rate_hz, window, plates, label, side)
        for label, side in {(event.label, event.context) for event in kinematics}
    }
    result = []
    for event in kinematics:
        pattern = patterns[event.label, event.context]
        if pattern is None or event.context not in motion:
            result.append(event)
            continue
        seen = _sampled(motion[event.context], markers.rate_hz, event.time_s + shifts[:, None] + window)  # (S, W, 4)
        misfit = ((seen - pattern) ** 2).sum(axis=(1, 2))
        if np.isfinite(misfit).sum() < 3:
            result.append(event)
            continue
        best = int(np.nanargmin(misfit))
        inner = 0 < best < len(shifts) - 1 and np.isfinite(misfit[best - 1 : best + 2]).all()
        # a least misfit at the end of the search is not a fit: leave what the rule found
        result.append(replace(event, time_s=float(event.time_s + shifts[best])) if inner else event)
    return tuple(sorted(result))


def _motion(markers: Markers, heel: str, toe: str, up: FloatArray, forward: FloatArray) -> FloatArray:
    """(T, 4) velocity of heel and toe, forward and upwards [m/s]."""
    paths = np.stack([markers[heel], markers[toe]], axis=1)
    cutoff = min(CUTOFF_HZ, 0.4 * markers.rate_hz)
    velocity = np.gradient(low_pass(paths, markers.rate_hz, cutoff).values, 1.0 / markers.rate_hz, axis=0)
    return np.concatenate([velocity @ forward, velocity @ up], axis=1)


def _sampled(motion: FloatArray, rate_hz: float, times: FloatArray) -> FloatArray:
    """Motion (…, 4) at times (…) by linear interpolation; NaN outside the recording and beside gaps."""
    frame = np.floor(times * rate_hz).astype(np.int64)
    share = (times * rate_hz - frame)[..., None]
    inside = (frame >= 0) & (frame + 1 < len(motion))
    before, after = np.where(inside, frame, 0), np.where(inside, frame + 1, 0)
    value = (1.0 - share) * motion[before] + share * motion[after]
    return np.asarray(np.where(inside[..., None], value, np.nan))


def _pattern(
    motion: dict[str, FloatArray], rate_hz: float, window: FloatArray, plates: Sequence[Event], label: str, side: str
) -> FloatArray | None:
    """Mean motion (W, 4) around the plates' events of a kind: of the same foot, else of the other; None without any."""
    of_kind = [e for e in plates if e.label == label and e.context in motion]
    same = [e for e in of_kind if e.context == side]
    found = [_sampled(motion[e.context], rate_hz, e.time_s + window) for e in same or of_kind]
    whole = [pattern for pattern in found if np.isfinite(pattern).all()]
    return np.asarray(np.mean(whole, axis=0)) if whole else None


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
    merged, said = merged_gait_events(trial, from_plates, from_markers, options)
    notices += said + order_notices(merged, trial.rate_hz)
    return GaitEvents(merged, from_plates, from_markers, forward, options, tuple(notices))


def merged_gait_events(
    trial: Trial, from_plates: Sequence[Event], from_markers: Sequence[Event], options: GaitEventOptions
) -> tuple[tuple[Event, ...], list[Notice]]:
    """Merge strikes and offs set by hand, of the file, from plates and from markers; none that was dismissed."""
    stored = [event for event in trial.events if event.label in (STRIKE, OFF) and event.context in SIDES]
    by_hand = [event for event in stored if event.origin == "manual"]
    of_file = [event for event in stored if event.origin != "manual"]
    found = [without_dismissed(group, trial.dismissed_events, options.same_s) for group in (from_plates, from_markers)]
    return merge_events((by_hand, of_file, *found), options.same_s, options.differ_frames / trial.rate_hz)


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
