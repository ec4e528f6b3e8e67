"""Singular spectrum analysis: a filter that finds slow movement and noise in the signal itself [Golyandina2001].

The windows of ℓ samples that a signal x holds, one beside the other, are its trajectory matrix

    X = [ x_0  x_1 … x_{K−1} ;  x_1  x_2 … x_K ;  … ;  x_{ℓ−1} … x_{N−1} ]     (ℓ, K),   K = N − ℓ + 1

X Xᵀ = Σ λ_k u_k u_kᵀ. Few of these components carry the movement, however it looks like; noise spreads over all ℓ. The
r largest are kept, Σ u_k u_kᵀ X, and every sample is the mean of its places in the result. For movement data this was
proposed by [Alonso2005]. A sum of m sinusoids has 2m components, and comes out exactly, up to the ends.

Away from the ends this multiplies a frequency f by the real gain [HarrisYuan2010]

    g(f) = (1/ℓ) Σ_{k ≤ r} |Σ_j u_k,j exp(−2πi f j / rate)|²

so that nothing is delayed. The highest f with g ≥ 1/√2 is the cut-off of the filter that the signal asked for.

A straight line, by least squares, is taken out of every stretch before, and given back after: the result depends
neither on where the laboratory has its origin nor on the speed of whoever crosses it. It may need two components more.

How many are kept: all above the noise, the rule of [GavishDonoho2014] for noise of unknown size, λ_k > ω(β)² median λ
with β = ℓ/K, and a margin; or as many as hold a share of Σ λ; or a number. The second keeps noise wherever movement is
small.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.base.errors import BiomecError
from biomec.base.fields import PERCENT, setting
from biomec.base.progress import Progress, in_parallel
from biomec.signals.stretches import as_channels, stretches, time_series

FEWEST_WINDOW = 4  # samples: with fewer, nothing is left for the noise
FINENESS = 16  # frequencies per 1/window at which the gain is looked at
HIGHEST_REPORTED = 0.4  # of the rate: a reported cut-off is one that other filters can have
MARGIN = 2.0  # the rule is for independent windows. Without it, one marker in a hundred keeps a fast component of noise
# and accelerates twenty times as wrongly as the others; with it, positions lose 2 %.
ROUNDING = 1e-13  # of the largest λ: below it nothing is known


class Components(StrEnum):
    """How many components are movement."""

    NOISE = "noise"  # all above the noise
    ENERGY = "energy"  # as many as hold a share of the energy
    NUMBER = "number"


@dataclass(frozen=True)
class SingularSpectrumOptions:
    """Window, and which components are movement.

    energy : share of Σ λ, for ``ENERGY``
    number : for ``NUMBER``; not more than the window has samples
    """

    window_s: float = setting(
        0.3, "Window", "Long enough to tell movement from noise, shorter than a step.", unit="s", least=0.0
    )
    components: Components = setting(
        Components.NOISE, "Components kept", "Which of the components are movement.",
        choices={Components.NOISE: ("above the noise", "All that are larger than noise alone would be."),
                 Components.ENERGY: ("by energy", "As many as hold a share of it; small movements keep their noise."),
                 Components.NUMBER: ("a number", "The same number everywhere.")})  # fmt: skip
    energy: float = setting(
        0.9999, "Share of the energy", "Used where components are kept by energy.", unit="%", factor=PERCENT, least=0.0,
        most=100.0)  # fmt: skip
    number: int = setting(4, "Number of components", "Used where their number is given.", least=1)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.window_s) and self.window_s > 0.0):
            raise BiomecError(f"Singular spectrum: a window of {self.window_s:g} s is not possible; give one above 0.")
        if not 0.0 < self.energy <= 1.0:
            raise BiomecError(
                f"Singular spectrum: a share of {100.0 * self.energy:g} % of the energy is not possible; "
                "give one above 0 and up to 100 %."
            )
        if self.number < 1:
            raise BiomecError(f"Singular spectrum: {self.number} components are not possible; keep at least one.")

    def window(self, rate_hz: float) -> int:
        """Samples ℓ of a window at this rate."""
        return max(FEWEST_WINDOW, round(self.window_s * rate_hz))

    def kept(self, spectrum: FloatArray, windows: int) -> int:
        """How many of the components λ (ℓ,), largest first, of so many windows are movement."""
        if self.components is Components.NUMBER:
            return min(self.number, len(spectrum))
        if self.components is Components.ENERGY:
            share = np.cumsum(spectrum) / spectrum.sum()
            return int(np.searchsorted(share, self.energy * (1.0 - ROUNDING))) + 1
        beta = min(len(spectrum), windows) / max(len(spectrum), windows)
        noise = MARGIN * threshold(beta) ** 2 * float(np.median(spectrum))
        return int((spectrum > max(noise, ROUNDING * spectrum[0])).sum())


def threshold(beta: float) -> float:
    """ω(β): hard threshold over the median of singular values; [GavishDonoho2014], good to 0.02."""
    return ((0.56 * beta - 0.95) * beta + 1.82) * beta + 1.43


@dataclass(frozen=True)
class FromSignal:
    """A signal, filtered by what it asks for itself; arrays are read-only, channels … as in the signal.

    values     : NaN where the input is missing
    untouched  : True where a sample is as it was, because its stretch is shorter than two windows
    cutoff_hz  : (…) highest frequency of which the filter leaves 1/√2 or more, but not below one period a recording and
                 not above 0.4 of the rate; NaN where nothing was filtered
    components : (…) how many were kept; 0 leaves a straight line
    """

    values: FloatArray
    untouched: BoolArray
    cutoff_hz: FloatArray
    components: IntArray


def singular_spectrum(
    x: ArrayLike,
    rate_hz: float,
    options: SingularSpectrumOptions = SingularSpectrumOptions(),
    shared: bool = False,
    progress: Progress | None = None,
) -> FromSignal:
    """Filter every channel of ``x`` (T, …), stretch by stretch between gaps, with one set of components a channel.

    shared : one set for all channels along the last axis, whose energies add: all are then filtered alike
    """
    signal = time_series("Singular spectrum analysis", x, rate_hz)
    channels = as_channels(signal)
    size = signal.shape[-1] if shared and signal.ndim > 1 else 1
    groups = np.arange(channels.shape[1]).reshape(-1, size) if channels.size else np.empty((0, size), dtype=np.int64)
    values = np.where(np.isfinite(channels), channels, np.nan)
    untouched = np.zeros(channels.shape, dtype=np.bool_)
    cutoff = np.full(channels.shape[1], np.nan)
    components = np.zeros(channels.shape[1], dtype=np.int64)

    def run(part: slice) -> None:
        for group in groups[part]:
            pieces = _pieces(channels, group, 2 * options.window(rate_hz), untouched)
            cutoff[group], components[group] = _filter_group(values, pieces, rate_hz, options)

    in_parallel(run, len(groups), 1, progress)
    for one in (values, untouched, cutoff, components):
        one.setflags(write=False)
    shape = signal.shape
    return FromSignal(
        values.reshape(shape), untouched.reshape(shape), cutoff.reshape(shape[1:]), components.reshape(shape[1:])
    )


def _pieces(x: FloatArray, group: IntArray, fewest: int, untouched: BoolArray) -> list[tuple[int, int, int]]:
    """Channel, first sample and one past the last of every stretch that is long enough; the others are marked."""
    found = []
    for column in group:
        for first, stop in stretches(np.isfinite(x[:, column])):
            if stop - first >= fewest:
                found.append((int(column), int(first), int(stop)))
            else:
                untouched[first:stop, column] = True
    return found


def _filter_group(
    values: FloatArray, pieces: list[tuple[int, int, int]], rate_hz: float, options: SingularSpectrumOptions
) -> tuple[float, int]:
    """Filter the pieces in place by their common components; cut-off and number of components."""
    window = options.window(rate_hz)
    lines = [_line(values[first:stop, column]) for column, first, stop in pieces]
    rests = [values[a:b, column] - line for (column, a, b), line in zip(pieces, lines, strict=True)]
    if not any(rest.any() for rest in rests):
        return np.nan, 0
    spectrum, u = np.linalg.eigh(np.sum([_products(rest, window) for rest in rests], axis=0))
    spectrum, u = np.maximum(spectrum[::-1], 0.0), u[:, ::-1]
    kept = options.kept(spectrum, sum(len(rest) - window + 1 for rest in rests))
    if kept == window:  # everything is
        return np.nan, kept
    u = u[:, :kept]
    for (column, first, stop), line, rest in zip(pieces, lines, rests, strict=True):
        values[first:stop, column] = line + _of_components(rest, u)
    return float(np.clip(_cutoff(u, rate_hz), rate_hz / sum(map(len, rests)), HIGHEST_REPORTED * rate_hz)), kept


def _line(x: FloatArray) -> FloatArray:
    """Straight line through ``x`` (N,) by least squares."""
    along = np.arange(len(x)) - 0.5 * (len(x) - 1)
    return np.asarray(x.mean() + along * (along @ x) / (along @ along))


def _products(x: FloatArray, window: int) -> FloatArray:
    """X Xᵀ (ℓ, ℓ) of the trajectory matrix of ``x`` (N,).

    Its first row are sums of products; from there to the next row every sum loses its first product and wins one.
    """
    windows = len(x) - window + 1
    made = np.empty((window, window))
    made[0] = made[:, 0] = np.correlate(x, x[:windows], "valid")
    for i in range(1, window):
        j = slice(i - 1, window - 1)
        made[i, i:] = made[i - 1, j] - x[i - 1] * x[j] + x[i - 1 + windows] * x[i - 1 + windows : len(x)]
        made[i:, i] = made[i, i:]
    return made


def _of_components(x: FloatArray, u: FloatArray) -> FloatArray:
    """Signal (N,) whose samples are the means of their places in the windows u uᵀ X; ``u`` (ℓ, r).

    uᵀ X correlates the signal with u, and what is summed along the diagonals is the convolution with u.
    """
    (window, _), samples = u.shape, len(x)
    n = scipy.fft.next_fast_len(samples, real=True)
    response = scipy.fft.rfft(u, n, axis=0)
    weights = scipy.fft.irfft(scipy.fft.rfft(x, n)[:, None] * response.conj(), n, axis=0)[: samples - window + 1]
    summed = scipy.fft.irfft((scipy.fft.rfft(weights, n, axis=0) * response).sum(axis=1), n)[:samples]
    count = np.minimum(np.arange(1, samples + 1), window)
    return np.asarray(summed / np.minimum(count, count[::-1]))


def component_gain(u: FloatArray, frequency_hz: FloatArray, rate_hz: float) -> FloatArray:
    """g (F,) at frequencies (F,) [Hz] of the components ``u`` (ℓ, r)."""
    turns = np.exp(-2j * np.pi / rate_hz * np.outer(frequency_hz, np.arange(len(u))))
    return np.asarray(np.square(np.abs(turns @ u)).sum(axis=1) / len(u))


def _cutoff(u: FloatArray, rate_hz: float) -> float:
    """Highest frequency with g ≥ 1/√2, between two points of the grid by a straight line; 0 if there is none."""
    f = np.linspace(0.0, 0.5 * rate_hz, FINENESS * len(u) // 2 + 1)
    over = component_gain(u, f, rate_hz) - np.sqrt(0.5)
    passes = np.flatnonzero(over >= 0.0)
    if not passes.size:
        return 0.0
    last = int(passes[-1])
    if last == len(f) - 1:
        return float(f[last])
    return float(f[last] + (f[last + 1] - f[last]) * over[last] / (over[last] - over[last + 1]))
