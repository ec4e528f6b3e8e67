"""What a user can choose about dynamically consistent motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.errors import BiomecError
from biomec.base.fields import DEGREES, MM, setting

BOTH, PLATES, MOTION = "both", "plates", "motion"
TRUST = {
    BOTH: "both in part",
    PLATES: "the plates: only the motion changes",
    MOTION: "the motion: only the forces change",
}


@dataclass(frozen=True)
class DynamicOptions:
    """What is believed, and how much.

    trust      : "both" changes motion and forces by their usual errors; "plates" leaves the forces as they are,
                 "motion" the motion
    position_m, turn_rad : usual error of a segment's place [m] and attitude [rad]
    force_n, moment_nm   : usual error of the force [N] and of the moment about its point [N m] of a contact
    most_force_n, most_moment_nm : limits of their changes, along each axis
    """

    trust: str = setting(BOTH, "Trust", "What may change so that motion and forces agree.", choices=TRUST)
    position_m: float = setting(
        0.01, "Usual error of places", "Of a segment's centre; only its size beside the other errors counts.",
        unit="mm", factor=MM, least=0.0)  # fmt: skip
    turn_rad: float = setting(
        float(np.deg2rad(2.0)), "Usual error of attitudes", "Of a segment.", unit="°", factor=DEGREES, least=0.0
    )
    force_n: float = setting(
        1.0, "Usual error of forces", "Of the force on a hand or foot; so plates take up only what changes slowly.",
        unit="N", least=0.0)  # fmt: skip
    moment_nm: float = setting(
        0.5, "Usual error of moments", "Of the moment about the point where the force acts.", unit="N·m", least=0.0
    )
    most_force_n: float = setting(20.0, "Largest change of a force", "Along each axis.", unit="N", least=0.0)
    most_moment_nm: float = setting(10.0, "Largest change of a moment", "Along each axis.", unit="N·m", least=0.0)

    def __post_init__(self) -> None:
        sizes = (self.position_m, self.turn_rad, self.force_n, self.moment_nm, self.most_force_n, self.most_moment_nm)
        if not (np.isfinite(sizes).all() and min(sizes) > 0.0):
            raise BiomecError("Dynamically consistent motion: all errors and limits must be positive.")
        if self.trust not in TRUST:
            raise BiomecError(f'Dynamically consistent motion: trust is {", ".join(TRUST)}, not "{self.trust}".')
