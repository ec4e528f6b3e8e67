"""The parts of the machine as a tree that is only read; a click shows where a part stands in the text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from biomec.machines.machine import Machine
from biomec_app.features.workbench.bench import Bench

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
    told = [str(table[key]) for key in ("type", "law") if isinstance(table.get(key), str)]
    told += [f"{table[a]} – {table[b]}" for a, b in ENDS if isinstance(table.get(a), str) and b in table]
    if "mass" in table:
        told.append(f"{table['mass']:.4g} kg")
    return ", ".join(told)


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
