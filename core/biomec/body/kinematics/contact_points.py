"""Where the plates hold hands and feet, frame by frame, as points for temporary constraints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, info, warning
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.recording import ForcePlate
from biomec.recording.limb_names import limb_of
from biomec.signals.contact_table import ContactTable, contact_table
from biomec.signals.contacts import ContactAssignment
from biomec.signals.plate_resampling import contact_at_frames
from biomec.signals.stretches import stretches


@dataclass(frozen=True, eq=False)
class ContactPoints:
    """Points of segments that the ground holds.

    segments : (K,) segments of the model
    cop      : (T, K, 3) centre of pressure [m]; NaN in frames without contact
    active   : (T, K)
    load     : (T, K) force along the plates' normals [N]; 0 without contact
    """

    segments: tuple[str, ...]
    cop: FloatArray
    active: BoolArray
    load: FloatArray
    options: ConsistencyOptions
    notices: tuple[Notice, ...] = ()

    @property
    def frames(self) -> int:
        """Number of frames."""
        return int(self.active.shape[0])

    @property
    def places(self) -> Mapping[str, FloatArray]:
        """Segment -> (T, 3) centre of pressure [m]; NaN in frames without contact."""
        return FrozenDict({name: self.cop[:, k] for k, name in enumerate(self.segments)})


@dataclass(frozen=True, eq=False)
class ModelContacts:
    """Contacts under the names of a model's segments.

    table   : what the ground does to each segment that has a contact, frame by frame
    notices : about contacts that belong to no segment of the model
    """

    assignment: ContactAssignment
    table: ContactTable
    notices: tuple[Notice, ...]


def contact_points(
    contacts: ModelContacts | None,
    plates: Sequence[ForcePlate],
    frames: int,
    rate_hz: float,
    options: ConsistencyOptions = ConsistencyOptions(),
) -> ContactPoints:
    """Centres of pressure of the contacts that belong to segments of the model, at the frames of the cameras.

    contacts : of the model's segments, from `model_contacts`
    plates   : of the trial

    A segment on two plates at once is held at the mean of both centres, weighted by their forces. Between the two
    thresholds of the hysteresis, and wherever a frame has too little force, the centre is that of the nearest frame
    with enough (`contact_table`).
    """
    if contacts is None or options.contacts == "never":
        why: list[Notice] = []
        if contacts is None and plates and options.contacts != "never":
            why = [
                warning(
                    "contacts-unknown",
                    f"Nobody is known to touch the plates ({', '.join(plate.name for plate in plates)}), so no hand or "
                    "foot is held by them. Assign the contacts first.",
                )
            ]
        cop, none = read_only(np.zeros((frames, 0, 3))), np.zeros((frames, 0))
        return ContactPoints((), cop, read_only(none, np.bool_), read_only(none), options, tuple(why))
    assignment, table, notices = contacts.assignment, contacts.table, list(contacts.notices)
    names = table.segments
    if (assignment.frames, assignment.rate_hz) != (frames, rate_hz):
        raise BiomecError(
            f"The contacts were assigned for {assignment.frames} frames at {assignment.rate_hz:g} Hz, but the markers "
            f"have {frames} at {rate_hz:g} Hz. Assign the contacts of this trial."
        )
    load = np.zeros((frames, len(names)))
    for k, name in enumerate(names):
        for item in assignment.of(name):
            plate = assignment.plate(item.contact.plate)
            wrench = contact_at_frames(plate, item.contact, rate_hz, frames)
            load[wrench.frames, k] += wrench.force @ plate.up
    finite = np.asarray(np.isfinite(table.cop).all(axis=2))
    if options.contacts == "always":
        active = finite
    else:
        held = [switched(column, options.threshold_n, options.hysteresis_n) for column in load.T]
        active = np.stack(held, axis=1) & finite if held else finite
    if options.contacts == "steady":
        steady = np.asarray(active.all(axis=0))
        notices += _not_held([name for k, name in enumerate(names) if not steady[k]])
        names = tuple(name for k, name in enumerate(names) if steady[k])
        active, load, cop = active[:, steady], load[:, steady], table.cop[:, steady]
    else:
        cop = table.cop
        notices += _jumps(names, active)
    for k, name in enumerate(names):
        notices += _about(name, active[:, k], rate_hz, options)
    return ContactPoints(
        names,
        read_only(np.where(active[..., None], cop, np.nan)),
        read_only(active, np.bool_),
        read_only(load),
        options,
        tuple(notices),
    )


def model_contacts(
    assignment: ContactAssignment | None, plates: Sequence[ForcePlate], segments: Iterable[str]
) -> ModelContacts | None:
    """Return the contacts under the names of the model's segments, in their order; None where none were assigned.

    plates   : the plates whose forces count, filtered or not, in the axes of the markers; those of the assignment that
               are not among them are used as they are
    segments : of the model. A contact belongs to the segment of the same name, or to that which means the same hand or
               foot in other words.
    """
    if assignment is None:
        return None
    known = tuple(segments)
    assignment = _with_plates(assignment, plates)
    owners, notices = _owners(assignment, known)
    renamed = tuple(replace(c, segment=owners.get(c.segment) if c.segment else None) for c in assignment.contacts)
    named = replace(assignment, contacts=renamed)
    touching = [name for name in known if name in owners.values()]
    return ModelContacts(named, contact_table(named, touching), tuple(notices))


def switched(load: FloatArray, threshold_n: float, hysteresis_n: float) -> BoolArray:
    """(T,) True from where ``load`` (T,) rises above the threshold to where it falls below threshold − hysteresis.

    A stretch above the lower bound counts whole if it rises above the threshold anywhere from its first such frame on.
    """
    on = np.zeros(len(load), dtype=np.bool_)
    for first, stop in stretches(np.asarray(load >= threshold_n - hysteresis_n)).tolist():
        above = np.flatnonzero(load[first:stop] > threshold_n)
        if above.size:
            on[first + above[0] : stop] = True
    return on


def _with_plates(assignment: ContactAssignment, plates: Sequence[ForcePlate]) -> ContactAssignment:
    """Return the assignment with these plates, less their unloaded readings, instead of those of the same name."""
    given = {plate.name: plate for plate in plates}
    for plate in assignment.detected.plates:
        other = given.get(plate.name, plate)
        if (other.samples, other.rate_hz, other.start_s) != (plate.samples, plate.rate_hz, plate.start_s):
            raise BiomecError(
                f"Plate {plate.name} has {other.samples} samples at {other.rate_hz:g} Hz, but its contacts were found "
                f"on {plate.samples} at {plate.rate_hz:g} Hz. Find and assign the contacts of this trial again."
            )
    zeroed = assignment.detected.zeroed(plates)
    chosen = tuple(zeroed.get(plate.name, plate) for plate in assignment.detected.plates)
    return replace(assignment, detected=replace(assignment.detected, plates=chosen))


def _owners(assignment: ContactAssignment, known: tuple[str, ...]) -> tuple[dict[str, str], list[Notice]]:
    """Segment of the assignment -> segment of the model, and notices of those that the model does not have."""
    owners: dict[str, str] = {}
    notices = []
    limbs = {limb_of(name): name for name in reversed(known) if limb_of(name) is not None}
    for name in dict.fromkeys(item.segment for item in assignment.contacts if item.segment):
        owner = name if name in known else limbs.get(limb_of(name)) if limb_of(name) else None
        if owner is not None:
            owners[name] = owner
        else:
            notices.append(
                warning("contact-outside-model", f"The model has no {name}, so its contact holds nothing.", name)
            )
    return owners, notices


def _not_held(names: list[str]) -> list[Notice]:
    """Tell which contacts come and go, and so hold nothing."""
    if not names:
        return []
    return [
        info(
            "contact-passing",
            f"The contacts of {' and '.join(names)} begin or end within the recording, so the ground does not hold "
            "them: the motion would jump there. Choose contacts by threshold to hold them nevertheless.",
            *names,
        )
    ]


def _jumps(names: tuple[str, ...], active: BoolArray) -> list[Notice]:
    """Warn of contacts that switch: held and free frames have different solutions, and rates see the step between."""
    passing = [name for k, name in enumerate(names) if active[:, k].any() and not active[:, k].all()]
    if not passing:
        return []
    return [
        warning(
            "contact-jumps",
            f"The motion jumps where the contacts of {' and '.join(passing)} begin and end, by some millimetres and "
            "degrees; velocities and accelerations have peaks there. Do not use them for loads at those frames.",
            *passing,
        )
    ]


def _about(name: str, active: BoolArray, rate_hz: float, options: ConsistencyOptions) -> list[Notice]:
    """Tell when a segment is held."""
    if not active.any():
        return [warning("contact-never", f"The {name} has a contact, but it is held in no frame.", name)]
    parts = stretches(active).tolist()
    share = 100.0 * float(active.mean())
    if options.contacts == "always" and not active.all():
        first, stop = stretches(~active).tolist()[0]
        return [
            warning(
                "contact-not-always",
                f"The {name} should be held throughout, but it has no contact in {100.0 - share:.1f} % of the frames, "
                f"first from {first / rate_hz:.2f} to {stop / rate_hz:.2f} s.",
                name,
                frames=(first, stop - 1),
            )
        ]
    times = "once" if len(parts) == 1 else f"{len(parts)} times"
    return [info("contact-held", f"The {name} is held by the ground {times}, in {share:.0f} % of the frames.", name)]
