"""Arrows for forces and moments: shafts with heads that keep their size, seen through limbs."""

from __future__ import annotations

import numpy as np

from biomec.base.arrays import FloatArray
from biomec_app.viewer.actors import Instances, SurfaceActor
from biomec_app.viewer.meshes import cone, cylinder

SMALLEST = 0.02  # m, an arrow shorter than this is not drawn
HEAD, WIDE, SHAFT = 0.085, 0.030, 0.011  # m, length and half-width of the head, half-width of the shaft


class Arrows:
    """So many arrows, of one colour or one each. An overlay shows their `surfaces`, and places them in every frame.

    thickness : 1 for the arrows of ground forces
    """

    def __init__(self, count: int, colours: str | list[str], thickness: float = 1.0) -> None:
        self._thickness = thickness
        self._shafts = Instances(cylinder(8), count, colours=colours, through=np.inf)
        self._heads = Instances(cone(12), count, colours=colours, through=np.inf)
        self.surfaces: list[SurfaceActor] = [self._shafts, self._heads]

    def recolour(self, colours: list[str]) -> None:
        """Give every arrow a colour."""
        self._shafts.recolour(colours)
        self._heads.recolour(colours)

    def place(self, starts: FloatArray, along: FloatArray) -> FloatArray:
        """Let arrows begin at starts (N, 3) and reach along (N, 3) [m]; return their tips, NaN for those not drawn."""
        length = np.linalg.norm(along, axis=1)[:, None]
        starts = np.where(length > SMALLEST, starts, np.nan)
        tips = starts + along
        head = np.minimum(HEAD * self._thickness, 0.5 * length) / np.maximum(length, SMALLEST)  # part of the arrow
        necks = tips - head * along
        self._shafts.span(starts, necks, SHAFT * self._thickness)
        self._heads.span(necks, tips, WIDE * self._thickness)
        return np.asarray(tips)
