"""Joints with six freedoms, in the recursion along trees and in coordinates of their own, against other engines."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from biomec.engine.forward.semi_recursive import SemiRecursive
from biomec.engine.joints import Free
from biomec.engine.reference.trees import ReferenceJoint, ReferenceTree, TreeBody
from biomec.engine.system import System
from biomec.engine.tree.free_chain import (
    add_joint_load,
    chain_accelerations,
    chain_kinetic_energy,
    chain_motion,
    free_chain,
    joint_forces,
    move_chain,
    place_chain,
)
from tests.core.engine.forward.mechanisms import dense_accelerations, relative, rk4
from tests.core.engine.forward.test_semi_recursive import _against_pinocchio
from tests.oracles.pinocchio_tree import PinocchioTree


def _inertia(root):
    """An inertia tensor that a distribution of mass can have: tr(P) I − P."""
    P = root @ root.T + 0.005 * np.eye(3)
    return np.trace(P) * np.eye(3) - P


def _mixed(seed: int) -> tuple[ReferenceTree, System]:
    """Six bodies: a root, a chain of free joints with a hinge in it, a free branch; one joint points to the root."""
    rng = np.random.default_rng(seed)
    bodies = []
    for k in range(6):
        corner = rng.normal(size=3)
        root = rng.normal(size=(3, 3))
        bodies.append(TreeBody(
            f"b{k}", ("corner", "x", "y", "z"), {"corner": corner, "other": corner + rng.normal(size=3)},
            Rotation.random(random_state=seed + k).as_matrix(), 0.3 + rng.random(), _inertia(0.1 * root),
            corner + 0.2 * rng.normal(size=3),
        ))  # fmt: skip
    at = {one.name: one.points["corner"] for one in bodies}
    hinge = rng.normal(size=3)
    joints = [
        ReferenceJoint("root", "free", "ground", "b0", at["b0"]),
        ReferenceJoint("j1", "free", "b0", "b1", at["b1"]),
        ReferenceJoint("j2", "free", "b1", "b2", at["b2"]),
        ReferenceJoint("hinge", "revolute", "b2", "b3", rng.normal(size=3), (hinge / np.linalg.norm(hinge),)),
        ReferenceJoint("j4", "free", "b3", "b4", at["b4"]),
        ReferenceJoint("j5", "free", "b1", "b5", at["b5"]),
    ]
    tree = ReferenceTree(tuple(bodies), tuple(joints))
    free = [
        Free("j1", "b0.other", "b1.corner"),
        Free("j2", "b1.other", "b2.corner"),
        Free("j4", "b3.other", "b4.corner"),
        Free("j5", "b5.corner", "b1.other"),  # the root lies on its distal side
    ]
    return tree, tree.system(free)


@pytest.mark.parametrize("seed", [1, 2])
def test_free_joints_in_a_tree_are_those_of_pinocchio_and_of_dense_lagrange(seed):
    tree, system = _mixed(seed)
    formulation = SemiRecursive(system, roots=["b0"])
    assert formulation.size == 6 * 5 + 1
    assert formulation.tree.joints[-1].name == "j1"
    _against_pinocchio(formulation, PinocchioTree(tree, system), seed)
    oracle = PinocchioTree(tree, system)
    here = oracle.natural(*oracle.random_state(np.random.default_rng(seed)))
    Q = system.gravity_force + np.random.default_rng(3).normal(size=system.n)
    found = formulation.accelerations(here.q, here.qdot, Q).qddot
    assert relative(found, dense_accelerations(system, here.q, here.qdot, Q)) < 1e-9
    terms = formulation.terms(here.q, here.qdot, Q)  # matrix R: ż spans all velocities that the constraints allow
    np.testing.assert_allclose(terms.R @ formulation.velocities(here.q, here.qdot), here.qdot, rtol=0, atol=1e-11)
    assert relative(terms.M_bar, terms.R.T @ (system.mass_matrix @ terms.R)) < 1e-11


def test_a_falling_chain_of_free_joints_keeps_its_energy():
    """Without ω × v the energy would drift by joules in 0.1 s; the error of fourth-order steps is below the bound."""
    _, system = _mixed(4)
    formulation = SemiRecursive(system, roots=["b0"])
    oracle = PinocchioTree(_mixed(4)[0], system)
    q, v, a = oracle.random_state(np.random.default_rng(5))
    here = oracle.natural(q, v, a)
    M, weight = system.mass_matrix, system.gravity_force

    q, qdot = rk4(formulation, here.q, here.qdot, 5e-4, 200)
    kinetic = [0.5 * one @ (M @ one) for one in qdot]
    energy = kinetic - q @ weight
    assert abs(energy[-1] - energy[0]) < 1e-11 * kinetic[0]


def test_a_formulation_of_joint_loads_refuses_free_joints():
    from biomec.base.errors import BiomecError
    from biomec.engine.tree.joint_tree import joint_tree

    with pytest.raises(BiomecError, match="not for j1, j2, j4, j5"):
        joint_tree(_mixed(1)[1], ["b0"])


def _chain(seed: int, bodies: int = 5):
    rng = np.random.default_rng(seed)
    parent = np.array([0, *(max(0, k - 1 - (k == 3)) for k in range(2, bodies + 1))])
    root = 0.1 * rng.normal(size=(bodies, 3, 3))
    inertia = np.array([_inertia(one) for one in root])
    chain = free_chain(parent, 0.2 + rng.random(bodies), 0.1 * rng.normal(size=(bodies, 3)), inertia)
    return chain, 0.5 * rng.normal(size=6 * bodies), rng.normal(size=6 * bodies), rng


def _placed(chain, z, zdot):
    motion = chain_motion(chain.mass.size)
    place_chain(chain, z, motion)
    move_chain(chain, zdot, motion)
    return motion


def _accelerated(chain, z, zdot, load):
    zddot, origin, angular = np.empty(z.size), *np.zeros((2, chain.mass.size, 3))
    chain_accelerations(chain, _placed(chain, z, zdot), z, zdot, load, zddot, origin, angular)
    return zddot, origin, angular


def test_the_chain_is_the_recursion_with_free_joints():
    """Natural coordinates of the same bodies, accelerations of their points and axes."""
    from biomec.engine.body import Body

    chain, z, zdot, rng = _chain(1)
    load = rng.normal(size=(chain.mass.size, 6))
    motion = _placed(chain, z, zdot)
    bodies = [
        Body(
            name=f"b{b}", points={"o": np.zeros(3)}, vectors={}, basis=("o", "x", "y", "z"), mass=chain.mass[b],
            inertia=chain.inertia[b], centre_of_mass=chain.com[b], position=motion.p[b], attitude=motion.R[b],
        )
        for b in range(1, chain.mass.size)
    ]  # fmt: skip
    joints = [Free(f"j{b}", f"b{chain.parent[b]}.o", f"b{b}.o") for b in range(2, chain.mass.size)]
    system = System(bodies, joints, gravity=(0.0, 0.0, 0.0))
    q, qdot, Q = [], [], []
    for b in range(1, chain.mass.size):
        R, w = motion.R[b], motion.w[b]
        q += [motion.p[b], *R.T]
        qdot += [motion.v[b], *np.cross(w, R.T)]
        Q += [load[b, :3], *(0.5 * np.cross(load[b, 3:], axis) for axis in R.T)]  # torque through ω = ½ Σ e × ė
    found = SemiRecursive(system).accelerations(*map(np.concatenate, (q, qdot, Q)))
    _, origin, angular = _accelerated(chain, z, zdot, load)
    expected = found.qddot.reshape(-1, 4, 3)
    np.testing.assert_allclose(origin[1:], expected[:, 0], rtol=0, atol=1e-9 * np.abs(expected).max())
    for b in range(1, chain.mass.size):
        w, axes = motion.w[b], motion.R[b].T
        turned = np.cross(angular[b], axes) + np.cross(w, np.cross(w, axes))
        np.testing.assert_allclose(turned, expected[b - 1, 1:], rtol=0, atol=1e-9 * np.abs(expected).max())


def test_coordinates_follow_scipys_rotations_and_their_differences():
    """Places by scipy's x-y-z turns about fixed axes; velocities and accelerations by differences along a parabola."""
    chain, z, zdot, rng = _chain(2)
    load = rng.normal(size=(chain.mass.size, 6))
    zddot, origin, angular = _accelerated(chain, z, zdot, load)
    motion = _placed(chain, z, zdot)
    for b in range(1, chain.mass.size):
        k, p = 6 * (b - 1), chain.parent[b]
        turn = Rotation.from_euler("xyz", z[k + 3 : k + 6]).as_matrix()  # lower case: about fixed axes
        np.testing.assert_allclose(motion.R[b], motion.R[p] @ turn, atol=1e-14)
        np.testing.assert_allclose(motion.p[b], motion.p[p] + motion.R[p] @ z[k : k + 3], atol=1e-14)
    h = 1e-5  # central differences: h² times third derivatives of 1e3, and rounding 1e-16/h, are below 1e-6
    later, before = (_placed(chain, z + s * h * zdot + 0.5 * h * h * zddot, zdot + s * h * zddot) for s in (1, -1))
    np.testing.assert_allclose((later.p - before.p) / (2 * h), motion.v, atol=1e-6)
    np.testing.assert_allclose((later.v - before.v) / (2 * h), origin, atol=1e-5)
    np.testing.assert_allclose((later.w - before.w) / (2 * h), angular, atol=1e-5)


def test_joint_loads_are_generalised_forces_and_do_their_work():
    chain, z, zdot, rng = _chain(3)
    motion, load, wanted = _placed(chain, z, zdot), np.zeros((chain.mass.size, 6)), rng.normal(size=z.size)
    for b in range(1, chain.mass.size):
        add_joint_load(chain, motion, b, z, wanted[6 * (b - 1) : 6 * b], load)
    Q = np.empty(z.size)
    joint_forces(chain, motion, load, Q)
    np.testing.assert_allclose(Q, wanted, atol=1e-12)
    power = np.einsum("bi,bi->", load[:, :3], motion.v) + np.einsum("bi,bi->", load[:, 3:], motion.w)
    assert power == pytest.approx(wanted @ zdot, abs=1e-12)
    # kinetic energy grows by the power: dT/dt = Q·ż, by a central difference
    zddot, _, _ = _accelerated(chain, z, zdot, load)
    h = 1e-5
    T = [chain_kinetic_energy(chain, _placed(chain, z + s * h * zdot, zdot + s * h * zddot)) for s in (1, -1)]
    assert (T[0] - T[1]) / (2 * h) == pytest.approx(wanted @ zdot, abs=1e-6)
