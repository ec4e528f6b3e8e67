"""Which set is chosen for whom, and what is said about it."""

from dataclasses import replace

import pytest

from biomec.base.notices import Severity
from biomec.reporting.norms.choice import Patient, choose_norm, usual_speed
from biomec.reporting.norms.norm_file import shipped_norm, shipped_norms

SETS = tuple(shipped_norm(name) for name in shipped_norms())
CHILDREN, ADULTS = shipped_norm("children-dixon2017"), shipped_norm("adults-fukuchi2018")
SPEEDS = shipped_norm("walking-speed-vancriekinge2023").speeds


def said(patient, sets=SETS):
    found = choose_norm(sets, patient)
    return found.norm.name, {notice.code: (notice.severity, notice.sentence) for notice in found.notices}


@pytest.mark.parametrize(
    ("age", "name", "outside"),
    [(10, "children-dixon2017", False), (17.9, "children-dixon2017", False), (45, "adults-fukuchi2018", False),
     (4, "children-dixon2017", True), (19, "children-dixon2017", True), (95, "adults-fukuchi2018", True)],
)  # fmt: skip
def test_the_nearest_age_decides(age, name, outside):
    chosen, notices = said(Patient(age, 0.43, "Plug-in Gait"))
    assert chosen == name
    warned = "norm-age" in notices and notices["norm-age"][0] is Severity.WARNING
    assert warned == outside
    if outside:
        assert f"{age:g} years old" in notices["norm-age"][1]


def test_the_nearest_speed_decides_between_sets_of_one_age():
    slow = replace(CHILDREN, name="slow", about=replace(CHILDREN.about, speed_dimensionless=(0.25, 0.03)))
    unknown = replace(CHILDREN, name="unknown", about=replace(CHILDREN.about, speed_dimensionless=None))
    for speed, name in ((0.27, "slow"), (0.46, "children-dixon2017")):
        assert choose_norm((unknown, CHILDREN, slow), Patient(10, speed)).norm.name == name


def test_a_speed_beyond_two_deviations_is_told_with_its_numbers():
    limit = 0.4725 - 2.0 * 0.0579
    _, notices = said(Patient(10, limit + 0.001, "Plug-in Gait"))
    assert "norm-speed" not in notices
    _, notices = said(Patient(10, limit - 0.001, "Plug-in Gait"))
    severity, words = notices["norm-speed"]
    assert severity is Severity.WARNING
    assert "0.36 without dimension" in words
    assert "0.47 ± 0.06" in words


def test_a_band_of_another_model_is_told():
    _, notices = said(Patient(10, 0.45, "m17"))
    assert notices["norm-model"][0] is Severity.WARNING
    assert "Band: Plug-in Gait; curve: m17." in notices["norm-model"][1]
    _, notices = said(Patient(10, 0.45, "Plug-in Gait"))
    assert "norm-model" not in notices
    own = replace(CHILDREN, about=replace(CHILDREN.about, model="Plug-in Gait (assumed)"))
    _, notices = said(Patient(10, 0.45, "plug-in-gait"), (own,))
    assert notices["norm-model"][0] is Severity.INFO


def test_what_is_not_known_is_told():
    _, notices = said(Patient())
    assert "age is not known" in notices["norm-age"][1]
    assert "leg length" in notices["norm-speed"][1]
    _, notices = said(Patient(10, 0.45))
    assert "heights of 1.23 to 1.74 m" in notices["norm-age"][1]
    bare = replace(CHILDREN, about=replace(CHILDREN.about, ages=None, speed_dimensionless=None))
    _, notices = said(Patient(10, 0.45), (bare,))
    assert "does not state the ages" in notices["norm-age"][1]
    assert "does not state its walking speed" in notices["norm-speed"][1]
    assert choose_norm((), Patient(10)).norm is None


def test_usual_speed_of_an_age():
    """Figures of the table: all of 20 to 29 years 1.263 ± 0.187 m/s, women of 80 to 89 0.999 ± 0.139."""
    assert usual_speed(SPEEDS, 29.9).speed_m_s == (1.263, 0.187)
    assert usual_speed(SPEEDS, 85, "female").speed_m_s == (0.999, 0.139)
    assert usual_speed(SPEEDS, 45, "male").dimensionless == (0.403, 0.031)
    assert usual_speed(SPEEDS, 12) is None
    people = sum(one.people for one in SPEEDS if one.sex == "all" and one.age_to - one.age_from < 20)
    assert people == 138
