"""Which parts of a model a recording can follow, and why the others drop out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, info, warning
from biomec.body.anatomy.frames import Direction, FrameDefinition
from biomec.body.anatomy.model import BodyModel, GlidingContact, JointDefinition, SegmentDefinition
from biomec.body.anatomy.model_file import connected

Lacking: TypeAlias = Mapping[str, tuple[tuple[str, ...], ...]]


@dataclass(frozen=True)
class Available:
    """Parts of a model that a recording can follow.

    segments : with the frame definition whose landmarks are there, in the order of the model
    left_out : segment -> why
    missing  : landmark that a segment dropped out for -> whether the static pose has it, so that the motion has not
    root     : segment that carries the others
    """

    segments: tuple[tuple[SegmentDefinition, FrameDefinition], ...]
    joints: tuple[JointDefinition, ...]
    contacts: tuple[GlidingContact, ...]
    left_out: Mapping[str, str]
    missing: Mapping[str, bool]
    root: str
    notices: tuple[Notice, ...]


def available_parts(
    model: BodyModel,
    static: set[str],
    motion: set[str],
    lacking: Lacking,
    without: Mapping[str, str] = FrozenDict(),
    words: Callable[[str], str] = str,
) -> Available:
    """Find the segments whose landmarks the static pose (``static``) and the motion (``motion``) both have.

    lacking : point that could not be computed -> the ways to it, each the landmarks and measures that are not known
    without : segment to leave out -> why
    words   : writes the code of a landmark in words
    """
    gaps = _Gaps(static, lacking, words)
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
            left_out[segment.name] = gaps.reason(min(tries, key=len))
    joints = []
    for joint in model.joints:
        if joint.proximal not in frames or joint.distal not in frames:
            continue
        axes = [axis for axis in (joint.axis, joint.distal_axis) if isinstance(axis, Direction)]
        absent = _lacking((joint.centre, *(name for axis in axes for name in axis.landmarks)), known)
        if absent:
            left_out[joint.distal] = f"its joint, {joint.name}, cannot be placed: {gaps.reason(absent)}"
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
        missing=FrozenDict(gaps.missing),
        root=root,
        notices=tuple(_notices(model, kept, left_out, root, words)),
    )


def _lacking(needed: tuple[str, ...], known: set[str]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(needed) if name not in known)


@dataclass
class _Gaps:
    """Why landmarks are absent: not to be computed, never measured, or not in the motion."""

    static: set[str]
    lacking: Lacking
    words: Callable[[str], str]
    missing: dict[str, bool] = field(default_factory=dict)

    def reason(self, absent: tuple[str, ...]) -> str:
        """Return a sentence, and keep in mind what would have to be measured."""
        computed: list[str] = []
        named: set[str] = set()
        for name in absent:
            if name in self.lacking and name not in named:  # of two that need one another, one word is enough
                computed.append(name)
                named |= {need for way in self.lacking[name] for need in way}
        others = [name for name in absent if name not in self.lacking and name not in named]
        self._note(absent)
        told = [_are([self.words(name) for name in others if name not in self.static], "absent")]
        for name in computed:
            ways = (", ".join(self.words(need) for need in way) for way in self.lacking[name])
            told.append(f"{self.words(name)} needs {' or '.join(ways)}")
        told.append(_are([self.words(name) for name in others if name in self.static], "not in the dynamic trial"))
        return "; ".join(sentence for sentence in told if sentence)

    def _note(self, absent: tuple[str, ...]) -> None:
        """Keep the landmarks that are missing: behind every computed point, what the shortest way to it needs."""
        todo, met = list(absent), dict.fromkeys(absent)
        for name in todo:
            fewest: tuple[str, ...] = min(self.lacking.get(name, ((),)), key=len)
            todo += [need for need in fewest if need not in met]
            met |= dict.fromkeys(fewest)
        measured = [name for name in met if name not in self.lacking]
        self.missing |= {name: name in self.static for name in measured or met}  # all, if they need one another


def _are(names: list[str], what: str) -> str:
    return f"{', '.join(names)} {'are' if len(names) > 1 else 'is'} {what}" if names else ""


def _notices(
    model: BodyModel,
    kept: tuple[tuple[SegmentDefinition, FrameDefinition], ...],
    left_out: Mapping[str, str],
    root: str,
    words: Callable[[str], str],
) -> list[Notice]:
    notices = [
        warning("segment-left-out", f"The {name} is left out of the model: {why}.", name)
        for name, why in left_out.items()
    ]
    if root != model.roots[0]:
        notices.append(info("other-root", f"The {root} carries the body, because there is no {model.roots[0]}.", root))
    for segment, frame in kept:
        if frame is not segment.frames[0]:
            absent = [words(name) for name in segment.frames[0].landmarks if name not in frame.landmarks]
            notices.append(
                warning(
                    "frame-second-choice",
                    f"The frame of the {segment.name} was built without {', '.join(absent)}; its angles may have an "
                    f"offset against the usual ones.",
                    segment.name,
                )
            )
    return notices
