"""A table of a report: texts in rows and columns, how numbers become texts; and the same as CSV and JSON text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.plain_text import table
from biomec.recording import Trial

NOTHING = "–"  # what stands where there is no number


@dataclass(frozen=True)
class Table:
    """A table for people.

    columns : headings; a table of two columns without headings lists facts
    rows    : texts, as many in a row as there are columns
    note    : what a reader needs to know to understand it
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        wrong = [row for row in self.rows if len(row) != len(self.columns)]
        if wrong:
            raise ValueError(f"{self.caption}: {len(self.columns)} columns, but a row is {wrong[0]}")


@dataclass(frozen=True)
class Section:
    """A part of a report: sentences, then tables."""

    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()


def fact_table(caption: str, values: dict[str, str | None], note: str = "") -> Table:
    """Table of facts; those that are None are left out."""
    rows = tuple((name, value) for name, value in values.items() if value is not None)
    return Table(caption, ("", ""), rows, note)


def number(value: float | None, digits: int = 1, unit: str = "") -> str:
    """A number with so many digits after the point; a real minus sign, and a dash for what is missing."""
    if value is None or not math.isfinite(value):
        return NOTHING
    text = f"{value:.{digits}f}"
    if float(text) == 0.0:
        text = text.removeprefix("-")
    return text.replace("-", "−") + (f" {unit}" if unit else "")


def with_spread(value: float, spread: float, digits: int = 1) -> str:
    """Mean ± standard deviation; of a single value, which has none, the value alone."""
    return number(value, digits) + (f" ± {number(spread, digits)}" if math.isfinite(spread) else "")


def percent(share: float | None, digits: int = 0) -> str:
    """A share in percent; what is there is never 0 %, and what is not all never 100 %: 0.9996 -> "> 99.9 %"."""
    if share is None or not math.isfinite(share):
        return NOTHING
    value = 100.0 * share
    if share in (0.0, 1.0):
        return f"{value:.0f} %"
    if float(f"{value:.{digits}f}") in (0.0, 100.0):
        digits = max(1, digits)
    text = f"{value:.{digits}f}"
    if float(text) == 0.0:
        text = f"< {10.0**-digits:g}"
    elif float(text) == 100.0:
        text = f"> {100.0 - 10.0**-digits:g}"
    return f"{text} %"


def power(value: float | None) -> str:
    """A small number as a power of ten: 7.8 · 10⁻¹¹."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if value == 0.0:
        return "0"
    mantissa, exponent = f"{value:.1e}".split("e")
    raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa.replace('-', '−')} · 10{raised}"


def degrees(radians: float | None, digits: int = 1) -> str:
    """An angle in degrees, without the sign °."""
    return number(None if radians is None else math.degrees(radians), digits)


# --------------------------------------------------------------------------------------------------------- CSV and JSON


def table_text(
    columns: Sequence[str], head: Iterable[Sequence[Any]], values: FloatArray | None = None, digits: int = 7
) -> str:
    """CSV text: leading cells, then numbers with so many digits; what is missing stays empty.

    A row of numbers is written at once, by one format for all of its cells.
    """
    lines = [table([columns])]
    numbers = "" if values is None else f",%.{digits}g" * values.shape[1] + "\n"
    for k, cells in enumerate(head):
        line = table([cells])
        if values is not None:
            line = line.removesuffix("\n") + (numbers % tuple(values[k].tolist())).replace("nan", "")
        lines.append(line)
    return "".join(lines)


def by_frame(trial: Trial) -> list[list[str | int]]:
    """Number and time of every frame, the first two cells of a row."""
    return [[trial.first_frame + k, f"{t:.6f}"] for k, t in enumerate(trial.time_s)]


def plain_number(value: float | None) -> float | None:
    """Plain number, or None where there is none: JSON knows no NaN."""
    return float(value) if value is not None and np.isfinite(value) else None
