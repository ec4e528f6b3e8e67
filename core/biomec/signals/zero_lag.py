"""Filters without delay on samples that end: forward and backward passes over a signal continued by reflection.

A filter that runs forward and backward multiplies every frequency f by the real gain g(f) = |H(f)|² and shifts nothing.
What it gives near the ends depends on how the signal is thought to go on. Here it goes on by reflection about its end
samples, without end: by odd reflection, in which level and slope continue, the usual choice for positions
[HowarthCallaghan2009]; or by even reflection, like in a mirror, for amplitudes such as a rectified EMG. A signal that
is continued by odd reflection is a straight line plus sines that vanish at both ends,

    x_i = line_i + Σ_k s_k sin(π k i / (N − 1)),     f_k = k rate / (2 (N − 1)),

and the filter becomes a product, y_i = g(0) line_i + Σ_k g(f_k) s_k sin(…): exactly what the recursion gives when the
padding grows without limit, with no transient left and no error that grows as the cut-off falls. Every channel may have
its own cut-off at no cost. Even reflection gives cosines in place of sines, and needs no line.

Odd reflection turns about the end sample itself: the first and the last sample of a stretch keep their noise, and hand
it on, fading, over about half a period of the cut-off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from scipy import fft

from biomec.arrays import BoolArray, FloatArray, IntArray, frames_last
from biomec.errors import BiomecError
from biomec.progress import in_parallel
from biomec.signals.stretches import Block, blocks

FEWEST_SAMPLES = 4
CHANNELS_AT_A_TIME = 8  # some thousand samples of so many channels fit into the cache of a core

Gain: TypeAlias = Callable[[FloatArray, IntArray], FloatArray]
"""Gain of the two passes together at frequencies (K,) [Hz] for the given channels (C,): returns (C, K) or (K,)."""


class Continuation(StrEnum):
    """How a signal is thought to go on beyond its ends."""

    ODD = "odd"  # level and slope continue
    EVEN = "even"  # as in a mirror


@dataclass(frozen=True)
class Filtered:
    """A filtered signal, and where it could not be filtered.

    values    : like the input; NaN where the input is missing. Read-only.
    untouched : True where a sample is as it was, because its stretch between two gaps is too short
    """

    values: FloatArray
    untouched: BoolArray


def apply_gain(
    x: FloatArray, rate_hz: float, gain: Gain, shortest_s: FloatArray, continuation: Continuation = Continuation.ODD
) -> Filtered:
    """Filter every stretch of every channel of ``x`` (T, C) by ``gain``; gaps are neither bridged nor filled.

    shortest_s : (C,) stretches shorter than this are left as they are [s]; NaN leaves the whole channel
    """
    values = np.where(np.isfinite(x), x, np.nan)
    untouched = np.zeros(x.shape, dtype=np.bool_)
    work: list[Block] = []
    for block in blocks(x):
        enough = (block.samples >= FEWEST_SAMPLES) & (block.samples / rate_hz >= shortest_s[block.columns])
        untouched[block.first : block.stop, block.columns[~enough]] = True
        columns = block.columns[enough]
        work += [
            replace(block, columns=columns[c : c + CHANNELS_AT_A_TIME])
            for c in range(0, columns.size, CHANNELS_AT_A_TIME)
        ]

    def run(part: slice) -> None:
        for block in work[part]:
            y = _filter_block(
                frames_last(x[block.first : block.stop, block.columns]), rate_hz, gain, block, continuation
            )
            values[block.first : block.stop, block.columns] = y.T

    in_parallel(run, len(work), 1)
    values.setflags(write=False)
    untouched.setflags(write=False)
    return Filtered(values, untouched)


def _filter_block(x: FloatArray, rate_hz: float, gain: Gain, block: Block, continuation: Continuation) -> FloatArray:
    """Filter channels ``x`` (C, N) without gaps."""
    f = np.arange(block.samples, dtype=np.float64) * (0.5 * rate_hz / (block.samples - 1))
    g = np.broadcast_to(gain(f, block.columns), x.shape)
    if continuation is Continuation.EVEN:
        return np.asarray(fft.idct(g * fft.dct(x, type=1), type=1))
    line, sines = sine_spectrum(x)
    line *= g[:, :1]
    sines *= g[:, 1:-1]
    line[:, 1:-1] += fft.idst(sines, type=1, overwrite_x=True)
    return line


def sine_spectrum(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Split channels ``x`` (C, N) into the line through their end samples (C, N) and sines (C, N − 2).

    The sines are in the scale of the discrete sine transform: their squares add up to 2 (N − 1) times the sum of
    (x − line)².
    """
    along = np.linspace(0.0, 1.0, x.shape[1])
    line = (1.0 - along) * x[:, :1] + along * x[:, -1:]
    sines: FloatArray = fft.dst((x - line)[:, 1:-1], type=1)
    return line, sines


def sine_frequencies(samples: int, rate_hz: float) -> FloatArray:
    """Frequencies (N − 2,) of the sines of a stretch of N samples [Hz]."""
    return np.arange(1, samples - 1, dtype=np.float64) * (rate_hz / (2.0 * (samples - 1)))


def check_below_nyquist(what: str, frequency_hz: FloatArray, rate_hz: float) -> None:
    """Refuse frequencies that a signal of this rate cannot carry; NaN passes."""
    wrong = frequency_hz[(frequency_hz <= 0.0) | (frequency_hz >= 0.5 * rate_hz) | np.isinf(frequency_hz)]
    if wrong.size:
        raise BiomecError(
            f"The {what} of {wrong.flat[0]:g} Hz is not possible for a signal recorded at {rate_hz:g} Hz: "
            f"it must lie above 0 and below half the rate, {0.5 * rate_hz:g} Hz."
        )
