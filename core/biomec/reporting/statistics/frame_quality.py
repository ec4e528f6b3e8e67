"""Quality of a recording at a glance: where its samples come from, and which landmarks and markers fit worst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray
from biomec.base.errors import BiomecError
from biomec.signals.reconstruction import SampleOrigin


@dataclass(frozen=True)
class DistanceSpread:
    """Distances of one landmark or marker over the frames that have it [m]: percentiles, mean, rms, largest."""

    name: str
    p5: float
    p25: float
    median: float
    p75: float
    p95: float
    mean: float
    rms: float
    largest: float


def origin_shares(origin: IntArray) -> dict[SampleOrigin, FloatArray]:
    """Origin of a sample -> share (T,) of the markers that have it in a frame; the shares of a frame sum to 1.

    origin : (T, M) `SampleOrigin` of every sample. Markers that the whole recording misses do not count.
    """
    table = np.asarray(origin)
    if table.ndim != 2:
        raise BiomecError(f"Origins need the shape (frames, markers), not {table.shape}.")
    table = table[:, (table != SampleOrigin.MISSING).any(axis=0)]
    count = max(1, table.shape[1])
    return {kind: np.asarray((table == kind).sum(axis=1) / count) for kind in SampleOrigin}


def spreads(names: Sequence[str], distances: FloatArray, valid: BoolArray) -> tuple[DistanceSpread, ...]:
    """DistanceSpread of every column of ``distances`` (T, K) over the ``valid`` frames (T,), the largest rms first.

    Columns without any number there are left out.
    """
    if distances.shape != (len(valid), len(names)):
        raise BiomecError(f"Distances of {len(names)} names in {len(valid)} frames, but the shape {distances.shape}.")
    found = []
    for name, column in zip(names, distances[valid].T, strict=True):  # a loop over names, of which there are few
        x = column[np.isfinite(column)]
        if x.size:
            p5, p25, median, p75, p95 = (float(q) for q in np.percentile(x, [5, 25, 50, 75, 95]))
            rms = float(np.sqrt(np.mean(x**2)))
            found.append(DistanceSpread(name, p5, p25, median, p75, p95, float(x.mean()), rms, float(x.max())))
    return tuple(sorted(found, key=lambda one: -one.rms))
