import numpy as np
from numpy.testing import assert_allclose

from biomec.recording import ForcePlate
from biomec.signals.contact_geometry import (
    TouchOptions,
    distance_from_force,
    middle_over_plate,
    reach_beyond_edge,
    resting,
)
from tests.core.signals.virtual_walk import UP

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
