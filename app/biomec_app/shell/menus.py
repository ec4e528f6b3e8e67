"""Menus made of the tables of actions, kept up to date: what can run is enabled, what cannot says why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from biomec.base.errors import BiomecError
from biomec_app.session.action import SEPARATOR, Action
from biomec_app.session.context import Context

ORDER = (
    "File", "Edit", "Kinematics", "Dynamics", "Inner Biomechanics", "Signal Analysis", "Visualize", "Utilities", "Help",
)  # fmt: skip
LETTERS = {"Inner Biomechanics": "&Inner Biomechanics", "Signal Analysis": "&Signal Analysis"}


class Menus(QObject):
    """The menu bar: QActions by the key of their `Action`."""

    def __init__(self, bar: QMenuBar, actions: Iterable[Action], context: Context) -> None:
        super().__init__(bar)
        self._context = context
        self._menus: dict[str, QMenu] = {}
        self._items: dict[str, tuple[Action, QAction]] = {}
        self._groups: dict[tuple[str, str], QActionGroup] = {}
        self._due = QTimer(self)
        self._due.setSingleShot(True)
        self._due.setInterval(0)
        self._due.timeout.connect(self.refresh)
        for name in ORDER:
            self._menus[name] = bar.addMenu(LETTERS.get(name, f"&{name}"))
            self._menus[name].setToolTipsVisible(True)
        for action in actions:
            self._add(action)
        self._give_letters()
        document, jobs = context.document, context.jobs
        for signal in (document.opened, document.analysis_changed, document.view_changed, document.selection_changed,
                       document.title_changed, document.undo_changed, jobs.started, jobs.finished, jobs.cancelled,
                       jobs.failed):  # fmt: skip
            signal.connect(self.ask)
        for signal in (context.aside.started, context.aside.finished, context.aside.failed, context.plots.changed):
            signal.connect(self.ask)
        self.refresh()

    @property
    def items(self) -> dict[str, tuple[Action, QAction]]:
        """Actions and their items by key, up to date."""
        if self._due.isActive():
            self.refresh()
        return self._items

    def ask(self, *_: object) -> None:
        """Refresh once, however much changes in a turn of the event loop."""
        if not self._due.isActive():
            self._due.start()

    def _menu(self, path: str) -> QMenu:
        if path not in self._menus:
            above, _, name = path.rpartition("/")
            self._menus[path] = self._menu(above).addMenu(name)
            self._menus[path].setToolTipsVisible(True)
        return self._menus[path]

    def _add(self, action: Action) -> None:
        menu = self._menu(action.menu)
        if action.text == SEPARATOR or action.run is None:
            menu.addSeparator()
            return
        item = QAction(action.text, menu)
        item.setObjectName(action.key)
        item.setStatusTip(action.help)
        item.setToolTip(action.help)
        item.setCheckable(action.checked is not None)
        if action.group:
            self._group(action).addAction(item)
        if action.shortcut:
            item.setShortcuts([QKeySequence(keys) for keys in action.shortcut.split(", ")])
        item.triggered.connect(lambda checked=False, action=action: self.run(action.key))
        menu.addAction(item)
        self._items[action.key] = (action, item)

    def _group(self, action: Action) -> QActionGroup:
        """The items of which one is on, shown as such; none may be, while something else is seen."""
        key = (action.menu, action.group)
        if key not in self._groups:
            self._groups[key] = QActionGroup(self)
            self._groups[key].setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)
        return self._groups[key]

    def _give_letters(self) -> None:
        """Underline a letter of every item that has none, another one for each item of a menu."""
        changing = {item for action, item in self._items.values() if action.title is not None}
        for menu in self._menus.values():
            items = [item for item in menu.actions() if item.text() and item not in changing]
            for item, text in zip(items, with_letters([item.text() for item in items]), strict=True):
                item.setText(text)

    def run(self, key: str) -> None:
        """Run an action as if it were clicked; an action that cannot run says why."""
        action, _ = self._items[key]
        reason = action.blocked(self._context)
        title = action.text.replace("&", "")
        if reason is not None:
            self._context.user.tell(title, reason)
            return
        try:
            if action.run is not None:
                action.run(self._context)
        except BiomecError as error:
            self._context.user.fail(title, str(error))
        self.refresh()

    def refresh(self, *_: object) -> None:
        """Enable what can run, and let the others say why not."""
        self._due.stop()
        for action, item in self._items.values():
            reason = action.blocked(self._context)
            item.setEnabled(reason is None)
            item.setToolTip(action.help if reason is None else f"{action.help}. {reason}" if action.help else reason)
            item.setStatusTip(item.toolTip())
            if action.checked is not None:
                item.setChecked(action.checked(self._context))
            if action.title is not None:
                text = action.title(self._context)
                item.setVisible(text is not None)
                item.setText(text or action.text)


def with_letters(texts: Sequence[str]) -> list[str]:
    """Texts of the items of a menu, each with a letter of its own to be underlined, as long as there are letters.

    A letter that a text has already stays, unless an item above has it. Others get the first letter of a word, or else
    any letter or digit.
    """
    found, taken = list(texts), set()
    bare: list[int] = []
    for k, text in enumerate(texts):
        mark = re.search(r"(?<!&)&([^&\s])", text)
        if mark is None or mark[1].lower() in taken:
            found[k] = text if mark is None else text[: mark.start()] + text[mark.start() + 1 :]
            bare.append(k)
        else:
            taken.add(mark[1].lower())
    given: dict[str, int] = {}  # letter -> the text that has it
    wishes = {k: _places(found[k], taken) for k in bare}

    def give(k: int, tried: set[str]) -> bool:
        """Give a text a letter; if none is free, a text that has one may have to take another."""
        free = next((letter for letter in wishes[k] if letter not in given), None)
        if free is not None:
            given[free] = k
            return True
        for letter in wishes[k]:
            if letter not in tried:
                tried.add(letter)
                if give(given[letter], tried):
                    given[letter] = k
                    return True
        return False

    for k in bare:
        give(k, set())
    for letter, k in given.items():
        place = wishes[k][letter]
        found[k] = f"{found[k][:place]}&{found[k][place:]}"
    return found


def _places(text: str, taken: set[str]) -> dict[str, int]:
    """Letters of a text that are free -> where; first letters of words come first."""
    places: dict[str, int] = {}
    for pattern in (r"\b[A-Za-z]", r"[A-Za-z0-9]"):
        for match in re.finditer(pattern, text):
            if match[0].lower() not in taken:
                places.setdefault(match[0].lower(), match.start())
    return places
