"""Widgets that draw themselves with Qt's painter."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from biomec_app.kit.theme import Theme


class Painted:
    """What a widget inherits, before the kind of widget that it is, to be asked for its picture by `draw`."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw with smooth edges."""
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
