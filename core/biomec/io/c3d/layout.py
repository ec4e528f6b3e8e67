"""Where the numbers of a C3D file lie: header, parameters and the file's size must agree before anything is read."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from biomec.base.errors import FileError
from biomec.base.notices import Notice, warning
from biomec.io.c3d.header import Header
from biomec.io.c3d.parameters import ASK_AGAIN, BLOCK, Parameters, Processor, as_written

FULL_WORD = 65535  # POINT:FRAMES holds this when the count does not fit
RATE_ROUNDING = 1e-4  # of the rate: numbers of single precision, rounded by hand or not
VALUES_PER_POINT = 4  # x, y, z, and a word with residual and cameras


@dataclass(frozen=True)
class DataLayout:
    """The data section: ``frames`` times (``points`` points, then ``samples_per_frame`` × ``channels`` analog values).

    start   : byte of the first frame
    real    : four-byte reals; else 16-bit integers, points to be multiplied by ``scale``
    scale   : positive, length units of the file for one step of a coordinate (integers) and of a residual (both)
    rate_hz : frames a second
    """

    processor: Processor
    start: int
    frames: int
    points: int
    channels: int
    samples_per_frame: int
    real: bool
    scale: float
    rate_hz: float
    first_frame: int

    @property
    def values_per_frame(self) -> int:
        """Points and analog values stored with one frame."""
        return VALUES_PER_POINT * self.points + self.channels * self.samples_per_frame

    @property
    def frame_bytes(self) -> int:
        """Size of one frame."""
        return (4 if self.real else 2) * self.values_per_frame

    @property
    def analog_rate_hz(self) -> float:
        """Analog samples a second; they are stored frame by frame, so they keep the cameras' clock."""
        return self.rate_hz * self.samples_per_frame


def find_layout(
    file: str, header: Header, parameters: Parameters, processor: Processor, size: int
) -> tuple[DataLayout, tuple[Notice, ...]]:
    """Return the layout that header, parameters and size agree upon, and where header and parameters do not."""
    layout, notices = _find_layout(file, header, parameters, processor, size)
    return layout, (*notices, *_clocks(file, header, parameters, layout))


def _clocks(file: str, header: Header, parameters: Parameters, used: DataLayout) -> list[Notice]:
    """Say so if header and parameters state two rates or two first frames, and which of them is believed."""
    notices = []
    for where, rate in (("POINT:RATE", parameters.number("POINT", "RATE")), ("the header", header.rate_hz)):
        if rate is not None and rate != 0.0 and not abs(rate - used.rate_hz) <= RATE_ROUNDING * used.rate_hz:
            sentence = f"{file}: {where} states a frame rate of {rate:g} Hz, but {used.rate_hz:g} Hz are believed."
            notices.append(warning("c3d-rates-disagree", sentence + " Check it: all velocities depend on it."))
    first = used.first_frame
    if header.first_frame and first < FULL_WORD and header.first_frame != first:  # the header holds 16 bits
        sentence = (
            f"{file}: the first frame is {first} by TRIAL:ACTUAL_START_FIELD, which is believed, but "
            f"{header.first_frame} by the header. Check the times of events."
        )
        notices.append(warning("c3d-first-frames-disagree", sentence))
    return notices


def _find_layout(
    file: str, header: Header, parameters: Parameters, processor: Processor, size: int
) -> tuple[DataLayout, tuple[Notice, ...]]:
    """Return the layout with which header, parameters and size agree.

    Where header and parameters disagree, that word is believed with which the data fill the file to its last block.
    """
    rate_hz = _rate(file, header, parameters)
    scales = [s for s in (parameters.number("POINT", "SCALE"), header.scale) if s is not None and _usable(s)]
    if not scales:
        raise FileError(file, f"the scale of the points is missing, so they cannot be read. {ASK_AGAIN}")
    choices = itertools.product(
        scales,
        _distinct(header.start, _start(parameters)),
        _distinct(parameters.count("POINT", "USED"), header.points),
        _analog_sizes(header, parameters, rate_hz),
        _frame_counts(header, parameters),
    )
    first: DataLayout | None = None
    first_frame = _first_frame(header, parameters)
    for scale, start, points, (channels, per_frame), frames in choices:
        layout = DataLayout(
            processor, start, frames, points, channels, per_frame, scale < 0.0, abs(scale), rate_hz, first_frame
        )
        if layout.frame_bytes == 0 or not BLOCK < start <= size:
            continue
        left = size - start - frames * layout.frame_bytes
        if 0 <= left <= BLOCK:  # the last block is filled up; some programs add an empty one
            return layout, () if first is None else (_disagreement(file, layout, first),)
        first = first or layout
    if first is None:
        raise FileError(file, f"the file holds no points and no analog channels. {ASK_AGAIN}")
    held = (size - first.start) // first.frame_bytes
    if held < first.frames:
        raise FileError(
            file,
            f"the file is cut off: it should hold {first.frames} frames of {first.points} points and {first.channels} "
            f"analog channels, but ends within frame {held + 1}. Copy it again from the capture system.",
        )
    if parameters.count("ROTATION", "USED"):  # their own data follow those of the points
        return first, (warning("c3d-rotations", f"{file} also holds rotations of segments, which are not read."),)
    return first, (
        warning(
            "c3d-longer-than-stated",
            f"{file} states {first.frames} frames, but has room for {held}; only the stated ones were read.",
        ),
    )


def _usable(scale: float) -> bool:
    return math.isfinite(scale) and scale != 0.0


def _distinct(*values: int | None) -> list[int]:
    return list(dict.fromkeys(value for value in values if value is not None))


def _rate(file: str, header: Header, parameters: Parameters) -> float:
    for rate in (parameters.number("POINT", "RATE"), header.rate_hz):
        if rate is not None and math.isfinite(rate) and 1e-3 <= rate <= 1e6:
            return as_written(rate)
    raise FileError(file, f"the frame rate is missing or impossible. {ASK_AGAIN}")


def _start(parameters: Parameters) -> int | None:
    block = parameters.count("POINT", "DATA_START")
    return None if block is None else (block - 1) * BLOCK


def _analog_sizes(header: Header, parameters: Parameters, rate_hz: float) -> list[tuple[int, int]]:
    """Pairs (channels, samples a frame), the most trustworthy first."""
    used, analog_rate = parameters.count("ANALOG", "USED"), parameters.number("ANALOG", "RATE")
    per_frame, together = header.samples_per_frame, header.channels_by_samples
    sizes: list[tuple[int, int]] = []
    if used == 0 or (used is None and together == 0):
        sizes.append((0, 0))
    if used and per_frame:
        sizes.append((used, per_frame))
    if per_frame and together and together % per_frame == 0:
        sizes.append((together // per_frame, per_frame))
    if used and analog_rate is not None and 1 <= round(analog_rate / rate_hz) <= FULL_WORD:
        sizes.append((used, round(analog_rate / rate_hz)))
    return list(dict.fromkeys(sizes)) or [(0, 0)]


def _field(parameters: Parameters, name: str) -> int | None:
    """A frame number stored as two 16-bit words, the lower first."""
    words = parameters.counts("TRIAL", name)
    return int(words[0] + 65536 * words[1]) if len(words) == 2 else None


def _first_frame(header: Header, parameters: Parameters) -> int:
    return _field(parameters, "ACTUAL_START_FIELD") or header.first_frame or 1


def _frame_counts(header: Header, parameters: Parameters) -> list[int]:
    """Possible counts: POINT:FRAMES where it is not full, the fields of the trial, LONG_FRAMES, the header."""
    stated, long = parameters.count("POINT", "FRAMES"), parameters.count("POINT", "LONG_FRAMES")
    first, last = _field(parameters, "ACTUAL_START_FIELD"), _field(parameters, "ACTUAL_END_FIELD")
    trial = None if first is None or last is None else last - first + 1
    from_header = header.last_frame - header.first_frame + 1
    fits = stated is not None and 0 < stated < FULL_WORD
    counts = _distinct(*((stated, trial, long) if fits else (trial, long, stated)), from_header)
    return [count for count in counts if count > 0] or [0]


def _disagreement(file: str, used: DataLayout, stated: DataLayout) -> Notice:
    def words(layout: DataLayout) -> str:
        return f"{layout.frames} frames of {layout.points} points and {layout.channels} analog channels"

    return warning(
        "c3d-counts-disagree",
        f"{file}: header and parameters disagree. Read as {words(used)}, which fills the file, not as {words(stated)}.",
    )
