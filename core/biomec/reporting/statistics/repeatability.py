"""How well measurements repeat: curves by the coefficient of multiple correlation, values by ICC, SEM and MDC.

Curves Y of N_i cycles in each of M sessions, at T samples [Kadaba1989]:

    within sessions    CMC² = 1 − [Σ (Y_ijt − Ȳ_it)² / Σ_i T (N_i − 1)] / [Σ (Y_ijt − Ȳ_i)² / Σ_i (N_i T − 1)]
    between sessions   CMC² = 1 − [Σ (Y_ijt − Ȳ_t)² / T (N − 1)]        / [Σ (Y_ijt − Ȳ)² / (N T − 1)],   N = Σ N_i

It is not defined where the difference is negative: cycles then differ by more than the curve itself moves. It says
nothing about degrees, so that the mean standard deviation stands beside it.

Values of n people, each measured k times, by the mean squares of people BMS, occasions JMS and the rest EMS
[ShroutFleiss1979]:

    ICC(2,1) = (BMS − EMS) / (BMS + (k − 1) EMS + k (JMS − EMS) / n)      SEM = √EMS      MDC95 = 1.96 √2 SEM
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError

DETECTABLE = 1.96 * math.sqrt(2.0)  # MDC95 in standard errors of measurement


@dataclass(frozen=True)
class CurveRepeatability:
    """CMC, NaN where it is not defined, and mean standard deviation over the cycle, in the unit of the curve."""

    cmc: float
    mean_sd: float
    cycles: int
    sessions: int


def within_sessions(sessions: Sequence[ArrayLike]) -> CurveRepeatability:
    """Repeatability of the cycles (N_i, T) of each session about the mean of that session; at least two in one."""
    parts = _checked(sessions)
    samples = parts[0].shape[1]
    apart = sum(float(((one - one.mean(axis=0)) ** 2).sum()) for one in parts)
    whole = sum(float(((one - one.mean()) ** 2).sum()) for one in parts)
    freedom = sum(samples * (len(one) - 1) for one in parts)
    if not freedom:
        raise BiomecError("Repeatability within a session needs two cycles of one session at least.")
    mean_sd = float(np.mean([one.std(axis=0, ddof=1).mean() for one in parts if len(one) > 1]))
    cmc = _root(apart / freedom, whole / sum(len(one) * samples - 1 for one in parts))
    return CurveRepeatability(cmc, mean_sd, sum(map(len, parts)), len(parts))


def between_sessions(sessions: Sequence[ArrayLike]) -> CurveRepeatability:
    """Repeatability of the cycles of all sessions about their common mean; at least two sessions."""
    parts = _checked(sessions)
    if len(parts) < 2:
        raise BiomecError(f"Repeatability between sessions needs two at least; there is {len(parts)}.")
    every = np.concatenate(parts)
    apart = float(((every - every.mean(axis=0)) ** 2).sum()) / (every.shape[1] * (len(every) - 1))
    whole = float(((every - every.mean()) ** 2).sum()) / (every.size - 1)
    return CurveRepeatability(_root(apart, whole), float(every.std(axis=0, ddof=1).mean()), len(every), len(parts))


def _checked(sessions: Sequence[ArrayLike]) -> list[FloatArray]:
    parts = [np.atleast_2d(np.asarray(one, dtype=np.float64)) for one in sessions]
    if not parts or any(one.size == 0 or one.shape[1] != parts[0].shape[1] for one in parts):
        raise BiomecError("Repeatability needs curves of one length in every session.")
    if parts[0].shape[1] < 2 or not all(np.isfinite(one).all() for one in parts):
        raise BiomecError("Repeatability needs whole curves of two samples at least, without missing values.")
    return parts


def _root(apart: float, whole: float) -> float:
    """√(1 − apart / whole); NaN where that is not a number."""
    if not whole > 0.0 or apart > whole:
        return math.nan
    return math.sqrt(1.0 - apart / whole)


@dataclass(frozen=True)
class Reliability:
    """Reliability of a value; SEM and MDC95 are in its unit.

    icc : ICC(2,1), of single measurements by occasions drawn at random; NaN where nothing varies
    """

    icc: float
    sem: float
    mdc95: float
    people: int
    occasions: int


def reliability(values: ArrayLike) -> Reliability:
    """ICC(2,1), SEM and MDC95 of values (n, k): people in rows, occasions in columns, none missing."""
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 2 or min(x.shape) < 2 or not np.isfinite(x).all():
        raise BiomecError(
            "Reliability needs values of two people at least, each measured twice or more, without gaps; "
            f"the table is {' × '.join(map(str, x.shape))}."
        )
    n, k = x.shape
    people, occasions, grand = x.mean(axis=1), x.mean(axis=0), x.mean()
    between = k * float(((people - grand) ** 2).sum()) / (n - 1)
    by_occasion = n * float(((occasions - grand) ** 2).sum()) / (k - 1)
    rest = float(((x - people[:, None] - occasions + grand) ** 2).sum()) / ((n - 1) * (k - 1))
    total = between + (k - 1) * rest + k * (by_occasion - rest) / n
    sem = math.sqrt(rest)
    return Reliability((between - rest) / total if total > 0.0 else math.nan, sem, DETECTABLE * sem, n, k)
