"""The history is a script, and the script gives the numbers of the window."""

from dataclasses import replace

import pytest
from numpy.testing import assert_array_equal
from PySide6.QtGui import QGuiApplication

from biomec.io.project import save_project
from biomec.pipeline.replay import settings_line
from biomec_app.kit.theme import DARK
from biomec_app.shell.history import HistoryPanel


@pytest.fixture
def panel(qtbot, context):
    widget = HistoryPanel(context)
    qtbot.addWidget(widget)
    widget.resize(800, 200)
    widget.show()
    return widget


def changed(analysis):
    settings = analysis.settings
    return replace(settings, angles=replace(settings.angles, subtract_static=not settings.angles.subtract_static))


def test_what_is_done_and_undone_is_what_the_script_says(panel, context, demo_analysis):
    assert panel.text.toPlainText() == ""
    assert not panel.save_as.isEnabled()
    document = context.document
    document.open(demo_analysis)
    assert "import_session(" in panel.text.toPlainText()
    settings = changed(demo_analysis)
    line = settings_line(demo_analysis.settings, settings)
    document.change("angles", demo_analysis.with_settings(settings), line)
    assert line in panel.text.toPlainText()
    assert panel.told.text().startswith("1 change.")
    document.undo_stack.undo()
    assert line not in panel.text.toPlainText()
    document.undo_stack.redo()
    assert line in panel.text.toPlainText()


def test_the_script_of_a_project_gives_the_numbers_of_the_window(qtbot, panel, context, demo_analysis, tmp_path):
    path = tmp_path / "demo.biomec"
    save_project(demo_analysis.stored(), path)
    document = context.document
    document.open(demo_analysis, path)
    settings = changed(demo_analysis)
    line = settings_line(demo_analysis.settings, settings)
    document.change("angles", demo_analysis.with_settings(settings), line)
    with qtbot.waitSignal(context.jobs.finished, timeout=60_000):
        context.run_until("cycles")
    context.user.ask_file = lambda title, pattern, save, start: tmp_path / "again"
    panel.save_as.click()
    text = (tmp_path / "again.py").read_text("utf-8")
    assert text == panel.text.toPlainText()
    names: dict = {}
    exec(compile(text, "again.py", "exec"), names)
    again, here = names["analysis"], document.analysis
    assert again.settings == here.settings
    assert_array_equal(again.motion.q, here.motion.q)
    assert_array_equal(again.angles.values, here.angles.values)
    assert again.cycles.groups["both"].borders == here.cycles.groups["both"].borders


def test_copies_everything(panel, context, demo_analysis):
    context.document.open(demo_analysis)
    panel.copy_all.click()
    assert QGuiApplication.clipboard().text() == panel.text.toPlainText()


def test_a_line_that_cannot_be_run_is_shown_as_it_is(panel, context, demo_analysis):
    context.document.open(demo_analysis)
    context.document.change("odd", replace(demo_analysis), "analysis = unheard_of(analysis)")
    text = panel.text.toPlainText()
    assert text.startswith("# This history cannot be run as it is")
    assert "unheard_of" in text


def test_a_file_that_cannot_be_written_is_told(panel, context, demo_analysis, tmp_path):
    context.document.open(demo_analysis)
    sentences = []
    context.user.tell = context.user.fail = lambda title, sentence: sentences.append(sentence)
    context.user.ask_file = lambda title, pattern, save, start: tmp_path / "missing" / "a.py"
    panel.save()
    assert len(sentences) == 1
    context.user.ask_file = lambda title, pattern, save, start: None
    panel.save()
    assert len(sentences) == 1


def test_colours_follow_the_theme(panel, context, demo_analysis):
    context.document.open(demo_analysis)
    panel.set_theme(DARK)
    assert panel.grab().width() > 0
