"""Help: the manual, the keys of all menus, the installation, and what Biomec is."""

import threading

import pytest

from biomec_app.dialogs.manual_window import ManualWindow, open_manual
from biomec_app.figures.tables import TableWindow, cycle_statistics, open_tables
from biomec_app.shell.actions import all_actions
from biomec_app.shell.guide import about_section, shortcut_sections
from biomec_app.shell.start_page import STEPS, TAGLINE

ITEMS = {action.key: action for action in all_actions()}


def close_all(context):
    for window in list(context.windows):
        window.shut()


def test_keys_are_those_of_the_menus():
    menus, figures = shortcut_sections(all_actions())
    keys = {row[1]: row for row in menus.tables[0].rows}
    assert keys["Ctrl+S"][::2] == ("File", "Save")
    assert keys["F5"][2] == "Kinematic Analysis"
    assert keys["F1"][::2] == ("Help", "User Guide")
    assert len(keys) == len(menus.tables[0].rows)  # no key does two things
    assert figures.tables[0].rows


def test_the_overview_of_keys_opens(qtbot, context):
    ITEMS["help.shortcuts"].run(context)
    (window,) = context.windows
    assert isinstance(window, TableWindow)
    assert "Ctrl+S" in window.text()
    close_all(context)


def test_the_manual_opens_without_being_built_and_only_once(qtbot, context):
    with qtbot.waitSignal(context.aside.finished, timeout=10_000):
        ITEMS["help.guide"].run(context)
    (window,) = context.windows
    assert isinstance(window, ManualWindow)
    assert window.page.toPlainText().startswith("The window")
    assert open_manual(context) is window
    close_all(context)


def test_about_names_what_is_installed():
    section = about_section()
    assert any("Apache License 2.0" in sentence for sentence in section.sentences)
    assert any(name.startswith("numpy ") for name, _ in section.tables[0].rows)
    assert not any("not installed" in name for name, _ in section.tables[0].rows)


@pytest.mark.usefixtures("document_with_demo")
def test_the_installation_is_examined_while_the_recording_can_be_saved(qtbot, context, tmp_path, monkeypatch):
    done = threading.Event()

    class Report:
        def as_text(self):
            assert done.wait(600.0)
            return "Everything that is installed works."

    shown = []
    monkeypatch.setattr("biomec.doctor.examine", Report)
    monkeypatch.setattr("biomec_app.shell.about.open_report", lambda context, text: shown.append(text))
    ITEMS["help.doctor"].run(context)
    assert "is running" in ITEMS["help.doctor"].blocked(context)
    for key in ("file.save", "file.save-as", "edit.subject", "edit.settings", "file.open"):
        assert ITEMS[key].blocked(context) is None, key
    context.user.ask_file = lambda *asked: tmp_path / "meanwhile.biomec"
    with qtbot.waitSignal(context.jobs.finished, timeout=60_000):
        ITEMS["file.save"].run(context)
    assert (tmp_path / "meanwhile.biomec").exists()
    assert not shown
    with qtbot.waitSignal(context.aside.finished, timeout=10_000):
        done.set()
    assert shown == ["Everything that is installed works."]
    assert ITEMS["help.doctor"].blocked(context) is None


@pytest.mark.usefixtures("document_with_demo")
def test_cycle_statistics_open_follow_and_are_saved(qtbot, context, tmp_path, demo_analysis):
    window = open_tables(context, "Cycle Statistics", cycle_statistics(demo_analysis), cycle_statistics)
    assert "Right elbow flexion\t" in window.text()
    assert "valid cycles" in window.text()
    assert "Rhythm [1/min]\t" in window.text()  # of the push-ups; nobody walks
    assert "Time and distance" not in window.text()
    window.save(tmp_path / "cycles.txt")
    assert (tmp_path / "cycles.txt").read_text("utf-8") == window.text()
    sentences = []
    context.user.tell = context.user.fail = lambda title, sentence: sentences.append(sentence)
    window.save(tmp_path / "none" / "cycles.txt")
    assert "cycles.txt" in sentences[0]
    from biomec.pipeline.analysis import Analysis

    context.document.change("Nothing", Analysis(demo_analysis.session))
    assert "first." in window.text()
    close_all(context)


def test_about_and_start_page_name_all_that_the_program_does():
    """They had named joint angles only, long after loads, simulations and machines had come."""
    about = " ".join(about_section().sentences)
    start = " ".join([TAGLINE, *(text for step in STEPS for text in step)])
    for words in (about, start):
        for what in ("joint angles", "joint loads", "simulations", "machines"):
            assert what in words
