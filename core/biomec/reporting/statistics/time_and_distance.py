"""Time and distance of a walk, for each cycle and side, with mean, spread and symmetry.

    cadence               120 / mean stride time                       [steps/min]
    walk ratio            mean step length / cadence                   [mm/(steps/min)]   [SekiyaNagasaki1998]
    limp index of s       (single + double support of s) / (same of the other side)
    without dimension     length / l, speed / √(g l), cadence √(l / g)  with the leg length l     [Hof1996]

What a stride and a step are, and how they are measured, stands in `signals.gait_parameters`. Strides that are straight,
in a turn, or on stairs are never averaged together. A figure that an event or a marker is missing for is missing too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, warning
from biomec.base.physics import GRAVITY
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_cycles import load_cycles
from biomec.pipeline.steps.cycles import SIDES
from biomec.reporting.statistics.symmetry import log_ratio
from biomec.signals.gait_parameters import GaitParameters, GaitStep, Stride, StrideKind, gait_parameters
from biomec.signals.kinematic_events import GaitMarkers, gait_markers, walking_direction

BOTH = "both"
FEWEST_FOR_CV = 10  # strides of a side; fewer say little about variability
SAME_BELT = 0.02  # by which the speeds of a belt may differ between recordings that are pooled
ODD_SPEED = 0.15  # from the median: first and last strides beyond it are marked as starting or stopping
OTHER = {"Right": "Left", "Left": "Right"}


@dataclass(frozen=True)
class Parameter:
    """One figure of time and distance.

    compared : whether right and left are compared by their log ratio: times and lengths
    """

    title: str
    unit: str
    digits: int
    compared: bool = False


PARAMETERS: Mapping[str, Parameter] = FrozenDict(
    {
        "stride_time": Parameter("Stride time", "s", 2, True),
        "step_time": Parameter("Step time", "s", 2, True),
        "cadence": Parameter("Cadence", "steps/min", 0),
        "stride_length": Parameter("Stride length", "m", 2, True),
        "step_length": Parameter("Step length", "m", 2, True),
        "step_width": Parameter("Step width", "m", 3),
        "line_width": Parameter("Step width, to the line of the stride", "m", 3),
        "step_height": Parameter("Step height", "m", 3),
        "speed": Parameter("Speed", "m/s", 2),
        "foot_off": Parameter("Foot off, stance", "%", 1, True),
        "swing": Parameter("Swing", "%", 1, True),
        "opposite_foot_off": Parameter("Opposite foot off", "%", 1),
        "opposite_foot_contact": Parameter("Opposite foot contact", "%", 1),
        "single_support": Parameter("Single support", "%", 1, True),
        "initial_double_support": Parameter("Initial double support", "%", 1),
        "terminal_double_support": Parameter("Terminal double support", "%", 1),
        "double_support": Parameter("Double support", "%", 1),
        "flight": Parameter("Flight", "%", 1),
        "single_support_time": Parameter("Single support", "s", 2, True),
        "double_support_time": Parameter("Double support", "s", 2),
        "flight_time": Parameter("Flight", "s", 2),
        "toe_clearance": Parameter("Toe clearance", "m", 3),
        "turn": Parameter("Change of heading, to the left", "°", 1),
        "limp_index": Parameter("Limp index", "1", 2),
        "walk_ratio": Parameter("Walk ratio", "mm/(steps/min)", 2),
        "stride_length_without_dimension": Parameter("Stride length / leg length", "1", 2),
        "step_length_without_dimension": Parameter("Step length / leg length", "1", 2),
        "speed_without_dimension": Parameter("Speed / √(g · leg length)", "1", 2),
        "cadence_without_dimension": Parameter("Cadence · √(leg length / g)", "1", 2),
    }
)
"""Key -> what it is, in the order of reading."""
OF_MEANS = (
    "cadence", "limp_index", "walk_ratio", "stride_length_without_dimension", "step_length_without_dimension",
    "speed_without_dimension", "cadence_without_dimension",
)  # fmt: skip
"""Figures that are computed from means, not for each stride."""


@dataclass(frozen=True)
class Spread:
    """Mean, sample standard deviation (NaN for fewer than two) and number of values."""

    mean: float
    sd: float
    count: int

    @property
    def cv_percent(self) -> float:
        """Coefficient of variation [%]; NaN with fewer than ten values."""
        return 100.0 * self.sd / abs(self.mean) if self.count >= FEWEST_FOR_CV and self.mean != 0.0 else math.nan


@dataclass(frozen=True)
class StrideFigures:
    """Figures of one stride and the step that ends it; of a step alone, where no stride of its foot ends with it.

    number : of the stride among those of its side, from 1; None for a step alone
    start_s, end_s : on the clock of the trial [s]
    values : key of `PARAMETERS` -> number; a key that is missing was not seen
    why    : why it does not count; "" if it does
    mark   : what to know about it, though it counts
    """

    side: str
    kind: StrideKind
    number: int | None
    start_s: float
    end_s: float
    values: Mapping[str, float]
    why: str = ""
    mark: str = ""


@dataclass(frozen=True, eq=False)
class TimeAndDistance:
    """All strides of a walk, and their means.

    counts : what -> side -> number of strides that count for it: "times", "lengths", "angles", "loads"
    belt_m_s : speed of a treadmill's belt; 0 over ground
    leg_length_m : mean of both legs; None where it is not known
    """

    strides: tuple[StrideFigures, ...]
    counts: Mapping[str, Mapping[str, int]]
    belt_m_s: float = 0.0
    leg_length_m: float | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def kinds(self) -> tuple[StrideKind, ...]:
        """Kinds of strides that there are: straight ones first."""
        return tuple(kind for kind in StrideKind if any(one.kind is kind for one in self.strides))

    def values(self, key: str, side: str, kind: StrideKind = StrideKind.STRAIGHT) -> list[float]:
        """Values of a figure that count, of "Right", "Left" or "both" sides."""
        return [
            one.values[key]
            for one in self.strides
            if one.kind is kind and side in (one.side, BOTH) and not one.why and key in one.values
        ]

    def spread(self, key: str, side: str, kind: StrideKind = StrideKind.STRAIGHT) -> Spread | None:
        """Mean and spread over the strides of a side, or of both; None where there is nothing.

        Figures of `OF_MEANS` have no spread. On a treadmill the speed of both sides is that of the belt.
        """
        if key in OF_MEANS:
            value = self._of_means(key, side, kind)
            return None if value is None else Spread(value, math.nan, len(self.values("stride_time", side, kind)))
        found = self.values(key, side, kind)
        if not found:
            return None
        if key == "speed" and side == BOTH and self.belt_m_s:
            return Spread(self.belt_m_s, math.nan, len(found))
        sd = float(np.std(found, ddof=1)) if len(found) > 1 else math.nan
        return Spread(float(np.mean(found)), sd, len(found))

    def mean(self, key: str, side: str, kind: StrideKind = StrideKind.STRAIGHT) -> float:
        """Mean of a figure; NaN where there is none."""
        found = self.spread(key, side, kind)
        return math.nan if found is None else found.mean

    def symmetry(self, key: str, kind: StrideKind = StrideKind.STRAIGHT) -> float:
        """Log ratio of right to left [%] for times and lengths; NaN for others, and where it is not known."""
        if not PARAMETERS[key].compared:
            return math.nan
        return log_ratio(self.mean(key, "Right", kind), self.mean(key, "Left", kind))

    def _of_means(self, key: str, side: str, kind: StrideKind) -> float | None:
        def mean(of: str) -> float:
            return self.mean(of, side, kind)

        leg = math.nan if self.leg_length_m is None else self.leg_length_m
        found = math.nan
        if key == "cadence":
            found = 120.0 / mean("stride_time")
        elif key == "limp_index":
            found = math.nan if side == BOTH else self._borne(side, kind) / self._borne(OTHER[side], kind)
        elif key == "walk_ratio":
            found = 1e3 * mean("step_length") / mean("cadence")
        elif key == "stride_length_without_dimension":
            found = mean("stride_length") / leg
        elif key == "step_length_without_dimension":
            found = mean("step_length") / leg
        elif key == "speed_without_dimension":
            found = mean("speed") / math.sqrt(GRAVITY * leg)
        elif key == "cadence_without_dimension":
            found = mean("cadence") / 60.0 * math.sqrt(leg / GRAVITY)
        return found if math.isfinite(found) else None

    def _borne(self, side: str, kind: StrideKind) -> float:
        """Time in which a foot is on the ground: single and double support [s]."""
        return self.mean("single_support_time", side, kind) + self.mean("double_support_time", side, kind)


def figures(
    found: GaitParameters,
    excluded: Mapping[str, Sequence[float]] | None = None,
    leg_length_m: float | None = None,
    counts: Mapping[str, Mapping[str, int]] | None = None,
) -> TimeAndDistance:
    """Figures of strides and steps.

    excluded : side -> beginnings of strides that were taken out by hand [s]
    counts   : of what was counted elsewhere, such as angles and loads
    """
    out = excluded or {}
    rows = []
    median = _median_speed(found.strides)
    for side in SIDES:
        mine = [one for one in found.strides if one.side == side]
        for k, stride in enumerate(mine):
            step = next((one for one in found.steps if one.side == side and one.strike_s == stride.end_s), None)
            by_hand = any(abs(stride.start_s - t) < 1e-9 for t in out.get(side, ()))
            at_end = k == 0 or k == len(mine) - 1 or mine[k - 1].end_s != stride.start_s
            at_end = at_end or mine[k + 1].start_s != stride.end_s
            values = _values(stride) | ({} if step is None else _step_values(step))
            rows.append(
                StrideFigures(
                    side, stride.kind, k + 1, stride.start_s, stride.end_s, FrozenDict(values),
                    "taken out by hand" if by_hand else "", _mark(stride, median) if at_end else "",
                )
            )  # fmt: skip
        ends = {one.end_s for one in mine}
        rows += [
            StrideFigures(
                side, step.kind, None, step.strike_s - step.time_s, step.strike_s, FrozenDict(_step_values(step))
            )
            for step in found.steps
            if step.side == side and step.strike_s not in ends
        ]
    counted = {
        what: {side: sum(one.side == side and not one.why and key in one.values for one in rows) for side in SIDES}
        for what, key in (("times", "stride_time"), ("lengths", "stride_length"))
    }
    return TimeAndDistance(
        tuple(rows), FrozenDict({**counted, **(counts or {})}), found.belt_m_s, leg_length_m, found.notices
    )


def pooled(parts: Iterable[TimeAndDistance | None]) -> TimeAndDistance | None:
    """Strides of several recordings of one person together; None where there is not one.

    Numbers of strides and times stay those of the recording. A belt counts if its speed is the same throughout.
    """
    known = [one for one in parts if one is not None]
    if not known:
        return None
    belts = [one.belt_m_s for one in known]
    same_belt = max(belts) - min(belts) <= SAME_BELT * max(belts)
    notices = list(dict.fromkeys(notice for one in known for notice in one.notices))
    if not same_belt:
        words = (
            "The belt runs at different speeds, or not at all, in some recordings; the speed is that of the strides."
        )
        notices.append(warning("belts-differ", words))
    legs = [one.leg_length_m for one in known if one.leg_length_m is not None]
    counts: dict[str, dict[str, int]] = {}
    for one in known:
        for what, sides in one.counts.items():
            mine = counts.setdefault(what, {})
            for side, count in sides.items():
                mine[side] = mine.get(side, 0) + count
    return TimeAndDistance(
        tuple(stride for one in known for stride in one.strides),
        FrozenDict({what: FrozenDict(sides) for what, sides in counts.items()}),
        float(np.mean(belts)) if same_belt else 0.0,
        float(np.mean(legs)) if legs else None,
        tuple(notices),
    )


def time_and_distance(analysis: Analysis) -> TimeAndDistance | None:
    """Figures of the walk of an analysis, whose cycles were found; None where it has no stride."""
    return analysis.derived(_time_and_distance)


def _time_and_distance(analysis: Analysis) -> TimeAndDistance | None:
    clean, marker_set = analysis.signals, analysis.preparation.marker_set
    trial, events, up = clean.trial, clean.events.events, clean.trial.axes.up_vector
    gait = None if marker_set.gait is None else gait_markers(marker_set, clean.markers.names)
    forward = clean.events.forward
    notices: tuple[Notice, ...] = ()
    if gait is not None and forward is None and gait_parameters(events).strides:
        try:
            forward = walking_direction(clean.markers, gait, up)
        except BiomecError as error:
            notices = (warning("no-lengths", f"Lengths of steps are not known. {error}"),)
    found = gait_parameters(events, clean.markers, gait, up, forward, _standing_toes(analysis, gait))
    if not found.strides:
        return None
    groups = analysis.cycles.groups
    out = {
        side: [
            one.start_s
            for one in found.strides
            if one.side == side and round(one.start_s * trial.rate_hz) in groups[side].excluded
        ]
        for side in SIDES
        if side in groups
    }
    counts = {"angles": {side: int(groups[side].valid.sum()) if side in groups else 0 for side in SIDES}}
    if "loads" in analysis.done:
        counts["loads"] = {side: _loaded(analysis, side) for side in SIDES}
    measures = analysis.body.person.measures
    legs = [float(measures[key]) for key in ("leg_length_D", "leg_length_E") if key in measures]
    made = figures(found, out, float(np.mean(legs)) if legs else None, counts)
    return replace(made, notices=(*made.notices, *notices))


def _standing_toes(analysis: Analysis, gait: GaitMarkers | None) -> dict[str, float]:
    """Side -> mean height of the toe marker in the static [m]; empty without one."""
    prepared = analysis.preparation
    if gait is None or prepared.static_is_dynamic:
        return {}
    markers, up = prepared.static.markers, prepared.static.axes.up_vector
    heights = {side: markers[name] @ up for side, name in gait.toe.items() if name in markers}
    return {side: float(np.nanmean(height)) for side, height in heights.items() if np.isfinite(height).any()}


def _loaded(analysis: Analysis, side: str) -> int:
    """Cycles of a side whose foot has a measured ground reaction, by the joint nearest to it."""
    found = load_cycles(analysis).get(side)
    joint = f"{side.lower()} ankle"
    return 0 if found is None or joint not in found.ground else int(found.counts(joint).sum())


def _values(stride: Stride) -> dict[str, float]:
    """Figures of a stride; those that are not known are left out."""
    time, overlaps = stride.time_s, stride.overlaps
    shares = {
        "foot_off": stride.stance,
        "swing": None if stride.stance is None else 1.0 - stride.stance,
        "opposite_foot_off": stride.opposite_off,
        "opposite_foot_contact": stride.opposite_strike,
        "single_support": stride.single_support,
        "initial_double_support": None if overlaps is None or overlaps[0] < 0.0 else overlaps[0],
        "terminal_double_support": None if overlaps is None or overlaps[1] < 0.0 else overlaps[1],
        "double_support": stride.double_support,
        "flight": stride.flight or None,
    }
    found = {
        "stride_time": time,
        "stride_length": stride.length_m,
        "speed": stride.speed_m_s,
        **{key: None if share is None else 100.0 * share for key, share in shares.items()},
        "single_support_time": None if stride.single_support is None else time * stride.single_support,
        "double_support_time": None if stride.double_support is None else time * stride.double_support,
        "flight_time": time * stride.flight if stride.flight else None,
        "toe_clearance": stride.toe_clearance_m,
        "turn": None if stride.turn is None else math.degrees(stride.turn),
    }
    return {key: float(value) for key, value in found.items() if value is not None}


def _step_values(step: GaitStep) -> dict[str, float]:
    found = {
        "step_time": step.time_s,
        "step_length": step.length_m,
        "step_width": step.width_m,
        "line_width": step.line_width_m,
        "step_height": step.height_m,
    }
    return {key: float(value) for key, value in found.items() if value is not None}


def _median_speed(strides: Sequence[Stride]) -> float:
    speeds = [one.speed_m_s for one in strides if one.kind is StrideKind.STRAIGHT and one.speed_m_s is not None]
    return float(np.median(speeds)) if len(speeds) > 2 else math.nan


def _mark(stride: Stride, median: float) -> str:
    """Whether the first or last stride of a pass goes at another speed than the others."""
    if stride.kind is not StrideKind.STRAIGHT or stride.speed_m_s is None or not median > 0.0:
        return ""
    apart = stride.speed_m_s / median - 1.0
    if abs(apart) <= ODD_SPEED:
        return ""
    return f"{100.0 * abs(apart):.0f} % {'faster' if apart > 0.0 else 'slower'} than the median stride"
