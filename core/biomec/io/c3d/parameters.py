"""The parameter section of a C3D file: groups of named values, with nothing believed that the bytes do not hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.errors import FileError

TEXT, BYTE, INTEGER, REAL = -1, 1, 2, 4
BLOCK = 512  # bytes


class Processor(Enum):
    """The family of processors that wrote the file's numbers, as byte 4 of the parameter section says."""

    INTEL = 84
    DEC = 85
    MIPS = 86

    @property
    def integer(self) -> np.dtype[Any]:
        """16-bit signed integers."""
        return np.dtype(">i2" if self is Processor.MIPS else "<i2")

    def reals(self, data: bytes | memoryview) -> NDArray[np.float32]:
        """Single-precision numbers of a stretch of bytes, whose length is a multiple of four.

        A DEC number has its two 16-bit words exchanged and an exponent that is larger by two, hence the quarter.
        """
        if self is Processor.INTEL:
            return np.frombuffer(data, "<f4")
        if self is Processor.MIPS:
            return np.frombuffer(data, ">f4").astype(np.float32)
        words = np.frombuffer(data, "<u2").reshape(-1, 2)[:, ::-1]
        with np.errstate(all="ignore"):  # what is not a number stays so
            return np.asarray(np.ascontiguousarray(words).view("<f4")[:, 0] * np.float32(0.25))

    def real(self, data: bytes) -> float:
        """One number of four bytes."""
        return float(self.reals(data)[0])


@dataclass(frozen=True, eq=False)
class Parameter:
    """One parameter as stored: ``kind`` is the length of an element in bytes, −1 for text."""

    kind: int
    dims: tuple[int, ...]
    numbers: FloatArray  # flat, first index fastest; empty for text
    texts: tuple[str, ...]  # empty for numbers


class Parameters:
    """All parameters of a file, by group and name; upper and lower case are the same."""

    def __init__(self, values: Mapping[tuple[str, str], Parameter], doubtful: Sequence[str] = ()) -> None:
        self._values = dict(values)
        self.doubtful = tuple(doubtful)  # names of parameters that do not fill the place they have

    def get(self, group: str, name: str) -> Parameter | None:
        """Return a parameter as stored, or None."""
        return self._values.get((group.upper(), name.upper()))

    def _continued(self, group: str, name: str) -> Iterator[Parameter]:
        """A parameter and its continuations NAME2, NAME3, …: one parameter holds at most 255 entries."""
        first, number = self.get(group, name), 2
        while first is not None:
            yield first
            first, number = self.get(group, f"{name}{number}"), number + 1

    def texts(self, group: str, name: str) -> tuple[str, ...]:
        """All strings of a parameter and its continuations."""
        return tuple(text for part in self._continued(group, name) for text in part.texts)

    def text(self, group: str, name: str) -> str:
        """First string of a parameter, or an empty one."""
        return next(iter(self.texts(group, name)), "")

    def numbers(self, group: str, name: str) -> FloatArray:
        """All numbers of a parameter and its continuations, flat."""
        return np.concatenate([np.zeros(0), *(part.numbers for part in self._continued(group, name))])

    def number(self, group: str, name: str) -> float | None:
        """First number of a parameter if it is finite."""
        values = self.numbers(group, name)
        return float(values[0]) if len(values) and math.isfinite(values[0]) else None

    def counts(self, group: str, name: str) -> IntArray:
        """Numbers that count something: integers are read as unsigned, as files with more than 32767 frames need."""
        values = self.numbers(group, name)
        values = np.where(np.isfinite(values), values, 0.0)
        parameter = self.get(group, name)
        if parameter is not None and parameter.kind == INTEGER:
            values = np.where(values < 0, values + 65536, values)
        return np.clip(values, -1.0, 2.0**53).astype(np.int64)

    def count(self, group: str, name: str) -> int | None:
        """First count, or None where there is none."""
        values = self.counts(group, name)
        return int(values[0]) if len(values) else None


def parse_parameters(file: str, section: bytes, processor: Processor) -> Parameters:
    """Read a parameter section, whose first four bytes are its own small header."""
    groups: dict[int, str] = {}
    found: dict[tuple[int, str], Parameter] = {}
    doubtful: list[str] = []
    at = end = 4
    while at + 2 <= len(section):
        length = abs(int.from_bytes(section[at : at + 1], signed=True))  # negative: locked against editing
        number = int.from_bytes(section[at + 1 : at + 2], signed=True)
        if length == 0 or number == 0:
            break
        name = decode(section[at + 2 : at + 2 + length]).upper()
        offset_at = at + 2 + length
        if offset_at + 2 > len(section):
            raise FileError(
                file, f"the parameter section is cut off inside {name or 'a parameter without a name'}. {ASK_AGAIN}"
            )
        offset = _integers(section[offset_at : offset_at + 2], processor)[0] % 65536
        end = offset_at + 2
        if number < 0:
            groups[-number] = name
        else:
            found[number, name], end = _parse_value(file, name or "without a name", section, end, processor)
        end += 1 + (section[end] if end < len(section) else 0)  # the description
        if offset == 0:
            break
        if offset_at + int(offset) != end:
            doubtful.append(name)
        if offset < 2:
            raise FileError(file, f"the parameter section is damaged after {name}. {ASK_AGAIN}")
        at = offset_at + int(offset)
    if not groups:
        raise FileError(file, f"the parameter section holds no groups, so the file cannot be understood. {ASK_AGAIN}")
    if section[max(at, end) :].strip(b"\0"):
        doubtful.append(f"what follows {name}")
    known = {(groups[group], name): value for (group, name), value in found.items() if group in groups}
    return Parameters(known, doubtful)


ASK_AGAIN = "Export it again from the capture system."


def _parse_value(file: str, name: str, section: bytes, at: int, processor: Processor) -> tuple[Parameter, int]:
    """Type, dimensions and values of one parameter, and the byte behind them."""
    head = section[at : at + 2]
    if len(head) < 2:
        raise FileError(file, f"the parameter section is cut off inside {name}. {ASK_AGAIN}")
    kind, n_dims = int.from_bytes(head[:1], signed=True), head[1]
    if kind not in (TEXT, BYTE, INTEGER, REAL) or n_dims > 7:
        raise FileError(file, f"parameter {name} is damaged: type {kind}, {n_dims} dimensions. {ASK_AGAIN}")
    dims = tuple(section[at + 2 : at + 2 + n_dims])
    size = math.prod(dims) * abs(kind)
    end = at + 2 + n_dims + size
    data = section[end - size : end]
    if len(dims) < n_dims or len(data) < size:
        raise FileError(
            file, f"parameter {name} claims {size} bytes, more than the parameter section holds. {ASK_AGAIN}"
        )
    none: FloatArray = np.zeros(0)
    if kind == TEXT:
        width = dims[0] if dims else 1
        count = math.prod(dims[1:]) if width else 0
        return Parameter(kind, dims, none, tuple(decode(data[k * width : (k + 1) * width]) for k in range(count))), end
    if kind == BYTE:
        return Parameter(kind, dims, np.frombuffer(data, np.uint8).astype(np.float64), ()), end
    if kind == INTEGER:
        return Parameter(kind, dims, _integers(data, processor).astype(np.float64), ()), end
    with np.errstate(all="ignore"):  # a signalling NaN stays NaN
        return Parameter(kind, dims, processor.reals(data).astype(np.float64), ()), end


def _integers(data: bytes, processor: Processor) -> IntArray:
    return np.frombuffer(data, processor.integer).astype(np.int64)


def decode(data: bytes) -> str:
    """Text without padding: UTF-8 where it is that, else Western European."""
    data = data.split(b"\0")[0].strip()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def as_written(number: float) -> float:
    """A single-precision number as the decimal number that was meant: 45.79999923706055 becomes 45.8."""
    return float(f"{number:.7g}")
