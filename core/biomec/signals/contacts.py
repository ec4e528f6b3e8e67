"""Which hand or foot stands on which plate, contact by contact; by the plate's name, by geometry, or by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.errors import BiomecError
from biomec.base.fields import MM, PERCENT, setting
from biomec.base.notices import Notice, info, warning
from biomec.recording import ForcePlate, Trial
from biomec.recording.limb_names import LIMBS, limb_of
from biomec.signals.contact_detection import Contact, DetectedContacts, frame_range, split_contact
from biomec.signals.plate_geometry import (
    TouchOptions,
    called,
    distance_from_force,
    hull_distance,
    middle_over_plate,
    on_surface,
    resting,
    segment_points,
)
from biomec.signals.plate_resampling import FrameWrench, contact_at_frames


@dataclass(frozen=True)
class AssignOptions:
    """How contacts find their segment.

    limit_m       : a segment farther than this from the centre of pressure does not carry the force [m]
    spread_m      : distances that differ by less than this do not decide [m]
    shared_s      : two segments that rest on a plate at once for longer than this share it [s]
    sure          : a confidence below this is reported
    touch         : what counts as resting
    """

    limit_m: float = setting(
        0.10, "Farthest segment", "A hand or foot farther from the centre of pressure does not carry the force.",
        unit="mm", factor=MM, least=0.0)  # fmt: skip
    spread_m: float = setting(
        0.04, "Distances that do not decide", "Distances that differ by less leave the choice open.", unit="mm",
        factor=MM, least=0.0)  # fmt: skip
    shared_s: float = setting(
        0.05, "Longest shared contact", "Two segments on one plate for longer share it.", unit="s", least=0.0
    )
    sure: float = setting(0.8, "Sure enough", "A lower confidence gets a notice.", unit="%", factor=PERCENT, least=0.0)
    touch: TouchOptions = setting(factory=TouchOptions, label="Resting on the ground", help="What counts as resting.")


@dataclass(frozen=True, eq=False)
class AssignedContact:
    """A contact and the segment that makes it.

    segment    : None where nobody is known to make it
    by         : "name", "geometry", "manual" or "nobody"
    confidence : 0 to 1
    reason     : why, in words
    distances  : segment -> force-weighted mean distance of its markers from the centre of pressure [m]
    sharing    : segments that rest on the plate at once, where they are more than one
    """

    contact: Contact
    segment: str | None
    by: str
    confidence: float
    reason: str
    distances: Mapping[str, float] = field(default_factory=dict)
    sharing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "distances", MappingProxyType(dict(self.distances)))


@dataclass(frozen=True, eq=False)
class ContactAssignment:
    """Contacts of a trial with their segments. `assign`, `unassign` and `split` return changed copies.

    segments        : segment -> marker names, as given
    rate_hz, frames : of the cameras
    """

    contacts: tuple[AssignedContact, ...]
    detected: DetectedContacts
    segments: Mapping[str, tuple[str, ...]]
    rate_hz: float
    frames: int
    options: AssignOptions
    notices: tuple[Notice, ...] = ()

    def plate(self, name: str) -> ForcePlate:
        """Return a plate as used for the contacts."""
        for plate in self.detected.plates:
            if plate.name == name:
                return plate
        there = ", ".join(plate.name for plate in self.detected.plates) or "none"
        raise BiomecError(f"There is no force plate {name}; there are {there}.")

    def find(self, plate: str, number: int) -> AssignedContact:
        """Return one contact by its plate and number (from 1)."""
        for item in self.contacts:
            if (item.contact.plate, item.contact.number) == (plate, number):
                return item
        count = sum(item.contact.plate == self.plate(plate).name for item in self.contacts)
        raise BiomecError(f"{called(plate, begin=True)} has no contact {number}; it has {count}.")

    def of(self, segment: str) -> tuple[AssignedContact, ...]:
        """Contacts of a segment, in order of time."""
        mine = (item for item in self.contacts if item.segment == segment)
        return tuple(sorted(mine, key=lambda item: item.contact.on_s))


def assign_contacts(
    trial: Trial,
    detected: DetectedContacts,
    segments: Mapping[str, Sequence[str]],
    options: AssignOptions = AssignOptions(),
) -> ContactAssignment:
    """Find the segment of every contact.

    segments : segment (``Pe_D``, ``Mao_E``, or any name) -> names of its markers; those the trial lacks are ignored

    A plate named after a hand or foot belongs to it. Any other contact goes to the segment whose markers stay nearest
    to the centre of pressure while the plate is loaded. With the mean distance dₛ of each segment, the confidence is
    wₛ / (Σ w + w₀), w = exp(−d²/2σ²), where w₀ is the weight of a segment at the limit ("none of them").
    Two segments that rest on the plate at once share it: nobody gets the force until it is decided by hand.
    """
    marker_names = {segment: tuple(names) for segment, names in segments.items()}
    points = {segment: segment_points(trial.markers, names) for segment, names in marker_names.items()}
    plates = {plate.name: plate for plate in detected.plates}
    others = {name: _forces_elsewhere(trial, plates, name, detected.options.threshold_n) for name in plates}
    items = [
        _assigned(trial, plates[c.plate], c, points, others[c.plate], detected.options.threshold_n, options)
        for c in detected.contacts
    ]
    result = ContactAssignment(
        tuple(items), detected, MappingProxyType(marker_names), trial.rate_hz, trial.frames, options
    )
    return _with_notices(result)


def assign(result: ContactAssignment, plate: str, number: int, segment: str) -> ContactAssignment:
    """Give a contact to a segment by hand: one of those the assignment knows, or a hand or foot by its usual name."""
    if segment not in result.segments and limb_of(segment) is None:
        known = ", ".join(dict.fromkeys([*result.segments, *(limb.label for limb in LIMBS)]))
        raise BiomecError(
            f"Contact {number} of {called(plate)} cannot be given to {segment}, which is not known. Known are {known}."
        )
    return _changed(
        result, plate, number, lambda a: replace(a, segment=segment, by="manual", confidence=1.0, reason="set by hand")
    )


def unassign(result: ContactAssignment, plate: str, number: int) -> ContactAssignment:
    """Take a contact away from its segment by hand; its force is then used for nobody."""
    return _changed(
        result, plate, number, lambda a: replace(a, segment=None, by="manual", confidence=1.0, reason="set by hand")
    )


def split(result: ContactAssignment, plate: str, number: int, at_s: float) -> ContactAssignment:
    """Cut a contact in two at a time [s]; both parts keep the segment, later contacts of the plate are renumbered."""
    chosen = result.find(plate, number)
    parts = split_contact(result.plate(plate), chosen.contact, at_s, result.detected.options)
    items: list[AssignedContact] = []
    for item in result.contacts:
        contact = item.contact
        if item is chosen:
            items += [replace(item, contact=replace(part, number=number + k)) for k, part in enumerate(parts)]
        elif contact.plate == plate and contact.number > number:
            items.append(replace(item, contact=replace(contact, number=contact.number + 1)))
        else:
            items.append(item)
    detected = replace(result.detected, contacts=tuple(item.contact for item in items))
    return _with_notices(replace(result, contacts=tuple(items), detected=detected))


def _changed(
    result: ContactAssignment, plate: str, number: int, change: Callable[[AssignedContact], AssignedContact]
) -> ContactAssignment:
    chosen = result.find(plate, number)
    items = tuple(change(item) if item is chosen else item for item in result.contacts)
    return _with_notices(replace(result, contacts=items))


def _assigned(
    trial: Trial,
    plate: ForcePlate,
    contact: Contact,
    points: Mapping[str, FloatArray],
    elsewhere: FloatArray,
    threshold_n: float,
    options: AssignOptions,
) -> AssignedContact:
    """Decide one contact."""
    wrench = contact_at_frames(plate, contact, trial.rate_hz, trial.frames)
    cop = wrench.centre_of_pressure(plate, threshold_n)
    points = {segment: trajectory[wrench.frames] for segment, trajectory in points.items()}
    distances = _mean_distances(plate, wrench, cop, points)
    sharing = _sharing(plate, wrench, cop, points, elsewhere[:, wrench.frames], trial.rate_hz, options)
    nearest = min(distances, key=lambda name: distances[name]) if distances else None
    named = _named_segment(plate.name, points)

    def decided(segment: str | None, by: str, confidence: float, reason: str) -> AssignedContact:
        return AssignedContact(contact, segment, by, confidence, reason, distances, sharing)

    if named is not None:
        near = distances.get(named)
        if near is None:
            return decided(named, "name", 0.9, "the plate is named after it; its markers are not in the recording")
        if near <= options.limit_m:
            return decided(
                named, "name", 1.0, f"the plate is named after it, and its markers are {near * 100:.1f} cm away"
            )
        return decided(named, "name", 0.5, f"the plate is named after it, but its markers are {near * 100:.1f} cm away")
    if len(sharing) > 1:
        return decided(None, "nobody", 0.0, f"{' and '.join(sharing)} rest on the plate at once")
    if nearest is None:
        return decided(None, "nobody", 0.0, "the plate's name says nothing and no markers of hands or feet are known")
    if distances[nearest] > options.limit_m:
        return decided(None, "nobody", 0.0, f"the nearest, {nearest}, is {distances[nearest] * 100:.1f} cm away")
    weights = {name: np.exp(-0.5 * (d / options.spread_m) ** 2) for name, d in distances.items()}
    nobody = np.exp(-0.5 * (options.limit_m / options.spread_m) ** 2)
    confidence = float(weights[nearest] / (sum(weights.values()) + nobody))
    others = [d for name, d in distances.items() if name != nearest]
    reason = f"its markers are {distances[nearest] * 100:.1f} cm from the centre of pressure"
    if others:
        reason += f", the next {min(others) * 100:.1f} cm"
    return decided(nearest, "geometry", confidence, reason)


def _mean_distances(
    plate: ForcePlate, wrench: FrameWrench, cop: FloatArray, points: Mapping[str, FloatArray]
) -> dict[str, float]:
    """Force-weighted mean distance of every segment that is visible in at least half of the loaded frames [m]."""
    weight = np.where(np.isfinite(cop[:, 0]), wrench.force @ plate.up, 0.0)
    loaded = np.flatnonzero(weight > 0.0)
    means: dict[str, float] = {}
    for segment, trajectory in points.items():
        distance = distance_from_force(plate, cop[loaded], trajectory[loaded])
        known = np.isfinite(distance)
        if loaded.size and known.sum() >= 0.5 * loaded.size:
            means[segment] = float(np.average(distance[known], weights=weight[loaded][known]))
    return means


def _sharing(
    plate: ForcePlate,
    wrench: FrameWrench,
    cop: FloatArray,
    points: Mapping[str, FloatArray],
    elsewhere: FloatArray,
    rate_hz: float,
    options: AssignOptions,
) -> tuple[str, ...]:
    """Segments that rest on the plate at the same time for longer than ``shared_s`` while it is loaded.

    elsewhere : (P, T, 3) centres of pressure of the other plates, NaN where they are not loaded [m]
    """
    loaded = wrench.covered > 0.5
    down = {name: resting(plate, p, rate_hz, options.touch) & loaded for name, p in points.items()}
    if plate.corners is None:
        on_it = _with_force_between(plate, cop, points, elsewhere, down)
    else:
        on_it = {name: down[name] & middle_over_plate(plate, p) for name, p in points.items()}
    together = sum((mask.astype(np.int64) for mask in on_it.values()), np.zeros(len(loaded), dtype=np.int64)) > 1
    if together.sum() / rate_hz <= options.shared_s:
        return ()
    return tuple(name for name, mask in on_it.items() if (mask & together).sum() / rate_hz > options.shared_s)


def _forces_elsewhere(trial: Trial, plates: Mapping[str, ForcePlate], name: str, threshold_n: float) -> FloatArray:
    """(P, T, 3) centres of pressure of all plates but one at the frames, NaN where they are not loaded [m]."""
    time = np.arange(trial.frames) / trial.rate_hz
    found = np.full((len(plates) - 1, trial.frames, 3), np.nan)
    for row, plate in zip(found, (plate for key, plate in plates.items() if key != name), strict=True):
        sample = np.round((time - plate.start_s) * plate.rate_hz).astype(np.int64)
        known = (sample >= 0) & (sample < plate.samples)
        row[known] = plate.centre_of_pressure(threshold_n)[sample[known]]
    return found


def _with_force_between(
    plate: ForcePlate,
    cop: FloatArray,
    points: Mapping[str, FloatArray],
    elsewhere: FloatArray,
    down: Mapping[str, BoolArray],
) -> dict[str, BoolArray]:
    """Resting segments with the force between them, over 3 cm outside each: all there is to go by without corners.

    Where another plate is loaded too and its force is nearer to one of the two, while this one is nearer to the other,
    each has a plate of its own.
    """
    flat = {name: on_surface(plate, p)[..., :2] for name, p in points.items()}
    at = on_surface(plate, cop)[:, :2]
    on_it = {name: np.zeros(len(cop), dtype=np.bool_) for name in points}
    names = [name for name in points if flat[name].shape[1]]
    here = {name: hull_distance(at, flat[name]) for name in names}
    apart = {name: here[name] > 0.03 for name in names}
    there = [{name: hull_distance(on_surface(plate, p)[:, :2], flat[name]) for name in names} for p in elsewhere]
    for k, one in enumerate(names):
        for other in names[k + 1 :]:
            inside = hull_distance(at, np.concatenate([flat[one], flat[other]], axis=1)) == 0.0
            both = down[one] & down[other] & apart[one] & apart[other] & inside
            for their in there:  # NaN where that plate is not loaded, which compares as False
                both &= ~((here[one] < here[other]) & (their[other] < their[one]))
                both &= ~((here[other] < here[one]) & (their[one] < their[other]))
            on_it[one] |= both
            on_it[other] |= both
    return on_it


def _named_segment(plate_name: str, segments: Mapping[str, FloatArray]) -> str | None:
    """Segment that a plate is named after: the same name, or the same hand or foot in another spelling."""
    if plate_name in segments:
        return plate_name
    limb = limb_of(plate_name)
    if limb is None:
        return None
    return next((segment for segment in segments if limb_of(segment) == limb), limb.label)


def _with_notices(result: ContactAssignment) -> ContactAssignment:
    """Say anew which contacts are doubtful."""
    notices: list[Notice] = []
    for item in result.contacts:
        contact = item.contact
        frames = frame_range(result.rate_hz, result.frames, contact.on_s, contact.off_s)
        what = f"Contact {contact.number} of {called(contact.plate)} ({contact.on_s:.2f} to {contact.off_s:.2f} s)"
        about = (contact.plate, *((item.segment,) if item.segment else ()))
        if item.by == "nobody":
            sentence = (
                f"{what} belongs to nobody: {item.reason}. Its force is not used; assign it by hand if it should be."
            )
            notices.append(warning("contact-unassigned", sentence, *about, frames=frames))
        elif item.by == "manual":
            sentence = f"{what} was given to {item.segment or 'nobody'} by hand."
            notices.append(info("contact-set-by-hand", sentence, *about, frames=frames))
        elif item.confidence < result.options.sure:
            sentence = (
                f"{what} was given to {item.segment} with confidence {item.confidence:.2f}: {item.reason}. Check it."
            )
            notices.append(warning("contact-doubtful", sentence, *about, frames=frames))
    return replace(result, notices=tuple(notices))
