"""Residual analysis and filtering of a whole trial, beside scipy's recursive filter and beside the movement itself."""

from __future__ import annotations

import numpy as np
from scipy import signal

from benchmarks.timing import Task, Timing, interleaved
from biomec.base.arrays import FloatArray
from biomec.signals.filters import CORRECTION, low_pass
from biomec.signals.residual_analysis import ResidualOptions, residual_analysis

RATE_HZ, FRAMES, MARKERS = 500.0, 9000, 71
GAPS = 3  # of each marker, in the trial with gaps
PASSES = 3
DIRECT_CHANNELS = 3  # and a few cut-offs: all of them would take minutes
DIRECT_CUTOFFS_HZ = (0.5, 2.0, 8.0, 20.0)

ANALYSIS, WITH_GAPS = "residual analysis", "residual analysis, gaps"
FILTER, PEER_ANALYSIS, PEER_FILTER = "low-pass", "scipy, residual analysis", "scipy, low-pass"


def trial(rng: np.random.Generator) -> FloatArray:
    """Positions (T, M, 3) [m]: sines of 0.3 to 2 Hz and 1 mm of noise."""
    t = np.arange(FRAMES)[:, None, None] / RATE_HZ
    f, phase = rng.uniform(0.3, 2.0, (MARKERS, 3)), rng.uniform(0.0, 6.3, (MARKERS, 3))
    return np.asarray(0.2 * np.sin(2.0 * np.pi * f * t + phase) + rng.normal(scale=0.001, size=(FRAMES, MARKERS, 3)))


def with_gaps(x: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return the same with gaps of 20 frames, at other places for every marker."""
    gappy = x.copy()
    for marker in range(MARKERS):
        for first in rng.integers(0, FRAMES - 20, GAPS):
            gappy[first : first + 20, marker] = np.nan
    return gappy


def recursive(x: FloatArray, cutoff_hz: float) -> FloatArray:
    """scipy's forward-backward filter of one channel with three periods of reflected padding."""
    sections = signal.butter(2, cutoff_hz / CORRECTION, fs=RATE_HZ, output="sos")
    padding = min(len(x) - 1, round(3.0 * RATE_HZ / cutoff_hz))
    return np.asarray(signal.sosfiltfilt(sections, x, padlen=padding))


def time_signals() -> dict[str, Timing]:
    """Seconds for one channel of a trial of 71 markers."""
    rng = np.random.default_rng(71)
    x = trial(rng)
    gappy = with_gaps(x, rng)
    cutoff = residual_analysis(x, RATE_HZ).cutoff_hz
    channels, cutoffs = x.reshape(FRAMES, -1).T.copy(), cutoff.ravel()
    count = channels.shape[0]

    def filter_one_by_one() -> None:
        for channel, f in zip(channels, cutoffs, strict=True):
            recursive(channel, float(f))

    def residuals_one_by_one() -> None:
        for channel in channels[:DIRECT_CHANNELS]:
            for f in DIRECT_CUTOFFS_HZ:
                np.sqrt(np.mean((channel - recursive(channel, f)) ** 2))

    share = DIRECT_CHANNELS * len(DIRECT_CUTOFFS_HZ) / len(ResidualOptions().grid_hz(RATE_HZ))
    return interleaved(
        [
            Task(ANALYSIS, lambda: residual_analysis(x, RATE_HZ), count),
            Task(WITH_GAPS, lambda: residual_analysis(gappy, RATE_HZ), count),
            Task(FILTER, lambda: low_pass(x, RATE_HZ, cutoff), count),
            Task(PEER_FILTER, filter_one_by_one, count),
            Task(PEER_ANALYSIS, residuals_one_by_one, share),
        ],
        PASSES,
    )


def print_signals() -> None:
    """Seconds for the whole trial, and ratios to scipy and to the movement."""
    timings = time_signals()
    movement, channels = FRAMES / RATE_HZ, 3 * MARKERS
    print(f"\nSignals of {MARKERS} markers, {FRAMES} frames at {RATE_HZ:g} Hz, a movement of {movement:g} s [s]:")
    for timing in timings.values():
        print(f"  {timing.name:26}{channels * timing.best:9.3f} best{channels * timing.median:9.3f} median")
    worst = channels * timings[WITH_GAPS].median
    verdict = "reached" if worst < movement else "NOT REACHED"
    print(
        f"Target: residual analysis in less than the movement: {worst / movement:.3f} of it, gaps included: {verdict}."
    )
    print(
        f"scipy one by one / ours: residual analysis {timings[PEER_ANALYSIS].best / timings[ANALYSIS].best:.0f}, "
        f"low-pass {timings[PEER_FILTER].best / timings[FILTER].best:.2f}."
    )
