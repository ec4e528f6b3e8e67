"""Every item of every menu, chosen in each state of the program: it does something, or says why it cannot."""

from dataclasses import replace
from functools import cache

import pytest
from PySide6.QtWidgets import QApplication, QDialog

from biomec import doctor
from biomec.pipeline.analysis import KINEMATICS
from biomec.pipeline.settings import CycleSettings
from biomec.pipeline.settings_file import write_settings
from biomec.reporting import demo
from biomec_app.session.project_file import DISCARD, SAVE
from biomec_app.shell.actions import all_actions
from biomec_app.shell.actions.signal_analysis import extra_actions
from tests.app.acceptance.person import Person, is_blank
from tests.app.conftest import let_run

ITEMS = [action.key for action in (*all_actions(), *extra_actions()) if action.run is not None]
STATES = ("nothing", "measured", "analysed")
ENDS = "file.exit"  # has a test of its own


@pytest.fixture(scope="module")
def shared(qapp, tmp_path_factory):
    """One window for all items: they must not get into each other's way either."""
    made = Person(tmp_path_factory.mktemp("window") / "prefs.ini")
    yield made
    made.leave()


@pytest.fixture
def at(shared, request, tmp_path, squat_files, squat_measured, short_analysis):
    """The window in a state, with a file to open and a place to save to."""
    state = request.param
    wanted = {"nothing": None, "measured": squat_measured, "analysed": short_analysis}[state]
    document = shared.document
    now = document.analysis if document.is_open else None
    if now is not wanted or document.path is not None or document.undo_stack.count():
        document.close()
        if wanted is not None:
            document.open(wanted)
        shared.idle()
    shared.path, shared.answer, shared.state, shared.folder = tmp_path / "saved", None, state, tmp_path
    shared.heard.clear()
    shared.asked.clear()
    shared.squat = squat_files["c3d"]
    yield shared
    for one in shared.others:
        if isinstance(one, QDialog):
            one.reject()
        else:
            one.close()
    let_run()
    assert not shared.others
    # The configuration went on following the recording: the more often it was opened, the longer a change took.
    assert shared.window.findChildren(QDialog) == []


@pytest.fixture
def short_demo(monkeypatch, squat_measured):
    """A demonstration that need not be recorded first; the whole one has tests of its own."""
    monkeypatch.setattr(demo, "demo_session", lambda folder: (None, squat_measured.session))


@pytest.fixture(scope="module")
def examined():
    """The installation is the same in every state: its programs that try to draw are started once."""
    return cache(doctor.examine)


def is_sentence(text):
    return len(text.split()) > 2 and text.rstrip().endswith((".", "?", ")")) and "--" not in text


RUN_MUSCLES = ("muscles.upper", "muscles.lower", "muscles.both", "muscles.forces")


@pytest.mark.parametrize("key", [key for key in ITEMS if key != ENDS])
@pytest.mark.parametrize("at", STATES, indirect=True)
def test_every_item_does_something_or_says_why_not(at, key, short_demo, examined, monkeypatch):
    monkeypatch.setattr(doctor, "examine", examined)
    action, item = at.window.menus.items[key]
    if not item.isVisible():
        return  # a recent file that is not there
    reason = action.blocked(at.context)
    assert item.isEnabled() == (reason is None)
    if not item.isEnabled():
        assert is_sentence(reason), reason
        assert reason in item.toolTip()
        return
    if key in ("file.import", "file.open"):
        at.path, at.answer = at.squat, DISCARD
    if key == "edit.load-settings":
        at.path = at.folder / "settings.json"
        write_settings(replace(at.document.analysis.settings, cycles=CycleSettings("none")), at.path)
    if key == "file.demo":
        at.answer = DISCARD
    if (
        key in RUN_MUSCLES
    ):  # keeping the humeral heads in their sockets takes ten times as long, and has tests of its own
        settings = at.document.analysis.settings
        sharing = replace(settings.muscles.sharing, glenohumeral="free")
        free = replace(settings, muscles=replace(settings.muscles, sharing=sharing))
        at.document.change("Free shoulders", at.document.analysis.with_settings(free))
    at.choose(key)
    assert not at.context.jobs.busy
    assert not is_blank(at.window)
    for sentence in at.heard + at.asked:
        assert is_sentence(sentence), sentence
    for opened in at.others:
        assert opened.windowTitle()
        assert opened.width() <= 1280, opened.width()
        assert opened.height() <= 720, opened.height()
        assert not is_blank(opened), opened.windowTitle()
    if key == "file.import":
        assert at.others
    if key == "edit.load-settings":
        assert at.document.undo_stack.undoText() == "Load Settings of settings.json"
    if key in ("edit.functional", "edit.save-settings", "file.export-report"):
        assert at.others
    if key.startswith("kinematics."):
        step = key.removeprefix("kinematics.")
        assert at.document.analysis.is_current(KINEMATICS if step == "all" else step)
        assert at.document.undo_stack.count() == 1
    if key.startswith("figures.") or key == "signals.statistics":
        assert at.others
    if action.checked is not None:
        at.choose(key)  # and back again


@pytest.mark.parametrize("answer", [SAVE, DISCARD, None])
def test_exit_asks_and_does_as_it_is_told(person, squat_measured, tmp_path, answer):
    person.document.open(squat_measured)
    person.path, person.answer = tmp_path / "kept.biomec", answer
    person.choose(ENDS)
    assert len(person.asked) == 1
    assert person.window.isVisible() == (answer is None)
    assert person.path.exists() == (answer == SAVE)
    assert person.document.is_open


def test_exit_asks_nothing_when_nothing_would_be_lost(person):
    person.choose(ENDS)
    assert not person.asked
    assert not person.window.isVisible()


def test_every_panel_can_be_closed_and_brought_back_by_its_item(with_demo):
    window = with_demo.window
    for name in window.docks:
        was = window.menus.items[f"visualize.panel.{name}"][1].isChecked()
        for wanted in (not was, was) if was else (True, False, True):
            window.menus.items[f"visualize.panel.{name}"][1].trigger()
            QApplication.processEvents()
            assert window.menus.items[f"visualize.panel.{name}"][1].isChecked() is wanted, name
        assert not is_blank(window)
