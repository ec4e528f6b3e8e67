"""The page on which groups of a study are compared: a bar of choices, curves over people, statistics."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QPushButton, QTabWidget, QVBoxLayout, QWidget

from biomec.body.loads.load_statistics import MEASURES
from biomec.reporting.statistics.load_comparison import ComparisonOptions
from biomec.study.groups import CONDITION, GROUP, VISIT, level_of
from biomec.study.report import KINDS, compared_by, tables_there
from biomec.study.study import Study
from biomec_app.features.study.group_content import GroupChoice, GroupContent, group_content
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.plots.clinical.blocks_view import BlocksView
from biomec_app.plots.clinical.look import Look
from biomec_app.session.context import Context
from biomec_app.session.jobs import Jobs

WAIT_MS = 400  # after the last letter of a word
NOTHING = "Nothing can be compared yet: analyse the trials first."
AT_WORK = "Comparing …"
BY = {CONDITION: "Conditions", GROUP: "Groups of people", VISIT: "Visits"}
TESTS = {"t": "t test", "rank": "Test of ranks"}


class GroupPage(QWidget):
    """Compares in the background whenever study or choice change, as long as it is seen."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("study.groups")
        self.context = context
        self.jobs = Jobs(self)
        self.content: GroupContent | None = None
        self._study: Study | None = None
        self._offered = True
        self._theme: Theme = LIGHT
        self._asked: tuple[Study, GroupChoice] | None = None
        self._due = QTimer(self, singleShot=True, interval=0)
        self._due.timeout.connect(self._compare)
        self._build()
        self.jobs.failed.connect(lambda _, sentence: self._say(sentence))
        self.jobs.cancelled.connect(lambda _: self.refresh())

    def _build(self) -> None:
        self.table, self.by = _combo("study.table", "Curves"), _combo("study.by", "What is compared")
        self.measure, self.test = _combo("study.measure", "Number of a cycle"), _combo("study.test", "Test")
        for key in MEASURES:
            self.measure.addItem(key.capitalize(), key)
        for key, words in TESTS.items():
            self.test.addItem(words, key)
        self.words = QLineEdit()
        self.words.setObjectName("study.words")
        self.words.setPlaceholderText("elbow shoulder")
        self.words.setToolTip("Only curves with one of these words in their names")
        self.words.setAccessibleName("Words of curves")
        self.words.setClearButtonEnabled(True)
        self.words.textEdited.connect(lambda _: self._due.start(WAIT_MS))
        bar = QHBoxLayout()
        for text, widget in (("&Show", self.table), ("&of", self.by), ("with", self.words), ("&Number", self.measure),
                             ("&Test", self.test)):  # fmt: skip
            label = QLabel(text)
            label.setBuddy(widget)
            bar.addWidget(label)
            bar.addWidget(widget)
        bar.addStretch(1)
        for combo in (self.table, self.by, self.measure, self.test):
            combo.activated.connect(lambda _: self.refresh())
        self.save = QPushButton("Sa&ve Comparison…")
        self.save.setObjectName("study.save-comparison")
        self.save.setToolTip("Write curves, numbers and sentences of this comparison into a folder")
        self.save.clicked.connect(lambda _=False: self._save())
        bar.addWidget(self.save)
        self.curves, self.numbers = BlocksView("study.curves"), BlocksView("study.numbers")
        self.tabs = QTabWidget()
        self.tabs.setObjectName("study.group-tabs")
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.curves, "Group &Curves")
        self.tabs.addTab(self.numbers, "&Statistics")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 0, 0)
        layout.addLayout(bar)
        layout.addWidget(self.tabs, 1)

    # ------------------------------------------------------------------ what is shown

    def set_theme(self, theme: Theme) -> None:
        """Draw in the colours of a theme."""
        self._theme = theme
        self._show()

    def show_study(self, study: Study) -> None:
        """Offer what the study has, and compare anew, as soon as the page is seen."""
        self._study, self._offered = study, False
        self.refresh()

    def _offer_study(self, study: Study) -> None:
        self._offered = True
        there = tables_there(study)
        counted = [one for one in study.trials if one.counts and one.subject]
        _offer(self.table, [(KINDS[key], key) for key in there])
        before = self.by.currentData()
        ways = [key for key in BY if any(level_of(one, key) for one in counted)]
        _offer(self.by, [(BY[key], key) for key in ways])
        if before is None and ways:
            self.by.setCurrentIndex(max(0, self.by.findData(compared_by(study))))

    @property
    def choice(self) -> GroupChoice | None:
        """What is chosen above; None while nothing is there to compare."""
        table, by = self.table.currentData(), self.by.currentData()
        if table is None or by is None:
            return None
        how = ComparisonOptions(measure=self.measure.currentData(), test=self.test.currentData())
        return GroupChoice(table, by, tuple(self.words.text().split()), how)

    def refresh(self) -> None:
        """Compare once for all that changes in a turn of the event loop."""
        self._due.start(0)

    def _compare(self) -> None:
        study = self._study
        if not self.isVisible():
            return  # `showEvent` asks again
        if study is not None and not self._offered:
            self._offer_study(study)
        choice = self.choice
        if study is None or choice is None:
            self._say(NOTHING)
            return
        if self._asked == (study, choice):
            return
        if self.jobs.busy:
            self.jobs.cancel()
            self._due.start(50)
            return
        self._asked = study, choice
        self._say(AT_WORK)
        self.jobs.start("Compare groups", lambda progress: group_content(study, choice), self._found)

    def _found(self, content: GroupContent) -> None:
        self.content = content
        self._show()

    def _show(self) -> None:
        if self.content is not None:
            look = Look(self._theme)
            self.curves.show_blocks(self.content.curves, look)
            self.numbers.show_blocks(self.content.numbers, look)
        self.save.setEnabled(self.content is not None and self.content.comparison is not None)

    def _say(self, sentence: str) -> None:
        """Show a sentence instead of curves and numbers."""
        self.content = None
        for view in (self.curves, self.numbers):
            view.show_blocks((), Look(self._theme), sentence)
        self.save.setEnabled(False)
        if sentence != AT_WORK:
            self._asked = None

    def showEvent(self, event: QShowEvent) -> None:
        """Compare what changed while the page was not seen."""
        super().showEvent(event)
        self.refresh()

    def stop(self) -> None:
        """Give up what runs; the window closes."""
        self._due.stop()
        self.jobs.cancel()
        self.jobs.wait()

    def _save(self) -> None:
        content = self.content
        folder = self.context.user.ask_folder("Folder for the comparison", self.context.preferences.folder)
        if folder is not None and content is not None and not self.jobs.busy:
            title = f"Save comparison to {folder.name}"
            self.jobs.start(title, lambda progress: content.write(folder),
                            lambda written: self.context.user.show_written(title, written, ()))  # fmt: skip


def _combo(name: str, title: str) -> QComboBox:
    made = QComboBox()
    made.setObjectName(name)
    made.setAccessibleName(title)
    made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return made


def _offer(combo: QComboBox, entries: Sequence[tuple[str, str]]) -> None:
    """Offer entries; what was chosen stays chosen if it is still there."""
    before = combo.currentData()
    combo.clear()
    for text, key in entries:
        combo.addItem(text, key)
    combo.setCurrentIndex(max(0, combo.findData(before)) if entries else -1)
