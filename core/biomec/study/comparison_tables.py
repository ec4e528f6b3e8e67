"""Comparisons of a study as tables for people: every curve with intervals, and what the tests rest on."""

from __future__ import annotations

import numpy as np

from biomec.reporting.statistics.load_comparison import LoadComparison, probability
from biomec.reporting.tables import NOTHING, Table, number, with_spread
from biomec.study.comparison import PairOfLevels, StudyComparison
from biomec.study.group_curves import UNITS

SOURCES = {
    "Holm1979": "S. Holm. A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics "
    "6:65–70, 1979.",
    "Hedges1981": "L. V. Hedges. Distribution theory for Glass’s estimator of effect size and related estimators. "
    "Journal of Educational Statistics 6:107–128, 1981.",
    "CummingFinch2001": "G. Cumming, S. Finch. A primer on the understanding, use, and calculation of confidence "
    "intervals that are based on central and noncentral distributions. Educational and Psychological Measurement "
    "61:532–574, 2001.",
    "NicholsHolmes2002": "T. E. Nichols, A. P. Holmes. Nonparametric permutation tests for functional neuroimaging: a "
    "primer with examples. Human Brain Mapping 15:1–25, 2002.",
}
"""Key, as sentences about tests name it -> what a reader cites."""


def comparison_table(pair: PairOfLevels, found: StudyComparison) -> Table:
    """Every curve: measure of both levels, difference and effect with intervals, p, and where whole curves differ."""
    one, measure = pair.comparison, found.options.measure
    rows = []
    for c, (name, unit) in enumerate(zip(found.names, found.units, strict=True)):
        (a, b), (sa, sb), size = one.mean[c], one.sd[c], pair.effects[c]
        if not np.isfinite(one.mean[c]).any():
            continue
        digits = _digits(max(abs(value) for value in (a, b) if np.isfinite(value)))
        n = "/".join(str(int(k)) for k in dict.fromkeys(one.n[c].tolist()))
        rows.append(
            (
                f"{name[:1].upper()}{name[1:]} [{UNITS.get(unit, unit)}]",
                n,
                with_spread(a, sa, digits),
                with_spread(b, sb, digits),
                _between(size.difference, size.low, size.high, digits),
                _between(size.g, size.g_low, size.g_high, 2),
                _whole(probability(float(one.p[c]))),
                _whole(probability(float(one.p_holm[c]))),
                _where(one, c),
            )
        )
    columns = ("Curve", "n", pair.first.name, pair.second.name, "Difference", "Hedges' g", "p", "p (Holm)",
               "Curves differ at [%]")  # fmt: skip
    level = f"{100 * (1 - found.options.alpha):g} %"
    note = (
        f"{measure.capitalize()} of each cycle, mean ± SD over people ({pair.sample}). {one.options.test_name}; in "
        f"brackets the {level} interval. The last column: permutation test of whole curves."
    )
    return Table(f"{pair.title}: {found.table}", columns, tuple(rows), note)


def together_table(found: StudyComparison) -> Table | None:
    """Tests of more than two levels together; None where there are two, or too few people."""
    rows = []
    for name, unit, test in zip(found.names, found.units, found.together or (None,) * len(found.names), strict=True):
        if test is not None and np.isfinite(test.F).any():
            label = f"{name[:1].upper()}{name[1:]} [{UNITS.get(unit, unit)}]"
            rows.append((label, number(float(np.nanmax(test.F)), 2), probability(float(np.nanmin(test.p)))))
    if not rows:
        return None
    note = "Permutation test of whole curves, largest F over the cycle."
    return Table(f"All {len(found.levels)} together: {found.table}", ("Curve", "Largest F", "p"), tuple(rows), note)


def sources_of(sentences: tuple[str, ...]) -> tuple[str, ...]:
    """What the sentences cite, in full, each once and in their order."""
    text = " ".join(sentences)
    keys = sorted((key for key in SOURCES if f"[{key}]" in text), key=text.index)
    return tuple(f"[{key}] {SOURCES[key]}" for key in keys)


def _where(one: LoadComparison, c: int) -> str:
    """Where in the cycle the curves differ; a test that cannot find anything has not found that they are alike."""
    test = one.curves[c]
    return "too few to tell" if test is not None and test.least_p > one.options.alpha else one.differs_at(c)


def _whole(text: str) -> str:
    """A text that is not broken into lines."""
    return text.replace(" ", "\u00a0")


def _between(value: float, low: float, high: float, digits: int) -> str:
    """A value and its interval: "5.2 (3.1 to 7.3)"."""
    if not np.isfinite(value):
        return NOTHING
    inside = f" ({number(low, digits)} to {number(high, digits)})" if np.isfinite([low, high]).all() else ""
    return f"{number(value, digits)}{inside}"


def _digits(size: float) -> int:
    """Digits after the point that leave three or four of a number of that size."""
    return 0 if size >= 1000.0 else 1 if size >= 10.0 else 2 if size >= 1.0 else 3
