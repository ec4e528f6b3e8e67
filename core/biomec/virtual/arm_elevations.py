"""Raising both arms while standing, with the scapula following: abduction or flexion.

The scapula turns upwards by a third of the elevation of the humerus on the thorax, the rhythm of 2 : 1 between
glenohumeral and scapulothoracic motion [Inman1944]; the clavicle rises and retracts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.recording import Event
from biomec.virtual.jets import Jet, clock, there_and_back, turn
from biomec.virtual.movement import SIDES, Performance, RepeatedMovement, ground, positive
from biomec.virtual.skeleton import GirdleCurves, Skeleton, Z
from biomec.virtual.upright import ArmCurves, standing_contacts, standing_plates, upper_body

RHYTHM = 1.0 / 3.0  # share of the scapula in the elevation of the arm


@dataclass(frozen=True)
class ArmElevation(RepeatedMovement):
    """Both arms raised and lowered; ``elevation_deg`` is the angle that the humerus turns on the thorax."""

    plane: Literal["abduction", "flexion"] = "abduction"
    cycles: int = 3
    cycle_s: float = 4.0
    elevation_deg: float = 110.0
    lead_s: float = 0.25

    def __post_init__(self) -> None:
        if self.plane not in ("abduction", "flexion"):
            raise BiomecError(f"Arm elevation: the plane is {self.plane!r}; choose abduction or flexion.")
        positive("Arm elevation", cycles=self.cycles, cycle_s=self.cycle_s, elevation_deg=self.elevation_deg)
        if self.elevation_deg > 130.0:
            raise BiomecError(f"Arm elevation: {self.elevation_deg:g}° is beyond the virtual person; 130° is the most.")

    @property
    def name(self) -> str:
        """Word for the file's name."""
        return f"Arm{self.plane.capitalize()}"

    def perform(self, skeleton: Skeleton, time_s: FloatArray) -> Performance:
        """Perform it at these times (T,) [s]."""
        raised = there_and_back((1.0 / self.cycle_s) * (clock(time_s) - self.lead_s), 0.5)
        angle = float(np.deg2rad(self.elevation_deg)) * raised
        none = 0.0 * raised
        sideways = self.plane == "abduction"
        girdle = GirdleCurves(
            protraction=np.deg2rad(-12.0 if sideways else -4.0) * raised,
            elevation=np.deg2rad(8.0) * raised,
            upward_rotation=RHYTHM * angle,
        )
        arm = ArmCurves(
            flexion=none if sideways else angle,
            abduction=angle if sideways else none,
            rotation=np.deg2rad(-25.0 if sideways else 0.0) * raised,
            elbow=np.deg2rad(2.0) * raised,
            pronation=np.deg2rad(15.0 if sideways else 60.0) * raised,
            wrist_deviation=none,
            wrist_flexion=none,
        )
        frames = len(time_s)
        standing = ground(frames)
        lower = ["pelvis", *(f"{side} {part}" for side in SIDES for part in ("thigh", "shank", "foot"))]
        thorax = skeleton.joints["lumbar"].inwards(standing, turn(Z, np.deg2rad(-3.0) * raised))
        above = upper_body(skeleton, thorax, turn(Z, none), dict.fromkeys(SIDES, girdle), dict.fromkeys(SIDES, arm))
        borders = self.lead_s + self.cycle_s * np.arange(self.cycles + 1)
        return Performance(
            time_s,
            {**dict.fromkeys(lower, standing), **above},
            standing_contacts(skeleton, frames),
            standing_plates(),
            {f"Pe_{code}": f"Pe_{code}" for code, _ in SIDES.values()},
            _efforts(raised),
            tuple(Event(float(t), "Arms down", origin="signal") for t in borders),
        )


def arm_elevation(plane: Literal["abduction", "flexion"] = "abduction", cycles: int = 3) -> ArmElevation:
    """Both arms raised, as shoulder laboratories ask for."""
    return ArmElevation(plane, cycles)


def _efforts(raised: Jet) -> dict[str, FloatArray]:
    """Activity of muscle groups with the height of the arms."""
    high = raised.value
    groups = {
        "deltoid": 0.04 + 0.45 * np.sin(0.5 * np.pi * high),
        "upper_trapezius": 0.04 + 0.30 * high,
        "lower_trapezius": 0.03 + 0.20 * high**2,
        "serratus": 0.03 + 0.30 * high**2,
    }
    return {f"{name}_{code}": np.clip(level, 0.0, 1.0) for name, level in groups.items() for code in "DE"}
