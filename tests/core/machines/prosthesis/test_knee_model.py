"""The knee prosthesis as it is described: geometry, equations, start; against its source and an independent program."""

import numpy as np
import pytest

from biomec.machines.laws import fitted
from biomec.machines.machine import load_machine
from biomec.machines.prosthesis.history import spring_state
from biomec.machines.prosthesis.reduced import reduced_motion
from biomec.machines.reference_points import reference_point_model


@pytest.fixture(scope="module")
def machine():
    return load_machine("knee-prosthesis")


@pytest.fixture(scope="module")
def start(machine):
    return reduced_motion(machine)


def test_the_links_have_the_lengths_of_the_patent(machine):
    """Kramer's knee: 63.5, 90.81, 25.40, 95.25 mm between the pins; local points are rounded to micrometres."""
    points = {body.name: body.points for body in machine.system.bodies}
    pairs = [("shank", "D", "C"), ("posterior link", "A", "D"), ("thigh", "A", "B"), ("anterior link", "B", "C")]
    lengths = [1e3 * np.linalg.norm(points[body][a] - points[body][b]) for body, a, b in pairs]
    np.testing.assert_allclose(lengths, [63.5, 90.81, 25.40, 95.25], atol=0.006)
    np.testing.assert_allclose(lengths, [63.5000, 90.8051, 25.4005, 95.2499], atol=6e-5)


def test_rows_stand_in_the_published_order_with_published_signs(start):
    """D 1−2, A 2−3, hip O of 3, B 3−4, C 4−1, thigh angle: positive on the first body, negative on the second."""
    model = start[0].model
    J = model.jacobian(start[1])
    assert J.shape == (11, 12)
    assert [one.name for one in (*model.joints, *model.drivers)] == ["D", "A", "O", "B", "C", "thigh angle"]
    expected = np.zeros((11, 4))
    for row, first, second in ((0, 0, 1), (2, 1, 2), (4, 2, None), (6, 2, 3), (8, 3, 0)):
        expected[row, first] = 1.0
        if second is not None:
            expected[row, second] = -1.0
    np.testing.assert_array_equal(J[:, 0::3], expected)
    np.testing.assert_array_equal(J[10], np.eye(12)[8])


def test_assembly_takes_the_published_steps(machine):
    """Newton's method from the published rough poses, the anterior link held; norms of its steps."""
    moving, _, _ = reduced_motion(machine)
    q, norms = np.array(moving.model.guess), []
    assert np.abs(moving.model.residual(q, 0.0)[:10]).max() * 1e3 == pytest.approx(0.0444, abs=1e-4)
    assert abs(moving.model.residual(q, 0.0)[10]) == pytest.approx(0.0034, abs=1e-6)
    for _ in range(3):
        step = np.linalg.solve(moving.square(q), np.append(-moving.model.residual(q, 0.0), 0.0))
        norms.append(np.linalg.norm(step))
        q += step
    assert norms[0] == pytest.approx(5.300e-3, rel=1e-3)
    assert norms[1] == pytest.approx(5.72e-6, rel=2e-3)
    assert norms[2] < 1e-12


def test_the_assembled_start(start):
    moving, q, qdot = start
    np.testing.assert_allclose(np.rad2deg(q[2::3]), [-23.5758, -32.3894, -7.4948, -35.2380], atol=6e-5)
    assert 1e3 * moving.stops.gaps(q)[0] == pytest.approx(1.62510, abs=1e-5)
    np.testing.assert_allclose(np.rad2deg(qdot[[2, 5, 11]]), [80.565, 8.896, 0.0], atol=6e-4)
    assert qdot[8] == pytest.approx(3.5631)


def test_accelerations_and_reactions_at_the_start(start):
    moving, q, qdot = start
    qddot, multipliers = moving.model.accelerations(q, qdot, 0.0)
    np.testing.assert_allclose(qddot[2::3], [147.776, 217.840, 21.169, 229.0225], atol=6e-4)
    published_order = [904.04, 598.43, 153.04, -2162.13, 141.37, 34.79, 25.91, -2169.69, 30.14, -2166.07, 113.758]
    np.testing.assert_allclose(-multipliers, published_order, atol=6e-3)


def test_the_spring_damper_at_the_start(sim2):
    length, rate, _ = spring_state(sim2.moving, sim2.history, "shank.F", "posterior link.E")
    assert 1e3 * length[0] == pytest.approx(156.0690, abs=6e-5)
    assert 250e3 * (length[0] - 0.1597) + 50e3 * rate[0] == pytest.approx(-2865.63, abs=6e-3)


def test_the_gap_in_the_published_closed_form(start):
    """Line at 10.22528 mm from pin C, normal (−0.969772, −0.244011) in axes of the link; first touch at −2.4648 deg."""
    moving, q, _ = start
    model = moving.model
    centre = q[:2] + _turn(q[2]) @ [-6.631e-3, 252.058e-3]
    normal = _turn(q[11]) @ [-0.969772, -0.244011]
    gap = (centre - model.position(q, "anterior link.C")) @ normal - 10.22528e-3 - 3.225e-3
    assert moving.stops.gaps(q)[0] == pytest.approx(gap, abs=3e-8)  # six digits of a normal, 24 mm away


def test_the_first_touch_has_the_published_angle_between_links(sim2):
    onset = next(one.time_s for one in sim2.events if one.kind == "onset")
    q = sim2.fine.q[np.argmin(np.abs(sim2.fine.time_s - onset))]
    assert np.rad2deg(q[11] - q[2]) == pytest.approx(-2.4648, abs=2e-4)


def test_the_thigh_follows_the_published_quartic(machine):
    law = machine.prescriptions[0].law
    zero = np.deg2rad(-7.3)
    assert law.value(0.0) - zero == pytest.approx(-0.0034)
    assert law.rate(0.0) == pytest.approx(3.5631)
    assert law.acceleration(0.0) == pytest.approx(21.169)
    t = np.linspace(0.0, 0.372, 372001)
    rate = np.rad2deg(law.rate(t))
    assert rate.max() == pytest.approx(227.677, abs=1e-3)
    assert t[rate.argmax()] == pytest.approx(0.04063, abs=1e-5)
    p = np.rad2deg(law.value(t)) + 7.3
    assert p.max() == pytest.approx(33.334, abs=1e-3)
    assert t[p.argmax()] == pytest.approx(0.22258, abs=1e-5)
    assert p[t > 0.25].min() == pytest.approx(27.484, abs=1e-3)
    assert np.rad2deg(law.value(0.372)) + 7.3 == pytest.approx(27.5426, abs=1e-4)


def test_a_quartic_fitted_to_samples_of_itself_is_itself(machine):
    law = machine.prescriptions[0].law
    t = np.linspace(0.0, 0.36, 25)
    np.testing.assert_allclose(fitted(t, law.value(t), 4).coefficients, law.coefficients, rtol=1e-8)


def test_what_the_other_printed_mass_would_change(sim2):
    """0.225 kg instead of 0.255: onset 0.07 ms later, peak 0.17 % lower (0.16 % here, where peaks are not samples)."""
    from biomec.machines.prosthesis.swing import SwingSettings, simulate_swing

    other = simulate_swing(load_machine("knee-prosthesis", {"m2": 0.225}), SwingSettings(every=0.02, tolerance=1e-7))
    later = other.figures["contact_onset_s"] - sim2.figures["contact_onset_s"]
    assert 1e3 * later == pytest.approx(0.07, abs=0.006)
    assert other.figures["contact_peak_N"] / sim2.figures["contact_peak_N"] - 1.0 == pytest.approx(-0.0017, abs=2e-4)


@pytest.mark.parametrize("name", ["knee-prosthesis", "single-axis-knee"])
def test_as_many_rows_as_leave_one_degree_of_freedom(name):
    machine = load_machine(name)
    assert reference_point_model(machine, "kept").n - reference_point_model(machine, "kept").m == 1
    q = reduced_motion(machine)[1]
    assert np.abs(reference_point_model(machine, "kept").residual(q, 0.0)).max() < 1e-13


def _turn(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def test_derivatives_of_the_knee_by_finite_differences(start):
    """Point velocities and accelerations, Φq and γ along a curved path through a random state; 1e-6."""
    moving, q0, _ = start
    model, rng, h = moving.model, np.random.default_rng(7), 1e-4
    v, a = rng.normal(size=(2, 12))

    def path(s):
        return q0 + s * v + 0.5 * s**2 * a

    def rate(s):
        return v + s * a

    t = 0.1
    phi = [model.residual(path(s), t + s) for s in (-h, 0.0, h)]
    speed = model.jacobian(q0) @ v - model.rate_rhs(t)
    np.testing.assert_allclose(speed, (phi[2] - phi[0]) / (2.0 * h), rtol=1e-6, atol=1e-6)
    bend = model.jacobian(q0) @ a - model.acceleration_rhs(q0, v, t)
    np.testing.assert_allclose(bend, (phi[0] - 2.0 * phi[1] + phi[2]) / h**2, rtol=1e-5, atol=2e-5)
    for point in ("shank.toe", "posterior link.E", "thigh.B", "anterior link.C"):
        places = [model.position(path(s), point) for s in (-h, 0.0, h)]
        np.testing.assert_allclose(model.velocity(q0, v, point), (places[2] - places[0]) / (2.0 * h), atol=1e-6)
        moved = (model.velocity(path(h), rate(h), point) - model.velocity(path(-h), rate(-h), point)) / (2.0 * h)
        np.testing.assert_allclose(model.acceleration(q0, v, a, point), moved, atol=1e-6)
