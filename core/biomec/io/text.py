"""Text files as laboratories have them: any usual encoding, any line end, decimal points or commas."""

from __future__ import annotations

import codecs
import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from biomec.base.atomic import atomic_path
from biomec.base.errors import FileError
from biomec.base.limits import whole_file
from biomec.recording import Source

_NUMBER = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_TIMES = 8.0  # memory that a table of numbers takes for each byte of its text: measured 4.5 to 5.4
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class TextFile:
    """A text file in memory, as lines without their ends.

    lines : (L,) the lines; line number k of the file is ``lines[k - 1]``
    ended : True if the last line has a line end; a file that was cut off has none
    """

    name: str
    source: Source
    lines: list[str]
    ended: bool

    def fault(self, words: str, line: int | None = None) -> FileError:
        """Return the error that names the file and, counted from 1, the line."""
        return FileError(self.name, words if line is None else f"line {line}: {words}")

    def line(self, number: int) -> str:
        """Line ``number``, counted from 1; empty past the end of the file."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""


def read_text(path: str | os.PathLike[str], format: str) -> TextFile:
    """Read a text file: UTF-8, UTF-16 or Latin-1, with Unix, Windows, old Macintosh or mixed line ends."""
    path = Path(path)
    data = read_bytes(path)
    source = Source.of_bytes(path.name, format, data)
    text = _decoded(path.name, data)
    if not text.strip():
        raise FileError(path.name, "the file is empty.")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        raise FileError(path.name, f"this is not a text file, so it cannot be read as {format}.")
    ended = text.endswith("\n")
    lines = text.split("\n")
    return TextFile(path.name, source, lines[:-1] if ended else lines, ended)


def read_bytes(path: Path) -> bytes:
    """All bytes of a file, or a sentence about why they cannot be had."""
    try:
        return whole_file(path, _TIMES)
    except OSError as error:
        raise FileError(path.name, f"cannot be read ({error.strerror or error}).") from error


def _decoded(name: str, data: bytes) -> str:
    """Text of the bytes: the byte order mark's word, then UTF-8, then UTF-16 by its zeros, then Windows Latin-1."""
    try:
        for mark, encoding in _BYTE_ORDER_MARKS:
            if data.startswith(mark):
                return data[len(mark) :].decode(encoding)
        zeros = [data[start:4000:2].count(0) for start in (0, 1)]
        if max(zeros) > 0.4 * min(len(data), 4000) / 2 and len(data) % 2 == 0:
            return data.decode("utf-16-le" if zeros[1] > zeros[0] else "utf-16-be")
        if data.isascii():
            return data.decode("ascii")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode("latin-1")
    except UnicodeDecodeError as error:
        raise FileError(name, f"byte {error.start} is not text in {error.encoding}; the file is damaged.") from error


def cells(line: str, delimiter: str | None) -> list[str]:
    """Cells of a line without the blanks around them; None splits at any run of blanks."""
    if delimiter is None:
        return line.split()
    return [cell.strip().strip('"') for cell in line.split(delimiter)]


def without_trailing_blanks(row: Sequence[str]) -> list[str]:
    """Cells up to the last that is not empty."""
    row = list(row)
    while row and not row[-1]:
        row.pop()
    return row


def delimiter_of(line: str, candidates: Sequence[str] = ("\t", ";", ",")) -> str | None:
    """The first of the candidates that occurs in a line; None (any run of blanks) if none does."""
    return next((candidate for candidate in candidates if candidate in line), None)


def number(cell: str) -> float | None:
    """Value of a cell with a decimal point or comma, or None if it is not a number that a computer can hold."""
    cell = cell.strip()
    value = float(cell.replace(",", ".")) if _NUMBER.fullmatch(cell) else math.inf
    return value if math.isfinite(value) else None


def leading_number(cell: str) -> float | None:
    """Value at the start of a cell that may go on with a unit ("500 Hz"), or None."""
    match = _NUMBER.match(cell.strip())
    return number(match.group()) if match else None


def count_of(cell: str) -> int | None:
    """A count that a header states, or None if the cell holds no whole number of 0 or more."""
    value = leading_number(cell)
    return int(value) if value is not None and value >= 0.0 and value < 2**53 and value == int(value) else None


def write_text(path: str | os.PathLike[str], lines: Iterable[str]) -> None:
    """Write lines as UTF-8 with Unix line ends, whole or not at all."""
    with atomic_path(path) as beside, beside.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
        for line in lines:
            file.write(line)
            file.write("\n")
