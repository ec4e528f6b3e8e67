"""The machine from two sides, beside each other: as a form with the tree of its parts, and as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QToolButton, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from biomec.machines.machine import Machine
from biomec_app.features.workbench.bench import Bench
from biomec_app.features.workbench.editor import Editor
from biomec_app.features.workbench.parameter_form import ParameterForm

KINDS = {"body": "Bodies", "joint": "Joints", "driver": "Drivers", "law": "Laws", "motor": "Motors",
         "spring": "Springs", "tie": "Ties", "hinge": "Hinges", "stop": "Stops"}  # fmt: skip
ENDS = (("proximal", "distal"), ("first", "second"), ("start", "end"), ("circle", "face"))
PART = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class MachinePart:
    """One table of a machine file.

    kind : its heading, such as ``joint``;  number : among those of its kind, from 0
    name : its name;  words : what it is, such as ``revolute, ground.A – crank.A``
    """

    kind: str
    number: int
    name: str
    words: str


def parts_of(machine: Machine) -> tuple[MachinePart, ...]:
    """All parts of a machine, kind by kind, in the order of its file."""
    tables = machine.blueprint.resolved(machine.values)
    return tuple(
        MachinePart(kind, number, str(table.get("name", table.get("driver", f"{kind} {number + 1}"))), _words(table))
        for kind in KINDS
        for number, table in enumerate(tables.get(kind, ()))
    )


def line_of(part: MachinePart, text: str) -> int | None:
    """Line of a text, counted from 1, at which a part begins; None if it is not written as a table of its own."""
    heading = re.compile(rf"^\s*\[\[\s*{part.kind}\s*\]\]")
    found = [k for k, line in enumerate(text.splitlines(), 1) if heading.match(line)]
    return found[part.number] if part.number < len(found) else None


def _words(table: Mapping[str, Any]) -> str:
    phrases = [str(table[key]) for key in ("type", "law") if isinstance(table.get(key), str)]
    phrases += [f"{table[a]} – {table[b]}" for a, b in ENDS if isinstance(table.get(a), str) and b in table]
    if "mass" in table:
        phrases.append(f"{table['mass']:.4g} kg")
    return ", ".join(phrases)


class MachineOutline(QTreeWidget):
    """Kinds of parts, and below each its parts with what they are.

    line_asked : line of the text, counted from 1, at which the chosen part begins
    """

    line_asked = Signal(int)

    def __init__(self, bench: Bench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.setObjectName("workbench.outline")
        self.setAccessibleName("Parts of the machine")
        self.setToolTip("What the machine is made of; a click shows it in the text, where it is changed")
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setIndentation(12)
        self.setUniformRowHeights(True)
        self.itemClicked.connect(lambda item, _: self._ask(item))
        self.itemActivated.connect(lambda item, _: self._ask(item))
        bench.machine_changed.connect(self.refresh)
        self._known: tuple[MachinePart, ...] = ()
        self.refresh()

    def refresh(self) -> None:
        """Show the parts as they are."""
        parts = parts_of(self.bench.machine)
        if parts == self._known and self.topLevelItemCount():
            return
        self._known = parts
        closed = {item.data(0, PART) for item in self._kinds() if not item.isExpanded()}
        self.clear()
        for kind, title in KINDS.items():
            mine = [one for one in parts if one.kind == kind]
            if not mine:
                continue
            top = QTreeWidgetItem([f"{title} ({len(mine)})", ""])
            top.setData(0, PART, kind)
            top.setFirstColumnSpanned(True)
            self.addTopLevelItem(top)
            for one in mine:
                item = QTreeWidgetItem(top, [one.name, one.words])
                item.setData(0, PART, one)
                item.setToolTip(1, one.words)
            top.setExpanded(kind not in closed)
        self.resizeColumnToContents(0)

    def _kinds(self) -> list[QTreeWidgetItem]:
        found = (self.topLevelItem(k) for k in range(self.topLevelItemCount()))
        return [item for item in found if item is not None]

    def _ask(self, item: QTreeWidgetItem) -> None:
        part = item.data(0, PART)
        line = line_of(part, self.bench.draft.text) if isinstance(part, MachinePart) else None
        if line is not None:
            self.line_asked.emit(line)


WIDTHS = (250, 275)  # pixels of the form and of the text at first


class WorkbenchSides(QWidget):
    """Two buttons over what they show.

    changed : a side was shown or hidden
    """

    changed = Signal()

    def __init__(self, bench: Bench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.form, self.outline, self.editor = ParameterForm(bench), MachineOutline(bench), Editor(bench)
        self.described = QSplitter(Qt.Orientation.Vertical)
        self.described.addWidget(self.form)
        self.described.addWidget(self.outline)
        self.described.setSizes([360, 170])
        self.described.setStretchFactor(0, 1)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(self.described)
        self.split.addWidget(self.editor)
        for split in (self.described, self.split):
            split.setChildrenCollapsible(False)
        self.split.setSizes(list(WIDTHS))
        self.split.setStretchFactor(1, 1)
        self.form_button = self._button("&Parameters", "form", "the parameters and parts", self.described)
        self.text_button = self._button("&Text", "text", "the text", self.editor)
        row = QHBoxLayout()
        row.setContentsMargins(8, 2, 8, 2)
        row.addWidget(self.form_button)
        row.addWidget(self.text_button)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(self.split, 1)
        self.outline.line_asked.connect(self.show_line)

    def _button(self, words: str, name: str, what: str, side: QWidget) -> QToolButton:
        button = QToolButton()
        button.setObjectName(f"workbench.side.{name}")
        button.setText(words)
        button.setCheckable(True)
        button.setChecked(True)
        button.setToolTip(f"Show or hide {what}; both may stand beside each other")
        button.toggled.connect(lambda shown: self._toggled(side, shown))
        return button

    def _toggled(self, side: QWidget, shown: bool) -> None:
        side.setVisible(shown)
        other = self.text_button if side is self.described else self.form_button
        if not shown and not other.isChecked():
            other.setChecked(True)  # one of them is always there
        else:
            self.changed.emit()

    @property
    def width_wanted(self) -> int:
        """Pixels that what is shown needs."""
        both = self.form_button.isChecked() and self.text_button.isChecked()
        return sum(WIDTHS) if both else 300

    def show_side(self, side: QWidget) -> None:
        """Show the form or the editor, and go there."""
        (self.text_button if side is self.editor else self.form_button).setChecked(True)
        target = self.editor.text if side is self.editor else next(iter(self.form.boxes.values()), self.outline)
        target.setFocus()

    def show_line(self, line: int) -> None:
        """Show a line of the text."""
        self.text_button.setChecked(True)
        self.editor.text.show_line(line)
