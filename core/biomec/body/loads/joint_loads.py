"""Loads of all joints, as every method of inverse dynamics gives them."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.recording.session import Result
from biomec.recording.step import step_result


@dataclass(frozen=True, eq=False)
class JointLoads:
    """Force and torque of the proximal on the distal segment of every joint, in laboratory axes; arrays are read-only.

    T frames, J joints, C gliding contacts. Frames without a motion are NaN.

    method          : how they were computed
    joints          : (J,) names;  proximal, distal : (J,) segments
    centre          : (T, J, 3) where the joint is [m]
    force, torque   : (T, J, 3) [N], [N m] about the centre
    root            : segment that carries the residual, which the outside would have to exert on it
    root_point      : (T, 3) where the residual acts [m]
    residual_force, residual_torque : (T, 3) [N], [N m] about ``root_point``
    contacts        : (C,) gliding contacts whose force is known; none where the joints carry it
    contact_point   : (T, C, 3) [m];  contact_force : (T, C, 3) on the segment that glides [N]
    contact_pressing : (T, C) the same along the normal of the surface [N]: positive where the segment is pressed on it,
                      negative where something would have to pull the segment back on it
    """

    method: str
    joints: tuple[str, ...]
    proximal: tuple[str, ...]
    distal: tuple[str, ...]
    centre: FloatArray
    force: FloatArray
    torque: FloatArray
    root: str
    root_point: FloatArray
    residual_force: FloatArray
    residual_torque: FloatArray
    contacts: tuple[str, ...]
    contact_point: FloatArray
    contact_force: FloatArray
    contact_pressing: FloatArray

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, one.name, read_only(value))

    @property
    def frames(self) -> int:
        """Number of frames."""
        return len(self.force)

    def index(self, joint: str) -> int:
        """Number of a joint, or a sentence that lists what there is."""
        if joint not in self.joints:
            raise BiomecError(f"There is no joint {joint}; there are {', '.join(self.joints)}.")
        return self.joints.index(joint)

    def to_result(self) -> Result:
        """Return what a session stores: all arrays and names."""
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        named = {name: value for name, value in vars(self).items() if name not in arrays}
        return step_result(arrays, None, (), **named)


def largest_difference(one: JointLoads, other: JointLoads) -> tuple[float, float]:
    """Greatest difference of any component of force [N] and torque [N m], residual included; NaN frames left out."""
    if (one.joints, one.root) != (other.joints, other.root):
        raise BiomecError("The loads belong to different joints, so they cannot be compared.")

    def largest(names: tuple[str, str]) -> float:
        parts = [np.abs(getattr(one, name) - getattr(other, name)) for name in names]
        return max(float(np.nanmax(part, initial=0.0)) for part in parts)

    return largest(("force", "residual_force")), largest(("torque", "residual_torque"))
