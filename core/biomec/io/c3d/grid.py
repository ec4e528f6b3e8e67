"""One clock for all analog channels of a file: a whole number of samples with every frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, warning

CLOSE = 1e-6  # of a sample or of a rate: rounding of times


@dataclass(frozen=True)
class SampleGrid:
    """Samples at k / rate, k = 0 … frames × samples_per_frame − 1, on the clock of the trial."""

    frames: int
    frame_rate_hz: float
    samples_per_frame: int

    @property
    def rate_hz(self) -> float:
        """Samples a second."""
        return self.frame_rate_hz * self.samples_per_frame

    @property
    def samples(self) -> int:
        """Number of samples."""
        return self.frames * self.samples_per_frame

    def place(
        self, values: FloatArray, rate_hz: float, start_s: float, what: str
    ) -> tuple[FloatArray, tuple[Notice, ...]]:
        """Samples (N, C) of another clock on this grid: shifted where they fall on it, else interpolated linearly.

        A sample lasts until the next one is due, so the last value is held for one interval of its own clock; NaN
        before the first sample and after that interval. A notice if anything was interpolated or cut.
        """
        placed = np.full((self.samples, values.shape[1]), np.nan)
        steps = start_s * self.rate_hz
        if abs(rate_hz - self.rate_hz) <= CLOSE * rate_hz and abs(steps - round(steps)) <= CLOSE * self.samples:
            first = round(steps)
            here = slice(max(first, 0), max(min(first + len(values), self.samples), 0))
            there = slice(here.start - first, here.stop - first)
            if here.stop > here.start:
                placed[here] = values[there]
            if first == 0 and len(values) == self.samples:
                return placed, ()
            sentence = f"{what} do not cover the frames exactly; samples outside are left out, absent ones are missing."
            return placed, (warning("c3d-written-cut", sentence),)
        here_s, there_s = np.arange(self.samples) / self.rate_hz, start_s + np.arange(len(values)) / rate_hz
        lasts = here_s < start_s + len(values) / rate_hz - CLOSE / self.rate_hz
        for column in range(values.shape[1] if len(values) else 0):
            placed[lasts, column] = np.interp(here_s[lasts], there_s, values[:, column], np.nan)
        sentence = (
            f"{what} were interpolated from {rate_hz:g} Hz to {self.rate_hz:g} Hz; a C3D file has one analog clock."
        )
        return placed, (warning("c3d-written-resampled", sentence),)


def grid_for(frames: int, frame_rate_hz: float, rates_hz: list[float]) -> SampleGrid:
    """The grid with the fewest samples a frame that is not slower than any of the rates."""
    most = max(rates_hz, default=frame_rate_hz)
    return SampleGrid(frames, frame_rate_hz, max(1, int(np.ceil(most / frame_rate_hz - CLOSE))))
