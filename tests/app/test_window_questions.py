"""The window itself answers what actions ask the user through the context, and gives its panels their room."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from biomec_app.main_window import MainWindow
from biomec_app.preferences import Preferences


def test_the_window_asks_every_kind_of_question_itself(qtbot, tmp_path):
    window = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(window)
    for name in ("ask_file", "ask_folder", "tell", "confirm", "show_written"):
        assert getattr(window.context, name) == getattr(window, f"_{name}"), name
    window.close()


def test_a_large_window_gives_the_panels_their_share_once(qtbot, tmp_path, demo_analysis):
    width, height = 3840, 2160
    window = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(window)
    window.context.confirm = lambda title, question, choices: "Don't save"
    window.resize(width, height)
    window.show()
    window.context.document.open(demo_analysis)
    plots, browser = window.docks["plots"], window.docks["browser"]
    qtbot.waitUntil(lambda: plots.width() >= 0.29 * width, timeout=60000)
    assert browser.width() >= 0.12 * width
    assert window.view.width() > 0.4 * width  # most of it is the body's
    window.resizeDocks([browser], [300], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: abs(browser.width() - 300) < 20, timeout=60000)
    window.context.document.open(demo_analysis)
    QApplication.processEvents()
    assert abs(browser.width() - 300) < 20  # as the user left it
    window.close()
