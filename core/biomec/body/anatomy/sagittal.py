"""The sagittal plane of a recording: what moves and pushes in it, and how the rest is laid into it.

The plane is vertical and contains the way of who walks, or the mean forward direction of the pelvis of who does not.
Joint centres are found in space first and projected then, because their regressions need breadths [Mouzo2018].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.body.anatomy.frames import Points
from biomec.recording import ForcePlate

UP = np.array([0.0, 1.0, 0.0])
WALKED_M = 0.8  # way of the pelvis above which somebody walks
ACROSS = (("CIAS_D", "CIAS_E"), ("CAQ_D", "CAQ_E"), ("GU_D", "GU_E"), ("AC_D", "AC_E"))  # right and left of somebody
MIDDLE = ("PMCP", "CAL", "C7")


@dataclass(frozen=True, eq=False)
class SagittalPlane:
    """A vertical plane through ``origin`` (3,) [m]; the unit ``normal`` (3,) points to the subject's right."""

    origin: FloatArray
    normal: FloatArray

    def point(self, p: FloatArray) -> FloatArray:
        """Points (..., 3) laid into the plane [m]."""
        return np.asarray(p - self.along(p - self.origin))

    def vector(self, v: FloatArray) -> FloatArray:
        """Forces (..., 3) without their part across the plane."""
        return np.asarray(v - self.along(v))

    def along(self, v: FloatArray) -> FloatArray:
        """Part of vectors (..., 3) across the plane; of a moment that which turns in the plane."""
        return np.asarray((v @ self.normal)[..., None] * self.normal)

    def points(self, points: Points) -> dict[str, FloatArray]:
        """All points laid into the plane."""
        return {name: read_only(self.point(np.asarray(p))) for name, p in points.items()}

    def plate(self, plate: ForcePlate) -> ForcePlate:
        """What a plate does in the plane: moments about the normal do not depend on where along it the origin is."""
        return replace(
            plate,
            force=self.vector(plate.force),
            moment=self.along(plate.moment),
            origin=self.point(np.asarray(plate.origin)),
        )


def sagittal_plane(points: Mapping[str, FloatArray]) -> SagittalPlane:
    """Plane of the points (3,) of a pose, or (T, 3) of a movement [m], in axes X forward, Y up, Z right."""
    pairs = [(points[a], points[b]) for a, b in ACROSS if a in points and b in points]
    middle = next((np.asarray(points[name]).reshape(-1, 3) for name in MIDDLE if name in points), None)
    right = next((level for a, b in pairs if (level := _level(_mean(np.asarray(a) - np.asarray(b)))).any()), None)
    if right is None or middle is None:
        raise BiomecError(
            "The sagittal plane cannot be found: it needs the anterior spines of the pelvis or both shoulders, and the "
            "sacrum or C7. Check the mapping of the labels, or analyse the recording in 3D."
        )
    known = middle[np.isfinite(middle).all(axis=1)]
    way = known[-1] - known[0] if len(known) else np.zeros(3)
    if float(np.linalg.norm(way * [1.0, 0.0, 1.0])) > WALKED_M:
        across = _level(np.cross(way, UP))
        right = across if across @ right > 0.0 else -across  # who walks backwards still has the same right side
    return SagittalPlane(read_only(_mean(middle)), read_only(right))


def _mean(v: FloatArray) -> FloatArray:
    rows = v.reshape(-1, 3)
    known = rows[np.isfinite(rows).all(axis=1)]
    return np.asarray(known.mean(axis=0)) if len(known) else np.zeros(3)


def _level(v: FloatArray) -> FloatArray:
    """Unit vector (3,) of the horizontal part; zeros where there is none."""
    flat = v * np.array([1.0, 0.0, 1.0])
    size = float(np.linalg.norm(flat))
    return flat / size if size > 1e-3 else np.zeros(3)
