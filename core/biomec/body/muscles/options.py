"""How muscles are fitted to a person."""

from __future__ import annotations

from dataclasses import dataclass

from biomec.base.errors import BiomecError
from biomec.base.fields import setting

SCALINGS = {
    "lengths": ("Lengths of segments", "Each segment is stretched along its axes by lengths of the static pose."),
    "none": ("None", "Points lie as in the source, around the person's joint centres."),
}
STRENGTHS = {
    "source": ("As in the source", "Forces of the source, whatever the person's size."),
    "mass": ("By body mass", "Forces grow with (mass / 75 kg) to the power of two thirds."),
    "volume": ("By muscle volume", "Leg muscles share the volume that mass and height give [Handsfield2014]."),
}


@dataclass(frozen=True)
class MuscleFit:
    """How a muscle set is fitted to a person.

    scaling  : of points and surfaces: one of `SCALINGS`
    strength : of greatest forces: one of `STRENGTHS`
    """

    scaling: str = setting(
        "lengths", "Size of the paths", "How muscle paths are brought to the person's size.", choices=SCALINGS
    )
    strength: str = setting("source", "Greatest forces", "How strong the muscles are taken to be.", choices=STRENGTHS)

    def __post_init__(self) -> None:
        for name, value, known in (("scaling", self.scaling, SCALINGS), ("strength", self.strength, STRENGTHS)):
            if value not in known:
                raise BiomecError(f"Muscles: {name} is {value}; choose one of {', '.join(known)}.")
