"""The window itself answers what actions ask the user through the context."""

from biomec_app.main_window import MainWindow
from biomec_app.preferences import Preferences


def test_the_window_asks_every_kind_of_question_itself(qtbot, tmp_path):
    window = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(window)
    for name in ("ask_file", "ask_folder", "tell", "confirm", "show_written"):
        assert getattr(window.context, name) == getattr(window, f"_{name}"), name
    window.close()
