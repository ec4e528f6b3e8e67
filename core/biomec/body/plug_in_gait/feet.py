"""The foot: from ankle centre and toe marker, its roll from the shank, turned by two offsets of the static."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.centres import Points
from biomec.body.plug_in_gait.sides import LegSide
from biomec.engine.rotations import cardan, elementary, unit

UP = 1  # component of the vertical


def foot_along(forward: FloatArray, shank: FloatArray) -> FloatArray:
    """R (T, 3, 3) of a foot that points along ``forward``: X = n(forward), Y = n(Z_shank × X), Z = X × Y      (7)

    The roll comes from the flexion axis of the untorsioned shank, which never lies along the foot.
    """
    X = unit(forward)
    Y = unit(np.cross(shank[..., :, 2], X))
    return np.stack([X, Y, np.cross(X, Y)], axis=-1)


def foot(
    points: Points, shank: FloatArray, ankle: FloatArray, flexion: float, rotation: float, leg: LegSide
) -> FloatArray:
    """R_foot = R_u R_Z(plantar flexion offset) R_Y(s rotation offset), R_u along n(TOE − ankle centre)      (8)"""
    uncorrected = foot_along(points[leg.key("TOE")] - ankle, shank)
    return np.asarray(uncorrected @ elementary(flexion, 2) @ elementary(leg.sign * rotation, 1))


def reference_foot(points: Points, shank: FloatArray, leg: LegSide, flat: bool) -> FloatArray:
    """R_r (T, 3, 3) of the static along n(TOE − HEE), the heel raised to the toe's height if it is flat      (9)"""
    toe, heel = points[leg.key("TOE")], np.array(points[leg.key("CALC")])
    if flat:
        heel[..., UP] = toe[..., UP]
    return foot_along(toe - heel, shank)


def static_offsets(
    points: Points, shank: FloatArray, ankle: FloatArray, leg: LegSide, flat: bool
) -> tuple[float, float]:
    """Plantar flexion and rotation offset [rad]: means of a and s b over the frames of the static      (10)

    R_uᵀ R_r = R_Z(a) R_Y(b) R_X(c); the third angle is dropped. NaN where no frame shows the foot.
    """
    uncorrected = foot_along(points[leg.key("TOE")] - ankle, shank)
    a, b, _ = (
        cardan(np.swapaxes(uncorrected, -1, -2) @ reference_foot(points, shank, leg, flat), "ZYX").reshape(-1, 3).T
    )
    seen = np.isfinite(a)
    return (float(a[seen].mean()), leg.sign * float(b[seen].mean())) if seen.any() else (float("nan"), float("nan"))
