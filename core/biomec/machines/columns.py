"""Tables of numbers as other programs write them: a line of names with units, then a row for every instant.

Columns are parted by commas, semicolons or tabs; with semicolons or tabs a number may have a decimal comma. Lines that
begin with ``#`` are remarks. The first column is the time in seconds.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import DescriptionError, FileError
from biomec.base.limits import LONGEST_DESCRIPTION, whole_file
from biomec.base.plain_text import from_cell
from biomec.base.toml_table import did_you_mean

TIME_NAMES = ("time", "t", "time_s", "tempo", "zeit")
MOST_COLUMNS, LONGEST_NAME = 1000, 200
_UNIT = re.compile(r"^(.*?)\s*[\[(]([^\])]*)[\])]\s*$")


@dataclass(frozen=True, eq=False)
class Columns:
    """A table over time.

    source : for messages;  time_s : (T,), rising
    units  : name of a column -> its unit as it was written, or empty;  values : name -> (T,), NaN where a cell is empty
    """

    source: str
    time_s: FloatArray
    units: Mapping[str, str]
    values: Mapping[str, FloatArray]

    def column(self, name: str) -> FloatArray:
        """Values (T,) of a column."""
        if name not in self.values:
            there = ", ".join(self.values) or "none"
            guess = did_you_mean(name, list(self.values))
            raise DescriptionError(f"{self.source}: there is no column {name}{guess} The columns are {there}.")
        return self.values[name]


def read_columns(path: Path) -> Columns:
    """Table of a file; raises a sentence."""
    try:
        text = whole_file(path, most=8 * LONGEST_DESCRIPTION).decode("utf-8-sig")
    except FileNotFoundError as error:
        raise FileError(path.name, "there is no such file. Check its name and folder.") from error
    except (OSError, ValueError) as error:
        raise FileError(path.name, f"the file cannot be read as text ({error}).") from error
    return columns_of(text, path.name)


def columns_of(text: str, source: str) -> Columns:
    """Table of a text; ``source`` names it in messages."""
    lines = [(k, line) for k, line in enumerate(text.splitlines(), 1) if line.strip() and not line.startswith("#")]
    if len(lines) < 3:
        raise DescriptionError(f"{source}: a table needs a line of names and at least two rows of numbers.")
    separator = next((one for one in (";", "\t") if one in lines[0][1]), ",")
    try:
        rows = list(csv.reader([line for _, line in lines], delimiter=separator))
    except csv.Error as error:
        raise DescriptionError(f"{source}: it is not a table of columns ({error}).") from error
    if len(rows) != len(lines):
        raise DescriptionError(
            f'{source}: a quotation mark opens a cell that does not end on its line. Take out the ".'
        )
    if len(rows[0]) > MOST_COLUMNS or max(map(len, rows[0])) > LONGEST_NAME:
        raise DescriptionError(
            f"{source}: at most {MOST_COLUMNS} columns with names of at most {LONGEST_NAME} characters are read."
        )
    heads = [_head(cell) for cell in rows[0]]
    while heads and heads[-1] == ("", ""):  # a separator at the end of the line
        heads.pop()
    _refuse_heads(heads, source, lines[0][0])
    numbers = np.full((len(rows) - 1, len(heads)), np.nan)
    for i, ((line, _), row) in enumerate(zip(lines[1:], rows[1:], strict=True)):
        for j, cell in enumerate(row[: len(heads)]):
            if cell.strip():
                numbers[i, j] = _number(cell, separator, f"{source}, line {line}: {heads[j][0]}")
    time_s = numbers[:, 0]
    if not (np.isfinite(time_s).all() and (np.diff(time_s) > 0.0).all()):
        raise DescriptionError(
            f"{source}: the times of the first column must be numbers that increase from row to row."
        )
    return Columns(
        source,
        read_only(time_s),
        dict(heads[1:]),
        {name: read_only(numbers[:, k]) for k, (name, _) in enumerate(heads) if k},
    )


def _head(cell: str) -> tuple[str, str]:
    """Name and unit of ``Motor torques: A [N·m]``."""
    words = from_cell(" ".join(cell.split()))
    match = _UNIT.match(words)
    return (match[1], match[2].strip()) if match and match[1] else (words, "")


def _refuse_heads(heads: list[tuple[str, str]], source: str, line: int) -> None:
    where = f"{source}, line {line}"
    if len(heads) < 2:
        raise DescriptionError(f"{where}: the names must be those of a time and at least one other column.")
    name, unit = heads[0]
    if name.lower() not in TIME_NAMES:
        raise DescriptionError(f'{where}: the first column must be the time, such as "time [s]", not "{name[:40]}".')
    if unit not in ("", "s"):
        raise DescriptionError(f'{where}: the time must be in seconds, "time [s]", not in {unit[:20]}.')
    names = [name for name, _ in heads]
    twice = next((name for k, name in enumerate(names) if name in names[:k] or not name), None)
    if twice is not None:
        raise DescriptionError(f'{where}: every column needs a name of its own; "{twice[:40]}" is not one.')


def _number(cell: str, separator: str, where: str) -> float:
    words = cell.strip()
    if separator != ",":
        words = words.replace(",", ".")
    try:
        return float(words.replace("−", "-"))
    except ValueError:
        raise DescriptionError(f'{where}: "{words[:40]}" is not a number.') from None
