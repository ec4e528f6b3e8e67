"""Where curves differ, in words that name the test, so that a reader can cite it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.reporting.statistics.curve_permutation import CurveTest
from biomec.reporting.statistics.curve_variance import ConditionTest
from biomec.reporting.tables import number
from biomec.signals.stretches import stretches

METHOD = "permutation test of whole curves, {statistic}, {exchanges} exchanges [NicholsHolmes2002]"
OF_CYCLES = "The test is about these cycles only, not about people; it does not decide alone."


@dataclass(frozen=True)
class Stretch:
    """A stretch of the cycle in which curves differ.

    first, last : its ends [%];  p : the least probability in it
    at, largest : where the difference is largest [%], and how large
    low, high   : band of that difference which holds for the whole curve at once; NaN where it is not known
    """

    first: float
    last: float
    p: float
    at: float
    largest: float
    low: float
    high: float


def stretches_of(test: CurveTest, difference: ArrayLike, alpha: float = 0.05) -> tuple[Stretch, ...]:
    """Stretches in which two sets of curves differ; ``difference`` (N,): mean of the second less that of the first.

    Where t is known, the standard error is difference / t, and the band difference ± critical t times it.
    """
    return tuple(_stretch(test, difference, first, stop) for first, stop in stretches(test.different(alpha)))


def whole_cycle(test: CurveTest, difference: ArrayLike) -> Stretch:
    """The same of the whole cycle, whether it differs or not."""
    return _stretch(test, difference, 0, len(test.t))


def _stretch(test: CurveTest, difference: ArrayLike, first: int, stop: int) -> Stretch:
    d = np.asarray(difference, dtype=np.float64)
    percent = np.linspace(0.0, 100.0, len(d))
    at = first + int(np.argmax(np.abs(d[first:stop])))
    t = float(test.t[at])
    half = test.critical * abs(d[at] / t) if np.isfinite(t) and t != 0.0 else float("nan")
    p = test.p[first:stop]
    return Stretch(
        float(percent[first]), float(percent[stop - 1]), float(np.nanmin(p)) if np.isfinite(p).any() else 1.0,
        float(percent[at]), float(d[at]), float(d[at] - half), float(d[at] + half),
    )  # fmt: skip


def in_words(
    test: CurveTest, difference: ArrayLike, unit: str, alpha: float = 0.05, paired: bool = False, cycles: bool = False
) -> tuple[str, ...]:
    """Sentences about where two sets of curves differ, the last of which names the test.

    cycles : the curves are cycles of one person, so that nothing follows for others
    """
    found = stretches_of(test, difference, alpha)
    sentences = [
        f"{ends(one.first, one.last)}, p = {p_words(one.p)}: largest difference {number(one.largest, 1)} "
        f"{unit} at {one.at:.0f} %{_band(one, unit, alpha)}."
        for one in found
    ]
    if not found:
        sentences.append(f"No stretch of the cycle differs (α = {alpha:g}).")
    if test.least_p > alpha:
        sentences.append(
            f"So few curves can never differ at α = {alpha:g}; the least p they can give is {test.least_p:.2g}."
        )
    statistic = f"largest |t|, {'paired' if paired else 'two samples'}"
    sentences.append(f"By {METHOD.format(statistic=statistic, exchanges=test.exchanges)}, α = {alpha:g}.")
    return (*sentences, OF_CYCLES) if cycles else tuple(sentences)


def conditions_in_words(test: ConditionTest, alpha: float = 0.05) -> tuple[str, ...]:
    """Sentences about where more than two conditions differ, the last of which names the test."""
    percent = np.linspace(0.0, 100.0, len(test.F))
    sentences = [
        f"{ends(float(percent[first]), float(percent[stop - 1]))}, p = {p_words(float(test.p[first:stop].min()))}."
        for first, stop in stretches(test.different(alpha))
    ] or [f"No stretch of the cycle differs (α = {alpha:g})."]
    method = METHOD.format(statistic="largest F within people", exchanges=test.exchanges)
    return (*sentences, f"By {method}, α = {alpha:g}.")


def ends(first: float, last: float) -> str:
    """Ends of a stretch, such as "32–47 %"."""
    return f"{first:.0f} %" if first == last else f"{first:.0f}–{last:.0f} %"


def p_words(p: float) -> str:
    """A probability with two digits."""
    return f"{p:.2g}" if p < 0.01 else f"{p:.2f}"


def _band(one: Stretch, unit: str, alpha: float) -> str:
    if not np.isfinite(one.low):
        return ""
    return f" ({100.0 * (1.0 - alpha):g} % band {number(one.low, 1)} to {number(one.high, 1)} {unit})"


def difference_of(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Mean (N,) of curves (K2, N) less that of curves (K1, N)."""
    return np.asarray(np.mean(np.asarray(second, float), axis=0) - np.mean(np.asarray(first, float), axis=0))
