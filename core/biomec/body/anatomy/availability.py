"""Which parts of a model a recording can follow, why the others drop out, and whether another model suits it better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, info, warning
from biomec.body.anatomy.frames import Direction, FrameDefinition, Points
from biomec.body.anatomy.landmarks import plan_points, points_in_motion, recorded_landmarks, static_only
from biomec.body.anatomy.measures import known_measures
from biomec.body.anatomy.model import (
    BodyModel,
    GlidingContact,
    JointDefinition,
    SegmentDefinition,
    SpringDefinition,
)
from biomec.body.anatomy.model_file import connected, load_model, shipped_models
from biomec.body.anatomy.model_landmarks import is_measure
from biomec.recording import Subject
from biomec.recording.marker_set import MarkerSet

Lacking: TypeAlias = Mapping[str, tuple[tuple[str, ...], ...]]


@dataclass(frozen=True)
class Available:
    """Parts of a model that a recording can follow.

    segments : with the frame definition whose landmarks are there, in the order of the model
    left_out : segment -> why
    missing  : landmark that a segment dropped out for -> whether the static pose has it, so that the motion has not
    root     : segment that carries the others
    springs  : of the model, whether their ends are there or not
    """

    segments: tuple[tuple[SegmentDefinition, FrameDefinition], ...]
    joints: tuple[JointDefinition, ...]
    contacts: tuple[GlidingContact, ...]
    left_out: Mapping[str, str]
    missing: Mapping[str, bool]
    root: str
    notices: tuple[Notice, ...]
    springs: tuple[SpringDefinition, ...] = ()


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
        whys = "; ".join(f"{name}: {left_out[name]}" for name in model.roots if name in left_out)
        raise BiomecError(
            f"The model {model.name} cannot be built from this recording, because none of the segments that carry it "
            f"can be followed ({whys}). Check the mapping of the labels and the static file, or choose another model."
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
        springs=model.springs,
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
        sentences = [_are([self.words(name) for name in others if name not in self.static], "absent")]
        for name in computed:
            ways = (", ".join(self.words(need) for need in self._behind(way)) for way in self.lacking[name])
            sentences.append(f"{self.words(name)} needs {' or '.join(ways)}")
        sentences.append(_are([self.words(name) for name in others if name in self.static], "not in the dynamic trial"))
        return "; ".join(sentence for sentence in sentences if sentence)

    def _behind(self, way: tuple[str, ...], met: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """What has to be measured for a way to a point: behind a computed point, what its shortest way needs."""
        found: list[str] = []
        for need in way:
            ways = () if need in met else self.lacking.get(need, ())
            found += self._behind(min(ways, key=len), met | {need}) if ways else [need]
        return tuple(dict.fromkeys(found))

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


# -------------------------------------------------------------------------------------- no direction in the static pose


SHORTEST = 1e-3  # m: two landmarks nearer than this have no direction, because no marker is placed better
FLATTEST = 1e-2  # sine of the angle of two directions (0.6°) below which a millimetre would turn their plane at will


def degenerate_parts(
    segments: Iterable[tuple[SegmentDefinition, FrameDefinition]], joints: Iterable[JointDefinition], static: Points
) -> dict[str, str]:
    """Segments whose frame, or whose joint's axis, has no direction in the static pose, and why.

    static : landmark -> (3,) position [m]; all landmarks of the frames and axes are there
    """
    found = {}
    for segment, frame in segments:
        (name, first), (_, second) = frame.axes
        built = {name: first.unit(static, segment.sign)}
        good = _has_direction(first, static, {}) and _has_direction(second, static, built)
        if not (good and _sine(built[name], second.unit(static, segment.sign, built)) > FLATTEST):
            needed = tuple(dict.fromkeys((*first.landmarks, *second.landmarks)))
            found[segment.name] = f"its frame cannot be built, because {_flat(needed)}"
    for joint in joints:
        for axis in (joint.axis, joint.distal_axis):
            if isinstance(axis, Direction) and not _has_direction(axis, static, {}):
                why = f"its joint, {joint.name}, has no axis, because {_flat(axis.landmarks)}"
                found.setdefault(joint.distal, why)
    return found


def _has_direction(direction: Direction, static: Points, axes: Mapping[str, FloatArray]) -> bool:
    terms = [term for term in (direction.first, direction.second) if term is not None]
    vectors = [term.along(static, axes) for term in terms if term.axis or term.head]
    long = all(np.linalg.norm(vector) > SHORTEST for vector in vectors)
    return bool(long and (len(vectors) < 2 or _sine(vectors[0], vectors[1]) > FLATTEST))


def _sine(a: FloatArray, b: FloatArray) -> float:
    return float(np.linalg.norm(np.cross(a, b)) / (np.linalg.norm(a) * np.linalg.norm(b)))


def _flat(landmarks: tuple[str, ...]) -> str:
    return f"{', '.join(landmarks)} lie at one place or on a line in the static; check their labels"


# -------------------------------------------------------------------------------------------------- choice of the model


FEW = 0.5  # of a model's segments: fewer than this, and another model may have been meant
TOO_FEW = 0.25  # of a model's segments: fewer than this, and what is left tells nothing of the movement
MEASURES = "Enter these measures of the subject:"
MOST_LISTED = 10  # missing landmarks that one sentence lists


@dataclass(frozen=True, eq=False)
class Recorded:
    """What a recording offers to any model.

    static : marker -> (3,) position in the static pose [m]
    seen   : markers that the motion shows in some frame; None for all of the static pose
    alone  : file of the movement of which a frame stands in for the static pose; empty where there is a static
    """

    static: Mapping[str, FloatArray]
    marker_set: MarkerSet
    subject: Subject
    seen: Iterable[str] | None = None
    alone: str = ""

    def refusal(self, model: BodyModel) -> str:
        """Return why a model cannot be used for the recording, in a few words; nothing if it can."""
        parts = self._parts(model)
        if parts is None:
            return "the recording shows none of the segments that carry it"
        if next_to_nothing(model, parts):
            return f"only {len(parts.segments)} of its {len(model.segments)} segments can be followed"
        return ""

    def segments_kept(self, model: BodyModel) -> int:
        """Return how many segments of a model can be followed in static pose and motion."""
        parts = self._parts(model)
        return 0 if parts is None else len(parts.segments)

    def _parts(self, model: BodyModel) -> Available | None:
        """Return what can be followed of a model; None if the recording shows none of the segments that carry it."""
        landmarks = recorded_landmarks(self.static, self.marker_set)
        measures, _ = known_measures(self.subject, landmarks)
        stored = static_only(model, self.static, self.marker_set, self.seen)
        landmarks = {name: point for name, point in landmarks.items() if name not in stored}
        plan = plan_points(model, landmarks, measures)
        static = plan.at_static(landmarks, measures)
        motion = points_in_motion(plan, static, self.static, self.marker_set, self.seen, measures)
        try:
            return available_parts(model, set(static), set(motion), plan.lacking)
        except BiomecError:
            return None


def check_model(model: BodyModel, parts: Available, recorded: Recorded, words: Callable[[str], str]) -> list[Notice]:
    """Refuse a model of which next to nothing can be followed; name the shipped one that keeps more, if most is lost.

    ``words`` writes a landmark.
    """
    kept, all_of_them = len(parts.segments), len(model.segments)
    if kept >= FEW * all_of_them:
        return []
    shipped = [load_model(name) for name in shipped_models() if name != model.name]
    others = [other for other in shipped if (model.aids or not other.aids) and (model.planar or not other.planar)]
    found = {(recorded.segments_kept(other), -len(other.segments)): other.name for other in others}
    (most, _), best = max(found.items())
    worth = most > kept and most >= FEW * len(load_model(best).segments)
    better = f"the model {best} would keep {most}" if worth else ""
    if next_to_nothing(model, parts):
        names = ", ".join(segment.name for segment, _ in parts.segments)
        static = recorded.alone and not all(in_static or is_measure(name) for name, in_static in parts.missing.items())
        checked = (
            "the marker set and the labels"
            if static
            else ("the marker set, the labels and whether the static is of the same person and markers")
        )
        advice = f"{better[0].upper()}{better[1:]}: choose it, or check" if better else "Check"
        if static and not better:
            advice = "Give the static acquisition, or check"
        raise BiomecError(
            f"The model {model.name} does not suit this recording: of its {all_of_them} segments only {kept} can be "
            f"followed ({names}).{_missing(parts, words, recorded.alone)} To use so little of the model, leave its "
            f"other segments out on request. {advice} {checked}.",
            ("model", best) if better else ("static", "") if static else None,
        )
    if not better:
        return []
    sentence = (
        f"Only {kept} of the {all_of_them} segments of the model {model.name} can be followed in this recording; "
        f"{better}."
    )
    return [warning("other-model-fits-better", sentence, best)]


def next_to_nothing(model: BodyModel, parts: Available) -> bool:
    """Whether too little of a model can be followed: one of three or more segments, or fewer than a quarter of them.

    Of a recording of one side it is a quarter of that side and the midline.
    """
    kept = len(parts.segments)
    return len(model.segments) >= 3 and (kept == 1 or kept < TOO_FEW * _meant(model, parts))


def _meant(model: BodyModel, parts: Available) -> int:
    """Return how many segments a recording is about: without the left side if only the right one is followed."""
    sides = {segment.side for segment, _ in parts.segments} - {None}
    return sum(len(sides) != 1 or segment.side is None or segment.side in sides for segment in model.segments)


def _missing(parts: Available, words: Callable[[str], str], alone: str) -> str:
    """Sentences about what is missing: landmarks in the static and in the motion, measures of the person."""
    static = "The static pose lacks"
    if alone:
        static = f"No static was found beside {alone}; the movement, which stands in for it, lacks"
    lists: dict[str, list[str]] = {}
    for name, in_static in parts.missing.items():
        where = MEASURES if is_measure(name) else static
        lists.setdefault("The dynamic trial lacks" if in_static else where, []).append(words(name))
    sentences = ""
    for what, names in sorted(lists.items(), key=lambda one: one[0] != MEASURES):  # what can be done at once first
        more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
        sentences += f" {what} {', '.join(names[:MOST_LISTED])}{more}."
    return sentences
