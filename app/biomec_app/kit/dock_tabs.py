"""Panels that lie over each other: one that comes forward, and signs on their tabs."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QWidget


def bring_forward(panel: QWidget) -> None:
    """Show the dock of a panel, if it has one, in front of others."""
    dock = panel.parentWidget()
    if isinstance(dock, QDockWidget):
        dock.show()
        dock.raise_()


class DockTabs(QObject):
    """Keeps signs on the tabs of docks. Qt makes tabs anew whenever docks are moved, and without them."""

    def __init__(self, window: QMainWindow, docks: Mapping[str, QDockWidget]) -> None:
        super().__init__(window)
        self._window, self._docks = window, docks
        self._marks: dict[str, tuple[QIcon, str]] = {}
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self.apply)
        for dock in docks.values():
            for signal in (dock.visibilityChanged, dock.dockLocationChanged, dock.topLevelChanged):
                signal.connect(lambda _: self._later.start())

    def mark(self, marks: Mapping[str, tuple[QIcon, str]]) -> None:
        """Show these signs, each with what it says, on the tabs of panels, and none on others."""
        self._marks = dict(marks)
        self.apply()

    def apply(self) -> None:
        """Put the signs on the tabs as they are now."""
        marked = {self._docks[name].windowTitle(): mark for name, mark in self._marks.items()}
        for bar in self._window.findChildren(QTabBar):
            if bar.parent() is not self._window:
                continue
            for k in range(bar.count()):
                icon, words = marked.get(bar.tabText(k), (QIcon(), ""))
                bar.setTabIcon(k, icon)
                bar.setTabToolTip(k, words or bar.tabText(k))
