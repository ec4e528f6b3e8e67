"""The virtual person: an adult of given mass, stature and sex, and where its markers are when it stands.

The right side is placed and the left is its exact mirror image. Landmarks of the joints are placed so that the hinges
of the model pass through them: the femoral condyles lie on a line normal to the thigh, the epicondyles on one normal to
the humerus. Those landmarks then move with both segments of their joint, as the model has it.

Heights, breadths and depths were written from general anthropometry so that the lengths of the segments come near the
reference lengths of [Dumas2007] (stature 1.77 m for men, 1.61 m for women). They describe nobody in particular.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.body.anatomy.centres import CENTRE_METHODS
from biomec.engine.rotations import unit
from biomec.io.marker_set_file import load_marker_set
from biomec.recording import Subject
from biomec.recording.marker_set import MarkerSet

MARKER_SET = "biomec-full"
HIP, SHOULDER = "hip-harrington-2007", "shoulder-meskers-1998"  # what the models prefer
MIRROR = np.array([1.0, 1.0, -1.0])
ARM_ABDUCTION, CARRYING, ELBOW_FLEXION = np.deg2rad([12.0, 9.0, 8.0])
PLATES = {  # plate: segment ends, place along them, distance outwards, half sizes along and across [m at 1.77 m]
    "CLBR": ("GU_*", "PME_*", 0.55, 0.052, 0.042, 0.036),
    "CLAB": ("PME_*", "CAP_*", 0.72, 0.038, 0.034, 0.028),
    "CLCX": ("CAQ_*", "KJC_*", 0.60, 0.085, 0.042, 0.038),
    "CLPN": ("KJC_*", "PMM_*", 0.55, 0.058, 0.042, 0.036),
}
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
    "HLX_*": (0.142, 0.022, 0.090),
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


@dataclass(frozen=True)
class VirtualPerson:
    """An adult who exists only here.

    mass_kg, height_m : body mass and stature
    sex               : "male" or "female"
    name              : for the files' names and the subject of the trials
    """

    mass_kg: float = 75.0
    height_m: float = 1.77
    sex: str = "male"
    name: str = "Demo"
    marker_set: str = field(default=MARKER_SET, init=False)

    def __post_init__(self) -> None:
        if self.sex not in BY_SEX:
            raise BiomecError(f"Virtual person {self.name}: sex is {self.sex!r}; choose {' or '.join(BY_SEX)}.")
        for what, value, low, high, unit_ in (
            ("mass", self.mass_kg, 35.0, 180.0, "kg"),
            ("height", self.height_m, 1.35, 2.15, "m"),
        ):
            if not low <= value <= high:
                raise BiomecError(
                    f"Virtual person {self.name}: a {what} of {value:g} {unit_} is not an adult's; choose one between "
                    f"{low:g} and {high:g} {unit_}."
                )

    @property
    def subject(self) -> Subject:
        """What a laboratory would write down about the person."""
        return Subject(self.name, self.sex, self.mass_kg, self.height_m)

    @cached_property
    def landmarks(self) -> Mapping[str, FloatArray]:
        """Standing positions (3,) of markers and of the joint centres they were built on [m], both sides."""
        return FrozenDict({name: read_only(point) for name, point in _both_sides(self).items()})

    @cached_property
    def markers(self) -> Mapping[str, FloatArray]:
        """Standing position (3,) of every marker that the set places [m]; X forward, Y up, Z right, floor at Y = 0."""
        return FrozenDict({name: self.landmarks[name] for name in self.full_set.placed})

    @cached_property
    def full_set(self) -> MarkerSet:
        """The marker set that the person wears."""
        return load_marker_set(self.marker_set)


def _both_sides(person: VirtualPerson) -> dict[str, FloatArray]:
    """Landmarks of the right side and the midline, then their mirror images."""
    proportions = BY_SEX[person.sex]
    scale = person.height_m / proportions.stature
    right = {name: scale * np.array(place) for name, place in proportions.fixed.items()}
    measures: dict[str, float | str] = {"sex": person.sex, "height": person.height_m, "mass": person.mass_kg}
    _place_leg(right, measures, proportions, scale)
    _place_arm(right, measures, proportions, scale)
    _place_plates(right, person.height_m / 1.77)
    points = {name.replace("*", "D"): place for name, place in right.items()}
    return points | {name.replace("*", "E"): MIRROR * place for name, place in right.items() if "*" in name}


def _place_leg(
    right: dict[str, FloatArray], measures: Mapping[str, float | str], proportions: Proportions, scale: float
) -> None:
    """Hip by the model's regression, then the condyles on a line through the knee normal to the thigh."""
    points = _sided(right, "CIAS_*") | {"PMCP": right["PMCP"]}
    leg_length = float(np.linalg.norm(right["CIAS_*"] - right["MM_*"]))
    right["CAQ_*"] = CENTRE_METHODS[HIP].compute(points, {**measures, "leg_length_D": leg_length}, "D")
    knee = scale * np.array(proportions.knee)
    outwards = _normal_part(np.array([0.0, 0.0, 1.0]), right["CAQ_*"] - knee)
    half = 0.5 * scale * proportions.widths["knee"]
    right["KJC_*"], right["CLAT_*"], right["CMED_*"] = knee, knee + half * outwards, knee - half * outwards
    right["PMM_*"] = 0.5 * (right["MM_*"] + right["ML_*"])


def _place_arm(
    right: dict[str, FloatArray], measures: Mapping[str, float | str], proportions: Proportions, scale: float
) -> None:
    """Shoulder by the model's regression, then an arm that hangs a little away from the body, palm forward."""
    right["SS_*"] = 0.5 * (right["AA_*"] + right["TE_*"]) + scale * np.array([-0.006, 0.004, 0.0])
    right["GU_*"] = CENTRE_METHODS[SHOULDER].compute(
        {name.replace("*", "D"): right[name] for name in ("AC_*", "AA_*", "TE_*", "AI_*", "PCOR_*")}, measures, "D"
    )
    width, length = proportions.widths, proportions.lengths
    humerus = np.array([0.0, -np.cos(ARM_ABDUCTION), np.sin(ARM_ABDUCTION)])
    elbow = right["GU_*"] + scale * length["humerus"] * humerus
    hinge = _normal_part(np.array([0.0, 0.0, 1.0]), humerus)
    right["PME_*"] = elbow
    right["EL_*"], right["EM_*"] = (elbow + sign * 0.5 * scale * width["elbow"] * hinge for sign in (1.0, -1.0))
    aside = ARM_ABDUCTION + CARRYING
    forearm = np.array([np.sin(ELBOW_FLEXION), -np.cos(ELBOW_FLEXION) * np.cos(aside), np.sin(aside)])
    forearm /= np.linalg.norm(forearm)
    radial = _normal_part(np.array([0.0, 0.0, 1.0]), forearm)
    wrist = elbow + scale * length["forearm"] * forearm
    styloid = scale * (0.5 * width["wrist"] * radial + 0.004 * forearm)
    right["CAP_*"], right["ER_*"], right["EU_*"] = wrist, wrist + styloid, wrist - styloid
    knuckles = wrist + scale * length["hand"] * forearm
    across = scale * (0.5 * width["hand"] * radial + 0.003 * forearm)
    right["MC2_*"], right["MC5_*"] = knuckles + across, knuckles - across
    right["MC3_*"] = knuckles + across / 3.0


def _place_plates(right: dict[str, FloatArray], scale: float) -> None:
    """Plates of four markers on the outside of the limbs: rows 1 above and 2 below, columns 1 in front and 2 behind."""
    for plate, (start, end, along, out, up, across) in PLATES.items():
        axis = unit(right[start] - right[end])
        outwards = _normal_part(np.array([0.0, 0.0, 1.0]), axis)
        forward = np.cross(axis, outwards)
        centre = (1.0 - along) * right[start] + along * right[end] + scale * out * outwards
        for row, vertical in (("1", 1.0), ("2", -1.0)):
            for column, sagittal in (("1", 1.0), ("2", -1.0)):
                bent = (
                    0.012 if (row, column) == ("1", "1") else 0.008
                )  # a plate is bent around the limb, and never square
                right[f"{plate}_*_{row}{column}"] = centre + scale * (
                    vertical * up * axis + sagittal * across * forward - bent * outwards
                )


def _normal_part(direction: FloatArray, axis: FloatArray) -> FloatArray:
    """Unit vector nearest to ``direction`` that is normal to ``axis``."""
    along = unit(axis)
    return unit(direction - (direction @ along) * along)


def _sided(right: Mapping[str, FloatArray], name: str) -> dict[str, FloatArray]:
    return {name.replace("*", "D"): right[name], name.replace("*", "E"): MIRROR * right[name]}
