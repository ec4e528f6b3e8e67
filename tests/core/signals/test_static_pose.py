"""The static pose: a mean of good frames, and what happens when there are few of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.io.marker_set_file import load_marker_set
from biomec.signals.static_pose import StaticPoseOptions, check_static, is_mirrored, segment_pairs, static_pose
from tests.core.signals.marker_bodies import hide, keep, make_trial, moving_trial, standing, static_trial

FULL = load_marker_set("biomec-full")
NAMES, STANDING = standing(FULL)


def codes(pose):
    return [notice.code for notice in pose.notices]


def test_the_mean_of_quiet_frames():
    rng = np.random.default_rng(1)
    p = STANDING + rng.normal(scale=5e-4, size=(100, *STANDING.shape))
    pose = static_pose(make_trial(NAMES, p), FULL)
    assert pose.frames_used == pose.complete == 100
    assert_allclose(pose.p_WM, p.mean(axis=0), atol=1e-15)
    assert pose.notices == ()


def test_frames_in_which_a_segment_changes_its_shape_are_left_out():
    p = np.repeat(STANDING[None], 50, axis=0)
    p[:10, NAMES.index("T8"), 1] += 0.006  # 6 mm along the back; C7 is above T8
    p[10:15, NAMES.index("IJ"), 0] += 0.004  # 4 mm is within the limit
    pose = static_pose(make_trial(NAMES, p), FULL)
    assert pose.frames_used == 40
    assert not pose.used[:10].any()
    assert codes(pose) == ["static-frames-rejected"]
    assert "10 of 50 frames" in pose.notices[0].sentence
    assert static_pose(make_trial(NAMES, p), FULL, StaticPoseOptions(0.007)).frames_used == 50


def test_incomplete_frames_take_no_part():
    trial = hide(static_trial(FULL, frames=20), "MC2_D", 0, 11)
    pose = static_pose(trial, FULL)
    assert pose.complete == pose.frames_used == 8
    assert not pose.used[:12].any()


def test_without_a_complete_frame_every_marker_is_averaged_where_it_is_seen():
    trial = hide(hide(static_trial(FULL, frames=20), "MC2_D", 0, 11), "VC", 10, 19)
    pose = static_pose(trial, FULL)
    assert pose.complete == 0
    assert "static-never-complete" in codes(pose)
    assert_allclose(pose.p_WM, STANDING, atol=1e-12)


def test_a_turning_subject_is_represented_by_one_frame():
    """A turn by 120° leaves all distances as they are, but shrinks the mean by some 17 %."""
    angle = np.linspace(0.0, np.deg2rad(120.0), 60)
    R = np.zeros((60, 3, 3))
    R[:, 1, 1] = 1.0
    R[:, 0, 0] = R[:, 2, 2] = np.cos(angle)
    R[:, 0, 2], R[:, 2, 0] = np.sin(angle), -np.sin(angle)
    pose = static_pose(make_trial(NAMES, np.einsum("tij,mj->tmi", R, STANDING)), FULL)
    assert pose.frames_used == 1
    assert "static-moves" in codes(pose)
    frame = np.flatnonzero(pose.used)[0]
    assert_allclose(pose.p_WM, STANDING @ R[frame].T, atol=1e-12)


def test_absent_markers_are_named():
    trial = keep(static_trial(FULL), [name for name in NAMES if name != "PX"])
    pose = static_pose(trial, FULL)
    assert "PX" not in pose
    assert pose.notices[0].about == ("PX",)


def test_segments_that_nobody_recorded_are_not_asked_for():
    legs = [name for name in NAMES if FULL[name].segments[0].endswith((" leg", "foot", "thigh", "pelvis"))]
    pose = static_pose(keep(static_trial(FULL), legs), FULL)
    assert pose.notices == ()


def test_a_static_without_a_known_marker_is_empty_and_says_so():
    pose = static_pose(make_trial(("X", "Y"), np.zeros((5, 2, 3))), FULL)
    assert pose.names == ()
    assert pose.frames_used == 0
    assert codes(pose) == ["static-without-markers"]


def test_pairs_lie_within_segments():
    pairs = {(NAMES[a], NAMES[b]) for a, b in segment_pairs(NAMES, FULL)}
    assert ("C7", "T8") in pairs
    assert not any({a, b} == {"C7", "GLAB"} for a, b in pairs)
    with pytest.raises(ValueError, match="not in"):
        NAMES.index("GU_D")  # joint centres are computed, not placed


MOVING = moving_trial(FULL)


def pose(factor):
    still = static_trial(FULL)
    return static_pose(make_trial(still.markers.names, still.markers.p_WM * factor), FULL)


@pytest.mark.parametrize("seed", range(5))
def test_turns_are_told_from_reflections(seed):
    rng = np.random.default_rng(seed)
    body = rng.normal(scale=0.1, size=(5, 3))
    turned = Rotation.random(30, random_state=seed).as_matrix() @ body.T
    seen = np.swapaxes(turned, 1, 2) + rng.normal(scale=2e-3, size=(30, 5, 3)) + rng.normal(size=(30, 1, 3))
    for size in (0.5, 1.0, 2.0):
        assert not is_mirrored(seen, size * body)
        assert is_mirrored(seen, -size * body)  # turning about a point and mirroring in a plane reverse hands alike
    seen[:20, 2] = np.nan
    assert is_mirrored(seen, -body)
    seen[:, 2] = np.nan
    assert not is_mirrored(seen, -body)  # never seen together


def test_a_plane_has_no_hand():
    flat = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.15, 0.1, 0.0]])
    seen = flat + np.random.default_rng(0).normal(scale=2e-3, size=(30, 4, 3))
    assert not is_mirrored(seen, flat)
    assert not is_mirrored(seen, -flat)
    assert not is_mirrored(seen[:, :3], flat[:3])
    assert not is_mirrored(np.zeros((3, 4, 3)), np.zeros((4, 3)))


@pytest.mark.parametrize(("factor", "codes"), [(1.0, []), (1.03, []), (1.3, ["static-other-size"])])
def test_sizes_of_a_rigid_body(factor, codes):
    notices = check_static(MOVING, pose(factor), FULL)
    assert [notice.code for notice in notices] == codes
    assert all("%)" in notice.sentence and "+30 %" in notice.sentence for notice in notices)


def test_a_mirrored_body_of_the_same_size():
    (notice,) = check_static(MOVING, pose(np.array([1.0, 1.0, -1.0])), FULL)
    assert notice.code == "static-mirrored"
    assert "thorax" in notice.about
