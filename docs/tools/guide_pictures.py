"""Make the pictures of the guide to the window again, from virtual subjects only. Needs no screen.

``python -m docs.tools.guide_pictures docs/pictures`` draws those of the guide;
``python -m docs.tools.guide_pictures --all FOLDER --size 1280x720 --theme dark`` draws every screen and dialog, to be
looked at; ``--size 3840x2160 --scale 2`` draws as on a fine screen.
"""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtWidgets import QApplication, QWidget

from biomec.base.atomic import atomic_path
from biomec.body.tracking.what_if import WhatIf
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.settings import AnalysisSettings, BodySettings
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.recording import Session
from biomec.reporting.content.configuration import SEGMENTS
from biomec.virtual import VirtualPerson, assisted_walk, record
from biomec_app.dialogs.configuration import ConfigurationDialog
from biomec_app.dialogs.import_plan import ImportPlan, read
from biomec_app.dialogs.importing import ImportDialog
from biomec_app.dialogs.settings import SettingsDialog
from biomec_app.features.aids.actions import open_aids
from biomec_app.features.clinical.report_dialog import open_report
from biomec_app.features.clinical.window import open_clinical
from biomec_app.features.muscles.actions import open_muscle_emg, open_what_if, run_muscles
from biomec_app.features.muscles.panel import MusclePanel
from biomec_app.features.simulations.dialog import SimulationDialog
from biomec_app.features.simulations.running import simulate
from biomec_app.figures.registry import figure_named
from biomec_app.figures.window import open_figure
from biomec_app.session.preferences import Preferences
from biomec_app.shell.files import open_demo, open_unasked
from biomec_app.shell.main import application, settle, wait
from biomec_app.shell.main_window import MainWindow
from docs.tools import workbench_pictures as workbench
from docs.tools.screens import FRAME, every_screen, file_name, laboratory_walk

SIZE = (1440, 900)
PLAIN = (1280, 720)  # of pages with little on them
DIALOG = (980, 600)
SMALL_FILES = True  # packed well, which takes most of the time to write a picture
FIGURE = (1100, 760)
SETTINGS_PAGE, FIGURE_KEY, JOINT = "signals", "angles", "Shoulder"
LOAD_FIGURE = "load-cycles"
SIMULATIONS = (
    SimulationSettings("Computed torque", frames=(100, 200)),
    SimulationSettings("On contacts", root="contact", frames=(100, 200)),
    SimulationSettings("10 % heavier", root="contact", frames=(100, 200), what_if=WhatIf(mass=1.1)),
    SimulationSettings("Played back", "inverse", frames=(100, 200)),
)
PICTURES = (
    "window.png", "window-dark.png", "window-trust.png", "window-start.png", "window-import.png",
    "window-settings.png", "window-configuration.png", "window-figure.png", "window-loads.png",
    "window-load-figure.png", "window-simulation.png", "window-simulations.png", "window-clinical.png",
    "window-report.png",
)  # fmt: skip
MUSCLE_PICTURES = (
    "window-muscles.png", "window-muscle-moments.png", "window-what-if.png", "window-muscle-timing.png",
)  # fmt: skip
"""Of the page about muscles in the window."""
AID_PICTURES = ("window-aids.png",)


def draw_guide(folder: Path) -> list[Path]:
    """Write all pictures of the guide into a folder, replacing older ones; return what was written."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    app = application()
    with TemporaryDirectory(prefix="biomec-guide-") as place:
        preferences = Preferences(Path(place) / "preferences.ini")
        preferences.theme = "light"
        window = MainWindow(preferences)
        made = chain(
            _draw(app, window, Path(place)), workbench.draw(app, window.context, lambda widget: shot(app, widget))
        )
        written = [write(picture, folder / name) for name, picture in made]
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
    yield "window-start.png", shot(app, window)

    window.resize(*SIZE)
    open_demo(context)
    wait(app, lambda: not context.jobs.busy)
    context.document.set_frame(round(FRAME * context.document.frames))
    yield "window.png", shot(app, window)
    window.docks["trust"].raise_()
    yield "window-trust.png", shot(app, window)
    yield "window-loads.png", _shot_of_loads(app, window)
    window.docks["plots"].raise_()
    window.set_theme("dark")
    yield "window-dark.png", shot(app, window)
    window.set_theme("light")

    yield (
        "window-import.png",
        _dialog(app, lambda: ImportDialog(context, read(ImportPlan(laboratory_walk(place))), window)),
    )
    yield "window-settings.png", _dialog(app, lambda: SettingsDialog(context, window, SETTINGS_PAGE))
    yield "window-configuration.png", _dialog(app, lambda: _configuration(window))
    figure = open_figure(context, figure_named(FIGURE_KEY))
    figure.resize(*FIGURE)
    wait(app, lambda: bool(figure.combos))
    figure.combos["joint"].setCurrentText(JOINT)
    wait(app, lambda: figure.canvas.drawn is not None)
    yield "window-figure.png", shot(app, figure)
    figure.close()
    figure = open_figure(context, figure_named(LOAD_FIGURE))
    figure.resize(*FIGURE)
    wait(app, lambda: bool(figure.combos))
    figure.combos["quantity"].setCurrentText("Moment")
    settle(app)
    wait(app, lambda: figure.canvas.drawn is not None)
    yield "window-load-figure.png", shot(app, figure)
    figure.close()
    yield "window-simulation.png", _dialog(app, lambda: SimulationDialog(context, window))
    yield "window-simulations.png", _shot_of_simulations(app, window)
    context.document.undo_stack.setClean()
    yield from draw_clinical(app, window, place)


def draw_clinical(app: QApplication, window: MainWindow, place: Path) -> Iterable[tuple[str, bytes]]:
    """Clinical plots of a walk, and the report; what is open is replaced."""
    context = window.context
    open_unasked(context, laboratory_walk(place))
    wait(app, lambda: not context.jobs.busy)
    clinical = open_clinical(context)
    clinical.resize(*FIGURE)
    settle(app)
    wait(app, lambda: not clinical.painter.busy)
    context.document.set_frame(context.document.frames // 2)
    yield "window-clinical.png", shot(app, clinical)
    clinical.close()
    report = open_report(context)
    report.resize(*FIGURE)
    settle(app)
    wait(app, lambda: report.preview.complete)
    yield "window-report.png", shot(app, report)
    report.close()
    yield from draw_muscles(app, window)
    yield from draw_aids(app, window)


def draw_muscles(app: QApplication, window: MainWindow) -> Iterable[tuple[str, bytes]]:
    """Muscles of the walk that is open, what would change if they were weaker, and when they are active."""
    context = window.context
    usual = context.document.view
    run_muscles(context, set="legs")
    wait(app, lambda: not context.jobs.busy)
    context.document.set_view(overlays=frozenset({"muscles", "contact forces", "plates"}))
    window.docks["muscles"].raise_()
    settle(app)
    yield "window-muscles.png", shot(app, window)
    panel = window.findChild(MusclePanel)
    panel.tabs.setCurrentWidget(panel.moments)
    yield "window-muscle-moments.png", shot(app, window)
    panel.tabs.setCurrentIndex(0)
    context.document.set_view(overlays=usual.overlays)
    asked = open_what_if(context)
    wait(app, lambda: len(asked.results) == len(asked.variants) and not asked.jobs.busy)
    asked.find_loss()
    wait(app, lambda: not asked.jobs.busy)
    yield "window-what-if.png", shot(app, asked)
    asked.close()
    beside = open_muscle_emg(context)
    wait(app, lambda: beside.page is not None)
    yield "window-muscle-timing.png", shot(app, beside)
    beside.close()
    context.document.undo_stack.setClean()


def draw_aids(app: QApplication, window: MainWindow) -> Iterable[tuple[str, bytes]]:
    """What other aids would change for the virtual person with two crutches and two orthoses."""
    context = window.context
    one = record(assisted_walk(1), VirtualPerson(65.0, 1.60, "female"))
    usual = AnalysisSettings()
    settings = replace(usual, body=BodySettings(model="m18-orthoses"))
    context.document.open(
        Analysis(Session(one.dynamic, one.static, subject=one.person.subject), settings).run_until("loads")
    )
    asked = open_aids(context)
    wait(app, lambda: len(asked.results) == len(asked.variants) and not asked.jobs.busy)
    yield "window-aids.png", shot(app, asked)
    asked.close()


def _shot_of_loads(app: QApplication, window: MainWindow) -> bytes:
    """The panel of the loads, and their arrows in the 3-D view."""
    document = window.context.document
    usual = document.view
    window.docks["loads"].raise_()
    document.set_view(overlays=frozenset({"plates", "joint forces"}), force_scale=2.0)
    settle(app)
    wait(app, lambda: not window.context.aside.busy)
    taken = shot(app, window)
    document.set_view(overlays=usual.overlays, force_scale=usual.force_scale)
    return taken


def _shot_of_simulations(app: QApplication, window: MainWindow) -> bytes:
    """The panel of simulations, and a body that falls, over the recorded one."""
    context = window.context
    for settings in SIMULATIONS:
        name = simulate(context, settings)
        wait(app, lambda: not context.jobs.busy)
    run = context.document.analysis.simulations[name]
    context.document.set_frame(run.first + len(run.q) - 1)
    window.docks["simulations"].raise_()
    settle(app)
    wait(app, lambda: not context.aside.busy)
    return shot(app, window)


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
    taken = shot(app, dialog)
    dialog.close()
    return taken


def shot(app: QApplication, widget: QWidget) -> bytes:
    """Picture of a window as PNG, when everything that is due is drawn; passing messages are left out."""
    settle(app)
    if isinstance(widget, MainWindow):
        widget.statusBar().clearMessage()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    widget.grab().save(buffer, "PNG")
    return bytes(buffer.data().data())


def write(picture: bytes, path: Path) -> Path:
    """Write a picture as small as PNG can be without a loss; nothing is left half written."""
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        Image.open(io.BytesIO(picture)).convert("RGB").save(file, "PNG", optimize=SMALL_FILES)
    return path


def draw_all(folder: Path, size: tuple[int, int] = PLAIN, theme: str = "light") -> list[Path]:
    """Write a picture of every screen into a folder; ``size`` of the window is in points of the desktop."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    app = application()
    written = []
    with TemporaryDirectory(prefix="biomec-guide-") as place:
        preferences = Preferences(Path(place) / "preferences.ini")
        preferences.theme = theme
        window = MainWindow(preferences)
        window.resize(*size)
        window.view.take_time()
        for number, screen in enumerate(every_screen(app, window, Path(place))):
            path = folder / file_name(number, screen.name)
            screen.widget.grab().save(str(path))
            written.append(path)
        window.context.document.undo_stack.setClean()
        window.close()
    return written


def main() -> None:
    """Draw what the command line asks for."""
    parser = argparse.ArgumentParser(description="Draw the pictures of the guide, or every screen and dialog.")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("docs/pictures"))
    parser.add_argument("--all", action="store_true", help="every screen and dialog")
    parser.add_argument("--size", default="1280x720", help="of the picture of the window, such as 3840x2160")
    parser.add_argument("--scale", type=float, default=1.0, help="pixels of the picture a point of the desktop")
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
    if not options.all:
        draw_guide(options.folder)
        return
    os.environ["QT_SCALE_FACTOR"] = f"{options.scale:g}"
    width, height = (round(int(number) / options.scale) for number in options.size.split("x"))
    for path in draw_all(options.folder, (width, height), options.theme):
        print(path)


if __name__ == "__main__":
    main()
