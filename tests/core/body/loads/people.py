"""Motions with everything that inverse dynamics needs: a person who turns every joint, and loads on the limbs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.subject_model import SubjectModel
from biomec.body.kinematics.segment_motion import SegmentMotion, segment_motion
from biomec.engine.forces.applied import wrench
from biomec.engine.forces.external_loads import ExternalLoads, external_loads
from biomec.engine.reference.trees import ReferenceJoint, ReferenceTree
from biomec.engine.tree.joint_tree import JointTree, joint_tree
from biomec.virtual import PushUp, RecordOptions, VirtualAcquisition, VirtualPerson, model_of, record
from tests.oracles.pinocchio_tree import PinocchioTree, pin

MODELS = ("m21", "m17", "legs")


@dataclass(frozen=True)
class Moving:
    """A person in motion, frames first."""

    model: SubjectModel
    tree: JointTree
    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray
    external: ExternalLoads

    @property
    def segments(self) -> SegmentMotion:
        """Motion of the segments."""
        return segment_motion(self.tree.system, self.q, self.qdot, self.qddot)

    def applied(self, t: int) -> FloatArray:
        """Generalised force (n,) of weight and external loads in a frame."""
        system, given = self.tree.system, self.external
        Q = np.array(system.gravity_force)
        for k, name in enumerate(given.segments):
            Q += wrench(system, name, self.q[t], given.point[t, k], given.force[t, k], given.moment[t, k])
        return Q


@cache
def person(model: str) -> SubjectModel:
    """The virtual person as a model."""
    return model_of(VirtualPerson(), model)


@cache
def pinocchio(model: str) -> PinocchioTree:
    """The same in Pinocchio, every joint spherical, the root free."""
    body = person(model)
    system = body.system
    tree = joint_tree(system, body.model.roots)
    names = [one.name for one in system.bodies]
    here = {point: system.layout.point(point)(system.reference) for point in (tree.root_point, *_centres(tree))}
    joints = [ReferenceJoint("root", "free", "ground", names[tree.root], here[tree.root_point])]
    joints += [
        ReferenceJoint(one.name, "spherical", names[one.parent], names[one.child], here[one.child_point])
        for one in reversed(tree.joints)
    ]
    return PinocchioTree(ReferenceTree((), tuple(joints)), system)


def _centres(tree: JointTree) -> list[str]:
    return [joint.child_point for joint in tree.joints]


@dataclass(frozen=True)
class RandomStates:
    """States of all joints with the loads that Pinocchio's recursive algorithm finds.

    force, torque : (T, J, 3) on the child of every joint; residual_force, residual_torque : (T, 3); laboratory axes
    """

    moving: Moving
    force: FloatArray
    torque: FloatArray
    residual_force: FloatArray
    residual_torque: FloatArray


def random_states(model: str, frames: int = 6, seed: int = 0) -> RandomStates:
    """Turn every joint at random, load four limbs, and let Pinocchio find what the joints carry."""
    theirs, body = pinocchio(model), person(model)
    tree = joint_tree(body.system, body.model.roots)
    names = [one.name for one in body.system.bodies]
    rng = np.random.default_rng(seed)
    limbs = [name for name in names if name.endswith((" hand", " foot"))]
    point, force, moment = (
        rng.normal(size=(3, frames, len(limbs), 3)) * np.array([1.0, 300.0, 20.0])[:, None, None, None]
    )
    found: dict[str, list[FloatArray]] = {key: [] for key in ("q", "qdot", "qddot", "force", "torque", "f_0", "h_0")}
    for t in range(frames):
        state = theirs.random_state(rng)
        natural = theirs.natural(*state)
        for key, value in (("q", natural.q), ("qdot", natural.qdot), ("qddot", natural.qddot)):
            found[key].append(value)
        wrenches = pin.StdVec_Force()
        wrenches.extend([pin.Force.Zero() for _ in range(theirs.model.njoints)])
        for k, limb in enumerate(limbs):
            oM = theirs.data.oMi[theirs.joint_of(limb)]
            about = moment[t, k] + np.cross(point[t, k] - oM.translation, force[t, k])
            wrenches[theirs.joint_of(limb)] = pin.Force(oM.rotation.T @ force[t, k], oM.rotation.T @ about)
        tau = np.array(pin.rnea(theirs.model, theirs.data, *state, wrenches))
        turned = {name: theirs.data.oMi[theirs.joint_of(name)].rotation for name in names}
        passed = [theirs.data.f[theirs.joint_of(names[joint.child])] for joint in tree.joints]  # body frame, at centre
        found["force"].append(
            np.array([turned[names[j.child]] @ f.linear for j, f in zip(tree.joints, passed, strict=True)])
        )
        starts = [theirs.first[joint.name] for joint in tree.joints]
        found["torque"].append(
            np.array([turned[names[j.child]] @ tau[i : i + 3] for j, i in zip(tree.joints, starts, strict=True)])
        )
        root = turned[names[tree.root]]
        found["f_0"].append(root @ tau[:3])
        found["h_0"].append(root @ tau[3:6])
    stacked = {key: np.array(value) for key, value in found.items()}
    external = external_loads(limbs, point, force, moment)
    moving = Moving(body, tree, stacked["q"], stacked["qdot"], stacked["qddot"], external)
    return RandomStates(moving, stacked["force"], stacked["torque"], stacked["f_0"], stacked["h_0"])


@cache
def push_up() -> VirtualAcquisition:
    """A push-up of the virtual person, undisturbed."""
    return record(PushUp(cycles=1), options=RecordOptions(rate_hz=50.0))


def truth_of(acquisition: VirtualAcquisition) -> Moving:
    """What really happened in an acquisition, with the reactions of the ground as loads."""
    truth, body = acquisition.truth, acquisition.model
    ground = list(truth.reactions.values())
    external = external_loads(
        [one.segment for one in ground],
        *(np.stack([getattr(one, part) for one in ground], axis=1) for part in ("point", "force", "moment")),
    )
    tree = joint_tree(body.system, body.model.roots)
    return Moving(body, tree, truth.q, truth.qdot, truth.qddot, external)
