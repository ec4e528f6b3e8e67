"""In which frames the loads of a joint can be used, and in which they rest on a ground reaction that was estimated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import BoolArray, read_only
from biomec.base.frozen import FrozenDict
from biomec.body.loads.floor_contacts import FloorContacts, off_plates
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.paths import joints_to_root
from biomec.body.loads.plate_faults import PlateFault
from biomec.body.loads.residuals import inner_frames
from biomec.engine.forces.external_loads import ExternalLoads
from biomec.engine.tree.joint_tree import JointTree


@dataclass(frozen=True, eq=False)
class TrustedFrames:
    """Frames of one joint, (T,); read-only. A joint bears what acts on its side of the body away from the root.

    usable    : with a motion that is not at its end, with a force on everything that the joint bears and that touches
                the ground, and without a severe fault of the plates under it
    measured  : it bears a force that was measured
    estimated : it bears a force that was estimated
    """

    usable: BoolArray
    measured: BoolArray
    estimated: BoolArray

    @property
    def best(self) -> BoolArray:
        """Usable frames without an estimated force; with them, where the joint never bears a measured one."""
        sure = np.asarray(self.usable & ~self.estimated)
        if (sure & self.measured).any() or not (self.usable & self.estimated).any():
            return sure
        return self.usable


def joint_frames(
    tree: JointTree,
    loads: JointLoads,
    external: ExternalLoads,
    floor: FloorContacts | None,
    faults: Sequence[PlateFault],
    ends: int,
) -> Mapping[str, TrustedFrames]:
    """Joint -> its frames.

    ends : frames left out at both ends of every stretch with a motion: accelerations are one-sided differences there
    """
    finite = np.asarray(np.isfinite(loads.force).all(axis=2) & np.isfinite(loads.torque).all(axis=2))
    usable = {joint: inner_frames(finite[:, j], ends) for j, joint in enumerate(loads.joints)}
    measured, estimated = ({joint: np.zeros(loads.frames, dtype=np.bool_) for joint in loads.joints} for _ in range(2))
    guessed = external.estimated_loads
    known = np.asarray((external.force != 0.0).any(axis=2) & ~guessed)
    for k, segment in enumerate(external.segments):
        for joint in joints_to_root(tree, segment):
            measured[joint] |= known[:, k]
            estimated[joint] |= guessed[:, k]
    if floor is not None:
        missing = off_plates(floor, external)
        for k, segment in enumerate(floor.segments):
            for joint in joints_to_root(tree, segment):
                usable[joint] &= ~missing[:, k]
    for fault in faults:
        first, last = fault.frames or (0, loads.frames - 1)
        for joint in fault.joints if fault.severe else ():
            usable[joint][first : last + 1] = False
    return FrozenDict(
        {
            joint: TrustedFrames(*(read_only(one[joint], np.bool_) for one in (usable, measured, estimated)))
            for joint in loads.joints
        }
    )
