"""Norms in any table of text, with a mapping that says which column is what and is kept as a TOML file.

name = "our laboratory"
names_line = 1
first_line = 2

[[curve]]
curve = "hip flexion"
mean = "HipFlex"            # or low = "…" and high = "…", which are mean ∓ SD
sd = "HipFlexSD"
factor = 1.0
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.atomic import atomic_path
from biomec.base.description_file import read_text as read_description
from biomec.base.errors import BiomecError, DescriptionError, FileError
from biomec.base.toml_table import TomlTable, did_you_mean, read_toml, written
from biomec.io.text import TextFile, delimiter_of, number, read_text
from biomec.reporting.clinical_presentation import BY_NAME
from biomec.reporting.norms.norm import NormAbout, NormCurve, NormSet, clinical_norm

MOST_COLUMNS = 2000
CURVE_KEYS = ("curve", "mean", "sd", "low", "high", "factor")


@dataclass(frozen=True)
class MappedCurve:
    """Columns of one curve: mean and sd, or low and high; ``factor`` brings them to Biomec's unit and sign."""

    curve: str
    mean: str = ""
    sd: str = ""
    low: str = ""
    high: str = ""
    factor: float = 1.0

    def __post_init__(self) -> None:
        if self.curve not in BY_NAME:
            raise BiomecError(
                f'There is no clinical curve "{self.curve}"{did_you_mean(self.curve, tuple(BY_NAME))} '
                f"There are {', '.join(BY_NAME)}."
            )
        if bool(self.mean and self.sd) == bool(self.low and self.high) or bool(self.mean) != bool(self.sd):
            raise BiomecError(f"The curve {self.curve} needs the columns mean and sd, or low and high.")
        if not (np.isfinite(self.factor) and self.factor != 0.0):
            raise BiomecError(f"The factor of {self.curve} is {self.factor:g}; it must be a number other than 0.")

    @property
    def columns(self) -> tuple[str, str]:
        """The two columns."""
        return (self.mean, self.sd) if self.mean else (self.low, self.high)


@dataclass(frozen=True)
class NormMapping:
    """What the columns of a laboratory's tables mean; lines count from 1."""

    name: str
    curves: tuple[MappedCurve, ...]
    names_line: int = 1
    first_line: int = 2

    def __post_init__(self) -> None:
        if not 1 <= self.names_line < self.first_line <= 1000:
            raise BiomecError(
                f"The mapping {self.name}: values begin in line {self.first_line} and names are in line "
                f"{self.names_line}; names must come first."
            )
        twice = {one.curve for one in self.curves if sum(two.curve == one.curve for two in self.curves) > 1}
        if twice or not self.curves:
            what = f"{', '.join(sorted(twice))} is there twice" if twice else "it names no curve"
            raise BiomecError(f"The mapping {self.name}: {what}.")

    @property
    def columns(self) -> set[str]:
        """All columns that it needs."""
        return {column for curve in self.curves for column in curve.columns}


def columns_of(path: Path, names_line: int = 1) -> tuple[str, ...]:
    """Names of the columns of a table, as a mapping calls them."""
    return tuple(_cells(text := read_text(path, "CSV"), text.line(names_line)))


def fitting(columns: Iterable[str], mappings: Sequence[NormMapping]) -> NormMapping | None:
    """Return the remembered mapping with most curves whose columns are all there; None if there is none."""
    there = set(columns)
    suited = [one for one in mappings if one.columns <= there]
    return max(suited, key=lambda one: len(one.curves), default=None)


def read_mapped(path: Path, mapping: NormMapping) -> tuple[NormSet, ...]:
    """Norm of a table; lines are equal steps from 0 to 100 % of the cycle."""
    text = read_text(path, "CSV")
    head = _cells(text, text.line(mapping.names_line))
    missing = sorted(mapping.columns - set(head))
    if missing:
        there = ", ".join(name[:30] for name in head[:12])
        raise text.fault(f"it has no column {missing[0][:40]!r}; it has {there}.", mapping.names_line)
    rows = [(at, _cells(text, text.line(at))) for at in range(mapping.first_line, len(text.lines) + 1)]
    rows = [(at, row) for at, row in rows if any(row)]
    try:
        curves = {one.curve: _curve(text, head, rows, one) for one in mapping.curves}
    except FileError:
        raise
    except BiomecError as error:
        raise text.fault(str(error)) from error
    about = NormAbout(path.stem, source=f"{text.name}, read with the mapping {mapping.name}")
    return (NormSet(path.stem, about, curves),)


def _curve(
    text: TextFile, head: Sequence[str], rows: Sequence[tuple[int, Sequence[str]]], mapped: MappedCurve
) -> NormCurve:
    first, second = (_column(text, head.index(name), name, rows) for name in mapped.columns)
    if mapped.mean:
        mean, sd = mapped.factor * first, abs(mapped.factor) * second
    else:
        mean, sd = 0.5 * mapped.factor * (first + second), 0.5 * abs(mapped.factor) * np.abs(second - first)
    return clinical_norm(mapped.curve, mean, sd)


def _column(text: TextFile, place: int, name: str, rows: Sequence[tuple[int, Sequence[str]]]) -> FloatArray:
    values = []
    for at, row in rows:
        word = row[place] if place < len(row) else ""
        value = number(word)
        if value is None or abs(value) > 1e9:
            raise text.fault(f"{word[:30]!r} in the column {name[:40]!r} is not a number that a norm can have.", at)
        values.append(value)
    return np.array(values)


def _cells(text: TextFile, line: str) -> list[str]:
    delimiter = delimiter_of(text.line(1)) or delimiter_of(line)
    if delimiter is None:
        return line.split()[:MOST_COLUMNS]
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])[:MOST_COLUMNS]]
    except csv.Error as error:
        raise text.fault(f"this is not a table of text ({error}).") from error


# ---------------------------------------------------------------------------------------------------- kept as TOML file
def read_mapping(path: Path) -> NormMapping:
    """Mapping from a file."""
    return parse_mapping(read_description(path), path.name)


def parse_mapping(text: str, source: str) -> NormMapping:
    """Mapping from TOML ``text``; messages call it ``source``. Every fault is a `FileError`."""
    try:
        top = read_toml(text, source)
        top.only(("name", "names_line", "first_line", "curve"))
        curves = tuple(_mapped(table) for table in top.tables("curve"))
        lines = {key: int(top.numbers(key, ())) for key in ("names_line", "first_line") if key in top}
        return NormMapping(top.text("name"), curves, **lines)
    except DescriptionError as error:
        raise FileError(source, str(error).removeprefix(f"{source}: ")) from error
    except BiomecError as error:
        raise FileError(source, str(error)) from error


def _mapped(table: TomlTable) -> MappedCurve:
    table.only(CURVE_KEYS)
    words = {key: table.text(key) for key in CURVE_KEYS[:-1] if key in table}
    factor = float(table.numbers("factor", ())) if "factor" in table else 1.0
    return MappedCurve(**{"curve": table.text("curve"), **words}, factor=factor)


def mapping_text(mapping: NormMapping) -> str:
    """TOML text of a mapping."""
    lines = [
        f"name = {written(mapping.name)}",
        f"names_line = {mapping.names_line}",
        f"first_line = {mapping.first_line}",
    ]
    for one in mapping.curves:
        lines += ["", "[[curve]]"]
        lines += [f"{key} = {written(getattr(one, key))}" for key in CURVE_KEYS[:-1] if getattr(one, key)]
        if one.factor != 1.0:
            lines.append(f"factor = {written(one.factor)}")
    return "\n".join(lines) + "\n"


def write_mapping(mapping: NormMapping, path: Path) -> None:
    """Save a mapping; an interrupted save leaves the old file as it was."""
    with atomic_path(path) as temporary:
        temporary.write_text(mapping_text(mapping), encoding="utf-8", newline="\n")
