"""MATLAB files of version 5 to 7.2, read with every length checked.

scipy writes these files well, but reading a damaged one with it can end the whole program (a segmentation fault on one
changed byte, measured with scipy 1.17); this reader refuses it instead. The layout is MathWorks' "MAT-File Format": a
header of 128 bytes, then elements: a tag (type, bytes), data, padding to 8 bytes. Arrays are elements of elements.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biomec.base.limits import Budget

_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_MATRIX, _COMPRESSED = 14, 15
_TEXTS = {1: "latin-1", 2: "utf-8", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}  # element type -> encoding
_CELL, _STRUCT, _OBJECT, _CHAR = 1, 2, 3, 4
_NUMERIC_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
_PART = 1 << 20  # bytes that are unpacked at once
_DEEPEST = 12  # structures within structures; deeper ones are not a recording


class DamagedMatError(ValueError):
    """The bytes are not what the format says they must be."""


@dataclass
class _Reader:
    """A run of elements, and where the next one starts."""

    data: memoryview
    order: str  # "<" or ">"
    at: int = 0

    def element(self) -> tuple[int, memoryview]:
        """Type and data of the next element."""
        if self.at + 8 > len(self.data):
            raise DamagedMatError("an element is cut off")
        first, size = np.frombuffer(self.data, self.order + "u4", 2, self.at).tolist()
        if first >> 16:  # up to four bytes are stored in the tag itself
            kind, size, begin, following = first & 0xFFFF, first >> 16, self.at + 4, self.at + 8
            if size > 4:
                raise DamagedMatError("an element is longer than its place")
        else:
            kind, begin = first, self.at + 8
            following = begin + size + (-size % 8 if kind != _COMPRESSED else 0)
        if begin + size > len(self.data):
            raise DamagedMatError("an element is longer than the file")
        self.at = min(following, len(self.data))
        return kind, self.data[begin : begin + size]

    def numbers(self, *kinds: int) -> NDArray[Any]:
        """Numbers of the next element, which must be of one of the kinds (any, if none is given)."""
        kind, data = self.element()
        if kind not in (kinds or _NUMBERS):
            raise DamagedMatError(f"an element of type {kind} stands where numbers should")
        dtype = np.dtype(self.order + _NUMBERS[kind])
        if len(data) % dtype.itemsize:
            raise DamagedMatError("a list of numbers is cut off")
        return np.frombuffer(data, dtype)


def read_mat5(content: bytes, budget: Budget | None = None) -> dict[str, Any]:
    """Variables by name: structures as dictionaries (lists of them), cells as lists, char as text, numbers as arrays.

    What Biomec has no use for (sparse arrays, objects, functions) is None. Raises `DamagedMatError`, and `TooMuchError`
    where unpacked variables go beyond ``budget`` (100 times the file if none is given).
    """
    budget = budget or Budget(len(content), 100.0)
    if len(content) < 128 or content[126:128] not in (b"IM", b"MI"):
        raise DamagedMatError("the header is not that of a MATLAB file")
    order = "<" if content[126:128] == b"IM" else ">"
    if int(np.frombuffer(content, order + "u2", 1, 124)[0]) != 0x0100:
        raise DamagedMatError("the header states another version")
    variables: dict[str, Any] = {}
    for kind, data in _elements(_Reader(memoryview(content)[128:], order)):
        if kind == _COMPRESSED:
            try:
                inner = _Reader(memoryview(_unpacked(data, budget)), order)
            except zlib.error as error:
                raise DamagedMatError("a compressed variable is damaged") from error
            kind, data = inner.element()
        if kind != _MATRIX:
            raise DamagedMatError(f"an element of type {kind} stands where a variable should")
        name, value = _array(_Reader(data, order), 0)
        variables[name] = value
    return variables


def _unpacked(data: memoryview, budget: Budget) -> bytes:
    """What a compressed element holds, unpacked in parts so that a small one cannot fill the memory.

    Numbers may be stored shorter than they are used, eight bytes for one at most; each part is counted that often.
    """
    unpacker, parts = zlib.decompressobj(), []
    rest: bytes | memoryview = data
    while not unpacker.eof:
        part = unpacker.decompress(rest, _PART)
        if not part and not unpacker.unconsumed_tail:
            raise DamagedMatError("a compressed variable is cut off")
        budget.take(8 * len(part))
        parts.append(part)
        rest = unpacker.unconsumed_tail
    return b"".join(parts)  # reaching the end means that the checksum is right


def _elements(reader: _Reader) -> Iterator[tuple[int, memoryview]]:
    while reader.at < len(reader.data):
        yield reader.element()


def _array(reader: _Reader, depth: int) -> tuple[str, Any]:
    """Name and value of an array from its parts: flags, dimensions, name, data."""
    if not len(reader.data):
        return "", np.zeros((0, 0))
    if depth > _DEEPEST:
        raise DamagedMatError("structures are nested too deeply")
    flags = reader.numbers(6)
    if flags.size != 2:
        raise DamagedMatError("the flags of an array are damaged")
    kind = int(flags[0]) & 0xFF
    if kind not in (_CELL, _STRUCT, _CHAR, *_NUMERIC_CLASSES):
        return (_name(reader) if kind in (_OBJECT, 5) else f"unknown_{kind}"), None
    shape = tuple(int(n) for n in reader.numbers(5))
    if len(shape) < 2 or min(shape) < 0:
        raise DamagedMatError("the dimensions of an array are damaged")
    name = reader.numbers(1, 2).tobytes().decode("latin-1")
    count = math.prod(shape)
    if kind == _CHAR:
        return name, _text(reader, shape)
    if kind == _CELL:
        return name, [_member(reader, depth) for _ in _counted(reader, count)]
    if kind == _STRUCT:
        return name, _struct(reader, count, depth)
    values = reader.numbers()
    if values.size != count:
        raise DamagedMatError(f"{name or 'an array'} has {values.size} numbers for {count} places")
    if int(flags[0]) & 0x0800:  # complex: Biomec has no use for it
        return name, None
    return name, values.astype(_NUMERIC_CLASSES[kind]).reshape(shape, order="F")


def _name(reader: _Reader) -> str:
    """Name of an array that is not read further."""
    reader.numbers(5)
    return reader.numbers(1, 2).tobytes().decode("latin-1")


def _counted(reader: _Reader, count: int) -> range:
    """That many members, if there is room for their tags at least."""
    if count * 8 > len(reader.data) - reader.at:
        raise DamagedMatError("a cell or structure has fewer members than it states")
    return range(count)


def _member(reader: _Reader, depth: int) -> Any:
    kind, data = reader.element()
    if kind != _MATRIX:
        raise DamagedMatError(f"an element of type {kind} stands where an array should")
    return _array(_Reader(data, reader.order), depth + 1)[1]


def _struct(reader: _Reader, count: int, depth: int) -> Any:
    length = reader.numbers(5)
    names = reader.numbers(1, 2).tobytes()
    if length.size != 1 or int(length[0]) < 1 or len(names) % int(length[0]):
        raise DamagedMatError("the names of fields are damaged")
    width = int(length[0])
    fields = [names[k : k + width].partition(b"\0")[0].decode("latin-1") for k in range(0, len(names), width)]
    items = [
        {field: _member(reader, depth) for field in fields}
        for _ in _counted(reader, count if fields else min(count, 1))
    ]
    return items[0] if len(items) == 1 else items


def _text(reader: _Reader, shape: tuple[int, ...]) -> Any:
    """One text, or a list of rows; characters are stored column by column."""
    kind, data = reader.element()
    if kind not in _TEXTS:
        raise DamagedMatError(f"an element of type {kind} stands where text should")
    encoding = _TEXTS[kind]
    if encoding in ("utf-16", "utf-32"):
        encoding += "-le" if reader.order == "<" else "-be"
    try:
        text = bytes(data).decode(encoding)
    except UnicodeDecodeError as error:
        raise DamagedMatError("a text is damaged") from error
    rows = shape[0]
    return [text[row::rows] for row in range(rows)] if 1 < rows <= len(text) else text
