"""Dialog Settings of the Analysis: a page for every step, made from the frozen options of the library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
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
from biomec.base.fields import Entry, Words, entries
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.replay import settings_line
from biomec.pipeline.settings import CYCLES_BY, AnalysisSettings
from biomec_app.kit.dialog_parts import explanation, heading
from biomec_app.kit.forms.form import Form
from biomec_app.session.context import Context

DEFAULTS = AnalysisSettings()
PAGES = {page.name: page for page in entries(DEFAULTS)}
"""Field of `AnalysisSettings` -> its page."""


class SettingsPage(QScrollArea):
    """The fields of one step in groups."""

    def __init__(self, page: Entry, choices: Mapping[tuple[str, ...], Words], dialog: SettingsDialog) -> None:
        super().__init__()
        self.page = page
        self.setObjectName(f"settings-page-{page.name}")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside = QWidget()
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(10)
        layout.addWidget(heading(page.setting.label))
        layout.addWidget(explanation(page.setting.help))
        self.form = Form(page, "setting-{}", choices=choices, ask_file=dialog.ask_file, wheel=False, parent=self)
        self.form.wide(layout)
        self.form.edited.connect(dialog.edited)
        layout.addStretch(1)
        self.setWidget(inside)

    def show_settings(self, settings: AnalysisSettings) -> None:
        """Put values into all rows."""
        self.form.show(getattr(settings, self.page.name))

    def entered(self, settings: AnalysisSettings) -> AnalysisSettings:
        """Settings with what is entered on this page; raises a sentence about what is wrong."""
        name = self.page.name
        return replace(settings, **{name: self.form.entered(getattr(settings, name))})


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
        for page_entry in PAGES.values():
            item = QListWidgetItem(page_entry.setting.label)
            item.setSizeHint(QSize(130, 34))
            item.setToolTip(page_entry.setting.help)
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
            made = SettingsPage(PAGES[step], choices_for(self.context.document.analysis), self)
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
                page.form.mark()
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
            changed = [step for step in PAGES if getattr(after, step) != getattr(before, step)]
            steps = [PAGES[step].setting.label.lower() for step in changed]
            line = settings_line(before, after)
            document.change(f"Change Settings ({', '.join(steps)})", document.analysis.with_settings(after), line)
        self.show_settings(after)
        self.edited()
        return True

    def _ok(self) -> None:
        if self.apply():
            self.accept()


def choices_for(analysis: Analysis) -> dict[tuple[str, ...], Words]:
    """Fields whose choices depend on the model and the angles of an analysis, as far as it has run."""
    found: dict[tuple[str, ...], Words] = {}
    if "body" in analysis.done:
        body = analysis.body.person
        known = {one.value: one.label for one in PAGES["angles"]["convention"].choices}
        found["angles", "convention"] = {name: known.get(name, name) for name in body.model.conventions}
        own = {one.value: one.label for one in PAGES["loads"]["root"].choices if one.value is None}
        found["loads", "root"] = {**own, **{part.name: part.name for part in body.system.bodies}}
    if "angles" in analysis.done:
        stems = (name.removeprefix("right ").removeprefix("left ") for name in analysis.angles.names)
        found["cycles", "by"] = {**CYCLES_BY, **{stem: stem for stem in stems if stem not in CYCLES_BY}}
    return found
