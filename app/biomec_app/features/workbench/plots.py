"""Curves of the shown runs, a pane for every quantity; the line of the moment can be dragged."""

from __future__ import annotations

import math
from html import escape

import pyqtgraph as pg
from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QColor, QPalette, QPen
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from biomec.machines.study import Run
from biomec_app.features.workbench.bench import Bench
from biomec_app.features.workbench.results import RunLine, RunPane, legend, panes, quantities
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.plots.plot_axis import Axis
from biomec_app.plots.plot_style import COLOURS, DASHES, WIDTH, PlotStyle

AT_FIRST = 2  # panes that are shown before the user has chosen
COLUMNS, MANY = 2, 5  # panes beside each other, and from how many on there is one more
MOST = 12  # names in a legend; more would not fit above a pane
AXIS, SIDE, RIM = 38, 52, 14.0  # pixels for the numbers of the axes, and for half of the last one
AGAIN = 150  # percent by which a colour that comes again is darker or lighter
LOWEST = 120  # pixels of axes that can be read
TIME = "time [s]"
NONE = "Curves of runs appear here. Choose an analysis at the right and press Run (F5)."


class Plots(QWidget):
    """List of quantities beside their panes."""

    def __init__(self, bench: Bench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self._theme: Theme = LIGHT
        self.panes: tuple[RunPane, ...] = ()
        self._wanted: dict[str, bool] = {}  # what the user has ticked or not
        self._drawn: tuple[object, ...] = ()
        self.cursors: list[pg.InfiniteLine] = []
        self.points: list[tuple[RunPane, pg.ScatterPlotItem]] = []
        self.over = ""  # what curves are plotted over; empty: time
        self._study = ""  # of the newest run that is shown
        self.plots: dict[str, pg.PlotItem] = {}
        self.legends: dict[str, QLabel] = {}
        self._titles: dict[str, RunPane] = {}
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self.show_now)
        self.list = QListWidget()
        self.list.setObjectName("workbench.quantities")
        self.list.setAccessibleName("Quantities")
        self.list.setToolTip("Tick the quantities to be plotted")
        self.list.setMinimumWidth(90)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemChanged.connect(self._ticked)
        self.area = QScrollArea()
        self.area.setObjectName("workbench.plots")
        self.area.setAccessibleName("Curves")
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.axis = QComboBox()
        self.axis.setObjectName("workbench.over")
        self.axis.setAccessibleName("Plotted over")
        self.axis.setToolTip("What the curves are plotted over")
        self.axis.setMinimumContentsLength(6)
        self.axis.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.axis.addItem(TIME, "")
        self.axis.currentIndexChanged.connect(self._plot_over)
        words = QLabel("o&ver")
        words.setBuddy(self.axis)
        below = QHBoxLayout()
        below.setContentsMargins(4, 0, 2, 2)
        below.addWidget(words)
        below.addWidget(self.axis, 1)
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        column.addWidget(self.list, 1)
        column.addLayout(below)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(side)
        split.addWidget(self.area)
        split.setStretchFactor(1, 1)
        split.setSizes([170, 600])
        split.setChildrenCollapsible(False)
        self.nothing = QLabel(NONE)
        self.nothing.setWordWrap(True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.nothing.setMargin(20)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.nothing)
        self.pages.addWidget(split)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.pages)
        bench.runs_changed.connect(self.refresh)
        bench.time_changed.connect(self._move_cursors)
        self.set_theme(LIGHT)

    # ------------------------------------------------------------------ content

    def refresh(self) -> None:
        """Show the curves of the shown runs in the next turn of the event loop, once for all that changes in this."""
        self._later.start()

    @property
    def is_pending(self) -> bool:
        """Whether curves are still to be shown."""
        return self._later.isActive()

    def show_now(self) -> None:
        """Show the curves of the shown runs, if they are others than before."""
        self._later.stop()
        shown = {kept.name: kept.run for kept in self.bench.shown}
        state = (tuple(shown), tuple(map(id, shown.values())))
        if state == self._drawn:
            return
        self._drawn = state
        self._offer(shown)
        self._fill()

    def _offer(self, shown: dict[str, Run]) -> None:
        """List what the curves can be plotted over; what was chosen stays, or it is as the run wants it."""
        there = quantities(shown)
        newest = next(reversed(shown.values()), None)
        if newest is not None and newest.study != self._study:
            self._study, self.over = newest.study, newest.over
        self.over = self.over if self.over in there else ""
        with QSignalBlocker(self.axis):
            self.axis.clear()
            self.axis.addItem(TIME, "")
            for key, words in there.items():
                self.axis.addItem(words, key)
            self.axis.setCurrentIndex(max(0, self.axis.findData(self.over)))

    def _plot_over(self, at: int) -> None:
        self.over = str(self.axis.itemData(at) or "")
        self._fill()

    def _fill(self) -> None:
        """List the quantities, and draw those that are ticked."""
        shown = {kept.name: kept.run for kept in self.bench.shown}
        self.panes = panes(shown, self.over)
        self.pages.setCurrentIndex(1 if self.panes else 0)
        if shown and not self.panes:
            self.nothing.setText("The chosen runs have no curves; look at Figures, or at Equations and Text.")
        elif not shown:
            self.nothing.setText(NONE)
        with QSignalBlocker(self.list):
            self.list.clear()
            keys = [pane.key for pane in self.panes]
            if not any(self._wanted.get(key) for key in keys):
                self._wanted.update({key: k < AT_FIRST for k, key in enumerate(keys)})
            for pane in self.panes:
                item = QListWidgetItem(pane.key)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                ticked = self._wanted.setdefault(pane.key, False)
                item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
                item.setToolTip(pane.key)
                self.list.addItem(item)
        self._draw()

    def _ticked(self, item: QListWidgetItem) -> None:
        self._wanted[item.text()] = item.checkState() == Qt.CheckState.Checked
        self._draw()

    def tick(self, key: str, on: bool = True) -> None:
        """Show or hide a quantity."""
        for item in self.list.findItems(key, Qt.MatchFlag.MatchExactly):
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)

    @property
    def chosen(self) -> tuple[RunPane, ...]:
        """Panes that are ticked."""
        return tuple(pane for pane in self.panes if self._wanted.get(pane.key))

    # ------------------------------------------------------------------ drawing

    def _draw(self) -> None:
        """Make a pane for every chosen quantity."""
        page, grid = QWidget(), QGridLayout()
        page.setLayout(grid)
        grid.setContentsMargins(4, 4, 4, 4)
        grid.setSpacing(6)
        self.cursors, self.points, self.plots, self.legends = [], [], {}, {}
        self._titles = {pane.key: pane for pane in self.chosen}
        columns = COLUMNS if len(self.chosen) < MANY else COLUMNS + 1
        for k, pane in enumerate(self.chosen):
            grid.addWidget(self._pane(pane), k // columns, k % columns)
        for k in range(min(columns, len(self.chosen))):
            grid.setColumnStretch(k, 1)
        self.area.setWidget(page)
        self._tell_values()

    def _pane(self, pane: RunPane) -> QWidget:
        """The legend over the axes."""
        style = PlotStyle(self._theme)
        words = QLabel()
        words.setTextFormat(Qt.TextFormat.RichText)
        words.setWordWrap(True)
        words.setMinimumWidth(1)
        words.setFont(style.font(-1.0))
        words.setContentsMargins(6, 3, 6, 0)
        axes = {side: Axis(side) for side in ("left", "bottom")}
        canvas = pg.PlotWidget(axisItems=axes, background=self._theme.panel)
        canvas.setMinimumHeight(LOWEST)
        canvas.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        canvas.setAccessibleName(pane.key)
        plot = canvas.getPlotItem()
        self._dress(plot, style)
        for line in pane.lines:
            curve = pg.PlotCurveItem(line.x, line.values, pen=self._pen(line, style), connect="finite", antialias=True)
            plot.addItem(curve)
        self._add_cursor(plot, pane, style)
        self.plots[pane.key], self.legends[pane.key] = plot, words
        made = QFrame()
        made.setAutoFillBackground(True)
        made.setBackgroundRole(QPalette.ColorRole.Base)
        column = QVBoxLayout(made)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(words)
        column.addWidget(canvas, 1)
        return made

    def _add_cursor(self, plot: pg.PlotItem, pane: RunPane, style: PlotStyle) -> None:
        """A line at the moment, or where curves are not over time a point on each."""
        if self.over:
            points = pg.ScatterPlotItem(size=8, pen=style.cursor)
            plot.addItem(points, ignoreBounds=True)
            self.points.append((pane, points))
            return
        cursor = pg.InfiniteLine(self.bench.time_s, movable=True, pen=style.cursor)
        cursor.setCursor(Qt.CursorShape.SizeHorCursor)
        cursor.sigDragged.connect(self._dragged)
        plot.addItem(cursor, ignoreBounds=True)
        self.cursors.append(cursor)

    def _dress(self, plot: pg.PlotItem, style: PlotStyle) -> None:
        theme = self._theme
        plot.hideButtons()
        plot.setMenuEnabled(False)
        plot.showGrid(x=True, y=True, alpha=0.15)
        for side in ("left", "bottom"):
            axis = plot.getAxis(side)
            axis.setPen(theme.faint)
            axis.setTextPen(theme.text)
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickFont=style.font(-1.0))
        plot.setLabel("bottom", escape(self.axis.currentText()) or TIME, color=theme.text)
        plot.getAxis("bottom").setHeight(AXIS)
        plot.getAxis("left").setWidth(SIDE)
        plot.layout.setContentsMargins(0.0, 0.0, RIM, 0.0)

    def _pen(self, line: RunLine, style: PlotStyle) -> QPen:
        pen = QPen(_colour(line.colour, style), WIDTH)
        pen.setCosmetic(True)
        dashes = DASHES[line.dash % len(DASHES)]
        if dashes:
            pen.setDashPattern(list(dashes))
        return pen

    # ------------------------------------------------------------------ the moment

    def _dragged(self, cursor: pg.InfiniteLine) -> None:
        self.bench.set_time(float(cursor.value()))

    def _move_cursors(self, time_s: float) -> None:
        for cursor in self.cursors:
            with QSignalBlocker(cursor):
                cursor.setValue(time_s)
        self._tell_values()

    def _move_points(self) -> None:
        style = PlotStyle(self._theme)
        for pane, points in self.points:
            spots = [(line.place(self.bench.time_s), _colour(line.colour, style)) for line in pane.lines]
            points.setData([{"pos": at, "brush": colour} for at, colour in spots if math.isfinite(sum(at))])

    def _tell_values(self) -> None:
        """Write names, and values of the moment, above every pane; they are the legend as well."""
        self._move_points()
        style = PlotStyle(self._theme)
        for key, label in self.legends.items():
            lines = legend(self._titles[key], self.bench.time_s)
            parts = [f'<span style="color:{_colour(k, style).name()}">{_held(words)}</span>' for k, words in lines]
            told = " &nbsp; ".join(parts) if len(parts) <= MOST else ""
            label.setText(f"<b>{escape(key)}</b> &nbsp; {told}")

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""
        self._theme = theme
        self._draw()


def _colour(number: int, style: PlotStyle) -> QColor:
    """Colour of a quantity; when the colours come again, they are paler or deeper."""
    again = number // COLOURS % 3
    colour = style.colour(number)
    return (colour, colour.darker(AGAIN), colour.lighter(AGAIN))[again]  # darker first: a lighter one fades into white


def _held(words: str) -> str:
    """Words that are not broken into lines, with true minus signs."""
    return escape(words).replace("-", "−").replace(" ", "&nbsp;").replace("|", "\u2060|\u2060")  # words are joined
