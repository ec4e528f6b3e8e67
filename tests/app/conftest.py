"""What tests of the window share: patience, the demonstration, analysed once, and a program without a window."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import biomec_app.features.table  # noqa: F401 - makes the curves, figures and overlays of all features known
from biomec.pipeline.analysis import Analysis, analyze
from biomec_app.kit.memory import Garbage
from biomec_app.session.context import Context
from biomec_app.session.document import Document
from biomec_app.session.jobs import Jobs
from biomec_app.session.preferences import Preferences

PATIENCE_MS = 600_000  # ends what hangs; nothing else depends on how long anything takes


class PatientBot(QtBot):
    """Waits as long as a busy machine may take, whatever a test says."""

    def waitUntil(self, callback, *, timeout=0):
        super().waitUntil(callback, timeout=PATIENCE_MS)

    def waitSignal(self, signal, *, timeout=0, raising=None, **options):
        patience = timeout if raising is False else PATIENCE_MS  # a signal may stay away: `assertNotEmitted` asks so
        return super().waitSignal(signal, timeout=patience, raising=raising, **options)

    def turns(self) -> None:
        """Let the window do all that is due: queued calls, timers of no time, layouts, deletions. No clock counts."""
        let_run()


def let_run(turns: int = 5) -> None:
    """Some turns of the event loop: what one brings about is done in the next."""
    for _ in range(turns):
        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(scope="module", autouse=True)
def garbage(qapp: object) -> Iterator[Garbage]:
    """The search for garbage as the program has it: in this thread alone, or a closed window ends in another one."""
    made = Garbage()
    yield made
    made.stop()


@pytest.fixture
def qtbot(qapp: object, request: pytest.FixtureRequest) -> QtBot:
    """The bot of pytest-qt, with patience."""
    return PatientBot(request)


@pytest.fixture(scope="session")
def demo_analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """The push-up of the virtual subject, with every step done. It is immutable, so that all tests can have it."""
    from biomec.reporting.demo import demo_session

    return analyze(demo_session(tmp_path_factory.mktemp("demo"))[1])


@pytest.fixture(scope="session")
def short_analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Two push-ups of the demonstration at half its rate: a fifth of its frames, with every step done."""
    from biomec.io.session_import import import_session
    from biomec.virtual import DEMO, push_up, record, write_acquisition

    acquisition = record(push_up("closed", 2), options=replace(DEMO, rate_hz=50.0))
    files = write_acquisition(acquisition, tmp_path_factory.mktemp("short"))
    return analyze(import_session(files["emt"], subject=acquisition.person.subject))


@pytest.fixture(scope="session")
def walk_analysis(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """Some strides of the virtual subject over four plates, with every step of the kinematics done."""
    from biomec.io.session_import import import_session
    from biomec.virtual import record, walk, write_acquisition

    files = write_acquisition(record(walk(3)), tmp_path_factory.mktemp("walk"))
    return Analysis(import_session(files["emt"])).run_until("cycles")


@pytest.fixture
def context(qapp: object, tmp_path) -> Context:
    """A program with nothing open, preferences of its own, and no dialogs."""
    return Context(Document(), Jobs(), Preferences(tmp_path / "prefs.ini"))


@pytest.fixture
def document_with_demo(context: Context, demo_analysis: Analysis) -> Document:
    """The document of `context` with the demonstration open."""
    context.document.open(demo_analysis)
    return context.document
