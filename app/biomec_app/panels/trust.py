"""Trust at a glance."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from biomec_app.context import Context


class TrustPanel(QWidget):
    """Trust at a glance."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = context
