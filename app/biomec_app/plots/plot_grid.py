"""Plots side by side in one scene, which is drawn on the screen and into files alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from biomec.body.loads.load_components import METHODS
from biomec.recording.marker_set import Side
from biomec_app.curves.curve import DOUBTFUL, WHY_DOUBTFUL
from biomec_app.kit.theme import Theme
from biomec_app.plots.pane_item import BOTTOM_AXIS, PaneItem, heading_of
from biomec_app.plots.plot_content import cycles_in_words
from biomec_app.plots.plot_items import Footer, Heading, LegendLook, PlotLegend
from biomec_app.plots.plot_pane import (
    BORDER,
    CONDITIONS,
    EVENT,
    LEFT,
    MIDDLE,
    OFF,
    RIGHT,
    STRIKE,
    Mark,
    Pane,
)
from biomec_app.plots.plot_style import FAINT_WIDTH, WIDTH, PlotStyle, dashed
from biomec_app.session.plot_view import FIT, TIME, PlotView

ROOM = 180  # pixels that a plot should be wide
LOWEST = 86  # pixels of height of the area of a plot, below its heading
MOST_COLUMNS = 3
HEADED, ABOVE = 70, 60  # pixels of the heading and axis of a plot, and of legend and label of all, nearly
FLATTEST = 0.25  # below this it is wide for nothing
STEEPEST = 0.8  # height of the area of a plot over its width, at most: a taller one makes slopes look steeper
MARGIN, RIGHT_MARGIN, EDGE = 8.0, 16.0, 4.0  # around all plots
BETWEEN, GAP = 14.0, 8.0  # columns, rows


class PlotGrid(pg.GraphicsView):
    """All plots of the panel.

    moment_asked   : the user wants to see this moment: a frame of a recording
    window_chosen  : the user zoomed or moved time to this stretch (begin, end)
    measured       : the coordinates of a sample, in words
    menu_asked     : a right click, with its place on the screen
    """

    moment_asked = Signal(float)
    window_chosen = Signal(float, float)
    measured = Signal(str)
    menu_asked = Signal(QPointF)

    def __init__(self, theme: Theme, parent: QWidget | None = None, weight: float | None = None) -> None:
        super().__init__(parent, useOpenGL=False, background=None)
        self._weight = weight  # of pens; None: that of the screen
        self.style_ = PlotStyle(theme)
        self.items_: list[PaneItem] = []
        self.legend: PlotLegend | None = None
        self.footer = Footer(self.style_, "")
        self.building: Iterator[None] = iter(())
        self._view, self._columns, self._moment = PlotView(), 1, 0.0
        self._panes: tuple[Pane, ...] = ()
        self._headings: list[Heading] = []
        self._places: list[QRectF] = []
        self._scrolls = False
        self._on_screen = True
        self._centre = pg.GraphicsWidget()
        self.setCentralItem(self._centre)
        self.setFrameShape(self.Shape.NoFrame)
        self.setBackground(QColor(theme.panel))
        self.setAccessibleName("Plots")
        self.scene().sigMouseClicked.connect(self._clicked)

    # ------------------------------------------------------------------ content

    def show_panes(self, panes: Sequence[Pane], view: PlotView, theme: Theme, moment: float | None) -> None:
        """Draw these plots now; without a moment there is no cursor."""
        self.begin(panes, view, theme, moment)
        for _ in self.building:
            pass

    def begin(self, panes: Sequence[Pane], view: PlotView, theme: Theme, moment: float | None) -> None:
        """Make room for these plots; each step of `building` then makes one of them."""
        self.style_ = PlotStyle(theme, self.devicePixelRatioF() if self._weight is None else self._weight)
        self._view, self._panes = view, tuple(panes)
        self.setBackground(QColor(theme.panel))
        self._moment = moment or 0.0
        self._columns = self.columns_for(*self._room())
        self._on_screen = moment is not None
        self._begin()

    def _room(self) -> tuple[int, int]:
        """Width that there is with a scroll bar, so that columns do not come and go with it; height."""
        viewport = self.parentWidget()
        area = None if viewport is None else viewport.parentWidget()
        if isinstance(area, QScrollArea):
            return area.width() - area.verticalScrollBar().sizeHint().width(), area.height()
        return self.width(), self.height()

    def columns_for(self, width: float, height: float = 0.0) -> int:
        """Columns that the user wants, or those by which plots become largest; as many as fit where they scroll."""
        panes = len(self._panes)
        if self._view.columns != FIT:
            return max(1, min(self._view.columns, panes))
        most = max(1, min(MOST_COLUMNS, int(width // ROOM), panes))

        def size(columns: int) -> tuple[float, int]:
            """Area of a plot; of equal ones, such as those that are as low as can be, more columns."""
            rows = -(-panes // columns)
            wide = width / columns
            high = min(STEEPEST * wide, max(0.0, height - ABOVE) / max(1, rows) - HEADED)
            return (wide * high if high >= max(LOWEST, FLATTEST * wide) else 0.0), columns

        return max(range(1, most + 1), key=size)

    def _begin(self) -> None:
        old = self._centre
        self._centre = pg.GraphicsWidget()
        self.setCentralItem(self._centre)
        old.close()
        if old.scene() is not None:
            old.scene().removeItem(old)
        self.legend = PlotLegend(self.style_, legend_of(self._panes, self.style_))
        self.legend.setParentItem(self._centre)
        doubtful = any(words == DOUBTFUL for words, _ in self.legend.entries)
        self.legend.setToolTip(WHY_DOUBTFUL if doubtful else "")
        self.footer = Footer(self.style_, self._panes[0].x_label if self._panes else "")
        self.footer.setParentItem(self._centre)
        self.items_ = []
        self._headings = [heading_of(pane, self.style_, self._on_screen) for pane in self._panes]
        self._scrolls = False
        self._fit()
        self.building = self._build()

    def _build(self) -> Iterator[None]:
        """Make one plot a step; all have their places already."""
        for pane, heading in zip(self._panes, self._headings, strict=True):
            item = PaneItem(pane, self._view, self.style_, heading, self._on_screen)
            item.setParentItem(self._centre)
            item.setGeometry(self._places[len(self.items_)])
            item.dragged.connect(self._dragged)
            item.zoomed.connect(self._zoomed)
            item.box.scrolls = self._scrolls
            if self._view.linked and self.items_:
                item.box.setXLink(self.items_[0].box)
            elif self._view.over == TIME:
                item.set_window(self._view.window_s)
            self.items_.append(item)
            if self._on_screen:
                item.set_moment(self._moment)
            yield

    @property
    def needed_height(self) -> int:
        """Pixels below which plots would become too low to read."""
        return round(sum(self._lows()) + GAP * len(self._lows()) + self._above + self.footer.high + 2.0 * EDGE)

    @property
    def _above(self) -> float:
        """Height of the legend."""
        return self.legend.high + GAP if self.legend is not None and self.legend.entries else 0.0

    def _lows(self) -> list[float]:
        """Smallest height of every row."""
        high = [heading.high for heading in self._headings]
        rows = range(0, len(high), self._columns)
        return [max(high[k : k + self._columns]) + LOWEST + BOTTOM_AXIS for k in rows]

    def _fit(self) -> None:
        """Give headings and legend the lines that they need in the present width, and every plot its place."""
        across = max(60.0, self.width() - MARGIN - RIGHT_MARGIN)
        width = max(60.0, (across - BETWEEN * (self._columns - 1)) / self._columns)
        for heading in self._headings:
            heading.fit(width)
        if self.legend is not None:
            self.legend.fit(across)
        self.setMinimumHeight(self.needed_height if self._panes else 0)
        lows = self._lows()
        spare = (max(self.height(), self.needed_height) - self.needed_height) / max(1, len(lows))
        more = min(spare, max(0.0, STEEPEST * width - LOWEST))  # no plot is higher than it is wide
        y = EDGE
        if self.legend is not None:
            self.legend.setGeometry(QRectF(MARGIN, y, across, self.legend.high))
        y += self._above
        self._places = []
        for row, low in enumerate(lows):
            for k in range(row * self._columns, min(len(self._panes), (row + 1) * self._columns)):
                x = MARGIN + (k % self._columns) * (width + BETWEEN)
                self._places.append(QRectF(x, y, width, low + more))
            y += low + more + GAP
        self.footer.setGeometry(QRectF(MARGIN, y, across, self.footer.high))
        for item, place in zip(self.items_, self._places, strict=False):
            item.setGeometry(place)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Take more or fewer columns."""
        super().resizeEvent(event)
        if not hasattr(self, "_places") or not self._panes:
            return
        columns = self.columns_for(*self._room())
        if columns != self._columns:
            self._columns = columns
            QTimer.singleShot(0, self, self.updateGeometry)  # the area around is busy with this very resizing
        self._fit()

    def set_scrolls(self, scrolls: bool) -> None:
        """Say whether the wheel belongs to the panel around."""
        self._scrolls = scrolls
        for item in self.items_:
            item.box.scrolls = scrolls

    # ------------------------------------------------------------------ time

    def set_moment(self, moment: float) -> None:
        """Move the cursor of every plot."""
        self._moment = moment
        for item in self.items_:
            item.set_moment(moment)

    def set_window(self, window: tuple[float, float] | None) -> None:
        """Show a stretch of time in every plot."""
        self._view = replace(self._view, window_s=window)
        linked = self.items_[:1] if self._view.linked else self.items_
        for item in linked:
            if self._view.over == TIME or window is None:
                item.set_window(window)

    @property
    def windows(self) -> tuple[tuple[float, float], ...]:
        """What every plot shows."""
        return tuple(item.visible_x for item in self.items_)

    def set_range(self, values: tuple[float, float] | None) -> None:
        """Show these values in every plot, or in each its own."""
        for item in self.items_:
            item.set_range(values)

    def _dragged(self, item: PaneItem, x: float) -> None:
        self.moment_asked.emit(item.pane.moment_of(x, self._moment))

    def _zoomed(self, item: PaneItem) -> None:
        self.window_chosen.emit(*item.visible_x)

    def _clicked(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.RightButton:
            self.menu_asked.emit(QPointF(event.screenPos()))
            return
        if event.button() == Qt.MouseButton.LeftButton:
            self.click(event.scenePos())

    def click(self, scene: QPointF) -> None:
        """Measure the sample, or go to the time, at a point of the scene."""
        for item in self.items_:
            x = item.x_at(scene)
            if x is None:
                continue
            if self._view.measure:
                words = item.measure(scene)
                if words:
                    self.measured.emit(words)
            else:
                self.moment_asked.emit(item.pane.moment_of(x, self._moment))
            return

    def clear_points(self) -> None:
        """Take measured points away."""
        for item in self.items_:
            item.clear_points()

    # ------------------------------------------------------------------ drawing into files

    def settle(self) -> None:
        """Lay everything out now, not when the event loop comes to it."""
        for _ in range(2):
            QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
            for item in self.items_:
                item.layout().activate()

    def paint_on(self, painter: QPainter, target: QRectF) -> None:
        """Draw all plots into a rectangle of another device."""
        self.settle()
        self.scene().prepareForPaint()
        self.scene().render(painter, target, self.viewRect(), Qt.AspectRatioMode.KeepAspectRatio)


MARK_WORDS = {
    BORDER: "cycle", STRIKE: "foot strike", OFF: "foot off", EVENT: "event",
}  # fmt: skip


def legend_of(panes: Sequence[Pane], style: PlotStyle) -> list[LegendLook]:
    """What the colours and lines of these plots mean; before it, how the curves were computed."""
    traces = [trace for pane in panes for trace in pane.traces]
    made = dict.fromkeys(words for trace in traces for words in trace.curve.made)
    entries: list[LegendLook] = [(words, None) for words in made]
    for side in (RIGHT, LEFT):
        if any(trace.colour == side for trace in traces):
            entries.append((side, style.cosmetic(QPen(style.colour(side), 2.5))))
    entries += [
        (name, style.cosmetic(QPen(style.colour(colour), 2.5)))
        for name, colour in dict.fromkeys((trace.name, trace.colour) for trace in traces if trace.colour in CONDITIONS)
    ]
    methods = dict.fromkeys((trace.curve.said, trace.curve.dashed, trace.faint) for trace in traces if trace.curve.said)
    in_heading = len(methods) == 1 and bool(made)  # the head names the only method
    if any(number or words in METHODS for words, number, _ in methods) and not in_heading:
        entries += [(words, _stroke(style, number, faint)) for words, number, faint in methods]
    elif any(isinstance(trace.colour, int) and trace.curve.side is Side.LEFT for trace in traces):
        entries += [("right", _stroke(style, 0)), ("left", _stroke(style, 1))]
    if any(trace.sd is not None and trace.over is None for trace in traces):
        entries.append(("how far it may be off", _grey(style, 0.35)))
    elif any(trace.sd is not None for trace in traces):
        entries.append((f"mean ± SD of {cycles_in_words(panes)}", _grey(style, 0.35)))
    elif any(trace.singles is not None for trace in traces):
        entries.append((f"{cycles_in_words(panes)}; bold: their mean", style.cosmetic(QPen(_grey(style, 0.6), 1.0))))
    elif any(trace.over is not None for trace in traces):
        entries.append((cycles_in_words(panes), style.cosmetic(QPen(_grey(style, 0.6), 1.0))))
    kinds: dict[str, Mark] = {}
    for mark in (mark for pane in panes for mark in pane.marks):
        if mark.kind not in kinds or mark.colour == MIDDLE:
            kinds[mark.kind] = mark
    for kind, mark in kinds.items():
        pen = style.mark(mark)
        if mark.colour != MIDDLE:  # each side has its own
            pen.setColor(_grey(style, 0.9))
        entries.append((MARK_WORDS.get(kind, mark.label), pen))
    if any(trace.sound_and_doubtful[1] is not None for trace in traces):
        entries.append((DOUBTFUL, style.doubt(_grey(style, 0.9))))
    entries += [(name, style.norm) for name in dict.fromkeys(pane.norm.name for pane in panes if pane.norm)]
    if any(len(pane.shade) for pane in panes):
        entries.append(("not converged", style.shade))
    return entries


def _stroke(style: PlotStyle, number: int, faint: bool = False) -> QPen:
    """Pen of whatever colour, with the dashes of a number."""
    pen = QPen(_grey(style, 0.5), FAINT_WIDTH) if faint else QPen(_grey(style, 1.0), WIDTH)
    return dashed(style.cosmetic(pen), number)


def _grey(style: PlotStyle, opacity: float) -> QColor:
    colour = QColor(style.theme.faint)
    colour.setAlphaF(opacity)
    return colour
