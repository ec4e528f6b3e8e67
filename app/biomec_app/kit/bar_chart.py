"""Horizontal bars with names and numbers: as many lines as fit, the first ones the most important."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from biomec_app.kit.painted import Painted
from biomec_app.kit.theme import LIGHT, Theme

TITLE, LINE, SPACE = 20, 16, 6  # heights and gap
THIN = 4  # pixels of each of several bars in a line
PALE = 0.4  # opacity of values that cannot be compared
LEAST = 4  # lines that are always shown, where a chart does not say otherwise


@dataclass(frozen=True)
class Bar:
    """One line.

    values  : a bar for each, drawn under each other; NaN for none
    text    : the numbers, for people
    tip     : sentence for a tooltip
    payload : what a click means
    pale    : values that are drawn pale, since they cannot be compared
    """

    label: str
    values: tuple[float, ...]
    text: str
    tip: str = ""
    payload: object = None
    pale: tuple[bool, ...] = ()


class BarChart(Painted, QWidget):
    """Bars from 0, or on a logarithmic axis.

    chosen : the payload of the line that was clicked
    """

    chosen = Signal(object)

    def __init__(
        self, name: str, title: str, note: str = "", least: int = LEAST, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._least = least
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._title, self._note = title, note
        self._bars: tuple[Bar, ...] = ()
        self._colours: tuple[str, ...] = ("measured",)
        self._log: tuple[float, float] | None = None
        self._limit: float | None = None
        self._legend: tuple[str, ...] = ()
        self._full = 0.0
        self._theme, self._line = LIGHT, -1

    def set_bars(
        self,
        bars: Sequence[Bar],
        colours: Sequence[str] = ("measured",),
        log: tuple[float, float] | None = None,
        limit: float | None = None,
        legend: Sequence[str] = (),
        full: float = 0.0,
    ) -> None:
        """Show bars.

        colours : names of the theme's colours, one for each value of a bar
        log     : lowest and highest power of ten of a logarithmic axis
        limit   : value that is marked by a dashed line
        legend  : what the colours mean, one for each
        full    : value of a whole bar, unless one is greater; 0: that of the greatest
        """
        self._full = full
        self._legend = tuple(legend)
        self._bars, self._colours, self._log, self._limit = tuple(bars), tuple(colours), log, limit
        self._line = -1
        description = "; ".join(f"{bar.label} {bar.text}" for bar in bars[: self._least])
        self.setAccessibleDescription(description)
        self.updateGeometry()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self.update()

    @property
    def _high(self) -> int:
        """Height of a line: that of its words, or of its bars if there are many."""
        return max(LINE, SPACE + THIN * max((len(bar.values) for bar in self._bars), default=1))

    @property
    def lines(self) -> int:
        """Lines that fit."""
        return min(len(self._bars), max(self._least, int((self.height() - TITLE) // self._high)))

    def sizeHint(self) -> QSize:
        """Room for the lines that are always shown; more come where there is more room."""
        return QSize(200, TITLE + self._high * min(self._least, max(1, len(self._bars))))

    def minimumSizeHint(self) -> QSize:
        """As high, but narrow."""
        return QSize(150, self.sizeHint().height())

    # ------------------------------------------------------------------ drawing

    def draw(self, painter: QPainter) -> None:
        """Draw title and lines."""
        theme, width = self._theme, float(self.width())
        bold = QFont(self.font())
        bold.setBold(True)
        painter.setFont(bold)
        painter.setPen(QColor(theme.text))
        title = QRectF(0.0, 0.0, width, TITLE - 3.0)
        painter.drawText(title, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self._title)
        small = QFont(self.font())
        small.setPointSizeF(max(6.5, 0.88 * self.font().pointSizeF()))
        painter.setFont(small)
        metrics = QFontMetricsF(small)
        painter.setPen(QColor(theme.faint))
        rest = len(self._bars) - self.lines
        note = f"{self._note}; {rest} more below" if rest > 0 and self._note else self._note
        room = width - QFontMetricsF(bold).horizontalAdvance(self._title) - 8.0
        note = note if metrics.horizontalAdvance(note) <= room else self._note
        note = metrics.elidedText(note, Qt.TextElideMode.ElideRight, room)
        if self._legend:
            self._draw_legend(painter, title, metrics, room)
        else:
            painter.drawText(title, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, note)
        shown = self._bars[: self.lines]
        if not shown:
            place = QRectF(0.0, TITLE, width, self._high)
            painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, "nothing to show")
            return
        left = min(0.42 * width, max(metrics.horizontalAdvance(bar.label) for bar in shown)) + SPACE
        right = max(metrics.horizontalAdvance(bar.text) for bar in shown) + SPACE
        band = QRectF(left, TITLE, max(8.0, width - left - right), self._high * len(shown))
        for k, bar in enumerate(shown):
            self._draw_line(painter, k, bar, band, metrics)
        if self._limit is not None and 0.0 < (part := self._part(self._limit)) < 1.0:
            pen = QPen(QColor(theme.failed), 1.2)
            pen.setDashPattern([3.0, 2.0])
            painter.setPen(pen)
            x = band.left() + part * band.width()
            painter.drawLine(round(x), round(band.top()), round(x), round(band.bottom()))

    def _draw_legend(self, painter: QPainter, place: QRectF, metrics: QFontMetricsF, room: float) -> None:
        """Note and colours in one line, from the right; ``room`` is what the title leaves."""
        middle, right = Qt.AlignmentFlag.AlignVCenter, place.right()
        tints = [getattr(self._theme, name) for name in self._colours]
        for tint, words in reversed(list(zip(tints, self._legend, strict=False))):
            right -= metrics.horizontalAdvance(words) + 2.0
            painter.setPen(QColor(self._theme.faint))
            painter.drawText(
                QRectF(right, place.top(), 400.0, place.height()), Qt.AlignmentFlag.AlignLeft | middle, words
            )
            right -= 12.0
            painter.fillRect(QRectF(right, place.center().y() - 3.5, 8.0, 8.0), QColor(tint))
            right -= 10.0
        left = place.right() - room
        note = metrics.elidedText(self._note, Qt.TextElideMode.ElideRight, max(0.0, right - left))
        where = QRectF(left, place.top(), right - left, place.height())
        painter.drawText(where, Qt.AlignmentFlag.AlignRight | middle, note)

    def _draw_line(self, painter: QPainter, k: int, bar: Bar, band: QRectF, metrics: QFontMetricsF) -> None:
        theme, high, y = self._theme, self._high, TITLE + k * self._high
        whole = QRectF(0.0, y, self.width(), high)
        if k == self._line and bar.payload is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.line))
            painter.drawRoundedRect(whole, 3.0, 3.0)
        painter.setPen(QColor(theme.text))
        label = metrics.elidedText(bar.label, Qt.TextElideMode.ElideRight, band.left() - SPACE)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(0.0, y, band.left(), high), Qt.AlignmentFlag.AlignLeft | middle, label)
        painter.drawText(whole, Qt.AlignmentFlag.AlignRight | middle, bar.text)
        height = (high - 6.0) / len(bar.values)
        painter.setPen(Qt.PenStyle.NoPen)
        for n, value in enumerate(bar.values):
            part = self._part(value)
            tint = QColor(getattr(theme, self._colours[n % len(self._colours)]))
            tint.setAlphaF(PALE if n < len(bar.pale) and bar.pale[n] else 1.0)
            painter.setBrush(tint)
            if part > 0.0:
                length = max(2.0, part * band.width())
                painter.drawRoundedRect(QRectF(band.left(), y + 3.0 + n * height, length, height - 0.5), 1.5, 1.5)

    def _part(self, value: float) -> float:
        """Length of a bar as a part of the axis."""
        if not math.isfinite(value) or value <= 0.0:
            return 0.0
        if self._log is not None:
            low, high = self._log
            return min(1.0, max(0.0, (math.log10(value) - low) / (high - low)))
        largest = max((max(bar.values) for bar in self._bars if math.isfinite(max(bar.values))), default=0.0)
        largest = max(largest, self._full)
        return min(1.0, value / largest) if largest > 0.0 else 0.0

    # ------------------------------------------------------------------ mouse and keyboard

    def line_at(self, y: float) -> int:
        """Line at a height; −1 for none."""
        line = int((y - TITLE) // self._high)
        return line if 0 <= line < self.lines else -1

    def _point(self, line: int) -> None:
        if line != self._line:
            self._line = line
            can = line >= 0 and self._bars[line].payload is not None
            self.setCursor(Qt.CursorShape.PointingHandCursor if can else Qt.CursorShape.ArrowCursor)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Mark the line under the mouse."""
        self._point(self.line_at(event.position().y()))

    def leaveEvent(self, event: QEvent) -> None:
        """Mark no line."""
        self._point(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a line."""
        self.choose(self.line_at(event.position().y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows mark a line, Enter chooses it."""
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up) and self._bars:
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            self._point(min(max(0, self._line + step), self.lines - 1))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.choose(self._line)
        else:
            super().keyPressEvent(event)

    def choose(self, line: int) -> None:
        """Tell what was clicked."""
        if 0 <= line < len(self._bars) and self._bars[line].payload is not None:
            self.chosen.emit(self._bars[line].payload)

    def event(self, event: QEvent) -> bool:
        """Say more about the line under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            line = self.line_at(event.pos().y())
            QToolTip.showText(event.globalPos(), self._bars[line].tip if line >= 0 else "", self)
            return True
        return bool(super().event(event))
