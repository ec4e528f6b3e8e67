"""Trees of `biomec.engine.reference.trees` in Pinocchio: joint coordinates, spatial vectors, recursive algorithms.

Nothing of the engine's equations is used here: only descriptions (where the joints and the bodies are in the reference
pose, what the bodies weigh). In the reference pose every joint frame stands at its joint centre with the axes of the
laboratory, so that laboratory axes are joint axes and the placement of a joint is a difference of two centres.

    joint       Pinocchio                          v (nv)
    free        free flyer                         velocity of the joint centre, angular velocity; in child axes
    spherical   spherical (quaternion)             angular velocity of the child in its parent; in child axes
    revolute    revolute about an axis             rate of the angle
    universal   two revolutes, a massless link     rate about the axis fixed in the parent, then in the child

Source: J. Carpentier et al., "The Pinocchio C++ library", IEEE/SICE Int. Symp. System Integration, 2019.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.engine.reference.trees import ReferenceJoint, ReferenceTree
from biomec.engine.system import System

try:
    import pinocchio as pin

    pin.SE3  # noqa: B018 - the package called `pinocchio` on PyPI is another project, and has none
except (ImportError, AttributeError) as error:
    raise ImportError(
        f"Pinocchio cannot be used ({error}), so the engine cannot be compared with it. Type: pip install "
        "'biomec[oracles]' (the package is called pin; the one called pinocchio is another project); on Debian it also "
        "needs libgomp1."
    ) from error


@dataclass(frozen=True)
class NaturalMotion:
    """Natural coordinates of all bodies of a system and their time derivatives, each (n,)."""

    q: FloatArray
    qdot: FloatArray
    qddot: FloatArray


class PinocchioTree:
    """Pinocchio model of a tree whose bodies are those of ``system``; bodies outside the tree stay where they are.

    model : Pinocchio's model; its gravity is the system's
    first : joint name -> column of the joint's first freedom in v
    """

    def __init__(self, tree: ReferenceTree, system: System) -> None:
        self.tree = tree
        self.system = system
        self.model = pin.Model()
        self.model.gravity.linear = np.array(system.gravity)
        self.first: dict[str, int] = {}
        self._id: dict[str, int] = {}  # body name -> its Pinocchio joint
        self._centre = {"ground": np.zeros(3)}  # body name -> origin of its joint frame in the reference pose
        for joint in _depth_first(tree):
            self._add(joint)
        self.data = self.model.createData()

    def _add(self, joint: ReferenceJoint) -> None:
        kinds = {
            "free": [pin.JointModelFreeFlyer()],
            "spherical": [pin.JointModelSpherical()],
            "revolute": [pin.JointModelRevoluteUnaligned(axis) for axis in joint.axes],
            "universal": [pin.JointModelRevoluteUnaligned(axis) for axis in joint.axes],
        }
        at = self._id.get(joint.parent, 0)
        placement = pin.SE3(np.eye(3), joint.centre - self._centre[joint.parent])
        for k, kind in enumerate(kinds[joint.kind]):
            at = self.model.addJoint(at, kind, placement, f"{joint.name} {k}")
            if k == 0:
                self.first[joint.name] = self.model.joints[at].idx_v
            placement = pin.SE3.Identity()
        self._id[joint.child], self._centre[joint.child] = at, joint.centre
        body = self.system.layout.body(joint.child)
        R = body.attitude_matrix
        lever = body.position + R @ body.points["com"] - joint.centre
        inertia = pin.Inertia(body.mass, lever, R @ body.inertia_matrix @ R.T)
        self.model.appendBodyToJoint(at, inertia, pin.SE3.Identity())

    def joint_of(self, body: str) -> int:
        """Number of the Pinocchio joint that carries a body."""
        return self._id[body]

    def centre_of(self, body: str) -> FloatArray:
        """Origin (3,) of a body's joint frame in the reference pose [m]."""
        return self._centre[body]

    # ------------------------------------------------------------------ states

    def random_state(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Joint coordinates (nq,) far from the reference pose, velocities and accelerations (nv,) of order one."""
        step, v, a = rng.normal(size=(3, self.model.nv))
        return pin.integrate(self.model, pin.neutral(self.model), step), v, a

    def natural(self, q: FloatArray, v: FloatArray, a: FloatArray) -> NaturalMotion:
        """Where Pinocchio puts the points and unit vectors of all bodies, how fast they move and accelerate."""
        pin.forwardKinematics(self.model, self.data, q, v, a)
        parts = [self._body(name) for name in self.system.layout.bodies]
        return NaturalMotion(*(np.concatenate(level) for level in zip(*parts, strict=True)))

    def _body(self, name: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        body = self.system.layout.body(name)
        if name not in self._id:
            rest = [body.position + body.attitude_matrix @ body.points[p] for p in body.basic_points]
            rest += [body.attitude_matrix @ body.vectors[v] for v in body.basic_vectors]
            return np.concatenate(rest), np.zeros(body.size), np.zeros(body.size)
        frame, aligned = self._id[name], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        oM = self.data.oMi[frame]
        velocity = pin.getVelocity(self.model, self.data, frame, aligned)
        acceleration = pin.getClassicalAcceleration(self.model, self.data, frame, aligned)
        origin = np.array([oM.translation, velocity.linear, acceleration.linear])
        w, wdot = velocity.angular, acceleration.angular

        def turned(local: FloatArray) -> FloatArray:
            """A vector fixed in the body, with its first and second derivative: w × r, ẇ × r + w × (w × r)."""
            r = oM.rotation @ local
            return np.array([r, np.cross(w, r), np.cross(wdot, r) + np.cross(w, np.cross(w, r))])

        R, corner = body.attitude_matrix, body.position - self._centre[name]
        levels = [origin + turned(corner + R @ body.points[p]) for p in body.basic_points]
        levels += [turned(R @ body.vectors[v]) for v in body.basic_vectors]
        q, qdot, qddot = np.concatenate(levels, axis=1)
        return q, qdot, qddot

    # ------------------------------------------------------------------ dynamics

    def mass_matrix(self, q: FloatArray) -> FloatArray:
        """Composite rigid body algorithm, (nv, nv); it fills the upper triangle only."""
        upper = np.triu(pin.crba(self.model, self.data, q))
        return upper + np.triu(upper, 1).T

    def gravity(self, q: FloatArray) -> FloatArray:
        """Generalised forces (nv,) that hold the tree still."""
        return np.array(pin.computeGeneralizedGravity(self.model, self.data, q))

    def bias(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """Generalised forces (nv,) that move it with v̇ = 0: centrifugal, Coriolis and gravity terms."""
        return np.array(pin.nonLinearEffects(self.model, self.data, q, v))

    def inverse_dynamics(self, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
        """Generalised forces (nv,) of a motion, by the recursive Newton-Euler algorithm."""
        return np.array(pin.rnea(self.model, self.data, q, v, a))

    def energies(self, q: FloatArray, v: FloatArray) -> tuple[float, float]:
        """Kinetic and potential energy [J]."""
        kinetic = pin.computeKineticEnergy(self.model, self.data, q, v)
        return float(kinetic), float(pin.computePotentialEnergy(self.model, self.data, q))


def _depth_first(tree: ReferenceTree) -> list[ReferenceJoint]:
    """Joints in the order that Pinocchio's mass matrix needs without saying so: every subtree in one piece."""
    order: list[ReferenceJoint] = []
    waiting = [tree.joints[0]]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting += [other for other in tree.joints if other.parent == joint.child]
    return order
