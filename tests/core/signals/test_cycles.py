"""Cycles on signals whose borders are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.errors import BiomecError
from biomec.recording import Event
from biomec.signals.cycles import (
    CycleOptions,
    add_border,
    cycles_between_events,
    exclude_cycle,
    find_cycles,
    move_border,
    remove_border,
)

RATE = 100.0
NO_ENDS = CycleOptions(ends=False)


def flexion(durations, turn=0.5, low=0.1, high=1.6):
    """Flexion that falls to ``low`` between cycles of the given durations [s] and turns at a part of each."""
    knots, values = [0.0], [low]
    for d in durations:
        knots += [knots[-1] + turn * d, knots[-1] + d]
        values += [high, low]
    t = np.arange(round(knots[-1] * RATE) + 1) / RATE
    k = np.clip(np.searchsorted(knots, t, side="right") - 1, 0, len(knots) - 2)
    u = (t - np.array(knots)[k]) / np.diff(knots)[k]
    a, b = np.array(values)[k], np.array(values)[k + 1]
    return a + (b - a) * 0.5 * (1.0 - np.cos(np.pi * u))


@pytest.mark.parametrize("turn", [0.3, 0.5, 0.56, 0.8])
def test_borders_and_phase_changes_of_skewed_cycles(turn):
    durations = [2.0, 2.5, 1.5, 3.0]
    found = find_cycles(flexion(durations, turn), RATE)
    assert_array_equal(found.borders, np.cumsum([0, 200, 250, 150, 300]))
    assert_allclose(found.durations_s, durations)
    assert_allclose(
        found.phase_changes_percent, 100.0 * turn, atol=0.5
    )  # half a frame of the shortest cycle, and rounding
    assert found.valid.all()
    assert len(found) == 4


def test_ends_count_only_if_asked_and_only_if_as_low_as_the_others():
    x = flexion([2.0, 2.0, 2.0])
    assert find_cycles(x, RATE, NO_ENDS).borders == (200, 400)
    assert [n.code for n in find_cycles(x, RATE).notices] == ["border-at-end"] * 2
    assert find_cycles(x[60:-70], RATE).borders == (140, 340)  # starts and stops half bent: no border there


def test_one_movement_between_two_rests_is_a_cycle():
    rest = np.full(80, 0.1)
    found = find_cycles(np.concatenate([rest, flexion([2.0]), rest]), RATE)
    assert len(found) == 1
    assert found.spans[0, 0] <= 80
    assert found.spans[0, 1] >= 280


def test_shallow_dips_and_noise_are_no_borders():
    rng = np.random.default_rng(0)
    x = flexion([2.0, 2.0, 2.0, 2.0])
    x = x - np.radians(15.0) * np.exp(-(((np.arange(x.size) - 300) / 5.0) ** 2)) + rng.normal(scale=0.01, size=x.size)
    found = find_cycles(x, RATE)
    assert_allclose(found.borders, [0, 200, 400, 600, 800], atol=15)  # noise moves the lowest of a flat minimum
    assert len(find_cycles(x, RATE, CycleOptions(prominence=np.radians(5.0)))) == 5


def test_cycles_shorter_than_the_limit_are_merged():
    x = flexion([0.3] * 8)
    assert len(find_cycles(x, RATE, CycleOptions(duration_s=0.2))) == 8
    assert (find_cycles(x, RATE).durations_s >= 0.5).all()


@given(
    durations=st.lists(st.floats(0.8, 3.0), min_size=2, max_size=5),
    turn=st.floats(0.3, 0.7),
    offset=st.floats(-10.0, 10.0),
    scale=st.floats(0.01, 100.0),
    shift=st.integers(0, 50),
)
@settings(max_examples=40, deadline=None)
def test_moving_time_level_and_unit_does_not_change_the_cycles(durations, turn, offset, scale, shift):
    x = np.round(flexion(durations, turn), 9)
    base = find_cycles(x, RATE, NO_ENDS)
    scaled = find_cycles(offset + scale * x, RATE, CycleOptions(scale * NO_ENDS.prominence, ends=False))
    assert scaled.borders == base.borders
    late = find_cycles(np.concatenate([np.full(shift, x[0]), x]), RATE, NO_ENDS)
    # what was the end of the recording may become a minimum with something before it, never the other way round
    assert set(np.add(base.borders, shift)) <= set(late.borders)
    backward = find_cycles(x[::-1], RATE, NO_ENDS)
    assert_allclose(x.size - 1 - np.array(backward.borders[::-1]), base.borders, atol=1)  # middle of two equal samples


def test_a_cycle_with_one_bad_frame_is_not_valid_and_gaps_are_not_bridged():
    x = flexion([2.0] * 4)
    good = np.ones(x.size, dtype=bool)
    good[450] = False
    assert_array_equal(find_cycles(x, RATE, frame_valid=good).valid, [True, True, False, True])
    x[250:260] = np.nan
    found = find_cycles(x, RATE)
    assert_array_equal(found.borders, [0, 200, 400, 600, 800])
    assert_array_equal(found.valid, [True, False, True, True])


def test_a_border_frame_belongs_to_both_cycles():
    good = np.ones(601, dtype=bool)
    good[200] = False
    assert_array_equal(find_cycles(flexion([2.0] * 3), RATE, frame_valid=good).valid, [False, False, True])


def test_no_cycle_is_told_not_raised():
    for x in (np.zeros(500), np.linspace(0.0, 2.0, 500), np.full(10, np.nan), np.zeros(0)):
        found = find_cycles(x, RATE)
        assert len(found) == 0
        assert "no-cycle" in [n.code for n in found.notices]
        assert found.spans.shape == (0, 2)
        assert found.valid.shape == found.phase_changes_percent.shape == (0,)


def test_borders_are_added_moved_and_removed_by_hand():
    found = find_cycles(flexion([2.0] * 3), RATE)
    more = add_border(found, 300)
    assert more.borders == (0, 200, 300, 400, 600)
    assert remove_border(more, 300).borders == found.borders
    moved = move_border(found, 200, 220)
    assert moved.borders == (0, 220, 400, 600)
    assert_array_equal(moved.phase_changes, [100, 300, 500])
    assert_array_equal(more.phase_changes[1:3], [300, 300])  # the maximum is the border itself
    assert found.borders == (0, 200, 400, 600)
    assert moved.notices[-1].code == "border-by-hand"


def test_a_cycle_taken_out_stays_out_when_its_border_moves():
    found = exclude_cycle(find_cycles(flexion([2.0] * 3), RATE), 1)
    assert_array_equal(found.valid, [True, False, True])
    assert_array_equal(move_border(found, 200, 210).valid, [True, False, True])
    assert_array_equal(move_border(found, 400, 390).valid, [True, False, True])
    assert_array_equal(remove_border(found, 200).valid, [True, True])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: add_border(c, 200), "already"),
        (lambda c: add_border(c, 601), "601 is not within the 601 frames"),
        (lambda c: remove_border(c, 5), "borders are 0, 200, 400, 600"),
        (lambda c: move_border(c, 200, 400), "between frames 1 and 399"),
        (lambda c: move_border(c, 0, -1), "between frames 0 and 199"),
        (lambda c: exclude_cycle(c, 3), "no cycle 3"),
    ],
)
def test_impossible_changes_are_refused(change, words):
    with pytest.raises(BiomecError, match=words):
        change(find_cycles(flexion([2.0] * 3), RATE))


def test_cycles_between_foot_strikes_of_one_side():
    events = [
        *(Event(t, "Foot Strike", "Left") for t in (0.5, 1.6, 2.7)),
        *(Event(t, "Foot Off", "Left") for t in (1.2, 2.3)),
        *(Event(t, "Foot Strike", "Right") for t in (1.0, 2.1, 9.0)),
    ]
    left = cycles_between_events(events, 400, RATE, context="Left")
    assert left.borders == (50, 160, 270)
    assert_array_equal(left.phase_changes, [120, 230])
    assert_allclose(left.phase_changes_percent, 100.0 * 70 / 110)
    right = cycles_between_events(events, 400, RATE, context="Right")
    assert right.borders == (100, 210)  # 9.0 s lies beyond the recording
    assert np.isnan(right.phase_changes).all()
    none = cycles_between_events(events, 400, RATE, context="General")
    assert "0 event(s) Foot Strike (General)" in none.notices[0].sentence
    assert move_border(left, 160, 170).borders == (50, 170, 270)


def test_cycles_of_nobody_are_refused_with_the_contexts_that_there_are():
    """Without a context, "General" was meant: a walk with ten steps had no cycle."""
    events = [Event(0.5, "Foot Strike", "Right"), Event(1.0, "Foot Strike", "Left"), Event(0.2, "Foot Off", "General")]
    with pytest.raises(BiomecError, match=r"Foot Strike is there for: Left, Right\.$"):
        cycles_between_events(events, 400, RATE)
    with pytest.raises(BiomecError, match="no event Turn"):
        cycles_between_events(iter(events), 400, RATE, label="Turn")


def test_impossible_input_is_refused():
    with pytest.raises(BiomecError, match="one signal"):
        find_cycles(np.zeros((10, 2)), RATE)
    with pytest.raises(BiomecError, match="positive"):
        CycleOptions(prominence=0.0)
    with pytest.raises(BiomecError, match="5 frames are said"):
        find_cycles(np.zeros(10), RATE, frame_valid=np.ones(5, dtype=bool))
