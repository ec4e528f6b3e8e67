"""The studies kinematics, inverse, sharing, forward and drift as users ask them."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.machines.machine import load_machine, parse_machine
from biomec.machines.studies import study
from biomec.machines.study import options_from

LOCKING = {"L1": 0.9, "L2": 0.8, "L3": 0.4}
OPEN = {"L2": 0.2, "L3": 0.2}
PARALLELOGRAM = {"L1": 0.5, "L2": 1.0, "L3": 0.5, "L4": 1.0}


def ask(key, machine, progress=None, **options):
    asked = study(key)
    machine = load_machine(machine) if isinstance(machine, str) else machine
    assert asked.refusal(machine) is None
    return asked.run(machine, options_from(asked, options), progress)


def curve_of(run, group, name):
    (found,) = [one.values for one in run.curves if (one.group, one.name) == (group, name)]
    return found


# ---------------------------------------------------------------------- kinematics


def test_kinematics_of_the_four_bar():
    run = ask("kinematics", "four-bar", samples=37, compare_coordinates=True)
    assert run.succeeded
    assert run.figures["coordinates_difference_m"] < 1e-12
    assert run.figures["crank_angle_max_deg"] == pytest.approx(420.0)
    assert curve_of(run, "Angles", "coupler")[0] == pytest.approx(16.65377, abs=5e-6)
    assert curve_of(run, "Positions of joints", "C x")[0] == pytest.approx(1.3122486, abs=5e-8)
    assert curve_of(run, "Angular accelerations", "follower")[0] == pytest.approx(19.810559, abs=5e-7)
    np.testing.assert_allclose(run.poses["crank"][:, :2], 0.2, atol=1e-12)
    assert all(one.values.shape == run.time_s.shape for one in run.curves)


def test_kinematics_without_laws_turns_steadily():
    run = ask("kinematics", "slider-crank", samples=5, speed_deg_s=180.0)
    np.testing.assert_allclose(curve_of(run, "Angles", "crank"), np.linspace(90.0, 270.0, 5), atol=1e-9)
    compared = ask("kinematics", "slider-crank", samples=5, compare_coordinates=True)
    assert "not a four-bar linkage" in compared.notices[0]


def test_kinematics_in_space():
    run = ask("kinematics", "bennett", samples=25)
    assert run.succeeded
    assert run.figures["position_error_max_m"] < 1e-9
    x = run.poses["input"][:, :, 0]  # the input turns about the laboratory's y axis, a full turn
    np.testing.assert_allclose(x[:, 1], 0.0, atol=1e-9)
    np.testing.assert_allclose(x[0], x[-1], atol=1e-9)
    assert np.ptp(np.unwrap(np.arctan2(-x[:, 2], x[:, 0]))) == pytest.approx(2 * np.pi)
    speed = np.hypot(curve_of(run, "Velocities of centres of mass", "input x"),
                     curve_of(run, "Velocities of centres of mass", "input z"))  # fmt: skip
    np.testing.assert_allclose(speed, 0.15 * 2 * np.pi, rtol=1e-9)


def test_a_crank_that_locks_gives_the_motion_up_to_there():
    run = ask("kinematics", load_machine("four-bar", LOCKING))
    assert not run.succeeded
    assert 0 < len(run.time_s) < 101
    assert "at t = 0" in run.status
    assert len(run.poses["crank"]) == len(run.time_s)


def test_what_cannot_be_asked_is_told():
    cases = {
        ("kinematics", "double-pendulum"): "nothing in it is driven",
        ("inverse", "bennett"): "moves in space",
        ("sharing", "bennett"): "moves in space",
        ("sharing", "slider-crank"): "has no motors",
        ("inverse", "knee-prosthesis"): "leave 1 of its degrees of freedom free",
        ("drift", "bennett"): "moves in space",
    }
    for (key, name), words in cases.items():
        assert words in study(key).refusal(load_machine(name))
    for options in ({"samples": 1}, {"duration_s": -1.0}):
        with pytest.raises(BiomecError, match="positive duration and 2 to"):
            ask("kinematics", "four-bar", **options)


@pytest.mark.parametrize("key", ["kinematics", "inverse", "sharing", "forward", "drift"])
def test_impossible_geometry_is_a_status(key):
    run = ask(key, load_machine("four-bar", OPEN))
    assert not run.succeeded
    assert "cannot be joined" in run.status
    assert len(run.time_s) == 0


@pytest.mark.parametrize("key", ["kinematics", "inverse", "sharing", "forward", "drift"])
def test_a_parallelogram_in_line_is_a_status(key):
    run = ask(key, load_machine("four-bar", {**PARALLELOGRAM, "start": 0.0}))
    assert not run.succeeded
    assert "bars in line" in run.status
    assert not run.figures


@pytest.mark.parametrize("formulation", ["Baumgarte", "penalty"])
def test_a_parallelogram_in_line_is_a_status_of_every_formulation(formulation):
    run = ask("forward", load_machine("four-bar", {**PARALLELOGRAM, "start": 0.0}), formulation=formulation)
    assert not run.succeeded
    assert "bars in line" in run.status


@pytest.mark.parametrize("key", ["kinematics", "inverse", "sharing", "forward", "drift"])
def test_every_study_can_be_stopped(key):
    def stop(_):
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        ask(key, "four-bar", progress=stop)


# ---------------------------------------------------------------------- inverse


def test_headline_figures_of_inverse_dynamics():
    run = ask("inverse", "four-bar")
    assert run.figures["torque_max_Nm"] == pytest.approx(203.469, abs=5e-4)
    assert run.figures["torque_min_Nm"] == pytest.approx(-232.284, abs=5e-4)
    assert run.figures["torque_squared_integral"] == pytest.approx(10184.2, abs=0.5)
    assert abs(run.figures["work_J"]) < 1e-9
    assert run.figures["A_joint_force_max_N"] == pytest.approx(1010.0, abs=0.01)
    assert curve_of(run, "Driving torques", "crank angle")[0] == pytest.approx(79.6092, abs=5e-5)


def test_torque_of_a_parallelogram():
    run = ask("inverse", load_machine("four-bar", {**PARALLELOGRAM, "start": 60.0}))
    assert run.succeeded
    assert run.figures["torque_max_Nm"] == pytest.approx(95.04, abs=5e-3)


def test_forces_of_driven_lengths():
    text = load_machine("slider-crank").blueprint.text.replace(
        'type = "angle"\nname = "crank angle"\nstart = "ground.x"\nend = "crank.x"',
        'type = "length"\nname = "push"\nfirst = "ground.origin"\nsecond = "slider.B"',
    )
    text += '[[law]]\ndriver = "push"\ntype = "polynomial"\nunit = "m"\ncoefficients = [0.2, 0.1]\n'
    run = ask("inverse", parse_machine(text, "pushed.toml"), duration_s=0.5, samples=11)
    assert run.succeeded
    force = curve_of(run, "Driving forces", "push")
    # so slow that the force only carries the weight: F = dV/dx
    slow = ask("inverse", parse_machine(text.replace("0.2, 0.1]", "0.3, 0.0001]"), "slow.toml"), samples=3)
    crank = np.deg2rad(curve_of(slow, "Angles", "crank"))
    rod = np.deg2rad(curve_of(slow, "Angles", "rod"))
    # both centres of mass that move up or down are at half the height of A: V = g (m1 + m2) A_y / 2
    slope = np.cos(crank) / (-np.sin(crank) + np.cos(crank) * np.tan(rod))  # dA_y/dx of the slider, r cos φ / (dx/dφ)
    np.testing.assert_allclose(curve_of(slow, "Driving forces", "push"), 0.8 * 9.81 * slope, rtol=0, atol=1e-3)
    assert run.figures["push_force_max_N"] == pytest.approx(np.abs(force).max())


# ---------------------------------------------------------------------- sharing


def test_headline_figures_of_sharing():
    run = ask("sharing", "four-bar", motors="A, B, C", method="pointwise")
    assert run.figures["torque_squared_integral"] == pytest.approx(3831.8, abs=0.1)
    assert run.figures["A_max_Nm"] == pytest.approx(69.47, abs=0.01)
    assert run.figures["work_total_left_J"] == pytest.approx(3.15, abs=0.01)
    assert "pseudo-inverse" in run.text
    assert "41073.5" in run.text
    power = sum(curve_of(run, "Motor power", name) for name in "ABC")
    np.testing.assert_allclose(power, curve_of(run, "Driving torques without sharing", "crank angle") * 2 * np.pi,
                               atol=1e-8)  # fmt: skip


def test_weights_and_motors_of_sharing():
    weighted = ask("sharing", "four-bar", motors="A,B", method="pointwise", weights="1,50")
    plain = ask("sharing", "four-bar", motors="A,B", method="pointwise")
    assert weighted.figures["B_max_Nm"] < 0.2 * plain.figures["B_max_Nm"]
    assert ask("sharing", "four-bar").figures["torque_squared_integral"] == pytest.approx(16986.0, abs=5.0)
    legs, preset = load_machine("six-bar").with_preset("legs")
    assert ask(preset.analysis, legs, **preset.options).succeeded
    for wrong, words in (({"motors": "A,Z"}, "no motor Z"), ({"weights": "heavy"}, "numbers with commas"),
                        ({"method": "guess"}, "is not one of")):  # fmt: skip
        with pytest.raises(BiomecError, match=words):
            ask("sharing", "four-bar", **wrong)


def test_motors_that_cannot_do_it_are_a_status():
    text = load_machine("four-bar").blueprint.text + '[[motor]]\nname = "E"\nproximal = "ground"\ndistal = "coupler"\n'
    parallelogram = parse_machine(text, "mine.toml", {"L1": 0.5, "L2": 1.0, "L3": 0.5, "L4": 1.0, "start": 40.0})
    run = ask("sharing", parallelogram, motors="E", duration_s=0.1)
    assert not run.succeeded
    assert "E alone cannot make this motion" in run.status


@pytest.mark.parametrize(("motors", "weak"), [("A", False), ("B", False), ("C", True), ("D", True), ("A,B", False)])
def test_motors_that_lose_their_hold_between_two_instants_are_told(motors, weak):
    run = ask("sharing", load_machine("four-bar"), motors=motors, method="pointwise")
    assert run.succeeded
    assert any("almost no hold" in one for one in run.notices) == weak


ARM = """
name = "arm"
dimension = 2
body = [
  { name = "upper", points = { S = [0.0, 0.0], E = [0.3, 0.0] }, basis = ["S", "E"], mass = 2.0, centre_of_mass = [0.15, 0.0], inertia = 0.015 },
  { name = "fore", points = { E = [0.0, 0.0], H = [0.25, 0.0] }, basis = ["E", "H"], mass = 1.5, centre_of_mass = [0.12, 0.0], inertia = 0.008, position = [0.3, 0.0] },
]
joint = [
  { type = "revolute", name = "shoulder", proximal = "ground.origin", distal = "upper.S" },
  { type = "revolute", name = "elbow", proximal = "upper.E", distal = "fore.E" },
]
driver = [
  { type = "angle", name = "shoulder angle", start = "ground.x", end = "upper.x" },
  { type = "angle", name = "elbow angle", start = "upper.x", end = "fore.x" },
]
law = [
  { driver = "shoulder angle", type = "polynomial", coefficients = [-90.0, 10.0, 20.0] },
  { driver = "elbow angle", type = "sine", mean = 45.0, amplitude = 30.0, frequency_Hz = 0.7 },
]
motor = [
  { name = "S", proximal = "ground", distal = "upper" },
  { name = "E", proximal = "upper", distal = "fore" },
]
"""  # noqa: E501


def test_work_of_drivers_between_bodies_is_that_of_motors_in_their_place():
    arm = parse_machine(ARM, "arm.toml")
    driven, motored = ask("inverse", arm), ask("sharing", arm, method="pointwise")
    assert driven.figures["torque_squared_integral"] == pytest.approx(motored.figures["torque_squared_integral"])
    assert driven.figures["work_J"] == pytest.approx(motored.figures["work_total_J"], abs=1e-9)
    energy = next(one for one in driven.curves if one.group == "Energy").values
    # the work of everything but the weight is what the energy gains, to the square of the step: 1e-4 of it
    assert driven.figures["work_J"] == pytest.approx(energy[-1] - energy[0], rel=1e-3)


# ---------------------------------------------------------------------- presets


@pytest.mark.parametrize("name", load_machine("four-bar").blueprint.presets)
def test_presets_of_the_four_bar(name):
    expected = {
        "one-motor": ("torque_squared_integral", 10184.2, 0.5),
        "two-motors": ("torque_squared_integral", 32465.0, 5.0),
        "three-motors": ("torque_squared_integral", 41074.0, 5.0),
        "four-motors": ("torque_squared_integral", 16986.0, 5.0),
        "least-torque": ("torque_squared_integral", 4401.7, 0.1),
        "replay": ("crank_rate_off_max_deg_s", 2.76, 0.02),
        "let-go": ("energy_balance_J", 0.0, 1e-5),
        "drift": ("stabilised_positions_max_m", 0.0, 1e-8),
        "optimal-two-motors": ("cost", 4401.7, 0.5),  # the least torque at every instant, by another way
    }
    machine, preset = load_machine("four-bar").with_preset(name)
    run = ask(preset.analysis, machine, **preset.options)
    key, value, allowed = expected[name]
    assert run.succeeded
    assert run.figures[key] == pytest.approx(value, abs=allowed)


# ---------------------------------------------------------------------- forward


@pytest.fixture(scope="module")
def fallen():
    """The four-bar let go, by formulations of both kinds."""
    chosen = {"partitioned": "runge-kutta 8", "Baumgarte": "runge-kutta 5", "classic Lagrange": "runge-kutta 8",
              "augmented Lagrangian": "runge-kutta 8", "independent coordinates": "adams",
              "index 3": "generalised-alpha"}  # fmt: skip
    return {name: ask("forward", "four-bar", formulation=name, integrator=integrator, duration_s=0.2, samples=41,
                      step_s=0.002) for name, integrator in chosen.items()}  # fmt: skip


def test_all_formulations_give_one_motion(fallen):
    exact = fallen["partitioned"]
    assert abs(curve_of(exact, "Angular velocities", "crank")[-1]) > 50.0
    for name, run in fallen.items():
        assert run.succeeded, run.status
        for body in ("crank", "coupler", "follower"):
            # generalised-alpha has order 2 and steps of 2 ms
            allowed = 5e-3 if name == "index 3" else 1e-5
            np.testing.assert_allclose(curve_of(run, "Angles", body), curve_of(exact, "Angles", body), rtol=0,
                                       atol=allowed, err_msg=name)  # fmt: skip
        assert run.figures["energy_balance_J"] < (0.05 if name == "index 3" else 1e-4)
    assert exact.figures["position_error_max_m"] < 1e-12


def test_torques_found_for_a_motion_make_it(fallen):
    options = {"input": "inverse torques", "motors": "A", "duration_s": 0.25, "samples": 51}
    spline = ask("forward", "four-bar", interpolation="spline", **options)
    assert abs(spline.figures["crank_rate_off_max_deg_s"]) < 0.01
    linear = ask("forward", "four-bar", formulation="Baumgarte", integrator="runge-kutta 5", **options)
    assert 0.02 < linear.figures["crank_rate_off_max_deg_s"] < 0.99
    natural = ask("forward", "four-bar", formulation="stabilised Lagrange", interpolation="spline", **options)
    assert natural.figures["crank_rate_off_max_deg_s"] == pytest.approx(
        spline.figures["crank_rate_off_max_deg_s"], abs=1e-4)  # fmt: skip
    np.testing.assert_allclose(curve_of(spline, "Motor torques", "A")[0], 79.6092, atol=5e-5)


def test_laws_that_are_kept_and_stops():
    run = ask("forward", "knee-prosthesis", duration_s=0.1, samples=21)
    assert run.succeeded
    assert run.notices == ()  # stops are met
    left_out = ask("forward", "knee-prosthesis", duration_s=0.02, samples=5, formulation="Baumgarte")
    assert "Stops are left out" in left_out.notices[0]
    assert run.figures["energy_balance_J"] < 1e-3  # springs, damper and the driven thigh do work
    with pytest.raises(BiomecError, match="Choose partitioned or Baumgarte"):
        ask("forward", "knee-prosthesis", formulation="penalty")


def test_simulation_in_space():
    run = ask("forward", "bennett", start_rate_deg_s=200.0, duration_s=0.3, samples=31)
    assert run.succeeded
    assert run.poses["input"].shape == (31, 3, 4)
    assert run.figures["energy_balance_J"] < 1e-5
    assert np.abs(run.poses["input"][-1] - run.poses["input"][0]).max() > 0.3
    assert "take the place of partitioned" in run.notices[0]
    with pytest.raises(BiomecError, match="one plane only"):
        ask("forward", "bennett", input="inverse torques")


def test_the_start_of_the_file_or_a_rate():
    text = load_machine("four-bar").blueprint.text
    text += "[start]\nangles_deg = { crank = 100.0 }\nrates_deg_s = { crank = 90.0 }\n"
    run = ask("forward", parse_machine(text, "started.toml"), duration_s=0.05, samples=6)
    assert curve_of(run, "Angles", "crank")[0] == pytest.approx(100.0)
    assert curve_of(run, "Angular velocities", "crank")[0] == pytest.approx(90.0)
    pushed = ask("forward", "slider-crank", start_rate_deg_s=400.0, duration_s=0.05, samples=6)
    assert curve_of(pushed, "Angular velocities", "crank")[0] == pytest.approx(400.0)


def test_a_start_that_cannot_be_is_told():
    run = ask("forward", load_machine("four-bar", {"L2": 0.1}), duration_s=0.02, samples=3)
    assert "crank angle cannot be 60°" in run.notices[0]
    assert "begins at 39.4°" in run.notices[0]
    assert curve_of(run, "Angles", "crank")[0] == pytest.approx(39.4, abs=5e-3)
    moved = ask("forward", load_machine("four-bar", {**PARALLELOGRAM, "start": 70.0}), duration_s=0.02, samples=3)
    assert not moved.notices
    assert curve_of(moved, "Angles", "crank")[0] == pytest.approx(70.0, abs=1e-9)


def test_simulations_that_would_not_end_are_refused():
    for key, options in (
        ("forward", {"duration_s": 1e6}),
        ("forward", {"integrator": "runge-kutta 4", "step_s": 1e-12}),
        ("forward", {"formulation": "Baumgarte", "duration_s": 1e6}),
        ("drift", {"duration_s": 1e6}),
        ("drift", {"integrator": "runge-kutta 4", "step_s": 1e-12}),
    ):
        with pytest.raises(BiomecError, match="too many steps"):
            ask(key, "four-bar", **options)


def test_choices_that_exclude_each_other_are_told():
    for options, words in (
        ({"formulation": "partitioned", "integrator": "adams"}, "for natural coordinates"),
        ({"formulation": "index 3", "integrator": "radau"}, "not by radau"),
        ({"formulation": "penalty", "integrator": "gear", "step_s": 1e-9}, "too many steps"),
        ({"input": "inverse torques", "table_step_s": 5.0}, "not longer than the motion"),
    ):
        with pytest.raises(BiomecError, match=words):
            ask("forward", "four-bar", **options)
    with pytest.raises(BiomecError, match="has no motors"):
        ask("forward", "slider-crank", input="inverse torques")


# ---------------------------------------------------------------------- drift


def test_drift_with_and_without_stabilisation():
    run = ask("drift", "four-bar", duration_s=2.0, tolerance=1e-6, samples=21)
    assert run.succeeded
    assert run.figures["stabilised_positions_max_m"] < 2e-6
    assert run.figures["left_alone_positions_max_m"] > 3.0 * run.figures["stabilised_positions_max_m"]
    assert run.figures["stabilised_accelerations_max_m_s2"] < 1e-11
    assert curve_of(run, "Violation of constraints: positions", "left alone")[0] < 1e-14


def test_the_drift_of_a_machine_whose_law_is_kept_ends_with_the_law():
    """The thigh's quartic turns it by thousands of turns within the usual 4 s; minutes went by there."""
    run = ask("drift", "single-axis-knee", samples=21)
    assert run.succeeded
    assert run.time_s[-1] == pytest.approx(0.372)
    assert ask("drift", "four-bar", samples=5, tolerance=1e-3).time_s[-1] == 4.0
