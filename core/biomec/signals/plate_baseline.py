"""What a force plate reads while nobody touches it: offset, drift and noise; and samples that it did not record.

Missing samples are named wherever they matter, and never taken for an empty plate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.notices import Notice, warning
from biomec.recording import LOADED_N, ForcePlate
from biomec.signals.plate_geometry import called
from biomec.signals.stretches import stretches


@dataclass(frozen=True, eq=False)
class Baseline:
    """Reading of the unloaded plate: wrench(t) = offset + slope (t − t₀), fitted over the unloaded samples.

    offset    : (6,) force [N] and moment [N m] at the plate's first sample
    slope     : (6,) change in a second; 0 where less than half a second of unloaded samples was found
    vertical_n: mean vertical reading over the unloaded samples [N]
    drift_n   : change of the vertical reading over the whole recording [N]
    noise_n   : standard deviation of the vertical reading about its line [N]
    unloaded  : (N,) samples that were used
    """

    offset: FloatArray
    slope: FloatArray
    vertical_n: float
    drift_n: float
    noise_n: float
    unloaded: BoolArray


def plate_baseline(plate: ForcePlate, search_n: float = 100.0) -> Baseline | None:
    """Reading of the plate where nobody touches it, or None where no such stretch of 0.1 s is found.

    The lowest level of the vertical force (its 5 % quantile after a 50 ms mean) counts as unloaded if it is below
    LOADED_N, or below ``search_n`` while the plate is loaded at least 50 N above it at other times; a line in time is
    then fitted to the samples near that level, 50 ms away from any other.
    """
    vertical = plate.vertical
    finite = np.isfinite(vertical)
    width = max(1, round(0.05 * plate.rate_hz))
    if finite.sum() < 2 * width:
        return None
    smooth = scipy.ndimage.uniform_filter1d(np.where(finite, vertical, 0.0), width, mode="nearest")
    level = float(np.quantile(smooth[finite], 0.05))
    loads_above = float(smooth[finite].max()) > level + 50.0
    if abs(level) > (search_n if loads_above else LOADED_N):
        return None
    steps = np.abs(np.diff(vertical[finite]))
    band = LOADED_N / 2 + 5.0 * 1.4826 * float(np.median(steps)) / np.sqrt(2.0)
    time = np.arange(plate.samples) / plate.rate_hz
    line = np.full(plate.samples, level)
    unloaded = np.zeros(plate.samples, dtype=np.bool_)
    for _ in range(6):  # each round follows a drift a little further
        near = finite & (np.abs(vertical - line) < band) & (np.abs(smooth - line) < band)
        unloaded = scipy.ndimage.binary_erosion(near, np.ones(2 * width + 1), border_value=1)
        if unloaded.sum() < 2 * width:
            return None
        offset, slope = _line(time, vertical[:, None], unloaded)
        line = offset[0] + slope[0] * time
    wrench = np.hstack([plate.force, plate.moment])
    offset, slope = _line(time, wrench, unloaded)
    residual = vertical[unloaded] - line[unloaded]
    return Baseline(
        offset=read_only(offset),
        slope=read_only(slope),
        vertical_n=float(vertical[unloaded].mean()),
        drift_n=float(slope[:3] @ plate.up) * (plate.samples - 1) / plate.rate_hz,
        noise_n=float(np.sqrt(np.mean(residual**2))),
        unloaded=read_only(unloaded, np.bool_),
    )


def _line(time: FloatArray, values: FloatArray, mask: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Least-squares line through values (N, C) at the masked times: value at 0 and slope, 0 where they span < 0.5 s."""
    t, v = time[mask], values[mask]
    if t[-1] - t[0] < 0.5:
        return v.mean(axis=0), np.zeros(v.shape[1])
    slope = ((t - t.mean())[:, None] * v).sum(axis=0) / ((t - t.mean()) ** 2).sum()
    return v.mean(axis=0) - slope * t.mean(), slope


def without_baseline(plate: ForcePlate, baseline: Baseline, *, drift: bool) -> ForcePlate:
    """Return the plate with its unloaded reading subtracted from all six channels: its line in time, or its mean."""
    time = np.arange(plate.samples)[:, None] / plate.rate_hz
    if drift:
        reading = baseline.offset + baseline.slope * time
    else:
        middle = float(time[baseline.unloaded].mean())
        reading = baseline.offset + baseline.slope * np.full_like(time, middle)
    return replace(plate, force=plate.force - reading[:, :3], moment=plate.moment - reading[:, 3:])


NAMED = 3  # stretches that are named one by one


def missing(plate: ForcePlate) -> BoolArray:
    """(N,) samples without a complete force."""
    return np.asarray(~np.isfinite(plate.force).all(axis=1))


def missing_notices(plate: ForcePlate, consequence: str) -> list[Notice]:
    """Where samples of force or moment are missing, and what follows from it."""
    gaps = stretches(missing(plate) | ~np.isfinite(plate.moment).all(axis=1))
    if len(gaps) == 0:
        return []
    time = plate.time_s
    where = ", ".join(f"{time[a]:.3f} to {time[b - 1]:.3f} s" for a, b in gaps[:NAMED])
    where += f" and {len(gaps) - NAMED} more stretches" if len(gaps) > NAMED else ""
    count = int((gaps[:, 1] - gaps[:, 0]).sum())
    words = f"{called(plate.name, begin=True)}: {count} of {plate.samples} samples are missing ({where}). {consequence}"
    return [warning("plate-samples-missing", words, plate.name)]
