"""Which groups of muscles are drawn in the 3-D view: a button with a menu of the body's parts and their groups."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from biomec_app.curves.curve import capital
from biomec_app.features.muscles.readings import MuscleReadings
from biomec_app.session.document import Document


class GroupButton(QToolButton):
    """Ticks of groups; a part of the body is switched as a whole by its first two items."""

    def __init__(self, document: Document, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._readings: MuscleReadings | None = None
        self.setObjectName("muscles.groups")
        self.setText("Groups")
        self.setAccessibleName("Groups of muscles in the 3-D view")
        self.setToolTip("Which groups of muscles the 3-D view draws")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        menu = QMenu(self)
        menu.setObjectName("muscles.groups.menu")
        menu.aboutToShow.connect(self._fill)
        self.setMenu(menu)

    def set_readings(self, readings: MuscleReadings) -> None:
        """Offer the groups of these muscles."""
        self._readings = readings

    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        for old in menu.findChildren(QMenu):
            old.deleteLater()
        if self._readings is None:
            return
        every = frozenset(self._readings.groups)
        self._item(menu, "Show &All", partial(self._hide, frozenset()))
        self._item(menu, "Hide A&ll", partial(self._hide, every))
        menu.addSeparator()
        hidden = self._document.view.no_muscles
        for region, groups in self._readings.regions.items():
            part = menu.addMenu(capital(region))
            these = frozenset(groups)
            self._item(part, "Show All", partial(self._show_or_hide, frozenset(), these))
            self._item(part, "Hide All", partial(self._show_or_hide, these, these))
            self._item(part, "Only These", partial(self._hide, every - these))
            part.addSeparator()
            for group in groups:
                action = self._item(part, capital(group), partial(self.switch, group))
                action.setCheckable(True)
                action.setChecked(group not in hidden)

    def _item(self, menu: QMenu, text: str, act: Callable[[], None]) -> QAction:
        action = menu.addAction(text)
        action.triggered.connect(lambda _=False: act())
        return action

    def _hide(self, groups: frozenset[str]) -> None:
        self._document.set_view(no_muscles=groups)

    def _show_or_hide(self, hidden: frozenset[str], among: frozenset[str]) -> None:
        """Hide some of these groups, show the rest of them, and leave all others."""
        self._hide((self._document.view.no_muscles - among) | hidden)

    def switch(self, group: str) -> None:
        """Draw a group, or no longer."""
        self._hide(self._document.view.no_muscles ^ {group})
