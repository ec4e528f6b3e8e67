"""A window of menus and a whole one, with questions that a test answers, and files to open in them."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QMainWindow

from biomec.virtual import DEMO, push_up, record, write_acquisition
from biomec_app.session.context import Context
from biomec_app.session.document import Document
from biomec_app.session.jobs import Jobs
from biomec_app.session.preferences import Preferences
from biomec_app.session.project_file import DISCARD
from biomec_app.shell.actions import all_actions
from biomec_app.shell.main_window import MainWindow
from biomec_app.shell.menus import Menus


class Menu(QMainWindow):
    """A window with menus and nothing else, so that what is tested is quick and is the menus."""

    def __init__(self, preferences):
        super().__init__()
        self.context = Context(Document(self), Jobs(self), preferences, self)
        self.menus = Menus(self.menuBar(), all_actions(), self.context)

    def closeEvent(self, event):
        self.context.document.undo_stack.blockSignals(True)


def answered(qtbot, made):
    """Let a test answer the questions of a window: ``heard``, ``asked``, ``answer``, ``path``."""
    qtbot.addWidget(made, before_close_func=lambda w: setattr(w.context.user, "confirm", lambda *_: DISCARD))
    made.heard, made.asked, made.answer, made.path = [], [], DISCARD, None
    made.written = []
    made.context.user.tell = made.context.user.fail = lambda title, sentence: made.heard.append(sentence)
    made.context.user.show_written = lambda title, files, remarks: made.written.append((files, remarks))
    made.context.user.ask_file = lambda *asked: made.path
    made.context.user.ask_folder = lambda *asked: made.path

    def confirm(title, question, choices):
        made.asked.append(question)
        return made.answer

    made.context.user.confirm = confirm
    return made


@pytest.fixture
def window(qtbot, tmp_path):
    return answered(qtbot, Menu(Preferences(tmp_path / "prefs.ini")))


@pytest.fixture
def whole(qtbot, tmp_path, short_analysis):
    """The real window with a recording open."""
    made = answered(qtbot, MainWindow(Preferences(tmp_path / "prefs.ini")))
    made.context.document.open(short_analysis)
    made.show()
    return made


@pytest.fixture
def with_recording(window, short_analysis):
    window.context.document.open(short_analysis)
    return window


@pytest.fixture(scope="module")
def movement_file(tmp_path_factory):
    """A push-up as a C3D file, with its static beside it."""
    folder = tmp_path_factory.mktemp("lab")
    return write_acquisition(record(push_up("closed", 1), options=replace(DEMO, rate_hz=50.0)), folder, ("c3d",))["c3d"]


@pytest.fixture(scope="module")
def static_file(movement_file):
    """The static of the push-up."""
    (static,) = (path for path in movement_file.parent.glob("*.c3d") if path != movement_file)
    return static
