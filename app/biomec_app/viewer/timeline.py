"""The time slider under the 3-D view."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from biomec_app.context import Context


class Timeline(QWidget):
    """The time slider under the 3-D view."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
