"""Norm sets as folders of text: `set.toml` says who and where from; tables hold the numbers.

curves.csv (one row for each per cent of each curve), parameters.csv, discrete.csv, speed_by_age.csv and limbs.csv are
read if they are there. docs/norms.md lists their columns.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import as_file
from pathlib import Path
from typing import TypeVar

import numpy as np

from biomec.base import plain_text
from biomec.base.arrays import read_only
from biomec.base.description_file import read_text as read_toml_text
from biomec.base.errors import BiomecError, DescriptionError, FileError
from biomec.base.frozen import FrozenDict
from biomec.base.toml_table import TomlTable, did_you_mean, read_toml, written, written_key
from biomec.io.text import TextFile, number, read_text, write_text
from biomec.reporting.norms.norm import (
    GRID,
    LimbCurve,
    NormAbout,
    NormCurve,
    NormDiscrete,
    NormParameter,
    NormSet,
    SpeedOfAge,
    on_percent,
)
from biomec_resources import resource

SET, CURVES, PARAMETERS = "set.toml", "curves.csv", "parameters.csv"
DISCRETE, SPEEDS, LIMBS = "discrete.csv", "speed_by_age.csv", "limbs.csv"
FOLDER = "norms"
KEYS = ("title", "citation", "source", "licence", "task", "model", "subjects", "limbs", "ages", "ages_from",
        "speed_m_s", "speed_dimensionless", "notes", "doubtful")  # fmt: skip
COLUMNS = {
    CURVES: ("curve", "unit", "positive", "negative", "percent", "mean", "sd", "limbs", "subjects"),
    PARAMETERS: ("parameter", "unit", "mean", "sd", "n"),
    DISCRETE: ("parameter", "unit", "curve", "from %", "to %", "taken", "mean", "sd", "limbs"),
    SPEEDS: ("age_from", "age_to", "sex", "speed_mean_m_s", "speed_sd_m_s", "dimensionless_mean", "dimensionless_sd",
             "people"),
    LIMBS: ("subject", "side", "curve", *(f"p{percent:g}" for percent in GRID)),
}  # fmt: skip
UNITS = {"deg": "°", "N.m/kg": "N·m/kg"}
"""Units in files, which are plain ASCII -> on paper."""


# ------------------------------------------------------------------------------------------------------------- reading
def shipped_norms() -> tuple[str, ...]:
    """Names of the sets that come with Biomec, in alphabetical order."""
    return tuple(sorted(one.name for one in resource(FOLDER).iterdir() if one.is_dir() and (one / SET).is_file()))


@cache
def shipped_norm(name: str) -> NormSet:
    """Return a set that comes with Biomec."""
    known = shipped_norms()
    if name not in known:
        raise BiomecError(f'Biomec ships no norm "{name}"{did_you_mean(name, known)} There are {", ".join(known)}.')
    with as_file(resource(FOLDER, name)) as folder:
        return read_norm_set(folder)


def norms_in(folder: Path) -> tuple[NormSet, ...]:
    """Sets in the folders within a folder, in alphabetical order."""
    try:
        inside = sorted(one for one in folder.iterdir() if (one / SET).is_file())
    except OSError as error:
        raise FileError(folder.name, f"the folder cannot be read ({error.strerror or error}).") from error
    return tuple(read_norm_set(one) for one in inside)


def readable_norms_in(folder: Path) -> tuple[tuple[NormSet, ...], tuple[str, ...]]:
    """Sets in the folders within a folder that may not be there yet, and a sentence about each that cannot be read."""
    sets: list[NormSet] = []
    faults: list[str] = []
    try:
        inside = sorted(one for one in folder.iterdir() if (one / SET).is_file()) if folder.exists() else []
    except OSError as error:
        return (), (str(FileError(folder.name, f"the folder cannot be read ({error.strerror or error}).")),)
    for one in inside:
        try:
            sets.append(read_norm_set(one))
        except BiomecError as error:
            faults.append(str(error))
    return tuple(sets), tuple(faults)


def read_norm_set(folder: Path) -> NormSet:
    """Norm set in a folder; every fault is a `FileError`."""
    if not (folder / SET).is_file():
        raise FileError(folder.name, f"this folder holds no norm: there is no {SET} in it.")
    about = parse_about(read_toml_text(folder / SET), f"{folder.name}/{SET}")
    limbs = _rows(folder, LIMBS, _limb)
    return NormSet(
        folder.name, about, _curves(folder), _rows(folder, PARAMETERS, _parameter), _rows(folder, DISCRETE, _discrete),
        _rows(folder, SPEEDS, _speed), limbs,
    )  # fmt: skip


def parse_about(text: str, source: str) -> NormAbout:
    """Who and where from, from the text of a `set.toml`; messages call it ``source``."""
    try:
        top = read_toml(text, source)
        top.only(KEYS)
        doubtful = top.table("doubtful")
        return NormAbout(
            top.text("title"),
            _optional_text(top, "citation"), _optional_text(top, "source"), _optional_text(top, "licence"),
            _optional_text(top, "task"), _optional_text(top, "model"),
            _count(top, "subjects"), _count(top, "limbs"), _pair(top, "ages"), _optional_text(top, "ages_from"),
            _pair(top, "speed_m_s"), _pair(top, "speed_dimensionless"),
            tuple(top.texts("notes")) if "notes" in top else (),
            FrozenDict({key: doubtful.text(key) for key in doubtful.values}),
        )  # fmt: skip
    except DescriptionError as error:
        raise FileError(source, str(error).removeprefix(f"{source}: ")) from error


def _optional_text(top: TomlTable, key: str) -> str:
    return top.text(key) if top.values.get(key, "") != "" else ""


def _count(top: TomlTable, key: str) -> int | None:
    if key not in top:
        return None
    value = float(top.numbers(key, ()))
    if value < 1 or value != int(value):
        raise top.refusal(f"{key} is {value:g}; it must be a whole number of people or limbs, 1 at least.", key)
    return int(value)


def _pair(top: TomlTable, key: str) -> tuple[float, float] | None:
    if key not in top:
        return None
    first, second = (float(one) for one in top.numbers(key, (2,)))
    if first < 0.0 or second < 0.0 or (key == "ages" and second < first):
        what = "the youngest and the oldest age in years" if key == "ages" else "mean and standard deviation"
        raise top.refusal(f"{key} is [{first:g}, {second:g}]; it must be {what}, not negative.", key)
    return first, second


T = TypeVar("T")


class _Table:
    """Rows of a CSV file with its columns checked; hands cells out as numbers with sentences where they are not."""

    def __init__(self, text: TextFile, columns: Sequence[str]) -> None:
        self.text = text
        reader = csv.reader(text.lines)
        try:
            head = [cell.strip() for cell in next(reader)]
            self.rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
        except (csv.Error, StopIteration) as error:
            raise text.fault(f"this is not a table of comma-separated values ({error}).") from error
        missing = [name for name in columns if name not in head]
        if missing:
            few = ", ".join(missing[:4]) + (" …" if len(missing) > 4 else "")
            raise text.fault(f"the first line must name the columns {', '.join(columns[:9])}; missing: {few}.", 1)
        self.place = {name: head.index(name) for name in columns}

    def cell(self, at: int, row: Sequence[str], column: str) -> str:
        """Text of a cell."""
        place = self.place[column]
        if place >= len(row):
            raise self.text.fault(f"the line ends before the column {column}.", at)
        return plain_text.from_cell(row[place].strip())

    def value(self, at: int, row: Sequence[str], column: str) -> float:
        """Number of a cell."""
        word = self.cell(at, row, column)
        found = number(word)
        if found is None:
            raise self.text.fault(f"{word[:30]!r} in the column {column} is not a number.", at)
        return found

    def count(self, at: int, row: Sequence[str], column: str) -> int | None:
        """Whole number of a cell; None if it is empty."""
        if not self.cell(at, row, column):
            return None
        found = self.value(at, row, column)
        if found < 1 or found != math.floor(found) or found > 1e9:
            raise self.text.fault(f"{found:g} in the column {column} is not a number of people or limbs.", at)
        return int(found)


def _table(folder: Path, name: str) -> _Table | None:
    path = folder / name
    return _Table(read_text(path, "norm data"), COLUMNS[name]) if path.exists() else None


def _rows(folder: Path, name: str, make: Callable[[_Table, int, Sequence[str]], T]) -> tuple[T, ...]:
    table = _table(folder, name)
    if table is None:
        return ()
    try:
        return tuple(make(table, at, row) for at, row in table.rows)
    except FileError:
        raise
    except BiomecError as error:
        raise table.text.fault(str(error)) from error


def _curves(folder: Path) -> dict[str, NormCurve]:
    table = _table(folder, CURVES)
    if table is None:
        return {}
    blocks: dict[str, list[tuple[int, list[str]]]] = {}
    for at, row in table.rows:
        blocks.setdefault(table.cell(at, row, "curve"), []).append((at, row))
    return {name: _curve(table, name, block) for name, block in blocks.items()}


def _curve(table: _Table, name: str, block: Sequence[tuple[int, list[str]]]) -> NormCurve:
    at, first = block[0]
    percent, mean, sd = (
        np.array([table.value(line, row, column) for line, row in block]) for column in ("percent", "mean", "sd")
    )
    whole = len(percent) > 1 and np.abs(percent - np.linspace(0.0, 100.0, len(percent))).max() < 0.01
    if not whole:
        raise table.text.fault(f"the rows of {name[:40]} must run from 0 to 100 per cent in equal steps, in order.", at)
    unit = table.cell(at, first, "unit")
    try:
        return NormCurve(
            name, UNITS.get(unit, unit), table.cell(at, first, "positive"), table.cell(at, first, "negative"),
            on_percent(mean, name), on_percent(sd, name), table.count(at, first, "limbs"),
            table.count(at, first, "subjects"),
        )  # fmt: skip
    except FileError:
        raise
    except BiomecError as error:
        raise table.text.fault(str(error), at) from error


def _parameter(table: _Table, at: int, row: Sequence[str]) -> NormParameter:
    mean, sd = table.value(at, row, "mean"), _spread(table, at, row, "sd")
    return NormParameter(
        table.cell(at, row, "parameter"), table.cell(at, row, "unit"), mean, sd, table.count(at, row, "n")
    )


def _spread(table: _Table, at: int, row: Sequence[str], column: str) -> float:
    found = table.value(at, row, column)
    if found < 0.0:
        raise table.text.fault(f"{found:g} in the column {column} is negative; a standard deviation is not.", at)
    return found


def _discrete(table: _Table, at: int, row: Sequence[str]) -> NormDiscrete:
    unit = table.cell(at, row, "unit")
    return NormDiscrete(
        table.cell(at, row, "parameter"), UNITS.get(unit, unit), table.cell(at, row, "curve"),
        table.value(at, row, "from %"), table.value(at, row, "to %"), table.cell(at, row, "taken"),
        table.value(at, row, "mean"), _spread(table, at, row, "sd"), table.count(at, row, "limbs"),
    )  # fmt: skip


def _speed(table: _Table, at: int, row: Sequence[str]) -> SpeedOfAge:
    sex = table.cell(at, row, "sex")
    if sex not in ("all", "female", "male"):
        raise table.text.fault(f"the sex is all, female or male, not {sex[:30]!r}.", at)
    return SpeedOfAge(
        table.value(at, row, "age_from"), table.value(at, row, "age_to"), sex,
        (table.value(at, row, "speed_mean_m_s"), _spread(table, at, row, "speed_sd_m_s")),
        (table.value(at, row, "dimensionless_mean"), _spread(table, at, row, "dimensionless_sd")),
        table.count(at, row, "people") or 1,
    )  # fmt: skip


def _limb(table: _Table, at: int, row: Sequence[str]) -> LimbCurve:
    values = [table.value(at, row, column) for column in COLUMNS[LIMBS][3:]]
    subject, side, curve = (table.cell(at, row, column) for column in COLUMNS[LIMBS][:3])
    return LimbCurve(subject, side, curve, read_only(values))


# ------------------------------------------------------------------------------------------------------------- writing
def write_norm_set(norm: NormSet, folder: Path) -> None:
    """Write a set into a new folder, or anew into one that holds nothing but a norm."""
    known = {SET, *COLUMNS}
    tables = {name: rows for name, rows in _tables(norm).items() if rows}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = sorted(one.name for one in folder.iterdir() if one.name not in known)
        if others:
            raise FileError(folder.name, f"the folder holds other files ({', '.join(others[:3])}); choose a new one.")
        for name, rows in tables.items():
            write_text(folder / name, plain_text.table([COLUMNS[name], *rows]).splitlines())
        write_text(folder / SET, about_text(norm.about).splitlines())
        for name in known - {SET, *tables}:
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise FileError(folder.name, f"the folder cannot be written ({error.strerror or error}).") from error


def about_text(about: NormAbout) -> str:
    """TOML text of who and where from."""
    lines = []
    for key in KEYS[:-1]:
        value = getattr(about, key)
        if value not in (None, "", ()):
            lines.append(f"{key} = {written(value)}")
    if about.doubtful:
        lines += ["", "[doubtful]", *(f"{written_key(key)} = {written(why)}" for key, why in about.doubtful.items())]
    return "\n".join(lines) + "\n"


def _tables(norm: NormSet) -> dict[str, list[tuple[object, ...]]]:
    ascii_units = {shown: plain for plain, shown in UNITS.items()}
    return {
        CURVES: [
            (one.name, ascii_units.get(one.unit, one.unit), one.positive, one.negative, f"{percent:g}", f"{mean:.8g}",
             f"{sd:.8g}", one.limbs or "", one.subjects or "")
            for one in norm.curves.values() for percent, mean, sd in zip(GRID, one.mean, one.sd, strict=True)
        ],
        PARAMETERS: [(one.name, one.unit, f"{one.mean:.8g}", f"{one.sd:.8g}", one.people or "")
                     for one in norm.parameters],
        DISCRETE: [
            (one.name, ascii_units.get(one.unit, one.unit), one.curve, f"{one.first_percent:g}",
             f"{one.last_percent:g}", one.taken, f"{one.mean:.8g}", f"{one.sd:.8g}", one.limbs or "")
            for one in norm.discrete
        ],
        SPEEDS: [(f"{one.age_from:g}", f"{one.age_to:g}", one.sex, *one.speed_m_s, *one.dimensionless, one.people)
                 for one in norm.speeds],
        LIMBS: [(one.subject, one.side, one.curve, *(f"{value:.5g}" for value in one.values)) for one in norm.limbs],
    }  # fmt: skip
