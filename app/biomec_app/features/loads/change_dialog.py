"""Try a change of masses, motion or forces, see what it does beside what was, and only then take it over."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from biomec.base.progress import Progress
from biomec.body.loads.residual_reduction import ReductionOptions
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.replay import settings_line
from biomec_app.kit.dialog_parts import Fault, empty_tabs, explanation
from biomec_app.session.context import Context


class ChangeDialog(QDialog):
    """First what may be changed, then what that does; Apply changes the analysis, in one step that can be undone.

    title, name : of the dialog;  words : what it is for;  accept_words : what Apply does
    """

    title = ""
    name = ""
    words = ""
    accept_words = ""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.setObjectName(self.name)
        self.setWindowTitle(self.title)
        self.candidate: Analysis | None = None
        self._made_of: Analysis | None = None
        self.pages = QStackedWidget()
        self.pages.addWidget(self.options_page())
        self.tabs = QTabWidget()
        self.tabs.setObjectName(f"{self.name}.changes")
        self.tabs.setAccessibleName("What would change")
        self.tabs.setDocumentMode(True)
        self.pages.addWidget(self.tabs)
        self.wrong = Fault(f"{self.name}.fault")
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.hide()
        self.remark = QLabel()
        self.remark.setObjectName(f"{self.name}.remark")
        self.remark.setWordWrap(True)
        standard = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(standard.Cancel)
        self.back, self.try_, self.apply = QPushButton("&Back"), QPushButton("&Try"), QPushButton("&Apply")
        for button, name, tip, act in (
            (self.back, "back", "Change what may be adjusted", self._go_back),
            (self.try_, "try", "Compute what would change; nothing is changed yet", self.compute),
            (self.apply, "apply", self.accept_words, self.accept_changes),
        ):
            button.setObjectName(f"{self.name}.{name}")
            button.setToolTip(tip)
            button.clicked.connect(act)
            self.buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        self.try_.setDefault(True)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(explanation(self.words))
        layout.addWidget(self.pages, 1)
        layout.addWidget(self.bar)
        layout.addWidget(self.remark)
        layout.addWidget(self.wrong)
        layout.addWidget(self.buttons)
        self.resize(640, 560)
        context.jobs.failed.connect(self._failed)
        context.jobs.cancelled.connect(self._cancelled)
        self._go_back()

    # ------------------------------------------------------------------ what a dialog says

    def options_page(self) -> QWidget:
        """The page of what may be changed."""
        raise NotImplementedError

    @property
    def options(self) -> ReductionOptions:
        """What is entered."""
        raise NotImplementedError

    def missing(self, options: ReductionOptions) -> str:
        """What the user still has to choose, in a sentence; empty if nothing."""
        return ""

    def show_changes(self, candidate: Analysis) -> None:
        """Fill the tabs."""
        raise NotImplementedError

    # ------------------------------------------------------------------ what the user does

    def _go_back(self) -> None:
        self.pages.setCurrentIndex(0)
        self.candidate = None
        self.remark.setText("")
        self._show_buttons()

    def _show_buttons(self, busy: bool = False) -> None:
        there = self.candidate is not None
        self.back.setVisible(there)
        self.apply.setVisible(there)
        self.try_.setVisible(not there)
        self.try_.setEnabled(not busy)
        self.bar.setVisible(busy)

    def compute(self) -> None:
        """Compute what would change."""
        self.wrong.say("")
        options = self.options
        missing = self.missing(options)
        if missing:
            self.wrong.say(missing)
            return
        if self.context.jobs.busy:
            self.wrong.say(f'"{self.context.jobs.title}" is running. Wait until it is done, or cancel it.')
            return
        self._made_of = before = self.context.document.analysis
        after = replace(before.settings, loads=replace(before.settings.loads, reduction=options))

        def work(progress: Progress) -> Analysis:
            return before.with_settings(after).run_until("loads", progress)

        self._show_buttons(busy=True)
        self.context.jobs.start(self.title, work, self._computed)

    def _computed(self, candidate: Analysis) -> None:
        if self._gone:
            return
        self.candidate = candidate
        empty_tabs(self.tabs)
        self.show_changes(candidate)
        self.pages.setCurrentIndex(1)
        self.remark.setText(f"Nothing is changed yet. Apply: {self.accept_words[0].lower()}{self.accept_words[1:]}.")
        self._show_buttons()

    def _failed(self, title: str, sentence: str) -> None:
        if title == self.title:
            self.wrong.say(sentence)
            self._show_buttons()

    def _cancelled(self, title: str) -> None:
        self._failed(title, "It was cancelled; nothing was changed.")

    _gone = False

    def done(self, result: int) -> None:
        """What is being tried ends with the dialog."""
        self._gone = True
        if self.context.jobs.busy and self.context.jobs.title == self.title:
            self.context.jobs.cancel()
        super().done(result)

    def accept_changes(self) -> None:
        """Take the changes over."""
        document = self.context.document
        if self.candidate is None or document.analysis is not self._made_of:
            self.wrong.say("The recording was changed meanwhile. Go back and try again.")
            return
        line = settings_line(document.analysis.settings, self.candidate.settings)
        document.change(self.title, self.candidate, f'{line}\nanalysis = analysis.run_until("loads")')
        self.accept()
