"""Samples in which a marker leaves its path and comes back: reflections, and points that the cameras joined wrongly.

Nothing of a body leaps out and back within a tenth of a second. A filter does not take such a sample away: it spreads
it over its neighbours, where nobody sees it any more.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from biomec.base.arrays import BoolArray, FloatArray
from biomec.base.notices import Notice, warning
from biomec.recording import Trial
from biomec.signals.stretches import frame_words, span

LEAP_M, LEAP_M_S2 = 0.03, 250.0  # beyond its usual step a marker leaps by both within a frame; feet reach 80 m/s²
LONGEST_S = 0.1  # that a marker stays away; longer is a wrong label or a marker that moved
AROUND = 3  # steps on either side, whose median is the usual one
RETURNS = 0.5  # of the leap that may be missing when it is back
OTHERS = 0.5  # of the leap: a marker that lands nearer to where another was has its label
EVERYBODY = 0.5  # share of the markers that leap together: a changed origin is another matter


def marker_spikes(trial: Trial, copied: BoolArray) -> tuple[BoolArray, list[Notice]]:
    """(T, M) samples off their path, and a notice; ``copied`` (T, M) are hidden already.

    Markers that leap to each other's places have exchanged their labels (`label_leaps`), and are kept.
    """
    p = np.where(copied[..., None], np.nan, trial.markers.p_WM)
    away = np.zeros(copied.shape, dtype=np.bool_)
    limit = max(LEAP_M, LEAP_M_S2 / trial.rate_hz**2)
    if trial.frames < 2 * AROUND + 2:
        return away, []
    bent = np.linalg.norm(p[2:] - 2.0 * p[1:-1] + p[:-2], axis=2)
    columns = np.flatnonzero((bent > limit).any(axis=0))
    off = _off_usual(p[:, columns])  # (T − 1, K, 3)
    leaps = np.linalg.norm(off, axis=2) > limit  # NaN does not
    leaps &= leaps.sum(axis=1, keepdims=True) < max(3.0, EVERYBODY * trial.markers.visible.sum(axis=1).max())
    found: dict[tuple[int, int], list[int]] = {}
    farthest = 0.0
    for k, column in enumerate(columns.tolist()):
        at = np.flatnonzero(leaps[:, k]).tolist()
        while len(at) > 1:
            out, back = at[0], at[1]
            sizes = np.linalg.norm(off[[out, back], k], axis=1)
            returns = float(np.linalg.norm(off[out : back + 1, k].sum(axis=0))) < RETURNS * float(sizes.max())
            near = back - out <= max(1, round(LONGEST_S * trial.rate_hz))
            if near and returns:
                found.setdefault((out, back), []).append(column)
                farthest = max(farthest, float(sizes.max()))
            at = at[2:] if near and returns else at[1:]
    for (out, back), those in found.items():
        for column in those:
            others = [one for one in those if one != column]
            landed = np.linalg.norm(p[out, others] - p[out + 1, column], axis=1)
            leapt = float(np.linalg.norm(p[out + 1, column] - p[out, column]))
            if not (landed < OTHERS * leapt).any():
                away[out + 1 : back + 1, column] = True
    if not away.any():
        return away, []
    names = [trial.markers.names[k] for k in np.flatnonzero(away.any(axis=0)).tolist()]
    at_frames = np.asarray(away.any(axis=1))
    several = len(names) > 1
    words = (
        f"{', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''} "
        f"{'leave their paths' if several else 'leaves its path'} by up to {100.0 * farthest:.0f} cm and "
        f"{'come' if several else 'comes'} back, in {frame_words(at_frames, trial.first_frame)} of "
        f"{trial.source.name}: reflections, or points that were joined wrongly. These samples were treated as hidden."
    )
    return away, [warning("marker-spikes", words, *names, frames=span(at_frames))]


def _off_usual(p: FloatArray) -> FloatArray:
    """(T − 1, K, 3) steps of markers p (T, K, 3) less the median of the steps around each [m]; NaN beside a gap."""
    steps = np.diff(p, axis=0)
    padded = np.concatenate([steps[AROUND:0:-1], steps, steps[-2 : -AROUND - 2 : -1]])
    windows = sliding_window_view(padded, 2 * AROUND + 1, axis=0)
    known = np.isfinite(windows)
    median = np.median(np.where(known, windows, 0.0), axis=-1)
    for where in zip(*np.nonzero(~known.all(axis=-1) & known.any(axis=-1)), strict=True):
        median[where] = np.median(windows[where][known[where]])
    return np.asarray(steps - median)
