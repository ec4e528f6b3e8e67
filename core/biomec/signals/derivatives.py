"""Derivatives in time of sampled signals, stretch by stretch between gaps."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import scipy
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.signals.stretches import as_channels, blocks, time_series


class Scheme(StrEnum):
    """How the slope between samples is taken."""

    CENTRAL = "central"  # differences of second order
    SPLINE = "spline"  # quintic spline through the samples
    NATURAL = "natural spline"  # quintic spline through the samples that ends as a parabola


SPLINE_DEGREE = 5  # its second derivative is a cubic spline, still smooth


def derivative(x: ArrayLike, rate_hz: float, order: int = 1, scheme: Scheme = Scheme.CENTRAL) -> FloatArray:
    """First or second derivative of ``x`` (T, …) in time, in its unit per s or s².

    Central differences of second order, h = 1/rate: ẋ_i = (x_{i+1} − x_{i−1}) / 2h and
    ẍ_i = (x_{i+1} − 2 x_i + x_{i−1}) / h²; at the ends of a stretch one-sided ones of the same order,
    ẋ_0 = (−3 x_0 + 4 x_1 − x_2) / 2h and ẍ_0 = (2 x_0 − 5 x_1 + 4 x_2 − x_3) / h².

    A missing sample is NaN and stays NaN, and nothing is differentiated across it; stretches with too few samples for
    the scheme (3, 4, or 6 with splines) give NaN.
    """
    signal = time_series("A derivative", x, rate_hz)
    if order not in (1, 2):
        raise BiomecError(f"Derivatives of order 1 and 2 can be taken, not of order {order}.")
    channels = as_channels(signal)
    result = np.full(channels.shape, np.nan)
    splined = scheme is not Scheme.CENTRAL
    fewest = SPLINE_DEGREE + 1 if splined else order + 2
    for block in blocks(channels):
        if block.samples >= fewest:
            part = channels[block.first : block.stop, block.columns]
            result[block.first : block.stop, block.columns] = (
                _spline(part, rate_hz, order, scheme is Scheme.NATURAL) if splined else _central(part, rate_hz, order)
            )
    return result.reshape(signal.shape)


def _central(x: FloatArray, rate_hz: float, order: int) -> FloatArray:
    y = np.empty_like(x)
    if order == 1:
        y[1:-1] = 0.5 * (x[2:] - x[:-2])
        y[0] = 0.5 * (-3.0 * x[0] + 4.0 * x[1] - x[2])
        y[-1] = 0.5 * (3.0 * x[-1] - 4.0 * x[-2] + x[-3])
        return y * rate_hz
    y[1:-1] = x[2:] - 2.0 * x[1:-1] + x[:-2]
    y[0] = 2.0 * x[0] - 5.0 * x[1] + 4.0 * x[2] - x[3]
    y[-1] = 2.0 * x[-1] - 5.0 * x[-2] + 4.0 * x[-3] - x[-4]
    return y * rate_hz**2


def _spline(x: FloatArray, rate_hz: float, order: int, natural: bool) -> FloatArray:
    frame = np.arange(float(len(x)))
    end = [(3, np.zeros(x.shape[1])), (4, np.zeros(x.shape[1]))]  # third and fourth derivative are zero
    spline = scipy.interpolate.make_interp_spline(frame, x, k=SPLINE_DEGREE, bc_type=(end, end) if natural else None)
    return np.asarray(spline.derivative(order)(frame)) * rate_hz**order
