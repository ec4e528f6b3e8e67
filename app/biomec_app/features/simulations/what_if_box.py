"""What is different from the recording: masses, gravity, a load, another grip, weaker joints."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QGridLayout, QGroupBox, QLabel, QWidget

from biomec.body.tracking.what_if import WhatIf
from biomec.pipeline.analysis import Analysis
from biomec_app.curves.curve_tools import capital, side_of_name
from biomec_app.features.simulations.words import plural

PERCENT, CM = 100.0, 100.0
BOTH = "both "


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


class WhatIfBox(QGroupBox):
    """Fields of a `WhatIf`; a name without the wished part is left out.

    changed : something was entered
    """

    changed = Signal()

    def __init__(self, analysis: Analysis, parent: QWidget | None = None) -> None:
        super().__init__("What if", parent)
        self.setObjectName("simulation.what-if")
        segments, joints = _segments(analysis), _joints(analysis)
        self.mass = _number("mass", "Mass of the whole body", 10.0, 1000.0, 100.0, " %", 0, 5.0)
        self.gravity = _number("gravity", "Gravity; the Moon has 17 %", -100.0, 1000.0, 100.0, " %", 0, 5.0)
        self.grip = _number("grip", "How much wider the hands touch the ground; negative: narrower", -100.0, 150.0,
                            0.0, " cm", 1, 5.0)  # fmt: skip
        self.load = _number("load", "Mass of a load that is fixed to a segment", 0.0, 500.0, 0.0, " kg", 1, 1.0)
        self.weaker = _number("weaker", "Part of a joint's torque that is missing", 0.0, 100.0, 0.0, " %", 0, 5.0)
        self.part = _number("segment-mass", "Mass of a segment", 10.0, 1000.0, 100.0, " %", 0, 5.0)
        self.loaded = _names("loaded", "Where the load is", parts_of(segments), "right hand")
        self.weak = _names("weak", "Which joint is weaker", parts_of(joints), "right elbow")
        self.of = _names("segment", "Which segment is heavier or lighter", parts_of(segments), "right thigh")
        self._more: dict[str, Mapping[str, float]] = {}
        grid = QGridLayout(self)
        grid.setVerticalSpacing(4)
        for k, (words, box, where) in enumerate((
            ("Body mass", self.mass, None), ("Gravity", self.gravity, None), ("Grip wider by", self.grip, None),
            ("Load", self.load, self.loaded), ("Weaker by", self.weaker, self.weak), ("Mass", self.part, self.of),
        )):  # fmt: skip
            row, column = k % 3, 3 * (k // 3)
            label = QLabel(words)
            label.setBuddy(box)
            grid.addWidget(label, row, column)
            grid.addWidget(box, row, column + 1)
            box.valueChanged.connect(self.changed)
            if where is not None:
                grid.addWidget(where, row, column + 2)
                where.currentIndexChanged.connect(self.changed)
        grid.setColumnStretch(5, 1)
        grid.setColumnMinimumWidth(2, 12)

    @property
    def value(self) -> WhatIf:
        """What is entered."""
        return WhatIf(
            mass=self.mass.value() / PERCENT,
            masses=self._table("masses", self.of, self.part.value() / PERCENT, 1.0),
            carried=self._table("carried", self.loaded, self.load.value(), 0.0),
            gravity=self.gravity.value() / PERCENT,
            grip_m=self.grip.value() / CM,
            weakened=self._table("weakened", self.weak, self.weaker.value() / PERCENT, 0.0),
        )

    def _table(self, name: str, where: QComboBox, value: float, nothing: float) -> dict[str, float]:
        """Names of a list with their value, and others that the settings had which are shown here."""
        names = where.currentData() or ()
        return {**self._more.get(name, {}), **({} if value == nothing else dict.fromkeys(names, value))}

    def fill(self, value: WhatIf) -> None:
        """Show other changes."""
        self.mass.setValue(PERCENT * value.mass)
        self.gravity.setValue(PERCENT * value.gravity)
        self.grip.setValue(CM * value.grip_m)
        for name, where, box, scale, nothing in (
            ("masses", self.of, self.part, PERCENT, 1.0), ("carried", self.loaded, self.load, 1.0, 0.0),
            ("weakened", self.weak, self.weaker, PERCENT, 0.0),
        ):  # fmt: skip
            table = dict(getattr(value, name))
            shown = next((k for k in range(where.count()) if where.itemData(k) == tuple(table)), -1)
            same = len(set(table.values())) == 1
            if shown < 0 or not same:  # more than the list can say: the first is shown, the others are kept
                shown = next((k for k in range(where.count()) if where.itemData(k) == tuple(table)[:1]), -1)
            there = where.itemData(shown) if shown >= 0 else ()
            self._more[name] = {key: one for key, one in table.items() if key not in there}
            if shown >= 0:
                where.setCurrentIndex(shown)
            box.setValue(scale * (table[there[0]] if there else nothing))


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


def _number(name: str, words: str, low: float, high: float, value: float, suffix: str, digits: int,
            step: float) -> QDoubleSpinBox:  # fmt: skip
    box = QDoubleSpinBox()
    box.setObjectName(f"simulation.what-if.{name}")
    box.setAccessibleName(words)
    box.setToolTip(words)
    box.setDecimals(digits)
    box.setRange(low, high)
    box.setSingleStep(step)
    box.setSuffix(suffix)
    box.setValue(value)
    return box


def _names(name: str, words: str, options: Mapping[str, tuple[str, ...]], first: str) -> QComboBox:
    combo = QComboBox()
    combo.setObjectName(f"simulation.what-if.{name}")
    combo.setAccessibleName(words)
    combo.setToolTip(words)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setMinimumContentsLength(15)
    for text, names in options.items():
        combo.addItem(capital(text), names)
    combo.setCurrentIndex(max(0, combo.findText(capital(first))))
    return combo
