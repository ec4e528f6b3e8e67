"""The residual as curves with names: in the axes of the segment that carries it, or of the laboratory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.load_components import FORCE, MOMENT, UNITS, LoadReading, divisors

AXES = ("root", "laboratory")
LETTERS = "XYZ"


@dataclass(frozen=True, eq=False)
class ResidualComponents:
    """Curves of the residual; values are read-only.

    names    : (6,) "residual force along X" … "residual moment about Z"
    values   : (T, 6) in ``units``;  quantity : (6,) "force" or "moment"
    """

    names: tuple[str, ...]
    values: FloatArray
    units: tuple[str, ...]
    quantity: tuple[str, ...]


def residual_components(
    loads: JointLoads,
    motion: SegmentMotion,
    axes: str = "root",
    normalisation: str = "none",
    *,
    mass_kg: float | None = None,
    height_m: float | None = None,
) -> ResidualComponents:
    """Residual force and moment of the root segment.

    axes : "root" are those of the segment that carries it (X forward, Y up, Z right), "laboratory" the laboratory's
    """
    if axes not in AXES:
        raise BiomecError(f'The residual is read in the axes {" or ".join(AXES)}, not "{axes}".')
    divisor = divisors(LoadReading(normalisation=normalisation), mass_kg, height_m)
    R = motion.R_WB[:, motion.index(loads.root)]
    values, names, units = [], [], []
    for quantity, how, vector in (
        (FORCE, "along", loads.residual_force),
        (MOMENT, "about", loads.residual_torque),
    ):
        seen = vector if axes == "laboratory" else np.einsum("tik,ti->tk", R, vector)
        values.append(seen / divisor[quantity])
        names += [f"residual {quantity} {how} {letter}" for letter in LETTERS]
        units += [UNITS[normalisation, quantity]] * 3
    quantities = (FORCE,) * 3 + (MOMENT,) * 3
    return ResidualComponents(tuple(names), read_only(np.concatenate(values, axis=1)), tuple(units), quantities)
