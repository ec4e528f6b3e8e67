"""Reduce residuals: choose what may be adjusted, see every change beside what was, and only then take it over."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from biomec.base.progress import Progress
from biomec.body.loads.mass_adjustment import MassOptions
from biomec.body.loads.motion_correction import MotionOptions
from biomec.body.loads.residual_reduction import ReductionOptions
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.replay import settings_line
from biomec.reporting.content.reduction_section import reduction_sections
from biomec_app.kit.dialog_parts import Fault, empty_tabs, explanation
from biomec_app.kit.sections import SectionView
from biomec_app.session.context import Context

TITLE = "Reduce Residuals"
MM, PERCENT = 1e3, 100.0
WORDS = (
    "Motion, masses and plates never agree completely; the residual is what is left over. Masses, centres of mass and "
    "the motion can be adjusted within their errors so that it shrinks. Nothing is changed before you have seen every "
    "change and accept it. Loads computed so are marked in the notices, and Undo takes it back."
)


class ReductionDialog(QDialog):
    """First what may be adjusted, then what that does; Apply changes the analysis, in one step that can be undone."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.setObjectName("reduce-residuals")
        self.setWindowTitle(TITLE)
        self.candidate: Analysis | None = None
        self._made_of: Analysis | None = None
        self.pages = QStackedWidget()
        self.pages.addWidget(self._options_page())
        self.tabs = QTabWidget()
        self.tabs.setObjectName("reduce-residuals.changes")
        self.tabs.setAccessibleName("What would change")
        self.tabs.setDocumentMode(True)
        self.pages.addWidget(self.tabs)
        self.wrong = Fault("reduce-residuals.fault")
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.hide()
        self.said = QLabel()
        self.said.setObjectName("reduce-residuals.said")
        self.said.setWordWrap(True)
        standard = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(standard.Cancel)
        self.back, self.try_, self.apply = QPushButton("&Back"), QPushButton("&Try"), QPushButton("&Apply")
        for button, name, tip, act in (
            (self.back, "back", "Change what may be adjusted", self._go_back),
            (self.try_, "try", "Compute what would change; nothing is changed yet", self.compute),
            (self.apply, "apply", "Use the adjusted masses and motion for the loads", self.accept_changes),
        ):
            button.setObjectName(f"reduce-residuals.{name}")
            button.setToolTip(tip)
            button.clicked.connect(act)
            self.buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        self.try_.setDefault(True)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(explanation(WORDS))
        layout.addWidget(self.pages, 1)
        layout.addWidget(self.bar)
        layout.addWidget(self.said)
        layout.addWidget(self.wrong)
        layout.addWidget(self.buttons)
        self.resize(640, 560)
        context.jobs.failed.connect(self._failed)
        context.jobs.cancelled.connect(self._cancelled)
        self._go_back()

    def _options_page(self) -> QWidget:
        page = QWidget()
        form = QFormLayout(page)
        masses, motion = MassOptions(), MotionOptions()
        before = self.context.document.analysis.settings.loads.reduction or ReductionOptions()
        self.masses, self.motion = QCheckBox("Adjust &masses and centres of mass"), QCheckBox("Adjust the m&otion")
        self.masses.setChecked(before.inertia is not None)
        self.motion.setChecked(before.motion is not None)
        masses, motion = before.inertia or masses, before.motion or motion
        self.mass = _number("mass", "Largest change of a segment's mass", PERCENT * masses.mass, " %", 99.0, 0)
        self.centre = _number("centre", "Largest shift of a centre of mass", MM * masses.centre_m, " mm", 200.0, 0)
        self.marker = _number("marker", "Markers may move by (RMS)", MM * motion.marker_m, " mm", 100.0, 1)
        self._before = before
        for box, name in ((self.masses, "masses"), (self.motion, "motion")):
            box.setObjectName(f"reduce-residuals.{name}")
        form.addRow(self.masses)
        for field in (self.mass, self.centre):
            form.addRow(field.accessibleName(), field)
            self.masses.toggled.connect(field.setEnabled)
        form.addRow(self.motion)
        form.addRow(self.marker.accessibleName(), self.marker)
        self.motion.toggled.connect(self.marker.setEnabled)
        form.addRow(explanation("More can be set in Dynamics ▸ Inverse ▸ Settings."))
        return page

    @property
    def options(self) -> ReductionOptions:
        """What is entered."""
        inertia = replace(
            self._before.inertia or MassOptions(),
            mass=self.mass.value() / PERCENT,
            centre_m=self.centre.value() / MM,
        )
        motion = replace(self._before.motion or MotionOptions(), marker_m=self.marker.value() / MM)
        return ReductionOptions(
            inertia if self.masses.isChecked() else None, motion if self.motion.isChecked() else None
        )

    # ------------------------------------------------------------------ what the user does

    def _go_back(self) -> None:
        self.pages.setCurrentIndex(0)
        self.candidate = None
        self.said.setText("")
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
        if options.inertia is None and options.motion is None:
            self.wrong.say("Choose masses, motion or both.")
            return
        if self.context.jobs.busy:
            self.wrong.say(f'"{self.context.jobs.title}" is running. Wait until it is done, or cancel it.')
            return
        self._made_of = before = self.context.document.analysis
        after = replace(before.settings, loads=replace(before.settings.loads, reduction=options))

        def work(progress: Progress) -> Analysis:
            return before.with_settings(after).run_until("loads", progress)

        self._show_buttons(busy=True)
        self.context.jobs.start(TITLE, work, self._computed)

    def _computed(self, candidate: Analysis) -> None:
        if self._gone:
            return
        reduced = candidate.loads.reduced
        assert reduced is not None  # by the settings
        self.candidate = candidate
        empty_tabs(self.tabs)
        for section in reduction_sections(reduced):
            self.tabs.addTab(SectionView(section), section.title)
        self.pages.setCurrentIndex(1)
        self.said.setText("Nothing is changed yet. Apply uses these masses and this motion for the loads.")
        self._show_buttons()

    def _failed(self, title: str, sentence: str) -> None:
        if title == TITLE:
            self.wrong.say(sentence)
            self._show_buttons()

    def _cancelled(self, title: str) -> None:
        self._failed(title, "It was cancelled; nothing was changed.")

    _gone = False

    def done(self, result: int) -> None:
        """What is being tried ends with the dialog."""
        self._gone = True
        if self.context.jobs.busy and self.context.jobs.title == TITLE:
            self.context.jobs.cancel()
        super().done(result)

    def accept_changes(self) -> None:
        """Take the changes over."""
        document = self.context.document
        if self.candidate is None or document.analysis is not self._made_of:
            self.wrong.say("The recording was changed meanwhile. Go back and try again.")
            return
        line = settings_line(document.analysis.settings, self.candidate.settings)
        document.change(TITLE, self.candidate, f'{line}\nanalysis = analysis.run_until("loads")')
        self.accept()


def _number(name: str, words: str, value: float, suffix: str, most: float, digits: int) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setObjectName(f"reduce-residuals.{name}")
    box.setAccessibleName(words)
    box.setDecimals(digits)
    box.setRange(1.0 if digits == 0 else 0.1, most)
    box.setSuffix(suffix)
    box.setValue(value)
    return box
