"""What muscles can pull a moment from now, and the excitations that make them pull a given force then.

    L(s) = L + L̇ s + ½ L̈ s²        0 ≤ s ≤ Δ, the path as a controller foresees it

The tendon's force after Δ rises with an excitation that stays for Δ: between those of the least and the greatest one,
regula falsi finds the excitation of any force [ThelenAnderson2006]. Fibres are stepped by the linearly implicit rule of
Euler, which their quick relaxation does not upset: good enough to foresee, and feedback mends the rest.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, for_loops
from biomec.base.compiled import compiled
from biomec.engine.forces.activation import activation_rate
from biomec.engine.forces.hill_curves import tendon_force
from biomec.engine.forces.hill_muscle import ElasticMuscle, HillParameters, elastic_rate
from biomec.engine.forces.muscle_kernels import least_fibre, one_muscle, rigid_pull
from biomec.engine.forces.muscles import HillMuscles

STEP_S = 1e-3  # at most
MOST = 20  # excitations that are tried
CLOSE = 1e-5  # of Fmax: a force that is found
NUDGE = 1e-6  # of lopt, for a slope


def forces_after(
    muscles: HillMuscles,
    y: FloatArray,
    length: FloatArray,
    speed: FloatArray,
    change: FloatArray,
    interval_s: float,
    excitation: FloatArray,
) -> FloatArray:
    """Forces (M,) [N] after an interval with excitations (M,), from states y; L, L̇, L̈ (M,) [m], [m/s], [m/s²]."""
    force = np.empty(muscles.count)
    _forces_after(
        muscles.muscles, for_loops(y), for_loops(length), for_loops(speed), for_loops(change), interval_s,
        for_loops(excitation), muscles.curves, muscles.elastic, force,
    )  # fmt: skip
    return force


def excitations_for(
    muscles: HillMuscles,
    y: FloatArray,
    length: FloatArray,
    speed: FloatArray,
    change: FloatArray,
    interval_s: float,
    target: FloatArray,
    lowest: float = 0.0,
) -> FloatArray:
    """Excitations (M,), from the lowest to 1, that make forces (M,) [N] after an interval; arguments as before."""
    excitation = np.empty(muscles.count)
    _excitations_for(
        muscles.muscles, for_loops(y), for_loops(length), for_loops(speed), for_loops(change), interval_s,
        for_loops(target), lowest, muscles.curves, muscles.elastic, excitation,
    )  # fmt: skip
    return excitation


def fibres_at_force(muscles: HillMuscles, length: FloatArray, force: FloatArray) -> FloatArray:
    """Fibre lengths (M,) over the optimal ones at which tendons pull forces (M,) [N] along paths (M,) [m]."""
    fibre = np.empty(muscles.count)
    _fibres_at_force(muscles.muscles, for_loops(length), for_loops(force), muscles.curves, fibre)
    return fibre


@compiled
def _after(
    one: ElasticMuscle, a: float, fibre: float, length: float, speed: float, change: float, interval: float,
    excitation: float, curves: int, elastic: bool,
) -> float:  # fmt: skip
    """Force [N] after an interval."""
    count = int(np.ceil(interval / STEP_S))
    h, least = interval / count, least_fibre(one)
    for k in range(count):
        s = (k + 1) * h
        middle = a + 0.5 * h * activation_rate(excitation, a)
        a = min(max(a + h * activation_rate(excitation, middle), 0.0), 1.0)
        if elastic:
            path = length + s * (speed + 0.5 * s * change)
            fibre = max(fibre, least)
            v, _ = elastic_rate(one, path, fibre, a, curves)
            further, _ = elastic_rate(one, path, fibre + NUDGE, a, curves)
            slope = min((further - v) / NUDGE, 0.0)
            fibre = max(fibre + h * one.vmax * v / (1.0 - h * one.vmax * slope), least)
    path = length + interval * (speed + 0.5 * interval * change)
    if elastic:
        _, force = elastic_rate(one, path, fibre, a, curves)
        return float(force)
    return float(rigid_pull(one, path, speed + interval * change, a, curves))


@compiled
def _forces_after(
    muscles: HillParameters, y: FloatArray, length: FloatArray, speed: FloatArray, change: FloatArray,
    interval: float, excitation: FloatArray, curves: int, elastic: BoolArray, force: FloatArray,
) -> None:  # fmt: skip
    M = length.size
    for m in range(M):
        force[m] = _after(
            one_muscle(muscles, m), y[m], y[M + m], length[m], speed[m], change[m], interval, excitation[m], curves,
            elastic[m],
        )  # fmt: skip


@compiled
def _excitations_for(
    muscles: HillParameters, y: FloatArray, length: FloatArray, speed: FloatArray, change: FloatArray,
    interval: float, target: FloatArray, lowest: float, curves: int, elastic: BoolArray, excitation: FloatArray,
) -> None:  # fmt: skip
    M = length.size
    for m in range(M):
        one = one_muscle(muscles, m)
        low, high = lowest, 1.0
        under = target[m] - _after(
            one, y[m], y[M + m], length[m], speed[m], change[m], interval, low, curves, elastic[m]
        )
        over = target[m] - _after(
            one, y[m], y[M + m], length[m], speed[m], change[m], interval, high, curves, elastic[m]
        )
        if under <= 0.0 or over >= 0.0:
            excitation[m] = low if under <= 0.0 else high
            continue
        tried, kept = low, 0
        for _ in range(MOST):
            tried = (low * over - high * under) / (over - under)
            off = target[m] - _after(
                one, y[m], y[M + m], length[m], speed[m], change[m], interval, tried, curves, elastic[m]
            )
            if abs(off) < CLOSE * one.fmax:
                break
            if off > 0.0:
                low, under = tried, off
                over *= 0.5 if kept == 1 else 1.0
                kept = 1
            else:
                high, over = tried, off
                under *= 0.5 if kept == -1 else 1.0
                kept = -1
        excitation[m] = tried


@compiled
def _fibres_at_force(
    muscles: HillParameters, length: FloatArray, force: FloatArray, curves: int, fibre: FloatArray
) -> None:
    """By halving: the tendon pulls less, the longer the fibre."""
    for m in range(length.size):
        one = one_muscle(muscles, m)
        low, high = least_fibre(one), 2.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            c = np.sqrt(max(1.0 - (np.sin(one.pennation) / middle) ** 2, 1e-12))
            pull, _ = tendon_force(curves, (length[m] - one.lopt * middle * c) / one.lts)
            if one.fmax * pull > force[m]:
                low = middle
            else:
                high = middle
        fibre[m] = 0.5 * (low + high)
