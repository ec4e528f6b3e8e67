"""The first window comes soon: what takes long to load, and is not needed for it, is loaded when it is first used."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from pathlib import Path
import biomec.cli
from biomec_app.shell.main import application
from biomec_app.shell.main_window import MainWindow
from biomec_app.session.preferences import Preferences
app = application()
window = MainWindow(Preferences(Path(sys.argv[1]) / "prefs.ini"))
window.show()
app.processEvents()
print("\\n".join(sys.modules))
sys.stdout.flush()
window.close()
"""
SLOW = {
    *("scipy.fft", "scipy.integrate", "scipy.interpolate", "scipy.io", "scipy.linalg", "scipy.ndimage"),
    *("scipy.optimize", "scipy.signal", "scipy.sparse", "scipy.spatial", "scipy.special", "scipy.stats"),
    *("matplotlib", "PIL", "ezc3d", "sympy", "casadi", "pinocchio", "dask", "numpy.testing", "numpy.f2py"),
    *("openpyxl", "xlrd", "docx", "lxml"),
    *(
        "biomec.virtual",
        "biomec_app.figures.report",
        "biomec_app.figures.report.demo_pictures",
    ),
}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """Names of all modules once the first window is shown."""
    command = [sys.executable, "-c", PROGRAM, str(tmp_path_factory.mktemp("start"))]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_the_first_window_loads_nothing_that_is_slow_and_not_needed(loaded):
    assert loaded & SLOW == set()


def test_the_modules_of_the_window_are_among_those_looked_at(loaded):
    """Or the test above could not fail."""
    assert {"biomec_app.shell.main_window", "biomec.pipeline.analysis", "scipy", "pyqtgraph"} <= loaded
