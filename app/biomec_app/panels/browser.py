"""The tree of trials and results."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from biomec_app.context import Context


class Browser(QWidget):
    """The tree of trials and results."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
