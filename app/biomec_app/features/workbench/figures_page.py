"""Headline figures of the shown runs as a table, with differences where there are several."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from biomec_app.features.workbench.bench import Bench
from biomec_app.features.workbench.results import FigureTable, figure_table
from biomec_app.kit.clipboard import copy_text
from biomec_app.kit.dialog_parts import explanation

NONE = "Headline figures of runs appear here. Tick several runs to see their differences."
ONE = "Tick several runs to see their differences."
SEVERAL = "Δ: difference to the first run."


class FiguresPage(QWidget):
    """The table, and a button that copies it."""

    def __init__(self, bench: Bench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.content: FigureTable = figure_table({})
        self.words = explanation(NONE)
        self.table = QTableWidget()
        self.table.setObjectName("workbench.figures")
        self.table.setAccessibleName("Headline figures")
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setAlternatingRowColors(True)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.copy_button = QPushButton("Co&py Table")
        self.copy_button.setObjectName("workbench.copy-figures")
        self.copy_button.setToolTip("Copy the table, for a spreadsheet")
        self.copy_button.clicked.connect(lambda checked=False: copy_text(self.content.text()))
        row = QHBoxLayout()
        row.addWidget(self.words, 1)
        row.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(4)
        layout.addWidget(self.table, 1)
        layout.addLayout(row)
        bench.runs_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the figures of the shown runs."""
        shown = {kept.name: kept.run for kept in self.bench.shown}
        self.content = content = figure_table(shown)
        any_rows = bool(content.rows)
        self.words.setText((ONE if len(shown) == 1 else SEVERAL) if any_rows else NONE)
        middle = Qt.AlignmentFlag.AlignVCenter
        self.words.setAlignment(middle | (Qt.AlignmentFlag.AlignLeft if any_rows else Qt.AlignmentFlag.AlignHCenter))
        self.table.setVisible(any_rows)
        self.copy_button.setVisible(any_rows)
        self.table.setColumnCount(2 + len(content.columns))
        self.table.setHorizontalHeaderLabels(["Figure", "Unit", *content.columns])
        self.table.setRowCount(len(content.rows))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for row, (key, words, unit, cells) in enumerate(content.rows):
            for column, text in enumerate((words, unit, *cells)):
                item = QTableWidgetItem(text)
                if column > 1:
                    item.setTextAlignment(right)
                item.setToolTip(key if column == 0 else text)
                self.table.setItem(row, column, item)
        head = self.table.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
