"""Tables of numbers in text files, read fast when all is well and cell by cell when it is not, to name the fault."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.notices import Notice, info, problem, warning
from biomec.io.text import TextFile, cells, number

_MISSING = frozenset({"", "nan", "+nan", "-nan", "na", "n/a", "null", "none", "-", "--", ".", "nan(ind)", "-nan(ind)"})
_INFINITE = frozenset({"inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"})
_OLD_WINDOWS = re.compile(r"[+-]?1[.,]#[a-z]+\d*")  # how old Windows programs print what is not a number
ROWS_AT_ONCE = 256  # NumPy reads them without letting other threads run; a window must not wait for a whole file


@dataclass(frozen=True)
class TextTable:
    """Numbers of a text file.

    values : (rows, columns), NaN where a cell is empty or says that it is missing
    lines  : (rows,) the line of the file that each row stands on, counted from 1
    """

    values: FloatArray
    lines: IntArray
    notices: tuple[Notice, ...]


def read_table(text: TextFile, first_line: int, columns: Sequence[str], delimiter: str | None) -> TextTable:
    """Read the rows from ``first_line`` (counted from 1) to the end of the file.

    Blank lines are skipped and empty cells behind the last column are dropped. A row with too few cells is filled up
    with missing values, and said so; a row with too many is a fault. A last row that was cut off is left out.
    """
    numbered = [
        (k, line) for k, line in enumerate(text.lines[first_line - 1 :], first_line) if not _blank(line, delimiter)
    ]
    lines = [k for k, _ in numbered]
    rows = [line if delimiter is not None else "\t".join(line.split()) for _, line in numbered]
    del numbered
    mark = delimiter or "\t"
    notices: list[Notice] = []
    if rows and not text.ended:
        notices += _leave_out_cut_row(rows, lines, mark, len(columns))
    rows, short = _even(text, rows, lines, mark, len(columns))
    if short:
        notices.append(_short_rows(short))
    values = _values(text, rows, lines, columns, mark)
    infinite = np.isinf(values)
    if infinite.any():
        values[infinite] = np.nan
        where = lines[int(np.flatnonzero(infinite.any(axis=1))[0])]
        notices.append(
            warning(
                "infinite-values",
                f"{int(infinite.sum())} infinite values were read as missing, the first on line {where}.",
            )
        )
    return TextTable(values, np.array(lines, dtype=np.int64), tuple(notices))


def _blank(line: str, delimiter: str | None) -> bool:
    return not line.strip() or (delimiter is not None and not line.strip(delimiter + " \t"))


def _leave_out_cut_row(rows: list[str], lines: list[int], mark: str, columns: int) -> list[Notice]:
    """Take away a last row that ends in the middle; without a line end a complete row cannot be told for sure."""
    last = rows[-1].split(mark)
    above = [row.split(mark) for row in rows[-4:-1]]
    decimals = {_decimals(row[columns - 1]) for row in above if len(row) >= columns}
    cut = len(last) < columns or (
        len(above) == 3 and len(decimals) == 1 and _decimals(last[columns - 1]) < decimals.pop()
    )
    if not cut:
        return [
            info(
                "no-line-end", f"The last row (line {lines[-1]}) has no line end: check that the file was copied whole."
            )
        ]
    rows.pop()
    line = lines.pop()
    return [problem("row-cut-off", f"The file ends in the middle of line {line}; that row was left out.")]


def _decimals(cell: str) -> int:
    return len(cell.strip().replace(",", ".").partition(".")[2])


def printed_step(text: TextFile, lines: IntArray, column: int, delimiter: str | None) -> float:
    """One unit of the last decimal that a column is printed with, whatever its values: 0.001 for 0.010.

    A few hundred rows are looked at: programs print all rows alike.
    """
    decimals = 0
    for line in lines[:: max(1, len(lines) // 300)].tolist():
        row = cells(text.line(line), delimiter)
        mantissa, _, exponent = (row[column] if column < len(row) else "").lower().partition("e")
        power = number(exponent)
        decimals = max(decimals, _decimals(mantissa) - (int(power) if power is not None else 0))
    return float(10.0 ** -min(decimals, 300))


def _even(
    text: TextFile, rows: list[str], lines: list[int], mark: str, columns: int
) -> tuple[list[str], list[tuple[int, int]]]:
    """Rows with one cell a column, and (line, missing cells) of those that were too short."""
    short: list[tuple[int, int]] = []
    wanted = columns - 1
    for k, row in enumerate(rows):  # over lines of text: counting a character is as fast as reading it
        extra = row.count(mark) - wanted
        if extra > 0:
            parts = row.split(mark)
            if any(part.strip() for part in parts[columns:]):
                raise text.fault(f"there are {len(parts)} values, but the header names {columns} columns.", lines[k])
            rows[k] = mark.join(parts[:columns])
        elif extra < 0:
            short.append((lines[k], -extra))
            rows[k] = row + mark * -extra
    return rows, short


def _short_rows(short: list[tuple[int, int]]) -> Notice:
    line, cells = short[0]
    which = (
        f"Line {line} ends {cells} values early"
        if len(short) == 1
        else (f"{len(short)} rows end early, the first on line {line} by {cells} values")
    )
    return warning("short-rows", f"{which}; what is not there was read as missing.")


def _values(text: TextFile, rows: list[str], lines: list[int], columns: Sequence[str], mark: str) -> FloatArray:
    if not rows:
        return np.empty((0, len(columns)))
    commas = mark != "," and any("," in row for row in rows)
    plain: Iterable[str] = rows
    if commas and not any("." in row for row in rows):
        plain = (row.replace(",", ".") for row in plain)
    try:
        filled = [_filled(row, mark) for row in plain]
        parts = [filled[k : k + ROWS_AT_ONCE] for k in range(0, len(filled), ROWS_AT_ONCE)]
        values = np.concatenate([np.loadtxt(part, delimiter=mark, comments=None, ndmin=2) for part in parts])
        if values.shape == (len(rows), len(columns)):
            return np.asarray(values)
    except ValueError:
        pass  # a cell that the fast reader does not know: look at every cell
    return _slow_values(text, rows, lines, columns, mark)


def _filled(row: str, mark: str) -> str:
    """The row with ``nan`` in its empty cells."""
    if " " in row:
        row = mark.join(map(str.strip, row.split(mark)))
    twice = mark + mark
    if twice in row:  # a run of marks is halved by the first replacement and filled by the second
        row = row.replace(twice, f"{mark}nan{mark}").replace(twice, f"{mark}nan{mark}")
    if row.startswith(mark):
        row = "nan" + row
    return row + "nan" if not row or row.endswith(mark) else row


def _slow_values(text: TextFile, rows: list[str], lines: list[int], columns: Sequence[str], mark: str) -> FloatArray:
    """Values cell by cell; raises a fault that names line, column and content."""
    values = np.empty((len(rows), len(columns)))
    point_line = comma_line = 0
    for k, row in enumerate(rows):
        for column, cell in enumerate(row.split(mark)):
            cell = cell.strip().strip('"').strip()
            value = number(cell)
            if value is None:
                word = cell.lower()
                if word in _INFINITE:
                    value = np.inf
                elif word in _MISSING or _OLD_WINDOWS.fullmatch(word):
                    value = np.nan
                else:
                    shown = cell if len(cell) <= 40 else cell[:37] + "..."
                    raise text.fault(f"column {columns[column]} holds {shown!r}, which is not a number.", lines[k])
            else:
                point_line = point_line or ("." in cell and lines[k])
                comma_line = comma_line or ("," in cell and lines[k])
                if point_line and comma_line:
                    raise text.fault(
                        f"{cell!r} in column {columns[column]}: decimal commas (line {comma_line}) and decimal points "
                        f"(line {point_line}) are mixed, so the numbers cannot be trusted.",
                        lines[k],
                    )
            values[k, column] = value
    return values


def table_text(values: FloatArray, mark: str = "\t", missing: str = "") -> Iterable[str]:
    """Yield a line of text for every row of ``values`` (rows, columns): each number with as many digits as it needs.

    Reading the line back gives the same bits. A Python loop over rows: digits are found one number at a time anyway.
    Rows become Python's numbers some at a time: all at once, a long recording would keep every other thread waiting.
    """
    for k in range(0, len(values), ROWS_AT_ONCE):
        some = values[k : k + ROWS_AT_ONCE]
        whole_rows: list[bool] = np.asarray(np.isfinite(some).all(axis=1)).tolist()
        for row, whole in zip(some.tolist(), whole_rows, strict=True):
            if whole:
                yield mark.join(map(repr, row))
            else:
                yield mark.join([repr(x) if x - x == 0.0 else missing for x in row])


def check_rows(rows: int, stated: int | None, what: str = "frames") -> tuple[Notice, ...]:
    """Compare the rows that were read with the count that the header states."""
    if stated is None or stated == rows:
        return ()
    words = f"The header states {stated} {what}, the file holds {rows}"
    if rows < stated:
        return (problem("rows-fewer-than-stated", f"{words}: the end is missing. Copy or export the file again."),)
    return (info("rows-more-than-stated", f"{words}; all were read."),)
