"""Equations of machines for CasADi, against closed forms and against the symbolic derivation."""

import casadi as ca
import numpy as np
import pytest

from biomec.base.errors import DescriptionError
from biomec.machines.closed_chain.inverse import inverse_dynamics
from biomec.machines.machine import load_machine, parse_machine
from biomec.machines.optimal_control.guess import path_guess
from biomec.machines.optimal_control.planar_model import planar_model
from biomec.machines.optimal_control.problem import machine_dynamics
from biomec.machines.optimal_control.task import Task, machine_problem
from biomec.machines.reference_points import reference_point_model
from biomec.machines.symbolic.machine_equations import machine_equations
from tests.oracles.symbolic_dynamics import symbolic_dynamics

L, M, G = np.array([0.5, 0.9, 0.7]), np.array([6.59, 11.55, 9.07]), 9.81
PATH = "gap_x_D; gap_y_D; gap_rate_x_D; gap_rate_y_D; rate_crank - 2*pi"


def silva(phi, rate, K, C):
    """Mass matrix and A φ̈ = … of the tied triple pendulum in closed form ([Silva2007], signs corrected)."""
    k12, k13, k23 = (M[1] / 2 + M[2]) * L[0] * L[1], M[2] * L[0] * L[2] / 2, M[2] * L[1] * L[2] / 2
    inertia = M * L**2 / 12
    A = np.diag(np.array([M[0] / 4 + M[1] + M[2], M[1] / 4 + M[2], M[2] / 4]) * L**2 + inertia)
    B = np.zeros((3, 3))
    for (i, j), k in (((0, 1), k12), ((0, 2), k13), ((1, 2), k23)):
        A[i, j] = A[j, i] = k * np.cos(phi[i] - phi[j])
        B[i, j] = k * np.sin(phi[i] - phi[j])
        B[j, i] = -B[i, j]
    weight = G * np.array([M[0] / 2 + M[1] + M[2], M[1] / 2 + M[2], M[2] / 2]) * L * np.cos(phi)
    c, s = (lambda i, j: np.cos(phi[i] - phi[j])), (lambda i, j: np.sin(phi[i] - phi[j]))
    v, (a, b, d) = rate, L
    E = -L * np.array([
        C * (a * v[0] + b * v[1] * c(0, 1) + d * v[2] * c(0, 2)) + K * (np.sin(phi[0]) - b * s(0, 1) - d * s(0, 2)),
        C * (a * v[0] * c(0, 1) + b * v[1] + d * v[2] * c(1, 2)) + K * (np.sin(phi[1]) + a * s(0, 1) - d * s(1, 2)),
        C * (a * v[0] * c(0, 2) + b * v[1] * c(1, 2) + d * v[2]) + K * (np.sin(phi[2]) + a * s(0, 2) + b * s(1, 2)),
    ])  # fmt: skip
    return A, E - B @ rate**2 - weight


def evaluated(model):
    return ca.Function("f", [model.q, model.v, model.u], [model.mass, model.force])


def test_the_tied_triple_pendulum_is_the_published_closed_form():
    rng = np.random.default_rng(7)
    f = evaluated(planar_model(load_machine("tied-triple-pendulum", {"K": 300.0, "C": 20.0})))
    D = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0], [0.0, 0.0, 1.0]])
    for _ in range(5):
        phi, rate, u = rng.uniform(-3, 3, 3), rng.uniform(-5, 5, 3), rng.uniform(-50, 50, 3)
        mass, force = f(phi, rate, u)
        A, right = silva(phi, rate, 300.0, 20.0)
        np.testing.assert_allclose(mass.full(), A, atol=1e-12)
        np.testing.assert_allclose(force.full().ravel(), right + D @ u, atol=1e-10)


@pytest.mark.parametrize("name", ["tied-triple-pendulum", "four-bar", "six-bar", "acrobot"])
def test_two_derivations_agree(name):
    """Absolute angles by CasADi and by sympy: written apart, so that equal accelerations mean that both are right."""
    machine = load_machine(name)
    model = planar_model(machine)
    ours, theirs = machine_dynamics(model), symbolic_dynamics(machine_equations(machine))
    f, g = (ca.Function("f", [one.x, one.u, one.t], [one.explicit]) for one in (ours, theirs))
    rng = np.random.default_rng(3)
    x = np.concatenate(model.start) + 0.01 * rng.standard_normal(len(ours.states))
    u = rng.uniform(-10.0, 10.0, len(ours.controls))
    expected = g(x, u, 0.0).full().ravel()
    np.testing.assert_allclose(f(x, u, 0.0).full().ravel(), expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize(("g", "J"), [(9.81, 75470.0), (4.0, 47373.0)])
def test_torques_of_the_open_chain_along_the_closed_motion(g, J):
    """Three motors on three bars: the path fixes the torques, J = ∫Σu² dt of plain inverse dynamics [Silva2007]."""
    machine = load_machine("tied-triple-pendulum", {"K": 0.0, "C": 0.0, "g": g})
    problem, model = machine_problem(machine, Task(path=PATH, limit=1.0))
    turn = inverse_dynamics(reference_point_model(load_machine("four-bar")), np.linspace(0.0, 1.0, 401))
    q, v, a = (one[:, 2::3] for one in (turn.q, turn.qdot, turn.qddot))  # angles of the bars
    f = evaluated(model)
    parts = [[one.full() for one in f(*state, np.zeros(3))] for state in zip(q, v, strict=True)]
    loads = np.array([mass @ now - force.ravel() for (mass, force), now in zip(parts, a, strict=True)])
    torques = loads[:, ::-1].cumsum(axis=1)[:, ::-1]  # a motor also holds what hangs beyond the next pin
    assert np.trapezoid(np.sum(torques**2, axis=1), turn.time_s) == pytest.approx(J, rel=1e-5)
    guess = path_guess(problem)  # the cold start finds them too, to the error of its steps
    np.testing.assert_allclose(guess.controls, torques, atol=2.0)
    if g == 9.81:  # samples of an independent computation, rounded to two digits
        np.testing.assert_allclose(torques[0], [182.88, 72.39, -19.67], atol=0.01)
        np.testing.assert_allclose(torques[[120, 360]], [[29.63, 218.47, 45.18], [635.52, 347.43, -64.91]], atol=0.01)
        np.testing.assert_allclose(torques.max(axis=0), [663.4, 393.1, 49.0], atol=0.2)  # of other samples


def test_the_guess_closes_the_loop_of_the_published_motion():
    machine = load_machine("tied-triple-pendulum")
    problem, _ = machine_problem(machine, Task(path=PATH, limit=1.0))
    guess = path_guess(problem)
    at = guess.at([0.5, 1.0])
    np.testing.assert_allclose(np.rad2deg(at.states[0, :3]), [240.0, 48.727, 339.652], atol=0.01)
    np.testing.assert_allclose(np.rad2deg(at.states[1, :3]), [420.0, 16.654, 260.772], atol=0.02)


def test_a_closed_linkage_starts_assembled_and_moving():
    """The four-bar is told its crank alone: the other angles and rates are those of the published start."""
    model = planar_model(load_machine("four-bar"))
    q, v = model.start
    np.testing.assert_allclose(np.mod(q, 2 * np.pi), [1.04719755, 0.29066315, 4.55133849], atol=1e-8)
    np.testing.assert_allclose(v, [6.28318531, -1.37600254, 3.42400631], atol=1e-8)


def test_a_slider_has_a_way_and_loops_hold_it():
    model = planar_model(load_machine("slider-crank"))
    assert model.closure.numel() == 2
    value = ca.Function("c", [model.q], [model.closure])
    np.testing.assert_allclose(value(model.start[0]).full().ravel(), 0.0, atol=1e-12)


CART = """
name = "cart"
dimension = 2
gravity = [0.0, -9.81]
[[body]]
name = "cart"
points = { O = [0.0, 0.0] }
basis = ["O", "x"]
mass = 2.0
inertia = 0.1
[[body]]
name = "pole"
points = { O = [0.0, 0.0] }
basis = ["O", "x"]
mass = 1.0
centre_of_mass = [0.5, 0.0]
inertia = 0.2
angle_deg = -90.0
[[joint]]
type = "prismatic"
name = "rail"
proximal = "ground.origin"
distal = "cart.O"
axis = "ground.x"
[[joint]]
type = "revolute"
name = "pin"
proximal = "cart.O"
distal = "pole.O"
[[motor]]
name = "pin"
proximal = "cart"
distal = "pole"
"""


def test_a_cart_with_a_pole_has_its_textbook_mass_matrix():
    model = planar_model(parse_machine(CART, "cart.toml"))
    assert model.coordinates == ("way of cart", "angle of pole")
    mass, force = evaluated(model)([0.3, -0.4], [1.0, 2.0], [5.0])
    s, c = np.sin(-0.4), np.cos(-0.4)
    np.testing.assert_allclose(mass.full(), [[3.0, -0.5 * s], [-0.5 * s, 0.2 + 0.25]], atol=1e-12)
    np.testing.assert_allclose(force.full().ravel(), [0.5 * c * 4.0, 5.0 - 9.81 * 0.5 * c], atol=1e-12)
    assert {"way_rail", "speed_rail", "angle_pole", "torque_pin"} <= set(model.names)


def test_machines_that_cannot_be_modelled_are_refused_in_words():
    with pytest.raises(DescriptionError, match="moves in space"):
        planar_model(load_machine("bennett"))
    with pytest.raises(DescriptionError, match="no motor E"):
        planar_model(load_machine("four-bar"), ["A", "E"])


def test_an_impossible_geometry_is_refused_in_words():
    with pytest.raises(DescriptionError, match="cannot be closed"):
        planar_model(load_machine("four-bar", {"L4": 3.0}))


def test_the_tie_pulls_nothing_where_it_is_closed_and_is_the_slope_of_its_energy():
    machine = load_machine("tied-triple-pendulum", {"K": 1e5, "C": 0.0, "g": 0.0})
    with_tie = evaluated(planar_model(machine))
    without = evaluated(planar_model(machine.with_values({"K": 0.0})))

    def pull(q, v):
        return (with_tie(q, v, np.zeros(3))[1] - without(q, v, np.zeros(3))[1]).full().ravel()

    q, v = planar_model(machine).start
    np.testing.assert_allclose(pull(q, v), 0.0, atol=1e-7)  # 1e5 N/m of round-off
    q = q + np.array([0.02, -0.05, 0.03])

    def energy(q):
        gap = [np.sum(L * np.cos(q)) - 1.0, np.sum(L * np.sin(q))]
        return 0.5e5 * np.dot(gap, gap)

    step = 1e-6 * np.eye(3)
    slope = [(energy(q + one) - energy(q - one)) / 2e-6 for one in step]
    np.testing.assert_allclose(pull(q, v), -np.array(slope), rtol=1e-6)
    # the curve of a damper's force is −K e − C ė, with the cosine that a published program has wrong
    damped = planar_model(machine.with_values({"C": 30.0}))
    force = ca.Function("f", [damped.q, damped.v], [damped.names["force_y_D"]])
    height, rate = np.sum(L * np.sin(q)), np.sum(L * v * np.cos(q))
    assert float(force(q, v)) == pytest.approx(-1e5 * height - 30.0 * rate, rel=1e-12)


def test_derivatives_of_rates_and_path_against_differences():
    problem, _ = machine_problem(load_machine("tied-triple-pendulum"), Task(path=PATH, limit=1.0))
    one = problem.dynamics
    both = ca.vertcat(one.explicit, ca.dot(problem.path, problem.path))
    w = ca.vertcat(one.x, one.u)
    value = ca.Function("f", [w], [both])
    slope = ca.Function("J", [w], [ca.jacobian(both, w)])
    at = np.concatenate([problem.start + 0.01, [10.0, -20.0, 5.0]])
    step = 1e-5
    central = [(value(at + step * e) - value(at - step * e)).full().ravel() / (2 * step) for e in np.eye(9)]
    exact = slope(at).full()
    np.testing.assert_allclose(exact, np.array(central).T, rtol=1e-6, atol=1e-7 * np.abs(exact).max())
