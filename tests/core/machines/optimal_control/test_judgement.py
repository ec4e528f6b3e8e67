"""What is said of an answer: tasks that are refused, that ask for nothing, that ran out of iterations."""

import numpy as np
import pytest

from biomec.machines.machine import load_machine
from biomec.machines.optimal_control import continuation, status
from biomec.machines.optimal_control.collocation import bernstein, violation
from biomec.machines.optimal_control.solution import path_off
from biomec.machines.optimal_control.status import (
    LINE_SEARCH,
    MOST_ITERATIONS,
    NO_FEASIBLE_POINT,
    NORMAL,
    NOT_KEPT,
    stopped_early,
)
from biomec.machines.optimal_control.task import Task, machine_problem
from biomec.machines.studies import study
from biomec.machines.study import options_from

ARM = """
name = "arm"
title = "Arm"
dimension = 2
gravity = [0.0, -9.81]
duration = 1.0
[[body]]
name = "upper arm"
points = { S = [0.0, 0.0], E = [0.3, 0.0] }
basis = ["S", "E"]
mass = 2.0
centre_of_mass = [0.15, 0.0]
inertia = 0.015
angle_deg = -90.0
[[joint]]
type = "revolute"
name = "shoulder"
proximal = "ground.origin"
distal = "upper arm.S"
[[motor]]
name = "shoulder motor"
proximal = "ground"
distal = "upper arm"
"""
NOTHING = "No path and no end was asked for; no torque at all is the least."


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(ARM, "utf-8")
    return load_machine(path)


def asked(machine, **choices):
    optimal = study("optimal-control")
    return optimal.run(machine, options_from(optimal, {"intervals": 5, "audit": False, **choices}), None)


@pytest.mark.parametrize(
    ("status", "off", "tolerance", "said"),
    [
        (MOST_ITERATIONS, 9.0, 1e-7, NOT_KEPT),
        (MOST_ITERATIONS, np.inf, 1e-7, NOT_KEPT),
        (MOST_ITERATIONS, 1e-5, 1e-7, MOST_ITERATIONS),
        (MOST_ITERATIONS, 0.05, 1e-3, MOST_ITERATIONS),  # within what so wide a tolerance asks for
        (NORMAL, 9.0, 1e-7, NORMAL),
        (LINE_SEARCH, 9.0, 1e-7, LINE_SEARCH),
        (NO_FEASIBLE_POINT, 9.0, 1e-7, NO_FEASIBLE_POINT),
    ],
)
def test_out_of_iterations_is_told_by_how_far_the_constraints_are_off(status, off, tolerance, said):
    assert stopped_early(status, off, tolerance) is said


def test_the_violation_is_that_of_the_worst_value():
    low, high = np.array([-np.inf, 0.0, -1.0]), np.array([1.0, 0.0, np.inf])
    assert violation(np.array([1.0, 0.0, -1.0]), low, high) == 0.0
    assert violation(np.array([1.5, -2.0, 7.0]), low, high) == 2.0
    assert violation(np.array([0.0, np.nan, 0.0]), low, high) == np.inf
    assert violation(np.zeros(0), np.zeros(0), np.zeros(0)) == 0.0


def test_a_task_beyond_its_bounds_that_runs_out_of_iterations_is_not_kept(arm):
    run = asked(arm, path="rate_upper_arm - 20*time", bounds="torque_shoulder_motor = -0.01, 0.01", max_iterations=2)
    assert not run.succeeded
    assert run.status == NOT_KEPT.words
    assert any("do not keep to what was asked for" in one for one in run.notices)
    assert "MNI" in run.text


@pytest.mark.parametrize(("name", "why"), [("knee-prosthesis", "it has no motors"), ("bennett", "it moves in space")])
def test_what_no_motor_would_mend_is_told_first(name, why):
    machine = load_machine(name)
    assert not machine.motors
    assert study("optimal-control").refusal(machine).startswith(why)


def test_a_machine_without_motors_is_told_to_get_one(tmp_path):
    path = tmp_path / "bare.toml"
    path.write_text(ARM[: ARM.index("[[motor]]")], "utf-8")
    assert study("optimal-control").refusal(load_machine(path)) == "it has no motors. Describe one under [[motor]]."


def test_a_task_that_asks_for_nothing_says_so(arm):
    run = asked(arm)
    assert run.succeeded
    assert NOTHING in run.notices
    assert run.figures["cost"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    "task", [{"end": "rate_upper_arm = 1"}, {"cost": "(rate_upper_arm - 1)**2 + torque_shoulder_motor**2"},
             {"bounds": "torque_shoulder_motor = 0.1, 5"}]
)  # fmt: skip
def test_a_task_that_asks_for_something_does_not(arm, task):
    assert NOTHING not in asked(arm, **task).notices


def test_keys_of_figures_have_no_blanks(arm):
    figures = asked(arm, end="rate_upper_arm = 1").figures
    assert {"torque_shoulder_motor_max_Nm", "torque_shoulder_motor_min_Nm", "work_shoulder_motor_J"} <= set(figures)
    assert not any(" " in name for name in figures)


def turned_by(motor, **choices):
    """The four-bar linkage with its crank at exactly 60 rpm, driven by one motor."""
    return asked(load_machine("four-bar"), motors=motor, path="rate_crank - 2*pi", audit=True, **choices)


def test_torques_that_cannot_be_integrated_again_are_told_with_the_time(monkeypatch):
    """C turns neither way at 0.33 s, so that no torque there does anything; the command ended in a traceback.

    Of other machines it may not be known before.
    """
    monkeypatch.setattr(status, "lost_hold", lambda problem: None)
    run = turned_by("C", intervals=30)
    assert not run.succeeded
    assert run.status.startswith("the torques could not be integrated again beyond 0.3")
    assert any("other motors" in one for one in run.notices)
    assert np.isnan(run.figures["path_max"])


@pytest.mark.parametrize(
    ("intervals", "succeeded", "reported"), [(4, False, True), (15, True, True), (30, True, False)]
)
def test_a_path_held_exactly_is_judged_by_what_happens_between_the_points(intervals, succeeded, reported, monkeypatch):
    """On 4 intervals the crank was off by 4.6 rad/s and the cost 6544 instead of 10184, "completed"."""
    monkeypatch.setattr(continuation, "REFINED", 0)  # the mesh that was asked for is judged, not a finer one
    run = turned_by("A", intervals=intervals)
    assert run.succeeded is succeeded
    assert ("not held" in run.status) is not succeeded
    assert any("rate_crank - 2*pi is off by" in one for one in run.notices) is reported
    if succeeded:
        assert run.figures["cost"] == pytest.approx(10184.2, rel=2e-4)


@pytest.mark.parametrize(
    ("preset", "machine", "intervals", "succeeded", "reported"),
    [
        ("swing-up", "acrobot", 40, False, True),  # misses the handstand by 2.8; it was "completed"
        ("stand-up", "double-pendulum", 10, True, True),  # by 0.05
        ("stand-up", "double-pendulum", 50, True, False),  # by less than 0.01
    ],
)
def test_an_end_is_judged_like_a_path(preset, machine, intervals, succeeded, reported, monkeypatch):
    monkeypatch.setattr(continuation, "REFINED", 0)  # the mesh that was asked for is judged, not a finer one
    found, ready = load_machine(machine).with_preset(preset)
    run = asked(found, **{**ready.options, "intervals": intervals, "audit": True})
    assert run.succeeded is succeeded
    assert (run.status == "completed") is succeeded
    assert any("the torques miss the end by" in one for one in run.notices) is reported


def test_residuals_are_measured_by_what_they_depend_on(arm):
    """A torque that is off by 1 N·m is nothing where torques of 1000 N·m are ordinary; a rate of 1 rad/s is much."""
    problem, _ = machine_problem(arm, Task(path="1000*angle_upper_arm; rate_upper_arm - 1"))
    states = np.array([[0.0, 1.0], [0.002, 2.0]])
    np.testing.assert_allclose(path_off(problem, np.array([0.0, 1.0]), states, np.zeros((2, 1))), [0.002, 1.0])


def test_a_path_left_far_beyond_its_limit_is_no_answer():
    """Three intervals for one turn: the torques between six points know nothing of the linkage."""
    run = turned_by("A", intervals=3, limit=1e-4)
    assert not run.succeeded
    assert any("times its limit" in one for one in run.notices)


def test_a_bounded_torque_keeps_its_bounds_between_the_points():
    """It reached 62.7 N·m where intervals meet, at a bound of 60."""
    run = asked(load_machine("four-bar"), motors="A,B", path="rate_crank - 2*pi", bounds="torque_A = -60, 60",
                intervals=20, audit=True)  # fmt: skip
    assert run.succeeded
    assert run.figures["torque_A_max_Nm"] == pytest.approx(60.0, rel=1e-3)
    assert max(run.figures["torque_A_max_Nm"], -run.figures["torque_A_min_Nm"]) <= 60.0 + 1e-5
    assert not any("exceeds its bounds" in one for one in run.notices)


def test_a_state_beyond_its_bounds_between_the_points_is_told(arm):
    """One interval of a high degree: its speed keeps to 1.2 rad/s at five points."""
    run = asked(arm, end="angle_upper_arm = 0", bounds="rate_upper_arm = -1, 2.0", intervals=2, audit=True)
    assert run.succeeded
    rate = next(one for one in run.curves if one.group == "Angular velocities")
    by = np.deg2rad(rate.values.max()) - 2.0
    assert by > 2e-3
    assert f"Between the points of the mesh the rate of angle of upper arm exceeds its bounds by {by:.2g}. " in str(
        run.notices
    )


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_bernstein_coefficients_hold_their_polynomial(degree):
    """Σ b = 1, and the polynomial of coefficients k/(d−1) is the straight line."""
    at = np.linspace(0.1, 1.0, degree)
    values = bernstein(at)
    np.testing.assert_allclose(values.sum(axis=1), 1.0, rtol=1e-14)
    if degree > 1:
        np.testing.assert_allclose(values @ (np.arange(degree) / (degree - 1)), at, rtol=1e-14)


PATH = "gap_x_D; gap_y_D; gap_rate_x_D; gap_rate_y_D; rate_crank - 2*pi"


def test_a_path_with_gaps_and_their_rates_is_held_exactly(capfd):
    """Five residuals for three torques: "cannot be controlled", it said. The rates hold the gaps.

    75470 is the effort of the open chain by inverse dynamics.
    """
    machine, _ = load_machine("tied-triple-pendulum").with_preset("case-1")
    run = asked(machine, path=PATH, intervals=40, audit=True)
    assert run.succeeded
    assert run.figures["cost"] == pytest.approx(75470, rel=1e-4)
    assert run.figures["path_max"] < 1e-4
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("path", "kept"),
    [(PATH, (2, 3, 4)), ("gap_x_D; 2*gap_x_D", (0,)), ("rate_crank - 2*pi; angle_crank - pi/3 - 2*pi*time", (0,)),
     ("angle_crank - 2*pi*time; angle_coupler", (0, 1)), ("gap_x_D; 3*gap_rate_x_D - 1", (0, 1)),
     ("angle_crank - 1; rate_crank; torque_A", (0, 1, 2)),  # it begins elsewhere, and would stay there
     ("angle_crank + torque_A; rate_crank", (0, 1))],
)  # fmt: skip
def test_residuals_that_follow_from_others(path, kept):
    problem, _ = machine_problem(load_machine("tied-triple-pendulum"), Task(path=path))
    assert problem.conditions() == kept


@pytest.mark.parametrize("method", ["collocation", "shooting"])
def test_more_conditions_than_torques_are_told_as_that(method, capfd):
    machine, _ = load_machine("tied-triple-pendulum").with_preset("case-6")
    run = asked(machine, motors="A,B", path=PATH, method=method)
    assert not run.succeeded
    assert run.status.startswith(
        "more conditions than torques: 3 residuals of the path must vanish all the time, and 2"
    )
    assert capfd.readouterr() == ("", "")


def test_an_end_besides_a_path_that_leaves_nothing_to_choose(capfd):
    run = asked(load_machine("four-bar"), motors="A", path="rate_crank - 2*pi", end="angle_crank = 7")
    assert run.status.startswith("more conditions than torques: path and end together")
    assert capfd.readouterr() == ("", "")


def test_a_motor_whose_bounds_are_zero_is_one_that_is_left_out(capfd):
    """It was "more conditions than torques", for a task that a single motor does."""
    machine, task = load_machine("double-pendulum"), {"end": "rate_first = 0.5"}
    alone = asked(machine, motors="A", **task)
    for bounds in ("torque_B = 0, 0", "torque_B = 0, 0; torque_A = -50, 50"):
        run = asked(machine, bounds=bounds, **task)
        assert run.succeeded
        assert run.figures["cost"] == pytest.approx(alone.figures["cost"], rel=1e-6)
    assert capfd.readouterr() == ("", "")
