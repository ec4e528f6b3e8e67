"""Two ways of doing a movement beside each other: joint loads of open and closed grip, before and after treatment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.fields import setting
from biomec.base.notices import Notice, info, warning
from biomec.body.loads.load_statistics import MEASURES
from biomec.reporting.statistics.agreement import correlation
from biomec.reporting.statistics.curve_permutation import CurveTest, curve_permutation
from biomec.reporting.statistics.load_condition import CYCLES, LoadCondition, same_units
from biomec.reporting.tables import Table, number, with_spread

TESTS = ("t", "rank")
TEST_NAMES = {
    ("t", False): "Welch's t test",
    ("t", True): "paired t test",
    ("rank", False): "Mann–Whitney U test",
    ("rank", True): "Wilcoxon signed-rank test",
}
LARGE_EFFECT = 20.0  # standard deviations
SAME = 1e-12  # relative: values that differ by less do not vary


@dataclass(frozen=True)
class ComparisonOptions:
    """How two conditions are compared.

    measure   : of every repetition that is tested: peak, highest, lowest, mean, rms or impulse
    test      : "t" (Welch, or paired) or "rank" (Mann–Whitney, or Wilcoxon)
    paired    : repetition k of both belongs to the same person
    alpha     : chance of finding a difference where there is none, in all measures together (by Holm), and in each
                whole curve (by permutation)
    exchanges : of labels in the test of whole curves;  seed : of their random choice
    """

    measure: str = setting(
        "peak", "Measure of a cycle", "What is tested of every cycle.",
        choices={"peak": "peak (largest size, with its sign)", "highest": "highest value", "lowest": "lowest value",
        "mean": "mean over the cycle", "rms": "root mean square", "impulse": "impulse (area over time)"})  # fmt: skip
    test: str = setting(
        "t", "Test", "Test of the difference.", choices={"t": "Welch's t test", "rank": "ranks (Mann–Whitney)"}
    )
    paired: bool = False
    alpha: float = 0.05
    exchanges: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        for name, known in (("measure", MEASURES), ("test", TESTS)):
            if getattr(self, name) not in known:
                raise BiomecError(f'Comparison: {name} is {", ".join(known)}, not "{getattr(self, name)}".')
        if not (0.0 < self.alpha < 1.0 and self.exchanges >= 100):
            raise BiomecError("Comparison: alpha lies between 0 and 1, and labels are exchanged at least 100 times.")

    @property
    def test_name(self) -> str:
        """Name of the test of the measure."""
        return TEST_NAMES[self.test, self.paired]


@dataclass(frozen=True, eq=False)
class LoadComparison:
    """Loads of the second condition against the first, C curves; arrays are read-only.

    first, second : the conditions
    pearson    : (C,) correlation of the two mean curves; NaN where one is constant
    difference : (N, C) second − first, of the mean curves
    n          : (C, 2) repetitions behind the test of the measure
    mean, sd   : (C, 2) of the measure
    p, p_holm  : (C,) of its test, as it is and corrected for all curves tested [Holm1979]; NaN where it cannot be done
    effect     : (C,) Hedges' g (second − first in standard deviations) [Hedges1981], or the rank-biserial correlation
    curves     : (C,) test of whole curves, or None where there are fewer than two of either
    """

    first: LoadCondition
    second: LoadCondition
    pearson: FloatArray
    difference: FloatArray
    n: IntArray
    mean: FloatArray
    sd: FloatArray
    p: FloatArray
    p_holm: FloatArray
    effect: FloatArray
    curves: tuple[CurveTest | None, ...]
    options: ComparisonOptions
    notices: tuple[Notice, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """(C,) of the curves."""
        return self.first.names

    def table(self) -> Table:
        """Every curve: measure ± SD of both, difference, effect, p, correlation, where the curves differ."""
        rows = []
        for c, (name, unit) in enumerate(zip(self.names, self.first.units, strict=True)):
            (a, b), (sa, sb) = self.mean[c], self.sd[c]
            rows.append(
                (
                    f"{name[0].upper()}{name[1:]} [{unit}]",
                    with_spread(a, sa, 2),
                    with_spread(b, sb, 2),
                    number(b - a, 2),
                    _effect(float(self.effect[c])),
                    probability(float(self.p_holm[c])),
                    number(float(self.pearson[c]), 3),
                    self.differs_at(c),
                )
            )
        columns = (
            "Load", self.first.title, self.second.title, "Difference",
            "Hedges' g" if self.options.test == "t" else "Rank-biserial r", "p (Holm)", "r of mean curves",
            "Differs at [%]",
        )  # fmt: skip
        sample = self.first.sample
        note = (
            f"{self.options.measure.capitalize()} of every one of {len(self.first)} and {len(self.second)} {sample}, "
            f"mean ± SD; {self.options.test_name}, p corrected by Holm for {int(np.isfinite(self.p).sum())} loads. The "
            f"last column is the part of the cycle where whole curves differ (permutation of the largest t, "
            f"α = {self.options.alpha:g} for each load)."
        )
        return Table(f"{self.second.title} against {self.first.title}", columns, tuple(rows), note)

    def differs_at(self, c: int) -> str:
        """Parts of the cycle in which the curves differ: "12 to 34, 80 to 91"."""
        test = self.curves[c]
        if test is None:
            return number(None)
        inside = np.concatenate([[False], test.different(self.options.alpha), [False]])
        edges = np.flatnonzero(inside[1:] != inside[:-1]).reshape(-1, 2)
        percent = self.first.percent
        return ", ".join(f"{percent[a]:.0f} to {percent[b - 1]:.0f}" for a, b in edges) or "nowhere"


def compare_conditions(
    first: LoadCondition, second: LoadCondition, options: ComparisonOptions = ComparisonOptions()
) -> LoadComparison:
    """Compare all curves of two conditions."""
    same_units(first, second)
    if options.paired and len(first) != len(second):
        raise BiomecError(
            f"A paired comparison needs as many repetitions of {first.title} as of {second.title}; there are "
            f"{len(first)} and {len(second)}."
        )
    mean_a, mean_b = first.mean, second.mean
    C = len(first.names)
    n, mean, sd = np.zeros((3, C, 2))
    p, effect = np.full((2, C), np.nan)
    tests: list[CurveTest | None] = []
    for c in range(C):
        a, b = (one.measures[options.measure][:, c] for one in (first, second))
        u, v = (one.curves[:, :, c] for one in (first, second))
        if options.paired:
            both = np.isfinite(a) & np.isfinite(b)
            a, b = a[both], b[both]
            whole = np.isfinite(u).all(axis=1) & np.isfinite(v).all(axis=1)
            u, v = u[whole], v[whole]
        else:
            a, b = a[np.isfinite(a)], b[np.isfinite(b)]
            u, v = (one[np.isfinite(one).all(axis=1)] for one in (u, v))
        n[c] = len(a), len(b)
        mean[c] = [x.mean() if len(x) else np.nan for x in (a, b)]
        sd[c] = [x.std(ddof=1) if len(x) > 1 else np.nan for x in (a, b)]
        p[c], effect[c] = _tested(a, b, options)
        enough = min(len(u), len(v)) >= 2
        tests.append(_curves(u, v, options) if enough else None)
    notices = _notices(first, second, tests, options)
    return LoadComparison(
        first=first,
        second=second,
        pearson=read_only(correlation(mean_a, mean_b)),
        difference=read_only(mean_b - mean_a),
        n=read_only(n, np.int64),
        mean=read_only(mean),
        sd=read_only(sd),
        p=read_only(p),
        p_holm=read_only(holm(p)),
        effect=read_only(effect),
        curves=tuple(tests),
        options=options,
        notices=tuple(notices),
    )


def holm(p: FloatArray) -> FloatArray:
    """Probabilities (C,) corrected for being many, NaN left out: p_(k) (C − k + 1), made increasing [Holm1979]."""
    found = np.full(len(p), np.nan)
    known = np.flatnonzero(np.isfinite(p))
    order = known[np.argsort(p[known], kind="stable")]
    raised = np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1.0)) if len(order) else p[order]
    found[order] = np.minimum(raised, 1.0)
    return found


def _curves(u: FloatArray, v: FloatArray, options: ComparisonOptions) -> CurveTest:
    return curve_permutation(
        u, v, paired=options.paired, alpha=options.alpha, exchanges=options.exchanges, seed=options.seed
    )


def _tested(a: FloatArray, b: FloatArray, options: ComparisonOptions) -> tuple[float, float]:
    """p and effect of b against a; NaN where fewer than two of either, or where nothing varies."""
    if min(len(a), len(b)) < 2:
        return float("nan"), float("nan")
    spread = (b - a).std() if options.paired else max(a.std(), b.std())
    if not spread > SAME * max(np.abs(a).max(), np.abs(b).max()):
        return float("nan"), float("nan")
    if options.test == "t":
        return _t_test(a, b, options.paired), hedges_g(a, b, paired=options.paired)
    if options.paired:
        difference = b - a
        ranks = scipy.stats.rankdata(np.abs(difference[difference != 0.0]))
        signs = np.sign(difference[difference != 0.0])
        return float(scipy.stats.wilcoxon(b, a).pvalue), float((signs * ranks).sum() / ranks.sum())
    found = scipy.stats.mannwhitneyu(b, a)
    return float(found.pvalue), float(2.0 * found.statistic / (len(a) * len(b)) - 1.0)


def _t_test(a: FloatArray, b: FloatArray, paired: bool) -> float:
    """p of the paired or of Welch's test; by moments, which also serve where one sample does not vary."""
    if paired:
        difference = b - a
        t = difference.mean() / (difference.std(ddof=1) / np.sqrt(len(a)))
        return float(2.0 * scipy.stats.t.sf(abs(t), len(a) - 1))
    moments = [part for x in (b, a) for part in (x.mean(), x.std(ddof=1), len(x))]
    return float(scipy.stats.ttest_ind_from_stats(*moments, equal_var=False).pvalue)


def hedges_g(a: FloatArray, b: FloatArray, *, paired: bool = False) -> float:
    """Difference b − a in standard deviations, corrected for small samples: J d, J = 1 − 3 / (4 ν − 1) [Hedges1981].

    d is by the pooled standard deviation (ν = n₁ + n₂ − 2), or, paired, by that of the differences (ν = n − 1).
    """
    if paired:
        nu = len(a) - 1
        spread = float((b - a).std(ddof=1))
    else:
        nu = len(a) + len(b) - 2
        spread = float(np.sqrt(((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / nu))
    return float((b.mean() - a.mean()) / spread * (1.0 - 3.0 / (4.0 * nu - 1.0)))


def _effect(g: float) -> str:
    """Effects beyond all measure, of conditions that hardly vary, are not worth their digits."""
    if abs(g) > LARGE_EFFECT:
        return f"> {LARGE_EFFECT:g}" if g > 0.0 else f"< −{LARGE_EFFECT:g}"
    return number(g, 2)


def probability(p: float) -> str:
    """A probability with three digits, "< 0.001" below, a dash where there is none."""
    if not np.isfinite(p):
        return number(None)
    return "< 0.001" if p < 0.001 else number(p, 3)


def _notices(
    first: LoadCondition, second: LoadCondition, tests: list[CurveTest | None], options: ComparisonOptions
) -> list[Notice]:
    found = []
    if CYCLES in (first.sample, second.sample):
        found.append(
            info(
                "one-person",
                f"{first.title} and {second.title} are compared by {len(first)} and {len(second)} cycles, which "
                "resemble each other more than people do. What is found holds for this person on this day, not for "
                "people in general; for those, record several people and compare their means, paired.",
            )
        )
    if min(len(first), len(second)) < 2:
        found.append(warning("too-few", "With fewer than two repetitions of either condition nothing can be tested."))
    elif any(test is not None and test.least_p > options.alpha for test in tests):
        found.append(
            warning(
                "too-few",
                f"{len(first)} and {len(second)} repetitions are too few for the test of whole curves to find any "
                f"difference at {options.alpha:g}; record more of both.",
            )
        )
    return found
