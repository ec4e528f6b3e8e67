"""Scapulohumeral rhythm: how much the arm turns in the shoulder for what the scapula turns on the thorax.

    r = Δ(E − U) / Δ U = (1 − b) / b          b = slope of U over E, by least squares

E is the elevation of the humerus on the thorax and U the upward rotation of the scapula, both in degrees; 2 : 1 for
healthy shoulders over the whole range [Inman1944]. r is taken over 30 to 60°, 60 to 90° and 90 to 120° of elevation,
for raising and lowering apart. A regression uses every sample of the interval; the quotient of the end points, which is
usual, only two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.body.loads.load_statistics import mean_and_deviation
from biomec.pipeline.analysis import Analysis
from biomec.reporting.tables import Section, Table, table_text, with_spread
from biomec.signals.cycles import find_cycles

INTERVALS = ((30.0, 60.0), (60.0, 90.0), (90.0, 120.0))
PHASES = ("raising", "lowering")
FEWEST = 5  # samples in an interval
MISSED_DEG = 3.0  # an interval may lack so much at either end
SIDES = ("right", "left")
LEAST_RANGE_DEG = 30.0  # of the humerus in a cycle: below, a ratio of ranges says little
SHOULDERS = "Shoulders"


@dataclass(frozen=True, eq=False)
class Rhythm:
    """Rhythm of one arm.

    ratio : (K, 2, 3) of every cycle, raising and lowering, in every interval; NaN where the arm did not pass it
    """

    ratio: FloatArray

    def table(self, title: str) -> Table:
        """Mean ± SD over cycles."""
        mean, sd = mean_and_deviation(self.ratio)
        rows = tuple(
            (phase, *(with_spread(float(mean[p, k]), float(sd[p, k]), 2) for k in range(len(INTERVALS))))
            for p, phase in enumerate(PHASES)
        )
        columns = ("", *(f"{low:g}–{high:g}°" for low, high in INTERVALS))
        note = "Shoulder motion over upward rotation of the scapula, by intervals of the elevation of the humerus."
        return Table(title, columns, rows, f"{note} Healthy shoulders have about 2 [Inman1944].")


def humeral_elevation(flexion: ArrayLike, abduction: ArrayLike) -> FloatArray:
    """Angle of the humerus from hanging along the thorax, in any plane [rad]: cos E = cos(flexion) cos(abduction).

    With flexion a and abduction b by the sequence ZXY, the long axis of the humerus has the component R11 = cos a cos b
    along that of the thorax.
    """
    return np.asarray(np.arccos(np.clip(np.cos(np.asarray(flexion)) * np.cos(np.asarray(abduction)), -1.0, 1.0)))


def interval_ratio(elevation: ArrayLike, upward: ArrayLike, low: float, high: float) -> float:
    """Ratio over one interval of elevation, of samples (N,) of one phase [°]; NaN where they do not cover it."""
    E, U = np.asarray(elevation, dtype=np.float64), np.asarray(upward, dtype=np.float64)
    inside = (low <= E) & (high >= E) & np.isfinite(U)
    e, u = E[inside], U[inside]
    if len(e) < FEWEST or e.min() > low + MISSED_DEG or e.max() < high - MISSED_DEG:
        return float("nan")
    slope = float(((e - e.mean()) * (u - u.mean())).sum() / ((e - e.mean()) ** 2).sum())
    return (1.0 - slope) / slope if slope > 0.0 else float("nan")


def scapulohumeral_rhythm(elevation: ArrayLike, upward: ArrayLike, spans: ArrayLike) -> Rhythm:
    """Rhythm of one arm.

    elevation, upward : (T,) [°];  spans : (K, 2) first and last frame of the cycles, arm down to arm down
    """
    E, U = np.asarray(elevation, dtype=np.float64), np.asarray(upward, dtype=np.float64)
    if E.shape != U.shape or E.ndim != 1:
        raise BiomecError(f"The rhythm needs elevation and rotation of the same frames, not {E.shape} and {U.shape}.")
    edges = np.asarray(spans, dtype=np.int64).reshape(-1, 2)
    ratio = np.full((len(edges), len(PHASES), len(INTERVALS)), np.nan)
    for k, (first, last) in enumerate(edges):
        if not np.isfinite(E[first : last + 1]).any():
            continue
        top = first + int(np.nanargmax(E[first : last + 1]))
        for p, part in enumerate((slice(first, top + 1), slice(top, last + 1))):
            for i, (low, high) in enumerate(INTERVALS):
                ratio[k, p, i] = interval_ratio(E[part], U[part], low, high)
    return Rhythm(read_only(ratio))


def rhythms(analysis: Analysis) -> Mapping[str, Rhythm]:
    """Side, "right" or "left" -> rhythm over every raising and lowering of the arm; sides without a scapula are not in.

    Cycles run between minima of the elevation of that arm.
    """
    angles, found = analysis.angles, {}
    for side in SIDES:
        names = (f"{side} shoulder flexion", f"{side} shoulder abduction", f"{side} scapulothoracic upward rotation")
        elevated = f"{side} shoulder elevation"  # ISB's convention
        if names[2] not in angles or not (elevated in angles or (names[0] in angles and names[1] in angles)):
            continue
        elevation = angles[elevated] if elevated in angles else humeral_elevation(angles[names[0]], angles[names[1]])
        valid = analysis.motion.valid
        cycles = find_cycles(np.where(valid, elevation, np.nan), analysis.signals.trial.rate_hz)
        found[side] = scapulohumeral_rhythm(
            np.degrees(elevation), np.degrees(angles[names[2]]), cycles.spans[cycles.valid]
        )
    return found


@dataclass(frozen=True, eq=False)
class RangeRatio:
    """Ranges of humerus and scapula on the thorax in cycles (K,) [°], arrays read-only.

    The published shortcut for movements about several axes: the angles of either bone that move most are compared,
    flexion of the humerus and protraction of the scapula; about 3 in healthy shoulders ([Nunes2017] section 4.3.3).
    """

    humerus: FloatArray
    scapula: FloatArray

    @property
    def ratio(self) -> FloatArray:
        """(K,) range of the humerus for one degree of the scapula; NaN where the scapula does not move."""
        return np.asarray(self.humerus / np.where(self.scapula > 0.0, self.scapula, np.nan))


def range_ratios(analysis: Analysis) -> Mapping[str, RangeRatio]:
    """Side -> ranges in the valid cycles in which the humerus turns by at least 30°; sides without any are not in."""
    angles, found = analysis.angles, {}
    for side in SIDES:
        names = f"{side} shoulder flexion", f"{side} scapulothoracic protraction"
        if any(name not in angles for name in names):
            continue
        spans = [span for cycles in analysis.cycles.groups.values() for span in cycles.spans[cycles.valid]]
        rows = [[np.ptp(np.degrees(angles[name][first : last + 1])) for name in names] for first, last in spans]
        ranges = np.reshape(rows, (-1, 2))
        ranges = ranges[np.isfinite(ranges).all(axis=1) & (ranges[:, 0] >= LEAST_RANGE_DEG)]
        if len(ranges):
            found[side] = RangeRatio(read_only(ranges[:, 0]), read_only(ranges[:, 1]))
    return found


def shoulder_section(analysis: Analysis) -> Section | None:
    """Rhythm of both shoulders for a report; None where no arm is raised far enough. Cycles must have run."""
    raised = {side: one for side, one in rhythms(analysis).items() if np.isfinite(one.ratio).any()}
    tables = [one.table(f"Scapulohumeral rhythm, {side}") for side, one in raised.items()]
    ranges = range_ratios(analysis)
    if ranges:
        rows = tuple(
            (side.capitalize(), *(_mean_sd(values) for values in (one.humerus, one.scapula)), _mean_sd(one.ratio, 2))
            for side, one in ranges.items()
        )
        columns = ("", "Flexion of the humerus [°]", "Protraction of the scapula [°]", "Ratio")
        note = "Ranges on the thorax in a cycle, mean ± SD. Published for push-ups: 2.6 (closed grip), 2.3 (open grip)."
        tables.append(Table("Humerus and scapula", columns, rows, f"{note} [Nunes2017]"))
    return Section(SHOULDERS, (), tuple(tables)) if tables else None


def _mean_sd(values: FloatArray, digits: int = 1) -> str:
    mean, sd = mean_and_deviation(values)
    return with_spread(float(mean), float(sd), digits)


def rhythm_csv(analysis: Analysis) -> str | None:
    """One row a side, phase, interval and cycle, then the ratios of ranges; None where there are none."""
    if "cycles" not in analysis.done:
        return None
    head: list[tuple[str | int, ...]] = []
    values: list[float] = []
    for side, one in rhythms(analysis).items():
        for (k, p, i), value in np.ndenumerate(one.ratio):
            if np.isfinite(value):
                low, high = INTERVALS[i]
                head.append((side, "rhythm", k + 1, PHASES[p], f"{low:g} to {high:g} deg"))
                values.append(float(value))
    for side, ranges in range_ratios(analysis).items():
        for k, value in enumerate(ranges.ratio):
            head.append((side, "range of flexion over range of protraction", k + 1, "whole cycle", ""))
            values.append(float(value))
    columns = ("side", "what", "cycle", "phase", "elevation of the humerus", "ratio")
    return table_text(columns, head, np.reshape(values, (-1, 1))) if head else None
