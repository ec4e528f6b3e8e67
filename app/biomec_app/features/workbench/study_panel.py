"""What to ask of the machine: the study, its options, Run and Cancel, and how far it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, QTemporaryDir, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.fields import group
from biomec.base.progress import Progress
from biomec.machines.machine import Machine
from biomec.machines.studies import studies
from biomec.machines.study import Study, options_from
from biomec_app.features.workbench.bench import Bench
from biomec_app.kit.dialog_parts import Fault, explanation
from biomec_app.kit.forms.form import Form
from biomec_app.kit.painter import Painter
from biomec_app.session.jobs import Jobs, Status

LOOKING = "Looking at what can be asked of this machine …"
FAULTY = "The text of the machine has a fault. Mend it first, or undo."


class OptionForm(QWidget):
    """One row for every option.

    changed : a value was changed
    """

    changed = Signal()

    def __init__(self, study: Study, values: Mapping[str, Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.study = study
        self.form = Form(group(study.options()), "workbench.option.{}", parent=self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 4, 0)
        column.setSpacing(4)
        self.form.narrow(column)
        if not self.form.rows:
            column.addWidget(explanation("Nothing to be chosen here."))
        column.addStretch(1)
        self.boxes = {path[0]: row.widget for path, row in self.form.rows.items()}
        self.resets = {path[0]: reset for path, reset in self.form.resets.items()}
        for name, value in values.items():
            self.set(name, value)
        self.form.edited.connect(self.changed)

    @property
    def values(self) -> dict[str, Any]:
        """Name of an option -> its value."""
        return {path[0]: row.value() for path, row in self.form.rows.items()}

    def options(self) -> Any:
        """The options, checked; raises a sentence."""
        return options_from(self.study, self.values)

    def set(self, name: str, value: Any) -> None:
        """Give an option a value."""
        self.form.rows[name,].set(value)
        self.form.mark()


class StudyPanel(QWidget):
    """Chooser of studies over the form of the chosen one's options.

    finished        : a run came to its end and is in the list
    options_changed : another study was chosen, or an option has another value
    """

    finished = Signal()
    options_changed = Signal()

    def __init__(self, bench: Bench, jobs: Jobs, painter: Painter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench, self.jobs, self._painter = bench, jobs, painter
        self.studies: tuple[Study, ...] = ()
        self.reasons: dict[str, str | None] = {}  # why a study cannot be made of the machine
        self._chosen: dict[str, dict[str, Any]] = {}  # options that were chosen before, by study
        self._wanted = ""
        self._rows = QTemporaryDir()  # of sweeps that were stopped, which go on where they were
        self._goes_on = False
        self._build()
        bench.opened.connect(self._opened)
        bench.machine_changed.connect(self.refresh)
        bench.text_changed.connect(self._enable)
        jobs.started.connect(self._started)
        jobs.progressed.connect(self._progressed)
        jobs.finished.connect(self._ended)
        jobs.cancelled.connect(lambda title: self._ended(title, f"{title} was cancelled; {self._left()}"))
        jobs.failed.connect(lambda title, sentence: self._ended(title, "", sentence))
        self._opened()
        self.refresh()

    def _build(self) -> None:
        self.combo = QComboBox()
        self.combo.setObjectName("workbench.study")
        self.combo.setAccessibleName("Analysis")
        self.combo.setToolTip("What to ask of the machine; those in grey say why they cannot be asked")
        self.combo.setMaxVisibleItems(25)
        self.combo.setMinimumContentsLength(16)
        self.combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.combo.currentIndexChanged.connect(self._picked)
        self.about = explanation()
        self.refusal = QLabel()
        self.refusal.setObjectName("workbench.refusal")
        self.refusal.setWordWrap(True)
        self.form: OptionForm | None = None
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.run_button = QPushButton("&Run")
        self.run_button.setObjectName("workbench.run")
        self.run_button.setToolTip("Run the analysis (F5)")
        self.run_button.setDefault(True)
        self.run_button.clicked.connect(lambda checked=False: self.run())
        self.cancel_button = QPushButton("&Cancel")
        self.cancel_button.setObjectName("workbench.cancel")
        self.cancel_button.setToolTip("Stop what is running; nothing is changed (Esc)")
        self.cancel_button.clicked.connect(lambda checked=False: self.cancel())
        self.bar = QProgressBar()
        self.bar.setObjectName("workbench.bar")
        self.bar.setAccessibleName("How far the analysis is")
        self.told = explanation()
        self.told.setObjectName("workbench.told")
        self.fault = Fault("workbench.run-fault")
        row = QHBoxLayout()
        row.addWidget(self.run_button, 1)
        row.addWidget(self.cancel_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 6)
        layout.setSpacing(6)
        for widget in (self.combo, self.about, self.refusal):
            layout.addWidget(widget)
        layout.addWidget(self.area, 1)
        layout.addWidget(self.fault)
        layout.addLayout(row)
        layout.addWidget(self.bar)
        layout.addWidget(self.told)
        self.bar.hide()
        self.told.hide()
        self.cancel_button.setEnabled(False)

    # ------------------------------------------------------------------ choosing

    @property
    def study(self) -> Study | None:
        """The study that is chosen."""
        at = self.combo.currentIndex()
        return self.studies[at] if 0 <= at < len(self.studies) else None

    def _opened(self) -> None:
        """Another machine: its own question is asked first."""
        self._wanted = self.bench.machine.analysis

    def refresh(self) -> None:
        """Look which studies can be made of the machine; that loads and computes, and so it is done beside."""
        machine = self.bench.machine
        self._painter.paint("studies", lambda: _looked_at(machine), lambda found, _: self._listed(machine, found))

    def _listed(self, machine: Machine, found: dict[str, tuple[Study, str | None]] | None) -> None:
        """List the studies; those that cannot be made of this machine say why."""
        if found is None or machine is not self.bench.machine:
            return
        keep = self._wanted or (self.study.key if self.study is not None else machine.analysis)
        self.studies = tuple(study for study, _ in found.values())
        self.reasons = {key: reason for key, (_, reason) in found.items()}
        with QSignalBlocker(self.combo):
            self.combo.clear()
            model = self.combo.model()
            assert isinstance(model, QStandardItemModel)  # what a QComboBox has unless it is given another
            for k, (study, reason) in enumerate(found.values()):
                self.combo.addItem(study.title, study.key)
                item = model.item(k)
                item.setToolTip(f"{study.about} {reason}" if reason else study.about)
                item.setEnabled(reason is None)
            possible = [key for key, reason in self.reasons.items() if reason is None]
            wanted = keep if keep in possible else next(iter(possible), "")
            self.combo.setCurrentIndex(self.combo.findData(wanted) if wanted else -1)
        self._wanted = ""
        self._choose()

    def choose(self, key: str, options: Mapping[str, Any] | None = None) -> None:
        """Choose a study, with options if they are given."""
        if options is not None:
            known = next((one for one in self.studies if one.key == key), None)
            self._chosen[key] = dict(options)
            if known is not None:
                chosen = options_from(known, options)
                self._chosen[key] = {name: getattr(chosen, name) for name in options}
            self.form = None
        self._wanted = key
        at = self.combo.findData(key)
        if at >= 0:
            with QSignalBlocker(self.combo):
                self.combo.setCurrentIndex(at)
            self._choose()

    def give(self, key: str, values: Mapping[str, Any]) -> None:
        """Choose a study, and give some of its options other values."""
        self.choose(key)
        if self.form is not None and self.form.study.key == key:
            for name, value in values.items():
                self.form.set(name, value)
            self._remember()

    def _picked(self, _: int) -> None:
        self._wanted = ""
        self._choose()

    def _choose(self) -> None:
        study = self.study
        self.fault.say("")
        if study is None:
            refusals = [f"{one.title}: {self.reasons[one.key]}" for one in self.studies]
            self.about.setText("No analysis can be made of this machine." if self.studies else LOOKING)
            self.refusal.setText("\n".join(refusals))
            self.area.setWidget(QWidget())
            self.form = None
            self._enable()
            return
        self.about.setText(study.about)
        if self.form is None or self.form.study.key != study.key:
            self.form = OptionForm(study, self._chosen.get(study.key, {}))
            self.form.changed.connect(self._remember)
            self.area.setWidget(self.form)
            bar = self.area.verticalScrollBar().sizeHint().width()
            self.area.setMinimumWidth(self.form.minimumSizeHint().width() + bar)  # nothing lies under the scroll bar
        self._enable()
        self.options_changed.emit()

    def _remember(self) -> None:
        if self.form is not None:
            self._chosen[self.form.study.key] = self.form.values
        self.options_changed.emit()

    def _enable(self) -> None:
        study = self.study
        reason = self.reasons.get(study.key) if study is not None else self.refusal.text()
        if self.bench.draft.fault:
            reason = FAULTY
        self.refusal.setText(reason or "")
        self.refusal.setVisible(bool(reason))
        self.run_button.setEnabled(study is not None and not reason and not self.jobs.busy)

    # ------------------------------------------------------------------ running

    def run(self) -> None:
        """Run the chosen study in the background; errors are reported."""
        study = self.study
        if study is None or self.form is None or not self.run_button.isEnabled():
            return
        machine = self.bench.machine
        self.fault.say("")
        try:
            options = self.form.options()
        except BiomecError as error:
            self.fault.say(str(error))
            return

        keeps, folder = getattr(options, "kept", None) == "", self._rows.path()
        self._goes_on = hasattr(options, "kept")

        def work(progress: Progress) -> Any:
            reason = study.refusal(machine)  # it may have been changed a moment ago
            if reason is not None:
                raise BiomecError(sentence(reason))
            if not keeps:
                return study.run(machine, options, progress)
            return replace(study.run(machine, replace(options, kept=folder), progress), options=options)

        self.jobs.start(study.title, work, self._done)

    def cancel(self) -> None:
        """Stop what is running."""
        if self.jobs.busy:
            self.told.setText("Stopping …")
            self.cancel_button.setEnabled(False)
            self.jobs.cancel()

    def _left(self) -> str:
        return "run it again, and it goes on where it was." if self._goes_on else "nothing was changed."

    def _done(self, run: Any) -> None:
        self.bench.add(run)
        if not run.succeeded:
            self.fault.say(f"{run.title}: {run.status}")

    def _started(self, title: str) -> None:
        self.bar.setRange(0, 0)
        self.bar.show()
        self.told.setText(f"{title} …")
        self.told.show()
        self.cancel_button.setEnabled(True)
        self._enable()

    def _progressed(self, status: Status) -> None:
        if not self.cancel_button.isEnabled():
            return  # it is stopping
        self.bar.setRange(0, 100)
        self.bar.setValue(round(100 * status.fraction))
        left = "" if status.remaining_s is None else f", {status.remaining_s:.0f} s left"
        note = f": {status.note}" if status.note else ""
        self.told.setText(f"{status.title}{note} …{left}")

    def _ended(self, title: str, words: str = "", fault: str = "") -> None:
        self.bar.hide()
        self.told.setText(words)
        self.told.setVisible(bool(words))
        self.cancel_button.setEnabled(False)
        self._goes_on = False
        if fault:
            self.fault.say(fault)
        self._enable()
        self.finished.emit()


def _looked_at(machine: Machine) -> dict[str, tuple[Study, str | None]]:
    """All studies by their keys, and why each cannot be made of a machine."""
    found: dict[str, tuple[Study, str | None]] = {}
    for study in studies():
        reason = study.refusal(machine)
        found[study.key] = study, None if reason is None else sentence(reason)
    return found


def sentence(words: str) -> str:
    """Words with a capital at their beginning."""
    return words[:1].upper() + words[1:]
