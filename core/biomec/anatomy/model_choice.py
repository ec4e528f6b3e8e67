"""Which of the shipped models can follow a recording, for people who chose one that cannot."""

from __future__ import annotations

from collections.abc import Iterable

from biomec.anatomy.availability import Available, available_parts
from biomec.anatomy.landmarks import Measures, plan_points
from biomec.anatomy.model import BodyModel
from biomec.anatomy.model_file import load_model, shipped_models
from biomec.errors import BiomecError
from biomec.notices import Notice, warning

FEW = 0.5  # of a model's segments: fewer than this, and another model may have been meant


def segments_kept(model: BodyModel, landmarks: Iterable[str], measures: Measures) -> int:
    """Return how many segments of a model can be built from landmarks."""
    there = set(landmarks)
    plan = plan_points(model, there, measures)
    known = there | set(plan.methods)
    try:
        return len(available_parts(model, known, known, plan.lacking).segments)
    except BiomecError:  # none of the segments that carry the model
        return 0


def better_model(model: BodyModel, parts: Available, landmarks: Iterable[str], measures: Measures) -> list[Notice]:
    """Name the shipped model that keeps most segments, if the chosen one loses more than half of its own."""
    kept, there = len(parts.segments), set(landmarks)
    if kept >= FEW * len(model.segments):
        return []
    found = {name: segments_kept(load_model(name), there, measures) for name in shipped_models()}
    best = max(found, key=lambda name: found[name])
    if found[best] <= kept:
        return []
    sentence = (
        f"Only {kept} of the {len(model.segments)} segments of the model {model.name} can be followed in this "
        f"recording; the model {best} would keep {found[best]}."
    )
    return [warning("other-model-fits-better", sentence, best)]
