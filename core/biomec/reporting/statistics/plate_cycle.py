"""Ground reaction over one cycle, as measured and filtered, in parts of the body weight: [Nunes2017] Fig. 3.14."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.physics import GRAVITY
from biomec.recording import ForcePlate

CHANNELS = ("force X", "force Y", "force Z", "moment X", "moment Y", "moment Z")


@dataclass(frozen=True, eq=False)
class PlateCycle:
    """Six channels over a stretch of time; arrays are read-only.

    time_s        : (N,) on the clock of the trial [s]
    raw, filtered : (N, 6) force in % of the body weight, moment about the plate's origin in % of body weight × metre
    weight_n      : body weight [N]
    """

    plate: str
    time_s: FloatArray
    raw: FloatArray
    filtered: FloatArray
    weight_n: float


def plate_cycle(
    measured: ForcePlate, filtered: ForcePlate, mass_kg: float, first_s: float, last_s: float
) -> PlateCycle:
    """Force and moment of a plate between two times, divided by m g."""
    if not mass_kg > 0.0:
        raise BiomecError(f"The body mass is {mass_kg:g} kg; forces cannot be given in parts of it.")
    if measured.force.shape != filtered.force.shape or measured.rate_hz != filtered.rate_hz:
        raise BiomecError(f"Plate {measured.name}: measured and filtered samples are not on the same clock.")
    time = measured.time_s
    within = np.asarray((time >= first_s - 1e-9) & (time <= last_s + 1e-9))
    if not within.any():
        raise BiomecError(f"Plate {measured.name} has no samples from {first_s:.2f} s to {last_s:.2f} s.")
    weight = mass_kg * GRAVITY
    raw, smooth = (
        read_only(100.0 * np.concatenate([plate.force, plate.moment], axis=1)[within] / weight)
        for plate in (measured, filtered)
    )
    return PlateCycle(measured.name, read_only(time[within]), raw, smooth, weight)
