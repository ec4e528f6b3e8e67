"""GDI*: the Gait Profile Score on the scale of the Gait Deviation Index, from a norm alone.

    GDI* = 100 − 10 (ln GPS − A) / B          GPS = exp(A + B (100 − GDI*) / 10)

A and B are the mean and the standard deviation of ln GPS over the limbs of the norm, each against the other people:
100 is the norm's mean, 10 points are one standard deviation [SchwartzBaker2013]. The Gait Deviation Index itself
[SchwartzRozumalski2008] needs feature vectors that may not be passed on; the authors give GDI* = 1.1 GDI − 6.6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, warning
from biomec.reporting.indices.profile_score import NINE, ProfileScore, at_51, profile_score

FEWEST_LIMBS = 20  # for a norm that scores may be judged by [GaitReference2023]
ENOUGH_LIMBS = 90  # for GDI, whose scale rests on a standard deviation [GaitReference2023]


@dataclass(frozen=True)
class ProfileReference:
    """What the people of a norm score against each other.

    limbs     : how many, right and left counted apart; 0 where it is not published
    log_mean, log_sd : A and B, mean and sample standard deviation of ln GPS [ln °]
    variables : curve -> mean score of these people [°]
    """

    name: str
    limbs: int
    log_mean: float
    log_sd: float
    variables: Mapping[str, float]
    source: str = ""


@dataclass(frozen=True)
class GdiStar:
    """GDI* of one side.

    value : mean over cycles; None where the norm is too small for it
    sd    : sample standard deviation over cycles; NaN for fewer than two
    limbs : of the norm, to be printed with it
    """

    value: float | None
    sd: float
    limbs: int
    notices: tuple[Notice, ...] = ()

    @property
    def text(self) -> str:
        """How it is printed; never as "GDI"."""
        return "–" if self.value is None else f"GDI* {self.value:.0f} (n = {self.limbs})"


def gdi_star_of(gps_deg: ArrayLike, reference: ProfileReference) -> FloatArray:
    """GDI* of Gait Profile Scores of a side, nine curves [°]."""
    return np.asarray(100.0 - 10.0 * (np.log(np.asarray(gps_deg, float)) - reference.log_mean) / reference.log_sd)


def gps_of(gdi_star: ArrayLike, reference: ProfileReference) -> FloatArray:
    """Gait Profile Score [°] of values of GDI*."""
    return np.asarray(np.exp(reference.log_mean + reference.log_sd * (100.0 - np.asarray(gdi_star, float)) / 10.0))


def gdi_star(score: ProfileScore, reference: ProfileReference) -> GdiStar:
    """GDI* of a side: none from a norm of fewer than 20 limbs, with a warning below 90."""
    if set(score.names) != set(NINE):
        raise BiomecError("GDI* is made from the nine curves of the Gait Profile Score, pelvis included.")
    if reference.limbs < FEWEST_LIMBS:
        sentence = f"The norm {reference.name} has {reference.limbs} limbs; GDI* needs {FEWEST_LIMBS}. GPS is given."
        return GdiStar(None, float("nan"), reference.limbs, (warning("norm-too-small", sentence),))
    values = gdi_star_of(score.score, reference)
    values = values[np.isfinite(values)]
    notices: tuple[Notice, ...] = ()
    if reference.limbs < ENOUGH_LIMBS:
        sentence = (
            f"GDI* rests on {reference.limbs} limbs of {reference.name}; below {ENOUGH_LIMBS} its scale is uncertain."
        )
        notices = (warning("norm-small", sentence),)
    if not values.size:
        return GdiStar(None, float("nan"), reference.limbs, notices)
    sd = float(values.std(ddof=1)) if values.size > 1 else float("nan")
    return GdiStar(float(values.mean()), sd, reference.limbs, notices)


def leave_one_out(people: Sequence[str], curves: Mapping[str, ArrayLike], names: Sequence[str] = NINE) -> ProfileScore:
    """Scores of every limb of a norm against the mean of all limbs of other people, as a new person would be seen.

    people : (L,) whose limb it is;  curves : name -> (L, N) [°]
    """
    who = np.asarray(people)
    data = {name: at_51(curves[name]) for name in names}
    if len(set(people)) < 2 or any(len(rows) != len(who) for rows in data.values()):
        raise BiomecError("A norm scores its people against the others: it needs two of them, and every curve of each.")
    variables, score = np.empty((len(who), len(names))), np.empty(len(who))
    for k, person in enumerate(people):
        others = who != person
        one = profile_score(
            {name: data[name][k] for name in names}, {name: data[name][others].mean(axis=0) for name in names}, names
        )
        variables[k], score[k] = one.variables[0], one.score[0]
    return ProfileScore(tuple(names), read_only(variables), read_only(score))


def profile_reference(
    name: str, people: Sequence[str], curves: Mapping[str, ArrayLike], names: Sequence[str] = NINE
) -> ProfileReference:
    """Make a reference from the single curves of a norm: those of a laboratory's own people, for instance."""
    scores = leave_one_out(people, curves, names)
    logs = np.log(scores.score)
    means = dict(zip(names, scores.variables.mean(axis=0).tolist(), strict=True))
    return ProfileReference(name, len(logs), float(logs.mean()), float(logs.std(ddof=1)), FrozenDict(means))


def _means(*degrees: float) -> Mapping[str, float]:
    return FrozenDict(dict(zip(NINE, degrees, strict=True)))


REFERENCES: Mapping[str, ProfileReference] = FrozenDict(
    {
        "children-dixon2017": ProfileReference(
            "children-dixon2017", 24, 1.6905, 0.2476, _means(5.47, 2.05, 3.73, 6.73, 3.09, 7.72, 5.01, 3.91, 6.69),
            "12 children, computed by `profile_reference` from the recordings of the norm set",
        ),
        "adults-fukuchi2018": ProfileReference(
            "adults-fukuchi2018", 84, 1.5539, 0.3099, _means(4.64, 1.79, 2.52, 6.52, 2.66, 5.66, 5.11, 3.44, 5.38),
            "42 adults, computed by `profile_reference` from the curves of the norm set",
        ),
        "gillette": ProfileReference(
            "gillette", 0, 1.677, 0.263, FrozenDict({}), "control children of [SchwartzBaker2013]"
        ),
    }
)  # fmt: skip
"""Name of a norm set -> its reference, in figures; single curves of people are not part of Biomec."""
