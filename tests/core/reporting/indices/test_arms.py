"""Scapulohumeral rhythm, arm profile and push-ups, of shoulders and persons of which the truth is known."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.physics import GRAVITY
from biomec.engine.rotations import elementary
from biomec.pipeline.analysis import Analysis
from biomec.recording import Session
from biomec.reporting.indices.arm_profile import ANGLES, arm_curves, arm_profile
from biomec.reporting.indices.push_ups import push_up_tables, push_ups
from biomec.reporting.indices.scapulohumeral import (
    INTERVALS,
    humeral_elevation,
    interval_ratio,
    rhythms,
    scapulohumeral_rhythm,
)
from biomec.virtual import RecordOptions, VirtualPerson, arm_elevation, record
from tests.core.pipeline.pushing import UNFILTERED, pushed

TIME = np.linspace(0.0, 1.0, 401)
RAISED = 5.0 + 125.0 * np.sin(np.pi * TIME) ** 2  # 5° to 130° and back


@pytest.fixture(scope="module")
def raised() -> Analysis:
    one = record(arm_elevation("abduction", 1), VirtualPerson(), RecordOptions(50.0, 500.0))
    return Analysis(Session(one.dynamic, one.static, subject=one.person.subject), UNFILTERED).run_until("cycles")


# --------------------------------------------------------------------------------------------------------------- rhythm
@pytest.mark.parametrize("ratio", [1.0, 2.0, 3.2])
def test_a_constant_rhythm_comes_back(ratio):
    found = scapulohumeral_rhythm(RAISED, 7.0 + RAISED / (1.0 + ratio), [[0, 400]])
    assert found.ratio[0] == pytest.approx(np.full((2, 3), ratio))


def test_raising_and_lowering_are_told_apart():
    upward = np.where(TIME < 0.5, RAISED / 3.0, 130.0 / 3.0 - (130.0 - RAISED) / 4.0)  # 2 : 1 up, 3 : 1 down
    found = scapulohumeral_rhythm(RAISED, upward, [[0, 400]])
    assert found.ratio[0] == pytest.approx(np.array([[2.0] * 3, [3.0] * 3]))
    assert found.table("Right").rows[1][0] == "lowering"


def test_a_regression_bears_noise_better_than_end_points():
    rng = np.random.default_rng(5)
    elevation, errors = np.linspace(30.0, 60.0, 60), []
    for _ in range(40):
        upward = elevation / 3.0 + rng.normal(scale=0.5, size=60)
        ends = (30.0 - (upward[-1] - upward[0])) / (upward[-1] - upward[0])
        errors.append((interval_ratio(elevation, upward, 30.0, 60.0) - 2.0, ends - 2.0))
    by_slope, by_ends = np.sqrt(np.mean(np.square(errors), axis=0))
    assert by_slope < 0.5 * by_ends


def test_an_interval_that_the_arm_does_not_pass_has_no_ratio():
    found = scapulohumeral_rhythm(0.6 * RAISED, 0.2 * RAISED, [[0, 400]])  # to 78°
    assert np.isfinite(found.ratio[0, :, 0]).all()
    assert np.isnan(found.ratio[0, :, 1:]).all()
    assert np.isnan(
        interval_ratio(np.linspace(30, 60, 50), np.full(50, 8.0), 30.0, 60.0)
    )  # a scapula that stands still


def test_elevation_is_the_angle_between_the_long_axes():
    rng = np.random.default_rng(1)
    for a, b, c in rng.uniform(-1.5, 1.5, size=(20, 3)):
        R = elementary(a, 2) @ elementary(b, 0) @ elementary(c, 1)  # ZXY
        assert humeral_elevation(a, b) == pytest.approx(np.arccos(R[1, 1]))


def test_a_virtual_shoulder_has_the_rhythm_it_was_given(raised):
    """2 : 1 in the angle that the arm turns; the elevation, from the thorax's long axis, grows by up to 2 % less."""
    found = rhythms(raised)
    assert set(found) == {"right", "left"}
    for one in found.values():
        assert one.ratio.shape == (1, 2, len(INTERVALS))
        assert one.ratio == pytest.approx(np.full((1, 2, 3), 2.0), abs=0.08)


# ---------------------------------------------------------------------------------------------------------- arm profile
def test_a_symmetric_person_has_two_equal_arms(raised):
    right, left = arm_curves(raised, "right"), arm_curves(raised, "left")
    assert set(right) == set(ANGLES)
    assert len(ANGLES) == 13
    assert arm_profile(right, left).mean == pytest.approx(0.0, abs=1e-6)


def test_an_arm_profile_is_the_root_mean_square_of_its_angles(raised):
    right = arm_curves(raised, "right")
    moved = {name: curve + k for k, (name, curve) in enumerate(right.items())}
    score = arm_profile(moved, right)
    assert score.variables[0] == pytest.approx(np.arange(13))
    assert score.mean == pytest.approx(np.sqrt(np.mean(np.arange(13) ** 2)))
    turned = {**right, "shoulder rotation": right["shoulder rotation"] + 360.0}
    assert arm_profile(turned, right).mean == pytest.approx(0.0, abs=1e-6)
    with pytest.raises(BiomecError, match="no angle"):
        arm_profile(right, {})


# ------------------------------------------------------------------------------------------------------------- push-ups
def test_the_push_ups_figures_are_those_of_the_movement():
    """One closed push-up of 3.67 s that turns at 56 %, elbows from 6 to 119°; its forces and power are known."""
    analysis = pushed().analysis
    found = push_ups(analysis)
    assert len(found) == 1
    assert found.duration_s[0] == pytest.approx(3.67, abs=0.02)
    assert found.per_minute[0] == pytest.approx(60 / found.duration_s[0])
    assert found.descent_percent[0] == pytest.approx(56.0, abs=1.0)
    assert found.depth_deg["right"][0] == pytest.approx(found.depth_deg["left"][0], abs=0.1)
    assert found.depth_deg["right"][0] == pytest.approx(113.0, abs=5.0)  # cycles differ by 2 % of the depth
    assert found.grip_deg["right"][0] < 60.0  # upper arms near the body
    # both hands bear what the feet do not
    weight = GRAVITY * found.mass_kg
    feet = [k for k, name in enumerate(analysis.loads.external.segments) if name.endswith("foot")]
    first, last = analysis.cycles.groups["both"].spans[0]
    up = analysis.signals.trial.axes.up_vector
    of_feet = (analysis.loads.external.force[first : last + 1, feet].sum(axis=1) @ up).mean() / weight
    of_hands = sum(float(found.hand_mean[side][0]) for side in ("right", "left"))
    assert of_hands + of_feet == pytest.approx(1.0, abs=0.01)  # the body begins and ends at rest
    assert 0.5 < of_hands < 0.8


def test_peaks_and_work_of_the_push_up_are_those_of_the_loads():
    analysis = pushed().analysis
    found, loads = push_ups(analysis), analysis.loads.multibody
    first, last = analysis.cycles.groups["both"].spans[0]
    elbow = np.linalg.norm(loads.torque[first : last + 1, loads.index("right elbow")], axis=1)
    assert found.moments["right elbow"].size[0] == pytest.approx(np.nanmax(elbow))
    assert found.moments["right elbow"].at_percent[0] == pytest.approx(100 * np.nanargmax(elbow) / (last - first))
    assert set(found.moments) == {
        f"{side} {joint}" for side in ("right", "left") for joint in ("wrist", "elbow", "shoulder")
    }
    power = analysis.loads.power
    arm = [power.joints.index(f"right {joint}") for joint in ("wrist", "elbow", "glenohumeral")]
    net = np.trapezoid(power.joint[first : last + 1, arm].sum(axis=1), dx=0.01)
    assert found.delivered_j["right"][0] + found.taken_j["right"][0] == pytest.approx(net, abs=1e-6)
    tables = push_up_tables(found)
    assert [table.caption for table in tables] == ["", "Both arms", "Moments of the arms"]
    rows = {row[0]: row[1:] for row in tables[1].rows}
    assert abs(float(rows["Hand force, mean [body weight]"][2].replace("−", "-"))) < 1.0  # a symmetric person
    assert tables[2].rows[0][4] in ("descent", "ascent")


def test_without_loads_times_and_angles_are_left(raised):
    analysis = pushed().analysis
    bare = replace(analysis, done={name: one for name, one in analysis.done.items() if name != "loads"})
    found = push_ups(bare)
    assert found.moments == {}
    assert [table.caption for table in push_up_tables(found)] == ["", "Both arms"]
    assert push_ups(raised) is None
