"""The four-bar linkage with one to four motors against published and independently computed figures ([Silva2007]).

Published torques are cut after the last printed digit, not rounded, so they agree to one unit there.
"""

from itertools import combinations

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.machines.closed_chain.four_bar import KINDS, four_bar_of, places_by_kind
from biomec.machines.closed_chain.inverse import inverse_dynamics
from biomec.machines.closed_chain.replay import drift, replay, whole_torques
from biomec.machines.closed_chain.sharing import comparison_table, shared
from biomec.machines.laws import Polynomial
from biomec.machines.machine import load_machine, parse_machine
from biomec.machines.reference_points import reference_point_model
from biomec.machines.reference_points.integration import IntegrationOptions, torque_table
from biomec.machines.reference_points.stabilised import constraint_errors, simulate_stabilised
from tests.oracles.link_newton_euler import Link, from_the_end
from tests.oracles.saddle_rank import saddle_rank

CYCLE = np.array([  # t, angles [deg], rates of bars 2 and 3 [rad/s], accelerations [rad/s²], torque of the crank [N m]
    [0.0, 60, 16.654, 260.772, -1.3760, 3.4240, 13.576, 19.811, 79.609],
    [0.1, 96, 11.640, 284.121, -0.4935, 4.4705, 6.164, 3.953, -4.059],
    [0.2, 132, 10.551, 309.982, 0.1411, 4.3960, 7.898, -5.960, -79.851],
    [0.3, 168, 14.497, 331.942, 1.4277, 2.9607, 18.863, -23.893, -128.178],
    [0.4, 204, 28.224, 341.487, 3.2392, 0.4539, 12.106, -19.899, -61.422],
    [0.5, 240, 48.727, 339.652, 3.6842, -0.9393, -1.988, -10.586, -3.681],
    [0.6, 276, 68.159, 331.115, 2.8852, -2.1119, -15.106, -14.892, 57.881],
    [0.7, 312, 78.132, 313.330, 0.0987, -4.4144, -45.154, -33.779, 167.318],
    [0.8, 348, 62.404, 277.719, -5.6844, -7.4780, -42.429, 6.048, -36.050],
    [0.9, 384, 30.519, 250.637, -3.9384, -0.7907, 41.024, 73.687, 37.806],
    [1.0, 420, 16.654, 260.772, -1.3760, 3.4240, 13.576, 19.811, 79.609],
])  # fmt: skip

PSEUDO_INVERSE = {  # motors: (largest and smallest torque of each [N m]), ∫Σu²
    "A": ([(203.47, -232.28)], 10184.2),
    "AB": ([(431.66, -78.53), (289.66, -173.72)], 32465.0),
    "ABC": ([(342.72, -131.24), (288.13, -174.94), (257.69, -108.15)], 41074.0),
    "ABCD": ([(156.76, -73.94), (77.87, -90.67), (49.37, -37.91), (249.93, -105.39)], 16986.0),
}
LEFT_WORK = {
    "AB": ([355.2, -342.3], 12.9),
    "ABC": ([-72.7, -147.5, 241.0], 20.9),
    "ABCD": ([-29.9, -11.5, 37.6, 27.1], 23.3),
}
POINTWISE = {"A": 10184.2, "B": 10509.9, "AB": 4401.7, "AC": 8180.2, "BC": 7561.6, "AD": 6925.4, "BD": 7985.8,
             "CD": 20060.4, "ABC": 3831.8, "ABD": 3759.4, "ACD": 5817.6, "BCD": 6081.9, "ABCD": 3335.3}  # fmt: skip


@pytest.fixture(scope="module")
def turn():
    """One turn in 101 samples."""
    return inverse_dynamics(reference_point_model(load_machine("four-bar")), np.linspace(0.0, 1.0, 101))


def test_kinematics_and_torque_through_the_cycle(turn):
    rows = turn.q[::10], turn.qdot[::10], turn.qddot[::10]
    np.testing.assert_allclose(np.rad2deg(rows[0][:, 2::3]), CYCLE[:, 1:4], rtol=0, atol=6e-4)
    np.testing.assert_allclose(rows[1][:, [5, 8]], CYCLE[:, 4:6], rtol=0, atol=6e-5)
    np.testing.assert_allclose(rows[2][:, [5, 8]], CYCLE[:, 6:8], rtol=0, atol=6e-4)
    np.testing.assert_allclose(turn.driving["crank angle"][::10], CYCLE[:, 8], rtol=0, atol=6e-4)
    for error in (turn.position_error, turn.rate_error):
        assert error.max() < 1e-14
    assert turn.acceleration_error.max() < 1e-13  # terms of 300 m/s² cannot cancel better than to 5e-14


def test_the_start_to_six_digits(turn):
    np.testing.assert_allclose(turn.q[0, 2::3], [np.pi / 3, 0.29066315, 4.55133849], rtol=0, atol=1e-8)
    np.testing.assert_allclose(turn.qdot[0, 2::3], [2 * np.pi, -1.37600254, 3.42400631], rtol=0, atol=1e-8)
    np.testing.assert_allclose(turn.qddot[0, [5, 8]], [13.576419, 19.810559], rtol=0, atol=1e-6)
    found = [232.5189, 51.9737, -199.9985, -60.2947, -56.3539, -40.9403, 11.6889, -103.2658, -79.6092]
    np.testing.assert_allclose(turn.multipliers[0], found, rtol=0, atol=6e-5)


def test_torque_of_one_motor(turn):
    torque = turn.driving["crank angle"]
    assert torque.max() == pytest.approx(203.469, abs=5e-4)
    assert torque.min() == pytest.approx(-232.284, abs=5e-4)
    assert (turn.time_s[torque.argmax()], turn.time_s[torque.argmin()]) == (0.74, 0.84)
    assert turn.squared_integral == pytest.approx(10184.2, abs=0.5)
    assert np.abs(turn.constraint_forces[:, 2]).max() < 1e-9  # uniform crank speed: nothing is left for the crank
    np.testing.assert_allclose(turn.constraint_forces, turn.required, rtol=0, atol=1e-9)


def test_peaks_of_joint_forces_on_a_fine_grid():
    fine = inverse_dynamics(reference_point_model(load_machine("four-bar")), np.linspace(0.7, 0.95, 251))
    peaks = [np.linalg.norm(fine.joint_forces[name], axis=1).max() for name in "ABCD"]
    np.testing.assert_allclose(peaks, [1012.9, 981.9, 724.8, 748.6], rtol=0, atol=0.1)
    torque = fine.driving["crank angle"]
    assert (torque.max(), torque.min()) == (pytest.approx(203.473, abs=0.02), pytest.approx(-232.767, abs=0.02))


def test_energy_returns(turn):
    model = turn.model
    energy = model.kinetic_energy(turn.qdot) + model.potential_energy(turn.q)
    assert energy[[0, -1]] == pytest.approx(224.9309, abs=5e-5)


@pytest.mark.parametrize("motors", PSEUDO_INVERSE)
def test_pseudo_inverse(turn, motors):
    extremes, cost = PSEUDO_INVERSE[motors]
    found = shared(turn, motors)
    np.testing.assert_allclose(found.torques.max(axis=0), [high for high, _ in extremes], rtol=0, atol=0.01)
    np.testing.assert_allclose(found.torques.min(axis=0), [low for _, low in extremes], rtol=0, atol=0.01)
    assert found.cost == pytest.approx(cost, abs=5.0)
    J, T = turn.model.with_drivers([]).jacobian(turn.q), turn.model.transmission[:, : len(motors)]
    made = found.torques @ T.T - np.einsum("tij,ti->tj", J, found.multipliers)
    np.testing.assert_allclose(made, turn.required, rtol=0, atol=1e-9)


def test_samples_of_the_pseudo_inverse(turn):
    samples = {"AB": ([123.63, 36.11], [408.54, 227.89]),
               "ABC": ([106.86, 64.11, 66.62], [320.65, 242.43, 222.66]),
               "ABCD": ([55.00, 14.19, 3.21, 72.41], [151.91, 57.35, 14.73, 223.99])}  # fmt: skip
    for motors, expected in samples.items():
        np.testing.assert_allclose(shared(turn, motors).torques[[0, 90]], expected, rtol=0, atol=6e-3)


@pytest.mark.parametrize("motors", LEFT_WORK)
def test_work_by_left_sums_is_the_published_one_and_vanishes_by_trapezoids(turn, motors):
    works, total = LEFT_WORK[motors]
    found = shared(turn, motors)
    np.testing.assert_allclose(found.works_left, works, rtol=0, atol=0.1)
    assert found.works_left.sum() == pytest.approx(total, abs=0.1)
    assert abs(found.works.sum()) < 0.3
    fine = inverse_dynamics(turn.model, np.linspace(0.0, 1.0, 201))
    ratio = found.works.sum() / shared(fine, motors).works.sum()
    assert ratio == pytest.approx(4.0, rel=0.05)  # the error falls with the square of the step


def test_one_motor_does_no_work_in_a_cycle(turn):
    found = shared(turn, "A")
    assert abs(found.works_left.sum()) < 1e-10
    assert abs(found.works.sum()) < 1e-10


@pytest.mark.parametrize("motors", POINTWISE)
def test_least_torque_at_every_instant(turn, motors):
    assert shared(turn, motors, "pointwise").cost == pytest.approx(POINTWISE[motors], rel=3e-5)


def test_least_torque_is_the_closed_form_of_one_degree_of_freedom(turn):
    w = turn.qdot[:, 2::3] / (2 * np.pi)
    a = np.column_stack([np.ones(101), w[:, 1] - 1, w[:, 2] - w[:, 1], w[:, 2]])
    torque = turn.driving["crank angle"]
    for motors in ("AB", "ACD", "ABCD"):
        part = a[:, ["ABCD".index(one) for one in motors]]
        expected = part * (torque / (part**2).sum(axis=1))[:, None]
        np.testing.assert_allclose(shared(turn, motors, "pointwise").torques, expected, rtol=0, atol=1e-9)
    samples = shared(turn, "ABC", "pointwise").torques[[0, 70]]
    np.testing.assert_allclose(samples, [[25.93, -31.61, 19.81], [67.34, -66.28, -48.37]], rtol=0, atol=6e-3)


def test_least_torque_at_other_gravities():
    for g, expected in ((0.0, (5846.2, 1809.4, 1631.8, 1400.6)), (4.0, (7091.5, 2596.4, 2294.3, 1982.3))):
        model = reference_point_model(load_machine("four-bar", {"g": g}))
        solution = inverse_dynamics(model, np.linspace(0.0, 1.0, 101))
        found = [shared(solution, motors, "pointwise").cost for motors in ("A", "AB", "ABC", "ABCD")]
        np.testing.assert_allclose(found, expected, rtol=2e-4)


def test_no_sharing_is_cheaper_than_the_pointwise_one_and_each_has_what_it_promises(turn):
    for k in (2, 3, 4):
        for motors in combinations("ABCD", k):
            least, peak = shared(turn, motors, "pointwise"), shared(turn, motors, "smallest peak")
            assert least.cost <= min(shared(turn, motors).cost, peak.cost) + 1e-9
            assert (np.abs(peak.torques).max(axis=1) <= np.abs(least.torques).max(axis=1) + 1e-9).all()


def test_weights_lead_from_the_pseudo_inverse_to_the_least_torque(turn):
    least = shared(turn, "ABCD", "pointwise", motor_weights=[1.0, 2.0, 3.0, 4.0])
    near = shared(turn, "ABCD", motor_weights=[1.0, 2.0, 3.0, 4.0], force_weight=1e-10)
    np.testing.assert_allclose(near.torques, least.torques, rtol=0, atol=1e-3)
    spared = shared(turn, "AB", "pointwise", motor_weights=[1.0, 100.0])
    assert np.abs(spared.torques[:, 1]).max() < np.abs(shared(turn, "AB", "pointwise").torques[:, 1]).max()


def test_what_cannot_be_shared_is_refused(turn):
    for motors, method, weights, words in (
        ("AX", "pointwise", 1.0, "there is no motor X"),
        ("", "pointwise", 1.0, "name each motor once"),
        ("AA", "pointwise", 1.0, "name each motor once"),
        ("A", "magic", 1.0, "not magic"),
        ("AB", "pointwise", [1.0, 2.0, 3.0], "one weight or 2"),
        ("AB", "pointwise", [1.0, 0.0], "positive"),
    ):
        with pytest.raises(BiomecError, match=words):
            shared(turn, motors, method, weights)


def test_a_motor_without_a_hold_is_told():
    text = load_machine("four-bar").blueprint.text + '[[motor]]\nname = "E"\nproximal = "ground"\ndistal = "coupler"\n'
    parallelogram = parse_machine(text, "mine.toml", {"L1": 0.5, "L2": 1.0, "L3": 0.5, "L4": 1.0, "start": 40.0})
    solution = inverse_dynamics(reference_point_model(parallelogram), np.linspace(0.0, 0.1, 5))
    with pytest.raises(BiomecError, match="motors E alone cannot make this motion"):  # its coupler never turns
        shared(solution, "E", "pointwise")
    assert np.isfinite(shared(solution, "AE", "pointwise").torques).all()


def test_five_kinds_of_coordinates_put_the_joints_at_the_same_places(turn):
    linkage = four_bar_of(turn.model, "crank")
    found = places_by_kind(linkage, turn.model, turn.q)
    assert tuple(found) == KINDS
    for kind in KINDS:
        np.testing.assert_allclose(found[kind], found["cartesian"], rtol=0, atol=1e-12, err_msg=kind)
    np.testing.assert_allclose(found["relative"][0, 1] - 0.2, [1.1122486, 0.6909416], rtol=0, atol=6e-8)
    with pytest.raises(BiomecError, match="not a four-bar linkage"):
        four_bar_of(reference_point_model(load_machine("slider-crank")), "crank")


def test_a_second_driver_makes_the_equations_singular(turn):
    one = saddle_rank(turn.model, turn.q[0])
    two = saddle_rank(turn.model.with_angle_driver("coupler", Polynomial((0.2907, -1.376))), turn.q[0])
    assert (one.rank, one.size, one.solvable) == (18, 18, True)
    assert (two.rank, two.size, two.solvable) == (18, 19, False)


DRIFT = {"A": (0.98, -0.81), "AB": (0.79, -0.63), "ABC": (1.39, -0.43), "ABCD": (2.76, -0.34)}


@pytest.mark.parametrize("motors", DRIFT)
def test_straight_lines_between_torques_are_why_a_replay_drifts(turn, motors):
    found = shared(turn, motors)
    free = turn.model.with_drivers([])
    options = IntegrationOptions("runge-kutta 5", rtol=1e-8, atol=1e-9, keep_steps=True)
    off = {}
    for interpolation in ("linear", "spline"):
        table = torque_table(turn.time_s, whole_torques(free, found), interpolation)
        motion = simulate_stabilised(free, turn.q[0], turn.qdot[0], [0.0, 1.0], torques=table, options=options)
        off[interpolation] = np.rad2deg(motion.qdot[:, 2]) - 360.0
        if (motors, interpolation) == ("A", "linear"):
            assert constraint_errors(motion)[1].max() < 1e-8
    assert (off["linear"].max(), off["linear"].min()) == tuple(pytest.approx(x, abs=0.02) for x in DRIFT[motors])
    assert np.abs(off["spline"]).max() < 0.01


def test_without_stabilisation_the_replay_drifts_as_much(turn):
    kept = replay(turn, shared(turn, "A"), alpha=0.0, beta=0.0)
    assert np.rad2deg(kept.rate_off[:, 0]).max() == pytest.approx(0.97, abs=0.03)
    assert np.rad2deg(np.abs(kept.angle_off[:, 0]).max()) == pytest.approx(0.051, abs=0.002)


def test_constraints_drift_without_stabilisation_only(turn):
    free = turn.model.with_drivers([])
    coarse = IntegrationOptions("runge-kutta 5", rtol=1e-6, atol=1e-7)
    held = drift(free, turn.q[0], turn.qdot[0], 4.0, options=coarse)
    left = drift(free, turn.q[0], turn.qdot[0], 4.0, alpha=0.0, beta=0.0, options=coarse)
    assert held.position.max() < 1e-6
    assert left.position.max() > 10.0 * held.position.max()
    quarters = [part.max() for part in np.array_split(left.position, 4)]
    assert quarters == sorted(quarters)
    for one in (held, left):
        assert one.acceleration.max() < 1e-11


def test_angles_and_rates_at_published_times(turn):
    early, late = (int(np.abs(turn.time_s - t).argmin()) for t in (0.1, 1.0))
    np.testing.assert_allclose(np.rad2deg(turn.q[early, 2::3]), CYCLE[1, 1:4], atol=6e-4)
    np.testing.assert_allclose(turn.qdot[late, [5, 8]], CYCLE[10, 4:6], atol=6e-5)


def test_from_the_measured_end_inward(turn):
    """The force at D recovers the torque of the crank, and none at B and C."""
    links = [Link("crank", "A", "B"), Link("coupler", "B", "C"), Link("follower", "C", "D")]
    loads = from_the_end(turn.model, links, turn.q, turn.qdot, turn.qddot, turn.joint_forces["D"])
    np.testing.assert_allclose(loads[0].torque, turn.driving["crank angle"], rtol=0, atol=1e-9)
    for load in loads[1:]:
        np.testing.assert_allclose(load.torque, 0.0, atol=1e-9)
    for load, pin in zip(loads, "ABC", strict=True):
        np.testing.assert_allclose(load.force, turn.joint_forces[pin], rtol=0, atol=1e-9)
    with pytest.raises(BiomecError, match="at least one link"):
        from_the_end(turn.model, [], turn.q, turn.qdot, turn.qddot, [0.0, 0.0])


def test_methods_side_by_side(turn):
    table = comparison_table([shared(turn, "AB"), shared(turn, "ABC", "pointwise")])
    assert "32465.0" in table
    assert "431.66" in table
    assert "3831.8" in table
    assert table.splitlines()[1].count("–") == 2
