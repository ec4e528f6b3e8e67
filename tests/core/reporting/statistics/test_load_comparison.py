import numpy as np
import pytest
from scipy import stats

from biomec.base.errors import BiomecError
from biomec.reporting.statistics.load_comparison import ComparisonOptions, compare_conditions, hedges_g, holm
from biomec.reporting.statistics.load_condition import condition, over_people

NAMES, UNITS = ("right elbow flexion moment", "right elbow anterior force"), ("N·m/kg", "N/kg")
RATE, LENGTH = 100.0, 120


def repeated(title, scale, cycles=6, seed=0, names=NAMES):
    """Cycles of a sine and of a bump that differ a little."""
    rng = np.random.default_rng(seed)
    t = np.arange(cycles * LENGTH + 1) / LENGTH
    which = np.minimum(t.astype(int), cycles - 1)
    factor, offset = scale * (1.0 + 0.05 * rng.normal(size=cycles))[which], 0.03 * rng.normal(size=cycles)[which]
    bump = np.exp(-60.0 * (t % 1.0 - 0.5) ** 2)
    values = np.stack([factor * np.sin(2.0 * np.pi * t), 2.0 + offset + factor * bump], axis=1)
    spans = [(LENGTH * k, LENGTH * (k + 1)) for k in range(cycles)]
    return condition(title, names, UNITS, values, spans, RATE)


def test_measures_are_tested_as_scipy_does():
    open_, closed = repeated("open grip", 1.0), repeated("closed grip", 1.1, cycles=5, seed=1)
    found = compare_conditions(open_, closed)
    a, b = open_.measures["peak"], closed.measures["peak"]
    np.testing.assert_allclose(found.p, stats.ttest_ind(b, a, equal_var=False).pvalue, rtol=1e-10)
    np.testing.assert_array_equal(found.n, [[6, 5], [6, 5]])
    np.testing.assert_allclose(found.mean[:, 1], b.mean(axis=0))
    np.testing.assert_allclose(found.sd[:, 0], a.std(axis=0, ddof=1))
    ranked = compare_conditions(open_, closed, ComparisonOptions(test="rank"))
    np.testing.assert_allclose(ranked.p, stats.mannwhitneyu(b, a).pvalue)
    wins = np.mean(np.sign(b[:, None, 1] - a[None, :, 1]))
    assert ranked.effect[1] == pytest.approx(wins)  # how much more often closed is the larger


def test_pairs_are_tested_as_pairs():
    before, after = repeated("before", 1.0, seed=2), repeated("after", 1.02, seed=3)
    found = compare_conditions(before, after, ComparisonOptions(measure="rms", paired=True))
    a, b = before.measures["rms"], after.measures["rms"]
    np.testing.assert_allclose(found.p, stats.ttest_rel(b, a).pvalue, rtol=1e-9)
    ranked = compare_conditions(before, after, ComparisonOptions(measure="rms", paired=True, test="rank"))
    np.testing.assert_allclose(ranked.p, stats.wilcoxon(b, a).pvalue)
    with pytest.raises(BiomecError, match="as many repetitions of before as of short"):
        compare_conditions(before, repeated("short", 1.0, cycles=4), ComparisonOptions(paired=True))


def test_holm_by_its_textbook_example():
    raw = np.array([0.01, 0.04, 0.03, 0.005, np.nan])
    np.testing.assert_allclose(holm(raw), [0.03, 0.06, 0.06, 0.02, np.nan])
    np.testing.assert_allclose(holm(np.array([0.6, 0.9])), [1.0, 1.0])
    assert np.isnan(holm(np.array([np.nan]))).all()


def test_effect_size_by_hand():
    a, b = np.array([1.0, 2.0, 3.0]), np.array([3.0, 4.0, 5.0])
    assert hedges_g(a, b) == pytest.approx(2.0 * (1.0 - 3.0 / 15.0))  # d = 2 / 1, four degrees of freedom
    assert hedges_g(b, a) == pytest.approx(-1.6)
    c = np.array([2.0, 4.0, 6.0])
    assert hedges_g(a, c, paired=True) == pytest.approx(2.0 / 1.0 * (1.0 - 3.0 / 7.0))


def test_correlation_is_that_of_the_mean_curves():
    open_, closed = repeated("open grip", 1.0), repeated("closed grip", -0.8, seed=1)
    found = compare_conditions(open_, closed)
    for c in range(2):
        expected = stats.pearsonr(open_.mean[:, c], closed.mean[:, c]).statistic
        assert found.pearson[c] == pytest.approx(expected)
    assert found.pearson[0] < -0.99
    np.testing.assert_allclose(found.difference, closed.mean - open_.mean)


def test_the_table_tells_n_test_and_place():
    table = compare_conditions(repeated("open grip", 1.0), repeated("closed grip", 1.5, seed=1)).table()
    assert table.columns[1:3] == ("open grip", "closed grip")
    assert "6 and 6 cycles" in table.note
    assert "Welch" in table.note
    sine, bump = table.rows
    assert sine[0] == "Right elbow flexion moment [N·m/kg]"
    first = int(bump[-1].split()[0])
    assert 20 < first < 50  # the bumps, and not what lies before them, differ


def test_one_persons_cycles_are_told_from_people():
    notices = compare_conditions(repeated("open grip", 1.0), repeated("closed grip", 1.1)).notices
    assert any(notice.code == "one-person" for notice in notices)
    people = [
        over_people(
            title, [repeated("p", scale * size, seed=k) for k, size in enumerate((0.8, 1.0, 1.2, 1.1, 0.9, 1.3))]
        )
        for title, scale in (("open grip", 1.0), ("closed grip", 1.1))
    ]
    found = compare_conditions(*people, ComparisonOptions(paired=True))
    assert not found.notices
    assert (found.first.sample, len(found.first)) == ("people", 6)
    assert found.p[0] < 1e-3  # everybody has a tenth more, although people differ by half
    assert compare_conditions(*people).p[0] > 0.2
    assert found.curves[0] is not None
    assert found.curves[0].different(0.05).any()


def test_missing_curves_and_single_cycles_leave_gaps_in_the_table():
    one = repeated("one", 1.0, cycles=1)
    found = compare_conditions(one, repeated("six", 1.0, seed=4))
    assert np.isnan(found.p).all()
    assert found.curves == (None, None)
    assert found.notices[-1].code == "too-few"
    assert found.table().rows[0][-1] == "–"
    three = compare_conditions(repeated("a", 1.0, cycles=3), repeated("b", 9.0, cycles=3, seed=1))
    assert any("too few for the test of whole curves" in notice.sentence for notice in three.notices)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(BiomecError, match="different loads or units"):
        compare_conditions(repeated("a", 1.0), repeated("b", 1.0, names=("x", "y")))
    with pytest.raises(BiomecError, match=r'measure is peak, highest, .*, not "median"'):
        ComparisonOptions(measure="median")
    with pytest.raises(BiomecError, match="nobody"):
        over_people("empty", [])
