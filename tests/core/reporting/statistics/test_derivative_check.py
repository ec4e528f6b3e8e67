"""Derivatives of constraints by differences in time: the error falls with the square of the step, and faults show."""

import numpy as np
import pytest

from biomec.engine.reference.spatial import bennett
from biomec.reporting.statistics.derivative_check import check_derivatives


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
