"""Whose force every contact with a plate is: what was found, why, and another choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from biomec.pipeline.analysis import run_first
from biomec.pipeline.replay import settings_line
from biomec.pipeline.settings import ContactChoice
from biomec.signals.contacts import AssignedContact, ContactAssignment
from biomec_app.kit.dialog_parts import OK_CANCEL, explanation, fit_rows, opened, with_buttons
from biomec_app.kit.painted import Painted, draw_frame
from biomec_app.kit.theme import Theme
from biomec_app.kit.words import FROM_START, moment_told, zero_told
from biomec_app.session.context import Context

NOBODY = "nobody"
BY = {"name": "by its name", "geometry": "by its markers", "manual": "by hand", "nobody": "undecided"}


def side_colour(segment: str | None, theme: Theme) -> QColor:
    """Colour of the side of a segment."""
    name = "" if segment is None else segment.lower()
    if name.startswith("right") or name.endswith("_d"):
        return QColor(theme.right)
    if name.startswith("left") or name.endswith("_e"):
        return QColor(theme.left)
    return QColor(theme.faint)


class PlatesDialog(QDialog):
    """Contacts of all plates with a segment each."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        clean = context.document.analysis.signals
        assert clean.contacts is not None  # the menu item is disabled without plates
        self._assignment: ContactAssignment = clean.contacts
        self._contacts = sorted(clean.contacts.contacts, key=lambda item: (item.contact.plate, item.contact.on_s))
        self.setWindowTitle("Plate Assignment")
        self.table = QTableWidget(len(self._contacts), 6)
        theme = context.theme
        self.chart = ContactChart(self._contacts, clean.trial.duration_s, theme)
        self.combos: list[QComboBox] = []
        self._fill()
        about = explanation(
            "Every stretch in which a plate is loaded, and the hand or foot that loads it. Choose nobody for a "
            "contact that is not to be used. The steps that depend on a change are then out of date."
        )
        kinds = OK_CANCEL | QDialogButtonBox.StandardButton.Reset
        self.buttons = with_buttons(self, about, self.chart, self.table, grows=self.table, buttons=kinds)
        reset = self.buttons.button(QDialogButtonBox.StandardButton.Reset)
        reset.setText("As &Found")
        reset.setToolTip("Forget all choices by hand when the signals are computed again")
        reset.clicked.connect(self._reset)
        self._forget = False
        self.table.currentCellChanged.connect(lambda row, *_: self.chart.select(row))
        self.chart.clicked.connect(self.table.selectRow)
        if self._contacts:
            self.table.selectRow(0)
        fit_rows(self, self.table, 900, 120, 460, self.table.resizeRowsToContents)

    def _fill(self) -> None:
        table = self.table
        table.setObjectName("plates.table")
        table.setAccessibleName("Contacts with the plates")
        table.setHorizontalHeaderLabels(["Plate", "Contact", f"Time {FROM_START} [s]", "Peak [N]", "Segment", "Why"])
        trial = self.context.document.analysis.session.dynamic
        time = table.horizontalHeaderItem(2)
        if time is not None:
            time.setToolTip(zero_told(trial))
        table.verticalHeader().hide()
        table.verticalHeader().setMinimumSectionSize(28)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTabKeyNavigation(False)
        table.setWordWrap(True)
        header = table.horizontalHeader()
        header.sectionResized.connect(lambda *_: table.resizeRowsToContents())
        header.setSectionResizeMode(5, QHeaderView.ResizeMode.Stretch)
        for column, width in ((0, 90), (1, 60), (2, 140), (3, 70), (4, 130)):
            table.setColumnWidth(column, width)
        for row, item in enumerate(self._contacts):
            contact = item.contact
            why = f"{BY.get(item.by, item.by)}, {100 * item.confidence:.0f} %: {item.reason}"
            texts = {0: contact.plate, 1: str(contact.number), 2: f"{contact.on_s:.2f} – {contact.off_s:.2f}",
                     3: f"{contact.peak_n:.0f}", 5: why}  # fmt: skip
            for column, text in texts.items():
                cell = QTableWidgetItem(text)
                cell.setToolTip(f"Begins {moment_told(trial, contact.on_s)}." if column == 2 else text)
                if column in (1, 2, 3):
                    cell.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                table.setItem(row, column, cell)
            combo = QComboBox()
            combo.addItem(NOBODY)
            combo.addItems(list(dict.fromkeys([*self._assignment.segments, *([item.segment] if item.segment else [])])))
            combo.setCurrentText(item.segment or NOBODY)
            combo.setFrame(False)
            combo.setObjectName(f"plates.{contact.plate}.{contact.number}")
            combo.setAccessibleName(f"Segment on plate {contact.plate}, contact {contact.number}")
            combo.activated.connect(self._changed)
            table.setCellWidget(row, 4, combo)
            self.combos.append(combo)

    def _segments(self) -> list[str | None]:
        return [None if combo.currentText() == NOBODY else combo.currentText() for combo in self.combos]

    def _changed(self, *_: object) -> None:
        self._forget = False
        self.chart.show_segments(self._segments())

    def _reset(self) -> None:
        """Take back what is changed here, and forget what was changed before."""
        self._forget = True
        for combo, item in zip(self.combos, self._contacts, strict=True):
            combo.setCurrentText(item.segment or NOBODY)
        self.chart.show_segments(self._segments())

    def choices(self) -> tuple[ContactChoice, ...]:
        """Choices by hand: those that were made before, and those made here."""
        if self._forget:
            return ()
        found = []
        for item, segment in zip(self._contacts, self._segments(), strict=True):
            if item.by == "manual" or segment != item.segment:
                middle = 0.5 * (item.contact.on_s + item.contact.off_s)
                found.append(ContactChoice(item.contact.plate, round(middle, 4), segment))
        return tuple(found)

    def accept(self) -> None:
        """Change the settings, if anything was changed."""
        analysis = self.context.document.analysis
        choices = self.choices()
        if {*choices} != {*analysis.settings.signals.by_hand}:
            signals = replace(analysis.settings.signals, by_hand=choices)
            settings = replace(analysis.settings, signals=signals)
            line = settings_line(analysis.settings, settings)
            self.context.document.change("Change Plate Assignment", analysis.with_settings(settings), line)
        super().accept()


class ContactChart(Painted, QWidget):
    """Contacts over time, one row a plate, in the colours of the sides."""

    clicked = Signal(int)

    def __init__(
        self, contacts: Sequence[AssignedContact], duration_s: float, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._contacts, self._duration, self._theme = contacts, max(duration_s, 1e-6), theme
        self._segments: list[str | None] = [item.segment for item in contacts]
        self._plates = list(dict.fromkeys(item.contact.plate for item in contacts))
        self._selected = -1
        self.setFixedHeight(14 + 22 * max(1, len(self._plates)))
        self.setAccessibleName("Contacts over time")

    def show_segments(self, segments: Sequence[str | None]) -> None:
        """Draw other segments."""
        self._segments = list(segments)
        self.update()

    def select(self, row: int) -> None:
        """Point at a contact."""
        self._selected = row
        self.update()

    def _bar(self, row: int) -> QRectF:
        contact = self._contacts[row].contact
        label = 90.0
        wide = self.width() - label - 10.0
        x = label + wide * max(contact.on_s, 0.0) / self._duration
        end = label + wide * min(contact.off_s, self._duration) / self._duration
        return QRectF(x, 8.0 + 22.0 * self._plates.index(contact.plate), max(end - x, 3.0), 16.0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the contact under the mouse."""
        for row in range(len(self._contacts)):
            if self._bar(row).contains(event.position()):
                self.clicked.emit(row)
                return

    def draw(self, painter: QPainter) -> None:
        """Draw the contacts as bars over time."""
        theme = self._theme
        draw_frame(painter, self, theme)
        painter.setPen(QColor(theme.text))
        for k, plate in enumerate(self._plates):
            text = painter.fontMetrics().elidedText(plate, Qt.TextElideMode.ElideRight, 76)
            painter.drawText(QRectF(8.0, 8.0 + 22.0 * k, 80.0, 16.0), Qt.AlignmentFlag.AlignVCenter, text)
        for row, segment in enumerate(self._segments):
            colour = side_colour(segment, theme)
            bar = self._bar(row)
            painter.setPen(QPen(QColor(theme.text), 2.0) if row == self._selected else Qt.PenStyle.NoPen)
            fill = QColor(colour)
            fill.setAlpha(255 if segment else 70)
            painter.setBrush(fill)
            painter.drawRoundedRect(bar, 3, 3)
            text = painter.fontMetrics().elidedText(
                segment or NOBODY, Qt.TextElideMode.ElideRight, int(bar.width()) - 8
            )
            painter.setPen(QColor(theme.on_accent) if segment else QColor(theme.text))
            painter.drawText(bar, Qt.AlignmentFlag.AlignCenter, text)


def edit_plates(context: Context) -> PlatesDialog:
    """Show the dialog."""
    return opened(PlatesDialog(context, context.window))


def needs_contacts(context: Context) -> str | None:
    """Reason why contacts cannot be changed now."""
    if not context.document.is_open:
        return "Open or import a recording first."
    if not context.document.analysis.session.dynamic.plates:
        return "The recording has no force plates."
    if not context.document.analysis.is_current("signals"):
        return run_first("signals")
    return None
