"""Symbolic equations as numbers: published motions, derivatives, linear models, and two other models of the machine."""

import cmath
from dataclasses import replace

import casadi
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.engine.forward.lagrangian import ClassicLagrange
from biomec.machines.machine import load_machine, parse_machine
from biomec.machines.natural import machine_forces, natural_state
from biomec.machines.optimal_control.planar_model import planar_model
from biomec.machines.reference_points.building import reference_point_model
from biomec.machines.symbolic.algebra import coordinates
from biomec.machines.symbolic.compiled import compiled, eliminate, fast_rates, values_function
from biomec.machines.symbolic.equations import state_jacobians
from biomec.machines.symbolic.lagrange import from_equations, planar_chain
from biomec.machines.symbolic.linear import equilibrium, linearise
from biomec.machines.symbolic.machine_equations import machine_equations
from biomec.machines.symbolic.placing import poses_of, start_state
from biomec.machines.symbolic.simulation import simulate

# Free triple pendulum, g = 9.81: accelerations at the start, energy [J], states (φ, φ̇) at times [s].
MOTIONS = {
    "P-unit-H": ((-12.451154, 3.395769, -1.131923), 0.0, {
        0.5: (-0.951148, -0.520148, 0.114381, -1.656490, -4.334716, -0.539125),
        1.0: (-1.806143, -2.347949, -2.480168, -3.520398, -3.242448, -0.398447),
        2.0: (-2.089295, -3.044755, -4.240142, 1.227956, 4.165774, -3.569498)}),
    "P-unit-M": ((-1.747624, -4.442627, -4.036462), -34.096849, {
        0.5: (-1.266901, -1.198922, -1.147987, -0.883569, -1.288511, -2.509556),
        1.0: (-1.892993, -1.953926, -2.003669, -1.444932, -1.190714, -0.895979),
        2.0: (-1.771983, -1.910393, -2.197013, 0.841399, 1.114726, 3.245508)}),
    "P-unit-T": ((-18.898123, 35.082097, 22.384205), 51.429469, {
        0.5: (3.990339, 2.028818, 7.279494, 5.267765, 6.921677, 10.266211),
        1.0: (4.283124, 6.232905, 11.116026, 6.016026, 4.528220, 8.748871)}),
    "P-4bar-H": ((-23.580595, 2.892711, -1.335305), 0.0, {
        0.5: (-1.064033, -1.018032, -0.115084, -0.436591, -4.861053, -5.923678),
        1.0: (-2.786874, -2.506263, -2.458233, -5.583038, -1.293227, 0.496256),
        2.0: (-1.720723, -1.121707, -2.384536, 6.029807, -1.205989, 11.986235)}),
    "P-4bar-M": ((-1.645368, -6.767825, -4.070891), -209.836380, {
        0.5: (-1.372422, -1.318572, -1.356909, -1.253175, -1.725466, -3.054822),
        1.0: (-2.120109, -2.186201, -2.207142, -0.714851, -1.323165, -0.953302),
        2.0: (-1.514632, -1.302163, -1.013273, 1.764102, 1.748912, 1.759996)}),
    "P-4bar-T": ((-21.821118, 13.921556, 11.517888), 171.549283, {
        0.5: (5.006552, 0.389809, 3.775518, 5.783700, -8.182955, -17.878302),
        1.0: (3.574711, -1.262981, -5.104247, -5.194360, -9.002266, -16.675595)}),
}  # fmt: skip
PLANAR = ("triple-pendulum", "tied-triple-pendulum", "posture", "finger", "double-pendulum", "four-bar", "slider-crank",
          "six-bar", "knee-prosthesis")  # fmt: skip


@pytest.fixture(scope="module")
def fast():
    """Compiled once: the values of the parameters are arguments."""
    rates = fast_rates(machine_equations(load_machine("triple-pendulum")))

    def of(machine):
        values = np.array(machine_equations(machine).values)
        return lambda x, u: rates(x, u, values)

    return of


@pytest.mark.parametrize("preset", MOTIONS)
def test_the_free_triple_pendulum_moves_as_tabulated(preset, fast):
    """Table of an integration with rtol 1e-12, checked there with Radau and with a model of 9 coordinates.

    It has six decimals, and half a unit of the last is the tolerance of accelerations and energies; positions may be
    1e-6 rad off until 1 s and 1e-5 rad until 2 s, and rates ten times as much, because the T motions are chaotic.
    """
    accelerations, energy, states = MOTIONS[preset]
    machine, _ = load_machine("triple-pendulum").with_preset(preset)
    equations = compiled(machine_equations(machine))
    start = start_state(machine)
    np.testing.assert_allclose(equations.accelerations(start)[0], accelerations, atol=6e-7)
    assert sum(equations.energies(start)) == pytest.approx(energy, abs=6e-7)
    motion = simulate(equations, start, [0.0, *states], tolerance=3e-13, rates=fast(machine))
    assert motion.status == "completed"
    for t, x, state in zip(motion.time_s[1:], motion.x[1:], states.values(), strict=True):
        allowed = 1e-6 if t <= 1.0 else 1e-5
        np.testing.assert_allclose(x[:3], state[:3], atol=allowed)
        np.testing.assert_allclose(x[3:], state[3:], atol=10 * allowed)
    assert np.abs(motion.energy_J - energy).max() < 1e-6  # six decimals of the table; the drift itself is below 5e-10 J


def test_an_implicit_integrator_comes_to_the_same_place():
    machine, _ = load_machine("triple-pendulum").with_preset("P-unit-M")
    equations = compiled(machine_equations(machine))
    motion = simulate(equations, start_state(machine), [0.0, 0.5], method="Radau", tolerance=1e-9)
    np.testing.assert_allclose(motion.x[-1, :3], MOTIONS["P-unit-M"][2][0.5][:3], atol=1e-6)


def test_a_stiff_tie_is_integrated_and_holds_the_tip():
    machine = load_machine("tied-triple-pendulum", {"K": 5e6, "C": 1e5, "g": 0.0})
    equations = compiled(machine_equations(machine))
    motion = simulate(equations, start_state(machine), np.linspace(0.0, 0.05, 3), method="Radau", tolerance=1e-7)
    assert motion.status == "completed"
    pose = poses_of(machine).at(motion.x)[0]["follower"]
    tip = pose[:, :2] + 0.7 * np.stack((np.cos(pose[:, 2]), np.sin(pose[:, 2])), axis=-1)
    assert np.abs(tip - [1.0, 0.0]).max() < 1e-3  # a force of about 1 kN on 5 MN/m


def test_inputs_progress_and_cancel():
    machine = load_machine("triple-pendulum")
    equations = compiled(machine_equations(machine))
    start = np.array([0.1, -0.2, 0.3, 0.0, 0.0, 0.0])
    _, hold = equilibrium(equations, start[:3], hold=True)
    seen = []
    motion = simulate(equations, start, [0.0, 0.2], inputs=lambda t, x: hold, progress=seen.append)
    np.testing.assert_allclose(motion.x[-1], start, atol=1e-9)  # held by its torques, it stays
    assert 0.0 <= min(seen) <= max(seen) <= 1.0

    def stop(_):
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        simulate(equations, start, [0.0, 1.0], progress=stop)
    with pytest.raises(BiomecError, match="no integrator"):
        simulate(equations, start, [0.0, 1.0], method="ode45")


# ---------------------------------------------------------------------- the same machine in three models


def states_of(machine, count, seed):
    """Random states that satisfy the constraints of closed chains, coordinates and rates of the order of one.

    Joints with springs stay within half a turn: beyond it the natural coordinates cannot tell how often they turned.
    """
    rng = np.random.default_rng(seed)
    equations = machine_equations(machine)
    n, made = equations.n, []
    arguments = {"x": equations.coordinates.x, "p": tuple(equations.parameters)}
    loops = values_function(arguments, {"phi": equations.constraints, "J": equations.jacobian})
    start = start_state(machine)[:n]
    for _ in range(count):
        q = start + rng.normal(scale=0.3 if equations.constraints.rows or machine.hinges else 1.0, size=n)
        rates, c = rng.normal(scale=3.0, size=n), equations.constraints.rows
        for _ in range(50 if c else 0):
            flat = np.array(loops([*q, *rates], equations.values))
            q = q - np.linalg.pinv(flat[c:].reshape(c, n)) @ flat[:c]
        if c:
            flat = np.array(loops([*q, *rates], equations.values))
            assert np.abs(flat[:c]).max() < 1e-12
            J = flat[c:].reshape(c, n)
            rates = rates - np.linalg.pinv(J) @ (J @ rates)
        made.append(np.concatenate((q, rates)))
    return np.array(made)


@pytest.mark.parametrize("name", PLANAR)
def test_symbolic_natural_and_reference_point_models_agree_on_random_states(name):
    """Accelerations of all bodies; 1e-9 of the largest one, which leaves six digits for round-off of stiff ties."""
    machine = parse_machine(load_machine(name).blueprint.text.split("[[coordinate]]")[0], f"{name}.toml")
    equations, poses = compiled(machine_equations(machine)), poses_of(machine)
    x = states_of(machine, 6, seed=len(name))
    u = np.random.default_rng(5).normal(scale=20.0 if name != "finger" else 0.01, size=(len(x), len(machine.motors)))
    qddot, _ = equations.accelerations(x, u)
    pose, rate, acceleration = poses.at(x, qddot)
    largest = max(float(np.abs(one).max()) for one in acceleration.values())
    points = reference_point_model(machine, "none")
    system = machine.free_system
    natural_q, natural_v = natural_state(system, pose, rate)
    M = system.mass_matrix.toarray()
    for k in range(len(x)):
        levels = [np.array([level[body][k] for body in points.bodies]) for level in (pose, rate, acceleration)]
        at_centre = centre_of(points, *levels)
        found, _ = points.accelerations(at_centre[0], at_centre[1], 0.0, u[k])
        np.testing.assert_allclose(found, at_centre[2], atol=1e-9 * largest)
        q, v = natural_q[k], natural_v[k]
        Q = machine_forces(machine, system, lambda t, k=k: u[k])(0.0, q, v)
        J, gamma = system.jacobian(q), system.acceleration_rhs(q, v)
        saddle = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        natural = np.linalg.lstsq(saddle, np.concatenate((Q, gamma)), rcond=1e-13)[0][: system.n]
        for body in system.bodies:
            origin = system.layout.point(f"{body.name}.origin").rate(natural)
            axis = system.layout.vector(f"{body.name}.x")
            (x1, y1), (x2, y2) = axis(q), axis.rate(natural)
            about = x1 * y2 - y1 * x2
            np.testing.assert_allclose([*origin, about], acceleration[body.name][k], atol=1e-9 * largest)


def centre_of(points, pose, rate, acceleration):
    """Coordinates, rates and accelerations of centres of mass from those of the origins of bodies (B, 3)."""
    c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    arm = -np.stack(
        (c * points.origins[:, 0] - s * points.origins[:, 1], s * points.origins[:, 0] + c * points.origins[:, 1]), -1
    )
    across = np.stack((-arm[:, 1], arm[:, 0]), axis=-1)
    levels = [np.array(one) for one in (pose, rate, acceleration)]
    levels[0][:, :2] += arm
    levels[1][:, :2] += across * rate[:, 2:]
    levels[2][:, :2] += across * acceleration[:, 2:] - arm * rate[:, 2:] ** 2
    return [one.ravel() for one in levels]


def test_a_formulation_of_the_engine_gives_the_same_accelerations():
    machine = load_machine("triple-pendulum")
    system, equations = machine.free_system, compiled(machine_equations(machine))
    x = states_of(machine, 1, seed=3)
    pose, rate, acceleration = poses_of(machine).at(x, equations.accelerations(x)[0])
    q, v = natural_state(system, pose, rate)
    found = ClassicLagrange(system).accelerations(q[0], v[0], machine_forces(machine, system)(0.0, q[0], v[0])).qddot
    for body in system.bodies:
        origin = system.layout.point(f"{body.name}.origin").rate(found)
        np.testing.assert_allclose(origin, acceleration[body.name][0, :2], atol=1e-9)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-4.0, 4.0), min_size=6, max_size=6), st.lists(st.floats(-9.0, 9.0), min_size=3, max_size=3))
def test_power_of_the_motors_is_the_rate_of_energy(x, u):
    equations = CHAIN
    x, u = np.array(x), np.array(u)
    rates = equations.xdot(x, u)
    h = 1e-5
    ahead, behind = (sum(equations.energies(x + sign * h * rates)) for sign in (1.0, -1.0))
    F = np.array(equations.equations.F.tolist(), dtype=float)
    size = 1.0 + np.abs(rates).max() ** 3  # central differences: truncation h² f‴, third powers of the rates
    assert (ahead - behind) / (2 * h) == pytest.approx(x[3:] @ F @ u, abs=1e-7 * size)


CHAIN = compiled(planar_chain(3))


# ---------------------------------------------------------------------- functions of numbers


def test_one_state_many_states_and_machine_code_give_the_same():
    machine = load_machine("four-bar")
    made = machine_equations(machine)
    equations, x = compiled(made), states_of(machine, 4, seed=1)
    u = np.arange(16.0).reshape(4, 4)
    many = equations.xdot(x, u)
    rates = fast_rates(made)
    for k in range(4):
        np.testing.assert_allclose(equations.xdot(x[k], u[k]), many[k], rtol=1e-12, atol=1e-11)
        np.testing.assert_allclose(rates(x[k], u[k]), many[k], rtol=1e-10, atol=1e-9)
    assert equations.xdot(x.reshape(2, 2, 6), u.reshape(2, 2, 4)).shape == (2, 2, 6)


def test_the_same_lines_make_expressions_of_casadi():
    """Its functions in place of ours, and the model of optimal control, which has equations of its own, as judge."""
    machine = load_machine("tied-triple-pendulum")
    made = machine_equations(machine)
    x, u = casadi.SX.sym("x", 6), casadi.SX.sym("u", 3)
    functions = {name: getattr(casadi, name) for name in ("sin", "cos", "sqrt")}
    arguments = {"x": made.coordinates.x, "u": made.inputs, "p": tuple(made.parameters)}
    flat = values_function(arguments, dict(zip("Sr", made.saddle(), strict=True)), functions)(
        [x[k] for k in range(6)], [u[k] for k in range(3)], made.values
    )
    S, r = casadi.reshape(casadi.vertcat(*flat[:9]), 3, 3).T, casadi.vertcat(*flat[9:])
    model = planar_model(machine)
    theirs = casadi.Function("theirs", [model.q, model.v, model.u], [casadi.solve(model.mass, model.force)])
    ours = casadi.Function("ours", [x, u], [casadi.solve(S, r)])
    for state in states_of(machine, 3, seed=9):
        torques = [1.0, -2.0, 3.0]
        found = np.array(ours(state, torques)).ravel()
        np.testing.assert_allclose(found, compiled(made).accelerations(state, torques)[0], rtol=1e-10, atol=1e-8)
        np.testing.assert_allclose(
            found, np.array(theirs(state[:3], state[3:], torques)).ravel(), rtol=1e-10, atol=1e-8
        )


def test_states_of_another_size_and_singular_ones_are_refused():
    with pytest.raises(BiomecError, match="6 states and 3 inputs"):
        CHAIN.xdot(np.zeros(4))
    coords = coordinates(["a", "b"])
    massless = from_equations([coords.qddot[0], sp.S.Zero], coords)
    with pytest.raises(BiomecError, match="singular"):
        compiled(massless).xdot(np.zeros(4))
    with pytest.raises(BiomecError, match="not the energies"):
        compiled(massless).energies(np.zeros(4))
    right = np.ones(2)
    eliminate(np.array([[1.0, 2.0], [2.0, 4.0]]), right)
    assert np.isnan(right).all()


def test_jacobians_are_those_of_complex_steps_and_of_formulas():
    machine = load_machine("tied-triple-pendulum", {"K": 1e3, "C": 10.0})
    made = machine_equations(machine)
    equations, x, u = compiled(made), np.array([0.3, -0.4, 1.2, 1.0, -2.0, 0.5]), np.array([3.0, -1.0, 2.0])
    by_state, by_input = equations.jacobians(x, u)
    arguments = {"x": made.coordinates.x, "u": made.inputs, "p": tuple(made.parameters)}
    functions = {"sin": cmath.sin, "cos": cmath.cos, "sqrt": cmath.sqrt}
    system = values_function(arguments, dict(zip("Sr", made.saddle(), strict=True)), functions)

    def rates(x, u):
        flat = np.array(system(list(x), list(u), made.values))
        return np.concatenate((x[3:], np.linalg.solve(flat[:9].reshape(3, 3), flat[9:])))

    step = 1e-30  # no difference is taken, so nothing cancels
    for k in range(6):
        along = rates(x + 1j * step * np.eye(6)[k], u).imag / step
        np.testing.assert_allclose(by_state[:, k], along, rtol=1e-9, atol=1e-9)
    for k in range(3):
        along = rates(x + 0j, u + 1j * step * np.eye(3)[k]).imag / step
        np.testing.assert_allclose(by_input[:, k], along, rtol=1e-9, atol=1e-12)
    formulas = dict(zip(("by_state", "by_input"), state_jacobians(made), strict=True))
    flat = np.array(values_function(arguments, formulas)(x, u, made.values))
    np.testing.assert_allclose(flat[:36].reshape(6, 6), by_state, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(flat[36:].reshape(6, 3), by_input, rtol=1e-9, atol=1e-12)


def test_jacobians_of_a_path_constraint():
    """l = (X − L4)² + Y² of the tied tip, against central differences."""
    made = machine_equations(load_machine("tied-triple-pendulum"))
    p1, p2, p3 = made.coordinates.q
    gap = (sp.cos(p1) / 2 + 9 * sp.cos(p2) / 10 + 7 * sp.cos(p3) / 10 - 1) ** 2
    gap += (sp.sin(p1) / 2 + 9 * sp.sin(p2) / 10 + 7 * sp.sin(p3) / 10) ** 2
    both = sp.Matrix([gap]).col_join(sp.Matrix([gap]).jacobian(list(made.coordinates.x)).T)
    values = values_function({"x": made.coordinates.x}, {"l": both})
    x, h = np.array([0.3, -0.4, 1.2, 1.0, -2.0, 0.5]), 1e-6
    slopes = [(values(x + h * e)[0] - values(x - h * e)[0]) / (2 * h) for e in np.eye(6)]
    np.testing.assert_allclose(values(x)[1:], slopes, atol=1e-7)


# ---------------------------------------------------------------------- linear models


SLIDER = """
name = "slider"
dimension = 2
[[body]]
name = "block"
points = { C = [0.0, 0.0] }
basis = ["C", "x"]
mass = 2.0
inertia = 0.01
position = [SIDE0.3, 0.0]
[[joint]]
type = "prismatic"
name = "rail"
proximal = "ground.origin"
distal = "block.C"
axis = "ground.x"
[[spring]]
name = "s"
first = "ground.origin"
second = "block.C"
stiffness = 100.0
free_length = 0.2
damping = 3.0
"""


@pytest.mark.parametrize("side", ["", "-"])
def test_a_block_on_a_rail_swings_on_its_spring_with_the_known_frequency(side):
    """m s̈ + c ṡ + k (|s| − l₀) sign s = 0: undamped ω = √(k/m), damped −c/2m ± i √(k/m − (c/2m)²), on either side."""
    for c in (0.0, 3.0):
        text = SLIDER.replace("SIDE", side).replace("damping = 3.0", f"damping = {c}")
        equations = compiled(machine_equations(parse_machine(text, "slider.toml")))
        x, u = equilibrium(equations, [float(f"{side}0.3")])
        assert x[0] == pytest.approx(float(f"{side}0.2"), abs=1e-9)
        values = linearise(equations, x, u).eigenvalues
        omega = np.sqrt(100.0 / 2.0 - (c / 4.0) ** 2)
        np.testing.assert_allclose(np.sort_complex(values), [-c / 4.0 - 1j * omega, -c / 4.0 + 1j * omega], atol=1e-7)


def test_a_hanging_bar_swings_with_its_known_frequency():
    equations = compiled(planar_chain(1))
    x, u = equilibrium(equations, [-1.2])
    assert x[0] == pytest.approx(-np.pi / 2, abs=1e-9)
    model = linearise(equations, x, u)
    frequency = np.sqrt(1.5 * 9.81)  # √(m g L/2 / (m L²/3))
    np.testing.assert_allclose(sorted(model.eigenvalues.imag), [-frequency, frequency], rtol=1e-9)
    np.testing.assert_allclose(model.A, [[0.0, 1.0], [-(frequency**2), 0.0]], atol=1e-9)
    np.testing.assert_allclose(model.B, [[0.0], [3.0]], rtol=1e-12)
    np.testing.assert_allclose(model.C, [[1.0, 0.0]])
    np.testing.assert_allclose(model.D, [[0.0]])
    assert model.is_stable
    assert (model.uncontrollable, model.unobservable, model.rest) == (0, 0, pytest.approx(0.0, abs=1e-8))


def test_an_equilibrium_is_found_from_where_the_search_has_no_direction():
    """A horizontal bar: its weight turns it, but does so with the same torque a little further."""
    x, _ = equilibrium(compiled(planar_chain(1)), [0.0])
    assert abs(np.cos(x[0])) < 1e-9


def test_upside_down_it_falls_and_outputs_may_be_accelerations():
    equations = compiled(planar_chain(1))
    coords, inputs = equations.equations.coordinates, equations.equations.inputs
    model = linearise(equations, [np.pi / 2, 0.0], outputs=[coords.qddot[0], inputs[0] + 2 * coords.qdot[0]])
    assert not model.is_stable
    np.testing.assert_allclose(model.C, [[1.5 * 9.81, 0.0], [0.0, 2.0]], atol=1e-12)
    np.testing.assert_allclose(model.D, [[3.0], [1.0]], rtol=1e-12)


def test_linear_models_follow_small_motions():
    """Both from the upright posture with stiff joints, 1e-4 rad away: they part by the square of that."""
    machine, _ = load_machine("posture").with_preset("stiff")
    equations = compiled(machine_equations(machine))
    x, u = equilibrium(equations, start_state(machine)[:3])
    model = linearise(equations, x, u)
    assert model.is_stable
    away = 1e-4 * np.array([1.0, -0.5, 0.7, 0.0, 0.0, 0.0])
    motion = simulate(equations, x + away, [0.0, 0.5])
    values, modes = np.linalg.eig(model.A)
    linear = (modes @ (np.exp(0.5 * values) * np.linalg.solve(modes, away))).real
    np.testing.assert_allclose(motion.x[-1] - x, linear, atol=1e-7)
    assert np.abs(linear).max() > 1e-5


def test_posture_is_unstable_and_its_motors_can_hold_it():
    machine, _ = load_machine("posture").with_preset("lean")
    equations = compiled(machine_equations(machine))
    x, u = equilibrium(equations, start_state(machine)[:3], hold=True)
    model = linearise(equations, x, u)
    assert (model.eigenvalues.real > 0.1).sum() == 3
    assert model.uncontrollable == 0
    M, H, g = 70.0, 1.75, 9.81  # torque at the ankle: weight above it times how far forward it is
    above = [2 * 0.0465 * 0.567 * 0.246, 2 * 0.1 * (0.246 + 0.567 * 0.245), 0.678 * (0.246 + 0.245 + 0.626 * 0.288)]
    assert u[0] == pytest.approx(M * g * H * sum(above) * np.cos(np.deg2rad(85.0)), rel=1e-12)


def test_two_motors_fewer_leave_modes_out_of_reach_only_if_nothing_couples_them():
    coords = coordinates(["a", "b"])
    u = sp.Symbol("u", real=True)
    apart = from_equations([coords.qddot[0] + coords.q[0] - u, coords.qddot[1] + 4 * coords.q[1]], coords, [u])
    model = linearise(compiled(apart), np.zeros(4), outputs=[coords.q[0]])
    assert (model.uncontrollable, model.unobservable) == (2, 2)
    one = CHAIN.equations
    ankle_only = replace(one, inputs=one.inputs[:1], input_names=("A",), F=one.F[:, :1])
    assert linearise(compiled(ankle_only), np.array([-np.pi / 2] * 3 + [0.0] * 3)).uncontrollable == 0


def test_closed_chains_are_linearised_in_their_freedom():
    """The resting four-bar against second differences of its potential along the linkage: ω² = V″ / mass."""
    machine = load_machine("four-bar")
    equations = compiled(machine_equations(machine))
    x, u = equilibrium(equations, start_state(machine)[:3])
    model = linearise(equations, x, u)
    assert model.A.shape == (2, 2)
    assert model.rest < 1e-7
    shift = 0.01
    pushed, _ = equilibrium(equations, x[:3])
    np.testing.assert_allclose(pushed, x, atol=1e-6)
    turned = [closed_near(machine, x[:3] + sign * shift * model.basis[:, 0]) for sign in (-1.0, 0.0, 1.0)]
    V = [float(equations.energies(np.concatenate((q, np.zeros(3))))[1]) for q in turned]
    way = [model.basis[:, 0] @ (q - x[:3]) for q in turned]
    curvature = np.polyfit(way, V, 2)[0] * 2.0
    M = equations.system(x)[0][:3, :3]
    mass = model.basis[:, 0] @ M @ model.basis[:, 0]
    assert model.A[1, 0] == pytest.approx(-curvature / mass, rel=1e-3)  # second differences: truncation shift²


def closed_near(machine, q):
    made = machine_equations(machine)
    loops = values_function(
        {"x": made.coordinates.x, "p": tuple(made.parameters)}, {"phi": made.constraints, "J": made.jacobian}
    )
    for _ in range(30):
        flat = np.array(loops([*q, 0.0, 0.0, 0.0], made.values))
        q = q - np.linalg.pinv(flat[2:].reshape(2, 3)) @ flat[:2]
    return q


def test_where_no_equilibrium_is_a_sentence_says_so():
    coords = coordinates(["a"])
    pushed = compiled(from_equations([coords.qddot[0] - 1], coords))
    with pytest.raises(BiomecError, match="No equilibrium"):
        equilibrium(pushed, [0.0])
    with pytest.raises(BiomecError, match="cannot hold"):
        equilibrium(pushed, [0.0], hold=True)
    closed = compiled(machine_equations(load_machine("four-bar")))
    with pytest.raises(BiomecError, match="loops of the machine are open"):
        equilibrium(closed, [0.0, 0.0, 0.0], hold=True)
    with pytest.raises(BiomecError, match="at rest"):
        linearise(closed, start_state(load_machine("four-bar")) + np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]))


def test_closed_chains_keep_closed_with_stabilisation():
    machine = load_machine("four-bar")
    made = machine_equations(machine)
    x = states_of(machine, 1, seed=2)[0]
    motion = simulate(compiled(made, stabilisation=20.0), x, [0.0, 0.3, 0.6], tolerance=1e-9)
    phi = values_function({"x": made.coordinates.x, "p": tuple(made.parameters)}, {"phi": made.constraints})
    assert np.abs(phi(motion.x[-1].tolist(), made.values)).max() < 1e-7
    assert np.abs(np.diff(motion.energy_J)).max() < 1e-5


# ---------------------------------------------------------------------- start


def test_rates_of_closed_loops_follow_those_that_are_told():
    text = load_machine("four-bar").blueprint.text + "\n[start]\nrates_deg_s = { crank = 360.0 }\n"
    x = start_state(parse_machine(text, "four-bar.toml"))
    np.testing.assert_allclose(x[3:], [6.28318531, -1.37600254, 3.42400631], atol=1e-8)
    torn = text.replace("{ crank = 360.0 }", "{ crank = 360.0, coupler = 0.0, follower = 0.0 }")
    with pytest.raises(BiomecError, match="tear its joints"):
        start_state(parse_machine(torn, "four-bar.toml"))


def test_the_way_of_a_slider_at_the_start():
    assert start_state(load_machine("slider-crank"))[2] == pytest.approx(0.2, abs=1e-12)
