"""Knee and ankle centres, thigh and shank; the knee alignment device of a static."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.centres import CENTRE_METHODS, Measures, Points, chord
from biomec.body.plug_in_gait.pelvis import hip
from biomec.body.plug_in_gait.sides import LegSide
from biomec.engine.rotations import elementary, unit

LEG = ("THI", "CLAT", "TIB", "ML")
DEVICE = ("KAX", "KD1", "KD2")


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
