"""Strides and steps of walks of which everything is known: turns, stairs, running, passes, other laboratories."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.engine.rotations import elementary
from biomec.recording import Event
from biomec.signals.gait_parameters import StrideKind, gait_parameters
from tests.core.signals.footprints import GAIT, LIFT, UP, circle, straight
from tests.core.signals.gait_recordings import PIG_GAIT, pig_trial
from tests.core.signals.virtual_walk import Walk


def test_a_straight_walk_has_the_lengths_it_was_made_with():
    found = straight(longer_right_m=0.1).parameters()
    for stride in found.strides:
        assert stride.kind is StrideKind.STRAIGHT
        assert stride.turn == pytest.approx(0.0, abs=1e-9)  # the sway is the same at both ends of a stride
        assert stride.length_m == pytest.approx(1.3)
        assert stride.rise_m == pytest.approx(0.0, abs=1e-12)
    for step in found.steps:
        expected = 0.7 if step.side == "Right" else 0.6
        assert (step.length_m, step.width_m, step.height_m) == pytest.approx((expected, 0.12, 0.0))
        assert step.line_width_m in (None, pytest.approx(0.12))


def test_feet_that_cross_have_a_negative_width():
    found = straight(width_m=-0.05).parameters()
    assert [step.width_m for step in found.steps] == pytest.approx([-0.05] * len(found.steps))
    assert {round(step.line_width_m, 9) for step in found.steps if step.line_width_m is not None} == {-0.05}


@pytest.mark.parametrize("sway_m", [0.0, 0.02])
def test_steps_on_a_circle_are_along_its_tangent(sway_m):
    """Midway between two footfalls the step is 2 R sin(δ/2) along the tangent and w cos(δ/2) across it."""
    R, delta, w = 1.5, 0.4, 0.12
    found = circle(R, delta, w, sway_m=sway_m).parameters()
    assert {stride.kind for stride in found.strides} == {StrideKind.TURN}
    assert [stride.turn for stride in found.strides] == pytest.approx([2 * delta] * len(found.strides), abs=0.01)
    assert len(found.steps) == 8
    for step in found.steps:
        assert step.length_m == pytest.approx(2 * R * np.sin(delta / 2), abs=1e-4)
        assert step.width_m == pytest.approx(w * np.cos(delta / 2), abs=1e-4)
    # along the chord of a stride, as on a straight way, inner and outer steps would seem to differ in width
    assert 2 * R * np.sin(delta / 2) * np.sin(delta / 2) > 0.1


def test_a_gentle_curve_is_no_turn():
    found = circle(radius_m=8.0, angle=0.075).parameters()
    assert {stride.kind for stride in found.strides} == {StrideKind.STRAIGHT}
    found = circle(radius_m=4.0, angle=0.15).parameters()  # 17° a stride
    assert {stride.kind for stride in found.strides} == {StrideKind.TURN}


def test_stairs_have_height_and_depth():
    found = straight(step_m=0.28, rise_m=0.17).parameters()
    assert {stride.kind for stride in found.strides} == {StrideKind.STAIRS}
    assert all(stride.toe_clearance_m is None for stride in found.strides)
    for step in found.steps:
        assert (step.length_m, step.height_m, step.kind) == pytest.approx((0.28, 0.17, StrideKind.STAIRS))
    assert found.steps[0].length_m is not None
    down = straight(step_m=0.28, rise_m=-0.17).parameters()
    assert [step.height_m for step in down.steps] == pytest.approx([-0.17] * len(down.steps))


def test_running_has_flight_in_place_of_double_support():
    found = straight(stride_s=0.7, stance=0.35, step_m=1.1).parameters()
    known = [stride for stride in found.strides if stride.flight is not None]
    assert len(known) == len(found.strides) - 1  # the other foot's last off lies before the recording
    for stride in known:
        assert stride.stance == pytest.approx(0.35)
        assert stride.flight == pytest.approx(0.3)
        assert stride.double_support == 0.0
        assert stride.single_support == pytest.approx(0.35)
        assert stride.opposite_off == pytest.approx(-0.15)


def test_parts_of_stance_sum_to_stance():
    for stride in straight().parameters().strides:
        if stride.overlaps is not None:
            assert sum(stride.overlaps) + stride.single_support == pytest.approx(stride.stance)
            assert stride.flight == 0.0


def test_the_toe_clears_the_ground_by_what_it_was_lifted():
    found = straight().parameters()
    clearances = [stride.toe_clearance_m for stride in found.strides]
    # a half sine: the least between 25 and 75 % of swing is at its ends, to a frame
    assert clearances == pytest.approx([LIFT * np.sin(0.25 * np.pi)] * len(clearances), abs=0.05 * LIFT)


def test_the_toes_height_in_the_static_is_the_level_unless_it_stood_on_another_floor():
    walker = straight()
    markers, forward = walker.markers(), np.array([1.0, 0.0, 0.0])

    def clearance(stood: float) -> float:
        toes = {"Left": stood, "Right": stood}
        return gait_parameters(walker.events(), markers, GAIT, UP, forward, toes).strides[0].toe_clearance_m

    on_the_floor = clearance(0.0)
    assert clearance(0.01) == pytest.approx(on_the_floor - 0.01)
    assert clearance(-0.2) == pytest.approx(on_the_floor)  # on a treadmill's deck, 0.2 m above the static's floor


def test_there_and_back_again_has_positive_steps():
    """A return pass had negative lengths, because one direction was taken for the whole recording."""
    there = straight()
    first = there.markers()
    back = first.p_WM * [-1.0, -1.0, 1.0] + [first.p_WM[-1, -1, 0], 0.0, 0.0]
    both = replace(first, p_WM=np.concatenate([first.p_WM, back]))
    later = first.frames / first.rate_hz
    events = [*there.events(), *(replace(e, time_s=e.time_s + later) for e in there.events())]
    found = gait_parameters(events, both, GAIT, UP, np.array([1.0, 0.0, 0.0]))
    whole = [s for s in found.strides if s.kind is StrideKind.STRAIGHT and s.start_s > later]
    assert len(whole) == 6
    assert [stride.length_m for stride in whole] == pytest.approx([1.2] * 6)


@pytest.mark.parametrize("walker", [straight(longer_right_m=0.1), circle()], ids=["straight", "circle"])
def test_a_turned_laboratory_changes_no_number(walker):
    here, there = walker.parameters(), walker.parameters(elementary(1.234, 2))
    for one, other in zip((*here.strides, *here.steps), (*there.strides, *there.steps), strict=True):
        for name, value in vars(one).items():
            assert getattr(other, name) == (pytest.approx(value, abs=1e-9) if isinstance(value, float) else value), name


@pytest.mark.parametrize("walker", [straight(longer_right_m=0.1), circle()], ids=["straight", "circle"])
def test_a_mirrored_walker_has_the_other_sides_figures(walker):
    mirror = np.diag([1.0, -1.0, 1.0])
    exchanged = {"Right": "Left", "Left": "Right"}
    mirrored = replace(walker, landings=[(t, exchanged[side], p @ mirror) for t, side, p in walker.landings])
    mirrored = replace(mirrored, pelvis=lambda t: walker.pelvis(t) @ mirror)
    here, there = walker.parameters(), mirrored.parameters()
    pairs = [*zip(here.strides, there.strides, strict=True), *zip(here.steps, there.steps, strict=True)]
    for one, other in pairs:
        assert other.side == exchanged[one.side]
        for name in ("length_m", "width_m", "line_width_m", "rise_m", "height_m", "time_s", "off_s", "turn"):
            value = getattr(one, name, None)
            sign = -1.0 if name == "turn" else 1.0
            expected = None if value is None else pytest.approx(sign * value, abs=1e-9)
            assert getattr(other, name, None) == expected, name


def test_crutches_are_no_feet():
    walker = straight()
    aids = [Event(e.time_s + 0.1, "Crutch Strike", e.context) for e in walker.events()]
    aids += [Event(e.time_s + 0.05, e.label, "General") for e in walker.events()]
    assert walker.parameters(events=[*walker.events(), *aids]) == walker.parameters()


def test_two_foot_offs_in_a_stride_are_told_and_not_used():
    walker = straight()
    first = next(e for e in walker.events() if (e.label, e.context) == ("Foot Off", "Right"))
    found = walker.parameters(events=[*walker.events(), replace(first, time_s=first.time_s + 0.1)])
    assert found.strides[0].stance is None
    assert "several-foot-offs" in {notice.code for notice in found.notices}
    assert all(s.stance is not None for s in found.strides[1:] if s.end_s < 3.6)


def test_events_of_frames_that_were_not_saved_make_no_stride():
    """A strike before the first frame had lengths of frames at the end, counted from there."""
    walker = straight()
    early = [replace(e, time_s=e.time_s - 1.05) for e in walker.events()]
    markers = walker.markers()
    markers = replace(markers, p_WM=markers.p_WM[105:])
    found = gait_parameters(early, markers, GAIT, UP, np.array([1.0, 0.0, 0.0]))
    assert {e.time_s < 0.0 for e in early} == {True, False}
    assert min(stride.start_s for stride in found.strides) >= 0.0
    assert [stride.length_m for stride in found.strides] == pytest.approx([1.2] * len(found.strides))
    assert len(found.strides) == 4


def test_a_heel_that_was_not_seen_leaves_times():
    walk = Walk()
    trial = walk.trial()
    p = np.array(trial.markers.p_WM)
    p[int(walk.strike_s(2) * 100) - 2 : int(walk.strike_s(2) * 100) + 3, trial.markers.index("RHEE")] = np.nan
    markers = replace(trial.markers, p_WM=p)
    found = gait_parameters(walk.events(), markers, GAIT, UP, np.array([0.0, 1.0, 0.0]))
    right = [s for s in found.strides if s.side == "Right"]
    assert [s.length_m is None for s in right[:2]] == [True, True]
    assert all(s.stance == pytest.approx(0.6) for s in right if s.stance is not None)


def test_the_real_childs_figures_are_those_of_the_norm_sets_own_formulas():
    """The same recording by the formulas with which the children's norm was made, written out here."""
    trial = pig_trial("HC030A05")
    found = gait_parameters(trial.events, trial.markers, PIG_GAIT, trial.axes.up_vector, np.array([0.0, 1.0, 0.0]))
    at = {
        (side, label): sorted(
            round(e.time_s * trial.rate_hz) for e in trial.events if (e.context, e.label) == (side, label)
        )
        for side in ("Left", "Right")
        for label in ("Foot Strike", "Foot Off")
    }
    pelvis = np.mean([trial.markers[name] for name in PIG_GAIT.pelvis if name in trial.markers], axis=0)[:, :2]
    for side, other in (("Right", "Left"), ("Left", "Right")):
        a, b = at[side, "Foot Strike"][:2]
        (c,) = [f for f in at[other, "Foot Strike"] if a < f < b]
        heel, opposite = trial.markers[side[0] + "HEE"][:, :2], trial.markers[other[0] + "HEE"][:, :2]
        ahead = (pelvis[b] - pelvis[a]) / np.linalg.norm(pelvis[b] - pelvis[a])
        line = (heel[b] - heel[a]) / np.linalg.norm(heel[b] - heel[a])
        away = opposite[c] - heel[a]
        stride = next(s for s in found.strides if s.side == side)
        step = next(s for s in found.steps if s.side == side and s.strike_s == stride.end_s)
        assert stride.length_m == pytest.approx(np.linalg.norm(heel[b] - heel[a]), rel=2e-3)  # there not along the walk
        assert step.length_m == pytest.approx((heel[b] - opposite[c]) @ ahead, abs=1e-6)
        assert step.line_width_m == pytest.approx(abs(line[0] * away[1] - line[1] * away[0]), abs=1e-6)
        (ofo,) = [f for f in at[other, "Foot Off"] if a < f < b]
        assert stride.opposite_off == pytest.approx((ofo - a) / (b - a))
        assert stride.single_support == pytest.approx((c - ofo) / (b - a))
