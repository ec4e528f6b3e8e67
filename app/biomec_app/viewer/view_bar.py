"""Buttons over the 3-D view: what is shown, and from which side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from biomec_app.kit.theme import Theme
from biomec_app.session.action import Action
from biomec_app.session.context import Context

SIDES = {
    "frontal": ("Front", "Look at the front (1)"),
    "lateral right": ("Right", "Look at the right side (2)"),
    "lateral left": ("Left", "Look at the left side (3)"),
    "posterior": ("Back", "Look at the back (4)"),
    "superior": ("Top", "Look from above (5)"),
    "fit": ("Fit", "See the whole person (F, or double click)"),
}
BarMenus = Sequence[tuple[str, Sequence[Action]]]
"""Title of a menu -> its items; those without a title stand in the menu itself, between lines."""


class ViewBar(QWidget):
    """A row of small buttons. They change the document and ask its camera; they know no view."""

    def __init__(
        self, context: Context, menus: BarMenus, parent: QWidget | None = None, tools: Sequence[Action] = ()
    ) -> None:
        super().__init__(parent)
        self._context, self._menus = context, menus
        self.setObjectName("viewBar")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        self.show_button = QToolButton()
        self.show_button.setText("Show")
        self.show_button.setObjectName("view.show")
        self.show_button.setToolTip("What is shown: bodies, points, frames, forces …")
        self.show_button.setAccessibleName("What is shown")
        self.show_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.show_button)
        self.menu.setToolTipsVisible(True)
        self.menu.aboutToShow.connect(self.fill)
        self.show_button.setMenu(self.menu)
        row.addWidget(self.show_button)
        for side, (text, help) in SIDES.items():
            button = QToolButton()
            button.setText(text)
            button.setObjectName(f"view.{side.replace(' ', '-')}")
            button.setToolTip(help)
            button.setAccessibleName(help)
            button.clicked.connect(lambda checked=False, side=side: context.document.camera_asked.emit(side))
            row.addWidget(button)
        for action in tools:
            row.addSpacing(6)
            row.addWidget(self._tool(action))

    def _tool(self, action: Action) -> QToolButton:
        """A button for an item of the menus; what cannot run now says why."""
        button = QToolButton()
        button.setText(action.text.replace("&", "").rstrip("…"))
        button.setObjectName(f"view.{action.key}")
        button.setToolTip(f"{action.help} ({action.shortcut})" if action.shortcut else action.help)
        button.setAccessibleName(action.help)

        def run() -> None:
            reason = action.blocked(self._context)
            if reason is not None:
                self._context.user.tell(button.text(), reason)
            elif action.run is not None:
                action.run(self._context)

        button.clicked.connect(lambda checked=False: run())
        return button

    def fill(self) -> None:
        """Make the menu anew, as the document is now."""
        self.menu.clear()
        for title, actions in self._menus:
            part = self.menu.addMenu(title) if title else self.menu
            if part is self.menu:
                part.addSeparator()
            for action in actions:
                if action.run is not None:
                    part.addAction(self._item(action))
            if part is self.menu:
                part.addSeparator()

    def _item(self, action: Action) -> QAction:
        reason = action.blocked(self._context)
        item = QAction(action.text, self.menu)
        item.setObjectName(f"bar.{action.key}")
        item.setToolTip(reason or action.help)
        item.setEnabled(reason is None)
        if action.checked is not None:
            item.setCheckable(True)
            item.setChecked(action.checked(self._context))
        run = action.run
        if run is not None:
            item.triggered.connect(lambda checked=False: run(self._context))
        return item

    def set_theme(self, theme: Theme) -> None:
        """Colours of a theme, a little transparent."""
        self.setStyleSheet(
            f"QToolButton {{ background: {theme.panel}; color: {theme.text}; border: 1px solid {theme.line};"
            " border-radius: 4px; padding: 2px 7px; }"
            f"QToolButton:hover, QToolButton:focus {{ border-color: {theme.accent}; }}"
            f"QToolButton:pressed {{ background: {theme.line}; }}"
            "QToolButton::menu-indicator { image: none; }"
        )
