"""A heat map of activations: a row for every muscle, with its name, over time or over the cycle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QImage, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from biomec.base.arrays import FloatArray
from biomec_app.features.muscles.heat_content import HeatRow
from biomec_app.features.muscles.tubes import activation_colours
from biomec_app.kit.colours import rgb
from biomec_app.kit.painted import Painted
from biomec_app.kit.theme import LIGHT, Theme

LINE, EMG_LINE, TOP = 17, 7, 4  # pixels of a row, of measured activation under it, above the first
MOST_COLUMNS = 1200
NUMBER = 42  # pixels of the number at the end of a row
STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10,
         Qt.Key.Key_Home: -1, Qt.Key.Key_End: 1}  # fmt: skip
ENDS = (Qt.Key.Key_Home, Qt.Key.Key_End)  # over all rows at once
PLAIN = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)


class HeatMap(Painted, QWidget):
    """Rows of colour; arrows choose a row, Enter plots it, a click in the colours goes there in time as well.

    chosen  : a muscle, and whether it is added to what is plotted
    entered : the chosen muscle is to be looked at
    moved   : place along the axis that was clicked, 0 to 1
    line_shown : height [pixels] of the chosen row, to be scrolled to
    """

    chosen = Signal(str, bool)
    entered = Signal(str)
    moved = Signal(float)
    line_shown = Signal(int)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName("Activation of the muscles")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.rows: tuple[HeatRow, ...] = ()
        self.muscle: str | None = None
        self._theme: Theme = LIGHT
        self._images: list[QImage] = []
        self._emg_images: list[QImage | None] = []
        self._kept: list[np.ndarray] = []
        self._tops: list[int] = []
        self._hand: float | None = None
        self._now: dict[str, float] = {}
        self._marks: tuple[float, ...] = ()

    # ------------------------------------------------------------------ content

    def set_rows(self, rows: Sequence[HeatRow], marks: Sequence[float] = ()) -> None:
        """Show muscles; ``marks``: places along the axis, 0 to 1, that are marked."""
        others = [row.muscle for row in rows] != [row.muscle for row in self.rows]
        self.rows, self._marks = tuple(rows), tuple(marks)
        self._paint_images()
        self._tops, at = [], TOP
        for row in self.rows:
            self._tops.append(at)
            at += LINE + (EMG_LINE if row.emg is not None else 0)
        self._tops.append(at)
        self.setFixedHeight(max(at + TOP, 3 * LINE))
        if others:
            self.line_shown.emit(self._tops[self.line or 0])
        self._describe()
        self.update()

    def _paint_images(self) -> None:
        self._images, self._emg_images, self._kept = [], [], []
        for row in self.rows:
            self._images.append(self._image(activation_colours(thinned(row.values), self._theme.name)))
            if row.emg is None:
                self._emg_images.append(None)
                continue
            level = np.clip(np.nan_to_num(thinned(row.emg)), 0.0, 1.0)[:, None]
            back, ink = (255.0 * np.array(rgb(one)) for one in (self._theme.panel, self._theme.contact))
            self._emg_images.append(self._image((1.0 - level) * back + level * ink))

    def _image(self, colours: np.ndarray) -> QImage:
        pixels = np.ascontiguousarray(colours[None], dtype=np.uint8)
        padded = np.zeros((1, 4 * -(-3 * pixels.shape[1] // 4)), dtype=np.uint8)
        padded[:, : 3 * pixels.shape[1]] = pixels.reshape(1, -1)
        self._kept.append(padded)  # Qt uses these very bytes
        return QImage(padded.data, pixels.shape[1], 1, padded.shape[1], QImage.Format.Format_RGB888)

    def set_hand(self, place: float | None, now: dict[str, float]) -> None:
        """Mark a place along the axis, 0 to 1, and show the activations ``now`` of the muscles."""
        self._hand, self._now = place, now
        self.update()

    def set_muscle(self, muscle: str | None) -> None:
        """Mark a row."""
        if muscle == self.muscle:
            return
        self.muscle = muscle
        line = self.line
        if line is not None:
            self.line_shown.emit(self._tops[line])
        self._describe()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self._paint_images()
        self.update()

    @property
    def line(self) -> int | None:
        """Number of the marked row; None if it is not shown."""
        return next((k for k, row in enumerate(self.rows) if row.muscle == self.muscle), None)

    def _describe(self) -> None:
        line = self.line
        words = f"{len(self.rows)} muscles"
        if line is not None:
            row = self.rows[line]
            words = f"{row.label}, {row.side}, at most {100.0 * row.peak:.0f} %; row {line + 1} of {words}"
        self.setAccessibleDescription(words)

    def sizeHint(self) -> QSize:
        """As high as the rows."""
        return QSize(260, self.height())

    # ------------------------------------------------------------------ drawing

    @property
    def map_left(self) -> float:
        """Where the colours begin [pixels]."""
        metrics = QFontMetricsF(self.font())
        widest = max((metrics.horizontalAdvance(row.label) for row in self.rows), default=60.0) + 16.0
        return float(min(widest, 0.5 * self.width()))

    @property
    def map_right(self) -> float:
        """Where they end."""
        return float(max(self.map_left + 10.0, self.width() - NUMBER))

    def draw(self, painter: QPainter) -> None:
        """Draw the rows that are seen."""
        theme, left, right = self._theme, self.map_left, self.map_right
        if not self.rows:
            painter.setPen(QColor(theme.faint))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "No muscle has such a name.")
            return
        seen = self.visibleRegion().boundingRect()
        metrics = QFontMetricsF(self.font())
        middle = Qt.AlignmentFlag.AlignVCenter
        for k, row in enumerate(self.rows):
            top, bottom = self._tops[k], self._tops[k + 1]
            if bottom < seen.top() or top > seen.bottom():
                continue
            tint = {"right": theme.right, "left": theme.left}.get(row.side, theme.middle)
            painter.fillRect(QRectF(0.0, top + 3.0, 4.0, LINE - 6.0), QColor(tint))
            marked = row.muscle == self.muscle
            if marked:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(theme.line))
                painter.drawRect(QRectF(6.0, top, left - 8.0, bottom - top))
            painter.setPen(QColor(theme.faint if row.dim else theme.text))
            label = metrics.elidedText(row.label, Qt.TextElideMode.ElideRight, left - 14.0)
            painter.drawText(QRectF(9.0, top, left - 14.0, LINE), Qt.AlignmentFlag.AlignLeft | middle, label)
            painter.drawImage(QRectF(left, top + 1.0, right - left, LINE - 2.0), self._images[k])
            measured = self._emg_images[k]
            if measured is not None:
                painter.drawImage(QRectF(left, top + LINE - 1.0, right - left, EMG_LINE - 1.0), measured)
            now = self._now.get(row.muscle, float("nan"))
            painter.setPen(QColor(theme.text))
            words = f"{100.0 * now:.0f} %" if np.isfinite(now) else "–"
            painter.drawText(QRectF(right, top, NUMBER - 4.0, LINE), Qt.AlignmentFlag.AlignRight | middle, words)
            if marked:
                painter.setPen(QPen(QColor(theme.accent), 2.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(QRectF(left - 1.0, top + 1.0, right - left + 2.0, bottom - top - 2.0))
        painter.setPen(QPen(QColor(theme.faint), 1.0, Qt.PenStyle.DashLine))
        for mark in self._marks:
            x = left + mark * (right - left)
            painter.drawLine(QPointF(x, TOP), QPointF(x, self._tops[-1]))
        if self._hand is not None:
            x = left + self._hand * (right - left)
            painter.setPen(QPen(QColor(theme.text), 1.2))
            painter.drawLine(QPointF(x, TOP), QPointF(x, self._tops[-1]))

    # ------------------------------------------------------------------ mouse and keys

    def line_at(self, y: float) -> int | None:
        """Row at a height."""
        return next((k for k in range(len(self.rows)) if self._tops[k] <= y < self._tops[k + 1]), None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a row, and a place along the axis."""
        line = self.line_at(event.position().y())
        if line is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if self.map_left <= event.position().x() <= self.map_right:
            self.moved.emit((event.position().x() - self.map_left) / (self.map_right - self.map_left))
        added = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        self._choose(line, added)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Look at the curves."""
        line = self.line_at(event.position().y())
        if line is not None:
            self.entered.emit(self.rows[line].muscle)

    def _choose(self, line: int, added: bool = False) -> None:
        self.set_muscle(self.rows[line].muscle)
        self.chosen.emit(self.rows[line].muscle, added)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows, Page, Home and End choose a row; Enter plots it."""
        key = Qt.Key(event.key())
        if key in STEPS and self.rows:
            line, last = self.line, len(self.rows) - 1
            step = STEPS[key] * (len(self.rows) if key in ENDS else 1)
            self._choose((0 if step > 0 else last) if line is None else int(np.clip(line + step, 0, last)))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.muscle is not None:
            self.entered.emit(self.muscle)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Tell the whole name where the mouse rests; keep the keys of the list, which move time elsewhere."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() in STEPS and event.modifiers() in PLAIN:
                event.accept()
                return True
            return super().event(event)
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            line = self.line_at(event.pos().y())
            if line is None:
                QToolTip.hideText()
            else:
                row = self.rows[line]
                more = "; green: its EMG over its own maximum" if row.emg is not None else ""
                QToolTip.showText(event.globalPos(), f"{row.side} {row.label}".strip() +
                                  f" ({row.muscle}): at most {100.0 * row.peak:.0f} %{more}", self)  # fmt: skip
            return True
        return super().event(event)


def thinned(values: FloatArray, most: int = MOST_COLUMNS) -> FloatArray:
    """At most so many values (N,): the greatest of neighbours, so that no burst is lost."""
    if len(values) <= most:
        return values
    step = -(-len(values) // most)
    filled = np.concatenate([values, np.full(-len(values) % step, np.nan)]).reshape(-1, step)
    some = np.isfinite(filled).any(axis=1)
    return np.where(some, np.max(np.where(np.isfinite(filled), filled, -np.inf), axis=1), np.nan)
