"""What is known of the chosen trial, and its cycles, each of which can be taken out with a reason."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.study.study import Study
from biomec.study.trial_cycles import TrialCycle, read_cycles
from biomec.study.trials import State, StudyTrial
from biomec_app.features.study.columns import DONE_WORDS, Wording
from biomec_app.kit.dialog_parts import EmptyWords, explanation
from biomec_app.kit.theme import Theme

HEAD = ("Cycle", "Time [s]", "Counts")
NOTHING = "Choose a trial to see its cycles and what was noticed."
NO_CYCLES = "No cycles are known. Analyse the trial first."


class TrialDetails(QWidget):
    """Words about one trial, and its cycles.

    cycle_decided(object, bool) : a cycle shall be taken out (True) or count again
    """

    cycle_decided = Signal(object, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("study.details")
        self._study: Study | None = None
        self._trial: StudyTrial | None = None
        self._cycles: tuple[TrialCycle, ...] = ()
        self._marked: tuple[str, int] | None = None  # cycle that stays chosen when its trial is shown again
        self._faint = QColor("#6B7280")
        self.title, self.words = QLabel(), explanation(NOTHING)
        font = self.title.font()
        font.setBold(True)
        self.title.setFont(font)
        for label in (self.title, self.words):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.cycles = QTableWidget(0, len(HEAD))
        self.cycles.setObjectName("study.cycles")
        self.cycles.setAccessibleName("Cycles of the trial")
        self.cycles.setHorizontalHeaderLabels(HEAD)
        self.cycles.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.cycles.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.cycles.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.cycles.setTabKeyNavigation(False)
        self.cycles.verticalHeader().hide()
        self.cycles.setShowGrid(False)
        head = self.cycles.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self.empty = EmptyWords(self.cycles, NO_CYCLES)
        self.take_out, self.take_in = QPushButton("Exclude C&ycle…"), QPushButton("Cycle C&ounts Again")
        self.take_out.setObjectName("study.exclude-cycle")
        self.take_out.setToolTip("The chosen cycle shall not count; you are asked why")
        self.take_in.setObjectName("study.include-cycle")
        self.take_in.setToolTip("The chosen cycle shall count again")
        self.take_out.clicked.connect(lambda _=False: self._decide(True))
        self.take_in.clicked.connect(lambda _=False: self._decide(False))
        self.cycles.itemSelectionChanged.connect(self._allow)
        row = QHBoxLayout()
        row.addWidget(self.take_out)
        row.addWidget(self.take_in)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 0, 0, 0)
        layout.addWidget(self.title)
        layout.addWidget(self.words)
        layout.addWidget(self.cycles, 1)
        layout.addLayout(row)
        self._allow()

    def set_theme(self, theme: Theme) -> None:
        """Colour of what does not count."""
        self._faint = QColor(theme.faint)
        self._fill()

    def show_trial(self, study: Study | None, trial: StudyTrial | None, wording: Wording) -> None:
        """Show a trial; None clears."""
        self._study, self._trial = study, trial
        self._cycles = ()
        if study is None or trial is None:
            self.title.setText("")
            self.words.setText(NOTHING)
        else:
            self.title.setText(wording.label(trial))
            self.words.setText("\n".join(_sentences(trial, wording)))
            try:
                self._cycles = read_cycles(study.folder_of(trial))
            except BiomecError as error:
                self.words.setText(f"{self.words.text()}\n{error}")
        self._fill()

    def _fill(self) -> None:
        out = self._decided()
        marked = self._marked
        self.cycles.setRowCount(0)
        self.cycles.setRowCount(len(self._cycles))
        for k, one in enumerate(self._cycles):
            reason = out.get((one.side, one.first), one.reason)
            counts = one.counts and (one.side, one.first) not in out
            texts = (one.title, f"{one.begin_s:.2f} – {one.end_s:.2f}", "yes" if counts else f"no: {reason}")
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                item.setToolTip(text if len(text) > 20 else "")
                if not counts:
                    item.setForeground(self._faint)
                self.cycles.setItem(k, column, item)
        if self._trial is not None and marked is not None and marked[0] == self._trial.id:
            self.cycles.selectRow(marked[1])
        self._allow()

    def _decided(self) -> dict[tuple[str, int], str]:
        """Cycles that were taken out by hand, as decided now, whether or not it was computed so already."""
        return {} if self._trial is None else {(one.side, one.frame): one.reason for one in self._trial.excluded_cycles}

    @property
    def chosen(self) -> TrialCycle | None:
        """The cycle that is chosen in the list."""
        rows = self.cycles.selectionModel().selectedRows()
        return self._cycles[rows[0].row()] if rows and rows[0].row() < len(self._cycles) else None

    def _allow(self) -> None:
        one = self.chosen
        if one is not None and self._trial is not None:
            self._marked = self._trial.id, self._cycles.index(one)
        out = one is not None and (one.side, one.first) in self._decided()
        self.take_out.setEnabled(one is not None and one.counts and not out)
        self.take_in.setEnabled(out)

    def _decide(self, out: bool) -> None:
        if self.chosen is not None:
            self.cycle_decided.emit(self.chosen, out)


def _sentences(trial: StudyTrial, wording: Wording) -> list[str]:
    """What there is to know of a trial, the most important first."""
    lines = [f"{DONE_WORDS[trial.state].capitalize()}{f': {trial.reason}' if trial.reason else '.'}"]
    if trial.state is State.STALE:
        lines.append("Recording, settings, excluded cycles or the version of Biomec changed since it was analysed.")
    lines += trial.notes
    if trial.record is not None:
        lines += trial.record.warnings.splitlines()
    if wording.names:
        lines.append(f"File: {trial.file}")
        lines += [f"Static: {trial.static}"] if trial.static else []
    return [wording.sentence(trial, line) for line in lines]
