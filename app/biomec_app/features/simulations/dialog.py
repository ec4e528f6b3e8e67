"""Choose a simulation: what moves the body, which part of the movement, equations and steps, what is different."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
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
from biomec.engine.forward.integrators import Steps
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.simulation_settings import AUTO, SimulationSettings
from biomec.pipeline.simulation_stretch import simulated_stretch
from biomec.pipeline.stretch import cycle_spans
from biomec_app.features.simulations.advanced_box import AdvancedBox
from biomec_app.features.simulations.running import STEP, simulate
from biomec_app.features.simulations.runs import free_name
from biomec_app.features.simulations.what_if_box import WhatIfBox
from biomec_app.features.simulations.words import (
    FORMULATION_WORDS,
    INPUTS,
    INTEGRATOR_WORDS,
    ROOTS,
    integrators_for,
    short_name,
)
from biomec_app.kit.dialog_parts import Fault, explanation
from biomec_app.session.context import Context

WHOLE, FRAMES = "whole", "frames"
MS, MICROMETRES = 1e3, 1e6
HEIGHT, MARGIN = 570, 60  # of the dialog while nothing is unfolded, and to the ends of the screen, in pixels
AUTOMATIC = "automatic"


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
        self._kept = self._start
        self.name = QLineEdit()
        self.name.setObjectName("simulation.name")
        self.name.setAccessibleName("Name of the run")
        self.what_if = WhatIfBox(self.analysis)
        self.advanced = AdvancedBox()
        self.wrong = Fault("simulation.fault")
        self.summary = QLabel()
        self.summary.setObjectName("simulation.summary")
        self.summary.setAccessibleName("What will be simulated")
        self.summary.setWordWrap(True)
        self.buttons = self._buttons()
        self._build()
        self.what_if.changed.connect(self._follow)
        self.advanced.changed.connect(self._follow)
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

    def _movement_box(self) -> QGroupBox:
        box = QGroupBox("What moves the body")
        form = QFormLayout(box)
        form.setVerticalSpacing(4)
        self.input = _combo("input", "What moves the body", {key: words for key, (words, _) in INPUTS.items()})
        self.input_words = _two_lines(4)
        self.root = _combo("root", "What holds the root", {key: words for key, (words, _) in ROOTS.items()})
        self.root.setToolTip("\n".join(f"{words}: {meaning}" for words, meaning in ROOTS.values()))
        self.stops = QCheckBox("Stops at the ends of the joints' ranges")
        self.stops.setObjectName("simulation.stops")
        self.stops.setAccessibleName("Joint stops")
        self.stops.setToolTip(
            "Soft stops turn back angles beyond the average range of adults, and bear part of the joint moments"
        )
        self.stiffness = _number("stiffness", "Stiffness of the control, 1/s²", 1.0, 1e6, " 1/s²", 0)
        self.part = _combo("part", "Part of the movement", {WHOLE: "Whole movement"})
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
        form.addRow("&Input", self.input)
        form.addRow(self.input_words)
        form.addRow("&Held by", self.root)
        form.addRow("S&tiffness", self.stiffness)
        form.addRow(self.stops)
        form.addRow("&Part", self.part)
        form.addRow("Frames", frames)
        for combo in (self.input, self.root, self.part):
            combo.currentIndexChanged.connect(self._follow)
        for field in (self.stiffness, self.first, self.last):
            field.valueChanged.connect(self._follow)
        self.stops.toggled.connect(self._follow)
        return box

    def _equation_box(self) -> QGroupBox:
        box = QGroupBox("Equations and steps")
        form = QFormLayout(box)
        form.setVerticalSpacing(4)
        words = {key: words for key, (words, _) in FORMULATION_WORDS.items()}
        self.formulation = _combo("formulation", "Equations of motion", words)
        self.formulation_words = _two_lines(2)
        self.integrator = _combo("integrator", "Integrator", {})
        self.integrator_words = _two_lines(2)
        self.order = QSpinBox()
        self.order.setObjectName("simulation.order")
        self.order.setAccessibleName("Order of Adams and Gear")
        self.order.setToolTip("Order of Adams and Gear; 4 is usual")
        self.order.setRange(1, 4)
        self.step = _number("step", "Length of a step", 0.0, 1000.0, " ms", 3)
        self.step.setSpecialValueText(AUTOMATIC)
        self.step.setToolTip(
            "Automatic: 1 ms where the movement is followed, 0.5 ms on contacts, 0.1 ms there with weakened joints, "
            "else 2 ms; steps fit the frames"
        )
        self.error = _number("error", "Error allowed in a step of variable length", 0.0001, 1000.0, " µm", 4)
        self.error.setToolTip("Error that a step of variable length may make")
        form.addRow("&Equations", self.formulation)
        form.addRow(self.formulation_words)
        form.addRow("Inte&grator", self.integrator)
        form.addRow(self.integrator_words)
        form.addRow("&Order", self.order)
        form.addRow("&Step", self.step)
        form.addRow("Allowed e&rror", self.error)
        for combo in (self.formulation, self.integrator):
            combo.currentIndexChanged.connect(self._follow)
        for field in (self.order, self.step, self.error):
            field.valueChanged.connect(self._follow)
        return box

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
        self._kept = settings
        self.name.setText(settings.name)
        _choose(self.input, settings.input)
        _choose(self.root, settings.root)
        self.stiffness.setValue(settings.stiffness)
        self.stops.setChecked(settings.joint_stops)
        _choose(self.formulation, settings.formulation)
        self._offer_integrators(settings.integrator)
        self.order.setValue(settings.order)
        self.step.setValue(0.0 if settings.step_s is None else MS * settings.step_s)
        self.error.setValue(MICROMETRES * settings.error)
        self.what_if.fill(settings.what_if)
        self.advanced.fill(settings)
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
        step = self.step.value()
        return replace(
            self.advanced.applied(self._kept),
            name=self.name.text().strip(),
            input=self.input.currentData(),
            root=self.root.currentData() if follows else AUTO,
            formulation=self.formulation.currentData(),
            integrator=self.integrator.currentData(),
            order=self.order.value(),
            step_s=None if step == 0.0 else round(step / MS, 9),
            frames=frames,
            cycle=part[1] if isinstance(part, tuple) else None,
            error=round(self.error.value() / MICROMETRES, 12),
            stiffness=self.stiffness.value(),
            joint_stops=follows and self.stops.isChecked(),
            what_if=self.what_if.value if follows else SimulationSettings().what_if,
        )

    def _offer_integrators(self, wish: str) -> None:
        """List the integrators that the equations can have; another becomes automatic."""
        there = integrators_for(self.input.currentData(), self.formulation.currentData())
        if [self.integrator.itemData(k) for k in range(self.integrator.count())] != list(there):
            self.integrator.blockSignals(True)
            self.integrator.clear()
            for key in there:
                self.integrator.addItem(INTEGRATOR_WORDS[key][0], key)
            self.integrator.blockSignals(False)
        self.integrator.blockSignals(True)
        self.integrator.setCurrentIndex(max(0, self.integrator.findData(wish)))
        self.integrator.blockSignals(False)

    def _follow(self, *_: object) -> None:
        """Enable what has a meaning, explain it, and say what would be simulated."""
        if self._filling:
            return
        self._offer_integrators(self.integrator.currentData() or AUTO)
        input, part = self.input.currentData(), self.part.currentData()
        follows = input != "resultant"
        self.input_words.setText(INPUTS[input][1])
        self.formulation_words.setText(FORMULATION_WORDS[self.formulation.currentData()][1])
        self.integrator_words.setText(INTEGRATOR_WORDS[self.integrator.currentData()][1])
        self.root.setEnabled(follows)
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
            self.order.setEnabled("order" in chosen.uses)
            self.step.setEnabled(chosen.steps is not Steps.SCIPY)
            self.error.setEnabled("error" in chosen.uses)
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


def _two_lines(lines: int) -> QLabel:
    """An explanation with room for some lines, so that nothing jumps when it changes."""
    label = explanation()
    label.setMinimumHeight(lines * label.fontMetrics().lineSpacing() + 2)
    label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    return label


def _combo(name: str, words: str, options: Mapping[str, str]) -> QComboBox:
    combo = QComboBox()
    combo.setObjectName(f"simulation.{name}")
    combo.setAccessibleName(words)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setMinimumContentsLength(20)
    for key, text in options.items():
        combo.addItem(text, key)
    return combo


def _choose(combo: QComboBox, data: object) -> None:
    found: Iterable[int] = (k for k in range(combo.count()) if combo.itemData(k) == data)
    combo.setCurrentIndex(next(iter(found), 0))


def _number(name: str, words: str, low: float, high: float, suffix: str, digits: int) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setObjectName(f"simulation.{name}")
    box.setAccessibleName(words)
    box.setToolTip(words)
    box.setDecimals(digits)
    box.setRange(low, high)
    box.setSuffix(suffix)
    box.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
    return box


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
