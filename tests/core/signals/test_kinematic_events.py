from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from biomec.base.errors import BiomecError
from biomec.io import load_marker_set
from biomec.recording import LabAxes
from biomec.signals.event_editing import OFF, STRIKE
from biomec.signals.kinematic_events import (
    GaitMarkers,
    KinematicEventOptions,
    belt_velocity,
    gait_markers,
    kinematic_events,
    level,
    walking_direction,
)
from tests.core.signals.virtual_walk import GAIT, UP, Walk

FORWARD = np.array([0.0, 1.0, 0.0])


def found(walk, method="zeni", label=STRIKE, side="Right", **options) -> np.ndarray:
    events, _ = kinematic_events(
        walk.trial().markers, GAIT, UP, FORWARD, KinematicEventOptions(method=method, **options)
    )
    return np.array([e.time_s for e in events if (e.label, e.context) == (label, side)])


def test_zeni_finds_the_extremes_of_the_walkers_own_motion():
    """Oracle: the swinging heel is as fast as the pelvis at 1 − cos 2πs = v T_s / L, solved for s.

    Before the strike that is where it is farthest ahead of the pelvis, after the off where the toe is farthest behind.
    """
    walk = Walk()
    swing = (1 - walk.stance) * walk.stride_s
    s_off = brentq(lambda s: 1 - np.cos(2 * np.pi * s) - walk.speed * swing / (2 * walk.step_m), 0.0, 0.5)
    strikes, offs = found(walk), found(walk, label=OFF)
    true_strikes = [e.time_s for e in walk.events() if (e.label, e.context) == (STRIKE, "Right")]
    true_offs = [e.time_s for e in walk.events() if (e.label, e.context) == (OFF, "Right")]
    # the low-pass at 7 Hz rounds the corner between swing and stance and moves the extreme by up to a frame
    assert_allclose(strikes, np.array(true_strikes) - s_off * swing, atol=0.012)
    assert_allclose(offs, np.array(true_offs[:-1]) + s_off * swing, atol=0.012)  # the last has 40 ms after its peak


def test_oconnor_finds_the_steepest_rise_and_fall_of_the_foot():
    """Oracle: height 0.08 sin²πs is steepest at s = 1/4 and 3/4 of the swing."""
    walk = Walk()
    swing = (1 - walk.stance) * walk.stride_s
    offs, strikes = found(walk, "oconnor", OFF), found(walk, "oconnor")
    true_offs = np.array([e.time_s for e in walk.events() if (e.label, e.context) == (OFF, "Right")])
    expected = true_offs + 0.25 * swing
    assert_allclose(offs, expected[expected < walk.duration_s][: len(offs)], atol=0.01)
    # the fall is steepest at half height; strikes count only below 35 % of it, where this foot is slower and slower:
    # its height has no trough of velocity there, and the rule finds nothing rather than something wrong
    assert len(strikes) == 0


@settings(deadline=None, max_examples=12)
@given(up=st.sampled_from(["+x", "-x", "+y", "-y", "+z", "-z"]), forward=st.sampled_from(["+x", "-y", "-z"]))
def test_events_do_not_depend_on_the_laboratory(up, forward):
    if up[1] == forward[1]:
        return
    plain = Walk().trial()
    axes = LabAxes(up, forward)
    turned = plain.turned(axes)
    direction = walking_direction(turned.markers, GAIT, axes.up_vector)
    assert_allclose(direction, axes.forward_vector, atol=1e-9)
    one, _ = kinematic_events(plain.markers, GAIT, UP, FORWARD, KinematicEventOptions())
    two, _ = kinematic_events(turned.markers, GAIT, axes.up_vector, direction, KinematicEventOptions())
    assert [(e.label, e.context) for e in one] == [(e.label, e.context) for e in two]
    assert_allclose([e.time_s for e in one], [e.time_s for e in two], atol=1e-9)


def test_noise_of_a_millimetre_moves_events_by_less_than_two_frames():
    clean, noisy = found(Walk()), found(Walk(marker_noise_m=0.001))
    assert_allclose(noisy, clean, atol=0.02)


def test_short_gaps_are_bridged_and_long_ones_hide_their_events():
    walk = Walk()
    trial = walk.trial()
    p = trial.markers.p_WM.copy()
    heel = trial.markers.index("RHEE")
    p[60:65, heel] = np.nan  # in the middle of the stance
    some = kinematic_events(replace(trial.markers, p_WM=p), GAIT, UP, FORWARD, KinematicEventOptions())[0]
    p[110:160, heel] = np.nan  # around the strike at 1.3 s
    fewer = kinematic_events(replace(trial.markers, p_WM=p), GAIT, UP, FORWARD, KinematicEventOptions())[0]
    strikes = lambda events: [e.time_s for e in events if (e.label, e.context) == (STRIKE, "Right")]
    assert_allclose(strikes(some), found(walk), atol=0.01)
    assert all(not 1.1 < t < 1.6 for t in strikes(fewer))
    assert len(strikes(fewer)) == len(strikes(some)) - 1


def test_on_a_treadmill_the_feet_show_the_way():
    trial = Walk().trial()
    back = trial.time_s[:, None, None] * np.array([0.0, Walk().speed, 0.0])
    belt = replace(trial.markers, p_WM=trial.markers.p_WM - back)
    assert_allclose(walking_direction(belt, GAIT, UP), FORWARD, atol=1e-9)


@pytest.mark.parametrize("drift", [0.3, -0.3, 0.0])
def test_who_drifts_on_a_treadmill_still_walks_forward(drift):
    """Half a metre back on the belt turned the way round, so that strikes and offs changed places."""
    walk = Walk()
    trial = walk.trial()
    assert not belt_velocity(trial.markers, GAIT, UP).any()
    back = trial.time_s[:, None, None] * ((walk.speed + drift) * FORWARD)
    belt = replace(trial.markers, p_WM=trial.markers.p_WM - back)
    assert_allclose(belt_velocity(belt, GAIT, UP), -(walk.speed + drift) * FORWARD, atol=0.15 * walk.speed)
    assert walking_direction(belt, GAIT, UP) @ FORWARD > 0.999


def test_missing_markers_are_named_and_the_other_foot_is_still_found():
    markers = Walk().trial().markers
    some = markers.select([name for name in markers.names if name != "LTOE"])
    events, (notice,) = kinematic_events(some, GAIT, UP, FORWARD, KinematicEventOptions())
    assert {e.context for e in events} == {"Right"}
    assert "LTOE" in notice.sentence
    with pytest.raises(BiomecError, match="direction of walking cannot be found"):
        walking_direction(markers.select(["RHEE"]), GAIT, UP)


def test_impossible_requests_are_refused_in_words():
    markers = Walk().trial().markers
    with pytest.raises(BiomecError, match="too slow"):
        kinematic_events(replace(markers, rate_hz=15.0), GAIT, UP, FORWARD, KinematicEventOptions())
    with pytest.raises(BiomecError, match="'zeni' or 'oconnor'"):
        KinematicEventOptions(method="guess")
    with pytest.raises(BiomecError, match="vertical or missing"):
        level(UP, UP)


def test_a_person_who_stands_has_no_steps():
    markers = Walk().trial().markers
    still = replace(markers, p_WM=np.tile(markers.p_WM[50], (300, 1, 1)))
    for method in ("zeni", "oconnor"):
        assert kinematic_events(still, GAIT, UP, FORWARD, KinematicEventOptions(method=method))[0] == ()
    empty = GaitMarkers(("SACR",), {}, {})
    assert kinematic_events(markers, empty, UP, FORWARD, KinematicEventOptions())[0] == ()


def test_a_marker_set_knows_which_of_its_markers_show_steps():
    """`GaitMarkers(("SACR",), {"Right": "RHEE", …}, …)` was written by hand in every script."""
    pig = load_marker_set("plug-in-gait")
    gait = gait_markers(pig, ("LPSI", "RPSI", "RHEE"))
    assert gait == GaitMarkers(("RPSI", "LPSI"), {"Right": "RHEE", "Left": "LHEE"}, {"Right": "RTOE", "Left": "LTOE"})
    assert gait_markers(pig, ["SACR", "RHEE"]).pelvis == ("SACR",)
    assert gait_markers(pig).pelvis == gait_markers(pig, ["RHEE"]).pelvis == ("SACR", "RPSI", "LPSI")
    with pytest.raises(BiomecError, match="shoulder-isb does not say which markers show steps"):
        gait_markers(load_marker_set("shoulder-isb"))


def test_missing_markers_are_named_in_a_sentence():
    """It read 'because a foot marker, a foot marker is missing'."""
    bare = GaitMarkers(GAIT.pelvis, {"Right": GAIT.heel["Right"]}, {"Right": "GONE"})
    _, notices = kinematic_events(Walk().trial().markers, bare, UP, FORWARD, KinematicEventOptions())
    left, right = sorted(notices, key=lambda notice: notice.about)
    assert "No right foot events are found from markers, because GONE is missing" in right.sentence
    assert "because the heel marker and the toe marker are missing" in left.sentence
