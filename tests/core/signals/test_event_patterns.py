from dataclasses import replace

import numpy as np
import pytest

from biomec.recording import Event
from biomec.signals.event_editing import OFF, STRIKE
from biomec.signals.event_patterns import learned_events
from biomec.signals.kinematic_events import KinematicEventOptions, kinematic_events
from tests.core.signals.virtual_walk import GAIT, UP, Walk

FORWARD = np.array([0.0, 1.0, 0.0])


def found(walk, plates, markers=None):
    markers = walk.trial().markers if markers is None else markers
    rules, _ = kinematic_events(markers, GAIT, UP, FORWARD, KinematicEventOptions())
    return rules, learned_events(markers, GAIT, UP, FORWARD, plates, rules)


def errors(events, walk, label=STRIKE):
    truth = [e for e in walk.events() if e.label == label]
    return {
        (e.context, round(e.time_s, 3)): min((e.time_s - t.time_s for t in truth if t.context == e.context), key=abs)
        for e in events
        if e.label == label
    }


def test_events_off_the_plates_take_the_timing_of_those_on_them():
    """The rule is six frames early on this walker; with one strike of each foot known, all are right."""
    walk = Walk(marker_noise_m=0.0005)
    plates = [e for e in walk.events() if e.label == STRIKE and e.time_s < 1.0]
    rules, learned = found(walk, plates)
    assert all(e < -0.04 for e in errors(rules, walk).values())
    # steps of a quarter frame, and half a millimetre of noise on velocities of the foot
    assert all(abs(e) < 0.01 for e in errors(learned, walk).values())
    assert len(learned) == len(rules)


def test_a_foot_without_plate_learns_from_the_other():
    walk = Walk()
    plates = [e for e in walk.events() if (e.label, e.context) == (STRIKE, "Right") and e.time_s < 1.0]
    _, learned = found(walk, plates)
    left = {key: e for key, e in errors(learned, walk).items() if key[0] == "Left"}
    assert left
    assert all(abs(e) < 0.005 for e in left.values())


def test_the_same_foot_is_preferred_to_the_other():
    walk = Walk()
    right, left = (
        next(e for e in walk.events() if (e.label, e.context) == (STRIKE, side)) for side in ("Right", "Left")
    )
    misleading = replace(left, time_s=left.time_s + 0.03)
    _, learned = found(walk, [right, misleading])
    apart = errors(learned, walk)
    assert all(abs(e) < 0.005 for (side, _), e in apart.items() if side == "Right")
    assert all(e > 0.02 for (side, _), e in apart.items() if side == "Left")  # or the test would prove nothing


def test_without_a_pattern_nothing_moves():
    walk = Walk()
    rules, learned = found(walk, [])
    assert learned == rules
    only_strikes = [e for e in walk.events() if e.label == STRIKE][:1]
    rules, learned = found(walk, only_strikes)
    assert [e for e in rules if e.label == OFF] == [e for e in learned if e.label == OFF]


def test_a_pattern_beside_a_gap_or_the_end_is_not_used():
    walk = Walk()
    at = next(e for e in walk.events() if (e.label, e.context) == (STRIKE, "Right") and e.time_s > 1.0)
    trial = walk.trial()
    p = trial.markers.p_WM.copy()
    p[round(at.time_s * 100) + 3, trial.markers.index("RHEE")] = np.nan
    rules, learned = found(walk, [at], replace(trial.markers, p_WM=p))
    right = [(e.label, e.context) == (STRIKE, "Right") for e in rules]
    assert any(right)
    assert learned == rules
    edge = [Event(0.01, STRIKE, "Right", "plates")]
    rules, learned = found(walk, edge)
    assert learned == rules


def test_a_misleading_pattern_moves_nothing_beyond_a_tenth_of_a_second():
    walk = Walk()
    wrong = [Event(walk.strike_s(0) + 0.3, STRIKE, "Right", "plates")]  # in the middle of the stance
    rules, learned = found(walk, wrong)
    for before, after in zip(rules, learned, strict=True):
        assert abs(before.time_s - after.time_s) <= 0.1 + 1e-9


@pytest.mark.parametrize("rate", [60.0, 100.0, 250.0])
def test_the_rate_of_the_cameras_does_not_matter(rate):
    walk = Walk(rate_hz=rate)
    plates = [e for e in walk.events() if e.time_s < 1.1]
    _, learned = found(walk, plates)
    assert all(abs(e) < 0.5 / rate for e in errors(learned, walk).values())


def test_one_frame_moves_nothing():
    walk = Walk(plates_for=(0, 1))
    markers = walk.trial().markers
    short = replace(markers, p_WM=markers.p_WM[:1])
    events = (Event(0.0, STRIKE, "Left", "kinematics"),)
    assert learned_events(short, GAIT, UP, FORWARD, events, events) == events
