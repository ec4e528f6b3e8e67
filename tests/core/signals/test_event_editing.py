import numpy as np
import pytest

from biomec.recording import Event, LabAxes, Markers, Source, Trial
from biomec.signals.event_editing import OFF, STRIKE, edited, merge_events, order_notices
from biomec.signals.gait_events import GaitEventOptions, merged_gait_events

FILE = (Event(1.00, STRIKE, "Left"), Event(1.60, OFF, "Left"))
PLATES = (Event(1.03, STRIKE, "Left", "plates"), Event(1.01, STRIKE, "Right", "plates"))
MARKERS = (Event(0.95, STRIKE, "Left", "kinematics"), Event(2.05, STRIKE, "Left", "kinematics"))


def test_the_same_event_is_kept_once_from_the_most_trusted_origin():
    merged, notices = merge_events((FILE, PLATES, MARKERS), 0.2, 0.02)
    assert [(e.time_s, e.context, e.origin) for e in merged] == [
        (1.00, "Left", "file"), (1.01, "Right", "plates"), (1.60, "Left", "file"), (2.05, "Left", "kinematics"),
    ]  # fmt: skip
    assert ["1.030" in n.sentence or "0.950" in n.sentence for n in notices] == [True, True]


def test_events_of_one_origin_are_never_merged_with_each_other():
    close = (Event(1.0, STRIKE, "Left"), Event(1.1, STRIKE, "Left"))
    assert merge_events((close,), 0.2, 0.02)[0] == close


def test_merging_twice_changes_nothing():
    once, _ = merge_events((FILE, PLATES, MARKERS), 0.2, 0.02)
    twice, notices = merge_events((once, FILE, PLATES, MARKERS), 0.2, 10.0)
    assert twice == once
    assert notices == []


def test_a_missing_event_is_noticed():
    (notice,) = order_notices([Event(1.0, STRIKE, "Left"), Event(2.0, STRIKE, "Left")], 100.0)
    assert notice.frames == (100, 200)
    assert "without a foot off" in notice.sentence
    assert order_notices(FILE, 100.0) == []


@pytest.fixture
def trial():
    markers = Markers(("RHEE",), np.zeros((300, 1, 3)), 100.0)
    return Trial(Source("walk.c3d", "c3d", "", 0), markers, LabAxes("+z"), events=FILE)


def merged(trial):
    return merged_gait_events(trial, PLATES, MARKERS, GaitEventOptions())[0]


def test_an_event_is_added_by_hand(trial):
    after = edited(trial, None, Event(2.5, OFF, "Left"))
    assert Event(2.5, OFF, "Left", "manual") in merged(after)
    assert trial.events == FILE


@pytest.mark.parametrize("shift_s", [0.05, 0.6])
@pytest.mark.parametrize("before", [FILE[0], PLATES[1], MARKERS[1]], ids=lambda event: event.origin)
def test_a_moved_event_leaves_nothing_where_it_was(trial, before, shift_s):
    new_time = before.time_s + shift_s
    mine = [e for e in merged(edited(trial, before, Event(new_time, STRIKE, before.context))) if e.label == STRIKE]
    assert Event(new_time, STRIKE, before.context, "manual") in mine
    assert not [e for e in mine if e.context == before.context and abs(e.time_s - before.time_s) < 0.04]
    assert len(mine) == 3


def test_small_steps_of_one_event_add_up(trial):
    event = PLATES[1]
    for _ in range(30):
        moved = Event(event.time_s + 0.01, STRIKE, "Right", "manual")
        trial = edited(trial, event, moved)
        event = moved
    assert [e for e in merged(trial) if e.context == "Right"] == [event]


def test_a_removed_event_is_not_found_again_and_one_by_hand_gives_back_what_was_found(trial):
    gone = edited(trial, FILE[0], None)
    assert not [e for e in merged(gone) if e.context == "Left" and e.label == STRIKE and e.time_s < 1.5]
    added = edited(trial, None, Event(1.1, STRIKE, "Right"))
    assert PLATES[1] not in merged(added)
    assert merged(edited(added, added.events[1], None)) == merged(trial)
