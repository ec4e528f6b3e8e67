"""Gait events as a list that can be merged, checked and corrected by hand; every function returns a new list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from biomec.base.notices import Notice, info, warning
from biomec.recording import Event, Trial

STRIKE = "Foot Strike"
OFF = "Foot Off"
SIDES = ("Left", "Right")
PUTS = {
    "plates": "the plates put",
    "kinematics": "the markers put",
    "signal": "the signal puts",
    "file": "the file puts",
}
"""Origin of an event -> who puts it at its time."""


def merge_events(
    groups: Sequence[Sequence[Event]], same_s: float, differ_s: float
) -> tuple[tuple[Event, ...], list[Notice]]:
    """Merge groups of events, the most trusted first: an event already there within ``same_s`` is not added again.

    Where a dropped event lies more than ``differ_s`` from the kept one, a notice says so. Events of one group are never
    merged with each other.
    """
    kept: list[Event] = []
    notices: list[Notice] = []
    for group in groups:
        new: list[Event] = []
        for event in group:
            same = [e for e in kept if (e.label, e.context) == (event.label, event.context)]
            nearest = min(same, key=lambda e: abs(e.time_s - event.time_s), default=None)
            if nearest is None or abs(nearest.time_s - event.time_s) > same_s:
                new.append(event)
            elif abs(nearest.time_s - event.time_s) > differ_s:
                sentence = (
                    f"{event.context} {event.label.lower()} at {nearest.time_s:.3f} s ({nearest.origin}): "
                    f"{PUTS.get(event.origin, event.origin + ' puts')} it at {event.time_s:.3f} s. The former is used."
                )
                notices.append(info("gait-event-differs", sentence))
        kept += new
    return tuple(sorted(kept)), notices


def order_notices(events: Sequence[Event], rate_hz: float) -> list[Notice]:
    """Say where strikes and offs of a foot do not alternate: one in between was missed, or one is too many."""
    notices = []
    for side in SIDES:
        mine = sorted(e for e in events if e.context == side and e.label in (STRIKE, OFF))
        for one, next_one in pairwise(mine):
            if one.label == next_one.label:
                between = OFF if one.label == STRIKE else STRIKE
                sentence = (
                    f"{side} foot: two events {one.label.lower()}, at {one.time_s:.2f} and {next_one.time_s:.2f} s, "
                    f"follow each other without a {between.lower()}. Add the missing event, or remove the wrong one."
                )
                frames = (round(one.time_s * rate_hz), round(next_one.time_s * rate_hz))
                notices.append(warning("gait-event-missing", sentence, frames=frames))
    return notices


def edited(trial: Trial, before: Event | None, after: Event | None) -> Trial:
    """Return the trial with one event changed by hand: added (no ``before``), taken away (no ``after``) or replaced.

    ``before`` may be one that Biomec found; it is dismissed, so that it is not found again. Taking away an event that
    was set by hand gives back what is found there without it.
    """
    events, dismissed = list(trial.events), list(trial.dismissed_events)
    if before is not None:
        if before in events:
            events.remove(before)
        if before.origin != "manual" and before not in dismissed:
            dismissed.append(before)
    if after is not None:
        events.append(replace(after, origin="manual"))
    return replace(trial, events=tuple(events), dismissed_events=tuple(dismissed))


def without_dismissed(events: Sequence[Event], dismissed: Sequence[Event], same_s: float) -> tuple[Event, ...]:
    """Return events without those of the kind and foot of a dismissed one, within ``same_s`` of it [s]."""
    return tuple(
        event
        for event in events
        if not any(
            (gone.label, gone.context) == (event.label, event.context) and abs(gone.time_s - event.time_s) <= same_s
            for gone in dismissed
        )
    )
