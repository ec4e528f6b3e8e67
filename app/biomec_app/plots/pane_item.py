"""One plot: heading, axes, curves, marks and the time cursor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsItem

from biomec.base.arrays import FloatArray
from biomec.signals.stretches import stretches
from biomec_app.plots.plot_axis import Axis, SampledCurve
from biomec_app.plots.plot_items import Bands, Heading, Rules, TimeBox
from biomec_app.plots.plot_pane import MIDDLE, Pane, Trace
from biomec_app.plots.plot_style import BAND, PlotStyle
from biomec_app.session.plot_view import PlotView

LEFT_AXIS = 46  # pixels, the same for all plots so that their areas are aligned
BOTTOM_AXIS = 20  # pixels
SPOT, CURSOR_SPOT = 3.5, 8.0  # pixels
NORM_DEPTH, BAND_DEPTH = -15.0, -5.0  # the norm lies behind marks and everything else but shades
NEAR = 12.0  # pixels within which a click means a curve's sample


class PaneItem(pg.GraphicsWidget):
    """Draws a `Pane`.

    dragged : the cursor was moved by hand to this x
    zoomed  : the user changed what is visible

    On the screen curves and axes are kept as pictures, so that the cursor moves over them without drawing them again;
    on paper they are lines, and there is no cursor.
    """

    dragged = Signal(object, float)
    zoomed = Signal(object)

    def __init__(
        self, pane: Pane, view: PlotView, style: PlotStyle, heading: Heading | None = None, on_screen: bool = True
    ) -> None:
        super().__init__()
        self._on_screen = on_screen
        self.pane, self.view, self.style_ = pane, view, style
        self.box = TimeBox()
        self.left, self.bottom = Axis("left", parent=self), Axis("bottom", parent=self)
        self.heading = heading_of(pane, style) if heading is None else heading
        layout = QGraphicsGridLayout()
        layout.setContentsMargins(0.0, 0.0, 0.0, 0.0)
        layout.setSpacing(0.0)
        layout.addItem(self.heading, 0, 0, 1, 2)
        layout.addItem(self.left, 1, 0)
        layout.addItem(self.box, 1, 1)
        layout.addItem(self.bottom, 2, 1)
        layout.setRowStretchFactor(1, 100)
        layout.setColumnStretchFactor(1, 100)
        self.setLayout(layout)
        self._axes()
        self._draw()
        if on_screen:
            self._cursor()
        self.box.setLimits(xMin=pane.span[0], xMax=pane.span[1], minXRange=pane.shortest)
        self.show_all()
        self.box.sigRangeChangedManually.connect(lambda *_: self.zoomed.emit(self))
        self._points: list[pg.GraphicsObject] = []

    # ------------------------------------------------------------------ building

    def _axes(self) -> None:
        theme = self.style_.theme
        for axis in (self.left, self.bottom):
            axis.linkToView(self.box)
            axis.setPen(self.style_.cosmetic(QPen(QColor(theme.line), 1.0)))
            axis.setTextPen(QColor(theme.faint))
            axis.setTickFont(self.style_.font(-1.0))
            axis.setStyle(tickLength=-4, autoExpandTextSpace=False, maxTickLevel=1)
            axis.enableAutoSIPrefix(False)
            axis.setZValue(-200)  # below the area, whose own is -100
            self._keep(axis)
            axis.setGrid(120 if self.view.grid else False)
        self.left.setWidth(LEFT_AXIS)
        self.bottom.setHeight(BOTTOM_AXIS)
        self.left.setLogMode(y=self.pane.log)

    def _draw(self) -> None:
        pane, style = self.pane, self.style_
        if len(pane.shade):
            self.box.addItem(Bands(pane.shade, style.shade), ignoreBounds=True)
        if pane.norm is not None:
            self._fill(pane.norm.percent, pane.norm.edges, style.norm, NORM_DEPTH)
        self.box.addItem(Rules(pane.marks, style, zero=not pane.log), ignoreBounds=True)
        for trace in pane.traces:
            if trace.singles is not None:
                self._singles(trace)
            if trace.sd is not None and not pane.log:
                self._band(trace)
            sound, doubtful = trace.sound_and_doubtful
            if doubtful is not None:
                self._line(trace, doubtful, style.doubtful(trace))
            self._line(trace, sound, style.line(trace))
            if self.view.spots:
                self._spots(trace)

    def _line(self, trace: Trace, y: FloatArray, pen: QPen) -> None:
        curve = SampledCurve(trace.x, self._drawn(y), pen, alone=len(self.pane.traces) == 1)
        self._keep(curve)
        self.box.addItem(curve)

    def _drawn(self, y: FloatArray) -> FloatArray:
        """Values as the axis counts them."""
        return np.log10(np.maximum(y, 1e-300)) if self.pane.log else y

    def _spots(self, trace: Trace) -> None:
        there = np.isfinite(trace.y)
        colour = self.style_.colour(trace.colour)
        spots = pg.ScatterPlotItem(trace.x[there], self._drawn(trace.y[there]), size=SPOT, pen=None, brush=colour)
        self._keep(spots)
        self.box.addItem(spots)

    def _keep(self, item: pg.GraphicsObject) -> None:
        if self._on_screen:
            item.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)

    def _singles(self, trace: Trace) -> None:
        for y in trace.singles if trace.singles is not None else ():
            self._line(trace, y, self.style_.single(trace))

    def _band(self, trace: Trace) -> None:
        assert trace.sd is not None
        there = np.isfinite(trace.sound_and_doubtful[0]) & np.isfinite(trace.sd)
        colour = self.style_.colour(trace.colour, BAND)
        for first, stop in stretches(there):
            x, y, sd = (values[first:stop] for values in (trace.x, trace.y, trace.sd))
            self._fill(x, (y - sd, y + sd), colour, BAND_DEPTH)

    def _fill(self, x: FloatArray, edges: tuple[FloatArray, FloatArray], colour: QColor, depth: float) -> None:
        band = pg.FillBetweenItem(*(pg.PlotCurveItem(x, edge) for edge in edges), brush=colour)
        band.setZValue(depth)
        self.box.addItem(band)

    def _cursor(self) -> None:
        hover = self.style_.cosmetic(QPen(QColor(self.style_.theme.accent), 2.0))
        self.cursor_line = pg.InfiniteLine(angle=90, movable=True, pen=self.style_.cursor, hoverPen=hover)
        self.cursor_line.setZValue(20)
        self.cursor_line.setCursor(Qt.CursorShape.SizeHorCursor)
        self.box.addItem(self.cursor_line, ignoreBounds=True)
        self.cursor_line.sigDragged.connect(lambda line: self.dragged.emit(self, float(line.value())))
        self.spots = pg.ScatterPlotItem(size=CURSOR_SPOT, pen=self.style_.cursor)
        self.spots.setZValue(20)
        self.box.addItem(self.spots, ignoreBounds=True)

    # ------------------------------------------------------------------ what is visible

    def show_all(self) -> None:
        """Show the whole recording and all values."""
        self.box.setXRange(*self.pane.span, padding=0.0)
        self.set_range(self.view.range_y)

    def set_range(self, values: tuple[float, float] | None) -> None:
        """Show these values, or those that there are."""
        low, high = values or self.pane.extent
        if self.pane.log:
            low, high = np.log10(max(low, 1e-300)), np.log10(max(high, 1e-300))
        self.box.setYRange(float(low), float(high), padding=0.0)

    @property
    def visible_x(self) -> tuple[float, float]:
        """First and last x that is visible."""
        first, last = self.box.viewRange()[0]
        return float(first), float(last)

    def set_window(self, window: tuple[float, float] | None) -> None:
        """Show this stretch of x, or everything."""
        self.box.setXRange(*(window or self.pane.span), padding=0.0)

    # ------------------------------------------------------------------ cursor and measuring

    def set_moment(self, moment: float) -> None:
        """Move the cursor to a moment, and show the values there."""
        x = self.pane.x_of(moment)
        self.cursor_line.setVisible(x is not None)
        if x is not None:
            self.cursor_line.setPos(x)
        spots = self.pane.spots(moment)
        if spots or len(self.spots.data):
            self.spots.setData([{"pos": (x, y), "brush": self.style_.colour(trace.colour)} for x, y, trace in spots])
        self.heading.set_values(self.pane.values(moment))

    def x_at(self, scene: QPointF) -> float | None:
        """Return x under a point of the scene; None outside the plot's area."""
        if not self.box.sceneBoundingRect().contains(scene):
            return None
        return float(self.box.mapSceneToView(scene).x())

    def measure(self, scene: QPointF) -> str | None:
        """Mark the sample nearest to a point of the scene, and return its coordinates in words."""
        at = self.box.mapSceneToView(scene)
        wide, high = self.box.viewPixelSize()
        found: tuple[float, Trace, float, float] | None = None
        for trace in self.pane.traces:
            near = np.abs(trace.x - at.x()) <= NEAR * wide
            y = np.log10(trace.y[near]) if self.pane.log else trace.y[near]
            away = np.hypot((trace.x[near] - at.x()) / wide, (y - at.y()) / high)
            if np.isfinite(away).any():
                k = int(np.nanargmin(away))
                if found is None or away[k] < found[0]:
                    found = (float(away[k]), trace, float(trace.x[near][k]), float(y[k]))
        if found is None:
            return None
        _, trace, x, y_drawn = found
        value = 10.0**y_drawn if self.pane.log else y_drawn
        unit = self.pane.unit
        words = f"{self.pane.x_words(x)}, {self.pane.number(value)}{'' if unit == '°' else ' '}{unit}".strip()
        self._point(x, y_drawn, words, trace)
        name = f" ({trace.name})" if trace.name else ""
        return f"{self.pane.title}, {self.pane.detail}{name}: {words}"

    def _point(self, x: float, y: float, words: str, trace: Trace) -> None:
        theme, colour = self.style_.theme, self.style_.colour(trace.colour)
        dot = pg.ScatterPlotItem([x], [y], size=8, brush=colour, pen=QPen(QColor(theme.panel)))
        (left, right), (low, high) = self.box.viewRange()
        anchor = (1.1 if x > 0.5 * (left + right) else -0.1, -0.2 if y > 0.5 * (low + high) else 1.2)
        fill = QColor(theme.panel)
        fill.setAlphaF(0.85)
        text = pg.TextItem(words, color=QColor(theme.text), anchor=anchor, fill=fill, border=QPen(QColor(theme.line)))
        text.setFont(self.style_.font(-0.5))
        text.setPos(x, y)
        for item in (dot, text):
            item.setZValue(30)
            self.box.addItem(item, ignoreBounds=True)
            self._points.append(item)

    def clear_points(self) -> None:
        """Take measured points away."""
        for item in self._points:
            self.box.removeItem(item)
        self._points.clear()

    @property
    def points(self) -> Sequence[pg.GraphicsObject]:
        """Measured points and their words."""
        return tuple(self._points)


def heading_of(pane: Pane, style: PlotStyle, on_screen: bool = True) -> Heading:
    """Heading of a plot, which names its curves where their colours do not say what they are.

    on_screen : leave room for values at the cursor
    """
    listed = pane.listed
    compared = len({trace.curve.compared for trace in listed}) > 1
    named = len(listed) > 1 and (compared or any(_needs_name(trace) for trace in listed))
    entries = [(trace.name, style.line(trace)) for trace in listed]
    heading = Heading(style, pane.title, pane.detail, pane.unit, entries, named)
    if on_screen:
        heading.reserve(pane.longest_numbers)
    over = [(trace.name, trace.over.words) for trace in pane.traces if trace.over is not None]
    if over:
        lines = "\n".join(f"{name}: {words}" if name else words for name, words in over)
        heading.setToolTip(f"{heading.toolTip()}\n{lines}")
    return heading


def _needs_name(trace: Trace) -> bool:
    """Whether the colour alone does not say what a curve is."""
    return isinstance(trace.colour, int) or (trace.colour == MIDDLE and bool(trace.name)) or trace.faint
