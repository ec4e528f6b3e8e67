"""How far the loads of two methods are from each other, cycle by cycle: Tables 5.7 and 5.8 of [Nunes2017].

    error = mean over cycles i of ( Σ_j |f_NE − f_MB|_j / (N A_i) )                                     Eq. 5.46

of every component along the axes of the laboratory, j over the N frames of cycle i. The absolute error has A_i = 1, the
relative one the range of the mean of both methods in the cycle. Both methods solve the same equations, so that on one
motion they differ by rounding alone; where the multibody method keeps what the ribs bear, they differ on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray, read_only
from biomec.body.loads.load_statistics import mean_and_deviation
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_cycles import cycles_of_joint


@dataclass(frozen=True, eq=False)
class MethodErrors:
    """Errors of J joints; arrays are read-only, NaN for a joint without a cycle.

    force, torque : (J, 3) mean over cycles of the absolute error along X, Y, Z [N], [N m]; force_sd, torque_sd : its SD
    force_share, torque_share : (J, 3) mean relative error; force_share_sd, torque_share_sd : its SD
    cycles        : (J,) behind them
    """

    joints: tuple[str, ...]
    force: FloatArray
    force_sd: FloatArray
    force_share: FloatArray
    force_share_sd: FloatArray
    torque: FloatArray
    torque_sd: FloatArray
    torque_share: FloatArray
    torque_share_sd: FloatArray
    cycles: tuple[int, ...]


def cycle_errors(
    first: ArrayLike, second: ArrayLike, spans: Iterable[tuple[int, int]]
) -> tuple[FloatArray, FloatArray]:
    """Absolute and relative error (K, 3) of curves (T, 3) in every cycle; a range of zero has no relative error."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    absolute, relative = [], []
    for start, end in spans:
        u, v = a[start : end + 1], b[start : end + 1]
        error = np.abs(u - v).mean(axis=0)
        middle = 0.5 * (u + v)
        size = middle.max(axis=0) - middle.min(axis=0)
        absolute.append(error)
        relative.append(error / np.where(size > 0.0, size, np.nan))
    return np.reshape(absolute, (-1, 3)), np.reshape(relative, (-1, 3))


def method_errors(analysis: Analysis) -> MethodErrors:
    """Newton-Euler against multibody over the cycles that count for each joint. Cycles and loads must have run."""
    newton, multibody = analysis.loads.newton_euler, analysis.loads.multibody
    counts, parts = [], []
    for j, joint in enumerate(newton.joints):
        spans = [
            (int(first), int(last))
            for cycles in cycles_of_joint(analysis, joint).values()
            for first, last in cycles.spans[cycles.valid]
        ]
        counts.append(len(spans))
        row: list[FloatArray] = []
        for what in ("force", "torque"):
            for errors in cycle_errors(getattr(newton, what)[:, j], getattr(multibody, what)[:, j], spans):
                row += list(mean_and_deviation(errors)) if len(errors) else [np.full(3, np.nan)] * 2
        parts.append(row)
    names = [f"{what}{part}" for what in ("force", "torque") for part in ("", "_sd", "_share", "_share_sd")]
    columns = {name: read_only(np.reshape([row[k] for row in parts], (-1, 3))) for k, name in enumerate(names)}
    return MethodErrors(joints=newton.joints, cycles=tuple(counts), **columns)
