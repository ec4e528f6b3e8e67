"""How far the joints move, side by side: the same angle of right and left in one row, its range, their difference.

The same recording by two body models shows what a simpler or richer model changes in the angles.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.body.anatomy.model_file import load_model, shipped_models
from biomec.body.kinematics.joint_angles import JointAngles
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.steps.body import recorded_for_models
from biomec.recording.marker_set import Side
from biomec.reporting.statistics.model_effort import ModelEffort, model_effort
from biomec.signals import resample_cycles
from biomec.signals.cycle_average import CycleCurves

CYCLES_OF = {Side.RIGHT: ("Right", "both"), Side.LEFT: ("Left", "both"), None: ("both", "Right", "Left")}
"""Side of an angle -> cycles whose curves show it, the preferred ones first."""
SEGMENTS_OF = {
    "sternoclavicular": "clavicle",
    "scapulothoracic": "scapula",
    "shoulder": "humerus to thorax",
    "glenohumeral": "humerus to scapula",
    "radioulnar": "forearm",
    "lumbar": "thorax to pelvis",
    "neck": "head to thorax",
}
"""Joint -> what turns in it, where that says more than the joint's name."""


@dataclass(frozen=True)
class AngleRow:
    """One angle, of both sides where it has sides.

    joint              : without its side, such as "elbow"
    positive, negative : names of the two directions
    right, left, middle : name of the angle on that side, or None
    """

    joint: str
    positive: str
    negative: str
    right: str | None = None
    left: str | None = None
    middle: str | None = None

    @property
    def title(self) -> str:
        """What turns, for people: "Elbow", "Clavicle" …"""
        words = SEGMENTS_OF.get(self.joint, self.joint)
        return words[:1].upper() + words[1:]

    @property
    def directions(self) -> str:
        """Both directions with their signs, which a line break does not part: "flexion + / extension −"."""
        return f"{self.positive}\N{NO-BREAK SPACE}+ / {self.negative}\N{NO-BREAK SPACE}−"

    @property
    def sides(self) -> dict[Side | None, str]:
        """Side -> name of the angle, for the sides that have it."""
        named = {Side.RIGHT: self.right, Side.LEFT: self.left, None: self.middle}
        return {side: name for side, name in named.items() if name is not None}


@dataclass(frozen=True)
class AngleRange:
    """Lowest and highest angle, and what lies between [rad]; over cycles their means.

    spread : standard deviation of the range over the cycles; NaN for fewer than two
    cycles : cycles behind it; 0 where the whole recording was taken
    """

    lowest: float
    highest: float
    range: float
    spread: float
    cycles: int


@dataclass(frozen=True)
class AngleError:
    """Difference of an angle from the true one over the frames that have both [rad].

    rms, largest : root mean square and largest magnitude
    offset       : mean
    """

    name: str
    rms: float
    largest: float
    offset: float
    frames: int


def angle_rows(angles: JointAngles) -> tuple[AngleRow, ...]:
    """Angles of right and left in one row each, in the order in which they first come."""
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for name, joint, side, positive, negative in zip(
        angles.names, angles.joint, angles.side, angles.positive, angles.negative, strict=True
    ):
        stem = joint if side is None else joint.removeprefix(f"{side.value} ")
        place = "middle" if side is None else side.value
        found.setdefault((stem, positive, negative), {})[place] = name
    return tuple(AngleRow(*key, **names) for key, names in found.items())


def cycle_sides(names: Container[str], side: Side | None) -> tuple[Side | None, ...]:
    """Sides whose cycles show a signal: its own. One of the midline, such as the pelvis, is shown once for each side.

    names : of the groups of cycles that there are
    """
    if side is not None:
        return (side,)
    return tuple(one for one in (Side.RIGHT, Side.LEFT) if CYCLES_OF[one][0] in names) or (None,)


def cycle_curves(curves: Mapping[str, CycleCurves], side: Side | None) -> CycleCurves | None:
    """Curves of the cycles that an angle of that side is judged by: those of its own side, or those of both."""
    return next((curves[name] for name in CYCLES_OF[side] if name in curves), None)


def angle_range(
    angles: JointAngles, name: str, curves: Mapping[str, CycleCurves] | None = None, side: Side | None = None
) -> AngleRange:
    """Range of an angle: the mean over valid cycles of what each spans, or the span of the recording without cycles.

    With K cycles, range = Σ_k (max_k − min_k) / K; its spread is the sample standard deviation.
    NaN frames and cycles do not count; all is NaN where nothing is left.
    """
    if name not in angles:
        raise BiomecError(f"There is no angle {name}; there are {', '.join(angles.names) or 'none'}.")
    chosen = cycle_curves(curves or {}, side)
    if chosen is not None:
        whole = np.asarray(chosen.curves[:, :, angles.names.index(name)])  # (K, N)
        whole = whole[np.isfinite(whole).all(axis=1)]
        if len(whole):
            low, high = whole.min(axis=1), whole.max(axis=1)
            spread = float((high - low).std(ddof=1)) if len(whole) > 1 else float("nan")
            return AngleRange(float(low.mean()), float(high.mean()), float((high - low).mean()), spread, len(whole))
    column = _finite(angles[name])
    if not column.size:
        return AngleRange(*(float("nan"),) * 4, 0)
    low_, high_ = float(column.min()), float(column.max())
    return AngleRange(low_, high_, high_ - low_, float("nan"), 0)


def angle_errors(angles: JointAngles, truth: JointAngles) -> tuple[AngleError, ...]:
    """Errors of all angles that the truth knows too, as angle − truth, wrapped into ±180°."""
    if len(angles.values) != len(truth.values):
        raise BiomecError(f"The angles have {len(angles.values)} frames, but the truth has {len(truth.values)}.")
    found = []
    for name in angles.names:
        if name not in truth:
            continue
        turn = angles[name] - truth[name]
        error = _finite(np.asarray(turn - 2.0 * np.pi * np.round(turn / (2.0 * np.pi))))
        if error.size:
            rms, largest, offset = np.sqrt(np.mean(error**2)), np.abs(error).max(), error.mean()
            found.append(AngleError(name, float(rms), float(largest), float(offset), int(error.size)))
    return tuple(found)


def _finite(values: FloatArray) -> FloatArray:
    return np.asarray(values[np.isfinite(values)])


# ------------------------------------------------------------------------------------- the same recording by two models


LAST_STEP = "angles"


@dataclass(frozen=True, eq=False)
class ModelComparison:
    """Two analyses that differ in nothing but the model.

    names       : angles that both have
    own, other  : (T, A) [rad]; NaN in frames that a model does not solve
    differences : other − own of every angle over the frames that both have
    percent     : (N,) of the cycle; empty without valid cycles
    own_cycle, other_cycle : (N, A) means over the cycles of the first model that are valid in it [rad]
    efforts     : what consistency took with each model, and how far it moved the jugular notch
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
    efforts: tuple[ModelEffort, ModelEffort]


def other_models(analysis: Analysis) -> dict[str, str]:
    """Shipped model that is not the one in use -> why it cannot be used for the recording; nothing if it can.

    Those that can be used come first, the one nearest in its number of segments to the model in use at the head.
    """
    loaded = analysis.body
    recorded = recorded_for_models(analysis.preparation, analysis.signals, loaded.subject)
    own = loaded.person.model
    shipped = [load_model(name) for name in shipped_models() if name != own.name]
    models = [model for model in shipped if own.aids or not model.aids]
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
        points = settings.cycles.points
        resampled = [resample_cycles(cycles, values, points) for values in (own, other)]
        percent, means = resampled[0].percent, [one.mean for one in resampled]
    time = analysis.signals.trial.time_s
    efforts = model_effort(own_name, analysis.positions), model_effort(other_name, again.positions)
    return ModelComparison(own_name, other_name, names, time, own, other, found, percent, means[0], means[1], efforts)
