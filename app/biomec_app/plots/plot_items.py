"""Parts of a plot that pyqtgraph does not have: heading with values, legend, shaded stretches, vertical lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsSceneWheelEvent, QSizePolicy

from biomec.base.arrays import FloatArray
from biomec_app.plots.plot_marks import as_lines, thinned
from biomec_app.plots.plot_pane import BORDER, Mark
from biomec_app.plots.plot_style import PlotStyle

Look = TypeVar("Look", bound="QPen | QColor | None")
LegendLook = tuple[str, QPen | QColor | None]
"""An entry of a legend: its words, and their line, fill or nothing."""
ELIDE = Qt.TextElideMode.ElideRight
GAP = 10.0  # between entries of a legend, pixels
SWATCH = 22.0
RUG = 6.0  # pixels that strokes at the bottom are high


class TimeBox(pg.ViewBox):
    """Area of a plot: dragging and the wheel move and zoom time; over the left axis the wheel zooms values.

    scrolls : the wheel belongs to the panel, which has more plots than it can show; Ctrl gives it to the plot
    """

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.scrolls = False

    def wheelEvent(self, event: QGraphicsSceneWheelEvent, axis: int | None = None) -> None:
        """Zoom time, or leave the wheel to the panel."""
        if self.scrolls and axis is None and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        super().wheelEvent(event, 0 if axis is None else axis)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:
        """Move time with the left button; other buttons do nothing."""
        if event.button() == Qt.MouseButton.LeftButton:
            super().mouseDragEvent(event, 0 if axis is None else axis)
        else:
            event.ignore()


class Bands(pg.GraphicsObject):
    """Stretches of x shaded over the whole height, as one item."""

    def __init__(self, spans: FloatArray, colour: QColor) -> None:
        super().__init__()
        self._spans, self._colour = spans, colour
        self.setZValue(-20)

    def boundingRect(self) -> QRectF:
        """Return what is visible."""
        return QRectF(self.viewRect())

    def paint(self, painter: QPainter, *_: object) -> None:
        """Fill every stretch that is in sight."""
        area = self.viewRect()
        for first, last in self._spans:
            if last >= area.left() and first <= area.right():
                painter.fillRect(QRectF(first, area.top(), last - first, area.height()), self._colour)

    def viewTransformChanged(self) -> None:
        """Follow a zoom."""
        self.prepareGeometryChange()


class Rules(pg.GraphicsObject):
    """Vertical lines of a plot and the line of the value 0, as one item.

    Lines of a kind that would cover the curves are drawn as a rug instead: short strokes at the bottom.
    """

    def __init__(self, marks: Sequence[Mark], style: PlotStyle, zero: bool) -> None:
        super().__init__()
        self._zero = style.cosmetic(QPen(QColor(style.theme.line), 1.0)) if zero else None
        self._kinds: list[tuple[QPen, FloatArray]] = []
        for look in sorted({(mark.kind, mark.colour) for mark in marks}, key=lambda look: (look[0] != BORDER, look)):
            alike = [mark for mark in marks if (mark.kind, mark.colour) == look]
            self._kinds.append((style.mark(alike[0]), np.sort([mark.x for mark in alike])))
        self.setZValue(-10)

    def boundingRect(self) -> QRectF:
        """Return what is visible."""
        return QRectF(self.viewRect())

    def strokes(self, area: QRectF, pixels: float, high: float) -> list[tuple[QPen, list[QLineF]]]:
        """Lines of every kind that are in sight, in an area that is so many pixels wide and high; dense ones short."""
        found = []
        lines = as_lines([x for _, x in self._kinds], area.left(), area.right(), pixels)
        for (pen, x), whole in zip(self._kinds, lines, strict=True):
            if not whole:
                pen = QPen(pen)
                pen.setStyle(Qt.PenStyle.SolidLine)
                x = x[thinned(x, area.left(), area.right(), pixels)]
                top = area.top() + RUG * area.height() / max(high, 1.0)
            else:
                x = x[(x >= area.left()) & (x <= area.right())]
                top = area.bottom()
            found.append((pen, [QLineF(at, area.top(), at, top) for at in x.tolist()]))
        return found

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw every line that is in sight."""
        area, box = self.viewRect(), self.getViewBox()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if self._zero is not None and area.top() < 0.0 < area.bottom():
            painter.setPen(self._zero)
            painter.drawLine(QLineF(area.left(), 0.0, area.right(), 0.0))
        for pen, lines in self.strokes(area, box.width(), box.height()):
            painter.setPen(pen)
            painter.drawLines(lines)

    def viewTransformChanged(self) -> None:
        """Follow a zoom."""
        self.prepareGeometryChange()


class PlotWords(pg.GraphicsWidget):
    """A strip of text of fixed height that never asks for width: what does not fit ends with dots."""

    def __init__(self, style: PlotStyle) -> None:
        super().__init__()
        self.style_, self.high = style, 0.0
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(0)

    def set_height(self, height: float) -> None:
        """Take this height."""
        self.high = height
        self.setMinimumHeight(height)
        self.setMaximumHeight(height)
        self.setPreferredHeight(height)

    def sizeHint(self, which: Qt.SizeHint, constraint: QSizeF = QSizeF()) -> QSizeF:
        """Ask for no width."""
        return QSizeF(16777215.0 if which == Qt.SizeHint.MaximumSize else 0.0, self.high)

    def boundingRect(self) -> QRectF:
        """Return the strip."""
        return QRectF(QPointF(0.0, 0.0), self.size())


class Heading(PlotWords):
    """Title of a plot, its second line, and the values at the cursor in the colours of their curves.

    entries : (name, colour) of every curve; their names are listed below the title if ``named``

    Without a second line the unit stands behind the title.
    """

    def __init__(
        self, style: PlotStyle, title: str, detail: str, unit: str, entries: Sequence[tuple[str, QPen]], named: bool
    ) -> None:
        super().__init__(style)
        self.title, self.detail, self.entries, self.named = title, detail, list(entries), named
        self.unit = f" [{unit}]" if unit else ""
        self.values = [""] * len(self.entries)
        self._reserved = 0.0
        self._bold, self._small = style.font(0.5, bold=True), style.font(-0.5)
        self._bold_metrics, self._small_metrics = QFontMetricsF(self._bold), QFontMetricsF(self._small)
        self.fit(300.0)
        words = f"{title}: {detail}{self.unit}" if detail else f"{title}{self.unit}"
        words += "\n" + ", ".join(name for name, _ in entries) if entries else ""
        self.setToolTip(words)

    def fit(self, width: float) -> None:
        """Take the height that the names of the curves need in this width."""
        rows = len(self._rows(width)) if self.named else 0
        rows += bool(self.detail)
        self.set_height(self._bold_metrics.height() + rows * self._small_metrics.height() + 3.0)

    def reserve(self, numbers: Sequence[str]) -> None:
        """Leave room for numbers of this length behind the names of the curves."""
        self._reserved = max((self._small_metrics.horizontalAdvance(one) for one in numbers), default=0.0) + 4.0

    def set_values(self, values: Sequence[str]) -> None:
        """Show the values at the cursor."""
        if list(values) != self.values:
            self.values = list(values)
            self.update()

    def _rows(self, width: float) -> list[list[tuple[str, QPen]]]:
        return _wrapped(self.entries, self._small_metrics, width, self._reserved)

    def _second_line(self, width: float) -> str:
        """Both directions if there is room, or the positive one; then without what follows them; the unit always."""
        senses, dot, more = self.detail.partition(" · ")
        positive = senses.partition(" / ")[0]
        for words in (self.detail, positive + dot + more, positive):
            if self._small_metrics.horizontalAdvance(words + self.unit) <= width:
                return words + self.unit
        room = width - self._small_metrics.horizontalAdvance(self.unit)
        return self._small_metrics.elidedText(words, ELIDE, room) + self.unit

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the words."""
        theme, width = self.style_.theme, self.size().width()
        high = self._bold_metrics.height()
        right = width
        painter.setFont(self._small)
        for (_name, pen), value in reversed(
            list(zip(self.entries, self.values, strict=True)) if not self.named else []
        ):
            if not value:
                continue
            wide = self._small_metrics.horizontalAdvance(value)
            if right - wide < 0.45 * width:
                break
            colour = QColor(pen.color())
            colour.setAlphaF(1.0)
            painter.setPen(colour)
            painter.drawText(QRectF(right - wide, 0.0, wide + 1.0, high), Qt.AlignmentFlag.AlignVCenter, value)
            right -= wide + 8.0
        painter.setPen(QColor(theme.text))
        painter.setFont(self._bold)
        title = self._bold_metrics.elidedText(self.title if self.detail else self.title + self.unit, ELIDE, right)
        painter.drawText(QRectF(0.0, 0.0, right, high), Qt.AlignmentFlag.AlignVCenter, title)
        painter.setPen(QColor(theme.faint))
        painter.setFont(self._small)
        low = self._small_metrics.height()
        if self.detail:
            words = self._second_line(width)
            painter.drawText(QRectF(0.0, high, width, low), Qt.AlignmentFlag.AlignVCenter, words)
            high += low
        if self.named:
            values = iter(self.values)
            for k, row in enumerate(self._rows(width)):
                row_values = [next(values) for _ in row]
                place = (high + k * low, low, width)
                _entries(painter, row, place, QColor(theme.text), self._small_metrics, row_values, self._reserved)


class Footer(PlotWords):
    """What x counts, once below all plots."""

    def __init__(self, style: PlotStyle, words: str) -> None:
        super().__init__(style)
        self._words, self._font = words, style.font(-0.5)
        self.set_height(QFontMetricsF(self._font).height())

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the words in the middle."""
        painter.setFont(self._font)
        painter.setPen(QColor(self.style_.theme.faint))
        painter.drawText(self.boundingRect(), Qt.AlignmentFlag.AlignCenter, self._words)


class PlotLegend(PlotWords):
    """One line that explains the colours and lines of all plots: (words, pen, fill or nothing)."""

    def __init__(self, style: PlotStyle, entries: Sequence[LegendLook]) -> None:
        super().__init__(style)
        self.entries = list(entries)
        self._font = style.font(-0.5)
        self._metrics = QFontMetricsF(self._font)
        self.fit(400.0)

    def fit(self, width: float) -> None:
        """Take as many lines as the entries need in this width."""
        self.set_height(max(1, len(self._rows(width))) * (self._metrics.height() + 2.0) + 2.0)

    def _rows(self, width: float) -> list[list[LegendLook]]:
        return _wrapped(self.entries, self._metrics, width)

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draw the entries from the left."""
        painter.setFont(self._font)
        colour, width, high = QColor(self.style_.theme.faint), self.size().width(), self._metrics.height() + 2.0
        for k, row in enumerate(self._rows(width)):
            _entries(painter, row, (k * high, high, width), colour, self._metrics)


def _wrapped(
    entries: Sequence[tuple[str, Look]], metrics: QFontMetricsF, width: float, reserved: float = 0.0
) -> list[list[tuple[str, Look]]]:
    """Entries of a legend in rows that are no wider than ``width``; ``reserved``: room for a number behind each."""
    rows: list[list[tuple[str, Look]]] = [[]]
    used = 0.0
    for name, look in entries:
        need = (SWATCH + 4.0) * (look is not None) + metrics.horizontalAdvance(name) + reserved + GAP
        if rows[-1] and used + need > width:
            rows.append([])
            used = 0.0
        rows[-1].append((name, look))
        used += need
    return rows


def _entries(
    painter: QPainter, entries: Sequence[LegendLook], place: tuple[float, float, float], text: QColor,
    metrics: QFontMetricsF, values: Sequence[str] = (), reserved: float = 0.0,
) -> None:  # fmt: skip
    """Swatches with their names, and values in the room that is reserved for them, from left to right.

    place : top, height and width of the row
    """
    (y, high, width), x = place, 0.0
    for k, (name, look) in enumerate(entries):
        if isinstance(look, QPen):
            painter.setPen(look)
            painter.drawLine(QLineF(x, y + 0.5 * high, x + SWATCH, y + 0.5 * high))
        elif look is not None:
            painter.fillRect(QRectF(x, y + 0.2 * high, SWATCH, 0.6 * high), look)
        x += (SWATCH + 4.0) * (look is not None)
        words = metrics.elidedText(name, ELIDE, max(0.0, width - x - reserved))
        wide = metrics.horizontalAdvance(words)
        painter.setPen(text)
        painter.drawText(QRectF(x, y, wide + 2.0, high), Qt.AlignmentFlag.AlignVCenter, words)
        if values and isinstance(look, QPen):
            colour = QColor(look.color())
            colour.setAlphaF(1.0)
            painter.setPen(colour)
            painter.drawText(QRectF(x + wide + 4.0, y, reserved, high), Qt.AlignmentFlag.AlignVCenter, values[k])
        x += wide + reserved + GAP
