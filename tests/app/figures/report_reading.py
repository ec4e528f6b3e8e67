"""Reads written reports as their readers do: the cells of all tables, in each kind of file."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from typing import Any

from biomec.base.plain_text import one_line
from biomec.reporting.clinical.blocks import ClinicalReport
from biomec.reporting.tables import Table
from biomec_app.figures.report.remarks import pages_with_remarks

Rows = list[list[str]]


def tables_of(report: ClinicalReport) -> list[Table]:
    """All tables of a report, in its order."""
    return [block for page in pages_with_remarks(report) for block in page.blocks if isinstance(block, Table)]


def wanted(report: ClinicalReport) -> list[Rows]:
    """Rows of all tables as texts on one line, with their headings."""
    made = []
    for table in tables_of(report):
        rows = [table.columns, *table.rows] if any(table.columns) else list(table.rows)
        made.append([[one_line(cell) for cell in row] for row in rows])
    return made


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[Rows] = []
        self._open = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._open = True

    def handle_endtag(self, tag: str) -> None:
        self._open = self._open and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._open:
            self.tables[-1][-1][-1] += data


def in_html(content: bytes) -> list[Rows]:
    """Tables of a page."""
    parser = _Tables()
    parser.feed(content.decode())
    parser.close()
    return [[[one_line(cell) for cell in row] for row in rows] for rows in parser.tables]


def squeezed(text: str) -> str:
    """Text without spaces and ends of lines, which depend on the width of a column."""
    return "".join(text.split())


def pdf_text(content: bytes) -> str:
    """All text of a PDF in the order in which it was written, squeezed."""
    import pypdf

    return squeezed("".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages))


def rows_not_in_pdf(content: bytes, report: ClinicalReport) -> Rows:
    """Rows of the report's tables whose cells do not stand one after the other in the text of a PDF."""
    text = pdf_text(content)
    return [row for rows in wanted(report) for row in rows if squeezed("".join(row)) not in text]


def in_docx(content: bytes) -> list[Rows]:
    """Tables of a Word document."""
    import docx

    document = docx.Document(io.BytesIO(content))
    return [[[cell.text for cell in row.cells] for row in table.rows] for table in document.tables]


def in_xlsx(content: bytes, report: ClinicalReport) -> list[Rows]:
    """Tables of a workbook as Excel shows them: found by their first cells; a spread stands in a column of its own."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(content))
    every = [[shown(cell) for cell in row] for sheet in book for row in sheet.iter_rows()]
    found, at = [], 0
    for rows in wanted(report):
        width = len(rows[0])
        while not _begins(every, at, rows):
            at += 1
            assert at < len(every), f"no table begins with {rows[0]}"
        heads = every[at]
        spread = [k for k, head in enumerate(heads) if head.endswith(", SD") and head == f"{heads[k - 1]}, SD"]
        table = []
        for row in every[at : at + len(rows)]:
            cells = list(row)
            for k in reversed(spread):
                second = cells.pop(k)
                if second and row is not heads:
                    cells[k - 1] += f" ± {second}"
            table.append(cells[:width])
        found.append(table)
        at += len(rows)
    return found


def _begins(every: Rows, at: int, rows: Rows) -> bool:
    if not every[at] or every[at][0] != rows[0][0]:
        return False
    heads = [one for k, one in enumerate(every[at]) if k == 0 or one != f"{every[at][k - 1]}, SD"]
    return [one for one in heads if one] == [one for one in rows[0] if one] and (
        at + 1 < len(every) and (len(rows) == 1 or every[at + 1][0] == rows[1][0])
    )


def shown(cell: Any) -> str:
    """What Excel shows in a cell, for the formats that we use."""
    if cell.value is None or isinstance(cell.value, str):
        return cell.value or ""
    found = re.fullmatch(r'0(?:\.(0+))?(?:"(.*)")?', cell.number_format)
    if found is None:
        return str(cell.value)
    return f"{cell.value:.{len(found.group(1) or '')}f}".replace("-", "−") + (found.group(2) or "")
