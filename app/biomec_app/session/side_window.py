"""Windows beside the main one, which are gone when they are closed, and close with the program."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QWidget

from biomec_app.session.context import Context


class SideWindow(QWidget):
    """A window of the program `context`, found by `name`; what is due after it was closed asks `closed` first."""

    def __init__(self, context: Context, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName(name)
        self.setWindowTitle(f"{title} – Biomec")
        self.context, self.closed = context, False
        context.closing.append(self.shut)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave the list of the program."""
        self.closed = True
        if self.shut in self.context.closing:
            self.context.closing.remove(self.shut)
        super().closeEvent(event)

    def shut(self) -> None:
        """Close with the program."""
        if not self.closed:
            self.close()
