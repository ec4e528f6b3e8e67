"""The user at the main window: questions and messages are dialogs of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QMessageBox

from biomec_app.dialogs.written import show_written
from biomec_app.session.context import User

if TYPE_CHECKING:
    from biomec_app.shell.main_window import MainWindow


class WindowUser(User):
    """Asks and tells in dialogs of a window."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def ask_file(self, title: str, pattern: str, save: bool, start: str) -> Path | None:
        ask = QFileDialog.getSaveFileName if save else QFileDialog.getOpenFileName
        name, _ = ask(self._window, title, start or self._window.context.preferences.folder, pattern)
        return Path(name) if name else None

    def ask_folder(self, title: str, start: str) -> Path | None:
        start = start or self._window.context.preferences.folder
        name = QFileDialog.getExistingDirectory(self._window, title, start)
        return Path(name) if name else None

    def confirm(self, title: str, question: str, choices: tuple[str, ...]) -> str | None:
        box = QMessageBox(QMessageBox.Icon.Question, title, question, parent=self._window)
        buttons = {box.addButton(choice, QMessageBox.ButtonRole.AcceptRole): choice for choice in choices}
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.exec()
        clicked = box.clickedButton()
        return next((choice for button, choice in buttons.items() if button is clicked), None)

    def tell(self, title: str, sentence: str) -> None:
        QMessageBox.information(self._window, title, sentence)

    def show_written(self, title: str, files: tuple[Path, ...], remarks: tuple[str, ...]) -> None:
        show_written(self._window.context, title, files, remarks)

    def set_theme(self, name: str) -> None:
        self._window.set_theme(name)

    def show_panel(self, name: str) -> None:
        self._window.show_panel(name)

    def panel_seen(self, name: str) -> bool:
        return self._window.panel_seen(name)
