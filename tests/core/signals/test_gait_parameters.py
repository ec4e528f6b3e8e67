from dataclasses import replace

import numpy as np
import pytest

from biomec.signals.contact_detection import detect_contacts
from biomec.signals.contacts import assign_contacts
from biomec.signals.event_editing import STRIKE
from biomec.signals.gait_events import gait_events
from biomec.signals.gait_parameters import gait_parameters
from tests.core.signals.gait_recordings import OPENSIM_GAIT, OPENSIM_SEGMENTS, PIG_GAIT, opensim_trial, pig_trial
from tests.core.signals.virtual_walk import GAIT, UP, Walk

FORWARD = np.array([0.0, 1.0, 0.0])


def test_the_walkers_own_figures_come_back():
    walk = Walk(stance=0.62, step_m=0.55, width_m=0.14)
    found = gait_parameters(walk.events(), walk.trial().markers, GAIT, UP, FORWARD)
    assert found.cadence_per_min == pytest.approx(120.0)
    assert found.speed_m_s == pytest.approx(1.1)
    assert found.belt_m_s == 0.0
    for stride in found.strides:
        assert stride.time_s == pytest.approx(1.0)
        assert stride.length_m == pytest.approx(1.1)
        if stride.stance is not None:
            assert stride.stance == pytest.approx(0.62)
        if stride.double_support is not None:
            assert stride.double_support == pytest.approx(2 * 0.12)
            assert stride.single_support == pytest.approx(0.38)
    assert any(stride.double_support is not None for stride in found.strides)
    for step in found.steps:
        assert (step.time_s, step.length_m, step.width_m) == pytest.approx((0.5, 0.55, 0.14))


def test_a_treadmill_gives_the_same_lengths_along_its_belt():
    walk = Walk()
    trial = walk.trial()
    back = trial.time_s[:, None, None] * np.array([0.0, walk.speed, 0.0])
    belt = replace(trial.markers, p_WM=trial.markers.p_WM - back)
    found = gait_parameters(walk.events(), belt, GAIT, UP, FORWARD)
    assert found.belt_m_s == pytest.approx(walk.speed)
    assert found.speed_m_s == pytest.approx(walk.speed)
    assert [step.length_m for step in found.steps] == pytest.approx([walk.step_m] * len(found.steps))
    assert found.notices[0].code == "treadmill"


def test_phases_follow_each_other():
    walk = Walk()
    stride = next(s for s in gait_parameters(walk.events()).strides if s.double_support is not None)
    t = stride.start_s + np.array([0.05, 0.3, 0.55, 0.8, 1.05])
    assert [stride.phase(x) for x in t] == ["loading", "single support", "pre-swing", "swing", "outside"]


def test_a_missing_event_leaves_a_gap_not_a_guess():
    walk = Walk()
    events = [e for e in walk.events() if not (e.label == "Foot Off" and e.context == "Right")]
    found = gait_parameters(events)
    assert all(s.stance is None for s in found.strides if s.side == "Right")
    assert all(s.length_m is None for s in found.strides)
    without_left = [e for e in walk.events() if e.context == "Right"]
    assert gait_parameters(without_left).steps == ()


def test_no_events_no_figures():
    found = gait_parameters([])
    assert (found.strides, found.steps, found.cadence_per_min, found.speed_m_s) == ((), (), None, None)


def test_two_passes_over_the_walkway_are_not_one_stride():
    walk = Walk()
    late = [replace(e, time_s=e.time_s + 10.0) for e in walk.events()]
    found = gait_parameters([*walk.events(), *late])
    assert all(s.time_s < 3.0 for s in found.strides)
    assert {n.code for n in found.notices} == {"stride-too-long"}


def test_the_real_walk_has_the_stored_strides():
    trial = pig_trial("HC030A05")
    found = gait_parameters(trial.events, trial.markers, PIG_GAIT, trial.axes.up_vector, FORWARD)
    # stored strikes: R 3.02 and 4.05 s, L 3.54 and 4.58 s; offs R 3.65, L 4.18 s
    assert [(s.side, s.time_s) for s in found.strides] == [
        ("Right", pytest.approx(1.03)),
        ("Left", pytest.approx(1.04)),
    ]
    assert [s.stance for s in found.strides] == pytest.approx([0.63 / 1.03, 0.64 / 1.04], abs=1e-6)
    # the pelvis covers the same ground: its mean speed over the recording
    sacrum = trial.markers["SACR"] @ FORWARD
    assert found.speed_m_s == pytest.approx((sacrum[-1] - sacrum[0]) / (trial.frames - 1) * trial.rate_hz, rel=0.1)
    assert [s.side for s in found.steps] == ["Left", "Right", "Left"]


def test_the_real_treadmill_walk_goes_as_fast_as_its_belt():
    trial = opensim_trial()
    contacts = assign_contacts(trial, detect_contacts(trial), OPENSIM_SEGMENTS)
    result = gait_events(trial, OPENSIM_GAIT, contacts)
    found = gait_parameters(result.events, trial.markers, OPENSIM_GAIT, trial.axes.up_vector, result.forward)
    drift = np.polyfit(trial.time_s, trial.markers["V.Sacral"] @ result.forward, 1)[0]
    assert found.belt_m_s > 1.0
    assert found.speed_m_s == pytest.approx(found.belt_m_s + drift, rel=0.05)
    strikes = sum(e.label == STRIKE for e in result.events)
    assert len(found.steps) == strikes - 1
