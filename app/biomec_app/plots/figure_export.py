"""Plots as pictures and files: PNG, SVG, PDF and the numbers as CSV. Always on white, whatever the window's theme."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from biomec.base.atomic import atomic_path
from biomec.base.errors import FileError
from biomec_app.kit.clipboard import copy_drawing, copy_picture, copy_text
from biomec_app.kit.theme import LIGHT
from biomec_app.plots.figure_data import figure_text
from biomec_app.plots.plot_grid import PlotGrid
from biomec_app.plots.plot_pane import Pane
from biomec_app.session.figure_source import COPIES, SAVES
from biomec_app.session.plot_view import PlotView

SHARP = 3.0  # points of a picture for one of the screen: 288 an inch where that has 96
Window = tuple[float, float]


class PlotFigure:
    """What the panel shows, drawn anew for paper: no cursor, black on white.

    picture : of points, so that pens need as many more of them; otherwise a drawing of lines
    """

    def __init__(self, panes: Sequence[Pane], view: PlotView, size: QSize, picture: bool) -> None:
        self.panes, self.view = tuple(panes), view
        self._grid = PlotGrid(LIGHT, weight=SHARP if picture else 1.0)
        self._grid.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        self._grid.resize(size)
        self._grid.show()
        self._grid.show_panes(self.panes, view, LIGHT, None)
        self._grid.resize(size.width(), max(size.height(), self._grid.needed_height))
        self._grid.settle()

    @property
    def size(self) -> QSizeF:
        """Width and height in points of the screen."""
        return QSizeF(self._grid.size())

    @property
    def dots(self) -> float:
        """Points of the screen for an inch; fonts are laid out for them."""
        return float(self._grid.logicalDpiX())

    def close(self) -> None:
        """Give everything back."""
        self._grid.show_panes((), self.view, LIGHT, None)
        self._grid.hide()
        self._grid.deleteLater()

    def _paint(self, painter: QPainter) -> None:
        target = QRectF(0.0, 0.0, self.size.width(), self.size.height())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        painter.fillRect(target, QColor("#FFFFFF"))
        self._grid.paint_on(painter, target)

    def image(self) -> QImage:
        """Return the picture."""
        size = self.size * SHARP
        picture = QImage(size.toSize(), QImage.Format.Format_RGB32)
        picture.setDevicePixelRatio(SHARP)
        painter = QPainter(picture)
        self._paint(painter)
        painter.end()
        picture.setDotsPerMeterX(round(SHARP * self.dots / 0.0254))  # said last: fonts would grow with it
        picture.setDotsPerMeterY(round(SHARP * self.dots / 0.0254))
        return picture

    def svg(self) -> bytes:
        """Return the drawing as SVG."""
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        generator = QSvgGenerator()
        generator.setOutputDevice(buffer)
        generator.setSize(self.size.toSize())
        generator.setViewBox(QRectF(0.0, 0.0, self.size.width(), self.size.height()))
        generator.setResolution(round(self.dots))
        generator.setTitle("Biomec")
        painter = QPainter(generator)
        self._paint(painter)
        painter.end()
        return bytes(buffer.data().data())

    def pdf(self) -> bytes:
        """Return the drawing as PDF, on a page of its size."""
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        writer = QPdfWriter(buffer)
        inches = QSizeF(self.size.width() / self.dots, self.size.height() / self.dots)
        writer.setPageSize(QPageSize(inches, QPageSize.Unit.Inch, "figure", QPageSize.SizeMatchPolicy.ExactMatch))
        writer.setPageMargins(QMarginsF(0.0, 0.0, 0.0, 0.0))
        writer.setResolution(round(self.dots))
        writer.setCreator("Biomec")
        painter = QPainter(writer)
        self._paint(painter)
        painter.end()
        return bytes(buffer.data().data())


def copy_figure(figure: PlotFigure, kind: str, window: Window | None) -> None:
    """Put a figure on the clipboard: "png", "svg" or "data"."""
    if kind == "png":
        copy_picture(figure.image())
    elif kind == "svg":
        copy_drawing(figure.svg())
    elif kind == "data":
        copy_text(figure_text(figure.panes, window, "\t"))
    else:
        raise FileError("figure", f"cannot be copied as {kind}; there are {', '.join(COPIES)}.")


def figure_writer(figure: PlotFigure, path: Path, window: Window | None) -> Callable[[], None]:
    """What writes a figure to a file of the kind that its name ends with: drawn here and now, written in any thread.

    What was there stays until the new one is whole.
    """
    kind = path.suffix.lower().removeprefix(".")
    if kind not in SAVES:
        raise FileError(path.name, f"is no kind of figure; give a name that ends with .{', .'.join(SAVES)}.")
    panes = figure.panes
    picture = figure.image() if kind == "png" else None
    drawing = figure.svg() if kind == "svg" else figure.pdf() if kind == "pdf" else b""

    def write() -> None:
        content = figure_text(panes, window).encode() if kind == "csv" else drawing
        with atomic_path(path) as temporary:
            if picture is None:
                temporary.write_bytes(content)
            elif not picture.save(str(temporary), "PNG"):  # type: ignore[call-overload]
                raise FileError(path.name, "the picture could not be written. Is there room on the disk?")

    return write
