"""What the colours of the 3-D view mean: a strip under the picture, so that it hides nothing of it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QToolButton, QWidget

from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.viewer.overlays import LegendEntry

ROW, EDGE = 18.0, 10.0  # pixels
FEW = 2  # rows of a legend that is not unfolded
SIGN = 21.0  # pixels of a sign before its words
APART = 15.0


def legend_font(font: QFont) -> QFont:
    """The font of words in the 3-D view."""
    small = QFont(font)
    small.setPixelSize(11)
    return small


def legend_rows(entries: Sequence[LegendEntry], width: float, font: QFont) -> list[list[LegendEntry]]:
    """Entries in rows of a width; a row has at least one."""
    metrics = QFontMetricsF(font)
    rows: list[list[LegendEntry]] = []
    used = width
    for entry in entries:
        wide = entry_width(entry, metrics)
        if not rows or used + wide > width:
            rows.append([])
            used = 0.0
        rows[-1].append(entry)
        used += wide
    return rows


def entry_width(entry: LegendEntry, metrics: QFontMetricsF) -> float:
    """Pixels of an entry with the room behind it."""
    return float(SIGN + metrics.horizontalAdvance(entry.text) + APART)


def draw_rows(painter: QPainter, rows: Sequence[Sequence[LegendEntry]], at: QPointF, theme: Theme) -> None:
    """Draw rows of entries, from a top left corner; in the font of the painter."""
    metrics = QFontMetricsF(painter.font())
    for k, row in enumerate(rows):
        x, y = at.x(), at.y() + ROW * (k + 0.5)
        for entry in row:
            draw_sign(painter, QPointF(x + 8.0, y), entry)
            painter.setPen(QColor(theme.text))
            wide = entry_width(entry, metrics)
            painter.drawText(QRectF(x + SIGN, y - 0.5 * ROW, wide, ROW), Qt.AlignmentFlag.AlignVCenter, entry.text)
            x += wide


def draw_sign(painter: QPainter, at: QPointF, entry: LegendEntry) -> None:
    """Draw the dot, line, arrow or patch of an entry."""
    colour = QColor(entry.colour)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    if entry.form == "dot":
        painter.drawEllipse(at, 4.5, 4.5)
    elif entry.form == "patch":
        painter.drawRoundedRect(QRectF(at.x() - 7.0, at.y() - 5.0, 14.0, 10.0), 2.0, 2.0)
    else:
        painter.setPen(QPen(colour, 2.4))
        painter.drawLine(at + QPointF(-8.0, 0.0), at + QPointF(5.0, 0.0))
        if entry.form == "arrow":
            painter.setPen(Qt.PenStyle.NoPen)
            head = [at + QPointF(9.0, 0.0), at + QPointF(2.0, -4.5), at + QPointF(2.0, 4.5)]
            painter.drawPolygon(QPolygonF(head))


def draw_strip(painter: QPainter, entries: Sequence[LegendEntry], size: tuple[float, float], theme: Theme) -> float:
    """Draw the whole legend at the lower end of a picture of some width and height; return how high it is.

    Nothing is drawn, and 0 returned, where it would take more than a third of the picture.
    """
    font = legend_font(painter.font())
    rows = legend_rows(entries, size[0] - 2.0 * EDGE, font)
    height = strip_height(len(rows))
    if not rows or height > size[1] / 3.0:
        return 0.0
    top = size[1] - height
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(QRectF(0.0, top, size[0], height), QColor(theme.panel))
    painter.fillRect(QRectF(0.0, top, size[0], 1.0), QColor(theme.line))
    painter.setFont(font)
    draw_rows(painter, rows, QPointF(EDGE, top + 4.0), theme)
    return height


def strip_height(rows: int) -> float:
    """Pixels of a strip with so many rows."""
    return ROW * rows + 8.0 if rows else 0.0


class SceneLegend(QWidget):
    """A strip with one or two rows; a button unfolds what does not fit into them.

    resized : it needs another height
    """

    resized = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("view.legend")
        self.setAccessibleName("What the colours mean")
        self._entries: tuple[LegendEntry, ...] = ()
        self._theme: Theme = LIGHT
        self.unfolded = False
        self._rows: tuple[object, list[list[LegendEntry]]] | None = None
        self.more = QToolButton(self)
        self.more.setObjectName("view.legend.more")
        self.more.setAccessibleName("Show the whole legend")
        self.more.setAutoRaise(True)
        self.more.clicked.connect(self.toggle)
        self.more.hide()

    @property
    def entries(self) -> tuple[LegendEntry, ...]:
        """What is explained."""
        return self._entries

    def set_entries(self, entries: Sequence[LegendEntry]) -> None:
        """Explain other things."""
        if tuple(entries) != self._entries:
            self._entries = tuple(entries)
            self.setAccessibleDescription(", ".join(entry.text for entry in entries))
            self._refit()

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self.more.setStyleSheet(f"QToolButton {{ color: {theme.accent}; border: none; font-size: 11px; }}")
        self.update()

    def toggle(self) -> None:
        """Unfold it, or fold it."""
        self.unfolded = not self.unfolded
        self._refit()

    # ------------------------------------------------------------------ places

    def rows(self, width: float) -> list[list[LegendEntry]]:
        """Rows of a strip of some width, all of them."""
        key = self._entries, width, self.font().key()
        if self._rows is None or self._rows[0] != key:  # asked for in every picture
            room = width - 2.0 * EDGE - self._button_room(width)
            self._rows = key, legend_rows(self._entries, room, legend_font(self.font()))
        return self._rows[1]

    def shown_rows(self, width: float) -> list[list[LegendEntry]]:
        """Rows that are shown."""
        rows = self.rows(width)
        return rows if self.unfolded else rows[:FEW]

    def height_for(self, width: float) -> int:
        """Height that a strip of some width needs."""
        return round(strip_height(len(self.shown_rows(width))))

    def _button_room(self, width: float) -> float:
        font = legend_font(self.font())
        few = len(legend_rows(self._entries, width - 2.0 * EDGE, font)) <= FEW
        return 0.0 if few else QFontMetricsF(font).horizontalAdvance(f"All {len(self._entries)} ▴") + 12.0

    def _refit(self) -> None:
        self._place_button()
        self.resized.emit()
        self.update()

    def _place_button(self) -> None:
        room = self._button_room(self.width())
        self.more.setVisible(room > 0.0)
        hidden = len(self._entries) - sum(map(len, self.shown_rows(self.width())))
        self.more.setText("Less ▴" if self.unfolded else f"{hidden} more ▾")
        self.more.setToolTip("Show fewer lines" if self.unfolded else "Show the whole legend")
        self.more.setGeometry(round(self.width() - EDGE - room), 4, round(room), round(ROW))

    def sizeHint(self) -> QSize:
        """As high as it needs to be."""
        return QSize(200, self.height_for(max(200, self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the button to the right."""
        self._place_button()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._theme.panel))
        painter.fillRect(QRectF(0.0, 0.0, self.width(), 1.0), QColor(self._theme.line))
        painter.setFont(legend_font(self.font()))
        draw_rows(painter, self.shown_rows(self.width()), QPointF(EDGE, 4.0), self._theme)
        painter.end()
