"""Where in the cycle the curves of visits differ, and by how much: tests over the cycles of one person.

Cycles of one person are not independent people, so that nothing follows for anything but these cycles.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.reporting.clinical.blocks import Words
from biomec.reporting.clinical.consistency import digits_of
from biomec.reporting.clinical.visit import SIDES, Visit, labels_of
from biomec.reporting.clinical_curves import OWN
from biomec.reporting.clinical_presentation import BY_NAME
from biomec.reporting.statistics.curve_permutation import CurveTest, curve_permutation
from biomec.reporting.statistics.group_variance import group_pairs, group_test
from biomec.reporting.statistics.stretch_words import (
    OF_CYCLES,
    Stretch,
    difference_of,
    ends,
    p_words,
    stretches_of,
    whole_cycle,
)
from biomec.reporting.tables import NOTHING, Table, number
from biomec.signals.stretches import stretches

ALPHA, EXCHANGES, SEED = 0.05, 1000, 0
NOWHERE, TOO_FEW, ANY = "nowhere", "too few cycles", "any of them"
Cells = tuple[str, str, str, str]  # where, p, largest difference, band
METHOD = (
    "Test of these cycles only: permutation test of whole curves, {statistic}, all exchanges of cycles between visits "
    f"or {EXCHANGES} at random [NicholsHolmes2002], α = {ALPHA:g}"
)
EACH = (
    "Each curve is a question of its own: of twenty curves that do not differ, about one is called different by chance."
)


def method_words(visits: Sequence[Visit]) -> Words:
    """What was tested, so that a reader can cite it, and what it does not say."""
    band = f"the {100 * (1 - ALPHA):g} % band by the same test holds for the whole curve at once"
    if len(visits) == 2:
        said = f"{METHOD.format(statistic='largest |t|, two samples')}; {band}."
    else:
        said = (
            f"{METHOD.format(statistic='largest F between visits')}. Where any visit differs, pairs follow by the "
            f"largest |t| of two samples, p after Holm [Holm1979]; {band} and for all pairs of a curve."
        )
    return Words((said, OF_CYCLES, EACH))


def difference_table(caption: str, visits: Sequence[Visit], names: Sequence[str], source: str = OWN) -> Table | None:
    """Stretches of the cycle in which the named curves differ, a row each; None where two visits share no curve."""
    labels = [label or "this visit" for label in labels_of(visits)]
    found = [one.cycles(source) for one in visits]
    pairwise = len(visits) == 2
    rows: list[tuple[str, ...]] = []
    for name in names:
        for side in SIDES:
            known = [k for k, one in enumerate(found) if (side, name) in one]
            if len(known) < 2:
                continue
            curves = [found[k][side, name].curves for k in known]
            about = (f"{BY_NAME[name].title}", side)
            digits = digits_of(BY_NAME[name].unit)
            counts = "/".join(str(len(found[k][side, name]) if k in known else 0) for k in range(len(visits)))
            if pairwise:
                rows += [(*about, counts, *cells) for cells in _two(curves, digits)]
            else:
                of = [labels[k] for k in known]
                rows += [(*about, counts, compared, *cells) for compared, cells in _more(curves, of, digits)]
    if not rows:
        return None
    compared = [] if pairwise else ["Compared"]
    columns = ("", "Side", "Cycles", *compared, "Where they differ", "p", "Largest difference", "95 % band")
    order = f"{labels[0]} less {labels[1]}" if pairwise else "first named less second"
    note = f"Cycles: {' / '.join(labels)}. Difference of the means: {order}."
    if not pairwise:
        note += (
            " Pairs that are not listed do not differ, or have too few cycles to tell. Bands are somewhat wider than "
            "Holm's method asks, so that one may reach zero where its pair differs."
        )
    return Table(caption, columns, tuple(rows), note)


def _two(curves: Sequence[FloatArray], digits: int) -> list[Cells]:
    """Rows of the first set of curves less the second."""
    now, before = curves
    difference = difference_of(before, now)
    if min(len(now), len(before)) < 2:
        at = int(np.argmax(np.abs(difference)))
        return [
            (TOO_FEW, NOTHING, _largest(float(difference[at]), 100.0 * at / (len(difference) - 1), digits), NOTHING)
        ]
    return _cells(curve_permutation(before, now, alpha=ALPHA, exchanges=EXCHANGES, seed=SEED), difference, digits)


def _more(curves: Sequence[FloatArray], labels: Sequence[str], digits: int) -> list[tuple[str, Cells]]:
    """Rows of the curves of several visits: where any differs, and then which."""
    if min(map(len, curves)) < 2:
        return [(ANY, (TOO_FEW, NOTHING, NOTHING, NOTHING))]
    test = group_test(curves, alpha=ALPHA, exchanges=EXCHANGES, seed=SEED)
    where = stretches(test.different(ALPHA))
    least = float(np.nanmin(test.p)) if np.isfinite(test.p).any() else 1.0
    if not len(where):
        word = NOWHERE if np.isfinite(test.critical) else TOO_FEW
        return [(ANY, (word, p_words(least), NOTHING, NOTHING))]
    percent = np.linspace(0.0, 100.0, len(test.F))
    named = ", ".join(ends(percent[first], percent[stop - 1]) for first, stop in where)
    rows = [(ANY, (named, p_words(least), NOTHING, NOTHING))]
    for pair in group_pairs(curves, alpha=ALPHA, exchanges=EXCHANGES, seed=SEED):
        difference = difference_of(curves[pair.second], curves[pair.first])
        words = f"{labels[pair.first]} less {labels[pair.second]}"
        found = stretches_of(pair.test, difference, ALPHA)
        rows += [(words, _row(ends(one.first, one.last), one, digits)) for one in found]
    return rows


def _cells(test: CurveTest, difference: FloatArray, digits: int) -> list[Cells]:
    """A row for each stretch that differs; one for the whole cycle where none does."""
    found = stretches_of(test, difference, ALPHA)
    if found:
        return [_row(ends(one.first, one.last), one, digits) for one in found]
    return [_row(NOWHERE if test.least_p <= ALPHA else TOO_FEW, whole_cycle(test, difference), digits)]


def _row(where: str, one: Stretch, digits: int) -> Cells:
    band = f"{number(one.low, digits)} to {number(one.high, digits)}" if np.isfinite(one.low) else NOTHING
    return where, p_words(one.p), _largest(one.largest, one.at, digits), band


def _largest(value: float, at: float, digits: int) -> str:
    return f"{number(value, digits)} at {at:.0f} %"
