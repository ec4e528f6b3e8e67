"""What joints have to resist: compression, traction and shear, and torque off the axis of a hinge.

With the direction e in which the proximal segment pushes the distal one when the joint is compressed, and the force F
of the proximal on the distal segment ([Nunes2017] Eq. 5.47),

    compression = max(e · F, 0)     traction = max(−e · F, 0)     shear = |e × F|

and their shares of |F|, of which the squares sum to one. Compression presses bone against bone; traction and shear are
held by ligaments, capsule and muscles.

The direction belongs to the body model. Sternoclavicular, acromioclavicular and glenohumeral joints are compressed
along the lateral axis of the proximal segment, as published. At the elbow +Y of the humerus is published, but a force
on the ulna towards the shoulder pulls it off the humerus: here compression is −Y.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, read_only
from biomec.base.errors import BiomecError
from biomec.body.anatomy.model import BodyModel
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.joint_loads import JointLoads
from biomec.recording.session import Result
from biomec.recording.step import step_result

KINDS = ("compression", "traction", "shear")


@dataclass(frozen=True, eq=False)
class JointStress:
    """Loads by what resists them; arrays are read-only.

    joints : (J,) joints whose direction of compression is known
    axial  : (T, J) force along it [N]: compression is positive, traction negative
    shear  : (T, J) force across it [N], never negative
    hinges : (H,) joints that turn about one axis
    about_axis, off_axis : (T, H) torque about that axis, with its sign, and size of the rest [N m]
    """

    joints: tuple[str, ...]
    axial: FloatArray
    shear: FloatArray
    hinges: tuple[str, ...]
    about_axis: FloatArray
    off_axis: FloatArray

    @property
    def compression(self) -> FloatArray:
        """(T, J) [N]."""
        return np.maximum(self.axial, 0.0)

    @property
    def traction(self) -> FloatArray:
        """(T, J) [N]."""
        return np.maximum(-self.axial, 0.0)

    @property
    def force(self) -> FloatArray:
        """(T, J) size of the joint force [N]."""
        return np.hypot(self.axial, self.shear)

    def share(self, kind: str) -> FloatArray:
        """(T, J) compression, traction or shear as a part of the joint force, 0 to 1; NaN without any force."""
        if kind not in KINDS:
            raise BiomecError(f'A joint force has {", ".join(KINDS)}, but no "{kind}".')
        part = np.asarray(getattr(self, kind))
        return np.asarray(part / np.where(self.force > 0.0, self.force, np.nan))

    def mean_share(self, kind: str, frames: BoolArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation (J,) of a share over the frames in which it is not zero, as published; else NaN.

        The means of the three kinds are therefore over different frames.

        frames : (T, J) frames of each joint that count; all, if not given
        """
        share = self.share(kind)
        if frames is not None:
            share = np.where(frames, share, np.nan)
        there = np.where(share > 0.0, 1.0, 0.0)
        count = there.sum(axis=0)
        known = np.where(count > 0, count, np.nan)
        values = np.where(share > 0.0, share, 0.0)
        mean = values.sum(axis=0) / known
        variance = (there * (values - np.nan_to_num(mean)) ** 2).sum(axis=0) / np.where(count > 1, count - 1.0, np.nan)
        return mean, np.sqrt(variance)

    def index(self, joint: str) -> int:
        """Number of a joint, or a sentence that lists what there is."""
        if joint not in self.joints:
            raise BiomecError(
                f"The body model does not say which way the {joint} is compressed; it does so for "
                f"{', '.join(self.joints) or 'none'}."
            )
        return self.joints.index(joint)

    def to_result(self) -> Result:
        """Return what a session stores: all arrays and names."""
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return step_result(arrays, None, (), joints=self.joints, hinges=self.hinges)


def joint_stress(
    loads: JointLoads, motion: SegmentMotion, model: BodyModel, hinges: Mapping[str, FloatArray] | None = None
) -> JointStress:
    """Sort the loads of all joints by what resists them.

    hinges : hinge -> its axis (3,) in the proximal segment
    """
    if loads.frames != motion.frames:
        raise BiomecError(f"There are {loads.frames} frames of loads and {motion.frames} of motion; they must match.")
    R = motion.attitudes
    named = {one.name: one for one in model.joints if one.compression is not None}
    joints = tuple(joint for joint in loads.joints if joint in named)
    axial, shear = np.empty((2, loads.frames, len(joints)))
    for k, joint in enumerate(joints):
        press = named[joint].compression
        assert press is not None  # by the choice of ``named``
        owner = named[joint].proximal if press.of == "proximal" else named[joint].distal
        e = press.sign * R[owner][:, :, press.axis]
        axial[:, k], shear[:, k] = _parts(loads.force[:, loads.index(joint)], e)
    turning = tuple(joint for joint in loads.joints if joint in (hinges or {}))
    about, off = np.empty((2, loads.frames, len(turning)))
    for k, joint in enumerate(turning):
        n = np.asarray((hinges or {})[joint], dtype=np.float64)
        j = loads.index(joint)
        about[:, k], off[:, k] = _parts(loads.torque[:, j], R[loads.proximal[j]] @ (n / np.linalg.norm(n)))
    return JointStress(joints, read_only(axial), read_only(shear), turning, read_only(about), read_only(off))


def _parts(vector: FloatArray, e: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Component (T,) along unit vectors, and size (T,) of what is normal to them."""
    along = np.einsum("ti,ti->t", e, vector)
    return along, np.linalg.norm(np.cross(e, vector), axis=1)
