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
import scipy

from biomec.base.arrays import BoolArray, FloatArray, IntArray, frames_last
from biomec.base.errors import BiomecError
from biomec.base.progress import in_parallel
from biomec.signals.stretches import Block, blocks

FEWEST_SAMPLES = 4
FADED_AFTER = 6  # periods of the cut-off after which a Butterworth filter has forgotten a sample: exp(−33)
FEWEST_MEMORY = 256  # samples; a cut-off close to the Nyquist frequency lasts longer than its period says
LARGEST_FAST_FACTOR = 31
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
            channels = frames_last(x[block.first : block.stop, block.columns])
            memory = max(FEWEST_MEMORY, FADED_AFTER * rate_hz * float(shortest_s[block.columns].max()))
            extra = _samples_to_a_fast_length(block.samples, int(memory))
            continued = _continued(channels, extra, continuation)
            g = gain(_frequencies(continued.shape[1], rate_hz), block.columns)
            y = _filter_channels(continued, g, continuation)
            values[block.first : block.stop, block.columns] = y[:, : block.samples].T

    in_parallel(run, len(work), 1)
    values.setflags(write=False)
    untouched.setflags(write=False)
    return Filtered(values, untouched)


def _filter_channels(x: FloatArray, gain: FloatArray, continuation: Continuation) -> FloatArray:
    """Multiply the spectrum of channels ``x`` (C, N) without gaps by ``gain`` (C, N) or (N,)."""
    g = np.broadcast_to(gain, x.shape)
    if continuation is Continuation.EVEN:
        return np.asarray(scipy.fft.idct(g * scipy.fft.dct(x, type=1), type=1))
    line, sines = sine_spectrum(x)
    line *= g[:, :1]
    sines *= g[:, 1:-1]
    line[:, 1:-1] += scipy.fft.idst(sines, type=1, overwrite_x=True)
    return line


def _continued(x: FloatArray, extra: int, continuation: Continuation) -> FloatArray:
    """Channels ``x`` (C, N) with ``extra`` samples of their own continuation after the last."""
    if extra == 0:
        return x
    mirrored = x[:, -2 : -2 - extra : -1]
    return np.hstack([x, 2.0 * x[:, -1:] - mirrored if continuation is Continuation.ODD else mirrored])


def _samples_to_a_fast_length(samples: int, memory: int) -> int:
    """How many samples to add, so that the transform is fast: none, or enough for the filter to forget them.

    A transform over a length with a large prime factor takes ten times as long. Where a filter has forgotten what lies
    beyond its memory, it does not matter that the signal is reflected later than at its end.
    """
    if _largest_prime_factor(samples - 1) <= LARGEST_FAST_FACTOR:
        return 0
    extra = int(scipy.fft.next_fast_len(samples - 1 + memory, real=True)) - (samples - 1)
    return extra if extra < samples else 0


def _largest_prime_factor(number: int) -> int:
    largest, factor = 1, 2
    while factor * factor <= number:
        while number % factor == 0:
            largest, number = factor, number // factor
        factor += 1
    return max(largest, number)


def sine_spectrum(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Split channels ``x`` (C, N) into the line through their end samples (C, N) and sines (C, N − 2).

    The sines are in the scale of the discrete sine transform: their squares add up to 2 (N − 1) times the sum of
    (x − line)².
    """
    along = np.linspace(0.0, 1.0, x.shape[1])
    line = (1.0 - along) * x[:, :1] + along * x[:, -1:]
    sines: FloatArray = scipy.fft.dst((x - line)[:, 1:-1], type=1)
    return line, sines


def sine_frequencies(samples: int, rate_hz: float) -> FloatArray:
    """Frequencies (N − 2,) of the sines of a stretch of N samples [Hz]."""
    return _frequencies(samples, rate_hz)[1:-1]


def _frequencies(samples: int, rate_hz: float) -> FloatArray:
    """From 0 to half the rate (N,) [Hz]: those of the cosines."""
    return np.arange(samples, dtype=np.float64) * (0.5 * rate_hz / (samples - 1))


def check_below_nyquist(what: str, frequency_hz: FloatArray, rate_hz: float) -> None:
    """Refuse frequencies that a signal of this rate cannot carry; NaN passes."""
    wrong = frequency_hz[(frequency_hz <= 0.0) | (frequency_hz >= 0.5 * rate_hz) | np.isinf(frequency_hz)]
    if wrong.size:
        raise BiomecError(
            f"The {what} of {wrong.flat[0]:g} Hz is not possible for a signal recorded at {rate_hz:g} Hz: "
            f"it must lie above 0 and below half the rate, {0.5 * rate_hz:g} Hz."
        )
