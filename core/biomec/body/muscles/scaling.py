"""Factors by which the segments of a source are stretched to a person's, from lengths of the static pose (theory §1.2).

Every factor is the person's length over the source's. Long axes take the distance of joint centres, so that mapped
centres fall on those of the person. Widths hold soft tissue and count half; lengths that nobody recorded follow the
others. Factors outside `RANGE` are clipped and listed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.muscles.muscle_set import BodyMap
from biomec.recording.marker_set import Side

RANGE = (0.8, 1.25)
WIDTH_COUNTS = 0.5  # of a width over the skin, the rest is the factor of the long axis

ENDS = {
    "PTS_PTI": ("PTS", "PTI"), "IJ_C7": ("IJ", "C7"), "EC_AC": ("EC_*", "AC_*"), "TE_AA": ("TE_*", "AA_*"),
    "TE_AI": ("TE_*", "AI_*"), "GU_PME": ("GU_*", "PME_*"), "EL_EM": ("EL_*", "EM_*"), "PME_EU": ("PME_*", "EU_*"),
    "PME_ER": ("PME_*", "ER_*"), "EL_ER": ("EL_*", "ER_*"), "CAQ_KJC": ("CAQ_*", "KJC_*"),
    "CL_CM": ("CLAT_*", "CMED_*"), "KJC_CAT": ("KJC_*", "CAT_*"), "KJC_PMM": ("KJC_*", "PMM_*"),
    "ML_MM": ("ML_*", "MM_*"), "CALC_PMT": ("CALC_*", "PMT_*"), "MT1_MT5": ("MT1_*", "MT5_*"),
    "CIAS_width": ("CIAS_D", "CIAS_E"), "CAP_PMCH": ("CAP_*", "PMCH_*"),
}  # fmt: skip
"""Length of a source -> the person's landmarks between which it is measured; a star stands for the side."""


@dataclass(frozen=True, eq=False)
class SegmentScale:
    """How one segment was stretched.

    factors : (3,) along x, y, z of the segment [-]
    clipped : names of the axes whose factor was beyond `RANGE`
    missing : lengths of the source that the person's static pose does not hold
    """

    segment: str
    factors: FloatArray
    clipped: tuple[str, ...]
    missing: tuple[str, ...]


Lengths = Callable[[str], float]
Rule = Callable[[Lengths], tuple[float, float, float]]


def segment_scale(person: SubjectModel, body_maps: list[BodyMap], segment: str, side: Side | None) -> SegmentScale:
    """Factors of a segment from the references that its body maps hold."""
    reference: dict[str, float] = {}
    for one in body_maps:
        reference.update(one.reference)
    missing: list[str] = []

    def ratio(name: str) -> float:
        if name not in reference:
            return float("nan")
        length = _length(person, name, side)
        if not np.isfinite(length):
            missing.append(name)
        return length / reference[name]

    kind = body_maps[0].segment.removeprefix("* ")
    x, y, z = RULES[kind](ratio) if kind in RULES else (1.0, 1.0, 1.0)
    raw = np.array([x, y, z])
    raw[~np.isfinite(raw)] = 1.0
    factors = np.clip(raw, *RANGE)
    clipped = tuple("xyz"[k] for k in np.flatnonzero(factors != raw))
    return SegmentScale(segment, factors, clipped, tuple(dict.fromkeys(missing)))


def _length(person: SubjectModel, name: str, side: Side | None) -> float:
    """A length of the person in the static pose [m]; NaN where a landmark is missing."""
    code = "E" if side is Side.LEFT else "D"
    points = person.static
    if name == "CIAS_mid_PMCP":
        needed = ("CIAS_D", "CIAS_E", "PMCP")
        if not all(one in points for one in needed):
            return float("nan")
        return float(np.linalg.norm(0.5 * (points["CIAS_D"] + points["CIAS_E"]) - points["PMCP"]))
    if name in ("HJC_height", "HJC_lateral"):
        needed = ("CIAS_D", "CIAS_E", f"CAQ_{code}")
        if "pelvis" not in person.frames or not all(one in points for one in needed):
            return float("nan")
        R = person.frames["pelvis"].attitude(points)
        away = R.T @ (points[f"CAQ_{code}"] - 0.5 * (points["CIAS_D"] + points["CIAS_E"]))
        return float(-away[1] if name == "HJC_height" else abs(away[2]))
    first, second = (one.replace("*", code) for one in ENDS[name])
    if first not in points or second not in points:
        return float("nan")
    return float(np.linalg.norm(points[first] - points[second]))


def _known(*values: float) -> float:
    """The first that is known; 1 if none is."""
    return next((value for value in values if np.isfinite(value)), 1.0)


def _mean(a: float, b: float) -> float:
    """Geometric mean of two factors; the known one if the other is not."""
    return float(np.sqrt(_known(a, b) * _known(b, a)))


def _limb(long_axis: tuple[str, ...], width: str) -> Rule:
    """Long axis by joint centres, width half by the skin; depth like the width."""

    def rule(ratio: Lengths) -> tuple[float, float, float]:
        y = _known(*(value for value in (ratio(name) for name in long_axis)))
        across = ratio(width) if width else float("nan")
        z = WIDTH_COUNTS * across + (1.0 - WIDTH_COUNTS) * y if np.isfinite(across) else y
        return z, y, z

    return rule


def _thorax(ratio: Lengths) -> tuple[float, float, float]:
    y, x = ratio("PTS_PTI"), ratio("IJ_C7")
    x, y = _known(x, y), _known(y, x)
    return x, y, _mean(x, y)


def _clavicle(ratio: Lengths) -> tuple[float, float, float]:
    z = _known(ratio("EC_AC"))
    return float(np.sqrt(z)), float(np.sqrt(z)), z


def _scapula(ratio: Lengths) -> tuple[float, float, float]:
    y, z = ratio("TE_AI"), ratio("TE_AA")
    y, z = _known(y, z), _known(z, y)
    return _mean(y, z), y, z


def _pelvis(ratio: Lengths) -> tuple[float, float, float]:
    width = ratio("CIAS_width")
    z = _known(ratio("HJC_lateral"), width)
    y = _known(ratio("HJC_height"), z)
    return _known(ratio("CIAS_mid_PMCP"), y, z), y, z


def _foot(ratio: Lengths) -> tuple[float, float, float]:
    x = ratio("CALC_PMT")
    z = _known(ratio("MT1_MT5"), x)
    x = _known(x, z)
    return x, _mean(x, z), z


RULES: Mapping[str, Rule] = {
    "thorax": _thorax,
    "clavicle": _clavicle,
    "scapula": _scapula,
    "humerus": _limb(("GU_PME",), "EL_EM"),
    "ulna": _limb(("PME_EU", "PME_ER"), ""),
    "radius": _limb(("EL_ER",), ""),
    "hand": _limb(("CAP_PMCH",), ""),
    "pelvis": _pelvis,
    "thigh": _limb(("CAQ_KJC",), "CL_CM"),
    "shank": _limb(("KJC_CAT", "KJC_PMM"), "ML_MM"),
    "foot": _foot,
}
"""Segment -> factors along x, y, z from the ratios of lengths; unknown ratios are NaN."""
