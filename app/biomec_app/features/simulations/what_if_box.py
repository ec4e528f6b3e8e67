"""What is different from the recording: masses, gravity, a load, another grip, weaker joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QGridLayout, QGroupBox, QHBoxLayout, QWidget

from biomec.base.fields import Entry, Kind
from biomec.base.frozen import FrozenDict
from biomec.pipeline.analysis import Analysis
from biomec_app.curves.curve_tools import capital, side_of_name
from biomec_app.features.simulations.words import plural
from biomec_app.kit.forms.form import Form
from biomec_app.kit.forms.rows import FormRow, NumberRow, chooser

BOTH = "both "
BOX = 90  # pixels
WHAT_IF = ("what_if",)
ORDER = ("mass", "gravity", "grip_m", "carried", "weakened", "masses")  # of the fields, one column after the other


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
    """Fields of a `WhatIf` in two columns; the grip only where hands press on the ground, as in push-ups."""

    def __init__(self, form: Form, analysis: Analysis, parent: QWidget | None = None) -> None:
        owner = form.owner[WHAT_IF[0]]
        super().__init__(owner.setting.label, parent)
        self.setObjectName("simulation.what-if")
        self.setToolTip(owner.setting.help)
        grid = QGridLayout(self)
        grid.setVerticalSpacing(4)
        for k, name in enumerate(ORDER):
            path = (*WHAT_IF, name)
            if name == "grip_m" and not hands_press(analysis):
                form.rows[path].widget.setParent(self)  # kept, and not shown
                form.rows[path].widget.hide()
                continue
            row, column = k % 3, 2 * (k // 3)
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
    return {
        (*WHAT_IF, "masses"): lambda entry, name: PartRow(entry, name, segments, "right thigh", 1.0),
        (*WHAT_IF, "carried"): lambda entry, name: PartRow(entry, name, segments, "right hand", 0.0),
        (*WHAT_IF, "weakened"): lambda entry, name: PartRow(entry, name, joints, "right elbow", 0.0),
    }


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
