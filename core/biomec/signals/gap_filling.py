"""Paths of markers through gaps in time: by the least jerk that the noise allows, by a spline, or by other markers.

`docs/signals.md` compares both on recordings whose hidden samples are known.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray, IntArray

ORDER = 3  # of the difference that is kept small: jerk, which people keep small themselves [FlashHogan1985]
BESIDE_S = 0.3  # s of samples on either side; 0.2 to 0.5 s come out alike (docs/signals.md)
REACH_S = 1.0  # s over which the difference at one end of a gap dies out; in shorter gaps it reaches the other end
FEWEST = 6  # samples on either side, whatever the rate
CUTOFFS = 16  # that are tried, from a parabola over the window up to the sampling rate; the likelihood is flat
STIFFEST = 1e10  # largest weight of the jerk; beyond it the equations lose more digits than noise does
RESOLUTION = 1e-6  # m; no camera resolves less, and without it samples without noise would have no likelihood


class GapFill(StrEnum):
    """How a path is found through a gap."""

    LEAST_JERK = "least-jerk"
    SPLINE = "spline"


def fill_gaps(p: FloatArray, rate_hz: float, limit_s: float, how: GapFill) -> FloatArray:
    """(T, M, 3) values inside gaps up to the limit [s], between samples on both sides; NaN everywhere else.

    p : (T, M, 3) trajectories [m], NaN where hidden
    """
    present = np.isfinite(p[..., 0])
    gaps = gap_lengths(present)
    fillable = (gaps > 0) & (gaps <= limit_s * rate_hz + 1e-6)  # the tolerance absorbs rounding of limit × rate
    values = np.full_like(p, np.nan)
    for k in np.flatnonzero(fillable.any(axis=0)):
        seen, wanted = np.flatnonzero(present[:, k]), np.flatnonzero(fillable[:, k])
        if how is GapFill.SPLINE or len(seen) < 2 * FEWEST:
            values[wanted, k] = scipy.interpolate.CubicSpline(seen, p[seen, k])(wanted)
            continue
        beside = max(FEWEST, round(BESIDE_S * rate_hz))
        for gap in np.split(wanted, np.flatnonzero(np.diff(wanted) > 1) + 1):
            here = np.searchsorted(seen, gap[0])
            around = seen[max(here - beside, 0) : here + beside]
            values[gap, k] = least_jerk(around, p[around, k], gap)
    return values


def least_jerk(seen: IntArray, p: FloatArray, wanted: IntArray) -> FloatArray:
    """Positions (G, 3) [m] at the frames ``wanted``, from noisy samples p (K, 3) [m] at the frames ``seen``.

    The path z minimises Σ_seen ‖p − z‖² + λ Σ ‖Δ³z‖², Δ³z being the jerk, at the λ of the largest restricted likelihood
    [Wahba1985, Eilers2003]: with n frames, K of them seen, W = 1 where seen, A = W + λ D₃ᵀD₃ and the minimum S,

        −2 log L = 3 (K − 3) log S + 3 log|A| − 3 (n − 3) log λ.

    At the sampling rate r a weight λ is a low-pass with the cut-off r / (2π λ^(1/6)) [Woltring1986]. All axes share
    one λ, so that the path does not depend on how the laboratory's axes lie.
    """
    first = min(seen[0], wanted[0])
    frames = int(max(seen[-1], wanted[-1]) - first) + 1
    at = (np.arange(frames) - 0.5 * (frames - 1)) / frames
    parabola = np.vander(at, ORDER)  # has no jerk: taken off before and added after, so that no digits are lost
    trend = parabola @ np.linalg.lstsq(parabola[seen - first], p, rcond=None)[0]
    weight, y = np.zeros(frames), np.zeros((frames, 3))
    weight[seen - first] = 1.0
    y[seen - first] = p - trend[seen - first]
    jerk = _jerk_bands(frames)
    softest, stiffest = (2.0 * np.pi) ** -6, min((frames / (2.0 * np.pi)) ** 6, STIFFEST)
    best, path = np.inf, y
    for lam in np.geomspace(softest, max(stiffest, 1.0), CUTOFFS):
        bands = lam * jerk
        bands[0] += weight
        factor = scipy.linalg.cholesky_banded(bands, lower=True)
        z = scipy.linalg.cho_solve_banded((factor, True), y)
        cost = float(np.sum(y * (y - z))) + 3.0 * len(seen) * RESOLUTION**2
        unlikely = (len(seen) - ORDER) * np.log(cost) - (frames - ORDER) * np.log(lam)
        unlikely += 2.0 * np.log(factor[0]).sum()
        if unlikely < best:
            best, path = unlikely, z
    return np.asarray((trend + path)[wanted - first])


def _jerk_bands(frames: int) -> FloatArray:
    """(4, n) lower diagonals of D₃ᵀD₃, D₃ taking third differences of n frames."""
    bands = np.zeros((ORDER + 1, frames))
    row = np.array([-1.0, 3.0, -3.0, 1.0])
    for i in range(ORDER + 1):
        for j in range(i + 1):  # D₃ has row[i] in the columns t + i of its rows t
            bands[i - j, j : j + frames - ORDER] += row[i] * row[j]
    return bands


def anchored(estimate: FloatArray, p: FloatArray, rate_hz: float) -> FloatArray:
    """Markers (T, M, 3) as others of their segment put them, moved so that they meet the measured path at its gaps.

    Where a marker sits now and where the static has it differ by millimetres to centimetres: skin, and markers that
    were put on again. That difference e = p − p̂ changes slowly, so that it is known at both ends of a gap,
    a and b, and between them

        p̂(t) + e(a) (1 − (t − a) / r) + e(b) (1 − (b − t) / r),    r the length of the gap, `REACH_S` at most,

    without terms below zero; at an end of the recording there is one of them.

    estimate, p : (T, M, 3) rebuilt and measured trajectories [m], NaN where there is none
    """
    known = np.isfinite(p[..., 0]) & np.isfinite(estimate[..., 0])
    frames, index = len(p), np.arange(len(p))[:, None]
    before, after = _ends(known)
    there, then = before >= 0, after < frames
    reach = np.where(there & then, np.minimum(after - before, REACH_S * rate_hz), REACH_S * rate_hz)
    met, columns = np.array(estimate), np.arange(p.shape[1])[None]
    for end, exists in ((before, there), (after, then)):
        at = np.clip(end, 0, frames - 1)
        weight = np.where(exists & ~known, np.maximum(1.0 - np.abs(index - end) / np.maximum(reach, 1.0), 0.0), 0.0)
        difference = np.nan_to_num(p[at, columns] - estimate[at, columns])
        met += weight[..., None] * difference
    return met


def gap_lengths(present: BoolArray) -> FloatArray:
    """(T, M) length in frames of the gap that a frame lies in: 0 where a sample exists, ∞ in gaps that touch an end."""
    before, after = _ends(present)
    lengths = np.where(present, 0.0, (after - before - 1).astype(np.float64))
    lengths[(before < 0) | (after >= len(present))] = np.inf
    return lengths


def frames_from(present: BoolArray) -> FloatArray:
    """(T, M) frames to the nearest that has a sample: 0 where one exists, ∞ where there is none at all."""
    before, after = _ends(present)
    index, frames = np.arange(len(present))[:, None], len(present)
    to_before = np.where(before >= 0, index - before, np.inf)
    return np.asarray(np.minimum(to_before, np.where(after < frames, after - index, np.inf)))


def _ends(present: BoolArray) -> tuple[IntArray, IntArray]:
    """(T, M) last frame with a sample up to each frame, or −1, and the first from it on, or T."""
    frames, index = len(present), np.arange(len(present))[:, None]
    before = np.maximum.accumulate(np.where(present, index, -1), axis=0)
    after = np.minimum.accumulate(np.where(present, index, frames)[::-1], axis=0)[::-1]
    return before, after
