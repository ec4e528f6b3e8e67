"""The clock of a text file: its sampling rate and start, from what its header says and from its time column."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.errors import FileError
from biomec.base.notices import Notice, Scope, info, problem, warning
from biomec.io.text import TextFile

LONGEST_START_S = 86400.0
SLOWEST_HZ = 5.0  # nobody records a movement with fewer samples a second
ROUNDED = 0.01  # a rate that was rounded, such as 60 for 59.94, differs by less
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


def read_clock(
    text: TextFile,
    time_s: FloatArray,
    lines: IntArray,
    stated_hz: float | None,
    *,
    printed_s: float = 0.0,
    numbers: FloatArray | None = None,
) -> Clock:
    """Clock of a time column (rows,) [s]; ``stated_hz`` is the header's rate, which wins where the two disagree.

    printed_s : one unit of the last decimal that the times are printed with [s]
    numbers   : (rows,) how the file counts its frames, if it does

    A row that is left out of an otherwise even clock becomes a missing frame, and said so. A clock that runs backwards,
    stands still or runs unevenly is a fault: Biomec needs samples at a constant rate, in order.
    """
    if stated_hz is not None:
        check_rate(text, stated_hz)
    clock = _even_clock(text, time_s, lines, stated_hz, printed_s, numbers)
    if stated_hz is not None or len(time_s) < 2 or clock.rate_hz >= SLOWEST_HZ:
        return clock
    note = warning(
        "rate-doubtful",
        f"The file states no rate, and by its times it has {clock.rate_hz:.3g} samples a second. Times are read as "
        "seconds: are these milliseconds or numbers of frames? Check them.",
    )
    return replace(clock, notices=(*clock.notices, note))


def _even_clock(
    text: TextFile,
    time_s: FloatArray,
    lines: IntArray,
    stated_hz: float | None,
    printed_s: float,
    numbers: FloatArray | None,
) -> Clock:
    rows = len(time_s)
    every = np.arange(rows, dtype=np.int64)
    if rows == 0:
        raise text.fault("there is not a single row of data.")
    counted = _counted(text, numbers, lines)
    frames = every if counted is None else counted
    if not np.isfinite(time_s).all():
        if stated_hz is None:
            raise text.fault("the time is missing.", int(lines[np.flatnonzero(~np.isfinite(time_s))[0]]))
        start = float(time_s[0]) if np.isfinite(time_s[0]) else 0.0
        note = warning("time-missing", f"Times are missing; the stated rate of {stated_hz:g} Hz was used for all rows.")
        return Clock(stated_hz, start, frames, (note, *_missing_rows(frames, lines, stated_hz)))
    start = float(time_s[0])
    wild = np.flatnonzero(np.abs(time_s) > LATEST_S)
    if wild.size:
        raise text.fault(f"a time of {time_s[wild[0]]:g} s is impossible.", int(lines[wild[0]]))
    if rows == 1:
        note = info("rate-assumed", "There is one row only, so a rate of 1 Hz was assumed.")
        return Clock(stated_hz or 1.0, start, every, () if stated_hz else (note,))
    may_repeat = stated_hz is not None and printed_s * stated_hz > 1.0 + 1e-9
    _check_order(text, time_s, lines, may_repeat)
    exact = _clock_on_grid(time_s, lines, stated_hz, allowed=0.02)
    if exact is not None:
        return exact if counted is None or numbers is None else _compared(text, exact, numbers, counted, lines)
    if stated_hz is not None and _scatter(time_s, frames, stated_hz) <= _allowed(stated_hz, printed_s):
        return Clock(stated_hz, start, frames, _missing_rows(frames, lines, stated_hz))
    _check_order(text, time_s, lines, may_repeat=False)
    mean_hz = int(frames[-1]) / float(time_s[-1] - time_s[0])
    steps = np.diff(time_s) / np.diff(frames)
    even = float(steps.max()) <= 1.5 * float(np.median(steps)) + 2.0 * printed_s
    if even and _scatter(time_s, frames, mean_hz) <= _allowed(mean_hz, printed_s):
        measured = _round_rate(time_s, frames, mean_hz)
        if stated_hz is None:
            return Clock(measured, start, frames, _missing_rows(frames, lines, measured))
        note = warning(
            "rate-disagrees",
            f"The header states {stated_hz:g} Hz but the times run at {measured:.6g} Hz; the header was believed.",
            scope=Scope.RECORDING if abs(measured / stated_hz - 1.0) > ROUNDED else Scope.PART,
        )
        return Clock(stated_hz, start, frames, (note, *_missing_rows(frames, lines, stated_hz)))
    gappy = _clock_on_grid(time_s, lines, stated_hz, allowed=0.25)
    if gappy is not None:
        return gappy if counted is None or numbers is None else _compared(text, gappy, numbers, counted, lines)
    steps = np.diff(time_s)
    step = 1.0 / stated_hz if stated_hz else float(np.median(steps))
    odd = int(np.argmax(np.abs(steps - step)))
    raise text.fault(
        f"the time step is {steps[odd]:.6g} s here and {step:.6g} s elsewhere: the samples are not evenly spaced. "
        "Export the file again at a constant rate.",
        int(lines[odd + 1]),
    )


def _check_order(text: TextFile, time_s: FloatArray, lines: IntArray, may_repeat: bool) -> None:
    """Refuse a time that goes back, or that stands still although it is printed finely enough to move."""
    steps = np.diff(time_s)
    back = np.flatnonzero(steps < 0.0 if may_repeat else steps <= 0.0)
    if back.size:
        k = int(back[0])
        raise text.fault(
            f"the time goes from {time_s[k]:g} s to {time_s[k + 1]:g} s; it must increase from row to row. "
            "A row stands in the wrong place or twice: export the file again.",
            int(lines[k + 1]),
        )


def _counted(text: TextFile, numbers: FloatArray | None, lines: IntArray) -> IntArray | None:
    """Frame of each row by the file's own numbers, counted from 0; None if they are not a count.

    Numbers that go up by more than one everywhere are those of a recording of which every second or third was kept.
    """
    if numbers is None or len(numbers) < 2 or not np.isfinite(numbers).all():
        return None
    steps = np.diff(numbers)
    if np.abs(numbers).max() >= 2**53 or (numbers != np.rint(numbers)).any() or not steps.any():
        return None  # times, or a column that says the same in every row
    back = np.flatnonzero(steps <= 0.0)
    if back.size:
        k = int(back[0])
        raise text.fault(
            f"the frame number goes from {numbers[k]:.0f} to {numbers[k + 1]:.0f}; it must increase from row to row. "
            "A row stands in the wrong place or twice: export the file again.",
            int(lines[k + 1]),
        )
    stride = float(steps.min())
    frames = (numbers - numbers[0]) / stride
    odd = np.flatnonzero(frames != np.rint(frames))
    if odd.size or frames[-1] >= _most_frames(len(numbers)):
        k = int(odd[0]) if odd.size else int(np.argmax(steps)) + 1
        raise _jump(text, numbers[k - 1], numbers[k], int(lines[k]))
    return np.asarray(frames, dtype=np.int64)


def _jump(text: TextFile, before: float, after: float, line: int) -> FileError:
    return text.fault(
        f"the frame number jumps from {before:.0f} to {after:.0f}, which does not go with the other rows and their "
        "times. Rows were cut out or put together from several recordings: export the file again.",
        line,
    )


def _compared(text: TextFile, clock: Clock, numbers: FloatArray, counted: IntArray, lines: IntArray) -> Clock:
    """The clock of the times, with a notice where they leave out frames that the file counts on.

    A number that jumps although the times run on evenly is a fault: nobody can say which frames these are.
    """
    different = np.flatnonzero(clock.frames != counted)
    if not different.size:
        return clock
    jumps = np.flatnonzero(np.diff(counted) > np.diff(clock.frames))
    if jumps.size:
        k = int(jumps[0])
        raise _jump(text, float(numbers[k]), float(numbers[k + 1]), int(lines[k + 1]))
    note = warning(
        "frame-numbers-disagree",
        f"From line {int(lines[different[0]])} on the times leave out frames that the frame numbers do not; the times "
        "were believed. Check whether rows were taken out of the file.",
        frames=(int(clock.frames[different[0]]), int(clock.frames[-1])),
    )
    return replace(clock, notices=(*clock.notices, note))


def _missing_rows(frames: IntArray, lines: IntArray, rate_hz: float) -> tuple[Notice, ...]:
    """The notice that rows are missing, if any are."""
    gaps = np.flatnonzero(np.diff(frames) > 1)
    if not gaps.size:
        return ()
    first, last = int(gaps[0]), int(gaps[-1])
    return (
        problem(
            "rows-missing",
            f"{int(frames[-1]) + 1 - len(frames)} rows are missing from the even clock of {rate_hz:g} Hz, the first "
            f"after line {int(lines[first])}; those frames are empty.",
            frames=(int(frames[first]) + 1, int(frames[last + 1]) - 1),
        ),
    )


def check_rate(text: TextFile, rate_hz: float) -> None:
    """Refuse a sampling rate that nothing is sampled with."""
    if not 1e-4 < rate_hz < 1e7:
        raise text.fault(f"the stated sampling rate of {rate_hz:g} Hz is impossible.")


def _allowed(rate_hz: float, printed_s: float) -> float:
    """How far the times of an even clock may scatter [s]: a quarter of a frame, or what printing them does to them."""
    return max(0.25 / rate_hz, 0.5 * printed_s + 0.02 / rate_hz)


def _scatter(time_s: FloatArray, frames: IntArray, rate_hz: float) -> float:
    """Half the range of the differences between the times and an even clock [s], wherever that clock starts."""
    return 0.5 * float(np.ptp(time_s - frames / rate_hz))


def _most_frames(rows: int) -> int:
    """Frames beyond which so few rows are not a clock with gaps."""
    return 10 * rows + 1000


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
    if not (step > 0.0 and 0.0 < float(np.abs(time_s - time_s[0]).max()) / step < _most_frames(len(time_s))):
        return None
    frames = np.rint((time_s - time_s[0]) / step).astype(np.int64)
    if not (np.diff(frames) > 0).all() or np.median(np.diff(frames)) > 1.0:
        return None
    rate_hz = stated_hz or _round_rate(time_s, frames, int(frames[-1]) / float(time_s[-1] - time_s[0]))
    if _off_grid(time_s, frames, rate_hz) > allowed / rate_hz:
        return None
    return Clock(rate_hz, float(time_s[0]), frames, _missing_rows(frames, lines, rate_hz))


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
