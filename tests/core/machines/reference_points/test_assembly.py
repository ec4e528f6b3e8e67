"""Positions and velocities of reference-point models, and what cannot be."""

import numpy as np
import pytest

from biomec.base.progress import Cancelled
from biomec.machines.laws import Polynomial
from biomec.machines.machine import load_machine
from biomec.machines.reference_points import (
    NotAssembled,
    SingularPosition,
    assembled,
    follow,
    reference_point_model,
    velocities,
)


@pytest.fixture(scope="module")
def four_bar():
    return reference_point_model(load_machine("four-bar"))


def test_a_drawing_0_2_m_and_60_degrees_off_reaches_the_right_position(four_bar):
    drawn = [0.125, 0.216, 0.0, 0.681, 0.561, np.deg2rad(16.6538), 1.056, 0.345, np.deg2rad(261.4161)]
    expected = [0.325, 0.4165064, 1.0471976, 0.8811243, 0.7619771, 0.2906632, 1.2561243, 0.5454708, 4.5513385]
    q = assembled(four_bar, guess=drawn)
    np.testing.assert_allclose(q, expected, rtol=0, atol=6e-8)  # digits of the published start
    np.testing.assert_allclose(assembled(four_bar), q, rtol=0, atol=1e-12)
    rate = velocities(four_bar, q)
    np.testing.assert_allclose(rate[[2, 5, 8]], [6.28318531, -1.37600254, 3.42400631], rtol=0, atol=1e-8)


def test_coordinates_can_be_kept_while_the_others_close_the_machine(four_bar):
    free = four_bar.with_drivers([])
    guess = np.array(four_bar.guess)
    guess[2] = np.deg2rad(70.0)
    q = assembled(free, guess=guess, fixed=[2])
    assert q[2] == guess[2]
    np.testing.assert_allclose(free.residual(q), 0.0, atol=1e-13)
    rate = velocities(free, q, given=np.full(9, 2.0), fixed=[2])
    assert rate[2] == 2.0
    np.testing.assert_allclose(free.jacobian(q) @ rate, 0.0, atol=1e-12)


def test_without_drivers_everything_moves_as_little_as_it_can(four_bar):
    free = four_bar.with_drivers([])
    q = assembled(free)
    np.testing.assert_allclose(free.residual(q), 0.0, atol=1e-13)
    assert np.abs(q - free.guess).max() < 1e-3
    np.testing.assert_array_equal(velocities(free, q), 0.0)


def test_parts_that_cannot_be_joined_are_named():
    model = reference_point_model(load_machine("four-bar", {"L2": 0.2, "L3": 0.2}))
    with pytest.raises(NotAssembled, match=r"cannot be joined at t = 0 s: [ABCD] stays open by"):
        assembled(model)


def test_a_crank_that_cannot_turn_round_stops_where_it_locks():
    model = reference_point_model(load_machine("four-bar", {"L1": 0.9, "L2": 0.8, "L3": 0.4}))
    with pytest.raises((NotAssembled, SingularPosition), match="at t = 0"):
        follow(model, np.linspace(0.0, 1.0, 101))


def test_bars_in_line_are_told():
    parallelogram = load_machine("four-bar", {"L1": 0.5, "L2": 1.0, "L3": 0.5, "L4": 1.0, "start": 0.0})
    model = reference_point_model(parallelogram)
    flat = [0.45, 0.2, 0.0, 1.2, 0.2, 0.0, 1.45, 0.2, np.pi]
    with pytest.raises(SingularPosition, match="do not say how it moves on"):
        follow(model, [0.0], guess=flat)


def test_a_machine_without_drivers_is_not_determined(four_bar):
    with pytest.raises(SingularPosition, match="8 of 9 coordinates"):
        follow(four_bar.with_drivers([]), [0.0])


def test_drivers_that_contradict_are_told(four_bar):
    second = four_bar.with_angle_driver("follower", Polynomial((4.55133849, 1.0)))
    with pytest.raises(NotAssembled):
        follow(second, [0.0, 0.1])


def test_following_can_be_stopped(four_bar):
    def stop(_):
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        follow(four_bar, np.linspace(0.0, 1.0, 101), progress=stop)


def test_every_linkage_that_can_be_closed_is_closed():
    machine, rng, closed = load_machine("four-bar"), np.random.default_rng(3), 0
    for _ in range(120):
        L, start = rng.uniform(0.1, 3.0, 4), rng.uniform(-180.0, 180.0)
        B = L[0] * np.array([np.cos(np.deg2rad(start)), np.sin(np.deg2rad(start))])
        diagonal = np.hypot(L[3] - B[0], B[1])
        if not 1.001 * abs(L[1] - L[2]) + 1e-3 < diagonal < 0.999 * (L[1] + L[2]):
            continue
        closed += 1
        model = reference_point_model(machine.with_values(dict(zip(("L1", "L2", "L3", "L4"), L, strict=True)) | {
            "start": start}))  # fmt: skip
        np.testing.assert_allclose(model.residual(assembled(model)), 0.0, atol=1e-10)
    assert closed > 40
