"""Push-ups in figures, repetition by repetition: time, depth, grip, moments of the arms, force of the hands, work.

A repetition runs from straight elbow to straight elbow and turns at the greatest flexion [Nunes2017]. Moments are sizes
of the joint's whole moment; their peaks are of frames that can be used. Work is that of the three joints of the arm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.frozen import FrozenDict
from biomec.base.physics import GRAVITY
from biomec.body.loads.load_statistics import mean_and_deviation
from biomec.body.loads.power import joint_work
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_reading import chosen_loads, chosen_power
from biomec.reporting.statistics.symmetry import log_ratio
from biomec.reporting.tables import NOTHING, Section, Table, number, with_spread

BY = "elbow flexion"
SIDES = ("right", "left")
JOINTS: Mapping[str, str] = FrozenDict({"Wrist": "wrist", "Elbow": "elbow", "Shoulder": "glenohumeral"})
PUSH_UPS = "Push-ups"
PHASES = ("descent", "ascent")


@dataclass(frozen=True, eq=False)
class MomentPeaks:
    """Greatest moment of one joint in every repetition, (K,), read-only; NaN where no frame can be used.

    size : [N·m];  at_percent : of the repetition
    """

    size: FloatArray
    at_percent: FloatArray


@dataclass(frozen=True, eq=False)
class PushUps:
    """Repetitions; arrays are (K,) and read-only, NaN where a figure is not known.

    duration_s, descent_percent : how long a repetition lasts, and the share of it until the elbows are bent most
    depth_deg   : side -> range of the elbow's flexion
    grip_deg    : side -> abduction of the shoulder where the elbows are bent most
    moments     : "right elbow" … -> peaks; empty without loads
    hand_peak, hand_mean : side -> vertical force of the hand, greatest and mean [body weight]; empty without loads
    delivered_j, taken_j : work that the joints of an arm deliver and take up, by side [J]; empty without loads
    """

    duration_s: FloatArray
    descent_percent: FloatArray
    depth_deg: Mapping[str, FloatArray]
    grip_deg: Mapping[str, FloatArray]
    mass_kg: float
    moments: Mapping[str, MomentPeaks]
    hand_peak: Mapping[str, FloatArray]
    hand_mean: Mapping[str, FloatArray]
    delivered_j: Mapping[str, FloatArray]
    taken_j: Mapping[str, FloatArray]

    def __len__(self) -> int:
        return len(self.duration_s)

    @property
    def per_minute(self) -> FloatArray:
        """Rhythm (K,): repetitions a minute."""
        return np.asarray(60.0 / self.duration_s)

    def phase(self, joint: str) -> str:
        """Phase in which the moment of a joint, such as "right elbow", peaks on average."""
        at = float(mean_and_deviation(self.moments[joint].at_percent)[0])
        turn = float(mean_and_deviation(self.descent_percent)[0])
        return "" if not np.isfinite(at) else PHASES[int(at > turn)]


def push_ups(analysis: Analysis) -> PushUps | None:
    """Figures of the valid repetitions; None where cycles are not those of the elbows, or none is valid."""
    if analysis.cycles.by != BY or not analysis.cycles.valid:
        return None
    cycles = analysis.cycles.groups["both"]
    spans, angles = cycles.spans[cycles.valid], analysis.angles
    turns = cycles.phase_changes[cycles.valid].astype(np.int64)
    depth = {
        side: read_only([np.degrees(np.ptp(angles[name][first : last + 1])) for first, last in spans])
        for side in SIDES
        if (name := f"{side} elbow flexion") in angles
    }
    grip = {
        side: read_only(np.degrees(angles[name][turns]))
        for side in SIDES
        if (name := f"{side} shoulder abduction") in angles
    }
    loaded = "loads" in analysis.done
    moments = _moments(analysis, spans) if loaded else {}
    peak, mean = _hands(analysis, spans) if loaded else ({}, {})
    delivered, taken = _work(analysis, spans) if loaded else ({}, {})
    return PushUps(
        read_only(cycles.durations_s[cycles.valid]),
        read_only(cycles.phase_changes_percent[cycles.valid]),
        FrozenDict(depth),
        FrozenDict(grip),
        float(analysis.body.person.measures["mass"]),
        FrozenDict(moments),
        FrozenDict(peak),
        FrozenDict(mean),
        FrozenDict(delivered),
        FrozenDict(taken),
    )


def _moments(analysis: Analysis, spans: IntArray) -> dict[str, MomentPeaks]:
    loads, found = chosen_loads(analysis), {}
    for side in SIDES:
        for title, joint in JOINTS.items():
            name = f"{side} {joint}"
            if name not in loads.joints:
                continue
            size = np.linalg.norm(loads.torque[:, loads.index(name)], axis=1)
            usable = analysis.loads.trust.frames_of[name].best & np.isfinite(size)
            peaks = np.full((len(spans), 2), np.nan)
            for k, (first, last) in enumerate(spans):
                part = np.where(usable[first : last + 1], size[first : last + 1], -np.inf)
                if np.isfinite(part).any():
                    peaks[k] = part.max(), 100.0 * part.argmax() / (last - first)
            found[f"{side} {title.lower()}"] = MomentPeaks(read_only(peaks[:, 0]), read_only(peaks[:, 1]))
    return found


def _hands(analysis: Analysis, spans: IntArray) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    """Vertical force of each hand, greatest and mean [body weight]."""
    external, weight = analysis.loads.external, GRAVITY * float(analysis.body.person.measures["mass"])
    peak, mean = {}, {}
    for side in SIDES:
        mine = [k for k, segment in enumerate(external.segments) if segment == f"{side} hand"]
        if mine:
            up = external.force[:, mine].sum(axis=1) @ analysis.signals.trial.axes.up_vector / weight
            peak[side] = read_only([up[first : last + 1].max() for first, last in spans])
            mean[side] = read_only([up[first : last + 1].mean() for first, last in spans])
    return peak, mean


def _work(analysis: Analysis, spans: IntArray) -> tuple[dict[str, FloatArray], dict[str, FloatArray]]:
    work = joint_work(chosen_power(analysis), spans, analysis.signals.trial.rate_hz)
    delivered, taken = {}, {}
    for side in SIDES:
        arm = [k for k, joint in enumerate(work.joints) if joint in {f"{side} {name}" for name in JOINTS.values()}]
        if arm:
            delivered[side] = read_only(work.positive[:, arm].sum(axis=1))
            taken[side] = read_only(work.negative[:, arm].sum(axis=1))
    return delivered, taken


# --------------------------------------------------------------------------------------------------------------- tables
def push_up_section(analysis: Analysis) -> Section | None:
    """What a report says about push-ups; None where there are none."""
    found = push_ups(analysis)
    return None if found is None else Section(PUSH_UPS, (), push_up_tables(found))


def push_up_tables(found: PushUps) -> tuple[Table, ...]:
    """The repetitions as a whole, and right beside left: mean ± SD over repetitions."""
    whole = (
        ("Repetitions", str(len(found))),
        ("Duration [s]", _cell(found.duration_s, 2)),
        ("Rhythm [1/min]", _cell(found.per_minute, 1)),
        ("Descent [%]", _cell(found.descent_percent, 1)),
    )
    rows = []
    for title, digits, values in (
        ("Depth, range of the elbow [°]", 1, found.depth_deg),
        ("Grip, abduction of the shoulder with bent elbow [°]", 1, found.grip_deg),
        ("Hand force, greatest [body weight]", 2, found.hand_peak),
        ("Hand force, mean [body weight]", 2, found.hand_mean),
        ("Work of the arm delivered [J]", 1, found.delivered_j),
        ("Work of the arm taken up [J]", 1, found.taken_j),
    ):
        if values:
            cells = [_cell(values[side], digits) if side in values else NOTHING for side in SIDES]
            ratio = title.startswith(("Hand", "Work")) and set(values) == set(SIDES)
            apart = log_ratio(*(abs(_mean(values[side])) for side in SIDES)) if ratio else float("nan")
            rows.append((title, *cells, number(apart, 1)))
    note = "Right / left: 100 ln(right / left). Mean ± SD over repetitions."
    tables = [
        Table("", ("", ""), whole),
        Table("Both arms", ("", "Right", "Left", "Right / left [%]"), tuple(rows), note),
    ]
    peaks = [
        (
            f"{joint[0].upper()}{joint[1:]}",
            _cell(one.size, 1),
            _cell(one.size / found.mass_kg, 2),
            _cell(one.at_percent, 0),
            found.phase(joint) or NOTHING,
        )
        for joint, one in found.moments.items()
    ]
    if peaks:
        columns = ("Peak moment", "[N·m]", "[N·m/kg]", "at [%]", "Phase")
        tables.append(Table("Moments of the arms", columns, tuple(peaks), "Size of the whole moment of the joint."))
    return tuple(tables)


def _mean(values: FloatArray) -> float:
    return float(mean_and_deviation(values)[0])


def _cell(values: FloatArray, digits: int) -> str:
    mean, sd = mean_and_deviation(values)
    return with_spread(float(mean), float(sd), digits)
