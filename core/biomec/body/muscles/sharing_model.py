"""Everything about a motion that muscle forces rest on, gathered once: forces at full activation, arms, ribs, sockets.

Other strengths, criteria and variants are then answered without tracing any path again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from biomec.base.arrays import FloatArray, IntArray, read_only
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.base.physics import GRAVITY
from biomec.body.anatomy.model import BodyModel
from biomec.body.kinematics.segment_motion import SegmentMotion
from biomec.body.loads.joint_loads import JointLoads
from biomec.body.loads.multibody_inverse import gliding_contacts
from biomec.body.muscles.crossings import Crossings, Paths, crossings
from biomec.body.muscles.muscle_paths import MusclePaths
from biomec.body.muscles.rows import (
    TorqueRows,
    contact_columns,
    contact_effects,
    muscle_columns,
    torque_rows,
    without_muscles,
)
from biomec.engine.forces.hill_curves import CURVES
from biomec.engine.forces.hill_muscle import HillParameters, RigidTendon, rigid_tendon
from biomec.engine.tree.joint_tree import JointTree

GLENOID_NORMAL = (0.18210, 0.07768, 0.98021)
"""Out of the right glenoid, in the axes of the scapula: from the glenoid's centre to that of the humeral head, both as
marked in the thoracoscapular shoulder model [Seth2019]. The left one is its mirror image."""


@dataclass(frozen=True, eq=False)
class Socket:
    """A glenoid: number of its joint, and its axes (T, 3, 3) as rows: out of the socket, superior, anterior."""

    joint: int
    axes: FloatArray


@dataclass(frozen=True, eq=False)
class SharingModel:
    """M muscles over a tree of J joints in T frames; arrays are read-only.

    speed   : (T, M) at which paths lengthen [m/s]
    hill    : parameters of the muscles;  rigid : their forces and fibres at the motion's lengths and speeds
    crossed : what unit tension does to the joints
    rows    : K torque rows that muscles balance;  idle : rows that no muscle turns about, which are left out
    arms    : (T, M, K) torque of unit tension in the rows [m]
    ribs    : (C,) contacts of scapulae and ribs that reach a row
    rib_force, rib_torque : (T, C, J, 3) of a unit push on the distal sides;  rib_arms : (T, C, K) in the rows [m]
    sockets : glenoids of the model
    body_weight : of the whole person [N]
    titles  : muscle -> what people call it, such as "right soleus"
    """

    tree: JointTree
    loads: JointLoads
    names: tuple[str, ...]
    speed: FloatArray
    hill: HillParameters
    rigid: RigidTendon
    crossed: Crossings
    rows: TorqueRows
    idle: tuple[str, ...]
    arms: FloatArray
    ribs: tuple[str, ...]
    rib_force: FloatArray
    rib_torque: FloatArray
    rib_arms: FloatArray
    sockets: tuple[Socket, ...]
    body_weight: float
    titles: Mapping[str, str] = field(default_factory=FrozenDict)

    @property
    def frames(self) -> int:
        """Number of frames."""
        return self.loads.frames

    @cached_property
    def crossed_joints(self) -> Mapping[str, tuple[str, ...]]:
        """Muscle -> joints that it crosses."""
        found: dict[str, list[str]] = {}
        for joint, muscle in zip(self.crossed.joint.tolist(), self.crossed.muscle.tolist(), strict=True):
            found.setdefault(self.names[muscle], []).append(self.loads.joints[joint])
        return FrozenDict({name: tuple(joints) for name, joints in found.items()})

    def title(self, muscle: str) -> str:
        """What people call a muscle."""
        return self.titles.get(muscle, muscle)

    def indices(self, muscles: tuple[str, ...]) -> IntArray:
        """Numbers of muscles, or a sentence that names the unknown ones."""
        unknown = [name for name in muscles if name not in self.names]
        if unknown:
            raise BiomecError(f"There is no muscle {', '.join(unknown)} in this set.")
        return np.array([self.names.index(name) for name in muscles], dtype=np.int64)


def sharing_model(
    tree: JointTree,
    q: FloatArray,
    loads: JointLoads,
    paths: Paths,
    hill: HillParameters,
    *,
    body: BodyModel | None = None,
    motion: SegmentMotion | None = None,
    hinges: Mapping[str, FloatArray] | None = None,
    curves: str = "degroote",
    mass_kg: float | None = None,
    titles: Mapping[str, str] | None = None,
    shared: tuple[str, ...] | None = None,
) -> SharingModel:
    """Gather what sharing needs.

    q            : (T, n) coordinates;  loads : without gliding contacts
    body, motion : of the person; they name the rows and place the glenoids
    mass_kg      : of the person; that of the model if not given
    shared       : titles of the rows to share, if not those about which some muscle turns
    titles       : muscle -> what people call it
    """
    if curves not in CURVES:
        raise BiomecError(f'Muscle curves are {" and ".join(CURVES)}, not "{curves}".')
    if any(len(values) != len(paths.names) for values in hill):
        raise BiomecError(f"There are paths of {len(paths.names)} muscles, but not the parameters of as many.")
    crossed = crossings(tree, paths, loads.centre)
    rows = torque_rows(tree, q, loads, body, motion, hinges)
    idle = without_muscles(rows, crossed)
    if shared is not None:
        idle = [k for k, title in enumerate(rows.titles) if title not in shared]
    kept = [k for k in range(len(rows.titles)) if k not in idle]
    lost = tuple(rows.titles[k] for k in idle)
    rows = rows.kept(kept)
    arms = muscle_columns(rows, crossed, len(paths.names))
    ribs, force, torque = _ribs(tree, q, loads)
    rib_arms = contact_columns(rows, torque)
    reach = np.flatnonzero(np.nan_to_num(np.abs(rib_arms)).max(axis=(0, 2), initial=0.0) > 0.0)
    mass = sum(one.mass for one in tree.system.bodies) if mass_kg is None else mass_kg
    rigid = rigid_tendon(hill, paths.length, paths.speed, CURVES[curves])
    return SharingModel(
        tree, loads, tuple(paths.names), read_only(paths.speed), hill, rigid, crossed, rows, lost, arms,
        tuple(ribs[c] for c in reach), read_only(force[:, reach]), read_only(torque[:, reach]),
        read_only(rib_arms[:, reach]), _sockets(tree, motion, crossed), mass * GRAVITY,
        FrozenDict(titles or {}),
    )  # fmt: skip


def person_muscles(
    paths: MusclePaths,
    loads: JointLoads,
    *,
    tree: JointTree | None = None,
    curves: str = "degroote",
    mass_kg: float | None = None,
    shared: tuple[str, ...] | None = None,
) -> SharingModel:
    """The same of a person's muscles, as `biomec.body.muscles.muscle_paths.muscle_paths` traces them.

    loads  : of the same frames, without gliding contacts;  tree : that they are of, if not from the model's own root
    shared : titles of the rows to share, if not those about which some muscle turns
    """
    fitted, person = paths.fitted, paths.fitted.person
    mass = float(person.measures["mass"]) if mass_kg is None and "mass" in person.measures else mass_kg
    return sharing_model(
        paths.tree if tree is None else tree, paths.q, loads, paths, fitted.hill, body=person.model,
        motion=paths.motion, hinges=person.joint_axes(), curves=curves, mass_kg=mass,
        titles={one.name: one.sided_title for one in fitted.muscles}, shared=shared,
    )  # fmt: skip


def _ribs(tree: JointTree, q: FloatArray, loads: JointLoads) -> tuple[list[str], FloatArray, FloatArray]:
    """Names of the contacts, and force and torque (T, C, J, 3) of their unit pushes on the distal sides."""
    if not tree.contacts:
        none = np.zeros((len(q), 0, len(tree.joints), 3))
        return [], none, none
    force, torque = contact_effects(tree, gliding_contacts(tree, q), loads.centre)
    return [one.name for one in tree.contacts], force, torque


def _sockets(tree: JointTree, motion: SegmentMotion | None, crossed: Crossings) -> tuple[Socket, ...]:
    """Glenoids of the joints between a scapula and a humerus that muscles cross."""
    if motion is None:
        return ()
    found = []
    for j, joint in enumerate(tree.joints):
        proximal, distal = (end.partition(".")[0] for end in (joint.joint.proximal, joint.joint.distal))
        if j not in crossed.joint or not (proximal.endswith("scapula") and distal.endswith("humerus")):
            continue
        outward = np.array(GLENOID_NORMAL)
        if proximal.startswith("left"):
            outward = outward * np.array([1.0, 1.0, -1.0])
        outward = outward / np.linalg.norm(outward)
        up = np.array([0.0, 1.0, 0.0]) - outward[1] * outward
        up = up / np.linalg.norm(up)
        forward = np.cross(up, outward)
        local = np.stack([outward, up, forward])
        axes = np.einsum("tij,kj->tki", motion.R_WB[:, motion.index(proximal)], local)
        found.append(Socket(j, read_only(axes)))
    return tuple(found)
