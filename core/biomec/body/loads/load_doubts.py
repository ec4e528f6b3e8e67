"""How far the loads of every joint may be off, in one number: the size of their band beside that of the load itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.sensitivity import LoadBand


@dataclass(frozen=True)
class JointDoubt:
    """How far a joint's loads may be off.

    moment, force : half-width of their band, root mean square over time of its length [N m], [N]
    moment_share, force_share : as a part of the greatest moment and force; NaN where there is none
    worst : source of error that counts most for the moment
    """

    joint: str
    moment: float
    moment_share: float
    force: float
    force_share: float
    worst: str


def joint_doubts(loads: JointLoads, band: LoadBand) -> tuple[JointDoubt, ...]:
    """Joints, the most doubtful moment first."""
    if loads.joints != band.joints:
        raise BiomecError("The band is of other joints than the loads.")
    half = {what: _rms(band.half_width(what)) for what in ("force", "torque")}
    by_source = {source: _rms(band.half_width("torque", source)) for source in band.sources}
    peaks = {what: _peak(getattr(loads, what)) for what in ("force", "torque")}
    doubts = []
    for j, joint in enumerate(loads.joints):
        worst = max(by_source, key=lambda source: float(np.nan_to_num(by_source[source][j])))
        doubts.append(
            JointDoubt(
                joint,
                float(half["torque"][j]),
                float(half["torque"][j] / peaks["torque"][j]) if peaks["torque"][j] > 0.0 else np.nan,
                float(half["force"][j]),
                float(half["force"][j] / peaks["force"][j]) if peaks["force"][j] > 0.0 else np.nan,
                worst,
            )
        )
    return tuple(sorted(doubts, key=lambda one: -float(np.nan_to_num(one.moment_share))))


def _rms(values: FloatArray) -> FloatArray:
    """(J,) root mean square over the frames of the length of vectors (T, J, 3)."""
    squares = (values**2).sum(axis=2)
    known = np.isfinite(squares)
    return np.asarray(np.sqrt(np.where(known, squares, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)))


def _peak(values: FloatArray) -> FloatArray:
    """(J,) greatest length of vectors (T, J, 3)."""
    return np.asarray(np.nan_to_num(np.linalg.norm(values, axis=2)).max(axis=0, initial=0.0))
