"""Tables with commas whose heads carry the unit, such as ``mass [kg]``; any unit of the same kind may stand there."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import pi

from biomec.base.errors import FileError
from biomec.base.plain_text import table as table_text
from biomec.base.toml_table import LARGEST, did_you_mean

_TURN = 180.0 / pi
UNITS: Mapping[str, tuple[str, float]] = {
    "": ("number", 1.0),
    "kg": ("mass", 1.0), "g": ("mass", 1e-3),
    "m": ("length", 1.0), "cm": ("length", 1e-2), "mm": ("length", 1e-3),
    "kg·m²": ("inertia", 1.0), "kg·cm²": ("inertia", 1e-4), "kg·mm²": ("inertia", 1e-6),
    "rad": ("angle", 1.0), "deg": ("angle", 1.0 / _TURN),
    "N": ("force", 1.0), "kN": ("force", 1e3),
    "N/m": ("stiffness", 1.0), "N/mm": ("stiffness", 1e3),
    "N·m": ("moment", 1.0), "N·mm": ("moment", 1e-3),
    "N·m/rad": ("torsion", 1.0), "N·m/deg": ("torsion", _TURN),
    "1/rad": ("per angle", 1.0), "1/deg": ("per angle", _TURN),
    "N·s/m": ("damping", 1.0), "N·s/mm": ("damping", 1e3),
    "N·m·s/rad": ("torsional damping", 1.0), "N·m·s/deg": ("torsional damping", _TURN),
    "s": ("time", 1.0), "ms": ("time", 1e-3), "µs": ("time", 1e-6),
    "1/s": ("rate", 1.0), "m/s": ("speed", 1.0), "mm/s": ("speed", 1e-3),
    "N/m^1.5": ("hertz", 1.0), "N/mm^1.5": ("hertz", 10.0**4.5),
}  # fmt: skip
"""Unit -> what it measures, and its size in SI units."""
TEXT = "text"


@dataclass(frozen=True)
class TableRow:
    """One row: ``where`` opens messages, such as ``bones.csv, line 3 (C7)``; numbers are in SI units."""

    where: str
    texts: Mapping[str, str]
    numbers: Mapping[str, float]

    def refusal(self, sentence: str) -> FileError:
        """Error to raise about this row."""
        return FileError(self.where, sentence)

    def positive(self, *names: str) -> None:
        """Refuse numbers that are not above 0."""
        for name in names:
            if not self.numbers[name] > 0.0:
                raise self.refusal(f"{name} is {self.numbers[name]:g} and must be above 0. Correct it there.")

    def not_negative(self, *names: str) -> None:
        """Refuse numbers below 0."""
        for name in names:
            if self.numbers[name] < 0.0:
                raise self.refusal(f"{name} is {self.numbers[name]:g} and must not be negative. Correct it there.")

    def vector(self, *names: str) -> tuple[float, ...]:
        """Several numbers."""
        return tuple(self.numbers[name] for name in names)


def read_rows(text: str, source: str, columns: Mapping[str, str]) -> list[TableRow]:
    """Rows of a table.

    columns : name -> `TEXT`, or what its unit must measure (`UNITS`); all must be there, in any order. The first one
              names the row. Empty lines and lines that begin with # are passed over
    """
    lines = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
    records = [(lines.line_num, [cell.strip() for cell in row]) for row in lines]
    records = [(k, row) for k, row in records if any(row) and not row[0].startswith("#")]
    if not records:
        raise FileError(source, f"it is empty. Its columns are {', '.join(columns)}.")
    places = _places(records[0][1], source, columns)
    return list(_rows(records[1:], len(records[0][1]), source, columns, places))


def _places(head: Sequence[str], source: str, columns: Mapping[str, str]) -> dict[str, tuple[int, float]]:
    """Column and factor of every name."""
    found: dict[str, tuple[int, float]] = {}
    for k, cell in enumerate(head):
        name, _, rest = cell.partition("[")
        name, unit = name.strip(), rest.rstrip("] ").strip()
        if name not in columns:
            raise FileError(source, f"there is no column {name}{did_you_mean(name, list(columns))} The columns are "
                            f"{', '.join(columns)}.")  # fmt: skip
        kind = columns[name]
        if kind == TEXT:
            found[name] = (k, 1.0)
            continue
        units = [one for one, (measures, _) in UNITS.items() if measures == kind]
        if unit not in units:
            there = "has no unit" if not unit else f"is in {unit}"
            raise FileError(source, f"column {name} {there}, and needs one of {', '.join(u or 'none' for u in units)}. "
                            f"Write it in brackets, such as {name} [{units[0]}].")  # fmt: skip
        found[name] = (k, UNITS[unit][1])
    missing = [name for name in columns if name not in found]
    if missing:
        raise FileError(source, f"the column {missing[0]} is missing. The columns are {', '.join(columns)}.")
    return found


def _rows(
    records: Sequence[tuple[int, list[str]]],
    width: int,
    source: str,
    columns: Mapping[str, str],
    places: Mapping[str, tuple[int, float]],
) -> Iterator[TableRow]:
    label = next(iter(columns))
    for line, row in records:
        if len(row) != width:
            raise FileError(f"{source}, line {line}", f"{len(row)} values under {width} columns. Add or remove some.")
        where = f"{source}, line {line} ({row[places[label][0]]})"
        texts, numbers = {}, {}
        for name, kind in columns.items():
            place, factor = places[name]
            if kind == TEXT:
                texts[name] = row[place]
                continue
            try:
                numbers[name] = float(row[place]) * factor
            except ValueError:
                raise FileError(where, f"{name} is “{row[place]}”, which is not a number.") from None
            if not abs(numbers[name]) <= LARGEST:
                raise FileError(where, f"{name} is {row[place]}: every number must be finite and at most {LARGEST:g}.")
        yield TableRow(where, texts, numbers)


def written_rows(head: Sequence[str], rows: Sequence[Sequence[str | float]]) -> str:
    """A table as text; ``head`` holds the units."""
    return table_text([list(head), *([one if isinstance(one, str) else f"{one:.9g}" for one in row] for row in rows)])
