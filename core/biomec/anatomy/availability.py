"""Which parts of a model a recording can follow, and why the others drop out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from biomec.anatomy.frames import Direction, FrameDefinition
from biomec.anatomy.model import BodyModel, GlidingContact, JointDefinition, SegmentDefinition
from biomec.anatomy.model_file import connected
from biomec.errors import BiomecError
from biomec.frozen import FrozenDict
from biomec.notices import Notice, info, warning


@dataclass(frozen=True)
class Available:
    """Parts of a model that a recording can follow.

    segments : with the frame definition whose landmarks are there, in the order of the model
    left_out : segment -> why
    root     : segment that carries the others
    """

    segments: tuple[tuple[SegmentDefinition, FrameDefinition], ...]
    joints: tuple[JointDefinition, ...]
    contacts: tuple[GlidingContact, ...]
    left_out: Mapping[str, str]
    root: str
    notices: tuple[Notice, ...]


def available_parts(
    model: BodyModel,
    static: set[str],
    motion: set[str],
    lacking: Mapping[str, str],
    without: Mapping[str, str] = FrozenDict(),
) -> Available:
    """Find the segments whose landmarks the static pose (``static``) and the motion (``motion``) both have.

    lacking : computed point -> why it could not be computed
    without : segment to leave out -> why
    """
    for name in without:
        model.segment(name)  # raises a sentence if there is no such segment
    left_out = dict(without)
    frames: dict[str, FrameDefinition] = {}
    known = static & motion
    for segment in model.segments:
        if segment.name in left_out:
            continue
        tries = [_lacking((*frame.landmarks, *segment.basic_points), known) for frame in segment.frames]
        if not all(tries):
            frames[segment.name] = segment.frames[[bool(t) for t in tries].index(False)]
        else:
            left_out[segment.name] = _reason(min(tries, key=len), static, lacking)
    joints = []
    for joint in model.joints:
        if joint.proximal not in frames or joint.distal not in frames:
            continue
        axes = [axis for axis in (joint.axis, joint.distal_axis) if isinstance(axis, Direction)]
        absent = _lacking((joint.centre, *(name for axis in axes for name in axis.landmarks)), known)
        if absent:
            left_out[joint.distal] = f"its joint, {joint.name}, cannot be placed: {_reason(absent, static, lacking)}"
            frames.pop(joint.distal)
        else:
            joints.append(joint)
    root = next((name for name in model.roots if name in frames), None)
    if root is None:
        told = "; ".join(f"{name}: {left_out[name]}" for name in model.roots if name in left_out)
        raise BiomecError(
            f"The model {model.name} cannot be built from this recording, because none of the segments that carry it "
            f"can be followed ({told}). Check the mapping of the labels and the static file, or choose another model."
        )
    joints = [joint for joint in joints if joint.proximal in frames and joint.distal in frames]
    contacts = [
        contact
        for contact in model.contacts
        if contact.segment in frames and contact.on in frames and {contact.point, contact.origin} <= static
    ]
    reached = connected(root, joints, contacts)
    for name in [name for name in frames if name not in reached]:
        left_out[name] = f"what connects it with the {root} is missing"
        frames.pop(name)
    kept = tuple((segment, frames[segment.name]) for segment in model.segments if segment.name in frames)
    return Available(
        segments=kept,
        joints=tuple(joint for joint in joints if joint.proximal in frames and joint.distal in frames),
        contacts=tuple(contact for contact in contacts if contact.segment in frames and contact.on in frames),
        left_out=FrozenDict(left_out),
        root=root,
        notices=tuple(_notices(model, kept, left_out, root)),
    )


def _lacking(needed: tuple[str, ...], known: set[str]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(needed) if name not in known)


def _reason(absent: tuple[str, ...], static: set[str], lacking: Mapping[str, str]) -> str:
    """Why landmarks are absent: not to be computed, never measured, or not in the motion."""
    computed = [lacking[name] for name in absent if name in lacking]
    named = {word.strip(",") for sentence in computed for word in sentence.split()}
    others = [name for name in absent if name not in lacking and name not in named]
    told = [_are([name for name in others if name not in static], "absent")]
    told += [*computed, _are([name for name in others if name in static], "not in the dynamic trial")]
    return "; ".join(sentence for sentence in told if sentence)


def _are(names: list[str], what: str) -> str:
    return f"{', '.join(names)} {'are' if len(names) > 1 else 'is'} {what}" if names else ""


def _notices(
    model: BodyModel,
    kept: tuple[tuple[SegmentDefinition, FrameDefinition], ...],
    left_out: Mapping[str, str],
    root: str,
) -> list[Notice]:
    notices = [
        warning("segment-left-out", f"The {name} is left out of the model: {why}.", name)
        for name, why in left_out.items()
    ]
    if root != model.roots[0]:
        notices.append(info("other-root", f"The {root} carries the body, because there is no {model.roots[0]}.", root))
    for segment, frame in kept:
        if frame is not segment.frames[0]:
            absent = [name for name in segment.frames[0].landmarks if name not in frame.landmarks]
            notices.append(
                warning(
                    "frame-second-choice",
                    f"The frame of the {segment.name} was built without {', '.join(absent)}; its angles may have an "
                    f"offset against the usual ones.",
                    segment.name,
                )
            )
    return notices
