import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial import ConvexHull, Delaunay

from biomec.base.arrays import rotation_about
from biomec.recording import ForcePlate
from biomec.signals.plate_geometry import called, edge_distance, hull_distance, on_surface, outline, surface_axes


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
