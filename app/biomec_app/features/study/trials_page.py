"""The page of trials: a bar that filters and groups, the table, and what is known of the chosen trial."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from biomec.study.record import TrialRecord
from biomec.study.study import Study
from biomec.study.tables import Clean
from biomec.study.trials import State
from biomec_app.features.study.columns import GROUPINGS, Wording
from biomec_app.features.study.details import TrialDetails
from biomec_app.features.study.trial_model import TrialModel
from biomec_app.features.study.trial_table import EMPTY, TrialTable
from biomec_app.kit.painter import Painter
from biomec_app.kit.theme import Theme

FILTER_MS = 120  # after the last letter
ANY = "Any state"
NO_TRIALS = (
    "No recording of a movement was found in this folder. Choose the folder that holds the folders of the people, "
    "or put recordings into it and look again (F5)."
)
LOOKING = "Looking through the folder …"
DETAILS = 330


class TrialsPage(QWidget):
    """Trials, chosen and told.

    open_asked(object) : a trial shall be shown;  names_shown(bool) : names are shown or not
    exclude_asked, include_asked, undo_asked : about the selected trials
    """

    open_asked = Signal(object)
    exclude_asked = Signal()
    include_asked = Signal()
    undo_asked = Signal()
    names_shown = Signal(bool)

    def __init__(self, painter: Painter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("study.page")
        self.study: Study | None = None
        self.painter, self._stopped = painter, False
        self.model = TrialModel()
        self.model.setParent(self)
        self.table = TrialTable(self.model, painter)
        self.table.empty.setText(LOOKING)
        self.details = TrialDetails()
        self._due = QTimer(self, singleShot=True, interval=FILTER_MS)
        self._due.timeout.connect(self._filter)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.table)
        split.addWidget(self.details)
        split.setStretchFactor(0, 1)
        split.setSizes([900, DETAILS])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 0, 0)
        layout.addLayout(self._bar())
        layout.addWidget(split, 1)
        layout.addLayout(self._buttons())
        self.table.chosen.connect(self._chosen)
        self.table.opened.connect(self.open_asked)
        self.table.menu_asked.connect(self._menu)
        self.table.delete_asked.connect(self.exclude_asked)

    def _bar(self) -> QHBoxLayout:
        self.words = QLineEdit()
        self.words.setObjectName("study.filter")
        self.words.setPlaceholderText("Filter: words of person, condition, state …")
        self.words.setToolTip("Only trials that have all these words (Ctrl+F)")
        self.words.setAccessibleName("Filter trials")
        self.words.setClearButtonEnabled(True)
        self.words.textChanged.connect(lambda _: self._due.start())
        self.state, self.grouping = QComboBox(), QComboBox()
        self.state.setObjectName("study.state")
        self.state.setAccessibleName("State of the trials")
        self.state.addItem(ANY, "")
        for state in State:
            self.state.addItem(str(state).capitalize(), str(state))
        self.state.activated.connect(lambda _: self._filter())
        self.grouping.setObjectName("study.grouping")
        self.grouping.setAccessibleName("Group trials")
        for key, (words, _) in GROUPINGS.items():
            self.grouping.addItem(words, key)
        self.grouping.activated.connect(lambda _: self.model.set_grouping(str(self.grouping.currentData())))
        self.columns = QToolButton()
        self.columns.setObjectName("study.columns")
        self.columns.setText("Columns ▾")
        self.columns.setToolTip("Choose the columns of the table")
        self.columns.clicked.connect(self._choose_columns)
        self.names = QCheckBox("Show &Names")
        self.names.setObjectName("study.names")
        self.names.setToolTip("Show names, folders and names of files; reports and tables never hold them")
        self.names.toggled.connect(self._show_names)
        self.counted = QLabel()
        self.counted.setObjectName("study.counted")
        bar = QHBoxLayout()
        bar.addWidget(self.words, 1)
        for widget in (self.state, self.grouping, self.columns, self.names, self.counted):
            bar.addWidget(widget)
        return bar

    def _buttons(self) -> QHBoxLayout:
        self.open, self.exclude = QPushButton("Open in &Main Window"), QPushButton("E&xclude…")
        self.include, self.undo = QPushButton("&Include"), QPushButton("&Undo")
        tips = (
            (self.open, "study.open", "Show the trial in the main window (Enter, double click)", self._open),
            (self.exclude, "study.exclude", "The selected trials shall not count; you are asked why (Delete)",
             self.exclude_asked.emit),
            (self.include, "study.include", "The selected trials shall count again", self.include_asked.emit),
            (self.undo, "study.undo", "Take the last decision back (Ctrl+Z)", self.undo_asked.emit),
        )  # fmt: skip
        row = QHBoxLayout()
        for button, name, tip, act in tips:
            button.setObjectName(name)
            button.setToolTip(tip)
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, act=act: act())
            row.addWidget(button)
        row.addStretch(1)
        return row

    # ------------------------------------------------------------------ what is shown

    @property
    def wording(self) -> Wording:
        """How trials are labelled now."""
        return self.model.wording

    def show_study(self, study: Study) -> None:
        """Show a study as it is now."""
        self.table.show_study(study)
        self.study = study
        self.model.show_study(study, self.names.isChecked())
        self.table.empty.setText(EMPTY if study.trials else NO_TRIALS)
        clean = self.model.wording.clean  # found once for each person, which takes a while where there are many
        self.painter.paint("words", lambda: self._prepare(study, clean), _nothing)
        self._count()

    def _prepare(self, study: Study, clean: Clean) -> None:
        for one in study.trials:
            if self._stopped:
                return
            clean.label(one, one.condition)

    def stop(self) -> None:
        """Give up what is prepared; the window closes."""
        self._stopped = True

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.table.set_theme(theme)
        self.details.set_theme(theme)

    def set_record(self, record: TrialRecord) -> None:
        """Show what became of a trial that has just been analysed."""
        self.table.forget_picture(record.id)
        self.model.set_record(record)
        current = self.table.current
        if current is not None and current.id == record.id:
            self._chosen()

    def _filter(self) -> None:
        self._due.stop()
        self.model.set_filter(self.words.text(), str(self.state.currentData()))
        self._count()

    def _count(self) -> None:
        total = len(self.study.trials) if self.study is not None else 0
        shown = self.model.shown
        self.counted.setText(f"{total} trials" if shown == total else f"{shown} of {total} trials")

    def _show_names(self, names: bool) -> None:
        self.table.show_names(names)
        self.model.set_names(names)
        self.names_shown.emit(names)

    def _choose_columns(self) -> None:
        menu = self.table.column_menu(self)
        menu.popup(self.columns.mapToGlobal(QPoint(0, self.columns.height())))

    # ------------------------------------------------------------------ what is chosen

    def _open(self) -> None:
        if self.table.current is not None:
            self.open_asked.emit(self.table.current)

    def _chosen(self) -> None:
        self.details.show_trial(self.study, self.table.current, self.wording)
        chosen = self.table.selected
        self.open.setEnabled(self.table.current is not None)
        self.exclude.setEnabled(any(one.state is not State.EXCLUDED for one in chosen))
        self.include.setEnabled(any(one.state is State.EXCLUDED for one in chosen))

    def allow(self, there: bool, undo: bool) -> None:
        """Enable what can be done with a study that is there or not."""
        for widget in (self.words, self.state, self.grouping, self.names):
            widget.setEnabled(there)
        self.undo.setEnabled(undo)
        self._chosen()

    def _menu(self, at: QPoint) -> None:
        """What can be done with the selected trials."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for button in (self.open, self.exclude, self.include):
            item = menu.addAction(button.text())
            item.setEnabled(button.isEnabled())
            item.triggered.connect(lambda _=False, button=button: button.click())
        menu.popup(at)


def _nothing(found: object, fault: Exception | None) -> None:
    """Nothing is shown of what was only prepared."""
