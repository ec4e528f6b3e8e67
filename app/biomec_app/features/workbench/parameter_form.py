"""Parameters of the machine as a form: name, value, unit, meaning, reset; those that were changed are marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.fields import Entry, Kind, Setting
from biomec.machines.blueprint import MachineParameter
from biomec_app.features.workbench.bench import Bench
from biomec_app.kit.dialog_parts import Fault, explanation
from biomec_app.kit.forms.form import Form
from biomec_app.kit.theme import LIGHT, Theme

NAMES = "workbench.value.{}"
NONE = "This machine has no parameters. Write them into its text, under [parameters]."


class ParameterForm(QWidget):
    """One row for every parameter. A change has its effect at once."""

    def __init__(self, bench: Bench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.boxes: dict[str, QWidget] = {}
        self.resets: dict[str, QToolButton] = {}
        self.form = Form(_described({}), NAMES)
        self._described = self.form.owner
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
        described = _described(draft.machine.blueprint.parameters)
        if described != self._described:
            self._described = described
            self._make_rows()
        self.about.setText(draft.machine.about or draft.machine.title if self.boxes else NONE)
        changed = draft.changed
        for (name,), row in self.form.rows.items():
            value = draft.machine.values[name]
            row.entry = replace(row.entry, default=draft.opened.get(name, value))
            if row.value() != value:
                row.set(value)
            colour = self._theme.accent if name in changed else self._theme.text
            self.form.labels[name,].setStyleSheet(f"color: {colour};")
        self.form.mark()
        self.changed.setText(f"{len(changed)} changed" if changed else "")
        self.reset_all.setEnabled(bool(changed) and not draft.fault)
        self.grid_widget.setEnabled(not draft.fault)
        self.fault.say("The text has a fault, which is explained below it." if draft.fault else "")

    def _make_rows(self) -> None:
        self.grid_widget = QWidget()
        column = QVBoxLayout(self.grid_widget)
        column.setContentsMargins(0, 0, 4, 0)
        self.form = Form(self._described, NAMES, parent=self.grid_widget)
        self.form.show(self.bench.machine.values)
        self.form.narrow(column, box=0)
        column.addStretch(1)
        self.boxes = {path[0]: row.widget for path, row in self.form.rows.items()}
        self.resets = {path[0]: reset for path, reset in self.form.resets.items()}
        for (name,), row in self.form.rows.items():
            row.edited.connect(lambda name=name, row=row: self._change(name, row.value()))
        self._show_rows()

    def _show_rows(self) -> None:
        """Show the rows on the ground of the tab."""
        self.area.setWidget(self.grid_widget)
        self.area.viewport().setAutoFillBackground(False)
        self.grid_widget.setAutoFillBackground(False)

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


def _described(parameters: Mapping[str, MachineParameter]) -> Entry:
    """Parameters as fields of a form."""
    parts = tuple(
        Entry((name,), Kind.NUMBER, Setting(name, one.about, one.unit, least=one.minimum, most=one.maximum), 0.0)
        for name, one in parameters.items()
    )
    return Entry((), Kind.GROUP, Setting(""), {}, parts=parts)
