"""Axes and size of the pelvis, on which the regressions of lumbar and hip centre stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.centres.method import CentreMethod, Given, centre_method
from biomec.engine.rotations import unit

PELVIS = ("CIAS_D", "CIAS_E", "PMCP")
ASIS_DISTANCE = "asis_distance"


@dataclass(frozen=True)
class Pelvis:
    """Pelvis on its three landmarks; all arrays (..., 3) or (...), in metres.

    w = n(CIAS_D − CIAS_E)  to the right;  v = n((PMCP − CIAS_E) × w)  up;  u = v × w  forward     [Nunes2017] Table 4.2

    width is the distance of the anterior spines as it was measured on the person (``asis_distance``) or else
    ‖CIAS_D − CIAS_E‖; depth is ‖mid CIAS − PMCP‖. Both of the latter are between the centres of the markers.
    """

    front: FloatArray  # middle of the anterior spines
    back: FloatArray  # middle of the posterior spines
    u: FloatArray
    v: FloatArray
    w: FloatArray
    width: FloatArray
    depth: FloatArray

    @classmethod
    def of(cls, given: Given) -> Pelvis:
        """Pelvis on CIAS_D, CIAS_E and PMCP."""
        right, left, back = (given.point(name) for name in PELVIS)
        front = 0.5 * (right + left)
        w = unit(right - left)
        v = unit(np.cross(back - left, w))
        measured = np.asarray(given.measure(ASIS_DISTANCE)) if given.has(ASIS_DISTANCE) else None
        width = np.linalg.norm(right - left, axis=-1) if measured is None else measured
        depth = np.asarray(np.linalg.norm(front - back, axis=-1))
        return cls(front, back, np.cross(v, w), v, w, width, depth)

    def point(
        self, forward: ArrayLike, up: ArrayLike, right: ArrayLike, origin: FloatArray | None = None
    ) -> FloatArray:
        """Point (..., 3) [m] with these coordinates (...) [m] from ``origin``, else from the middle of the CIAS."""
        along = ((forward, self.u), (up, self.v), (right, self.w))
        start = self.front if origin is None else origin
        return start + sum(np.asarray(distance)[..., None] * axis for distance, axis in along)


def lumbar_dumas_2007(given: Given) -> FloatArray:
    """Lumbar joint centre (L5/S1): CAL = mid CIAS + pw (a u + b v), pw the pelvis width      [Dumas2007]

    (a, b) = (−0.335, −0.032) for men and (−0.340, +0.049) for women. Made on points of the body's surface; no marker
    radius is taken off.
    """
    pelvis = Pelvis.of(given)
    a, b = (-0.335, -0.032) if given.is_male else (-0.340, 0.049)
    return pelvis.point(a * pelvis.width, b * pelvis.width, 0.0)


METHODS: tuple[CentreMethod, ...] = (
    centre_method(
        "lumbar-dumas-2007",
        "CAL",
        "Dumas2007",
        PELVIS,
        lumbar_dumas_2007,
        "Dumas 2007, pelvis width and sex",
        ("sex",),
        (ASIS_DISTANCE,),
    ),
)
