"""Parameters of the machine as a form: name, value, unit, meaning, reset; those that were changed are marked."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.machines.blueprint import Parameter
from biomec_app.features.workbench.bench import Bench
from biomec_app.features.workbench.values import range_of, range_words
from biomec_app.kit.dialog_parts import Fault, explanation
from biomec_app.kit.forms.rows import NumberBox
from biomec_app.kit.theme import LIGHT, Theme

NONE = "This machine has no parameters. Write them into its text, under [parameters]."


class ParameterForm(QWidget):
    """One row for every parameter. A change has its effect at once."""

    def __init__(self, bench: Bench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.boxes: dict[str, NumberBox] = {}
        self.resets: dict[str, QToolButton] = {}
        self.labels: dict[str, QLabel] = {}
        self._known: dict[str, Parameter] = {}
        self._theme: Theme = LIGHT
        self._build()
        bench.machine_changed.connect(self.refresh)
        bench.text_changed.connect(self.refresh)
        self.refresh()

    def _build(self) -> None:
        self.about = explanation()
        self.about.setObjectName("workbench.about")
        self.fault = Fault("workbench.value-fault")
        self.grid_widget = QWidget()
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._show_rows()
        self.reset_all = QPushButton("Reset &All")
        self.reset_all.setObjectName("workbench.reset-all")
        self.reset_all.setToolTip("Give all parameters the values of the file again")
        self.reset_all.clicked.connect(self._reset_all)
        self.changed = QLabel()
        self.changed.setObjectName("workbench.changed")
        foot = QHBoxLayout()
        foot.addWidget(self.changed, 1)
        foot.addWidget(self.reset_all)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 6)
        layout.setSpacing(6)
        layout.addWidget(self.about)
        layout.addWidget(self.fault)
        layout.addWidget(self.area, 1)
        layout.addLayout(foot)

    def refresh(self) -> None:
        """Show the values as they are; rows are made anew only if there are others."""
        draft = self.bench.draft
        parameters = dict(draft.machine.blueprint.parameters)
        shape = {name: (one.unit, one.about, one.minimum, one.maximum) for name, one in parameters.items()}
        if shape != {name: (one.unit, one.about, one.minimum, one.maximum) for name, one in self._known.items()}:
            self._known = parameters
            self._make_rows()
        self._known = parameters
        self.about.setText(draft.machine.about or draft.machine.title if parameters else NONE)
        changed = draft.changed
        for name, box in self.boxes.items():
            if box.value() != draft.machine.values[name]:
                with QSignalBlocker(box):
                    box.setValue(draft.machine.values[name])
            self.resets[name].setVisible(name in changed)
            font = self.labels[name].font()
            font.setBold(name in changed)
            self.labels[name].setFont(font)
            colour = self._theme.accent if name in changed else self._theme.text
            self.labels[name].setStyleSheet(f"color: {colour};")
        self.changed.setText(f"{len(changed)} changed" if changed else "")
        self.reset_all.setEnabled(bool(changed) and not draft.fault)
        self.grid_widget.setEnabled(not draft.fault)
        self.fault.say("The text has a fault. It is told below the text." if draft.fault else "")

    def _make_rows(self) -> None:
        self.grid_widget = QWidget()
        grid = QGridLayout(self.grid_widget)
        grid.setContentsMargins(0, 0, 4, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(1)
        self.boxes, self.resets, self.labels = {}, {}, {}
        for row, (name, one) in enumerate(self._known.items()):
            self._make_row(grid, 2 * row, name, one)
        grid.setRowStretch(2 * len(self._known), 1)
        grid.setColumnStretch(1, 1)
        self._show_rows()

    def _show_rows(self) -> None:
        """Show the rows on the ground of the tab."""
        self.area.setWidget(self.grid_widget)
        self.area.viewport().setAutoFillBackground(False)
        self.grid_widget.setAutoFillBackground(False)

    def _make_row(self, grid: QGridLayout, row: int, name: str, one: Parameter) -> None:
        label, box, reset = QLabel(name), NumberBox(), QToolButton()
        label.setBuddy(box)
        limits = range_words(one)
        tip = ". ".join(filter(None, (f"{name}: {one.about}" if one.about else name, limits))) + "."
        box.setObjectName(f"workbench.value.{name}")
        box.setAccessibleName(f"{one.about or name}{f', {one.unit}' if one.unit else ''}")
        box.setRange(*range_of(one))
        box.setSuffix(f" {one.unit}" if one.unit else "")
        for widget in (label, box):
            widget.setToolTip(tip)
        with QSignalBlocker(box):
            box.setValue(self.bench.machine.values[name])
        box.valueChanged.connect(lambda value, name=name: self._change(name, value))
        reset.setObjectName(f"workbench.reset.{name}")
        reset.setText("↺")
        reset.setAutoRaise(True)
        reset.setToolTip(f"Give {name} the value of the file again")
        reset.setAccessibleName(f"Reset {name}")
        keep = reset.sizePolicy()
        keep.setRetainSizeWhenHidden(True)
        reset.setSizePolicy(keep)
        reset.clicked.connect(lambda checked=False, name=name: self._change(name, self.bench.draft.opened[name]))
        grid.addWidget(label, row, 0)
        grid.addWidget(box, row, 1)
        grid.addWidget(reset, row, 2)
        if one.about:
            words = explanation(one.about)
            words.setContentsMargins(0, 0, 0, 5)
            grid.addWidget(words, row + 1, 1, 1, 2)
        self.boxes[name], self.resets[name], self.labels[name] = box, reset, label

    def _change(self, name: str, value: float) -> None:
        try:
            self.bench.set_values({name: value}, f"Change {name}", together=True)
            self.fault.say("")
        except BiomecError as error:
            self.refresh()
            self.fault.say(str(error))

    def _reset_all(self) -> None:
        draft = self.bench.draft
        self.bench.set_values({name: draft.opened[name] for name in sorted(draft.changed)}, "Reset parameters")

    def set_theme(self, theme: Theme) -> None:
        """Mark in the colours of a theme."""
        self._theme = theme
        self.refresh()
