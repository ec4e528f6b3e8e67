"""Gait events as a list that can be merged, checked and corrected by hand; every function returns a new list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, warning
from biomec.recording import Event

STRIKE = "Foot Strike"
OFF = "Foot Off"
SIDES = ("Left", "Right")


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
                    f"{event.origin} puts it at {event.time_s:.3f} s. The former is used."
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


def add_event(events: Sequence[Event], time_s: float, label: str, context: str = "General") -> tuple[Event, ...]:
    """Add an event by hand."""
    return tuple(sorted([*events, Event(time_s, label, context, "manual")]))


def move_event(events: Sequence[Event], event: Event, time_s: float) -> tuple[Event, ...]:
    """Move an event to another time by hand."""
    rest = remove_event(events, event)
    return tuple(sorted([*rest, replace(event, time_s=time_s, origin="manual")]))


def remove_event(events: Sequence[Event], event: Event) -> tuple[Event, ...]:
    """Take an event away by hand."""
    if event not in events:
        raise BiomecError(f"There is no {event.context} event {event.label} at {event.time_s:.3f} s.")
    rest = list(events)
    rest.remove(event)
    return tuple(sorted(rest))
