"""File ▸ Report…: what the clinician writes, how the report shall be, its pages, and the file that it becomes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.fields import Entry, group
from biomec.base.progress import Progress
from biomec.pipeline.analysis import run_first
from biomec.recording import ClinicalNotes
from biomec.recording.clinical_notes import LONG_TEXTS
from biomec_app.features.clinical.clinical_content import Recordings, missing_step
from biomec_app.features.clinical.editing import change_notes
from biomec_app.features.clinical.norm_data import fill_choice
from biomec_app.features.clinical.report_choices import ReportChoices
from biomec_app.features.clinical.report_making import MadeReport, made_report, written_report
from biomec_app.features.clinical.report_preview import ReportPreview
from biomec_app.figures.report.writers import WRITERS
from biomec_app.kit.dialog_parts import Fault, explanation
from biomec_app.kit.faults import fault_told
from biomec_app.kit.forms.form import Form
from biomec_app.kit.forms.rows import FormRow, ParagraphRow
from biomec_app.kit.painter import Painter
from biomec_app.session.context import Context
from biomec_app.session.norm_sets import KnownNorms, known_norms
from biomec_app.session.project_file import PROJECTS
from biomec_app.session.side_window import SideWindow, open_beside

TITLE = "Clinical Report"
TEXTS = "Kept with the recording and never filled in by Biomec; empty texts leave room to write by hand."
UNMADE = "The report cannot be made"
SIZE, WIDTH, LAYOUT = (1180, 700), 400, "report"
FIRST = ".pdf"  # what the file dialog offers first
LINES = {"findings": 5, "interpretation": 5, "recommendation": 4}


def kinds() -> str:
    """Kinds of files, as a file dialog offers them."""
    order = sorted(WRITERS, key=lambda ending: ending != FIRST)
    return ";;".join(f"{WRITERS[ending].title} (*{ending})" for ending in order)


class ReportWindow(SideWindow):
    """Texts and options at the left, the pages at the right."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, "report", TITLE, parent)
        self.painter = Painter(self)
        self.made: MadeReport | None = None
        self._recordings: Recordings | None = None
        self._due = QTimer(self, singleShot=True, interval=0)
        self._due.timeout.connect(self._make)
        self._build()
        context.visit.changed.connect(self._follow)
        context.comparison.changed.connect(self._follow)
        context.jobs.failed.connect(self._failed_job)
        self.resize(*SIZE)
        self.restoreGeometry(context.preferences.layout(LAYOUT))
        self._follow()

    # ------------------------------------------------------------------ parts

    def _build(self) -> None:
        own: dict[tuple[str, ...], Callable[[Entry, str], FormRow]] = {(key,): self._paragraph for key in LONG_TEXTS}
        self.form = Form(group(ClinicalNotes()), "report.{}", own=own, wheel=False, parent=self)
        for row in self.form.rows.values():
            row.widget.installEventFilter(self)
        self.tabs = QTabWidget()
        self.tabs.setObjectName("report.tabs")
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self._texts(), "&Texts")
        self.choices = ReportChoices(self.context, self._compare)
        self.choices.changed.connect(self.refresh)
        self.tabs.addTab(_scrolling(self.choices), "&Options")
        self.preview = ReportPreview(self.painter, lambda fault: self.wrong.say(fault_told(fault, UNMADE)))
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.tabs)
        split.addWidget(self.preview)
        split.setStretchFactor(1, 1)
        split.setSizes([WIDTH, SIZE[0] - WIDTH])
        self.wrong = Fault("report.fault")
        self.said = QLabel()
        self.said.setObjectName("report.said")
        self.said.setMinimumWidth(1)
        self.save_button, close = QPushButton("&Save…"), QPushButton("&Close")
        self.save_button.setObjectName("report.save")
        self.save_button.setToolTip("Save the report as PDF, page for a browser, Word or Excel")
        self.save_button.setDefault(True)
        self.save_button.clicked.connect(lambda _=False: self._ask_and_save())
        close.setObjectName("report.close")
        close.clicked.connect(self.close)
        foot = QHBoxLayout()
        foot.addWidget(self.said, 1)
        foot.addWidget(self.save_button)
        foot.addWidget(close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 8, 10, 8)
        layout.addWidget(self.wrong)
        layout.addWidget(split, 1)
        layout.addLayout(foot)

    def _paragraph(self, entry: Entry, name: str) -> FormRow:
        return ParagraphRow(entry, name, LINES.get(entry.name, 3))

    def _texts(self) -> QWidget:
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.addWidget(explanation(TEXTS))
        for path, row in self.form.rows.items():
            label = self.form.label(path)
            label.setContentsMargins(0, 4, 0, 0)
            layout.addWidget(label)
            layout.addWidget(row.widget)
        layout.addStretch(1)
        return _scrolling(inside)

    # ------------------------------------------------------------------ following the document

    @property
    def recordings(self) -> Recordings:
        """Recordings of the visit, the open one first, because its texts count; and those that are compared with."""
        visit = self.context.visit
        members = list(visit.analysed)
        members.insert(0, members.pop(visit.place))
        analyses = tuple(one.analysis for one in members if one.analysis is not None)
        others = tuple((one.name, (one.analysis,)) for one in self.context.comparison.conditions)
        return Recordings(tuple(one.name for one in members), analyses, others)

    def _follow(self) -> None:
        """Show what is open."""
        if self.closed:
            return
        document = self.context.document
        self.setEnabled(document.is_open)
        if document.is_open:
            notes = document.analysis.session.notes
            if self.form.entered(notes) != notes or self.made is None:
                self.form.show(notes)
            names = ", ".join(one.name for one in self.context.comparison.conditions)
            self.choices.show_others(names)
        self.refresh()

    def refresh(self, *_: object) -> None:
        """Make the report anew, once for all that changes in a turn of the event loop."""
        if not self.closed:
            self._due.start()

    def _make(self) -> None:
        if self.closed or not self.context.document.is_open:
            return
        step = missing_step(self.context.document.analysis)
        self.save_button.setEnabled(not step)
        if step:
            self.wrong.say(run_first(step))
            return
        self.wrong.say("")
        self.said.setText("Preparing the pages…")
        recordings, wishes = self.recordings, self.choices.wishes()
        before = self._made_of(recordings)
        folder = wishes.norms_folder
        self.painter.paint(
            "report",
            lambda: (made_report(recordings, wishes, before), known_norms(folder)),
            lambda made, fault: self._shown(recordings, made, fault),
        )

    def _made_of(self, recordings: Recordings) -> MadeReport | None:
        """The report that is shown, if it was made of these recordings."""
        return self.made if self._recordings is not None and self._recordings.same(recordings) else None

    def _shown(
        self, recordings: Recordings, made: tuple[MadeReport, KnownNorms] | None, fault: Exception | None
    ) -> None:
        if self.closed:
            return
        if made is None:
            self.said.setText("")
            self.wrong.say(fault_told(fault, UNMADE))
            return
        self._recordings, (self.made, known) = recordings, made
        fill_choice(self.choices.norm, known, str(self.choices.norm.currentData()))
        left_out = len(self.made.report.left_out)
        count = len(self.made.report.pages)
        words = f"{count} page{'' if count == 1 else 's'}"
        self.said.setText(words + (f"; {left_out} left out for want of data" if left_out else ""))
        self.said.setToolTip("\n".join(self.made.remarks))
        self.preview.show_report(self.made)

    # ------------------------------------------------------------------ texts

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep a text when its field is left."""
        if event.type() == QEvent.Type.FocusOut:
            self.keep_texts()
        return False

    def keep_texts(self) -> bool:
        """Keep the texts with the recording, as one change that can be undone; False if one of them cannot be kept."""
        if self.closed or not self.context.document.is_open:
            return True
        try:
            change_notes(self.context, "Report texts", self.form.entered(self.context.document.analysis.session.notes))
        except BiomecError as error:
            self.wrong.say(str(error))
            return False
        return True

    # ------------------------------------------------------------------ what the user does

    def _compare(self) -> None:
        path = self.context.user.ask_file("Compare with a recording", PROJECTS, False, self.context.preferences.folder)
        if path is not None:
            try:
                self.context.comparison.add(path)
            except BiomecError as error:
                self.wrong.say(str(error))

    def _ask_and_save(self) -> None:
        document = self.context.document
        stem = Path(document.analysis.session.dynamic.source.name).stem
        if self.choices.nameless.isChecked():
            stem = document.analysis.session.notes.identifier.strip() or "report"
        start = str(Path(self.context.preferences.folder) / f"{stem} report{FIRST}")
        path = self.context.user.ask_file("Save Report", kinds(), True, start)
        if path is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Write the report in the background; the files that were written are shown with what is not in them."""
        if not self.keep_texts():
            return
        if not path.suffix:
            path = path.with_name(path.name + FIRST)
        context, recordings, wishes = self.context, self.recordings, self.choices.wishes()
        before = self._made_of(recordings)
        title = f"Report {path.name}"

        def work(progress: Progress) -> MadeReport:
            return written_report(recordings, wishes, path, before, progress)

        try:
            self.wrong.say("")
            context.jobs.start(title, work, lambda made: context.user.show_written(title, (path,), made.report.notices))
        except BiomecError as error:
            self.wrong.say(str(error))

    def _failed_job(self, title: str, sentence: str) -> None:
        if title.startswith("Report ") and not self.closed:
            self.wrong.say(sentence)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep the texts, remember where it was, and stop drawing."""
        self.keep_texts()
        self.context.preferences.set_layout(LAYOUT, self.saveGeometry())
        self._due.stop()
        self.painter.stop()
        super().closeEvent(event)


def _scrolling(inside: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidget(inside)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area


def open_report(context: Context) -> ReportWindow:
    """Open the window, or bring it to the front."""
    return open_beside(context, ReportWindow)
