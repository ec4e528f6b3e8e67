"""Blocks of a clinical report as pictures, by the same painter that draws them on paper and in the window."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from PySide6.QtCore import QBuffer, QIODevice, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from biomec.base.errors import BiomecError
from biomec.base.plain_text import xml
from biomec.reporting.clinical.blocks import Bars, Block, FigureRequest, Grid, PathOfPressure, Words
from biomec.reporting.tables import Table
from biomec_app.figures.export import write_figure
from biomec_app.figures.kind import compose
from biomec_app.figures.registry import figure_named
from biomec_app.figures.report.logo import png
from biomec_app.figures.report.options import ReportOptions
from biomec_app.figures.style import PAPER
from biomec_app.plots.clinical.bar_painter import bars_height, paint_bars
from biomec_app.plots.clinical.grid_painter import paint_grid
from biomec_app.plots.clinical.look import OURS, Look
from biomec_app.plots.clinical.pressure_painter import paint_path

Drawn = Grid | Bars | PathOfPressure
INCH_MM, POINT_MM = 25.4, 25.4 / 72.0
FINE = 360.0  # units of an SVG for an inch: fine enough that rounding is not seen
DOTS = 300.0  # of a picture for paper
FIGURE_DOTS = 150.0
_POINTS = re.compile(rb' (?:points|d)="[^"]*"')
_DECIMALS = re.compile(rb"(\.\d)\d+")
_USUAL = re.compile(
    rb' (?:(?:stroke|fill)-opacity="1"|transform="matrix\(1,0,0,1,0,0\)"|vector-effect="none"|font-style="normal")'
)
_FONT_OF_GROUP = re.compile(rb'\nfont-family="[^"]*" font-size="[^"]*" font-weight="[^"]*" *\n>')
_EMPTY = re.compile(rb"<g [^>]*>\s*</g>\s*")
PATH_MM = 95.0  # height of paths of pressure
SMALLEST = 0.5  # of its height to which a grid shrinks for what stands below it
ABOVE_TABLE_MM, ROW_MM, LINE_MM, LETTERS_OF_LINE = 16.0, 6.6, 5.0, 95  # about, of a table and of sentences
ASPECT, LEAST_MM, AROUND_MM = 0.75, 26.0, 14.0  # height of a panel to its width; at least; words above and below all


def height_mm(block: Drawn, width: float, room: float, options: ReportOptions, below: Sequence[Block] = ()) -> float:
    """Height of a block on paper that is ``width`` wide, at most ``room`` [mm].

    below : what follows on its page; a grid leaves room for it on the same sheet if it does not become too small
    """
    if isinstance(block, Bars):
        point = 10.0  # units in a point; letters come in whole units
        high = bars_height(block, _look(options, point), width / POINT_MM * point) / point * POINT_MM
    elif isinstance(block, Grid):
        columns = max((len(row) for row in block.rows), default=1)
        high = AROUND_MM + len(block.rows) * max(LEAST_MM, ASPECT * width / max(1, columns))
    else:
        high = PATH_MM
    high = min(room, high)
    left = room - sum(map(_estimated_mm, below))
    return left if isinstance(block, Grid) and SMALLEST * high <= left < high else high


def _estimated_mm(block: Block) -> float:
    """About the height of words or a table [mm]; that of others without end, since they are pictures of their own."""
    if isinstance(block, Table):
        return ABOVE_TABLE_MM + ROW_MM * (len(block.rows) + 1) + _lines(block.note) * LINE_MM
    if isinstance(block, Words):
        return (ABOVE_TABLE_MM if block.title else 0.0) + sum(_lines(one) * LINE_MM + 1.5 for one in block.sentences)
    return math.inf


def _lines(words: str) -> int:
    return math.ceil(len(words) / LETTERS_OF_LINE)


def svg(block: Drawn, width: float, height: float, options: ReportOptions) -> bytes:
    """A block as a drawing of lines, of a width and height [mm]."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)  # the older version knows no clip paths
    generator.setOutputDevice(buffer)
    generator.setResolution(round(FINE))
    rect = QRectF(0.0, 0.0, width / INCH_MM * FINE, height / INCH_MM * FINE)
    generator.setSize(rect.size().toSize())
    generator.setViewBox(rect)
    generator.setTitle("Biomec")
    _paint(QPainter(generator), rect, block, _look(options, FINE / 72.0))
    return _lean(xml(bytes(buffer.data().data())))


def _lean(drawing: bytes) -> bytes:
    """A drawing of Qt without what says nothing, which is a third of it. Texts hold no quotation mark and stay."""
    drawing = _POINTS.sub(lambda found: _DECIMALS.sub(rb"\1", found.group()), drawing)
    drawing = _FONT_OF_GROUP.sub(b">", _USUAL.sub(b"", drawing))  # every text names its own font
    return _EMPTY.sub(b"", drawing)


def picture(block: Drawn, width: float, height: float, options: ReportOptions, dots: float = DOTS) -> bytes:
    """A block as a PNG file, of a width and height [mm]."""
    rect = QRectF(0.0, 0.0, round(width / INCH_MM * dots), round(height / INCH_MM * dots))
    image = QImage(rect.size().toSize(), QImage.Format.Format_RGB32)
    image.fill(QColor("#FFFFFF"))
    _paint(QPainter(image), rect, block, _look(options, dots / 72.0))
    image.setDotsPerMeterX(round(dots / INCH_MM * 1000.0))  # said last: fonts would grow with it
    image.setDotsPerMeterY(round(dots / INCH_MM * 1000.0))
    return png(image)


def figure_png(request: FigureRequest, options: ReportOptions) -> bytes:
    """The picture that a block asks for, drawn from the trial that it names."""
    if not 0 <= request.trial < len(options.trials):
        raise BiomecError(
            f"The picture {request.caption!r} is of trial {request.trial + 1}, which was not handed over."
        )
    analysis, kind = options.trials[request.trial], figure_named(request.key)
    chosen = {choice.key: choice.options[0] for choice in kind.choices(analysis)}
    content = kind.content(analysis, chosen)
    figure = compose(kind, content, chosen, PAPER, kind.size(content, chosen), FIGURE_DOTS, "")
    return write_figure(figure, "png")


def described(block: Drawn) -> str:
    """What a picture shows, for those who cannot see it."""
    if isinstance(block, Grid):
        names = [panel.name for row in block.rows for panel in row if panel is not None]
        return f"{block.caption}: {', '.join(names)}"
    if isinstance(block, Bars):
        return f"{block.caption}: {', '.join(bar.label for bar in block.bars)}"
    return f"{block.caption}: {', '.join(label for _, label, _ in block.paths)}"


def _look(options: ReportOptions, point: float) -> Look:
    return Look(point=point, colours=options.colours or OURS, strips=options.strips)


def _paint(painter: QPainter, rect: QRectF, block: Drawn, look: Look) -> None:
    try:
        if isinstance(block, Grid):
            paint_grid(painter, rect, block, look)
        elif isinstance(block, Bars):
            paint_bars(painter, rect, block, look)
        else:
            paint_path(painter, rect, block, look)
    finally:
        painter.end()
