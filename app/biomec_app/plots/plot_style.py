"""Colours and fonts of plots, from the theme of the window."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPen
from PySide6.QtWidgets import QApplication

from biomec_app.kit.colours import COLOURS, COMPARED, PALETTES
from biomec_app.kit.theme import Theme
from biomec_app.plots.plot_pane import BORDER, CONDITIONS, LEFT, MIDDLE, OFF, RIGHT, STRIKE, TURN, Mark, Trace

AGAIN = 150  # percent by which a colour that comes again is darker: on white a lighter one fades
DASHES: tuple[tuple[float, ...], ...] = (
    (), (4.0, 2.5), (6.0, 2.0, 1.0, 2.0), (3.0, 1.5, 1.0, 1.5), (1.0, 1.5), (1.0, 3.5),
)  # fmt: skip
"""Strokes and gaps in widths of the pen, whole first."""
DOTS = 4  # number of the pattern of what cannot be relied on
WIDTH, FAINT_WIDTH = 1.7, 1.0  # pixels
FAINT, BAND, SINGLE, SHADE, DOUBT, NORM = 0.45, 0.2, 0.35, 0.14, 0.75, 0.3  # opacity


@dataclass(frozen=True)
class PlotStyle:
    """Pens, brushes and fonts of a theme.

    weight : points of the device for one of the screen: pens keep their width in points of the device
    """

    theme: Theme
    weight: float = 1.0

    def colour(self, name: str | int, opacity: float = 1.0) -> QColor:
        """Colour of a side, of a condition, or of the signal of a number; colours that come again are darker."""
        if isinstance(name, int):
            colour = QColor(PALETTES[self.theme.name][name % COLOURS])
            colour = colour.darker(AGAIN) if name // COLOURS % 2 else colour
        elif name in CONDITIONS:
            colour = QColor(COMPARED[self.theme.name][CONDITIONS.index(name)])
        else:
            colour = QColor({RIGHT: self.theme.right, LEFT: self.theme.left, MIDDLE: self.theme.middle}[name])
        colour.setAlphaF(opacity)
        return colour

    def line(self, trace: Trace) -> QPen:
        """Pen of a curve."""
        pen = QPen(self.colour(trace.colour, FAINT if trace.faint else 1.0), FAINT_WIDTH if trace.faint else WIDTH)
        return dashed(self.cosmetic(pen), trace.dashed)

    def doubtful(self, trace: Trace) -> QPen:
        """Pen of the part of a curve that cannot be relied on: thin, faint and dotted."""
        return self.doubt(self.colour(trace.colour, DOUBT))

    def doubt(self, colour: QColor) -> QPen:
        """Pen of what cannot be relied on, in a colour."""
        return dashed(self.cosmetic(QPen(colour, FAINT_WIDTH)), DOTS)

    def single(self, trace: Trace) -> QPen:
        """Pen of one cycle among others."""
        return self.cosmetic(QPen(self.colour(trace.colour, SINGLE), 1.0))

    def mark(self, mark: Mark) -> QPen:
        """Pen of a vertical line: cycles that belong to no side are red."""
        red = QColor(self.theme.failed)
        red = red.lighter(140) if self.theme.name == "dark" else red
        colour = red if mark.colour == MIDDLE else self.colour(mark.colour)
        styles = {BORDER: Qt.PenStyle.DashLine, TURN: Qt.PenStyle.DotLine, STRIKE: Qt.PenStyle.SolidLine}
        if mark.kind not in (BORDER, TURN, STRIKE, OFF):
            colour = QColor(self.theme.faint) if mark.colour == MIDDLE else colour
        colour.setAlphaF(0.8 if mark.kind == BORDER else 0.65)
        return self.cosmetic(QPen(colour, 1.0), styles.get(mark.kind, Qt.PenStyle.DashDotLine))

    @property
    def shade(self) -> QColor:
        """Colour of stretches that do not obey the model."""
        colour = QColor(self.theme.failed)
        colour.setAlphaF(SHADE)
        return colour

    @property
    def norm(self) -> QColor:
        """Colour of the band of a norm."""
        colour = QColor(self.theme.faint)
        colour.setAlphaF(NORM)
        return colour

    @property
    def cursor(self) -> QPen:
        """Pen of the line at the current frame."""
        return self.cosmetic(QPen(QColor(self.theme.text), 1.0))

    def font(self, change: float = 0.0, bold: bool = False) -> QFont:
        """Font of the window, so many points larger."""
        font = QFont(QApplication.font())
        size = font.pointSizeF() if font.pointSizeF() > 0 else 9.0
        font.setPointSizeF(max(6.0, size + change))
        font.setBold(bold)
        return font

    def cosmetic(self, pen: QPen, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
        """Return the pen as one whose width does not change with a zoom."""
        pen.setCosmetic(True)
        pen.setWidthF(self.weight * pen.widthF())
        pen.setStyle(style)
        return pen


def dashed(pen: QPen, number: int) -> QPen:
    """Return the pen with the pattern of a number."""
    dashes = DASHES[number % len(DASHES)]
    if dashes:
        pen.setDashPattern(list(dashes))
    return pen
