"""May this extension run? Asked once for every file, and again when it has changed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from biomec_app.dialogs.written import size_text
from biomec_app.kit.dialog_parts import heading
from biomec_app.kit.rich_text import PLAIN_LABELS
from biomec_app.session.approvals import Candidate

WARNING = (
    "An extension is a program: it can read, change and send whatever you can. Run it only if you wrote it or "
    "trust its author."
)


class ExtensionQuestion(QDialog):
    """Shows where a file is, whether it is new, and its text or what changed; ``answer`` is None until one is given."""

    def __init__(self, candidate: Candidate, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.answer: bool | None = None
        self.setObjectName("extension-question")
        self.setWindowTitle("Biomec")
        self.setStyleSheet(PLAIN_LABELS)  # it is asked before the program has a theme, which makes all labels plain
        self.resize(720, 520)
        self.facts = QLabel(f"{candidate.path}\n{size_text(len(candidate.content))}. {candidate.story}")
        self.facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        warning = QLabel(WARNING)
        for label in (self.facts, warning):
            label.setWordWrap(True)
        self.text = QPlainTextEdit(candidate.shown)
        self.text.setObjectName("extension-text")
        self.text.setAccessibleName("Text of the file" if candidate.before is None else "What has changed")
        self.text.setReadOnly(True)
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        buttons = QDialogButtonBox()
        self.run = buttons.addButton("&Run It", QDialogButtonBox.ButtonRole.AcceptRole)
        self.refuse = buttons.addButton("&Do Not Run It", QDialogButtonBox.ButtonRole.RejectRole)
        self.run.setAutoDefault(False)
        self.refuse.setDefault(True)
        self.run.clicked.connect(lambda: self._say(True))
        self.refuse.clicked.connect(lambda: self._say(False))
        layout = QVBoxLayout(self)
        for part in (heading("Run this extension?"), self.facts, warning):
            layout.addWidget(part)
        layout.addWidget(self.text, 1)
        layout.addWidget(buttons)
        self.refuse.setFocus()

    def _say(self, answer: bool) -> None:
        self.answer = answer
        self.accept()


def ask_extension(candidate: Candidate) -> bool | None:
    """Ask whether a file may run; None if the question was closed without an answer."""
    dialog = ExtensionQuestion(candidate)
    dialog.exec()
    return dialog.answer
