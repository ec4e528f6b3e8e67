"""Muscles of an analysis as the window shows them: names, groups, sides, what of them can be plotted. Knows no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biomec.base.arrays import BoolArray, FloatArray
from biomec.body.anatomy.model import STANDARD
from biomec.body.muscles.joint_contact import JointContacts
from biomec.body.muscles.lacking import lower_bounds
from biomec.body.muscles.muscle_forces import MuscleForces
from biomec.body.muscles.muscle_paths import MuscleArms, MusclePaths
from biomec.body.muscles.muscle_set import Muscle
from biomec.body.muscles.muscle_work import moment_shares
from biomec.body.muscles.sharing_model import SharingModel
from biomec.pipeline.analysis import Analysis
from biomec.recording.marker_set import Side

STEP = "muscles"


def has_muscles(analysis: Analysis) -> bool:
    """Whether there are muscle forces, of as many frames as the motion has now."""
    if not all(step in analysis.done for step in (STEP, "segments", "body")):
        return False
    return analysis.muscles.forces.frames == analysis.segments.frames


@dataclass(frozen=True, eq=False)
class GroupShares:
    """What makes a torque (T,): whole muscles (T, G), what no muscle carries, and the ribs; all in N m."""

    groups: tuple[str, ...]
    torque: FloatArray
    total: FloatArray
    reserve: FloatArray
    ribs: FloatArray


class MuscleReadings:
    """Muscles of an analysis; ask for them by `readings_of`, which keeps them."""

    def __init__(self, analysis: Analysis) -> None:
        self._found = analysis.muscles
        self._trusted = analysis.loads.trust.frames_of
        self.rate_hz = analysis.session.dynamic.rate_hz
        self.place = {name: k for k, name in enumerate(self.forces.names)}
        self._arms: dict[str, MuscleArms] = {}
        self._shares: dict[str, GroupShares] = {}

    @property
    def forces(self) -> MuscleForces:
        """Activations and forces."""
        return self._found.forces

    @property
    def contacts(self) -> JointContacts:
        """Forces in the joints."""
        return self._found.contacts

    @property
    def paths(self) -> MusclePaths:
        """Where the muscles run."""
        return self._found.paths

    @property
    def model(self) -> SharingModel:
        """What the forces were shared by."""
        return self._found.model

    @property
    def muscles(self) -> tuple[Muscle, ...]:
        """(M,) elements, in the order of all arrays."""
        return self.paths.fitted.muscles

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """Whole muscles, in the order of the set."""
        return tuple(dict.fromkeys(one.group for one in self.muscles))

    @cached_property
    def regions(self) -> dict[str, tuple[str, ...]]:
        """Part of the body -> its groups."""
        found: dict[str, list[str]] = {}
        for one in self.muscles:
            groups = found.setdefault(one.region, [])
            if one.group not in groups:
                groups.append(one.group)
        return {region: tuple(groups) for region, groups in found.items()}

    def muscle(self, name: str) -> Muscle:
        """An element by its name."""
        return self.muscles[self.place[name]]

    def of_group(self, group: str, side: Side | None = None) -> tuple[str, ...]:
        """Names of the elements of a group, of a side or of all."""
        return tuple(one.name for one in self.muscles if one.group == group and side in (None, one.side))

    def arms(self, joint: str) -> MuscleArms:
        """Moment arms about the axes of a joint, found when somebody asks."""
        if joint not in self._arms:
            self._arms[joint] = self.paths.arms(joint)
        return self._arms[joint]

    @cached_property
    def axes(self) -> dict[str, tuple[str, ...]]:
        """Joint with angles -> the names of its axes, such as "right knee flexion"."""
        definitions = self.paths.fitted.person.model.angles
        return {
            one.joint: tuple(f"{one.joint} {part.positive}" for part in one.components)
            for one in definitions
            if one.convention == STANDARD and one.joint in self.paths.joints
        }

    @property
    def crossed(self) -> Mapping[str, tuple[str, ...]]:
        """Muscle -> joints that it crosses."""
        return self.model.crossed_joints

    def usable(self, *joints: str) -> BoolArray | None:
        """(T,) frames in which the loads of all these joints can be relied on; None where that is not known."""
        found = [self._trusted[joint].reliable for joint in joints if joint in self._trusted]
        return np.logical_and.reduce(found) if found else None

    def usable_muscle(self, *muscles: str) -> BoolArray | None:
        """(T,) the same for all joints that some muscles cross."""
        return self.usable(*dict.fromkeys(joint for name in muscles for joint in self.crossed.get(name, ())))

    @cached_property
    def counted(self) -> BoolArray | None:
        """(T,) frames in which the loads of all joints that muscles cross can be relied on."""
        return self.usable_muscle(*self.forces.names)

    def row_groups(self, row: str) -> tuple[str, ...]:
        """Whole muscles that turn about a torque's axis, in the order of the set."""
        k = self.forces.rows.index(row)
        turning = (np.nan_to_num(self.model.arms[:, :, k]) != 0.0).any(axis=0).tolist()
        return tuple(dict.fromkeys(one.group for one, there in zip(self.muscles, turning, strict=True) if there))

    def shares(self, row: str) -> GroupShares:
        """What whole muscles give to a torque, found when somebody asks."""
        if row not in self._shares:
            found = moment_shares(self.model, self.forces, row)
            names, torque = found.grouped({one.name: one.group for one in self.muscles})
            order = [names.index(name) for name in self.row_groups(row)]
            self._shares[row] = GroupShares(
                self.row_groups(row), torque[:, order], found.total, found.reserve, found.ribs
            )
        return self._shares[row]

    def joint_of(self, row: str) -> str:
        """Joint of a torque."""
        return self.model.loads.joints[int(self.model.rows.joint[self.forces.rows.index(row)])]

    def usable_row(self, row: str) -> BoolArray | None:
        """(T,) frames in which the loads of a torque's joint can be relied on; None where that is not known."""
        return self.usable(self.joint_of(row))

    @cached_property
    def least(self) -> BoolArray:
        """(T, J) where the contact force of a joint is only a lower bound, since torque is lacking."""
        return lower_bounds(self.model, self.forces)

    @cached_property
    def centre(self) -> FloatArray:
        """(T, J, 3) places of the joints of the contact forces [m]."""
        joints = self.model.loads.joints
        return np.asarray(self.model.loads.centre[:, [joints.index(joint) for joint in self.contacts.joints]])

    @property
    def body_weight(self) -> float:
        """[N]."""
        return self.contacts.body_weight


def readings_of(analysis: Analysis) -> MuscleReadings:
    """Muscles of an analysis that has them; equal analyses share what was read."""
    return analysis.derived(MuscleReadings)
