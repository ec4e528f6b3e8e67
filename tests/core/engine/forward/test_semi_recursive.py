from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from biomec.base.arrays import rotation_about
from biomec.base.errors import BiomecError
from biomec.body.loads.multibody_inverse import multibody_loads
from biomec.engine.body import Body
from biomec.engine.forces.applied import torque
from biomec.engine.forces.external_loads import external_loads
from biomec.engine.forward.formulation import FormulationOptions, Unsolvable
from biomec.engine.forward.semi_recursive import SemiRecursive, local_shapes
from biomec.engine.joints import Prismatic, Revolute, Spherical, Universal
from biomec.engine.reference.human import human_system, human_tree
from biomec.engine.reference.spatial import random_tree, rod
from biomec.engine.system import System
from biomec.engine.tree.joint_tree import joint_tree
from tests.core.body.loads.people import MODELS, pinocchio
from tests.core.engine.forward.mechanisms import (
    TREES,
    dense_accelerations,
    mechanism,
    random_force,
    random_state,
    relative,
    rk4,
    roots_of,
)
from tests.core.engine.forward.reduced_equations import solve_reduced, without_loops
from tests.oracles.forward_dynamics import Options, Problem, lc
from tests.oracles.pinocchio_tree import PinocchioTree, pin

AGREEMENT = 1e-9  # relative


def prepared(name: str, **options) -> SemiRecursive:
    return SemiRecursive(mechanism(name), roots=roots_of(name), **options)


@pytest.mark.parametrize("name", TREES)
def test_accelerations_are_those_of_dense_lagrange(name):
    formulation, system, rng = prepared(name), mechanism(name), np.random.default_rng(1)
    for _ in range(3):
        q, qdot = random_state(system, rng)
        Q = random_force(system, rng)
        found = formulation.accelerations(q, qdot, Q)
        assert relative(found.qddot, dense_accelerations(system, q, qdot, Q)) < AGREEMENT
        assert found.iterations == 1


def test_contact_forces_are_the_multipliers_of_dense_lagrange():
    """Without hinges no row depends on others, so that the plain equations have one solution."""
    whole = human_system()
    contacts = [one for one in whole.constraints if one.name in ("lower_R", "upper_R", "lower_L", "upper_L")]
    kept = [one for one in whole.constraints if not isinstance(one, Revolute)]
    hinges = [Spherical(o.name, o.proximal, o.distal) for o in whole.constraints if isinstance(o, Revolute)]
    system, rng = System(whole.bodies, [*kept, *hinges]), np.random.default_rng(2)
    q, qdot = random_state(system, rng)
    Q = random_force(system, rng)
    qddot, expected = lc(Problem(system, system.mass_matrix.toarray(), lambda *_: Q), q, qdot, 0.0, Options())
    found = SemiRecursive(system).accelerations(q, qdot, Q)
    known = np.isfinite(found.multipliers)
    assert [system.rows[r].owner for r in np.flatnonzero(known)] == [one.name for one in contacts]
    assert relative(found.qddot, qddot) < AGREEMENT
    assert relative(found.multipliers[known], expected[known]) < AGREEMENT


@pytest.mark.parametrize("name", TREES)
def test_velocities_and_terms_are_those_of_the_matrix_r(name):
    formulation, system, rng = prepared(name), mechanism(name), np.random.default_rng(3)
    q, qdot = random_state(system, rng)
    Q = random_force(system, rng)
    terms, M = formulation.terms(q, qdot, Q), system.mass_matrix
    zdot = formulation.velocities(q, qdot)
    loops = system.row_types.get("ellipsoid", np.zeros(0, dtype=int))
    tree_rows = np.delete(system.jacobian(q), loops, axis=0)
    np.testing.assert_allclose(tree_rows @ terms.R, 0.0, atol=1e-13)
    np.testing.assert_allclose(terms.R @ zdot, qdot, rtol=0, atol=1e-12 * np.abs(qdot).max())
    assert relative(terms.M_bar, terms.R.T @ (M @ terms.R)) < 1e-12
    assert relative(terms.Q_bar, terms.R.T @ (Q - M @ terms.bias)) < 1e-12
    np.testing.assert_allclose(terms.J_loop, system.jacobian(q)[loops] @ terms.R, atol=1e-12)
    # the whole set of constraints at the level of accelerations holds at any accelerations that the loops allow
    zddot, _ = solve_reduced(terms)
    wanted = system.acceleration_rhs(q, qdot)
    np.testing.assert_allclose(
        system.jacobian(q) @ terms.accelerations(zddot), wanted, rtol=0, atol=1e-10 * np.abs(zddot).max()
    )
    assert relative(terms.accelerations(zddot), formulation.accelerations(q, qdot, Q).qddot) < AGREEMENT


def test_loops_leave_the_freedoms_of_the_whole_body():
    formulation, system, rng = prepared("m21"), mechanism("m21"), np.random.default_rng(4)
    q, qdot = random_state(system, rng)
    terms = formulation.terms(q, qdot, random_force(system, rng))
    free = without_loops(terms)
    assert (formulation.size, terms.J_loop.shape, free.M_bar.shape) == (48, (4, 48), (44, 44))
    np.testing.assert_allclose(system.jacobian(q) @ free.R, 0.0, atol=1e-12)
    zddot, none = solve_reduced(free)
    assert none.size == 0
    assert relative(free.accelerations(zddot), terms.accelerations(solve_reduced(terms)[0])) < AGREEMENT
    assert without_loops(free) is free


def _change_of_velocities(formulation: SemiRecursive, theirs: PinocchioTree, q: np.ndarray) -> np.ndarray:
    """L with ż = L v, from where Pinocchio's unit velocities move the points."""
    nothing = np.zeros(theirs.model.nv)
    natural = theirs.natural(q, nothing, nothing).q
    columns = [formulation.velocities(natural, theirs.natural(q, v, nothing).qdot) for v in np.eye(theirs.model.nv)]
    return np.array(columns).T


def _against_pinocchio(formulation: SemiRecursive, theirs: PinocchioTree, seed: int) -> None:
    state = theirs.random_state(np.random.default_rng(seed))
    here = theirs.natural(*state)
    system = formulation.system
    L = _change_of_velocities(formulation, theirs, state[0])
    terms = formulation.terms(here.q, here.qdot, system.gravity_force)
    assert relative(L.T @ terms.M_bar @ L, theirs.mass_matrix(state[0])) < AGREEMENT
    free = np.array(pin.aba(theirs.model, theirs.data, state[0], state[1], np.zeros(theirs.model.nv)))
    expected = theirs.natural(state[0], state[1], free).qddot
    assert relative(formulation.accelerations(here.q, here.qdot, system.gravity_force).qddot, expected) < AGREEMENT


@pytest.mark.parametrize("model", MODELS)
def test_reduced_mass_matrix_and_fall_of_a_person_with_spherical_joints_are_pinocchios(model):
    whole = mechanism(model)
    tree = joint_tree(whole, roots_of(model))
    joints = [Spherical(one.name, one.joint.proximal, one.joint.distal) for one in reversed(tree.joints)]
    system = System(whole.bodies, joints, gravity=whole.gravity)
    _against_pinocchio(SemiRecursive(system, roots=roots_of(model)), pinocchio(model), seed=5)


@pytest.mark.parametrize("seed", range(6))
def test_trees_of_all_joints_are_pinocchios(seed):
    tree = random_tree(10, np.random.default_rng(seed))
    system = tree.system()
    _against_pinocchio(SemiRecursive(system), PinocchioTree(tree, system), seed)


def test_velocities_are_of_the_distal_body_wherever_the_root_is():
    """The same joints seen from the other end: rates about axes keep their sign, forces and motion do not change."""
    tree = random_tree(5, np.random.default_rng(11))
    system, rng = tree.system(), np.random.default_rng(12)
    q, qdot = random_state(system, rng)
    Q = random_force(system, rng)
    one, other = SemiRecursive(system), SemiRecursive(system, roots=("body4",))
    assert one.tree.root != other.tree.root
    assert any(joint.sign < 0.0 for joint in other.tree.joints)
    for joint in one.tree.joints:
        here, there = (f.velocities(q, qdot)[f.freedoms[joint.name]] for f in (one, other))
        np.testing.assert_allclose(here, there, rtol=0, atol=1e-11)
    assert relative(other.accelerations(q, qdot, Q).qddot, one.accelerations(q, qdot, Q).qddot) < AGREEMENT


def _permitted(system: System, joint: Spherical | Universal | Revolute, q: np.ndarray) -> np.ndarray:
    if isinstance(joint, Revolute):
        return system.layout.vector(joint.axis)(q)[:, None]
    if isinstance(joint, Universal):
        axes = joint.proximal_axis, joint.distal_axis
        return np.stack([system.layout.vector(axis)(q) for axis in axes], axis=1)
    return np.eye(3)


@pytest.mark.parametrize("name", MODELS)
def test_inverse_dynamics_of_the_simulated_motion_returns_the_torques(name):
    """ID(FD(u)) = u: torques about the joints' directions, contact forces as external loads, none on the root."""
    formulation, system, rng = prepared(name), mechanism(name), np.random.default_rng(6)
    q, qdot = random_state(system, rng)
    tree = formulation.tree
    names = [body.name for body in system.bodies]
    u, Q = {}, np.array(system.gravity_force)
    for joint in tree.joints:
        directions = _permitted(system, joint.joint, q)
        u[joint.name] = 30.0 * rng.normal(size=directions.shape[1])
        h = directions @ u[joint.name]
        distal, proximal = (joint.child, joint.parent)[:: int(joint.sign)]
        Q += torque(system, names[distal], q, h) - torque(system, names[proximal], q, h)
    found = formulation.accelerations(q, qdot, Q)
    segments, points, forces = [], [], []
    for contact in tree.contacts:
        row = int(system.rows_of(contact.name)[0])
        at = system.layout.point(contact.point)
        gradient = np.linalg.lstsq(at.matrix.T, system.jacobian(q)[row, at.columns], rcond=None)[0]
        for owner, sign in ((contact.point, -1.0), (contact.centre, 1.0)):
            segments.append(owner.partition(".")[0])
            points.append(at(q))
            forces.append(sign * found.multipliers[row] * gradient)
    shape = (1, len(segments), 3)
    external = external_loads(segments, np.reshape(points, shape), np.reshape(forces, shape), np.zeros(shape))
    loads = multibody_loads(tree, q[None], found.qddot[None], external)
    for j, joint in enumerate(tree.joints):
        directions = _permitted(system, joint.joint, q)
        np.testing.assert_allclose(
            directions.T @ loads.torque[0, j], directions.T @ directions @ u[joint.name], atol=2e-9
        )
    np.testing.assert_allclose(loads.residual_force, 0.0, atol=1e-8)
    np.testing.assert_allclose(loads.residual_torque, 0.0, atol=1e-8)


@pytest.mark.parametrize("name", ["m21", "random tree"])
def test_a_falling_tree_keeps_its_energy(name):
    """150 ms in steps of 1 ms of the classic Runge-Kutta method; half the step leaves 1/16 of the error."""
    formulation, system = prepared(name), mechanism(name)
    q, qdot = random_state(system, np.random.default_rng(8), spread=0.02)
    drift = []
    for h, steps in ((2e-3, 75), (1e-3, 150)):
        states = rk4(formulation, q, qdot, h, steps)
        energy = system.kinetic_energy(states[1]) + system.potential_energy(states[0])
        drift.append(np.abs(energy - energy[0]).max() / system.kinetic_energy(qdot))
    assert drift[1] < 1e-6
    assert 10.0 < drift[0] / drift[1] < 40.0


def test_stabilised_loops_return_to_the_ellipsoid():
    """The girdle is turned off its ellipsoids; Φ̈ + 2ξω Φ̇ + ω² Φ = 0 holds there."""
    tree, system, rng = human_tree(), human_system(), np.random.default_rng(9)
    motion = {joint.name: 0.05 * rng.normal(size=(1, width)) for joint, width in _widths(tree)}
    q = tree.coordinates(system, motion)[0]
    loops = system.row_types["ellipsoid"]
    formulation = SemiRecursive(system, FormulationOptions(xi=0.7, omega=12.0), stabilised=True)
    assert np.abs(system.residual(q)[loops]).min() > 1e-3
    terms = formulation.terms(q, np.zeros(system.n), system.gravity_force)
    qdot = terms.R @ rng.normal(size=formulation.size)
    found = formulation.accelerations(q, qdot, system.gravity_force)
    Phi_dot = (system.jacobian(q) @ qdot)[loops]
    Phi_ddot = (system.jacobian(q) @ found.qddot - system.acceleration_rhs(q, qdot))[loops]
    wanted = -2.0 * 0.7 * 12.0 * Phi_dot - 12.0**2 * system.residual(q)[loops]
    np.testing.assert_allclose(Phi_ddot, wanted, rtol=1e-9)


@pytest.mark.parametrize("name", ["human-like", "random tree"])
def test_stabilised_trees_obey_baumgartes_condition_to_first_order(name):
    """Φ̈ + 2ξω Φ̇ + ω² Φ falls with the square of the violation of positions, for every kind of row."""
    system, rng = mechanism(name), np.random.default_rng(10)
    formulation = prepared(name, stabilised=True)
    q0, _ = random_state(system, rng)
    direction, still = rng.normal(size=system.n), np.zeros(system.n)
    left = []
    for size in (1e-3, 1e-4):
        q = q0 + size * direction
        qddot = formulation.accelerations(q, still, system.gravity_force).qddot
        left.append(np.abs(system.jacobian(q) @ qddot + 100.0 * system.residual(q)).max())
        assert left[-1] < 0.1 * np.abs(100.0 * system.residual(q)).max()
    assert left[1] < 0.03 * left[0]


def test_stabilised_velocities_return_to_what_joints_allow():
    """Where positions obey, the part of the velocities that the tree does not allow dies out with 2ξω."""
    system, rng = mechanism("random tree"), np.random.default_rng(13)
    q, qdot = random_state(system, rng)
    off = qdot + 1e-3 * rng.normal(size=system.n)
    plain, held = prepared("random tree"), prepared("random tree", stabilised=True)
    allowed = plain.terms(q, off, off).R @ plain.velocities(q, off)
    assert np.abs(off - allowed).max() > 1e-4
    change = (
        held.accelerations(q, off, system.gravity_force).qddot - plain.accelerations(q, off, system.gravity_force).qddot
    )
    Phi_q = system.jacobian(q)
    np.testing.assert_allclose(Phi_q @ change, -20.0 * (Phi_q @ off), rtol=0, atol=1e-9)


def test_a_stabilised_fall_returns_to_the_constraints():
    """A millimetre off: (1 + ωt) e^{−ωt} of it is left, 0.017 at ωt = 6; without stabilisation it stays or grows."""
    system, rng = mechanism("human-like"), np.random.default_rng(14)
    q, _ = random_state(system, rng, spread=0.02)
    off = q + 1e-3 * rng.normal(size=system.n)
    left = {}
    for stabilised in (False, True):
        formulation = SemiRecursive(system, FormulationOptions(omega=30.0), stabilised=stabilised)
        positions, _ = rk4(formulation, off, np.zeros(system.n), 4e-3, 50)
        violation = np.linalg.norm(system.residual(positions), axis=1)
        left[stabilised] = violation[-1] / violation[0]
    assert left[True] < 0.04
    assert left[False] > 0.5


def _widths(tree):
    return [(joint, {"free": 6, "spherical": 3, "universal": 2, "revolute": 1}[joint.kind]) for joint in tree.joints]


# ------------------------------------------------------------------------------------------------------------- refusals


def _free_rods(*joints) -> System:
    bodies = [rod(name, 1.0, 1.0, np.zeros(3), np.eye(3)) for name in ("one", "two")]
    return System(bodies, joints)


def test_systems_that_are_no_tree_are_refused():
    for name, words in (
        ("spatial pendulum", "root"),
        ("four-bar", "planar"),
        ("pendulum", "planar"),
        ("Bennett", "base"),
    ):
        with pytest.raises(BiomecError, match=words):
            SemiRecursive(mechanism(name))
    with pytest.raises(BiomecError, match="slide"):
        SemiRecursive(_free_rods(Prismatic("slide", "one.A", "two.A", "one.x")))
    one = rod("one", 1.0, 1.0, np.zeros(3), np.eye(3))
    two = rod("two", 1.0, 1.0, (1.0, 0.0, 0.0), np.eye(3))
    two = replace(two, shared={"A": "one.B"})
    with pytest.raises(BiomecError, match="two shares points"):
        SemiRecursive(System([one, two], [Universal("cross", "one.A", "two.B", "one.y", "two.z")]))
    with pytest.raises(BiomecError, match="coordinates"):
        prepared("legs").accelerations(np.zeros(3), np.zeros(3), np.zeros(3))


def test_what_cannot_be_solved_is_told():
    formulation, system = prepared("legs"), mechanism("legs")
    q, still = np.array(system.reference), np.zeros(system.n)
    bad = q.copy()
    bad[7] = np.nan
    cases = ((bad, still, still, "ran away"), (q, bad, still, "ran away"), (q, still, bad, "a force is not a number"))
    for *state, words in cases:
        with pytest.raises(Unsolvable, match=words):
            formulation.accelerations(*state)
    weightless = Body("tip", {"A": np.zeros(3)}, ("A", "x", "y", "z"))
    arm = rod("arm", 1.0, 1.0, np.zeros(3), np.eye(3))
    system = System([arm, weightless], [Spherical("wrist", "arm.A", "tip.A")])
    with pytest.raises(Unsolvable, match="wrist"):
        SemiRecursive(system).accelerations(system.reference, np.zeros(system.n), system.gravity_force)


@pytest.mark.parametrize("kind", [Revolute, Universal])
def test_a_joint_of_another_class_is_laid_out_by_the_axes_that_it_states(kind):
    turned = rotation_about((1.0, 2.0, 3.0), 0.4)
    bodies = [rod("a", 1.0, 1.0, np.zeros(3), np.eye(3)), rod("b", 1.0, 1.0, (1.0, 0.0, 0.0), turned)]
    axes = {Revolute: ("a.z",), Universal: ("a.z", "b.x", None)}[kind]
    tree = joint_tree(System(bodies, [kind("hip", "a.B", "b.A", *axes)]))
    (joint,) = tree.joints
    stated = {name: getattr(joint.joint, name) for name in ("name", "proximal", "distal", "turning")}
    other = replace(tree, joints=(replace(joint, joint=SimpleNamespace(**stated)),))
    for found, expected in zip(local_shapes(other), local_shapes(tree), strict=True):
        np.testing.assert_array_equal(found, expected)
