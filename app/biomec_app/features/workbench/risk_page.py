"""What many blows to the head found: a map over directions, and every blow in a table."""

from __future__ import annotations

import csv
import io
import math

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from biomec.base.plain_text import table
from biomec.machines.head_neck.direction_map import SWEEP, WORDS, SweepTable, sweep_table_of
from biomec.machines.study import Run
from biomec_app.features.workbench.bench import Bench
from biomec_app.features.workbench.neck_map import picture, side_at
from biomec_app.kit.clipboard import copy_text
from biomec_app.kit.dialog_parts import explanation
from biomec_app.kit.painter import Painter
from biomec_app.kit.theme import LIGHT, Theme

NOTHING = "Many blows to the head appear here. Choose the analysis Blows to the head, varied, and press Run (F5)."
BY_DIRECTION = "Click the map, or press Enter in the table: the next blow comes from there."
NO_MAP = "A map appears if the direction is varied."


class RiskPage(QWidget):
    """Chooser of a figure over its map, beside the table; ``side_asked``: a direction of the map was clicked."""

    side_asked = Signal(object)

    def __init__(self, bench: Bench, painter: Painter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.content: SweepTable | None = None
        self._run: Run | None = None
        self.combo = QComboBox()
        self.combo.setObjectName("workbench.risk-figure")
        self.combo.setAccessibleName("Figure of the map")
        self.combo.setToolTip("What the map shows")
        for key, (words, unit, _) in WORDS.items():
            self.combo.addItem(f"{words} [{unit}]" if unit else words, key)
        self.words = explanation(NOTHING)
        self.map = RiskMap(painter)
        self.combo.currentIndexChanged.connect(lambda _: self.map.show_map(self.content, self.figure))
        self.map.side_asked.connect(self.side_asked)
        self.table = QTableWidget()
        self.table.setObjectName("workbench.risk-table")
        self.table.setAccessibleName("Blows")
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setAlternatingRowColors(True)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.itemActivated.connect(self._activated)
        self.copy_button = QPushButton("Co&py Table")
        self.copy_button.setObjectName("workbench.copy-risks")
        self.copy_button.setToolTip("Copy the table, for a spreadsheet")
        self.copy_button.clicked.connect(lambda checked=False: copy_text(self.text))
        self.label = QLabel("&Map of")
        self.label.setBuddy(self.combo)
        row = QHBoxLayout()
        row.addWidget(self.label)
        row.addWidget(self.combo)
        row.addStretch(1)
        row.addWidget(self.copy_button)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(self.map)
        self.split.addWidget(self.table)
        self.split.setSizes([520, 260])
        self.split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(4)
        layout.addLayout(row)
        layout.addWidget(self.split, 1)
        layout.addWidget(self.words)
        bench.runs_changed.connect(self.refresh)
        self.refresh()

    @property
    def figure(self) -> str:
        """Key of the figure that is mapped."""
        return str(self.combo.currentData())

    @property
    def text(self) -> str:
        """The table with tabs, for the clipboard."""
        if self._run is None:
            return ""
        return table(csv.reader(io.StringIO(self._run.files["sweep.csv"])), "\t")

    def refresh(self) -> None:
        """Show the chosen sweep, or the last that is shown."""
        bench = self.bench
        listed = (one.run for one in (bench.current, *reversed(bench.shown)) if one is not None)
        run = next((one for one in listed if one.study == SWEEP), None)
        if run is self._run and run is not None:
            return
        self._run, self.content = run, sweep_table_of(run) if run is not None else None
        mapped = self.content is not None and self.content.sides is not None
        self.words.setText(NOTHING if run is None else BY_DIRECTION if mapped else NO_MAP)
        self.label.setVisible(mapped)
        self.combo.setVisible(mapped)
        self.map.setVisible(mapped)
        self.split.setVisible(run is not None)
        self.copy_button.setVisible(run is not None)
        self._fill()
        self.map.show_map(self.content, self.figure)

    def _fill(self) -> None:
        """Write the table; a click on a heading sorts it."""
        listed, content = self.table, self.content
        listed.setSortingEnabled(False)
        keys = tuple(WORDS) if content is not None else ()
        listed.setColumnCount(1 + len(keys))
        listed.setHorizontalHeaderLabels(["Blow", *(_heading(key) for key in keys)])
        listed.setRowCount(len(content.blows) if content is not None else 0)
        for row, name in enumerate(content.blows if content is not None else ()):
            first = QTableWidgetItem(name)
            first.setData(Qt.ItemDataRole.UserRole, row)
            listed.setItem(row, 0, first)
            for column, key in enumerate(keys, 1):
                assert content is not None
                value = float(content.values[key][row])
                item = QTableWidgetItem()
                item.setData(Qt.ItemDataRole.DisplayRole, float(f"{value:.4g}") if math.isfinite(value) else "–")
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                listed.setItem(row, column, item)
        listed.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        listed.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        listed.setSortingEnabled(True)
        listed.sortByColumn(-1, Qt.SortOrder.AscendingOrder)

    def _activated(self, item: QTableWidgetItem) -> None:
        """Enter or a double-click on a row: the next blow comes from its direction."""
        first = self.table.item(item.row(), 0)
        if self.content is not None and self.content.sides is not None and first is not None:
            self.side_asked.emit(self.content.sides[int(first.data(Qt.ItemDataRole.UserRole))])

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""
        self.map.set_theme(theme)


def _heading(key: str) -> str:
    words, unit, _ = WORDS[key]
    return f"{words}\n[{unit}]" if unit else words


class RiskMap(QWidget):
    """The map, drawn beside the window's thread."""

    side_asked = Signal(object)

    def __init__(self, painter: Painter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("workbench.risk-map")
        self.setAccessibleName("Map over directions")
        self.setMinimumSize(260, 170)
        self._painter = painter
        self._theme: Theme = LIGHT
        self._content: SweepTable | None = None
        self._figure = ""
        self.image: QImage | None = None

    def sizeHint(self) -> QSize:
        """A comfortable size."""
        return QSize(520, 280)

    def show_map(self, content: SweepTable | None, figure: str) -> None:
        """Show a figure of a sweep over directions; of another sweep nothing."""
        self._content = content if content is not None and content.sides is not None else None
        self._figure = figure
        self._ask()

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""
        self._theme = theme
        self._ask()

    def _ask(self) -> None:
        content, figure, theme = self._content, self._figure, self._theme
        size, ratio = (max(self.width(), 260), max(self.height(), 170)), self.devicePixelRatioF()
        if content is None:
            self.image = None
            self.update()
        elif self.isVisible():
            self._painter.paint("risk map", lambda: picture(content, figure, theme, size, ratio), self._drawn)

    def _drawn(self, image: QImage | None, fault: Exception | None) -> None:
        if fault is not None:
            raise fault
        self.image = image
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Show the picture, as large as the widget is until a new one is there."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.panel))
        if self.image is not None:
            painter.drawImage(self.rect(), self.image)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Draw in the new size."""
        self._ask()

    def showEvent(self, event: object) -> None:
        """Draw what was not drawn while it was hidden."""
        self._ask()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let the next blow come from the direction under the mouse."""
        place = event.position()
        side = side_at(place.x(), place.y(), (float(self.width()), float(self.height())))
        if side is not None and self._content is not None:
            self.side_asked.emit(side)
