"""Stick figure: phases where the cycle turns, views as an eye sees them, lines through what is known."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.anatomy.model_file import load_model
from biomec.reporting.statistics.stick_figure import VIEWS, phase_frames, stick_figure
from biomec.signals.cycles import Cycles, find_cycles

M21 = load_model("m21")


def test_the_phases_of_a_sine_are_its_start_its_top_and_halfway():
    t = np.arange(401) / 100.0
    cycles = find_cycles(-np.cos(2 * np.pi * t / 2.0), 100.0)  # minima at 0, 2 and 4 s, maxima at 1 and 3 s
    assert phase_frames(cycles, 0) == {"A": 0, "B": 50, "C": 100, "D": 150}
    assert phase_frames(cycles, 1) == {"A": 200, "B": 250, "C": 300, "D": 350}


def test_a_cycle_that_does_not_turn_is_quartered():
    cycles = Cycles((10, 50), np.ones(100, dtype=bool), 50.0)
    assert phase_frames(cycles, 0) == {"A": 10, "B": 20, "C": 30, "D": 40}
    with pytest.raises(BiomecError, match="no cycle 2"):
        phase_frames(cycles, 1)


def test_views_are_what_an_eye_sees():
    forward, up, right = np.eye(3)
    assert (forward @ VIEWS["lateral"]).tolist() == [1.0, 0.0]  # from the right side the person looks to the right
    assert (up @ VIEWS["lateral"]).tolist() == [0.0, 1.0]
    assert (right @ VIEWS["frontal"]).tolist() == [-1.0, 0.0]  # face to face, the right hand is at the left
    assert (up @ VIEWS["frontal"]).tolist() == [0.0, 1.0]
    assert (right @ VIEWS["superior"]).tolist() == [0.0, -1.0]  # from above, looking to the right, the right is below
    for paper in VIEWS.values():
        across, upwards = paper.T
        eye = np.cross(across, upwards)  # points to the eye; what is nearer lies over what is farther
        np.testing.assert_allclose(np.linalg.norm(eye), 1.0)


def test_lines_run_through_points_of_their_segment_and_leave_out_what_is_missing():
    points = {
        "right humerus.GU_D": np.array([0.0, 1.0, 0.0]), "GU_D": np.array([9.0, 9.0, 9.0]),
        "PME_D": np.array([0.0, 0.7, 0.0]), "EL_D": np.full(3, np.nan), "EM_D": np.array([0.0, 0.7, -0.03]),
    }  # fmt: skip
    lines = stick_figure(M21, points, ("right humerus", "left humerus"))
    assert {line.segment for line in lines} == {"right humerus"}
    drawn = np.concatenate([line.points for line in lines])
    assert np.isfinite(drawn).all()
    assert [0.0, 1.0, 0.0] in drawn.tolist()  # the segment's own point, not its neighbour's
    assert [9.0, 9.0, 9.0] not in drawn.tolist()
