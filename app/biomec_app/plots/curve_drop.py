"""Curves dragged from the tree and dropped on a widget are plotted."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from biomec_app.session.document import Document

MIME = "application/x-biomec-curves"
"""Keys of curves that are dragged, one a line, in UTF-8."""
DRAGS = (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop)


class CurveDrop(QObject):
    """Lets a widget take curves; they are added to those that are plotted. It lives as long as the widget."""

    def __init__(self, widget: QWidget, document: Document) -> None:
        super().__init__(widget)
        self._document = document
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take drags that carry curves, and leave all others alone."""
        if event.type() not in DRAGS or not isinstance(event, QDropEvent) or not event.mimeData().hasFormat(MIME):
            return False
        event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop:
            self.add(bytes(event.mimeData().data(MIME).data()).decode().split("\n"))
        return True

    def add(self, keys: list[str]) -> None:
        """Plot these too."""
        chosen = self._document.selection.curves
        self._document.select(curves=(*chosen, *(key for key in keys if key and key not in chosen)))
