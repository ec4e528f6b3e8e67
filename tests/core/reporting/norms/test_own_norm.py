"""Norms of own recordings: by hand, and the limbs of twelve children against the set that others made of them."""

import csv
from collections import defaultdict

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.reporting.clinical_curves import ClinicalCycles
from biomec.reporting.norms.norm import NormAbout
from biomec.reporting.norms.norm_file import read_norm_set, shipped_norm, write_norm_set
from biomec.reporting.norms.own_norm import Person, norm_of_people
from biomec.signals.cycle_average import joined, resample_spans
from tests.real_data import recording

ABOUT = NormAbout("Our own walkers", task="level walking")


def cycles(*curves):
    return joined([resample_spans(np.asarray(one, dtype=float), [[0, len(one) - 1]]) for one in curves])


def person(right, left=None, *, curve="knee flexion", model="m17", speed=1.2, **more):
    found = {("right", curve): cycles(*right)}
    if left is not None:
        found["left", curve] = cycles(*left)
    return Person((ClinicalCycles(model, found, {"right": np.array([speed])}),), **more)


def flat(value):
    return np.full(101, value)


def test_limbs_count_once_however_many_cycles_they_have():
    """Right limbs 10, 20, 30, 40, 50 from cycles ±2 around; one left limb of 60: mean 35, SD √350."""
    people = [person([flat(10.0 * k - 2.0), flat(10.0 * k + 2.0)], age_years=20.0 + k, leg_length_m=0.9)
              for k in range(1, 5)]  # fmt: skip
    people.append(person([flat(50.0)], [flat(60.0)], age_years=25.0, leg_length_m=0.9))
    norm = norm_of_people("ours", people, ABOUT)
    curve = norm.curves["knee flexion"]
    assert curve.mean == pytest.approx(35.0)
    assert curve.sd == pytest.approx(np.sqrt(350.0))
    assert (curve.limbs, curve.subjects, norm.about.subjects) == (6, 5, 5)
    assert norm.about.ages == (21.0, 25.0)
    assert norm.about.model == "m17"
    assert norm.about.speed_m_s == pytest.approx((1.2, 0.0))
    assert norm.about.speed_dimensionless[0] == pytest.approx(1.2 / np.sqrt(9.81 * 0.9))
    assert [notice.code for notice in norm.notices] == ["norm-small"]


def test_recordings_of_one_person_are_pooled():
    one = person([flat(1.0), flat(2.0)])
    both = Person((*one.recordings, *person([flat(6.0)]).recordings))
    assert both.limb("right", "knee flexion") == pytest.approx(3.0)
    assert both.limb("left", "knee flexion") is None


def test_no_name_is_stored(tmp_path):
    norm = norm_of_people("ours", [person([flat(k)]) for k in range(1, 7)], ABOUT)
    write_norm_set(norm, tmp_path / "ours")
    again = read_norm_set(tmp_path / "ours")
    assert {one.subject for one in again.limbs} == {f"P{k:03d}" for k in range(1, 7)}
    assert again.curves["knee flexion"].sd == pytest.approx(norm.curves["knee flexion"].sd)
    assert again.limbs[0].values == pytest.approx(1.0)


def test_few_people_and_mixed_models_are_refused():
    with pytest.raises(BiomecError, match="needs 5 people at least; there are 4"):
        norm_of_people("ours", [person([flat(1.0)])] * 4, ABOUT)
    with pytest.raises(BiomecError, match=r"2 models \(m17, m21\)"):
        norm_of_people("ours", [*[person([flat(1.0)])] * 4, person([flat(1.0)], model="m21")], ABOUT)
    mixed = [*[person([flat(1.0)])] * 4, person([flat(1.0)], curve="hip flexion")]
    with pytest.raises(BiomecError, match="No curve has cycles of 5 people"):
        norm_of_people("ours", mixed, ABOUT)


def test_the_twelve_children_give_the_set_that_comes_with_biomec():
    """Mean and SD over the 24 limbs, computed by others, within the rounding of single limbs (0.001)."""
    people = defaultdict(dict)
    with recording("norms", "biomechzoo_children_2017", "limbs.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            values = np.array([float(row[f"p{k}"]) for k in range(101)])
            people[row["subject"]][row["side"].lower(), row["curve"]] = cycles(values)
    one = [Person((ClinicalCycles("Plug-in Gait", curves, {}),)) for curves in people.values()]
    norm, shipped = norm_of_people("again", one, ABOUT), shipped_norm("children-dixon2017")
    assert set(norm.curves) == set(shipped.curves)
    for name, curve in shipped.curves.items():
        assert norm.curves[name].mean == pytest.approx(curve.mean, abs=1.5e-3)
        assert norm.curves[name].sd == pytest.approx(curve.sd, abs=1.5e-3)
        assert (norm.curves[name].limbs, norm.curves[name].subjects) == (24, 12)
