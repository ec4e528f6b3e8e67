"""Make the pictures of the guide to the window again, from virtual subjects only. Needs no screen.

``python -m biomec_app.guide_pictures docs/pictures``
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtWidgets import QApplication, QWidget

from biomec.io.atomic import atomic_path
from biomec.pipeline.configuration import SEGMENTS
from biomec.virtual import RecordOptions, VirtualPerson, record, walk, write_acquisition
from biomec_app.dialogs.configuration import ConfigurationDialog
from biomec_app.dialogs.import_plan import ImportPlan, read
from biomec_app.dialogs.importing import ImportDialog
from biomec_app.dialogs.settings import SettingsDialog
from biomec_app.figures.registry import figure_named
from biomec_app.figures.window import open_figure
from biomec_app.files import open_demo
from biomec_app.main import application, settle, wait
from biomec_app.main_window import MainWindow
from biomec_app.preferences import Preferences

SIZE = (1440, 900)
PLAIN = (1280, 720)  # of pages with little on them
DIALOG = (980, 600)
FIGURE = (1100, 760)
FRAME = 0.2  # part of the demonstration: the elbows bend
SETTINGS_PAGE, FIGURE_KEY, JOINT = "signals", "angles", "Shoulder"
WALK = RecordOptions(noise_mm=0.5, soft_tissue_mm=8.0, gaps=0.3, seed=1)
PICTURES = (
    "window.png", "window-dark.png", "window-trust.png", "window-start.png", "window-import.png",
    "window-settings.png", "window-configuration.png", "window-figure.png",
)  # fmt: skip


def draw_guide(folder: Path) -> list[Path]:
    """Write all pictures of the guide into a folder, replacing older ones; return what was written."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    app = application()
    with TemporaryDirectory(prefix="biomec-guide-") as place:
        preferences = Preferences(Path(place) / "preferences.ini")
        preferences.theme = "light"
        window = MainWindow(preferences)
        made = _draw(app, window, Path(place))
        written = [_write(picture, folder / name) for name, picture in made]
        window.context.document.undo_stack.setClean()  # nobody is asked about work that only pictures were taken of
        window.close()
    return written


def _draw(app: QApplication, window: MainWindow, place: Path) -> Iterable[tuple[str, bytes]]:
    """Name and content of every picture, in the order in which one window can show them all."""
    context = window.context
    window.view.take_time()
    window.resize(*PLAIN)
    window.show()
    window.setFocus()
    yield "window-start.png", _shot(app, window)

    window.resize(*SIZE)
    open_demo(context)
    wait(app, lambda: not context.jobs.busy)
    context.document.set_frame(round(FRAME * context.document.frames))
    yield "window.png", _shot(app, window)
    window.docks["trust"].raise_()
    yield "window-trust.png", _shot(app, window)
    window.docks["plots"].raise_()
    window.set_theme("dark")
    yield "window-dark.png", _shot(app, window)
    window.set_theme("light")

    yield "window-import.png", _dialog(app, lambda: ImportDialog(context, read(ImportPlan(_walk(place))), window))
    yield "window-settings.png", _dialog(app, lambda: SettingsDialog(context, window, SETTINGS_PAGE))
    yield "window-configuration.png", _dialog(app, lambda: _configuration(window))
    figure = open_figure(context, figure_named(FIGURE_KEY))
    figure.resize(*FIGURE)
    figure.combos["joint"].setCurrentText(JOINT)
    wait(app, lambda: figure.canvas.drawn is not None)
    yield "window-figure.png", _shot(app, figure)
    figure.close()


def _walk(place: Path) -> Path:
    """A C3D pair as a laboratory hands it over: a walk, and the static beside it."""
    return write_acquisition(record(walk(2), VirtualPerson(), WALK), place / "laboratory", ("c3d",))["c3d"]


def _configuration(window: MainWindow) -> ConfigurationDialog:
    dialog = ConfigurationDialog(window.context, window)
    titles = [dialog.tabs.tabText(k).replace("&", "") for k in range(dialog.tabs.count())]
    dialog.tabs.setCurrentIndex(titles.index(SEGMENTS))
    return dialog


def _dialog(app: QApplication, make: Callable[[], QWidget]) -> bytes:
    """Picture of a dialog, which is closed again."""
    dialog = make()
    dialog.resize(*DIALOG)
    dialog.show()
    taken = _shot(app, dialog)
    dialog.close()
    return taken


def _shot(app: QApplication, widget: QWidget) -> bytes:
    """Picture of a window as PNG, when everything that is due is drawn; passing messages are left out."""
    settle(app)
    if isinstance(widget, MainWindow):
        widget.statusBar().clearMessage()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    widget.grab().save(buffer, "PNG")
    return bytes(buffer.data().data())


def _write(picture: bytes, path: Path) -> Path:
    """Write a picture as small as PNG can be without a loss; nothing is left half written."""
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        Image.open(io.BytesIO(picture)).convert("RGB").save(file, "PNG", optimize=True)
    return path


if __name__ == "__main__":
    draw_guide(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures"))
