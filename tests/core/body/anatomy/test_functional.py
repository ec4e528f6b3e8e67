"""Functional centres and axes against movements whose centre and axis are known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.base.notices import Severity
from biomec.body.anatomy.functional import (
    FunctionalError,
    FunctionalOptions,
    functional_axis,
    functional_centre,
    segment_poses,
)

C1, C2 = np.array([0.03, -0.08, 0.07]), np.array([-0.02, 0.21, 0.05])  # the centre in the two segments [m]


def moving_pair(relative: Rotation, seed: int = 0):
    """Poses of two segments that turn against each other by ``relative`` about the common point, while both wander."""
    rng = np.random.default_rng(seed)
    count = len(relative)
    R1 = Rotation.from_rotvec(rng.normal(scale=0.4, size=(count, 3)))
    p1 = rng.normal(size=(count, 3))
    R2 = R1 * relative
    p2 = p1 + R1.apply(C1) - R2.apply(C2)
    return (R1.as_matrix(), p1), (R2.as_matrix(), p2)


def star(count=200, reach_deg=40.0):
    """Turns about many axes of one plane and about the third, out to ``reach_deg``."""
    t = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    reach = np.deg2rad(reach_deg)
    return Rotation.from_rotvec(
        reach * np.stack([np.cos(5 * t) * np.cos(t), 0.5 * np.sin(3 * t), np.cos(5 * t) * np.sin(t)], 1)
    )


def hinge(axis, count=150, reach_deg=90.0):
    angle = np.deg2rad(reach_deg) * 0.5 * (1.0 - np.cos(np.linspace(0.0, 4.0 * np.pi, count)))
    return Rotation.from_rotvec(angle[:, None] * np.asarray(axis) / np.linalg.norm(axis))


@given(seed=st.integers(0, 10_000))
def test_the_centre_of_an_exact_movement_comes_back(seed):
    result = functional_centre(*moving_pair(star(), seed))
    # positions of the order of 1 m, condition number below 10: rounding 1e-15 allows 1e-12 with room
    assert_allclose(result.centre_proximal, C1, atol=1e-12)
    assert_allclose(result.centre_distal, C2, atol=1e-12)
    assert result.residual < 1e-13
    assert result.frames == 200
    assert result.notices == ()


def test_the_range_of_motion_is_that_of_the_movement():
    angles = np.deg2rad(np.array([[-25, 0, 0], [25, 0, 0], [0, 10, 0], [0, -10, 0], [0, 0, 3], [0, 0, -3]] * 3))
    result = functional_centre(*moving_pair(Rotation.from_rotvec(angles)))
    assert_allclose(np.rad2deg(result.range_of_motion), [50.0, 20.0, 6.0], atol=1e-9)  # symmetric: the mean is zero


def test_conditioning_is_that_of_the_closed_form():
    """Turns by ±α about each of three axes: R₁ᵀR₂ has the mean (1 + 2 cos α)/3 · I, so σ² = T (1 ± that)."""
    alpha = np.deg2rad(30.0)
    turns = alpha * np.vstack([np.eye(3), -np.eye(3)] * 2)
    mean = (1.0 + 2.0 * np.cos(alpha)) / 3.0
    result = functional_centre(*moving_pair(Rotation.from_rotvec(turns)))
    assert result.conditioning == pytest.approx(np.sqrt((1.0 + mean) / (1.0 - mean)), rel=1e-9)


def test_noise_scatters_the_centre_as_least_squares_foretells():
    """Noise of 1 mm on the distal origin: covariance σ² (AᵀA)⁻¹, here of 200 trials; the residual is σ√3."""
    proximal, (R2, p2) = moving_pair(star())
    A = np.concatenate([proximal[0], -R2], axis=2).reshape(-1, 6)
    foretold = 1e-3 * np.sqrt(np.diag(np.linalg.inv(A.T @ A)))
    rng = np.random.default_rng(7)
    trials = [functional_centre(proximal, (R2, p2 + rng.normal(scale=1e-3, size=p2.shape))) for _ in range(200)]
    found = np.array([np.concatenate([trial.centre_proximal, trial.centre_distal]) for trial in trials])
    # a standard deviation of 200 trials scatters by 1/√400 = 5 %: four times that
    assert_allclose(found.std(axis=0), foretold, rtol=0.2)
    assert_allclose(found.mean(axis=0), [*C1, *C2], atol=4 * foretold.max() / np.sqrt(200))
    assert np.mean([trial.residual for trial in trials]) == pytest.approx(1e-3 * np.sqrt(3.0), rel=0.02)


def test_a_movement_about_one_axis_is_no_way_to_a_centre():
    axis = np.array([0.1, -0.2, 1.0])
    proximal, distal = moving_pair(hinge(axis))
    result = functional_centre(proximal, distal)
    (notice,) = result.notices
    assert notice.severity is Severity.PROBLEM
    assert notice.code == "functional-centre-one-axis"
    assert "90° about one axis and 0° about a second" in notice.sentence
    assert "Record slow flexion, abduction and circling" in notice.sentence
    assert result.conditioning > 1e6
    off_axis = np.cross(result.centre_proximal - C1, axis / np.linalg.norm(axis))
    assert_allclose(off_axis, 0.0, atol=1e-9)  # a point of the axis all the same


def test_little_motion_is_told_with_its_degrees():
    result = functional_centre(*moving_pair(star(reach_deg=9.0)))
    (notice,) = result.notices
    assert notice.severity is Severity.WARNING
    first, second = np.rad2deg(result.range_of_motion[:2])
    assert f"{first:.0f}° about one axis and {second:.0f}° about a second" in notice.sentence
    assert second < 20.0
    assert functional_centre(*moving_pair(star(reach_deg=9.0)), FunctionalOptions(range_of_centre=0.1)).notices == ()


def test_frames_without_a_pose_or_a_weight_are_left_out():
    (R1, p1), (R2, p2) = moving_pair(star())
    p1, R2 = p1.copy(), R2.copy()
    p1[10], R2[20] = np.nan, np.nan
    p2[30] += 1.0  # nonsense that its weight of zero hides
    weights = np.ones(200)
    weights[30], weights[40] = 0.0, np.nan
    result = functional_centre((R1, p1), (R2, p2), weights=weights)
    assert result.frames == 196
    assert_allclose(result.centre_proximal, C1, atol=1e-12)
    assert sorted(np.flatnonzero(np.isnan(result.distance))) == [10, 20, 30, 40]


def test_a_weight_of_two_counts_as_two_frames():
    (R1, p1), (R2, p2) = moving_pair(star(40))
    p2 = p2 + np.random.default_rng(1).normal(scale=2e-3, size=p2.shape)
    twice = np.concatenate([np.arange(40), np.arange(10)])
    weighted = functional_centre((R1, p1), (R2, p2), weights=np.where(np.arange(40) < 10, 2.0, 1.0))
    repeated = functional_centre((R1[twice], p1[twice]), (R2[twice], p2[twice]))
    assert_allclose(weighted.centre_proximal, repeated.centre_proximal, atol=1e-12)
    assert weighted.residual == pytest.approx(repeated.residual, rel=1e-9)


@pytest.mark.parametrize("find", [functional_centre, functional_axis])
def test_too_few_frames_give_no_result_but_a_sentence(find):
    (R1, p1), distal = moving_pair(star(30))
    p1 = p1.copy()
    p1[8:] = np.nan
    result = find((R1, p1), distal)
    assert np.isnan(result.residual)
    assert "Only 8 of 30 frames show both segments; 10 are needed" in result.notices[0].sentence


@given(seed=st.integers(0, 10_000), axis=st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda a: np.linalg.norm(a) > 0.1))
def test_the_axis_of_a_hinge_comes_back(seed, axis):
    direction = np.array(axis) / np.linalg.norm(axis)
    result = functional_axis(*moving_pair(hinge(direction), seed), towards=direction)
    # the direction is a null vector: rounding over the gap to the next singular value (0.5) leaves 1e-14
    assert_allclose(result.direction_proximal, direction, atol=1e-12)
    assert_allclose(result.direction_distal, direction, atol=1e-12)  # the axes of both agree at angle zero
    assert_allclose(np.cross(result.point_proximal - C1, direction), 0.0, atol=1e-11)
    assert_allclose(np.cross(result.point_distal - C2, direction), 0.0, atol=1e-11)
    assert result.wobble < 1e-12
    assert result.notices == ()


def test_the_axis_points_where_it_is_told():
    pair = moving_pair(hinge([0.0, 0.2, -1.0]))
    there = functional_axis(*pair, towards=np.array([0.0, 0.0, -1.0]))
    back = functional_axis(*pair, towards=np.array([0.0, 0.0, 1.0]))
    assert_allclose(there.direction_proximal, -back.direction_proximal)
    assert_allclose(there.direction_distal, -back.direction_distal)
    assert there.direction_proximal[2] < 0.0 < functional_axis(*pair).direction_proximal[2]


def test_a_hinge_with_noise_keeps_its_axis():
    (R1, p1), (R2, p2) = moving_pair(hinge([0.0, 0.0, 1.0]))
    rng = np.random.default_rng(3)
    shaken = Rotation.from_matrix(R2) * Rotation.from_rotvec(rng.normal(scale=np.deg2rad(1.0), size=(150, 3)))
    result = functional_axis((R1, p1), (shaken.as_matrix(), p2))
    # two of three components tilt the axis: 1°·√2 in a frame, and 150 frames bring its mean to 1°/√150 over the gap
    assert np.rad2deg(result.wobble) == pytest.approx(np.sqrt(2.0), rel=0.1)
    assert np.rad2deg(np.arccos(result.direction_proximal[2])) < 0.5


def test_a_ball_joint_has_no_axis():
    result = functional_axis(*moving_pair(star()))
    assert [notice.code for notice in result.notices] == ["functional-axis-many-axes"]
    assert result.notices[0].severity is Severity.PROBLEM


def test_a_stiff_hinge_is_told_with_its_degrees():
    result = functional_axis(*moving_pair(hinge([0.0, 0.0, 1.0], reach_deg=12.0)))
    assert "by 12°; a functional axis needs 30°" in result.notices[0].sentence


@pytest.mark.parametrize("find", [functional_centre, functional_axis])
def test_segments_that_do_not_move_are_told_and_nothing_fails(find):
    result = find(*moving_pair(Rotation.identity(20)))
    assert np.isfinite(result.residual)
    assert result.notices


CLUSTER = np.array([[0.3, 1.0, -0.2], [0.4, 1.0, -0.18], [0.3, 1.12, -0.2], [0.35, 1.05, -0.14]])


def test_poses_of_a_cluster_come_back_though_a_marker_is_hidden():
    motion = Rotation.from_rotvec(np.random.default_rng(2).normal(size=(12, 3)))
    shift = np.random.default_rng(3).normal(size=(12, 3))
    markers = np.einsum("tij,kj->tki", motion.as_matrix(), CLUSTER) + shift[:, None, :]
    point = np.array([0.31, 0.9, -0.1])  # fixed in the segment, given in the static pose
    markers[4, 1] = np.nan
    markers[5, :2] = np.nan
    poses = segment_poses(markers, CLUSTER)
    found = poses.p + np.einsum("tij,j->ti", poses.R, poses.local(point))
    seen = np.arange(12) != 5
    assert_allclose(found[seen], (motion.apply(point) + shift)[seen], atol=1e-12)
    assert np.isnan(poses.R[5]).all()
    assert np.isnan(poses.p[5]).all()
    assert np.nanmax(poses.residual) < 1e-12
    assert_allclose(poses.static(poses.local(point)), point)


def test_the_residual_of_a_pose_is_the_deformation_of_the_cluster():
    """Against the root sum square distance of SciPy's alignment of the centred markers."""
    markers = np.stack([CLUSTER, CLUSTER])
    markers[1, 3, 2] += 3e-3
    residual = segment_poses(markers, CLUSTER).residual
    _, expected = Rotation.align_vectors(*(points - points.mean(axis=0) for points in (markers[1], CLUSTER)))
    assert residual[0] < 1e-15
    assert residual[1] == pytest.approx(expected / np.sqrt(4), rel=1e-9)


def test_from_markers_to_a_centre():
    relative = star()
    (R1, p1), (R2, p2) = moving_pair(relative)
    thigh = CLUSTER - CLUSTER.mean(axis=0)
    markers_1 = np.einsum("tij,kj->tki", R1, CLUSTER) + p1[:, None]
    markers_2 = np.einsum("tij,kj->tki", R2, thigh) + p2[:, None]
    poses_1, poses_2 = segment_poses(markers_1, CLUSTER), segment_poses(markers_2, thigh)
    result = functional_centre((poses_1.R, poses_1.p), (poses_2.R, poses_2.p))
    assert_allclose(poses_1.static(result.centre_proximal), C1, atol=1e-12)
    assert_allclose(poses_2.static(result.centre_distal), C2, atol=1e-12)


def test_markers_on_a_line_or_of_another_segment_are_refused():
    line = np.linspace(0.0, 0.2, 4)[:, None] * np.array([1.0, 1.0, 0.0])
    with pytest.raises(FunctionalError, match="4 markers of the segment do not span it"):
        segment_poses(np.stack([line, line]), line)
    with pytest.raises(FunctionalError, match="with the same markers"):
        segment_poses(np.zeros((5, 3, 3)), CLUSTER)


def test_poses_that_do_not_belong_together_are_refused():
    proximal, (R2, p2) = moving_pair(star(20))
    with pytest.raises(FunctionalError, match="same number of frames"):
        functional_centre(proximal, (R2[:-1], p2[:-1]))
    with pytest.raises(FunctionalError, match="negative in frame 3"):
        functional_centre(proximal, (R2, p2), weights=np.where(np.arange(20) == 3, -1.0, 1.0))
