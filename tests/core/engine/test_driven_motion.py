"""Mechanisms that follow their drivers: full turns, change points, redundant loops, and values out of reach."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from biomec.base.errors import BiomecError, DescriptionError
from biomec.engine import Drive, FrameStatus
from biomec.engine.driven_motion import follow_drivers
from biomec.engine.reference.planar import four_bar, four_bar_points, slider_crank, slider_position
from biomec.engine.reference.spatial import bennett, bennett_angles
from biomec.engine.structure import numerical_rank

SIDE = np.array([2.0, 0.0])  # of the parallelogram


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("direction", [1, -1])
def test_four_bar_through_two_full_turns(shared, direction):
    """The crank passes 0 and π, where the cosine of its angle has no slope, in both directions."""
    system = four_bar(shared=shared, driven=True)
    phi = np.pi / 3 + direction * np.linspace(0.0, 4 * np.pi, 241)
    motion = follow_drivers(system, system.drive({"crank angle": phi}))
    assert_array_equal(motion.status, FrameStatus.PHI)
    A, B = four_bar_points(phi)
    assert_allclose(system.layout.point("crank.A")(motion.q), A, atol=1e-9)
    assert_allclose(system.layout.point("coupler.B")(motion.q), B, atol=1e-9)


def test_coarse_steps_are_divided():
    system = four_bar(driven=True)
    phi = np.pi / 3 + np.array([0.0, 1.5, 3.0, 4.5, 6.0])
    motion = follow_drivers(system, system.drive({"crank angle": phi}))
    assert_array_equal(motion.status, FrameStatus.PHI)
    assert_allclose(motion.q, np.hstack(four_bar_points(phi)), atol=1e-9)


def test_slider_crank_through_its_dead_centres():
    system = slider_crank()
    phi = np.linspace(0.7, 0.7 + 2 * np.pi, 91)
    motion = follow_drivers(system, system.drive({"crank angle": phi}))
    assert_array_equal(motion.status, FrameStatus.PHI)
    assert_allclose(system.layout.point("slider.B")(motion.q)[:, 0], slider_position(phi), atol=1e-9)


@pytest.mark.parametrize("steps", [91, 92, 37])
def test_parallelogram_stays_a_parallelogram_through_its_change_points(steps):
    """At φ = 0 and π the linkage can turn into an antiparallelogram; continuing the motion does not."""
    system = four_bar(1.0, 2.0, 1.0, 2.0, angle=1.0, driven=True)
    phi = np.linspace(1.0, 1.0 + 2 * np.pi, steps)
    motion = follow_drivers(system, system.drive({"crank angle": phi}))
    A = np.column_stack([np.cos(phi), np.sin(phi)])
    assert_array_equal(motion.status, FrameStatus.PHI)
    assert_allclose(motion.q, np.hstack([A, A + SIDE]), atol=1e-8)


def test_parallelogram_exactly_at_its_change_point():
    """Rank 3 of 4 with the driver: the position is still found, to the square root of the tolerance."""
    system = four_bar(1.0, 2.0, 1.0, 2.0, angle=1.0, driven=True)
    phi = np.array([1.0, 0.5, 0.0, -0.5])
    drive = system.drive({"crank angle": phi})
    motion = follow_drivers(system, drive)
    assert numerical_rank(system.jacobian(np.array([1.0, 0.0, 3.0, 0.0]), system.drive({"crank angle": 0.0}))) == 3
    assert_array_equal(motion.status, FrameStatus.PHI)
    A = np.column_stack([np.cos(phi), np.sin(phi)])
    assert_allclose(motion.q, np.hstack([A, A + SIDE]), atol=2e-5)  # φ ~ y², so ‖Φ‖ < 1e-10 means y < 1e-5
    assert_allclose(motion.q[3], np.hstack([A[3], A[3] + SIDE]), atol=1e-8)  # and beyond it exact again


def test_bennett_linkage_obeys_its_closure_law():
    """All four hinges turn together although counting says the loop is rigid; 7 redundant rows do no harm."""
    system = bennett(driven=True)
    theta1 = np.linspace(1.0, 5.5, 60)
    theta2 = np.unwrap(bennett_angles(theta1, 0.6, 1.1))
    motion = follow_drivers(system, system.drive({"hinge angle": theta2}))
    assert_array_equal(motion.status, FrameStatus.PHI)
    # the hinge that closes the loop: angle of bar 1 seen from bar 4, about their common axis
    x4, x1 = (system.layout.vector(f"bar{k}.x")(motion.q) for k in (4, 1))
    axis = system.layout.vector("bar1.first")(motion.q)
    found = np.arctan2(np.einsum("ti,ti->t", np.cross(x4, x1), axis), np.einsum("ti,ti->t", x4, x1))
    assert_allclose(np.unwrap(found), theta1, atol=1e-8)


def test_the_first_value_may_be_far_from_the_start():
    """The motion sets out from where the mechanism is: 60°; values may also count further turns."""
    system = four_bar(driven=True)
    for first in np.deg2rad([120.0, 240.0, 350.0]) + 2 * np.pi * np.array([0, 0, -10]):
        motion = follow_drivers(system, system.drive({"crank angle": np.array([first, first + 0.1])}))
        assert motion.valid.all()
        assert_allclose(motion.q, np.hstack(four_bar_points(np.array([first, first + 0.1]))), atol=1e-9)


def test_a_driver_value_that_is_not_a_number_is_missing():
    system = four_bar(driven=True)
    motion = follow_drivers(system, system.drive({"crank angle": np.array([1.0, np.nan, 1.2])}))
    assert motion.status.tolist() == [FrameStatus.PHI, FrameStatus.MISSING, FrameStatus.PHI]
    with pytest.raises(BiomecError, match="four-bar has 0 drivers"):
        follow_drivers(four_bar(), Drive(np.zeros(0), np.zeros(0), np.zeros(0)))


def test_a_value_out_of_reach_is_a_status_and_the_rest_goes_on():
    """A rocker: the crank can turn to the dead centre and not beyond; coming back, it is found again."""
    lengths = {"crank": 2.0, "coupler": 1.5, "rocker": 1.5, "base": 2.0}
    limit = np.arccos((2.0**2 + 2.0**2 - 3.0**2) / (2 * 2.0 * 2.0))  # coupler and rocker in line
    phi = np.array([0.3, 0.6, 0.9 * limit, 1.2 * limit, 1.5 * limit, 0.9 * limit, 0.6])
    system = four_bar(**lengths, angle=0.3, driven=True)
    motion = follow_drivers(system, system.drive({"crank angle": phi}))
    reachable = phi < limit
    assert_array_equal(motion.status == FrameStatus.PHI, reachable)
    assert_array_equal(motion.status[~reachable], FrameStatus.UNREACHABLE)
    assert "2 frames: The drivers cannot reach these values" in motion.summary()
    assert np.isnan(motion.q[~reachable]).all()
    assert_allclose(motion.q[reachable], np.hstack(four_bar_points(phi[reachable], **lengths)), atol=1e-9)
    with pytest.raises(DescriptionError, match="do not meet in one place at crank angle"):
        four_bar(**lengths, angle=1.5 * limit)
    with pytest.raises(DescriptionError, match="do not meet in one place"):
        four_bar(1.0, 1.0, 1.0, 1.0, angle=0.0)  # A lies on P, so B can be anywhere on a circle
