"""What Qt's painter draws, as a picture, a drawing or a page: always on white, of one size on all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF
from PySide6.QtGui import QColor, QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from biomec.base.atomic import atomic_path
from biomec.base.errors import FileError
from biomec.base.plain_text import xml

SHARP = 3.0  # points of a picture for one of the screen: 288 an inch where that has 96
METRES_PER_INCH = 0.0254


class Paper:
    """A sheet of ``size`` points of the screen, of which ``dots`` make an inch, on which ``paint`` draws."""

    def __init__(self, size: QSizeF, dots: float, paint: Callable[[QPainter], object]) -> None:
        self.size, self.dots, self._draw = size, dots, paint

    def _paint(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        painter.fillRect(QRectF(0.0, 0.0, self.size.width(), self.size.height()), QColor("#FFFFFF"))
        self._draw(painter)

    def image(self) -> QImage:
        """Return the picture."""
        picture = QImage((self.size * SHARP).toSize(), QImage.Format.Format_RGB32)
        picture.setDevicePixelRatio(SHARP)
        painter = QPainter(picture)
        self._paint(painter)
        painter.end()
        picture.setDotsPerMeterX(round(SHARP * self.dots / METRES_PER_INCH))  # said last: fonts would grow with it
        picture.setDotsPerMeterY(round(SHARP * self.dots / METRES_PER_INCH))
        return picture

    def svg(self) -> bytes:
        """Return the drawing as SVG."""
        buffer = QBuffer()
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)  # the older version knows no clip paths
        generator.setOutputDevice(buffer)
        generator.setSize(self.size.toSize())
        generator.setViewBox(QRectF(0.0, 0.0, self.size.width(), self.size.height()))
        generator.setResolution(round(self.dots))
        generator.setTitle("Biomec")
        painter = QPainter(generator)
        self._paint(painter)
        painter.end()
        return xml(bytes(buffer.data().data()))

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


def write_content(path: Path, content: QImage | bytes) -> None:
    """Write a picture as PNG, or bytes as they are; what was there stays until the new file is whole."""
    with atomic_path(path) as temporary:
        if isinstance(content, bytes):
            temporary.write_bytes(content)
        elif not content.save(str(temporary), "PNG"):  # type: ignore[call-overload]
            raise FileError(path.name, "the picture could not be written. Is there room on the disk?")
