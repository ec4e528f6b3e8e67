"""The trials of a study as rows of a table: filtered and sorted by the index, in groups that can be folded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont, QIcon

from biomec.reporting.trust import Level
from biomec.study.record import TrialRecord
from biomec.study.study import Study
from biomec.study.tables import Clean
from biomec.study.trials import State, StudyTrial
from biomec_app.features.study.columns import COLUMNS, CURVES, GROUPINGS, Wording
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.kit.verdict_signs import sign

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
ROLE = Qt.ItemDataRole
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class GroupRow:
    """A line above the trials of a group: what they have in common, how many they are, how many count."""

    name: str
    trials: int
    done: int
    folded: bool

    @property
    def text(self) -> str:
        """What the line says."""
        counted = "1 trial" if self.trials == 1 else f"{self.trials} trials"
        return f"{'▸' if self.folded else '▾'}  {self.name}: {counted}, {self.done} done"


Row = StudyTrial | GroupRow


class TrialModel(QAbstractTableModel):
    """Rows are made once for a filter, an order and a grouping; painting only reads them."""

    def __init__(self) -> None:
        super().__init__()
        self.study: Study | None = None
        self.rows: list[Row] = []
        self.theme: Theme = LIGHT
        self.words, self.state, self.grouping = "", "", ""
        self.order: tuple[str, ...] = ()
        self.wording = Wording(False, Clean(()))
        self.pictures: dict[str, QIcon] = {}
        self.curve = ""
        self._newer: dict[str, StudyTrial] = {}
        self._folded: set[str] = set()
        self._icons: Mapping[Level, QIcon] = {}
        self._bold = QFont()
        self._bold.setBold(True)
        self.set_theme(LIGHT)

    # ------------------------------------------------------------------ what is shown

    def show_study(self, study: Study, names: bool) -> None:
        """Show a study as it is now."""
        self.study = study
        self._newer = {}
        self.wording = Wording(names, Clean(study.trials))
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.theme = theme
        self._icons = {level: sign(level, theme) for level in Level}
        self.refresh()

    def set_names(self, names: bool) -> None:
        """Show names and files, or codes only."""
        self.wording = replace(self.wording, names=names)
        self.refresh()

    def set_filter(self, words: str, state: str) -> None:
        """Show trials with all these words, in this state ("" for any)."""
        self.words, self.state = words, state
        self.refresh()

    def set_grouping(self, key: str) -> None:
        """Group by a key of `GROUPINGS`."""
        self.grouping = key
        self._folded = set()
        self.refresh()

    def refresh(self) -> None:
        """Make the rows anew."""
        self.beginResetModel()
        self.rows = self._made()
        self.endResetModel()

    def _made(self) -> list[Row]:
        if self.study is None:
            return []
        where = {"state": self.state} if self.state else {}
        trials: Iterable[StudyTrial] = self.study.filtered(self.words, self.order, **where)
        if self._newer:
            trials = [self._newer.get(one.id, one) for one in trials]
        if not self.grouping:
            return list(trials)
        groups: dict[str, list[StudyTrial]] = {}
        name_of = GROUPINGS[self.grouping][1]
        for one in trials:
            groups.setdefault(name_of(one, self.wording), []).append(one)
        rows: list[Row] = []
        for name, some in groups.items():
            folded = name in self._folded
            rows.append(GroupRow(name, len(some), sum(one.counts for one in some), folded))
            rows += [] if folded else some
        return rows

    @property
    def shown(self) -> int:
        """How many trials pass the filter, folded ones too."""
        return sum(one.trials if isinstance(one, GroupRow) else not self.grouping for one in self.rows)

    @property
    def group_rows(self) -> list[int]:
        """Numbers of the rows that head a group."""
        return [k for k, one in enumerate(self.rows) if isinstance(one, GroupRow)] if self.grouping else []

    def fold(self, row: int) -> None:
        """Fold or unfold the group of a row."""
        one = self.rows[row]
        if isinstance(one, GroupRow):
            self._folded ^= {one.name}
            self.refresh()

    def trial_at(self, row: int) -> StudyTrial | None:
        """The trial of a row; None if the row heads a group, or is not there."""
        one = self.rows[row] if 0 <= row < len(self.rows) else None
        return one if isinstance(one, StudyTrial) else None

    def row_of(self, key: str) -> int | None:
        """The row of a trial, by its id."""
        return next((k for k, one in enumerate(self.rows) if isinstance(one, StudyTrial) and one.id == key), None)

    # ------------------------------------------------------------------ what changes while a batch runs

    def set_record(self, record: TrialRecord) -> None:
        """Show what became of a trial that has just been analysed."""
        row = self.row_of(record.id)
        old = self.trial_at(row) if row is not None else None
        if old is None and self.study is not None:
            old = next((one for one in self.study.trials if one.id == record.id), None)
        if old is None:
            return
        state = State.FAILED if record.fault else State.DONE
        new = replace(old, state=state, reason=record.fault, record=record)
        self._newer[record.id] = new
        self.pictures.pop(record.id, None)
        if row is not None:
            self.rows[row] = new
            self.dataChanged.emit(self.index(row, 0), self.index(row, len(COLUMNS) - 1))

    def set_pictures(self, pictures: Mapping[str, QIcon], curve: str) -> None:
        """Take small pictures of trials, and the curve that they show."""
        self.pictures |= pictures
        self.curve = curve
        column = next(k for k, one in enumerate(COLUMNS) if one.key == CURVES)
        if self.rows:
            self.dataChanged.emit(self.index(0, column), self.index(len(self.rows) - 1, column), [ROLE.DecorationRole])

    # ------------------------------------------------------------------ what Qt asks

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """Rows that are not folded away."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """All columns, hidden ones too."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = ROLE.DisplayRole) -> Any:
        """Titles, and what they mean."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = COLUMNS[section]
        if role == ROLE.DisplayRole:
            return column.title
        if role == ROLE.ToolTipRole:
            return f"{column.tip}: {self.curve}" if column.key == CURVES and self.curve else column.tip
        if role == ROLE.TextAlignmentRole:
            return RIGHT if column.right else Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = ROLE.DisplayRole) -> Any:
        """One cell; nothing is computed of other rows."""
        one = self.rows[index.row()]
        if isinstance(one, GroupRow):
            return self._of_group(one, index.column(), role)
        column = COLUMNS[index.column()]
        if role in (ROLE.DisplayRole, ROLE.ToolTipRole, ROLE.AccessibleTextRole):
            text = column.text(one, self.wording)
            return text if role != ROLE.ToolTipRole or len(text) > 24 else None
        if role == ROLE.DecorationRole:
            if column.key == CURVES:
                return self.pictures.get(one.id)
            level = column.level(one)
            return None if level is None else self._icons[level]
        if role == ROLE.TextAlignmentRole:
            return RIGHT if column.right else Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if role == ROLE.ForegroundRole and one.state in (State.EXCLUDED, State.GONE, State.NOT_RUN):
            return QColor(self.theme.faint)
        return None

    def _of_group(self, one: GroupRow, column: int, role: int) -> Any:
        if role == ROLE.DisplayRole and column == 0:
            return one.text
        if role == ROLE.FontRole:
            return self._bold
        return QColor(self.theme.window) if role == ROLE.BackgroundRole else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column of the index; by none, trials come in the order of people, visits and conditions."""
        key = COLUMNS[column].sort if 0 <= column < len(COLUMNS) else ""
        self.order = (f"{'-' if order == Qt.SortOrder.DescendingOrder else ''}{key}",) if key else ()
        self.refresh()
