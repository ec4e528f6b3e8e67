"""Dialog Settings of the Analysis: a page for every step, made from the frozen options of the library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from biomec.base.errors import BiomecError
from biomec.pipeline.replay import settings_line
from biomec.pipeline.settings import AnalysisSettings
from biomec_app.dialogs.setting_rows import Row, row_for
from biomec_app.dialogs.settings_form import DEFAULTS, Field, Kind, changed, default_text, value_at
from biomec_app.dialogs.settings_form import page as page_of
from biomec_app.dialogs.settings_help import PAGES
from biomec_app.session.context import Context

LABEL_WIDTH = 210  # pixels


class SettingsPage(QScrollArea):
    """The fields of one step in groups."""

    def __init__(self, page: Field, dialog: SettingsDialog) -> None:
        super().__init__()
        self.page, self._dialog = page, dialog
        self.rows: dict[tuple[str, ...], Row] = {}
        self.groups: dict[tuple[str, ...], QGroupBox] = {}
        self.labels: dict[tuple[str, ...], QLabel] = {}
        self.setObjectName(f"settings-page-{page.path[0]}")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(10)
        title, about = PAGES[page.path[0]]
        head = QLabel(title)
        font = head.font()
        font.setBold(True)
        font.setPointSizeF(font.pointSizeF() * 1.3)
        head.setFont(font)
        layout.addWidget(head)
        layout.addWidget(_faint(about))
        self._fill(page, layout)
        layout.addStretch(1)
        self.setWidget(inside)

    def _fill(self, owner: Field, layout: QVBoxLayout) -> None:
        """Fields first, then the groups within."""
        leaves = [part for part in owner.parts if not part.parts]
        if leaves:
            grid = QGridLayout()
            grid.setHorizontalSpacing(14)
            grid.setVerticalSpacing(2)
            grid.setColumnMinimumWidth(0, LABEL_WIDTH)
            grid.setColumnStretch(1, 1)
            for k, field in enumerate(leaves):
                self._row(grid, 2 * k, field)
            layout.addLayout(grid)
        for part in (part for part in owner.parts if part.parts):
            box = QGroupBox(part.explained.label)
            box.setObjectName("setting-" + ".".join(part.path))
            box.setToolTip(part.explained.help)
            inside = QVBoxLayout(box)
            inside.setSpacing(8)
            inside.addWidget(_faint(part.explained.help))
            if part.kind is Kind.OPTIONAL_GROUP:
                box.setCheckable(True)
                box.toggled.connect(self._dialog.edited)
            self.groups[part.path] = box
            self._fill(part, inside)
            layout.addWidget(box)

    def _row(self, grid: QGridLayout, line: int, field: Field) -> None:
        row = row_for(field, self._dialog.ask_file)
        row.edited.connect(self._dialog.edited)
        self.rows[field.path] = row
        label = QLabel(field.explained.label)
        label.setBuddy(row.widget)
        label.setMinimumWidth(LABEL_WIDTH)
        label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        label.setContentsMargins(0, 4, 0, 0)
        self.labels[field.path] = label
        grid.addWidget(label, line, 0)
        if field.kind in (Kind.CENTRES, Kind.LINES, Kind.SHOWN):
            about = field.explained.help
        else:
            about = f"{field.explained.help} Default: {default_text(field)}."
        grid.addWidget(row.widget, line, 1, Qt.AlignmentFlag.AlignLeft)
        told = _faint(about)
        told.setContentsMargins(0, 0, 0, 8)
        grid.addWidget(told, line + 1, 1)

    def show_settings(self, settings: AnalysisSettings) -> None:
        """Put values into all rows."""
        for path, group in self.groups.items():
            if group.isCheckable():
                blocked = group.blockSignals(True)
                off = any(value_at(settings, path[:k]) is None for k in range(1, len(path)))
                group.setChecked(value_at(settings, path) is not None or off)  # on within a group that is off
                group.blockSignals(blocked)
        for path, row in self.rows.items():
            off = any(value_at(settings, path[:k]) is None for k in range(1, len(path)))
            row.set(row.field.default if off else value_at(settings, path))
        self.mark(settings)

    def entered(self, settings: AnalysisSettings) -> AnalysisSettings:
        """Settings with what is entered on this page; raises a sentence about what is wrong."""
        step = self.page.path[0]
        found = self._entered(self.page, value_at(DEFAULTS, (step,)), value_at(settings, (step,)))
        after: AnalysisSettings = changed(settings, (step,), found)
        return after

    def _entered(self, owner: Field, default: Any, before: Any) -> Any:
        """The options of a group, made at once, so that fields that belong together are judged together."""
        made = type(default)
        values: dict[str, Any] = {}
        for part in owner.parts:
            name = part.path[-1]
            if not part.parts:
                values[name] = self.rows[part.path].value()
            elif self.groups[part.path].isCheckable() and not self.groups[part.path].isChecked():
                values[name] = None
            else:
                within = getattr(default, name)
                values[name] = self._entered(part, within, None if before is None else getattr(before, name))
        after = made(**values)
        return before if after == before else after

    def mark(self, settings: AnalysisSettings) -> None:
        """Bold labels where a value is not the default."""
        for path, label in self.labels.items():
            font = label.font()
            font.setBold(value_at(settings, path) not in (value_at(DEFAULTS, path), self.rows[path].field.default))
            label.setFont(font)


class SettingsDialog(QDialog):
    """All settings; OK and Apply change the analysis in one step that can be undone."""

    def __init__(self, context: Context, parent: QWidget | None = None, page: str = "") -> None:
        super().__init__(parent)
        self.context = context
        self.setObjectName("settings")
        self.setWindowTitle("Settings of the Analysis")
        self._filling = True
        self.list, self.stack = QListWidget(), QStackedWidget()
        self.list.setObjectName("settings-list")
        self.list.setAccessibleName("Steps of the analysis")
        self.list.setFixedWidth(150)
        self.list.setSpacing(2)
        self.pages: dict[str, SettingsPage] = {}
        self._shown = context.document.analysis.settings  # what pages show that are still to be made
        for title, about in PAGES.values():
            item = QListWidgetItem(title)
            item.setSizeHint(QSize(130, 34))
            item.setToolTip(about)
            self.list.addItem(item)
        self.list.currentRowChanged.connect(lambda row: self.open_page(list(PAGES)[row]))
        self.message = QLabel()
        self.message.setObjectName("settings-message")
        self.message.setWordWrap(True)
        self.message.setMinimumHeight(2 * self.message.fontMetrics().lineSpacing())
        body = QHBoxLayout()
        body.addWidget(self.list)
        body.addWidget(self.stack, 1)
        layout = QVBoxLayout(self)
        layout.addLayout(body, 1)
        layout.addWidget(self.message)
        layout.addLayout(self._buttons())
        self.resize(900, 640)
        self._filling = False
        self.list.setCurrentRow(list(PAGES).index(page) if page in PAGES else 0)
        self.edited()

    def _buttons(self) -> QHBoxLayout:
        line = QHBoxLayout()
        for text, name, act in (("&Reset Page", "settings-reset-page", self.reset_page),
                                ("Reset &All", "settings-reset-all", self.reset_all)):  # fmt: skip
            button = QPushButton(text)
            button.setObjectName(name)
            button.setAutoDefault(False)
            button.setToolTip("Back to the defaults of the manual")
            button.clicked.connect(act)
            line.addWidget(button)
        line.addStretch(1)
        standard = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(standard.Ok | standard.Cancel | standard.Apply)
        self.buttons.button(standard.Ok).setObjectName("settings-ok")
        self.buttons.button(standard.Apply).setObjectName("settings-apply")
        self.buttons.accepted.connect(self._ok)
        self.buttons.rejected.connect(self.reject)
        self.buttons.button(standard.Apply).clicked.connect(self.apply)
        line.addWidget(self.buttons)
        return line

    def ask_file(self, what: str) -> Path | None:
        """A description of the user's own."""
        return self.context.user.ask_file(what, "Descriptions (*.toml)", False, "")

    # ------------------------------------------------------------------ values

    def open_page(self, step: str) -> SettingsPage:
        """Show the page of a step; it is made when it is first looked at."""
        if step not in self.pages:
            made = SettingsPage(page_of(step, self.context.document.analysis), self)
            made.show_settings(self._shown)
            self.pages[step] = made
            self.stack.addWidget(made)
        self.stack.setCurrentWidget(self.pages[step])
        self.list.setCurrentRow(list(PAGES).index(step))
        return self.pages[step]

    def show_settings(self, settings: AnalysisSettings) -> None:
        """Show settings on all pages."""
        self._shown = settings
        for page in self.pages.values():
            page.show_settings(settings)

    def entered(self) -> AnalysisSettings:
        """Settings with everything that is entered; raises a sentence about what is wrong."""
        settings = self._shown
        for page in self.pages.values():
            settings = page.entered(settings)
        return settings

    def edited(self, *_: object) -> None:
        """Judge what is entered, and say it under the form."""
        if self._filling:
            return
        standard = QDialogButtonBox.StandardButton
        current = self.context.document.analysis.settings
        try:
            settings = self.entered()
        except BiomecError as error:
            self._say(str(error), wrong=True)
            fine = differs = False
        else:
            fine, differs = True, settings != current
            for page in self.pages.values():
                page.mark(settings)
            for k, step in enumerate(PAGES):
                font = self.list.item(k).font()
                font.setBold(getattr(settings, step) != getattr(DEFAULTS, step))
                self.list.item(k).setFont(font)
            self._say(self._consequence(settings) if differs else "")
        self.buttons.button(standard.Ok).setEnabled(fine)
        self.buttons.button(standard.Apply).setEnabled(fine and differs)

    def _consequence(self, settings: AnalysisSettings) -> str:
        """Which results a change makes stale."""
        analysis = self.context.document.analysis
        stale = analysis.with_settings(settings).stale
        if not stale:
            return "Changed."
        count = len(stale)
        return f"Changed: {count} result{'s' if count > 1 else ''} will be out of date until you run them again (F5)."

    def _say(self, sentence: str, wrong: bool = False) -> None:
        self.message.setText(sentence)
        colour = self.context.theme.fault
        self.message.setStyleSheet(f"color: {colour}; font-weight: bold;" if wrong else "")

    # ------------------------------------------------------------------ buttons

    def reset_page(self) -> None:
        """Defaults on the page that is shown."""
        page = self.stack.currentWidget()
        if isinstance(page, SettingsPage):
            page.show_settings(DEFAULTS)
            self.edited()

    def reset_all(self) -> None:
        """Defaults on all pages."""
        self.show_settings(DEFAULTS)
        self.edited()

    def apply(self) -> bool:
        """Change the analysis; False if something is wrong."""
        document = self.context.document
        before = document.analysis.settings
        try:
            after = self.entered()
        except BiomecError as error:
            self._say(str(error), wrong=True)
            return False
        if after != before:
            steps = [PAGES[step][0].lower() for step in PAGES if getattr(after, step) != getattr(before, step)]
            line = settings_line(before, after)
            document.change(f"Change Settings ({', '.join(steps)})", document.analysis.with_settings(after), line)
        self.show_settings(after)
        self.edited()
        return True

    def _ok(self) -> None:
        if self.apply():
            self.accept()


def _faint(text: str) -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setEnabled(False)
    font = label.font()
    font.setPointSizeF(font.pointSizeF() * 0.92)
    label.setFont(font)
    return label
