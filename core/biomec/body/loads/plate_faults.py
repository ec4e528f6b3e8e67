"""Faults of force plates carried through: which joints' loads rest on a force that is not to be trusted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from biomec.base.notices import Notice, Severity
from biomec.engine.tree.joint_tree import JointTree, joints_to_root
from biomec.recording.limb_names import limb_of
from biomec.signals.contact_detection import frame_range
from biomec.signals.contacts import ContactAssignment
from biomec.signals.plate_geometry import called

FAULTS = {
    "two-on-one-plate": "is touched by {segments} at once",
    "force-outside-plate": "reads a force that acts outside it",
    "plate-sign": "seems to have the wrong sign",
    "plate-pulled": "reads as if it were pulled upwards",
    "plate-clipped": "stood at the limit of its range",
    "plate-offset": "does not read zero when nobody touches it",
    "plate-drift": "drifts",
    "contact-unassigned": "is loaded by somebody unknown",
    "contact-doubtful": "is loaded by somebody uncertain",
}
"""Code of a notice about plates -> what the plate does, for a sentence."""


@dataclass(frozen=True)
class PlateFault:
    """A fault of a plate and what it touches.

    segments : of the model whose force it makes doubtful; all on the plate where the notice names none
    joints   : all between those segments and the root of the body
    frames   : first and last frame concerned; None: all
    severe   : the loads of these joints are not to be used there; otherwise they are to be looked at
    """

    code: str
    plate: str
    what: str
    segments: tuple[str, ...]
    joints: tuple[str, ...]
    frames: tuple[int, int] | None
    severe: bool
    notice: Notice


def plate_faults(
    tree: JointTree, notices: Iterable[Notice], contacts: ContactAssignment | None = None
) -> tuple[PlateFault, ...]:
    """Find the joints that faults of plates touch.

    notices  : of the recording stage: `check_plates`, `detect_contacts`, `assign_contacts`
    contacts : which segments stood on which plate when, for notices that name only the plate
    """
    bodies = [body.name for body in tree.system.bodies]
    plate_notices = [notice for notice in dict.fromkeys(notices) if notice.code in FAULTS and notice.about]
    shared = {(notice.about[0], notice.frames) for notice in plate_notices if notice.code == "two-on-one-plate"}
    found = []
    for notice in plate_notices:
        if notice.code == "contact-unassigned" and (notice.about[0], notice.frames) in shared:
            continue  # nobody has it because two share it
        plate, *named = notice.about
        if not named and contacts is not None:
            named = _on_plate(contacts, plate, notice.frames)
        segments = tuple(dict.fromkeys(one for name in named if (one := _body(name, bodies)) is not None))
        passed = {joint for segment in segments for joint in joints_to_root(tree, segment)}
        joints = tuple(name for name in tree.names if name in passed)
        what = FAULTS[notice.code].format(segments=" and ".join(segments) or "segment")
        severe = notice.severity is Severity.PROBLEM
        found.append(PlateFault(notice.code, plate, what, segments, joints, notice.frames, severe, notice))
    return tuple(found)


def fault_sentence(fault: PlateFault, rate_hz: float) -> str:
    """Say a fault to a clinician: whose loads, why, when, and what to do."""
    limbs = " and ".join(fault.segments)
    when = ""
    if fault.frames is not None:
        when = f" from {fault.frames[0] / rate_hz:.1f} to {fault.frames[1] / rate_hz:.1f} s"
    if not fault.joints:
        words = f"{called(fault.plate, begin=True)} {fault.what}{when}"
        return words + ("; its force is used for nobody." if fault.severe else ".")
    words = f"Loads from the {limbs} upwards rest on {called(fault.plate)}, which {fault.what}{when}"
    return words + (": do not use them." if fault.severe else ": look at them with care.")


def _on_plate(contacts: ContactAssignment, plate: str, frames: tuple[int, int] | None) -> list[str]:
    """Segments with a contact on a plate that overlaps some frames."""
    found = []
    for item in contacts.contacts:
        if item.contact.plate != plate:
            continue
        first, last = frame_range(contacts.rate_hz, contacts.frames, item.contact.on_s, item.contact.off_s)
        if frames is None or (first <= frames[1] and frames[0] <= last):
            found += [name for name in (item.segment, *item.sharing) if name]
    return list(dict.fromkeys(found))


def _body(name: str, bodies: list[str]) -> str | None:
    """Segment of the model of that name, or that means the same hand or foot."""
    limb = limb_of(name)
    if name in bodies or limb is None:
        return name if name in bodies else None
    return next((body for body in bodies if limb_of(body) == limb), None)
