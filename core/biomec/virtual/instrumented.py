"""Instrumented crutches: strain gauges that measure what the floor does to the tip, in axes of the crutch."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.loads.ground_reaction import GroundReaction
from biomec.recording import Analog
from biomec.virtual.movement import Performance

AXES = ("Fx", "Fy", "Fz")


def crutch_channels(
    model: SubjectModel,
    performance: Performance,
    reactions: Mapping[str, GroundReaction],
    samples: int,
    rate_hz: float,
    noise_n: float,
    rng: np.random.Generator,
) -> Analog | None:
    """Channels ``right crutch Fx`` … of all devices that stand on the floor; None if there are none.

    The force (N, 3) of the floor on the tip in axes of the device, which are those of its mass in the model's file.
    """
    names: list[str] = []
    columns: list[FloatArray] = []
    for device in model.devices:
        borne = [one.force for one in reactions.values() if one.segment == device.on]
        if not device.tip or not borne:
            continue
        turned = performance.placed[device.on].turn.value @ device.frame.attitude(model.static, device.sign)
        force = np.einsum("tji,tj->ti", turned, np.sum(borne, axis=0))[:samples]
        if noise_n > 0.0:
            force = force + rng.normal(scale=noise_n, size=force.shape)
        names += [f"{device.name} {axis}" for axis in AXES]
        columns.append(force)
    if not names:
        return None
    return Analog(tuple(names), np.concatenate(columns, axis=1), ("N",) * len(names), rate_hz)
