"""The data section of a C3D file, read straight into the arrays of the trial, a few megabytes at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.base.errors import FileError
from biomec.io.c3d.layout import VALUES_PER_POINT, DataLayout

CHUNK = 1 << 20  # bytes: small enough to stay in the processor's cache between the passes over it


@dataclass(eq=False)
class PointSink:
    """Points to read and where they go.

    columns  : which points of the file, in this order
    factor   : length units of the file to those of the result
    values   : (T, K, 3), filled by `read_data`; NaN where the sample is missing
    residual : (T, K), the capture system's error estimate, if asked for
    zeros    : (K,) number of samples at exactly (0, 0, 0), which are missing if ``zero_is_missing``
    """

    columns: IntArray
    frames: int
    factor: float = 1.0
    zero_is_missing: bool = True
    with_residual: bool = True
    values: FloatArray = field(init=False)
    residual: FloatArray | None = field(init=False)
    zeros: IntArray = field(init=False)
    pick: slice | IntArray = field(init=False)

    def __post_init__(self) -> None:
        self.values = np.empty((self.frames, len(self.columns), 3))
        self.residual = np.empty((self.frames, len(self.columns))) if self.with_residual else None
        self.zeros = np.zeros(len(self.columns), dtype=np.int64)
        self.pick = _as_slice(self.columns)


@dataclass(eq=False)
class ChannelSink:
    """Analog channels to read and where they go: (stored − offset) × gain.

    values : (N, C), filled by `read_data`
    """

    columns: IntArray
    samples: int
    gain: FloatArray
    offset: FloatArray
    values: FloatArray = field(init=False)
    pick: slice | IntArray = field(init=False)

    def __post_init__(self) -> None:
        self.values = np.empty((self.samples, len(self.columns)))
        self.pick = _as_slice(self.columns)


def read_data(
    file: str,
    stream: BinaryIO,
    layout: DataLayout,
    points: Sequence[PointSink],
    channels: Sequence[ChannelSink],
    unsigned: bool = False,
) -> str:
    """Fill the sinks, make them read-only, and return the SHA-256 of the whole file.

    ``unsigned`` reads integer analog samples as 0 … 65535. A second thread hashes the file and fills the channels.
    """
    digest = hashlib.sha256()
    stream.seek(0)
    digest.update(_exactly(file, stream, layout.start))
    per_chunk = max(1, CHUNK // layout.frame_bytes)

    def beside(data: bytes, raw: NDArray[Any], frames: slice) -> None:
        digest.update(data)
        for target in channels:
            _fill_channels(target, raw, frames, layout, unsigned)

    with ThreadPoolExecutor(1, thread_name_prefix="biomec-c3d") as pool:
        pending: Future[None] | None = None
        for first in range(0, layout.frames, per_chunk):
            frames = slice(first, min(first + per_chunk, layout.frames))
            data = _exactly(file, stream, (frames.stop - frames.start) * layout.frame_bytes)
            raw = _numbers(data, layout)
            if pending is not None:
                pending.result()
            pending = pool.submit(beside, data, raw, frames)
            for sink in points:
                _fill_points(sink, raw, frames, layout)
        if pending is not None:
            pending.result()
    while rest := stream.read(CHUNK):
        digest.update(rest)
    for sink in points:
        sink.values.setflags(write=False)
        if sink.residual is not None:
            sink.residual.setflags(write=False)
    for channel_sink in channels:
        channel_sink.values.setflags(write=False)
    return digest.hexdigest()


def peek_points(file: str, stream: BinaryIO, layout: DataLayout, columns: IntArray, frames: int) -> FloatArray:
    """Coordinates (frames, K, 3) of the first frames in the file's own length unit."""
    frames = min(frames, layout.frames)
    sink = PointSink(columns, frames, with_residual=False)
    stream.seek(layout.start)
    raw = _numbers(_exactly(file, stream, frames * layout.frame_bytes), layout)
    _fill_points(sink, raw, slice(0, frames), layout)
    return sink.values


def _exactly(file: str, stream: BinaryIO, count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise FileError(file, "the file became shorter while it was being read. Copy it again and open the copy.")
    return data


def _numbers(data: bytes, layout: DataLayout) -> NDArray[Any]:
    """Stored numbers (frames, values of a frame): reals or 16-bit integers."""
    flat = layout.processor.reals(data) if layout.real else np.frombuffer(data, layout.processor.integer)
    return flat.reshape(-1, layout.values_per_frame)


def _fill_channels(sink: ChannelSink, raw: NDArray[Any], frames: slice, layout: DataLayout, unsigned: bool) -> None:
    """Analog samples of some frames."""
    if unsigned and not layout.real:
        raw = raw.view(raw.dtype.str.replace("i", "u"))
    shape = (len(raw), layout.samples_per_frame, layout.channels)
    analog = raw[:, VALUES_PER_POINT * layout.points :].reshape(shape)
    part = sink.values[frames.start * layout.samples_per_frame : frames.stop * layout.samples_per_frame]
    with np.errstate(all="ignore"):  # damaged numbers stay what they are
        part.reshape(*shape[:2], -1)[...] = analog[:, :, sink.pick]
        if sink.offset.any():
            part -= sink.offset
        if (sink.gain != 1.0).any():
            part *= sink.gain


def _as_slice(columns: IntArray) -> slice | IntArray:
    """Neighbouring columns as a slice, which costs no copy."""
    if len(columns) and np.array_equal(columns, np.arange(columns[0], columns[0] + len(columns))):
        return slice(int(columns[0]), int(columns[0]) + len(columns))
    return columns


def _fill_points(sink: PointSink, raw: NDArray[Any], frames: slice, layout: DataLayout) -> None:
    """Coordinates, missing samples and residuals of some frames.

    The fourth word is negative for a missing sample; else its lower byte is the residual in steps of the scale and its
    upper byte says which cameras saw the point [C3D2021].
    """
    stored = raw[:, : VALUES_PER_POINT * layout.points].reshape(len(raw), layout.points, VALUES_PER_POINT)
    stored = stored[:, sink.pick]
    values, word = sink.values[frames], stored[:, :, 3]
    with np.errstate(all="ignore"):  # damaged numbers stay what they are: what is not finite is missing
        for axis in range(3):  # one axis at a time: the inner loop then runs over points, not over three numbers
            values[:, :, axis] = stored[:, :, axis]
        values *= sink.factor if layout.real else sink.factor * layout.scale
        missing: BoolArray = ~(word >= 0)  # also where the word is not a number
    zero: BoolArray = stored[:, :, 0] == 0
    if zero.any():
        zero &= (stored[:, :, 1] == 0) & (stored[:, :, 2] == 0) & ~missing
        sink.zeros += zero.sum(axis=0)
        if sink.zero_is_missing:
            missing |= zero
    if missing.any():
        values[missing] = np.nan
    if sink.residual is not None:
        sink.residual[frames] = _residuals(word, layout) * (layout.scale * sink.factor)
        if missing.any():
            sink.residual[frames][missing] = np.nan


def _residuals(word: NDArray[Any], layout: DataLayout) -> NDArray[Any]:
    """Lower byte of the fourth word."""
    if not layout.real:
        return np.asarray(word & 0xFF)
    with np.errstate(all="ignore"):
        if word.max(initial=0.0) < 256.0:  # no camera bits, as in most files
            return np.asarray(np.trunc(word, dtype=np.float64))
        return np.asarray(np.clip(np.nan_to_num(word), 0.0, 32767.0).astype(np.int16) & 0xFF)
