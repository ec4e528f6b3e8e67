"""Forward dynamics of reference-point models: partitioned and stabilised, with torques, loads and events."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.machines.machine import load_machine, parse_machine
from biomec.machines.reference_points import SingularPosition, assembled, follow, reference_point_model, velocities
from biomec.machines.reference_points.integration import IntegrationOptions, ZeroCrossing, torque_table
from biomec.machines.reference_points.partitioned import Partitioned, independent_columns, simulate_partitioned
from biomec.machines.reference_points.stabilised import constraint_errors, simulate_stabilised

PENDULUM = """
name = "pendulum"
dimension = 2
gravity = [0.0, -9.81]
[[body]]
name = "bob"
points = { O = [0.0, 0.0] }
basis = ["O", "x"]
mass = 2.0
centre_of_mass = [0.5, 0.0]
inertia = 0.1
angle_deg = -90.0
[[joint]]
type = "revolute"
name = "O"
proximal = "ground.origin"
distal = "bob.O"
[[driver]]
type = "angle"
name = "turn"
start = "ground.x"
end = "bob.x"
[[law]]
driver = "turn"
type = "sine"
mean = -90.0
amplitude = 30.0
frequency_Hz = 1.0
kept = true
[[motor]]
name = "M"
proximal = "ground"
distal = "bob"
"""


@pytest.fixture(scope="module")
def four_bar():
    return reference_point_model(load_machine("four-bar"))


@pytest.fixture(scope="module")
def swung(four_bar):
    """The four-bar let go at its start with the crank at rest, by two formulations."""
    free, q = four_bar.with_drivers([]), assembled(four_bar)
    time_s = np.linspace(0.0, 0.6, 31)
    rest = np.zeros(9)
    options = IntegrationOptions("runge-kutta 8", rtol=1e-10, atol=1e-12)
    return (
        simulate_partitioned(free, q, rest, time_s, options=options),
        simulate_stabilised(free, q, rest, time_s, options=options),
    )


def test_partitioned_and_stabilised_motions_are_the_same(swung):
    one, other = swung
    assert (one.status, other.status) == ("completed", "completed")
    np.testing.assert_allclose(one.q, other.q, rtol=0, atol=1e-7)  # accumulated error of tolerances of 1e-10
    np.testing.assert_allclose(one.multipliers, other.multipliers, rtol=0, atol=1e-3)


def test_a_partitioned_motion_obeys_its_constraints_exactly_and_keeps_its_energy(swung):
    motion, _ = swung
    errors = constraint_errors(motion)
    assert max(error.max() for error in errors[:2]) < 1e-12
    assert errors[2].max() < 1e-10
    model = motion.model
    energy = model.kinetic_energy(motion.qdot) + model.potential_energy(motion.q)
    assert model.kinetic_energy(motion.qdot[-1]) > 10.0
    assert np.ptp(energy) < 1e-6


def test_fixed_steps_converge_with_the_fourth_power(four_bar, swung):
    free, q, exact = four_bar.with_drivers([]), assembled(four_bar), swung[0].q[15]
    errors = []
    for step in (0.02, 0.01):
        options = IntegrationOptions("runge-kutta 4", step_s=step)
        motion = simulate_partitioned(free, q, np.zeros(9), [0.0, 0.3], options=options, independent=[2])
        errors.append(np.abs(motion.q[-1] - exact).max())
    assert 10.0 < errors[0] / errors[1] < 24.0  # 16 for order 4


def test_reduced_and_saddle_equations_give_the_same_accelerations(four_bar):
    free = four_bar.with_drivers([])
    rng = np.random.default_rng(8)
    q = assembled(four_bar, 0.17)
    qdot = velocities(free, q, given=rng.normal(size=9))
    u, load = rng.normal(size=4), rng.normal(size=9)
    problem = Partitioned(free, q, lambda t: u, lambda t, q, v: load)
    y = problem.packed(q, qdot)
    qddot, _ = free.accelerations(q, qdot, 0.0, u, load)
    np.testing.assert_allclose(problem.rate(0.0, y)[1:], qddot[problem.independent], rtol=1e-9)


def test_independent_coordinates_change_where_they_become_poor():
    slider = reference_point_model(load_machine("slider-crank"), "none")
    q = assembled(slider)
    slide = slider.column("slider", "x")  # no good at the dead points of the crank
    given = Partitioned(slider, q, independent=[slide])
    assert given.independent.tolist() == [slide]
    problem = Partitioned(slider, q)
    problem.independent = np.array([slide])
    problem.dependent = np.setdiff1d(np.arange(slider.n), [slide])
    held = slider.with_held_angles({"crank": 0.01})
    near_dead = assembled(held, guess=q)
    assert problem.renewed(0.0, near_dead, np.zeros(slider.n))
    assert problem.independent.tolist() != [slide]
    assert independent_columns(slider, near_dead).size == 1


def test_a_coordinate_that_determines_nothing_is_refused(four_bar):
    slider = reference_point_model(load_machine("slider-crank"), "none")
    with pytest.raises(BiomecError, match="y of slider do not determine"):
        Partitioned(slider, assembled(slider), independent=[slider.column("slider", "y")])


def test_a_full_turn_of_a_slider_crank_passes_its_dead_points():
    slider = reference_point_model(load_machine("slider-crank"), "none")
    q = assembled(slider)
    qdot = velocities(slider, q, given=20.0 * np.eye(slider.n)[slider.column("crank")], fixed=[slider.column("crank")])
    motion = simulate_partitioned(slider, q, qdot, np.linspace(0.0, 0.5, 26))
    assert motion.status == "completed"
    assert abs(motion.q[-1, slider.column("crank")] - q[slider.column("crank")]) > 2 * np.pi
    energy = slider.kinetic_energy(motion.qdot) + slider.potential_energy(motion.q)
    assert np.ptp(energy) < 1e-6 * energy[0]


def test_events_are_located_and_end_a_motion():
    pendulum = reference_point_model(parse_machine(PENDULUM, "pendulum.toml"), "none")
    held = pendulum.with_held_angles({"bob": np.deg2rad(-80.0)})
    q = assembled(held)
    lowest = ZeroCrossing("lowest", lambda t, q, v: q[2] + np.pi / 2, direction=-1, terminal=False)
    turning = ZeroCrossing("turning point", lambda t, q, v: v[2], direction=1)
    for method in ("runge-kutta 8", "runge-kutta 4", "radau"):
        options = IntegrationOptions(method, step_s=2e-3)
        motion = simulate_partitioned(
            pendulum, q, np.zeros(3), np.linspace(0.0, 5.0, 51), options=options, events=[lowest, turning]
        )
        (first, at_lowest), (second, at_turn) = motion.happened
        assert (first, second) == ("lowest", "turning point")
        assert at_turn == pytest.approx(2.0 * at_lowest, rel=1e-5)  # by symmetry
        k = 2.0 * 9.81 * 0.5 / (0.1 + 2.0 * 0.25)
        assert at_turn == pytest.approx(np.pi / np.sqrt(k) * (1 + np.deg2rad(10.0) ** 2 / 16), rel=1e-5)
        assert motion.time_s[-1] == at_turn
        assert motion.succeeded


def test_kept_drivers_move_the_machine_and_tell_their_torque():
    machine = parse_machine(PENDULUM, "pendulum.toml")
    model = reference_point_model(machine, "kept")
    q = assembled(model)
    motion = simulate_partitioned(model, q, velocities(model, q), np.linspace(0.0, 1.0, 11))
    law = machine.prescriptions[0].law
    np.testing.assert_allclose(motion.q[:, 2], law.value(motion.time_s), atol=1e-12)
    needed = 0.6 * law.acceleration(motion.time_s) + 2.0 * 9.81 * 0.5 * np.cos(law.value(motion.time_s))
    np.testing.assert_allclose(-motion.multipliers[:, 2], needed, rtol=0, atol=1e-9)


def test_torques_and_loads_act():
    pendulum = reference_point_model(parse_machine(PENDULUM, "pendulum.toml"), "none")
    q = assembled(pendulum)

    def hold(t, q, v):  # takes the weight off
        return -pendulum.weight

    motion = simulate_partitioned(pendulum, q, np.zeros(3), [0.0, 1.0], torques=lambda t: np.array([0.6]), loads=hold)
    assert motion.q[-1, 2] - q[2] == pytest.approx(0.5, abs=1e-9)  # half of 1 rad/s² in 1 s
    assert motion.torques[-1, 0] == 0.6
    same = simulate_stabilised(pendulum, q, np.zeros(3), [0.0, 1.0], torques=lambda t: np.array([0.6]), loads=hold)
    assert same.q[-1, 2] == pytest.approx(motion.q[-1, 2], abs=1e-7)


def test_the_torques_of_a_driven_motion_drive_it_again(four_bar):
    time_s = np.linspace(0.0, 1.0, 101)
    q, qdot, _ = follow(four_bar, time_s)
    u = np.zeros((101, 4))
    u[:, 0] = -four_bar.accelerations(q, qdot, time_s)[1][:, 8]
    motion = simulate_stabilised(four_bar.with_drivers([]), q[0], qdot[0], time_s,
                                 torques=torque_table(time_s, u, "spline"))  # fmt: skip
    assert np.abs(np.rad2deg(motion.qdot[:, 2]) - 360.0).max() < 0.01


def test_tables_of_torques():
    time_s, values = np.array([0.0, 1.0, 3.0]), np.array([[0.0, 1.0], [2.0, 1.0], [0.0, 5.0]])
    linear = torque_table(time_s, values)
    np.testing.assert_allclose([linear(-1.0), linear(0.5), linear(2.0), linear(9.0)],
                               [[0, 1], [1, 1], [1, 3], [0, 5]])  # fmt: skip
    around = np.linspace(0.0, 2.0 * np.pi, 41)
    sine = torque_table(around, np.sin(around)[:, None], "spline")
    assert sine(1.234)[0] == pytest.approx(np.sin(1.234), abs=1e-5)
    assert sine(1e-4)[0] - sine(0.0)[0] == pytest.approx(sine(2 * np.pi)[0] - sine(2 * np.pi - 1e-4)[0], abs=1e-9)
    for wrong in (([0.0], [[1.0]]), ([0.0, 0.0], [[1.0], [1.0]]), ([0.0, 1.0], [[1.0], [np.nan]])):
        with pytest.raises(BiomecError, match="table of torques"):
            torque_table(*wrong)
    with pytest.raises(BiomecError, match="linear or spline"):
        torque_table(time_s, values, "quartic")


def test_what_cannot_go_on_says_why(four_bar):
    free, q = four_bar.with_drivers([]), assembled(four_bar)
    wild = simulate_stabilised(free, q, np.zeros(9), [0.0, 1.0], torques=lambda t: np.full(4, np.nan))
    assert not wild.succeeded
    assert "stopped at 0 s" in wild.status
    slow = IntegrationOptions("runge-kutta 8", most_steps=3)
    few = simulate_partitioned(free, q, np.zeros(9), [0.0, 1.0], options=slow)
    assert not few.succeeded
    assert "too many steps" in few.status
    fast = simulate_stabilised(free, q, np.full(9, 1e5), [0.0, 1.0], options=IntegrationOptions("runge-kutta 4"))
    assert "ran away" in fast.status
    with pytest.raises(BiomecError, match="too many steps"):  # known before it begins
        simulate_partitioned(free, q, np.zeros(9), [0.0, 1.0], options=IntegrationOptions("runge-kutta 4", 1e-12))
    for options in ({"method": "magic"}, {"step_s": 0.0}):
        with pytest.raises(BiomecError):
            IntegrationOptions(**options)
    with pytest.raises(BiomecError, match="two times"):
        simulate_stabilised(free, q, np.zeros(9), [0.0])
    with pytest.raises(BiomecError, match="cannot be negative"):
        simulate_stabilised(free, q, np.zeros(9), [0.0, 1.0], alpha=-1.0)


def test_a_parallelogram_in_line_is_not_simulated():
    sides = {"L1": 0.5, "L2": 1.0, "L3": 0.5, "L4": 1.0}
    driven = reference_point_model(load_machine("four-bar", {**sides, "start": 0.0}))
    with pytest.raises(SingularPosition, match="bars in line"):
        follow(driven, [0.0])
    free, q = driven.with_drivers([]), assembled(driven)
    with pytest.raises(SingularPosition, match="bars in line"):
        Partitioned(free, q)
    with pytest.raises(SingularPosition, match="Choose other independent coordinates"):
        Partitioned(free, q, independent=[2])
    begun = reference_point_model(load_machine("four-bar", {**sides, "start": 60.0}))
    problem = Partitioned(free, assembled(begun))
    with pytest.raises(SingularPosition, match=r"at t = 0\.3 s it stands in a singular position"):
        problem.renewed(0.3, q, np.zeros(9))


def test_a_motion_can_be_stopped(four_bar):
    def stop(_):
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        simulate_partitioned(four_bar.with_drivers([]), assembled(four_bar), np.zeros(9), [0.0, 1.0], progress=stop)
