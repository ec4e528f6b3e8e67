"""Whether a model suits a recording, and which of the shipped ones suits it better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, warning
from biomec.body.anatomy.availability import Available, available_parts
from biomec.body.anatomy.landmark_words import is_measure
from biomec.body.anatomy.landmarks import plan_points, points_in_motion, recorded_landmarks
from biomec.body.anatomy.measures import known_measures
from biomec.body.anatomy.model import BodyModel
from biomec.body.anatomy.model_file import load_model, shipped_models
from biomec.recording import Subject
from biomec.recording.marker_set import MarkerSet

FEW = 0.5  # of a model's segments: fewer than this, and another model may have been meant
TOO_FEW = 0.25  # of a model's segments: fewer than this, and what is left tells nothing of the movement
MOST_TOLD = 10  # missing landmarks that one sentence lists


@dataclass(frozen=True, eq=False)
class Recorded:
    """What a recording offers to any model.

    static : marker -> (3,) position in the static pose [m]
    seen   : markers that the motion shows in some frame; None for all of the static pose
    """

    static: Mapping[str, FloatArray]
    marker_set: MarkerSet
    subject: Subject
    seen: Iterable[str] | None = None

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
        measures, _ = known_measures(self.subject, landmarks, model)
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
    others = [load_model(name) for name in shipped_models() if name != model.name]
    found = {(recorded.segments_kept(other), -len(other.segments)): other.name for other in others}
    (most, _), best = max(found.items())
    better = f"the model {best} would keep {most}" if most > kept else ""
    if next_to_nothing(model, parts):
        names = ", ".join(segment.name for segment, _ in parts.segments)
        advice = f"{better[0].upper()}{better[1:]}: choose it, or check" if better else "Check"
        raise BiomecError(
            f"The model {model.name} does not suit this recording: of its {all_of_them} segments only {kept} can be "
            f"followed ({names}).{_told(parts, words)} {advice} the marker set, the labels and whether the static is "
            f"of the same person and markers. To use so little of the model, leave its other segments out on request.",
            ("model", best) if better else None,
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


def _told(parts: Available, words: Callable[[str], str]) -> str:
    """Sentences about what is missing: landmarks in the static and in the motion, measures of the person."""
    lists: dict[str, list[str]] = {}
    for name, in_static in parts.missing.items():
        where = "Enter these measures of the subject:" if is_measure(name) else "The static pose lacks"
        lists.setdefault("The dynamic trial lacks" if in_static else where, []).append(words(name))
    told = ""
    for what, names in lists.items():
        more = f" and {len(names) - MOST_TOLD} more" if len(names) > MOST_TOLD else ""
        told += f" {what} {', '.join(names[:MOST_TOLD])}{more}."
    return told
