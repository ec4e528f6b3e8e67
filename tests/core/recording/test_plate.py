"""Force plates: centre of pressure and free moment against an independent computation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomec.base.errors import BiomecError
from biomec.recording import LOADED_N, ForcePlate
from biomec.recording.plate import points_astray
from tests.core.recording.examples import CORNERS, rotation

seeds = st.integers(0, 2**32 - 1)


def pressed_plate(seed: int, samples: int = 6):
    """Forces at known points of a tilted surface, with known twist about its normal."""
    rng = np.random.default_rng(seed)
    R = rotation(rng)
    origin, up = rng.normal(size=3), R[:, 2]
    point = origin + rng.uniform(-0.3, 0.3, (samples, 2)) @ R[:, :2].T
    force = rng.uniform(-80.0, 80.0, (samples, 2)) @ R[:, :2].T + rng.uniform(50.0, 900.0, (samples, 1)) * up
    twist = rng.uniform(-20.0, 20.0, (samples, 1)) * up
    moment = np.cross(point - origin, force) + twist
    return ForcePlate("P", force, moment, 1000.0, origin, up), point, twist


@given(seeds)
def test_point_and_twist_come_back_for_any_normal(seed):
    plate, point, twist = pressed_plate(seed)
    # cancellation: moments reach 900 N × 0.4 m, divided by at least 50 N; 1e-12 m is 1e4 roundings of that
    np.testing.assert_allclose(plate.centre_of_pressure(), point, atol=1e-12)
    np.testing.assert_allclose(plate.free_moment(), twist, atol=1e-10)


@given(seeds)
def test_centre_of_pressure_is_the_point_of_least_moment_in_the_surface(seed):
    """Oracle: solve the six equations for point and twist as one linear system, without the formula of the module."""
    plate, _, _ = pressed_plate(seed, samples=1)
    f, n = plate.force[0], plate.up
    # unknowns a (3) and t (1): a × f + t n = M, n·a = 0. a × f = −[f]× a
    A = np.zeros((4, 4))
    A[:3, :3] = -np.array([[0, -f[2], f[1]], [f[2], 0, -f[0]], [-f[1], f[0], 0]])
    A[:3, 3], A[3, :3] = n, n
    solution = np.linalg.solve(A, np.append(plate.moment[0], 0.0))
    # the system mixes newtons and metres: condition up to 1e5 here, times rounding of 1e-16, times 10
    np.testing.assert_allclose(plate.centre_of_pressure()[0], plate.origin + solution[:3], atol=1e-9)
    np.testing.assert_allclose(plate.free_moment()[0], solution[3] * n, atol=1e-8)


@given(seeds)
def test_where_the_moment_is_taken_does_not_matter(seed):
    plate, point, _ = pressed_plate(seed)
    rng = np.random.default_rng(seed + 1)
    shift = np.cross(plate.up, rng.normal(size=3))  # within the surface
    moved = ForcePlate(
        "P", plate.force, plate.moment - np.cross(shift, plate.force), 1000.0, plate.origin + shift, plate.up
    )
    np.testing.assert_allclose(moved.centre_of_pressure(), point, atol=1e-11)
    np.testing.assert_allclose(moved.free_moment(), plate.free_moment(), atol=1e-9)


@given(seeds, st.booleans())
def test_a_plate_made_from_its_centre_of_pressure_gives_it_back(seed, with_corners):
    made, point, twist = pressed_plate(seed)
    corners = None
    if with_corners:
        across = np.cross(made.up, [0.3, 0.2, 0.9])
        along = np.cross(made.up, across)
        corners = made.origin + np.array([across + along, along - across, -across - along, across - along])
    plate = ForcePlate.from_centre_of_pressure("P", made.force, point, twist, 1000.0, made.up, corners=corners)
    np.testing.assert_allclose(plate.centre_of_pressure(), point, atol=1e-11)
    np.testing.assert_allclose(plate.free_moment(), twist, atol=1e-9)
    if with_corners:
        np.testing.assert_allclose(plate.origin, made.origin, atol=1e-12)


def test_a_missing_point_means_a_force_at_the_origin():
    force = np.tile([5.0, 0.0, 1.0], (3, 1))
    force[0] = [0.0, 0.0, 700.0]
    cop = np.array([[0.1, 0.2, 0.02], [np.nan, 0.3, 0.02], [np.nan] * 3])
    plate = ForcePlate.from_centre_of_pressure("P", force, cop, np.zeros((3, 3)), 1000.0, np.array([0.0, 0.0, 1.0]))
    assert plate.origin.tolist() == [0.0, 0.0, 0.02]
    np.testing.assert_allclose(plate.moment[0], [0.2 * 700.0, -0.1 * 700.0, 0.0], atol=1e-12)
    assert not plate.moment[1:].any()


def test_a_plate_nobody_loads_lies_at_the_height_of_the_laboratory():
    plate = ForcePlate.from_centre_of_pressure(
        "P", np.zeros((2, 3)), np.full((2, 3), 346.0), np.zeros((2, 3)), 100.0, np.array([0.0, 1.0, 0.0])
    )
    assert not plate.origin.any()
    assert np.isnan(plate.centre_of_pressure()).all()
    assert np.isnan(plate.free_moment()).all()


def test_below_the_threshold_there_is_no_centre_of_pressure():
    vertical = np.array([0.0, LOADED_N, LOADED_N * 1.001, -500.0, np.nan])
    force = vertical[:, None] * [0.0, 0.0, 1.0]
    plate = ForcePlate("P", force, np.zeros((5, 3)), 100.0, np.zeros(3), np.array([0.0, 0.0, 1.0]))
    assert plate.loaded().tolist() == [False, False, True, False, False]
    assert np.isfinite(plate.centre_of_pressure()).all(axis=1).tolist() == [False, False, True, False, False]
    assert plate.loaded(1.0).tolist() == [False, True, True, False, False]
    np.testing.assert_array_equal(plate.vertical, vertical)


def test_sample_times():
    plate = ForcePlate("P", np.zeros((3, 3)), np.zeros((3, 3)), 4.0, np.zeros(3), np.array([0, 1, 0]), start_s=0.5)
    assert plate.time_s.tolist() == [0.5, 0.75, 1.0]
    assert plate.samples == 3


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"moment": np.zeros((2, 3))}, "same shape"),
        ({"force": np.zeros(3), "moment": np.zeros(3)}, "same shape"),
        ({"corners": CORNERS[:3]}, "four corners"),
        ({"rate_hz": 0.0}, "must be positive"),
        ({"origin": np.zeros(2)}, "three coordinates"),
        ({"up": np.array([0.0, 0.0, 2.0])}, "must have the length 1"),
        ({"up": np.full(3, np.nan)}, "must have the length 1"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(changes, words):
    good = {
        "name": "Pe_D",
        "force": np.zeros((1, 3)),
        "moment": np.zeros((1, 3)),
        "rate_hz": 1.0,
        "origin": np.zeros(3),
        "up": np.array([0.0, 0.0, 1.0]),
    }
    with pytest.raises(BiomecError, match="Pe_D") as refused:
        ForcePlate(**(good | changes))
    assert words in str(refused.value)


def test_a_plate_is_read_only():
    plate, _, _ = pressed_plate(0)
    for name in ("force", "moment", "origin", "up"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(plate, name)[...] = 0.0


def pushed_with_a_point_far_away():
    """A stance of 700 N at (3, 0, 0.4), and before and after it 4 N that act hundreds of metres away."""
    force = np.tile([0.0, 700.0, 0.0], (300, 1))
    cop = np.tile([3.0, 0.0, 0.4], (300, 1))
    idle = np.r_[0:100, 200:300]
    force[idle], cop[idle] = [0.0, 4.0, 0.0], [-200.0, 0.0, 90.0]
    return force, cop, idle


@pytest.mark.parametrize("with_corners", [False, True])
def test_the_point_of_an_unloaded_plate_cannot_be_hundreds_of_metres_away(with_corners):
    """The user saw 800 N m on an empty plate, and after the filter a centre of pressure 276 mm beside the foot."""
    force, cop, idle = pushed_with_a_point_far_away()
    corners = np.array([[2.7, 0, 0.1], [3.3, 0, 0.1], [3.3, 0, 0.7], [2.7, 0, 0.7]]) if with_corners else None
    up = np.array([0.0, 1.0, 0.0])
    plate = ForcePlate.from_centre_of_pressure("P", force, cop, np.zeros((300, 3)), 1000.0, up, corners=corners)
    np.testing.assert_allclose(plate.centre_of_pressure(1.0), np.tile([3.0, 0.0, 0.4], (300, 1)), atol=1e-12)
    assert np.flatnonzero(points_astray(force, cop, corners)).tolist() == idle.tolist()


def test_near_points_missing_points_and_loaded_points_are_not_astray():
    force, cop, _ = pushed_with_a_point_far_away()
    cop[0], cop[1], cop[2] = [4.5, 0.0, 0.4], [np.nan, 0.0, 0.0], [3.0, 0.0, -1.5]
    cop[150] = [500.0, 0.0, 0.0]  # under 700 N: wrong, but not for being unloaded
    astray = points_astray(force, cop)
    assert not astray[[0, 1, 2, 150]].any()
    assert astray[3]
