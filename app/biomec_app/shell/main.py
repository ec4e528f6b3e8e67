"""The program: make the window, open what was asked for, and run until it is closed; or draw it without a screen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from PySide6.QtCore import QEventLoop, QMessageLogContext, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication, QImageWriter, QPixmap
from PySide6.QtWidgets import QApplication

from biomec.base.atomic import atomic_path
from biomec.base.errors import BiomecError, FileError
from biomec.pipeline.analysis import KINEMATICS
from biomec_app.dialogs.extension_question import ask_extension
from biomec_app.features.study.actions import open_study_at
from biomec_app.kit.memory import Garbage, keep_loaded, share_memory
from biomec_app.session.approvals import Approvals
from biomec_app.session.jobs import take_turns
from biomec_app.session.preferences import Preferences
from biomec_app.shell.extensions import Ask, Loaded, extension_folder, load_extensions
from biomec_app.shell.files import open_demo, open_file, open_unasked
from biomec_app.shell.main_window import MainWindow
from biomec_app.shell.window_user import UserWindow, WindowUser

PATIENCE_S = 600.0  # for an analysis before a picture is taken; the first one compiles the engine
STILL_S = 1.0  # `settle` waits at least so long
AFTER_S = 0.3  # and so long after the last work was seen


NOISE = "This plugin does not support propagateSizeHints()"  # of every window that is shown without a screen


def _without_noise(kind: QtMsgType, place: QMessageLogContext, message: str) -> None:
    """Pass on what Qt says, but for a sentence that every window drawn without a screen brings forth."""
    if message != NOISE:
        sys.stderr.write(f"{message}\n")


def application() -> QApplication:
    """The one application object of this process."""
    QGuiApplication.setApplicationName("Biomec")
    QGuiApplication.setOrganizationName("Biomec")
    found = QApplication.instance()
    if isinstance(found, QApplication):
        return found
    share_memory()
    keep_loaded()
    take_turns()
    made = QApplication(sys.argv[:1])
    Garbage(made)
    if QGuiApplication.platformName() == "offscreen":
        qInstallMessageHandler(_without_noise)
    return made


def run(
    *files: Path, demo: bool = False, extensions: bool = True, study: Path | None = None, results: Path | None = None
) -> int:
    """Show the window, on files, on the demonstration, or on the start page; return when it is closed.

    study      : folder of a study that is shown in a window of its own, with its results elsewhere if they are
    extensions : whether the user's own functions are loaded, after a question about those that are new or changed
    """
    app = application()
    preferences = Preferences()
    window = MainWindow(preferences, extensions=own_functions(preferences, ask_extension) if extensions else Loaded())
    window.show()
    QTimer.singleShot(0, window.view.prepare)  # once the window is there
    QTimer.singleShot(0, lambda: _begin(window, files, demo))
    if study is not None:
        QTimer.singleShot(0, lambda: open_study_at(window.context, study, results))
    return int(app.exec())


def own_functions(preferences: Preferences, ask: Ask | None = None) -> Loaded:
    """The functions of the user's extensions, as far as the user has allowed or now allows them to run."""
    return load_extensions(extension_folder(), Approvals(preferences.approvals_folder), ask)


def screenshot(
    path: Path,
    file: Path | None = None,
    *,
    size: tuple[int, int] = (1600, 1000),
    theme: str = "light",
    preferences: Preferences | None = None,
    extensions: bool = False,
) -> None:
    """Draw the window, with a file or else the demonstration opened and analysed, into a picture. Needs no screen.

    Nobody can answer here: what the window would tell its user is raised as a `BiomecError`, and nothing is drawn.
    Extensions run only if they are asked for, and only those that the user has allowed at the window.
    """
    path = Path(path)
    _refuse_picture(path)
    loaded = own_functions(Preferences()) if extensions else Loaded()
    if loaded.faults:
        raise BiomecError(" ".join(loaded.faults))
    app = application()
    with TemporaryDirectory(prefix="biomec-screenshot-") as place:
        remembered = preferences or Preferences(Path(place) / "preferences.ini")
        window = MainWindow(remembered, Unattended, loaded)
        try:
            window.resize(*size)
            window.set_theme(theme)
            picture = _drawn(app, window, file)
        finally:
            window.context.document.undo_stack.setClean()  # nobody is asked about work that was only to be drawn
            window.close()
            remembered.write()
    with atomic_path(path) as temporary:
        if not picture.save(str(temporary), path.suffix[1:]):
            raise FileError(path.name, f"the picture cannot be written to {path.parent}.")


class Unattended(WindowUser):
    """A window that nobody looks at: what it would tell is kept."""

    def __init__(self, window: UserWindow) -> None:
        super().__init__(window)
        self.told: list[str] = []

    def tell(self, title: str, sentence: str) -> None:
        self.told.append(sentence)

    def fail(self, title: str, sentence: str) -> None:
        self.tell(title, sentence)


def _refuse_picture(path: Path) -> None:
    """Raise a `FileError` if no picture can be written there: before anything is computed, not after."""
    kinds = sorted(bytes(kind.data()).decode() for kind in QImageWriter.supportedImageFormats())
    if path.suffix[1:].lower() not in kinds:
        raise FileError(path.name, f"a picture ends in .{', .'.join(kinds)}. Choose one of these, such as .png.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(str(path.parent), f"the folder for the picture cannot be made ({error.strerror}).") from error


def _drawn(app: QApplication, window: MainWindow, file: Path | None) -> QPixmap:
    """A picture of the window once a file, or the demonstration, is opened and analysed."""
    context, user = window.context, window.context.user
    assert isinstance(user, Unattended)
    sentences = user.told

    def work(begin: Callable[[], None]) -> None:
        begin()
        wait(app, lambda: not context.jobs.busy)
        if context.jobs.busy:
            sentences.append(f'"{context.jobs.title}" was not done after {PATIENCE_S / 60:.0f} minutes.')
        if sentences:
            raise BiomecError(" ".join(sentences))

    window.view.take_time()
    window.show()
    work(lambda: open_demo(context) if file is None else open_unasked(context, file))
    if not context.document.analysis.is_current(KINEMATICS):
        work(lambda: context.run_until(KINEMATICS))
    context.document.set_frame(context.document.frames // 5)
    settle(app)
    if sentences:
        raise BiomecError(" ".join(sentences))
    return window.grab()


def _begin(window: MainWindow, files: Sequence[Path], demo: bool) -> None:
    """Recover what a crash left, or open what was asked for; the latter also if what was left is damaged."""
    if window.autosave.offer_recovery(lambda: _begin(window, files, demo)):
        return
    if files:
        open_file(window.context, *files)
    elif demo:
        open_demo(window.context)


def wait(app: QApplication, done: Callable[[], bool]) -> None:
    """Let the window work until something is done."""
    end = monotonic() + PATIENCE_S
    while not done() and monotonic() < end:
        _turn(app)


def settle(app: QApplication) -> None:
    """Let everything that is due be drawn, and work beside it end."""
    end = monotonic() + PATIENCE_S
    still = monotonic() + STILL_S
    while monotonic() < min(still, end):
        _turn(app)
        if _at_work(app):
            still = max(still, monotonic() + AFTER_S)  # what the work gives is drawn as well


def _turn(app: QApplication) -> None:
    """Let the window do what is due, then sleep: one that asks without rest keeps Python from the work beside it."""
    app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
    sleep(0.005)


def _at_work(app: QApplication) -> bool:
    """Whether a view still draws bit by bit, or a window computes something beside what it shows."""
    beside = any(window.context.aside.busy for window in app.topLevelWidgets() if isinstance(window, MainWindow))
    return beside or any(getattr(widget, "is_drawing", False) for widget in app.allWidgets())
