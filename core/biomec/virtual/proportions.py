"""Where the bony landmarks of a standing adult are: the proportions of the virtual person.

Heights, breadths and depths were written from general anthropometry so that the lengths of the segments come near the
reference lengths of [Dumas2007] (stature 1.77 m for men, 1.61 m for women). They describe nobody in particular.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from biomec.base.frozen import FrozenDict

Place = tuple[float, float, float]


@dataclass(frozen=True)
class Proportions:
    """Landmarks of a standing adult of the reference stature, X forward, Y up, Z right, floor at Y = 0 [m].

    stature : reference stature; everything scales with stature
    fixed   : landmarks that depend on no other, midline and right side (``*``)
    knee    : middle of the femoral condyles
    widths  : breadths of "knee", "elbow", "wrist", "hand" between their landmarks
    lengths : "humerus", "forearm", "hand" (to the heads of the metacarpals)
    """

    stature: float
    fixed: Mapping[str, Place]
    knee: Place
    widths: Mapping[str, float]
    lengths: Mapping[str, float]


_MIDLINE: dict[str, Place] = {
    "VC": (0.015, 1.770, 0.0),
    "GLAB": (0.098, 1.665, 0.0),
    "C7": (-0.085, 1.520, 0.0),
    "T8": (-0.125, 1.345, 0.0),
    "IJ": (0.045, 1.455, 0.0),
    "PX": (0.095, 1.275, 0.0),
    "PMCP": (-0.103, 1.040, 0.0),
}
_RIGHT: dict[str, Place] = {
    "AuxC_*": (-0.025, 1.725, 0.072),
    "AuxT_*": (-0.128, 1.405, 0.052),
    "EC_*": (0.044, 1.460, 0.024),
    "AC_*": (-0.030, 1.478, 0.165),
    "AA_*": (-0.062, 1.464, 0.186),
    "TE_*": (-0.111, 1.443, 0.076),
    "AI_*": (-0.113, 1.327, 0.098),
    "PCOR_*": (0.018, 1.440, 0.140),
    "CIAS_*": (0.046, 1.025, 0.112),
    "AuxP_*": (-0.092, 1.062, 0.078),
    "MM_*": (-0.060, 0.084, 0.061),
    "ML_*": (-0.074, 0.072, 0.131),
    "CALC_*": (-0.117, 0.034, 0.091),
    "MT1_*": (0.078, 0.030, 0.076),
    "MT5_*": (0.052, 0.020, 0.151),
}

MALE = Proportions(
    stature=1.77,
    fixed=FrozenDict({**_MIDLINE, **_RIGHT}),
    knee=(-0.024, 0.512, 0.091),
    widths=FrozenDict({"knee": 0.100, "elbow": 0.068, "wrist": 0.058, "hand": 0.078}),
    lengths=FrozenDict({"humerus": 0.271, "forearm": 0.276, "hand": 0.080}),
)


def _female() -> Proportions:
    """Women: the proportions of men at their stature, with a wider pelvis and narrower shoulders, hands and joints."""
    stature = 1.61
    scale = stature / MALE.stature
    pelvis, shoulder, joint = 0.119 / (0.112 * scale), 0.95, 0.94
    sideways = {"CIAS_*": pelvis, "AuxP_*": pelvis}
    sideways |= dict.fromkeys(("AC_*", "AA_*", "TE_*", "AI_*", "PCOR_*", "AuxT_*"), shoulder)
    fixed = {
        name: (scale * x, scale * y, scale * sideways.get(name, 1.0) * z) for name, (x, y, z) in MALE.fixed.items()
    }
    x, y, z = MALE.knee
    return Proportions(
        stature,
        FrozenDict(fixed),
        (scale * x, scale * y, scale * z),
        FrozenDict({name: scale * joint * width for name, width in MALE.widths.items()}),
        FrozenDict({name: scale * length for name, length in MALE.lengths.items()}),
    )


BY_SEX: Mapping[str, Proportions] = FrozenDict({"male": MALE, "female": _female()})
