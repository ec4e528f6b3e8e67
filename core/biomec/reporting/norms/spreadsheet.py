"""Cells of workbooks (XLSX by openpyxl, XLS by xlrd), read within limits: values only, no formulas, links or macros.

What a packed workbook will take is counted before it is unpacked. Both libraries meet damaged files with errors of
every kind, which all become one sentence here.
"""

from __future__ import annotations

import io
import warnings
import zipfile
from pathlib import Path

from biomec.base.errors import FileError
from biomec.base.limits import Budget, TooMuchError
from biomec.io.text import read_bytes

Cell = float | str | None
Sheets = dict[str, list[list[Cell]]]
ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MOST_ROWS, MOST_COLUMNS, MOST_SHEETS = 5000, 512, 64
COST = 16  # bytes of memory for one byte of a workbook, about what its cells take as Python objects


def read_sheets(path: Path) -> Sheets:
    """Name of a sheet -> its rows of numbers, texts and None, trailing empty cells left out."""
    data = read_bytes(path)
    try:
        budget = Budget(len(data), COST)
        if data.startswith(ZIP):
            return _xlsx(data, budget)
        if data.startswith(OLE):
            return _xls(data, budget)
    except TooMuchError as error:
        raise FileError(path.name, f"{error}.") from error
    except Exception as error:  # whatever the two libraries meet in a damaged file
        raise FileError(path.name, f"the workbook cannot be read ({type(error).__name__}); it is damaged.") from error
    raise FileError(path.name, "this is neither an XLSX nor an XLS workbook.")


def _xlsx(data: bytes, budget: Budget) -> Sheets:
    import openpyxl

    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        for part in packed.infolist():
            budget.take(COST * part.file_size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about styles and extensions, of which nothing is read
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        try:
            sheets = {}
            for sheet in book.worksheets[:MOST_SHEETS]:
                rows = sheet.iter_rows(max_row=MOST_ROWS, max_col=MOST_COLUMNS, values_only=True)
                sheets[str(sheet.title)] = [_cells(list(row)) for row in rows]
            return sheets
        finally:
            book.close()


def _xls(data: bytes, budget: Budget) -> Sheets:
    import xlrd

    budget.take(COST * len(data))
    with xlrd.open_workbook(file_contents=data, logfile=io.StringIO(), on_demand=True, ragged_rows=True) as book:
        sheets = {}
        for name in book.sheet_names()[:MOST_SHEETS]:
            sheet = book.sheet_by_name(name)
            sheets[str(name)] = [_cells(sheet.row_values(k)) for k in range(min(sheet.nrows, MOST_ROWS))]
            book.unload_sheet(name)
        return sheets


def _cells(row: list[object]) -> list[Cell]:
    """Cells of a row as numbers and texts."""
    cells: list[Cell] = [_cell(one) for one in row[:MOST_COLUMNS]]
    while cells and cells[-1] is None:
        cells.pop()
    return cells


def _cell(value: object) -> Cell:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    return value.strip() or None if isinstance(value, str) else None
