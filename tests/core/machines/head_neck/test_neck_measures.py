"""Criteria of injury against closed forms and published risks."""

import numpy as np
import pytest

from biomec.machines.head_neck.measures import (
    CRITICAL_RAD_S,
    HIC_RISK,
    STRAIN_LIMITS,
    Measures,
    _combined,
    brain_injury_criterion,
    head_injury_criterion,
    risks_of_bric,
    risks_of_hic,
)


def test_hic_of_a_constant_acceleration_is_that_of_the_longest_window():
    """A^2.5 Δ: 50 g over 15 and 36 ms."""
    a = np.full(2001, 50.0)
    for window in (0.015, 0.036):
        found = head_injury_criterion(a, 5e-5, window)
        assert found.value == pytest.approx(50.0**2.5 * window, rel=1e-12)
        assert found.end_s - found.begin_s == pytest.approx(window)


def test_hic_of_a_triangle_is_its_closed_form():
    """0.2464 A^2.5 T; a free head of 4.69 kg under 16 kN within 0.7 ms: 389.3 in standard g, in 0.085 … 0.485 ms."""
    t = np.arange(0.0, 0.003, 1e-6)
    a = np.interp(t, [0.0, 2e-4, 7e-4], [0.0, 16e3 / 4.69 / 9.80665, 0.0])
    found = head_injury_criterion(a, 1e-6, 0.015)
    assert found.value == pytest.approx(389.3, abs=0.05)
    assert found.value == pytest.approx(0.2464 * (16e3 / 4.69 / 9.80665) ** 2.5 * 7e-4, rel=1e-3)
    assert (found.begin_s, found.end_s) == pytest.approx((0.085e-3, 0.485e-3), abs=2e-6)


def test_hic_is_the_greatest_of_all_windows():
    """The search passes over windows that cannot win; all pairs, one by one, find the same."""
    rng = np.random.default_rng(4)
    for _ in range(5):
        a = 80.0 * rng.random(120) ** 3
        v = np.concatenate([[0.0], np.cumsum(0.5 * 1e-3 * (a[1:] + a[:-1]))])
        best = max(
            (j - i) * 1e-3 * ((v[j] - v[i]) / ((j - i) * 1e-3)) ** 2.5
            for i in range(119) for j in range(i + 1, min(i + 15, 119) + 1)
        )  # fmt: skip
        assert head_injury_criterion(a, 1e-3, 0.015).value == pytest.approx(best, rel=1e-12)


def test_bric_and_the_risks():
    assert brain_injury_criterion(np.array([[66.25, 0, 0], [0, -56.45, 0], [0, 0, 42.87]])) == pytest.approx(np.sqrt(3))
    np.testing.assert_array_equal(CRITICAL_RAD_S, [66.25, 56.45, 42.87])
    of_hic = risks_of_hic(386.0)
    np.testing.assert_allclose(
        [of_hic[word] for word in ("minor", "moderate", "serious", "severe")], [0.61, 0.24, 0.078, 0.017], atol=0.005
    )
    assert risks_of_hic(700.0)["severe"] == pytest.approx(0.061, abs=5e-4)  # the source reads 5 % off its figure
    assert risks_of_hic(0.0)["minor"] == 0.0
    assert risks_of_bric(0.061)["minor"] == pytest.approx(0.136, abs=5e-4)
    assert risks_of_bric(0.061)["moderate"] == pytest.approx(0.0015, abs=5e-5)


@pytest.mark.parametrize("hic", [1e-320, 1e-9, 0.1, 0.28, 1e4, 1e9])
def test_risks_of_weak_and_strong_blows_do_not_overflow(hic):
    """exp(200/HIC) overflows below 0.28; the logarithm of the sum that is its closed form does not."""
    with np.errstate(over="raise"):
        found = list(risks_of_hic(np.float64(hic)).values())
    exact = [np.exp(-np.logaddexp(0.0, a + 200.0 / float(hic) - b * hic)) for a, b in HIC_RISK]
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-300)  # rounding of exponents up to 715


def test_combined_loads_take_the_intercept_of_their_sign():
    force, moment = np.array([6806.0, -6160.0, 3403.0, 0.0]), np.array([0.0, 310.0, -67.5, 31.0])
    found = _combined(force, moment, (6806.0, 6160.0), (310.0, 135.0), ("tension", "compression"))
    assert found["tension-extension"] == pytest.approx(1.0)  # ½ + ½, and a whole tension without a moment
    assert found["compression-flexion"] == pytest.approx(2.0)
    assert found["compression-extension"] == 0.0 or found["compression-extension"] == pytest.approx(0.0)


def test_measures_of_a_blow(neck, frontal_blow):
    found = Measures(frontal_blow)
    assert found.hic36.value >= found.hic15.value
    assert found.peak_g == pytest.approx(np.linalg.norm(frontal_blow.acceleration, axis=1).max() / 9.81)
    assert (
        np.abs(frontal_blow.angular_velocity[:, [0, 2]]).max() < 1e-9
    )  # a blow in the middle plane turns about y only
    assert [one.name for one in found.levels] == ["C7", "C6", "C5", "C4", "C3", "C2", "C1", "C0"]
    head = found.levels[-1]
    assert head.extension_deg == pytest.approx(-np.rad2deg((frontal_blow.z[:, 7, 4] - frontal_blow.z[0, 7, 4]).min()))
    assert head.limit_deg == 12.5
    ligaments = found.ligaments
    assert len(ligaments) == 82
    order = [one.passed_s for one in ligaments if np.isfinite(one.passed_s)]
    assert order == sorted(order)
    assert {one.limit for one in ligaments} >= set(STRAIN_LIMITS.values())
    assert set(found.peak_forces) == {
        *(f"disc {d.name}" for d in neck.discs), *(c.name for c in neck.contacts), *(m.name for m in neck.muscles)
    }  # fmt: skip


def test_nic_of_a_head_pushed_back_is_its_formula(frontal_blow):
    """T1 stands still: NIC = −0.2 a + v² with a, v of C1 forwards; v is the integral of a."""
    a, v = frontal_blow.c1_acceleration[:, 0], frontal_blow.c1_velocity[:, 0]
    np.testing.assert_allclose(Measures(frontal_blow).nic, -0.2 * a + v**2, rtol=1e-12)
    steps = np.diff(frontal_blow.time_s)
    np.testing.assert_allclose(np.cumsum(0.5 * (a[1:] + a[:-1]) * steps), v[1:], atol=0.02 * np.abs(v).max())
