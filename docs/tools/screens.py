"""Every screen of the program, one after another: the window in its states, all menus, and what each item opens.

Nothing is listed by hand that the menus know, so that what is added to a menu is among the pictures by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QDialog, QListWidget, QMessageBox, QTabWidget, QWidget

from biomec.virtual import RecordOptions, VirtualPerson, record, walk, write_acquisition
from biomec_app.session.plot_view import CYCLES, MEAN, SEPARATE, TOGETHER
from biomec_app.shell.files import open_demo
from biomec_app.shell.main import settle, wait
from biomec_app.shell.main_window import MainWindow
from biomec_app.viewer.overlays import OVERLAYS

FRAME = 0.2  # part of the demonstration: the elbows bend
WALK = RecordOptions(noise_mm=0.5, soft_tissue_mm=8.0, gaps=0.3, seed=1)
LEFT_OUT = ("file.exit", "file.open", "file.close", "file.demo", "file.recent", "appearance.", "help.doctor")
PLOTS: dict[str, dict[str, object]] = {
    "mean cycle": {"over": MEAN},
    "every cycle": {"over": CYCLES},
    "together": {"grouping": TOGETHER},
    "separate in three columns": {"grouping": SEPARATE, "columns": 3},
}
UNSAVED = "Save the changes of push-up before it is closed?"
REFUSED = "HC01.c3d, byte 512: the file ends in the middle of the header. Copy it again from the camera's computer."


@dataclass(frozen=True)
class Screen:
    """A widget that is shown now, and what a picture of it is called."""

    name: str
    widget: QWidget


@cache
def laboratory_walk(place: Path) -> Path:
    """A C3D pair as a laboratory hands it over: a walk, and the static beside it; recorded once."""
    return write_acquisition(record(walk(2), VirtualPerson(), WALK), place / "laboratory", ("c3d",))["c3d"]


def every_screen(app: QApplication, window: MainWindow, place: Path) -> Iterator[Screen]:
    """Show every screen in turn; it is there until the next is asked for."""
    context = window.context
    context.user.ask_file = lambda title, pattern, save, start: None if save else laboratory_walk(place)
    context.user.ask_folder = lambda title, start: None
    window.show()
    settle(app)
    yield Screen("start", window)
    open_demo(context)
    wait(app, lambda: window.bar.value() > 0 or not context.jobs.busy)
    yield Screen("start busy", window)
    wait(app, lambda: not context.jobs.busy)
    context.document.set_frame(round(FRAME * context.document.frames))
    settle(app)
    yield Screen("window", window)
    yield from _states(app, window)
    yield from _menus(app, window)
    yield from _messages(app, window)
    yield from _opened_by_items(app, window)


def _states(app: QApplication, window: MainWindow) -> Iterator[Screen]:
    """The window with other panels in front, another body, other plots."""
    document, plots = window.context.document, window.context.plots
    for name in ("trust", "loads", "history"):
        window.docks[name].raise_()
        settle(app)
        yield Screen(f"window {name}", window)
    for name in ("plots", "notices"):
        window.docks[name].raise_()
    usual = document.view
    states: dict[str, dict[str, object]] = {
        "lines": {"shape": "lines"},
        "ellipsoids": {"shape": "ellipsoids", "coloured": True},
        "static": {"static": True},
        "raw and consistent": {"signals": ("raw", "consistent")},
        "all overlays": {"overlays": frozenset(OVERLAYS)},
        "all overlays static": {"overlays": frozenset(OVERLAYS), "static": True},
    }
    for name, changes in states.items():
        document.set_view(**changes)
        settle(app)
        yield Screen(f"window {name}", window)
        document.set_view(**{field: getattr(usual, field) for field in changes})
    before = plots.view
    for name, change in PLOTS.items():
        plots.set(**change)
        settle(app)
        yield Screen(f"window plots {name}", window)
        plots.set(**{field: getattr(before, field) for field in change})


def _menus(app: QApplication, window: MainWindow) -> Iterator[Screen]:
    """Every menu, open."""
    for action in window.menuBar().actions():
        menus = [action.menu()]
        while menus:
            menu = menus.pop(0)
            menus += [item.menu() for item in menu.actions() if item.menu() is not None]
            menu.popup(window.mapToGlobal(window.menuBar().pos()))
            app.processEvents()
            yield Screen(f"menu {plain(action.text())} {plain(menu.title())}", menu)
            menu.hide()


def _messages(app: QApplication, window: MainWindow) -> Iterator[Screen]:
    """A question and a message, as they look."""
    context = window.context
    speaking: dict[str, Callable[[], object]] = {
        "question": lambda: context.user.confirm("Unsaved work", UNSAVED, ("Save", "Don't save")),
        "message": lambda: context.user.tell("Import", REFUSED),
    }
    for name, speak in speaking.items():
        pictures: list[QWidget] = []
        QTimer.singleShot(300, lambda taken=pictures: _hold(taken))
        speak()
        for box in pictures:
            box.show()
            settle(app)
            yield Screen(name, box)
            box.hide()


def _hold(taken: list[QWidget]) -> None:
    """Keep a copy of the message that waits for an answer, and answer it."""
    box = QApplication.activeModalWidget()
    if isinstance(box, QMessageBox):
        copy = QMessageBox(box.icon(), box.windowTitle(), box.text(), box.standardButtons(), box.parentWidget())
        for button in box.buttons():
            if not box.standardButton(button):
                copy.addButton(button.text(), box.buttonRole(button))
        taken.append(copy)
        box.reject()


def _opened_by_items(app: QApplication, window: MainWindow) -> Iterator[Screen]:
    """Whatever opens when an item of a menu is chosen, with all its pages."""
    context = window.context
    context.user.confirm = lambda title, question, choices: None
    context.user.tell = lambda title, sentence: None
    for key, (action, item) in list(window.menus.items.items()):
        if not item.isEnabled() or key.startswith(LEFT_OUT) or action.checked is not None:
            continue
        before = set(_windows(app))
        if key == "file.import":
            context.document.undo_stack.setClean()
        window.menus.run(key)
        wait(app, lambda: not context.jobs.busy)
        settle(app)
        for opened in [one for one in _windows(app) if one not in before]:
            yield from _pages(app, opened, plain(action.text).removesuffix("…"))
            if isinstance(opened, QDialog):
                opened.reject()
            else:
                opened.close()
            app.processEvents()


def _windows(app: QApplication) -> list[QWidget]:
    return [one for one in app.topLevelWidgets() if one.isVisible() and one.windowTitle()]


def _pages(app: QApplication, opened: QWidget, name: str) -> Iterator[Screen]:
    """A dialog with each of its tabs, or of the pages that are listed at its side."""
    tabs = opened.findChild(QTabWidget)
    beside = (getattr(opened, name, None) for name in ("pages", "list"))
    listed = next((one for one in beside if isinstance(one, QListWidget)), None)
    if tabs is not None and tabs.count() > 1:
        for k in range(tabs.count()):
            tabs.setCurrentIndex(k)
            settle(app)
            yield Screen(f"{name} {plain(tabs.tabText(k))}", opened)
    elif listed is not None:
        for k in range(listed.count()):
            if listed.item(k).isHidden():
                continue
            listed.setCurrentRow(k)
            settle(app)
            yield Screen(f"{name} {listed.item(k).text()}", opened)
    else:
        wait_drawn(app, opened)
        yield Screen(name, opened)


def wait_drawn(app: QApplication, opened: QWidget) -> None:
    """Wait until a figure that is drawn in the background is there."""
    canvas = getattr(opened, "canvas", None)
    if hasattr(canvas, "drawn"):
        wait(app, lambda: canvas.drawn is not None)
        settle(app)


def plain(text: str) -> str:
    """The text of an item without its letter."""
    return text.replace("&", "")


def file_name(number: int, name: str) -> str:
    """Name of the file of a picture."""
    return f"{number:03d}-{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}.png"
