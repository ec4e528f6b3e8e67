"""Rows of the heat map: which muscles, in which order, over time or over the cycle, with EMG beside them. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.muscles.emg_comparison import (
    MeasuredActivation,
    measured_activation,
    proposed_muscles,
)
from biomec.body.muscles.muscle_set import Muscle
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.muscle_cycles import cycles_of_side
from biomec.signals import Cycles
from biomec_app.features.muscles.readings import MuscleReadings, readings_of

TIME, CYCLE = "time", "cycle"
BY_SET, BY_ACTIVITY, BY_NAME = "set", "activity", "name"
ORDERS = {BY_SET: "Body order", BY_ACTIVITY: "Most active", BY_NAME: "By name"}
SAMPLES = 101


@dataclass(frozen=True, eq=False)
class HeatRow:
    """A muscle.

    values : (N,) activation, 0 to 1, over the axis;  mean, peak : over the whole recording
    emg    : (N,) measured activation over its own maximum; None without
    dim    : it is not drawn in the 3-D view
    """

    muscle: str
    label: str
    side: str
    values: FloatArray
    peak: float
    emg: FloatArray | None = None
    dim: bool = False


@dataclass(frozen=True)
class MuscleFilter:
    """Which muscles are listed, and how.

    words : that their names must hold;  side : "right", "left" or "" for both;  group : "" for all
    """

    words: str = ""
    side: str = ""
    group: str = ""
    order: str = BY_SET
    over: str = TIME

    def listed(self, readings: MuscleReadings) -> list[int]:
        """Numbers of the muscles that are listed, in their order."""
        wanted = self.words.casefold().split()
        found = []
        for m, one in enumerate(readings.muscles):
            text = f"{one.sided_title} {one.group} {one.name} {one.region}".casefold()
            side = one.side.value if one.side is not None else ""
            fits = (not self.side or side == self.side) and (not self.group or one.group == self.group)
            if fits and all(word in text for word in wanted):
                found.append(m)
        if self.order == BY_NAME:
            found.sort(key=lambda m: (readings.muscles[m].title, readings.muscles[m].name))
        elif self.order == BY_ACTIVITY:
            mean = means(readings)
            found.sort(key=lambda m: -mean[m])
        return found


def means(readings: MuscleReadings) -> FloatArray:
    """(M,) mean activations over the solved frames."""
    known = readings.forces.activation[np.isfinite(readings.forces.activation).all(axis=1)]
    return known.mean(axis=0) if len(known) else np.zeros(len(readings.muscles))


@dataclass(frozen=True, eq=False)
class EmgBeside:
    """Measured activations, and which channel each element has."""

    measured: MeasuredActivation
    channels: Mapping[str, tuple[str, ...]]

    def of(self, muscle: str) -> FloatArray | None:
        """(T,) of an element, over its own maximum; None without a channel."""
        for channel, names in self.channels.items():
            if muscle in names:
                level = self.measured.activation[:, self.measured.channels.index(channel)]
                highest = float(np.nanmax(level, initial=0.0)) if np.isfinite(level).any() else 0.0
                return np.asarray(level / highest) if highest > 0.0 else level
        return None


def emg_beside(analysis: Analysis) -> EmgBeside | None:
    """EMG of the recording on the frames of the muscles; None without EMG whose channels are known muscles."""
    emg = analysis.session.dynamic.emg
    if emg is None:
        return None
    readings = readings_of(analysis)
    reading, options = analysis.settings.emg, analysis.settings.muscles.emg
    channels = proposed_muscles(reading.table.assigned(emg.names), readings.muscles)
    if not channels:
        return None
    measured = measured_activation(
        emg, readings.forces.frames, readings.rate_hz, options, reading.mvc, reading.mvc_from
    )  # fmt: skip
    return EmgBeside(measured, channels)


def cycles_of(analysis: Analysis, muscle: Muscle) -> Cycles | None:
    """Cycles over which a muscle is averaged: those of its side that count for its joints; None without any."""
    return cycles_of_side(analysis, (muscle.name,), muscle.side.value if muscle.side is not None else "")


def cycle_words(analysis: Analysis, muscle: Muscle) -> str:
    """How many cycles the mean of a muscle is of."""
    return words_of(cycles_of(analysis, muscle), "its joints")


def words_of(cycles: Cycles | None, whom: str) -> str:
    """How many cycles count, and what their ground reaction is if it was not measured."""
    count = 0 if cycles is None else int(cycles.valid.sum())
    if cycles is None or not count:
        return f"No cycle has loads that count for {whom}."
    source = f", ground reaction {cycles.source}" if cycles.source else ""
    return f"Mean of {count} cycle{'s' if count > 1 else ''}{source}."


def has_cycles(analysis: Analysis) -> bool:
    """Whether any cycle counts."""
    return "cycles" in analysis.done and any(one.valid.any() for one in analysis.cycles.groups.values())


def over_cycle(values: FloatArray, cycles: Cycles | None) -> FloatArray:
    """(`SAMPLES`,) mean of a course (T,) over the valid cycles; NaN without any."""
    if cycles is None:
        return np.full(SAMPLES, np.nan)
    spans = cycles.spans[cycles.valid]
    found = [np.interp(np.linspace(a, b, SAMPLES), np.arange(len(values)), values) for a, b in spans
             if b < len(values) and np.isfinite(values[a : b + 1]).all()]  # fmt: skip
    return np.mean(found, axis=0) if found else np.full(SAMPLES, np.nan)


def place_in_cycle(cycles: Cycles | None, frame: int) -> float | None:
    """Where a frame lies in its cycle, 0 to 1; None where it lies in none."""
    if cycles is None:
        return None
    return next((float((frame - a) / (b - a)) for a, b in cycles.spans.tolist() if a <= frame <= b and b > a), None)


def heat_rows(
    analysis: Analysis, chosen: MuscleFilter, hidden: frozenset[str], emg: EmgBeside | None
) -> tuple[HeatRow, ...]:
    """Rows of the muscles that are listed."""
    readings = readings_of(analysis)
    level = readings.forces.activation
    rows = []
    for m in chosen.listed(readings):
        one = readings.muscles[m]
        course, measured = level[:, m], emg.of(one.name) if emg is not None else None
        known = course[np.isfinite(course)]
        if chosen.over == CYCLE:
            cycles = cycles_of(analysis, one)
            course = over_cycle(course, cycles)
            measured = over_cycle(measured, cycles) if measured is not None else None
        rows.append(HeatRow(
            one.name, one.title, one.side.value if one.side is not None else "", course,
            float(known.max(initial=0.0)), measured, one.group in hidden,
        ))  # fmt: skip
    return tuple(rows)
