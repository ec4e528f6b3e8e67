"""A clinical report as a Word document, to be edited: headings, tables, pictures, room for what a clinician writes.

A document of the laboratory can be the template: its styles, header, footer and logo stay, and its text goes.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.reporting.clinical.blocks import (
    Block,
    ClinicalReport,
    FigureRequest,
    FreeText,
    Heading,
    Page,
    Words,
)
from biomec.reporting.tables import Table
from biomec_app.figures.report.drawing import Drawn, described, figure_png, height_mm, picture
from biomec_app.figures.report.logo import logo_png
from biomec_app.figures.report.markup import numeric_columns
from biomec_app.figures.report.options import ReportOptions
from biomec_app.figures.report.remarks import pages_with_remarks
from biomec_app.figures.report.word_parts import (
    add_field,
    fill_cell,
    framed,
    hair_lines,
    last_paragraph,
    plain,
    plain_font,
    repeated,
)
from biomec_app.figures.report.word_template import not_a_template, read_template

MARGIN_MM, TOP_MM = 15.0, 27.0
HEADINGS_MM, MORE_HEAD_MM = 27.0, 10.0  # above a picture; what ours may add to the header of a template
LOGO_MM = 9.0
TABLE_POINTS, SMALL_POINTS, TEXT_POINTS = 8.5, 8.0, 10.0
BEFORE_WORDS = 6.0  # points between a table and sentences below it
LONGEST_PROPERTY = 255  # letters; Word takes no more
FREE_STYLE = "Free text"
EMU_OF_MM = 36000  # units of Word in a millimetre
FACT_NAMES = 0.3  # of the width, for the names of facts
LETTER_MM, BOLD_MM, AROUND_CELL_MM = 1.75, 2.0, 4.5  # widths of letters in a table, and of what is around a text


def written(report: ClinicalReport, options: ReportOptions, progress: Progress | None = None) -> bytes:
    """The bytes of the document; a `FileError` if the template cannot be one."""
    if options.template is None:
        return _Document(report, options).made(progress)
    try:
        return _Document(report, options).made(progress)
    except (BiomecError, MemoryError):
        raise
    except Exception as error:  # damaged parts show themselves by errors of many kinds, some only when they are saved
        raise not_a_template(options.template) from error


class _Document:
    """A document on its way."""

    def __init__(self, report: ClinicalReport, options: ReportOptions) -> None:
        import docx

        self.report, self.options = report, options
        self.own = options.template is None
        self.word: Any = docx.Document() if options.template is None else read_template(options.template)
        self._styles()
        self._properties()

    def made(self, progress: Progress | None) -> bytes:
        """Write page after page."""
        report = self.report
        landscape = False
        self._section(self.word.sections[0], False)
        self._heads()
        self.word.add_paragraph(plain(report.title), style="Title")
        self._highlights()
        pages = pages_with_remarks(report)
        for k, page in enumerate(pages):
            if page.landscape != landscape:
                landscape = page.landscape
                self._section(self.word.add_section(), landscape)
                self._page(page, False)
            else:
                self._page(page, k > 0)
            if progress is not None:
                progress((k + 1) / (len(pages) + 1))
        out = io.BytesIO()
        self.word.save(out)
        return out.getvalue()

    # ---------------------------------------------------------------------------------------------------------- frame
    def _styles(self) -> None:
        from docx.enum.style import WD_STYLE_TYPE
        from docx.shared import Pt, RGBColor

        styles = self.word.styles
        if self.own:
            styles["Normal"].font.name = "Arial"
            styles["Normal"].font.size = Pt(TEXT_POINTS)
            styles["Normal"].paragraph_format.space_after = Pt(4)
            for name, size in (("Title", 20), ("Heading 1", 15), ("Heading 2", 11)):
                styles[name].font.name = "Arial"
                styles[name].font.size = Pt(size)
                styles[name].font.color.rgb = RGBColor(0x20, 0x24, 0x2A)
                plain_font(styles[name])
            for name in ("Heading 1", "Heading 2"):
                styles[name].paragraph_format.space_before = Pt(8)
                styles[name].paragraph_format.space_after = Pt(3)
        known = {one.name for one in styles}
        for name in ("Title", "Heading 1", "Heading 2", "Caption", FREE_STYLE):
            if name not in known:
                made = styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
                made.base_style = styles["Normal"] if "Normal" in known else None
                if name == FREE_STYLE:
                    framed(made)
        if self.own:
            styles["Caption"].font.size = Pt(SMALL_POINTS)
            styles["Caption"].font.bold = False
            styles["Caption"].paragraph_format.space_before = Pt(BEFORE_WORDS / 2)
            styles["Caption"].font.color.rgb = RGBColor(0x5F, 0x66, 0x70)

    def _properties(self) -> None:
        """What the file says of itself: the laboratory, never the person."""
        from docx.opc.constants import RELATIONSHIP_TYPE

        relations = self.word.part.package.rels
        for key in [key for key, one in relations.items() if one.reltype == RELATIONSHIP_TYPE.THUMBNAIL]:
            del relations[key]  # a small picture of the first page of another document
        core = self.word.core_properties
        core.title = plain(self.report.title)[:LONGEST_PROPERTY]
        core.author = core.last_modified_by = plain(self.report.heading.laboratory)[:LONGEST_PROPERTY]
        core.subject = core.keywords = core.comments = core.category = ""
        core.revision = 1
        core.created = core.modified = datetime.now(UTC).replace(tzinfo=None, microsecond=0)

    def _section(self, section: Any, landscape: bool) -> None:
        from docx.enum.section import WD_ORIENT
        from docx.shared import Mm

        width, height = self.options.size(landscape)
        section.orientation = WD_ORIENT.LANDSCAPE if landscape else WD_ORIENT.PORTRAIT
        section.page_width, section.page_height = Mm(width), Mm(height)
        if self.own:
            section.left_margin = section.right_margin = Mm(MARGIN_MM)
            section.top_margin, section.bottom_margin = Mm(TOP_MM), Mm(MARGIN_MM + 3.0)
            section.header_distance = section.footer_distance = Mm(8.0)

    def _heads(self) -> None:
        """Header and footer of all sections, behind what those of a template hold."""
        section, heading = self.word.sections[0], self.report.heading
        from docx.shared import Mm, Pt

        head = last_paragraph(section.header, self.own)
        logo = logo_png(heading.logo)
        if logo is not None:
            head.add_run().add_picture(io.BytesIO(logo), height=Mm(LOGO_MM))
            head.add_run("  ")
        head.add_run(plain(_who(heading))).font.size = Pt(SMALL_POINTS)
        foot = last_paragraph(section.footer, self.own)
        parts = [f"Biomec {heading.version}"]
        if heading.verdict:
            parts.append(f"trust: {heading.verdict}")
        foot.add_run(plain(" · ".join(parts)) + " · page ").font.size = Pt(SMALL_POINTS)
        add_field(foot, "PAGE", Pt(SMALL_POINTS))
        foot.add_run(" of ").font.size = Pt(SMALL_POINTS)
        add_field(foot, "NUMPAGES", Pt(SMALL_POINTS))

    # ---------------------------------------------------------------------------------------------------------- pages
    def _highlights(self) -> None:
        from docx.shared import Pt

        highlights = self.report.highlights
        if not highlights:
            return
        table = self._new_table(2, len(highlights))
        for k, (value, what) in enumerate(highlights):
            run = table.cell(0, k).paragraphs[0].add_run(plain(value))
            run.bold, run.font.size = True, Pt(12)
            fill_cell(table.cell(1, k), what, SMALL_POINTS)
        self.word.add_paragraph()

    def _page(self, page: Page, on_new_sheet: bool) -> None:
        head = self.word.add_paragraph(plain(page.title), style="Heading 1")
        head.paragraph_format.page_break_before = on_new_sheet
        for k, block in enumerate(page.blocks):
            self._block(block, page, page.blocks[k + 1 :])

    def _block(self, block: Block, page: Page, below: Sequence[Block]) -> None:
        from docx.shared import Pt

        if isinstance(block, Words):
            self._title(block.title)
            made = [self.word.add_paragraph(plain(sentence)) for sentence in block.sentences]
            if made and not block.title:
                made[0].paragraph_format.space_before = Pt(BEFORE_WORDS)
            if made and below and isinstance(below[0], Table):
                made[-1].paragraph_format.keep_with_next = True
        elif isinstance(block, FreeText):
            self._title(block.title)
            lines = block.text.splitlines() if block.text.strip() else [""] * block.lines
            for line in lines:
                self.word.add_paragraph(plain(line), style=FREE_STYLE)
        elif isinstance(block, Table):
            self._title(block.caption)
            self._table(block)
            self._note(block.note)
        elif isinstance(block, FigureRequest):
            self._picture(figure_png(block, self.options), page, block.caption)
            self._note(block.caption)
        else:
            self._title(block.caption)
            self._drawn(block, page, below)

    def _drawn(self, block: Drawn, page: Page, below: Sequence[Block]) -> None:
        """A picture; lower if what stands below it then finds room on the same sheet."""
        width = self._width(page)
        high = height_mm(block, width, self._room(), self.options, below)
        self._picture(picture(block, width, high, self.options), page, described(block))

    def _picture(self, content: bytes, page: Page, text: str) -> None:
        from docx.shared import Mm

        shape = self.word.add_picture(io.BytesIO(content), width=Mm(self._width(page)))
        most = Mm(self._room())
        if shape.height > most:
            shape.width, shape.height = round(shape.width * most / shape.height), most
        shape._inline.docPr.set("descr", plain(text))
        shape._inline.docPr.set("name", "Picture")

    def _width(self, page: Page) -> float:
        """Width of a picture on a page [mm]."""
        return min(self._text_width(), self.options.size(page.landscape)[0] - 20.0)

    def _room(self) -> float:
        """Height that a picture may have below its headings [mm]."""
        section = self.word.sections[-1]
        text = float((section.page_height - section.top_margin - section.bottom_margin) / EMU_OF_MM)
        return text - HEADINGS_MM - (0.0 if self.own else MORE_HEAD_MM)

    def _text_width(self) -> float:
        """Width of the text of the last section [mm]."""
        section = self.word.sections[-1]
        return float((section.page_width - section.left_margin - section.right_margin) / EMU_OF_MM)

    def _title(self, words: str) -> None:
        if words:
            self.word.add_paragraph(plain(words), style="Heading 2")

    def _note(self, words: str) -> None:
        if words:
            self.word.add_paragraph(plain(words), style="Caption")

    # --------------------------------------------------------------------------------------------------------- tables
    def _new_table(self, rows: int, columns: int, widths: Sequence[float] = ()) -> Any:
        """A table as wide as the text; ``widths`` : of its columns [mm]."""
        from docx.shared import Mm

        table = self.word.add_table(rows, columns)
        hair_lines(table)
        if widths:
            table.autofit = False
            for column, width in zip(table.columns, widths, strict=True):
                column.width = Mm(width)
        return table

    def _table(self, table: Table) -> None:
        from docx.enum.text import WD_ALIGN_PARAGRAPH
        from docx.shared import Mm

        headed = any(table.columns)
        widths = _widths(table, self._text_width())
        made = self._new_table(len(table.rows) + int(headed), len(table.columns), widths)
        right = numeric_columns(table)
        rows: list[Sequence[str]] = [table.columns, *table.rows] if headed else list(table.rows)
        cells = made._cells  # one look at the table for all of its cells: a look for each takes its square
        for i, row in enumerate(rows):
            for k, text in enumerate(row):
                cell = cells[i * len(table.columns) + k]
                cell.width = Mm(widths[k])
                fill_cell(cell, text, TABLE_POINTS, bold=headed and i == 0)
                if right[k] and headed:
                    cell.paragraphs[0].alignment = WD_ALIGN_PARAGRAPH.RIGHT
        if headed:
            repeated(made.rows[0])


def _widths(table: Table, width: float) -> list[float]:
    """Widths of the columns [mm]: what their longest text needs; if that is too much, the widest give way together."""
    if len(table.columns) == 2 and not any(table.columns):  # facts: names have the same width everywhere
        return [FACT_NAMES * width, (1.0 - FACT_NAMES) * width]
    needs = [
        max([BOLD_MM * len(head), *(LETTER_MM * len(row[k]) for row in table.rows)]) + AROUND_CELL_MM
        for k, head in enumerate(table.columns)
    ]
    if sum(needs) <= width:
        return [width * one / sum(needs) for one in needs]
    left, most = width, 0.0
    for k, one in enumerate(sorted(needs)):
        most = left / (len(needs) - k)
        if one > most:
            break
        left -= one
    return [min(one, most) for one in needs]


def _who(heading: Heading) -> str:
    """Whom a report is about; the verdict stands in the footer."""
    parts = (
        heading.laboratory,
        heading.who,
        heading.identifier,
        f"born {heading.born}" if heading.born else "",
        f"measured {heading.measured}" if heading.measured else "",
    )
    return " · ".join(part for part in parts if part)
