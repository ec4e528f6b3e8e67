"""Sections of sentences and tables on screen: read-only, chosen cells can be copied."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from biomec.base.plain_text import table as table_text
from biomec.reporting.tables import Section, Table

WIDEST, NARROWEST = 420, 150  # pixels of a column of words


def section_text(section: Section) -> str:
    """A section as text with tabs, for a spreadsheet or a letter."""
    lines = [section.title, *section.sentences]
    for table in section.tables:
        lines += ["", *([table.caption] if table.caption else [])]
        lines += table_text([*([table.columns] if any(table.columns) else []), *table.rows], "\t").splitlines()
        lines += [table.note] if table.note else []
    return "\n".join(lines) + "\n"


class TableView(QTableWidget):
    """A table of texts, as high as its rows up to a limit; Ctrl+C copies what is selected."""

    def __init__(self, table: Table, parent: QWidget | None = None) -> None:
        super().__init__(len(table.rows), len(table.columns), parent)
        self.setObjectName(f"table-{table.caption or 'facts'}")
        self.setAccessibleName(table.caption or "Facts")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setStyleSheet("QTableWidget::item { padding: 0px 6px; } QHeaderView::section { padding: 3px 6px; }")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrap(True)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(QFontMetrics(self.font()).height() + 8)
        self.setHorizontalHeaderLabels(table.columns)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.horizontalHeader().setVisible(any(table.columns))
        bold = QFont(self.font())
        bold.setBold(True)
        numeric = [k for k in range(1, len(table.columns)) if any(table.columns) and _is_number_column(table, k)]
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for i, row in enumerate(table.rows):
            for j, text in enumerate(row):
                item = QTableWidgetItem(text)
                item.setToolTip(text if len(text) > 60 else "")
                if j == 0:
                    item.setFont(bold)
                if j in numeric:
                    item.setTextAlignment(right)
                self.setItem(i, j, item)
        for j in numeric:
            header = self.horizontalHeaderItem(j)
            if header is not None:
                header.setTextAlignment(right)
        self.resizeColumnsToContents()
        self._natural = [min(self.columnWidth(j) + 8, WIDEST) for j in range(len(table.columns))]
        self._growing = numeric if len(table.columns) - 1 in numeric else [len(table.columns) - 1]
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    @property
    def natural_width(self) -> int:
        """Width in which no column is narrowed [pixels]."""
        return sum(self._natural)

    def _share_width(self) -> None:
        """Columns as wide as their texts; what is left or lacks goes to numbers alike, or to the last column."""
        left = self.viewport().width() - sum(self._natural)
        for j, natural in enumerate(self._natural):
            share = left // len(self._growing) if j in self._growing else 0
            narrowest = natural if len(self._growing) > 1 else min(natural, NARROWEST)
            self.setColumnWidth(j, max(natural + share, narrowest))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width, wrap long texts, and be as high as all rows."""
        super().resizeEvent(event)
        self._share_width()
        self.resizeRowsToContents()
        height = self.sizeHint().height()
        if height != self.height():
            self.setFixedHeight(height)

    def sizeHint(self) -> QSize:
        """All rows."""
        head = self.horizontalHeader()
        bar = self.horizontalScrollBar()
        rows = sum(self.rowHeight(i) for i in range(self.rowCount()))
        height = rows + (head.sizeHint().height() if not head.isHidden() else 0)
        return QSize(super().sizeHint().width(), height + (bar.sizeHint().height() if bar.maximum() else 0) + 4)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy what is selected."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selected_text())
            return
        super().keyPressEvent(event)

    def selected_text(self) -> str:
        """Selected cells, with tabs between columns."""
        chosen = {(index.row(), index.column()) for index in self.selectedIndexes()}
        rows = sorted({row for row, _ in chosen})
        texts = {(row, column): str(self.model().index(row, column).data()) for row, column in chosen}
        columns = range(self.columnCount())
        return table_text([[texts[row, j] for j in columns if (row, j) in texts] for row in rows], "\t").rstrip("\n")


class PageOfTables(QScrollArea):
    """Words and tables one below the other, which the wheel moves together."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)

    def add_table(self, layout: QVBoxLayout, view: TableView) -> None:
        """Put a table below what is there."""
        layout.addWidget(view)
        view.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The wheel moves the whole page, not a table within it."""
        if event.type() == QEvent.Type.Wheel:
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() - event.angleDelta().y() // 2)  # type: ignore[attr-defined]
            return True
        return False


class SectionView(PageOfTables):
    """One section: its sentences, then its tables under their captions."""

    def __init__(self, section: Section, parent: QWidget | None = None) -> None:
        super().__init__(f"section-{section.title}", parent)
        self.section = section
        self.setAccessibleName(section.title)
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(6)
        for sentence in section.sentences:
            layout.addWidget(words_label(sentence))
        self.tables = [TableView(table) for table in section.tables]
        for table, view in zip(section.tables, self.tables, strict=True):
            if table.caption:
                layout.addWidget(caption_label(table.caption))
            self.add_table(layout, view)
            if table.note:
                note = words_label(table.note)
                note.setEnabled(False)
                layout.addWidget(note)
        layout.addStretch(1)
        self.setWidget(inside)


def words_label(text: str) -> QLabel:
    """Words over several lines that can be selected."""
    label = QLabel(text)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def caption_label(text: str) -> QLabel:
    """Words above a table or picture, bold and a little larger."""
    label = words_label(text)
    font = label.font()
    font.setBold(True)
    font.setPointSizeF(font.pointSizeF() * 1.08)
    label.setFont(font)
    label.setContentsMargins(0, 8, 0, 0)
    return label


def _is_number(text: str) -> bool:
    stripped = text.strip("−–+±.0123456789 ")
    return not stripped and bool(text)


def _is_number_column(table: Table, column: int) -> bool:
    return bool(table.rows) and all(_is_number(row[column]) for row in table.rows)
