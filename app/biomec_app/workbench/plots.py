"""Curves of the shown runs, a pane for every quantity; the line of the moment can be dragged."""

from __future__ import annotations

import math

import pyqtgraph as pg
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QListWidget, QListWidgetItem, QSplitter, QStackedWidget, QWidget

from biomec_app.panels.plot_axis import Axis
from biomec_app.panels.plot_style import DASHES, WIDTH, PlotStyle
from biomec_app.theme import LIGHT, Theme
from biomec_app.workbench.bench import Bench
from biomec_app.workbench.results import Line, Pane, panes

AT_FIRST = 2  # panes that are shown before the user has chosen
COLUMNS = 2
MOST = 12  # names in a legend; more would hide the curves
NONE = "Curves of runs appear here. Choose an analysis at the right and press Run (F5)."


class Plots(QWidget):
    """List of quantities beside their panes."""

    def __init__(self, bench: Bench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self._theme: Theme = LIGHT
        self.panes: tuple[Pane, ...] = ()
        self._wanted: dict[str, bool] = {}  # what the user has ticked or not
        self._drawn: tuple[object, ...] = ()
        self.cursors: list[pg.InfiniteLine] = []
        self.plots: dict[str, pg.PlotItem] = {}
        self._titles: dict[str, Pane] = {}
        self.list = QListWidget()
        self.list.setObjectName("workbench.quantities")
        self.list.setAccessibleName("Quantities")
        self.list.setToolTip("Tick the quantities to be plotted")
        self.list.setMinimumWidth(90)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemChanged.connect(self._ticked)
        self.canvas = pg.GraphicsLayoutWidget()
        self.canvas.setObjectName("workbench.plots")
        self.canvas.setAccessibleName("Curves")
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.list)
        split.addWidget(self.canvas)
        split.setStretchFactor(1, 1)
        split.setSizes([150, 600])
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
        """Show the curves of the shown runs, if they are others than before."""
        shown = {kept.name: kept.run for kept in self.bench.shown}
        state = (tuple(shown), tuple(map(id, shown.values())))
        if state == self._drawn:
            return
        self._drawn = state
        self.panes = panes(shown)
        self.pages.setCurrentIndex(1 if self.panes else 0)
        if shown and not self.panes:
            self.nothing.setText("The chosen runs have no curves; look at Figures and Text.")
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
    def chosen(self) -> tuple[Pane, ...]:
        """Panes that are ticked."""
        return tuple(pane for pane in self.panes if self._wanted.get(pane.key))

    # ------------------------------------------------------------------ drawing

    def _draw(self) -> None:
        self.canvas.clear()
        self.cursors, self.plots = [], {}
        style = PlotStyle(self._theme)
        self._titles = {pane.key: pane for pane in self.chosen}
        for k, pane in enumerate(self.chosen):
            axes = {side: Axis(side) for side in ("left", "bottom")}
            plot = self.canvas.addPlot(k // COLUMNS, k % COLUMNS, axisItems=axes)
            self._dress(plot, pane, style)
            for line in pane.lines:
                plot.addItem(
                    pg.PlotCurveItem(
                        line.time_s, line.values, pen=self._pen(line, style), connect="finite", antialias=True
                    )
                )
            cursor = pg.InfiniteLine(self.bench.time_s, movable=True, pen=style.cursor)
            cursor.setCursor(Qt.CursorShape.SizeHorCursor)
            cursor.sigDragged.connect(self._dragged)
            plot.addItem(cursor, ignoreBounds=True)
            self.cursors.append(cursor)
            self.plots[pane.key] = plot
        self._tell_values()

    def _dress(self, plot: pg.PlotItem, pane: Pane, style: PlotStyle) -> None:
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
        plot.setLabel("bottom", "time [s]", color=theme.text)
        names = list(dict.fromkeys((line.name, line.run) for line in pane.lines))
        several = len({run for _, run in names}) > 1
        if 1 < len(names) <= MOST:
            legend = plot.addLegend(offset=(-6, 4), labelTextColor=theme.text, labelTextSize="8pt", verSpacing=-6)
            ground = QColor(theme.panel)
            ground.setAlphaF(0.75)
            legend.setBrush(ground)
            for line in pane.lines:
                words = f"{line.name} · {line.run}" if several else line.name
                legend.addItem(pg.PlotDataItem(pen=self._pen(line, style)), words)

    def _pen(self, line: Line, style: PlotStyle) -> QPen:
        pen = QPen(style.colour(line.colour), WIDTH)
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

    def _tell_values(self) -> None:
        """Write the values of the moment above every pane."""
        style = PlotStyle(self._theme)
        for key, plot in self.plots.items():
            pane = self._titles[key]
            told = []
            for line in pane.lines:
                value = line.at(self.bench.time_s)
                if math.isfinite(value):
                    colour = style.colour(line.colour).name()
                    told.append(f'<span style="color:{colour}">{value:.4g}</span>'.replace("-", "−"))
            values = "&nbsp; ".join(told) if len(told) <= MOST // 2 else ""
            plot.setTitle(f"<b>{key}</b>&nbsp;&nbsp; {values}", color=self._theme.text, size="9pt")

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""
        self._theme = theme
        self.canvas.setBackground(theme.panel)
        self._draw()
