"""Widgets of the settings: one class for every kind of field, each with a value that can be read and set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
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
from biomec.base.frozen import FrozenDict
from biomec_app.dialogs.settings_form import (
    Field,
    Kind,
    centre_label,
    centre_options,
    from_lines,
    from_vector,
    lines_of,
    vector_text,
)

FILE = "A file of your own…"
MOST = 1e9

AskFile = Callable[[str], Path | None]


class _NoWheel(QObject):
    """Keeps the wheel from changing a value while the page is scrolled."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hand the wheel on to the page."""
        if event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        return False


class Row(QObject):
    """A field with its widget.

    value   : reads what is entered, as the library takes it; a `BiomecError` says what cannot be read
    edited  : something was entered
    """

    edited = Signal()

    def __init__(self, field: Field, widget: QWidget) -> None:
        super().__init__(widget)
        self.field, self.widget = field, widget
        self._shown: Any = None  # the value that the widget shows as long as nobody has touched it
        self._touched = False
        name = "setting-" + ".".join(field.path)
        widget.setObjectName(name)
        widget.setAccessibleName(field.explained.label)
        widget.setAccessibleDescription(field.explained.help)
        widget.setToolTip(field.explained.help)

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

    def show_value(self, value: Any) -> None:
        """Put a value into the widget."""
        raise NotImplementedError

    def read(self) -> Any:
        """Read the widget."""
        raise NotImplementedError


class NumberRow(Row):
    """A number with its unit."""

    widget: QDoubleSpinBox

    def __init__(self, field: Field) -> None:
        box = QDoubleSpinBox()
        super().__init__(field, box)
        explained = field.explained
        box.setDecimals(explained.digits)
        box.setRange(-MOST if explained.least is None else explained.least, MOST)
        box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)
        box.setSuffix(explained.unit if explained.unit == "°" else f" {explained.unit}" if explained.unit else "")
        box.setFixedWidth(130)
        box.setKeyboardTracking(False)
        box.valueChanged.connect(self.touched)
        box.installEventFilter(_NoWheel(box))

    def show_value(self, value: Any) -> None:
        """Show it in its unit."""
        self.widget.setValue(self.field.explained.scale * float(value))

    def read(self) -> float:
        """In SI units."""
        return self.widget.value() / self.field.explained.scale


class WholeRow(Row):
    """A whole number."""

    widget: QSpinBox

    def __init__(self, field: Field) -> None:
        box = QSpinBox()
        super().__init__(field, box)
        box.setRange(0, 1_000_000)
        box.setFixedWidth(130)
        box.valueChanged.connect(self.touched)
        box.installEventFilter(_NoWheel(box))

    def show_value(self, value: Any) -> None:
        """Show it."""
        self.widget.setValue(int(value))

    def read(self) -> int:
        """What is entered."""
        return self.widget.value()


class PlainNumberRow(Row):
    """A number that spans many powers of ten, typed as 1e-10."""

    widget: QLineEdit

    def __init__(self, field: Field) -> None:
        line = QLineEdit()
        super().__init__(field, line)
        line.setFixedWidth(130)
        line.textEdited.connect(self.touched)

    def show_value(self, value: Any) -> None:
        """Show it with a power of ten."""
        self.widget.setText(f"{value:g}")

    def read(self) -> float:
        """What is typed."""
        text = self.widget.text().strip().replace(",", ".")
        try:
            return float(text)
        except ValueError:
            label = self.field.explained.label
            raise BiomecError(f'{label}: "{text}" is not a number; type one such as 1e-10.') from None


class SwitchRow(Row):
    """On or off."""

    widget: QCheckBox

    def __init__(self, field: Field) -> None:
        box = QCheckBox()
        super().__init__(field, box)
        box.toggled.connect(self.touched)

    def show_value(self, value: Any) -> None:
        """Show it."""
        self.widget.setChecked(bool(value))

    def read(self) -> bool:
        """What is ticked."""
        return self.widget.isChecked()


class ChoiceRow(Row):
    """One of several; some take a file too."""

    widget: QComboBox

    def __init__(self, field: Field, ask_file: AskFile) -> None:
        combo = QComboBox()
        super().__init__(field, combo)
        self._ask = ask_file
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.setMinimumContentsLength(24)
        combo.setFixedWidth(330)
        combo.installEventFilter(_NoWheel(combo))
        for option in field.options:
            combo.addItem(option.label, option.value)
        if field.files:
            combo.insertSeparator(combo.count())
            combo.addItem(FILE, FILE)
        combo.activated.connect(self._activated)
        self._fit_list()

    def _fit_list(self) -> None:
        metrics = QFontMetrics(self.widget.font())
        widest = max(metrics.horizontalAdvance(self.widget.itemText(k)) for k in range(self.widget.count()))
        self.widget.view().setMinimumWidth(min(widest + 40, 640))

    def _activated(self, index: int) -> None:
        if self.widget.itemData(index) == FILE:
            path = self._ask(self.field.explained.label)
            self.show_value(self._shown if path is None else str(path))
            if path is None:
                return
        self.touched()

    def show_value(self, value: Any) -> None:
        """Show it; a file is added to the list."""
        index = next((k for k in range(self.widget.count()) if self.widget.itemData(k) == value), -1)
        if index < 0:
            self.widget.insertItem(len(self.field.options), Path(str(value)).name, value)
            index = len(self.field.options)
        self.widget.setCurrentIndex(index)

    def read(self) -> Any:
        """What is chosen."""
        value = self.widget.currentData()
        same = (option.value for option in self.field.options if option.value == value)
        return next(same, value)  # an enum comes back from Qt as a plain text


class CentresRow(Row):
    """A method for every joint centre."""

    def __init__(self, field: Field) -> None:
        box = QWidget()
        super().__init__(field, box)
        form = QFormLayout(box)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(14)
        self.combos: dict[str, QComboBox] = {}
        for centre, options in centre_options().items():
            combo = QComboBox()
            combo.setObjectName(f"setting-centre-{centre}")
            combo.setAccessibleName(f"Method for {centre_label(centre)}")
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(26)
            combo.installEventFilter(_NoWheel(combo))
            for option in options:
                combo.addItem(option.label, option.value)
            combo.activated.connect(self.touched)
            form.addRow(centre_label(centre), combo)
            self.combos[centre] = combo
        self._others: dict[str, str] = {}

    def show_value(self, value: Any) -> None:
        """Show the methods; those for one side only are kept as they are."""
        self._others = {key: method for key, method in value.items() if key not in self.combos}
        for centre, combo in self.combos.items():
            combo.setCurrentIndex(max(combo.findData(value.get(centre)), 0))

    def read(self) -> Any:
        """Centres whose method is not the model's own."""
        chosen = {centre: combo.currentData() for centre, combo in self.combos.items() if combo.currentData()}
        return FrozenDict({**self._others, **chosen})


class LinesRow(Row):
    """Names with numbers, one a line."""

    widget: QPlainTextEdit

    def __init__(self, field: Field) -> None:
        page = QPlainTextEdit()
        super().__init__(field, page)
        page.setPlaceholderText("name = number")
        page.setTabChangesFocus(True)
        page.setFixedHeight(3 * QFontMetrics(page.font()).lineSpacing() + 14)
        page.setMaximumWidth(380)
        page.textChanged.connect(self.touched)

    def show_value(self, value: Any) -> None:
        """Show the lines."""
        self.widget.setPlainText(lines_of(value))

    def read(self) -> Any:
        """What the lines mean."""
        found = from_lines(self.field.key, self.widget.toPlainText(), self.field.explained.label)
        return FrozenDict(found) if isinstance(found, dict) else found


class NamesRow(Row):
    """Names with commas between them."""

    widget: QLineEdit

    def __init__(self, field: Field) -> None:
        line = QLineEdit()
        super().__init__(field, line)
        line.setMaximumWidth(380)
        line.setPlaceholderText("none")
        line.textEdited.connect(self.touched)

    def show_value(self, value: Any) -> None:
        """Show the names."""
        self.widget.setText(", ".join(value))

    def read(self) -> tuple[str, ...]:
        """What is typed."""
        return tuple(name.strip() for name in self.widget.text().split(",") if name.strip())


class VectorRow(Row):
    """Three numbers, or nothing."""

    widget: QLineEdit

    def __init__(self, field: Field) -> None:
        line = QLineEdit()
        super().__init__(field, line)
        line.setFixedWidth(180)
        line.setPlaceholderText("X Y Z" + (f" in {field.explained.unit}" if field.explained.unit else ""))
        line.textEdited.connect(self.touched)

    def show_value(self, value: Any) -> None:
        """Show them in their unit."""
        self.widget.setText(vector_text(value, self.field.explained.scale))

    def read(self) -> Any:
        """In SI units."""
        explained = self.field.explained
        return from_vector(self.widget.text(), explained.scale, explained.label, self.field.default is None)


class ShownRow(Row):
    """Something that another dialog sets: shown, and can be taken away."""

    def __init__(self, field: Field) -> None:
        box = QWidget()
        super().__init__(field, box)
        layout = QHBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        self.label, self.remove = QLabel(), QPushButton("Remove")
        self.remove.setObjectName(f"setting-remove-{field.path[-1]}")
        self.remove.clicked.connect(self._take_away)
        self._value: Any = None
        layout.addWidget(self.label)
        layout.addWidget(self.remove)
        layout.addStretch(1)

    def _take_away(self) -> None:
        self.show_value(self.field.default)
        self.touched()

    def show_value(self, value: Any) -> None:
        """Say what there is."""
        self._value = value
        count = 1 if value is not None and not hasattr(value, "__len__") else len(value or ())
        name = getattr(value, "name", "")
        names = ", ".join(value) if isinstance(value, Mapping) else ""
        self.label.setText(name or names or ("none" if not count else f"{count} set"))
        self.remove.setVisible(bool(count))

    def read(self) -> Any:
        """What is left."""
        return self._value


def row_for(field: Field, ask_file: AskFile) -> Row:
    """The row of a field."""
    if field.kind is Kind.CHOICE:
        return ChoiceRow(field, ask_file)
    if field.kind is Kind.NUMBER:
        return PlainNumberRow(field) if field.explained.plain else NumberRow(field)
    simple = {
        Kind.WHOLE: WholeRow, Kind.SWITCH: SwitchRow, Kind.CENTRES: CentresRow, Kind.LINES: LinesRow,
        Kind.NAMES: NamesRow, Kind.VECTOR: VectorRow, Kind.SHOWN: ShownRow,
    }  # fmt: skip
    return simple[field.kind](field)
