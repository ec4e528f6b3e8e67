"""Who was recorded: name, dates, mass, height, sex and measures taken on the person, checked."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.pipeline.replay import python_text
from biomec.recording import Subject
from biomec.recording.trial import MEASURES, is_angle
from biomec_app.kit.dialog_parts import Fault, explanation, fit_rows, opened, with_buttons
from biomec_app.session.context import Context

SEXES = {"unknown": None, "female": "female", "male": "male"}
DATE_HINT = "year-month-day, such as 2015-04-08"
WRONG = "QLineEdit, QDoubleSpinBox, QTableWidget { border: 2px solid #D9534F; border-radius: 3px; }"
LIGHTEST_KG, HEAVIEST_KG = 2.0, 350.0
SMALLEST_M, TALLEST_M = 0.4, 2.6
THINNEST, FATTEST = 8.0, 100.0  # kg/m², beyond what was ever seen
OLDEST = 120  # years


class SubjectFault(BiomecError):
    """What cannot be true of a subject; ``fields`` are those to look at: recorded, born, mass, height, measures."""

    def __init__(self, sentence: str, *fields: str) -> None:
        super().__init__(sentence)
        self.fields = fields


def check_subject(subject: Subject, recorded: date | None, today: date) -> None:
    """Raise a sentence about what cannot be true."""
    born = subject.birth_date
    if recorded is not None and recorded > today:
        raise SubjectFault(
            f"The day of the recording, {recorded.isoformat()}, lies in the future; check it.", "recorded"
        )
    if born is not None and recorded is not None and born > recorded:
        raise SubjectFault("The subject was born after the recording; check both dates.", "born", "recorded")
    if born is not None and born > today:
        raise SubjectFault(f"The day of birth, {born.isoformat()}, lies in the future; check it.", "born")
    age = None if recorded is None else subject.age_on(recorded)
    if age is not None and age > OLDEST:
        raise SubjectFault(f"The subject would be {age} years old; check both dates.", "born", "recorded")
    mass, height = subject.mass_kg, subject.height_m
    if mass is not None and not LIGHTEST_KG <= mass <= HEAVIEST_KG:
        raise SubjectFault(f"A person of {mass:g} kg is not plausible; write the mass in kilograms.", "mass")
    if height is not None and not SMALLEST_M <= height <= TALLEST_M:
        raise SubjectFault(f"A person of {height:g} m is not plausible; write the height in metres.", "height")
    if mass is not None and height is not None and not THINNEST <= mass / height**2 <= FATTEST:
        raise SubjectFault(f"{mass:g} kg at {height:g} m is not plausible; check mass and height.", "mass", "height")


def measure_rows() -> tuple[tuple[str, str, str | None, str | None], ...]:
    """Rows of the table of measures: words with unit, root of the key, key of the right and of the left."""
    rows = []
    for root in dict.fromkeys(key.removesuffix("_D").removesuffix("_E") for key in MEASURES):
        unit = "°" if is_angle(root) else "mm"
        words = root.replace("_", " ").replace("asis", "ASIS")
        both = f"{root}_D" in MEASURES
        keys = (f"{root}_D", f"{root}_E") if both else (root, None)
        rows.append((f"{words[0].upper()}{words[1:]} [{unit}]", root, *keys))
    return tuple(rows)


def factor(root: str) -> float:
    """How many shown units are one of Biomec's."""
    return math.degrees(1.0) if is_angle(root) else 1000.0


def parse_date(text: str, what: str) -> date | None:
    """Day in a text, None if it is empty; a sentence if it is not a day."""
    text = text.strip()
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        field = "born" if "birth" in what else "recorded"
        raise SubjectFault(f"The {what} {text!r} is not a date; write {DATE_HINT}.", field) from error


def parse_number(text: str, what: str) -> float | None:
    """Number in a text, with a point or a comma; None if it is empty."""
    text = text.strip().replace(",", ".")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError as error:
        raise SubjectFault(f"{what} is {text!r}, which is not a number.", "measures") from error
    if not math.isfinite(value):
        raise SubjectFault(f"{what} is {text!r}, which is not a number.", "measures")
    return value


class SubjectForm(QWidget):
    """Fields about the subject. ``changed`` whenever one of them is edited."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name, self.recorded_on, self.born = QLineEdit(), QLineEdit(), QLineEdit()
        self.mass, self.height_, self.sex = _number(500.0, 1, " kg"), _number(2.99, 3, " m"), QComboBox()
        self.height_.setSingleStep(0.01)
        self.sex.addItems(list(SEXES))
        self.age = QLabel()
        self.age.setIndent(4)  # under the letters of the fields above
        for field in (self.recorded_on, self.born):
            field.setPlaceholderText(DATE_HINT)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        rows: tuple[tuple[str, QWidget, str], ...] = (
            ("&Name", self.name, "name"), ("&Recorded on", self.recorded_on, "recorded"),
            ("&Born on", self.born, "born"), ("&Mass", self.mass, "mass"), ("&Height", self.height_, "height"),
            ("&Sex", self.sex, "sex"),
        )  # fmt: skip
        for text, widget, key in rows:
            widget.setObjectName(f"subject.{key}")
            widget.setAccessibleName(text.replace("&", ""))
            form.addRow(text, widget)
            if key == "born":
                form.addRow("Age", self.age)
        form.addRow(explanation(
            "Mass, height and sex give every segment its mass and, in many models, its joint centres. "
            "What is not known is estimated, and a notice says so."
        ))  # fmt: skip
        self.measures = QTableWidget(0, 3)
        self._fill_measures()
        left, right = QWidget(), QWidget()
        left.setLayout(form)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        label = QLabel("M&easures taken on the subject (empty: not taken)")
        label.setBuddy(self.measures)
        column.addWidget(label)
        column.addWidget(self.measures)
        form.setContentsMargins(0, 0, 0, 0)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(18)
        layout.addWidget(left, 5)
        layout.addWidget(right, 5)
        for edit in (self.name, self.recorded_on, self.born):
            edit.textEdited.connect(self._edited)
        for spin in (self.mass, self.height_):
            spin.valueChanged.connect(self._edited)
        self.sex.currentIndexChanged.connect(self._edited)
        self.measures.itemChanged.connect(self._edited)
        self._loading = False

    def unknown(self) -> list[str]:
        """What of mass, height and sex is not known."""
        known = {"mass": self.mass.value(), "height": self.height_.value(), "sex": self.sex.currentIndex()}
        return [name for name, value in known.items() if value <= 0]

    def _fill_measures(self) -> None:
        table, rows = self.measures, measure_rows()
        table.setObjectName("subject.measures")
        table.setAccessibleName("Measures taken on the subject")
        table.setHorizontalHeaderLabels(["Measure", "Right", "Left"])
        table.setRowCount(len(rows))
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(24)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        table.setColumnWidth(1, 70)
        table.setColumnWidth(2, 70)
        table.setTabKeyNavigation(False)
        for r, (words, _, right, left) in enumerate(rows):
            name = QTableWidgetItem(words)
            name.setFlags(Qt.ItemFlag.ItemIsEnabled)
            table.setItem(r, 0, name)
            for c, key in ((1, right), (2, left)):
                cell = QTableWidgetItem("")
                cell.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                if key is None:
                    cell.setFlags(Qt.ItemFlag.NoItemFlags)
                cell.setData(Qt.ItemDataRole.UserRole, key)
                table.setItem(r, c, cell)

    # ------------------------------------------------------------------ content

    def show_subject(self, subject: Subject, recorded: date | None) -> None:
        """Fill the fields."""
        self._loading = True
        self.name.setText(subject.name)
        self.recorded_on.setText("" if recorded is None else recorded.isoformat())
        self.born.setText("" if subject.birth_date is None else subject.birth_date.isoformat())
        self.mass.setValue(subject.mass_kg or 0.0)
        self.height_.setValue(subject.height_m or 0.0)
        self.sex.setCurrentText(subject.sex or "unknown")
        for root, cell in self._cells():
            value = subject.measures.get(cell.data(Qt.ItemDataRole.UserRole))
            cell.setText("" if value is None else f"{value * factor(root):.4g}")
        self._loading = False
        self._shown, self._day = subject, recorded
        self._show_age()

    def _cells(self) -> list[tuple[str, QTableWidgetItem]]:
        cells = []
        for r, (_, root, right, left) in enumerate(measure_rows()):
            for c, key in ((1, right), (2, left)):
                item = self.measures.item(r, c)
                if key is not None and item is not None:
                    cells.append((root, item))
        return cells

    def recorded(self) -> date | None:
        """Day of the recording."""
        return parse_date(self.recorded_on.text(), "day of the recording")

    def subject(self) -> Subject:
        """Return the subject as entered, or raise a sentence about the field that cannot be right."""
        shown = self._shown
        born = parse_date(self.born.text(), "day of birth")
        recorded = self.recorded()
        measures = {}
        for root, cell in self._cells():
            key = str(cell.data(Qt.ItemDataRole.UserRole))
            value = parse_number(cell.text(), f"The measure {key.replace('_', ' ')}")
            if value is None:
                continue
            kept = shown.measures.get(key)
            same = kept is not None and f"{kept * factor(root):.4g}" == cell.text().strip()
            measures[key] = kept if same and kept is not None else value / factor(root)
        subject = Subject(
            self.name.text().strip(), SEXES[self.sex.currentText()], _known(self.mass, shown.mass_kg),
            _known(self.height_, shown.height_m), born, measures,
        )  # fmt: skip
        today = max(date.today(), self._day or date.min)  # a clock may be wrong; what the file says is not judged by it
        check_subject(subject, recorded, today)
        return subject

    def fault(self) -> str:
        """What is wrong with the fields, or nothing; the fields are marked."""
        found, fields = "", tuple[str, ...]()
        try:
            self.subject()
        except SubjectFault as error:
            found, fields = str(error), error.fields
        except BiomecError as error:
            found = str(error)
        for name, widget in self._fields().items():
            widget.setStyleSheet(WRONG if name in fields else "")
            widget.setToolTip(found if name in fields else "")
        return found

    def _fields(self) -> dict[str, QWidget]:
        return {"recorded": self.recorded_on, "born": self.born, "mass": self.mass, "height": self.height_,
                "measures": self.measures}  # fmt: skip

    # ------------------------------------------------------------------ following edits

    def _edited(self, *_: object) -> None:
        if not self._loading:
            self._show_age()
            self.changed.emit()

    def _show_age(self) -> None:
        try:
            subject, day = self.subject(), self.recorded()
        except BiomecError:
            self.age.setText("–")
            return
        age = None if day is None else subject.age_on(day)
        self.age.setText("–" if age is None else f"{age} year{'s' * (age != 1)}")

    _loading = True
    _shown = Subject()
    _day: date | None = None


def _number(limit: float, decimals: int, suffix: str) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setRange(0.0, limit)
    box.setDecimals(decimals)
    box.setSuffix(suffix)
    box.setSpecialValueText("unknown")
    box.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
    box.installEventFilter(_SELECT_ALL)
    return box


class _SelectAll(QObject):
    """Selects the whole text of a number that gets the focus, so that typing replaces the word "unknown"."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Select after the box has done what it does."""
        if event.type() == QEvent.Type.FocusIn and isinstance(watched, QAbstractSpinBox):
            watched.selectAll()
        return False


_SELECT_ALL = _SelectAll()


def _known(box: QDoubleSpinBox, before: float | None) -> float | None:
    """Number of a box; the older one if it was only rounded by being shown."""
    if box.value() == 0.0:
        return None
    if before is not None and round(before, box.decimals()) == box.value():
        return before
    return box.value()


class SubjectDialog(QDialog):
    """Change what is known of the subject of the open recording."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        self.setWindowTitle("Subject")
        self.form, self.wrong = SubjectForm(), Fault("subject.fault")
        session = context.document.analysis.session
        self.form.show_subject(session.subject, session.recorded)
        self.buttons = with_buttons(self, self.form, self.wrong, grows=self.form)
        fit_rows(self, self.form.measures, 780, 240, 460)
        self.form.changed.connect(self._check)

    def _check(self) -> None:
        fault = self.form.fault()
        self.wrong.say(fault)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not fault)

    def accept(self) -> None:
        """Change the analysis, if anything was changed."""
        if self.form.fault():
            self._check()
            return
        analysis = self.context.document.analysis
        session = analysis.session
        changed = replace(session, subject=self.form.subject(), recorded=self.form.recorded())
        if (changed.subject, changed.recorded) != (session.subject, session.recorded):
            what = f"subject={python_text(changed.subject)}, recorded={python_text(changed.recorded)}"
            line = f"analysis = replace(analysis, session=replace(analysis.session, {what}))"
            self.context.document.change("Change Subject", replace(analysis, session=changed), line)
        super().accept()


def edit_subject(context: Context) -> SubjectDialog:
    """Show the dialog."""
    return opened(SubjectDialog(context, context.window))
