"""Loads of an analysis over its cycles in numbers: peak, RMS, impulse and work of every valid cycle, mean and SD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.body.loads.load_statistics import load_statistics, mean_and_deviation
from biomec.body.loads.power import joint_work
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_reading import chosen_power, read_loads
from biomec.reporting.table_text import table_text

MEASURES = ("peak", "peak_percent", "highest", "lowest", "mean", "rms", "impulse")
HEAD = ("cycles", "cycle", "first frame", "last frame", "joint", "load", "method", "axes", "sign", "unit")
COLUMNS = (
    "peak", "peak at (% of the cycle)", "highest", "lowest", "mean", "rms", "impulse (unit s)", "work delivered (J)",
    "work taken up (J)", "frames that can be used (%)",
)  # fmt: skip


def load_statistics_csv(analysis: Analysis) -> str:
    """One row a load and valid cycle, by its number among all cycles, then mean and standard deviation over them.

    Loads are the components of `loads.csv`, and the power of every joint, whose impulse is its net work.
    """
    rows, values = [], []
    for head, numbers in _rows(analysis):
        rows.append(head)
        values.append(numbers)
    return table_text([*HEAD, *COLUMNS], rows, np.array(values) if values else None)


def _rows(analysis: Analysis) -> Iterator[tuple[list[str | int], FloatArray]]:
    curves, trial, power = read_loads(analysis), analysis.signals.trial, chosen_power(analysis)
    reading = curves.reading
    read_as = (
        *((reading.method, reading.axes, reading.convention) for _ in curves.names),
        *((reading.method, "", "") for _ in power.joints),
    )
    joints = (*curves.joint, *power.joints)
    names = (*curves.names, *(f"{joint} power" for joint in power.joints))
    units = (*(unit.replace("·", " ") for unit in curves.units), *("W" for _ in power.joints))
    table = np.concatenate([curves.values, power.joint], axis=1)
    for which, cycles in analysis.cycles.groups.items():
        valid = np.flatnonzero(cycles.valid)
        if not len(valid):
            continue
        spans = np.asarray(cycles.spans)[valid]
        sizes = load_statistics(names, table, spans, trial.rate_hz)
        work = joint_work(power, spans, trial.rate_hz)
        none = np.full((len(spans), len(curves.names)), np.nan)
        delivered, taken = (np.concatenate([none, one], axis=1) for one in (work.positive, work.negative))
        usable = _usable(analysis, joints, spans)
        numbers = np.stack([*(getattr(sizes, name) for name in MEASURES), delivered, taken, usable], axis=2)
        mean, sd = mean_and_deviation(numbers)
        for c, (joint, name, how, unit) in enumerate(zip(joints, names, read_as, units, strict=True)):
            about = [joint, name, *how, unit]
            for k, (first, last) in enumerate(spans.tolist()):
                frames = (trial.first_frame + first, trial.first_frame + last)
                yield [which, int(valid[k]) + 1, *frames, *about], numbers[k, c]
            yield [which, "mean", "", "", *about], mean[c]
            yield [which, "sd", "", "", *about], sd[c]


def _usable(analysis: Analysis, joints: Sequence[str], spans: IntArray) -> FloatArray:
    """(K, C) share of the frames of a cycle in which the loads of a joint can be used [%]."""
    frames_of = analysis.loads.trust.frames_of
    return np.array(
        [[100.0 * frames_of[joint].usable[first : last + 1].mean() for joint in joints] for first, last in spans]
    )
