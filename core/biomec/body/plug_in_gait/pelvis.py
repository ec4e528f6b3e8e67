"""Pelvis and hip centres."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.centres import CENTRE_METHODS, Measures, Points
from biomec.body.plug_in_gait.sides import LegSide
from biomec.engine.rotations import unit

PELVIS = ("CIAS_D", "CIAS_E", "PMCP")


def pelvis(points: Points) -> FloatArray:
    """R (T, 3, 3): Z = n(RASI − LASI), Y = n((RASI − SAC) × (LASI − SAC)), X = Y × Z      (1)"""
    right, left, back = (points[name] for name in PELVIS)
    Z = unit(right - left)
    Y = unit(np.cross(right - back, left - back))
    return np.stack([np.cross(Y, Z), Y, Z], axis=-1)


def hip(points: Points, measures: Measures, leg: LegSide) -> FloatArray:
    """Hip centre (T, 3) [m] by Davis with the constants of Plug-in Gait      (2)"""
    return CENTRE_METHODS["hip-plug-in-gait"].compute(points, measures, leg.code)
