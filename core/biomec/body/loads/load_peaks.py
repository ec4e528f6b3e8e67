"""How large the loads of every joint were: peaks over the frames that can be used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.load_trust import LoadTrust


@dataclass(frozen=True)
class Peak:
    """One extreme of a curve.

    value     : in its unit; NaN where the curve has no number
    frame     : where it is, from 0; None where there is no number
    estimated : whether the joint bears a ground reaction there that was estimated, not measured
    """

    value: float
    frame: int | None = None
    estimated: bool = False


@dataclass(frozen=True)
class JointPeaks:
    """Extremes of one joint.

    force, torque : greatest size [N], [N m];  power_high, power_low : greatest and least power [W]
    frames : over how many frames they were taken
    usable : whether these are frames that can be used; otherwise none can, and they are all that have loads
    """

    joint: str
    force: Peak
    torque: Peak
    power_high: Peak
    power_low: Peak
    frames: int
    usable: bool

    @property
    def estimated(self) -> bool:
        """Whether force or torque peaks where the ground reaction was estimated."""
        return self.force.estimated or self.torque.estimated


def joint_peaks(loads: JointLoads, power: FloatArray, trust: LoadTrust) -> tuple[JointPeaks, ...]:
    """Peaks of every joint, whose power is (T, J) [W], over its best frames (`TrustedFrames.best`).

    Where no frame can be used, the peaks are those of all frames with loads, and say so.
    """
    found = []
    for j, joint in enumerate(loads.joints):
        force, torque = (np.linalg.norm(one[:, j], axis=1) for one in (loads.force, loads.torque))
        there = np.isfinite(force) & np.isfinite(torque)
        frames = trust.frames_of[joint]
        best = frames.best & there
        taken = best if best.any() else there
        high, low = (_peak(power[:, j], taken, frames.estimated, sign) for sign in (1.0, -1.0))
        found.append(
            JointPeaks(
                joint,
                _peak(force, taken, frames.estimated),
                _peak(torque, taken, frames.estimated),
                high,
                low,
                int(taken.sum()),
                bool(best.any()),
            )
        )
    return tuple(found)


def _peak(curve: FloatArray, taken: BoolArray, estimated: BoolArray, sign: float = 1.0) -> Peak:
    """Greatest value of a curve (T,) over some frames; the least one, if the sign is negative."""
    there = taken & np.isfinite(curve)
    if not there.any():
        return Peak(float("nan"))
    at = int(np.argmax(np.where(there, sign * curve, -np.inf)))
    return Peak(float(curve[at]), at, bool(estimated[at]))
