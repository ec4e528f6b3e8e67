"""One way of doing a movement: its joint loads over all valid cycles, of one person or of several.

Loads of an analysis become a condition to compare, an exercise to rank, and peaks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.body.loads.joint_stress import joint_stress
from biomec.body.loads.load_components import LoadReading
from biomec.body.loads.load_statistics import MEASURES, JointPeaks, joint_peaks, load_statistics, mean_and_deviation
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_cycles import LoadCycles, load_cycles
from biomec.pipeline.load_reading import chosen_loads, chosen_power, motion_of_loads, read_loads
from biomec.reporting.statistics.load_ranking import ExerciseLoad, exercise_load
from biomec.signals.cycle_average import PERCENT_POINTS, resample_spans

CYCLES, PEOPLE = "cycles", "people"


@dataclass(frozen=True, eq=False)
class LoadCondition:
    """Curves and numbers of repeated loads; arrays are read-only, NaN where a repetition misses a curve.

    title    : what it is called, such as "open grip"
    names, units : (C,) of the curves
    percent  : (N,) 0 to 100 % of the cycle
    curves   : (K, N, C) of every repetition
    measures : measure -> (K, C): peak, highest, lowest, mean, rms, impulse
    sample   : what the K repetitions are, "cycles" of one person or "people"
    """

    title: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    percent: FloatArray
    curves: FloatArray
    measures: Mapping[str, FloatArray]
    sample: str

    def __len__(self) -> int:
        return len(self.curves)

    @property
    def mean(self) -> FloatArray:
        """(N, C) over the repetitions that have the curve."""
        return mean_and_deviation(self.curves)[0]

    @property
    def sd(self) -> FloatArray:
        """(N, C) sample standard deviation; NaN for fewer than two."""
        return mean_and_deviation(self.curves)[1]


def condition(
    title: str,
    names: Sequence[str],
    units: Sequence[str],
    values: ArrayLike,
    spans: ArrayLike,
    rate_hz: float,
    samples: int | None = PERCENT_POINTS,
    counted: BoolArray | None = None,
) -> LoadCondition:
    """Gather the cycles of one recording.

    values  : (T, C);  spans : (K, 2) first and last frame of the cycles
    counted : (K, C) cycles that count for a curve; all, if not given
    samples : of the curves; None for the mean of the longest and the shortest cycle, as `resample_spans`
    """
    numbers = load_statistics(names, values, spans, rate_hz)
    curves = resample_spans(values, spans, samples)
    kept = np.ones((len(curves.curves), len(names)), dtype=np.bool_) if counted is None else counted
    measures = {measure: read_only(np.where(kept, getattr(numbers, measure), np.nan)) for measure in MEASURES}
    shown = read_only(np.where(kept[:, None], curves.curves, np.nan))
    return LoadCondition(title, tuple(names), tuple(units), curves.percent, shown, FrozenDict(measures), CYCLES)


def over_people(title: str, people: Sequence[LoadCondition]) -> LoadCondition:
    """Make one condition of several people: every person counts once, by the mean of their cycles."""
    if not people:
        raise BiomecError(f"{title}: there is nobody to average over.")
    first = people[0]
    for other in people[1:]:
        same_units(first, other)
    curves = np.stack([one.mean for one in people])
    measures = FrozenDict(
        {
            measure: read_only(np.stack([mean_and_deviation(one.measures[measure])[0] for one in people]))
            for measure in MEASURES
        }
    )
    return LoadCondition(title, first.names, first.units, first.percent, read_only(curves), measures, PEOPLE)


def same_units(one: LoadCondition, other: LoadCondition) -> None:
    """Refuse conditions whose curves cannot be compared."""
    if (one.names, one.units) != (other.names, other.units):
        raise BiomecError(
            f"{one.title} and {other.title} hold different loads or units. Read both in the same axes and units, of "
            "the same body model."
        )
    if len(one.percent) != len(other.percent):
        raise BiomecError(
            f"{one.title} has curves of {len(one.percent)} samples, {other.title} of {len(other.percent)}; resample "
            f"both to {PERCENT_POINTS}."
        )


def loads_over_cycles(
    analysis: Analysis, title: str, reading: LoadReading | None = None, joints: Sequence[str] = (), side: str = ""
) -> LoadCondition:
    """Loads over the valid cycles of an analysis, as one condition of a comparison.

    reading : as the settings choose, if not given
    joints  : only these; all if none is named
    side   : whose cycles count, where both sides have their own; without it the first that has a valid one
    """
    spans, counting = valid_spans(analysis, title, side)
    curves = read_loads(analysis, reading)
    if joints:
        loads = chosen_loads(analysis)
        there = [loads.joints[loads.index(name)] for name in joints]
        curves = curves.chosen(name for name, joint in zip(curves.names, curves.joint, strict=True) if joint in there)
    counted = _counted(counting, curves.joint)
    if not counted.any():
        raise BiomecError(
            f"{title} has no cycle in which the ground reaction of these joints was measured, so that its loads cannot "
            "be compared over cycles."
        )
    rate = analysis.signals.trial.rate_hz
    return condition(title, curves.names, curves.units, curves.values, spans, rate, counted=counted)


def exercise_of(analysis: Analysis, title: str) -> ExerciseLoad:
    """What a recording asks of the joints over its valid cycles, as one exercise of a ranking."""
    body, loads = analysis.body.person, chosen_loads(analysis)
    stress = joint_stress(loads, motion_of_loads(analysis), body.model, body.joint_axes())
    rate_hz, mass_kg = analysis.signals.trial.rate_hz, float(body.measures["mass"])
    spans, counting = valid_spans(analysis, title)
    return exercise_load(title, loads, stress, spans, rate_hz, mass_kg, _counted(counting, stress.joints))


def peaks_of(analysis: Analysis) -> tuple[JointPeaks, ...]:
    """Peaks of the loads, joint by joint, over the frames in which they can be used."""
    return joint_peaks(chosen_loads(analysis), chosen_power(analysis).joint, analysis.loads.trust)


def refuse_unlike(analyses: Mapping[str, Analysis]) -> None:
    """Raise a sentence if the ribs bear the scapulae in some of these analyses only: their loads are not alike."""
    borne = {title: bool(chosen_loads(one).contacts) for title, one in analyses.items()}
    if len(set(borne.values())) > 1:
        with_ribs, without = (", ".join(t for t, there in borne.items() if there is one) for one in (True, False))
        raise BiomecError(
            f"{with_ribs} has loads with the contacts of the scapulae on the ribs, {without} without them. Compute "
            "both in the same way (--joints, or Keep All Joint Constraints) before they are compared."
        )


def _counted(counting: LoadCycles, joints: Sequence[str]) -> BoolArray:
    """(K, C) valid cycles that count for the joints of C curves: measured ones, estimated ones where none is."""
    valid = counting.cycles.valid
    return np.stack([counting.best(joint)[valid] for joint in joints], axis=1)


def valid_spans(analysis: Analysis, title: str, side: str = "") -> tuple[IntArray, LoadCycles]:
    """First and last frame (K, 2) of the valid cycles of a side, or of the first side that has one, and which count."""
    cycles = analysis.cycles.groups
    wanted = [side] if side else [name for name, one in cycles.items() if one.valid.any()]
    if not wanted or wanted[0] not in cycles or not cycles[wanted[0]].valid.any():
        raise BiomecError(f"{title} has no valid cycle, so that its loads cannot be compared over cycles.")
    chosen = cycles[wanted[0]]
    return np.asarray(chosen.spans)[np.asarray(chosen.valid)], load_cycles(analysis)[wanted[0]]
