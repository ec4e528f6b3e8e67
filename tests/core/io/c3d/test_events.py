"""Events of C3D files on the clock of the trial."""

import numpy as np
import pytest

from biomec.io.c3d import read_c3d
from tests.oracles.c3d_bytes import c3d_bytes

POINTS = np.ones((200, 1, 3))  # two seconds


@pytest.fixture
def read(tmp_path):
    def read_events(times=None, labels=None, contexts=None, used=None, **more):
        parameters = {}
        if times is not None:
            minutes_and_seconds = np.array(times, dtype=float).reshape(-1, 2).T
            parameters["EVENT", "USED"] = np.array(len(times) if used is None else used)
            parameters["EVENT", "TIMES"] = minutes_and_seconds
        if labels is not None:
            parameters["EVENT", "LABELS"] = labels
        if contexts is not None:
            parameters["EVENT", "CONTEXTS"] = contexts
        path = tmp_path / "events.c3d"
        path.write_bytes(c3d_bytes(POINTS, parameters=parameters, **more))
        return read_c3d(path)

    return read_events


def named_events(trial):
    return [(round(e.time_s, 6), e.label, e.context) for e in trial.events]


def test_minutes_and_seconds_from_frame_one(read):
    trial = read([(0, 3.5), (1, 0.25)], ["Foot Strike", "Foot Off"], ["Left", "Right"], first_frame=301)
    assert named_events(trial) == [(0.5, "Foot Strike", "Left"), (57.25, "Foot Off", "Right")]


def test_labels_that_carry_the_side(read):
    names = ["LHS", "RTO", "Left Heel Strike", "r_fo", "Jump"]
    trial = read([(0, 0.1 * k) for k in range(5)], names)
    assert named_events(trial) == [
        (0.0, "Foot Strike", "Left"),
        (0.1, "Foot Off", "Right"),
        (0.2, "Foot Strike", "Left"),
        (0.3, "Foot Off", "Right"),
        (0.4, "Jump", "General"),
    ]
    assert "c3d-event-labels" in [n.code for n in trial.notices]


def test_a_context_of_its_own_wins_over_the_label(read):
    assert named_events(read([(0, 1.0)], ["LHS"], ["Right"])) == [(1.0, "LHS", "Right")]


def test_events_of_the_header_count_from_the_first_stored_frame(read):
    trial = read(header_events=[(0.5, "RHS"), (1.1, "RTO")], first_frame=301)
    assert named_events(trial) == [(0.5, "Foot Strike", "Right"), (1.1, "Foot Off", "Right")]


def test_the_group_wins_over_the_header(read):
    assert named_events(read([(0, 1.0)], ["Jump"], header_events=[(0.5, "RHS")])) == [(1.0, "Jump", "General")]


def test_events_that_would_all_lie_before_the_first_frame_count_from_it(read):
    trial = read([(0, 0.5), (0, 1.5)], ["a", "b"], first_frame=1001)
    assert [e.time_s for e in trial.events] == [0.5, 1.5]
    assert "c3d-events-from-first-frame" in [n.code for n in trial.notices]


def test_times_that_are_no_numbers_are_left_out(read):
    trial = read([(0, np.nan), (0, 1.0)], ["a", "b"])
    assert named_events(trial) == [(1.0, "b", "General")]
    assert "c3d-event-times" in [n.code for n in trial.notices]


def test_only_as_many_as_are_used(read):
    assert len(read([(0, 0.5), (0, 1.0)], ["a", "b"], used=1).events) == 1
    assert read([(0, 0.5)], ["a"], used=0).events == ()


def test_labels_may_be_fewer_than_times(read):
    assert named_events(read([(0, 0.5), (0, 1.0)], ["a"])) == [(0.5, "a", "General"), (1.0, "Event", "General")]
