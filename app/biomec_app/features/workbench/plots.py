"""Curves of the shown runs, a pane for every quantity; the line of the moment can be dragged."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from biomec.machines.study import Run
from biomec_app.features.workbench.bench import Bench
from biomec_app.features.workbench.results import TIME_LABEL, RunPane, panes, quantities
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.plots.plot_grid import PlotGrid
from biomec_app.session.plot_view import PlotView

AT_FIRST = 2  # panes that are shown before the user has chosen
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
        self.over = ""  # what curves are plotted over; empty: time
        self._study = ""  # of the newest run that is shown
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
        self.grid = PlotGrid(LIGHT)
        self.grid.moment_asked.connect(bench.set_time)
        self.area.setWidget(self.grid)
        self.axis = QComboBox()
        self.axis.setObjectName("workbench.over")
        self.axis.setAccessibleName("Plotted over")
        self.axis.setToolTip("What the curves are plotted over")
        self.axis.setMinimumContentsLength(6)
        self.axis.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.axis.addItem(TIME_LABEL, "")
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
        bench.time_changed.connect(self.grid.set_moment)
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
            self.axis.addItem(TIME_LABEL, "")
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
        self.grid.show_panes(self.chosen, PlotView(), self._theme, self.bench.time_s)
        self._wheel()

    def _wheel(self) -> None:
        self.grid.set_scrolls(self.grid.minimumHeight() > self.area.viewport().height())

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""
        self._theme = theme
        self.area.setStyleSheet(f"QScrollArea {{ background: {theme.panel}; }}")
        self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the wheel to plots that all fit."""
        super().resizeEvent(event)
        self._wheel()
