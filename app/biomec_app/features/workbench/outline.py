"""The parts of the machine as a tree that is only read; a click shows where a part stands in the text."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from biomec_app.features.workbench.bench import Bench
from biomec_app.features.workbench.parts import KINDS, MachinePart, line_of, parts_of

PART = Qt.ItemDataRole.UserRole


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
