"""A clinical report as an Excel workbook: numbers as numbers, for those who compute further."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.plain_text import cell as kept_text
from biomec.base.plain_text import one_line
from biomec.base.progress import Progress
from biomec.reporting.clinical.blocks import (
    Bars,
    Block,
    ClinicalReport,
    Course,
    FreeText,
    Grid,
    Page,
    PathOfPressure,
    Words,
)
from biomec.reporting.tables import Table
from biomec_app.figures.report.options import ReportOptions
from biomec_app.figures.report.remarks import pages_with_remarks

SUBJECT, PROVENANCE = "Subject", "Provenance"
SHEETS = {
    "summary": SUBJECT,
    "measured": "Measured",
    "time": "TimeDistance",
    "kinematics": "Kinematics",
    "kinetics": "Kinetics",
    "ground": "GroundReaction",
    "trunk": "TrunkArms",
    "comparison": "Comparison",
    "discrete": "Discrete",
    "indices": "Indices",
    "emg": "EMG",
    "quality": "Quality",
    "provenance": PROVENANCE,
}
"""How the kind of a page begins -> its sheet; other pages have sheets named by their titles."""
PARTS = (" mean", " SD", " cycles", " norm")  # how sheets of curves end
LONGEST_TEXT = 32_000  # letters in a cell; Excel keeps 32 767
LONGEST_SHEET = 31  # letters of the name of a sheet
_NOT_IN_SHEET = re.compile(r"[\[\]:*?/\\']")
_NUMBER = re.compile(r"([−-]?)(0|[1-9]\d{0,14})(?:\.(\d+))?( ?[^\d\s\"\\()±,;–−-][^\d\"\\()±]{0,14})?")
_SPREAD = re.compile(r"(\S+) ± (\S+)")
Cells = list[Any]


@dataclass(frozen=True)
class Numeral:
    """A number as it stands in a report: so many digits, and the unit behind it."""

    value: float
    digits: int
    unit: str = ""

    @property
    def format(self) -> str:
        """How Excel shows it."""
        whole = "0." + "0" * self.digits if self.digits else "0"
        return f'{whole}"{self.unit}"' if self.unit else whole


def numeral(text: str) -> Numeral | None:
    """The number that a text of a table is: "−0.49", "5.9 %"; None where it is anything else.

    Digits that begin with zero are a code, not a number.
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    sign, whole, decimals, unit = found.groups()
    value = float(f"{whole}.{decimals or 0}")
    return Numeral(-value if sign else value, len(decimals or ""), unit or "")


def written(report: ClinicalReport, options: ReportOptions, progress: Progress | None = None) -> bytes:
    """The bytes of the workbook."""
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    book.properties.creator = one_line(report.heading.laboratory) or "Biomec"
    book.properties.title = one_line(report.title)
    contents = list(_sheets(report))
    names: set[str] = set()
    sheets: list[_Sheet] = []
    try:
        for k, (name, rows) in enumerate(contents):
            sheets.append(_Sheet(book, _free_name(name, names), name.endswith(PARTS)))
            for row in rows:
                sheets[-1].add(row)
            if progress is not None:
                progress((k + 1) / (len(contents) + 1))
    except BaseException:
        for sheet in sheets:
            sheet.close()
        raise
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


class _Sheet:
    """A sheet that is written row by row."""

    def __init__(self, book: Any, name: str, curves: bool) -> None:
        from openpyxl.styles import Alignment, Font

        self._sheet = book.create_sheet(name)
        self._bold = Font(name="Calibri", size=11, bold=True)  # of the usual style
        self._wrapped = Alignment(wrap_text=True, vertical="top") if curves else None
        self._sheet.page_setup.orientation = "landscape"
        if curves:
            self._sheet.freeze_panes = "B2"
        else:
            self._sheet.column_dimensions["A"].width = 42
            self._sheet.sheet_properties.pageSetUpPr.fitToPage = True
            self._sheet.page_setup.fitToHeight = 0  # as many sheets of paper as it takes, each as wide as all columns
        for letter in "BCDEFGHIJKL":
            self._sheet.column_dimensions[letter].width = 16

    def close(self) -> None:
        """End a sheet of a workbook that is given up."""
        self._sheet.close()

    def add(self, cells: Iterable[object]) -> None:
        self._sheet.append([self._cell(one) for one in cells])

    def _cell(self, content: object) -> Any:
        from openpyxl.cell import WriteOnlyCell

        if content is None or isinstance(content, (int, float)):
            return content if content is None or np.isfinite(content) else None
        if isinstance(content, Numeral):
            made = WriteOnlyCell(self._sheet, content.value)
            made.number_format = content.format
            return made
        head = isinstance(content, _Head)
        text = one_line(str(content.text if isinstance(content, _Head) else content))[:LONGEST_TEXT]
        made = WriteOnlyCell(self._sheet, text)
        made.data_type = "s"  # a text is a text, also if it begins with =
        if kept_text(text) != text:
            made.style = "Normal"
            made.quotePrefix = True  # and stays one when somebody edits it
        if head:
            made.font = self._bold
            if self._wrapped is not None:
                made.alignment = self._wrapped
        return made


@dataclass(frozen=True)
class _Head:
    """A text in bold."""

    text: str


def _sheets(report: ClinicalReport) -> Iterator[tuple[str, list[Cells]]]:
    """Names and rows of all sheets: texts and tables page by page, then curves."""
    texts: dict[str, list[Cells]] = {SUBJECT: _subject(report)}
    curves: dict[str, _Curves] = {}
    pages = pages_with_remarks(report)
    for page in pages:
        name = _sheet_of(page)
        for block in page.blocks:
            if isinstance(block, Grid):
                curves.setdefault(name, _Curves()).add(block)
            elif rows := list(_rows(block)):
                texts.setdefault(name, [[_Head(page.title)]]).extend([*rows, []])
    texts[PROVENANCE] = [*texts.pop(PROVENANCE, []), *_provenance(report)]
    for name in dict.fromkeys((SUBJECT, *map(_sheet_of, pages), PROVENANCE)):
        if name in texts:
            yield name, texts[name]
        if name in curves:
            yield from curves[name].sheets(name)


def _sheet_of(page: Page) -> str:
    return next((sheet for begin, sheet in SHEETS.items() if page.kind.startswith(begin)), page.title)


def _subject(report: ClinicalReport) -> list[Cells]:
    heading = report.heading
    facts = {
        "Laboratory": heading.laboratory,
        "Name": heading.who,
        "Identifier": heading.identifier,
        "Date of birth": heading.born,
        "Date of measurement": heading.measured,
        "Trust": heading.verdict,
    }
    rows: list[Cells] = [[_Head(report.title)], *([name, text] for name, text in facts.items() if text), []]
    rows += [[what, numeral(value) or value] for value, what in report.highlights]
    return [*rows, []]


def _provenance(report: ClinicalReport) -> list[Cells]:
    return [[_Head("This file")], ["Made with", f"Biomec {report.heading.version}"]]


def _rows(block: Block) -> Iterator[Cells]:
    """A block other than a grid as rows."""
    if isinstance(block, Words):
        if block.title:
            yield [_Head(block.title)]
        yield from ([one] for one in block.sentences)
    elif isinstance(block, FreeText):
        yield [_Head(block.title)]
        yield from ([line] for line in block.text.splitlines())
    elif isinstance(block, Table):
        yield from table_rows(block)
    elif isinstance(block, Bars):
        yield from _bar_rows(block)
    elif isinstance(block, PathOfPressure):
        yield [_Head(block.caption)]
        heads = [f"{label}, {way} [mm]" for _, label, _ in block.paths for way in ("across", "along")]
        yield [_Head(one) for one in heads]
        columns = [values for _, _, path in block.paths for values in path.T]
        yield from _columns(columns)
        if block.note:
            yield [block.note]


def table_rows(table: Table) -> Iterator[Cells]:
    """A table: numbers as numbers; a column of means with their spread becomes two."""
    if table.caption:
        yield [_Head(table.caption)]
    spread = [any(_SPREAD.fullmatch(row[k]) for row in table.rows) for k in range(len(table.columns))]
    if any(table.columns):
        heads: Cells = []
        for name, two in zip(table.columns, spread, strict=True):
            heads += [_Head(name), _Head(f"{name}, SD")] if two else [_Head(name)]
        yield heads
    for row in table.rows:
        cells: Cells = []
        for text, two in zip(row, spread, strict=True):
            parts = _SPREAD.fullmatch(text) if two else None
            both = tuple(map(numeral, parts.groups())) if parts else (None, None)
            if both[0] is not None and both[1] is not None:
                cells += both
            else:
                cells += [numeral(text) or text, *([None] if two else [])]
        yield cells
    if table.note:
        yield [table.note]


def _bar_rows(block: Bars) -> Iterator[Cells]:
    yield [_Head(block.caption)]
    yield [_Head(one) for one in ("", "Unit", "Right", "Left", "Both", "Norm people", "Norm, mean", "Norm, SD")]
    for bar in block.bars:
        norm = bar.norm or (None, None)
        yield [bar.label, bar.unit, bar.right, bar.left, bar.both, bar.healthy, *norm]
    if block.note:
        yield [block.note]


# --------------------------------------------------------------------------------------------------------------- curves
class _Curves:
    """Curves of all grids of a subject; those that two grids show are written once."""

    def __init__(self) -> None:
        self._courses: dict[str, Course] = {}
        self._norms: list[tuple[str, FloatArray, FloatArray]] = []

    def add(self, grid: Grid) -> None:
        for panel in (one for row in grid.rows for one in row if one is not None):
            unit = f" [{panel.unit}]" if panel.unit else ""
            for course in panel.courses:
                label = course.label or course.side
                name = f"{panel.name}, {label}{unit}" if label and label not in panel.name else f"{panel.name}{unit}"
                self._keep(name, course)
            band = panel.band
            if band is not None and f"{panel.name}, norm{unit}" not in {one for one, _, _ in self._norms}:
                for word, values in (("norm", band.mean), ("norm, low", band.low), ("norm, high", band.high)):
                    self._norms.append((f"{panel.name}, {word}{unit}", band.percent, values))

    def _keep(self, name: str, course: Course) -> None:
        free, number = name, 1
        while free in self._courses:
            if np.array_equal(self._courses[free].curves, course.curves, equal_nan=True):
                return
            number += 1
            free = f"{name} ({number})"
        self._courses[free] = course

    def sheets(self, name: str) -> Iterator[tuple[str, list[Cells]]]:
        """Means, standard deviations, single cycles, and the norm."""
        courses = self._courses
        parts = {
            "mean": [(key, one.percent, one.mean) for key, one in courses.items()],
            "SD": [(key, one.percent, one.sd) for key, one in courses.items() if np.isfinite(one.sd).any()],
            "cycles": [
                (_cycle_name(key, one, number), one.percent, curve)
                for key, one in courses.items()
                for number, curve in enumerate(one.curves)
            ],
            "norm": self._norms,
        }
        for part, columns in parts.items():
            if columns:
                yield f"{name[: LONGEST_SHEET - 7]} {part}", _percent_rows(columns)


def _cycle_name(name: str, course: Course, number: int) -> str:
    words, bracket, unit = name.rpartition(" [")
    words = words or name
    if number < len(course.names):
        words += f", {course.names[number]}"
    elif number < len(course.origins):
        origin = course.origins[number]
        words += f", trial {origin.trial + 1}, cycle {origin.number + 1}"
    else:
        words += f", cycle {number + 1}"
    return f"{words}{bracket}{unit}" if bracket else words


def _percent_rows(columns: Sequence[tuple[str, FloatArray, FloatArray]]) -> list[Cells]:
    """Columns behind the percent of the cycle that they are at; each scale of percent stands once."""
    scales: list[tuple[FloatArray, list[tuple[str, FloatArray]]]] = []
    for name, percent, values in columns:
        kept = next((one for one in scales if np.array_equal(one[0], percent)), None)
        if kept is None:
            kept = (percent, [])
            scales.append(kept)
        kept[1].append((name, values))
    heads: Cells = []
    numbers: list[FloatArray] = []
    for percent, group in scales:
        heads += [_Head("Cycle [%]"), *(_Head(name) for name, _ in group)]
        numbers += [percent, *(values for _, values in group)]
    return [heads, *_columns(numbers)]


def _columns(columns: Sequence[FloatArray]) -> Iterator[Cells]:
    """Rows of columns that need not be equally long; seven digits, as in our other tables."""
    longest = max((len(one) for one in columns), default=0)
    for k in range(longest):
        yield [float(f"{one[k]:.7g}") if k < len(one) and np.isfinite(one[k]) else None for one in columns]


def _free_name(name: str, taken: set[str]) -> str:
    """A name for a sheet that Excel takes and no other sheet has."""
    plain = _NOT_IN_SHEET.sub(" ", one_line(name)).strip()[:LONGEST_SHEET].strip() or "Sheet"
    if plain.lower() == "history":  # Excel keeps this name
        plain = "Past"
    free, number = plain, 1
    while free.lower() in taken:
        number += 1
        free = f"{plain[: LONGEST_SHEET - 4]} ({number})"
    taken.add(free.lower())
    return free
