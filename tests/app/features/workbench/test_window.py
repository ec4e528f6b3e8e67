"""The workbench with somebody at it."""

import gc
import json
import threading
import weakref

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionComboBox, QWidget

from biomec.machines.machine import load_machine, machine_names
from biomec.machines.motion import STRAYED
from biomec.machines.studies import study
from biomec_app.features.workbench.actions import open_when_loaded
from biomec_app.features.workbench.study_panel import OptionForm
from biomec_app.features.workbench.window import open_workbench
from biomec_app.kit.theme import DARK, LIGHT, apply
from tests.app.acceptance.person import is_blank


def test_it_opens_once_with_a_machine_that_moves(student):
    window = student.window
    assert open_workbench(student.context) is window
    assert window.width() <= 1280
    assert window.height() <= 720
    assert "Mechanism Workbench" in window.windowTitle()
    assert len(window.preview.time_s) > 10
    assert not is_blank(window)
    assert not is_blank(window.stage)


@pytest.mark.parametrize("busy", [False, True])
def test_the_menu_opens_it_also_while_other_work_goes_on(qtbot, context, swing, busy):
    go_on = threading.Event()
    if busy:
        context.aside.start("Something", lambda progress: go_on.wait(60.0), lambda _: None)
    open_when_loaded(context)
    qtbot.waitUntil(lambda: bool(context.windows), timeout=60_000)
    (window,) = context.windows
    assert window.isVisible()
    go_on.set()
    qtbot.waitUntil(lambda: not (window.is_drawing or context.aside.busy), timeout=60_000)
    window.close()


@pytest.mark.parametrize("name", machine_names())
def test_every_machine_opens(student, name):
    student.window.open_catalogued(name)
    student.idle()
    assert student.bench.machine.name == load_machine(name).name
    assert set(student.window.form.boxes) == set(student.bench.machine.blueprint.parameters)
    assert not is_blank(student.window.stage)
    assert student.told == []


def test_a_value_has_its_effect_at_once_and_can_be_undone(student):
    window, bench = student.window, student.bench
    before = window.stage.drawing.sketch.points["crank.B"][0]
    window.form.boxes["L1"].setValue(0.4)  # no event loop in between
    drawn = window.stage.drawing.sketch
    assert np.linalg.norm(drawn.points["crank.B"][0] - drawn.points["crank.A"][0]) == pytest.approx(0.4)
    assert "L1 = { value = 0.4," in window.editor.text.toPlainText()
    assert window.form.resets["L1"].isVisibleTo(window)
    window.form.boxes["L1"].setValue(0.45)
    window.form.boxes["m1"].setValue(5.0)
    assert bench.undo_stack.count() == 2  # two changes of the same value are one step
    student.item("undo").trigger()
    student.item("undo").trigger()
    assert bench.machine.values["L1"] == 0.5
    assert window.form.boxes["L1"].value() == 0.5
    assert np.allclose(window.stage.drawing.sketch.points["crank.B"][0], before)
    assert not window.form.resets["L1"].isVisibleTo(window)
    student.item("redo").trigger()
    assert bench.machine.values["L1"] == 0.45
    window.form.resets["L1"].click()
    assert bench.machine.values["L1"] == 0.5
    window.form.boxes["L1"].setValue(0.6)
    window.form.boxes["L2"].setValue(0.8)
    window.form.reset_all.click()
    assert bench.draft.changed == frozenset()


def test_values_that_do_not_fit_together_are_told_in_the_drawing(student):
    student.window.form.boxes["L1"].setValue(4.0)
    assert student.window.stage.drawing.words == STRAYED
    student.idle()
    assert student.window.stage.drawing.words == STRAYED


def test_a_slip_in_the_text_is_told_with_its_line_and_the_machine_stays(student):
    window, area = student.window, student.window.editor.text
    good = area.toPlainText()
    area.setPlainText(good.replace('mass = "=m2"', 'mass = "=m22"'))
    student.qtbot.waitUntil(lambda: window.editor.fault.isVisible(), timeout=60_000)
    assert "m22" in window.editor.fault.text()
    line = area.toPlainText().splitlines().index('mass = "=m22"') + 1
    assert f"line {line}" in window.editor.fault.text()
    assert area.extraSelections()[0].cursor.blockNumber() == line - 1
    assert not window.studies.run_button.isEnabled()
    assert not window.form.grid_widget.isEnabled()
    assert student.bench.machine.values["m2"] == 11.55
    student.item("undo").trigger()
    assert area.toPlainText() == good
    assert not window.editor.fault.isVisible()
    assert window.studies.run_button.isEnabled()


def test_form_and_text_stand_beside_each_other_and_either_can_be_hidden(student):
    window = student.window
    sides, form, text = window.sides, window.form, window.editor
    assert form.isVisible()
    assert text.isVisible()
    edge = form.mapTo(window, form.rect().topRight()).x()
    assert edge < text.mapTo(window, text.rect().topLeft()).x()
    wide = window.stage.width()
    sides.text_button.click()
    student.idle()
    assert not text.isVisible()
    assert window.stage.width() > wide
    sides.form_button.click()  # one of them is always there
    assert text.isVisible()
    assert not form.isVisible()
    student.item("form").trigger()
    assert form.isVisible()
    assert form.boxes["L1"].hasFocus() or not window.isActiveWindow()
    student.item("text").trigger()
    assert text.isVisible()


def test_a_change_in_one_shows_in_the_other(student):
    window = student.window
    window.form.boxes["L1"].setValue(0.4)
    assert "L1 = { value = 0.4," in window.editor.text.toPlainText()
    area = window.editor.text
    area.setPlainText(area.toPlainText().replace("value = 0.4,", "value = 0.6,"))
    student.qtbot.waitUntil(lambda: window.form.boxes["L1"].value() == 0.6, timeout=60_000)
    student.item("undo").trigger()
    assert window.form.boxes["L1"].value() == 0.4


def test_the_parts_of_the_machine_are_listed_and_lead_to_their_text(student):
    outline, area = student.window.sides.outline, student.window.editor.text
    tops = [outline.topLevelItem(k) for k in range(outline.topLevelItemCount())]
    assert [one.text(0) for one in tops] == ["Bodies (3)", "Joints (4)", "Drivers (1)", "Laws (1)", "Motors (4)"]
    assert [tops[0].child(k).text(1) for k in range(3)] == ["6.59 kg", "11.55 kg", "9.07 kg"]
    joint = tops[1].child(2)
    assert (joint.text(0), joint.text(1)) == ("C", "revolute, coupler.C – follower.C")
    student.window.sides.text_button.setChecked(False)
    outline.itemClicked.emit(joint, 0)
    assert area.isVisible()
    lines = area.toPlainText().splitlines()
    at = area.textCursor().blockNumber()
    assert lines[at : at + 3] == ["[[joint]]", 'type = "revolute"', 'name = "C"']
    student.window.form.boxes["m1"].setValue(7.0)
    assert outline.topLevelItem(0).child(0).text(1) == "7 kg"


def test_no_field_of_an_analysis_lies_under_the_scroll_bar(student, monkeypatch):
    monkeypatch.undo()  # the real studies
    window = student.window
    window.studies.refresh()
    student.idle()
    window.resize(1270, 700)
    window.studies.choose("optimal-control")
    student.idle()
    assert window.studies.form.width() <= window.studies.area.viewport().width()
    assert window.studies.area.verticalScrollBar().isVisible()


def test_text_that_was_typed_a_moment_ago_is_not_lost(student):
    area = student.window.editor.text
    area.setPlainText(area.toPlainText().replace("value = 0.5,", "value = 0.55,"))
    student.item("undo").trigger()  # before the pause is over: takes back what was typed
    assert student.bench.machine.values["L1"] == 0.5
    student.item("redo").trigger()
    assert student.bench.machine.values["L1"] == 0.55


def test_a_closed_workbench_is_gone(student):
    student.run()
    bench, window = weakref.ref(student.bench), weakref.ref(student.window)
    student.window.close()
    student.window = student.bench = None
    for _ in range(3):
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QApplication.processEvents()
        gc.collect()
    assert window() is None
    assert bench() is None


def test_a_title_that_is_too_long_ends_in_dots_and_is_told_whole(student):
    header = student.window.header
    header.machines.setFixedWidth(120)
    assert header.machines.shown().endswith("…")
    assert header.machines.currentText() in header.machines.toolTip()
    header.machines.setFixedWidth(600)
    assert header.machines.shown() == header.machines.currentText()


def _combo_option(box):
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    return option


def test_a_chooser_shows_its_longest_choice_whole(qtbot):
    """Of the words "equilibrium near the start" the end was cut off."""
    form = OptionForm(study("linearise"), {})
    qtbot.addWidget(form)
    form.resize(280, 500)
    form.show()
    box = form.boxes["about"]
    longest = max(box.fontMetrics().horizontalAdvance(box.itemText(k)) for k in range(box.count()))
    room = box.style().subControlRect(
        QStyle.ComplexControl.CC_ComboBox, _combo_option(box), QStyle.SubControl.SC_ComboBoxEditField, box
    )
    assert room.width() >= longest


def test_unsaved_text_asks_before_it_goes(student, tmp_path):
    window, file = student.window, tmp_path / "mine.toml"
    window.form.boxes["L1"].setValue(0.6)
    window.close()
    assert len(student.asked) == 1
    assert window.isVisible()
    window.open_catalogued("pendulum")
    assert len(student.asked) == 2
    assert student.bench.machine.name == "four-bar"
    assert window.header.machines.currentData() == "four-bar"
    student.context.user.ask_file = lambda *asked: file
    student.answer = "Save"
    window.open_catalogued("pendulum")
    assert student.bench.machine.name == "pendulum"
    assert load_machine(file).values["L1"] == 0.6
    student.asked.clear()
    window.ask_open()
    assert student.bench.draft.path == file
    assert window.header.machines.currentText() == "mine.toml"
    window.close()
    assert student.asked == []
    assert window not in student.context.windows


def test_a_file_that_is_no_machine_is_told(student, tmp_path):
    file = tmp_path / "wrong.toml"
    file.write_text("name = 3\n", encoding="utf-8")
    student.context.user.ask_file = lambda *asked: file
    student.item("open").trigger()
    assert "wrong.toml" in student.told[0]
    assert student.bench.machine.name == "four-bar"


def test_a_new_machine_begins_with_text_that_works(student):
    student.item("new").trigger()
    student.idle()
    assert student.bench.machine.name == "my machine"
    assert student.window.editor.isVisible()
    student.run()
    assert student.bench.runs[0].run.succeeded


def test_everything_can_be_saved(student, tmp_path):
    window, context = student.window, student.context
    student.item("curves").trigger()
    assert "no run yet" in student.told.pop()
    student.run()
    written = {"curves": "a.csv", "figures": "b.csv", "plots": "c.svg", "drawing": "d.png", "equations": "e.c",
               "movie": "f.gif"}  # fmt: skip
    for name, file in written.items():
        context.user.ask_file = lambda *asked, file=file: tmp_path / file
        student.item(name).trigger()
        student.idle()
        assert (tmp_path / file).stat().st_size > 10, name
    assert student.told == []
    assert not QImage(str(tmp_path / "d.png")).isNull()
    assert (tmp_path / "f.gif").read_bytes()[:4] == b"GIF8"
    assert (tmp_path / "e.c").read_text("utf-8").startswith("double f")
    context.user.ask_file = lambda *asked: tmp_path / "c.xyz"
    for name in ("plots", "drawing", "equations", "movie"):
        student.item(name).trigger()
        student.idle()
        assert "c.xyz" in student.told.pop(), name
    shown = []
    context.user.ask_folder = lambda *asked: tmp_path
    context.user.show_written = lambda title, files, remarks: shown.extend(files)
    student.item("all").trigger()
    assert {path.name for path in shown} >= {"curves.csv", "figures.json", "report.txt", "machine.toml", "equations.c"}
    facts = json.loads((tmp_path / "four-bar-swing-test" / "figures.json").read_text("utf-8"))
    assert facts["torque_max_Nm"] == 0.5
    window.bench.remove(window.bench.runs[0])


def test_every_widget_that_can_be_used_has_a_name_and_says_what_it_is(student):
    student.run()
    for part in student.window.findChildren(QWidget):
        if part.focusPolicy() == Qt.FocusPolicy.NoFocus or not part.isVisibleTo(student.window):
            continue
        if part.objectName().startswith("qt_") or type(part).__name__ in ("QTabBar", "QScrollBar", "QSplitterHandle"):
            continue
        words = part.accessibleName() or getattr(part, "text", lambda: "")()
        if part.objectName().startswith("workbench."):
            assert words or part.objectName() == "workbench.results", part.objectName()


def test_numbers_of_lines_hide_no_text(student):
    """The first letters lay under the numbers once a text of a hundred lines was opened."""
    student.item("new").trigger()
    student.window.open_catalogued("four-bar")
    area = student.window.editor.text
    assert area.blockCount() > 100
    assert area.viewport().x() >= area._numbers.geometry().right()


def test_numbers_of_any_size_can_be_typed(student):
    box = student.window.form.boxes["L1"]
    box.setFocus()
    box.selectAll()
    QTest.keyClicks(box, "4.5e-1")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert student.bench.machine.values["L1"] == 0.45
    box.selectAll()
    QTest.keyClicks(box, "abc")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert student.bench.machine.values["L1"] == 0.45
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert student.bench.machine.values["L1"] == 0.46


def test_the_theme_can_change_while_curves_are_shown(student, qapp):
    """The program crashed: plots were replaced in the middle of Qt's own styling of them."""
    student.run()
    try:
        for theme in (DARK, LIGHT):
            apply(qapp, theme)
            student.qtbot.waitUntil(lambda theme=theme: student.window.theme is theme)
            student.idle()
    finally:
        apply(qapp, LIGHT)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_it_is_drawn_in_both_themes(student, theme):
    student.run()
    student.window.set_theme(theme)
    student.idle()
    image = student.window.stage.grab().toImage()
    assert image.pixelColor(2, image.height() - 2).name() == theme.panel.lower()
