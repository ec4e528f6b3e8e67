"""Which machine: those that come with Biomec, a file, a new one; and its presets."""

from __future__ import annotations

import re

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from biomec.machines.machine import machine_names, machine_text
from biomec_app.features.workbench.bench import Bench

NO_PRESET = "as in the file"


class Chooser(QComboBox):
    """A list whose choice ends in dots where it is longer than the list is wide."""

    def shown(self) -> str:
        """The choice as it is drawn."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self).width()
        return str(self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room - 4))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the list with its choice."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self.shown()
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()


class BenchHeader(QWidget):
    """Choosers of machine and preset.

    machine_asked : the name of a machine that comes with Biomec;  preset_asked : the name of a preset, empty for none
    """

    machine_asked = Signal(str)
    preset_asked = Signal(str)
    new_asked = Signal()
    open_asked = Signal()
    save_asked = Signal()

    def __init__(self, bench: Bench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = bench
        self.machines, self.presets = self._combo("machine", "Machine"), self._combo("preset", "Preset")
        for name in machine_names():
            self.machines.addItem(_title(name), name)
            self.machines.setItemData(self.machines.count() - 1, name, 3)  # the tool tip
        self.machines.activated.connect(lambda at: self._machine(at))
        self.presets.activated.connect(lambda at: self.ask_preset(str(self.presets.itemData(at) or "")))
        labels = {"Machine": self.machines, "Preset": self.presets}
        grid = QGridLayout(self)
        grid.setContentsMargins(8, 8, 8, 2)
        grid.setSpacing(5)
        grid.setColumnStretch(1, 1)
        for row, (words, combo) in enumerate(labels.items()):
            label = QLabel(f"{words}:")
            label.setBuddy(combo)
            grid.addWidget(label, row, 0)
            grid.addWidget(combo, row, 1)
        buttons = QHBoxLayout()
        for name, text, tip, asked in (
            ("new", "&New", "A small machine to begin your own with (Ctrl+N)", self.new_asked),
            ("open", "&Open…", "Open a machine file (Ctrl+O)", self.open_asked),
            ("save", "&Save As…", "Save the machine as a file (Ctrl+Shift+S)", self.save_asked),
        ):
            button = QPushButton(text)
            button.setObjectName(f"workbench.{name}")
            button.setToolTip(tip)
            button.clicked.connect(lambda checked=False, asked=asked: asked.emit())
            buttons.addWidget(button)
        grid.addLayout(buttons, 2, 0, 1, 2)
        bench.machine_changed.connect(self.refresh)
        self.refresh()

    def _combo(self, name: str, words: str) -> Chooser:
        combo = Chooser()
        combo.setObjectName(f"workbench.{name}")
        combo.setAccessibleName(words)
        combo.setMaxVisibleItems(30)
        combo.setMinimumContentsLength(14)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        return combo

    def ask_preset(self, name: str) -> None:
        """Ask for a preset, empty for the values of the file."""
        self.bench.preset = name
        self.preset_asked.emit(name)
        self.refresh()

    def _machine(self, at: int) -> None:
        name = self.machines.itemData(at)
        if name is not None:
            self.machine_asked.emit(str(name))
        self.refresh()

    def refresh(self) -> None:
        """Show which machine is open, and its presets."""
        draft = self.bench.draft
        name = draft.source.removesuffix(".toml") if draft.path is None else ""
        at = self.machines.findData(name) if name else -1
        with QSignalBlocker(self.machines), QSignalBlocker(self.presets):
            own = self.machines.findData(None)
            if own >= 0:
                self.machines.removeItem(own)
            if at < 0:
                self.machines.insertItem(0, draft.path.name if draft.path is not None else draft.machine.name, None)
                at = 0
            else:
                at = self.machines.findData(name)
            self.machines.setCurrentIndex(at)
            self.machines.setToolTip(f"{draft.machine.title}. The list has the machines that come with Biomec.")
            self._show_presets()

    def _show_presets(self) -> None:
        """List the presets; the one whose values the machine has is chosen."""
        machine, opened = self.bench.machine, self.bench.draft.opened
        self.presets.clear()
        self.presets.addItem(NO_PRESET, "")
        fitting = []
        for name, preset in machine.blueprint.presets.items():
            self.presets.addItem(preset.title, name)
            self.presets.setItemData(self.presets.count() - 1, preset.about or preset.title, 3)
            if all(machine.values.get(key) == value for key, value in {**opened, **preset.values}.items()):
                fitting.append(name)
        unchanged = not self.bench.draft.changed
        chosen = self.bench.preset if self.bench.preset in fitting else "" if unchanged else next(iter(fitting), "")
        self.presets.setCurrentIndex(max(0, self.presets.findData(chosen)))
        self.presets.setEnabled(self.presets.count() > 1)
        self.presets.setToolTip(f"{self.presets.currentText()}. Sets of values, with the analysis they are for.")


def _title(name: str) -> str:
    """What a machine that comes with Biomec is called, without reading all of its file."""
    found = re.search(r'(?m)^title\s*=\s*"(.+)"', machine_text(name))
    return found[1] if found else name.replace("-", " ").capitalize()
