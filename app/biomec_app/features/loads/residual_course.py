"""The residual over time beside its limits, as a small picture; a click goes to a frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont
from PySide6.QtWidgets import QWidget

from biomec.base.arrays import BoolArray, FloatArray
from biomec.signals.stretches import stretches
from biomec_app.kit.theme import LIGHT, Theme

AXIS = 44  # pixels of the axis at the left


class ResidualCourse(pg.GraphicsLayoutWidget):
    """Force over moment.

    picked : the user has clicked at a frame
    """

    picked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("loads.course")
        self.setAccessibleName("Size of the residual over time: force over moment")
        self._theme = LIGHT
        self._values: tuple[FloatArray, FloatArray] = (np.zeros(0), np.zeros(0))
        self._counted: BoolArray = np.zeros(0, dtype=bool)
        self._limits: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
        self._rate = 1.0
        self.ci.layout.setContentsMargins(0, 0, 6, 0)
        self.ci.layout.setVerticalSpacing(2)
        self.plots: list[pg.PlotItem] = []
        self._hands = []
        small = QFont(self.font())
        small.setPointSizeF(max(6.5, 0.85 * self.font().pointSizeF()))
        for row in range(2):
            plot = self.addPlot(row=row, col=0, enableMenu=False)
            plot.hideButtons()
            plot.setMouseEnabled(x=False, y=False)
            for side in ("left", "bottom"):
                plot.getAxis(side).setTickFont(small)
                plot.getAxis(side).setStyle(tickTextOffset=3, tickLength=-3)
                plot.getAxis(side).enableAutoSIPrefix(False)
            plot.getAxis("left").setWidth(AXIS)
            hand = pg.InfiniteLine(0.0, angle=90)
            hand.setZValue(20)
            self._hands.append(hand)
            self.plots.append(plot)
        self.plots[1].setXLink(self.plots[0])
        self.plots[0].getAxis("bottom").setStyle(showValues=False, tickLength=0)
        self.plots[0].getAxis("bottom").setHeight(3)
        self.plots[1].getAxis("bottom").setHeight(17)
        self.scene().sigMouseClicked.connect(self._clicked)

    def sizeHint(self) -> QSize:
        """Low; it grows where there is room."""
        return QSize(200, 130)

    def minimumSizeHint(self) -> QSize:
        """Room for two low curves."""
        return QSize(120, 110)

    def set_content(
        self, force: FloatArray, torque: FloatArray, counted: BoolArray, rate_hz: float,
        limits: tuple[tuple[float, ...], tuple[float, ...]],
    ) -> None:  # fmt: skip
        """Show sizes (T,) of the residual; limits of force and of torque are dashed lines."""
        self._values, self._counted, self._rate, self._limits = (force, torque), counted, rate_hz, limits
        self._draw()

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self._draw()

    def set_frame(self, frame: int) -> None:
        """Mark a frame."""
        for hand in self._hands:
            hand.setValue(frame / self._rate)

    def _draw(self) -> None:
        theme = self._theme
        self.setBackground(QColor(theme.window))
        for plot, values, limits, hand, unit in zip(
            self.plots, self._values, self._limits, self._hands, ("N", "N·m"), strict=True
        ):
            plot.clear()
            for side in ("left", "bottom"):
                plot.getAxis(side).setPen(QColor(theme.line))
                plot.getAxis(side).setTextPen(QColor(theme.faint))
            plot.getAxis("left").setLabel(unit, color=theme.faint)
            if not len(values):
                continue
            time = np.arange(len(values)) / self._rate
            grey = QColor(theme.faint)
            grey.setAlphaF(0.16)
            for first, stop in stretches(~self._counted).tolist():
                shade = pg.LinearRegionItem((first / self._rate, stop / self._rate), movable=False, brush=grey,
                                            pen=pg.mkPen(None))  # fmt: skip
                shade.setZValue(-10)
                plot.addItem(shade, ignoreBounds=True)
            plot.plot(time, values, pen=pg.mkPen(theme.right, width=1.4), connect="finite")
            for limit in limits:
                plot.addItem(pg.InfiniteLine(limit, angle=0, pen=pg.mkPen(theme.failed, style=Qt.PenStyle.DashLine)),
                             ignoreBounds=True)  # fmt: skip
            hand.setPen(pg.mkPen(theme.text, width=1))
            plot.addItem(hand, ignoreBounds=True)
            inside = values[self._counted] if self._counted.any() else values
            inside = inside[np.isfinite(inside)]
            top = max([float(inside.max(initial=0.0)), *(limit for limit in limits)], default=1.0)
            plot.setYRange(0.0, 1.08 * max(top, 1e-9), padding=0.0)
            plot.setXRange(0.0, max(float(time[-1]), 1e-3), padding=0.0)

    def _clicked(self, event: Any) -> None:
        place: QPointF = event.scenePos()
        for plot in self.plots:
            if plot.sceneBoundingRect().contains(place):
                at = plot.vb.mapSceneToView(place).x()
                self.picked.emit(int(np.clip(round(at * self._rate), 0, max(0, len(self._values[0]) - 1))))
                return
