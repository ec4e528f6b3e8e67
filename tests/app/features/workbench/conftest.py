"""A workbench with a small study, which waits for nothing but events."""

import pytest

pytest.importorskip("PySide6", reason="the desktop part is not installed")

from PySide6.QtCore import QEvent
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from biomec_app.features.workbench import study_panel
from biomec_app.features.workbench.window import WorkbenchWindow, open_workbench
from tests.core.machines.swing_study import STUDY

PATIENCE_MS = 120_000  # kernels may have to be compiled on a busy machine


class Student:
    """Somebody at the workbench."""

    def __init__(self, qtbot, context, window: WorkbenchWindow) -> None:
        self.qtbot, self.context, self.window, self.bench = qtbot, context, window, window.bench
        self.told: list[str] = []
        self.asked: list[str] = []
        self.answer = None
        context.user.tell = context.user.fail = lambda title, sentence: self.told.append(sentence)
        context.user.confirm = self._confirm

    def _confirm(self, title, question, choices):
        self.asked.append(question)
        return self.answer

    def idle(self) -> None:
        """Wait until nothing happens in the background."""
        self.qtbot.waitUntil(lambda: not self.window.is_drawing, timeout=PATIENCE_MS)
        QApplication.processEvents()

    def run(self, key: str = STUDY.key, **options) -> None:
        """Run a study with options, and wait for its end."""
        self.window.studies.choose(key)
        for name, value in options.items():
            self.window.studies.form.set(name, value)
        with self.qtbot.waitSignal(self.window.studies.finished, timeout=PATIENCE_MS):
            self.window.studies.run_button.click()
        self.idle()

    def item(self, name: str):
        """An item of the menus."""
        found = self.window.findChild(QAction, f"workbench.item.{name}")
        assert found is not None, name
        return found


@pytest.fixture
def swing(monkeypatch):
    """The only study there is."""
    monkeypatch.setattr(study_panel, "studies", lambda: (STUDY,))


@pytest.fixture
def student(qtbot, context, swing):
    """Somebody at a new workbench."""
    made = Student(qtbot, context, open_workbench(context))
    made.idle()
    yield made
    made.answer = "Don't save"
    if made.window is not None and not made.window._closed:
        made.window.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
