"""Violation by type: means over valid frames only."""

import numpy as np
import pytest

from biomec.engine.reference.spatial import bennett
from biomec.reporting.statistics.constraint_checks import check_derivatives, violations


def test_the_mean_is_over_valid_frames_and_leaves_out_what_is_not_a_number():
    valid = np.array([True, True, False, True])
    before = {"spherical": np.array([1.0, 3.0, 1000.0, np.nan]), "rigid": np.array([np.nan, np.nan, 1.0, np.nan])}
    after = {"spherical": np.array([0.1, 0.3, 1000.0, 0.5]), "rigid": np.zeros(4)}
    spherical, rigid = violations(before, after, valid)
    assert (spherical.kind, spherical.before) == ("spherical", 2.0)
    np.testing.assert_allclose(spherical.after, 0.3)
    assert np.isnan(rigid.before)
    assert rigid.after == 0.0


@pytest.fixture(scope="module")
def system():
    return bennett()


def motion(system, rate, seconds=1.0):
    """A smooth motion that obeys no constraint, of known, bounded derivatives."""
    time = np.arange(round(seconds * rate) + 1) / rate
    rng = np.random.default_rng(5)
    amplitude, phase = rng.uniform(0.05, 0.2, system.n), rng.uniform(0.0, 6.0, system.n)
    return system.reference + amplitude * np.sin(2.0 * np.pi * time[:, None] + phase)


def test_the_error_is_of_the_second_order_of_the_step(system):
    coarse, fine = (check_derivatives(system, motion(system, rate), rate) for rate in (100.0, 200.0))
    inside = slice(20, -20)
    for one in ("first_error", "second_error"):
        ratio = np.median(getattr(coarse, one)[inside]) / np.median(getattr(fine, one)[2 * 20 : -2 * 20])
        assert ratio == pytest.approx(4.0, rel=0.1)  # h against h/2
    assert np.median(coarse.first_error[inside]) < 0.02 * np.median(coarse.first[inside])


def test_a_wrong_jacobian_is_seen(system):
    class Wrong:
        def __getattr__(self, name):
            return getattr(system, name)

        def jacobian(self, q):
            dense = system.jacobian(q)
            dense[..., 0, :] *= 1.05
            return dense

    right, wrong = (check_derivatives(one, motion(system, 200.0), 200.0) for one in (system, Wrong()))
    assert np.median(wrong.first_error) > 5.0 * np.median(right.first_error)
