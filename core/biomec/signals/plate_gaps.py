"""Samples that a plate did not record: said wherever they matter, never taken for an empty plate."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import BoolArray
from biomec.base.notices import Notice, warning
from biomec.recording import ForcePlate
from biomec.signals.plate_geometry import called
from biomec.signals.stretches import stretches

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
