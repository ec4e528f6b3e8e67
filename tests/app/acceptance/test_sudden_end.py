"""The window is closed in the middle of everything: nothing crashes, nothing speaks to what is gone."""

import os
import subprocess
import sys

import pytest

from tests.places import ROOT

WAYS = ("playing", "analysing", "copying", "figure", "quickly", "saving", "movie")

PROGRAM = """
import sys
from pathlib import Path
from time import monotonic, sleep
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from biomec.io.project import load_project
from biomec.pipeline.reopen import reopened, open_again
from biomec_app.figures.registry import figure_named
from biomec_app.figures.window import open_figure
from biomec_app.shell.main import application
from biomec_app.shell.main_window import MainWindow
from biomec_app.session.preferences import Preferences
from biomec_app.dialogs.movie import MovieDialog

ways, project, folder = sys.argv[3:], Path(sys.argv[1]), Path(sys.argv[2])
app = application()
analysis = open_again(load_project(project))
measured = reopened(load_project(project)).analysis

def work(seconds):
    end = monotonic() + seconds
    while monotonic() < end:
        app.processEvents()
        sleep(0.002)

for way, k in [(way, k) for way in ways for k in range(4 if way == "quickly" else 2)]:
    print(way, flush=True)
    window = MainWindow(Preferences(folder / "prefs.ini"))
    context = window.context
    context.user.confirm = lambda title, question, choices: choices[-1]
    context.user.tell = context.user.fail = lambda title, sentence: None
    context.user.ask_file = lambda title, *asked: folder / ("movie.gif" if "ovie" in title else "saved.biomec")
    window.show()
    context.document.open(measured if way == "analysing" else analysis)
    work(0.0 if way == "quickly" else 0.1)
    if way == "playing":
        window.timeline.playback.play()
        work(0.1)
    elif way == "analysing":
        window.menus.run("kinematics.all")
        work(0.1 * (k + 1))
    elif way == "copying":
        for kind in ("png", "svg", "data"):
            window.menus.run(f"file.copy-{kind}")
    elif way == "figure":
        for key in ("angles", "agreement", "cutoffs"):
            open_figure(context, figure_named(key))
        work(0.05 * k)
    elif way == "saving":
        window.menus.run("file.save")
    elif way == "movie":
        window.menus.run("visualize.movie")
        window.findChild(MovieDialog).accept()
        work(0.1)
    context.user.confirm = lambda title, question, choices: "Don't save"
    assert window.close()
    window.deleteLater()
    if k % 2:
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        work(0.1)
work(0.2)
print("ended well")
"""


@pytest.fixture(scope="module")
def project(squat_analysis, tmp_path_factory):
    from biomec.io.project import save_project

    path = tmp_path_factory.mktemp("project") / "squat.biomec"
    save_project(squat_analysis.stored(), path)
    return path


def test_the_window_may_be_closed_at_any_moment(project, tmp_path):
    """One program, one window after the other; what it printed last says how it was being closed when it died."""
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROGRAM, str(project), str(tmp_path), *WAYS],
        cwd=ROOT, capture_output=True, text=True, timeout=800, env={**os.environ, "PYTHONFAULTHANDLER": "1"},
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr[-3000:]
    assert run.stdout.endswith("ended well\n")
    assert set(WAYS) < set(run.stdout.split())
    for word in ("Traceback", "deleted", "Fatal", "QThread"):
        assert word not in run.stderr, run.stdout + run.stderr[-3000:]
