"""The swing as published programs stepped it: what they printed, and how it depends on the step."""

import numpy as np
import pytest

from biomec.machines.prosthesis.curves import difference_text, differences, text_tables
from biomec.machines.prosthesis.published_steps import published_swing


@pytest.fixture(scope="module")
def listing(sim2):
    return published_swing(sim2.machine)


@pytest.fixture(scope="module")
def frozen(sim2):
    return published_swing(sim2.machine, short_cuts=False)


def test_the_listing_gives_the_printed_peak_impulse_and_duration(listing):
    """Printed: 12.497 kN, 222.58 N·s (called J), 0.084 s. An independent run of the listing: 12.70 kN, 222.14 N·s."""
    found = listing.figures
    assert found["contact_peak_N"] == pytest.approx(12497.0, rel=0.03)
    assert found["contact_peak_N"] == pytest.approx(12700.0, rel=1e-3)
    assert found["contact_impulse_Ns"] == pytest.approx(222.58, rel=0.01)
    assert found["contact_impulse_Ns"] == pytest.approx(222.14, rel=1e-3)
    assert found["contact_duration_s"] == pytest.approx(0.084)
    assert found["contact_onset_s"] == pytest.approx(0.208)
    assert (listing.history.force > 0.0).sum() == 21
    assert np.abs(listing.history.reaction(listing.moving, "D")[:, 1]).max() == pytest.approx(2125.0, rel=1e-3)


def test_proper_steps_with_a_frozen_force_give_the_printed_onset_and_joint_force(frozen):
    """Printed: 0.2120 s and 1738 N."""
    found = frozen.figures
    assert found["contact_onset_s"] == pytest.approx(0.2120)
    assert np.abs(frozen.history.reaction(frozen.moving, "D")[:, 1]).max() == pytest.approx(1738.0, rel=5e-3)
    assert found["contact_peak_N"] == pytest.approx(10172.0, rel=1e-3)
    assert found["contact_impulse_Ns"] == pytest.approx(195.19, rel=1e-3)
    assert found["contact_duration_s"] == pytest.approx(0.084)


def test_depths_in_simulation_1(sim1):
    assert published_swing(sim1.machine).figures["contact_depth_mm"] == pytest.approx(0.494, abs=6e-4)
    proper = published_swing(sim1.machine, short_cuts=False).figures
    assert proper["contact_depth_mm"] == pytest.approx(0.450, abs=6e-4)


@pytest.mark.parametrize(("step", "error"), [(0.004, 1.428), (0.002, 0.698)])
def test_stages_that_forget_the_other_coordinates_have_the_first_order(sim2, step, error):
    """Angle of the anterior link at 0.2 s [deg], before any contact."""
    exact = np.rad2deg(sim2.history.q[50, 11])
    made = published_swing(sim2.machine, step=step, duration=0.2, tight=True).history
    assert np.rad2deg(made.q[-1, 11]) - exact == pytest.approx(error, abs=6e-4)


def test_positions_of_the_listing_are_stored_one_step_late(listing):
    """Thigh angles differ by the step's motion at most, 0.9105 deg; its rates, which are prescribed, not at all."""
    late = listing.history.q[1:, 8] - listing.history.q[:-1, 8]
    assert np.rad2deg(np.abs(late).max()) == pytest.approx(0.9105, abs=2e-3)
    assert listing.history.time_s[-1] == pytest.approx(0.372)


def test_the_listing_differs_from_the_converged_swing(sim2, listing):
    found = {(one.name, one.unit): one for one in differences(sim2.moving, sim2.history, listing.history)}
    assert len(found) == 4 * 3 + 5 * 2 + 1
    assert found["thigh", "deg"].largest == pytest.approx(0.9105, abs=1e-3)
    assert found["thigh", "deg/s"].largest < 1e-9
    assert found["anterior link", "deg"].largest > 1.0
    assert found["contact", "N"].largest > 3000.0
    for one in found.values():
        assert 0.0 <= one.least <= one.mean <= one.largest
    assert "contact" in difference_text(tuple(found.values()))


def test_a_swing_does_not_differ_from_itself(sim2):
    assert all(one.largest == 0.0 for one in differences(sim2.moving, sim2.history, sim2.history))


def test_the_six_tables_have_their_published_shapes(sim2):
    tables = text_tables(sim2.moving, sim2.history)
    shapes = {name: np.loadtxt(text.splitlines(), ndmin=2).shape for name, text in tables.items()}
    assert shapes == {"tempo.txt": (1, 94), "pos.txt": (12, 94), "vel.txt": (12, 94), "acel.txt": (12, 94),
                      "F_reacao.txt": (10, 94), "F_cont.txt": (3, 94)}  # fmt: skip
    forces = np.loadtxt(tables["F_reacao.txt"].splitlines())
    np.testing.assert_allclose(forces[:, 0], [153.04, -2162.13, 25.91, -2169.69, 30.14, -2166.07, 904.04, 598.43,
                                              141.37, 34.79], atol=6e-3)  # fmt: skip
    contact = np.loadtxt(tables["F_cont.txt"].splitlines())
    np.testing.assert_allclose(np.hypot(contact[0], contact[1]), contact[2], atol=1e-8)
    np.testing.assert_allclose(contact[2], sim2.history.force[:, 0], atol=1e-8)
    assert "# row 1: shank x [m]" in tables["pos.txt"]
