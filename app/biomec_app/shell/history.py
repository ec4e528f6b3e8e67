"""What was done since the recording was opened, as a Python script that does it again."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtGui import (
    QColor,
    QFontDatabase,
    QGuiApplication,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from biomec.base.atomic import atomic_path
from biomec.base.errors import BiomecError, FileError
from biomec.base.plain_text import comment
from biomec.pipeline.replay import script
from biomec_app.kit.theme import LIGHT, Theme
from biomec_app.session.context import Context

WORDS = re.compile(r"\b(from|import|None|True|False)\b")
TEXTS = re.compile(r"\"\"\".*?\"\"\"|\"[^\"\n]*\"|'[^'\n]*'")
REMARKS = re.compile(r"#.*$")
NUMBERS = re.compile(r"(?<![\w.])\d+(\.\d*)?([eE][+-]?\d+)?")


class HistoryPanel(QWidget):
    """The script, with buttons to copy and to save it."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context, self._document = context, context.document
        self.setObjectName("history")
        self.text = QPlainTextEdit()
        self.text.setObjectName("history.script")
        self.text.setAccessibleName("History as a Python script")
        self.text.setReadOnly(True)
        self.text.setMinimumHeight(1)  # the panel may be low, like that of the notices beside it
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self._colours = _Colours(self.text.document())
        self.told = QLabel()
        self.told.setObjectName("history.told")
        self.told.setMinimumWidth(1)
        self.copy_all = QPushButton("Copy All")
        self.copy_all.setObjectName("history.copy")
        self.copy_all.setToolTip("Copy the script to the clipboard")
        self.copy_all.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()))
        self.save_as = QPushButton("Save as Script…")
        self.save_as.setObjectName("history.save")
        self.save_as.setToolTip("Save it as a Python file; running that gives the same numbers")
        self.save_as.clicked.connect(self.save)
        bar = QHBoxLayout()
        bar.addWidget(self.told, 1)
        bar.addWidget(self.copy_all)
        bar.addWidget(self.save_as)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 2, 4, 4)
        layout.setSpacing(4)
        layout.addLayout(bar)
        layout.addWidget(self.text, 1)
        for signal in (self._document.opened, self._document.analysis_changed, self._document.title_changed):
            signal.connect(self.refresh)
        self.refresh()

    def script(self) -> str:
        """Return the script of the open recording; "" without one."""
        if not self._document.is_open:
            return ""
        analysis, lines = self._document.analysis, self._document.history
        try:
            return script(analysis, lines, self._document.path, self._folder())
        except (BiomecError, SyntaxError) as error:
            return "\n".join([f"# {comment(f'This history cannot be run as it is: {error}')}", *lines]) + "\n"

    def _folder(self) -> Path | None:
        """Folder of the imported files, if they are where the last file was."""
        folder = self.context.preferences.folder
        name = self._document.analysis.session.dynamic.source.name
        return Path(folder) if folder and (Path(folder) / name).exists() else None

    def refresh(self) -> None:
        """Show the script as it is now."""
        text = self.script()
        if text != self.text.toPlainText():
            self.text.setPlainText(text)
            if self._document.history:
                self.text.moveCursor(QTextCursor.MoveOperation.End)
        count = len(self._document.history)
        done = "Nothing was changed yet" if not count else f"{count} change{'s' if count > 1 else ''}"
        self.told.setText(f"{done}. This script opens the recording and gives the same numbers." if text else "")
        for button in (self.copy_all, self.save_as):
            button.setEnabled(bool(text))

    def save(self) -> None:
        """Ask for a file and write the script."""
        stem = Path(self._document.title.removesuffix(" *")).stem
        path = self.context.user.ask_file("Save as Script", "Python scripts (*.py)", True, f"{stem}.py")
        if path is None:
            return
        path = path if path.suffix else path.with_suffix(".py")
        try:
            with atomic_path(path) as temporary:
                temporary.write_text(self.text.toPlainText(), encoding="utf-8")
        except FileError as error:
            self.context.user.fail("Save as Script", str(error))
        except OSError as error:
            self.context.user.fail("Save as Script", f"{path.name} cannot be written ({error.strerror}).")

    def set_theme(self, theme: Theme) -> None:
        """Show in the colours of a theme."""
        self._colours.set_theme(theme)


class _Colours(QSyntaxHighlighter):
    """Colours of Python, in those of the theme."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._rules: list[tuple[re.Pattern[str], QTextCharFormat]] = []
        self.set_theme(LIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._rules = []
        for pattern, colour in (
            (NUMBERS, theme.left),
            (WORDS, theme.accent),
            (TEXTS, theme.middle),
            (REMARKS, theme.faint),
        ):
            style = QTextCharFormat()
            style.setForeground(QColor(colour))
            self._rules.append((pattern, style))
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Colour a line."""
        for pattern, style in self._rules:
            for found in pattern.finditer(text):
                self.setFormat(found.start(), found.end() - found.start(), style)
