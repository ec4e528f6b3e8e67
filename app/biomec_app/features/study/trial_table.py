"""The table of trials: keys, columns that the user chooses, groups that fold, pictures of what is seen."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QByteArray,
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QAction, QContextMenuEvent, QIcon, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QWidget

from biomec.study.study import Study
from biomec.study.trials import StudyTrial
from biomec_app.features.study.columns import COLUMNS, CURVES
from biomec_app.features.study.thumbnails import HEIGHT, WIDTH, Thumbnails, drawn
from biomec_app.features.study.trial_model import TrialModel
from biomec_app.kit.dialog_parts import EmptyWords
from biomec_app.kit.painter import Painter
from biomec_app.kit.theme import Theme

ROW = HEIGHT + 8
WIDTHS = {
    "person": 84, "visit": 58, "number": 58, "cycles": 76, "name": 110, "condition": 110, CURVES: WIDTH + 14,
    "state": 120, "loads": 96, "markers": 108, "residual": 108, "moment": 120, "remark": 240, "file": 240,
}  # fmt: skip
USUAL, LOOK_MS, SIGN = 84, 120, 16
EMPTY = "No trial fits the filter."


def _ranges(rows: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of the rows that follow each other."""
    found: list[tuple[int, int]] = []
    for row in rows:
        if found and found[-1][1] == row - 1:
            found[-1] = found[-1][0], row
        else:
            found.append((row, row))
    return found


class SmallSigns(QStyledItemDelegate):
    """Draws cells with signs as high as letters; pictures of movements keep the height of the row."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Say how large the sign is."""
        super().initStyleOption(option, index)
        if COLUMNS[index.column()].key != CURVES:
            option.decorationSize = QSize(SIGN, SIGN)


class TrialTable(QTableView):
    """Shows a `TrialModel`.

    opened(object)  : Enter or a double click on a trial
    chosen()        : other trials are selected
    menu_asked(QPoint) : a menu about the selected trials is wanted there;  delete_asked() : they shall not count
    """

    opened = Signal(object)
    chosen = Signal()
    menu_asked = Signal(QPoint)
    delete_asked = Signal()

    def __init__(self, model: TrialModel, painter: Painter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("study.trials")
        self.setAccessibleName("Trials of the study")
        self.setAccessibleDescription("Enter opens a trial, Delete excludes it, Space folds a group.")
        self.rows, self.painter, self.thumbnails = model, painter, Thumbnails()
        self.setModel(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setItemDelegate(SmallSigns(self))
        self.setStyleSheet("QTableView::item { padding: 0px 6px; } QHeaderView::section { padding: 3px 6px; }")
        self.setIconSize(QSize(WIDTH, HEIGHT))
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(self.verticalHeader().ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(ROW)
        head = self.horizontalHeader()
        head.setSectionsMovable(True)
        head.setHighlightSections(False)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        head.setSortIndicatorClearable(True)
        head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head.customContextMenuRequested.connect(lambda at: self.column_menu(head).popup(head.mapToGlobal(at)))
        for k, column in enumerate(COLUMNS):
            self.setColumnWidth(k, WIDTHS.get(column.key, USUAL))
            self.setColumnHidden(k, not column.shown or column.named)
        self._hidden = {column.key for column in COLUMNS if not column.shown}
        self._names = False
        self.setSortingEnabled(True)
        self.empty = EmptyWords(self, EMPTY)
        self._look = QTimer(self, singleShot=True, interval=LOOK_MS)
        self._look.timeout.connect(self._draw_visible)
        self.verticalScrollBar().valueChanged.connect(lambda _: self._look.start())
        model.modelAboutToBeReset.connect(self._remember)
        model.modelReset.connect(self._restored)
        self._kept: tuple[tuple[str, ...], str, int] = ((), "", 0)
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit())
        self.doubleClicked.connect(self._activate)
        self.clicked.connect(self._clicked)

    # ------------------------------------------------------------------ selection

    @property
    def selected(self) -> tuple[StudyTrial, ...]:
        """The selected trials."""
        chosen = self.selectionModel().selection()  # ranges: single indexes would take a second of 10 000 trials
        ranges: list[QItemSelectionRange] = list(chosen)  # type: ignore[call-overload]  # the stubs know no iteration
        rows = sorted({row for one in ranges for row in range(one.top(), one.bottom() + 1)})
        return tuple(one for row in rows if (one := self.rows.trial_at(row)) is not None)

    @property
    def current(self) -> StudyTrial | None:
        """The trial that the keys act on."""
        return self.rows.trial_at(self.currentIndex().row())

    def choose(self, key: str) -> None:
        """Select a trial by its id."""
        row = self.rows.row_of(key)
        if row is not None:
            self.selectRow(row)

    def _remember(self) -> None:
        current = self.current
        self._kept = (
            tuple(one.id for one in self.selected), "" if current is None else current.id,
            self.verticalScrollBar().value(),
        )  # fmt: skip

    def _restored(self) -> None:
        """Select again what was selected, and lay group lines over all columns."""
        self.clearSpans()
        for row in self.rows.group_rows:
            self.setSpan(row, 0, 1, len(COLUMNS))
        ids, current, at = self._kept
        if ids or current:
            places = {one.id: k for k, one in enumerate(self.rows.rows) if isinstance(one, StudyTrial)}
            flags = QItemSelectionModel.SelectionFlag
            model = self.selectionModel()
            wanted = QItemSelection()
            for first, last in _ranges(sorted(places[key] for key in ids if key in places)):
                wanted.select(self.rows.index(first, 0), self.rows.index(last, len(COLUMNS) - 1))
            model.select(wanted, flags.Select)
            if current in places:
                model.setCurrentIndex(self.rows.index(places[current], 0), flags.NoUpdate)
        self.verticalScrollBar().setValue(at)
        self._look.start()
        self.chosen.emit()

    # ------------------------------------------------------------------ columns

    def show_names(self, names: bool) -> None:
        """Show or hide the columns that tell who people are."""
        self._names = names
        for k, column in enumerate(COLUMNS):
            self.setColumnHidden(k, column.key in self._hidden or (column.named and not names))

    def column_menu(self, parent: QWidget) -> QMenu:
        """A menu in which columns are chosen."""
        menu = QMenu(parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for column in COLUMNS:
            if column.named and not self._names:
                continue
            item = QAction(column.title, menu, checkable=True, checked=column.key not in self._hidden)
            item.setToolTip(column.tip)
            item.toggled.connect(lambda on, key=column.key: self.set_column(key, on))
            menu.addAction(item)
        menu.setToolTipsVisible(True)
        return menu

    def set_column(self, key: str, shown: bool) -> None:
        """Show or hide a column."""
        self._hidden = self._hidden - {key} if shown else self._hidden | {key}
        self.show_names(self._names)
        self._look.start()

    @property
    def layout_state(self) -> QByteArray:
        """Columns, their order and widths, to be remembered; those with names are never among the shown."""
        names = self._names
        self.show_names(False)
        state = self.horizontalHeader().saveState()
        self.show_names(names)
        return state

    def restore_layout(self, state: QByteArray) -> None:
        """Take over columns that were remembered; nothing if they are of another version."""
        head = self.horizontalHeader()
        if state.isEmpty() or not head.restoreState(state) or head.count() != len(COLUMNS):
            return
        self._hidden = {one.key for k, one in enumerate(COLUMNS) if not one.named and self.isColumnHidden(k)}
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.show_names(self._names)

    # ------------------------------------------------------------------ pictures

    def show_study(self, study: Study) -> None:
        """Keep the pictures of trials whose results stayed the same."""
        old = {one.id: one.record for one in self.rows.study.trials} if self.rows.study is not None else {}
        for one in study.trials:
            if one.id in old and old[one.id] != one.record:
                self.forget_picture(one.id)

    def forget_picture(self, key: str) -> None:
        """Draw the picture of a trial anew."""
        if key in self.thumbnails.cycles:
            self.thumbnails = self.thumbnails.without(key)
        self.rows.pictures.pop(key, None)
        self._look.start()

    def set_theme(self, theme: Theme) -> None:
        """Draw pictures in the colours of a theme."""
        self.rows.pictures.clear()
        self.rows.set_theme(theme)

    def _draw_visible(self) -> None:
        """Read what the visible trials lack, beside the window's thread."""
        study = self.rows.study
        if study is None or not self.rows.rows:
            return
        first = max(0, self.rowAt(0))
        last = self.rowAt(self.viewport().height())
        last = len(self.rows.rows) - 1 if last < 0 else last
        seen = [one for row in range(first, last + 1) if (one := self.rows.trial_at(row)) is not None]
        wanted = [one for one in seen if one.id not in self.rows.pictures and one.record is not None]
        if wanted:
            before = self.thumbnails
            self.painter.paint("thumbnails", lambda: before.with_trials(study, wanted), self._drawn)

    def _drawn(self, found: Thumbnails | None, fault: Exception | None) -> None:
        if found is None:
            return
        same = (found.low, found.high) == (self.thumbnails.low, self.thumbnails.high)
        self.thumbnails = found
        kept = self.rows.pictures if same else {}
        made: dict[str, QIcon] = {
            key: kept.get(key) or drawn(found, key, self.rows.theme) for key in found.cycles
        }  # fmt: skip
        self.rows.set_pictures(made, found.curve)

    # ------------------------------------------------------------------ keys and mouse

    def _activate(self, index: QModelIndex) -> None:
        one = self.rows.trial_at(index.row())
        if one is not None:
            self.opened.emit(one)

    def _clicked(self, index: QModelIndex) -> None:
        if self.rows.trial_at(index.row()) is None:
            self.rows.fold(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens a trial, Delete takes it out; Enter and Space fold a group."""
        row = self.currentIndex().row()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and row >= 0:
            if self.rows.trial_at(row) is None:
                self.rows.fold(row)
                self.setCurrentIndex(self.rows.index(min(row, len(self.rows.rows) - 1), 0))
            elif event.key() != Qt.Key.Key_Space:
                self._activate(self.currentIndex())
        elif event.key() == Qt.Key.Key_Delete:
            self.delete_asked.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for a menu about the selected trials."""
        self.menu_asked.emit(event.globalPos())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """More trials may be seen."""
        super().resizeEvent(event)
        self._look.start()
