"""Settings for every test: no screen, one thread for each numerical library, one language."""

import os

import pytest
from hypothesis import settings

from biomec.base.system_libraries import DRAWING, apt_command, missing_packages

# Before NumPy, Qt and VTK are imported. What the caller has set wins, so that tests can also run on a real screen.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
os.environ.setdefault("LC_ALL", "C.UTF-8")
os.environ.setdefault("PYTEST_QT_API", "pyside6")

# No limit of time for one example: machines are busy, and a first call may compile.
settings.register_profile("biomec", deadline=None)
settings.load_profile("biomec")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Say what is missing before pytest-qt loads Qt, which fails with a long trace of calls."""
    packages = missing_packages(DRAWING)
    if packages and config.pluginmanager.has_plugin("pytest-qt"):
        raise pytest.UsageError(
            "Qt and VTK cannot draw, because libraries of the system are missing. "
            f"On Debian or Ubuntu type: {apt_command(packages)}\n"
            "To test the library alone meanwhile: .venv/bin/pytest -p no:pytest-qt tests/core"
        )
