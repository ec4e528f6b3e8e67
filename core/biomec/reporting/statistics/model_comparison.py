"""The same recording by two body models: what a simpler or richer model changes in the angles."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.body.anatomy.model_file import load_model, shipped_models
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.steps.body import recorded_for_models
from biomec.reporting.statistics.angle_ranges import AngleError, angle_errors
from biomec.signals import resample_cycles

LAST_STEP = "angles"


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """Two analyses that differ in nothing but the model.

    names       : angles that both have
    own, other  : (T, A) [rad]; NaN in frames that a model does not solve
    differences : other − own of every angle over the frames that both have
    percent     : (N,) of the cycle; empty without valid cycles
    own_cycle, other_cycle : (N, A) means over the cycles of the first model that are valid in it [rad]
    """

    own_model: str
    other_model: str
    names: tuple[str, ...]
    time_s: FloatArray
    own: FloatArray
    other: FloatArray
    differences: tuple[AngleError, ...]
    percent: FloatArray
    own_cycle: FloatArray
    other_cycle: FloatArray


def other_models(analysis: Analysis) -> dict[str, str]:
    """Shipped model that is not the one in use -> why it cannot be used for the recording; nothing if it can.

    Those that can be used come first, the one nearest in its number of segments to the model in use at the head.
    """
    loaded = analysis.body
    recorded = recorded_for_models(analysis.preparation, analysis.signals, loaded.subject)
    own = loaded.person.model
    models = [load_model(name) for name in shipped_models() if name != own.name]
    reasons = {model.name: recorded.refusal(model) for model in models}
    models.sort(key=lambda model: (bool(reasons[model.name]), abs(len(model.segments) - len(own.segments))))
    return {model.name: reasons[model.name] for model in models}


def compare_models(analysis: Analysis, model: str, progress: Progress | None = None) -> ModelComparison:
    """Run the analysis again with another model, and lay its angles beside those that are there."""
    own_name = analysis.body.person.model.name
    settings = analysis.settings
    again = analysis.with_settings(replace(settings, body=replace(settings.body, model=model)))
    again = again.run_until(LAST_STEP, progress)
    other_name = again.body.person.model.name
    names = tuple(name for name in analysis.angles.names if name in again.angles)
    if not names:
        raise BiomecError(f"The models {own_name} and {other_name} have no angle in common.")
    own, other = (np.stack([one.angles[name] for name in names], axis=1) for one in (analysis, again))
    wanted = set(names)
    found = tuple(error for error in angle_errors(again.angles, analysis.angles) if error.name in wanted)
    percent, means = np.empty(0), [np.empty((0, len(names)))] * 2
    cycles = next(iter(analysis.cycles.groups.values()), None) if "cycles" in analysis.done else None
    if cycles is not None and cycles.valid.any():
        resampled = [resample_cycles(cycles, values) for values in (own, other)]
        percent, means = resampled[0].percent, [one.mean for one in resampled]
    time = analysis.signals.trial.time_s
    return ModelComparison(own_name, other_name, names, time, own, other, found, percent, means[0], means[1])
