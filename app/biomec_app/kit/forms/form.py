"""A form for options: a row for every field, what is entered as options again, what differs from the default."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QGroupBox, QLabel, QLineEdit, QToolButton, QVBoxLayout

from biomec.base.field_texts import range_words
from biomec.base.fields import Entry, Kind, Words, default_text, value_at
from biomec_app.kit.dialog_parts import explanation
from biomec_app.kit.forms.boxes import NoWheel, longest
from biomec_app.kit.forms.rows import AskFile, FormRow, row_for

Path: TypeAlias = tuple[str, ...]
LABEL_WIDTH = 210  # pixels, of a wide form
BOX = 136  # pixels, of a narrow form
ARROW = 32  # pixels of the arrow and the rims of a chooser
WIDTHS = {Kind.NUMBER: 130, Kind.WHOLE: 130, Kind.CHOICE: 330, Kind.VECTOR: 180, Kind.LINES: 380, Kind.NAMES: 380}


class Form(QObject):
    """Rows for the fields of some options; `wide` and `narrow` lay them out, or a dialog does.

    owner   : the options with their defaults
    name    : of the widgets, with the names of the fields for ``{}``
    skip    : fields that have no row and keep their value
    choices : of fields whose choices depend on what is analysed
    own     : fields with a row of their own kind
    wheel   : whether a box that was clicked follows the wheel
    edited  : something was entered
    """

    edited = Signal()

    def __init__(
        self,
        owner: Entry,
        name: str,
        *,
        skip: Collection[Path] = (),
        choices: Mapping[Path, Words] | None = None,
        own: Mapping[Path, Callable[[Entry, str], FormRow]] | None = None,
        ask_file: AskFile = lambda title: None,
        wheel: bool = True,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.owner, self._name = owner, name
        self.rows: dict[Path, FormRow] = {}
        self.groups: dict[Path, QGroupBox] = {}
        self.labels: dict[Path, QLabel] = {}
        self.resets: dict[Path, QToolButton] = {}
        self._make(owner, set(skip), choices or {}, own or {}, ask_file, wheel)

    def _make(self, owner: Entry, skip: Collection[Path], choices: Mapping[Path, Words],
              own: Mapping[Path, Callable[[Entry, str], FormRow]], ask_file: AskFile, wheel: bool) -> None:  # fmt: skip
        for entry in owner.parts:
            path = entry.path
            if path in skip:
                continue
            if path in own:
                row = own[path](entry, self.name_of(path))
            elif entry.kind is Kind.GROUP:
                self._make(entry, skip, choices, own, ask_file, wheel)
                continue
            else:
                if path in choices:
                    entry = replace(entry, setting=replace(entry.setting, choices=choices[path]))
                row = row_for(entry, self.name_of(path), ask_file)
            for widget in () if wheel else (row.widget, *row.widget.findChildren(QComboBox)):
                widget.installEventFilter(NoWheel(widget))
            row.set(entry.default)
            row.edited.connect(self.edited)
            self.rows[path] = row

    def name_of(self, path: Path, kind: str = "") -> str:
        """Name of a widget."""
        return self._name.format(".".join(path)) + kind

    # ------------------------------------------------------------------ values

    def show(self, value: Any) -> None:
        """Show options; those of a group that is off are the defaults."""
        start = len(self.owner.path)
        for path, group in self.groups.items():
            if group.isCheckable():
                blocked = group.blockSignals(True)
                group.setChecked(value_at(value, path[start:]) is not None or self._off(value, path))
                group.blockSignals(blocked)
        for path, row in self.rows.items():
            row.set(row.entry.default if self._off(value, path) else value_at(value, path[start:]))
        self.mark()

    def _off(self, value: Any, path: Path) -> bool:
        """Whether a group above a field is off."""
        start = len(self.owner.path)
        return any(value_at(value, path[start:k]) is None for k in range(start + 1, len(path)))

    def entered(self, before: Any = None, keep: Collection[Path] = ()) -> Any:
        """Options with what is entered; raises a sentence about what is wrong.

        before : what fields without a row keep; None: the defaults
        keep   : fields and groups that keep it too, because what is entered has no meaning
        """
        return self._entered(self.owner, self.owner.default if before is None else before, keep)

    def _entered(self, owner: Entry, before: Any, keep: Collection[Path]) -> Any:
        """The options of a group, made at once, so that fields that belong together are judged together."""
        values: dict[str, Any] = {}
        for entry in owner.parts:
            group = self.groups.get(entry.path)
            if entry.path in keep:
                continue
            if entry.path in self.rows:
                values[entry.name] = self.rows[entry.path].value()
            elif group is not None and group.isCheckable() and not group.isChecked():
                values[entry.name] = None
            elif entry.kind is Kind.GROUP and any(path[: len(entry.path)] == entry.path for path in self.rows):
                values[entry.name] = self._entered(entry, value_at(before, (entry.name,)), keep)
        made = owner.made or dict
        after = made(**values) if before is None or made is dict else replace(before, **values)
        return before if after == before else after

    # ------------------------------------------------------------------ defaults

    def mark(self) -> None:
        """Bold labels, and a button to go back, where a value is not the default."""
        for path, label in self.labels.items():
            font = label.font()
            font.setBold(self.rows[path].differs)
            label.setFont(font)
        for path, reset in self.resets.items():
            reset.setVisible(self.rows[path].differs)

    def _reset(self, path: Path) -> None:
        row = self.rows[path]
        row.set(row.entry.default)
        self.mark()
        row.edited.emit()

    # ------------------------------------------------------------------ layout

    def label(self, path: Path, key: str = "") -> QLabel:
        """Label of a row; ``key``: the letter of its shortcut."""
        row = self.rows[path]
        words = row.entry.setting.label
        label = QLabel(words.replace(key, f"&{key}", 1) if key else words)
        label.setBuddy(row.widget)
        label.setToolTip(row.widget.toolTip())
        return label

    def wide(self, layout: QVBoxLayout, owner: Entry | None = None) -> None:
        """Labels at the left, rows at the right with their help below; groups within a frame."""
        owner = owner or self.owner
        leaves = [part for part in owner.parts if part.path in self.rows]
        if leaves:
            grid = QGridLayout()
            grid.setHorizontalSpacing(14)
            grid.setVerticalSpacing(2)
            grid.setColumnMinimumWidth(0, LABEL_WIDTH)
            grid.setColumnStretch(1, 1)
            for k, entry in enumerate(leaves):
                self._wide_row(grid, 2 * k, entry)
            layout.addLayout(grid)
        for part in (part for part in owner.parts if part.parts):
            box = QGroupBox(part.setting.label)
            box.setObjectName(self.name_of(part.path))
            box.setToolTip(part.setting.help)
            inside = QVBoxLayout(box)
            inside.setSpacing(8)
            inside.addWidget(explanation(part.setting.help))
            if part.optional:
                box.setCheckable(True)
                box.toggled.connect(self.edited)
            self.groups[part.path] = box
            self.wide(inside, part)
            layout.addWidget(box)

    def _wide_row(self, grid: QGridLayout, line: int, entry: Entry) -> None:
        row, label = self.rows[entry.path], self.label(entry.path)
        self.labels[entry.path] = label
        label.setMinimumWidth(LABEL_WIDTH)
        label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        label.setContentsMargins(0, 4, 0, 0)
        if entry.kind in WIDTHS:
            row.widget.setFixedWidth(WIDTHS[entry.kind])
        without = entry.kind in (Kind.CHOICES, Kind.LINES, Kind.SHOWN)
        about = explanation(entry.setting.help + ("" if without else f" Default: {default_text(row.entry)}."))
        about.setContentsMargins(0, 0, 0, 8)
        grid.addWidget(label, line, 0)
        grid.addWidget(row.widget, line, 1, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(about, line + 1, 1)

    def narrow(self, layout: QVBoxLayout, box: int = BOX) -> None:
        """Labels, rows and buttons to go back, with help below; what is long has a line of its own.

        box : pixels of a row beside its label; 0: what the labels leave
        """
        grid = QGridLayout()
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(0 if box else 1, 1)
        for k, path in enumerate(self.rows):
            self._narrow_row(grid, 3 * k, path, box)
        layout.addLayout(grid)
        self.edited.connect(self.mark)
        self.mark()

    def _narrow_row(self, grid: QGridLayout, line: int, path: Path, box: int) -> None:
        row, label = self.rows[path], self.label(path)
        widget, entry = row.widget, row.entry
        words = entry.setting.label
        for part in (widget, label):
            part.setToolTip(". ".join(filter(None, (entry.setting.help or words, range_words(entry.setting)))) + ".")
        self.labels[path] = label
        grid.addWidget(label, line, 0)
        grid.addWidget(self._reset_button(path, words), line, 2)
        if isinstance(widget, QLineEdit) or (isinstance(widget, QComboBox) and longest(widget) + ARROW > box):
            grid.addWidget(widget, line + 1, 0, 1, 3)
        else:
            grid.addWidget(widget, line, 1)
            if box:
                widget.setFixedWidth(box)
        if entry.setting.help:
            about = explanation(entry.setting.help)
            about.setContentsMargins(0, 0, 0, 5)
            grid.addWidget(about, line + 2, 0, 1, 3)

    def _reset_button(self, path: Path, words: str) -> QToolButton:
        reset = QToolButton()
        reset.setObjectName(self.name_of(path, ".reset"))
        reset.setText("↺")
        reset.setAutoRaise(True)
        reset.setToolTip(f"Back to {default_text(self.rows[path].entry)}")
        reset.setAccessibleName(f"Reset {words}")
        keep = reset.sizePolicy()
        keep.setRetainSizeWhenHidden(True)
        reset.setSizePolicy(keep)
        reset.clicked.connect(lambda checked=False: self._reset(path))
        self.resets[path] = reset
        return reset
