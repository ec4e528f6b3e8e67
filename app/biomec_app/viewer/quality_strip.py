"""The slider over all frames: time, quality, contacts and cycles in one picture, and a hand for the frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QHelpEvent,
    QImage,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QSlider, QToolTip, QWidget

from biomec.base.notices import GRADES, Grade
from biomec.pipeline.frame_map import FrameMap, FrameState
from biomec_app.kit.theme import LIGHT, Theme

MARGIN = 8  # at both ends, for half of the hand
WORDS = 13  # height of the ruler's numbers
RULER, STATE, LANE, GAP = 27, 11, 4, 2  # heights; below its numbers the ruler shows cycles
FEW = 26.0  # pixels between cycles whose borders are lines
THINNEST = 3.0  # pixels of a cycle that is drawn by itself
DASH = 4  # pixels of a stroke and a gap of a poor contact
MOST_TOLD = 6  # marks in a tooltip
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0)  # s


@dataclass(frozen=True)
class StripMark:
    """A line at a frame: the border of a cycle.

    side : "right", "left" or "" for its colour
    """

    frame: int
    words: str
    side: str = ""


def tick_labels(seconds: float, width: float) -> list[tuple[float, str]]:
    """Times and labels of a ruler over so many pixels, labels no nearer than 62 of them."""
    wanted = seconds * 62.0 / max(1.0, width)
    step = next((one for one in STEPS if one >= wanted), STEPS[-1])
    digits = 0 if step >= 1.0 else 1 if step >= 0.1 else 2
    return [(k * step, f"{k * step:.{digits}f}") for k in range(int(seconds / step) + 1)]


def thinned(places: Sequence[float], apart: float) -> list[float]:
    """Places along a line, in order, without those that are nearer than ``apart`` to the one before."""
    kept: list[float] = []
    for place in sorted(places):
        if not kept or place - kept[-1] >= apart:
            kept.append(place)
    return kept


def state_colours(theme: Theme) -> dict[FrameState, str]:
    """Colour of every state."""
    return {
        FrameState.MEASURED: theme.measured,
        FrameState.REBUILT: theme.rebuilt,
        FrameState.INTERPOLATED: theme.interpolated,
        FrameState.LOST: theme.faint,
        FrameState.FAILED: theme.failed,
    }


def contact_colours(theme: Theme, mapped: FrameMap) -> dict[Grade, str]:
    """Colour of a contact by its grade; as long as none is judged, all have the colour of a contact."""
    judged = mapped.found_grades != (Grade.NOT_JUDGED,)
    colours = (theme.faint if judged else theme.contact, theme.contact, theme.rebuilt, theme.failed)
    return dict(zip(GRADES, colours, strict=True))


class QualityStrip(QSlider):
    """A slider with a value for every frame. The picture under the hand is drawn once, whatever the number of frames.

    picked : the user has moved the hand to a frame
    """

    picked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setObjectName("timeline.strip")
        self.setAccessibleName("Frame")
        self.setAccessibleDescription("Time slider over all frames, coloured by their quality")
        self.setMouseTracking(True)
        self.setPageStep(10)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._theme = LIGHT
        self._map: FrameMap | None = None
        self._marks: Sequence[StripMark] = ()
        self._picture: QPixmap | None = None
        self.actionTriggered.connect(lambda _: self.picked.emit(self.sliderPosition()))

    # ------------------------------------------------------------------ content

    def set_content(self, mapped: FrameMap | None, marks: Sequence[StripMark] = ()) -> None:
        """Show the frames of a recording."""
        self._map, self._marks = mapped, tuple(marks)
        blocked = self.blockSignals(True)
        self.setRange(0, max(0, mapped.frames - 1) if mapped is not None else 0)
        self.blockSignals(blocked)
        self.updateGeometry()
        self.redraw()

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self.redraw()

    def redraw(self) -> None:
        """Draw the picture again when it is needed next."""
        self._picture = None
        self.update()

    # ------------------------------------------------------------------ geometry

    @property
    def lanes(self) -> int:
        """Segments that rest on the ground at some time."""
        return len(self._map.touching) if self._map is not None else 0

    def sizeHint(self) -> QSize:
        """As high as its lanes."""
        lanes = GAP + self.lanes * (LANE + 1) if self.lanes else 0
        return QSize(300, RULER + STATE + lanes + 5)

    def minimumSizeHint(self) -> QSize:
        """Narrow, and as high as its lanes."""
        return QSize(120, self.sizeHint().height())

    @property
    def band(self) -> QRect:
        """Where the frames lie."""
        return QRect(MARGIN, RULER, max(1, self.width() - 2 * MARGIN), self.height() - RULER - 4)

    def x_of(self, frame: float) -> float:
        """Place of the middle of a frame."""
        frames = self._map.frames if self._map is not None else 1
        return self.band.left() + (frame + 0.5) * self.band.width() / max(1, frames)

    def frame_at(self, x: float) -> int:
        """Frame at a place."""
        frames = self._map.frames if self._map is not None else 1
        return int(min(max(0, (x - self.band.left()) * frames // self.band.width()), frames - 1))

    # ------------------------------------------------------------------ drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        """Put the picture, then the hand."""
        painter = QPainter(self)
        if self._picture is None:
            self._picture = self._drawn()
        painter.drawPixmap(0, 0, self._picture)
        self._draw_hand(painter)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw again in the new size."""
        super().resizeEvent(event)
        self.redraw()

    def _drawn(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        if self._map is None or not self._map.frames:
            return picture
        painter = QPainter(picture)
        band = self.band
        rows = self._image(max(1, round(band.width() * ratio)))
        painter.drawImage(QRectF(band.left(), band.top(), band.width(), STATE), rows, QRectF(0, 0, rows.width(), 1))
        for lane in range(self.lanes):
            y = band.top() + STATE + GAP + lane * (LANE + 1)
            painter.drawImage(QRectF(band.left(), y, band.width(), LANE), rows, QRectF(0, lane + 1, rows.width(), 1))
        self._draw_ruler(painter)
        self._draw_marks(painter)
        painter.end()
        return picture

    def _image(self, columns: int) -> QImage:
        """One row of pixels for the states and one for every lane."""
        assert self._map is not None
        palette = state_colours(self._theme)
        colours = np.array([QColor(palette[state]).rgb() for state in FrameState], dtype=np.uint32)
        tints = contact_colours(self._theme, self._map).values()
        held = np.array([QColor(colour).rgb() for colour in tints], dtype=np.uint32)
        free = np.uint32(QColor(self._theme.line).rgb())
        grades, down = self._map.grade_in(columns).T, self._map.contact_in(columns).T
        gap = (grades == GRADES.index(Grade.POOR)) & (np.arange(columns) // DASH % 2 == 1)  # not by colour alone
        contact = np.where(down & ~gap, held[grades], free)
        pixels = np.ascontiguousarray(np.vstack([colours[self._map.worst_of(columns)], contact.reshape(-1, columns)]))
        image = QImage(pixels.data, columns, len(pixels), 4 * columns, QImage.Format.Format_RGB32)
        return image.copy()  # the numbers go when this function ends

    def _draw_ruler(self, painter: QPainter) -> None:
        assert self._map is not None
        font = QFont(self.font())
        font.setPointSizeF(max(6.5, 0.8 * self.font().pointSizeF()))
        painter.setFont(font)
        rate, band = self._map.rate_hz, self.band
        seconds = self._map.frames / rate
        for k, (second, label) in enumerate(tick_labels(seconds, band.width())):
            x = self.x_of(second * rate)
            if x > band.right() + 1:
                break
            painter.setPen(QColor(self._theme.line))
            painter.drawLine(round(x), WORDS, round(x), RULER - 1)
            painter.setPen(QColor(self._theme.faint))
            words = label if k else f"{label} s"
            width = painter.fontMetrics().horizontalAdvance(words)
            place = min(max(0.0, x - 0.5 * width), self.width() - width - 1.0)
            painter.drawText(QRectF(place, 0, width + 2, WORDS), Qt.AlignmentFlag.AlignCenter, words)

    def _draw_marks(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        sides = sorted({mark.side for mark in self._marks}, reverse=True)
        for row, side in enumerate(sides):
            borders = [self.x_of(mark.frame) for mark in self._marks if mark.side == side]
            self._draw_cycles(painter, sorted(borders), self._tint(side, self._theme.failed), row, len(sides))

    def _tint(self, side: str, otherwise: str) -> QColor:
        return QColor({"right": self._theme.right, "left": self._theme.left}.get(side, otherwise))

    def _draw_cycles(self, painter: QPainter, borders: list[float], colour: QColor, row: int, rows: int) -> None:
        """Bands above the frames, one darker, one lighter; lines over the frames only where there are few of them."""
        if len(borders) < 2:
            return
        height = (RULER - WORDS - 1) / rows
        top = WORDS + row * height
        shown = thinned(borders, THINNEST)
        dark, light = QColor(colour), QColor(colour)
        dark.setAlpha(105)
        light.setAlpha(45)
        for k, (left, right) in enumerate(pairwise([*shown, borders[-1]] if shown[-1] < borders[-1] else shown)):
            painter.fillRect(QRectF(left, top, right - left, height - 1.0), light if k % 2 else dark)
        if (borders[-1] - borders[0]) / (len(borders) - 1) >= FEW:
            pen = QPen(colour, 1.2)
            pen.setDashPattern([2.5, 2.2])
            painter.setPen(pen)
            for x in borders:
                painter.drawLine(round(x), RULER, round(x), self.band.bottom() + 3)

    def _draw_hand(self, painter: QPainter) -> None:
        if self._map is None:
            return
        x, colour = self.x_of(self.value()), QColor(self._theme.text if self.isEnabled() else self._theme.faint)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.panel), 3.6))
        painter.drawLine(round(x), RULER - 2, round(x), self.height() - 1)
        painter.setPen(QPen(colour, 1.6))
        painter.drawLine(round(x), RULER - 4, round(x), self.height() - 1)
        painter.setPen(QPen(QColor(self._theme.panel), 1.2))
        painter.setBrush(QColor(self._theme.accent if self.hasFocus() else colour))
        head = QRectF(x - 5.0, RULER - 12.0, 10.0, 11.0)
        painter.drawRoundedRect(head, 3.0, 3.0)

    # ------------------------------------------------------------------ mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the hand to the mouse."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.picked.emit(self.frame_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the hand."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.picked.emit(self.frame_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Leave the hand where it is."""

    def event(self, event: QEvent) -> bool:
        """Say about the frame under the mouse what there is to say."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.told_at(event.pos().x()), self)
            return True
        return bool(super().event(event))

    def told_at(self, x: float) -> str:
        """Text of the tooltip: the frame, why it has its colour, and what is marked there."""
        if self._map is None or not self._map.frames:
            return ""
        frame = self.frame_at(x)
        head, *reasons = self._map.why(frame)
        marked = [mark.words for mark in self._marks if abs(self.x_of(mark.frame) - x) <= 4.0]
        if len(marked) > MOST_TOLD:
            marked[MOST_TOLD - 1 :] = [f"and {len(marked) - MOST_TOLD + 1} more marks here"]
        return "\n".join((head, *reasons, *marked))
