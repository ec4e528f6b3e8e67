import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial import ConvexHull, Delaunay

from biomec.base.arrays import rotation_about
from biomec.recording import ForcePlate
from biomec.signals.plate_geometry import (
    TouchOptions,
    called,
    distance_from_force,
    edge_distance,
    hull_distance,
    middle_over_plate,
    on_surface,
    outline,
    reach_beyond_edge,
    resting,
    surface_axes,
)
from tests.core.signals.virtual_walk import UP


def plate(order=(0, 1, 2, 3), turn=np.eye(3)) -> ForcePlate:
    """A plate of 0.4 × 0.6 m around (1, 2, 0), its corners in any order, in any laboratory."""
    corners = np.array([[0.2, 0.3, 0], [-0.2, 0.3, 0], [-0.2, -0.3, 0], [0.2, -0.3, 0]])[list(order)] + [1, 2, 0]
    zero = np.zeros((5, 3))
    return ForcePlate("P", zero, zero, 1000.0, turn @ [1.0, 2.0, 0.0], turn @ [0.0, 0.0, 1.0], corners @ turn.T, 2)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (0, 2, 1, 3), (2, 0, 3, 1)])
def test_the_outline_does_not_depend_on_the_order_of_the_corners(order):
    p = plate(order)
    inside = on_surface(p, np.array([1.15, 2.25, 0.0]))[:2]
    assert edge_distance(outline(p), inside) == pytest.approx(0.05)


def test_distance_from_the_edge_is_that_of_a_rectangle():
    border = np.array([[-0.2, -0.3], [0.2, -0.3], [0.2, 0.3], [-0.2, 0.3]])
    points = np.array([[0.0, 0.0], [0.15, 0.0], [0.2, 0.1], [0.25, 0.0], [0.23, 0.34], [np.nan, 0.0]])
    expected = [0.2, 0.05, 0.0, -0.05, -0.05, np.nan]  # the last but one lies beyond a corner: 3-4-5
    assert_allclose(edge_distance(border, points), expected, atol=1e-12)


def test_axes_of_the_surface_are_orthonormal_and_right_handed():
    R = surface_axes(plate(turn=rotation_about([1, 2, 3], 0.7)))
    assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) == pytest.approx(1.0)


@given(seed=st.integers(0, 10**6), count=st.integers(3, 9))
def test_distance_from_the_hull_agrees_with_scipys_hull(seed, count):
    """Oracle: inside by scipy's triangulation, outside by densely sampled edges of scipy's hull."""
    rng = np.random.default_rng(seed)
    cloud, point = rng.normal(size=(count, 2)), 2 * rng.normal(size=2)
    found = hull_distance(point[None], cloud[None])[0]
    if Delaunay(cloud).find_simplex(point) >= 0:
        assert found == 0.0
        return
    share = np.linspace(0, 1, 2001)[:, None]
    edges = [cloud[a] + share * (cloud[b] - cloud[a]) for a, b in ConvexHull(cloud).simplices]
    oracle = np.linalg.norm(np.concatenate(edges) - point, axis=1).min()
    # sampling an edge of length < 10 in 2000 pieces misses the foot of the perpendicular by 2.5 mm at most
    assert oracle - 2.5e-3 <= found <= oracle + 1e-12


def test_hidden_markers_do_not_count_and_none_gives_nan():
    cloud = np.array([[[0.0, 0.0], [1.0, 0.0], [np.nan, np.nan]], [[np.nan] * 2] * 3])
    assert_allclose(hull_distance(np.array([[0.5, 0.3], [0.5, 0.3]]), cloud), [0.3, np.nan])


def test_sentences_name_a_plate_once():
    assert called("Plate 1") == "Plate 1"
    assert called("Pe_D") == "plate Pe_D"
    assert called("Pe_D", begin=True) == "Plate Pe_D"


CORNERS = np.array([[0.3, 0.3, 0], [-0.3, 0.3, 0], [-0.3, -0.3, 0], [0.3, -0.3, 0]])
PLATE = ForcePlate("P", np.zeros((1, 3)), np.zeros((1, 3)), 1000.0, np.zeros(3), UP, CORNERS, 2)
FOOT = np.array([[0.0, 0.0, 0.03], [0.1, 0.0, 0.03], [0.0, 0.2, 0.03]])


def still(offset=(0.0, 0.0, 0.0), frames=50) -> np.ndarray:
    return np.tile(FOOT + np.array(offset), (frames, 1, 1))


def test_distance_is_along_the_surface_and_counts_height_above_five_centimetres():
    cop = np.array([[0.02, 0.02, 0.0], [-0.1, 0.05, 0.0], [0.02, 0.02, 0.0], [np.nan] * 3])
    points = still(frames=4)
    points[2, :, 2] = 0.35
    assert_allclose(distance_from_force(PLATE, cop, points), [0.0, 0.1, 0.3, np.nan], atol=1e-12)


def test_a_foot_rests_if_it_is_low_and_one_marker_is_slow():
    moving = still()
    moving[:, 1:] += np.arange(50)[:, None, None] * [0.0, 0.02, 0.0]  # 2 m/s at 100 Hz; the heel stays
    assert resting(PLATE, moving, 100.0, TouchOptions()).all()
    moving[:, 0] = moving[:, 1]
    assert not resting(PLATE, moving, 100.0, TouchOptions()).any()
    assert not resting(PLATE, still((0, 0, 0.3)), 100.0, TouchOptions()).any()
    assert not resting(PLATE, np.full((50, 3, 3), np.nan), 100.0, TouchOptions()).any()


def test_on_a_belt_a_resting_foot_moves_with_it():
    carried = still() - np.arange(50)[:, None, None] * [0.0, 0.012, 0.0]
    assert not resting(PLATE, carried, 100.0, TouchOptions()).any()
    assert resting(PLATE, carried, 100.0, TouchOptions(floor_velocity=(0.0, -1.2, 0.0))).all()


def test_the_middle_of_the_visible_markers_decides_what_is_over_the_plate():
    assert middle_over_plate(PLATE, still()).all()
    assert not middle_over_plate(PLATE, still((0.5, 0, 0))).any()
    assert not middle_over_plate(PLATE, np.full((5, 3, 3), np.nan)).any()


def test_reach_beyond_the_edge_counts_markers_only_while_they_are_down():
    points = still((0.0, 0.15, 0.0))
    points[:25, 2, 2] += 0.1  # the toe comes down later
    points[:25, 2, 1] += 0.5  # while it was far outside
    reach = reach_beyond_edge(PLATE, points, np.ones(50, dtype=bool))
    assert_allclose(reach, [-0.15, -0.15, 0.05], atol=1e-12)
    assert np.isnan(reach_beyond_edge(PLATE, points, np.zeros(50, dtype=bool))).all()
