"""Choose a simulation: what moves the body, which part of the movement, equations and steps, what is different."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.fields import MS, group, help_of
from biomec.engine.forward.integrators import Steps
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.simulation_settings import AUTO, ROOT, ROOTS, SimulationSettings
from biomec.pipeline.stretch import cycle_spans, simulated_stretch
from biomec_app.features.simulations.dialog_boxes import WHAT_IF, AdvancedBox, WhatIfBox, part_rows
from biomec_app.features.simulations.running import STEP, simulate
from biomec_app.features.simulations.runs import free_name, integrators_for, short_name
from biomec_app.kit.dialog_parts import Fault, explanation
from biomec_app.kit.forms.boxes import chooser
from biomec_app.kit.forms.form import Form
from biomec_app.kit.forms.rows import ChoiceRow
from biomec_app.session.context import Context

WHOLE, FRAMES = "whole", "frames"
HEIGHT, MARGIN = 640, 60  # of the dialog while nothing is unfolded, and to the ends of the screen, in pixels
WITHOUT_ROW = (("name",), ("frames",), ("cycle",))
FOLLOWING = (("root",), ("joint_stops",), WHAT_IF)  # fields without a meaning where nothing is followed


def default_settings(analysis: Analysis) -> SimulationSettings:
    """The first cycle that is whole, followed by computed torques; the whole movement where there are no cycles."""
    good = [span.name for span in cycle_spans(analysis) if span.valid] if analysis.is_current("cycles") else []
    return SimulationSettings(cycle=good[0] if good else None)


class SimulationDialog(QDialog):
    """Everything about one simulation; Run starts it in the background and closes the dialog."""

    def __init__(
        self, context: Context, parent: QWidget | None = None, settings: SimulationSettings | None = None
    ) -> None:
        super().__init__(parent)
        self.context, self.analysis = context, context.document.analysis
        self._start = settings or default_settings(self.analysis)
        self.setObjectName("simulation")
        self.setWindowTitle("Simulation")
        self._filling = True
        self.form = Form(group(SimulationSettings()), "simulation.{}", skip=WITHOUT_ROW, own=part_rows(self.analysis),
                         parent=self)  # fmt: skip
        self.name = QLineEdit()
        self.name.setObjectName("simulation.name")
        self.name.setAccessibleName("Name of the run")
        self.what_if = WhatIfBox(self.form, self.analysis)
        self.advanced = AdvancedBox(self.form)
        self.wrong = Fault("simulation.fault")
        self.summary = QLabel()
        self.summary.setObjectName("simulation.summary")
        self.summary.setAccessibleName("What will be simulated")
        self.summary.setWordWrap(True)
        self.buttons = self._buttons()
        self._build()
        self.form.edited.connect(self._follow)
        self.name.textChanged.connect(self._follow)
        self.fill(self._start)

    # ------------------------------------------------------------------ building

    def _build(self) -> None:
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setContentsMargins(0, 0, 6, 0)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        grid.addWidget(self._movement_box(), 0, 0)
        grid.addWidget(self._equation_box(), 0, 1)
        grid.addWidget(self.what_if, 1, 0, 1, 2)
        self.unlike = explanation()
        grid.addWidget(self.unlike, 2, 0, 1, 2)
        grid.addWidget(self.advanced, 3, 0, 1, 2)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(4, 1)
        scroll = QScrollArea()
        scroll.setWidget(inside)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        named = QFormLayout()
        named.addRow("&Name", self.name)
        layout = QVBoxLayout(self)
        layout.addWidget(explanation(
            "The recorded movement is simulated from its first state and put beside what was recorded. Every run is "
            "kept in the project."
        ))  # fmt: skip
        layout.addLayout(named)
        layout.addWidget(scroll, 1)
        layout.addWidget(self.summary)
        layout.addWidget(self.wrong)
        layout.addWidget(self.buttons)
        self.resize(880, HEIGHT)
        self.advanced.fold.toggled.connect(self._make_room)
        self._make_room(self.advanced.fold.isChecked())

    def _make_room(self, unfolded: bool) -> None:
        """Grow with what is unfolded, as far as the screen allows; the rest can be scrolled to."""
        more = self.advanced.inside.sizeHint().height() if unfolded else 0
        self.resize(self.width(), min(HEIGHT + more, self.screen().availableGeometry().height() - MARGIN))

    def _widget(self, name: str) -> Any:
        return self.form.rows[name,].widget

    def _movement_box(self) -> QGroupBox:
        box = QGroupBox("What moves the body")
        form = QFormLayout(box)
        form.setVerticalSpacing(4)
        self.input, self.root, self.stiffness = (self._widget(name) for name in ("input", "root", "stiffness"))
        self.input_words, self.root_words = _lines(5), _lines(3)
        self.stops = self._widget("joint_stops")
        self.stops.setText(self.form.rows["joint_stops",].entry.setting.label)
        self.part = chooser(20)
        self.part.setObjectName("simulation.part")
        self.part.setAccessibleName("Part of the movement")
        self.part.addItem("Whole movement", WHOLE)
        trial = self.analysis.session.dynamic
        self._base, last = trial.first_frame, trial.first_frame + trial.frames - 1
        self._spans: dict[object, tuple[int, int]] = {WHOLE: (0, trial.frames - 1)}  # part -> frames, counted from 0
        for span in cycle_spans(self.analysis) if self.analysis.is_current("cycles") else ():
            self._spans["cycle", span.name] = (span.first, span.last)
            length = (span.last - span.first) / trial.rate_hz
            remark = "" if span.valid else ", not valid throughout"
            self.part.addItem(f"Cycle {span.name} ({length:.2f} s{remark})", ("cycle", span.name))
        self.part.addItem("Frames …", FRAMES)
        self.first, self.last = _frame("first", self._base, last), _frame("last", self._base, last)
        self.last.setValue(last)
        frames = QHBoxLayout()
        frames.setSpacing(6)
        frames.addWidget(QLabel("from"))
        frames.addWidget(self.first, 1)
        frames.addWidget(QLabel("to"))
        frames.addWidget(self.last, 1)
        self._add(form, "input", "I")
        form.addRow(self.input_words)
        self._add(form, "root", "H")
        form.addRow(self.root_words)
        self._add(form, "stiffness", "t")
        form.addRow(self.stops)
        form.addRow("&Part", self.part)
        form.addRow("Frames", frames)
        self.part.currentIndexChanged.connect(self._follow)
        for field in (self.first, self.last):
            field.valueChanged.connect(self._follow)
        return box

    def _equation_box(self) -> QGroupBox:
        box = QGroupBox("Equations and steps")
        form = QFormLayout(box)
        form.setVerticalSpacing(4)
        self.formulation, self.integrator = self._widget("formulation"), self._widget("integrator")
        self.formulation_words, self.integrator_words = _lines(2), _lines(2)
        self._add(form, "formulation", "E")
        form.addRow(self.formulation_words)
        self._add(form, "integrator", "g")
        form.addRow(self.integrator_words)
        for name, key in {"order": "O", "step_s": "S", "error": "r"}.items():
            self._add(form, name, key)
        return box

    def _add(self, form: QFormLayout, name: str, key: str) -> None:
        form.addRow(self.form.label((name,), key), self._widget(name))

    def _buttons(self) -> QDialogButtonBox:
        standard = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(standard.Cancel | standard.RestoreDefaults, self)
        self.run = buttons.addButton("&Run", QDialogButtonBox.ButtonRole.AcceptRole)
        self.run.setObjectName("simulation.run")
        self.run.setDefault(True)
        self.reset = buttons.button(standard.RestoreDefaults)
        self.reset.setText("&Defaults")
        self.reset.setObjectName("simulation.defaults")
        self.reset.setToolTip("First cycle, computed torques, automatic equations and steps, nothing changed")
        self.reset.clicked.connect(lambda: self.fill(default_settings(self.analysis)))
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        return buttons

    # ------------------------------------------------------------------ settings

    def fill(self, settings: SimulationSettings) -> None:
        """Show settings."""
        self._filling = True
        self.name.setText(settings.name)
        self._offer_integrators(all_of_them=True)
        self.form.show(settings)
        self.advanced.unfold()
        part = ("cycle", settings.cycle) if settings.cycle is not None else FRAMES if settings.frames else WHOLE
        _choose(self.part, part)
        if settings.frames is not None:
            self.first.setValue(self._base + settings.frames[0])
            self.last.setValue(self._base + settings.frames[1])
        self._filling = False
        self._follow()

    @property
    def settings(self) -> SimulationSettings:
        """What is entered; raises a sentence where that cannot be."""
        part, follows = self.part.currentData(), self.input.currentData() != "resultant"
        frames = (self.first.value() - self._base, self.last.value() - self._base) if part == FRAMES else None
        entered: SimulationSettings = self.form.entered(keep=() if follows else FOLLOWING)
        cycle = part[1] if isinstance(part, tuple) else None
        return replace(entered, name=self.name.text().strip(), frames=frames, cycle=cycle)

    def _offer_integrators(self, all_of_them: bool = False) -> None:
        """List the integrators that the equations can have; another becomes automatic."""
        row = self.form.rows["integrator",]
        assert isinstance(row, ChoiceRow)
        fitting = integrators_for(self.input.currentData(), self.formulation.currentData()) or (AUTO,)
        row.offer(tuple(one for one in row.entry.choices if all_of_them or one.value in fitting))

    def _follow(self, *_: object) -> None:
        """Enable what has a meaning, explain it, and say what would be simulated."""
        if self._filling:
            return
        self._offer_integrators()
        input, part = self.input.currentData(), self.part.currentData()
        follows = input != "resultant"
        for name, label in (("input", self.input_words), ("formulation", self.formulation_words),
                            ("integrator", self.integrator_words)):  # fmt: skip
            label.setText(help_of(SimulationSettings, name, self._widget(name).currentData()))
        self.root.setEnabled(follows)
        self.root_words.setText(self._root_words(input) if follows else "")
        self.stiffness.setEnabled(follows and input != "inverse")
        self.stops.setEnabled(follows)
        for field, frame in zip((self.first, self.last), self._spans.get(part, ()), strict=False):
            with QSignalBlocker(field):
                field.setValue(self._base + frame)  # what the part means; frames of one's own begin from there
        self.first.setEnabled(part == FRAMES)
        self.last.setEnabled(part == FRAMES)
        self.what_if.setEnabled(follows)
        self.unlike.setText(
            "The movement that is followed stays the recorded one: the simulation tells what it would ask of the "
            "joints, or how far the body gets." if follows else
            "Resultant forces belong to the body and the ground as they were: for what-if questions choose an input "
            "that follows the movement."
        )  # fmt: skip
        try:
            settings = self.settings
            chosen = settings.integrator_kind
            self._widget("order").setEnabled("order" in chosen.uses)
            self._widget("step_s").setEnabled(chosen.steps is not Steps.SCIPY)
            self._widget("error").setEnabled("error" in chosen.uses)
            self.advanced.follow(settings)
            self.name.setPlaceholderText(free_name(self.analysis, short_name(settings)))
            self.summary.setText(self._told(settings))
        except BiomecError as error:
            self.wrong.say(_plain(str(error)))
            self.summary.clear()
            self.run.setEnabled(False)
            return
        self.wrong.say("")
        self.run.setEnabled(True)

    def _root_words(self, input: str) -> str:
        """What holds the root; where that is left open, what it then is."""
        root = self.root.currentData()
        if root != AUTO:
            return help_of(SimulationSettings, "root", root)
        title, words = ROOTS[ROOT[input]]
        return f"{title}. {words}"

    def _told(self, settings: SimulationSettings) -> str:
        """What would be simulated."""
        first = "" if self.analysis.is_current(STEP) else "The analysis is run up to inverse dynamics first. "
        if not self.analysis.is_current("motion"):
            return first
        if settings.name and settings.name in self.analysis.simulations:
            raise BiomecError(f'There is a simulation "{settings.name}" already. Choose another name.')
        stretch = simulated_stretch(self.analysis, settings)
        length = (stretch.last - stretch.first) / self.analysis.signals.trial.rate_hz
        steps = f" in {round(length / settings.chosen_step_s)} steps of {MS * settings.chosen_step_s:g} ms"
        steps = " in steps of variable length" if settings.integrator_kind.variable else steps
        formulation = settings.formulation_kind.title
        integrator = settings.integrator_kind.title
        return f"{first}{length:.2f} s of the movement{steps}. {formulation}; {integrator}."

    def accept(self) -> None:
        """Start the simulation."""
        try:
            simulate(self.context, self.settings)
        except BiomecError as error:
            self.wrong.say(_plain(str(error)))
            return
        super().accept()


def _plain(sentence: str) -> str:
    """A sentence of the library without the word that says where it comes from."""
    for head in ("Simulation: ", "What if: ", "Integrator: ", "Formulation: ", "Control: "):
        sentence = sentence.removeprefix(head)
    return sentence[:1].upper() + sentence[1:]


def _lines(count: int) -> QLabel:
    """An explanation with room for some lines, so that nothing jumps when it changes."""
    label = explanation()
    label.setMinimumHeight(count * label.fontMetrics().lineSpacing() + 2)
    label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    return label


def _choose(combo: QComboBox, data: object) -> None:
    combo.setCurrentIndex(next((k for k in range(combo.count()) if combo.itemData(k) == data), 0))


def _frame(name: str, first: int, last: int) -> QSpinBox:
    box = QSpinBox()
    box.setObjectName(f"simulation.{name}")
    box.setAccessibleName(f"{name.capitalize()} frame")
    box.setRange(first, last)
    return box


def open_simulation(context: Context, settings: SimulationSettings | None = None) -> SimulationDialog:
    """Show the dialog."""
    dialog = SimulationDialog(context, context.window, settings)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog
