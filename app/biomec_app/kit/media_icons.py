"""Icons of the play buttons, drawn in the colour of the theme."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap, QPolygonF

SIZE = QSize(18, 18)
DENSITY = 3.0  # pixels drawn for a point, so that icons stay sharp on dense screens


def _bar(x: float, width: float = 2.0) -> QRectF:
    return QRectF(x, 4.0, width, 10.0)


def _triangle(x: float, width: float) -> QPolygonF:
    return QPolygonF([QPointF(x, 3.5), QPointF(x + width, 9.0), QPointF(x, 14.5)])


SHAPES: dict[str, list[QRectF | QPolygonF]] = {
    "play": [_triangle(5.0, 9.5)],
    "pause": [_bar(4.5, 3.2), _bar(10.3, 3.2)],
    "first": [_bar(3.5), _triangle(14.5, -8.5)],
    "back": [_triangle(10.0, -7.5), _bar(12.0)],
    "forward": [_bar(4.0), _triangle(8.0, 7.5)],
    "last": [_triangle(3.5, 8.5), _bar(12.5)],
}


def media_icon(name: str, colour: str, faint: str) -> QIcon:
    """Icon of that name; in the faint colour where it is disabled."""
    icon = QIcon()
    for mode, tint in ((QIcon.Mode.Normal, colour), (QIcon.Mode.Disabled, faint)):
        picture = QPixmap(SIZE * DENSITY)
        picture.setDevicePixelRatio(DENSITY)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tint))
        for shape in SHAPES[name]:
            if isinstance(shape, QRectF):
                painter.drawRoundedRect(shape, 0.8, 0.8)
            else:
                painter.drawPolygon(shape)
        painter.end()
        icon.addPixmap(picture, mode)
    return icon
