"""Rows, right-hand sides and forces of reference-point models, entry by entry and by finite differences."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.machines.laws import Polynomial, Sine
from biomec.machines.machine import load_machine, parse_machine
from biomec.machines.reference_points import assembled, follow, model_of_system, reference_point_model, velocities
from tests.core.machines.shared_pendulum import shared_pendulum

L = np.array([0.5, 0.9, 0.7])
OMEGA = 2.0 * np.pi
START = np.array([0.325, 0.4165064, 1.0471976, 0.8811243, 0.7619771, 0.2906632, 1.2561243, 0.5454708, 4.5513385])

EVERYTHING = """
name = "everything"
dimension = 2
[ground]
P = [0.3, -0.2]
[directions]
up = [0.2, 1.0]
[[body]]
name = "a"
points = { O = [0.0, 0.0], E = [0.4, 0.1] }
basis = ["O", "E"]
mass = 1.3
centre_of_mass = [0.2, -0.05]
inertia = 0.02
angle_deg = 20.0
[[body]]
name = "b"
points = { O = [0.0, 0.0], E = [0.3, 0.0] }
vectors = { tilted = [1.0, 0.5] }
basis = ["O", "x"]
mass = 0.7
centre_of_mass = [0.1, 0.05]
inertia = 0.01
position = [0.5, 0.2]
angle_deg = -35.0
[[body]]
name = "c"
points = { O = [0.0, 0.0], E = [0.2, 0.1] }
basis = ["O", "E"]
mass = 0.4
inertia = 0.005
position = [0.9, -0.1]
angle_deg = 70.0
[[body]]
name = "d"
points = { O = [0.0, 0.0], E = [0.2, 0.1] }
basis = ["O", "E"]
mass = 0.4
inertia = 0.005
position = [0.7, -0.3]
[[joint]]
type = "revolute"
name = "pin"
proximal = "a.E"
distal = "b.O"
[[joint]]
type = "prismatic"
name = "slide"
proximal = "b.E"
distal = "c.E"
axis = "b.tilted"
[[joint]]
type = "prismatic"
name = "rail"
proximal = "ground.P"
distal = "a.O"
axis = "ground.up"
[[joint]]
type = "distance"
name = "rod"
first = "a.O"
second = "c.O"
[[joint]]
type = "weld"
name = "glue"
proximal = "c.E"
distal = "d.O"
[[driver]]
type = "length"
name = "actuator"
first = "ground.P"
second = "b.E"
[[driver]]
type = "point"
name = "path"
point = "d.E"
[[driver]]
type = "angle"
name = "turn"
start = "a.x"
end = "b.tilted"
[[law]]
driver = "actuator"
type = "sine"
unit = "m"
mean = 0.5
amplitude = 0.1
frequency_Hz = 1.0
[[law]]
driver = "path.y"
type = "polynomial"
unit = "m"
coefficients = [0.1, 0.2, -0.3]
[[law]]
driver = "turn"
type = "polynomial"
coefficients = [-30.0, 12.0, 40.0]
kept = true
[[motor]]
name = "M"
proximal = "a"
distal = "b"
[[spring]]
name = "coil"
first = "ground.P"
second = "c.E"
stiffness = 120.0
free_length = 0.2
actuation = 3.0
[[tie]]
name = "soft"
first = "d.E"
second = "a.E"
stiffness = 50.0
[[hinge]]
name = "torsion"
proximal = "b"
distal = "c"
stiffness = 4.0
rest_deg = 15.0
"""


@pytest.fixture(scope="module")
def four_bar():
    return reference_point_model(load_machine("four-bar"))


@pytest.fixture(scope="module")
def everything():
    return reference_point_model(parse_machine(EVERYTHING, "everything.toml"))


def published_rows(q, t):
    """Pins A, B, C, D and the driver of the four-bar, written out ([Silva2007])."""
    (x1, y1, p1), (x2, y2, p2), (x3, y3, p3) = q.reshape(3, 3)
    h1, h2, h3 = L / 2
    e = [np.array([np.cos(p), np.sin(p)]) for p in (p1, p2, p3)]
    r = [np.array([x1, y1]), np.array([x2, y2]), np.array([x3, y3])]
    pins = [r[0] - h1 * e[0] - (0.2, 0.2), r[0] + h1 * e[0] - r[1] + h2 * e[1], r[1] + h2 * e[1] - r[2] + h3 * e[2],
            r[2] + h3 * e[2] - (1.2, 0.2)]  # fmt: skip
    return np.array([*np.concatenate(pins), p1 - np.pi / 3 - OMEGA * t])


def published_jacobian(q):
    """The non-zero entries as they are printed."""
    (_, _, p1), (_, _, p2), (_, _, p3) = q.reshape(3, 3)
    h1, h2, h3 = L / 2
    entries = {
        1: {1: 1, 3: h1 * np.sin(p1)},
        2: {2: 1, 3: -h1 * np.cos(p1)},
        3: {1: 1, 3: -h1 * np.sin(p1), 4: -1, 6: -h2 * np.sin(p2)},
        4: {2: 1, 3: h1 * np.cos(p1), 5: -1, 6: h2 * np.cos(p2)},
        5: {4: 1, 6: -h2 * np.sin(p2), 7: -1, 9: -h3 * np.sin(p3)},
        6: {5: 1, 6: h2 * np.cos(p2), 8: -1, 9: h3 * np.cos(p3)},
        7: {7: 1, 9: -h3 * np.sin(p3)},
        8: {8: 1, 9: h3 * np.cos(p3)},
        9: {3: 1},
    }
    J = np.zeros((9, 9))
    for row, columns in entries.items():
        for column, value in columns.items():
            J[row - 1, column - 1] = value
    return J


def published_gamma(q, qdot):
    p, w = q.reshape(3, 3)[:, 2], qdot.reshape(3, 3)[:, 2]
    (a1, b1), (a2, b2), (a3, b3) = (
        (h * np.cos(x) * v**2, h * np.sin(x) * v**2) for h, x, v in zip(L / 2, p, w, strict=True)
    )
    return np.array([-a1, -b1, a1 + a2, b1 + b2, a2 + a3, b2 + b3, a3, b3, 0.0])


def test_rows_of_the_four_bar_are_the_published_ones_entry_by_entry(four_bar):
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, qdot, t = rng.normal(size=9), rng.normal(size=9), rng.uniform()
        np.testing.assert_allclose(four_bar.residual(q, t), published_rows(q, t), rtol=0, atol=1e-14)
        np.testing.assert_allclose(four_bar.jacobian(q), published_jacobian(q), rtol=0, atol=1e-15)
        np.testing.assert_allclose(four_bar.acceleration_rhs(q, qdot, t), published_gamma(q, qdot), rtol=0, atol=1e-14)
    np.testing.assert_allclose(four_bar.rate_rhs(0.3), [0] * 8 + [OMEGA], atol=1e-15)
    J = [m * l**2 / 12 for m, l in zip((6.59, 11.55, 9.07), L, strict=True)]
    np.testing.assert_allclose(four_bar.mass, [6.59, 6.59, J[0], 11.55, 11.55, J[1], 9.07, 9.07, J[2]])
    weight = [0, -6.59 * 9.81, 0, 0, -11.55 * 9.81, 0, 0, -9.07 * 9.81, 0]
    np.testing.assert_allclose(four_bar.applied(START, 0 * START), weight)


@pytest.mark.parametrize("which", ["four_bar", "everything"])
def test_jacobian_and_right_sides_are_the_derivatives_of_the_rows(which, request):
    model = request.getfixturevalue(which)
    rng = np.random.default_rng(2)
    q, v, a, t = model.guess + 0.2 * rng.normal(size=model.n), rng.normal(size=model.n), rng.normal(size=model.n), 0.3

    def along(s):  # rows on the path q + v s + a s²/2
        return model.residual(q + v * s + 0.5 * a * s * s, t + s)

    h = 1e-4  # central differences: error ∝ h², round-off 1e-16/h and 1e-16/h²
    J = model.jacobian(q)
    first = (along(h) - along(-h)) / (2 * h)
    second = (along(h) - 2 * along(0.0) + along(-h)) / h**2
    np.testing.assert_allclose(J @ v - model.rate_rhs(t), first, rtol=0, atol=2e-6)
    np.testing.assert_allclose(J @ a - model.acceleration_rhs(q, v, t), second, rtol=0, atol=2e-5)
    numeric = np.column_stack([(model.residual(q + h * e, t) - model.residual(q - h * e, t)) / (2 * h)
                               for e in np.eye(model.n)])  # fmt: skip
    np.testing.assert_allclose(J, numeric, rtol=0, atol=2e-7)


def test_rows_come_in_the_order_of_the_file_and_drivers_last(everything):
    names = list(everything.equations.row_of)
    assert names == ["pin", "slide", "slide, angle", "rail", "rail, angle", "rod", "glue", "glue, angle",
                     "actuator", "path.y", "turn"]  # fmt: skip
    assert everything.rows_of("glue").tolist() == [7, 8]
    np.testing.assert_allclose(everything.residual(everything.guess)[[3, 5, 6, 9]], 0.0, atol=1e-12)
    with pytest.raises(BiomecError, match="no joint or active driver"):
        everything.rows_of("nothing")


def test_which_drivers_are_rows_can_be_chosen():
    machine = parse_machine(EVERYTHING, "everything.toml")
    assert [one.name for one in reference_point_model(machine, "kept").drivers] == ["turn"]
    assert reference_point_model(machine, "none").drivers == ()
    model = reference_point_model(machine).with_drivers(["path.y"])
    assert [one.name for one in model.drivers] == ["path.y"]
    with pytest.raises(BiomecError, match="there is no driver wind"):
        model.with_drivers(["wind"])
    with pytest.raises(BiomecError, match="not some"):
        reference_point_model(machine, "some")


def test_forces_are_minus_the_slope_of_the_energy(everything):
    rng = np.random.default_rng(3)
    q, h = everything.guess + 0.1 * rng.normal(size=everything.n), 1e-6
    slope = [(everything.potential_energy(q + h * e) - everything.potential_energy(q - h * e)) / (2 * h)
             for e in np.eye(everything.n)]  # fmt: skip
    np.testing.assert_allclose(everything.applied(q, np.zeros(everything.n)), -np.array(slope), rtol=0, atol=1e-6)


def test_damping_takes_the_power_of_its_own_speed():
    text = EVERYTHING.replace("stiffness = 120.0", "damping = 7.0").replace("stiffness = 50.0", "damping = 11.0")
    text = text.replace("stiffness = 4.0", "damping = 0.6").replace("actuation = 3.0", "actuation = 0.0")
    model = reference_point_model(parse_machine(text, "damped.toml"))
    rng = np.random.default_rng(4)
    q, v = model.guess, rng.normal(size=model.n)
    power = (model.applied(q, v) - model.weight) @ v
    d = model.position(q, "c.E") - model.position(q, "ground.P")
    coil = 7.0 * (model.velocity(q, v, "c.E") @ d / np.linalg.norm(d)) ** 2
    soft = 11.0 * np.sum((model.velocity(q, v, "d.E") - model.velocity(q, v, "a.E")) ** 2)
    turn = 0.6 * (v[model.column("c")] - v[model.column("b")]) ** 2
    assert power == pytest.approx(-(coil + soft + turn), rel=1e-12)


def test_motors_turn_one_body_forward_and_the_other_back(four_bar):
    T = four_bar.transmission
    assert T.shape == (9, 4)
    expected = np.zeros((9, 4))
    expected[2, 0], expected[2, 1], expected[5, 1], expected[5, 2], expected[8, 2], expected[8, 3] = 1, -1, 1, -1, 1, 1
    np.testing.assert_array_equal(T, expected)
    u = np.array([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_allclose(four_bar.applied(START, 0 * START, 0.0, u), four_bar.weight + expected @ u)


def test_many_states_at_once_are_the_same_as_one_by_one(everything):
    rng = np.random.default_rng(5)
    q, v, t = rng.normal(size=(2, 3, everything.n)), rng.normal(size=(2, 3, everything.n)), rng.uniform(size=(2, 3))
    u = rng.normal(size=(2, 3, 1))
    together = everything.accelerations(q, v, t, u)
    one = everything.accelerations(q[1, 2], v[1, 2], t[1, 2], u[1, 2])
    for all_, single in zip(together, one, strict=True):
        np.testing.assert_allclose(all_[1, 2], single, rtol=1e-9, atol=1e-9)
    for evaluate in (lambda q, v, t: everything.residual(q, t), everything.acceleration_rhs,
                     lambda q, v, t: everything.potential_energy(q)):  # fmt: skip
        np.testing.assert_allclose(evaluate(q, v, t)[1, 2], evaluate(q[1, 2], v[1, 2], t[1, 2]), atol=1e-12)


def test_points_move_as_their_differences_say(everything):
    rng = np.random.default_rng(6)
    q, v, a = (rng.normal(size=everything.n) for _ in range(3))
    h = 1e-4
    at = [everything.position(q + v * s + 0.5 * a * s * s, "b.E") for s in (-h, 0.0, h)]
    np.testing.assert_allclose(everything.velocity(q, v, "b.E"), (at[2] - at[0]) / (2 * h), atol=1e-6)
    np.testing.assert_allclose(everything.acceleration(q, v, a, "b.E"), (at[2] - 2 * at[1] + at[0]) / h**2, atol=1e-5)
    poses = everything.poses(q)
    np.testing.assert_allclose(poses["a"][:2], everything.position(q, "a.origin"))
    with pytest.raises(BiomecError, match="has no point Z"):
        everything.position(q, "a.Z")


def test_bodies_that_share_points_are_joined():
    model = model_of_system(shared_pendulum().system)
    assert list(model.equations.row_of) == ["upper.O", "lower.A"]
    assert model.m == 4
    np.testing.assert_allclose(model.residual(model.guess), 0.0, atol=1e-15)


def test_what_is_not_planar_or_not_there_is_refused():
    with pytest.raises(BiomecError, match="moves in space"):
        reference_point_model(load_machine("bennett"))
    model = reference_point_model(load_machine("four-bar"))
    with pytest.raises(BiomecError, match="last axis needs 9"):
        model.residual(np.zeros(8))
    with pytest.raises(BiomecError, match="there is no body wheel"):
        model.column("wheel")


def test_added_coordinates_can_be_driven():
    text = EVERYTHING.replace('[[driver]]\ntype = "length"\nname = "actuator"\nfirst = "ground.P"\nsecond = "b.E"',
                              '[[driver]]\ntype = "coordinate"\nname = "actuator"\ncoordinate = "way"')  # fmt: skip
    text += '[[coordinate]]\ntype = "length"\nname = "way"\nfirst = "ground.P"\nsecond = "b.E"\n'
    plain = reference_point_model(parse_machine(EVERYTHING, "everything.toml"))
    added = reference_point_model(parse_machine(text, "added.toml"))
    np.testing.assert_array_equal(added.residual(plain.guess, 0.2), plain.residual(plain.guess, 0.2))


def test_an_angle_driver_can_be_added(four_bar):
    model = four_bar.with_drivers([]).with_angle_driver("follower", Sine(4.5, 0.1, 1.0), "rock", "crank")
    assert model.rows_of("rock").tolist() == [8]
    expected = START[8] - START[2] - Sine(4.5, 0.1, 1.0).value(0.2)
    assert model.residual(START, 0.2)[8] == pytest.approx(expected)
    held = four_bar.with_drivers([]).with_held_angles({"crank": 2.0})
    assert held.residual(START)[8] == pytest.approx(START[2] - 2.0)


def test_the_mechanical_energy_of_the_start(four_bar):
    q = assembled(four_bar)
    rate = velocities(four_bar, q)
    assert four_bar.kinetic_energy(rate) + four_bar.potential_energy(q) == pytest.approx(224.9309, abs=5e-5)


def test_polynomial_laws_of_any_shape_of_time(four_bar):
    assert four_bar.rate_rhs(np.zeros((2, 3))).shape == (2, 3, 9)
    assert Polynomial((1.0,)).rate([0.0, 1.0]).shape == (2,)


def test_driven_motion_returns_after_a_turn(four_bar):
    q, qdot, qddot = follow(four_bar, [0.0, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(q[-1] - q[0], [0, 0, 2 * np.pi, 0, 0, 0, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose([qdot[0], qddot[0]], [qdot[-1], qddot[-1]], atol=1e-10)
