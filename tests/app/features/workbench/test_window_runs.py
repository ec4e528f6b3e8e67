"""Runs in the window of the workbench: played, plotted, compared, cancelled, and analyses with their options."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from biomec.machines.machine import machine_names, machine_text
from biomec_app.features.workbench.result_pages import NO_FIGURES, ONE_RUN, SEVERAL_RUNS
from tests.core.machines.swing_study import STUDY


def test_a_run_is_played_plotted_and_told(student):
    window, bench = student.window, student.bench
    assert window.figures.words.text() == NO_FIGURES
    assert not window.figures.copy_button.isVisibleTo(window.figures)  # there is nothing to copy
    student.run(turn=30.0)
    assert [kept.name for kept in bench.runs] == ["Swing by 30°"]
    assert [item.pane.key for item in window.plots.grid.items_] == ["Angles [deg]", "Torques [N·m]"]
    assert window.figures.table.rowCount() == 2
    assert window.figures.words.text() == ONE_RUN
    assert window.figures.copy_button.isVisibleTo(window.figures)
    assert "of two lines" in window.text.text.toPlainText()
    assert "one-sided" in window.text.text.toPlainText()
    assert len(window.player.times) == 21
    window.player.slider.setValue(20)
    assert bench.time_s == 1.0
    angles = window.plots.grid.items_[0]
    assert angles.cursor_line.value() == 1.0
    assert angles.heading.values == ["30"]
    tip = window.stage.drawing.sketch.points["crank.B"][window.stage.drawing.sketch.frame_at(bench.time_s)]
    assert np.allclose(tip, [0.2 + 0.5 * np.cos(np.pi / 6), 0.2 + 0.5 * np.sin(np.pi / 6)])
    angles.cursor_line.setValue(0.5)
    angles.cursor_line.sigDragged.emit(angles.cursor_line)
    assert bench.time_s == 0.5


def test_curves_are_plotted_over_another_quantity(student):
    student.run()
    plots = student.window.plots
    plots.axis.setCurrentIndex(plots.axis.findData("Angles: crank"))
    torques = plots.grid.items_[1]
    assert not torques.cursor_line.isVisible()
    assert torques.pane.traces[0].x[-1] == pytest.approx(90.0)
    student.bench.set_time(1.0)
    assert torques.spots.getData()[0][0] == pytest.approx(90.0)
    plots.axis.setCurrentIndex(0)
    assert all(item.cursor_line.isVisible() and not len(item.spots.data) for item in plots.grid.items_)


def test_a_run_without_curves_is_shown_where_its_answer_is(student, monkeypatch):
    monkeypatch.undo()  # the real studies
    window = student.window
    window.studies.refresh()
    student.idle()
    assert window.results.currentWidget() is window.plots
    student.run("equations")
    assert window.results.currentWidget() is window.text
    window.results.setCurrentWidget(window.figures)
    student.run("equations")
    assert window.results.currentWidget() is window.figures  # who looks at figures stays there


def test_equations_are_typeset(student):
    student.run()
    student.window.results.setCurrentWidget(student.window.text)
    student.idle()
    labels = [one for one in student.window.text.area.widget().findChildren(QLabel) if not one.pixmap().isNull()]
    assert len(labels) == 2
    assert min(label.pixmap().width() for label in labels) > 40
    student.window.text.latex_button.click()
    assert r"\ddot{x}" in QApplication.clipboard().text()


def test_runs_are_compared_renamed_and_removed(student):
    student.run()
    student.window.form.boxes["L1"].setValue(0.6)
    window, bench = student.window, student.bench
    assert window.runs.stale.isVisibleTo(window)
    assert bench.current is None  # the edited machine is what is seen
    student.run()
    assert [kept.name for kept in bench.runs] == ["Swing by 90°", "Swing by 90°, L1 = 0.6"]
    assert [kept.shown for kept in bench.runs] == [False, True]
    assert not window.runs.stale.isVisibleTo(window)
    window.runs.list.item(0).setCheckState(Qt.CheckState.Checked)
    student.idle()
    assert window.figures.content.columns[-1] == "Δ Swing by 90°, L1 = 0.6"
    assert window.figures.words.text() == SEVERAL_RUNS
    assert len(window.plots.panes[1].traces) == 4
    assert [words for words, _ in window.plots.grid.legend.entries] == ["Swing by 90°", "Swing by 90°, L1 = 0.6"]
    assert len(window.stage.drawing.ghosts) == 1
    window.runs.list.item(1).setText("long crank")
    assert bench.runs[1].name == "long crank"
    window.runs.list.item(1).setText("Swing by 90°")  # taken: nothing happens
    assert bench.runs[1].name == "long crank"
    window.runs.list.setCurrentRow(0)
    assert bench.current is bench.runs[0]
    window.runs.remove_button.click()
    assert [kept.name for kept in bench.runs] == ["long crank"]
    window.runs.remove_button.click()
    student.idle()
    assert window.plots.pages.currentIndex() == 0


def test_another_machine_clears_the_curves_of_the_former_one(student):
    """Its curves stayed in the plots under the name of the new machine."""
    student.run()
    assert student.bench.shown
    other = next(name for name in machine_names() if name != student.bench.machine.name)
    student.window.open_catalogued(other)
    student.idle()
    assert student.bench.runs  # still in the list
    assert not student.bench.shown


def test_a_long_run_is_cancelled(student):
    window = student.window
    window.studies.choose(STUDY.key, {"method": "slow"})
    window.studies.run_button.click()
    student.qtbot.waitUntil(lambda: window.studies.bar.value() > 0, timeout=60_000)
    assert not window.studies.run_button.isEnabled()
    with student.qtbot.waitSignal(window.jobs.cancelled, timeout=60_000):
        window.studies.cancel_button.click()
    assert student.bench.runs == []
    assert "cancelled" in window.studies.told.text()
    assert window.studies.run_button.isEnabled()


def test_a_run_that_failed_is_kept_and_told(student):
    student.run(method="failing")
    assert "ran away" in student.window.studies.fault.text()
    assert not student.bench.runs[0].run.succeeded


def test_an_analysis_that_cannot_be_made_says_why(student):
    student.window.open_catalogued("bennett")
    student.idle()
    assert "one plane" in student.window.studies.refusal.text()
    assert not student.window.studies.run_button.isEnabled()


PRESETS = """
[[preset]]
name = "short"
title = "A short crank"
values = { L1 = 0.3 }
analysis = "swing-test"
options = { turn = 45.0 }
[[preset]]
name = "usual"
values = { L1 = 0.5 }
"""


def test_a_preset_brings_values_analysis_and_options(student, tmp_path):
    window, file = student.window, tmp_path / "presets.toml"
    file.write_text(machine_text("four-bar") + PRESETS, encoding="utf-8")
    student.context.user.ask_file = lambda *asked: file
    window.ask_open()
    student.idle()
    presets = window.header.presets
    listed = [presets.itemText(k) for k in range(presets.count())]
    assert (listed[0], *listed[-2:]) == ("as in the file", "A short crank", "usual")
    assert presets.currentData() == ""
    window.header.ask_preset("short")
    student.idle()
    assert student.bench.machine.values["L1"] == 0.3
    assert window.studies.form.values["turn"] == 45.0
    student.run()
    window.header.ask_preset("usual")
    assert student.bench.machine.values["L1"] == 0.5
    assert presets.currentData() == "usual"
    student.run()
    assert [kept.name for kept in student.bench.runs] == ["Swing by 45°, short", "Swing by 45°, usual"]
    window.header.ask_preset("")
    assert window.studies.form.values["turn"] == 90.0
    window.form.boxes["L1"].setValue(0.4)
    assert presets.currentData() == ""


def test_the_analyses_that_come_with_biomec_run_here(student, monkeypatch):
    monkeypatch.undo()  # the real studies
    student.window.studies.refresh()
    student.idle()
    student.run("inverse")
    assert student.bench.runs[0].run.figures["torque_max_Nm"] == pytest.approx(203.469, abs=5e-4)
    assert student.bench.runs[0].motion is not None
    student.window.open_catalogued("pendulum")
    student.idle()
    student.run("equations")
    assert student.bench.runs[1].run.formulae
    assert all(kept.run.succeeded for kept in student.bench.runs)
    assert student.window.studies.fault.text() == ""


def test_options_are_remembered_marked_and_reset(student):
    panel = student.window.studies
    panel.form.boxes["turn"].setValue(30.0)
    assert panel.form.resets["turn"].isVisibleTo(panel)
    student.window.form.boxes["L1"].setValue(0.55)
    assert panel.form.values["turn"] == 30.0
    panel.form.resets["turn"].click()
    assert panel.form.options() == STUDY.options()


def test_time_runs_loops_and_steps(student):
    student.run()
    player, now = student.window.player, [0.0]
    player._clock = lambda: now[0]
    player.toggle()
    assert player.playing
    now[0] = 0.25
    player.tick()
    assert student.bench.time_s == 0.25
    player.speed.setCurrentIndex(player.speed.findData(2.0))
    now[0] = 0.5
    player.tick()
    assert student.bench.time_s == 0.75
    now[0] = 0.75
    player.tick()
    assert student.bench.time_s == pytest.approx(0.25)  # over the end, from the beginning
    player.loop.setChecked(False)
    now[0] = 3.0
    player.tick()
    assert student.bench.time_s == 1.0
    assert not player.playing
    player.step(-1)
    assert player.moment == 19
    QTest.keyClick(student.window.stage, Qt.Key.Key_Left)
    assert player.moment == 18
    player.first.click()
    assert player.moment == 0


def test_points_leave_trails_and_the_wheel_comes_nearer(student):
    stage = student.window.stage
    drawing = stage.drawing
    (place,) = drawing.places(drawing.sketch.points["crank.B"][:1])
    QTest.mouseClick(stage, Qt.MouseButton.LeftButton, pos=QPoint(round(place.x()), round(place.y())))
    assert drawing.trails <= {"crank.B", "coupler.B"}
    assert len(drawing.trails) == 1
    before = drawing.seen[1]
    student.item("nearer").trigger()
    assert drawing.seen[1] == pytest.approx(1.2 * before)
    student.item("fit").trigger()
    assert drawing.seen[1] == pytest.approx(before)
