"""Filters of second order that run forward and backward, so that nothing is delayed; one table of all low-pass filters.

The digital filter is the bilinear transform of the analogue one [Winter2009], which bends the frequency axis: f stands
for the analogue frequency w(f) = tan(π f / rate). Two passes multiply the amplitude at f by

    low-pass   g(f) = 1 / (1 + (w(f)/w_d)⁴)          high-pass   g(f) = 1 / (1 + (w_d/w(f))⁴)      (Butterworth)
    low-pass   g(f) = 1 / (1 + (w(f)/w_d)²)²                                                     (critically damped)

with w_d where a single pass of Butterworth would be at −3 dB. Two passes shall be at −3 dB, g = 1/√2, at the cut-off
f_c that was asked for; so w_d = w(f_c) / C for a low-pass and C w(f_c) for the high-pass, with C = (√2 − 1)^¼ = 0.8022
for Butterworth and C = (2^¼ − 1)^½ = 0.4350 for the critically damped filter [RobertsonDowling2003]. The correction is
made on the bent axis, where it is exact up to the Nyquist frequency; for cut-offs far below it this is the design at
f_c / 0.802 of the textbooks.

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
from functools import partial
from typing import TypeAlias

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray, frames_last
from biomec.base.errors import BiomecError
from biomec.base.progress import Progress, in_parallel
from biomec.signals.singular_spectrum import FromSignal, SingularSpectrumOptions, singular_spectrum
from biomec.signals.stretches import Block, as_channels, blocks, time_series

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


CORRECTION = (np.sqrt(2.0) - 1.0) ** 0.25  # cut-off of two passes over cut-off of one, 0.8022
CRITICAL = 2.0**0.25 - 1.0  # square of the same of a critically damped filter, 0.4350²


def _butterworth(frequency_hz: ArrayLike, cutoff_hz: ArrayLike, rate_hz: float) -> FloatArray:
    """(C w(f) / w(f_c))⁴."""
    bent, cut = _bent(frequency_hz, rate_hz), _bent(cutoff_hz, rate_hz)
    return np.asarray(np.square(np.square(CORRECTION * bent)) / np.square(np.square(cut)))


def _critically_damped(frequency_hz: ArrayLike, cutoff_hz: ArrayLike, rate_hz: float) -> FloatArray:
    """(1 + u)² − 1 with u = (C w(f) / w(f_c))²."""
    u = CRITICAL * np.square(_bent(frequency_hz, rate_hz) / _bent(cutoff_hz, rate_hz))
    return np.asarray(u * (2.0 + u))


def _bent(frequency_hz: ArrayLike, rate_hz: float) -> FloatArray:
    """w(f) = tan(π f / rate)."""
    return np.asarray(np.tan(np.pi / rate_hz * np.asarray(frequency_hz)))


FilterFromSignal: TypeAlias = Callable[[FloatArray, float, SingularSpectrumOptions, bool, Progress | None], FromSignal]
"""Of samples (T, …), rate [Hz], options, whether channels along the last axis are filtered alike, and progress."""


@dataclass(frozen=True)
class LowPass:
    """A low-pass filter without delay.

    title, help : what people call it, and what it is good for
    stop_ratio  : of frequency, cut-off and rate [Hz]: what it takes away of the amplitude over what it lets pass,
                  √2 − 1 at the cut-off; frequency and cut-off broadcast
    from_signal : of a filter that finds its gain in the signal and takes no cut-off; ``stop_ratio`` then serves where
                  somebody asks for a cut-off
    """

    title: str
    help: str
    stop_ratio: Callable[[ArrayLike, ArrayLike, float], FloatArray]
    from_signal: FilterFromSignal | None = None


BUTTERWORTH = "butterworth"
FILTERS: dict[str, LowPass] = {
    BUTTERWORTH: LowPass("Butterworth", "Sharpest of second order; overshoots a little after a jump.", _butterworth),
    "critically-damped": LowPass(
        "critically damped", "Does not overshoot; takes more off below the cut-off.", _critically_damped
    ),
    "singular-spectrum": LowPass(
        "singular spectrum",
        "Tells movement from noise by the signal itself and needs no cut-off; one that is given is a Butterworth's.",
        _butterworth,
        singular_spectrum,
    ),
}
"""Name in settings -> filter. Settings, command line and documentation offer what is listed here."""


def filter_named(name: str) -> LowPass:
    """Return the filter of that name."""
    if name not in FILTERS:
        raise BiomecError(f"Filter: there is no filter {name}; there are {', '.join(FILTERS)}.")
    return FILTERS[name]


def low_pass_gain(
    frequency_hz: ArrayLike, cutoff_hz: ArrayLike, rate_hz: float, filter: str = BUTTERWORTH
) -> FloatArray:
    """Gain of the two passes of a low-pass of the table, 1/√2 at the cut-off; arguments broadcast."""
    return np.asarray(1.0 / (1.0 + filter_named(filter).stop_ratio(frequency_hz, cutoff_hz, rate_hz)))


def high_pass_gain(frequency_hz: ArrayLike, cutoff_hz: ArrayLike, rate_hz: float) -> FloatArray:
    """Gain of the two passes of the Butterworth high-pass, 1/√2 at the cut-off; arguments broadcast."""
    ratio = _butterworth(frequency_hz, cutoff_hz, rate_hz)
    return np.asarray(ratio / (ratio + CORRECTION**8))


def low_pass(
    x: ArrayLike,
    rate_hz: float,
    cutoff_hz: ArrayLike,
    continuation: Continuation = Continuation.ODD,
    filter: str = BUTTERWORTH,
) -> Filtered:
    """Keep what is slower than the cut-off.

    x         : (T, …) frame axis first; every channel behind it is filtered on its own, stretch by stretch between gaps
    cutoff_hz : one number, or the shape of the channels; NaN leaves a channel as it is
    filter    : name in `FILTERS`

    A stretch shorter than one period of the cut-off holds nothing that this filter could separate from noise: it is
    left as it is, and marked in ``untouched``.
    """
    gain = partial(low_pass_gain, filter=filter)
    return _filter(x, rate_hz, cutoff_hz, "low-pass", gain, continuation)


def high_pass(
    x: ArrayLike, rate_hz: float, cutoff_hz: ArrayLike, continuation: Continuation = Continuation.ODD
) -> Filtered:
    """Keep what is faster than the cut-off of a Butterworth filter; arguments as in `low_pass`."""
    return _filter(x, rate_hz, cutoff_hz, "high-pass", high_pass_gain, continuation)


def _filter(
    x: ArrayLike,
    rate_hz: float,
    cutoff_hz: ArrayLike,
    kind: str,
    gain: Callable[[ArrayLike, ArrayLike, float], FloatArray],
    continuation: Continuation,
) -> Filtered:
    signal = time_series(f"A {kind} filter", x, rate_hz)
    wanted = np.asarray(cutoff_hz, dtype=np.float64)
    check_below_nyquist(f"{kind} cut-off", wanted, rate_hz)
    try:
        cutoff = np.broadcast_to(wanted, signal.shape[1:]).ravel()
    except ValueError:
        raise BiomecError(
            f"The cut-offs have the shape {wanted.shape}, but the signal has channels of shape {signal.shape[1:]}: "
            "give one cut-off for all, or one for each channel."
        ) from None
    done = apply_gain(
        as_channels(signal),
        rate_hz,
        lambda f, columns: gain(f, cutoff[columns, None], rate_hz),
        1.0 / cutoff,
        continuation,
    )
    return Filtered(done.values.reshape(signal.shape), done.untouched.reshape(signal.shape))
