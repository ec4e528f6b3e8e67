"""One way of doing a movement: its joint loads over all cycles, of one person or of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.body.loads.load_statistics import MEASURES, load_statistics, mean_and_deviation
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
) -> LoadCondition:
    """Gather the cycles of one recording.

    values  : (T, C);  spans : (K, 2) first and last frame of the cycles
    samples : of the curves; None for the mean of the longest and the shortest cycle, as `resample_spans`
    """
    numbers = load_statistics(names, values, spans, rate_hz)
    curves = resample_spans(values, spans, samples)
    measures = FrozenDict({measure: np.asarray(getattr(numbers, measure)) for measure in MEASURES})
    return LoadCondition(title, tuple(names), tuple(units), curves.percent, curves.curves, measures, CYCLES)


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
