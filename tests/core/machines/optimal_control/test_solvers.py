"""Collocation and shooting against closed forms, against each other, and where there is no solution."""

import itertools

import casadi as ca
import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.machines.machine import load_machine
from biomec.machines.optimal_control.collocation import CollocationOptions, solve_collocation
from biomec.machines.optimal_control.guess import path_guess
from biomec.machines.optimal_control.problem import (
    Problem,
    Trajectory,
    explicit_dynamics,
    mechanical_dynamics,
)
from biomec.machines.optimal_control.shooting import ShootingOptions, solve_shooting
from biomec.machines.optimal_control.solution import audited
from biomec.machines.optimal_control.task import Task, machine_problem

PATH = "gap_x_D; gap_y_D; gap_rate_x_D; gap_rate_y_D; rate_crank - 2*pi"


def moved(distance=1.0, duration=2.0, **more):
    """A mass of 1 kg moved from rest to rest with the least ∫u² dt."""
    dynamics = explicit_dynamics(("place", "speed"), ("force",), lambda x, u, t: ca.vertcat(x[1], u[0]))
    given = {"end": np.array([distance, 0.0]), "size_u": np.ones(1)} | more
    return Problem(dynamics, duration, ca.dot(dynamics.u, dynamics.u), np.zeros(2), **given)


def solved(problem, solver=solve_collocation, options=CollocationOptions(10), **more):
    return solver(problem, path_guess(problem), options, **more)


@pytest.mark.parametrize(
    ("solver", "options"),
    [
        (solve_collocation, CollocationOptions(10)),
        (solve_collocation, CollocationOptions(4, degree=5)),
        (solve_shooting, ShootingOptions(10, 2, tolerance=1e-10)),
        (solve_shooting, ShootingOptions(10, 4, "implicit", 1e-10)),
    ],
)
def test_least_effort_from_rest_to_rest_is_the_closed_form(solver, options):
    """u = 6 d/T² − 12 d t/T³ and J = 12 d²/T³: a straight line, which every mesh here can hold."""
    solution = solved(moved(), solver, options)
    assert solution.status.code == "Normal"
    assert solution.cost == pytest.approx(12.0 / 2.0**3, rel=1e-5)
    exact = 6.0 / 4.0 - 12.0 * solution.time_s / 8.0
    np.testing.assert_allclose(solution.controls[:, 0], exact, atol=5e-3)
    again = audited(solution)
    assert again.complete
    assert again.cost == pytest.approx(solution.cost, rel=1e-6)
    np.testing.assert_allclose(again.states[-1], [1.0, 0.0], atol=1e-5)


def test_a_bound_of_the_speed_gives_the_closed_form_with_a_plateau():
    """With |v| ≤ v_max the speed rises and falls as parabolas of length τ = (3/2)(T − d/v_max) around a plateau;

    each ramp v = v_max (2 s − s²) costs ∫ v̇² = 4 v_max²/(3 τ), and half of it more than a triangle would.
    """
    d, T, top = 1.0, 2.0, 0.6
    ramp = 1.5 * (T - d / top)
    solution = solved(moved(d, T, high=np.array([np.inf, top])), options=CollocationOptions(60))
    assert solution.status.succeeded
    assert solution.states[:, 1].max() <= top + 1e-6
    assert solution.cost == pytest.approx(2.0 * 4.0 * top**2 / (3.0 * ramp), rel=1e-3)


def test_a_bounded_force_that_cannot_do_it_says_so():
    """10 m in 1 s at 1 N: at most 0.25 m are possible."""
    problem = moved(10.0, 1.0, least=-np.ones(1), most=np.ones(1))
    for solver, options in ((solve_collocation, CollocationOptions(10)), (solve_shooting, ShootingOptions(10))):
        solution = solved(problem, solver, options)
        assert not solution.status.succeeded
        assert solution.status.code in ("NFP", "LSF", "MNI")
    assert "cannot be controlled" in solved(problem).status.words


def test_a_bound_of_the_force_gives_the_closed_form_with_a_switch():
    """Full force, a straight switch of half width w = √(3 (T²/4 − d)), full force back: J = T − 4 w/3."""
    T = 2.02
    solution = solved(moved(1.0, T, least=-np.ones(1), most=np.ones(1)), options=CollocationOptions(40))
    assert solution.status.succeeded
    assert solution.cost == pytest.approx(T - 4.0 / 3.0 * np.sqrt(3.0 * (T**2 / 4.0 - 1.0)), rel=1e-3)
    assert solution.controls[0, 0] == pytest.approx(1.0, abs=1e-3)
    assert solution.controls[-1, 0] == pytest.approx(-1.0, abs=1e-3)


def test_too_few_iterations_and_guesses_that_are_no_numbers():
    problem = moved()
    assert solved(problem, options=CollocationOptions(10, max_iterations=0)).status.code == "MNI"
    nothing = Trajectory(np.array([0.0, 2.0]), np.full((2, 2), np.nan), np.full((2, 1), np.nan))
    assert solve_collocation(problem, nothing, CollocationOptions(5)).status.code == "FPE"
    with pytest.raises(BiomecError, match="state at the start"):
        Problem(problem.dynamics, 1.0, problem.cost, np.array([np.nan, 0.0]))
    with pytest.raises(BiomecError, match="duration"):
        Problem(problem.dynamics, 0.0, problem.cost, np.zeros(2))
    with pytest.raises(BiomecError, match="lower bound"):
        moved(low=np.array([1.0, 0.0]), high=np.array([0.0, 0.0]))


@pytest.mark.parametrize(
    ("solver", "options"), [(solve_collocation, CollocationOptions(10)), (solve_shooting, ShootingOptions(10))]
)
def test_a_search_can_be_stopped(solver, options):
    def stop(_):
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        solved(moved(), solver, options, progress=stop)


def test_a_linkage_of_rigid_bars_takes_the_least_torques_of_every_instant():
    """A closed loop with multipliers. With the speed of the crank prescribed nothing couples the instants, so that the

    optimum is known: J = 4401.7 for motors A and B, 3335.3 for all four, minimised instant by instant.
    """
    for motors, best in (("AB", 4401.7), ("ABCD", 3335.3)):
        problem, _ = machine_problem(load_machine("four-bar"), Task(tuple(motors), path="rate_crank - 2*pi"))
        solution = solved(problem, options=CollocationOptions(30))
        assert solution.status.code == "Normal"
        assert solution.cost == pytest.approx(best, rel=3e-4)


def test_dynamics_of_ones_own_with_a_mass_matrix():
    """A spring-mass oscillator left alone: zero torque, and energy that stays."""
    dynamics = mechanical_dynamics(("s",), ("push",), lambda q, v, u, t: (ca.SX(2.0), u - 8.0 * q))
    problem = Problem(dynamics, 1.0, dynamics.u**2, np.array([1.0, 0.0]), size_u=np.ones(1))
    solution = solved(problem, options=CollocationOptions(10))
    assert solution.cost == pytest.approx(0.0, abs=1e-8)
    np.testing.assert_allclose(solution.states[-1], [np.cos(2.0), -2.0 * np.sin(2.0)], atol=1e-4)


def test_shooting_and_collocation_agree_on_a_short_case():
    """Three motors on the open chain for 0.2 s; the controls of shooting are coarser, so its J is a little larger."""
    machine = load_machine("tied-triple-pendulum", {"K": 0.0, "C": 0.0})
    problem, _ = machine_problem(machine, Task(path=PATH, limit=1e-3, duration_s=0.2))
    guess = path_guess(problem)
    best = solve_collocation(problem, guess, CollocationOptions(10))
    for options in (ShootingOptions(20, 2), ShootingOptions(20, 4)):
        shot = solve_shooting(problem, guess, options)
        assert shot.status.code == "Normal"
        assert shot.cost == pytest.approx(best.cost, rel=3e-3)
    cold = Trajectory(guess.time_s, guess.states, np.zeros_like(guess.controls))
    assert solve_shooting(problem, cold, ShootingOptions(20)).cost == pytest.approx(best.cost, rel=3e-3)


def test_explicit_steps_fail_on_a_stiff_tie_as_published():
    """RK4 on 200 steps is stable for C below 2.785/(0.365 h) = 1.5e3: it runs at 1.1e3 and breaks down at 5e3."""
    task = Task(("A",), path=PATH, limit=0.1, duration_s=1.0)
    ended = {}
    for C in (1.1e3, 5e3):
        problem, _ = machine_problem(load_machine("tied-triple-pendulum", {"K": 5e4, "C": C, "g": 0.0}), task)
        ended[C] = solve_shooting(problem, path_guess(problem), ShootingOptions(200, max_iterations=1)).status.code
    assert ended[5e3] == "FPE"
    assert ended[1.1e3] != "FPE"


def test_controls_between_the_points_of_a_mesh():
    solution = solved(moved())
    for k, (begin, end) in enumerate(itertools.pairwise(solution.knots)):
        t = np.linspace(begin, end, 4)
        np.testing.assert_allclose(solution.control_in(k, t)[:, 0], 1.5 - 1.5 * t, atol=5e-3)


@pytest.mark.parametrize("solver", [solve_collocation, solve_shooting])
def test_a_start_off_the_path_is_told_at_once(solver):
    """D moved to 3 m: no bar reaches it, and the gap of 2 m stands there before anything moves."""
    problem, _ = machine_problem(load_machine("tied-triple-pendulum", {"L4": 3.0}), Task(path=PATH, limit=0.1))
    options = CollocationOptions(5) if solver is solve_collocation else ShootingOptions(5)
    solution = solved(problem, solver, options)
    assert solution.status.code == "NFP"
    assert "off the path already, by a sum of squares of 4;" in solution.status.words
    assert solution.iterations == 0


def test_a_cost_without_a_value_is_told():
    problem, _ = machine_problem(load_machine("acrobot"), Task(cost="sqrt(0 - 1 - torque_hip**2)"))
    solution = solved(problem, options=CollocationOptions(5))
    assert solution.status.code == "FPE"
    assert np.isnan(solution.cost)
