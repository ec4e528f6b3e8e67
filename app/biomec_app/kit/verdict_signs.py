"""Signs of a verdict: they differ in shape as well as in colour."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

from biomec.reporting.trust import Level
from biomec_app.kit.theme import Theme

SIZE, FINE = 16, 3  # points, and pixels for each


def tint(level: Level, theme: Theme) -> str:
    """Colour of a verdict."""
    return {Level.GOOD: theme.contact, Level.CHECK: theme.rebuilt, Level.POOR: theme.failed}[level]


def sign(level: Level, theme: Theme) -> QIcon:
    """A disc with a tick if all is well, a triangle with an exclamation mark, or a square with a cross."""
    picture = QPixmap(FINE * SIZE, FINE * SIZE)
    picture.setDevicePixelRatio(FINE)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tint(level, theme)))
    ink = QPen(QColor("#FFFFFF"), 1.9, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    if level is Level.GOOD:
        painter.drawEllipse(QRectF(1.5, 1.5, 13.0, 13.0))
        painter.setPen(ink)
        painter.drawPolyline([QPointF(4.8, 8.2), QPointF(7.2, 10.6), QPointF(11.2, 5.6)])
    elif level is Level.CHECK:
        painter.drawPolygon(QPolygonF([QPointF(8.0, 0.8), QPointF(15.6, 14.6), QPointF(0.4, 14.6)]))
        painter.setPen(QPen(QColor("#20242A"), 1.9, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(QPointF(8.0, 5.8), QPointF(8.0, 9.4))
        painter.drawPoint(QPointF(8.0, 12.3))
    else:
        painter.drawRoundedRect(QRectF(1.5, 1.5, 13.0, 13.0), 2.0, 2.0)
        painter.setPen(ink)
        for y in (4.9, 11.1):
            painter.drawLine(QPointF(4.9, y), QPointF(11.1, 16.0 - y))
    painter.end()
    return QIcon(picture)
