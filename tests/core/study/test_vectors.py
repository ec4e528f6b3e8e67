"""Agreement of joint forces in space, over people: bias, limits and shares against numbers worked out here."""

import csv
import io

import numpy as np
import pytest
import scipy.stats

from biomec.reporting.statistics.load_comparison import ComparisonOptions
from biomec.reporting.statistics.load_condition import PEOPLE, LoadCondition
from biomec.study.comparison import compare_levels, vectors_csv
from biomec.study.groups import CONDITION, GROUP, Level

NAMES = (*(f"right elbow {axis} force" for axis in ("anterior", "superior", "lateral")), "neck flexion moment")
COUNT = 12


def level(name: str, means: np.ndarray, people: int = COUNT) -> Level:
    """People with these mean loads (P, 4); curves do not vary over the cycle."""
    curves = np.repeat(means[:, None], 101, axis=1)
    measures = dict.fromkeys(("peak", "highest", "lowest", "mean", "rms", "impulse"), means)
    units = ("N/kg",) * 3 + ("N·m/kg",)
    condition = LoadCondition(name, NAMES, units, np.linspace(0.0, 100.0, 101), curves, measures, PEOPLE)
    return Level(name, tuple(f"P{k}" for k in range(people)), condition, (1,) * people)


@pytest.fixture(scope="module")
def both():
    rng = np.random.default_rng(3)
    first = rng.normal(5.0, 1.0, (COUNT, 4))
    return first, first + rng.normal([0.5, -1.0, 0.0, 2.0], [0.1, 0.4, 0.2, 0.3], (COUNT, 4))


def rows_of(a, b, by=CONDITION):
    found = compare_levels("loads", by, (level("open", a), level("closed", b)), ComparisonOptions(exchanges=100))
    text = vectors_csv(found)
    return None if text is None else list(csv.DictReader(io.StringIO(text)))


def test_a_joint_force_is_compared_as_a_vector(both):
    a, b = both
    (row,) = rows_of(a, b)  # one component is no vector: the neck has no row
    assert (row["joint"], row["load"], row["unit"], row["people"]) == ("right elbow", "force", "N/kg", "12")
    difference = (b - a)[:, :3]
    bias, sd = difference.mean(axis=0), difference.std(axis=0, ddof=1)
    z = scipy.stats.norm.ppf(0.95)
    for k, axis in enumerate("123"):
        wanted = {"bias": bias[k], "sd": sd[k], "lower limit": bias[k] - z * sd[k], "upper limit": bias[k] + z * sd[k]}
        for name, value in wanted.items():
            assert float(row[f"{name} {axis}"]) == pytest.approx(value, rel=1e-6)  # printed with seven digits
    away = ((difference - bias) / sd) ** 2
    assert float(row["share in the box"]) == pytest.approx((away < z**2).all(axis=1).mean())
    radius = scipy.stats.chi2.ppf(0.9, 3)
    assert float(row["share in the ellipsoid"]) == pytest.approx((away.sum(axis=1) <= radius).mean())
    assert float(row["expected in the ellipsoid"]) == pytest.approx(0.9)


def test_other_people_are_no_pairs(both):
    assert rows_of(*both, by=GROUP) is None


def test_a_person_without_the_load_is_left_out_and_three_are_too_few(both):
    a, b = (one.copy() for one in both)
    b[2, 1] = np.nan
    (row,) = rows_of(a, b)
    assert row["people"] == "11"
    b[3:, 0] = np.nan
    assert rows_of(a, b) is None
