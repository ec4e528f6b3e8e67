"""What the steps found, assumed or missed."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from biomec_app.context import Context


class NoticePanel(QWidget):
    """What the steps found, assumed or missed."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
