"""Time and distance on paper: the section of the report, and the file of all strides."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from biomec.pipeline.analysis import Analysis
from biomec.pipeline.steps.cycles import SIDES
from biomec.reporting.statistics.time_and_distance import (
    BOTH,
    OF_MEANS,
    PARAMETERS,
    TimeAndDistance,
    time_and_distance,
)
from biomec.reporting.tables import NOTHING, Section, Table, number, table_text, with_spread
from biomec.signals.gait_parameters import TURN_DEG, StrideKind

TIME_AND_DISTANCE = "Time and distance"
CAPTIONS = {
    StrideKind.STRAIGHT: "Straight strides",
    StrideKind.TURN: "Strides in a turn",
    StrideKind.STAIRS: "Strides on stairs or a ramp",
}
NOTES = {
    StrideKind.STRAIGHT: (
        "Mean ± SD over strides. Shares are of the side's own stride. Step width: from the other heel's landing place, "
        "across the way; to the line of the stride: distance of the other heel from the line through two landings. "
        "Right / left: 100 ln(right / left)."
    ),
    StrideKind.TURN: (
        f"The heading changes by more than {TURN_DEG:.0f}° over the stride. Steps are measured along the tangent of "
        "the path midway between their footfalls. No norm applies."
    ),
    StrideKind.STAIRS: "Step length is the depth of a step, step height its rise. Norms of level walking do not apply.",
}
ONLY_FOR = {"step_height": (StrideKind.STAIRS,), "turn": (StrideKind.TURN,)}
"""Figures that are shown for some kinds of strides only; the file has them for all."""


def time_and_distance_section(analysis: Analysis) -> Section | None:
    """What is said about time and distance; None without a stride."""
    found = time_and_distance(analysis)
    return None if found is None else section_of(found)


def section_of(found: TimeAndDistance) -> Section:
    """Sentences about the strides that count, then a table for each kind of strides."""
    sentences = [_counted(found.counts)]
    sentences += [notice.sentence for notice in found.notices]
    if found.belt_m_s:
        sentences.append("Norms of walking over ground do not apply on a treadmill.")
    sentences += [
        f"{one.side} stride {one.number} ({one.start_s:.2f} to {one.end_s:.2f} s) {words}."
        for one in found.strides
        for words in ([f"does not count: {one.why}"] if one.why else [f"is {one.mark}"] if one.mark else [])
    ]
    if any(found.spread("flight", BOTH, kind) for kind in found.kinds):
        sentences.append("There is flight in place of double support: the person runs.")
    return Section(TIME_AND_DISTANCE, tuple(sentences), tuple(_table(found, kind) for kind in found.kinds))


def _counted(counts: Mapping[str, Mapping[str, int]]) -> str:
    """How many strides count for what: they differ."""
    parts = [f"{what} {of['Right']} right, {of['Left']} left" for what, of in counts.items()]
    return f"Strides that count: {'; '.join(parts)}."


def _table(found: TimeAndDistance, kind: StrideKind) -> Table:
    rows = []
    for key, parameter in PARAMETERS.items():
        if kind not in ONLY_FOR.get(key, (kind,)):
            continue
        spreads = [found.spread(key, side, kind) for side in (*SIDES, BOTH)]
        if not any(spreads):
            continue
        cells = [NOTHING if one is None else with_spread(one.mean, one.sd, parameter.digits) for one in spreads]
        unit = "" if parameter.unit == "1" else f" [{parameter.unit}]"
        rows.append((parameter.title + unit, *cells, number(found.symmetry(key, kind), 1)))
    columns = ("", *SIDES, "Both", "Right / left [%]")
    return Table(CAPTIONS[kind], columns, tuple(rows), NOTES[kind])


def time_and_distance_csv(analysis: Analysis) -> str | None:
    """Text of `time_and_distance.csv`; None without a stride."""
    found = time_and_distance(analysis)
    return None if found is None else csv_of(found)


def csv_of(found: TimeAndDistance) -> str:
    """One row a stride; then mean, SD, coefficient of variation and number of each side and of both; then symmetry."""
    keys = tuple(PARAMETERS)
    heads: list[list[str | int]] = []
    values: list[list[float]] = []
    for one in found.strides:
        words = one.why or one.mark or ("step without a whole stride" if one.number is None else "")
        times = [f"{one.start_s:.6f}", f"{one.end_s:.6f}"]
        heads.append([one.side, str(one.kind), "" if one.number is None else one.number, *times, words])
        values.append([one.values.get(key, math.nan) for key in keys])
    for kind in found.kinds:
        for side in (*SIDES, BOTH):
            spreads = [found.spread(key, side, kind) for key in keys]
            for what, name in (("mean", "mean"), ("sd", "sd"), ("cv (%)", "cv_percent"), ("n", "count")):
                heads.append([side, str(kind), what, "", "", ""])
                values.append([math.nan if one is None else float(getattr(one, name)) for one in spreads])
        heads.append(["right / left", str(kind), "100 ln(right / left) (%)", "", "", ""])
        values.append([found.symmetry(key, kind) for key in keys])
    columns = ["side", "kind", "stride", "start_s", "end_s", "remark", *(_heading(key) for key in keys)]
    return table_text(columns, heads, np.array(values))


def _heading(key: str) -> str:
    parameter = PARAMETERS[key]
    per = ", of means" if key in OF_MEANS else ""
    return f"{parameter.title} ({parameter.unit}{per})"
