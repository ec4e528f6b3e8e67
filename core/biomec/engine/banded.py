"""The least change of curves under equations in every frame: compiled parts of a solution that is banded in time.

Curves are splines with coefficients c_j (g,), and frame k sees those from ``start[k]`` on with the weights
``basis[k, d]`` in its value and its first two derivatives. Equations of the frame are linear in them,

    Σ_d A_dᵀ Σ_m basis[k, d, m] c_{start+m} = h_k

and the least Σ ½ c_jᵀ W_j c_j that solves them is c = −W⁻¹ Aᵀ λ with A W⁻¹ Aᵀ λ = −h. With W_j = L_j L_jᵀ and the rows
X = A L⁻ᵀ, the matrix X Xᵀ is symmetric, positive definite and banded: frames far apart share no coefficient.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled

DEGREE = 5
WIDTH = DEGREE + 1


class SplineFrames(NamedTuple):
    """Splines of degree 5 through T frames, as many coefficients as frames.

    knots : (T + 6,);  start : (T,) first coefficient that a frame sees
    basis : (T, 3, 6) weights of the six in its value and its first two derivatives
    """

    knots: FloatArray
    start: IntArray
    basis: FloatArray

    def jets(self, c: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Values and first two derivatives (T, g) of coefficients (T, g)."""
        seen = c[self.start[:, None] + np.arange(WIDTH)]
        y, ydot, yddot = np.einsum("tdm,tmg->dtg", self.basis, seen)
        return y, ydot, yddot


def spline_frames(times: FloatArray) -> SplineFrames:
    """Splines whose knots are the frames, without the three at either end, as `scipy.interpolate` lays them."""
    frames = len(times)
    knots = np.concatenate([np.full(WIDTH, times[0]), times[3:-3], np.full(WIDTH, times[-1])])
    start = np.clip(np.searchsorted(knots, times, side="right") - WIDTH, 0, frames - WIDTH).astype(np.int64)
    colours = np.zeros((frames, WIDTH))  # splines of one colour do not overlap, so that one evaluation serves them all
    colours[np.arange(frames), np.arange(frames) % WIDTH] = 1.0
    basis = np.empty((frames, 3, WIDTH))
    pick = (start[:, None] + np.arange(WIDTH)) % WIDTH
    curve = scipy.interpolate.BSpline(knots, colours, DEGREE)
    for d in range(3):
        basis[:, d] = np.take_along_axis(np.asarray(curve(times)), pick, axis=1)
        curve = curve.derivative()
    return SplineFrames(knots, start, basis)


@compiled
def scaled_rows(
    start: IntArray, basis: FloatArray, by: FloatArray, inverse: FloatArray, to: FloatArray, work: FloatArray
) -> None:
    """X (T, 6, g, R): L_j⁻¹ Σ_d basis by_d, with ``by`` (3, T, g, R), lower triangular ``inverse`` (T, g, g)."""
    frames, width, g, count = to.shape
    for k in range(frames):
        for m in range(width):
            L = inverse[start[k] + m]
            for i in range(g):
                for r in range(count):
                    work[i, r] = (
                        basis[k, 0, m] * by[0, k, i, r]
                        + basis[k, 1, m] * by[1, k, i, r]
                        + basis[k, 2, m] * by[2, k, i, r]
                    )
            for i in range(g):
                for r in range(count):
                    to[k, m, i, r] = 0.0
                for j in range(i + 1):
                    share = L[i, j]
                    for r in range(count):
                        to[k, m, i, r] += share * work[j, r]


@compiled
def normal_band(start: IntArray, X: FloatArray, band: FloatArray) -> None:
    """Lower band (bandwidth + 1, T R) of X Xᵀ: band[i − j, j] = (X Xᵀ)_ij."""
    frames, width, g, count = X.shape
    band[:] = 0.0
    for k in range(frames):
        l = k
        while l >= 0 and start[l] + width > start[k]:
            shift = start[k] - start[l]
            for m in range(width - shift):
                for i in range(g):
                    for r in range(count):
                        for c in range(count):
                            row, column = k * count + r, l * count + c
                            if row >= column:
                                band[row - column, column] += X[k, m, i, r] * X[l, m + shift, i, c]
            l -= 1


@compiled
def spread(start: IntArray, X: FloatArray, load: FloatArray, to: FloatArray) -> None:
    """Xᵀ λ (T, g) of multipliers λ (T, R)."""
    frames, width, g, count = X.shape
    to[:] = 0.0
    for k in range(frames):
        for m in range(width):
            for i in range(g):
                total = 0.0
                for r in range(count):
                    total += X[k, m, i, r] * load[k, r]
                to[start[k] + m, i] += total


def bandwidth(start: IntArray, count: int) -> int:
    """How many diagonals below the main one X Xᵀ has, with ``count`` equations a frame."""
    first = np.searchsorted(start, start - WIDTH, side="right")
    return int((np.arange(len(start)) - first + 1).max()) * count - 1
