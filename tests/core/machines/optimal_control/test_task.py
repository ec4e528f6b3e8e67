"""Costs, paths, bounds, ends and steps as texts; what is not understood is said."""

import casadi as ca
import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.machines.machine import load_machine
from biomec.machines.optimal_control.continuation import steps_of
from biomec.machines.optimal_control.optimal_control_study import STUDY
from biomec.machines.optimal_control.planar_model import planar_model
from biomec.machines.optimal_control.problem import Trajectory, machine_dynamics
from biomec.machines.optimal_control.task import (
    Task,
    bounds,
    end_state,
    formula,
    formulas,
    machine_problem,
    squared_torques,
)
from biomec.machines.study import options_from
from tests.core.machines.shared_pendulum import shared_pendulum


@pytest.fixture(scope="module")
def arm():
    return machine_dynamics(planar_model(load_machine("acrobot")))


def value(dynamics, expression, x, u=(2.0,), t=0.5):
    return float(ca.Function("f", [dynamics.x, dynamics.u, dynamics.t], [expression])(x, u, t))


def test_formulas_know_the_names_of_the_machine(arm):
    x = [0.3, -0.4, 1.5, -2.0]
    assert value(arm, formula("torque_hip**2 + time*g", arm, "cost"), x) == pytest.approx(4.0 + 0.5 * 9.81)
    assert value(arm, formula("power_hip", arm, "cost"), x) == pytest.approx(2.0 * (-2.0 - 1.5))
    assert value(arm, formula("x_legs - L1*cos(angle_trunk)", arm, "cost"), x) == pytest.approx(0.0)
    assert formulas("rate_trunk; rate_legs - 1;", arm, "path").numel() == 2
    assert formulas("  ", arm, "path") is None


def test_ends_bounds_and_weights(arm):
    np.testing.assert_array_equal(end_state("angle_legs = pi/2; rate_trunk = -1", arm), [np.nan, np.pi / 2, -1, np.nan])
    low, high, least, most = bounds("rate_legs = -5, 2*L1; torque_hip = -20, 20", arm)
    assert (low[3], high[3], least[0], most[0]) == (-5.0, 2.0, -20.0, 20.0)
    assert np.isinf(low[:3]).all()
    assert value(arm, squared_torques(arm, "3"), np.zeros(4)) == pytest.approx(12.0)


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (Task(cost="torque_knee**2"), "no parameter torque_knee"),
        (Task(cost="torque_hip +"), "is not an expression"),
        (Task(path="__import__('os')"), "cannot be computed"),
        (Task(end="angle_trunk"), "Write name = value"),
        (Task(end="x_legs = 1"), "not a coordinate"),
        (Task(bounds="torque_hip = 5, -5"), "lower one first"),
        (Task(bounds="torque_hip = 5"), "two numbers"),
        (Task(weights="1, 2"), "1 weights are needed"),
        (Task(weights="one"), "are not numbers"),
        (Task(motors=("knee",)), "no motor knee"),
        (Task(path="rate_trunk", limit=-1.0), "limit of the path"),
        (Task(duration_s=-1.0), "duration"),
    ],
)
def test_what_is_not_understood_is_said(task, words):
    with pytest.raises(BiomecError, match=words):
        machine_problem(load_machine("acrobot"), task)


def test_steps_are_read():
    first, second = steps_of("g = 0 9.81; K = 5e4; duration = 0.5 1")
    assert (first.values, first.duration_s, first.limit) == ({"g": 0.0, "K": 5e4}, 0.5, None)
    assert (second.values, second.duration_s) == ({"g": 9.81, "K": 5e4}, 1.0)
    assert steps_of("") == ()
    with pytest.raises(BiomecError, match="2 values, others have 3"):
        steps_of("g = 0 1; K = 1 2 3")
    with pytest.raises(BiomecError, match="not understood"):
        steps_of("gravity")


def test_a_guess_is_cut_or_held_for_another_duration():
    whole = Trajectory(np.array([0.0, 1.0]), np.array([[0.0], [2.0]]), np.array([[4.0], [0.0]]))
    assert whole.stretched(0.5).states[-1, 0] == 1.0
    assert whole.stretched(2.0).states[-1, 0] == 2.0
    assert whole.stretched(2.0).time_s[-1] == 2.0


@pytest.mark.parametrize("name", ["tied-triple-pendulum", "acrobot"])
def test_every_preset_is_a_task_that_can_be_written(name):
    machine = load_machine(name)
    for preset in machine.blueprint.presets:
        changed, preset_choices = machine.with_preset(preset)
        options = options_from(STUDY, preset_choices.options)
        assert STUDY.refusal(changed) is None
        acting = tuple(one for one in options.motors.split(",") if one)
        problem, _ = machine_problem(changed, Task(acting, path=options.path, limit=options.limit, end=options.end))
        assert problem.path_size == (5 if options.path else 0)


def test_machines_are_refused_in_words():
    assert "space" in STUDY.refusal(load_machine("bennett")) or "motors" in STUDY.refusal(load_machine("bennett"))
    assert "motors" in STUDY.refusal(shared_pendulum())
    with pytest.raises(BiomecError, match="intervals"):
        STUDY.run(load_machine("acrobot"), options_from(STUDY, {"intervals": 0}), None)
