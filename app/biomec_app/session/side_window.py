"""Windows beside the main one, which are gone when they are closed, and close with the program."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QWidget

from biomec_app.session.context import Context

Kind = TypeVar("Kind", bound=QWidget)
Beside = TypeVar("Beside", bound="SideWindow")


class SideWindow(QWidget):
    """A window of the program `context`, found by `name`; what is due after it was closed asks `closed` first."""

    def __init__(self, context: Context, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName(name)
        self.setWindowTitle(f"{title} – Biomec")
        self.context, self.closed = context, False
        context.windows.append(self)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Leave the list of the program."""
        self.closed = True
        if self in self.context.windows:
            self.context.windows.remove(self)
        super().closeEvent(event)

    def may_close(self) -> bool:
        """Nothing of the user's own is lost with it."""
        return True

    def shut(self) -> None:
        """Close with the program."""
        if not self.closed:
            self.close()


def bring_to_front(context: Context, kind: type[Kind], wanted: Callable[[Kind], bool] = lambda _: True) -> Kind | None:
    """Bring the open window of a kind before the others; None if there is none."""
    windows: Iterable[object] = context.windows
    for window in windows:
        if isinstance(window, kind) and wanted(window):
            window.raise_()
            window.activateWindow()
            return window
    return None


def open_beside(context: Context, kind: type[Beside]) -> Beside:
    """Open the window of a kind, or bring it to the front if it is open."""
    window = bring_to_front(context, kind)
    if window is None:
        window = kind(context, parent=context.window)  # type: ignore[call-arg]  # every kind is made with these two
        window.show()
    return window
