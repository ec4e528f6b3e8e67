"""What the menu File offers for studies; the items stand in the table of the shell, which gives them their places."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QWidget

from biomec.study.description import FILE, RESULTS
from biomec_app.session.context import Context

WINDOW = "study"  # name of its windows


def ask_and_open_study(context: Context) -> None:
    """Ask for the folder of a study, and open it."""
    title = "Folder with the recordings of many people"
    folder = context.user.ask_folder(title, context.preferences.folder)
    if folder is not None:
        open_study_at(context, folder)


def open_study_at(context: Context, path: Path, results: Path | None = None) -> None:
    """Show the study of a folder, or of its ``study.toml``, in a window of its own."""
    from biomec_app.features.study.window import open_study_window

    open_study_window(context, path, results)


def is_study(path: Path) -> bool:
    """Whether a file or folder is a study by its name or its content: study.toml, or results of a batch."""
    if path.is_dir():
        return (path / FILE).is_file() or (path / RESULTS).is_dir()
    return path.name == FILE


def back_to_study(context: Context) -> None:
    """Bring the study that was opened last to the front."""
    windows = _studies(context)
    if not windows:
        context.user.tell("Back to Study", "No study is open. File ▸ Open Study… shows one.")
    for window in windows[-1:]:
        window.raise_()
        window.activateWindow()


def _studies(context: Context) -> list[QWidget]:
    """Windows of studies; their module is loaded with the first of them only."""
    windows: Sequence[object] = context.windows
    return [one for one in windows if isinstance(one, QWidget) and one.objectName() == WINDOW]
