"""Peaks of a signal."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray, IntArray


def prominent_peaks(x: FloatArray, prominence: float) -> IntArray:
    """Samples of a signal (T,) that stand at least ``prominence`` above the higher one of the valleys beside them.

    The middle of a plateau counts as its peak; the first and the last sample are none (`scipy.signal.find_peaks`).
    """
    from scipy.signal import find_peaks  # here, because it takes a second to import and few need it

    return np.asarray(find_peaks(x, prominence=prominence)[0], dtype=np.int64)
