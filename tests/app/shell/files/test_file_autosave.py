"""Unsaved work survives a crash, and leaves nothing behind otherwise."""

import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace

import pytest
from numpy.testing import assert_array_equal

from biomec.base import own_files
from biomec.io.project import save_project
from biomec.recording import Subject
from biomec_app.session.context import Context
from biomec_app.session.document import Document
from biomec_app.session.jobs import Jobs
from biomec_app.session.preferences import Preferences
from biomec_app.shell.autosave import DISCARD, RECOVER, Autosave, leftovers
from biomec_app.shell.main import _begin
from biomec_app.shell.main_window import MainWindow


@pytest.fixture
def autosave(context, short_analysis):
    context.document.open(short_analysis)
    made = Autosave(context)
    yield made
    made.close()


def keep(qtbot, autosave):
    with qtbot.waitSignal(autosave.saved, timeout=30000):
        autosave.keep()


def renamed(analysis, name):
    return replace(analysis, session=replace(analysis.session, subject=Subject(name)))


def test_unsaved_work_is_kept_and_removed_when_it_is_saved(qtbot, autosave, context, tmp_path):
    keep(qtbot, autosave)
    assert autosave.file.exists()
    autosave.keep()  # nothing changed: nothing to write
    assert autosave._writing is None
    assert leftovers(autosave.folder) == ()  # its owner lives
    context.document.saved_as(tmp_path / "x.biomec")
    assert not autosave.file.exists()


def test_what_is_saved_is_not_kept(autosave, context, tmp_path):
    context.document.saved_as(tmp_path / "x.biomec")
    autosave.keep()
    assert autosave._writing is None


def test_the_window_does_not_wait_for_it(qtbot, autosave):
    autosave.keep()
    assert autosave._writing is not None  # still at work, in a thread of its own, when the window goes on
    qtbot.waitUntil(lambda: autosave._writing is None, timeout=30000)


def test_a_folder_that_cannot_be_written_is_told(qtbot, autosave, tmp_path):
    autosave.folder = tmp_path / "file" / "recovery"
    (tmp_path / "file").write_text("in the way")
    with qtbot.waitSignal(autosave.failed) as failed:
        autosave.keep()
    assert "cannot be kept" in failed.args[0]


def test_closing_leaves_nothing(qtbot, autosave, context):
    keep(qtbot, autosave)
    for close in context.closing:
        close()
    assert list(autosave.folder.iterdir()) == []


def test_work_of_a_program_that_was_killed_is_recovered(qtbot, tmp_path, short_analysis):
    """A process keeps a recording under another name and kills itself; another one finds it, with the same numbers."""
    save_project(short_analysis.session, tmp_path / "recording.biomec")
    program = textwrap.dedent(
        f"""
        import os, signal, sys
        from dataclasses import replace
        from pathlib import Path
        from PySide6.QtWidgets import QApplication
        application = QApplication([])
        from biomec.io.project import load_project
        from biomec.pipeline.analysis import Analysis
        from biomec.recording import Subject
        from biomec_app.shell.autosave import Autosave
        from biomec_app.session.context import Context
        from biomec_app.session.document import Document
        from biomec_app.session.jobs import Jobs
        from biomec_app.session.preferences import Preferences
        context = Context(Document(), Jobs(), Preferences(Path({str(tmp_path / "prefs.ini")!r})))
        session = load_project(Path({str(tmp_path / "recording.biomec")!r}))
        context.document.open(Analysis(replace(session, subject=Subject("Lost"))).run_until("signals"))
        autosave = Autosave(context)
        autosave.saved.connect(lambda: os.kill(os.getpid(), signal.SIGKILL))
        autosave.keep()
        application.exec()
        """
    )
    ended = subprocess.run([sys.executable, "-c", program], env={**os.environ}, timeout=600, check=False)
    assert ended.returncode == -signal.SIGKILL
    context = Context(Document(), Jobs(), Preferences(tmp_path / "prefs.ini"))
    autosave = Autosave(context)
    (left,) = leftovers(autosave.folder)
    assert left.project is None
    autosave.offer_recovery()  # nobody answers: it stays
    assert left.file.exists()
    asked = []
    context.user.confirm = lambda title, question, choices: asked.append(question) or RECOVER
    with qtbot.waitSignal(autosave.saved, timeout=60000):
        autosave.offer_recovery()
    assert left.name in asked[0]
    document = context.document
    assert document.is_modified
    assert document.analysis.session.subject.name == "Lost"
    assert tuple(document.analysis.done) == ("preparation", "signals")
    assert_array_equal(document.analysis.signals.markers.p_WM, short_analysis.signals.markers.p_WM)
    assert not left.file.exists()  # it lies in the file of this program now
    assert autosave.file.exists()
    autosave.close()
    assert leftovers(autosave.folder) == ()


def test_what_a_crash_left_can_be_discarded(qtbot, autosave, context):
    keep(qtbot, autosave)
    autosave._lock.unlock()  # as if its program were gone
    assert len(leftovers(autosave.folder)) == 1
    context.user.confirm = lambda *_: DISCARD
    autosave.offer_recovery()
    assert leftovers(autosave.folder) == ()


def test_the_newest_change_is_what_is_kept(qtbot, autosave, context, short_analysis):
    keep(qtbot, autosave)
    context.document.change("Subject", renamed(short_analysis, "Newer"))
    keep(qtbot, autosave)
    from biomec.io.project import load_project

    assert load_project(autosave.file).subject.name == "Newer"


@pytest.mark.skipif(os.name != "posix", reason="permission bits as on POSIX")
def test_nobody_else_can_read_what_is_kept(qtbot, autosave):
    keep(qtbot, autosave)
    assert autosave.folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (autosave.file, autosave.file.with_suffix(".json"))} == {0o600}


@pytest.mark.skipif(os.name != "posix", reason="files are locked as on POSIX")
def test_half_files_of_a_killed_autosave_are_removed(autosave):
    """Their names are never used again, so that no later save would find them."""
    autosave.folder.mkdir(mode=0o700)
    (autosave.folder / ".1-ab.biomec.0123456789ab.part").write_bytes(b"half")
    (autosave.folder / "1-ab.json").write_text('{"name": "Maria"}')  # killed before the project was written
    assert not autosave.offer_recovery()
    assert list(autosave.folder.iterdir()) == []


@pytest.mark.parametrize("note", ["[]", '{"name": 3, "project": ["x"]}', "[" * 100000, ""])
def test_a_damaged_note_beside_unsaved_work_does_no_harm(autosave, note):
    autosave.folder.mkdir(mode=0o700)
    (autosave.folder / "1-ab.biomec").write_bytes(b"x")
    (autosave.folder / "1-ab.json").write_text(note)
    (left,) = leftovers(autosave.folder)
    assert (left.name, left.project) == ("1-ab", None)


@pytest.fixture
def left_behind(autosave, short_analysis):
    """Unsaved work of a program that is gone."""
    autosave.folder.mkdir(mode=0o700)
    file = autosave.folder / "1-ab.biomec"
    save_project(renamed(short_analysis, "Planted").session, file)
    file.with_suffix(".json").write_text('{"name": "planted.biomec"}')
    file.with_suffix(".json").chmod(0o600)
    return file


@pytest.fixture
def messages(autosave):
    """Sentences of failures; whatever is asked is answered with yes."""
    heard = []
    autosave.context.user.fail = lambda title, sentence: heard.append(sentence)
    autosave.context.user.confirm = lambda title, question, choices: choices[0]
    return heard


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps others out of a user's profile by itself")
@pytest.mark.parametrize("place", ["file", "folder"])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_unsaved_work_that_others_can_change_is_not_opened(left_behind, autosave, messages, place, mode):
    """A project that somebody else put there would be offered, and shown, as the user's own work."""
    opened = left_behind if place == "file" else left_behind.parent
    opened.chmod(opened.stat().st_mode | mode)
    assert not autosave.offer_recovery()
    (sentence,) = messages
    assert str(opened) in sentence
    assert "can be changed by other users" in sentence
    assert left_behind.exists()
    opened.chmod(opened.stat().st_mode & ~mode)
    assert autosave.offer_recovery()
    assert len(messages) == 1


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps others out of a user's profile by itself")
@pytest.mark.parametrize("place", ["file", "folder"])
def test_unsaved_work_of_another_user_is_not_opened(left_behind, autosave, messages, monkeypatch, place):
    """Simulated: who runs the tests cannot give files away."""
    watched = os.stat(left_behind if place == "file" else left_behind.parent).st_ino
    real = os.fstat

    def foreign(handle):
        state = real(handle)
        return os.stat_result((*state[:4], os.geteuid() + 1, *state[5:])) if state.st_ino == watched else state

    monkeypatch.setattr(own_files.os, "fstat", foreign)
    assert not autosave.offer_recovery()
    (sentence,) = messages
    assert "belongs to another user" in sentence


@pytest.mark.skipif(os.name != "posix", reason="links and pipes as on POSIX")
def test_links_and_pipes_in_the_recovery_folder_are_not_opened(left_behind, autosave, messages, tmp_path):
    left_behind.rename(tmp_path / "elsewhere.biomec")
    left_behind.symlink_to(tmp_path / "elsewhere.biomec")
    assert not autosave.offer_recovery()
    left_behind.unlink()
    os.mkfifo(left_behind, 0o600)
    assert not autosave.offer_recovery()
    assert len(messages) == 2
    assert "this is not a file" in messages[1]


@pytest.mark.parametrize("damage", [b"", b"BIOMEC PROJECT\nschema 1\n", None])
def test_damaged_unsaved_work_is_set_aside_and_the_file_asked_for_opens(qtbot, tmp_path, short_analysis, damage):
    """The damaged file was offered at every start, and the file that was asked for never opened."""
    wanted = tmp_path / "wanted.biomec"
    save_project(replace(short_analysis.session, subject=Subject("Wanted")), wanted)
    window = MainWindow(Preferences(tmp_path / "prefs.ini"))
    qtbot.addWidget(window)
    window.autosave.folder.mkdir(mode=0o700)
    file = window.autosave.folder / "1-ab.biomec"
    file.write_bytes(wanted.read_bytes()[:-7] if damage is None else damage)
    sentences = []
    window.context.user.confirm = lambda title, question, choices: choices[0]
    window.context.user.fail = lambda title, sentence: sentences.append(sentence)
    _begin(window, (wanted,), False)
    qtbot.waitUntil(lambda: window.context.document.is_open)
    assert window.context.document.analysis.session.subject.name == "Wanted"
    assert not file.exists()
    assert file.with_suffix(".damaged").exists()
    assert len(sentences) == 1
    assert str(file.with_suffix(".damaged")) in sentences[0]
    assert leftovers(window.autosave.folder) == ()
    window.context.document.undo_stack.setClean()
    window.close()
