"""Layers that add up to a course, piled up from 0: what helps above, what works against it below."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from biomec.base.plain_text import html
from biomec_app.features.muscles.heat_content import CYCLE
from biomec_app.features.muscles.moment_content import NO_MUSCLE, RIBS, Layer, MomentPage, stacked
from biomec_app.kit.colours import PALETTES, mixed
from biomec_app.kit.theme import LIGHT, Theme


class StackedPlot(pg.GraphicsLayoutWidget):
    """Areas of the layers, the whole torque as a line, and a hand at the current moment."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("muscles.moments")
        self.setAccessibleName("What makes the torque")
        self._theme: Theme = LIGHT
        self.page: MomentPage | None = None
        self.ci.layout.setContentsMargins(0, 0, 6, 0)
        self.plot = self.addPlot(row=0, col=0, enableMenu=False)
        self.plot.hideButtons()
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.getAxis("left").setWidth(40)
        for side in ("left", "bottom"):
            self.plot.getAxis(side).enableAutoSIPrefix(False)
        self._hand = pg.InfiniteLine(0.0, angle=90)
        self.setMinimumHeight(170)

    def sizeHint(self) -> QSize:
        """Higher where there is room."""
        return QSize(260, 240)

    def set_page(self, page: MomentPage | None) -> None:
        """Show a torque, or nothing."""
        self.page = page
        self._draw()

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self._draw()

    def set_hand(self, x: float | None) -> None:
        """Mark the current moment."""
        self._hand.setVisible(x is not None)
        if x is not None:
            self._hand.setValue(x)

    def _draw(self) -> None:
        theme, page, plot = self._theme, self.page, self.plot
        self.setBackground(QColor(theme.window))
        plot.clear()
        for side in ("left", "bottom"):
            plot.getAxis(side).setPen(QColor(theme.line))
            plot.getAxis(side).setTextPen(QColor(theme.faint))
        if page is None or not page.known:
            return
        words = "% of the cycle" if page.over == CYCLE else "time [s]"
        plot.getAxis("bottom").setLabel(words, color=theme.faint)
        title = f"{page.row} + / {page.opposite.removeprefix(page.joint).strip()} − [N·m]"
        plot.setTitle(html(title), color=theme.text, size="8pt", justify="left")
        for positive in (True, False):
            for layer, edges in zip(page.layers, stacked(page.layers, positive), strict=True):
                tint = QColor(layer_colour(layer, theme))
                tint.setAlphaF(0.85)
                sides = [pg.PlotCurveItem(page.x, edge) for edge in edges]
                area = pg.FillBetweenItem(*sides, brush=tint)
                plot.addItem(area, ignoreBounds=True)
        pen = pg.mkPen(theme.text, width=1.8)
        plot.plot(page.x, page.total, pen=pen, connect="finite")
        plot.addItem(pg.InfiniteLine(0.0, angle=0, pen=pg.mkPen(theme.faint, width=0.8)), ignoreBounds=True)
        self._hand.setPen(pg.mkPen(theme.text, width=1.0, style=Qt.PenStyle.DashLine))
        plot.addItem(self._hand, ignoreBounds=True)
        low = min(float(edge.min(initial=0.0)) for edge in (pair[1] for pair in stacked(page.layers, False)))
        high = max(float(edge.max(initial=0.0)) for edge in (pair[1] for pair in stacked(page.layers, True)))
        plot.setXRange(float(page.x[0]), float(page.x[-1]), padding=0.0)
        room = 0.05 * max(high - low, 1.0)
        low = min(low, float(np.nanmin(page.total)))
        high = max(high, float(np.nanmax(page.total)))
        plot.setYRange(low - room, high + room, padding=0.0)


def layer_colour(layer: Layer, theme: Theme) -> str:
    """Colour of a layer: one of its own for a named muscle, red for what no muscle carries, else grey."""
    if layer.number >= 0:
        return PALETTES[theme.name][layer.number]
    if layer.name == NO_MUSCLE:
        return theme.failed
    return theme.faint if layer.name == RIBS else mixed(theme.faint, theme.window, 0.45)
