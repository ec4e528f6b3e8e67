"""Plots side by side in one scene, which is drawn on the screen and into files alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QApplication, QGraphicsGridLayout, QScrollArea, QWidget

from biomec_app.panels.pane_item import PaneItem
from biomec_app.panels.plot_content import BORDER, EVENT, LEFT, MIDDLE, OFF, RIGHT, STRIKE, TURN, Mark, Pane
from biomec_app.panels.plot_items import Footer, Legend
from biomec_app.panels.plot_style import PlotStyle
from biomec_app.panels.plot_view import FIT, PlotView
from biomec_app.theme import Theme

ROOM = 205  # pixels that a plot should be wide
LOWEST = 86  # pixels of height of the area of a plot, below its heading
MOST_COLUMNS = 3
MARGIN, RIGHT_MARGIN = 8.0, 16.0
MARK_WORDS = {
    BORDER: "cycle", TURN: "phase change", STRIKE: "foot strike", OFF: "foot off", EVENT: "event",
}  # fmt: skip


class PlotGrid(pg.GraphicsView):
    """All plots of the panel.

    frame_asked    : the user wants to see this frame
    window_chosen  : the user zoomed or moved time to this stretch (begin, end)
    measured       : the coordinates of a sample, in words
    menu_asked     : a right click, with its place on the screen
    """

    frame_asked = Signal(int)
    window_chosen = Signal(float, float)
    measured = Signal(str)
    menu_asked = Signal(QPointF)

    def __init__(self, theme: Theme, parent: QWidget | None = None, weight: float | None = None) -> None:
        super().__init__(parent, useOpenGL=False, background=None)
        self._weight = weight  # of pens; None: that of the screen
        self.style_ = PlotStyle(theme)
        self.items_: list[PaneItem] = []
        self.legend: Legend | None = None
        self._view, self._columns, self._frame = PlotView(), 0, 0
        self._panes: tuple[Pane, ...] = ()
        self._on_screen = True
        self._centre = pg.GraphicsWidget()
        self.setCentralItem(self._centre)
        self.setFrameShape(self.Shape.NoFrame)
        self.setBackground(QColor(theme.panel))
        self.setAccessibleName("Plots")
        self.scene().sigMouseClicked.connect(self._clicked)

    # ------------------------------------------------------------------ content

    def show_panes(self, panes: Sequence[Pane], view: PlotView, theme: Theme, frame: int | None) -> None:
        """Draw these plots; without a frame there is no cursor."""
        self.style_ = PlotStyle(theme, self.devicePixelRatioF() if self._weight is None else self._weight)
        self._view, self._panes = view, tuple(panes)
        self.setBackground(QColor(theme.panel))
        self._frame = frame or 0
        self._columns = self.columns_for(self._room())
        self._on_screen = frame is not None
        self._build()

    def _room(self) -> int:
        """Width that there is with a scroll bar, so that columns do not come and go with it."""
        viewport = self.parentWidget()
        area = None if viewport is None else viewport.parentWidget()
        if isinstance(area, QScrollArea):
            return area.width() - area.verticalScrollBar().sizeHint().width()
        return self.width()

    def columns_for(self, width: float) -> int:
        """Columns that the user wants, or that there is room for."""
        wanted = self._view.columns if self._view.columns != FIT else max(1, min(MOST_COLUMNS, int(width // ROOM)))
        return max(1, min(wanted, len(self._panes)))

    def _build(self) -> None:
        old = self._centre
        self._centre = pg.GraphicsWidget()
        layout = QGraphicsGridLayout()
        layout.setContentsMargins(MARGIN, 4.0, RIGHT_MARGIN, 4.0)
        layout.setHorizontalSpacing(14.0)
        layout.setVerticalSpacing(8.0)
        columns, count, on_screen = self._columns, len(self._panes), self._on_screen
        self.legend = Legend(self.style_, _legend(self._panes, self.style_))
        if self.legend.entries:
            layout.addItem(self.legend, 0, 0, 1, columns)
        self.items_ = []
        for k, pane in enumerate(self._panes):
            item = PaneItem(pane, self._view, self.style_, on_screen)
            layout.addItem(item, 1 + k // columns, k % columns)
            item.dragged.connect(self._dragged)
            item.zoomed.connect(self._zoomed)
            self.items_.append(item)
        for c in range(columns):
            layout.setColumnStretchFactor(c, 1)
            layout.setColumnPreferredWidth(c, 10.0)
        rows = -(-count // columns)
        for r in range(1, 1 + rows):
            layout.setRowStretchFactor(r, 1)
        if self._panes:
            layout.addItem(Footer(self.style_, self._panes[0].x_label), 1 + rows, 0, 1, columns)
        self._centre.setLayout(layout)
        self.setCentralItem(self._centre)
        old.close()
        if old.scene() is not None:
            old.scene().removeItem(old)
        if self._view.linked:
            for item in self.items_[1:]:
                item.box.setXLink(self.items_[0].box)
        self.set_window(self._view.window_s)
        self._fit()
        if self._on_screen:
            self.set_frame(self._frame)

    @property
    def needed_height(self) -> int:
        """Pixels below which plots would become too low to read."""
        rows: dict[int, float] = {}
        for k, item in enumerate(self.items_):
            low = item.heading.high + LOWEST + item.bottom.height()
            rows[k // self._columns] = max(rows.get(k // self._columns, 0.0), low)
        legend = 0.0 if self.legend is None else self.legend.high
        return round(sum(rows.values()) + 8.0 * len(rows) + legend + 28.0)

    def _fit(self) -> None:
        """Give headings and legend the lines that they need in the present width."""
        width = max(60.0, (self.width() - MARGIN - RIGHT_MARGIN - 14.0 * (self._columns - 1)) / max(1, self._columns))
        for item in self.items_:
            item.heading.fit(width)
        if self.legend is not None:
            self.legend.fit(max(60.0, self.width() - MARGIN - RIGHT_MARGIN))
        self.setMinimumHeight(self.needed_height if self.items_ else 0)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Take more or fewer columns."""
        super().resizeEvent(event)
        if not hasattr(self, "items_") or not self.items_:
            return
        if self.columns_for(self._room()) != self._columns:
            self._columns = self.columns_for(self._room())
            self._build()
            QTimer.singleShot(0, self.updateGeometry)  # the area around is busy with this very resizing
        else:
            self._fit()

    def set_scrolls(self, scrolls: bool) -> None:
        """Say whether the wheel belongs to the panel around."""
        for item in self.items_:
            item.box.scrolls = scrolls

    # ------------------------------------------------------------------ time

    def set_frame(self, frame: int) -> None:
        """Move the cursor of every plot."""
        self._frame = frame
        for item in self.items_:
            item.set_frame(frame)

    def set_window(self, window: tuple[float, float] | None) -> None:
        """Show a stretch of time in every plot."""
        linked = self.items_[:1] if self._view.linked else self.items_
        for item in linked:
            if self._view.over == "time" or window is None:
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
        self.frame_asked.emit(item.pane.frame_of(x, self._frame))

    def _zoomed(self, item: PaneItem) -> None:
        self.window_chosen.emit(*item.visible_x)

    def _clicked(self, event) -> None:  # type: ignore[no-untyped-def]
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
                self.frame_asked.emit(item.pane.frame_of(x, self._frame))
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
            activate: list[Callable[[], None]] = [self._centre.layout().activate]
            activate += [item.layout().activate for item in self.items_]
            for step in activate:
                step()

    def paint_on(self, painter: QPainter, target: QRectF) -> None:
        """Draw all plots into a rectangle of another device."""
        self.settle()
        self.scene().prepareForPaint()
        self.scene().render(painter, target, self.viewRect(), Qt.AspectRatioMode.KeepAspectRatio)


def _legend(panes: Sequence[Pane], style: PlotStyle) -> list[tuple[str, QPen | QColor]]:
    """What the colours and lines of these plots mean."""
    traces = [trace for pane in panes for trace in pane.traces]
    entries: list[tuple[str, QPen | QColor]] = []
    for side in (RIGHT, LEFT):
        if any(trace.colour == side for trace in traces):
            entries.append((side, style.cosmetic(QPen(style.colour(side), 2.5))))
    if any(trace.sd is not None for trace in traces):
        entries.append((f"± standard deviation of {_cycles(panes)}", _grey(style, 0.35)))
    elif any(trace.singles is not None for trace in traces):
        entries.append((f"{_cycles(panes)} and their mean", style.cosmetic(QPen(_grey(style, 0.6), 1.0))))
    kinds: dict[str, Mark] = {}
    for mark in (mark for pane in panes for mark in pane.marks):
        if mark.kind not in kinds or mark.colour == MIDDLE:
            kinds[mark.kind] = mark
    for kind, mark in kinds.items():
        pen = style.mark(mark)
        if mark.colour != MIDDLE:  # each side has its own
            pen.setColor(_grey(style, 0.9))
        entries.append((MARK_WORDS[kind], pen))
    if any(len(pane.shade) for pane in panes):
        entries.append(("not converged", style.shade))
    return entries


def _grey(style: PlotStyle, opacity: float) -> QColor:
    colour = QColor(style.theme.faint)
    colour.setAlphaF(opacity)
    return colour


def _cycles(panes: Sequence[Pane]) -> str:
    counts = sorted({int(t.cycles.valid.sum()) for pane in panes for t in pane.traces if t.cycles is not None})
    return f"{' or '.join(str(count) for count in counts)} cycle{'s' * (counts != [1])}"
