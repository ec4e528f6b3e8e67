"""Widgets that draw themselves with Qt's painter, and small signs."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from biomec_app.kit.theme import Theme


class Painted:
    """What a widget inherits, before the kind of widget that it is, to be asked for its picture by `draw`."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw with smooth edges."""
        assert isinstance(self, QWidget)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.draw(painter)
        painter.end()

    def draw(self, painter: QPainter) -> None:
        """Draw the whole widget."""
        raise NotImplementedError


def draw_frame(painter: QPainter, widget: QWidget, theme: Theme) -> None:
    """A panel with round corners that fills the widget."""
    painter.setPen(QPen(QColor(theme.line)))
    painter.setBrush(QColor(theme.panel))
    painter.drawRoundedRect(QRectF(0.5, 0.5, widget.width() - 1, widget.height() - 1), 6, 6)


def dot(colour: str, edge: str) -> QIcon:
    """A dot of a colour; a ring where there is none."""
    picture = QPixmap(48, 48)
    picture.setDevicePixelRatio(3.0)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor(colour or edge))
    if colour:
        painter.setBrush(QColor(colour))
    painter.drawEllipse(QRect(4, 4, 8, 8))
    painter.end()
    return QIcon(picture)
