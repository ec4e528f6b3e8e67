"""EMG: from the raw channel to an envelope that can be compared.

Band-pass, notch against the mains if asked, rectify, smooth, divide by a reference: in this order, channel by channel,
without delay.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, Scope, info, problem, warning
from biomec.recording import Analog
from biomec.signals.filters import Continuation, Filtered, apply_gain, check_below_nyquist, high_pass, low_pass
from biomec.signals.stretches import blocks, stretches

LOWEST_RATE_HZ = 1000.0  # surface EMG reaches to about 500 Hz [Hermens2000]
CLIPPED_SAMPLES = 3  # that many equal samples in a row at the extreme value are no accident


class Envelope(StrEnum):
    """How the rectified signal is smoothed."""

    LOW_PASS = "low_pass"
    RMS = "rms"  # root mean square in a moving window


class EmgReference(StrEnum):
    """What the envelope is divided by."""

    NONE = "none"
    MAXIMUM = "maximum"  # of the envelope in this trial
    MEAN = "mean"  # of the envelope in this trial
    MVC = "mvc"  # a value from a maximal voluntary contraction, given by hand


@dataclass(frozen=True)
class EmgOptions:
    """What is done to every channel.

    band_hz            : band-pass, low and high cut-off; without the high one if the rate is too low for it
    mains_hz           : notch at this frequency (50 or 60), or None
    mains_quality      : frequency over width of the notch at −3 dB
    envelope           : low-pass at ``envelope_cutoff_hz`` of the rectified signal, or RMS over ``window_s``
    reference          : what the envelope is divided by; ``mvc`` holds (channel, value) for ``EmgReference.MVC``
    """

    band_hz: tuple[float, float] = (20.0, 450.0)
    mains_hz: float | None = None
    mains_quality: float = 30.0
    envelope: Envelope = Envelope.LOW_PASS
    envelope_cutoff_hz: float = 6.0
    window_s: float = 0.1
    reference: EmgReference = EmgReference.NONE
    mvc: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        low, high = self.band_hz
        if not 0.0 < low < high < np.inf:
            raise BiomecError(f"EMG: a band from {low:g} to {high:g} Hz does not exist.")
        numbers = {
            "cut-off of the envelope": self.envelope_cutoff_hz,
            "frequency of the mains": 50.0 if self.mains_hz is None else self.mains_hz,
            "quality of the notch": self.mains_quality,
            "window of the RMS": self.window_s,
        }
        for what, number in numbers.items():
            if not (np.isfinite(number) and number > 0.0):
                raise BiomecError(f"EMG: the {what} is {number:g}; it must be positive.")
        for name, value in self.mvc:
            if not (np.isfinite(value) and value > 0.0):
                raise BiomecError(
                    f"EMG {name}: the value of the maximal contraction is {value:g}; it must be positive."
                )


@dataclass(frozen=True)
class EmgResult:
    """Processed EMG; the three have the channels, samples and clock of what was recorded.

    filtered  : band-passed, not yet rectified
    envelope  : smoothed, divided by the reference; NaN for a channel without one
    reference : (C,) what each envelope was divided by, in the channel's unit; 1 for ``EmgReference.NONE``
    """

    filtered: Analog
    envelope: Analog
    reference: FloatArray
    options: EmgOptions
    notices: tuple[Notice, ...]


def process_emg(emg: Analog, options: EmgOptions = EmgOptions()) -> EmgResult:
    """Band-pass, rectify, smooth and normalise every channel; missing samples stay missing, gaps are not bridged."""
    filtered, notices = _band_pass(emg, options)
    notices = _about_recording(emg) + notices
    if options.envelope is Envelope.LOW_PASS:
        smooth = _done(low_pass(np.abs(filtered), emg.rate_hz, options.envelope_cutoff_hz, Continuation.EVEN))
        smooth = np.maximum(smooth, 0.0)  # the filter swings a little below zero beside a burst; an amplitude cannot
    else:
        smooth = moving_rms(filtered, emg.rate_hz, options.window_s)
    notices += _about_lost(emg, smooth)
    reference, said = _reference(emg, smooth, options)
    units = emg.units if options.reference is EmgReference.NONE else tuple("1" for _ in emg.units)
    return EmgResult(
        replace(emg, values=filtered),
        replace(emg, values=smooth / reference, units=units),
        read_only(reference),
        options,
        tuple(notices + said),
    )


def moving_rms(x: FloatArray, rate_hz: float, window_s: float) -> FloatArray:
    """Root mean square of ``x`` (N, C) in a window around each sample; at the ends of a stretch, of what is there."""
    half = round(0.5 * window_s * rate_hz)
    result = np.full(x.shape, np.nan)
    for block in blocks(x):
        n = block.samples
        sums = np.zeros((n + 1, block.columns.size))
        np.cumsum(np.square(x[block.first : block.stop, block.columns]), axis=0, out=sums[1:])
        first = np.maximum(np.arange(n) - half, 0)
        stop = np.minimum(np.arange(n) + half + 1, n)
        mean = (sums[stop] - sums[first]) / (stop - first)[:, None]
        result[block.first : block.stop, block.columns] = np.sqrt(np.maximum(mean, 0.0))
    return result


def notch(x: FloatArray, rate_hz: float, centre_hz: float, quality: float) -> FloatArray:
    """Take one frequency out of ``x`` (N, C), without delay.

    Two passes of the second-order notch multiply f by g = (1 − u²)² / ((1 − u²)² + (u/Q)²), with u = w(f)/w(centre) and
    w(f) = tan(π f / rate); Q is centre over width at −3 dB of one pass.
    """
    check_below_nyquist("notch", np.array([centre_hz]), rate_hz)

    def gain(f: FloatArray, columns: IntArray) -> FloatArray:
        u = np.tan(np.pi * f / rate_hz) / np.tan(np.pi * centre_hz / rate_hz)
        passed = np.square(1.0 - u * u)
        return np.asarray(passed / (passed + np.square(u / quality)))

    done = apply_gain(x, rate_hz, gain, np.full(x.shape[1], quality / centre_hz), Continuation.EVEN)
    return _done(done)


def _done(filtered: Filtered) -> FloatArray:
    """Only what was filtered: unlike a position, a raw EMG among smoothed ones would mislead."""
    return np.where(filtered.untouched, np.nan, filtered.values)


def _band_pass(emg: Analog, options: EmgOptions) -> tuple[FloatArray, list[Notice]]:
    """Filtered samples (N, C)."""
    low, high = options.band_hz
    notices = []
    x = _done(high_pass(emg.values, emg.rate_hz, low, Continuation.EVEN))
    if high < 0.5 * emg.rate_hz:
        x = _done(low_pass(x, emg.rate_hz, high, Continuation.EVEN))
    else:
        half = 0.5 * emg.rate_hz
        sentence = f"EMG recorded at {emg.rate_hz:g} Hz holds nothing above {half:g} Hz: no cut-off at {high:g} Hz."
        notices.append(info("band-cut-short", sentence))
    if options.mains_hz is not None:
        x = notch(x, emg.rate_hz, options.mains_hz, options.mains_quality)
    return x, notices


def _reference(emg: Analog, envelope: FloatArray, options: EmgOptions) -> tuple[FloatArray, list[Notice]]:
    """Divisor (C,) of every channel, NaN where there is none."""
    there = np.isfinite(envelope)
    if options.reference is EmgReference.NONE:
        return np.ones(len(emg.names)), []
    if options.reference is EmgReference.MVC:
        known = dict(options.mvc)
        value = np.array([known.get(name, np.nan) for name in emg.names])
        why = "no value of a maximal contraction was given"
    elif options.reference is EmgReference.MAXIMUM:
        value = np.where(there, envelope, 0.0).max(axis=0, initial=0.0)
        why = "it holds no activity"
    else:
        value = np.where(there, envelope, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
        why = "it holds no activity"
    value = np.where(value > 0.0, value, np.nan)
    without = [name for name, number in zip(emg.names, value, strict=True) if np.isnan(number)]
    sentence = f"EMG not normalised: {', '.join(without)}, because {why}."
    return value, [problem("no-reference", sentence, *without, scope=Scope.ASIDE)] if without else []


def _about_lost(emg: Analog, envelope: FloatArray) -> list[Notice]:
    """Samples that were recorded, but lie in stretches too short to filter."""
    lost = np.isfinite(emg.values) & ~np.isfinite(envelope)
    names = [name for name, one in zip(emg.names, lost.T, strict=True) if one.any()]
    sentence = (
        f"EMG {', '.join(names)}: {lost.sum()} samples between gaps are too few in a row to be filtered; left out."
    )
    return [warning("stretch-too-short", sentence, *names, scope=Scope.ASIDE)] if names else []


def _about_recording(emg: Analog) -> list[Notice]:
    """Rate too low, dead channels, clipped channels."""
    notices = []
    if emg.rate_hz < LOWEST_RATE_HZ:
        sentence = (
            f"EMG was recorded at {emg.rate_hz:g} Hz; below {LOWEST_RATE_HZ:g} Hz part of it is lost or folded back."
        )
        notices.append(warning("rate-too-low", sentence, scope=Scope.ASIDE))
    for name, unit, x in zip(emg.names, emg.units, emg.values.T, strict=True):
        samples = x[np.isfinite(x)]
        if samples.size == 0 or samples.min() == samples.max():
            words = f"EMG {name} is dead: it never changes."
            notices.append(problem("dead-channel", words, name, scope=Scope.ASIDE))
            continue
        for extreme in (samples.min(), samples.max()):
            runs = stretches(x == extreme)
            longest = int((runs[:, 1] - runs[:, 0]).max())
            if longest >= CLIPPED_SAMPLES:
                sentence = f"EMG {name} is clipped at {extreme:.3g} {unit}, up to {longest} samples in a row: "
                sentence += "its amplitude is underestimated."
                notices.append(warning("clipped", sentence, name, scope=Scope.ASIDE))
    return notices
