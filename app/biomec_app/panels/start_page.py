"""Recent files and the demonstration."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from biomec_app.context import Context


class StartPage(QWidget):
    """Recent files and the demonstration."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
