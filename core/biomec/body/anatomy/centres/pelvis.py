"""Lumbar and hip joint centres from the axes and the size of the pelvis.

Hip: coordinates are (u forward, v up, w right) from the middle of the anterior spines, for the right hip; w changes
sign on the left. PW is the pelvis width, PD its depth, LL the length of the leg. PW is the measured distance of the
anterior spines if there is one, else the distance between their markers.

All but that of Davis were made for bony points. No marker radius is taken off by default: a marker of 14 mm on the
anterior spines puts the centre about its radius too far forward, which is less than the scatter of these regressions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

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


def davis_coordinates(
    leg_length: ArrayLike, trochanter: ArrayLike, width: ArrayLike, radius: float, theta: float, beta: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Coordinates (u, v, w) [m] of the right hip from the middle of the anterior spines      [Davis1991]

    C = 0.115 LL − 0.0153 m
    u = −(x + r) cos β + C cos θ sin β;   v = −(x + r) sin β − C cos θ cos β;   w = PW/2 − C sin θ

    leg_length LL, trochanter x (from ASIS to trochanter, along the pelvis), width PW, radius r of a marker [m];
    theta, beta [rad] are the angles of the hip's offset in the frontal and the sagittal plane.
    """
    C = 0.115 * np.asarray(leg_length) - 0.0153
    x = np.asarray(trochanter) + radius
    u = -x * np.cos(beta) + C * np.cos(theta) * np.sin(beta)
    v = -x * np.sin(beta) - C * np.cos(theta) * np.cos(beta)
    return u, v, np.asarray(width) / 2.0 - C * np.sin(theta)


def hip_davis_1991(given: Given) -> FloatArray:
    """[Davis1991] with the angles of that paper, θ = 28.4° and β = 18°, and the leg length of the side."""
    return _davis(given, given.measure("leg_length_*"), np.deg2rad(28.4), np.deg2rad(18.0))


def hip_plug_in_gait(given: Given) -> FloatArray:
    """[Davis1991] as Plug-in Gait computes it: θ = 0.5 rad, β = 0.314 rad, and the mean length of both legs.

    Where the length of only one leg is known, that one is taken.
    """
    lengths = [given.measure(f"leg_length_{side}") for side in "DE" if given.has(f"leg_length_{side}")]
    leg_length = float(np.mean(lengths)) if lengths else given.measure("leg_length_*")
    return _davis(given, leg_length, 0.5, 0.314)


def _davis(given: Given, leg_length: float, theta: float, beta: float) -> FloatArray:
    """Davis' hip with these angles [rad].

    The distance from ASIS to trochanter is the entered one or else 0.1288 LL − 0.04856 m, LL of the side.
    """
    pelvis = Pelvis.of(given)
    if given.has("asis_trochanter_*"):
        trochanter = given.measure("asis_trochanter_*")
    else:
        trochanter = 0.1288 * given.measure("leg_length_*", leg_length) - 0.04856
    u, v, w = davis_coordinates(leg_length, trochanter, pelvis.width, given.marker_radius, theta, beta)
    return pelvis.point(u, v, given.outward * w)


def hip_harrington_2007(given: Given) -> FloatArray:
    """u = −0.24 PD − 9.9;  v = −0.16 PW − 0.04 LL − 7.1;  w = 0.28 PD + 0.16 PW + 7.9  [mm]      [Harrington2007]"""
    pelvis, LL = Pelvis.of(given), given.measure("leg_length_*")
    PW, PD = pelvis.width, pelvis.depth
    w = 0.28 * PD + 0.16 * PW + 0.0079
    return pelvis.point(-0.24 * PD - 0.0099, -0.16 * PW - 0.04 * LL - 0.0071, given.outward * w)


def hip_harrington_pelvis(given: Given) -> FloatArray:
    """u = −0.24 PD − 9.9;  v = −0.30 PW − 10.9;  w = 0.33 PW + 7.3  [mm]      [Harrington2007]

    The form for those who have no leg length.
    """
    pelvis = Pelvis.of(given)
    PW = pelvis.width
    return pelvis.point(-0.24 * pelvis.depth - 0.0099, -0.30 * PW - 0.0109, given.outward * (0.33 * PW + 0.0073))


def hip_harrington_pelvis_width(given: Given) -> FloatArray:
    """u = −0.138 PW − 10.4;  v = −0.305 PW − 10.9;  w = 0.33 PW + 7.3  [mm]      [Harrington2007], [Sangeux2015]"""
    pelvis = Pelvis.of(given)
    PW = pelvis.width
    return pelvis.point(-0.138 * PW - 0.0104, -0.305 * PW - 0.0109, given.outward * (0.33 * PW + 0.0073))


def hip_harrington_leg_length(given: Given) -> FloatArray:
    """u = −0.041 LL − 6.3;  v = −0.083 LL − 7.9;  w = 0.0874 LL + 5.4  [mm]      [Harrington2007], [Sangeux2015]"""
    LL = given.measure("leg_length_*")
    return Pelvis.of(given).point(-0.041 * LL - 0.0063, -0.083 * LL - 0.0079, given.outward * (0.0874 * LL + 0.0054))


def hip_hara_2016(given: Given) -> FloatArray:
    """u = 11 − 0.063 LL;  v = −9 − 0.078 LL;  w = 8 + 0.086 LL  [mm]      [Hara2016]"""
    LL = given.measure("leg_length_*")
    return Pelvis.of(given).point(0.011 - 0.063 * LL, -0.009 - 0.078 * LL, given.outward * (0.008 + 0.086 * LL))


def hip_in_pelvis_widths(u: float, v: float, w: float, given: Given) -> FloatArray:
    """mid CIAS + PW (u, v, ±w): [Bell1990] (−0.19, −0.30, 0.36) and [Bell1989] (−0.22, −0.30, 0.36).

    [Bell1989] states it from each spine, 0.14 PW towards the midline: 0.5 − 0.14 = 0.36.
    """
    pelvis = Pelvis.of(given)
    return pelvis.point(u * pelvis.width, v * pelvis.width, given.outward * w * pelvis.width)


def hip_dumas_2007(given: Given) -> FloatArray:
    """mid CIAS + PW (u, v, ±w): men (−0.095, −0.370, 0.361), women (−0.139, −0.336, 0.372)      [Dumas2007]"""
    return hip_in_pelvis_widths(*((-0.095, -0.370, 0.361) if given.is_male else (-0.139, -0.336, 0.372)), given)


def hip_vaughan_1999(given: Given) -> FloatArray:
    """PMCP + PW (0.598 u − 0.290 v ± 0.344 w)      [Vaughan1999]

    The book's axes are u forward, v left, w up; here they are forward, up, right.
    """
    pelvis = Pelvis.of(given)
    PW = pelvis.width
    return pelvis.point(0.598 * PW, -0.290 * PW, given.outward * 0.344 * PW, pelvis.back)


HARRINGTON = (0.012, 0.006, "Mantovani2016")  # m, 67 people by computed tomography
DAVIS = (0.025, 0.007, "Mantovani2016")
_LEG = ("leg_length_*",)
_WIDTH = (ASIS_DISTANCE,)
_DAVIS = (*_WIDTH, "asis_trochanter_*", "marker_diameter")

METHODS: tuple[CentreMethod, ...] = (
    centre_method("lumbar-dumas-2007", "CAL", "Dumas2007", PELVIS, lumbar_dumas_2007,
                  "Dumas 2007, pelvis width and sex", ("sex",), (ASIS_DISTANCE,)),
    centre_method("hip-harrington-2007", "CAQ_*", "Harrington2007", PELVIS, hip_harrington_2007,
                  "Harrington 2007, pelvis width and depth, leg length", _LEG, _WIDTH, HARRINGTON),
    centre_method("hip-harrington-2007-pelvis", "CAQ_*", "Harrington2007", PELVIS, hip_harrington_pelvis,
                  "Harrington 2007, pelvis width and depth", optional=_WIDTH),
    centre_method("hip-harrington-2007-pelvis-width", "CAQ_*", "Sangeux2015", PELVIS, hip_harrington_pelvis_width,
                  "Harrington 2007, pelvis width only", optional=_WIDTH),
    centre_method("hip-harrington-2007-leg-length", "CAQ_*", "Harrington2007", PELVIS, hip_harrington_leg_length,
                  "Harrington 2007, leg length only", _LEG),
    centre_method("hip-hara-2016", "CAQ_*", "Hara2016", PELVIS, hip_hara_2016, "Hara 2016, leg length", _LEG),
    centre_method("hip-bell-1990", "CAQ_*", "Bell1990", PELVIS, partial(hip_in_pelvis_widths, -0.19, -0.30, 0.36),
                  "Bell 1990, pelvis width", optional=_WIDTH),
    centre_method("hip-bell-1989", "CAQ_*", "Bell1989", PELVIS, partial(hip_in_pelvis_widths, -0.22, -0.30, 0.36),
                  "Bell 1989, pelvis width", optional=_WIDTH),
    centre_method("hip-davis-1991", "CAQ_*", "Davis1991", PELVIS, hip_davis_1991,
                  "Davis 1991, pelvis width, leg length, ASIS to trochanter", _LEG, _DAVIS),
    centre_method("hip-plug-in-gait", "CAQ_*", "Davis1991", PELVIS, hip_plug_in_gait,
                  "Davis 1991 with the constants of Plug-in Gait", _LEG, _DAVIS, DAVIS),
    centre_method("hip-dumas-2007", "CAQ_*", "Dumas2007", PELVIS, hip_dumas_2007, "Dumas 2007, pelvis width and sex",
                  ("sex",), _WIDTH),
    centre_method("hip-vaughan-1999", "CAQ_*", "Vaughan1999", PELVIS, hip_vaughan_1999, "Vaughan 1999, pelvis width",
                  optional=_WIDTH),
)  # fmt: skip
