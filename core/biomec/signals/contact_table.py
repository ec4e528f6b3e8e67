"""Contacts frame by frame, as the later stages use them: which segment is held, where, by which force and moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.recording import ForcePlate
from biomec.signals.contact_detection import Contact, contact_of
from biomec.signals.contacts import ContactAssignment
from biomec.signals.plate_resampling import contact_at_frames


@dataclass(frozen=True, eq=False)
class ContactTable:
    """What the ground does to each segment in every frame, in laboratory axes.

    segments : (S,) names
    active   : (T, S) the contact lasts through at least half of the frame's interval: the segment is held there
    force    : (T, S, 3) mean force over the frame's interval [N]; 0 without contact. The frame before the first and
               after the last active one may hold the rest of the blow, so that the impulse is complete.
    cop      : (T, S, 3) where the force acts [m]; NaN where there is no force
    moment   : (T, S, 3) about ``cop`` [N m]; along the plate's normal (the free moment) unless ``held``
    held     : (T, S) too little force to tell where it acts: ``cop`` is that of the nearest frame of the same contact
               with enough, and ``moment`` is about that point, so that the wrench is still exact
    """

    segments: tuple[str, ...]
    rate_hz: float
    active: BoolArray
    force: FloatArray
    cop: FloatArray
    moment: FloatArray
    held: BoolArray

    @property
    def frames(self) -> int:
        """Number of frames."""
        return int(self.active.shape[0])


def with_forces(assignment: ContactAssignment, plates: Sequence[ForcePlate]) -> ContactAssignment:
    """The same contacts with the forces of other plates, such as more strongly filtered ones, of the same names.

    A filter spreads a force in time, so every contact reaches as far as its force does above the lower threshold, but
    not beyond the middle between it and its neighbour on the plate.
    """
    detected = assignment.detected
    given = detected.zeroed(plates)
    lower = detected.options.threshold_n - detected.options.hysteresis_n
    widened = []
    for item in assignment.contacts:
        plate, contact = given[item.contact.plate], item.contact
        others = [other.contact for other in assignment.contacts if other.contact.plate == plate.name]
        before = max((c.last for c in others if c.last < contact.first), default=-contact.first - 1)
        after = min((c.first for c in others if c.first > contact.last), default=2 * plate.samples - contact.last)
        first, last = contact.first, contact.last
        low = np.flatnonzero(~(plate.vertical > lower))  # missing samples end it too
        place = int(np.searchsorted(low, first))
        if place == len(low) or low[place] > first:
            first = max(int(low[place - 1]) + 1 if place else 0, (before + contact.first) // 2 + 1, 0)
        place = int(np.searchsorted(low, last))
        if place == len(low) or low[place] > last:
            last = min(int(low[place]) - 1 if place < len(low) else plate.samples - 1, (after + contact.last) // 2)
        widened.append(replace(item, contact=contact_of(plate, contact.number, first, last, detected.options)))
    kept = tuple(given.get(plate.name, plate) for plate in detected.plates)
    return replace(assignment, contacts=tuple(widened), detected=replace(detected, plates=kept))


def contact_table(assignment: ContactAssignment, segments: Sequence[str] | None = None) -> ContactTable:
    """Contacts of the given segments (all that have one, if not given) at the frames of the cameras.

    Plates are brought to the frames by `plate_resampling`. A segment on two plates at once gets the sum of both: its
    centre of pressure is the mean of both, weighted by their vertical forces.
    """
    if segments is None:
        segments = list(dict.fromkeys(item.segment for item in assignment.contacts if item.segment is not None))
    T, S = assignment.frames, len(segments)
    active, held = np.zeros((T, S), dtype=np.bool_), np.zeros((T, S), dtype=np.bool_)
    force, cop, moment = np.zeros((T, S, 3)), np.full((T, S, 3), np.nan), np.zeros((T, S, 3))
    for s, segment in enumerate(segments):
        parts = [_part(assignment, assignment.plate(a.contact.plate), a.contact) for a in assignment.of(segment)]
        total, point = np.zeros(T), np.zeros((T, 3))
        for part in parts:
            total[part.frames] += part.weight
            point[part.frames] += part.weight[:, None] * part.cop
        touched = total > 0.0
        cop[touched, s] = point[touched] / total[touched, None]
        for part in parts:
            at, acts = part.frames, part.weight[:, None] > 0.0
            arm = part.cop - np.where(acts, cop[at, s], 0.0)
            force[at, s] += np.where(acts, part.force, 0.0)
            moment[at, s] += np.where(acts, part.moment + np.cross(arm, part.force), 0.0)
            active[at, s] |= part.active
            held[at, s] |= part.held
    return ContactTable(
        tuple(segments),
        assignment.rate_hz,
        read_only(active, np.bool_),
        read_only(force),
        read_only(cop),
        read_only(moment),
        read_only(held, np.bool_),
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """One contact at the frames that it touches; the moment is about ``cop``."""

    frames: slice
    weight: FloatArray
    force: FloatArray
    cop: FloatArray
    moment: FloatArray
    active: BoolArray
    held: BoolArray


def _part(assignment: ContactAssignment, plate: ForcePlate, contact: Contact) -> _Part:
    wrench = contact_at_frames(plate, contact, assignment.rate_hz, assignment.frames)
    weight = np.abs(wrench.force @ plate.up)
    cop = wrench.centre_of_pressure(plate, assignment.detected.options.threshold_n)
    missing = ~np.isfinite(cop[:, 0])
    known = np.flatnonzero(~missing)
    if known.size:
        cop[missing] = cop[known[_nearest(known, np.flatnonzero(missing))]]
    else:  # never enough force: the contact's own mean is all there is
        cop[missing] = contact.mean_cop if np.isfinite(contact.mean_cop).all() else plate.origin
    moment = wrench.moment - np.cross(cop - plate.origin, wrench.force)
    return _Part(wrench.frames, weight, wrench.force, cop, moment, wrench.covered >= 0.5, missing & (weight > 0.0))


def _nearest(sorted_values: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Index of the nearest of ``sorted_values`` to each wanted one."""
    right = (
        np.clip(np.searchsorted(sorted_values, wanted), 1, len(sorted_values) - 1) if len(sorted_values) > 1 else None
    )
    if right is None:
        return np.zeros(len(wanted), dtype=np.int64)
    closer_left = wanted - sorted_values[right - 1] <= sorted_values[right] - wanted
    return np.asarray(np.where(closer_left, right - 1, right))
