import pytest

from biomec.base.errors import BiomecError
from biomec.recording import Event
from biomec.signals.event_editing import OFF, STRIKE, add_event, merge_events, move_event, order_notices, remove_event

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


def test_events_are_corrected_by_hand_without_touching_the_old_list():
    more = add_event(FILE, 2.0, STRIKE, "Left")
    assert more[-1] == Event(2.0, STRIKE, "Left", "manual")
    moved = move_event(more, FILE[0], 1.02)
    assert moved[0] == Event(1.02, STRIKE, "Left", "manual")
    assert remove_event(moved, moved[0]) == more[1:]
    assert len(FILE) == 2
    with pytest.raises(BiomecError, match=r"no Left event Foot Strike at 1\.000 s"):
        remove_event(moved, FILE[0])
