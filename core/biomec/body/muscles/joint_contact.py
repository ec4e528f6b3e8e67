"""What really presses in a joint: the net force of inverse dynamics and the muscles that pull across it.

    f_contact = f_net − Σ_m F_m u_m − Σ_c p_c n_c

with the force u_m of unit tension on the distal side and the pushes p_c of the ribs. Muscles pull the distal side
towards the joint, so the bones must push it away the more. The same holds for torques: what muscles do not carry,
reserves aside, bones and ligaments resist.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray, IntArray, read_only
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.base.physics import GRAVITY
from biomec.body.anatomy.model import BodyModel
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.joint_stress import joint_stress
from biomec.body.muscles.muscle_forces import MuscleForces
from biomec.body.muscles.sharing_model import SharingModel
from biomec.recording.session import Result
from biomec.recording.step import step_result

COMPONENTS = ("anterior", "superior", "to the right")
UNITS = ("N", "N/kg", "× body weight")


@dataclass(frozen=True, eq=False)
class JointContacts:
    """Forces of the proximal on the distal bone of J joints in T frames; arrays are read-only. Unsolved frames are NaN.

    net     : (T, J, 3) joint force without muscles;  force : (T, J, 3) with them [N], laboratory axes
    torque  : (T, J, 3) that bones and ligaments resist, with the reserves [N m]
    local   : (T, J, 3) the force in the axes of the distal segment: anterior, superior, to the right [N]
    pressed : (A,) joints whose direction of compression is known
    compression, shear : (T, A) with muscles, net_compression, net_shear without [N]; traction is negative compression
    ribs    : (C,) contacts of scapula and ribs;  rib_force : (T, C) push on the scapula [N]
    body_weight : [N]
    """

    joints: tuple[str, ...]
    proximal: tuple[str, ...]
    distal: tuple[str, ...]
    net: FloatArray
    force: FloatArray
    torque: FloatArray
    local: FloatArray
    pressed: tuple[str, ...]
    compression: FloatArray
    shear: FloatArray
    net_compression: FloatArray
    net_shear: FloatArray
    ribs: tuple[str, ...]
    rib_force: FloatArray
    body_weight: float

    @property
    def size(self) -> FloatArray:
        """(T, J) size of the force with muscles [N]."""
        return np.asarray(np.linalg.norm(self.force, axis=2))

    @property
    def crossed(self) -> BoolArray:
        """(J,) joints that a muscle crosses; the others bear nothing beside the net force."""
        pulled = np.abs(self.force - self.net)
        return np.asarray(pulled.max(axis=(0, 2), initial=0.0, where=np.isfinite(pulled)) > 0.0)

    @property
    def net_size(self) -> FloatArray:
        """(T, J) size of the force without muscles [N]."""
        return np.asarray(np.linalg.norm(self.net, axis=2))

    def unit_factor(self, unit: str) -> float:
        """Factor from N to one of `UNITS`."""
        if unit not in UNITS:
            raise BiomecError(f'Contact forces are shown in {", ".join(UNITS)}, not in "{unit}".')
        return {"N": 1.0, "N/kg": GRAVITY / self.body_weight, "× body weight": 1.0 / self.body_weight}[unit]

    def index(self, joint: str) -> int:
        """Number of a joint, or a sentence that lists what there is."""
        if joint not in self.joints:
            raise BiomecError(f"There is no joint {joint}; there are {', '.join(self.joints)}.")
        return self.joints.index(joint)

    def peaks(self) -> dict[str, tuple[float, float]]:
        """Joint -> greatest force with muscles and without [× body weight]; only those with known frames."""
        found = {}
        for j, joint in enumerate(self.joints):
            known = np.isfinite(self.size[:, j])
            if known.any():
                sizes = (self.size[known, j].max(), self.net_size[known, j].max())
                found[joint] = (float(sizes[0] / self.body_weight), float(sizes[1] / self.body_weight))
        return found

    def to_result(self) -> Result:
        """Return what a session stores: all arrays and names."""
        arrays = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return step_result(
            arrays, None, (), **{name: value for name, value in vars(self).items() if name not in arrays}
        )


def joint_contacts(
    model: SharingModel,
    forces: MuscleForces,
    motion: SegmentMotion,
    body: BodyModel | None = None,
    hinges: Mapping[str, FloatArray] | None = None,
) -> JointContacts:
    """Contact forces of all joints.

    motion : of the segments, for local components;  body : says which way joints are compressed
    """
    loads = model.loads
    solved = np.isfinite(forces.activation).all(axis=1).reshape(-1, 1, 1)
    net = np.where(solved, loads.force, np.nan)
    force, torque = net.copy(), np.where(solved, loads.torque, np.nan)
    subtract_muscles(
        model.crossed.joint, model.crossed.muscle, model.crossed.force, model.crossed.torque,
        np.nan_to_num(forces.force), force, torque,
    )  # fmt: skip
    if forces.ribs:
        force -= np.einsum("tc,tcji->tji", forces.rib_force, model.rib_force)
        torque -= np.einsum("tc,tcji->tji", forces.rib_force, model.rib_torque)
    axes = np.stack([motion.R_WB[:, motion.index(name)] for name in loads.distal], axis=1)
    parts: list[FloatArray] = []
    pressed: tuple[str, ...] = ()
    for known in (force, net):
        if body is None:
            parts += [np.zeros((loads.frames, 0))] * 2
            continue
        stress = joint_stress(replace(loads, force=known), motion, body, hinges)
        pressed = stress.joints
        parts += [stress.axial, stress.shear]
    compression, shear, net_compression, net_shear = (read_only(part) for part in parts)
    local = np.einsum("tjki,tjk->tji", axes, force)
    return JointContacts(
        loads.joints, loads.proximal, loads.distal, read_only(net), read_only(force), read_only(torque),
        read_only(local), pressed, compression, shear, net_compression, net_shear, forces.ribs, forces.rib_force,
        model.body_weight,
    )  # fmt: skip


@compiled
def subtract_muscles(
    joint: IntArray,
    muscle: IntArray,
    unit_force: FloatArray,
    unit_torque: FloatArray,
    tension: FloatArray,
    force: FloatArray,
    torque: FloatArray,
) -> None:
    """Take what E crossings of muscles with tensions (T, M) do off joint forces and torques (T, J, 3)."""
    for t in range(tension.shape[0]):
        for e in range(joint.size):
            F = tension[t, muscle[e]]
            if F != 0.0:
                for i in range(3):
                    force[t, joint[e], i] -= F * unit_force[t, e, i]
                    torque[t, joint[e], i] -= F * unit_torque[t, e, i]
