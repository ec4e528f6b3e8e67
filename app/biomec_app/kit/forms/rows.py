"""Rows of a form: one class for every kind of field, each with a widget whose value can be read and set."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.base.field_texts import (
    lines_text,
    lines_typed,
    names_of,
    number_typed,
    suffix,
    vector_text,
    vector_typed,
)
from biomec.base.fields import Choice, Entry, Kind, choices_of
from biomec.base.frozen import FrozenDict
from biomec_app.kit.forms.boxes import NumberBox, chooser, fill_chooser

FILE = "A file of your own…"
LARGE, MANY = 1e12, 2_000_000_000

AskFile = Callable[[str], Path | None]


class FormRow(QObject):
    """A field with its widget.

    value  : reads what is entered, as the library takes it; a `BiomecError` says what cannot be read
    edited : something was entered
    """

    edited = Signal()

    def __init__(self, entry: Entry, widget: QWidget, name: str) -> None:
        super().__init__(widget)
        self.entry, self.widget = entry, widget
        self._shown: Any = None  # the value that the widget shows as long as nobody has touched it
        self._touched = False
        about = entry.setting
        widget.setObjectName(name)
        widget.setAccessibleName(about.label)
        widget.setAccessibleDescription(about.help)
        widget.setToolTip(about.help or about.label)

    def set(self, value: Any) -> None:
        """Show a value."""
        blocked = self.widget.blockSignals(True)
        self.show_value(value)
        self.widget.blockSignals(blocked)
        self._shown, self._touched = value, False

    def value(self) -> Any:
        """What is entered; a value that nobody has touched keeps all its digits."""
        return self.read() if self._touched else self._shown

    def touched(self, *_: object) -> None:
        """Note that something was entered."""
        self._touched = True
        self.edited.emit()

    @property
    def differs(self) -> bool:
        """Whether what is entered is not the default."""
        try:
            return bool(self.value() != self.entry.default)
        except BiomecError:
            return True

    def show_value(self, value: Any) -> None:
        """Put a value into the widget."""
        raise NotImplementedError

    def read(self) -> Any:
        """Read the widget."""
        raise NotImplementedError


class NumberRow(FormRow):
    """A number with its unit; None is the end of its range."""

    widget: NumberBox

    def __init__(self, entry: Entry, name: str) -> None:
        box, about = NumberBox(), entry.setting
        super().__init__(entry, box, name)
        box.setRange(about.least if isfinite(about.least) else -LARGE, about.most if isfinite(about.most) else LARGE)
        box.setSuffix(suffix(about.unit))
        if entry.optional:
            box.setSpecialValueText(about.nothing)
        box.valueChanged.connect(self.touched)

    def show_value(self, value: Any) -> None:
        """Show it in its unit."""
        self.widget.setValue(self.widget.minimum() if value is None else self.entry.setting.factor * float(value))

    def read(self) -> float | None:
        """In SI units."""
        value = self.widget.value()
        if self.entry.optional and value == self.widget.minimum():
            return None
        return float(f"{value / self.entry.setting.factor:.15g}")


class TypedRow(FormRow):
    """A number that spans many powers of ten, typed as 1e-10; nothing is None where that is allowed."""

    widget: QLineEdit

    def __init__(self, entry: Entry, name: str) -> None:
        line = QLineEdit()
        super().__init__(entry, line, name)
        line.setPlaceholderText(entry.setting.nothing)
        line.textChanged.connect(self.touched)

    def show_value(self, value: Any) -> None:
        """Show it with a power of ten."""
        text = "" if value is None else f"{value:g}"
        long = str(value) if self.entry.kind is Kind.WHOLE else f"{value or 0.0:.12g}"  # a whole number has all digits
        self.widget.setText(text if value is None or float(text) == value else long)

    def read(self) -> float | int | None:
        """What is typed."""
        text, label = self.widget.text(), self.entry.setting.label
        if self.entry.optional and not text.strip():
            return None
        number = number_typed(text, label)
        if self.entry.kind is not Kind.WHOLE:
            return number
        if not number.is_integer():
            raise BiomecError(f"{label}: {number:g} is not a whole number.")
        return round(number)


class WholeRow(FormRow):
    """A whole number."""

    widget: QSpinBox

    def __init__(self, entry: Entry, name: str) -> None:
        box, about = QSpinBox(), entry.setting
        super().__init__(entry, box, name)
        box.setRange(int(max(about.least, -MANY)), int(min(about.most, MANY)))
        box.setSuffix(suffix(about.unit))
        box.valueChanged.connect(self.touched)

    def show_value(self, value: Any) -> None:
        """Show it."""
        self.widget.setValue(int(value))

    def read(self) -> int:
        """What is entered."""
        return self.widget.value()


class SwitchRow(FormRow):
    """On or off."""

    widget: QCheckBox

    def __init__(self, entry: Entry, name: str) -> None:
        box = QCheckBox()
        super().__init__(entry, box, name)
        box.toggled.connect(self.touched)

    def show_value(self, value: Any) -> None:
        """Show it."""
        self.widget.setChecked(bool(value))

    def read(self) -> bool:
        """What is ticked."""
        return self.widget.isChecked()


class ChoiceRow(FormRow):
    """One of several; some take a file too."""

    widget: QComboBox

    def __init__(self, entry: Entry, name: str, ask_file: AskFile) -> None:
        combo = chooser(24)
        super().__init__(entry, combo, name)
        self._ask, self.choices = ask_file, entry.choices
        self._last: Any = None
        fill_chooser(combo, self.choices)
        if entry.setting.files:
            combo.insertSeparator(combo.count())
            combo.addItem(FILE, FILE)
        combo.currentIndexChanged.connect(self._changed)
        combo.activated.connect(self._activated)

    def offer(self, choices: tuple[Choice, ...]) -> None:
        """Offer other choices; what is chosen stays, or becomes the first."""
        if choices == self.choices:
            return
        value = self.read()
        blocked = self.widget.blockSignals(True)
        self.choices = choices
        fill_chooser(self.widget, choices)
        at = next((k for k, one in enumerate(choices) if one.value == value), -1)
        self.widget.setCurrentIndex(max(at, 0))
        self._touched = self._touched or at < 0
        self.widget.blockSignals(blocked)

    def _changed(self, index: int) -> None:
        if index >= 0 and self.widget.itemData(index) != FILE:
            self._last = self.widget.itemData(index)
            self.touched()

    def _activated(self, index: int) -> None:
        if self.widget.itemData(index) == FILE:
            path = self._ask(self.entry.setting.label)
            self.show_value(self._last if path is None else str(path))

    def show_value(self, value: Any) -> None:
        """Show it; a file is added to the list."""
        index = next((k for k in range(self.widget.count()) if self.widget.itemData(k) == value), -1)
        if index < 0:
            index = len(self.choices)
            self.widget.insertItem(index, Path(str(value)).name, value)
        self.widget.setCurrentIndex(index)
        self._last = value

    def read(self) -> Any:
        """What is chosen."""
        value = self.widget.currentData()
        same = (one.value for one in self.choices if one.value == value)
        return next(same, value)  # an enum comes back from Qt as a plain text


class ChoicesRow(FormRow):
    """A choice for every name."""

    def __init__(self, entry: Entry, name: str) -> None:
        box = QWidget()
        super().__init__(entry, box, name)
        layout = QFormLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(14)
        self.combos: dict[str, QComboBox] = {}
        for key, (label, words) in entry.setting.each().items() if entry.setting.each else ():
            combo = chooser(26)
            combo.setObjectName(f"{name}.{key}")
            combo.setAccessibleName(f"{entry.setting.label}: {label}")
            fill_chooser(combo, choices_of(words))
            combo.activated.connect(self.touched)
            layout.addRow(label, combo)
            self.combos[key] = combo
        self._others: dict[str, Any] = {}

    def show_value(self, value: Any) -> None:
        """Show what is chosen; other names are kept as they are."""
        self._others = {key: one for key, one in value.items() if key not in self.combos}
        for key, combo in self.combos.items():
            combo.setCurrentIndex(max(combo.findData(value.get(key)), 0))

    def read(self) -> Any:
        """Names whose choice is not the first, which is None."""
        chosen = {key: combo.currentData() for key, combo in self.combos.items() if combo.currentData()}
        return FrozenDict({**self._others, **chosen})


class TextRow(FormRow):
    """A text, or names with commas between them."""

    widget: QLineEdit

    def __init__(self, entry: Entry, name: str) -> None:
        line = QLineEdit()
        super().__init__(entry, line, name)
        if entry.kind is Kind.NAMES:
            line.setPlaceholderText("none")
        line.textEdited.connect(self.touched)

    def show_value(self, value: Any) -> None:
        """Show it from its beginning."""
        self.widget.setText(str(value) if self.entry.kind is Kind.TEXT else ", ".join(value))
        self.widget.setCursorPosition(0)

    def read(self) -> str | tuple[str, ...]:
        """What is typed."""
        text = self.widget.text()
        if self.entry.kind is Kind.TEXT:
            return text
        return tuple(name.strip() for name in text.split(",") if name.strip())


class ParagraphRow(FormRow):
    """A text of several lines."""

    widget: QPlainTextEdit

    def __init__(self, entry: Entry, name: str, lines: int = 3) -> None:
        page = QPlainTextEdit()
        super().__init__(entry, page, name)
        page.setTabChangesFocus(True)
        page.setFixedHeight(lines * QFontMetrics(page.font()).lineSpacing() + 14)
        page.textChanged.connect(self.touched)

    def show_value(self, value: Any) -> None:
        """Show the text."""
        self.widget.setPlainText(str(value))

    def read(self) -> str:
        """What is typed."""
        return self.widget.toPlainText()


class LinesRow(ParagraphRow):
    """Names with numbers, one a line."""

    def __init__(self, entry: Entry, name: str) -> None:
        super().__init__(entry, name)
        self.widget.setPlaceholderText("name = number")

    def show_value(self, value: Any) -> None:
        """Show the lines."""
        self.widget.setPlainText(lines_text(value, self.entry.setting))

    def read(self) -> Any:
        """What the lines mean."""
        return lines_typed(self.widget.toPlainText(), self.entry.setting)


class VectorRow(FormRow):
    """Three numbers, or nothing."""

    widget: QLineEdit

    def __init__(self, entry: Entry, name: str) -> None:
        line, unit = QLineEdit(), entry.setting.unit
        super().__init__(entry, line, name)
        line.setPlaceholderText("X Y Z" + (f" in {unit}" if unit else ""))
        line.textEdited.connect(self.touched)

    def show_value(self, value: Any) -> None:
        """Show them in their unit."""
        self.widget.setText(vector_text(value, self.entry.setting.factor))

    def read(self) -> Any:
        """In SI units."""
        return vector_typed(self.widget.text(), self.entry.setting, self.entry.optional)


class ShownRow(FormRow):
    """Something that another dialog sets: shown, and can be taken away."""

    def __init__(self, entry: Entry, name: str) -> None:
        box = QWidget()
        super().__init__(entry, box, name)
        layout = QHBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        self.label, self.remove = QLabel(), QPushButton("Remove")
        self.remove.setObjectName(f"{name}.remove")
        self.remove.clicked.connect(self._take_away)
        self._value: Any = None
        layout.addWidget(self.label)
        layout.addWidget(self.remove)
        layout.addStretch(1)

    def _take_away(self) -> None:
        self.show_value(self.entry.default)
        self.touched()

    def show_value(self, value: Any) -> None:
        """Say what there is."""
        self._value = value
        words = names_of(value)
        self.label.setText(words or "none")
        self.remove.setVisible(bool(words))

    def read(self) -> Any:
        """What is left."""
        return self._value


ROWS: dict[Kind, type[FormRow]] = {
    Kind.NUMBER: NumberRow, Kind.WHOLE: WholeRow, Kind.SWITCH: SwitchRow, Kind.TEXT: TextRow, Kind.NAMES: TextRow,
    Kind.CHOICES: ChoicesRow, Kind.LINES: LinesRow, Kind.VECTOR: VectorRow, Kind.SHOWN: ShownRow,
}  # fmt: skip


def row_for(entry: Entry, name: str, ask_file: AskFile = lambda title: None) -> FormRow:
    """The row of a field."""
    if entry.kind is Kind.CHOICE:
        return ChoiceRow(entry, name, ask_file)
    made: Any = TypedRow if entry.setting.typed else ROWS[entry.kind]
    row: FormRow = made(entry, name)
    return row
