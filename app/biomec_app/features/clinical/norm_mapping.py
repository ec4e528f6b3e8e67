"""Which columns of a table are the mean and SD of which curve; asked once, and remembered for tables like it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QFormLayout,
    QHeaderView,
    QLineEdit,
    QSpinBox,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.reporting.clinical_presentation import CURVES
from biomec.reporting.norms.mapped_csv import MappedCurve, NormMapping, columns_of, write_mapping
from biomec.reporting.norms.norm import NormSet
from biomec.reporting.norms.readers import read_norms
from biomec_app.kit.dialog_parts import Fault, explanation, with_buttons
from biomec_app.kit.forms.boxes import NoWheel
from biomec_app.session.norm_sets import MAPPINGS

TITLE = "Columns of the Table"
WORDS = "Choose the columns of every curve that the table has; the others stay empty. Lines run from 0 to 100 %."
PAIRS = {
    "mean and SD": (("mean", "avg", "m"), ("sd", "std", "s")),
    "lower and upper edge": (("low", "lower", "min"), ("high", "upper", "max")),
}
NOTHING = "–"


def guessed(columns: Sequence[str], curve: str, endings: Sequence[str]) -> str:
    """The column that is called like a curve with one of the endings, such as "HipFlexion_SD"; "" for none."""
    squeezed = {re.sub(r"[^a-z0-9]", "", column.lower()): column for column in columns}
    name = re.sub(r"[^a-z0-9]", "", curve)
    return next((squeezed[name + ending] for ending in endings if name + ending in squeezed), "")


class MappingDialog(QDialog):
    """The question; ``sets`` holds what was read once it is accepted, and the answer is kept as a file."""

    def __init__(self, path: Path, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.path, self.folder = path, folder
        self.sets: tuple[NormSet, ...] = ()
        self.setObjectName("norm-mapping")
        self.setWindowTitle(TITLE)
        self.name = QLineEdit(path.stem)
        self.kind = QComboBox()
        self.kind.addItems(list(PAIRS))
        self.names_line, self.first_line = _line(1), _line(2)
        form = QFormLayout()
        for widget, key, label in (
            (self.name, "name", "Remember as"), (self.names_line, "names-line", "Names are in line"),
            (self.first_line, "first-line", "Values begin in line"), (self.kind, "kind", "Columns are"),
        ):  # fmt: skip
            widget.setObjectName(f"norm-mapping.{key}")
            widget.setAccessibleName(label)
            form.addRow(label, widget)
        self.table = QTableWidget(len(CURVES), 4)
        self.table.setObjectName("norm-mapping.table")
        self.table.setAccessibleName("Columns of every curve")
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.table.verticalHeader().hide()
        self.boxes: dict[str, tuple[QComboBox, QComboBox]] = {}
        self.factors: dict[str, QLineEdit] = {}
        for k, row in enumerate(CURVES):
            item = QTableWidgetItem(row.title)
            item.setToolTip(f"Up is {row.positive}.")
            self.table.setItem(k, 0, item)
            pair = QComboBox(), QComboBox()
            for n, (box, which) in enumerate(zip(pair, ("first", "second"), strict=True), 1):
                box.setObjectName(f"norm-mapping.{which}.{row.name}")
                box.setAccessibleName(f"{which.capitalize()} column of {row.name}")
                box.installEventFilter(NoWheel(box))
                self.table.setCellWidget(k, n, box)
            self.boxes[row.name] = pair
            self.factors[row.name] = QLineEdit("1")
            self.factors[row.name].setAccessibleName(f"Factor of {row.name}")
            self.factors[row.name].setToolTip(f"Brings the column to {row.unit}, up {row.positive}: −1 turns a sign")
            self.table.setCellWidget(k, 3, self.factors[row.name])
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(3, QHeaderView.ResizeMode.ResizeToContents)
        self.wrong = Fault("norm-mapping.fault")
        with_buttons(self, explanation(WORDS), form, self.table, self.wrong, grows=self.table)
        self.names_line.valueChanged.connect(self.offer)
        self.kind.currentTextChanged.connect(self.offer)
        self.resize(680, 640)
        self.offer()

    def offer(self, *_: object) -> None:
        """Offer the columns that the line of names has, and choose those that are called like a curve."""
        self.wrong.say("")
        try:
            columns = columns_of(self.path, self.names_line.value())
        except BiomecError as error:
            columns = ()
            self.wrong.say(str(error))
        kind = self.kind.currentText()
        self.table.setHorizontalHeaderLabels(
            ["Curve", *(one[0].upper() + one[1:] for one in kind.split(" and ")), "Factor"]
        )
        for name, boxes in self.boxes.items():
            for box, endings in zip(boxes, PAIRS[kind], strict=True):
                box.clear()
                box.addItems([NOTHING, *columns])
                box.setCurrentText(guessed(columns, name, endings) or NOTHING)

    @property
    def mapping(self) -> NormMapping:
        """What is entered; raises a sentence about what is wrong."""
        curves = []
        for name, boxes in self.boxes.items():
            first, second = (box.currentText() for box in boxes)
            if first == second == NOTHING:
                continue
            if NOTHING in (first, second):
                raise BiomecError(f"Choose both columns of {name}, or neither.")
            try:
                factor = float(self.factors[name].text().replace(",", ".").replace("−", "-"))
            except ValueError as error:
                words = f"The factor of {name}, {self.factors[name].text()[:20]!r}, is not a number."
                raise BiomecError(words) from error
            if self.kind.currentIndex() == 0:
                curves.append(MappedCurve(name, mean=first, sd=second, factor=factor))
            else:
                curves.append(MappedCurve(name, low=first, high=second, factor=factor))
        name = re.sub(r"[^\w -]", "_", self.name.text()).strip() or "mapping"
        return NormMapping(name, tuple(curves), self.names_line.value(), self.first_line.value())

    def accept(self) -> None:
        """Read the table; remember the mapping if that goes well, or say what is wrong."""
        try:
            mapping = self.mapping
            self.sets = read_norms(self.path, (mapping,))
            (self.folder / MAPPINGS).mkdir(parents=True, exist_ok=True)
            write_mapping(mapping, self.folder / MAPPINGS / f"{mapping.name}.toml")
        except BiomecError as error:
            self.wrong.say(str(error))
            return
        except OSError as error:
            self.wrong.say(f"{self.folder.name}: the folder cannot be written ({error.strerror or error}).")
            return
        super().accept()


def _line(value: int) -> QSpinBox:
    box = QSpinBox()
    box.setRange(1, 1000)
    box.setValue(value)
    return box
