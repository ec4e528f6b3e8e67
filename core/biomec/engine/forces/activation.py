"""How activation follows excitation, and the excitation behind an activation.

    ȧ = [ (½ + f)/(τa (½ + 1.5 a)) + (½ − f)(½ + 1.5 a)/τd ] (e − a),   f = ½ tanh(b (e − a))       [DeGroote2016]

with τa = 15 ms, τd = 60 ms. The smoothing b = 10 keeps the two time constants apart; the printed 0.1 would blend them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError

RISE_S, FALL_S, SMOOTHING = 0.015, 0.060, 10.0
Excitation = Callable[[float], FloatArray]
"""Excitations (M,), 0 to 1, at a time [s]."""


@compiled
def activation_rate(excitation: float, activation: float) -> float:
    """ȧ [1/s] at an excitation and an activation between 0 and 1."""
    ahead = excitation - activation
    f = 0.5 * np.tanh(SMOOTHING * ahead)
    slower = 0.5 + 1.5 * activation
    return float(((0.5 + f) / (RISE_S * slower) + (0.5 - f) * slower / FALL_S) * ahead)


@compiled
def _excitations(activation: FloatArray, rate: FloatArray, excitation: FloatArray, reachable: BoolArray) -> None:
    for i in range(activation.size):
        a, wanted = activation[i], rate[i]
        if not (np.isfinite(a) and np.isfinite(wanted)):
            excitation[i], reachable[i] = np.nan, False
            continue
        low, high = 0.0, 1.0
        slowest, fastest = activation_rate(low, a), activation_rate(high, a)
        reachable[i] = slowest <= wanted <= fastest
        if not reachable[i]:
            excitation[i] = low if wanted < slowest else high
            continue
        for _ in range(60):  # halves the interval to 1e-18
            middle = 0.5 * (low + high)
            if activation_rate(middle, a) < wanted:
                low = middle
            else:
                high = middle
        excitation[i] = 0.5 * (low + high)


def excitation_behind(activation: FloatArray, change: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Excitation that changes an activation so fast, arrays of one shape [1/s], and whether there is one.

    ȧ(e) rises with e between 0 and 1. Beyond what it reaches there, the excitation is 0 or 1. NaN stays.
    """
    excitation, reachable = np.empty(activation.size), np.empty(activation.size, dtype=np.bool_)
    _excitations(np.ascontiguousarray(activation).ravel(), np.ascontiguousarray(change).ravel(), excitation, reachable)
    return read_only(excitation.reshape(activation.shape)), read_only(reachable.reshape(activation.shape), np.bool_)


def excitations(activation: FloatArray, rate_hz: float) -> tuple[FloatArray, BoolArray]:
    """Excitations (T, M) behind activations (T, M) sampled at ``rate_hz``, and whether a muscle can follow so fast.

    ȧ is the central difference, one-sided at the ends.
    """
    if len(activation) < 2:
        return read_only(activation), read_only(np.isfinite(activation), np.bool_)
    return excitation_behind(activation, np.gradient(activation, 1.0 / rate_hz, axis=0))


def constant(excitation: ArrayLike) -> Excitation:
    """Excitations (M,) that stay."""
    e = np.array(excitation, dtype=np.float64)
    return lambda t: e


def played(time_s: ArrayLike, excitation: ArrayLike) -> Excitation:
    """Excitations (T, M) known at times (T,), straight lines between them and constant outside."""
    times, values = np.asarray(time_s, dtype=np.float64), np.array(excitation, dtype=np.float64)
    if values.ndim != 2 or len(values) != len(times) or len(times) < 2 or not (np.diff(times) > 0.0).all():
        raise BiomecError("Excitations need rows (times, muscles) at times that increase, at least two.")
    if not np.isfinite(values).all():
        raise BiomecError("Excitations: all values must be numbers.")

    def at(t: float) -> FloatArray:
        k = min(max(int(np.searchsorted(times, t, "right")) - 1, 0), len(times) - 2)
        share = min(max((t - times[k]) / (times[k + 1] - times[k]), 0.0), 1.0)
        return np.asarray((1.0 - share) * values[k] + share * values[k + 1])

    return at
