"""Centres of the trunk: cervical joint, thoracolumbar joint, ends of the thorax."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.centres.method import CentreMethod, Given, centre_method, middle
from biomec.engine.rotations import unit

THORAX = ("C7", "IJ", "T8")


@dataclass(frozen=True)
class UpperTrunk:
    """Axes and size of the upper trunk that the regressions of Dumas use; arrays (..., 3), thickness (..., 1) [m].

    tw = ‖IJ − C7‖;   x = n(IJ − C7);   z = n(x × (C7 − T8))  to the right;   y = z × x      [Dumas2007]

    Where T8 is not there the lumbar centre CAL stands for it.
    """

    x: FloatArray
    y: FloatArray
    z: FloatArray
    thickness: FloatArray

    @classmethod
    def of(cls, given: Given, below: str = "T8") -> UpperTrunk:
        """Axes on C7, IJ and a point ``below`` them in the sagittal plane."""
        C7, IJ = given.point("C7"), given.point("IJ")
        x = unit(IJ - C7)
        z = unit(np.cross(x, C7 - given.point(below)))
        return cls(x, np.cross(z, x), z, np.linalg.norm(IJ - C7, axis=-1, keepdims=True))

    def offset(self, kappa: float, theta: float) -> FloatArray:
        """κ tw (cos θ x + sin θ y), (..., 3) [m]; theta in degrees as the source prints it."""
        turn = np.deg2rad(theta)
        return np.asarray(kappa * self.thickness * (np.cos(turn) * self.x + np.sin(turn) * self.y))


def cervical_dumas_2007(below: str, given: Given) -> FloatArray:
    """Cervical joint centre (C7/T1): C7 + κ tw (cos θ x + sin θ y)      [Dumas2007]

    (κ, θ) = (0.55, 8°) for men and (0.53, 14°) for women. Made on points of the surface; no marker radius is taken off.
    """
    return given.point("C7") + UpperTrunk.of(given, below).offset(*((0.55, 8.0) if given.is_male else (0.53, 14.0)))


def thoracolumbar_dumas_2018(given: Given) -> FloatArray:
    """Thoracolumbar joint centre (T12/L1): T12 + κ tw (sin θ x + cos θ y)      [Dumas2018]

    y = n(T8 − T12) within the sagittal plane of C7, IJ, T8;  x = y × z forward. (κ, θ) = (0.52, 94°) for men and
    (0.50, 92°) for women. It divides the torso for inertia; it is not a joint of the model.
    """
    trunk = UpperTrunk.of(given)
    T12 = given.point("T12")
    line = given.point("T8") - T12
    y = unit(line - np.sum(line * trunk.z, axis=-1, keepdims=True) * trunk.z)
    kappa, theta = (0.52, np.deg2rad(94.0)) if given.is_male else (0.50, np.deg2rad(92.0))
    return np.asarray(T12 + kappa * trunk.thickness * (np.sin(theta) * np.cross(y, trunk.z) + np.cos(theta) * y))


METHODS: tuple[CentreMethod, ...] = (
    middle("thorax-upper-midpoint", "PTS", "Nunes2017", ("IJ", "C7"), "Middle of IJ and C7"),
    middle("thorax-lower-midpoint", "PTI", "Nunes2017", ("PX", "T8"), "Middle of PX and T8"),
    centre_method("cervical-dumas-2007", "CAC", "Dumas2007", THORAX, partial(cervical_dumas_2007, "T8"),
                  "Dumas 2007, depth of the upper trunk and sex", ("sex",)),
    centre_method("cervical-dumas-2007-lumbar", "CAC", "Dumas2007", ("C7", "IJ", "CAL"),
                  partial(cervical_dumas_2007, "CAL"), "Dumas 2007, with the lumbar centre in place of T8", ("sex",)),
    centre_method("thoracolumbar-dumas-2018", "T12L1", "Dumas2018", (*THORAX, "T12"), thoracolumbar_dumas_2018,
                  "Dumas and Wojtusch 2018, depth of the upper trunk and sex", ("sex",)),
)  # fmt: skip
