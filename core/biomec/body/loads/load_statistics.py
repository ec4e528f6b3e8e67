"""Joint loads over cycles in numbers: peak, mean, root mean square and impulse of every curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError

MEASURES = ("peak", "highest", "lowest", "mean", "rms", "impulse")


@dataclass(frozen=True, eq=False)
class LoadStatistics:
    """Every curve in every cycle, (K, C); read-only. NaN where the curve misses a frame of the cycle.

    peak          : value of the greatest size, with its sign, in the unit of the curve
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


def load_statistics(names: Sequence[str], values: ArrayLike, spans: ArrayLike, rate_hz: float) -> LoadStatistics:
    """Statistics of curves (T, C) in cycles from their first to their last frame (K, 2); integrals by trapezia."""
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] != len(names):
        raise BiomecError(f"There are {len(names)} names for curves of the shape {x.shape}.")
    edges = checked_spans(spans, len(x), rate_hz)
    duration = np.diff(edges, axis=1)[:, 0] / rate_hz
    peak, percent, highest, lowest, impulse, squares = np.empty((6, len(edges), x.shape[1]))
    for k, (first, last) in enumerate(edges):  # a loop over cycles, of which there are few
        part = x[first : last + 1]
        whole = np.isfinite(part).all(axis=0)
        at = np.abs(np.where(whole, part, 0.0)).argmax(axis=0)
        peak[k] = part[at, np.arange(x.shape[1])]
        percent[k] = 100.0 * at / (last - first)
        highest[k], lowest[k] = part.max(axis=0), part.min(axis=0)
        impulse[k] = np.trapezoid(part, dx=1.0 / rate_hz, axis=0)
        squares[k] = np.trapezoid(part**2, dx=1.0 / rate_hz, axis=0)
        for array in (peak, percent):
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
