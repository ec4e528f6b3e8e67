"""How large joint loads were: peaks over the frames that can be used; peak, mean, rms and impulse over cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.load_trust import LoadTrust


@dataclass(frozen=True)
class Peak:
    """One extreme of a curve.

    value     : in its unit; NaN where the curve has no number
    frame     : where it is, from 0; None without a value
    estimated : whether the joint bears a ground reaction there that was estimated, not measured
    """

    value: float
    frame: int | None = None
    estimated: bool = False


@dataclass(frozen=True)
class JointPeaks:
    """Extremes of one joint.

    force, torque : greatest size [N], [N m];  power_high, power_low : greatest and least power [W]
    frames : over how many frames they were taken
    why    : why there are none, such as "no sound step"; "" where there are
    """

    joint: str
    force: Peak
    torque: Peak
    power_high: Peak
    power_low: Peak
    frames: int
    why: str = ""

    @property
    def usable(self) -> bool:
        """Whether there are frames that can be used."""
        return not self.why

    @property
    def estimated(self) -> bool:
        """Whether force or torque peaks where the ground reaction was estimated."""
        return self.force.estimated or self.torque.estimated


def joint_peaks(loads: JointLoads, power: FloatArray, trust: LoadTrust) -> tuple[JointPeaks, ...]:
    """Peaks of every joint, whose power is (T, J) [W], over its best frames (`TrustedFrames.best`).

    Where no frame can be used, there is no peak, and it is said why.
    """
    found = []
    for j, joint in enumerate(loads.joints):
        force, torque = (np.linalg.norm(one[:, j], axis=1) for one in (loads.force, loads.torque))
        there = np.isfinite(force) & np.isfinite(torque)
        frames = trust.frames_of[joint]
        taken = frames.best & there
        why = "" if taken.any() else "no sound step" if frames.unsound else "no frame that can be used"
        high, low = (_peak(power[:, j], taken, frames.estimated, sign) for sign in (1.0, -1.0))
        found.append(
            JointPeaks(
                joint,
                _peak(force, taken, frames.estimated),
                _peak(torque, taken, frames.estimated),
                high,
                low,
                int(taken.sum()),
                why,
            )
        )
    return tuple(found)


def _peak(curve: FloatArray, taken: BoolArray, estimated: BoolArray, sign: float = 1.0) -> Peak:
    """Greatest value of a curve (T,) over some frames; the least one, if the sign is negative."""
    there = taken & np.isfinite(curve)
    if not there.any():
        return Peak(float("nan"))
    at = int(np.argmax(np.where(there, sign * curve, -np.inf)))
    return Peak(float(curve[at]), at, bool(estimated[at]))


MEASURES = ("peak", "highest", "lowest", "mean", "rms", "impulse")


@dataclass(frozen=True, eq=False)
class LoadStatistics:
    """Every curve in every cycle, (K, C); read-only. NaN where the curve misses a frame of the cycle.

    peak          : value of the greatest size over the usable frames, with its sign, in the unit of the curve
    peak_percent  : where in the cycle it is, 0 to 100 %
    highest, lowest : greatest and least value
    mean, rms     : over the time of the cycle
    impulse       : ∫ x dt, in the unit of the curve × s
    duration_s    : (K,) [s]
    """

    names: tuple[str, ...]
    peak: FloatArray
    peak_percent: FloatArray
    highest: FloatArray
    lowest: FloatArray
    mean: FloatArray
    rms: FloatArray
    impulse: FloatArray
    duration_s: FloatArray

    def summary(self, measure: str) -> tuple[FloatArray, FloatArray]:
        """Mean and sample standard deviation (C,) of a measure over the cycles that have it; NaN where too few do."""
        if measure not in MEASURES:
            raise BiomecError(f'Loads are summarised by {", ".join(MEASURES)}, not "{measure}".')
        return mean_and_deviation(np.asarray(getattr(self, measure)))


def mean_and_deviation(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and sample standard deviation over the first axis, NaN left out; NaN where too few are there."""
    there = np.isfinite(values)
    count = there.sum(axis=0)
    mean = np.where(there, values, 0.0).sum(axis=0) / np.where(count > 0, count, np.nan)
    squares = (np.where(there, values - mean, 0.0) ** 2).sum(axis=0)
    return np.asarray(mean), np.sqrt(squares / np.where(count > 1, count - 1.0, np.nan))


def load_statistics(
    names: Sequence[str], values: ArrayLike, spans: ArrayLike, rate_hz: float, usable: BoolArray | None = None
) -> LoadStatistics:
    """Statistics of curves (T, C) in cycles from their first to their last frame (K, 2); integrals by trapezia.

    usable : (T, C) frames in which a curve may have its extremes; all, if not given
    """
    x = np.asarray(values, dtype=np.float64)
    allowed = np.ones(x.shape, dtype=np.bool_) if usable is None else usable
    if x.ndim != 2 or x.shape[1] != len(names):
        raise BiomecError(f"There are {len(names)} names for curves of the shape {x.shape}.")
    edges = checked_spans(spans, len(x), rate_hz)
    duration = np.diff(edges, axis=1)[:, 0] / rate_hz
    peak, percent, highest, lowest, impulse, squares = np.empty((6, len(edges), x.shape[1]))
    for k, (first, last) in enumerate(edges):  # a loop over cycles, of which there are few
        part, taken = x[first : last + 1], allowed[first : last + 1]
        whole = np.isfinite(part).all(axis=0) & taken.any(axis=0)
        at = np.where(whole & taken, np.abs(part), -1.0).argmax(axis=0)
        peak[k] = part[at, np.arange(x.shape[1])]
        percent[k] = 100.0 * at / (last - first)
        highest[k] = np.where(taken, part, -np.inf).max(axis=0)
        lowest[k] = np.where(taken, part, np.inf).min(axis=0)
        impulse[k] = np.trapezoid(part, dx=1.0 / rate_hz, axis=0)
        squares[k] = np.trapezoid(part**2, dx=1.0 / rate_hz, axis=0)
        for array in (peak, percent, highest, lowest):
            array[k, ~whole] = np.nan
    seconds = duration[:, None]
    arrays = (peak, percent, highest, lowest, impulse / seconds, np.sqrt(squares / seconds), impulse, duration)
    return LoadStatistics(tuple(names), *(read_only(array) for array in arrays))


def checked_spans(spans: ArrayLike, frames: int, rate_hz: float) -> IntArray:
    """Return first and last frame (K, 2) of cycles, if they lie within the recording."""
    edges = np.asarray(spans)
    if edges.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if edges.ndim != 2 or edges.shape[1] != 2 or not np.equal(edges, np.round(edges)).all():
        raise BiomecError("Cycles are pairs of frames: the first and the last of each.")
    if not ((edges[:, 0] >= 0) & (edges[:, 1] < frames) & (edges[:, 0] < edges[:, 1])).all():
        raise BiomecError(f"Cycles must begin before they end, within the {frames} frames of the recording.")
    if not (np.isfinite(rate_hz) and rate_hz > 0.0):
        raise BiomecError(f"Cycles: the recording has a rate of {rate_hz} Hz; it must be positive.")
    return edges.astype(np.int64)
