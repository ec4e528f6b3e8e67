"""Contacts frame by frame, as the later stages use them: which segment is held, where, by which force and moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.arrays import BoolArray, FloatArray, read_only
from biomec.recording import ForcePlate
from biomec.signals.contact_detection import Contact
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
        if not parts:
            continue
        weight = np.stack([np.abs(part.vertical) for part in parts], axis=1)  # (T, contacts)
        total = weight.sum(axis=1)
        touched = total > 0.0
        share = weight[touched] / total[touched, None]
        points = np.stack([np.nan_to_num(part.cop[touched]) for part in parts], axis=1)
        cop[touched, s] = (share[..., None] * points).sum(axis=1)
        for part in parts:
            acts = np.abs(part.vertical) > 0.0
            force[acts, s] += part.force[acts]
            moment[acts, s] += part.moment[acts] + np.cross(part.cop[acts] - cop[acts, s], part.force[acts])
            active[:, s] |= part.active
            held[:, s] |= part.held
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
    """One contact at the frames; the moment is about ``cop``."""

    vertical: FloatArray
    force: FloatArray
    cop: FloatArray
    moment: FloatArray
    active: BoolArray
    held: BoolArray


def _part(assignment: ContactAssignment, plate: ForcePlate, contact: Contact) -> _Part:
    wrench = contact_at_frames(plate, contact, assignment.rate_hz, assignment.frames)
    vertical = np.asarray(wrench.force @ plate.up)
    touched = np.abs(vertical) > 0.0
    cop = wrench.centre_of_pressure(plate, assignment.detected.options.threshold_n)
    known = np.flatnonzero(np.isfinite(cop[:, 0]))
    held = touched & ~np.isfinite(cop[:, 0])
    if known.size:
        cop[held] = cop[known[_nearest(known, np.flatnonzero(held))]]
    else:  # never enough force: the contact's own mean is all there is
        cop[held] = contact.mean_cop if np.isfinite(contact.mean_cop).all() else plate.origin
    moment = wrench.moment - np.cross(np.nan_to_num(cop) - plate.origin, wrench.force)
    return _Part(vertical, wrench.force, cop, moment, wrench.covered >= 0.5, held)


def _nearest(sorted_values: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Index of the nearest of ``sorted_values`` to each wanted one."""
    right = (
        np.clip(np.searchsorted(sorted_values, wanted), 1, len(sorted_values) - 1) if len(sorted_values) > 1 else None
    )
    if right is None:
        return np.zeros(len(wanted), dtype=np.int64)
    closer_left = wanted - sorted_values[right - 1] <= sorted_values[right] - wanted
    return np.asarray(np.where(closer_left, right - 1, right))
