"""The runs, side by side: which are plotted, which is played, renamed, removed; those out of date say so."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QKeySequence, QPainter, QPen, QPixmap, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from biomec_app.features.workbench.bench import Bench, Kept
from biomec_app.kit.dialog_parts import explanation
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.plots.plot_style import WIDTH, dashed

SAMPLE, DENSITY = QSize(26, 12), 3.0
STALE = "The machine has changed since this run. Run it again to see what that does."
NONE = "No runs yet. Choose an analysis above and press Run (F5)."


class RunList(QWidget):
    """A list with a box before every run that is plotted; the chosen one is played."""

    def __init__(self, bench: Bench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self._theme: Theme = LIGHT
        self.list = QListWidget()
        self.list.setObjectName("workbench.runs")
        self.list.setAccessibleName("Runs")
        self.list.setToolTip(
            "Tick those to be plotted and compared; the chosen one is played. F2 renames, Del removes."
        )
        self.list.setIconSize(SAMPLE)
        self.list.setEditTriggers(
            QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.DoubleClicked
        )
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.itemChanged.connect(self._item_changed)
        self.list.currentRowChanged.connect(self._row_changed)
        QShortcut(QKeySequence.StandardKey.Delete, self.list, self.remove, context=Qt.ShortcutContext.WidgetShortcut)
        self.nothing = explanation(NONE)
        self.stale = QLabel()
        self.stale.setObjectName("workbench.stale")
        self.stale.setWordWrap(True)
        self.rename_button = QPushButton("Rena&me")
        self.rename_button.setObjectName("workbench.rename")
        self.rename_button.setToolTip("Give the chosen run another name (F2)")
        self.rename_button.clicked.connect(lambda checked=False: self.rename())
        self.remove_button = QPushButton("Remo&ve")
        self.remove_button.setObjectName("workbench.remove")
        self.remove_button.setToolTip("Remove the chosen run (Del)")
        self.remove_button.clicked.connect(lambda checked=False: self.remove())
        row = QHBoxLayout()
        row.addWidget(self.rename_button)
        row.addWidget(self.remove_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 6)
        layout.setSpacing(4)
        layout.addWidget(self.nothing)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.stale)
        layout.addLayout(row)
        bench.runs_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the runs as they are."""
        bench = self.bench
        with QSignalBlocker(self.list):
            self.list.clear()
            for kept in bench.runs:
                self.list.addItem(self._item(kept))
            if bench.current is not None:
                self.list.setCurrentRow(bench.runs.index(bench.current))
        stale = bool(bench.shown) and all(bench.is_stale(kept) for kept in bench.shown)
        self.stale.setText(STALE if stale else "")
        self.stale.setVisible(stale)
        self.nothing.setVisible(not bench.runs)
        self.list.setVisible(bool(bench.runs))
        for button in (self.rename_button, self.remove_button):
            button.setEnabled(self.chosen is not None)
            button.setVisible(bool(bench.runs))

    def _item(self, kept: Kept) -> QListWidgetItem:
        stale = self.bench.is_stale(kept)
        item = QListWidgetItem(kept.name)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsEditable)
        item.setCheckState(Qt.CheckState.Checked if kept.shown else Qt.CheckState.Unchecked)
        tip = f"{kept.name}\n{kept.run.machine.title}\n{kept.run.status}"
        item.setToolTip(f"{tip}\n{STALE}" if stale else tip)
        font = item.font()
        font.setItalic(stale)
        item.setFont(font)
        if kept.shown:
            item.setIcon(self._sample(self.bench.shown.index(kept)))
        if not kept.run.succeeded:
            item.setForeground(QColor(self._theme.fault))
        elif stale:
            item.setForeground(QColor(self._theme.faint))
        return item

    def _sample(self, number: int) -> QIcon:
        """The stroke with which the curves of a run are drawn."""
        picture = QPixmap(SAMPLE * DENSITY)
        picture.setDevicePixelRatio(DENSITY)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setPen(dashed(QPen(QColor(self._theme.text), WIDTH), number))
        painter.drawLine(0, SAMPLE.height() // 2, SAMPLE.width(), SAMPLE.height() // 2)
        painter.end()
        icon = QIcon(picture)
        icon.addPixmap(picture, QIcon.Mode.Selected)
        return icon

    @property
    def chosen(self) -> Kept | None:
        """The run at the cursor of the list."""
        row = self.list.currentRow()
        return self.bench.runs[row] if 0 <= row < len(self.bench.runs) else None

    def _row_changed(self, row: int) -> None:
        if 0 <= row < len(self.bench.runs):
            self.bench.choose(self.bench.runs[row])

    def _item_changed(self, item: QListWidgetItem) -> None:
        kept = self.bench.runs[self.list.row(item)]
        if item.text() != kept.name:
            self.bench.rename(kept, item.text())
        else:
            self.bench.show(kept, item.checkState() == Qt.CheckState.Checked)

    def rename(self) -> None:
        """Edit the name of the chosen run in its place."""
        item = self.list.currentItem()
        if item is not None:
            self.list.editItem(item)

    def remove(self) -> None:
        """Remove the chosen run."""
        kept = self.chosen
        if kept is not None:
            self.bench.remove(kept)

    def set_theme(self, theme: Theme) -> None:
        """Write in the colours of a theme."""
        self._theme = theme
        self.stale.setStyleSheet(f"QLabel {{ color: {theme.text}; background: #40{theme.rebuilt[1:]}; padding: 4px; }}")
        self.refresh()
