"""Usual activity of muscles over the gait cycle, over the computed one: a bar each, and how far they agree."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from biomec.body.muscles.emg_comparison import TimingAgreement
from biomec_app.kit.painted import Painted
from biomec_app.kit.theme import LIGHT, Theme

LINE, TOP, NUMBER = 22, 24, 56  # pixels of a row, of the axis, of the share at the end


class TimingChart(Painted, QWidget):
    """A row for every muscle and side.

    chosen : the elements of a row that was clicked
    """

    chosen = Signal(tuple)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("muscle-emg.timing")
        self.setAccessibleName("Usual and computed activity over the gait cycle")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.rows: tuple[TimingAgreement, ...] = ()
        self._theme: Theme = LIGHT

    def set_rows(self, rows: Sequence[TimingAgreement]) -> None:
        """Show muscles."""
        self.rows = tuple(rows)
        self.setFixedHeight(TOP + LINE * max(len(self.rows), 2))
        words = "; ".join(f"{one.side} {one.muscle} {100.0 * one.agreement:.0f} %" for one in self.rows)
        self.setAccessibleDescription(words)
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """As high as the rows."""
        return QSize(360, self.height())

    def draw(self, painter: QPainter) -> None:
        """Draw axis and rows."""
        theme = self._theme
        metrics = QFontMetricsF(self.font())
        names = [f"{one.side} {one.muscle}" for one in self.rows]
        left = min(0.4 * self.width(), max((metrics.horizontalAdvance(name) for name in names), default=80.0) + 16.0)
        wide = max(20.0, self.width() - left - NUMBER)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(QColor(theme.faint))
        for percent in range(0, 101, 20):
            x = left + wide * percent / 100.0
            painter.drawText(QRectF(x - 30.0, 0.0, 60.0, TOP - 6.0), Qt.AlignmentFlag.AlignCenter, f"{percent} %")
            painter.fillRect(QRectF(x, TOP - 4.0, 1.0, LINE * len(self.rows) + 4.0), QColor(theme.line))
        for k, one in enumerate(self.rows):
            y = TOP + LINE * k
            tint = theme.right if one.side == "right" else theme.left
            painter.fillRect(QRectF(0.0, y + 4.0, 4.0, LINE - 8.0), QColor(tint))
            painter.setPen(QColor(theme.text))
            name = metrics.elidedText(names[k], Qt.TextElideMode.ElideRight, left - 12.0)
            painter.drawText(QRectF(9.0, y, left, LINE), Qt.AlignmentFlag.AlignLeft | middle, name)
            for stretches, colour, top in ((one.expected, theme.faint, 3.0), (one.computed, tint, 12.0)):
                for first, last in stretches:
                    bar = QRectF(left + wide * first / 100.0, y + top, max(wide * (last - first) / 100.0, 1.5), 7.0)
                    painter.fillRect(bar, QColor(colour))
            painter.setPen(QColor(theme.text if one.agreement >= 0.6 else theme.fault))
            share = f"{100.0 * one.agreement:.0f} %"
            painter.drawText(QRectF(left + wide, y, NUMBER - 6.0, LINE), Qt.AlignmentFlag.AlignRight | middle, share)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a muscle."""
        line = int((event.position().y() - TOP) // LINE)
        if 0 <= line < len(self.rows):
            self.chosen.emit(self.rows[line].elements)
