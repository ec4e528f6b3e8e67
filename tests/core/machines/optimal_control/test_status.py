"""Motors that lose their hold on a path: dead centres of the four-bar linkage, whose times have a closed form."""

import casadi as ca
import numpy as np
import pytest

from biomec.machines.machine import load_machine
from biomec.machines.optimal_control.problem import Problem, explicit_dynamics, mechanical_dynamics
from biomec.machines.optimal_control.status import _pole, lost_hold
from biomec.machines.optimal_control.task import Task, machine_problem
from biomec.machines.studies import study
from biomec.machines.study import options_from

STEADY = "rate_crank - 2*pi"
L1, L2, L3, L4 = 0.5, 0.9, 0.7, 1.0
FOLDED = np.pi + np.arccos(((L2 - L1) ** 2 + L4**2 - L3**2) / (2 * (L2 - L1) * L4))  # crank lies on the coupler
DEAD_CENTRE_S = FOLDED / (2 * np.pi) - 1 / 6  # the crank begins at 60° and turns once a second
ALONG_GROUND_S = 1 / 2 - 1 / 6  # the crank lies along AD, and the angle at C turns round


def lost(motors, path=STEADY, **more):
    problem, _ = machine_problem(load_machine("four-bar"), Task(motors=motors, path=path, **more))
    return lost_hold(problem)


def asked(**choices):
    optimal = study("optimal-control")
    return optimal.run(load_machine("four-bar"), options_from(optimal, {"path": STEADY, **choices}), None)


@pytest.mark.parametrize("path", [STEADY, "angle_crank - pi/3 - 2*pi*time"])
@pytest.mark.parametrize(("motor", "time_s"), [("D", DEAD_CENTRE_S), ("C", ALONG_GROUND_S)])
def test_a_motor_has_no_hold_where_what_it_turns_stands_still(motor, time_s, path):
    assert lost((motor,), path) == pytest.approx(time_s, abs=1e-4)  # linear between 400 moments: h² b″/8b′ = 1e-5


@pytest.mark.parametrize("motors", [("A",), ("B",), ("A", "D"), ("C", "D")])
def test_motors_that_always_turn_something_keep_their_hold(motors):
    assert lost(motors) is None


def test_a_path_with_a_limit_can_be_kept_through_a_dead_centre():
    assert lost(("D",), limit=1.0) is None
    run = asked(motors="D", limit=1.0, intervals=50)
    assert run.status == "completed"
    assert run.figures["cost"] == pytest.approx(22079.6, rel=1e-3)  # on 100 and on 200 intervals


@pytest.mark.parametrize("intervals", [20, 300])
def test_endless_torques_are_told_whatever_the_mesh(intervals):
    """On 200 intervals a cost of 5e6 was "completed"; on others the search "found no better point" after minutes."""
    run = asked(motors="D", intervals=intervals)
    assert not run.succeeded
    assert run.status.startswith("cannot be controlled: at 0.425 s the motor D has no hold on what the path asks for")
    assert "limit above 0" in run.status
    assert run.curves == ()  # those of a guess would be taken for an answer
    assert any("no torques and no motion to show" in one for one in run.notices)
    assert "NFP" in run.text


@pytest.mark.parametrize(
    ("a", "found"), [(lambda t: 1.0 + t, 0.5), (lambda t: 3.0 * (t - 0.5), None), (lambda t: np.zeros_like(t), None)]
)
def test_a_pole_is_where_a_hold_is_lost_that_is_needed(a, found):
    t = np.linspace(0.0, 1.0, 40)
    at = _pole(t, (t - 0.5)[:, None, None], a(t)[:, None], np.full(1, 100.0))
    assert at == (None if found is None else pytest.approx(found))


def test_of_two_motors_either_may_have_to_do_the_endless():
    t = np.linspace(0.0, 1.0, 40)
    D = np.stack([np.stack([1.0 + 0 * t, t], -1), np.stack([t, 0.25 + 0 * t], -1)], -2)  # det = 1/4 − t²
    ordinary = np.full(2, 100.0)
    assert _pole(t, D, np.stack([t, 1.0 - t], -1), ordinary) == pytest.approx(0.5, abs=1e-3)
    assert _pole(t, D, np.stack([1.0 + 0 * t, t], -1), ordinary) is None  # u = (−1, 0) all the time


@pytest.mark.parametrize(("load", "time_s"), [(0.0, None), (1e-15, None), (1.0, 0.3)])
def test_a_motion_that_goes_on_by_itself_needs_no_hold(load, time_s):
    """s̈ = (s − 0.3) u + load at ṡ = 1: a load of round-off was taken for one that nothing can bear."""
    one = mechanical_dynamics(("s",), ("push",), lambda q, v, u, t: (ca.SX(1.0), (q - 0.3) * u + load * ca.cos(t)))
    problem = Problem(one, 1.0, one.u**2, np.array([0.0, 1.0]), path=one.names["rate_s"] - 1.0)
    assert lost_hold(problem) == (None if time_s is None else pytest.approx(time_s, abs=1e-6))


def test_of_equations_other_than_of_places_and_their_rates_nothing_is_told():
    """ȧ = 1, ḃ = (a + 1.5) u − 1 with a = −1 … 0 always has a hold; a = −1 … −2, if b = −1 were its rate, has not."""
    one = explicit_dynamics(("a", "b"), ("u",), lambda x, u, t: ca.vertcat(1.0, (x[0] + 1.5) * u - 1.0))
    problem = Problem(one, 1.0, one.u**2, np.array([-1.0, -1.0]), path=one.names["b"] + 1.0)
    assert lost_hold(problem) is None
