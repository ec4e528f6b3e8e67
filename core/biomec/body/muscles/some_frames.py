"""Some frames of a motion with its muscles: enough to answer a question quickly, the hardest ones among them."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from biomec.base.arrays import BoolArray, IntArray, read_only
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.muscles.crossings import Crossings
from biomec.body.muscles.muscle_forces import EmgTargets
from biomec.body.muscles.rows import TorqueRows
from biomec.body.muscles.sharing_model import SharingModel
from biomec.engine.forces.hill_muscle import RigidTendon

ENOUGH = 60
"""Frames that stand for a motion where an answer shall come while somebody waits."""
FEW = 10  # frames that can stand for a motion
Part = TypeVar("Part", Crossings, JointLoads, SegmentMotion, SharingModel, TorqueRows)
STEADY = {"joint", "muscle", "mass"}
"""Arrays of these classes that do not go with the frames."""


def telling_frames(model: SharingModel, most: int = ENOUGH, counted: BoolArray | None = None) -> IntArray:
    """Numbers of frames, rising: those in which a torque is greatest, then others at equal steps, ``most`` about.

    Only frames with a motion and joint loads are taken.

    counted : (T,) frames whose loads can be relied on; others are taken only where these are fewer than `FEW`
    """
    wanted = np.abs(model.rows.wanted)
    known = np.flatnonzero(np.isfinite(wanted).all(axis=1))
    if counted is not None and counted[known].sum() >= FEW:
        known = known[counted[known]]
    if not known.size:
        return np.zeros(0, dtype=np.int64)
    hardest = known[wanted[known].argmax(axis=0)]
    steady = known[np.round(np.linspace(0, known.size - 1, min(most, known.size))).astype(np.int64)]
    return np.unique(np.concatenate([hardest, steady]))


def model_of_frames(model: SharingModel, frames: IntArray) -> SharingModel:
    """What sharing needs, in some frames."""
    found = _of_frames(model, frames)
    return replace(
        found,
        loads=_of_frames(model.loads, frames),
        rigid=RigidTendon(*(read_only(part[frames], part.dtype) for part in model.rigid)),
        crossed=_of_frames(model.crossed, frames),
        rows=_of_frames(model.rows, frames),
        sockets=tuple(replace(one, axes=read_only(one.axes[frames])) for one in model.sockets),
    )


def motion_of_frames(motion: SegmentMotion, frames: IntArray) -> SegmentMotion:
    """The motion of the segments in some frames."""
    return _of_frames(motion, frames)


def emg_of_frames(emg: EmgTargets | None, frames: IntArray) -> EmgTargets | None:
    """Measured activations that take part, in some frames."""
    return None if emg is None else replace(emg, activation=read_only(emg.activation[frames]))


def _of_frames(part: Part, frames: IntArray) -> Part:
    """All arrays of a class in some frames, but for those that are `STEADY`."""
    arrays: dict[str, Any] = {
        one.name: read_only(value[frames], value.dtype)
        for one in fields(part)
        if one.name not in STEADY and isinstance(value := getattr(part, one.name), np.ndarray)
    }
    return replace(part, **arrays)
