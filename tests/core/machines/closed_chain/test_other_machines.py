"""The same methods on machines with other joints, several loops and several degrees of freedom."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biomec.machines.closed_chain.inverse import inverse_dynamics
from biomec.machines.closed_chain.replay import replay
from biomec.machines.closed_chain.sharing import free_directions, shared
from biomec.machines.laws import Polynomial
from biomec.machines.machine import load_machine, parse_machine
from biomec.machines.reference_points import assembled, model_of_system, reference_point_model, velocities
from biomec.machines.studies import study
from biomec.machines.study import options_from
from tests.core.machines.shared_pendulum import shared_pendulum
from tests.oracles.generalised_forces import generalised_forces, gradient, projected
from tests.oracles.link_newton_euler import Link, from_the_end

TIMES = np.linspace(0.0, 1.0, 61)


def slider_crank(speed=2.0 * np.pi):
    return model_of_system(load_machine("slider-crank").system, {"crank angle": Polynomial((np.pi / 2, speed))})


def test_slider_crank_by_virtual_power():
    """Torque of the crank from positions in closed form, differentiated numerically: no constraints, no multipliers."""
    solution = inverse_dynamics(slider_crank(), TIMES)
    r, l, w = 0.15, 0.25, 2.0 * np.pi

    def energy(t):
        f, h = np.pi / 2 + w * t, 1e-5
        at, ahead, behind = (_slider(angle, r, l) for angle in (f, f + w * h, f - w * h))
        rate = [(a - b) / (2 * h) for a, b in zip(ahead, behind, strict=True)]
        masses, inertias = (0.6, 1.0, 0.5), (0.001125, 0.005208333333333333, 0.0)
        kinetic = sum(0.5 * m * (v @ v) for m, v in zip(masses, rate[:3], strict=True))
        kinetic += 0.5 * inertias[0] * w**2 + 0.5 * inertias[1] * rate[3][0] ** 2
        return kinetic + 9.81 * sum(m * p[1] for m, p in zip(masses, at[:3], strict=True))

    h = 1e-4
    power = [(energy(t + h) - energy(t - h)) / (2 * h) for t in TIMES]
    # nested differences: error of about 1e-6 of torques of some N m
    np.testing.assert_allclose(solution.driving["crank angle"], np.array(power) / w, rtol=0, atol=1e-4)


def _slider(f, r, l):
    """Centres of mass of crank, rod and slider, and the rod's angle."""
    tip = r * np.array([np.cos(f), np.sin(f)])
    tilt = np.arcsin(-tip[1] / l)
    end = tip + l * np.array([np.cos(tilt), np.sin(tilt)])
    return tip / 2, (tip + end) / 2, end, np.array([tilt])


def test_slider_crank_loads_from_the_slider_inward():
    solution = inverse_dynamics(slider_crank(), TIMES)
    model = solution.model
    guide = solution.multipliers[:, model.rows_of("guide")[0]]
    along = np.stack([np.zeros_like(guide), -guide], axis=-1)  # the guide pushes across the x axis only
    turn = -solution.multipliers[:, model.rows_of("guide, angle")[0]]
    links = [Link("crank", "O", "A"), Link("rod", "A", "B"), Link("slider", "B", "B")]
    loads = from_the_end(model, links, solution.q, solution.qdot, solution.qddot, along, turn)
    np.testing.assert_allclose(loads[0].torque, solution.driving["crank angle"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(loads[1].torque, 0.0, atol=1e-9)
    np.testing.assert_allclose(loads[2].torque, 0.0, atol=1e-9)


@pytest.fixture(scope="module")
def pedalling():
    machine = load_machine("six-bar")
    return inverse_dynamics(reference_point_model(machine), np.linspace(0.0, machine.duration_s, 101))


def test_two_loops_turn_round_and_return(pedalling):
    model = pedalling.model
    assert (model.n, model.m) == (15, 15)
    moved = pedalling.q[-1] - pedalling.q[0]
    assert moved[2] == pytest.approx(-2 * np.pi)
    np.testing.assert_allclose(np.delete(moved, 2), 0.0, atol=1e-12)
    assert pedalling.position_error.max() < 1e-13
    knees = [model.position(pedalling.q, f"{side} thigh.knee") for side in ("right", "left")]
    pedals = [model.position(pedalling.q, f"crank.{side}") for side in ("right", "left")]
    hip = np.array([-0.18, 0.64])
    for knee, pedal in zip(knees, pedals, strict=True):  # knees bend forward all the time: left of the way hip to pedal
        a, b = knee - hip, pedal - hip
        assert (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] < 0.0).all()


def test_two_loops_share_by_energy(pedalling):
    """Whoever shares: the motors' power is the change of energy, without any constraint."""
    model, time = pedalling.model, pedalling.time_s
    energy = model.kinetic_energy(pedalling.qdot) + model.potential_energy(pedalling.q)
    for motors, method in ((["crank"], "pointwise"), (["R hip", "R knee", "L hip", "L knee"], "pointwise"),
                           (list(model.motors), "pseudo-inverse"), (list(model.motors), "smallest peak")):  # fmt: skip
        found = shared(pedalling, motors, method)
        rates = pedalling.qdot @ model.transmission[:, [model.motors.index(one) for one in motors]]
        power = (found.torques * rates).sum(axis=1)
        slope = np.gradient(energy, time, edge_order=2)
        np.testing.assert_allclose(power[2:-2], slope[2:-2], rtol=0, atol=0.01 * np.abs(power).max() + 1e-9)
        assert abs(found.works.sum()) < 0.01 * np.abs(power).max() * time[-1] + 1e-9
    least = shared(pedalling, list(model.motors), "pointwise")
    assert least.cost < shared(pedalling, ["crank"], "pointwise").cost
    np.testing.assert_allclose(shared(pedalling, ["crank"]).torques[:, 0], pedalling.driving["crank angle"], atol=1e-9)


def test_two_loops_replay(pedalling):
    found = replay(pedalling, shared(pedalling, ["R hip", "R knee", "L hip", "L knee"], "pointwise"), "spline")
    assert found.motion.status == "completed"
    assert np.rad2deg(np.abs(found.rate_off[:, 0])).max() < 0.5  # of 540 °/s; 101 samples of a spline


def test_several_degrees_of_freedom():
    """A double pendulum with both angles driven: pointwise sharing has no choice, and the smallest peak is found."""
    text = shared_pendulum().blueprint.text
    for name, start, body in (("one", "ground.x", "upper"), ("two", "ground.x", "lower")):
        text += f'[[driver]]\ntype = "angle"\nname = "{name}"\nstart = "{start}"\nend = "{body}.x"\n'
        text += f'[[law]]\ndriver = "{name}"\ntype = "sine"\nmean = -60.0\namplitude = 20.0\nfrequency_Hz = 1.0\n'
        text += f"phase_deg = {40.0 if name == 'two' else 0.0}\n"
    for name, proximal, distal in (("H", "ground", "upper"), ("K", "upper", "lower"), ("G", "ground", "lower")):
        text += f'[[motor]]\nname = "{name}"\nproximal = "{proximal}"\ndistal = "{distal}"\n'
    solution = inverse_dynamics(reference_point_model(parse_machine(text, "two.toml")), np.linspace(0.0, 1.0, 21))
    exact = shared(solution, ["H", "K"], "pointwise")
    upper, lower = solution.driving["one"], solution.driving["two"]
    np.testing.assert_allclose(exact.torques, np.column_stack([upper + lower, lower]), rtol=0, atol=1e-9)
    least, peak = (shared(solution, ["H", "K", "G"], method) for method in ("pointwise", "smallest peak"))
    assert least.cost < exact.cost
    assert (np.abs(peak.torques).max(axis=1) <= np.abs(least.torques).max(axis=1) + 1e-9).all()
    made = solution.model.transmission @ peak.torques[7]
    np.testing.assert_allclose((made - solution.required[7]) @ free_directions(
        solution.model.with_drivers([]).jacobian(solution.q[7:8]))[0], 0.0, atol=1e-8)  # fmt: skip
    with pytest.raises(Exception, match="cannot make this motion"):
        shared(solution, ["H"], "pointwise")


def three_cranks():
    """A beam on three equal cranks: one more than it needs, so that its joints repeat each other."""
    text = """
name = "three cranks"
dimension = 2
gravity = [0.0, -9.81]
[ground]
A = [0.0, 0.0]
B = [0.5, 0.0]
C = [1.0, 0.0]
[[body]]
name = "beam"
points = { A = [0.0, 0.0], B = [0.5, 0.0], C = [1.0, 0.0] }
basis = ["A", "C"]
mass = 2.0
centre_of_mass = [0.5, 0.0]
inertia = 0.2
position = [0.15, 0.26]
"""
    for k, x in zip("ABC", (0.0, 0.5, 1.0), strict=True):
        text += f'''
[[body]]
name = "crank {k}"
points = {{ O = [0.0, 0.0], P = [0.3, 0.0] }}
basis = ["O", "P"]
mass = 0.5
centre_of_mass = [0.15, 0.0]
inertia = 0.004
position = [{x}, 0.0]
angle_deg = 60.0
[[joint]]
type = "revolute"
name = "{k} low"
proximal = "ground.{k}"
distal = "crank {k}.O"
[[joint]]
type = "revolute"
name = "{k} high"
proximal = "crank {k}.P"
distal = "beam.{k}"
[[motor]]
name = "{k}"
proximal = "ground"
distal = "crank {k}"
'''
    text += '[[driver]]\ntype = "angle"\nname = "turn"\nstart = "ground.x"\nend = "crank A.x"\n'
    text += '[[law]]\ndriver = "turn"\ntype = "sine"\nmean = 90.0\namplitude = 30.0\nfrequency_Hz = 1.0\n'
    text += "phase_deg = -90.0\n"
    return parse_machine(text, "three.toml")


def test_joints_that_repeat_each_other():
    machine = three_cranks()
    solution = inverse_dynamics(reference_point_model(machine), TIMES)
    law = machine.prescriptions[0].law
    inertia, weight = 2.0 * 0.3**2 + 3 * (0.004 + 0.5 * 0.15**2), 9.81 * (2.0 * 0.3 + 3 * 0.5 * 0.15)
    torque = inertia * law.acceleration(TIMES) + weight * np.cos(law.value(TIMES))
    np.testing.assert_allclose(solution.driving["turn"], torque, rtol=0, atol=1e-9)
    equal = shared(solution, ["A", "B", "C"], "pointwise").torques
    np.testing.assert_allclose(equal, np.repeat(torque[:, None] / 3.0, 3, axis=1), rtol=0, atol=1e-9)
    assert study("inverse").run(machine, options_from(study("inverse"), {}), None).notices[0].startswith("Some joints")
    for formulation in ("partitioned", "Baumgarte"):
        asked = options_from(study("forward"), {"formulation": formulation, "duration_s": 0.2, "samples": 21})
        run = study("forward").run(machine, asked, None)
        assert run.status == "completed"
        assert run.figures["energy_balance_J"] < 1e-6


@settings(max_examples=10, deadline=None)
@given(x=st.floats(-5.0, 5.0), y=st.floats(-5.0, 5.0), heavier=st.floats(0.1, 10.0), t=st.floats(0.0, 1.0))
def test_where_the_linkage_stands_does_not_matter_and_torques_grow_with_mass(x, y, heavier, t):
    text = load_machine("four-bar").blueprint.text
    moved = text.replace("A = [0.2, 0.2]", f"A = [{0.2 + x}, {0.2 + y}]")
    moved = moved.replace('D = ["=0.2+L4", 0.2]', f'D = ["={0.2 + x}+L4", {0.2 + y}]')
    plain = inverse_dynamics(reference_point_model(parse_machine(text, "plain.toml")), [t, t + 0.01])
    masses = {"m1": 6.59 * heavier, "m2": 11.55 * heavier, "m3": 9.07 * heavier}
    other = inverse_dynamics(reference_point_model(parse_machine(moved, "moved.toml", masses)), [t, t + 0.01])
    np.testing.assert_allclose(
        other.driving["crank angle"], heavier * plain.driving["crank angle"], rtol=1e-8, atol=1e-7
    )
    np.testing.assert_allclose(other.q[:, 2::3], plain.q[:, 2::3], rtol=0, atol=1e-10)


# ---------------------------------------------------------------------- forces from pairs

LENGTHS = np.array([0.5, 0.9, 0.7])
K, C = 1e3, 40.0


def tie_pairs(x, y, xdot, ydot):
    """Spring and damper forces of the tie along the coordinates of the tip."""
    return [
        (-K * (x - 1.0) - C * xdot, lambda f: LENGTHS @ np.cos(f)),
        (-K * y - C * ydot, lambda f: LENGTHS @ np.sin(f)),
    ]


def tied(phi, rate):
    x, y = LENGTHS @ np.cos(phi), LENGTHS @ np.sin(phi)
    return generalised_forces(tie_pairs(x, y, -(LENGTHS * rate) @ np.sin(phi), (LENGTHS * rate) @ np.cos(phi)), phi)


def published_tie(phi, rate):
    """The expanded expressions, signs corrected ([Silva2007])."""
    s, c = np.sin(phi[:, None] - phi), np.cos(phi[:, None] - phi)
    (a, b, d), (u, v, w) = LENGTHS, rate
    first = C * (a * u + b * v * c[0, 1] + d * w * c[0, 2]) + K * (np.sin(phi[0]) - b * s[0, 1] - d * s[0, 2])
    second = C * (a * u * c[0, 1] + b * v + d * w * c[1, 2]) + K * (np.sin(phi[1]) + a * s[0, 1] - d * s[1, 2])
    third = C * (a * u * c[0, 2] + b * v * c[1, 2] + d * w) + K * (np.sin(phi[2]) + a * s[0, 2] + b * s[1, 2])
    return -LENGTHS * np.array([first, second, third])


def test_generalised_forces_from_pairs_are_the_expanded_ones():
    rng = np.random.default_rng(9)
    for _ in range(5):
        phi, rate = rng.uniform(-3, 3, 3), rng.normal(size=3)
        np.testing.assert_allclose(tied(phi, rate), published_tie(phi, rate), rtol=1e-12, atol=1e-9)


def test_a_tie_does_nothing_where_the_loop_is_closed():
    closed = np.array([1.04719755, 0.29066315, 4.55133849])
    np.testing.assert_allclose(tied(closed, np.array([6.28318531, -1.37600254, 3.42400631])), 0.0, atol=1e-4)


def test_a_spring_is_minus_the_slope_of_its_energy():
    phi, h = np.array([0.3, 1.1, -0.7]), 1e-6

    def energy(f):
        return 0.5 * K * ((LENGTHS @ np.cos(f) - 1.0) ** 2 + (LENGTHS @ np.sin(f)) ** 2)

    slope = [(energy(phi + h * e) - energy(phi - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(tied(phi, np.zeros(3)), -np.array(slope), rtol=1e-7)
    np.testing.assert_allclose(gradient(energy, phi), slope, rtol=1e-7)


def test_the_tie_of_a_machine_is_the_same_force():
    machine = load_machine("tied-triple-pendulum", {"K": K, "C": C, "g": 0.0})
    model = reference_point_model(machine, "none")
    rng = np.random.default_rng(10)
    q = assembled(model, guess=model.guess + 0.2 * rng.normal(size=9))
    phi = q[2::3]
    qdot = velocities(model, q, given=np.kron(rng.normal(size=3), [0, 0, 1]), fixed=[2, 5, 8])
    (tie,) = machine.ties
    R = np.zeros((9, 3))  # velocities of all coordinates for unit rates of the three angles
    for k, column in enumerate((2, 5, 8)):
        R[:, k] = velocities(model, q, given=np.eye(9)[column], fixed=[2, 5, 8])
    np.testing.assert_allclose(R.T @ model.applied(q, qdot), published_tie(phi, qdot[2::3]), rtol=1e-9, atol=1e-9)
    assert tie.stiffness == K
    np.testing.assert_allclose(projected([(2.0, lambda x: x[2] + x[5])], q, R), [2.0, 2.0, 0.0])
