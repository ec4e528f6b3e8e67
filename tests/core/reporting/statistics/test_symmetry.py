"""Measures of symmetry against what they are defined by, and against each other."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomec.reporting.statistics.symmetry import difference, log_ratio, ratio, symmetry_angle, symmetry_index

POSITIVE = st.floats(1e-3, 1e3)
ANY = st.floats(-1e3, 1e3)


def test_published_examples():
    # a 10 % longer right side: index 2/21, angle 45° − arctan(1/1.1)
    assert symmetry_index(1.1, 1.0) == pytest.approx(100 * 0.1 / 1.05)
    assert symmetry_angle(1.1, 1.0) == pytest.approx(100 * (45 - math.degrees(math.atan(1 / 1.1))) / 90)
    assert log_ratio(1.1, 1.0) == pytest.approx(9.531018)
    assert (ratio(1.1, 1.0), ratio(1.0, 1.1)) == pytest.approx((1.1, 1.1))
    assert difference(12.0, 15.0) == -3.0


@given(POSITIVE, POSITIVE, POSITIVE)
def test_log_ratios_add_up_and_change_sign_with_the_sides(a, b, c):
    assert log_ratio(a, b) == pytest.approx(-log_ratio(b, a), abs=1e-9)
    assert log_ratio(a, b) + log_ratio(b, c) == pytest.approx(log_ratio(a, c), abs=1e-9)


@given(ANY, ANY)
def test_the_symmetry_angle_is_bounded(right, left):
    if right or left:
        assert -100.0 <= symmetry_angle(right, left) <= 100.0


@given(POSITIVE)
def test_equal_sides_are_symmetric_and_opposite_ones_are_not(x):
    assert symmetry_angle(x, x) == pytest.approx(0.0, abs=1e-9)
    assert symmetry_index(x, x) == log_ratio(x, x) == 0.0
    assert abs(symmetry_angle(x, -x)) == pytest.approx(100.0)


def test_small_differences_agree_in_all_measures():
    """For R = L (1 + e): index and log ratio are 100 e, the angle 100 e / π."""
    e = 1e-4
    assert symmetry_index(1 + e, 1.0) == pytest.approx(100 * e, rel=1e-3)
    assert log_ratio(1 + e, 1.0) == pytest.approx(100 * e, rel=1e-3)
    assert symmetry_angle(1 + e, 1.0) == pytest.approx(100 * e / math.pi, rel=1e-3)


def test_beyond_a_right_angle_180_degrees_are_taken_off():
    # L / R = −2: 45° + 63.43° = 108.43° -> −71.57°
    assert symmetry_angle(1.0, -2.0) == pytest.approx(100 * (45 + math.degrees(math.atan(2)) - 180) / 90)


def test_what_has_no_ratio_has_no_number():
    for wrong in (log_ratio(0.0, 1.0), log_ratio(-1.0, 1.0), ratio(1.0, 0.0), symmetry_index(1.0, -1.0)):
        assert math.isnan(wrong)
    assert math.isnan(symmetry_angle(0.0, 0.0))
    assert symmetry_angle(0.0, 2.0) == pytest.approx(-50.0)
