"""How long the first window takes after a warm start, beside a bare window of Qt with one picture of VTK.

``python -m benchmarks.window_start``. Both are programs of their own; the clock runs from before Python starts until
the window has been painted. They are started in turns, and the quickest start of each counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from time import time

TIMES = 4
WANTED_S = 3.0
PAINTED = """
import os, sys, time
from PySide6.QtCore import QTimer
def painted(app, widget):
    widget.show()
    widget.repaint()
    app.processEvents()
    sys.stdout.write(f"{time.time() - float(os.environ['BIOMEC_STARTED']):.4f} {time.process_time():.4f}")
    sys.stdout.flush()
    os._exit(0)
"""
OURS = (
    PAINTED
    + """
from pathlib import Path
from biomec_app.shell.main import application
from biomec_app.shell.main_window import MainWindow
from biomec_app.session.preferences import Preferences
app = application()
painted(app, MainWindow(Preferences(Path(os.environ["BIOMEC_FOLDER"]) / "prefs.ini")))
"""
)
BARE = (
    PAINTED
    + """
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow
import vtkmodules.vtkRenderingOpenGL2
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray
from vtkmodules.vtkFiltersSources import vtkConeSource
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderer, vtkRenderWindow
app = QApplication([])
mapper, actor, renderer, window = vtkPolyDataMapper(), vtkActor(), vtkRenderer(), vtkRenderWindow()
cone = vtkConeSource()
mapper.SetInputConnection(cone.GetOutputPort())
actor.SetMapper(mapper)
renderer.AddActor(actor)
window.SetOffScreenRendering(True)
window.AddRenderer(renderer)
window.SetSize(800, 600)
window.Render()
pixels = vtkUnsignedCharArray()
window.GetRGBACharPixelData(0, 0, 799, 599, 0, pixels)
main, label = QMainWindow(), QLabel()
label.setPixmap(QPixmap.fromImage(QImage(bytes(memoryview(pixels)), 800, 600, QImage.Format.Format_RGBX8888)))
main.setCentralWidget(label)
painted(app, main)
"""
)


def seconds(program: str, folder: str) -> tuple[float, float]:
    """From before the process starts until its window is painted, and what it computed meanwhile [s]."""
    variables = {"QT_QPA_PLATFORM": "offscreen", "VTK_DEFAULT_OPENGL_WINDOW": "vtkEGLRenderWindow", **os.environ}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # else every start compiles all sources, a second of work
    variables |= {"BIOMEC_STARTED": repr(time()), "BIOMEC_FOLDER": folder}
    done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=True)
    passed, computed = done.stdout.split()
    return float(passed), float(computed)


def first_window() -> tuple[tuple[float, float], tuple[float, float]]:
    """Quickest start of Biomec, and of the bare window: seconds that passed, and seconds of computing."""
    with tempfile.TemporaryDirectory() as folder:
        ours, bare = zip(*((seconds(OURS, folder), seconds(BARE, folder)) for _ in range(TIMES)), strict=True)
    return min(ours), min(bare)


def main() -> None:
    """Print both."""
    ours, bare = first_window()
    print(f"First window: {ours[0]:.2f} s, of which {ours[1]:.2f} s computing ({WANTED_S:g} s are wanted);")
    print(f"a bare window with a picture of VTK: {bare[0]:.2f} s, of which {bare[1]:.2f} s computing.")


if __name__ == "__main__":
    main()
