"""The recordings of a visit and their cycles: a tick says whether each counts, and a click goes there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from biomec.pipeline.analysis import KINEMATICS, Analysis
from biomec.reporting.clinical.blocks import CycleOrigin
from biomec_app.features.clinical.grid_view import BOTH
from biomec_app.kit.theme import Theme
from biomec_app.session.open_visit import Member

KEY = Qt.ItemDataRole.UserRole
NAMES = 140  # pixels of the column of names
INVALID = "not every frame obeys the model"


class TrialList(QTreeWidget):
    """Recordings, and within each its cycles.

    shown(int)                    : a recording was clicked, by its number among those with an analysis
    picked(int, str, object)      : a cycle was clicked: recording, side, origin
    cycle_ticked(int, str, object, bool), trial_ticked(int, bool) : a tick was set or taken away
    """

    shown = Signal(int)
    picked = Signal(int, str, object)
    cycle_ticked = Signal(int, str, object, bool)
    trial_ticked = Signal(int, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("clinical.trials")
        self.setAccessibleName("Recordings of the visit and their cycles")
        self.setHeaderLabels(["Recording", "Cycles"])
        self.setMinimumWidth(190)
        header = self.header()
        header.setStretchLastSection(True)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        header.resizeSection(0, NAMES)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._faint = QColor("#6B7280")
        self._members: tuple[Member, ...] = ()
        self._current = 0
        self.itemChanged.connect(self._changed)
        self.itemClicked.connect(self._clicked)

    def set_theme(self, theme: Theme) -> None:
        """Colour of what does not count."""
        self._faint = QColor(theme.faint)
        self.show_members(self._members, self._current)

    def show_members(self, members: Sequence[Member], current: int) -> None:
        """Show recordings; the cycles of the ``current`` one, by its number among the analysed, are unfolded."""
        self._members, self._current = tuple(members), current
        at = self.verticalScrollBar().value()
        with QSignalBlocker(self):
            self.clear()
            place = 0
            for member in members:
                item = QTreeWidgetItem(self, [member.name, ""])
                item.setToolTip(0, member.name)
                if member.analysis is None:
                    self._refuse(item, member.reason)
                    continue
                self._fill(item, place, member.analysis)
                font = item.font(0)
                font.setBold(place == current)
                item.setFont(0, font)
                item.setExpanded(place == current)
                place += 1
        self.verticalScrollBar().setValue(at)

    def _refuse(self, item: QTreeWidgetItem, reason: str) -> None:
        item.setText(1, reason)
        item.setToolTip(0, reason)
        item.setToolTip(1, reason)
        for column in (0, 1):
            item.setForeground(column, self._faint)

    def _fill(self, item: QTreeWidgetItem, place: int, analysis: Analysis) -> None:
        reason = analysis.session.notes.excluded
        item.setData(0, KEY, (place,))
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(0, Qt.CheckState.Unchecked if reason else Qt.CheckState.Checked)
        if reason:
            self._refuse(item, reason)
        if KINEMATICS not in analysis.done:
            item.setText(1, "not analysed yet")
            return
        counted = []
        for group, cycles in analysis.cycles.groups.items():
            side = group.lower()
            for number, ((first, last), valid) in enumerate(zip(cycles.spans.tolist(), cycles.valid, strict=True)):
                origin = CycleOrigin(place, number, first, last)
                why = "" if valid else _reason(analysis, side, first)
                child = QTreeWidgetItem(
                    item, [f"{'Cycle' if side == BOTH else group} {number + 1}", why or _seconds(first, analysis)]
                )
                child.setData(0, KEY, (place, side, origin))
                by_hand = first in cycles.excluded
                if valid or by_hand:
                    child.setFlags(child.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                    child.setCheckState(0, Qt.CheckState.Checked if valid else Qt.CheckState.Unchecked)
                if why:
                    self._refuse(child, why)
            if len(cycles):
                count = int(cycles.valid.sum())
                counted.append(f"{count} of {len(cycles)}" if side == BOTH else f"{count} {group[0]}")
        if not reason:
            item.setText(1, ", ".join(counted) if counted else "no cycles")

    def _changed(self, item: QTreeWidgetItem, column: int) -> None:
        key = item.data(0, KEY)
        if column != 0 or not isinstance(key, tuple):
            return
        ticked = item.checkState(0) is Qt.CheckState.Checked
        if len(key) == 1:
            self._later(lambda: self.trial_ticked.emit(key[0], ticked))
        else:
            self._later(lambda: self.cycle_ticked.emit(*key, ticked))

    def _clicked(self, item: QTreeWidgetItem, _: int) -> None:
        key = item.data(0, KEY)
        if not isinstance(key, tuple):
            return
        if len(key) == 1:
            self._later(lambda: self.shown.emit(key[0]))
        else:
            self._later(lambda: self.picked.emit(*key))

    def _later(self, tell: Callable[[], None]) -> None:
        """Tell others once Qt is done with the item: they make the list anew, and the item would be gone."""
        QTimer.singleShot(0, self, tell)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter does what a click does."""
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self._clicked(item, 0)
        else:
            super().keyPressEvent(event)

    def mark(self, side: str, origin: CycleOrigin) -> None:
        """Mark a cycle in the list."""
        for k in range(self.topLevelItemCount()):
            item = self.topLevelItem(k)
            assert item is not None
            for n in range(item.childCount()):
                child = item.child(n)
                if child is not None and child.data(0, KEY) == (origin.trial, side, origin):
                    with QSignalBlocker(self):
                        self.setCurrentItem(child)
                    return


def _reason(analysis: Analysis, side: str, first: int) -> str:
    frame = first + analysis.session.dynamic.first_frame
    by_hand = (one.reason for one in analysis.session.notes.excluded_cycles if (one.side, one.frame) == (side, frame))
    return next(by_hand, INVALID)


def _seconds(first: int, analysis: Analysis) -> str:
    return f"{first / analysis.session.dynamic.rate_hz:.2f} s"
