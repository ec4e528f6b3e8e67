"""Frames on markers: their definitions, the ranking of triads, least squares against an independent solver."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from biomec.signals.local_frames import (
    Donors,
    PoseMethod,
    least_squares_frame,
    plate_frame,
    ranked_triads,
    triangle_area_and_height,
)

SQUARE = np.array([[0.0, 0.1, 0.0], [0.1, 0.1, 0.0], [0.0, 0.0, 0.0], [0.1, 0.0, 0.0]])  # C11, C12, C21, C22


def test_a_plate_spans_the_frame_of_its_equations():
    origin, axes = plate_frame(SQUARE)
    assert_allclose(origin, [0.05, 0.05, 0.0])
    # i = n(C11 − C21) = y;  j = n((C22 − C21) × i) = x × y = z;  k = i × j = y × z = x
    assert_allclose(axes, np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), atol=1e-15)


@given(st.integers(0, 10_000))
def test_frames_are_right_handed_and_turn_with_their_points(seed):
    rng = np.random.default_rng(seed)
    p, R, shift = rng.normal(size=(4, 3)), Rotation.random(random_state=seed).as_matrix(), rng.normal(size=3)
    (o, axes), (o_turned, axes_turned) = plate_frame(p), plate_frame(p @ R.T + shift)
    # a nearly flat triangle of random points magnifies rounding (1e-16) by the inverse of its height
    assert_allclose(axes.T @ axes, np.eye(3), atol=1e-9)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert_allclose(axes_turned, R @ axes, atol=1e-8)
    assert_allclose(o_turned, R @ o + shift, atol=1e-12)


def test_the_triads_of_the_back_are_ranked_as_in_the_published_example():
    """{C7, AuxT left, AuxT right} first, then the two with C7, T8 and one of them, last {T8, AuxT, AuxT}."""
    C7, T8, right, left = range(4)
    back = np.array([[0.0, 0.16, 0.0], [0.0, 0.0, 0.0], [0.0, 0.065, 0.05], [0.0, 0.065, -0.05]])
    ranking = [set(triad) for triad in ranked_triads(back, 0.01).tolist()]
    assert ranking[0] == {C7, right, left}
    assert ranking[1:3] in ([{C7, T8, right}, {C7, T8, left}], [{C7, T8, left}, {C7, T8, right}])
    assert ranking[3] == {T8, right, left}


def test_area_and_smallest_height_of_a_3_4_5_triangle():
    area, height = triangle_area_and_height(np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0]]))
    assert area == pytest.approx(6.0)
    assert height == pytest.approx(12.0 / 5.0)


def test_triads_that_are_nearly_a_line_are_left_out():
    line = np.array([[0.0, 0.0, 0.0], [0.1, 0.009, 0.0], [0.2, 0.0, 0.0]])
    assert len(ranked_triads(line, 0.010)) == 0
    assert len(ranked_triads(line, 0.008)) == 1


@given(st.integers(0, 10_000), st.floats(0.0, 0.02))
def test_least_squares_agrees_with_the_solver_of_scipy(seed, noise):
    rng = np.random.default_rng(seed)
    static = rng.normal(scale=0.1, size=(5, 3))
    moved = Rotation.random(random_state=seed).apply(static) + rng.normal(scale=noise, size=(5, 3)) + 1.0
    origin, R = least_squares_frame(moved, static)
    expected, _ = Rotation.align_vectors(moved - moved.mean(axis=0), static - static.mean(axis=0))
    assert_allclose(origin, moved.mean(axis=0))
    assert_allclose(R, expected.as_matrix(), atol=1e-8)


def test_least_squares_leaves_a_line_of_points_open():
    static = np.random.default_rng(6).normal(size=(4, 3))
    _, R = least_squares_frame(np.array([np.zeros((4, 3)), np.outer(np.arange(4.0), [1.0, 2.0, 3.0])]), static)
    assert np.isnan(R).all()


def test_least_squares_never_mirrors_the_body():
    static = np.random.default_rng(5).normal(size=(4, 3))
    _, R = least_squares_frame(static * [1.0, 1.0, -1.0], static)
    assert np.linalg.det(R) == pytest.approx(1.0)


@pytest.mark.parametrize("kind", ["in a plane", "nearly in a line", "mirrored", "nearly mirrored", "as far apart"])
def test_least_squares_takes_every_shape_of_points(kind):
    """By singular values, written out: the fast way must know where it does not hold."""
    rng = np.random.default_rng(7)
    static = rng.normal(scale=0.1, size=(5, 3))
    if kind == "in a plane":
        static[:, 2] = 0.0
    if kind == "nearly in a line":
        static[:, 1:] *= 1e-4
    moved = Rotation.random(20, random_state=8).as_matrix() @ static.T
    moved = np.swapaxes(moved, 1, 2) + rng.normal(scale=1e-6 if kind == "nearly in a line" else 3e-3, size=(20, 5, 3))
    if kind == "mirrored":
        moved *= [1.0, 1.0, -1.0]
    if kind == "nearly mirrored":  # flat, and bent through the plane
        static[:, 2] *= 0.05
        moved = static * [1.0, 1.0, -0.9] + rng.normal(scale=3e-3, size=(20, 5, 3))
    if kind == "as far apart":  # three equal singular values
        static = np.vstack([np.eye(3), -np.eye(3)])
        moved = -static + rng.normal(scale=0.2, size=(20, 6, 3))
    for points, R in zip(moved, least_squares_frame(moved, static)[1], strict=True):
        U, _, Vt = np.linalg.svd((static - static.mean(axis=0)).T @ (points - points.mean(axis=0)))
        expected = Vt.T @ np.diag([1.0, 1.0, np.linalg.det(Vt.T @ U.T)]) @ U.T
        assert_allclose(R, expected, atol=1e-9)


@given(st.integers(0, 10_000), st.sampled_from(PoseMethod))
def test_a_mirrored_body_is_rebuilt_mirrored(seed, method):
    rng = np.random.default_rng(seed)
    static, target = rng.uniform(-0.2, 0.2, size=(4, 3)), rng.uniform(-0.2, 0.2, size=(1, 3))
    moved = Rotation.random(random_state=seed).apply(static) + rng.normal(scale=1e-3, size=(6, 4, 3))
    mirror = np.array([1.0, 1.0, -1.0])
    plain = Donors.at(static, 0.01, method).rebuild(moved, target)
    mirrored = Donors.at(static * mirror, 0.01, method).rebuild(moved * mirror, target * mirror)
    assert_allclose(mirrored, plain * mirror, atol=1e-9)


def bent_triad(seed):
    """Static triad (3, 3), the same moved with 2 mm of noise (50, 3, 3), and a target (1, 3) in front of it [m]."""
    static = np.array([[-0.12, 1.0, 0.0], [-0.1, 1.07, 0.09], [-0.1, 1.07, -0.09]])  # back of a pelvis
    rng = np.random.default_rng(seed)
    return static, static + rng.normal(scale=2e-3, size=(50, 3, 3)), np.array([[0.09, 0.98, 0.12]])


def test_a_triad_rebuilds_the_same_in_any_order():
    static, moved, target = bent_triad(1)
    expected = Donors.at(static, 0.01, PoseMethod.TRIAD).rebuild(moved, target)
    for order in permutations(range(3)):
        donors = Donors.at(static[list(order)], 0.01, PoseMethod.TRIAD)
        assert_allclose(donors.rebuild(moved[:, order], target), expected, atol=1e-12)


def test_a_mirrored_triad_across_the_midline_rebuilds_the_mirror_image_with_sides_exchanged():
    """A frame that began at the middle marker and pointed to the right one gave millimetres of difference."""
    static, moved, target = bent_triad(2)
    mirror, exchanged = np.array([1.0, 1.0, -1.0]), [0, 2, 1]
    plain = Donors.at(static, 0.01, PoseMethod.TRIAD).rebuild(moved, target)
    donors = Donors.at((static * mirror)[exchanged], 0.01, PoseMethod.TRIAD)
    assert_allclose(donors.rebuild((moved * mirror)[:, exchanged], target * mirror), plain * mirror, atol=1e-12)
    assert np.abs(plain - target).max() > 2e-3  # noise does show in it


def test_a_triad_lies_in_the_plane_of_its_markers_and_turns_in_it_by_the_mean():
    """By hand: the normal is that of the bent triangle, and Σ p_s × p about it vanishes after the turn."""
    static, moved, _ = bent_triad(3)
    centre = static.mean(axis=0)
    ahead = centre + np.cross(static[1] - static[0], static[2] - static[0])  # on the normal
    found = Donors.at(static, 0.01, PoseMethod.TRIAD).rebuild(moved, np.vstack([ahead[None], static]))
    normal = np.cross(moved[:, 1] - moved[:, 0], moved[:, 2] - moved[:, 0])
    arm = found[:, 0] - moved.mean(axis=1)
    assert_allclose(np.cross(arm, normal), 0.0, atol=1e-12)
    assert_allclose(np.linalg.norm(arm, axis=1), np.linalg.norm(ahead - centre))
    middle = moved.mean(axis=1, keepdims=True)
    turning = np.cross(found[:, 1:] - middle, moved - middle).sum(axis=1)
    assert_allclose(turning, 0.0, atol=1e-12)


def test_a_whole_plate_is_used_as_a_plate_and_a_broken_one_as_a_triad():
    """Bend the plate: the mean of four and the triad then give different answers, computed here by hand."""
    donors = Donors.at(SQUARE, 0.01, PoseMethod.TRIAD, plate=(0, 1, 2, 3))
    target = np.array([[0.05, 0.05, 0.0]])  # the middle of the plate
    bent = SQUARE[None].copy()
    bent[0, 1] += [0.0, 0.0, 0.04]  # C12 takes no part in the axes, but in the mean
    assert_allclose(donors.rebuild(bent, target)[0, 0], [0.05, 0.05, 0.01], atol=1e-12)
    bent[0, 1] = np.nan
    assert_allclose(donors.rebuild(bent, target)[0, 0], [0.05, 0.05, 0.0], atol=1e-12)
    bent[0, 2] = np.nan
    assert np.isnan(donors.rebuild(bent, target)).all()
