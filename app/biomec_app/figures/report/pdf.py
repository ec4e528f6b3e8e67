"""A clinical report as PDF, and its sheets as pictures: drawn with Qt's painter, all words as text, fonts embedded.

A `QGuiApplication` must exist, with a screen or without.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF
from PySide6.QtGui import QColor, QImage, QPageLayout, QPageSize, QPainter, QPdfWriter

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.reporting.clinical.blocks import (
    Bars,
    Block,
    ClinicalReport,
    FigureRequest,
    FreeText,
    Grid,
    Page,
    PathOfPressure,
    Words,
)
from biomec.reporting.tables import Table
from biomec_app.figures.report.drawing import figure_png
from biomec_app.figures.report.flow import Piece, Section, Sheet, arranged, flowed, space
from biomec_app.figures.report.logo import logo_image
from biomec_app.figures.report.options import ReportOptions
from biomec_app.figures.report.remarks import pages_with_remarks
from biomec_app.figures.report.sheets import TITLE, Typesetter, head_and_foot
from biomec_app.plots.clinical.look import OURS, PAPER, Look

DOTS = 1200  # units in an inch; lines and letters are placed that finely
POINT = DOTS / 72.0  # units in a point
MARGIN_MM, HEAD_MM, FOOT_MM = 14.0, 22.0, 17.0
INCH_MM = 25.4
BETWEEN = 20.0  # points above a page that does not begin a sheet
_LETTERS = re.compile(rb"(?<= )\[<[0-9A-F<> ]*\]\nendbfrange", re.DOTALL)


def written(report: ClinicalReport, options: ReportOptions, progress: Progress | None = None) -> bytes:
    """The bytes of the PDF."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(DOTS)
    writer.setTitle(_document_title(report))
    writer.setAuthor(report.heading.laboratory)
    writer.setCreator(f"Biomec {report.heading.version}")
    sheets = _sheets(report, options)
    painter = QPainter()
    try:  # a painter that outlives its device ends the program
        for k, sheet in enumerate(sheets):
            writer.setPageLayout(_page_layout(options, sheet.landscape))
            if k:
                writer.newPage()
            elif not painter.begin(writer):
                raise BiomecError("The PDF cannot be drawn: Qt's PDF engine did not start.")
            _draw(painter, sheet, k, len(sheets), report, options)
            if progress is not None:
                progress(0.1 + 0.9 * (k + 1) / len(sheets))
    finally:
        painter.end()
    buffer.close()
    return searchable(bytes(buffer.data().data()))


def searchable(pdf: bytes) -> bytes:
    """The PDF with spaces where Qt calls them tabs, in the tables that say what letter a sign is; its length stays.

    Space and tab are the same sign in a font, and Qt notes the first of them, so that a search for two words fails.
    """
    return _LETTERS.sub(lambda found: found[0].replace(b"<0009>", b"<0020>"), pdf)


def _page_layout(options: ReportOptions, landscape: bool) -> QPageLayout:
    width, height = options.size(False)
    size = QPageSize(QSizeF(width, height), QPageSize.Unit.Millimeter, options.paper)
    turned = QPageLayout.Orientation.Landscape if landscape else QPageLayout.Orientation.Portrait
    return QPageLayout(size, turned, QMarginsF(0.0, 0.0, 0.0, 0.0))


def sheet_kinds(report: ClinicalReport, options: ReportOptions) -> tuple[tuple[str, ...], ...]:
    """Kinds of the pages that are on every sheet of paper, in order."""
    return tuple(sheet.kinds for sheet in _sheets(report, options))


def sheet_images(
    report: ClinicalReport, options: ReportOptions, dots: float = 96.0, only: int | None = None
) -> Iterator[QImage]:
    """Sheets of the PDF as pictures of so many points in an inch; ``only`` one of them, counted from 0.

    They are laid out in the units of the PDF and drawn smaller. Letters measured in units of the picture have other
    widths, with which lines and sheets would break elsewhere.
    """
    sheets = _sheets(report, options)
    for k, sheet in enumerate(sheets):
        if only is not None and k != only:
            continue
        width, height = (round(one / INCH_MM * dots) for one in options.size(sheet.landscape))
        image = QImage(width, height, QImage.Format.Format_RGB32)
        image.fill(QColor(PAPER.panel))
        painter = QPainter(image)
        try:
            painter.scale(dots / DOTS, dots / DOTS)
            _draw(painter, sheet, k, len(sheets), report, options)
        finally:
            painter.end()
        yield image


def _document_title(report: ClinicalReport) -> str:
    """Title in the properties of the file, which searches and lists show: it does not tell who the person is."""
    return ", ".join(filter(None, (report.title, report.heading.measured)))


def _look(options: ReportOptions) -> Look:
    return Look(point=POINT, colours=options.colours or OURS, strips=options.strips)


def _area(options: ReportOptions, landscape: bool) -> QRectF:
    """Where blocks may stand on a sheet."""
    unit = DOTS / INCH_MM
    width, height = options.size(landscape)
    return QRectF(MARGIN_MM * unit, HEAD_MM * unit, (width - 2 * MARGIN_MM) * unit,
                  (height - HEAD_MM - FOOT_MM) * unit)  # fmt: skip


def _sheets(report: ClinicalReport, options: ReportOptions) -> list[Sheet]:
    """All sheets. Tables below the grids of turned pages follow on the next upright sheet if they need one more."""
    sections: list[Section] = []
    waiting: list[Section] = []
    for k, page in enumerate(pages_with_remarks(report)):
        made = _section(page, page.blocks, page.landscape, report if k == 0 else None, options)
        grids, tables = _parted(page)
        if page.landscape and tables and k > 0:
            alone = _section(page, grids, True, None, options)
            if len(flowed(alone)) < len(flowed(made)):
                made = alone
                waiting.append(_section(page, tables, False, None, options))
        elif not page.landscape:
            sections += waiting
            waiting = []
        sections.append(made)
    return arranged([*sections, *waiting], space(BETWEEN, POINT))


def _parted(page: Page) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """Blocks up to the last grid, and those below it."""
    last = max((k for k, block in enumerate(page.blocks) if isinstance(block, Grid)), default=-1)
    return page.blocks[: last + 1], page.blocks[last + 1 :]


def _section(
    page: Page, blocks: Sequence[Block], landscape: bool, first: ClinicalReport | None, options: ReportOptions
) -> Section:
    """Blocks of a page below its title; ``first`` : the report, whose title and numbers stand above its first page."""
    area = _area(options, landscape)
    setter = Typesetter(_look(options), area.width())
    pieces: list[Piece] = []
    if first is not None:
        pieces += [*setter.heading(first.title, TITLE, above=0.0), space(4.0, POINT), *setter.cards(first.highlights)]
    pieces += setter.heading(page.title, 13.0, above=0.0, rule=True)
    for tables, some in groupby(blocks, lambda block: isinstance(block, Table)):
        if tables:
            pieces += setter.tables([one for one in some if isinstance(one, Table)], area.height())
        else:
            pieces += [piece for block in some for piece in _pieces(setter, block, options)]
    signed = any(isinstance(block, FreeText) for block in blocks)  # what is signed has sheets of its own
    return Section(page.kind, tuple(pieces), area, landscape, signed)


def _pieces(setter: Typesetter, block: Block, options: ReportOptions) -> list[Piece]:
    if isinstance(block, Words):
        return setter.words(block)
    if isinstance(block, FreeText):
        return setter.free_text(block)
    if isinstance(block, Grid):
        return setter.grid(block)
    if isinstance(block, Bars):
        return setter.bars(block)
    if isinstance(block, PathOfPressure):
        return setter.path(block)
    assert isinstance(block, FigureRequest)
    return _figure(setter, block, options)


def _figure(setter: Typesetter, block: FigureRequest, options: ReportOptions) -> list[Piece]:
    try:
        image = QImage.fromData(figure_png(block, options))
    except BiomecError as error:  # a picture that cannot be drawn costs itself, not the report
        return setter.paragraph(f"{block.caption}: {error}", colour=setter.look.theme.faint)
    return setter.picture(image, block.caption)


def _draw(
    painter: QPainter, sheet: Sheet, number: int, of: int, report: ClinicalReport, options: ReportOptions
) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    heading, unit = report.heading, DOTS / INCH_MM
    width, height = options.size(sheet.landscape)
    parts = (
        heading.who,
        heading.identifier,
        f"born {heading.born}" if heading.born else "",
        f"measured {heading.measured}" if heading.measured else "",
    )
    verdict = f"Trust in the measurement: {heading.verdict}" if heading.verdict else ""
    head_and_foot(
        painter, QRectF(0.0, 0.0, width * unit, height * unit), MARGIN_MM * unit, _look(options),
        (heading.laboratory or "Biomec", " · ".join(filter(None, parts)), report.title),
        (f"Biomec {heading.version}", verdict, f"Page {number + 1} of {of}"), logo_image(heading.logo),
    )  # fmt: skip
    sheet.draw(painter)
