"""Ranges and errors of angles, on curves whose extremes are known in closed form."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.body.kinematics.joint_angles import AngleOptions, JointAngles
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.settings import AnalysisSettings, BodySettings, SignalSettings
from biomec.recording.marker_set import Side
from biomec.reporting.statistics.angle_ranges import (
    angle_errors,
    angle_range,
    angle_rows,
    compare_models,
    cycle_curves,
    other_models,
)
from biomec.signals.cycle_average import resample_cycles
from biomec.signals.cycles import Cycles
from tests.core.pipeline.standing import swaying_session
from tests.real_data import recording

RATE = 100.0


def angles(**columns):
    """Joint angles of these columns: right_elbow, left_elbow, neck, each (T,)."""
    known = {
        "right_elbow": ("right elbow flexion", "right elbow", Side.RIGHT, "flexion", "extension"),
        "left_elbow": ("left elbow flexion", "left elbow", Side.LEFT, "flexion", "extension"),
        "neck": ("neck flexion", "neck", None, "flexion", "extension"),
    }
    names, joints, sides, positive, negative = zip(*(known[name] for name in columns), strict=True)
    values = np.stack(list(columns.values()), axis=1)
    none = np.zeros(values.shape, dtype=bool)
    static = np.zeros(len(names))
    return JointAngles(names, values, none, positive, negative, joints, sides, static, AngleOptions(), ())


def waves(*amplitudes, frames=101):
    """Cycles of 1 s, each a (1 − cos) hump of its amplitude [rad]: from 0 to the amplitude and back."""
    phase = np.linspace(0.0, 2.0 * np.pi, frames)
    humps = [0.5 * a * (1.0 - np.cos(phase)) for a in amplitudes]
    signal = np.concatenate([humps[0], *(hump[1:] for hump in humps[1:])])
    borders = tuple((frames - 1) * k for k in range(len(amplitudes) + 1))
    return signal, Cycles(borders, np.ones(len(signal), dtype=bool), RATE)


def test_sides_share_a_row_and_the_midline_has_its_own():
    x = np.zeros(3)
    elbow, neck = angle_rows(angles(right_elbow=x, left_elbow=x, neck=x))
    assert (elbow.joint, elbow.right, elbow.left) == ("elbow", "right elbow flexion", "left elbow flexion")
    assert elbow.sides == {Side.RIGHT: "right elbow flexion", Side.LEFT: "left elbow flexion"}
    assert (neck.middle, neck.title) == ("neck flexion", "Head to thorax")
    assert elbow.directions.replace("\N{NO-BREAK SPACE}", " ") == "flexion + / extension −"


def test_a_side_that_is_not_there_leaves_its_place_empty():
    (elbow,) = angle_rows(angles(left_elbow=np.zeros(3)))
    assert elbow.right is None
    assert elbow.sides == {Side.LEFT: "left elbow flexion"}


def test_range_is_the_mean_over_cycles_and_spread_their_standard_deviation():
    signal, cycles = waves(1.0, 1.2, 1.4)
    table = angles(right_elbow=signal + 0.1)
    found = angle_range(table, "right elbow flexion", {"both": resample_cycles(cycles, table.values)}, Side.RIGHT)
    # humps of 1.0, 1.2, 1.4: mean 1.2, sample standard deviation 0.2. The grid of 101 points meets every top.
    assert found.lowest == pytest.approx(0.1, abs=1e-12)
    assert found.highest == pytest.approx(1.3, abs=1e-12)
    assert (found.range, found.spread, found.cycles) == (pytest.approx(1.2), pytest.approx(0.2), 3)


def test_without_cycles_the_whole_recording_counts_and_missing_frames_do_not():
    signal = np.array([0.2, np.nan, -0.3, 0.5, np.nan])
    found = angle_range(angles(right_elbow=signal), "right elbow flexion")
    assert (found.lowest, found.highest, found.range, found.cycles) == (-0.3, 0.5, 0.8, 0)
    assert np.isnan(found.spread)


def test_a_curve_without_any_number_has_no_range():
    found = angle_range(angles(neck=np.full(4, np.nan)), "neck flexion")
    assert np.isnan([found.lowest, found.highest, found.range]).all()


def test_each_side_is_judged_by_its_own_steps():
    signal, cycles = waves(1.0, 2.0)
    table = angles(right_elbow=signal, left_elbow=signal)
    first = Cycles(cycles.borders[:2], cycles.frame_valid, RATE)
    second = Cycles(cycles.borders[1:], cycles.frame_valid, RATE)
    curves = {"Right": resample_cycles(first, table.values), "Left": resample_cycles(second, table.values)}
    assert angle_range(table, "right elbow flexion", curves, Side.RIGHT).range == pytest.approx(1.0)
    assert angle_range(table, "left elbow flexion", curves, Side.LEFT).range == pytest.approx(2.0)
    assert cycle_curves(curves, None) is curves["Right"]
    assert cycle_curves({}, Side.LEFT) is None


def test_an_unknown_angle_is_named():
    with pytest.raises(BiomecError, match="no angle tail wagging; there are neck flexion"):
        angle_range(angles(neck=np.zeros(2)), "tail wagging")


@given(offset=st.floats(-0.5, 0.5), turns=st.integers(-3, 3))
def test_errors_are_those_put_in_and_whole_turns_are_none(offset, turns):
    time = np.linspace(0.0, 1.0, 400, endpoint=False)
    true = np.sin(2.0 * np.pi * time)
    ripple = 0.05 * np.sin(2.0 * np.pi * 5.0 * time)  # rms 0.05/√2, no mean, over whole periods
    (error,) = angle_errors(angles(neck=true + offset + ripple + 2.0 * np.pi * turns), angles(neck=true))
    assert error.offset == pytest.approx(offset, abs=1e-12)
    assert error.rms == pytest.approx(np.hypot(offset, 0.05 / np.sqrt(2.0)), abs=1e-12)
    assert error.largest == pytest.approx(abs(offset) + 0.05, abs=1e-9)
    assert error.frames == 400


def test_errors_need_the_same_frames_and_skip_what_the_truth_lacks():
    x = np.zeros(4)
    with pytest.raises(BiomecError, match="4 frames, but the truth has 3"):
        angle_errors(angles(neck=x), angles(neck=x[:3]))
    assert [one.name for one in angle_errors(angles(neck=x, left_elbow=x), angles(neck=x))] == ["neck flexion"]
    assert angle_errors(angles(neck=np.full(4, np.nan)), angles(neck=x)) == ()


UNFILTERED = AnalysisSettings(signals=SignalSettings(marker_filter=None, plate_filter=None))


@pytest.fixture(scope="module")
def whole() -> Analysis:
    return analyze(swaying_session(), UNFILTERED)


def test_a_model_beside_itself_differs_by_nothing(whole):
    found = compare_models(whole, "m21")
    assert found.names == whole.angles.names
    assert_array_equal(found.own, found.other)
    assert max(one.largest for one in found.differences) == 0.0


def test_another_model_gives_the_numbers_of_its_own_analysis(whole):
    found = compare_models(whole, "m17")
    alone = analyze(swaying_session(), replace(UNFILTERED, body=BodySettings(model="m17")))
    assert (found.own_model, found.other_model) == ("m21", "m17")
    assert 20 < len(found.names) < len(whole.angles.names)
    for k, name in enumerate(found.names):
        assert_array_equal(found.other[:, k], alone.angles[name])
        assert_array_equal(found.own[:, k], whole.angles[name])
    own, other = found.efforts
    for effort, analysis in ((own, whole), (other, alone)):
        positions = analysis.positions
        assert_array_equal(effort.iterations, positions.position.iterations[positions.valid])
        assert_array_equal(effort.increment, positions.position.increment[positions.valid])
        notch = positions.landmarks.index("IJ")
        assert_array_equal(effort.shift, positions.distance[positions.valid, notch])
    one = next(error for error in found.differences if error.name == "right knee flexion")
    difference = alone.angles["right knee flexion"] - whole.angles["right knee flexion"]
    assert_allclose(one.rms, np.sqrt(np.mean(difference**2)), atol=1e-12)


def test_the_second_run_can_be_cancelled(whole):
    def stop(fraction):
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        compare_models(whole, "m17", stop)


def test_only_models_that_suit_the_recording_are_offered_the_nearest_first(whole):
    found = other_models(whole)
    assert next(iter(found)) == "m18"
    assert "m21" not in found
    assert found["legs"] == ""


def test_a_model_that_does_not_suit_the_recording_says_why_and_comes_last():
    file = recording("gait_pig_pair/HC030A05.c3d")
    analysis = Analysis(import_session(file)).run_until("body")
    found = other_models(analysis)
    assert analysis.body.person.model.name == "plug-in-gait"
    reasons = list(found.values())
    assert reasons == sorted(reasons, key=bool)  # those that can be used come first
    for model, reason in found.items():
        again = analysis.with_settings(AnalysisSettings(body=BodySettings(model=model)))
        if reason:
            with pytest.raises(BiomecError, match=r"does not suit|none of"):
                again.run_until("body")
        else:
            again.run_until("body")
