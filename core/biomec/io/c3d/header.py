"""The first block of a C3D file and the way to its parameters."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import BinaryIO

from biomec.base.errors import FileError
from biomec.io.c3d.parameters import ASK_AGAIN, BLOCK, Parameters, Processor, decode, parse_parameters

FORMAT_BYTE = 0x50
FOUR_LETTERS = 12345  # key that header events have labels of four letters
MOST_EVENTS = 18
LARGEST_SECTION = 65535 * BLOCK  # a data section cannot start later


@dataclass(frozen=True)
class HeaderEvent:
    """An event of the header: seconds since the first stored frame, and a label of up to four letters."""

    time_s: float
    label: str


@dataclass(frozen=True)
class Header:
    """What the first block says; the parameters may say otherwise.

    channels_by_samples : analog values stored with one frame
    start               : byte where the data begin
    """

    points: int
    channels_by_samples: int
    first_frame: int
    last_frame: int
    scale: float
    start: int
    samples_per_frame: int
    rate_hz: float
    events: tuple[HeaderEvent, ...]


def read_head(file: str, stream: BinaryIO) -> tuple[Header, Parameters, Processor, int]:
    """Header, parameters, processor and the file's size; the stream is left anywhere."""
    size = stream.seek(0, os.SEEK_END)
    if size == 0:
        raise FileError(file, f"the file is empty. {ASK_AGAIN}")
    stream.seek(0)
    block = stream.read(BLOCK)
    if len(block) < 2 or block[1] != FORMAT_BYTE:
        raise FileError(file, "this is not a C3D file: its second byte is not the mark that all C3D files carry.")
    section_at = (block[0] - 1) * BLOCK
    if section_at < BLOCK:
        section_at = BLOCK  # written as 0 or 1 by old programs; the header takes the first block
    if section_at + 4 > size:
        raise FileError(file, f"the file ends after {size} bytes, before its parameters begin. {ASK_AGAIN}")
    stream.seek(section_at)
    mark = stream.read(4)
    try:
        processor = Processor(mark[3])
    except ValueError:
        raise FileError(
            file, f"the processor mark is {mark[3]}; C3D files carry 84 (Intel), 85 (DEC) or 86 (MIPS). {ASK_AGAIN}"
        ) from None
    header = _parse_header(block, processor)
    length = min(max(mark[2] * BLOCK, header.start - section_at), LARGEST_SECTION)
    stream.seek(section_at)
    section = stream.read(min(length, size - section_at))
    return header, parse_parameters(file, section, processor), processor, size


def _parse_header(block: bytes, processor: Processor) -> Header:
    order = "big" if processor is Processor.MIPS else "little"

    def word(number: int) -> int:  # counted from 1, as every description of the format does
        return int.from_bytes(block[2 * number - 2 : 2 * number], order)  # type: ignore[arg-type]

    def real(number: int) -> float:
        return processor.real(block[2 * number - 2 : 2 * number + 2])

    letters = 4 if word(150) == FOUR_LETTERS else 2
    count = word(151) if word(151) <= MOST_EVENTS else 0
    events = tuple(
        HeaderEvent(real(153 + 2 * k), decode(block[396 + letters * k : 396 + letters * (k + 1)])) for k in range(count)
    )
    return Header(word(2), word(3), word(4), word(5), real(7), (word(9) - 1) * BLOCK, word(10), real(11), events)
