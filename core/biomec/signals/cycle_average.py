"""Cycles laid over each other: every valid cycle on the same 0-100 % axis, their mean and spread."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, warning
from biomec.signals.cycles import Cycles
from biomec.signals.stretches import as_channels

PERCENT_POINTS = 101  # 0, 1, … 100 %
FEWEST_SAMPLES = 4  # of a cycle: what a cubic needs


@dataclass(frozen=True)
class CycleCurves:
    """Resampled cycles of one or several channels; arrays are read-only.

    percent : (N,) 0 to 100 % of the cycle
    curves  : (K, N, …) the cycles that were used; NaN where a channel misses samples in a cycle
    numbers : (K,) which cycles these are, counted from 0
    mean    : (N, …) over the cycles that have the channel; NaN if none has
    sd      : (N, …) sample standard deviation; NaN for fewer than two
    count   : (…) cycles behind mean and sd
    phase_change_percent : (K,) where each turns
    """

    percent: FloatArray
    curves: FloatArray
    numbers: IntArray
    mean: FloatArray
    sd: FloatArray
    count: IntArray
    phase_change_percent: FloatArray
    notices: tuple[Notice, ...]


def resample_cycles(
    cycles: Cycles,
    values: ArrayLike,
    samples: int | None = PERCENT_POINTS,
    *,
    rate_hz: float | None = None,
    start_s: float = 0.0,
) -> CycleCurves:
    """Bring every valid cycle of ``values`` (T, …) to the same number of samples by cubic splines.

    samples : 101 for 0, 1, … 100 %; None for N = (longest + shortest) / 2 samples of the valid cycles [Nunes2017]
    rate_hz, start_s : rate and first time of ``values``, if they are not on the frames of the cycles (plates, EMG)
    """
    x = np.asarray(values, dtype=np.float64)
    rate = cycles.rate_hz if rate_hz is None else rate_hz
    if not (np.isfinite(rate) and rate > 0.0):
        raise BiomecError(f"Cycles: the values have a rate of {rate} Hz; it must be positive.")
    if x.ndim == 0 or (rate_hz is None and len(x) != cycles.frames):
        raise BiomecError(
            f"Cycles were found on {cycles.frames} frames, the values have {len(x) if x.ndim else 0}; "
            "give their rate if it differs."
        )
    if samples is not None and samples < 2:
        raise BiomecError(f"Cycles: {samples} sample(s) do not make a curve; give at least two, or none at all.")
    place = (cycles.spans / cycles.rate_hz - start_s) * rate  # (K, 2) borders in samples of the values
    inside = (place[:, 0] >= -1e-6) & (place[:, 1] <= len(x) - 1 + 1e-6)
    enough = place[:, 1] - place[:, 0] >= FEWEST_SAMPLES - 1
    numbers = np.flatnonzero(cycles.valid & inside & enough)
    notices = _left_out(cycles, inside, enough)
    place = np.clip(place[numbers], 0.0, len(x) - 1.0)
    curves = _resampled(x, place, samples)
    return _averaged(curves, numbers, cycles.phase_changes_percent[numbers], notices)


def resample_spans(values: ArrayLike, spans: ArrayLike, samples: int | None = PERCENT_POINTS) -> CycleCurves:
    """The same for stretches of ``values`` (T, …) between pairs of samples (K, 2), which need not touch each other.

    Where a phase changes is not known of them (NaN).
    """
    x = np.asarray(values, dtype=np.float64)
    place = np.asarray(spans, dtype=np.float64).reshape(-1, 2)
    if not ((place[:, 0] >= 0.0) & (place[:, 1] <= len(x) - 1) & (np.diff(place)[:, 0] >= FEWEST_SAMPLES - 1)).all():
        raise BiomecError(
            f"Cycles: borders must lie within the {len(x)} samples, at least {FEWEST_SAMPLES} in a cycle; "
            f"they are {place.tolist()}."
        )
    return _averaged(_resampled(x, place, samples), np.arange(len(place)), np.full(len(place), np.nan), [])


def joined(parts: Sequence[CycleCurves]) -> CycleCurves:
    """Cycles of several results of the same channels together, with their common mean and spread."""
    curves = np.concatenate([one.curves for one in parts])
    turn = np.concatenate([one.phase_change_percent for one in parts])
    return _averaged(curves, np.arange(len(curves)), turn, [notice for one in parts for notice in one.notices])


def channel(curves: CycleCurves, k: int) -> CycleCurves:
    """One channel of curves (K, N, C), as if it had been resampled alone."""
    return replace(
        curves,
        curves=read_only(curves.curves[:, :, k]),
        mean=read_only(curves.mean[:, k]),
        sd=read_only(curves.sd[:, k]),
        count=read_only(curves.count[k], np.int64),
    )


def chosen_cycles(curves: CycleCurves, kept: BoolArray) -> CycleCurves:
    """Some of the cycles, ``kept`` (K,), with their own mean and spread."""
    numbers, turn = curves.numbers[kept], curves.phase_change_percent[kept]
    return _averaged(np.asarray(curves.curves[kept]), numbers, turn, list(curves.notices))


def _resampled(x: FloatArray, place: FloatArray, samples: int | None) -> FloatArray:
    """Cycles (K, N, …) of values (T, …) between borders (K, 2), in samples, by cubic splines."""
    if samples is None:
        lengths = place[:, 1] - place[:, 0] + 1.0
        samples = round(0.5 * (lengths.max() + lengths.min())) if len(place) else 0
    channels = as_channels(x)
    curves = np.full((len(place), samples, channels.shape[1]), np.nan)
    for k, (first, last) in enumerate(place):  # a loop over cycles, of which there are few
        a, b = int(np.floor(first + 1e-6)), int(np.ceil(last - 1e-6))
        part = channels[a : b + 1]
        whole = np.isfinite(part).all(axis=0)
        if whole.any():
            spline = scipy.interpolate.CubicSpline(np.arange(a, b + 1), part[:, whole])
            curves[k][:, whole] = spline(np.linspace(first, last, samples))
    return curves.reshape(len(place), samples, *x.shape[1:])


def _averaged(curves: FloatArray, numbers: IntArray, turn: FloatArray, notices: list[Notice]) -> CycleCurves:
    """Mean and sample standard deviation over the cycles, NaN left out."""
    samples = curves.shape[1]
    there = np.isfinite(curves)
    count = there.sum(axis=0)  # (N, …), the same for all samples of a channel
    mean = np.where(there, curves, 0.0).sum(axis=0) / np.where(count > 0, count, np.nan)
    squares = np.where(there, curves - mean, 0.0) ** 2
    sd = np.sqrt(squares.sum(axis=0) / np.where(count > 1, count - 1.0, np.nan))
    return CycleCurves(
        read_only(np.linspace(0.0, 100.0, samples)),
        read_only(curves),
        read_only(numbers, np.int64),
        read_only(mean),
        read_only(sd),
        read_only(count.max(axis=0) if samples else np.zeros(curves.shape[2:]), np.int64),
        read_only(turn),
        tuple(notices),
    )


def _left_out(cycles: Cycles, inside: BoolArray, enough: BoolArray) -> list[Notice]:
    """Say which cycles were not used, and why."""
    notices = []
    for code, wrong, why in (
        ("cycle-invalid", ~cycles.valid, "not all frames are valid, or it was taken out"),
        ("cycle-outside", cycles.valid & ~inside, "the values do not cover it"),
        ("cycle-too-short", cycles.valid & inside & ~enough, "it has fewer than four samples"),
    ):
        which = [str(k) for k in np.flatnonzero(wrong)]
        if which:
            sentence = f"Of {len(cycles)} cycles {len(which)} left out (number {', '.join(which)}, from 0): {why}."
            notices.append(warning(code, sentence))
    return notices
