"""A person's tree of joints as a controller sees it: poses, rates and efforts of the joints.

Freedoms, in this order: place [m] and attitude [rad] of the root in laboratory axes; spherical joints in the axes of
their proximal body; universal joints about their proximal and their distal axis; revolute joints about their axis.
Efforts are conjugate to the rates: torques that the proximal body exerts on the distal one [N m], and what would hold
the root, a force at its first basic point [N] and a torque [N m].

The equations are those of `SemiRecursive`, by the same recursions (`recursion`, `tree_solution`), in other rates: there
turns of spherical joints are in laboratory axes, which is quickest for accelerations; here in axes of the proximal
body, where a movement can be described, interpolated and stepped (`joint_kernels`), and a controller has its errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.engine.forward.formulation import Unsolvable, refuse_driven, refuse_runaway
from biomec.engine.forward.semi_recursive import laid_out, local_shapes, tree_for_recursion
from biomec.engine.rows import build_tables
from biomec.engine.system import System
from biomec.engine.tree import joint_dynamics, joint_kernels
from biomec.engine.tree.joint_kernels import JointSides
from biomec.engine.tree.recursion import FREE, REVOLUTE, SPHERICAL, UNIVERSAL
from biomec.engine.tree.solution import solve_tree

ENDINGS = {
    FREE: ("x", "y", "z", "turn x", "turn y", "turn z"),
    SPHERICAL: ("x", "y", "z"),
    UNIVERSAL: ("proximal axis", "distal axis"),
    REVOLUTE: ("axis",),
}


class JointTerms(NamedTuple):
    """Terms of M ẇ + Jᵀ λ = u + Q̄, J ẇ = c at one state, with g freedoms and l rows that close loops.

    M : (g, g);  Q_bar : (g,) of everything that acts but the efforts u;  J : (l, g);  c : (l,)
    bias : (n,) accelerations [m/s²] of the coordinates at ẇ = 0
    """

    M: FloatArray
    Q_bar: FloatArray
    J: FloatArray
    c: FloatArray
    bias: FloatArray


class JointPose(NamedTuple):
    """Where a tree is: place of the root's first basic point (3,) [m] and attitudes C (J, 3, 3)."""

    root: FloatArray
    attitudes: FloatArray


class JointSpace:
    """The freedoms of a tree with a free root; immutable.

    roots : bodies that may be the root, the preferred one first (`joint_tree`)
    """

    def __init__(self, system: System, roots: Sequence[str] = ()) -> None:
        refuse_driven(system)
        self.system = system
        self.tree = tree_for_recursion(system, roots)
        self.tables, slices = laid_out(self.tree)
        self.shapes = local_shapes(self.tree)
        self.freedoms: Mapping[str, slice] = FrozenDict(slices)
        self.loops: IntArray = system.row_types.get("ellipsoid", np.zeros(0, dtype=np.int64))
        self.rows = build_tables([system.rows[r] for r in self.loops])
        tables = self.tables
        before = np.where(tables.parent >= 0, tables.body[tables.parent], tables.body)
        towards = tables.sign > 0.0
        self.sides = JointSides(
            proximal=np.where(towards, before, tables.body),
            distal=np.where(towards, tables.body, before),
            axes=np.where(towards[:, None, None], self.shapes.axes, self.shapes.axes[:, ::-1]),
        )
        self.names: tuple[str, ...] = tuple(
            f"{joint}, {ending}" for k, joint in enumerate(slices) for ending in ENDINGS[int(tables.kind[k])]
        )

    @property
    def size(self) -> int:
        """Number of freedoms g of the tree; gliding contacts take one away each."""
        return len(self.names)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints from the root outwards, without the root."""
        return tuple(self.freedoms)[1:]

    def indices(self, names: Sequence[str]) -> IntArray:
        """Numbers of freedoms by their names, or by the names of joints or "root" for all of theirs."""
        found: list[int] = []
        for name in names:
            if name in self.freedoms:
                part = self.freedoms[name]
                found += range(part.start, part.stop)
            elif name in self.names:
                found.append(self.names.index(name))
            else:
                raise BiomecError(f"There is no freedom {name}; there are {', '.join((*self.freedoms, *self.names))}.")
        return np.array(found, dtype=np.int64)

    # ------------------------------------------------------------------ kinematics

    def pose(self, q: FloatArray) -> JointPose:
        """Pose of coordinates q (n,)."""
        s = self._elements(q)
        A, C = (np.empty((len(s), 3, 3)) for _ in range(2))
        joint_kernels.attitudes(self.tables, s, A)
        joint_kernels.joint_attitudes(self.tables, self.sides, A, C)
        return JointPose(self.tables.centre[0] @ s[self.tables.body[0]], C)

    def coordinates(self, pose: JointPose) -> FloatArray:
        """q (n,) of a pose."""
        q = np.empty(self.system.n)
        joint_kernels.place(self.tables, self.shapes, self.sides, _own(pose.root), _own(pose.attitudes), q)
        return q

    def moved(self, q: FloatArray, delta: FloatArray) -> FloatArray:
        """Coordinates (n,) after a movement δ (g,); every row holds but those that close loops."""
        to = np.empty(self.system.n)
        joint_kernels.moved(self.tables, self.shapes, self.sides, _own(q), _own(delta), to)
        return to

    def deviation(self, q: FloatArray, wanted: JointPose) -> FloatArray:
        """Movement e (g,) that leads from q to a pose: differences of places, rotation vectors of C_ref Cᵀ."""
        e = np.empty(self.size)
        joint_kernels.deviation(self.tables, self.sides, _own(q), _own(wanted.root), _own(wanted.attitudes), e)
        return e

    def rates(self, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """w (g,) of velocities q̇ (n,); of those that leave the constraints a little, the nearest that do not."""
        w = np.empty(self.size)
        joint_dynamics.rates(self.tables, self.sides, _own(q), _own(qdot), w)
        return w

    def velocities(self, q: FloatArray, w: FloatArray) -> FloatArray:
        """q̇ (n,) of rates w (g,)."""
        qdot = np.empty(self.system.n)
        joint_dynamics.velocities(self.tables, self.sides, _own(q), _own(w), qdot)
        return qdot

    def closed(self, q: FloatArray, w: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Coordinates and rates with the loops closed by the least movement, in one Newton step: for small gaps."""
        if not self.loops.size:
            return q, w
        J, left = np.empty((self.loops.size, self.size)), np.empty(self.loops.size)
        joint_dynamics.loops(self.tables, self.sides, self.rows, _own(q), J, left)
        try:
            least = np.linalg.solve(J @ J.T, np.column_stack([left, J @ w]))
        except np.linalg.LinAlgError as error:
            raise Unsolvable(f"{self.system.name}: gliding contacts hinder each other in this pose.") from error
        return self.moved(q, J.T @ least[:, 0]), w - J.T @ least[:, 1]

    # ------------------------------------------------------------------ dynamics

    def terms(self, q: FloatArray, qdot: FloatArray, Q: FloatArray) -> JointTerms:
        """Terms of the equations of motion under generalised forces Q (n,), gravity included."""
        refuse_runaway(self.system, q, qdot, Q)
        g, l = self.size, self.loops.size
        terms = JointTerms(*(np.empty(shape) for shape in ((g, g), (g,), (l, g), (l,), (self.system.n,))))
        joint_dynamics.equations(self.tables, self.sides, self.rows, _own(q), _own(qdot), _own(Q), *terms)
        return terms

    def solve(self, terms: JointTerms, effort: FloatArray) -> tuple[FloatArray, FloatArray]:
        """ẇ (g,) under efforts u (g,), and the multipliers (l,) of the rows that close loops."""
        wdot, load = np.empty(self.size), np.empty(self.loops.size)
        stuck = solve_tree(self.tables.above, terms.M.copy(), terms.Q_bar + effort, terms.J, terms.c, wdot, load)
        if stuck >= 0:
            raise Unsolvable(f"{self.system.name}: {self.names[stuck]} moves nothing that has mass.")
        return wdot, load

    def accelerations(self, q: FloatArray, terms: JointTerms, wdot: FloatArray) -> FloatArray:
        """q̈ (n,) of ẇ (g,)."""
        return self.velocities(q, wdot) + terms.bias

    def generalised(self, q: FloatArray, effort: FloatArray) -> FloatArray:
        """Q (n,) of efforts u (g,)."""
        Q = np.empty(self.system.n)
        joint_dynamics.as_generalised(self.tables, self.sides, _own(q), _own(effort), Q)
        return Q

    def projected(self, q: FloatArray, Q: FloatArray) -> FloatArray:
        """Efforts (g,) that do the same work as generalised forces Q (n,)."""
        u = np.empty(self.size)
        joint_dynamics.projected(self.tables, self.sides, _own(q), _own(Q), u)
        return u

    def point_motions(self, q: FloatArray, bodies: IntArray, points: FloatArray) -> FloatArray:
        """J (K, 3, g) of points (K, 3) of the laboratory [m] that move with bodies (K,), by their numbers: ṗ = J w."""
        J = np.empty((len(bodies), 3, self.size))
        joint_dynamics.point_motions(self.tables, self.sides, _own(q), bodies, _own(points), J)
        return J

    def efforts(self, q: FloatArray, torque: Mapping[str, FloatArray]) -> FloatArray:
        """Efforts u (g,) of torques (3,) [N m] of proximal on distal bodies in laboratory axes, joint by joint.

        Universal and revolute joints do work with the components along their axes only.
        """
        s, u = self._elements(q), np.zeros(self.size)
        A = np.empty((len(s), 3, 3))
        joint_kernels.attitudes(self.tables, s, A)
        for k, (joint, part) in enumerate(self.freedoms.items()):
            if joint not in torque:
                continue
            proximal, distal = A[self.sides.proximal[k]], A[self.sides.distal[k]]
            if self.tables.kind[k] == SPHERICAL:
                u[part] = proximal.T @ torque[joint]
            else:
                along = [proximal @ self.sides.axes[k, 0], distal @ self.sides.axes[k, 1]]
                u[part] = [axis @ torque[joint] for axis in along[: part.stop - part.start]]
        return u

    def _elements(self, q: FloatArray) -> FloatArray:
        return _own(q).reshape(-1, 4, 3)


def _own(array: FloatArray) -> FloatArray:
    """Copy for compiled code, which would be compiled again for arrays that cannot be written to."""
    return np.array(array, dtype=np.float64, order="C")
