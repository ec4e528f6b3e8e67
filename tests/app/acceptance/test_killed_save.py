"""The program is killed while File ▸ Save writes: the old or the new project opens, and recovery offers the work."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from biomec.io.project import load_project, save_project
from biomec_app.session.preferences import Preferences
from biomec_app.shell.autosave import RECOVER
from biomec_app.shell.main_window import MainWindow
from tests.places import ROOT

BEFORE, AFTER = "As saved before", "As changed since"
PATIENCE_S = 600.0  # a program that hangs is a fault; nothing else depends on how long anything takes

PROGRAM = """
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from biomec.base import atomic
from biomec.io import project as projects
from biomec.pipeline.reopen import open_again
from biomec_app.shell.main import application
from biomec_app.shell.main_window import MainWindow
from biomec_app.session.preferences import Preferences

moment, project, folder, name = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
app = application()
window = MainWindow(Preferences(folder / "prefs.ini"))
document = window.context.document
document.open(open_again(projects.load_project(project)), project)
window.show()
session = document.analysis.session
changed = replace(session, subject=replace(session.subject, name=name))
document.change("Rename", replace(document.analysis, session=changed), "pass")

def stay(*_):
    (folder / "here").touch()
    Event().wait()  # until it is killed

class HalfWritten:
    def __init__(self, path):
        self.path = path
    def open(self, mode):
        self.file = self.path.open(mode, buffering=0)
        return self
    def __enter__(self):
        return self
    def __exit__(self, *_):
        self.file.close()
    def write(self, content):
        self.file.write(content[: len(content) // 2])
        stay()

@contextmanager
def half_written(path, private=False):
    with atomic.atomic_path(path, private) as temporary:
        yield HalfWritten(temporary)

def save():
    if moment == "half written":
        projects.atomic_path = half_written
    else:
        atomic.flush_folder = stay
    window.menus.run("file.save")

window.autosave.saved.connect(save)
window.autosave.failed.connect(lambda sentence: sys.exit(sentence))
window.autosave.keep()
app.exec()
"""


@pytest.mark.skipif(os.name != "posix", reason="kill as on POSIX")
@pytest.mark.parametrize(
    ("moment", "found"),
    [("half written", BEFORE), ("after it took the place", AFTER)],
)
def test_killed_while_it_saves_nothing_is_lost(moment, found, qtbot, squat_analysis, tmp_path):
    project = tmp_path / "squat.biomec"
    session = squat_analysis.stored()
    save_project(replace(session, subject=replace(session.subject, name=BEFORE)), project)
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, moment, str(project), str(tmp_path), AFTER],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    with program:
        end = time.monotonic() + PATIENCE_S
        while not (tmp_path / "here").exists() and program.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        program.send_signal(signal.SIGKILL)
        printed, _ = program.communicate()
    assert (tmp_path / "here").exists(), printed[-3000:]
    assert program.returncode == -signal.SIGKILL
    half = sorted(tmp_path.glob(".squat.biomec.*.part"))
    assert bool(half) == (found == BEFORE)  # it was killed where it should be

    assert load_project(project).subject.name == found
    assert not list(tmp_path.glob(".squat.biomec.*.part"))  # opening it has removed what the killed save left

    window = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(window)
    context = window.context
    asked: list[str] = []

    def answer(title, question, choices):
        asked.append(question)
        return RECOVER if RECOVER in choices else "Don't save"

    context.user.confirm = answer
    assert window.autosave.offer_recovery()
    qtbot.waitUntil(lambda: context.document.is_open, timeout=round(1000 * PATIENCE_S))
    assert "squat" in asked[0]
    assert context.document.analysis.session.subject.name == AFTER
    assert context.document.path == project
    assert context.document.is_modified
    window.close()
