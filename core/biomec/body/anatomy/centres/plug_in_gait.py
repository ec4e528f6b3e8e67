"""Limb centres of the conventional gait model (Plug-in Gait), built on chords      [Kadaba1990], [Davis1991]

Its markers go by the landmarks they are nearest to: KNE is CLAT, ANK is ML, SHO is AC, CLAV is IJ, STRN is PX, T10 is
T8, ELB is EL, WRA is ER, WRB is EU; the sticks THI, TIB and the finger FIN keep their names. Unlike the regressions,
all of these take off the radius of the markers.
"""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.centres.method import CentreMethod, Given, centre_method
from biomec.engine.rotations import elementary, unit


def chord(a: FloatArray, b: FloatArray, c: FloatArray, delta: float, beta: float = 0.0) -> FloatArray:
    """Joint centre J (..., 3) [m] from stick a, proximal centre b and joint marker c, all (..., 3) [m].

    J lies at the distance ‖J − c‖ = δ, with J − c at right angles to J − b, in the plane of a, b, c and across the line
    b-c from a. With X = b − c and T = a − c:

        e = n(X (X·T) − T (X·X));    J = c + (δ²/X²) X + δ √(1 − δ²/X²) e      [Kadaba1990]

    ``beta`` [rad] turns the plane of b, c, J against the stick: seen along the bone, from J towards b, it is the angle
    from a to c, counter-clockwise as seen from b. Then e turns about X by φ, where t₁ = T·X/X, t₂ = ‖T − t₁ X/X‖ and

        t₂ cos β sin φ − t₂ √(1 − δ²/X²) sin β cos φ = sin β (δ − t₁ δ/X)

    NaN where no such point exists: δ longer than the bone, a stick on the line b-c, or one too near for the turn.
    """
    X, T = b - c, a - c
    along = unit(X)
    length = np.linalg.norm(X, axis=-1, keepdims=True)
    t1 = np.sum(T * along, axis=-1, keepdims=True)
    sideways = T - t1 * along
    t2 = np.linalg.norm(sideways, axis=-1, keepdims=True)
    e = -sideways / np.where(t2 > 1e-9 * length, t2, np.nan)  # rounding alone is not a direction
    ratio = delta / np.where(length > delta, length, np.nan)
    cosine = np.sqrt(1.0 - ratio**2)
    if beta != 0.0:
        P, Q, S = t2 * np.cos(beta), t2 * cosine * np.sin(beta), np.sin(beta) * (delta - ratio * t1)
        sine = S / np.hypot(P, Q)
        phi = np.arcsin(np.where(np.abs(sine) <= 1.0, sine, np.nan)) + np.arctan2(Q, P)
        e = np.cos(phi) * e + np.sin(phi) * np.cross(along, e)
    return np.asarray(c + delta * ratio * along + delta * cosine * e)


def knee_plug_in_gait(given: Given) -> FloatArray:
    """Chord from hip and thigh stick: δ = knee width / 2 + marker radius, β = thigh rotation, reversed on the left."""
    return _leg_chord(given, "THI_*", "CAQ_*", "CLAT_*", "knee_width_*", "thigh_rotation_*")


def ankle_plug_in_gait(given: Given) -> FloatArray:
    """Chord from knee and shank stick: δ = ankle width / 2 + marker radius, β = shank rotation, reversed on the left.

    An abduction offset then turns the centre about the marker by as much, in the plane of marker, centre and knee, so
    that the angle knee-marker-centre becomes smaller. The model has one point for the ankle: it serves as joint centre
    (CAT) and as middle of the malleoli (PMM).
    """
    centre = _leg_chord(given, "TIB_*", "KJC_*", "ML_*", "ankle_width_*", "shank_rotation_*")
    offset = given.measure("ankle_abduction_*", 0.0)
    if offset == 0.0:
        return centre
    marker = given.point("ML_*")
    arm = centre - marker
    axis = unit(np.cross(arm, given.point("KJC_*") - marker))
    return np.asarray(marker + np.cos(offset) * arm + np.sin(offset) * np.cross(axis, arm))


def _leg_chord(given: Given, stick: str, proximal: str, marker: str, width: str, rotation: str) -> FloatArray:
    delta = given.measure(width) / 2.0 + given.marker_radius
    beta = given.outward * given.measure(rotation, 0.0)
    return chord(given.point(stick), given.point(proximal), given.point(marker), delta, beta)


def foot_along(forward: FloatArray, axis: FloatArray) -> FloatArray:
    """R (..., 3, 3) of a foot that points along ``forward``: X = n(forward), Y = n(axis × X), Z = X × Y.

    The roll comes from the flexion axis (..., 3) of the shank, which never lies along the foot. Points of the foot do
    not give it: heel, ankle centre and toe are nearly in line.
    """
    X = unit(forward)
    Y = unit(np.cross(axis, X))
    return np.stack([X, Y, np.cross(X, Y)], axis=-1)


def foot_tip_plug_in_gait(given: Given) -> FloatArray:
    """Tip of the axis of the foot: as far from the ankle centre as the toe marker, turned by the offsets of the static.

    R_foot = R_u R_Z(plantar flexion offset) R_Y(s rotation offset), R_u along TOE − CAT with the roll of the shank.
    """
    centre = given.point("CAT_*")
    length = np.linalg.norm(given.point("TOE_*") - centre, axis=-1, keepdims=True)
    return np.asarray(centre + length * _foot(given)[..., 0])


def foot_side_plug_in_gait(given: Given) -> FloatArray:
    """Point beside the ankle centre along the foot's Z, as far outwards as the ankle marker."""
    centre = given.point("CAT_*")
    width = np.linalg.norm(given.point("ML_*") - centre, axis=-1, keepdims=True)
    return np.asarray(centre + given.outward * width * _foot(given)[..., 2])


def _foot(given: Given) -> FloatArray:
    """R_foot (..., 3, 3), by the axis of the knee: the shank's Z turned about Y by −s torsion."""
    centre, s = given.point("CAT_*"), given.outward
    Y = unit(given.point("KJC_*") - centre)
    X = s * unit(np.cross(Y, given.point("ML_*") - centre))
    torsion = -s * given.measure("tibial_torsion_*", 0.0)
    axis = np.sin(torsion) * X + np.cos(torsion) * np.cross(X, Y)
    flexion = elementary(given.measure("foot_plantar_flexion_*"), 2)
    rotation = elementary(s * given.measure("foot_rotation_*"), 1)
    return np.asarray(foot_along(given.point("TOE_*") - centre, axis) @ flexion @ rotation)


def shoulder_plug_in_gait(given: Given) -> FloatArray:
    """Chord from the origin of the thorax to the acromion: δ = shoulder offset + marker radius.

    The thorax's y runs from the middle of PX and T8 to that of IJ and C7, its x forward from the middle of C7 and T8 to
    that of IJ and PX, at right angles to y; its origin is IJ less the marker radius along x. The plane of the chord
    holds the acromion and the normal of x and the line to the acromion, so that the centre lies below it.
    """
    C7, IJ, PX, T8 = (given.point(name) for name in ("C7", "IJ", "PX", "T8"))
    y = unit(IJ + C7 - PX - T8)
    forward = IJ + PX - C7 - T8
    x = unit(forward - np.sum(forward * y, axis=-1, keepdims=True) * y)
    origin = IJ - given.marker_radius * x
    marker = given.point("AC_*")
    stick = origin + given.outward * unit(np.cross(marker - origin, x))
    return chord(stick, origin, marker, given.measure("shoulder_offset_*") + given.marker_radius)


def elbow_plug_in_gait(given: Given) -> FloatArray:
    """Chord from the shoulder to the epicondyle: δ = elbow width / 2 + marker radius.

    The plane of the chord stands on the plane of shoulder, epicondyle and middle of the wrist, outwards. It is lost
    where the arm is straight.
    """
    shoulder, marker = given.point("GU_*"), given.point("EL_*")
    outwards = given.outward * unit(np.cross(given.mid("ER_*", "EU_*") - marker, shoulder - marker))
    return chord(marker + outwards, shoulder, marker, given.measure("elbow_width_*") / 2.0 + given.marker_radius)


def wrist_plug_in_gait(given: Given) -> FloatArray:
    """Middle of the wrist markers, moved to the palm by wrist width / 2 + marker radius.

    The way is along n((PME − mid) × (ER − EU)), the normal of wrist bar and forearm, reversed on the left.
    """
    mid = given.mid("ER_*", "EU_*")
    palmar = given.outward * unit(np.cross(given.point("PME_*") - mid, given.point("ER_*") - given.point("EU_*")))
    return np.asarray(mid + (given.measure("wrist_width_*") / 2.0 + given.marker_radius) * palmar)


def hand_plug_in_gait(given: Given) -> FloatArray:
    """Chord from wrist centre and middle of the wrist markers to the finger: δ = hand thickness / 2 + marker radius.

    The middle of the wrist markers lies on the back of the hand, so that the centre comes to the side of the palm.
    """
    delta = given.measure("hand_thickness_*") / 2.0 + given.marker_radius
    return chord(given.mid("ER_*", "EU_*"), given.point("CAP_*"), given.point("FIN_*"), delta)


_RADIUS = ("marker_diameter",)
_ANKLE = ("TIB_*", "KJC_*", "ML_*")
_FOOT, _OFFSETS = ("TOE_*", "CAT_*", "KJC_*", "ML_*"), ("foot_plantar_flexion_*", "foot_rotation_*")

METHODS: tuple[CentreMethod, ...] = (
    centre_method("knee-plug-in-gait", "KJC_*", "Kadaba1990", ("THI_*", "CAQ_*", "CLAT_*"), knee_plug_in_gait,
                  "Plug-in Gait, thigh stick and knee width", ("knee_width_*",), ("thigh_rotation_*", *_RADIUS)),
    centre_method("ankle-plug-in-gait", "CAT_*", "Kadaba1990", _ANKLE, ankle_plug_in_gait,
                  "Plug-in Gait, shank stick and ankle width", ("ankle_width_*",),
                  ("shank_rotation_*", "ankle_abduction_*", *_RADIUS)),
    centre_method("malleoli-plug-in-gait", "PMM_*", "Kadaba1990", _ANKLE, ankle_plug_in_gait,
                  "Plug-in Gait, shank stick and ankle width", ("ankle_width_*",),
                  ("shank_rotation_*", "ankle_abduction_*", *_RADIUS)),
    centre_method("foot-tip-plug-in-gait", "FTA_*", "Kadaba1990", _FOOT, foot_tip_plug_in_gait,
                  "Plug-in Gait, toe marker and offsets of the static", _OFFSETS, ("tibial_torsion_*",)),
    centre_method("foot-side-plug-in-gait", "FTL_*", "Kadaba1990", _FOOT, foot_side_plug_in_gait,
                  "Plug-in Gait, toe marker and offsets of the static", _OFFSETS, ("tibial_torsion_*",)),
    centre_method("shoulder-plug-in-gait", "GU_*", "Davis1991", ("AC_*", "C7", "IJ", "PX", "T8"),
                  shoulder_plug_in_gait, "Plug-in Gait, thorax and shoulder offset", ("shoulder_offset_*",), _RADIUS),
    centre_method("elbow-plug-in-gait", "PME_*", "Davis1991", ("GU_*", "EL_*", "ER_*", "EU_*"), elbow_plug_in_gait,
                  "Plug-in Gait, shoulder, wrist and elbow width", ("elbow_width_*",), _RADIUS),
    centre_method("wrist-plug-in-gait", "CAP_*", "Davis1991", ("PME_*", "ER_*", "EU_*"), wrist_plug_in_gait,
                  "Plug-in Gait, wrist bar and wrist width", ("wrist_width_*",), _RADIUS),
    centre_method("hand-plug-in-gait", "PMCH_*", "Davis1991", ("CAP_*", "ER_*", "EU_*", "FIN_*"), hand_plug_in_gait,
                  "Plug-in Gait, wrist, finger and hand thickness", ("hand_thickness_*",), _RADIUS),
)  # fmt: skip
