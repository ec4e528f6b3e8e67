"""Pictures of the head and neck in the workbench, made by the program itself; needs no screen, and about a minute.

``python -m docs.tools.neck_pictures docs/pictures``
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtWidgets import QApplication

from biomec.machines.head_neck.study import STUDY as IMPACT
from biomec.machines.head_neck.sweep_study import STUDY as SWEEP
from biomec_app.features.workbench.draft import catalogued
from biomec_app.features.workbench.window import WorkbenchWindow, open_workbench
from biomec_app.session.preferences import Preferences
from biomec_app.shell.main import application, wait
from biomec_app.shell.main_window import MainWindow
from docs.tools.guide_pictures import shot, write

PICTURES = ("head-neck.png", "head-neck-map.png")
SIZE = (1270, 760)
SHOWN = ("Head acceleration [g]", "Flexion or extension, of its limit [%]")
MOMENT_S = 0.06  # when ligaments of the lower neck are stretched most
QUICK = {"method": "Runge-Kutta", "step_s": 2e-5}


def draw(folder: Path) -> list[Path]:
    """Write the pictures into a folder; return what was written."""
    app = application()
    with TemporaryDirectory(prefix="biomec-neck-") as place:
        preferences = Preferences(Path(place) / "preferences.ini")
        preferences.theme = "light"
        main = MainWindow(preferences)
        window = open_workbench(main.context, catalogued("head-neck"))
        window.resize(*SIZE)
        _idle(app, window)
        window.sides.text_button.setChecked(False)
        _run(app, window, IMPACT.key, duration_s=0.1, **QUICK)
        for pane in window.plots.panes:
            window.plots.tick(pane.key, pane.key in SHOWN)
        window.bench.set_time(MOMENT_S)
        window.statusBar().clearMessage()
        written = [write(shot(app, window), folder / PICTURES[0])]
        _run(app, window, SWEEP.key, finer=1, every_s=1e-3, **QUICK)
        window.statusBar().clearMessage()
        written.append(write(shot(app, window), folder / PICTURES[1]))
        window.close()
        main.close()
    return written


def _run(app: QApplication, window: WorkbenchWindow, key: str, **options: object) -> None:
    window.studies.give(key, options)
    window.studies.run()
    _idle(app, window)


def _idle(app: QApplication, window: WorkbenchWindow) -> None:
    wait(app, lambda: not window.is_drawing)
    app.processEvents()


def main() -> None:
    """Draw into the folder of the command line."""
    parser = argparse.ArgumentParser(description="Draw the pictures of the head and neck.")
    parser.add_argument("folder", type=Path, nargs="?", default=Path("docs/pictures"))
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
    for path in draw(parser.parse_args().folder):
        print(path)


if __name__ == "__main__":
    main()
