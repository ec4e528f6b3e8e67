"""Filters of second order that run forward and backward, so that nothing is delayed; one table of the low-pass filters.

The digital filter is the bilinear transform of the analogue one [Winter2009], which bends the frequency axis: f stands
for the analogue frequency w(f) = tan(π f / rate). Two passes multiply the amplitude at f by

    low-pass   g(f) = 1 / (1 + (w(f)/w_d)⁴)          high-pass   g(f) = 1 / (1 + (w_d/w(f))⁴)      (Butterworth)
    low-pass   g(f) = 1 / (1 + (w(f)/w_d)²)²                                                     (critically damped)

with w_d where a single pass of Butterworth would be at −3 dB. Two passes shall be at −3 dB, g = 1/√2, at the cut-off
f_c that was asked for; so w_d = w(f_c) / C for a low-pass and C w(f_c) for the high-pass, with C = (√2 − 1)^¼ = 0.8022
for Butterworth and C = (2^¼ − 1)^½ = 0.4350 for the critically damped filter [RobertsonDowling2003]. The correction is
made on the bent axis, where it is exact up to the Nyquist frequency; for cut-offs far below it this is the design at
f_c / 0.802 of the textbooks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.signals.stretches import as_channels, time_series
from biomec.signals.zero_lag import Continuation, Filtered, apply_gain, check_below_nyquist

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


@dataclass(frozen=True)
class LowPass:
    """A low-pass filter of two passes.

    title, help : what people call it, and what it is good for
    stop_ratio  : of frequency, cut-off and rate [Hz]: what it takes away of the amplitude over what it lets pass,
                  √2 − 1 at the cut-off; frequency and cut-off broadcast
    """

    title: str
    help: str
    stop_ratio: Callable[[ArrayLike, ArrayLike, float], FloatArray]


BUTTERWORTH = "butterworth"
FILTERS: dict[str, LowPass] = {
    BUTTERWORTH: LowPass("Butterworth", "Sharpest of second order; overshoots a little after a jump.", _butterworth),
    "critically-damped": LowPass(
        "critically damped", "Does not overshoot; takes more off below the cut-off.", _critically_damped
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

    A stretch shorter than one period of the cut-off holds nothing that could be told from noise by this filter: it is
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
