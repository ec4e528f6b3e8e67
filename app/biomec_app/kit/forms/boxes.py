"""Widgets that forms fill in: a number of any size, and a list to choose from."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QSizePolicy, QWidget

from biomec.base.field_texts import number_words, step_of
from biomec.base.fields import Choice

NARROW = 70  # pixels of a box for numbers at least
DECIMALS = 15  # that a value may have, so that 1e-9 is not 0


class NoWheel(QObject):
    """Keeps the wheel from changing a value while the page is scrolled."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hand the wheel on to the page."""
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return False


class NumberBox(QDoubleSpinBox):
    """A number of any size, also 1e9; the wheel turns the form, not the number, unless the box was clicked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(False)
        self.setDecimals(DECIMALS)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Room for a short number, not for the longest possible."""
        return QSize(NARROW, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """The same."""
        return self.sizeHint()

    def textFromValue(self, value: float) -> str:
        """Only the digits that tell something."""
        return number_words(value)

    def valueFromText(self, text: str) -> float:
        """The number that was typed; a comma is a point."""
        try:
            return float(self._plain(text))
        except ValueError:
            return self.minimum() if text == self.specialValueText() else self.value()

    def validate(self, text: str, at: int) -> tuple[QValidator.State, str, int]:
        """Let numbers be typed, with powers of ten too; the form states their range."""
        try:
            inside = self.minimum() <= float(self._plain(text)) <= self.maximum()
        except ValueError:
            inside = False
        inside = inside or bool(text and text == self.specialValueText())
        typing = re.fullmatch(r"[-+−]?[\d.,]*([eE][-+−]?\d*)?", self._plain(text)) is not None
        states = QValidator.State
        return (states.Acceptable if inside else states.Intermediate if typing else states.Invalid), text, at

    def _plain(self, text: str) -> str:
        return text.removesuffix(self.suffix()).strip().replace("−", "-").replace(",", ".")

    def stepBy(self, steps: int) -> None:
        """Step in the second digit, and land on round numbers."""
        size = step_of(self.value())
        self.setValue(round(self.value() / size + steps) * size)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the form while the box is not in use."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def chooser(length: int) -> QComboBox:
    """A list to choose from that asks for no more room than so many characters."""
    combo = QComboBox()
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setMinimumContentsLength(length)
    return combo


def fill_chooser(combo: QComboBox, choices: tuple[Choice, ...]) -> None:
    """Offer choices, in a list that is wide enough to read them."""
    combo.clear()
    for k, one in enumerate(choices):
        combo.addItem(one.label, one.value)
        if one.help:
            combo.setItemData(k, one.help, Qt.ItemDataRole.ToolTipRole)
    combo.view().setMinimumWidth(min(longest(combo) + 40, 640))


def longest(combo: QComboBox) -> int:
    """Pixels that the longest of the choices needs."""
    metrics = combo.fontMetrics()
    return max((metrics.horizontalAdvance(combo.itemText(k)) for k in range(combo.count())), default=0)
