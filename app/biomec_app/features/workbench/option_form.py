"""Options of a study as a form, made from its dataclass: a box of the right kind, unit, explanation, reset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from biomec.machines.study import Study, options_from
from biomec_app.features.workbench.results import figure_words
from biomec_app.kit.dialog_parts import explanation
from biomec_app.kit.forms.rows import NumberBox

LARGE = 2_000_000_000
BOX = 136  # pixels
ARROW = 32  # pixels of the arrow and the rims of a chooser


class OptionForm(QWidget):
    """One row for every option.

    changed : a value was changed
    """

    changed = Signal()

    def __init__(self, study: Study, values: Mapping[str, Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.study = study
        self.boxes: dict[str, QWidget] = {}
        self.resets: dict[str, QToolButton] = {}
        self._defaults = {one.name: one.default for one in fields(study.options)}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 4, 0)
        column.setSpacing(4)
        grid = QGridLayout()
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(0, 1)
        for row, one in enumerate(fields(study.options)):
            self._make_row(grid, 3 * row, one, values.get(one.name, one.default))
        column.addLayout(grid)
        if not self.boxes:
            column.addWidget(explanation("Nothing to be chosen here."))
        column.addStretch(1)
        self._mark()

    @property
    def values(self) -> dict[str, Any]:
        """Name of an option -> its value."""
        return {name: _value(box) for name, box in self.boxes.items()}

    def options(self) -> Any:
        """The options, checked; raises a sentence."""
        return options_from(self.study, self.values)

    def set(self, name: str, value: Any) -> None:
        """Give an option a value."""
        _set(self.boxes[name], value)
        self._mark()

    def _make_row(self, grid: QGridLayout, row: int, one: Field[Any], value: Any) -> None:
        about, unit = one.metadata.get("about", ""), one.metadata.get("unit", "")
        choices = one.metadata.get("choices", ())
        words = option_words(one.name, unit)
        box = _box(one.default, choices, unit, words)
        _set(box, value)
        box.setObjectName(f"workbench.option.{one.name}")
        box.setAccessibleName(f"{words}{f', {unit}' if unit else ''}")
        box.setToolTip(f"{about[:1].upper()}{about[1:]}." if about else words)
        label = QLabel(words)
        label.setBuddy(box)
        label.setToolTip(box.toolTip())
        reset = QToolButton()
        reset.setObjectName(f"workbench.option-reset.{one.name}")
        reset.setText("↺")
        reset.setAutoRaise(True)
        reset.setToolTip(f"Back to {_words(one.default)}{f' {unit}' if unit else ''}")
        reset.setAccessibleName(f"Reset {words}")
        keep = reset.sizePolicy()
        keep.setRetainSizeWhenHidden(True)
        reset.setSizePolicy(keep)
        reset.clicked.connect(lambda checked=False, name=one.name: self._reset(name))
        grid.addWidget(label, row, 0)
        grid.addWidget(reset, row, 2)
        if isinstance(box, QLineEdit):  # a text may be long: it has a line of its own
            grid.addWidget(box, row + 1, 0, 1, 3)
            box.setCursorPosition(0)
        elif isinstance(box, QComboBox) and _longest(box) > BOX:
            grid.addWidget(box, row + 1, 0, 1, 3)
        else:
            grid.addWidget(box, row, 1)
            box.setFixedWidth(BOX)
        if about:
            told = explanation(about)
            told.setContentsMargins(0, 0, 0, 5)
            grid.addWidget(told, row + 2, 0, 1, 3)
        self.boxes[one.name], self.resets[one.name] = box, reset
        _changed(box).connect(lambda *_: self._edited())

    def _edited(self) -> None:
        self._mark()
        self.changed.emit()

    def _reset(self, name: str) -> None:
        self.set(name, self._defaults[name])
        self.changed.emit()

    def _mark(self) -> None:
        for name, reset in self.resets.items():
            reset.setVisible(_value(self.boxes[name]) != self._defaults[name])


def option_words(name: str, unit: str) -> str:
    """Name of an option as words; a unit at its end is told by the box."""
    words, told = figure_words(name)
    return words if told and told == unit else name.replace("_", " ")


def _box(default: Any, choices: tuple[Any, ...], unit: str, words: str) -> QWidget:
    """The kind of box that fits an option."""
    if choices:
        combo = QComboBox()
        for choice in choices:
            combo.addItem(str(choice), choice)
        combo.setMinimumContentsLength(10)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        return combo
    match default:
        case bool():
            return QCheckBox()
        case int():
            spin = QSpinBox()
            spin.setRange(-LARGE, LARGE)
            spin.setSuffix(f" {unit}" if unit else "")
            return spin
        case float():
            number = NumberBox()
            number.setRange(-1e12, 1e12)
            number.setSuffix(f" {unit}" if unit else "")
            return number
    return QLineEdit()


def _longest(combo: QComboBox) -> int:
    """Pixels that the longest of its choices needs, with the arrow."""
    words = max((combo.fontMetrics().horizontalAdvance(combo.itemText(k)) for k in range(combo.count())), default=0)
    return words + ARROW


def _value(box: QWidget) -> Any:
    match box:
        case QComboBox():
            return box.currentData()
        case QCheckBox():
            return box.isChecked()
        case QSpinBox() | NumberBox():
            return box.value()
        case QLineEdit():
            return box.text()
    raise TypeError(type(box).__name__)


def _set(box: QWidget, value: Any) -> None:
    with QSignalBlocker(box):
        match box:
            case QComboBox():
                box.setCurrentIndex(max(0, box.findData(value)))
            case QCheckBox():
                box.setChecked(bool(value))
            case QSpinBox():
                box.setValue(int(value))
            case NumberBox():
                box.setValue(float(value))
            case QLineEdit():
                box.setText(str(value))


def _changed(box: QWidget) -> Any:
    match box:
        case QComboBox():
            return box.currentIndexChanged
        case QCheckBox():
            return box.toggled
        case QSpinBox() | NumberBox():
            return box.valueChanged
        case QLineEdit():
            return box.textEdited
    raise TypeError(type(box).__name__)


def _words(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
