"""Clinical plots: grids of the open walk, a click that moves the person, exclusion with undo, copies and files."""

import csv

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest

from biomec.reporting.clinical.blocks import EVERY
from biomec.reporting.clinical_presentation import KINEMATIC_GRID, KINETIC_GRID
from biomec_app.features.clinical.clinical_content import ClinicalView, remembered_view, stored_view
from biomec_app.features.clinical.grid_view import Instant
from biomec_app.features.clinical.window import KINEMATICS, KINETICS, ClinicalWindow, open_clinical
from biomec_app.kit.theme import DARK
from tests.app.features.clinical.conftest import settled


def point_of(view, name, percent):
    """Where the right side's curve of a panel is on the screen, and the course."""
    place = view.place_of(name)
    course = next(one for one in place.panel.courses if one.side == "right")
    k = round(percent)
    shown = course.mean if course.banded else course.curves[0]
    return place.point(course.percent[k], shown[k]).toPoint(), course


def names_of(grid):
    return tuple(tuple(panel.name for panel in row) for row in grid.rows)


def test_both_grids_are_there_with_the_norm_that_suits(window):
    content = window.content
    assert names_of(window.grids[KINEMATICS].grid) == KINEMATIC_GRID
    assert names_of(window.grids[KINETICS].grid) == KINETIC_GRID
    assert content.norm is not None
    knee = window.grids[KINEMATICS].place_of("knee flexion").panel
    assert knee.band is not None
    assert {course.side for course in knee.courses} == {"right", "left"}
    assert all(panel.missing for row in content.kinetics.rows for panel in row)  # loads were not computed


def test_a_click_on_a_curve_moves_the_person_to_that_instant(window, walking):
    view = window.grids[KINEMATICS]
    where, course = point_of(view, "knee flexion", 70)
    origin = course.origins[view.hit(where.toPointF()).cycle]
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=where)
    expected = origin.first + 0.7 * (origin.last - origin.first)
    # a pixel of a panel is about half a percent of the cycle, a frame about one
    assert walking.document.frame == pytest.approx(expected, abs=2)
    assert window.cycles.marked == ("right", origin)
    assert window.exclude.isEnabled()


def test_the_cursor_follows_the_frame_of_the_document(window, walking):
    view = window.grids[KINEMATICS]
    course = point_of(view, "knee flexion", 70)[1]
    origin = course.origins[0]
    walking.document.set_frame((origin.first + origin.last) // 2)
    panel = view.place_of("knee flexion").panel
    now = {found.side: percent for found, _, percent in view._current(panel)}
    middle = 100.0 * ((origin.first + origin.last) // 2 - origin.first) / (origin.last - origin.first)
    assert now["right"] == pytest.approx(middle)
    walking.document.set_frame(0)
    before = view.grab().toImage()
    walking.document.set_frame((origin.first + origin.last) // 2)
    assert view.grab().toImage() != before


def test_the_mouse_tells_the_value_that_is_drawn(window):
    view = window.grids[KINEMATICS]
    right, left = view.place_of("hip flexion").panel.courses
    apart = int(np.argmax(np.abs(right.mean - left.mean)[10:90])) + 10  # elsewhere both sides are on one pixel
    where, course = point_of(view, "hip flexion", apart)
    QTest.mouseMove(view, where + QPoint(0, 1))
    QTest.mouseMove(view, where)
    hit = view.hit(where.toPointF())
    drawn = course.mean if course.banded else course.curves[hit.cycle]
    assert hit.value == pytest.approx(np.interp(hit.percent, course.percent, drawn), abs=1e-6)
    words = view._words(hit)
    assert words.startswith("Hip flexion, Right")
    assert f"{hit.percent:.0f} %" in words


def test_a_cycle_is_excluded_with_a_reason_and_comes_back_with_undo(window, walking, qtbot):
    view = window.grids[KINEMATICS]
    course = point_of(view, "knee flexion", 70)[1]
    count, origin = len(course.curves), course.origins[0]
    window.cycles.mark(("right", origin))
    QTest.keyClick(view, Qt.Key.Key_Delete)
    settled(window, qtbot)
    notes = walking.document.analysis.session.notes
    assert [one.reason for one in notes.excluded_cycles] == ["stumbled"]
    kept = next(one for one in view.place_of("knee flexion").panel.courses if one.side == "right")
    assert len(kept.curves) == count - 1
    assert origin not in kept.origins
    assert walking.document.is_modified
    walking.document.undo_stack.undo()
    settled(window, qtbot)
    again = next(one for one in view.place_of("knee flexion").panel.courses if one.side == "right")
    assert again.origins == course.origins
    assert not walking.document.is_modified


def test_a_tick_in_the_list_excludes_and_includes(window, walking, qtbot):
    tree = window.trials
    child = tree.topLevelItem(0).child(0)
    assert child.checkState(0) is Qt.CheckState.Checked
    child.setCheckState(0, Qt.CheckState.Unchecked)
    settled(window, qtbot)
    child = tree.topLevelItem(0).child(0)
    assert child.checkState(0) is Qt.CheckState.Unchecked
    assert child.text(1) == "stumbled"
    child.setCheckState(0, Qt.CheckState.Checked)
    settled(window, qtbot)
    assert not walking.document.analysis.session.notes.excluded_cycles


def test_without_a_reason_nothing_is_excluded(window, walking, qtbot):
    walking.user.answer = None
    window.trials.topLevelItem(0).child(0).setCheckState(0, Qt.CheckState.Unchecked)
    settled(window, qtbot)
    assert not walking.document.is_modified
    assert window.trials.topLevelItem(0).child(0).checkState(0) is Qt.CheckState.Checked


def test_every_choice_is_drawn_and_remembered(window, walking, qtbot):
    window.set_view(style=EVERY, sides="left", colours="red and green", nine=True, strips=True, deviations=2.0)
    settled(window, qtbot)
    view = window.grids[KINEMATICS]
    assert len(names_of(view.grid)) == 3
    assert view.grid.style == EVERY
    assert {one.side for panel in view.panels() for one in panel.courses} == {"left"}
    assert view.look.colours == "red and green"
    assert window.bar.sides_box.currentData() == "left"
    assert remembered_view(walking.preferences.clinical_view) == window.view
    damaged = {**stored_view(window.view), "style": "upside down"}
    assert remembered_view(damaged).style == ClinicalView().style


def test_keys_choose_panels_and_cycles_and_enlarge(window, walking):
    view = window.grids[KINEMATICS]
    QGuiApplication.sendEvent(view, QEvent(QEvent.Type.FocusIn)) if not view.hasFocus() else None
    view._panel = "pelvis tilt"
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        QTest.keyClick(view, key)
    assert view.enlarged == "knee flexion"
    assert [panel.name for panel in view.panels()] == ["knee flexion"]
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert view.enlarged == ""
    QTest.keyClick(view, Qt.Key.Key_Period)
    first = window.cycles.marked
    assert first is not None
    QTest.keyClick(view, Qt.Key.Key_Period)
    assert window.cycles.marked != first
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert walking.document.frame == window.cycles.marked[1].first
    QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert walking.document.frame == window.cycles.marked[1].first + 1


def test_what_is_saved_has_every_cycle_and_every_kind_of_file(window, qtbot, tmp_path):
    for kind, begins in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("csv", b"curve,")):
        path = tmp_path / f"grid.{kind}"
        window.save(path)
        qtbot.waitUntil(path.exists)
        assert path.read_bytes().startswith(begins)
    rows = list(csv.reader((tmp_path / "grid.csv").read_text().splitlines()))
    knee = window.grids[KINEMATICS].place_of("knee flexion").panel
    written = [row for row in rows if row[0] == "knee flexion" and row[3] == "right" and row[6].isdigit()]
    course = next(one for one in knee.courses if one.side == "right")
    # eight figures are written
    np.testing.assert_allclose([[float(cell) for cell in row[8:]] for row in written], course.curves, rtol=1e-6)
    assert not QImage(str(tmp_path / "grid.png")).isNull()
    window.save(tmp_path / "grid.bmp")
    qtbot.waitUntil(lambda: bool(window.context.user.told))
    assert "is no kind of figure" in window.context.user.told[-1]


def test_the_data_are_copied(window):
    window.copy("data")
    assert QGuiApplication.clipboard().text().startswith("curve\tunit")


def test_it_follows_what_is_open_and_the_theme(window, walking, qtbot, walk_analysis):
    window.set_theme(DARK)
    assert window.grids[KINEMATICS].look.theme is DARK
    walking.document.close()
    settled(window, qtbot)
    assert window.judged.nothing.text() == "No recording is open."
    from dataclasses import replace

    walking.document.open(replace(walk_analysis, done={}))
    settled(window, qtbot)
    assert "first" in window.judged.nothing.text()
    walking.document.open(walk_analysis)
    settled(window, qtbot)
    assert window.judged.currentIndex() == 1


def test_one_window_for_both_items(walking, qtbot):
    one = open_clinical(walking, KINETICS)
    assert open_clinical(walking, KINEMATICS) is one
    assert one.tabs.currentWidget() is one.grids[KINEMATICS]
    assert walking.figure is one
    settled(one, qtbot)
    one.close()
    assert walking.figure is None
    assert not [two for two in walking.windows if isinstance(two, ClinicalWindow)]


def test_an_instant_is_the_nearest_frame():
    from biomec.reporting.clinical.blocks import CycleOrigin

    assert Instant("right", CycleOrigin(0, 0, 10, 110), 49.6).frame == 60
