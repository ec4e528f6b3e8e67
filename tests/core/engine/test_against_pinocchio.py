"""Dynamics of trees: natural coordinates and their null space against Pinocchio's joint coordinates.

With B the map q̇ -> v (Pinocchio's joint velocities), [Φq; B] q̇ = {0; v} gives q̇ = R v, and the engine's quantities
reduced by R are Pinocchio's:

    Rᵀ M R = mass matrix     −Rᵀ Q_g = gravity     Rᵀ(M q̈ − Q_g) = inverse dynamics     with q̈ = S c + R (v̇ − Ḃ q̇)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from biomec.base.arrays import FloatArray
from biomec.engine.joints import Weld
from biomec.engine.reference.human import human_tree
from biomec.engine.reference.spatial import random_tree
from biomec.engine.reference.trees import FREEDOMS, ReferenceJoint, ReferenceTree, TreeBody
from biomec.engine.structure import NullSpace, null_space
from biomec.engine.system import System
from tests.oracles.pinocchio_tree import NaturalMotion, PinocchioTree

# Two algorithms in double precision: 4e-15 in the median of 120 random trees and 6e-14 at most, because their bodies'
# bases are well conditioned (below 4; M carries the square of it). 1e-11 leaves room for other processors and larger
# trees; the project asks 1e-9.
RELATIVE = 1e-11

# Residuals and rates of the constraints themselves involve no factorisation: 1e-14 seen, with coordinates up to 10 m.
KINEMATIC = 1e-12

CASES = {
    **{f"free, {n} bodies": (n, "free") for n in range(1, 13)},
    **{f"{root} root, {n} bodies": (n, root) for root in ("spherical", "universal", "revolute") for n in (1, 4, 9)},
}


@dataclass(frozen=True)
class State:
    """A state of a tree as both engines see it, and the engine's reduction to Pinocchio's velocities v."""

    system: System
    oracle: PinocchioTree
    joint: FloatArray
    v: FloatArray
    a: FloatArray
    natural: NaturalMotion
    space: NullSpace
    Bdot_qdot: FloatArray

    def natural_acceleration(self, vdot: FloatArray) -> FloatArray:
        """q̈ = S c + R (v̇ − Ḃ q̇), because v̇ = B q̈ + Ḃ q̇."""
        c = self.system.acceleration_rhs(self.natural.q, self.natural.qdot)
        return self.space.S @ c + self.space.R @ (vdot - self.Bdot_qdot)

    def reduced_force(self, vdot: FloatArray) -> FloatArray:
        """Rᵀ(M q̈ − Q_g), the generalised forces that belong to v."""
        inertial = self.system.mass_matrix @ self.natural_acceleration(vdot)
        return self.space.R.T @ (inertial - self.system.gravity_force)


def standing_on_a_base(tree: ReferenceTree) -> System:
    """System of a tree that hangs on a body welded to the ground (whose only directions are x, y and z)."""
    root = tree.joints[0]
    base = TreeBody("base", ("corner", "x", "y", "z"), {"corner": np.zeros(3)}, np.eye(3))
    foundation = ReferenceJoint("foundation", "free", "ground", "base", np.zeros(3))
    whole = ReferenceTree((base, *tree.bodies), (foundation, replace(root, parent="base"), *tree.joints[1:]))
    return whole.system([Weld("weld", "ground.origin", "base.corner")])


def independent_velocities(
    oracle: PinocchioTree, motion: NaturalMotion, v: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """B (g, n) with v = B q̇, and Ḃ q̇ (g,), at a state of the tree.

    A joint turns by ω_rel = ω_child − ω_parent = A v, where the columns a_k of A are its axes: those of the child's
    joint frame for a spherical or free joint, otherwise the given ones, each fixed in one of the bodies. Hence

        v = A⁺ ω_rel     v̇ = A⁺(ω̇_rel − Ȧ v),   Ȧ v = Σ v_k ω_owner × a_k,     A⁺ = (AᵀA)⁻¹Aᵀ

    and ω = G q̇, ω̇ = G q̈ make B = A⁺(G_child − G_parent), Ḃ q̇ = −A⁺Ȧ v. A free joint also moves by
    v = Eᵀṗ of its centre p, E the attitude of the joint frame: v̇ = Eᵀ(p̈ − ω × ṗ).
    """
    system = oracle.system
    B, Bdot_qdot = np.zeros((v.size, system.n)), np.zeros(v.size)
    for joint in oracle.tree.joints:
        rows = oracle.first[joint.name] + np.arange(FREEDOMS[joint.kind])
        (G_child, E_child), (G_parent, E_parent) = (_rotation(system, n, motion.q) for n in (joint.child, joint.parent))
        if joint.kind == "free":
            linear, rows = rows[:3], rows[3:]
            B[linear] = E_child.T @ _point(system, joint.child, joint.centre)
            Bdot_qdot[linear] = -np.cross(v[rows], v[linear])  # −Eᵀ(ω × ṗ), both in child axes
        if joint.kind in ("free", "spherical"):
            A, owners = E_child, [G_child] * 3
        elif joint.kind == "revolute":
            A, owners = E_child @ np.column_stack(joint.axes), [G_child]
        else:
            A, owners = np.column_stack([E_parent @ joint.axes[0], E_child @ joint.axes[1]]), [G_parent, G_child]
        inverse = np.linalg.pinv(A)
        B[rows] = inverse @ (G_child - G_parent)
        for v_k, G_owner, a_k in zip(v[rows], owners, A.T, strict=True):
            Bdot_qdot[rows] -= inverse @ np.cross(G_owner @ motion.qdot, a_k) * v_k
    return B, Bdot_qdot


def _point(system: System, name: str, place: FloatArray) -> FloatArray:
    """C (3, n) of a point of a body, given where it is in the reference pose."""
    body = system.layout.body(name)
    C = np.zeros((3, system.n))
    C[:, system.layout.columns(name)] = body.point_map(body.attitude_matrix.T @ (place - body.position))
    return C


def _rotation(system: System, name: str, q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """G (3, n) of a body over all of q, and the attitude (3, 3) of its joint frame, I in the reference pose."""
    G = np.zeros((3, system.n))
    if name == "ground":
        return G, np.eye(3)
    body, columns = system.layout.body(name), system.layout.columns(name)
    own = q[columns]
    G[:, columns] = body.angular_velocity_map(own)
    attitude = np.column_stack([D @ own for D in body.axes_maps()])
    return G, attitude @ body.attitude_matrix.T


def random_state(tree: ReferenceTree, system: System, rng: np.random.Generator) -> State:
    oracle = PinocchioTree(tree, system)
    joint, v, a = oracle.random_state(rng)
    natural = oracle.natural(joint, v, a)
    B, Bdot_qdot = independent_velocities(oracle, natural, v)
    space = null_space(system.jacobian(natural.q), B)
    return State(system, oracle, joint, v, a, natural, space, Bdot_qdot)


@pytest.fixture(scope="module", params=[*CASES, "human-like, 21 bodies"])
def states(request: pytest.FixtureRequest) -> list[State]:
    """Two random states of one tree."""
    if request.param not in CASES:
        tree = human_tree()
        system = tree.system()
        rng = np.random.default_rng(21)
    else:
        count, root = CASES[request.param]
        rng = np.random.default_rng([count, *root.encode()])
        tree = random_tree(count, rng, root)
        system = tree.system() if root == "free" else standing_on_a_base(tree)
    return [random_state(tree, system, rng) for _ in range(2)]


def assert_close(ours: FloatArray, theirs: FloatArray, relative: float = RELATIVE) -> None:
    """Compare with the largest entry of the whole, because small entries are differences of large ones."""
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=relative * np.abs(theirs).max(initial=1e-6))


def test_poses_and_rates_of_joint_kinematics_satisfy_every_constraint(states: list[State]) -> None:
    for s in states:
        Phi_q = s.system.jacobian(s.natural.q)
        assert np.abs(s.system.residual(s.natural.q)).max() < KINEMATIC
        assert np.abs(Phi_q @ s.natural.qdot).max() < KINEMATIC * np.abs(s.natural.qdot).max()
        c = s.system.acceleration_rhs(s.natural.q, s.natural.qdot)
        assert_close(Phi_q @ s.natural.qddot, c, KINEMATIC)


def test_degrees_of_freedom_are_those_of_the_joints(states: list[State]) -> None:
    for s in states:
        assert s.space.R.shape == (s.system.n, s.oracle.model.nv)


def test_natural_velocities_are_null_space_times_joint_velocities(states: list[State]) -> None:
    for s in states:
        assert_close(s.space.B @ s.natural.qdot, s.v, KINEMATIC)
        assert_close(s.space.R @ s.v, s.natural.qdot)


def test_natural_accelerations_follow_from_joint_accelerations(states: list[State]) -> None:
    for s in states:
        assert_close(s.natural_acceleration(s.a), s.natural.qddot)


def test_mass_matrix_in_independent_velocities(states: list[State]) -> None:
    for s in states:
        R = s.space.R
        assert_close(R.T @ (s.system.mass_matrix @ R), s.oracle.mass_matrix(s.joint))


def test_gravity(states: list[State]) -> None:
    for s in states:
        assert_close(-s.space.R.T @ s.system.gravity_force, s.oracle.gravity(s.joint))


def test_bias_forces_without_joint_accelerations(states: list[State]) -> None:
    for s in states:
        assert_close(s.reduced_force(np.zeros_like(s.v)), s.oracle.bias(s.joint, s.v))


def test_inverse_dynamics_of_a_random_motion(states: list[State]) -> None:
    for s in states:
        assert_close(s.reduced_force(s.a), s.oracle.inverse_dynamics(s.joint, s.v, s.a))


def test_kinetic_energy(states: list[State]) -> None:
    for s in states:
        kinetic, _ = s.oracle.energies(s.joint, s.v)
        assert s.system.kinetic_energy(s.natural.qdot) == pytest.approx(kinetic, rel=RELATIVE)


def test_potential_energy_differs_alike_between_two_configurations(states: list[State]) -> None:
    ours = [float(s.system.potential_energy(s.natural.q)) for s in states]
    theirs = [s.oracle.energies(s.joint, s.v)[1] for s in states]
    # the levels differ by what the welded base weighs; the difference of two of them carries the rounding of both
    assert ours[1] - ours[0] == pytest.approx(theirs[1] - theirs[0], abs=RELATIVE * max(map(abs, theirs)))
