"""How the program speaks with its user: questions, messages, and what the window brings before their eyes."""

from __future__ import annotations

from pathlib import Path


class User:
    """Somebody who answers no question and sees nothing, as in a program without a window; the window has another."""

    def ask_file(self, title: str, pattern: str, save: bool, start: str) -> Path | None:
        """Ask for a file to open or to save; None if none was chosen."""
        return None

    def ask_folder(self, title: str, start: str) -> Path | None:
        """Ask for a folder; None if none was chosen."""
        return None

    def confirm(self, title: str, question: str, choices: tuple[str, ...]) -> str | None:
        """Ask a question; the choice, or None."""
        return None

    def tell(self, title: str, sentence: str) -> None:
        """Show a message."""

    def fail(self, title: str, sentence: str) -> None:
        """Show what went wrong."""
        self.tell(title, sentence)

    def show_written(self, title: str, files: tuple[Path, ...], remarks: tuple[str, ...]) -> None:
        """Show which files were written, and what is to be said about them."""

    def set_theme(self, name: str) -> None:
        """Show everything in a theme, "light", "dark" or "system"."""

    def show_panel(self, name: str) -> None:
        """Bring a panel, by its name in `shell.panels`, to the front, or close the one in front."""

    def panel_seen(self, name: str) -> bool:
        """Whether a panel is seen: neither closed nor covered by another."""
        return False
