"""Plates in parts of the body weight."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.base.physics import GRAVITY
from biomec.recording import ForcePlate
from biomec.reporting.statistics.cycle_statistics import plate_cycle

UP = np.array([0.0, 1.0, 0.0])


def plate(force, moment=(0.0, 0.0, 0.0), samples=1001):
    return ForcePlate("P", np.tile(force, (samples, 1)), np.tile(moment, (samples, 1)), 1000.0, np.zeros(3), UP)


def test_the_whole_weight_of_a_person_is_100_percent():
    weight = 70.0 * GRAVITY
    found = plate_cycle(plate([0.0, weight, 0.0]), plate([0.0, 0.5 * weight, 0.0], [weight, 0.0, 0.0]), 70.0, 0.0, 1.0)
    assert_allclose(found.raw[:, 1], 100.0)
    assert_allclose(found.filtered[:, 1], 50.0)
    assert_allclose(found.filtered[:, 3], 100.0)  # % of body weight × 1 m
    assert_allclose(found.weight_n, 686.7)


def test_only_the_samples_of_the_cycle_are_there_both_ends_included():
    found = plate_cycle(plate([1.0, 2.0, 3.0]), plate([1.0, 2.0, 3.0]), 70.0, 0.2, 0.4)
    assert len(found.time_s) == 201
    assert_allclose(found.time_s[[0, -1]], [0.2, 0.4])


@pytest.mark.parametrize(
    ("mass", "first", "words"), [(0.0, 0.0, "mass"), (float("nan"), 0.0, "mass"), (70.0, 5.0, "no samples")]
)
def test_what_cannot_be_is_told(mass, first, words):
    with pytest.raises(BiomecError, match=words):
        plate_cycle(plate([0.0, 1.0, 0.0]), plate([0.0, 1.0, 0.0]), mass, first, first + 1.0)


def test_plates_on_different_clocks_are_refused():
    with pytest.raises(BiomecError, match="clock"):
        plate_cycle(plate([0.0, 1.0, 0.0]), plate([0.0, 1.0, 0.0], samples=500), 70.0, 0.0, 1.0)
