"""Levels of a study compared over people: numbers with intervals, whole curves with bands, agreement, correlation.

Two levels are compared as pairs where the same people have both, and as two samples otherwise. More than two are tested
together by the largest F of whole curves, and then two by two. Every text names its test, so that it can be cited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.together import replaced_together
from biomec.reporting.statistics.agreement import bland_altman, vector_agreement
from biomec.reporting.statistics.curve_bands import FEWEST_CURVES, mean_band
from biomec.reporting.statistics.curve_variance import ConditionTest, condition_test
from biomec.reporting.statistics.effect_intervals import Effect, effect
from biomec.reporting.statistics.group_variance import group_test
from biomec.reporting.statistics.load_comparison import ComparisonOptions, LoadComparison, compare_conditions
from biomec.reporting.statistics.stretch_words import conditions_in_words, in_words
from biomec.reporting.tables import table_text
from biomec.study.groups import GROUP, Level

NAN = float("nan")
COMPARISON, CURVES, CORRELATION, VECTORS, TOGETHER, METHODS = (
    "comparison.csv", "curves.csv", "correlation.csv", "vectors.csv", "levels.csv", "methods.txt",
)  # fmt: skip
OURS = (COMPARISON, CURVES, CORRELATION, VECTORS, TOGETHER, METHODS)
FEWEST_PAIRS = 4  # people: three differences in space span a plane


@dataclass(frozen=True, eq=False)
class PairOfLevels:
    """The second level against the first.

    people : of each, paired in their order where ``paired``;  left_out : people of one level only, where pairs count
    effects : (C,) of the measure, with intervals
    """

    first: Level
    second: Level
    paired: bool
    left_out: tuple[str, ...]
    comparison: LoadComparison
    effects: tuple[Effect, ...]

    @property
    def title(self) -> str:
        """The two levels in words."""
        return f"{self.second.name} against {self.first.name}"

    @property
    def sample(self) -> str:
        """Who was compared, in words."""
        if self.paired:
            return f"{len(self.first.people)} people in both, paired"
        return f"{len(self.first.people)} and {len(self.second.people)} people"


@dataclass(frozen=True, eq=False)
class StudyComparison:
    """All levels and every pair; ``together``: test of more than two at once (C,), None where it cannot be done."""

    table: str
    by: str
    levels: tuple[Level, ...]
    pairs: tuple[PairOfLevels, ...]
    together: tuple[ConditionTest | None, ...]
    options: ComparisonOptions

    @property
    def names(self) -> tuple[str, ...]:
        """(C,) curves."""
        return self.levels[0].means.names

    @property
    def units(self) -> tuple[str, ...]:
        """(C,) their units."""
        return self.levels[0].means.units


def compare_levels(
    table: str, by: str, levels: Sequence[Level], options: ComparisonOptions = ComparisonOptions()
) -> StudyComparison:
    """Compare two levels or more; ``options.paired`` does not count, for the people decide."""
    if len(levels) < 2:
        raise BiomecError(f"A comparison by {by} needs two of them; the study has {len(levels)}.")
    pairs = tuple(_pair(a, b, by, options) for a, b in combinations(levels, 2))
    together: tuple[ConditionTest | None, ...] = ()
    if len(levels) > 2:
        together = tuple(_together(levels, by, c, options) for c in range(len(levels[0].means.names)))
    return StudyComparison(table, by, tuple(levels), pairs, together, options)


def _pair(first: Level, second: Level, by: str, options: ComparisonOptions) -> PairOfLevels:
    common = [code for code in first.people if code in second.people]
    paired = by != GROUP and len(common) > 0
    left_out: tuple[str, ...] = ()
    if paired:
        left_out = tuple(sorted({*first.people, *second.people} - set(common)))
        first, second = first.only(common), second.only(common)
    how = ComparisonOptions(options.measure, options.test, paired, options.alpha, options.exchanges, options.seed)
    found = compare_conditions(first.means, second.means, how)
    effects = []
    for c in range(len(first.means.names)):
        a, b = (one.means.measures[options.measure][:, c] for one in (first, second))
        if paired:
            both = np.isfinite(a) & np.isfinite(b)
            a, b = a[both], b[both]
        else:
            a, b = a[np.isfinite(a)], b[np.isfinite(b)]
        effects.append(effect(a, b, paired=paired, level=1.0 - options.alpha))
    return PairOfLevels(first, second, paired, left_out, found, tuple(effects))


def _together(levels: Sequence[Level], by: str, c: int, options: ComparisonOptions) -> ConditionTest | None:
    """Test of one curve over all levels: within the people who have all of them, or between groups of people."""
    curves = [dict(zip(one.people, one.means.curves[:, :, c], strict=True)) for one in levels]
    whole = [{code: y for code, y in some.items() if np.isfinite(y).all()} for some in curves]
    common = [code for code in whole[0] if all(code in some for some in whole)]
    how = {"alpha": options.alpha, "exchanges": options.exchanges, "seed": options.seed}
    if by != GROUP and len(common) >= 2:
        return condition_test([[some[code] for some in whole] for code in common], **how)  # type: ignore[arg-type]
    if by == GROUP and all(len(some) >= 2 for some in whole):
        return group_test([list(some.values()) for some in whole], **how)  # type: ignore[arg-type]
    return None


# -------------------------------------------------------------------------------------------------------------- words


def methods_in_words(found: StudyComparison) -> tuple[str, ...]:
    """How it was compared, and where whole curves differ, in sentences that can be cited."""
    options = found.options
    sentences = [
        "Each person counts once in a level, by the mean of all valid cycles of its trials there.",
    ]
    for pair in found.pairs:
        name = pair.comparison.options.test_name
        tested = int(np.isfinite(pair.comparison.p).sum())
        sentences.append(
            f"{pair.title} ({pair.sample}): {options.measure} of each cycle; {name}, p by Holm over {tested} curves "
            f"[Holm1979]; {100 * (1 - options.alpha):g} % interval of the difference by t, effect as Hedges' g "
            "[Hedges1981] with its interval by the noncentral t distribution [CummingFinch2001]."
        )
        if pair.left_out:
            sentences.append(f"Left out of {pair.title}, because they lack one of both: {', '.join(pair.left_out)}.")
        sentences += [one.sentence for one in pair.comparison.notices]
        for c, test in enumerate(pair.comparison.curves):
            if test is None or not test.different(options.alpha).any():
                continue
            a, b = (_curve_mean(one, c, pair) for one in (pair.first, pair.second))
            words = in_words(test, b - a, found.units[c], options.alpha, pair.paired)
            sentences.append(f"{found.names[c]}, {pair.title}: {' '.join(words)}")
        able = [test for test in pair.comparison.curves if test is not None and test.least_p <= options.alpha]
        if able:
            exchanges = max(test.exchanges for test in able)
            sentences.append(
                f"Curves of {pair.title} that are not named differ nowhere by the permutation test of whole curves, "
                f"largest |t|, {exchanges} exchanges [NicholsHolmes2002], α = {options.alpha:g} for each curve."
            )
    for c, together in enumerate(found.together):
        if together is not None and together.different(options.alpha).any():
            words = conditions_in_words(together, options.alpha)
            sentences.append(f"{found.names[c]}, all {len(found.levels)} together: {' '.join(words)}")
    return tuple(dict.fromkeys(sentences))


def _curve_mean(level: Level, c: int, pair: PairOfLevels) -> FloatArray:
    """Mean over the people whose curves were tested."""
    curves = level.means.curves[:, :, c]
    whole = np.isfinite(curves).all(axis=1)
    if pair.paired:
        other = pair.second if level is pair.first else pair.first
        whole &= np.isfinite(other.means.curves[:, :, c]).all(axis=1)
    return np.asarray(curves[whole].mean(axis=0))


# -------------------------------------------------------------------------------------------------------------- files


def write_comparison(found: StudyComparison, folder: Path) -> tuple[Path, ...]:
    """Write all tables of a comparison, and its sentences."""
    texts = {COMPARISON: _comparison_csv(found), CURVES: _curves_csv(found)}
    correlation = correlation_csv(found)
    texts |= {} if correlation is None else {CORRELATION: correlation}
    vectors = vectors_csv(found)
    texts |= {} if vectors is None else {VECTORS: vectors}
    texts |= {TOGETHER: _together_csv(found)} if found.together else {}
    texts[METHODS] = "\n".join(methods_in_words(found)) + "\n"
    with replaced_together(folder, METHODS, OURS) as stage:
        for name, text in texts.items():
            (stage / name).write_text(text, encoding="utf-8")
    return tuple(Path(folder) / name for name in texts)


def _comparison_csv(found: StudyComparison) -> str:
    """A row for each curve and pair: means, difference, effect, p, agreement of the people, where the curves differ."""
    head = [
        "first", "second", "curve", "unit", "measure", "test", "differs at (% of the cycle)", "people first",
        "people second", "mean first", "sd first", "mean second", "sd second", "difference", "difference low",
        "difference high", "g", "effect low", "effect high", "p", "p Holm", "r of mean curves", "agreement lower",
        "agreement upper",
    ]  # fmt: skip
    rows: list[list[str]] = []
    values: list[list[float]] = []
    for pair in found.pairs:
        one = pair.comparison
        for c, name in enumerate(found.names):
            size, limits = pair.effects[c], _limits(pair, c, found.options.measure)
            rows.append([pair.first.name, pair.second.name, name, found.units[c], found.options.measure,
                         one.options.test_name, one.differs_at(c)])  # fmt: skip
            values.append([
                *map(float, one.n[c]), one.mean[c, 0], one.sd[c, 0], one.mean[c, 1], one.sd[c, 1], size.difference,
                size.low, size.high, size.g, size.g_low, size.g_high, one.p[c], one.p_holm[c], one.pearson[c], *limits,
            ])  # fmt: skip
    return table_text(head, rows, np.array(values))


def _limits(pair: PairOfLevels, c: int, measure: str) -> tuple[float, float]:
    """Limits of agreement of Bland and Altman of the second with the first, over people; NaN unless they are paired."""
    if not pair.paired:
        return NAN, NAN
    a, b = (one.means.measures[measure][:, c] for one in (pair.first, pair.second))
    both = np.isfinite(a) & np.isfinite(b)
    if both.sum() < 3:
        return NAN, NAN
    agreed = bland_altman(a[both], b[both], 0.05)
    return float(agreed.lower[0]), float(agreed.upper[0])


def _curves_csv(found: StudyComparison) -> str:
    """Mean, standard deviation and band of confidence over people of every curve in every level."""
    names: list[str] = []
    columns: list[FloatArray] = []
    for level in found.levels:
        for c, (name, unit) in enumerate(zip(found.names, found.units, strict=True)):
            curves = level.means.curves[:, :, c]
            curves = curves[np.isfinite(curves).all(axis=1)]
            names += [f"{level.name}: {name} {what} [{unit}]" for what in ("mean", "sd", "low", "high")]
            empty = np.full(len(level.means.percent), NAN)
            mean = curves.mean(axis=0) if len(curves) else empty
            sd = curves.std(axis=0, ddof=1) if len(curves) > 1 else empty
            band = mean_band(curves, 1.0 - found.options.alpha) if len(curves) >= FEWEST_CURVES else None
            columns += [mean, sd, *((empty, empty) if band is None else (band.low, band.high))]
    percent = [[f"{one:g}"] for one in found.levels[0].means.percent]
    return table_text(["percent", *names], percent, np.stack(columns, axis=1))


def correlation_csv(found: StudyComparison) -> str | None:
    """Pearson's r of mean curves, a row for each joint and a column for each component ([Nunes2017] Table 5.11).

    None of other tables than loads.
    """
    if found.table != "loads":
        return None
    words = [_parts(name) for name in found.names]
    components = tuple(dict.fromkeys(component for _, component in words))
    rows, values = [], []
    for pair in found.pairs:
        for joint in dict.fromkeys(joint for joint, _ in words):
            r = dict(zip(words, pair.comparison.pearson, strict=True))
            rows.append([pair.first.name, pair.second.name, joint])
            values.append([float(r.get((joint, component), NAN)) for component in components])
    return table_text(["first", "second", "joint", *components], rows, np.array(values))


def _parts(name: str) -> tuple[str, str]:
    """Joint and component of a load: "right knee flexion moment" -> "right knee", "flexion moment"."""
    words = name.split()
    joint = 2 if words[0] in ("right", "left") else 1
    return " ".join(words[:joint]), " ".join(words[joint:])


def vectors_csv(found: StudyComparison) -> str | None:
    """Agreement of levels in space, for force and moment of each joint ([Nunes2017] appendix A).

    The mean over the cycle of the three components is one vector of each person. Differences of the second from the
    first level are expected within bias ± z SD of each axis, and as vectors within the ellipsoid about the bias. None
    for other tables than loads, and where fewer than four people are paired.
    """
    if found.table != "loads":
        return None
    rows: list[list[str]] = []
    values: list[list[float]] = []
    for pair in found.pairs:
        if not pair.paired:
            continue
        first, second = (one.means.measures["mean"] for one in (pair.first, pair.second))
        for (joint, what), columns in _vectors(found.names).items():
            a, b = first[:, columns], second[:, columns]
            if np.isfinite(a + b).all(axis=1).sum() < FEWEST_PAIRS:
                continue
            agreed = vector_agreement(a, b)
            axes = agreed.axes
            rows.append([pair.first.name, pair.second.name, joint, what, found.units[columns[0]],
                         str(len(axes.difference))])  # fmt: skip
            values.append([*axes.bias, *axes.sd, *axes.lower, *axes.upper, agreed.box_inside, agreed.box_expected,
                           agreed.chi2.inside, agreed.chi2.expected])  # fmt: skip
    if not rows:
        return None
    parts = [f"{name} {axis}" for name in ("bias", "sd", "lower limit", "upper limit") for axis in ("1", "2", "3")]
    shares = ["share in the box", "expected in the box", "share in the ellipsoid", "expected in the ellipsoid"]
    return table_text(["first", "second", "joint", "load", "unit", "people", *parts, *shares], rows, np.array(values))


def _vectors(names: Sequence[str]) -> dict[tuple[str, str], list[int]]:
    """Joint and load -> the numbers of its three components, in their order."""
    found: dict[tuple[str, str], list[int]] = {}
    for c, name in enumerate(names):
        joint, component = _parts(name)
        found.setdefault((joint, component.rpartition(" ")[2]), []).append(c)
    return {key: columns for key, columns in found.items() if len(columns) == 3}


def _together_csv(found: StudyComparison) -> str:
    """Test of all levels together: the largest F of each curve and its probability."""
    rows, values = [], []
    for c, test in enumerate(found.together):
        rows.append([found.names[c], found.units[c]])
        known = test is not None and np.isfinite(test.F).any()
        values.append(
            [float(np.nanmax(test.F)), float(np.nanmin(test.p))] if known and test is not None else [NAN, NAN]
        )
    return table_text(["curve", "unit", "largest F", "p"], rows, np.array(values))
