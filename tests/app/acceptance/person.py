"""Somebody at the window."""

from __future__ import annotations

from pathlib import Path
from time import monotonic, sleep

import numpy as np
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from biomec_app.session.preferences import Preferences
from biomec_app.session.project_file import DISCARD
from biomec_app.shell.main_window import MainWindow
from tests.app.conftest import let_run

PATIENCE_S = 600.0  # ends what hangs; nothing else depends on how long anything takes


class Person:
    """Somebody at a window of its own, who answers its questions.

    path   : what is chosen when a file or a folder is asked for; None: nothing; a text stays as proposed
    answer : what is answered to a question; None: cancel
    heard  : sentences that were told
    asked  : questions that were asked
    """

    def __init__(self, preferences: Path, size: tuple[int, int] = (1280, 720)) -> None:
        self.window = MainWindow(Preferences(preferences))
        self.context, self.document = self.window.context, self.window.context.document
        self.path: Path | None = None
        self.answer: str | None = DISCARD
        self.heard: list[str] = []
        self.asked: list[str] = []
        self.context.user.ask_file = lambda *asked: self.path
        self.context.user.ask_folder = lambda *asked: self.path
        self.context.user.ask_text = lambda title, question, start: start or None
        self.context.user.tell = self.context.user.fail = self._hear
        self.context.user.confirm = self._answer
        self.window.resize(*size)
        self.window.show()

    def _hear(self, title: str, sentence: str) -> None:
        self.heard.append(sentence)

    def _answer(self, title: str, question: str, choices: tuple[str, ...]) -> str | None:
        self.asked.append(question)
        return self.answer

    # ------------------------------------------------------------------ doing

    def wait(self, done) -> None:
        """Let the window work until something is so."""
        end = monotonic() + PATIENCE_S
        while not done():
            assert monotonic() < end, "it took too long"
            QApplication.processEvents()
            sleep(0.001)

    def idle(self) -> None:
        """Wait until nothing runs, beside the recording neither, and what is due is drawn."""
        self.wait(self._at_rest)
        let_run()
        self.wait(self._at_rest)  # a figure starts its job once its choices are found
        let_run()

    def _at_rest(self) -> bool:
        drawing = self.window.updatesEnabled() or not self.window.isVisible()  # not while another theme is taken
        return drawing and not (self.context.jobs.busy or self.context.aside.busy)

    def rest(self) -> None:
        """Wait until everything is drawn: nothing has been at work for some turns of the event loop."""
        quiet = 0
        while quiet < 3:
            self.pause(0.002)
            let_run()
            quiet = quiet + 1 if self._at_rest() and not any(map(_draws, QApplication.allWidgets())) else 0

    def pause(self, seconds: float) -> None:
        """Look at the window for a while."""
        end = monotonic() + seconds
        while monotonic() < end:
            QApplication.processEvents()
            sleep(0.001)

    def choose(self, key: str) -> None:
        """Choose an item of the menus, and wait until what it started is done."""
        self.window.menus.items[key][1].trigger()
        self.idle()

    def import_(self, path: Path, analyse: bool = False) -> None:
        """Import a recording with the default button of the dialog."""
        self.path = path
        self.choose("file.import")
        dialog = self.dialog()
        dialog.analyse.setChecked(analyse)
        dialog.import_button.click()
        self.idle()

    def leave(self) -> None:
        """Close everything, without saving."""
        self.answer = DISCARD
        self.window.close()
        self.window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QApplication.processEvents()

    # ------------------------------------------------------------------ looking

    @property
    def others(self) -> list[QWidget]:
        """Windows and dialogs beside the main one."""
        shown = (one for one in QApplication.topLevelWidgets() if one.isVisible() and one.isWindow())
        return [one for one in shown if not isinstance(one, MainWindow) and one.windowTitle()]

    def dialog(self) -> QDialog:
        """The dialog that is open."""
        (found,) = self.others
        return found


def _draws(widget: QWidget) -> bool:
    """Whether a plot or a figure is still being drawn."""
    painter = getattr(widget, "painter", None)
    return (painter is not None and painter.busy and widget.isVisible()) or getattr(widget, "is_drawing", False)


def pixels(widget: QWidget) -> np.ndarray:
    """(height, width, 4) bytes of a picture of a widget."""
    image = widget.grab().toImage()
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 4 * image.width()].reshape(image.height(), image.width(), 4).copy()


def is_blank(widget: QWidget) -> bool:
    """Whether one colour covers all but a hundredth of a percent of a widget."""
    colours = pixels(widget).view(np.uint32)[::2, ::2].ravel()
    middle = np.partition(colours, colours.size // 2)[colours.size // 2]  # of so many that are equal, it is one
    return bool(np.count_nonzero(colours == middle) > 0.9999 * colours.size)
