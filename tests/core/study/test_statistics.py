"""Statistics over people, on tables with known numbers: each against scipy or a formula written out here."""

import csv
import shutil

import numpy as np
import pytest
import scipy.stats

from biomec.base.errors import BiomecError
from biomec.cli import main
from biomec.reporting.statistics.load_comparison import ComparisonOptions
from biomec.study.comparison import compare_levels, methods_in_words, write_comparison
from biomec.study.groups import levels_of
from biomec.study.repeatability import study_reliability, write_reliability
from biomec.study.study import open_study
from tests.core.study.known import CURVE, CYCLES, analysed_known, offset, shape, write_known

PEOPLE = 6


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Six people, two conditions, two visits; the tables of each trial are written here."""
    return analysed_known(write_known(tmp_path_factory.mktemp("known"), PEOPLE))


def person_means(condition, visits=(1, 2)):
    return np.array([
        np.mean([offset(k, condition, cycle, visit) for visit in visits for cycle in range(1, CYCLES[condition] + 1)])
        for k in range(PEOPLE)
    ])  # fmt: skip


def test_people_count_once_by_the_mean_of_their_cycles(study):
    closed, opened = levels_of(study, "angles")
    assert (closed.name, opened.name) == ("closed", "open")
    assert opened.people == tuple(f"S{k}" for k in range(PEOPLE))
    assert opened.cycles == (6,) * PEOPLE
    for level in (closed, opened):
        assert np.allclose(level.means.measures["peak"][:, 0], person_means(level.name), rtol=1e-12)
        curves = np.stack([shape(height, level.name) for height in person_means(level.name)])
        assert np.allclose(level.means.curves[:, :, 0], curves, rtol=1e-12)
        assert np.isnan(level.means.curves[:, :, 1]).all()


def test_curves_in_two_units_are_never_averaged(study, tmp_path):
    """A project with settings of its own gave N m/kg; its peaks went into the mean of those in N m."""
    copied = tmp_path / "study"
    shutil.copytree(study.folder, copied)
    mixed = open_study(copied)
    for one in mixed.trials:
        if one.subject != "S0":
            continue
        for name, old, new in (("angles", f"{CURVE} [deg]", f"{CURVE} [rad]"), ("values", ",deg,", ",rad,")):
            path = mixed.folder_of(one) / f"{name}.csv"
            path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(BiomecError, match=f"Some trials have {CURVE} in rad and others in deg"):
        levels_of(mixed, "angles")
    assert levels_of(mixed, "angles", "group", ["b"])[0].means.units == ("deg", "deg")  # S0 is in group a


def test_two_conditions_are_compared_in_pairs(study, tmp_path):
    """t, p, interval and limits of agreement against scipy; the curve differs in the middle, where it was made to."""
    levels = levels_of(study, "angles", levels=["open", "closed"])
    found = compare_levels("angles", "condition", levels)
    (pair,) = found.pairs
    assert pair.paired
    a, b = person_means("open"), person_means("closed")
    test = scipy.stats.ttest_rel(b, a)
    assert pair.comparison.p[0] == pytest.approx(test.pvalue, rel=1e-9)
    interval = test.confidence_interval(0.95)
    assert (pair.effects[0].low, pair.effects[0].high) == pytest.approx((interval.low, interval.high), rel=1e-9)
    write_comparison(found, tmp_path / "out")
    with (tmp_path / "out" / "comparison.csv").open(encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    assert row["test"] == "paired t test"
    assert row["differs at (% of the cycle)"] == "31 to 69"
    d = b - a
    assert float(row["agreement lower"]) == pytest.approx(d.mean() - 1.959964 * d.std(ddof=1), rel=1e-5)
    assert float(row["difference"]) == pytest.approx(d.mean(), rel=1e-6)
    with (tmp_path / "out" / "curves.csv").open(encoding="utf-8") as file:
        curves = list(csv.DictReader(file))
    mean = np.array([float(one[f"open: {CURVE} mean [deg]"]) for one in curves])
    assert np.allclose(mean, np.mean([shape(h, "open") for h in a], axis=0), rtol=1e-6)
    assert all(float(one[f"open: {CURVE} low [deg]"]) < float(one[f"open: {CURVE} mean [deg]"]) for one in curves)
    words = " ".join(methods_in_words(found))
    assert "6 people in both, paired" in words
    assert "largest |t|, paired" in words
    assert "31–69 %" in words


def test_groups_are_two_samples(study):
    levels = levels_of(study, "angles", "group")
    (pair,) = compare_levels("angles", "group", levels).pairs
    assert not pair.paired
    assert [len(one.people) for one in levels] == [3, 3]
    values = [one.means.measures["peak"][:, 0] for one in levels]
    assert pair.comparison.p[0] == pytest.approx(scipy.stats.ttest_ind(*values, equal_var=False).pvalue, rel=1e-9)
    ranks = compare_levels("angles", "group", levels, ComparisonOptions(test="rank")).pairs[0].comparison
    assert ranks.p[0] == pytest.approx(scipy.stats.mannwhitneyu(*values).pvalue, rel=1e-9)


def test_visits_repeat_as_the_formula_says(study, tmp_path):
    visits = levels_of(study, "angles", "visit")
    found = study_reliability(visits)
    x = np.array([
        [np.mean([offset(k, c, n, v) for c, count in CYCLES.items() for n in range(1, count + 1)]) for v in (1, 2)]
        for k in range(PEOPLE)
    ])  # fmt: skip
    n, k = x.shape
    rest = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean()
    ems = (rest**2).sum() / ((n - 1) * (k - 1))
    bms = k * ((x.mean(axis=1) - x.mean()) ** 2).sum() / (n - 1)
    jms = n * ((x.mean(axis=0) - x.mean()) ** 2).sum() / (k - 1)
    one = found.curves[0]
    assert one.sem == pytest.approx(np.sqrt(ems), rel=1e-9)
    assert one.icc == pytest.approx((bms - ems) / (bms + (k - 1) * ems + k * (jms - ems) / n), rel=1e-9)
    assert found.curves[1] is None
    write_reliability(found, tmp_path / "repeat.csv")
    assert "MDC95" in (tmp_path / "repeat.csv").read_text()
    assert "6 people with 2 visits" in found.sentence


def test_what_cannot_be_compared_is_a_sentence(study):
    for words, arguments in (
        ("did you mean", ("angle",)),
        ("by condition, visit, group, not by people", ("angles", "people")),
        ('did you mean "open"', ("angles", "condition", ["opened"])),
        ("has a curve with hip", ("angles", "condition", (), ["hip"])),
        ("has a curve", ("loads",)),
    ):
        with pytest.raises(BiomecError, match=words):
            levels_of(study, *arguments)
    with pytest.raises(BiomecError, match="needs two"):
        compare_levels("angles", "condition", levels_of(study, "angles", levels=["open"]))


def test_the_command_line_compares_and_repeats(study, capsys, tmp_path):
    folder = str(study.folder)
    assert main(["study", "compare", folder, "--levels", "open", "closed", "--out", str(tmp_path / "cmp")]) == 0
    assert "paired t test" in capsys.readouterr().out
    assert main(["study", "repeat", folder, "--out", str(tmp_path / "repeat.csv")]) == 0
    assert "ICC(2,1)" in capsys.readouterr().out
