"""Semi-recursive formulation: relative velocities of the joints of a tree, accumulated from its ends to its root.

Velocities ż, in this order:

    root        velocity of its first basic point [m/s], its angular velocity [rad/s]; laboratory axes
    spherical   angular velocity of the distal body in the proximal one; laboratory axes
    universal   rates about the proximal and about the distal axis
    revolute    rate about the axis
    free        velocity of the distal point in the proximal body [m/s], angular velocity of the distal body in the
                proximal one [rad/s]; laboratory axes

so that generalised forces conjugate to them are the torques that the proximal body exerts on the distal one, as joint
loads report them. There are no angles: attitudes come from the natural coordinates. Points that glide on an ellipsoid
close loops; their rows stay as constraints between the velocities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.compiled import compiled
from biomec.base.errors import BiomecError
from biomec.base.frozen import FrozenDict
from biomec.engine.forward.formulation import (
    Accelerations,
    FormulationOptions,
    ReducedTerms,
    Unsolvable,
    checked_state,
    refuse_driven,
    refuse_runaway,
)
from biomec.engine.joints import BodyJoint, Free
from biomec.engine.layout import Layout
from biomec.engine.rows import RowTables, build_tables
from biomec.engine.system import System
from biomec.engine.tree import recursion
from biomec.engine.tree.block_solution import tree_tables
from biomec.engine.tree.joint_tree import JointTree, TreeJoint, joint_tree
from biomec.engine.tree.recursion import FREE, REVOLUTE, SIX, SPHERICAL, UNIVERSAL, Branches
from biomec.engine.tree.restoring import Shapes, add_restoring
from biomec.engine.tree.solution import solve_tree

KINDS = {0: SPHERICAL, 1: REVOLUTE, 2: UNIVERSAL}  # by the axes that a joint turns about
COUNT = {FREE: 6, SPHERICAL: 3, UNIVERSAL: 2, REVOLUTE: 1, SIX: 6}


class TreeTables(NamedTuple):
    """What compiled loops need to know of a tree; ``rows`` close its loops."""

    branches: Branches
    shapes: Shapes
    rows: RowTables


class TreeState(NamedTuple):
    """q, q̇ and Q (n,), and how hard bodies are drawn back to their places."""

    q: FloatArray
    qdot: FloatArray
    Q: FloatArray
    damping: float
    stiffness: float


class SemiRecursive:
    """Semi-recursive equations of motion of a tree with a free root ([GarciaDeJalonBayo1994]).

    Multipliers are known of the rows that close loops only; those of rigid bodies and joints are not needed and NaN.

    roots      : bodies that may be the root, the preferred one first (`joint_tree`)
    stabilised : draws bodies back to their shapes, joints together and loops closed (ξ and ω of the options)
    """

    title = "semi-recursive"

    def __init__(
        self,
        system: System,
        options: FormulationOptions | None = None,
        *,
        roots: Sequence[str] = (),
        stabilised: bool = False,
    ) -> None:
        refuse_driven(system)
        self.system = system
        self.options = options or FormulationOptions()
        self.tree = tree_for_recursion(system, roots, free=True)
        self._branches, slices = laid_out(self.tree)
        self.freedoms: Mapping[str, slice] = FrozenDict(slices)
        self._loops: IntArray = system.row_types.get("ellipsoid", np.zeros(0, dtype=np.int64))
        rows = build_tables([system.rows[r] for r in self._loops])
        self._tables = TreeTables(self._branches, local_shapes(self.tree), rows)
        xi, omega = (self.options.xi, self.options.omega) if stabilised else (0.0, 0.0)
        self._damping, self._stiffness = 2.0 * xi * omega, omega**2

    @property
    def size(self) -> int:
        """Number of velocities g of the tree; loops take one away each."""
        return int(self._branches.above.size)

    def accelerations(self, q: FloatArray, qdot: FloatArray, Q: FloatArray) -> Accelerations:
        """Accelerations at the state (n,), (n,) under applied generalised forces Q (n,), gravity included."""
        multipliers = np.full(self.system.m, np.nan)
        qddot, load = np.empty(self.system.n), np.empty(self._loops.size)
        state = self._state(q, qdot, Q)
        stuck = _accelerate(self._tables, state, qddot, load)
        if stuck >= 0 or not np.isfinite(qddot).all():
            refuse_runaway(self.system, state.q, state.qdot, state.Q)
        if stuck >= 0:
            raise Unsolvable(self._without_inertia(stuck))
        multipliers[self._loops] = load
        return Accelerations(qddot, multipliers, 1)

    def velocities(self, q: FloatArray, qdot: FloatArray) -> FloatArray:
        """ż (g,) of velocities q̇ (n,); of velocities that leave the constraints a little, the nearest that do not."""
        zdot = np.empty(self.size)
        _velocities(self._branches, *checked_state(self.system, q, qdot)[:2], zdot)
        return zdot

    def terms(self, q: FloatArray, qdot: FloatArray, Q: FloatArray) -> ReducedTerms:
        """Terms of M̄ z̈ + J_zᵀ λ = Q̄, J_z z̈ = c_z at the state."""
        g, n, rows = self.size, self.system.n, self._loops.size
        shapes = ((g, g), (g,), (n, g), (n,), (rows, g), (rows,))
        terms = ReducedTerms(*(np.empty(shape) for shape in shapes))
        _terms(self._tables, self._state(q, qdot, Q), *terms)
        return terms

    def _state(self, q: FloatArray, qdot: FloatArray, Q: FloatArray) -> TreeState:
        return TreeState(*checked_state(self.system, q, qdot, Q), self._damping, self._stiffness)

    def _without_inertia(self, velocity: int) -> str:
        joint = next(name for name, part in self.freedoms.items() if part.start <= velocity < part.stop)
        return f"{self.system.name}: nothing that {joint} moves has mass, so its acceleration is not determined."


def tree_for_recursion(system: System, roots: Sequence[str], *, free: bool = False) -> JointTree:
    """Order the joints of a system, or say why this formulation is not for it."""
    try:
        tree = joint_tree(system, roots, free=free)
    except BiomecError as error:
        raise BiomecError(f"Semi-recursive formulation: {error} Or choose another formulation.") from error
    for body in system.bodies:
        if body.shared:
            raise BiomecError(
                f"Semi-recursive formulation: {body.name} shares points with other bodies. Give every body of "
                f"{system.name} its own points and join them, or choose another formulation."
            )
    return tree


def _kind(joint: BodyJoint) -> int:
    return SIX if isinstance(joint, Free) else KINDS[len(joint.turning)]


def laid_out(tree: JointTree) -> tuple[Branches, dict[str, slice]]:
    """Lay out a tree from its root outwards, and say which velocities belong to which joint."""
    system, tables = tree.system, tree_tables(tree)
    joints: list[TreeJoint | None] = [None, *reversed(tree.joints)]
    body = [tree.root if joint is None else joint.child for joint in joints]
    step_of = np.argsort(body)
    kind = [FREE if joint is None else _kind(joint.joint) for joint in joints]
    first = np.concatenate([[0], np.cumsum([COUNT[one] for one in kind])]).astype(np.int64)
    parent = [-1 if joint is None else int(step_of[joint.parent]) for joint in joints]
    above = np.arange(-1, first[-1] - 1)
    for k, p in enumerate(parent[1:], start=1):
        above[first[k]] = first[p + 1] - 1
    axes, owner = np.zeros((len(joints), 2, 4)), np.zeros((len(joints), 2), dtype=np.int64)
    for k, joint in enumerate(joints):
        for a, name in enumerate(() if joint is None else joint.joint.turning):
            one, vector = name.split(".", 1)
            axes[k, a] = system.layout.body(one).vector_map(vector)[0, ::3]
            owner[k, a] = list(system.layout.bodies).index(one)
    moment = np.einsum("sj,sjk->sk", tables.is_point, tables.mass)
    slices = {
        "root" if joint is None else joint.name: slice(int(first[k]), int(first[k + 1]))
        for k, joint in enumerate(joints)
    }
    return (
        Branches(
            body=np.array(body, dtype=np.int64),
            parent=np.array(parent, dtype=np.int64),
            kind=np.array(kind, dtype=np.int64),
            sign=np.array([1.0 if joint is None else joint.sign for joint in joints]),
            first=first,
            above=above.astype(np.int64),
            step_of=step_of.astype(np.int64),
            centre=np.ascontiguousarray(tables.at_child[::-1]),
            axes=axes,
            owner=owner,
            mass=tables.mass,
            moment=moment,
            total=np.einsum("sj,sj->s", tables.is_point, moment),
            frame=tables.axes,
            is_point=tables.is_point,
        ),
        slices,
    )


def local_shapes(tree: JointTree) -> Shapes:
    """Lay out the local coordinates of a tree from its root outwards."""
    layout, bodies = tree.system.layout, tree.system.bodies
    local = np.array([[{**body.points, **body.vectors}[name] for name in body.basis] for body in bodies])
    joints: list[TreeJoint | None] = [None, *reversed(tree.joints)]
    centre, at_parent = np.zeros((len(joints), 3)), np.zeros((len(joints), 4))
    axes, angle = np.zeros((len(joints), 2, 3)), np.zeros(len(joints))
    for k, joint in enumerate(joints):
        point = tree.root_point if joint is None else joint.child_point
        owner, name = point.split(".", 1)
        centre[k] = layout.body(owner).points[name]
        if joint is None:
            continue
        owner, name = joint.parent_point.split(".", 1)
        at_parent[k] = layout.body(owner).point_map(name)[0, ::3]
        if joint.joint.turning:
            pair, angle[k] = _local_axes(joint.joint, layout)
            axes[k] = pair[:: int(joint.sign)]
    return Shapes(local, centre, at_parent, axes, angle)


def _local_axes(joint: BodyJoint, layout: Layout) -> tuple[FloatArray, float]:
    """Axes (2, 3) of a joint in its proximal and its distal body, and the angle between them [rad].

    The reference poses give what a joint leaves open: the ``distal_axis`` of one axis, the ``cosine`` of two.
    """
    proximal, distal = (point.split(".", 1)[0] for point in (joint.proximal, joint.distal))
    first, *other = joint.turning
    axis = layout.body(proximal).vectors[first.split(".", 1)[1]]
    seen = layout.attitude(distal).T @ layout.attitude(proximal) @ axis  # in the reference poses
    named = other[0] if other else getattr(joint, "distal_axis", None)
    own = seen if named is None else layout.body(distal).vectors[named.split(".", 1)[1]]
    if not other:
        return np.array([axis, own]), 0.0
    stated = getattr(joint, "cosine", None)
    return np.array([axis, own]), float(np.arccos(float(own @ seen) if stated is None else stated))


# ---------------------------------------------------------------------- compiled


@compiled
def _velocities(tables: Branches, q: FloatArray, qdot: FloatArray, zdot: FloatArray) -> None:
    bodies = tables.total.size
    s, sdot = q.reshape(bodies, 4, 3), qdot.reshape(bodies, 4, 3)
    r, b, omega = np.empty((bodies, 3)), np.empty((zdot.size, 6)), np.empty((bodies, 3))
    recursion.directions(tables, s, r, b)
    recursion.relative_velocities(tables, s, sdot, b, zdot, omega)


@compiled
def _equations(
    tables: TreeTables,
    state: TreeState,
    b: FloatArray,
    M_bar: FloatArray,
    Q_bar: FloatArray,
    bias: FloatArray,
    J: FloatArray,
    c: FloatArray,
) -> None:
    """Fill the directions b (g, 6) and all terms but R."""
    branches, shapes, rows = tables
    q, qdot, Q, damping, stiffness = state
    bodies = branches.total.size
    s, sdot = q.reshape(bodies, 4, 3), qdot.reshape(bodies, 4, 3)
    r, omega, zdot = np.empty((bodies, 3)), np.empty((bodies, 3)), np.empty(Q_bar.size)
    shaped = bias.reshape(bodies, 4, 3)
    recursion.directions(branches, s, r, b)
    recursion.relative_velocities(branches, s, sdot, b, zdot, omega)
    recursion.bias_of_elements(branches, s, r, b, zdot, omega, shaped)
    if damping > 0.0 or stiffness > 0.0:
        add_restoring(branches, shapes, s, sdot, b, zdot, damping, stiffness, shaped)
    recursion.reduced_equations(branches, s, b, shaped, Q.reshape(bodies, 4, 3), M_bar, Q_bar)
    if c.size:
        recursion.loop_rows(branches, rows, s, q, qdot, b, shaped, damping, stiffness, J, c)


@compiled
def _accelerate(
    tables: TreeTables,
    state: TreeState,
    qddot: FloatArray,
    load: FloatArray,
) -> int:
    """q̈ (n,) and multipliers (l,) of the loops; returns −1, or the number of a velocity without inertia."""
    branches, size = tables.branches, load.size
    g, bodies = branches.above.size, branches.total.size
    b, M_bar, Q_bar, zddot = np.empty((g, 6)), np.empty((g, g)), np.empty(g), np.empty(g)
    J, c = np.empty((size, g)), np.empty(size)
    _equations(tables, state, b, M_bar, Q_bar, qddot, J, c)
    stuck = solve_tree(branches.above, M_bar, Q_bar, J, c, zddot, load)
    if stuck < 0:
        shaped = qddot.reshape(bodies, 4, 3)
        recursion.motion_of_elements(branches, state.q.reshape(bodies, 4, 3), b, zddot, np.empty((bodies, 6)), shaped)
    return stuck


@compiled
def _terms(
    tables: TreeTables,
    state: TreeState,
    M_bar: FloatArray,
    Q_bar: FloatArray,
    R: FloatArray,
    bias: FloatArray,
    J: FloatArray,
    c: FloatArray,
) -> None:
    branches = tables.branches
    b = np.empty((branches.above.size, 6))
    _equations(tables, state, b, M_bar, Q_bar, bias, J, c)
    recursion.matrix_r(branches, state.q.reshape(branches.total.size, 4, 3), b, R)
