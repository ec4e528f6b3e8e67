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
from biomec.reporting.tables import Table, with_spread
from biomec.signals.cycles import find_cycles

INTERVALS = ((30.0, 60.0), (60.0, 90.0), (90.0, 120.0))
PHASES = ("raising", "lowering")
FEWEST = 5  # samples in an interval
MISSED_DEG = 3.0  # an interval may lack so much at either end


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
    for side in ("right", "left"):
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
