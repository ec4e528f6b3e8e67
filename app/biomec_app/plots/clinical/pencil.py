"""Writes words and lines with Qt's painter on any device, and remembers where every word stands.

Letters are measured in units of the device, so that the same layout comes out on screen, in a picture and on paper.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from biomec.base.plain_text import one_line
from biomec_app.plots.clinical.look import Look

LIGATURES = ("liga", "clig", "dlig")
SMALLEST = 0.78  # of the usual size: to what words may shrink before they are shortened
NOTE = 0.92  # of the usual size: notes below a plot
LEFT, RIGHT, CENTRE = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignHCenter


def searchable(font: QFont) -> QFont:
    """The font without ligatures, so that "foot off" is found in a PDF; and the same widths at every size."""
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    for feature in LIGATURES:
        font.setFeature(QFont.Tag(feature), 0)
    return font


@dataclass(frozen=True)
class Word:
    """Words as they were written, and where: the smallest rectangle around them, in units of the device."""

    text: str
    place: QRectF
    whole: bool = True


class Pencil:
    """Writes words in a look; without a painter it only works out where they go."""

    def __init__(self, look: Look, painter: QPainter | None = None) -> None:
        self.look, self.painter = look, painter
        self.words: list[Word] = []

    def font(self, scale: float = 1.0, bold: bool = False) -> QFont:
        """Letters of so many times the usual size."""
        font = QFont()
        font.setPixelSize(max(1, round(self.look.size * self.look.point * scale)))
        font.setBold(bold)
        return searchable(font)

    def metrics(self, scale: float = 1.0, bold: bool = False) -> QFontMetricsF:
        """Widths and heights of letters of so many times the usual size."""
        return QFontMetricsF(self.font(scale, bold))

    @property
    def line_height(self) -> float:
        """Of one line of words."""
        return self.metrics().height()

    def width(self, words: str, scale: float = 1.0, bold: bool = False) -> float:
        """Of words in one line."""
        return self.metrics(scale, bold).horizontalAdvance(one_line(words))

    def write(
        self, words: str, place: QRectF, colour: str = "", align: Qt.AlignmentFlag = LEFT, bold: bool = False,
        scale: float = 1.0, upright: bool = False,
    ) -> None:  # fmt: skip
        """Write one line in a place; words that are too long first shrink, then end in an ellipsis.

        upright : from bottom to top, ``align`` then says at which end: left is the bottom
        """
        words = one_line(words)
        length = place.height() if upright else place.width()
        full = self.width(words, scale, bold)
        if not words or length <= 0.0:
            return
        if full > length:
            scale *= max(SMALLEST, 0.99 * length / full)
        metrics = self.metrics(scale, bold)
        shown = words
        if metrics.horizontalAdvance(words) > length:
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, length)
        taken, high = metrics.horizontalAdvance(shown), metrics.height()
        start = {RIGHT: length - taken, CENTRE: 0.5 * (length - taken)}.get(align, 0.0)
        if upright:
            left = place.center().x() - 0.5 * high
            box = QRectF(left, place.bottom() - start - taken, high, taken)
        else:
            box = QRectF(place.left() + start, place.center().y() - 0.5 * high, taken, high)
        self.words.append(Word(shown, box, shown == words))
        if self.painter is None:
            return
        self.painter.setFont(self.font(scale, bold))
        self.painter.setPen(QColor(colour or self.look.theme.text))
        if upright:
            self.painter.save()
            self.painter.translate(box.left() + metrics.ascent(), box.bottom())
            self.painter.rotate(-90.0)
            self.painter.drawText(QPointF(0.0, 0.0), shown)
            self.painter.restore()
        else:
            self.painter.drawText(QPointF(box.left(), box.top() + metrics.ascent()), shown)

    def lines_of(self, words: str, width: float, scale: float = 1.0, bold: bool = False) -> list[str]:
        """Words broken into lines of a width; a single word that is longer is broken too."""
        metrics = self.metrics(scale, bold)
        lines: list[str] = []
        for part in one_line(words).split():
            longer = f"{lines[-1]} {part}" if lines else part
            if lines and metrics.horizontalAdvance(longer) <= width:
                lines[-1] = longer
            else:
                lines += _broken(part, width, metrics)
        return lines

    def paragraph(
        self, words: str, place: QRectF, colour: str = "", align: Qt.AlignmentFlag = LEFT, scale: float = 1.0,
        middle: bool = False,
    ) -> float:  # fmt: skip
        """Write sentences over as many lines as fit, and return the height that they took.

        middle : in the middle of the height instead of at the top
        """
        lines = self.lines_of(words, place.width(), scale)
        high = self.metrics(scale).height()
        room = max(1, int(place.height() / high + 1e-6))
        if len(lines) > room:
            lines = [*lines[: room - 1], " ".join(lines[room - 1 :])]
        top = place.center().y() - 0.5 * high * len(lines) if middle else place.top()
        for k, line in enumerate(lines):
            self.write(line, QRectF(place.left(), top + k * high, place.width(), high), colour, align, scale=scale)
        return high * len(lines)

    def note_height(self, words: str, width: float) -> float:
        """Height of the note below a plot; 0 without one, or where the look has none."""
        return len(self.lines_of(words, width, NOTE)) * self.metrics(NOTE).height() if self.look.notes else 0.0

    def note(self, words: str, rect: QRectF) -> float:
        """Write a note at the lower end of a rectangle; returns its height."""
        high = self.note_height(words, rect.width())
        if high > 0.0:
            place = QRectF(rect.left(), rect.bottom() - high, rect.width(), high)
            self.paragraph(words, place, self.look.theme.faint, scale=NOTE)
        return high

    def line(
        self, one: QPointF, other: QPointF, colour: str, width: float = 0.5, dashes: tuple[float, ...] = ()
    ) -> None:
        """Draw a straight line, ``width`` in points, dashes in widths."""
        if self.painter is None:
            return
        pen = QPen(QColor(colour), width * self.look.point)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if dashes:
            pen.setDashPattern(list(dashes))
        self.painter.setPen(pen)
        self.painter.drawLine(one, other)

    def fill(self, place: QRectF, colour: str) -> None:
        """Fill a rectangle."""
        if self.painter is not None:
            self.painter.fillRect(place, QColor(colour))


def _broken(word: str, width: float, metrics: QFontMetricsF) -> list[str]:
    """A word in pieces that are no wider than a line; at least one letter in each."""
    pieces = []
    while len(word) > 1 and metrics.horizontalAdvance(word) > width:
        fits, beyond = 1, len(word)  # letters that fit, and do not, found by halving
        while beyond - fits > 1:
            middle = (fits + beyond) // 2
            if metrics.horizontalAdvance(word[:middle]) <= width:
                fits = middle
            else:
                beyond = middle
        pieces.append(word[:fits])
        word = word[fits:]
    return [*pieces, word]
