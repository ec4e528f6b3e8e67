"""The swing of the knee prosthesis: converged figures of an independent program, convergence, energy, endings."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec.machines.machine import load_machine
from biomec.machines.prosthesis import integration
from biomec.machines.prosthesis.curves import leg_figures, peak_forces
from biomec.machines.prosthesis.history import spring_state
from biomec.machines.prosthesis.integration import integrate
from biomec.machines.prosthesis.reduced import reduced_motion
from biomec.machines.prosthesis.swing import SwingSettings, simulate_swing

SHARE = 1e-3  # agreement that is asked of converged figures; most were printed with four or five digits

SIM2 = {
    "contact_onset_s": 0.211147, "contact_peak_N": 8839.0, "contact_impulse_Ns": 196.14, "contact_duration_s": 0.0824,
    "contact_speed_m_s": 0.013951, "contact_depth_mm": 0.17908, "contact_depth_time_s": 0.2393, "force_end_s": 0.2935,
    "separation_s": 0.3315, "contact_work_J": 0.911, "drive_work_J": 1.119, "damper_work_J": -6.463,
    "drive_torque_max_Nm": 113.758, "drive_torque_min_Nm": -127.06, "drive_torque_min_time_s": 0.2214,
    "contact_peak_time_s": 0.2221,
}  # fmt: skip
SIM1 = {
    "contact_onset_s": 0.211147, "contact_peak_N": 3748.8, "contact_peak_time_s": 0.2385, "contact_depth_mm": 0.4472,
    "contact_depth_time_s": 0.2759, "contact_impulse_Ns": 157.44, "force_end_s": 0.2955, "separation_s": 0.3605,
}  # fmt: skip
# t; angles of bodies 1 to 4 [deg]; rates of 1 and 4 [deg/s]; gap and spring length [mm]; spring force [N]
TRAJECTORY = np.array([
    [0.00, -23.5758, -32.3894, -7.4948, -35.2380, 80.565, 0.0, 1.6251, 156.0690, -2865.63],
    [0.04, -15.8546, -25.2987, 1.3012, -28.2201, 261.050, 282.970, 1.7339, 155.7227, -447.81],
    [0.10, 0.9691, -6.2256, 14.1643, -8.8345, 276.735, 332.408, 1.3267, 156.9415, 571.07],
    [0.16, 15.9181, 11.7622, 22.9862, 9.8648, 215.962, 283.834, 0.6777, 158.5137, 1010.37],
    [0.20, 23.5705, 21.4459, 25.6584, 20.3127, 166.788, 237.916, 0.1544, 159.5162, 1132.40],
    [0.24, 27.0198, 26.0077, 25.8312, 25.4586, -23.485, -23.862, -0.1791, 160.0486, 81.56],
    [0.30, 23.4675, 22.2509, 22.9227, 21.5823, -81.963, -91.909, -0.1145, 159.9516, -87.68],
    [0.372, 15.6677, 12.5796, 20.2426, 11.0453, -124.335, -203.336, 0.4140, 159.0456, -1578.31],
])  # fmt: skip


@pytest.mark.parametrize("name", SIM2)
def test_figures_of_simulation_2(sim2, name):
    assert sim2.figures[name] == pytest.approx(SIM2[name], rel=SHARE)


@pytest.mark.parametrize("name", SIM1)
def test_figures_of_simulation_1(sim1, name):
    assert sim1.figures[name] == pytest.approx(SIM1[name], rel=SHARE)


def test_the_peak_force_of_pin_D_in_simulation_2(sim2):
    assert peak_forces(sim2)["force_D_y_peak_N"] == pytest.approx(1459.0, rel=SHARE)


def test_the_trajectory_of_simulation_2(sim2):
    """Last printed digits: 1e-4 deg, 1e-3 deg/s, 1e-4 mm, and 0.01 N of the spring, which takes 50 kN for 1 m/s."""
    h, moving = sim2.history, sim2.moving
    at = np.round(TRAJECTORY[:, 0] / 0.004).astype(int)
    np.testing.assert_allclose(h.time_s[at], TRAJECTORY[:, 0], atol=1e-12)
    np.testing.assert_allclose(np.rad2deg(h.q[at][:, 2::3]), TRAJECTORY[:, 1:5], atol=1.5e-4)
    np.testing.assert_allclose(np.rad2deg(h.qdot[at][:, [2, 11]]), TRAJECTORY[:, 5:7], atol=2e-3)
    np.testing.assert_allclose(1e3 * h.gap[at, 0], TRAJECTORY[:, 7], atol=6e-5)
    length, rate, _ = spring_state(moving, h, "shank.F", "posterior link.E")
    np.testing.assert_allclose(1e3 * length[at], TRAJECTORY[:, 8], atol=6e-5)
    np.testing.assert_allclose((250e3 * (length - 0.1597) + 50e3 * rate)[at], TRAJECTORY[:, 9], atol=0.05)


def test_flexion_and_foot_in_simulation_2(sim2):
    found = leg_figures(sim2)
    expected = {
        "flexion_start_deg": 16.081,
        "flexion_max_deg": 17.420,
        "flexion_max_time_s": 0.0254,
        "flexion_min_deg": -1.189,
        "flexion_min_time_s": 0.2394,
        "toe_height_min_m": -1.09526,
        "toe_height_min_time_s": 0.0336,
        "toe_height_max_m": -0.86402,
        "toe_height_max_time_s": 0.2316,
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=2e-3 if name.endswith("_s") else SHARE), name
    assert found["full_extension_s"] == pytest.approx(0.2154, abs=1e-4)


def test_the_energy_of_a_swing_is_explained(sim1, sim2):
    """5e-5 J was reached with constant steps of 0.2 ms."""
    for swing in (sim1, sim2):
        assert abs(swing.figures["energy_residual_J"]) < 1e-5


def test_nothing_drifts(sim2):
    model, h = sim2.moving.model, sim2.history
    assert np.abs(model.residual(h.q, h.time_s)).max() < 1e-13
    expected = model.rate_rhs(h.time_s)
    assert np.abs(np.einsum("tij,tj->ti", model.jacobian(h.q), h.qdot) - expected).max() < 1e-12
    np.testing.assert_allclose(h.q[:, 8], sim2.machine.prescriptions[0].law.value(h.time_s), atol=1e-13)


def test_figures_do_not_depend_on_how_densely_a_swing_is_shown(sim2):
    other = simulate_swing(sim2.machine, SwingSettings(every=0.03))
    assert other.figures == sim2.figures


def test_constant_steps_converge_with_the_fourth_order():
    """Errors of the anterior link at 0.2 s [deg], as an independent program found them."""
    machine = load_machine("knee-prosthesis")
    moving, q, qdot = reduced_motion(machine)

    def angle(**how):
        return np.rad2deg(integrate(moving, q, qdot, 0.2, **how).phases[-1].state(np.array([0.2]))[0, 0])

    exact = angle(tolerance=1e-12)
    assert angle(method="rk4", step=0.004) - exact == pytest.approx(-9.8e-6, rel=0.05)
    assert angle(method="rk4", step=0.002) - exact == pytest.approx(-5.8e-7, rel=0.05)


def test_constant_steps_find_the_touch_too(sim2):
    other = simulate_swing(sim2.machine, SwingSettings(method="rk4", step=0.002, every=0.02))
    for name in ("contact_onset_s", "contact_peak_N", "contact_impulse_Ns", "contact_duration_s"):
        assert other.figures[name] == pytest.approx(sim2.figures[name], rel=1e-3)


def test_the_touch_without_spring_damper(sim2):
    """Without spring and damper the knee swings freely to the stop."""
    free = simulate_swing(sim2.machine.with_values({"k": 0.0, "c": 0.0}), SwingSettings(every=0.02, tolerance=1e-6))
    assert free.figures["contact_onset_s"] == pytest.approx(0.250, abs=6e-4)
    assert free.figures["contact_peak_N"] == pytest.approx(30.7e3, rel=3e-3)


def test_the_penalty_law_in_simulation_1(sim1):
    found = simulate_swing(sim1.machine, SwingSettings(law="step", every=0.02, tolerance=1e-6)).figures
    assert found["contact_peak_N"] == pytest.approx(2017.0, rel=SHARE)
    assert found["contact_peak_time_s"] == pytest.approx(0.282, abs=5e-4)
    assert found["contact_depth_mm"] == pytest.approx(0.721, rel=SHARE)
    assert found["contact_impulse_Ns"] == pytest.approx(179.5, rel=SHARE)


def test_the_stiff_penalty_law_of_simulation_2_ends_and_is_balanced(sim2):
    """Damping of 1e9 N·s/m stops the knee within a millisecond: explicit steps chatter at 150 kN, stiff ones do not."""
    swing = simulate_swing(sim2.machine, SwingSettings(law="step", every=0.02, tolerance=1e-6))
    assert swing.completed
    assert swing.figures["contact_touches"] == 1.0
    assert 100e3 < swing.figures["contact_peak_N"] < 200e3
    assert abs(swing.figures["energy_residual_J"]) < 1e-5


def test_steps_too_coarse_for_a_contact_are_told(sim2):
    swing = simulate_swing(sim2.machine, SwingSettings(law="step", method="rk4", step=0.004, every=0.02))
    assert not swing.completed
    assert "out of balance" in swing.status


def test_a_contact_that_bounces_too_fast_ends_in_a_clear_status(sim2, monkeypatch):
    """An elastic stop against which a strong actuator pushes opens and closes again and again."""
    monkeypatch.setattr(integration, "MOST_TOUCHES", 4)
    monkeypatch.setattr(integration, "TOUCHES_A_SECOND", 0)
    bouncing = sim2.machine.with_values({"fa": -3e4, "c": 0.0, "K": 1e11})
    swing = simulate_swing(bouncing, SwingSettings(law="hertz", every=0.02, tolerance=1e-5))
    assert not swing.completed
    assert "bounces too fast to be followed (5 touches" in swing.status
    assert swing.history.time_s[-1] < 0.372


def test_a_run_of_too_many_steps_ends(sim2, monkeypatch):
    monkeypatch.setattr(integration, "MOST_STEPS", 20)
    monkeypatch.setattr(integration, "STEPS_A_SECOND", 0)
    swing = simulate_swing(sim2.machine, SwingSettings(every=0.02))
    assert "too stiff" in swing.status
    assert not swing.completed


def test_a_knee_that_starts_in_its_stop_is_pushed_out(sim2):
    settings = SwingSettings(law="hertz", every=0.004, duration=0.02)
    swing = simulate_swing(sim2.machine.with_values({"stop_radius": 4.9}), settings)
    assert swing.events[0].time_s == 0.0
    assert swing.history.force[0, 0] > 0.0


def test_a_geometry_that_cannot_be_joined_is_refused():
    """320 mm between the pins of the thigh cannot be bridged by links of 249 mm together."""
    with pytest.raises(BiomecError, match=r"cannot be joined|moves on"):
        simulate_swing(load_machine("knee-prosthesis", {"xA": -100.0, "yA": -100.0, "xB": 100.0, "yB": -350.0}))


def test_a_swing_can_be_cancelled(sim2):
    def stop(fraction):
        if fraction > 0.1:
            raise Cancelled("enough")

    with pytest.raises(Cancelled):
        simulate_swing(sim2.machine, SwingSettings(), stop)


def test_progress_rises_to_one(sim2):
    seen = []
    simulate_swing(sim2.machine, SwingSettings(duration=0.05), seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.parametrize("wrong", [{"every": 0.0}, {"method": "euler"}, {"duration": -1.0}, {"tolerance": 0.0}])
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(BiomecError):
        SwingSettings(**wrong)


def test_the_single_axis_knee_meets_its_stop_where_it_should():
    swing = simulate_swing(load_machine("single-axis-knee"), SwingSettings(every=0.004))
    assert swing.completed
    onset = swing.figures["contact_onset_s"]
    at = np.argmin(np.abs(swing.fine.time_s - onset))
    flexion = np.rad2deg(swing.fine.q[at, 5] - swing.fine.q[at, 2])
    assert flexion == pytest.approx(0.585, abs=1e-3)
    assert abs(swing.figures["energy_residual_J"]) < 1e-3
