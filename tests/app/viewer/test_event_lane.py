"""Events edited on the timeline, by mouse and by keys, each step undone again."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt

from biomec.recording import Event
from biomec.signals.event_editing import OFF, STRIKE
from biomec_app.dialogs.events import edit_events
from biomec_app.viewer.timeline import Timeline


@pytest.fixture
def lane(qtbot, context, walk_analysis):
    context.document.open(walk_analysis)
    timeline = Timeline(context)
    qtbot.addWidget(timeline)
    timeline.resize(1200, timeline.sizeHint().height())
    timeline.show()
    timeline.activateWindow()
    timeline.events.setFocus()
    qtbot.waitUntil(timeline.events.hasFocus)
    return timeline.events


def at(lane, event_or_frame):
    frame = event_or_frame
    x = lane.x_of(frame) if isinstance(frame, Event) else lane._strip.x_of(frame)
    return QPoint(round(x), lane.height() // 2)


def apart(lane):
    """An event with no other one near its mark."""
    places = [lane.x_of(event) for event in lane._events]
    return next(event for event in lane._events if sum(abs(lane.x_of(event) - place) < 14.0 for place in places) == 1)


def frame_of(lane, event):
    return round(event.time_s * lane._document.rate_hz)


def test_the_lane_shows_what_the_analysis_knows(lane, walk_analysis):
    assert lane._events == walk_analysis.events
    assert {event.origin for event in lane._events} & {"plates", "kinematics", "file"}


def test_an_event_is_dragged_and_the_person_moves_along(qtbot, lane):
    document, before = lane._document, apart(lane)
    frame = frame_of(lane, before) + 9
    qtbot.mousePress(lane, Qt.MouseButton.LeftButton, pos=at(lane, before))
    qtbot.mouseMove(lane, at(lane, frame))
    assert document.undo_stack.count() == 0  # not while it is held
    qtbot.mouseRelease(lane, Qt.MouseButton.LeftButton, pos=at(lane, frame))
    moved = replace(before, time_s=document.frame / document.rate_hz, origin="manual")
    assert abs(document.frame - frame) <= 1
    assert moved in document.analysis.events
    assert before not in document.analysis.events
    assert lane.chosen == moved
    assert "cycles" in document.analysis.stale
    document.undo_stack.undo()
    assert before in document.analysis.events


def test_a_click_chooses_and_changes_nothing(qtbot, lane):
    event = apart(lane)
    qtbot.mouseClick(lane, Qt.MouseButton.LeftButton, pos=at(lane, event))
    assert lane.chosen == event
    assert lane._document.frame == frame_of(lane, event)
    assert lane._document.undo_stack.count() == 0


def test_a_double_click_adds_an_event_where_there_is_none(qtbot, lane):
    early = [event for event in lane._events if event.time_s < 0.6]
    for event in early:  # one that is set by hand takes the place of the same one within 0.2 s
        lane.remove(event)
    count, free = len(lane._events), 15
    qtbot.mouseDClick(lane, Qt.MouseButton.LeftButton, pos=at(lane, free))
    assert len(lane._events) == count + 1
    assert abs(frame_of(lane, lane.chosen) - free) <= 1
    qtbot.mouseDClick(lane, Qt.MouseButton.LeftButton, pos=at(lane, lane.chosen))
    assert len(lane._events) == count + 1


def test_everything_goes_by_keys(qtbot, lane):
    document = lane._document
    qtbot.keyClick(lane, Qt.Key.Key_Right)
    first = lane.chosen
    assert document.frame == frame_of(lane, first)
    qtbot.keyClick(lane, Qt.Key.Key_Right)
    assert lane._events.index(lane.chosen) == lane._events.index(first) + 1
    qtbot.keyClick(lane, Qt.Key.Key_Left)
    assert lane.chosen == first
    for _ in range(3):
        qtbot.keyClick(lane, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert frame_of(lane, lane.chosen) == frame_of(lane, first) + 3
    qtbot.keyClick(lane, Qt.Key.Key_G)
    assert lane.chosen.context == "General"
    qtbot.keyClick(lane, Qt.Key.Key_L)
    qtbot.keyClick(lane, Qt.Key.Key_O)
    assert (lane.chosen.label, lane.chosen.context) == (OFF, "Left")
    gone = lane.chosen
    qtbot.keyClick(lane, Qt.Key.Key_Delete)
    assert gone not in lane._events
    assert lane.chosen is None
    document.set_frame(document.frames // 2)
    qtbot.keyClick(lane, Qt.Key.Key_Insert)
    assert lane.chosen in lane._events
    while document.undo_stack.canUndo():
        document.undo_stack.undo()
    assert document.analysis.session.dynamic.dismissed_events == ()
    assert first in lane._events


def test_a_removed_event_stays_away_when_it_is_analysed_again_and_comes_back_when_asked(qtbot, lane, context):
    document = lane._document
    event = next(one for one in lane._events if one.origin in ("plates", "kinematics") and one.label == STRIKE)
    lane.remove(event)
    again = document.analysis.run_until("signals")
    same = [one for one in again.events if (one.label, one.context) == (event.label, event.context)]
    assert not [one for one in same if abs(one.time_s - event.time_s) < 0.1]
    dialog = edit_events(context)
    qtbot.addWidget(dialog)
    assert not dialog.isModal()
    assert dialog.dismissed.text().startswith("1 event ")
    dialog.back.click()
    assert event in document.analysis.events
    lane.add(100, STRIKE, "Left")
    assert dialog.table.rowCount() == len(document.analysis.session.dynamic.events)
    dialog.reject()


def test_the_menu_offers_kinds_and_sides(qtbot, lane):
    event = apart(lane)
    menu = lane.menu_for(event, 0)
    words = {action.text().replace("&", ""): action for action in menu.actions() if action.text()}
    assert words["Foot Strike" if event.label == STRIKE else "Foot Off"].isChecked()
    words["Left" if event.context == "Right" else "Right"].trigger()
    assert lane.chosen.context != event.context
    adding = [action.text() for action in lane.menu_for(None, 5).actions()]
    assert "Add Foot Off, left" in adding
    assert lane._document.frame == 5


def test_the_dialog_leaves_the_shown_frame_until_an_event_is_chosen(qtbot, context, lane):
    """The frame where somebody wanted to add an event was lost as soon as the table got the keys."""
    lane.add(100, STRIKE, "Left")
    context.document.set_frame(40)
    dialog = edit_events(context)
    qtbot.addWidget(dialog)
    dialog.table.setCurrentCell(0, 0, QItemSelectionModel.SelectionFlag.NoUpdate)  # as Qt does when it gets the keys
    assert context.document.frame == 40
    context.document.set_frame(60)  # the time goes on under the dialog
    dialog.add_here()
    assert [round(event.time_s * context.document.rate_hz) for event in dialog.events()] == [60, 100]
    dialog.table.selectRow(1)
    assert context.document.frame == 100
    dialog.reject()
