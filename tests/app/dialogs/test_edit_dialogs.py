"""Dialogs of the Edit menu: each change is one that can be undone, and its line of Python does the same."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PySide6.QtWidgets import QDialogButtonBox, QLabel

from biomec.base.errors import BiomecError
from biomec.io.evidence import redescribed
from biomec.pipeline.replay import script
from biomec.recording import Event, LabAxes, Subject
from biomec_app.dialogs.axes import edit_axes
from biomec_app.dialogs.events import FROM, LABEL, TIME, edit_events
from biomec_app.dialogs.subject import SubjectFault, check_subject, edit_subject

TODAY = date(2026, 3, 2)


@pytest.fixture
def open_demo(context, document_with_demo):
    document_with_demo.undo_stack.setClean()
    return context


def undone(context, before):
    """Undo gives back the very analysis that there was; redo the other."""
    after = context.document.analysis
    assert after is not before
    context.document.undo_stack.undo()
    assert context.document.analysis is before
    context.document.undo_stack.redo()
    assert context.document.analysis is after


def replayed(context, before):
    """The session that the last line of the history makes of the one before."""
    from biomec.pipeline import replay

    line = context.document.history[-1]
    names = {}
    exec("\n".join(replay._imports([line])), names)
    names["analysis"] = before
    exec(line, names)
    assert script(context.document.analysis, context.document.history, None, None)
    return names["analysis"].session


def test_an_empty_table_of_events_says_what_to_do(qtbot, open_demo):
    dialog = edit_events(open_demo)
    words = dialog.findChild(QLabel, "events-table-empty")
    assert words.isVisible() == (dialog.table.rowCount() == 0)
    dialog.table.setRowCount(0)
    assert words.isVisible()
    dialog.add_here()
    assert not words.isVisible()
    dialog.remove()  # the new row is the chosen one
    assert words.isVisible()
    dialog.reject()


def test_events_are_added_changed_and_removed(qtbot, open_demo):
    context = open_demo
    before = context.document.analysis
    context.document.set_frame(100)
    dialog = edit_events(context)
    qtbot.addWidget(dialog)
    count = dialog.table.rowCount()
    assert count == len(before.session.dynamic.events)
    dialog.add_here()
    dialog.accept()
    events = context.document.analysis.session.dynamic.events
    time = 100 / context.document.rate_hz
    assert Event(time, "Foot Strike", "Right", "manual") in events
    assert len(events) == count + 1
    assert "signals" in context.document.analysis.stale
    assert context.document.undo_stack.undoText() == "Edit Events"
    undone(context, before)
    assert replayed(context, before).dynamic.events == events

    dialog = edit_events(context)
    qtbot.addWidget(dialog)
    row = next(k for k in range(dialog.table.rowCount()) if dialog.table.item(k, FROM).text() == "by hand")
    dialog.table.cellWidget(row, TIME).setValue(1.25)
    dialog.table.cellWidget(row, LABEL).setCurrentText("Jump")
    dialog.accept()
    assert Event(1.25, "Jump", "Right", "manual") in context.document.analysis.session.dynamic.events
    dialog = edit_events(context)
    qtbot.addWidget(dialog)
    dialog.table.selectAll()
    dialog.remove()
    dialog.accept()
    assert context.document.analysis.session.dynamic.events == ()


def test_a_dialog_in_which_nothing_is_changed_changes_nothing(qtbot, open_demo):
    before = open_demo.document.analysis
    for opened in (edit_events, edit_axes, edit_subject):
        dialog = opened(open_demo)
        qtbot.addWidget(dialog)
        dialog.accept()
        assert open_demo.document.analysis is before


def test_axes_and_units_are_changed_in_movement_and_static(qtbot, open_demo):
    context = open_demo
    before = context.document.analysis
    dialog = edit_axes(context)
    qtbot.addWidget(dialog)
    up, forward = before.session.dynamic.axes.up, before.session.dynamic.axes.forward
    other = "-" + forward[1] if forward[0] == "+" else "+" + forward[1]
    dialog.form.forward.setCurrentIndex(dialog.form.forward.findData(other))
    dialog.form.size_.setCurrentIndex(1)
    dialog.form.reverse.setChecked(True)
    dialog.accept()
    session = context.document.analysis.session
    assert (session.dynamic.axes.up, session.dynamic.axes.forward) == (up, other)
    assert session.static.axes.forward == other
    assert_array_equal(session.dynamic.markers.p_WM, 0.001 * before.session.dynamic.markers.p_WM)
    assert_array_equal(session.dynamic.plates[0].force, -before.session.dynamic.plates[0].force)
    assert context.document.undo_stack.undoText() == "Change Axes and Units"
    undone(context, before)
    again = replayed(context, before)
    assert again.fingerprint == session.fingerprint


def test_positions_cannot_be_multiplied_by_nothing(demo_analysis):
    with pytest.raises(BiomecError, match="above 0"):
        redescribed(demo_analysis.session, factor=0.0)
    assert redescribed(demo_analysis.session, LabAxes()).dynamic.axes == LabAxes()
    assert np.isfinite(redescribed(demo_analysis.session, factor=2.0).static.markers.p_WM).any()


@pytest.mark.parametrize(
    ("known", "recorded", "words", "fields"),
    [
        ({"birth_date": date(2027, 1, 1)}, None, "lies in the future", ("born",)),
        ({}, date(2026, 3, 3), "lies in the future", ("recorded",)),
        ({"birth_date": date(2020, 1, 2)}, date(2020, 1, 1), "born after the recording", ("born", "recorded")),
        ({"birth_date": date(1880, 1, 2)}, date(2020, 1, 1), "139 years old", ("born", "recorded")),
        ({"mass_kg": 1.9}, None, "write the mass in kilograms", ("mass",)),
        ({"mass_kg": 400.0}, None, "write the mass in kilograms", ("mass",)),
        ({"height_m": 0.3}, None, "write the height in metres", ("height",)),
        ({"mass_kg": 200.0, "height_m": 1.0}, None, "check mass and height", ("mass", "height")),
        ({"mass_kg": 7.0, "height_m": 1.7}, None, "check mass and height", ("mass", "height")),
    ],
)
def test_what_cannot_be_true_of_a_person_is_told_with_its_fields(known, recorded, words, fields):
    with pytest.raises(SubjectFault, match=words) as raised:
        check_subject(Subject(**known), recorded, TODAY)
    assert raised.value.fields == fields


@pytest.mark.parametrize(
    ("mass", "height"), [(3.5, 0.5), (70.0, 1.75), (150.0, 1.6), (35.0, 1.75), (None, None), (70.0, None)]
)
def test_people_of_every_size_pass(mass, height):
    check_subject(Subject(mass_kg=mass, height_m=height, birth_date=date(2000, 2, 29)), TODAY, TODAY)


def test_the_field_that_is_wrong_is_marked_until_it_is_right(qtbot, open_demo):
    dialog = edit_subject(open_demo)
    qtbot.addWidget(dialog)
    before = open_demo.document.analysis
    dialog.form.born.setText("2999-01-01")
    dialog.form.born.textEdited.emit("2999-01-01")
    ok = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
    assert not ok.isEnabled()
    assert "born after" in dialog.wrong.text()
    assert dialog.form.born.styleSheet()
    assert not dialog.form.mass.styleSheet()
    dialog.accept()
    assert open_demo.document.analysis is before
    dialog.form.born.setText("1990-05-05")
    dialog.form.born.textEdited.emit("1990-05-05")
    assert ok.isEnabled()
    assert not dialog.form.born.styleSheet()
    dialog.accept()
    assert open_demo.document.analysis.session.subject.birth_date == date(1990, 5, 5)
    undone(open_demo, before)
    assert replayed(open_demo, before).subject == replace(before.session.subject, birth_date=date(1990, 5, 5))
