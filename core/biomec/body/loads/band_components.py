"""The band around joint loads, component by component, in the axes and units in which the loads are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.body.anatomy.model import BodyModel
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.load_axes import force_axes, joint_frames, torque_axes
from biomec.body.loads.load_components import FORCE, MOMENT, LoadReading, divisors
from biomec.body.loads.sensitivity import LoadBand


def band_components(
    band: LoadBand,
    motion: SegmentMotion,
    model: BodyModel,
    reading: LoadReading = LoadReading(),
    *,
    hinges: Mapping[str, FloatArray] | None = None,
    mass_kg: float | None = None,
    height_m: float | None = None,
    joints: Iterable[str] | None = None,
    source: str | None = None,
) -> FloatArray:
    """Half-widths (T, C) of the components of `load_components`, in the same order and units.

    Arguments as there; ``source``: one source of error of the band alone. A direction e sees √(eᵀ (Σ δ δᵀ) e).
    """
    divisor = divisors(reading, mass_kg, height_m)
    found: list[FloatArray] = []
    for joint in band.joints if joints is None else joints:
        j = band.joints.index(joint)
        frames = joint_frames(model, motion, joint, hinges or {}, reading.angles)
        one = LoadBand(
            (joint,),
            {name: part[:, [j]] for name, part in band.force.items()},
            {name: part[:, [j]] for name, part in band.torque.items()},
            band.options,
        )
        for quantity, what, axes in (
            (FORCE, "force", force_axes(frames, reading.axes)),
            (MOMENT, "torque", torque_axes(frames, reading.axes)),
        ):
            columns = np.swapaxes(axes.axes, 1, 2)[:, None]
            found.append(one.half_width(what, source, columns)[:, 0] / divisor[quantity])
    return read_only(np.concatenate(found, axis=1) if found else np.empty((motion.frames, 0)))
