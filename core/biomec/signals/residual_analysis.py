"""The cut-off that a signal asks for itself: residual analysis [Winter2009], [Nunes2017] Eq. 3.5.

The residual R(f) is the root mean square of what a low-pass filter at f takes away. At high f it takes away noise only,
and R falls along a straight line; towards low f it takes away signal too, and R rises. The line, drawn on to f = 0,
gives the noise a0 of the whole signal; the cut-off is where R(f) = a0: signal lost and noise kept are then alike.

    R
    |*
    | *                 * R(f)
    |  *                – line a0 + a1 f, fitted to the tail
 a0 |---*- - - -
    |     * *----- *–––* –––*–––*
    +----|----------------------- f
         f_c
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, IntArray, frames_last, read_only
from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.base.progress import Progress, in_parallel
from biomec.signals.filters import BUTTERWORTH, FEWEST_SAMPLES, LowPass, filter_named, sine_frequencies, sine_spectrum
from biomec.signals.stretches import Block, as_channels, blocks, time_series

HIGHEST_OF_RATE = 0.4  # cut-offs above this fraction of the rate leave no room for a tail
SINES_AT_A_TIME = 2048  # keeps the table of gains within the processor's cache


@dataclass(frozen=True)
class ResidualOptions:
    """How the cut-off is sought.

    lowest_hz, highest_hz, step_hz : grid of cut-offs that are tried
    correlation : the tail starts where |r| of R against f first exceeds this, going up from the lowest frequency
    floor_hz    : no cut-off below this; a channel that hardly moves asks for almost none
    tail_points : fewest points of the grid that count as a tail
    """

    lowest_hz: float = setting(0.0625, "Lowest cut-off tried", "Where the search begins.", unit="Hz", least=0.0)
    highest_hz: float = setting(
        20.0, "Highest cut-off tried", "Where the search ends; never above 0.4 of the sampling rate.", unit="Hz",
        least=0.0)  # fmt: skip
    step_hz: float = setting(0.0625, "Step", "Between the cut-offs that are tried.", unit="Hz", least=0.0)
    correlation: float = setting(
        0.95, "Straightness of the tail", "The noise begins where residual and cut-off correlate more than this.",
        least=0.0)  # fmt: skip
    floor_hz: float = setting(
        0.5, "Smallest cut-off used", "A channel that hardly moves asks for almost none.", unit="Hz", least=0.0
    )
    tail_points: int = setting(
        16, "Fewest points of the tail", "So many cut-offs must lie on the line of the noise.", least=0
    )

    def __post_init__(self) -> None:
        if not 0.0 < self.lowest_hz < self.highest_hz or not self.step_hz > 0.0 or not np.isfinite(self.highest_hz):
            raise BiomecError(
                f"Residual analysis: cut-offs from {self.lowest_hz:g} to {self.highest_hz:g} Hz in steps of "
                f"{self.step_hz:g} Hz make no grid; they must be positive and increase."
            )
        if not 0.0 < self.correlation < 1.0:
            raise BiomecError(f"Residual analysis: the correlation is {self.correlation:g}; give one between 0 and 1.")
        if not (self.floor_hz >= 0.0 and self.tail_points >= 3):
            raise BiomecError(
                "Residual analysis: the floor cannot be negative, and a tail needs at least three points."
            )

    def grid_hz(self, rate_hz: float) -> FloatArray:
        """Cut-offs (F,) to try on a signal of this rate; none above 0.4 of the rate."""
        highest = min(self.highest_hz, HIGHEST_OF_RATE * rate_hz)
        count = int(np.floor((highest - self.lowest_hz) / self.step_hz + 1e-9)) + 1
        if count < self.tail_points:
            raise BiomecError(
                f"Residual analysis: at {rate_hz:g} Hz only {max(count, 0)} cut-offs from {self.lowest_hz:g} to "
                f"{highest:g} Hz can be tried; a tail needs {self.tail_points}. Take a smaller step or a fixed cut-off."
            )
        return self.lowest_hz + self.step_hz * np.arange(count, dtype=np.float64)


@dataclass(frozen=True)
class ResidualAnalysis:
    """Cut-offs with everything needed to draw and judge them; arrays are read-only, channels … as in the signal.

    grid_hz     : (F,) cut-offs that were tried
    residual    : (F, …) R, in the signal's unit; NaN for a channel with too few samples
    noise       : (…) a0, root mean square of the noise; NaN where no tail was found
    slope       : (…) a1 of the line a0 + a1 f, per Hz
    tail_from   : (…) index into the grid where the tail starts; −1 where there is none
    crossing_hz : (…) where R = a0, before the floor
    cutoff_hz   : (…) the cut-off to use, not below the floor; NaN where none was found
    """

    grid_hz: FloatArray
    residual: FloatArray
    noise: FloatArray
    slope: FloatArray
    tail_from: IntArray
    crossing_hz: FloatArray
    cutoff_hz: FloatArray
    options: ResidualOptions

    def line(self, channel: int | tuple[int, ...] = ()) -> tuple[FloatArray, FloatArray]:
        """Frequencies and values (2,), (2,) of a channel's line, from f = 0 to the end of the grid."""
        f = np.array([0.0, self.grid_hz[-1]])
        return f, np.asarray(self.noise[channel] + self.slope[channel] * f)


def residual_analysis(
    x: ArrayLike,
    rate_hz: float,
    options: ResidualOptions = ResidualOptions(),
    progress: Progress | None = None,
    filter: str = BUTTERWORTH,
) -> ResidualAnalysis:
    """Find the cut-off of every channel of ``x`` (T, …) for a filter of the table `FILTERS`.

    Gaps are left out, every stretch between them counts.
    """
    signal = time_series("Residual analysis", x, rate_hz)
    grid = options.grid_hz(rate_hz)
    residual = residuals(signal, rate_hz, grid, progress, filter)
    noise, slope, tail_from = _tail(grid, residual, options)
    crossing = _first_crossing(grid, residual, noise)
    cutoff = np.where(np.isnan(crossing), np.nan, np.maximum(crossing, options.floor_hz))
    shape = signal.shape[1:]
    return ResidualAnalysis(
        read_only(grid),
        read_only(residual.reshape(len(grid), *shape)),
        read_only(noise.reshape(shape)),
        read_only(slope.reshape(shape)),
        read_only(tail_from.reshape(shape), np.int64),
        read_only(crossing.reshape(shape)),
        read_only(cutoff.reshape(shape)),
        options,
    )


def residuals(
    x: FloatArray, rate_hz: float, grid_hz: FloatArray, progress: Progress | None = None, filter: str = BUTTERWORTH
) -> FloatArray:
    """R(f) = √(Σ (x_i − x_F,i)² / N) of ``x`` (T, …) for every cut-off, as (F, C). [Winter2009]; [Nunes2017] Eq. 3.5

    In the sines of `filters` the filter is a product, so Σ (x − x_F)² = Σ_k ((1 − g_f(f_k)) s_k)² / (2 (N − 1))
    (Parseval): one matrix product does all cut-offs and all channels, and equals filtering them one by one.
    """
    signal, chosen = as_channels(x), filter_named(filter)
    work = [block for block in blocks(signal) if block.samples >= FEWEST_SAMPLES]
    sums: list[FloatArray] = [np.empty(0)] * len(work)

    def run(part: slice) -> None:
        for i in range(part.start, part.stop):
            sums[i] = _block_sums(signal, rate_hz, grid_hz, work[i], chosen)

    in_parallel(run, len(work), 1, progress)
    total = np.zeros((len(grid_hz), signal.shape[1]))
    count = np.zeros(signal.shape[1])
    for block, block_sum in zip(work, sums, strict=True):
        total[:, block.columns] += block_sum
        count[block.columns] += block.samples
    return np.sqrt(total / np.where(count > 0, count, np.nan))


def _block_sums(signal: FloatArray, rate_hz: float, grid_hz: FloatArray, block: Block, filter: LowPass) -> FloatArray:
    """Σ (x − x_F)² (F, C) over one block."""
    _, sines = sine_spectrum(frames_last(signal[block.first : block.stop, block.columns]))
    power = np.square(sines, out=sines).T  # (K, C)
    frequency = sine_frequencies(block.samples, rate_hz)
    total = np.zeros((len(grid_hz), block.columns.size))
    for k in range(0, len(frequency), SINES_AT_A_TIME):
        taken = filter.stop_ratio(frequency[None, k : k + SINES_AT_A_TIME], grid_hz[:, None], rate_hz)  # (F, K)
        taken /= 1.0 + taken  # 1 − g
        total += np.square(taken, out=taken) @ power[k : k + SINES_AT_A_TIME]
    return total / (2.0 * (block.samples - 1))


def _tail(f: FloatArray, R: FloatArray, options: ResidualOptions) -> tuple[FloatArray, FloatArray, IntArray]:
    """Least-squares line on [f_k, f_max] with the smallest k for which |r| exceeds the limit: a0, a1, k, each (C,).

    Sums over [f_k, f_max] for all k at once, taken about the last point so that nothing cancels where R is nearly flat.
    """

    def from_here_on(values: FloatArray) -> FloatArray:
        return np.asarray(np.cumsum(values[::-1], axis=0)[::-1])

    u, v = (f - f[-1])[:, None], R - R[-1]
    n = np.arange(len(f), 0, -1.0)[:, None]
    su, sv = from_here_on(u), from_here_on(v)
    cuu = from_here_on(u * u) - su * su / n
    cvv = from_here_on(v * v) - sv * sv / n
    cuv = from_here_on(u * v) - su * sv / n
    is_line = cuv**2 > options.correlation**2 * cuu * cvv  # False where R is constant or unknown
    is_line[len(f) - options.tail_points + 1 :] = False
    found = is_line.any(axis=0)
    k, channels = np.argmax(is_line, axis=0), np.arange(R.shape[1])
    slope = np.where(found, cuv[k, channels] / cuu[k, 0], np.nan)
    middle_u, middle_v = su[k, 0] / n[k, 0], sv[k, channels] / n[k, 0]
    noise = R[-1] + middle_v - slope * (f[-1] + middle_u)
    return noise, slope, np.where(found, k, -1)


def _first_crossing(f: FloatArray, R: FloatArray, noise: FloatArray) -> FloatArray:
    """Frequency (C,) where R first falls to the noise, between two points of the grid by a straight line."""
    below = noise >= R
    at = np.argmax(below, axis=0)
    before, channels = np.maximum(at - 1, 0), np.arange(R.shape[1])
    high, low = R[before, channels], R[at, channels]
    step = np.where(high > low, high - low, 1.0)
    crossing = f[before] + (f[at] - f[before]) * np.clip((high - noise) / step, 0.0, 1.0)
    return np.where(below.any(axis=0), crossing, np.nan)
