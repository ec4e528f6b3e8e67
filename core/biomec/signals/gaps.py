"""Gaps of trajectories: where samples are missing, for how long, and whether something lies on both sides."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray


def gap_lengths(present: BoolArray) -> FloatArray:
    """(T, M) length in frames of the gap that a frame lies in: 0 where a sample exists, ∞ in gaps that touch an end."""
    frames, count = present.shape
    index = np.arange(frames)[:, None]
    before = np.maximum.accumulate(np.where(present, index, -1), axis=0)
    after = np.minimum.accumulate(np.where(present, index, frames)[::-1], axis=0)[::-1]
    lengths = np.where(present, 0.0, (after - before - 1).astype(np.float64))
    lengths[(before < 0) | (after >= frames)] = np.inf
    return np.asarray(lengths.reshape(frames, count))
