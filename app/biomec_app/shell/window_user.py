"""The user at the main window: questions and messages are dialogs of it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog, QMainWindow, QMessageBox, QWidget

from biomec_app.dialogs.written import show_written
from biomec_app.session.context import Context, User


class UserWindow(QMainWindow):
    """The window at which the user sits."""

    context: Context

    def set_theme(self, name: str) -> None:
        """Show everything in the theme of that name."""
        raise NotImplementedError

    def show_panel(self, name: str) -> None:
        """Bring a panel to the front."""
        raise NotImplementedError

    def panel_seen(self, name: str) -> bool:
        """Whether a panel is on the screen."""
        raise NotImplementedError


class WindowUser(User):
    """Asks and tells in dialogs of a window."""

    def __init__(self, window: UserWindow) -> None:
        self._window = window

    @property
    def _asking(self) -> QWidget:
        """The window that is in front, such as a figure: it stays there when its question has been answered."""
        return QApplication.activeWindow() or self._window

    def ask_file(self, title: str, pattern: str, save: bool, start: str) -> Path | None:
        ask = QFileDialog.getSaveFileName if save else QFileDialog.getOpenFileName
        name, _ = ask(self._asking, title, start or self._window.context.preferences.folder, pattern)
        return Path(name) if name else None

    def ask_files(self, title: str, pattern: str, start: str) -> tuple[Path, ...]:
        start = start or self._window.context.preferences.folder
        names, _ = QFileDialog.getOpenFileNames(self._asking, title, start, pattern)
        return tuple(Path(name) for name in names)

    def ask_folder(self, title: str, start: str) -> Path | None:
        start = start or self._window.context.preferences.folder
        name = QFileDialog.getExistingDirectory(self._asking, title, start)
        return Path(name) if name else None

    def ask_text(self, title: str, question: str, start: str) -> str | None:
        text, given = QInputDialog.getText(self._asking, title, question, text=start)
        return text.strip() or None if given else None

    def confirm(self, title: str, question: str, choices: tuple[str, ...]) -> str | None:
        box = QMessageBox(QMessageBox.Icon.Question, title, question, parent=self._asking)
        buttons = {box.addButton(choice, QMessageBox.ButtonRole.AcceptRole): choice for choice in choices}
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.exec()
        clicked = box.clickedButton()
        return next((choice for button, choice in buttons.items() if button is clicked), None)

    def tell(self, title: str, sentence: str) -> None:
        QMessageBox.information(self._asking, title, sentence)

    def fail(self, title: str, sentence: str) -> None:
        QMessageBox.critical(self._asking, title, sentence)

    def show_written(self, title: str, files: tuple[Path, ...], remarks: tuple[str, ...]) -> None:
        show_written(self._window.context, title, files, remarks)

    def set_theme(self, name: str) -> None:
        self._window.set_theme(name)

    def show_panel(self, name: str) -> None:
        self._window.show_panel(name)

    def panel_seen(self, name: str) -> bool:
        return self._window.panel_seen(name)
