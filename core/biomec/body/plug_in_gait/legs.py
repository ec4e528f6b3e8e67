"""Sides, pelvis, hip, knee and ankle centres, thigh, shank and foot; the knee alignment device of a static."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.centres import CENTRE_METHODS, Measures, Points, chord
from biomec.body.anatomy.centres.plug_in_gait import foot_along
from biomec.engine.rotations import cardan, elementary, unit
from biomec.recording.marker_set import Side

PELVIS = ("CIAS_D", "CIAS_E", "PMCP")
LEG = ("THI", "CLAT", "TIB", "ML")
DEVICE = ("KAX", "KD1", "KD2")
UP = 1  # component of the vertical


class LegSide(NamedTuple):
    """code: of landmarks and measures; vicon: of Vicon's names; sign: s, +1 right and −1 left."""

    code: str
    word: str
    vicon: str
    sign: float
    side: Side

    def name(self, part: str) -> str:
        """``right thigh``."""
        return f"{self.word} {part}"

    def key(self, stem: str) -> str:
        """``knee_width_D``, ``KJC_D``."""
        return f"{stem}_{self.code}"


SIDES = (LegSide("D", "right", "R", 1.0, Side.RIGHT), LegSide("E", "left", "L", -1.0, Side.LEFT))


def pelvis(points: Points) -> FloatArray:
    """R (T, 3, 3): Z = n(RASI − LASI), Y = n((RASI − SAC) × (LASI − SAC)), X = Y × Z      (1)"""
    right, left, back = (points[name] for name in PELVIS)
    Z = unit(right - left)
    Y = unit(np.cross(right - back, left - back))
    return np.stack([np.cross(Y, Z), Y, Z], axis=-1)


def hip(points: Points, measures: Measures, leg: LegSide) -> FloatArray:
    """Hip centre (T, 3) [m] by Davis with the constants of Plug-in Gait      (2)"""
    return CENTRE_METHODS["hip-plug-in-gait"].compute(points, measures, leg.code)


def knee(points: Points, measures: Measures, leg: LegSide) -> FloatArray:
    """Knee centre (T, 3) [m]: chord of thigh stick, hip centre and knee marker      (3)"""
    return CENTRE_METHODS["knee-plug-in-gait"].compute(points, measures, leg.code)


def ankle(points: Points, measures: Measures, leg: LegSide) -> FloatArray:
    """Ankle centre (T, 3) [m]: chord of shank stick, knee centre and ankle marker, then abduction offset      (4)"""
    return CENTRE_METHODS["ankle-plug-in-gait"].compute(points, measures, leg.code)


def long_bone(proximal: FloatArray, distal: FloatArray, marker: FloatArray, leg: LegSide) -> FloatArray:
    """R (T, 3, 3) of thigh or shank: Y = n(proximal − distal), X = s n(Y × (marker − distal)), Z = X × Y      (5)"""
    Y = unit(proximal - distal)
    X = leg.sign * unit(np.cross(Y, marker - distal))
    return np.stack([X, Y, np.cross(X, Y)], axis=-1)


def untorsioned(torsioned: FloatArray, torsion: float, leg: LegSide) -> FloatArray:
    """R_shank = R_torsioned R_Y(−s torsion): the shank by the axis of the knee instead of that of the ankle      (6)"""
    return np.asarray(torsioned @ elementary(-leg.sign * torsion, 1))


def azimuth(R: FloatArray, origin: FloatArray, point: FloatArray, leg: LegSide) -> FloatArray:
    """Angle (T,) [rad] of a point about Y of a segment, from lateral towards forward."""
    x, _, z = np.moveaxis(np.einsum("...ji,...j->...i", R, point - origin), -1, 0)
    return np.asarray(np.arctan2(x, leg.sign * z))


# --------------------------------------------------------------------------------------------------------------- feet
def foot(
    points: Points, shank: FloatArray, ankle: FloatArray, flexion: float, rotation: float, leg: LegSide
) -> FloatArray:
    """R_foot = R_u R_Z(plantar flexion offset) R_Y(s rotation offset), R_u along n(TOE − ankle centre)      (8)"""
    uncorrected = foot_along(points[leg.key("TOE")] - ankle, shank[..., 2])
    return np.asarray(uncorrected @ elementary(flexion, 2) @ elementary(leg.sign * rotation, 1))


def reference_foot(points: Points, shank: FloatArray, leg: LegSide, flat: bool) -> FloatArray:
    """R_r (T, 3, 3) of the static along n(TOE − HEE), the heel raised to the toe's height if it is flat      (9)"""
    toe, heel = points[leg.key("TOE")], np.array(points[leg.key("CALC")])
    if flat:
        heel[..., UP] = toe[..., UP]
    return foot_along(toe - heel, shank[..., 2])


def static_offsets(
    points: Points, shank: FloatArray, ankle: FloatArray, leg: LegSide, flat: bool
) -> tuple[float, float]:
    """Plantar flexion and rotation offset [rad]: means of a and s b over the frames of the static      (10)

    R_uᵀ R_r = R_Z(a) R_Y(b) R_X(c); the third angle is dropped. NaN where no frame shows the foot.
    """
    uncorrected = foot_along(points[leg.key("TOE")] - ankle, shank[..., 2])
    a, b, _ = (
        cardan(np.swapaxes(uncorrected, -1, -2) @ reference_foot(points, shank, leg, flat), "ZYX").reshape(-1, 3).T
    )
    seen = np.isfinite(a)
    return (float(a[seen].mean()), leg.sign * float(b[seen].mean())) if seen.any() else (float("nan"), float("nan"))


# ------------------------------------------------------------------------------------------ knee alignment device
def virtual_knee(points: Points, leg: LegSide) -> FloatArray:
    """Knee marker (T, 3) [m] that the device replaces: the corner of the tripod KAX, KD1, KD2.

    The three arms are equal and at right angles, so that the corner lies ‖KAX − KD1‖/√6 off the middle of their ends,
    along the normal; of the two such points it is the one from which KAX lies farther outwards.
    """
    ends = [points[leg.key(name)] for name in DEVICE]
    middle = np.mean(ends, axis=0)
    normal = unit(np.cross(ends[1] - ends[0], ends[2] - ends[0]))
    side = np.mean([np.linalg.norm(ends[k] - ends[k - 1], axis=-1) for k in range(3)], axis=0)
    outward = leg.sign * unit(points["CIAS_D"] - points["CIAS_E"])
    corners = [middle + sign * side[..., None] / np.sqrt(6.0) * normal for sign in (1.0, -1.0)]
    reach = [np.nanmean(np.sum((ends[0] - corner) * outward, axis=-1)) for corner in corners]
    return np.asarray(corners[int(np.argmax(reach))])


def rotations_by_device(points: Points, measures: Measures, leg: LegSide) -> dict[str, float]:
    """Thigh and shank rotation [rad] of a static with a knee alignment device; not checked against Vicon's output.

    The plane of hip centre, corner of the device and its axis takes the place of the plane of the thigh stick; the
    ankle marker is turned from that axis by the tibial torsion. Rotations are −azimuth of THI and TIB.
    """
    marker, axis = virtual_knee(points, leg), points[leg.key("KAX")]
    radius = 0.5 * float(measures["marker_diameter"])
    hip_centre = hip(points, measures, leg)
    knee_centre = chord(axis, hip_centre, marker, 0.5 * float(measures[leg.key("knee_width")]) + radius)
    malleolus = points[leg.key("ML")]
    stick = malleolus + (axis - marker)  # the direction of the knee's axis at the ankle
    torsion = float(measures.get(leg.key("tibial_torsion"), 0.0))
    width = 0.5 * float(measures[leg.key("ankle_width")]) + radius
    ankle_centre = chord(stick, knee_centre, malleolus, width, leg.sign * torsion)
    thigh = long_bone(hip_centre, knee_centre, marker, leg)
    shank = long_bone(knee_centre, ankle_centre, malleolus, leg)
    found = {
        leg.key("thigh_rotation"): -azimuth(thigh, knee_centre, points[leg.key("THI")], leg),
        leg.key("shank_rotation"): -azimuth(shank, ankle_centre, points[leg.key("TIB")], leg),
    }
    return {key: float(np.nanmean(values)) for key, values in found.items()}
