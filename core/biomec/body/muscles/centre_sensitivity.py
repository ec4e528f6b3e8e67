"""How much the contact force of a joint rests on where joint centres lie, which markers tell to a centimetre or two.

About a centre that lies d elsewhere the net torque of a joint is

    τ′ = τ − d × f                                        f the net force on the distal side, which stays

Paths and moment arms are kept: the muscles are laid on the bones anew wherever the centres are, and their arms hardly
change (a hip 40 mm elsewhere changed the contact of a walk by 1.0 body weight through torques and 0.1 through arms).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import read_only
from biomec.body.muscles.joint_contact import joint_contacts
from biomec.body.muscles.muscle_forces import muscle_forces
from biomec.body.muscles.some_frames import emg_of_frames, model_of_frames, motion_of_frames
from biomec.body.muscles.what_if import MuscleQuestion

SHIFT = 0.01  # m: what regressions of joint centres are uncertain by, at the least
DIRECTIONS = ("forwards", "backwards", "up", "down", "outwards", "inwards")
"""Of a shift, in the axes of the proximal segment, whose z is to the right on both sides."""


@dataclass(frozen=True)
class CentreShift:
    """A centre `SHIFT` elsewhere, in one of `DIRECTIONS`, and the change of a contact force [× body weight]."""

    centre: str
    direction: str
    change: float


def centre_shifts(question: MuscleQuestion, joint: str, frame: int) -> tuple[CentreShift, ...]:
    """What the contact force of a joint in one frame becomes as centres of its limb are shifted, the lowest first.

    The centres are those of the joints that its muscles cross.
    """
    model = question.model
    number = model.loads.joints.index(joint)
    crossing = set(model.crossed.muscle[model.crossed.joint == number].tolist())
    near = sorted({j for j, m in zip(model.crossed.joint.tolist(), model.crossed.muscle.tolist(), strict=True)
                   if m in crossing and j in model.rows.joint})  # fmt: skip
    shifts = [(j, k) for j in near for k in range(len(DIRECTIONS))]
    frames = np.full(len(shifts) + 1, frame)
    some = model_of_frames(model, frames)
    wanted = np.array(some.rows.wanted)
    for row, (j, k) in enumerate(shifts, start=1):
        proximal = model.loads.proximal[j]
        direction = np.eye(3)[k // 2] * (1.0 if k % 2 == 0 else -1.0)
        if k // 2 == 2 and model.loads.joints[j].startswith("left"):
            direction = -direction
        d = SHIFT * question.motion.R_WB[frame, question.motion.index(proximal)] @ direction
        torque = -np.cross(d, model.loads.force[frame, j])
        own = np.flatnonzero(model.rows.joint == j)
        wanted[row, own] += model.rows.axis[frame, own] @ torque
    some = replace(some, rows=replace(some.rows, wanted=read_only(wanted)))
    forces = muscle_forces(some, question.options, emg=emg_of_frames(question.emg, frames))
    contacts = joint_contacts(some, forces, motion_of_frames(question.motion, frames), question.body)
    size = contacts.size[:, contacts.index(joint)] / contacts.body_weight
    found = [
        CentreShift(model.loads.joints[j], DIRECTIONS[k], float(size[row] - size[0]))
        for row, (j, k) in enumerate(shifts, start=1)
        if np.isfinite(size[row])
    ]
    return tuple(sorted(found, key=lambda one: one.change))
