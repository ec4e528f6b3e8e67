"""Trees of bodies described in the laboratory frame of one reference pose, and exact motions of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from scipy.spatial.transform import Rotation

from biomec.base.arrays import FloatArray
from biomec.engine.body import Body
from biomec.engine.joint_kinds import TREE_KINDS
from biomec.engine.joints import Constraint
from biomec.engine.system import System

FREEDOMS = {"free": 6, **{key: kind.freedoms for key, kind in TREE_KINDS.items()}}


@dataclass(frozen=True)
class ReferenceJoint:
    """Joint between a body and its parent, given in the reference pose.

    centre : (3,) joint centre in the laboratory [m]
    axes   : directions in the laboratory: one for a revolute joint (fixed in both bodies), two for a universal joint
             (the first fixed in the parent, the second in the child)
    """

    name: str
    kind: str
    parent: str
    child: str
    centre: FloatArray
    axes: tuple[FloatArray, ...] = ()


@dataclass(frozen=True)
class TreeBody:
    """Body given by its reference pose and basis; points and centre of mass in laboratory coordinates [m]."""

    name: str
    basis: tuple[str, ...]
    points: Mapping[str, FloatArray]
    attitude: FloatArray
    mass: float = 1.0
    inertia: FloatArray = field(default_factory=lambda: 0.01 * np.eye(3))
    com: FloatArray | None = None


@dataclass(frozen=True)
class ReferenceTree:
    """A tree: bodies, parents before children in ``joints``; its first joint hangs the root on the ground."""

    bodies: tuple[TreeBody, ...]
    joints: tuple[ReferenceJoint, ...]

    def system(self, extra: Sequence[Constraint] = (), name: str = "tree") -> System:
        """Multibody system of the tree, with further constraints such as contacts."""
        held = [joint for joint in self.joints if joint.parent == "ground" and joint.kind != "free"]
        return System(
            [self._body(item) for item in self.bodies],
            [*self._constraints(), *extra],
            name=name,
            ground={joint.name: joint.centre for joint in held},
            directions={f"{joint.name}_axis{k}": axis for joint in held for k, axis in enumerate(joint.axes)},
        )

    def _body(self, item: TreeBody) -> Body:
        points = dict(item.points)
        vectors = {}
        for joint in self.joints:
            if item.name not in (joint.parent, joint.child) or joint.kind == "free":
                continue
            points[joint.name] = joint.centre
            for k, axis in enumerate(joint.axes):
                vectors[f"{joint.name}_axis{k}"] = item.attitude.T @ axis
        origin = points[item.basis[0]]
        com = np.mean(list(points.values()), axis=0) if item.com is None else item.com
        return Body(
            name=item.name,
            points={key: item.attitude.T @ (value - origin) for key, value in points.items()},
            vectors=vectors,
            basis=item.basis,
            mass=item.mass,
            inertia=item.inertia,
            centre_of_mass=item.attitude.T @ (com - origin),
            position=origin,
            attitude=item.attitude,
        )

    def _constraints(self) -> list[Constraint]:
        found: list[Constraint] = []
        for joint in self.joints:
            if joint.kind == "free":
                continue
            kind, place = TREE_KINDS[joint.kind], (f"{joint.parent}.{joint.name}", f"{joint.child}.{joint.name}")
            axes = (f"{place[0]}_axis0", f"{place[1]}_axis{len(joint.axes) - 1}") if kind.axes else ()
            from_poses = {name: None for name, _ in kind.numbers}  # such as the angle between the axes
            found.append(kind.type(joint.name, *place, *axes, **from_poses))
        return found

    def poses(self, motion: Mapping[str, FloatArray]) -> dict[str, tuple[FloatArray, FloatArray]]:
        """Positions (T, 3) of basis points' origins and attitudes (T, 3, 3) of all bodies, by joint coordinates.

        motion : joint -> (T, freedoms) angles [rad] about the joint's axes; a rotation vector in the reference axes of
                 the laboratory for spherical joints; translation [m] then rotation vector for a free joint.
        """
        frames = len(next(iter(motion.values())))
        moved: dict[str, tuple[FloatArray, FloatArray]] = {}
        rest = {body.name: body for body in self.bodies}
        turn: dict[str, tuple[FloatArray, FloatArray]] = {
            "ground": (np.zeros((frames, 3)), np.tile(np.eye(3), (frames, 1, 1)))
        }
        for joint in self.joints:
            shift, R_parent = turn[joint.parent]
            values = motion.get(joint.name, np.zeros((frames, FREEDOMS[joint.kind])))
            translation, R = _joint_motion(joint, values)
            # a body's motion is x -> shift + R x, applied to laboratory coordinates of the reference pose
            R_child = R_parent @ R
            offset = (
                np.einsum("tij,j->ti", R_parent, joint.centre)
                + translation
                - np.einsum("tij,j->ti", R_child, joint.centre)
            )
            turn[joint.child] = (shift + offset, R_child)
        for name, body in rest.items():
            shift, R = turn[name]
            origin = dict(body.points).get(body.basis[0])
            if origin is None:
                origin = next(j.centre for j in self.joints if j.name == body.basis[0])
            moved[name] = (shift + np.einsum("tij,j->ti", R, origin), R @ body.attitude)
        return moved

    def coordinates(self, system: System, motion: Mapping[str, FloatArray]) -> FloatArray:
        """Natural coordinates (T, n) of the tree moving by joint coordinates; all joints are satisfied exactly."""
        return coordinates_of_poses(system, self.poses(motion))


def coordinates_of_poses(system: System, poses: Mapping[str, tuple[FloatArray, FloatArray]]) -> FloatArray:
    """Natural coordinates (T, n) of bodies at given positions (T, 3) and attitudes (T, 3, 3)."""
    return np.concatenate([body.coordinates(*poses[body.name]) for body in system.bodies], axis=1)


def _joint_motion(joint: ReferenceJoint, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Translation (T, 3) and rotation (T, 3, 3) of a joint about its centre, in reference laboratory axes."""
    none = np.zeros((len(values), 3))
    if joint.kind == "free":
        return values[:, :3], Rotation.from_rotvec(values[:, 3:]).as_matrix()
    if joint.kind == "spherical":
        return none, Rotation.from_rotvec(values).as_matrix()
    parts = [Rotation.from_rotvec(values[:, k : k + 1] * axis).as_matrix() for k, axis in enumerate(joint.axes)]
    return none, reduce(np.matmul, parts)


def perturbed(
    system: System, q: FloatArray, rng: np.random.Generator, position_m: float = 0.003, angle_deg: float = 0.9
) -> FloatArray:
    """Every body moved rigidly at random: σ of the position components and of the rotation angle's components.

    q : (T, n) consistent coordinates. This is how measured coordinates differ from consistent ones.
    """
    noisy = q.copy()
    for body in system.bodies:
        columns = system.layout.columns(body.name)
        slots = q[:, columns].reshape(len(q), -1, 3)
        points = len(body.basic_points)
        R = Rotation.from_rotvec(np.deg2rad(angle_deg) * rng.normal(size=(len(q), 3))).as_matrix()
        centre = slots[:, :1]
        turned = np.einsum("tij,tkj->tki", R, slots - centre * (np.arange(slots.shape[1]) < points)[None, :, None])
        turned[:, :points] += centre + position_m * rng.normal(size=(len(q), 1, 3))
        noisy[:, columns] = turned.reshape(len(q), -1)
    return noisy
