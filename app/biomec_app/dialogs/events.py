"""Events of the recording: when a foot touches or leaves the ground, and whatever else was marked; to be edited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from biomec.recording import Event
from biomec_app.kit.dialog_parts import EmptyWords, explanation, fit_rows, with_buttons
from biomec_app.kit.words import FROM_START, moment_told, zero_told
from biomec_app.session.context import Context
from biomec_app.viewer.event_lane import ORIGINS, change_events

LABELS = ("Foot Strike", "Foot Off")
CONTEXTS = ("Right", "Left", "General")
TIME, LABEL, CONTEXT, FROM = range(4)
NONE = (
    "The recording came with no events. Go to a frame in the window and add one here, or leave it: cycles are found "
    "from the plates or from an angle."
)


class EventsDialog(QDialog):
    """A row for every event, in the order of time; the frame that is shown moves to the row that is chosen."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
        trial = context.document.analysis.session.dynamic
        self._before: tuple[Event, ...] = trial.events
        self._trial, self._longest = trial, trial.duration_s
        self.setObjectName("events")
        self.setWindowTitle("Events")
        self.table = QTableWidget(0, 4)
        self.table.setObjectName("events-table")
        self.table.setAccessibleName("Events of the recording")
        self.table.setHorizontalHeaderLabels([f"Time {FROM_START} [s]", "What", "Side", "How it is known"])
        header = self.table.horizontalHeaderItem(TIME)
        if header is not None:
            header.setToolTip(zero_told(trial))
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(30)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        self.table.horizontalHeader().setSectionResizeMode(FROM, QHeaderView.ResizeMode.Stretch)
        EmptyWords(self.table, NONE)
        for column, width in ((TIME, 140), (LABEL, 170), (CONTEXT, 110)):
            self.table.setColumnWidth(column, width)
        self.table.itemSelectionChanged.connect(self._show_frame)  # not the current cell, which any focus changes
        self.back = QPushButton("&Bring Back")
        self.back.setObjectName("events-back")
        self.back.setToolTip("Let Biomec find events again where you took some away")
        self.back.setAutoDefault(False)
        self.back.clicked.connect(self.bring_back)
        line = QHBoxLayout()
        for text, name, tip, act in (
            ("&Add at the Shown Frame", "events-add", "A new event at the frame that the window shows", self.add_here),
            ("&Remove", "events-remove", "Remove the chosen events", self.remove),
        ):
            button = QPushButton(text)
            button.setObjectName(name)
            button.setToolTip(tip)
            button.setAutoDefault(False)
            button.clicked.connect(act)
            line.addWidget(button)
        line.addStretch(1)
        self.dismissed = QLabel()
        self.dismissed.setObjectName("events-dismissed")
        line.addWidget(self.dismissed)
        line.addWidget(self.back)
        about = explanation(
            "Events that came with the recording or were set by hand. Cycles of walking are cut at foot strikes; "
            "events that Biomec finds itself are added when the analysis runs."
        )
        self.buttons = with_buttons(self, about, self.table, line, grows=self.table)
        self.show_events(self._before)
        self._follow()
        context.document.analysis_changed.connect(self._follow)
        context.document.opened.connect(self.reject)
        fit_rows(self, self.table, 620, 170, 460)

    # ------------------------------------------------------------------ rows

    def show_events(self, events: Sequence[Event]) -> None:
        """Fill the table."""
        self.table.setRowCount(0)
        for event in sorted(events):
            self._insert(self.table.rowCount(), event)

    def _insert(self, row: int, event: Event) -> None:
        self.table.insertRow(row)
        time = QDoubleSpinBox()
        time.setRange(min(0.0, event.time_s), max(self._longest, event.time_s))
        time.setDecimals(3)
        time.setSingleStep(1.0 / self.context.document.rate_hz)
        time.valueChanged.connect(lambda at: time.setToolTip(moment_told(self._trial, at)))
        time.setValue(event.time_s)
        time.setToolTip(moment_told(self._trial, event.time_s))
        label, side = QComboBox(), QComboBox()
        label.setEditable(True)
        label.addItems(list(dict.fromkeys((*LABELS, event.label))))
        label.setCurrentText(event.label)
        side.addItems(list(dict.fromkeys((*CONTEXTS, event.context))))
        side.setCurrentText(event.context)
        known = QTableWidgetItem(ORIGINS.get(event.origin, event.origin))
        known.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        known.setData(Qt.ItemDataRole.UserRole, event)
        for column, widget, words in ((TIME, time, "Time"), (LABEL, label, "What"), (CONTEXT, side, "Side")):
            widget.setAccessibleName(f"{words} of event {row + 1}")
            self.table.setCellWidget(row, column, widget)
        self.table.setItem(row, FROM, known)

    def _event(self, row: int) -> Event:
        """The event of a row; one that was changed is by hand."""
        time, label, side = (self.table.cellWidget(row, column) for column in (TIME, LABEL, CONTEXT))
        assert isinstance(time, QDoubleSpinBox)
        assert isinstance(label, QComboBox)
        assert isinstance(side, QComboBox)
        before: Event = self.table.model().index(row, FROM).data(Qt.ItemDataRole.UserRole)
        at = before.time_s if round(before.time_s, time.decimals()) == time.value() else time.value()
        event = replace(
            before, time_s=at, label=label.currentText().strip() or before.label, context=side.currentText()
        )
        return before if event == before else replace(event, origin="manual")

    def events(self) -> tuple[Event, ...]:
        """Events as entered, in the order of time."""
        events = [self._event(row) for row in range(self.table.rowCount())]
        return tuple(sorted(events))

    def add_here(self) -> None:
        """Add an event at the frame that is shown."""
        document = self.context.document
        time = document.frame / document.rate_hz
        row = sum(event.time_s <= time for event in self.events())
        self._insert(row, Event(time, LABELS[0], CONTEXTS[0], "manual"))
        self.table.selectRow(row)

    def remove(self) -> None:
        """Remove the chosen rows."""
        for row in sorted({index.row() for index in self.table.selectedIndexes()}, reverse=True):
            self.table.removeRow(row)

    def _show_frame(self) -> None:
        """Show the frame of the event that was chosen."""
        rows = {index.row() for index in self.table.selectedIndexes()}
        if len(rows) == 1:
            self.context.document.set_frame(round(self._event(*rows).time_s * self.context.document.rate_hz))

    def bring_back(self) -> None:
        """Let events be found again where some were taken away."""
        change_events(self.context.document, "Bring Back Events", replace(self._trial, dismissed_events=()))

    def _follow(self) -> None:
        """Show what became of the events elsewhere, such as on the timeline."""
        trial = self.context.document.analysis.session.dynamic
        gone = len(trial.dismissed_events)
        self.dismissed.setText(f"{gone} event{'' if gone == 1 else 's'} taken away on the timeline" if gone else "")
        self.back.setVisible(bool(gone))
        self._trial = trial
        if trial.events != self._before:
            self._before = trial.events
            self.show_events(trial.events)

    def accept(self) -> None:
        """Change the recording, if anything was changed."""
        after = self.events()
        if after != self._before:
            change_events(self.context.document, "Edit Events", replace(self._trial, events=after))
        super().accept()


def edit_events(context: Context) -> EventsDialog:
    """Show the dialog; the person and the timeline can be moved meanwhile."""
    dialog = EventsDialog(context, context.window)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.show()
    return dialog
