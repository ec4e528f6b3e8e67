"""One change of muscles as it is entered: which muscle, weaker, removed or moved, and where to."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QCompleter, QGridLayout, QLabel, QSlider, QWidget

from biomec.base.errors import BiomecError
from biomec_app.features.muscles.readings import MuscleReadings
from biomec_app.features.muscles.what_if_variants import MOVED, REMOVED, WEAKER, MuscleChange, targets_of

KINDS = {WEAKER: "Weaker or stronger", REMOVED: "Removed", MOVED: "Moved to the end of"}
STRONGEST = 200  # % of the usual strength


class ChangeForm(QWidget):
    """Boxes and a slider; `change` is what they say."""

    def __init__(self) -> None:
        super().__init__()
        self._targets: dict[str, tuple[str, ...]] = {}
        self._ends: frozenset[str] = frozenset()
        self.target, self.kind, self.to = QComboBox(), QComboBox(), QComboBox()
        for combo, name, words in ((self.target, "target", "Which muscle, whole or a part of it"),
                                   (self.kind, "kind", "What happens to it"),
                                   (self.to, "to", "Muscle to whose end it is moved")):  # fmt: skip
            combo.setObjectName(f"what-if.{name}")
            combo.setAccessibleName(words)
            combo.setToolTip(words)
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(16)
        for combo in (self.target, self.to):
            combo.setEditable(True)
            combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            completer = combo.completer()
            assert completer is not None  # an editable box has one
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        for kind, words in KINDS.items():
            self.kind.addItem(words, kind)
        self.kind.currentIndexChanged.connect(lambda _: self._show_kind())
        self.strength = QSlider(Qt.Orientation.Horizontal)
        self.strength.setObjectName("what-if.strength")
        self.strength.setAccessibleName("Strength, in percent of the usual one")
        self.strength.setRange(0, STRONGEST)
        self.strength.setPageStep(10)
        self.strength.setTickInterval(50)
        self.strength.setTickPosition(QSlider.TickPosition.TicksBelow)
        self.percent = QLabel()
        self.percent.setMinimumWidth(self.percent.fontMetrics().horizontalAdvance("200 % strength "))
        self.strength.valueChanged.connect(lambda value: self.percent.setText(f"{value} % strength"))
        self.strength.setValue(50)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.addWidget(self.target, 0, 0, 1, 2)
        grid.addWidget(self.kind, 1, 0, 1, 2)
        grid.addWidget(self.strength, 2, 0)
        grid.addWidget(self.percent, 2, 1)
        grid.addWidget(self.to, 3, 0, 1, 2)
        self._show_kind()

    def set_readings(self, readings: MuscleReadings | None, first: str = "") -> None:
        """Offer the muscles of a result; ``first`` : the one that is shown."""
        self._targets = {} if readings is None else targets_of(readings)
        ends = [] if readings is None else [one.sided_title for one in readings.muscles]
        self._ends = frozenset(ends)
        self.target.clear()
        self.to.clear()
        self.target.addItems(list(self._targets))
        self.to.addItems(ends)
        if first:
            self.target.setCurrentText(first)

    def _show_kind(self) -> None:
        kind = self.kind.currentData()
        self.strength.setVisible(kind == WEAKER)
        self.percent.setVisible(kind == WEAKER)
        self.to.setVisible(kind == MOVED)

    def change(self) -> MuscleChange:
        """What is entered, or a sentence."""
        target, kind = self.target.currentText().strip(), str(self.kind.currentData())
        if target not in self._targets:
            raise BiomecError(f"There is no muscle “{target}”. Choose one of the list; a part of its name finds it.")
        to = self.to.currentText().strip() if kind == MOVED else ""
        if kind == MOVED and to not in self._ends:
            raise BiomecError(f"There is no muscle “{to}” to whose end it could be moved. Choose one of the list.")
        return MuscleChange(target, self._targets[target], kind, self.strength.value() / 100.0, to)
