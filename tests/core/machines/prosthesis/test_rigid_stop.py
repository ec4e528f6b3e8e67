"""The rigid stop: the first impact, bounces, rest and release."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.machines.machine import load_machine
from biomec.machines.prosthesis.impact_study import impact_swing
from biomec.machines.prosthesis.swing import SwingSettings

SETTINGS = SwingSettings(every=0.004, tolerance=1e-7)


@pytest.fixture(scope="module")
def impact():
    return impact_swing(load_machine("knee-prosthesis"), 0.15, SETTINGS)


def test_the_first_impact(impact):
    """An independent program took it at its first step after the touch, 0.1 ms late: 5e-4 of rates and of the mass."""
    time, hit = impact.impacts[0]
    assert time == pytest.approx(0.211147, abs=1e-6)
    assert hit.effective_mass == pytest.approx(8621.3, rel=1e-3)
    assert hit.impulse == pytest.approx(138.33, rel=1e-3)
    assert hit.gap_rate_before == pytest.approx(-0.01395, abs=1e-5)
    assert hit.gap_rate_after == pytest.approx(0.00209, abs=1e-5)
    after = np.rad2deg(hit.rates[2::3])
    np.testing.assert_allclose(after - np.rad2deg(hit.change[2::3]), [153.46, 200.22, 16.62, 224.52], atol=0.1)
    np.testing.assert_allclose(after, [-3.91, -10.92, 16.62, -14.57], atol=0.1)


def test_joints_and_driver_hold_through_the_impact(impact):
    _, hit = impact.impacts[0]
    model = impact.swing.moving.model
    at = np.argmin(np.abs(impact.swing.fine.time_s - impact.impacts[0][0]))
    J = model.jacobian(impact.swing.fine.q[at])
    np.testing.assert_allclose(J @ hit.change, 0.0, atol=1e-6)  # the fine grid ends within 1e-12 s of the impact
    taken = model.mass * hit.change + J.T @ hit.multipliers  # what is left is the push of the stop
    rows = impact.swing.moving.stops.rows(impact.swing.fine.q[at])[0]
    np.testing.assert_allclose(taken, hit.impulse * rows, atol=1e-5 * hit.impulse)


def test_each_impact_is_slower_until_the_knee_rests_and_is_released(impact):
    speeds = [-hit.gap_rate_before for _, hit in impact.impacts]
    assert speeds == sorted(speeds, reverse=True)
    kinds = [one.kind for one in impact.swing.events]
    assert kinds == ["impact"] * len(speeds) + ["rest", "release"]
    rest, release = (one.time_s for one in impact.swing.events[-2:])
    h = impact.swing.history
    inside = (h.time_s > rest) & (h.time_s < release)
    assert np.abs(h.gap[inside]).max() < 1e-12
    assert (h.force[inside] > 0.0).all()
    assert (h.force[~inside] == 0.0).all()
    assert (h.gap[~inside] > -1e-12).all()


def test_the_force_of_rest_vanishes_at_the_release(impact):
    fine = impact.swing.fine
    release = impact.swing.events[-1].time_s
    assert abs(fine.force[np.argmin(np.abs(fine.time_s - release)), 0]) < 1e-3 * fine.force.max()


def test_the_rigid_stop_and_the_soft_one_give_about_the_same_impulse(impact, sim2):
    """Both bring the same leg to rest against the same stop; they differ in when the push is given."""
    assert impact.impulse == pytest.approx(sim2.figures["contact_impulse_Ns"], rel=0.1)


def test_a_plastic_impact_rests_at_once():
    made = impact_swing(load_machine("knee-prosthesis"), 0.0, SwingSettings(every=0.01, tolerance=1e-6, duration=0.25))
    assert len(made.impacts) == 1
    assert [one.kind for one in made.swing.events] == ["impact", "rest"]


def test_machines_that_cannot_rest_on_a_stop_are_refused():
    with pytest.raises(BiomecError, match="between 0 and 1"):
        impact_swing(load_machine("knee-prosthesis"), 1.5, SETTINGS)
    with pytest.raises(BiomecError, match=r"no stop|no motion|degrees of freedom"):
        impact_swing(load_machine("four-bar"), 0.5, SETTINGS)
