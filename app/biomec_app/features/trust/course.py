"""How well the model fits over time, above what every frame rests on and what is on the ground."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QResizeEvent
from PySide6.QtWidgets import QWidget

from biomec.base.arrays import FloatArray
from biomec.pipeline.frame_map import FrameMap, FrameState
from biomec.signals.stretches import stretches
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.viewer.quality_strip import state_colours, tick_labels

MILLIMETRE = 1e3
AXIS = 70  # width of the axes at the left, so that both plots begin at the same place
LANE = 12  # height of a lane


class CourseView(pg.GraphicsLayoutWidget):
    """Two plots over the same time.

    picked : the user has clicked at a frame
    """

    picked = Signal(int)
    _map: FrameMap | None = None  # known before the base class first resizes itself

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("trust.course")
        self.setAccessibleName("Fit of the model over time, state of every frame and contacts")
        self._theme = LIGHT
        self._fit: FloatArray = np.zeros(0)
        self.ci.layout.setContentsMargins(0, 0, 6, 0)
        self.ci.layout.setVerticalSpacing(2)
        self.fit: pg.PlotItem = self.addPlot(row=0, col=0, enableMenu=False)
        self.lanes: pg.PlotItem = self.addPlot(row=1, col=0, enableMenu=False)
        self.lanes.setXLink(self.fit)
        self._hands = []
        for plot in (self.fit, self.lanes):
            plot.hideButtons()
            plot.setMouseEnabled(x=False, y=False)
            small = QFont(self.font())
            small.setPointSizeF(max(6.5, 0.85 * self.font().pointSizeF()))
            for side in ("left", "bottom"):
                plot.getAxis(side).setTickFont(small)
                plot.getAxis(side).setStyle(tickTextOffset=3, tickLength=-3)
            plot.getAxis("left").setWidth(AXIS)
            hand = pg.InfiniteLine(0.0, angle=90)
            hand.setZValue(20)
            plot.addItem(hand, ignoreBounds=True)
            self._hands.append(hand)
        self.fit.getAxis("bottom").setStyle(showValues=False, tickLength=0)
        self.fit.getAxis("bottom").setHeight(3)
        self.lanes.getAxis("left").setStyle(tickLength=0)
        self.lanes.getAxis("bottom").setHeight(17)
        self._curve = self.fit.plot([], [])
        self._image = pg.ImageItem()
        self.lanes.addItem(self._image)
        self._shades: list[pg.LinearRegionItem] = []
        self.scene().sigMouseClicked.connect(self._clicked)

    def sizeHint(self) -> QSize:
        """Low; it grows where there is room."""
        return QSize(200, self._height() + 30)

    def minimumSizeHint(self) -> QSize:
        """Room for the lanes and a low curve."""
        return QSize(120, self._height() + 30)

    def _height(self) -> int:
        """Height of the lanes with their axis."""
        return LANE * (1 + (len(self._map.touching) if self._map is not None else 0)) + 18

    def set_content(self, mapped: FrameMap, fit: FloatArray) -> None:
        """Show a movement. ``fit``: (T,) root mean square distance of the markers [m]."""
        self._map, self._fit = mapped, fit
        self._draw()

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._theme = theme
        self._draw()

    def set_frame(self, frame: int) -> None:
        """Put the hands at a frame."""
        if self._map is not None:
            for hand in self._hands:
                hand.setValue(frame / self._map.rate_hz)

    def _draw(self) -> None:
        theme = self._theme
        self.setBackground(theme.window)
        for plot in (self.fit, self.lanes):
            for side in ("left", "bottom"):
                axis = plot.getAxis(side)
                axis.setPen(theme.line)
                axis.setTextPen(theme.faint)
        for hand in self._hands:
            hand.setPen(pg.mkPen(theme.text, width=1.4))
        if self._map is None or not self._map.frames:
            return
        mapped, time = self._map, np.arange(self._map.frames) / self._map.rate_hz
        self._curve.setData(time, MILLIMETRE * self._fit, connect="finite", pen=pg.mkPen(theme.accent, width=1.4))
        highest = MILLIMETRE * float(np.nanmax(self._fit)) if np.isfinite(self._fit).any() else 1.0
        top = max(1.0, 1.15 * highest)
        self.fit.setYRange(0.0, top, padding=0.0)
        step = next(k * 10.0**power for power in range(-1, 6) for k in (1, 2, 5) if k * 10.0**power > 0.4 * top)
        self.fit.getAxis("left").setTicks([[(k * step, f"{k * step:g}") for k in range(3) if k * step < 0.9 * top]])
        self.fit.setXRange(0.0, max(time[-1], 1.0 / mapped.rate_hz), padding=0.0)
        for shade in self._shades:
            self.fit.removeItem(shade)
        tint = QColor(theme.failed)
        tint.setAlpha(60)
        self._shades = []
        for first, stop in stretches(np.asarray(mapped.state == FrameState.FAILED)).tolist():
            span = ((first - 0.5) / mapped.rate_hz, (stop - 0.5) / mapped.rate_hz)
            shade = pg.LinearRegionItem(span, brush=tint, pen=pg.mkPen(None), movable=False)
            self.fit.addItem(shade, ignoreBounds=True)
            self._shades.append(shade)
        self._draw_lanes(mapped)
        self._label_time()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the labels of the time apart."""
        super().resizeEvent(event)
        self._label_time()

    def _label_time(self) -> None:
        if self._map is not None and self._map.frames:
            labels = tick_labels(self._map.frames / self._map.rate_hz, self.width() - AXIS)
            first, *others = labels
            self.lanes.getAxis("bottom").setTicks([[(first[0], f"{first[1]} s"), *others]])

    def _draw_lanes(self, mapped: FrameMap) -> None:
        def rgb(colour: str) -> tuple[int, int, int]:
            return QColor(colour).red(), QColor(colour).green(), QColor(colour).blue()

        palette = state_colours(self._theme)
        colours = np.array([rgb(palette[state]) for state in FrameState], dtype=np.uint8)
        count = 1 + len(mapped.touching)
        columns = min(mapped.frames, 2000)  # more than a screen has; the worst frame of a column is shown
        pixels = np.empty((2 * count, columns, 3), dtype=np.uint8)
        pixels[:] = rgb(self._theme.window)  # every second row of pixels is a gap
        pixels[0] = colours[mapped.worst_of(columns)]
        held, free = rgb(self._theme.contact), rgb(self._theme.line)
        pixels[2::2] = np.where(mapped.contact_in(columns).T[..., None], held, free)
        tall = np.repeat(pixels, [5, 2] * count, axis=0)
        self._image.setImage(tall, axisOrder="row-major", levels=(0, 255))
        self._image.setRect(-0.5 / mapped.rate_hz, 0.0, mapped.frames / mapped.rate_hz, float(count))
        self.lanes.setYRange(0.0, float(count), padding=0.0)
        self.lanes.invertY(True)
        names = ["frames", *mapped.touching]
        self.lanes.getAxis("left").setTicks([[(k + 0.36, name) for k, name in enumerate(names)]])
        self.ci.layout.setRowFixedHeight(1, self._height())
        self.updateGeometry()

    def _clicked(self, event: Any) -> None:
        place: QPointF = event.scenePos()
        if self._map is None or event.button() != Qt.MouseButton.LeftButton:
            return
        for plot in (self.fit, self.lanes):
            if plot.sceneBoundingRect().contains(place):
                time = plot.vb.mapSceneToView(place).x()
                self.picked.emit(round(time * self._map.rate_hz))
