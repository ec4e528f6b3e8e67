"""Impact of rigid bodies: head-on spheres, a pendulum against a wall, what the joints take."""

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.engine.contact.impacts import rigid_impact


@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
def test_two_free_masses_collide_as_in_the_books(e):
    m1, m2, v1, v2 = 2.0, 3.0, 1.5, -0.5
    found = rigid_impact([m1, m2], np.zeros((0, 2)), [-1.0, 1.0], [v1, v2], e)  # the gap is x2 − x1
    total = m1 * v1 + m2 * v2
    np.testing.assert_allclose(
        found.rates, [(total - m2 * e * (v1 - v2)) / 5.0, (total + m1 * e * (v1 - v2)) / 5.0], atol=1e-14
    )
    assert found.effective_mass == pytest.approx(m1 * m2 / (m1 + m2))
    assert found.gap_rate_after == pytest.approx(-e * found.gap_rate_before)
    assert found.energy_lost == pytest.approx(0.5 * m1 * m2 / 5.0 * (1.0 - e**2) * (v1 - v2) ** 2)
    assert found.kinetic_change == pytest.approx(-found.energy_lost, abs=1e-14)  # nothing else moves


def test_a_rod_on_a_pin_that_is_struck_at_its_centre_of_percussion_leaves_the_pin_alone():
    """Rod of length L pinned at its end, vertical: struck at 2L/3 from the pin, the pin takes no impulse."""
    L, m = 1.2, 3.0
    J = np.array([[1.0, 0.0, -L / 2], [0.0, 1.0, 0.0]])  # pin L/2 above the centre of mass: ẋ − (L/2) ω = 0
    below = 2.0 * L / 3.0 - L / 2.0  # of the struck point under the centre of mass: its ẋ is ẋ + below ω
    w = -0.8
    rates = np.array([L / 2 * w, 0.0, w])
    found = rigid_impact([m, m, m * L**2 / 12.0], J, [1.0, 0.0, below], rates, 0.0)
    np.testing.assert_allclose(J @ found.rates, 0.0, atol=1e-14)
    assert found.multipliers[0] == pytest.approx(0.0, abs=1e-13)
    assert found.effective_mass == pytest.approx((m * L**2 / 3.0) / (2.0 * L / 3.0) ** 2)


def test_bodies_that_part_are_left_alone():
    found = rigid_impact([1.0], np.zeros((0, 1)), [1.0], [0.4], 0.5)
    assert found.impulse == 0.0
    assert found.rates[0] == 0.4


def test_what_cannot_be_is_refused():
    with pytest.raises(BiomecError, match="between 0 and 1"):
        rigid_impact([1.0], np.zeros((0, 1)), [1.0], [-1.0], 1.5)
    with pytest.raises(BiomecError, match="cannot change"):
        rigid_impact([1.0, 1.0], [[1.0, 0.0]], [1.0, 0.0], [0.0, 0.0], 0.5)
