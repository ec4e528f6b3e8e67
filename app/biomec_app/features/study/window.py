"""The window of a study: its trials as a table, what is missing is run, groups are compared, a report is written."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut, QUndoStack
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QTabWidget, QVBoxLayout, QWidget

from biomec.base.errors import BiomecError
from biomec.base.progress import Progress
from biomec.study.batch import BatchReport, waiting_states
from biomec.study.decisions import Decision
from biomec.study.study import Study, open_study
from biomec.study.trial_cycles import TrialCycle
from biomec.study.trials import State, StudyTrial
from biomec_app.features.study import outputs
from biomec_app.features.study.actions import WINDOW
from biomec_app.features.study.batch_run import BatchRun, step_in_words
from biomec_app.features.study.decision_commands import Change, DecisionCommand
from biomec_app.features.study.folder_content import folder_blocks
from biomec_app.features.study.group_page import GroupPage
from biomec_app.features.study.opening import open_trial
from biomec_app.features.study.trials_page import TrialsPage
from biomec_app.kit import theme as themes
from biomec_app.kit.dialog_parts import Fault
from biomec_app.kit.faults import fault_told
from biomec_app.kit.painter import Painter
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.plots.clinical.blocks_view import BlocksView
from biomec_app.plots.clinical.look import Look
from biomec_app.session.context import Context
from biomec_app.session.jobs import Jobs, Status
from biomec_app.session.side_window import SideWindow, bring_to_front

TITLE = "Study"
LOOKING = "Look through the folder"
WHY = "Why? Tables and reports give the reason:"
RUNNING = "Trials are being analysed. What is done stays done, and the next run goes on from there."
STOP = "Stop and close"
SIZE, LAYOUT, COLUMNS_LAYOUT = (1240, 700), "study", "study columns"
PATIENCE_S = 10.0


class StudyWindow(SideWindow):
    """One study; several can be open beside each other."""

    def __init__(
        self, context: Context, path: Path, results: Path | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(context, WINDOW, TITLE, parent)
        self.path, self.results = path, results
        self.study: Study | None = None
        self._states: dict[State, int] = {}
        self.theme: Theme = LIGHT
        self.painter = Painter(self)
        self.work, self.batch = Jobs(self), BatchRun(self)
        self.undo_stack = QUndoStack(self)
        self._again, self._kept, self._result, self._shutting = False, "", "", False
        self._build()
        self._connect()
        self.resize(*SIZE)
        self.restoreGeometry(context.preferences.layout(LAYOUT))
        self.page.table.restore_layout(context.preferences.layout(COLUMNS_LAYOUT))
        self._take_colours()
        self._allow()
        self.look()

    # ------------------------------------------------------------------ parts

    def _build(self) -> None:
        self.words = QLabel(f"Looking through {self.path.name} …")
        self.words.setObjectName("study.words")
        self.words.setMinimumWidth(1)
        self.wrong = Fault("study.fault")
        self.page = TrialsPage(self.painter)
        self.groups = GroupPage(self.context)
        self.folder = BlocksView("study.folder")
        self.tabs = QTabWidget()
        self.tabs.setObjectName("study.tabs")
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(self.page, "&Trials")
        self.tabs.addTab(self.groups, "C&ompare")
        self.tabs.addTab(self.folder, "&Folder")
        self.run = _button("&Run", "study.run", "Analyse what has no results, is out of date, or failed")
        self.go_on = _button(
            "Run &New Only", "study.go-on", "Analyse what is missing, without trying again what failed"
        )
        self.stop = _button("Stop", "study.stop", "Stop the run; what is done stays done")
        self.bar, self.said = QProgressBar(), QLabel()
        self.bar.setMaximumWidth(200)
        self.said.setObjectName("study.said")
        self.said.setMinimumWidth(1)
        self.again = _button("&Look Again", "study.again", "Look through the folder again (F5)")
        self.export = _button("&Export", "study.export", "Tables of all trials, or a study to give away")
        self.export.setMenu(outputs.export_menu(self))
        self.report = _button("Re&port…", "study.report", "Write the report: PDF, page for a browser, Word or Excel")
        close = _button("&Close", "study.close", "")
        close.clicked.connect(self.close)
        foot = QHBoxLayout()
        for widget in (self.run, self.go_on, self.stop, self.bar):
            foot.addWidget(widget)
        foot.addWidget(self.said, 1)
        for widget in (self.again, self.export, self.report, close):
            foot.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 8, 10, 8)
        layout.addWidget(self.words)
        layout.addWidget(self.wrong)
        layout.addWidget(self.tabs, 1)
        layout.addLayout(foot)

    def _connect(self) -> None:
        page, batch, work = self.page, self.batch, self.work
        page.open_asked.connect(self.open)
        page.exclude_asked.connect(self.exclude)
        page.include_asked.connect(self.include)
        page.undo_asked.connect(self.undo_stack.undo)
        page.names_shown.connect(lambda _: self._show_folder())
        page.details.cycle_decided.connect(self.decide_cycle)
        self.undo_stack.indexChanged.connect(lambda _: self._allow())
        self.run.clicked.connect(lambda _=False: self.start_batch())
        self.go_on.clicked.connect(lambda _=False: self.start_batch(resume=True))
        self.stop.clicked.connect(lambda _=False: self._stop_batch())
        self.again.clicked.connect(lambda _=False: self.look())
        self.report.clicked.connect(lambda _=False: outputs.ask_report(self))
        batch.stepped.connect(self._stepped)
        batch.ended.connect(self._ended)
        batch.stopped.connect(self._stopped)
        work.progressed.connect(self._worked)
        work.failed.connect(self._failed)
        for ended in (work.finished, work.cancelled, work.failed):
            ended.connect(lambda *_: self._work_done())
        for keys, act in (
            (QKeySequence.StandardKey.Undo, self.undo_stack.undo),
            (QKeySequence.StandardKey.Redo, self.undo_stack.redo),
            (QKeySequence(Qt.Key.Key_F5), self.look),
            (QKeySequence.StandardKey.Find, page.words.setFocus),
        ):  # fmt: skip
            QShortcut(keys, self).activated.connect(act)

    # ------------------------------------------------------------------ looking through the folder

    def look(self) -> None:
        """Look through the folder, and show what is there now."""
        if self.work.busy:
            self._again = True
            return
        path, results = self.path, self.results

        def work(progress: Progress) -> Study:
            return open_study(path, results, progress)

        self.work.start(LOOKING, work, self.show_study)
        self._allow()

    def show_study(self, study: Study) -> None:
        """Show a study as it is now."""
        self.study, self._states = study, study.states
        self.wrong.say("")
        self.setWindowTitle(f"{study.description.name} – Study – Biomec")
        self.page.show_study(study)
        self.groups.show_study(study)
        self._show_folder()
        self._tell()
        self._allow()

    def _tell(self) -> None:
        """One line about the study, and what there is to run."""
        study = self.study
        if study is None:
            return
        doubts = len(study.sentences) + sum(one.kind == "unreadable" for one in study.files.values())
        more = f"   ⚠ {doubts} remark{'s' if doubts != 1 else ''}: see Folder" if doubts else ""
        self.words.setText(f"{study.in_words}{more}")
        self.words.setToolTip(str(study.folder))
        waiting, fresh = self._waiting(), self._waiting(resume=True)
        self.run.setText(f"&Run {waiting} Trial{'s' if waiting != 1 else ''}" if waiting else "&Run")
        self.go_on.setVisible(0 < fresh < waiting)

    def _waiting(self, resume: bool = False) -> int:
        """How many trials a batch would analyse."""
        states = waiting_states(resume)
        return 0 if self.study is None else sum(count for state, count in self._states.items() if state in states)

    def _show_folder(self) -> None:
        if self.study is not None:
            blocks = folder_blocks(self.study, self.page.names.isChecked())
            self.folder.show_blocks(blocks, Look(self.theme))

    def _allow(self) -> None:
        """Enable what can be done now."""
        running, there = self.batch.jobs.busy, self.study is not None
        self.run.setEnabled(bool(self._waiting()) and not running)
        self.go_on.setEnabled(not running)
        for widget in (self.stop, self.bar):
            widget.setVisible(running)
        done = self.study is not None and State.DONE in self._states
        idle = not self.work.busy
        self.report.setEnabled(done and idle)
        self.export.setEnabled(there and idle)
        self.again.setEnabled(idle)
        self.page.allow(there, self.undo_stack.canUndo())

    # ------------------------------------------------------------------ the batch

    def start_batch(self, resume: bool = False, jobs: int | None = None) -> None:
        """Analyse what is missing; ``resume`` : without what failed before; ``jobs`` : processes."""
        if self.study is None or self.batch.jobs.busy:
            return
        self.wrong.say("")
        self.bar.setRange(0, max(1, self._waiting(resume)))
        self.bar.setValue(0)
        self._result = ""
        self.said.setText("Starting …")
        self.batch.start(self.study, self.path, resume, jobs)
        self.stop.setEnabled(True)
        self._allow()

    def _stepped(self, step: object) -> None:
        self.bar.setValue(step.done)  # type: ignore[attr-defined]  # a `Step`; Qt knows no type of its own for it
        self.said.setText(step_in_words(step))  # type: ignore[arg-type]
        self.page.set_record(step.record)  # type: ignore[attr-defined]

    def _ended(self, report: BatchReport) -> None:
        """Look at what the batch left, and at what was decided meanwhile; what could not be written stays said."""
        if self.closed:
            return
        self._result = report.sentence
        self.said.setText(self._result)
        self._again_kept(" ".join(report.unwritten[:3]))

    def _stop_batch(self) -> None:
        self.stop.setEnabled(False)
        self.said.setText("Stopping …")
        self.batch.cancel()

    def _stopped(self, sentence: str) -> None:
        if self.closed:
            return
        self.said.setText("")
        self.wrong.say(sentence)
        self._allow()
        self._again_kept(sentence)

    def _again_kept(self, sentence: str) -> None:
        """Look again, and keep a sentence on show."""
        self._kept = sentence
        self.look()

    # ------------------------------------------------------------------ work beside

    def _worked(self, status: Status) -> None:
        if not self.batch.jobs.busy:
            self.said.setText(f"{status.title} … {100 * status.fraction:.0f} %")

    def _failed(self, title: str, sentence: str) -> None:
        if title == LOOKING and self.study is None:
            self.context.user.fail(f"Open {self.path.name}", sentence)
            QTimer.singleShot(0, self, self.close)
            return
        self._kept = sentence

    def _work_done(self) -> None:
        if self.closed:
            return
        if not self.batch.jobs.busy and self.said.text().endswith("%"):
            self.said.setText(self._result)
        if self._kept and not self._again:
            self.wrong.say(self._kept)
            self._kept = ""
        self._allow()
        if self._again:
            self._again = False
            QTimer.singleShot(0, self, self.look)

    # ------------------------------------------------------------------ what the user does

    def open(self, trial: StudyTrial) -> None:
        """Show a trial in the main window."""
        if self.study is None:
            return
        label = self.page.wording.label(trial)
        try:
            if trial.state is State.GONE:
                raise BiomecError(f"{label}: its recording is gone. Put it back into the folder, under any name.")
            open_trial(self.context, self.study, trial, label)
            self.wrong.say("")
        except BiomecError as error:
            self.wrong.say(str(error))

    def exclude(self) -> None:
        """Take the selected trials out, after asking why."""
        chosen = [one for one in self.page.table.selected if one.state is not State.EXCLUDED]
        if chosen:
            title = f"Exclude {_counted(chosen, self.page.wording.label(chosen[0]))}"
            reason = self.context.user.ask_text(title, WHY, "")
            if reason:
                self._decide(title, [Change(Decision(one.id, reason), "") for one in chosen])

    def include(self) -> None:
        """Let the selected trials count again."""
        chosen = [one for one in self.page.table.selected if one.state is State.EXCLUDED]
        if chosen:
            title = f"Include {_counted(chosen, self.page.wording.label(chosen[0]))}"
            self._decide(title, [Change(Decision(one.id, ""), one.reason) for one in chosen])

    def decide_cycle(self, cycle: TrialCycle, out: bool) -> None:
        """Take a cycle of the current trial out, after asking why, or let it count again."""
        trial = self.page.table.current
        if trial is None:
            return
        key = cycle.side, cycle.first
        title = f"{'Exclude' if out else 'Include'} {cycle.title} of {self.page.wording.label(trial)}"
        before = next((one.reason for one in trial.excluded_cycles if (one.side, one.frame) == key), "")
        reason = self.context.user.ask_text(title, WHY, "") if out else ""
        if reason or not out:
            self._decide(title, [Change(Decision(trial.id, reason or "", key), before)])

    def _decide(self, text: str, changes: list[Change]) -> None:
        if self.study is not None:
            command = DecisionCommand(text, self.study.results, tuple(changes), self.look, self._not_decided)
            self.undo_stack.push(command)

    def _not_decided(self, error: Exception) -> None:
        self.wrong.say(fault_told(error, "The decision cannot be kept"))

    # ------------------------------------------------------------------ colours, closing

    def changeEvent(self, event: QEvent) -> None:
        """Take over another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "folder"):
            self._take_colours()

    def _take_colours(self) -> None:
        theme = themes.of_palette(self)
        if theme is not self.theme or self.study is None:
            self.theme = theme
            self.page.set_theme(theme)
            self.groups.set_theme(theme)
            self._show_folder()

    def may_close(self) -> bool:
        """Whether nothing runs, or the user wants it stopped."""
        if not self.batch.jobs.busy:
            return True
        return self.context.user.confirm("Close the study", RUNNING, (STOP,)) == STOP

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about a batch that runs, remember where everything was, and stop what runs."""
        if not self._shutting and not self.may_close():
            event.ignore()
            return
        preferences = self.context.preferences
        preferences.set_layout(LAYOUT, self.saveGeometry())
        preferences.set_layout(COLUMNS_LAYOUT, self.page.table.layout_state)
        running = (self.work, self.batch.jobs)
        for jobs in running:
            jobs.cancel()
        for jobs in running:
            jobs.wait(PATIENCE_S)
        self.groups.stop()
        self.page.stop()
        self.painter.stop()
        self.undo_stack.blockSignals(True)  # the parts of the window go in any order now
        super().closeEvent(event)

    def shut(self) -> None:
        """Close with the program, which has asked already."""
        self._shutting = True
        super().shut()


def open_study_window(context: Context, path: Path, results: Path | None = None) -> StudyWindow:
    """Show the study of a folder, or of its ``study.toml``; one that is open comes to the front."""
    wanted = path.resolve()
    window = bring_to_front(context, StudyWindow, lambda one: one.path.resolve() == wanted)
    if window is None:
        window = StudyWindow(context, path, results, context.window)
        window.show()
    context.preferences.add_recent(path)
    return window


def _button(text: str, name: str, tip: str) -> QPushButton:
    made = QPushButton(text)
    made.setObjectName(name)
    made.setToolTip(tip)
    made.setAutoDefault(False)
    return made


def _counted(trials: list[StudyTrial], label: str) -> str:
    return label if len(trials) == 1 else f"{len(trials)} trials"
