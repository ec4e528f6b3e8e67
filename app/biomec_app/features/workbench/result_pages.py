"""What the chosen runs say: headline figures as a table, and pages to be read, with equations typeset."""

from __future__ import annotations

import textwrap

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QPalette, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from biomec_app.features.workbench.bench import Bench, Kept
from biomec_app.features.workbench.results import FigureTable, figure_table, status_words
from biomec_app.features.workbench.typeset import Typeset, typeset
from biomec_app.kit.clipboard import copy_text
from biomec_app.kit.dialog_parts import explanation
from biomec_app.kit.painter import Painter
from biomec_app.kit.theme import LIGHT, Theme

NO_TEXT = "What a run says in words appears here, and its equations."
DRAWING = "Equations are being typeset …"
LETTERS = 60  # of a line of sentences; tables are as wide as they are


class TextPage(QWidget):
    """Equations beside the text of the chosen run."""

    def __init__(self, bench: Bench, painter: Painter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench, self._painter = bench, painter
        self._theme: Theme = LIGHT
        self._kept: Kept | None = None
        self.formulae: tuple[str, ...] = ()
        self.text = QPlainTextEdit()
        self.text.setObjectName("workbench.read")
        self.text.setAccessibleName("Text of the run")
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)  # columns of tables stay below each other
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.area = QScrollArea()
        self.area.setObjectName("workbench.equations")
        self.area.setAccessibleName("Equations")
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.StyledPanel)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(self.area)
        self.split.addWidget(self.text)
        self.split.setSizes([420, 250])
        self.split.setChildrenCollapsible(False)
        self.latex_button = QPushButton("Copy &LaTeX")
        self.latex_button.setObjectName("workbench.copy-latex")
        self.latex_button.setToolTip("Copy the equations as LaTeX")
        self.latex_button.clicked.connect(lambda checked=False: copy_text("\n".join(self.formulae)))
        self.copy_button = QPushButton("Copy Te&xt")
        self.copy_button.setObjectName("workbench.copy-text")
        self.copy_button.setToolTip("Copy the text of the run")
        self.copy_button.clicked.connect(lambda checked=False: copy_text(self.text.toPlainText()))
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.latex_button)
        row.addWidget(self.copy_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 4)
        layout.setSpacing(4)
        layout.addWidget(self.split, 1)
        layout.addLayout(row)
        bench.runs_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the chosen run, or the last shown one."""
        shown = self.bench.shown
        kept = self.bench.current or (shown[-1] if shown else None)
        if kept is self._kept and kept is not None:
            return
        self._kept = kept
        run = kept.run if kept is not None else None
        words = _broken(NO_TEXT if kept is None else status_words([(kept.name, kept.run)]))
        self.text.setPlainText(f"{words}\n\n{run.text}" if run is not None and run.text else words)
        self.formulae = run.formulae if run is not None else ()
        self.latex_button.setEnabled(bool(self.formulae))
        self.copy_button.setEnabled(run is not None)
        self.area.setVisible(bool(self.formulae))
        self._typeset()

    def _typeset(self) -> None:
        if not self.formulae:
            return
        self.area.setWidget(QLabel(DRAWING, alignment=Qt.AlignmentFlag.AlignCenter))
        formulae, colour, ratio = self.formulae, self._theme.text, self.devicePixelRatioF()
        self._painter.paint("formulae", lambda: typeset(formulae, colour, ratio), self._drawn)

    def _drawn(self, drawn: list[Typeset] | None, fault: Exception | None) -> None:
        page = QWidget()
        page.setObjectName("workbench.formulae")
        page.setAutoFillBackground(True)
        page.setBackgroundRole(QPalette.ColorRole.Base)
        column = QVBoxLayout(page)
        column.setSpacing(10)
        for one in drawn if drawn is not None else [Typeset(tex, None) for tex in self.formulae]:
            label = QLabel()
            if one.image is not None:
                label.setPixmap(QPixmap.fromImage(one.image))
            else:
                label.setText(one.text)
                label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setAccessibleName(one.text)
            column.addWidget(label)
        column.addStretch(1)
        self.area.setWidget(page)

    def set_theme(self, theme: Theme) -> None:
        """Write in the colours of a theme."""
        if theme.text != self._theme.text:
            self._theme = theme
            self._typeset()


def _broken(sentences: str) -> str:
    """Sentences in lines that can be read without scrolling."""
    return "\n".join(textwrap.fill(line, LETTERS) for line in sentences.splitlines())


NO_FIGURES = "Headline figures of runs appear here. Tick several runs to see their differences."
ONE_RUN = "Tick several runs to see their differences."
SEVERAL_RUNS = "Δ: difference to the first run."


class FiguresPage(QWidget):
    """The table, and a button that copies it."""

    def __init__(self, bench: Bench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.content: FigureTable = figure_table({})
        self.words = explanation(NO_FIGURES)
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
        self.words.setText((ONE_RUN if len(shown) == 1 else SEVERAL_RUNS) if any_rows else NO_FIGURES)
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
