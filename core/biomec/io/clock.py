"""The clock of a text file: its sampling rate and start, from what its header says and from its time column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.arrays import FloatArray, IntArray
from biomec.io.text import TextFile
from biomec.notices import Notice, info, problem, warning

LONGEST_START_S = 86400.0
LATEST_S = 1e11  # three thousand years: clocks on the wall count seconds from 1970 or from year 1


@dataclass(frozen=True)
class Clock:
    """When the rows of a table were sampled.

    start_s : time of the first row on the file's own clock [s]
    frames  : (rows,) frame of each row, counted from 0; more frames than rows where rows are missing
    """

    rate_hz: float
    start_s: float
    frames: IntArray
    notices: tuple[Notice, ...] = ()

    @property
    def complete(self) -> bool:
        """True if no row is missing."""
        return self.frames.size == 0 or int(self.frames[-1]) + 1 == self.frames.size

    def spread(self, values: FloatArray) -> FloatArray:
        """Values (rows, ...) at their frames (frames, ...), NaN in the frames that the file leaves out."""
        if self.complete:
            return values
        out = np.full((int(self.frames[-1]) + 1, *values.shape[1:]), np.nan)
        out[self.frames] = values
        return out


def read_clock(text: TextFile, time_s: FloatArray, lines: IntArray, stated_hz: float | None) -> Clock:
    """Clock of a time column (rows,) [s]; ``stated_hz`` is the header's rate, which wins where the two disagree.

    A row that is left out of an otherwise even clock becomes a missing frame, and said so. A clock that runs backwards
    or unevenly is a fault: Biomec needs samples at a constant rate.
    """
    if stated_hz is not None:
        check_rate(text, stated_hz)
    rows = len(time_s)
    every = np.arange(rows, dtype=np.int64)
    if rows == 0:
        raise text.fault("there is not a single row of data.")
    if not np.isfinite(time_s).all():
        if stated_hz is None:
            raise text.fault("the time is missing.", int(lines[np.flatnonzero(~np.isfinite(time_s))[0]]))
        start = float(time_s[0]) if np.isfinite(time_s[0]) else 0.0
        note = warning("time-missing", f"Times are missing; the stated rate of {stated_hz:g} Hz was used for all rows.")
        return Clock(stated_hz, start, every, (note,))
    start = float(time_s[0])
    wild = np.flatnonzero(np.abs(time_s) > LATEST_S)
    if wild.size:
        raise text.fault(f"a time of {time_s[wild[0]]:g} s is impossible.", int(lines[wild[0]]))
    if rows == 1:
        note = info("rate-assumed", "There is one row only, so a rate of 1 Hz was assumed.")
        return Clock(stated_hz or 1.0, start, every, () if stated_hz else (note,))
    exact = _clock_on_grid(time_s, lines, stated_hz, allowed=0.02)
    if exact is not None:
        return exact
    rounding = _printed_step(time_s)
    if stated_hz is not None and _off_grid(time_s, every, stated_hz) <= 0.25 / stated_hz + rounding:
        return Clock(stated_hz, start, every)
    back = np.flatnonzero(np.diff(time_s) <= 0.0)
    if back.size:
        line = int(lines[back[0] + 1])
        raise text.fault(
            f"the time goes from {time_s[back[0]]:g} s to {time_s[back[0] + 1]:g} s; it must increase from row to row.",
            line,
        )
    mean_hz = (rows - 1) / float(time_s[-1] - time_s[0])
    steps = np.diff(time_s)
    even = float(steps.max()) <= 1.5 * float(np.median(steps)) + 2.0 * rounding
    if even and _off_grid(time_s, every, mean_hz) <= 0.25 / mean_hz + rounding:
        measured = _round_rate(time_s, every, mean_hz)
        if stated_hz is None:
            return Clock(measured, start, every)
        note = warning(
            "rate-disagrees",
            f"The header states {stated_hz:g} Hz but the times run at {measured:.6g} Hz; the header was believed.",
        )
        return Clock(stated_hz, start, every, (note,))
    gappy = _clock_on_grid(time_s, lines, stated_hz, allowed=0.25)
    if gappy is not None:
        return gappy
    step = 1.0 / stated_hz if stated_hz else float(np.median(steps))
    odd = int(np.argmax(np.abs(steps - step)))
    raise text.fault(
        f"the time step is {steps[odd]:.6g} s here and {step:.6g} s elsewhere: the samples are not evenly spaced. "
        "Export the file again at a constant rate.",
        int(lines[odd + 1]),
    )


def check_rate(text: TextFile, rate_hz: float) -> None:
    """Refuse a sampling rate that nothing is sampled with."""
    if not 1e-4 < rate_hz < 1e7:
        raise text.fault(f"the stated sampling rate of {rate_hz:g} Hz is impossible.")


def _printed_step(time_s: FloatArray) -> float:
    """One unit of the last decimal that the times are printed with [s]; 0 if they have more than six."""
    for decimals in range(7):
        scaled = time_s * 10.0**decimals
        if float(np.abs(scaled - np.rint(scaled)).max()) < 1e-6:
            return float(10.0**-decimals)
    return 0.0


def _off_grid(time_s: FloatArray, frames: IntArray, rate_hz: float) -> float:
    """Largest distance of a time from the even clock through the first row [s]."""
    return float(np.abs(time_s - time_s[0] - frames / rate_hz).max())


def _round_rate(time_s: FloatArray, frames: IntArray, rate_hz: float) -> float:
    """The rate with the fewest decimals that explains the printed times as well as ``rate_hz`` does.

    A thousandth of a frame is allowed for steps that were printed short (0.01666666 for a sixtieth).
    """
    allowed = 2.0 * _off_grid(time_s, frames, rate_hz) + 1e-3 / rate_hz
    for decimals in range(7):
        rounded = round(rate_hz, decimals)
        if rounded > 0.0 and _off_grid(time_s, frames, rounded) <= allowed:
            return rounded
    return rate_hz


def _clock_on_grid(time_s: FloatArray, lines: IntArray, stated_hz: float | None, allowed: float) -> Clock | None:
    """Clock of times that lie on an even grid of the stated or the commonest step, some of them left out perhaps.

    allowed : how far a time may be off the grid, as a fraction of a step
    Returns None if the times are not such a grid.
    """
    step = 1.0 / stated_hz if stated_hz else float(np.median(np.diff(time_s)))
    if not (step > 0.0 and 0.0 < float(np.abs(time_s - time_s[0]).max()) / step < 10 * len(time_s) + 1000):
        return None  # too few rows to speak of a clock with gaps
    frames = np.rint((time_s - time_s[0]) / step).astype(np.int64)
    if not (np.diff(frames) > 0).all() or np.median(np.diff(frames)) > 1.0:
        return None
    rate_hz = stated_hz or _round_rate(time_s, frames, int(frames[-1]) / float(time_s[-1] - time_s[0]))
    if _off_grid(time_s, frames, rate_hz) > allowed / rate_hz:
        return None
    gaps = np.flatnonzero(np.diff(frames) > 1)
    if not gaps.size:
        return Clock(rate_hz, float(time_s[0]), frames)
    first, last = int(gaps[0]), int(gaps[-1])
    note = problem(
        "rows-missing",
        f"{int(frames[-1]) + 1 - len(frames)} rows are missing from the even clock of {rate_hz:g} Hz, the first after "
        f"line {int(lines[first])}; those frames are empty.",
        frames=(int(frames[first]) + 1, int(frames[last + 1]) - 1),
    )
    return Clock(rate_hz, float(time_s[0]), frames, (note,))


def first_frame(start_s: float, rate_hz: float, number: float | None = None) -> int:
    """Number of the first frame: (n − 1) / rate is its time on the clock of the whole recording.

    ``number`` is what the file calls its first row. It is believed where the times start at 0; some files count from 0,
    others start both columns anew, so a time that does not start at 0 has the better claim.
    """
    position = start_s * rate_hz
    if 0.5 <= abs(position) < 1e9:
        return round(position) + 1
    return int(number) if number is not None and 1.0 <= number < 1e9 and number == int(number) else 1


def channel_start(clock: Clock) -> tuple[float, int, tuple[Notice, ...]]:
    """Start of channels or plates that have a file of their own, and the frames that a trial needs to reach their end.

    Their start is kept on the file's clock, so that they can be laid beside the markers of the same recording. A clock
    that starts later than a day is one on the wall: it is counted from the first row, and a notice says so.
    """
    samples = int(clock.frames[-1]) + 1
    if abs(clock.start_s) <= LONGEST_START_S:
        return clock.start_s, samples + max(0, round(clock.start_s * clock.rate_hz)), ()
    words = f"The times start at {clock.start_s:.6g} s; they were counted from the first row."
    return 0.0, samples, (info("start-ignored", words),)
