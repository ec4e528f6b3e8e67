"""Cycles as pairs of frames, checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import IntArray
from biomec.base.errors import BiomecError


def checked_spans(spans: ArrayLike, frames: int, rate_hz: float) -> IntArray:
    """Return first and last frame (K, 2) of cycles, if they lie within the recording."""
    edges = np.asarray(spans)
    if edges.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if edges.ndim != 2 or edges.shape[1] != 2 or not np.equal(edges, np.round(edges)).all():
        raise BiomecError("Cycles are pairs of frames: the first and the last of each.")
    if not ((edges[:, 0] >= 0) & (edges[:, 1] < frames) & (edges[:, 0] < edges[:, 1])).all():
        raise BiomecError(f"Cycles must begin before they end, within the {frames} frames of the recording.")
    if not (np.isfinite(rate_hz) and rate_hz > 0.0):
        raise BiomecError(f"Cycles: the recording has a rate of {rate_hz} Hz; it must be positive.")
    return edges.astype(np.int64)
