"""The panels around the view: which is in front, what their tabs and the status bar tell of them, and their room."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from biomec_app.main_window import MainWindow
from biomec_app.preferences import Preferences


@pytest.fixture
def window(qtbot, tmp_path, demo_analysis) -> Iterator[MainWindow]:
    """The window with the demonstration open, at the size of a small laptop."""
    made = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(made)
    made.context.confirm = lambda title, question, choices: "Don't save"
    made.resize(1280, 720)
    made.show()
    made.context.document.open(demo_analysis)
    QApplication.processEvents()
    yield made
    made.close()


def item(window: MainWindow, name: str):
    """The item of a panel in the menu, as it is now."""
    return window.menus.items[f"visualize.panel.{name}"][1]


def test_choosing_a_panel_that_another_covers_brings_it_to_the_front(window):
    """Visualize > Panels > Trust never showed Trust: ticked behind Signals, it was closed, and came back behind."""
    assert item(window, "plots").isChecked()
    assert not item(window, "trust").isChecked()
    item(window, "trust").trigger()
    QApplication.processEvents()
    assert window.panel_seen("trust")
    assert item(window, "trust").isChecked()
    assert not item(window, "plots").isChecked()
    item(window, "trust").trigger()  # in front: close it
    QApplication.processEvents()
    assert window.docks["trust"].isHidden()
    item(window, "trust").trigger()
    QApplication.processEvents()
    assert window.panel_seen("trust")


def test_every_panel_has_a_key(qtbot, window):
    assert [item(window, name).shortcut().toString() for name in window.docks] == [f"Alt+{k}" for k in range(1, 8)]
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_4, Qt.KeyboardModifier.AltModifier)
    QApplication.processEvents()
    assert window.panel_seen("loads")
