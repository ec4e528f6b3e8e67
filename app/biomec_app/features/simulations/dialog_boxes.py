"""Boxes of the dialog: what is different from the recording, and settings that are folded until somebody wants them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from biomec.base.fields import Entry, Kind
from biomec.base.frozen import FrozenDict
from biomec.body.tracking.controllers import ControlOptions
from biomec.engine.forward.integrators import Steps
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.simulation_settings import FEET, SimulationSettings
from biomec_app.curves.curve import capital, side_of_name
from biomec_app.features.simulations.runs import plural
from biomec_app.kit.dialog_parts import explanation
from biomec_app.kit.forms.boxes import chooser
from biomec_app.kit.forms.form import Form
from biomec_app.kit.forms.rows import FormRow, NumberRow

BOTH = "both "
BOX = 90  # pixels
WHAT_IF = ("what_if",)
ORDER = (
    "mass",
    "gravity",
    "grip_m",
    "carried",
    "weakened",
    "masses",
    "springs",
)  # of the fields, one column after the other


def parts_of(names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """What a list offers -> names that it means: both sides of a part first, then each."""
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        side, stem = side_of_name(name)
        if side is not None:
            both = tuple(one for one in names if side_of_name(one)[1] == stem)
            if len(both) == 2:
                found.setdefault(f"{BOTH}{plural(stem)}", both)
    return {**found, **{name: (name,) for name in names}}


class PartRow(FormRow):
    """A number for a part that is chosen, or for both sides of it; what a list cannot say is kept.

    parts   : what the list offers -> names that it means;  first : shown at first
    nothing : number that changes nothing
    """

    def __init__(self, entry: Entry, name: str, parts: Mapping[str, tuple[str, ...]], first: str,
                 nothing: float) -> None:  # fmt: skip
        super().__init__(entry, QWidget(), name)
        number = Entry(entry.path, Kind.NUMBER, entry.setting, nothing)
        self.number, self.where, self._nothing = NumberRow(number, f"{name}.number"), chooser(15), nothing
        self.where.setObjectName(f"{name}.part")
        self.where.setAccessibleName(f"{entry.setting.label}: of which part")
        self.where.setToolTip(entry.setting.help)
        for text, names in parts.items():
            self.where.addItem(capital(text), names)
        self.where.setCurrentIndex(max(0, self.where.findText(capital(first))))
        self._more: dict[str, float] = {}
        layout = QHBoxLayout(self.widget)
        layout.setContentsMargins(0, 0, 0, 0)
        self.number.widget.setFixedWidth(BOX)
        layout.addWidget(self.number.widget)
        layout.addWidget(self.where, 1)
        self.widget.setFocusProxy(self.number.widget)
        self.number.edited.connect(self.touched)
        self.where.currentIndexChanged.connect(self.touched)

    def show_value(self, value: Any) -> None:
        """Show a part and its number; of more than the list can say the first is shown."""
        table = dict(value)
        offered = [self.where.itemData(k) for k in range(self.where.count())]
        names = tuple(table) if tuple(table) in offered and len(set(table.values())) == 1 else tuple(table)[:1]
        shown = names if names in offered else ()
        self._more = {name: number for name, number in table.items() if name not in shown}
        if shown:
            with QSignalBlocker(self.where):
                self.where.setCurrentIndex(offered.index(shown))
        self.number.set(table[shown[0]] if shown else self._nothing)

    def read(self) -> Mapping[str, float]:
        """Names with their number."""
        number, names = self.number.value(), self.where.currentData() or ()
        return FrozenDict({**self._more, **({} if number == self._nothing else dict.fromkeys(names, number))})


class WhatIfBox(QGroupBox):
    """Fields of a `WhatIf` in two columns; grip only where hands press on the ground, springs only of devices."""

    def __init__(self, form: Form, analysis: Analysis, parent: QWidget | None = None) -> None:
        owner = form.owner[WHAT_IF[0]]
        super().__init__(owner.setting.label, parent)
        self.setObjectName("simulation.what-if")
        self.setToolTip(owner.setting.help)
        grid = QGridLayout(self)
        grid.setVerticalSpacing(4)
        for k, name in enumerate(ORDER):
            path = (*WHAT_IF, name)
            if (name == "grip_m" and not hands_press(analysis)) or (name == "springs" and not springs_of(analysis)):
                form.rows[path].widget.setParent(self)  # kept, and not shown
                form.rows[path].widget.hide()
                continue
            row, column = (3, 2) if name == "springs" else (k % 3, 2 * (k // 3))
            grid.addWidget(form.label(path), row, column)
            grid.addWidget(form.rows[path].widget, row, column + 1)
            if column == 0:
                form.rows[path].widget.setFixedWidth(BOX)
        grid.setColumnStretch(3, 1)
        grid.setHorizontalSpacing(12)


def hands_press(analysis: Analysis) -> bool:
    """Whether the ground acts on a hand, measured or estimated; where loads are not known yet, it may."""
    return "loads" not in analysis.done or any(name.endswith("hand") for name in analysis.loads.external.segments)


def part_rows(analysis: Analysis) -> dict[tuple[str, ...], Callable[[Entry, str], FormRow]]:
    """Rows of the fields that name segments or joints."""
    segments, joints = parts_of(_segments(analysis)), parts_of(_joints(analysis))
    springs = parts_of(springs_of(analysis))
    return {
        (*WHAT_IF, "masses"): lambda entry, name: PartRow(entry, name, segments, "right thigh", 1.0),
        (*WHAT_IF, "carried"): lambda entry, name: PartRow(entry, name, segments, "right hand", 0.0),
        (*WHAT_IF, "weakened"): lambda entry, name: PartRow(entry, name, joints, "right elbow", 0.0),
        (*WHAT_IF, "springs"): lambda entry, name: PartRow(entry, name, springs, "", 1.0),
    }


def springs_of(analysis: Analysis) -> tuple[str, ...]:
    """Springs and cuffs of devices that the person wears."""
    if "body" not in analysis.done:
        return ()
    return tuple(spring.name for spring in analysis.body.person.springs)


def _segments(analysis: Analysis) -> tuple[str, ...]:
    if "body" not in analysis.done:
        return ("right hand", "left hand")
    names = tuple(analysis.body.person.system.layout.bodies)
    first = tuple(name for name in names if name.endswith("hand"))
    return (*first, *(name for name in names if name not in first))


def _joints(analysis: Analysis) -> tuple[str, ...]:
    if "loads" not in analysis.done:
        return ("right elbow", "left elbow")
    return tuple(reversed(analysis.loads.newton_euler.joints))


COLUMNS = 2


class AdvancedBox(QWidget):
    """Fields for the settings; those without a meaning for what is chosen are disabled."""

    def __init__(self, form: Form, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.form = form
        owners = {part.path: part.setting.advanced for part in form.owner.parts}
        self.rows = {path: row for path, row in form.rows.items() if owners[path[:1]]}
        self.setObjectName("simulation.advanced")
        self.fold = QToolButton()
        self.fold.setObjectName("simulation.advanced.fold")
        self.fold.setText("&Advanced")
        self.fold.setToolTip("Settings of the method that have specified values")
        self.fold.setAccessibleName("Advanced settings")
        self.fold.setCheckable(True)
        self.fold.setAutoRaise(True)
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.inside = QWidget()
        self.reset = QPushButton("Specified &Values")
        self.reset.setObjectName("simulation.advanced.reset")
        self.reset.setToolTip("Put all of these back to the values that are specified for them")
        self.reset.setAutoDefault(False)
        self.reset.clicked.connect(self._specified)
        self._build()
        self.fold.toggled.connect(self._show)
        self._show(False)

    def _build(self) -> None:
        grid = QGridLayout(self.inside)
        grid.setContentsMargins(18, 0, 0, 0)
        grid.setVerticalSpacing(4)
        for k, (path, row) in enumerate(self.rows.items()):
            line, column = k // COLUMNS, 3 * (k % COLUMNS)
            grid.addWidget(self.form.label(path), line, column)
            grid.addWidget(row.widget, line, column + 1)
            grid.addWidget(QLabel(row.entry.setting.unit), line, column + 2)
        last = len(self.rows)
        grid.addWidget(self.reset, last // COLUMNS, 3 * (last % COLUMNS) + 1)
        for column in (1, 4):
            grid.setColumnStretch(column, 1)
        grid.addWidget(explanation(
            "These have the values that are specified for them. Point at a name to read what it does; what does "
            "nothing with the chosen equations, steps and input is grey."
        ), last // COLUMNS + 1, 0, 1, 6)  # fmt: skip
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.fold)
        layout.addWidget(self.inside)

    def _show(self, there: bool) -> None:
        self.fold.setArrowType(Qt.ArrowType.DownArrow if there else Qt.ArrowType.RightArrow)
        self.inside.setVisible(there)

    def unfold(self) -> None:
        """Show the fields where one has not the specified value."""
        if any(row.differs for row in self.rows.values()):
            self.fold.setChecked(True)

    def follow(self, settings: SimulationSettings) -> None:
        """Enable what has a meaning for settings."""
        equations, steps = settings.formulation_kind.uses, settings.integrator_kind.uses
        if settings.integrator_kind.steps is Steps.JOINT:  # stays on the constraints by itself
            equations = equations - {"xi", "omega"}
        for path, row in self.rows.items():
            row.widget.setEnabled(path[-1] in (equations if len(path) > 1 else steps))
        damping = self.rows["damping",].widget
        damping.setEnabled(settings.follows and settings.input != "inverse" and settings.root != FEET)
        self.rows["seed",].widget.setEnabled(settings.root == FEET)
        c_D = ControlOptions(stiffness=settings.stiffness).c_D
        damping.setProperty("placeholderText", f"{self.rows['damping',].entry.setting.nothing} ({c_D:.4g})")

    def _specified(self) -> None:
        for row in self.rows.values():
            row.set(row.entry.default)
        self.form.edited.emit()
