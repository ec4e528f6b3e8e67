"""Gait Variable Scores, Movement Analysis Profile and Gait Profile Score; the same for any list of curves.

    GVS_v  = √( 1/51 Σ_t (x_v(t) − x̄_v(t))² )     [°]     of one curve, 51 points, x̄ the mean of a norm
    GPS    = √( 1/9 Σ_v GVS_v² )                    of a side, over its own cycle, pelvis included
    GPS    = √( 1/15 Σ GVS² )                       of both: pelvis once, of the left cycle; the other six of each side

[Baker2009], equations in [Baker2012]. All are computed for every cycle and then averaged over cycles. Curves are in
clinical signs, those of the norm. For a movement without a norm the same formulas give the distance from the other
side, an earlier visit or a group; such a distance has no clinically important difference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.body.loads.load_statistics import mean_and_deviation
from biomec.reporting.tables import NOTHING, Table, number, with_spread

PELVIS = ("pelvis tilt", "pelvis obliquity", "pelvis rotation")
LEG = ("hip flexion", "hip adduction", "hip rotation", "knee flexion", "ankle dorsiflexion", "foot progression")
NINE = (*PELVIS, *LEG)
"""The curves of the Gait Profile Score, in the order of its profile."""
POINTS = 51  # every 2 % of the cycle
IMPORTANT_DEG = 1.6  # least clinically important difference of GPS [Baker2012]
DETECTABLE_DEG = 1.3  # smallest detectable change of GPS [GaitReference2023]


@dataclass(frozen=True, eq=False)
class ProfileScore:
    """Scores of one side, or of one list of curves; arrays are read-only, NaN where a cycle misses a curve.

    names     : (V,) of the curves
    variables : (K, V) Gait Variable Score of every cycle [°]
    score     : (K,) Gait Profile Score of every cycle [°]
    """

    names: tuple[str, ...]
    variables: FloatArray
    score: FloatArray

    @property
    def mean(self) -> float:
        """Score, mean over cycles [°]."""
        return float(mean_and_deviation(self.score)[0])

    @property
    def sd(self) -> float:
        """Sample standard deviation of the score over cycles [°]; NaN for fewer than two."""
        return float(mean_and_deviation(self.score)[1])

    @property
    def cycles(self) -> int:
        """Cycles behind the mean."""
        return int(np.isfinite(self.score).sum())

    def variable(self, name: str) -> tuple[float, float]:
        """Mean and standard deviation over cycles of the score of one curve [°]."""
        mean, sd = mean_and_deviation(self.variables[:, self.names.index(name)])
        return float(mean), float(sd)


def variable_score(curves: ArrayLike, norm: ArrayLike) -> FloatArray:
    """Root mean square difference (K,) of curves (K, N) from the mean of a norm (N,), N = 51 or 101 [°].

    Of 101 points every second one is taken. Differences are taken the short way round.
    """
    apart = at_51(curves) - at_51(norm)
    apart = (apart + 180.0) % 360.0 - 180.0
    return np.asarray(np.sqrt(np.mean(apart**2, axis=-1)))


def profile_score(
    curves: Mapping[str, ArrayLike], norm: Mapping[str, ArrayLike], names: Sequence[str] = NINE
) -> ProfileScore:
    """Scores of the cycles of one side.

    curves : name -> (K, N) [°];  norm : name -> mean (N,) [°];  N is 51 or 101
    names  : which curves count, those of the Gait Profile Score if nothing else is said
    """
    for what, there in (("the recording", curves), ("the norm", norm)):
        absent = [name for name in names if name not in there]
        if absent:
            raise BiomecError(f"The profile score needs {', '.join(absent)}, which {what} does not have.")
    columns = [variable_score(np.atleast_2d(np.asarray(curves[name], float)), norm[name]) for name in names]
    if len({len(column) for column in columns}) > 1:
        raise BiomecError("The profile score needs all curves of the same cycles.")
    variables = np.stack(columns, axis=1)
    return ProfileScore(tuple(names), read_only(variables), read_only(_root_mean_square(variables)))


def only(score: ProfileScore, names: Sequence[str]) -> ProfileScore:
    """The score over some of its curves: `LEG` gives a side without the pelvis, as some programs do for the right."""
    at = [score.names.index(name) for name in names]
    variables = score.variables[:, at]
    return ProfileScore(tuple(names), read_only(variables), read_only(_root_mean_square(variables)))


def overall_score(right: ProfileScore, left: ProfileScore) -> float:
    """Gait Profile Score of both sides, over 15 curves, the pelvis that of the left cycle [°].

    Cycles of right and left are not pairs: it is the mean over every left with every right cycle.
    """
    squares_left = (left.variables**2).sum(axis=1)
    squares_right = (only(right, LEG).variables ** 2).sum(axis=1)
    both = np.sqrt((squares_left[:, None] + squares_right[None, :]) / (len(NINE) + len(LEG)))
    return float(np.mean(both[np.isfinite(both)])) if np.isfinite(both).any() else float("nan")


def movement_analysis_profile(
    right: ProfileScore | None,
    left: ProfileScore | None,
    healthy: Mapping[str, float] | None = None,
    *,
    six_right: bool = False,
) -> Table:
    """Movement Analysis Profile: score of every curve, right and left, and the Gait Profile Score [°].

    healthy   : name -> mean score of the norm's own people, the grey part of the bars
    six_right : the score of the right side leaves the pelvis out, which is counted with the left: Visual3D's way
    """
    sides = (right, left)
    names = next((side.names for side in sides if side is not None), NINE)
    whole_right = right
    if six_right and right is not None and set(LEG) <= set(names):
        right = only(right, LEG)
    rows = [
        (
            name[0].upper() + name[1:],
            *(NOTHING if side is None else with_spread(*side.variable(name)) for side in sides),
            NOTHING,
            number((healthy or {}).get(name)),
        )
        for name in names
    ]
    scores = [NOTHING if side is None else with_spread(side.mean, side.sd) for side in (right, left)]
    both = NOTHING
    if whole_right is not None and left is not None and set(NINE) <= set(names):
        both = number(overall_score(whole_right, left))
    rows.append(("Gait Profile Score", *scores, both, NOTHING))
    note = (
        "Root mean square difference from the mean of the norm over the side's own cycle, 51 points; mean ± SD over "
        f"cycles [°]. {_counted(right, names)} that of both sides 15 with the pelvis of the left "
        f"cycle. A change of {IMPORTANT_DEG:g}° matters to patients; one below {DETECTABLE_DEG:g}° may be chance."
    )
    columns = ("", "Right [°]", "Left [°]", "Both [°]", "Norm's people [°]")
    return Table("Movement Analysis Profile", columns, tuple(rows), note)


def _counted(right: ProfileScore | None, names: Sequence[str]) -> str:
    """How many curves the scores of the sides have."""
    if right is not None and len(right.names) < len(names):
        return f"As in Visual3D, the score of the left side has {len(names)} curves, of the right {len(right.names)},"
    return f"The score of a side has {len(names)} curves,"


def at_51(curves: ArrayLike) -> FloatArray:
    """Curves (…, 51) at every 2 % of the cycle, from 51 or 101 points."""
    x = np.asarray(curves, dtype=np.float64)
    if x.ndim == 0 or x.shape[-1] not in (POINTS, 2 * POINTS - 1):
        count = x.shape[-1] if x.ndim else 1
        raise BiomecError(f"Profile scores take curves of {POINTS} or {2 * POINTS - 1} points, not of {count}.")
    return x if x.shape[-1] == POINTS else x[..., ::2]


def _root_mean_square(variables: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt(np.mean(variables**2, axis=1)))
