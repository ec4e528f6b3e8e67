"""How a movement fares as muscles lose strength: the torque that is lacking, and the joint that bears most of it."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QWidget

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.plain_text import html
from biomec.body.muscles.what_if import LossCurve
from biomec_app.kit.theme import LIGHT, Theme

CHANGED = 0.05  # body weights, from which on a contact force has changed
LEAST_NM = 2.0  # height of the upper plot at least, so that noise does not look like a lack


class LossPlot(pg.GraphicsLayoutWidget):
    """Lacking torque beside the contact force that changes most; green is what can be borne, red what cannot."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("what-if.loss")
        self.setAccessibleName("What happens as the muscles lose strength")
        self._theme: Theme = LIGHT
        self.curve: LossCurve | None = None
        small = QFont(self.font())
        small.setPointSizeF(max(6.5, 0.85 * self.font().pointSizeF()))
        self.ci.layout.setContentsMargins(0, 0, 6, 0)
        self.plots: list[pg.PlotItem] = []
        for column in range(2):
            plot = self.addPlot(row=0, col=column, enableMenu=False)
            plot.hideButtons()
            plot.setMouseEnabled(x=False, y=False)
            for side in ("left", "bottom"):
                plot.getAxis(side).setTickFont(small)
                plot.getAxis(side).enableAutoSIPrefix(False)
            plot.getAxis("left").setWidth(36)
            self.plots.append(plot)
        self.setMinimumHeight(150)

    def sizeHint(self) -> QSize:
        """Low; it grows where there is room."""
        return QSize(260, 210)

    def set_curve(self, curve: LossCurve | None) -> None:
        """Show a curve, or nothing."""
        self.curve = curve
        self.setAccessibleDescription("" if curve is None else curve.sentence)
        self._draw()

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self._draw()

    def _draw(self) -> None:
        theme, curve = self._theme, self.curve
        self.setBackground(QColor(theme.window))
        for plot in self.plots:
            plot.clear()
            for side in ("left", "bottom"):
                plot.getAxis(side).setPen(QColor(theme.line))
                plot.getAxis(side).setTextPen(QColor(theme.faint))
            plot.getAxis("bottom").setLabel("loss of strength [%]", color=theme.faint)
            plot.setXRange(0.0, 100.0, padding=0.01)
        if curve is None:
            return
        loss = 100.0 * curve.loss
        j = most_changed(curve)
        bound = curve.least[:, j]
        tables = (curve.reserve_Nm, np.where(bound, np.nan, curve.contact[:, j]))
        least = "; dotted: at least" if bound.any() else ""
        words = (
            "torque that no muscle makes [N·m]",
            f"contact, {html(curve.joints[j])} [× body weight]{least}",
        )
        for plot, title in zip(self.plots, words, strict=True):
            plot.setTitle(title, color=theme.text, size="8pt", justify="left")
        for plot, values in zip(self.plots, tables, strict=True):
            for first, last, tint in ((0.0, curve.bearable, theme.contact), (curve.bearable, 1.0, theme.failed)):
                if last > first:
                    shade = QColor(tint)
                    shade.setAlphaF(0.13)
                    region = pg.LinearRegionItem(
                        (100.0 * first, 100.0 * last), movable=False, brush=shade, pen=pg.mkPen(None)
                    )
                    region.setZValue(-10)
                    plot.addItem(region, ignoreBounds=True)
            plot.plot(loss, values, pen=pg.mkPen(theme.right, width=1.8), symbol="o", symbolSize=5,
                      symbolBrush=QColor(theme.right), symbolPen=None, connect="finite")  # fmt: skip
            if plot is self.plots[1] and bound.any():
                pen = pg.mkPen(theme.faint, width=1.4, style=Qt.PenStyle.DotLine)
                plot.plot(loss, with_neighbour(curve.contact[:, j], bound), pen=pen, symbol="o", symbolSize=5,
                          symbolBrush=None, symbolPen=QColor(theme.faint), connect="finite")  # fmt: skip
            if 0.0 < curve.bearable < 1.0:
                plot.addItem(pg.InfiniteLine(100.0 * curve.bearable, angle=90,
                             pen=pg.mkPen(theme.text, style=Qt.PenStyle.DashLine)), ignoreBounds=True)  # fmt: skip
        self.plots[0].setYRange(0.0, 1.08 * max(float(np.nanmax(curve.reserve_Nm, initial=0.0)), LEAST_NM), padding=0.0)
        self.plots[1].setYRange(0.0, 1.08 * max(float(np.nanmax(curve.contact[:, j], initial=0.0)), 0.1), padding=0.0)


def most_changed(curve: LossCurve) -> int:
    """Number of the joint whose contact force changes most while the movement can be carried, and can be compared.

    Where none changes to speak of, the joint that the muscles cross with the greatest force.
    """
    borne = curve.loss <= max(curve.bearable, float(curve.loss[1]))
    known = np.where(curve.least, np.nan, curve.contact)
    change = np.nan_to_num(np.abs(known[borne] - known[0])).max(axis=0)
    if change.max(initial=0.0) < CHANGED and curve.crossed.any():
        return int(np.where(curve.crossed, np.nan_to_num(curve.contact[0]), -1.0).argmax())
    return int(change.argmax())


def with_neighbour(values: FloatArray, bound: BoolArray) -> FloatArray:
    """Values (N,) of lower bounds, joined to the known ones beside them; NaN elsewhere."""
    near = bound.copy()
    near[:-1] |= bound[1:]
    near[1:] |= bound[:-1]
    return np.where(near, values, np.nan)
