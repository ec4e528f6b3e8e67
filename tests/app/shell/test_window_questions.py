"""The window itself answers what actions ask the user through the context, and gives its panels their room."""

import threading
from collections.abc import Callable
from time import sleep

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget

from biomec.base.progress import Cancelled, Progress
from biomec_app.session.context import User
from biomec_app.session.preferences import Preferences
from biomec_app.shell.main_window import MainWindow

PATIENCE_S = 600.0


def test_the_window_asks_every_kind_of_question_itself(qtbot, tmp_path):
    window = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(window)
    questions = [name for name in vars(User) if not name.startswith("_")]
    assert {"ask_file", "ask_folder", "tell", "confirm", "show_written"} <= set(questions)
    for name in questions:
        assert getattr(type(window.context.user), name) is not getattr(User, name), name
    window.close()


def test_errors_have_another_sign_than_messages_and_dialogs_belong_to_the_window_in_front(qtbot, tmp_path, monkeypatch):
    """Errors had the sign of a message; after a figure was saved, the main window came before it."""
    window = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(window)
    window.show()
    figure = QWidget(window, Qt.WindowType.Window)
    figure.show()
    figure.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is figure)
    shown = []
    for kind in ("information", "critical"):
        monkeypatch.setattr(QMessageBox, kind, lambda parent, *words, kind=kind: shown.append((kind, parent)))
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda parent, *words: (shown.append(("file", parent)), ("", ""))[1]
    )
    user = window.context.user
    user.tell("Title", "Something.")
    window.context.jobs.failed.emit("Title", "It failed.")
    user.ask_file("Save figure", "Picture (*.png)", True, "")
    assert shown == [("information", figure), ("critical", figure), ("file", figure)]
    figure.close()
    window.close()


def test_a_large_window_gives_the_panels_their_share_once(qtbot, tmp_path, demo_analysis):
    width, height = 3840, 2160
    window = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(window)
    window.context.user.confirm = lambda title, question, choices: "Don't save"
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


def test_closing_stops_all_work_at_once_and_hides_the_window_while_it_ends(qtbot, tmp_path, demo_analysis):
    """Closing waited up to ten seconds for each of two jobs, the second not even told, before the window went."""
    window = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(window)
    window.show()
    window.context.document.open(demo_analysis, tmp_path / "saved.biomec")
    seen: list[tuple[str, bool]] = []
    both = threading.Barrier(2)  # each ends only once the other has been told to stop, too

    def work(name: str) -> Callable[[Progress], None]:
        def until_stopped(progress: Progress) -> None:
            try:
                while True:
                    progress(0.5)
                    sleep(0.002)
            except Cancelled:
                both.wait(PATIENCE_S)
                for _ in range(int(PATIENCE_S / 0.005)):  # a guard against hanging; no time is judged
                    if not window.isVisible():
                        break
                    sleep(0.005)
                seen.append((name, window.isVisible()))
                raise

        return until_stopped

    for jobs, name in ((window.context.jobs, "analysis"), (window.context.aside, "beside")):
        jobs.start(name, work(name), lambda _: None)
    qtbot.waitUntil(lambda: window.context.jobs.busy and window.context.aside.busy)
    assert window.close()
    assert sorted(seen) == [("analysis", False), ("beside", False)]
