"""Copied and frozen trajectories are told, with their frames; real recordings hold none."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from biomec.base.errors import BiomecError
from biomec.base.notices import Severity
from biomec.io.marker_set_file import load_marker_set
from biomec.io.registry import read_trial
from biomec.signals.trajectory_checks import TrajectoryCheckOptions, _in_one_place, check_accelerations
from biomec.signals.trajectory_checks import check_trajectories as trajectory_checks
from tests.core.signals.marker_bodies import make_trial, moving_trial, static_trial
from tests.real_data import recording

FULL = load_marker_set("biomec-full")
REAL = (
    ("gait_pig_pair", "HC030A01.c3d"),
    ("gait_pig_pair", "HC030A05.c3d"),
    ("gait_opensim2354", "subject01_static.trc"),
    ("gait_opensim2354", "subject01_walk1.trc"),
)


def check_trajectories(trial):
    return trajectory_checks(trial).notices


def with_positions(trial, p):
    return replace(trial, markers=replace(trial.markers, p_WM=p))


@pytest.mark.parametrize("file", REAL, ids=lambda file: file[1])
def test_real_recordings_hold_none(file):
    assert check_trajectories(read_trial(recording(*file))) == ()


def test_a_marker_that_is_a_copy_of_another_is_told():
    """RTOE had the coordinates of RHEE throughout, and nothing was said."""
    walk = read_trial(recording("gait_pig_pair", "HC030A05.c3d"))
    p = walk.markers.p_WM.copy()
    p[:, walk.markers.index("RTOE")] = walk.markers["RHEE"]
    (notice,) = check_trajectories(with_positions(walk, p))
    assert (notice.code, notice.severity, set(notice.about)) == (
        "identical-trajectories",
        Severity.PROBLEM,
        {"RTOE", "RHEE"},
    )
    assert "wherever both are seen" in notice.sentence


def test_a_marker_that_stands_still_to_the_last_bit_is_told():
    """RASI was held at one place for 0.6 s of walking, and nothing was said."""
    walk = read_trial(recording("gait_pig_pair", "HC030A05.c3d"))
    p = walk.markers.p_WM.copy()
    p[60:120, walk.markers.index("RASI")] = walk.markers["RASI"][60]
    (notice,) = check_trajectories(with_positions(walk, p))
    assert (notice.code, notice.about, notice.frames) == ("frozen-trajectory", ("RASI",), (60, 119))
    assert f"from frame {walk.first_frame + 60} to {walk.first_frame + 119}" in notice.sentence


def test_a_marker_that_never_moves_is_fixed_not_frozen():
    """A shoulder recording in the axes of the thorax: the jugular notch is the origin. It was called a filled gap."""
    notices = check_trajectories(read_trial(recording("shoulder_scapula", "ABD01.trc")))
    assert {notice.code for notice in notices} == {"fixed-marker"}
    assert {notice.severity for notice in notices} == {Severity.INFO}
    assert "ij" in {name for notice in notices for name in notice.about}


@pytest.mark.parametrize(("frames", "reported"), [(4, False), (5, True)])
def test_a_marker_that_leaps_after_five_equal_frames_is_hidden_there(frames, reported):
    """A gap filled with the last value was used as it was, and only a long one was told."""
    moving = moving_trial(FULL)
    p = moving.markers.p_WM.copy()
    p[50 : 50 + frames, 3] = p[50, 3]
    found = trajectory_checks(with_positions(moving, p))
    assert [n.frames for n in found.notices] == [(50, 49 + frames)] * reported
    hidden = np.zeros_like(found.copied)
    hidden[51 : 50 + frames, 3] = reported  # the first of them was seen
    assert_array_equal(found.copied, hidden)
    assert_array_equal(found.without_copies(moving).markers.visible, ~hidden)


def test_a_foot_at_rest_in_a_file_of_few_digits_is_not_frozen():
    moving = moving_trial(FULL)
    p = np.round(moving.markers.p_WM, 3)
    p[50:60, 3] = p[50, 3]
    p[49, 3], p[60, 3] = p[50, 3] - [0.001, 0.0, 0.0], p[50, 3] + [0.001, 0.0, 0.0]
    assert trajectory_checks(with_positions(moving, p)).notices == ()


@pytest.mark.parametrize(("frames", "reported"), [(19, False), (20, True)])  # 0.2 s at 100 Hz
def test_the_shortest_stretch_of_two_markers_in_one_place(frames, reported):
    moving = moving_trial(FULL)
    p = moving.markers.p_WM.copy()
    p[50 : 50 + frames, 3] = p[50 : 50 + frames, 7]
    assert [n.frames for n in check_trajectories(with_positions(moving, p))] == [(50, 49 + frames)] * reported


@pytest.mark.parametrize(("frames", "severity"), [(8, Severity.WARNING), (60, Severity.PROBLEM)])
def test_copies_of_one_frame_are_hidden_and_lower_trust(frames, severity):
    """All markers stood still for 60 frames, and trust stayed good."""
    moving = moving_trial(FULL, first_frame=341)
    p = moving.markers.p_WM.copy()
    p[66 : 66 + frames] = p[66]
    found = trajectory_checks(with_positions(moving, p))
    (notice,) = found.notices
    assert (notice.code, notice.severity, notice.frames) == ("copied-frames", severity, (66, 65 + frames))
    assert notice.lowers_trust
    assert notice.sentence.startswith(f"Frames 407 to {406 + frames} of walk.c3d are copies of one frame")
    assert_array_equal(found.copied.all(axis=1), (np.arange(200) > 66) & (np.arange(200) < 66 + frames))


def test_a_person_at_rest_without_noise_makes_no_copies():
    """An exact recording repeats frames while nobody moves, and is left without a leap."""
    moving = moving_trial(FULL)
    p = np.concatenate([np.repeat(moving.markers.p_WM[:1], 50, axis=0), moving.markers.p_WM])
    ease = np.clip(np.linspace(-0.25, 1.0, 250), 0.0, 1.0) ** 3  # starts from rest
    p = p[0] + ease[:, None, None] * (p - p[0])
    assert check_trajectories(with_positions(moving, p)) == ()


@pytest.mark.parametrize("by", [(0.5, 0.0, 0.0), (0.0, 0.1, 0.0)], ids=["0.5 m forward", "0.1 m up"])
@pytest.mark.parametrize("frames", [1, 110], ids=["one frame", "to the end"])
def test_a_leap_of_everybody_is_told_and_masks_its_frames(by, frames):
    """Everybody leapt by 0.5 m, and trust stayed good."""
    moving = moving_trial(FULL)
    p = moving.markers.p_WM.copy()
    p[90 : 90 + frames] += by
    found = trajectory_checks(with_positions(moving, p))
    (notice,) = found.notices
    assert (notice.code, notice.severity, notice.lowers_trust) == ("everybody-leaps", Severity.PROBLEM, True)
    assert f"by {100 * max(by):.0f} cm at frame" in notice.sentence
    last = 91 if frames == 1 else 90
    assert notice.frames == (90, last)
    assert_array_equal(np.flatnonzero(found.masked), np.arange(80, last + 11))  # ± 0.1 s


def test_one_marker_that_is_there_alone_is_not_everybody():
    """The subject enters the volume with one marker, which is relabelled by 3 cm: the whole recording was condemned."""
    moving = moving_trial(FULL)
    p = moving.markers.p_WM.copy()
    p[:20, 1:] = np.nan
    p[10:20, 0] += (0.03, 0.0, 0.0)
    assert "everybody-leaps" not in [one.code for one in trajectory_checks(with_positions(moving, p)).notices]


@pytest.mark.parametrize(
    ("frames", "rate_hz", "code", "severity"),
    [
        (200, 100.0, None, None),
        (200, 1000.0 / 3.0, "short-recording", Severity.WARNING),
        (200, 40.0, "camera-rate", Severity.WARNING),
        (200, 20.0, "camera-rate", Severity.PROBLEM),
        (3000, 2000.0, "camera-rate", Severity.WARNING),
        (24, 60.0, "too-short", Severity.PROBLEM),
        (70, 300.0, "too-short", Severity.PROBLEM),
    ],
)
def test_rate_and_length(frames, rate_hz, code, severity):
    notices = check_trajectories(moving_trial(FULL, frames=frames, rate_hz=rate_hz))
    quick = ("everybody-leaps", "marker-spikes")  # a whole movement in 24 frames
    slow = [notice for notice in notices if notice.code not in quick]
    assert [(n.code, n.severity, n.lowers_trust) for n in slow] == ([(code, severity, True)] if code else [])


@pytest.mark.parametrize(("size_m", "reported"), [(0.01, False), (0.05, True)])
def test_a_spike_masks_its_own_frames(size_m, reported):
    """a = A (2πf)²: 50 mm at 10 Hz are 197 m/s², 10 mm are 39."""
    moving = moving_trial(FULL, first_frame=341)
    p = moving.markers.p_WM.copy()
    t = np.arange(200) / 100.0
    p[:, 3, 1] += size_m * np.sin(2 * np.pi * 10.0 * t) * np.exp(-(((t - 1.0) / 0.05) ** 2))
    masked, notices = check_accelerations(with_positions(moving, p).markers, True, 341)
    assert len(notices) == masked.any() == reported
    if reported:
        (notice,) = notices
        assert (notice.code, notice.severity, notice.about) == (
            "accelerates-too-fast", Severity.WARNING, (moving.markers.names[3],),
        )  # fmt: skip
        first, last = notice.frames
        assert 95 <= first <= last <= 105
        assert (masked[first - 10], masked[first - 11]) == (True, False)
        assert f"{first + 341}" in notice.sentence  # numbers of the file


def test_noise_of_unfiltered_markers_is_no_spike():
    """0.5 mm at 500 Hz have accelerations of 300 m/s² from frame to frame."""
    moving = moving_trial(FULL, frames=3000, rate_hz=500.0)
    p = moving.markers.p_WM + np.random.default_rng(1).normal(scale=5e-4, size=moving.markers.p_WM.shape)
    assert check_accelerations(with_positions(moving, p).markers, False, 1)[1] == ()


def test_gaps_part_stretches_and_are_not_equal_to_each_other():
    moving = moving_trial(FULL)
    p = moving.markers.p_WM.copy()
    p[:, [3, 7]] = np.nan
    assert check_trajectories(with_positions(moving, p)) == ()
    p[50:80, 3] = p[50:80, 5]
    p[65, 3] = np.nan
    assert check_trajectories(with_positions(moving, p)) == ()  # two stretches of 0.15 s


def test_a_recording_of_one_frame_is_told():
    """Everything is constant: there is no movement, but nothing is hidden either."""
    found = trajectory_checks(static_trial(FULL, frames=100))
    assert [notice.code for notice in found.notices] == ["copied-frames"]
    assert not found.copied.any()


@pytest.mark.parametrize("shape", [(0, 0), (5, 0), (0, 2), (1, 2)])
def test_recordings_with_nothing_in_them(shape):
    codes = {notice.code for notice in check_trajectories(make_trial("AB"[: shape[1]], np.zeros((*shape, 3))))}
    assert codes == ({"too-short"} if shape[0] else set())


def test_impossible_options_are_refused():
    for bad in ({"shortest_s": 0.0}, {"shortest_s": np.nan}, {"others_m": -1.0}):
        with pytest.raises(BiomecError, match="Trajectories"):
            TrajectoryCheckOptions(**bad)


def test_a_single_marker_has_no_others():
    alone = make_trial(("A",), np.zeros((100, 1, 3)))
    assert check_trajectories(alone) == ()


def _longest(flags):
    longest = run = 0
    for flag in flags.tolist():
        run = run + 1 if flag else 0
        longest = max(longest, run)
    return longest


def test_no_pair_in_one_place_is_missed():
    """Against every pair compared frame by frame."""
    rng = np.random.default_rng(1)
    for _ in range(100):
        frames, markers, fewest = (int(rng.integers(*limits)) for limits in ((2, 40), (2, 12), (2, 6)))
        p = rng.integers(0, 3, size=(frames, markers, 3)).astype(np.float64)
        p[rng.random((frames, markers)) < 0.2] = np.nan
        a, b = rng.integers(markers, size=2)
        p[:fewest, a] = p[:fewest, b]
        pairs = {
            (k, other)
            for k in range(markers)
            for other in range(k + 1, markers)
            if _longest((p[:, k] == p[:, other]).all(axis=1)) >= fewest
        }
        assert pairs <= set(_in_one_place(p, fewest))


def test_twenty_thousand_markers_are_not_compared_each_with_each():
    """`biomec info` of a table of 60 000 labels went on for hours."""
    p = np.repeat(np.random.default_rng(1).normal(size=(1, 20_000, 3)), 4, axis=0)
    p[:, 7] = p[:, 19_999]
    assert _in_one_place(p, 2) == [(7, 19_999)]
    p[:, 100:10_100] = 0.5
    assert len(_in_one_place(p, 2)) == 1 + 9_999
