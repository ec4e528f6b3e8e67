"""Joint space and reference motion: against scipy's rotations, the semi-recursive formulation, and the truth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from biomec.base.errors import BiomecError
from biomec.body.tracking.controllers import reference_effort
from biomec.engine.forces.applied import together, weight
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.forward.reference_motion import _unwrapped, longest_stretch, reference_motion
from biomec.engine.forward.semi_recursive import SemiRecursive
from biomec.engine.tree.vectors import exponential, logarithm, rotation_rate, turned_rates
from tests.core.body.tracking.followed import followed
from tests.core.engine.forward.mechanisms import TREES, mechanism, random_force, random_state, relative, roots_of


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-2.0, 2.0), min_size=3, max_size=3), st.sampled_from((1e-9, 1e-3, 0.05, 1.0)))
def test_rotation_vectors_are_those_of_scipy(direction, size):
    v = size * np.array(direction)
    if np.linalg.norm(v) > 3.1:
        v *= 3.1 / np.linalg.norm(v)
    R, back = np.empty((3, 3)), np.empty(3)
    exponential(v, R)
    # both round: over 60 000 vectors they differed by 2.7e-15 at most, so that 2e-15 failed now and then
    np.testing.assert_allclose(R, Rotation.from_rotvec(v).as_matrix(), rtol=0, atol=5e-15)
    logarithm(R, back)
    np.testing.assert_allclose(back, v, rtol=0, atol=1e-13)  # near π a sine of 0.04 divides the round-off


def test_half_a_turn_has_an_axis():
    v = np.pi * np.array([0.6, 0.0, 0.8])
    back = np.empty(3)
    logarithm(Rotation.from_rotvec(v).as_matrix(), back)
    assert np.linalg.norm(back) == pytest.approx(np.pi, abs=1e-8)
    assert abs(back @ v) == pytest.approx(np.pi**2, abs=1e-7)


@pytest.mark.parametrize("size", [1e-4, 0.099, 0.101, 1.5, 4.0])
def test_angular_velocity_of_a_rotation_vector_is_that_of_the_matrix(size):
    """Oracle: central differences of scipy's matrices; their error is h² = 1e-8 and ε/h² = 2e-8 for ω̇."""
    rng = np.random.default_rng(3)
    v, vdot, vddot = rng.normal(size=(3, 3))
    v *= size / np.linalg.norm(v)
    w, wdot = np.empty(3), np.empty(3)
    turned_rates(v, vdot, vddot, w, wdot)
    h = 1e-4

    def matrix(t: float):
        return Rotation.from_rotvec(v + t * vdot + 0.5 * t * t * vddot).as_matrix()

    rate = (matrix(h) - matrix(-h)) / (2 * h)
    second = (matrix(h) - 2 * matrix(0.0) + matrix(-h)) / h**2
    W = rate @ matrix(0.0).T
    np.testing.assert_allclose(w, [W[2, 1], W[0, 2], W[1, 0]], rtol=0, atol=3e-7)
    A = second @ matrix(0.0).T - W @ W  # R̈ Rᵀ = ω̇× + ω× ω×
    np.testing.assert_allclose(wdot, [A[2, 1], A[0, 2], A[1, 0]], rtol=0, atol=3e-6)


def test_the_rate_of_a_short_rotation_vector_inverts_the_angular_velocity():
    rng = np.random.default_rng(4)
    v, w = 0.01 * rng.normal(size=3), rng.normal(size=3)
    vdot, back, idle = np.empty(3), np.empty(3), np.empty(3)
    rotation_rate(v, w, vdot)
    turned_rates(v, vdot, np.zeros(3), back, idle)
    np.testing.assert_allclose(back, w, rtol=0, atol=1e-9)  # what is left out is v⁴/720, 1e-10 here


@pytest.mark.parametrize("name", TREES)
def test_rates_of_joints_give_the_accelerations_of_the_semi_recursive_formulation(name):
    system, rng = mechanism(name), np.random.default_rng(5)
    space = JointSpace(system, roots_of(name))
    q, qdot = random_state(system, rng)
    Q, u = random_force(system, rng), 5.0 * rng.normal(size=space.size)
    terms = space.terms(q, qdot, Q)
    wdot, _ = space.solve(terms, u)
    theirs = SemiRecursive(system, roots=roots_of(name)).accelerations(q, qdot, Q + space.generalised(q, u)).qddot
    assert relative(space.accelerations(q, terms, wdot), theirs) < 1e-9
    np.testing.assert_allclose(space.velocities(q, space.rates(q, qdot)), qdot, rtol=0, atol=1e-12)
    np.testing.assert_allclose(space.projected(q, space.generalised(q, u)), u, rtol=0, atol=1e-11)
    np.testing.assert_allclose(terms.M, terms.M.T, rtol=0, atol=1e-12 * np.abs(terms.M).max())
    assert qdot @ (system.mass_matrix @ qdot) == pytest.approx(
        space.rates(q, qdot) @ terms.M @ space.rates(q, qdot), rel=1e-12
    )


@pytest.mark.parametrize("name", TREES)
def test_movements_stay_on_the_tree_and_are_found_again(name):
    system, rng = mechanism(name), np.random.default_rng(6)
    space = JointSpace(system, roots_of(name))
    q, _ = random_state(system, rng, spread=0.03)  # farther away a body may come out mirrored
    delta = 1e-3 * rng.normal(size=space.size)
    new = space.moved(q, delta)
    kept = np.setdiff1d(np.arange(system.m), space.loops)
    assert np.abs(system.residual(new)[kept]).max() < 1e-12
    # exact for the root, spherical and revolute joints; to second order, 1e-6, about the two axes of universal ones
    np.testing.assert_allclose(space.deviation(q, space.pose(new)), delta, rtol=0, atol=5e-6)
    np.testing.assert_allclose(space.coordinates(space.pose(new)), new, rtol=0, atol=1e-12)
    rate = (space.moved(q, 1e-6 * delta) - space.moved(q, -1e-6 * delta)) / 2e-6
    np.testing.assert_allclose(rate, space.velocities(q, delta), rtol=0, atol=1e-9)  # ε / 1e-6


def test_ten_thousand_movements_do_not_spoil_the_shapes():
    """A tree that reads its attitudes from the coordinates must not let round-off double from step to step."""
    system, rng = mechanism("m21"), np.random.default_rng(7)
    space = JointSpace(system, roots_of("m21"))
    q, _ = random_state(system, rng)
    kept = np.setdiff1d(np.arange(system.m), space.loops)
    delta = 1e-3 * rng.normal(size=space.size)
    for k in range(10_000):
        q = space.moved(q, delta if k % 2 else -delta)
    assert np.abs(system.residual(q)[kept]).max() < 1e-11


def test_a_step_closes_the_gliding_contacts():
    system, rng = mechanism("m21"), np.random.default_rng(8)
    space = JointSpace(system, roots_of("m21"))
    q, qdot = random_state(system, rng)
    q = space.moved(q, 1e-4 * rng.normal(size=space.size))
    before = np.abs(system.residual(q)[space.loops]).max()
    closed, w = space.closed(q, space.rates(q, qdot) + 0.1)
    assert np.abs(system.residual(closed)[space.loops]).max() < 1e-3 * before  # one Newton step squares it
    again = space.closed(*space.closed(closed, w))
    speed = (system.jacobian(again[0]) @ space.velocities(*again))[space.loops]
    assert np.abs(speed).max() < 1e-10


def test_the_reference_is_the_truth_at_the_frames():
    one = followed()
    truth, space = one.acquisition.truth, one.space
    for k in (0, 60, 119, len(truth.q) - 1):
        here = one.reference.at(float(truth.time_s[k]))
        q = space.coordinates(here.pose)
        qdot = space.velocities(q, here.w)
        terms = space.terms(q, qdot, space.system.gravity_force)
        edge = k in (0, len(truth.q) - 1)  # there splines have one side only
        np.testing.assert_allclose(q, truth.q[k], rtol=0, atol=1e-12)
        np.testing.assert_allclose(qdot, truth.qdot[k], rtol=0, atol=1e-5 if edge else 1e-7)  # h⁵ of 10 ms frames
        found = space.accelerations(q, terms, here.wdot)
        np.testing.assert_allclose(found, truth.qddot[k], rtol=0, atol=5e-3 if edge else 1e-5)


def test_rates_of_the_reference_are_its_derivatives_between_frames():
    """Oracle: central differences of coordinates that the reference itself places, h = 1e-5."""
    one, h, t = followed(), 1e-5, 0.7137
    space = one.space
    before, here, after = (one.reference.at(t + dt) for dt in (-h, 0.0, h))
    q_a, q, q_b = (space.coordinates(at.pose) for at in (before, here, after))
    np.testing.assert_allclose((q_b - q_a) / (2 * h), space.velocities(q, here.w), rtol=0, atol=1e-8)
    np.testing.assert_allclose((after.w - before.w) / (2 * h), here.wdot, rtol=0, atol=1e-7)
    assert (
        np.abs(space.system.residual(q)).max() < 1e-8
    )  # gliding contacts by interpolation, all others by construction


def test_states_of_the_reference_belong_together_between_frames():
    """Oracles: rows of the constraints and their derivatives; differences of q̇; the movement as it was performed."""
    one, h = followed(), 1e-5
    truth, space = one.acquisition.truth, one.space
    system = space.system
    assert space.loops.size  # hands glide on the floor
    times = np.array([0.3003, 0.7137, 1.1119])
    q, qdot, qddot = one.reference.states(times)
    rates = np.einsum("tmn,tn->tm", system.jacobian(q), qdot)
    left = np.einsum("tmn,tn->tm", system.jacobian(q), qddot) - system.acceleration_rhs(q, qdot)
    assert np.abs(system.residual(q)).max() < 1e-10
    assert np.abs(rates).max() < 1e-10
    assert np.abs(left).max() < 1e-9
    before, after = one.reference.states(times - h), one.reference.states(times + h)
    np.testing.assert_allclose((after[0] - before[0]) / (2 * h), qdot, rtol=0, atol=1e-6)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), qddot, rtol=0, atol=1e-4)
    frames = [30, 90, 150]
    for found, true in zip(one.reference.states(truth.time_s[frames]), (truth.q, truth.qdot, truth.qddot), strict=True):
        np.testing.assert_allclose(found, true[frames], rtol=0, atol=1e-5)


def test_efforts_of_the_reference_are_the_loads_that_the_joints_really_carried():
    """Oracle: loads of the virtual person, by Newton's and Euler's equations of its own motion."""
    one = followed()
    truth, space = one.acquisition.truth, one.space
    loads = together(weight(space.system), one.ground)
    for k in (30, 90, 150):
        wanted = space.efforts(truth.q[k], {name: load.torque[k] for name, load in truth.loads.items()})
        found = reference_effort(one.reference, loads, float(truth.time_s[k]))
        np.testing.assert_allclose(found[6:], wanted[6:], rtol=0, atol=1e-5)
        np.testing.assert_allclose(found[:6], 0.0, rtol=0, atol=1e-3)  # the ground bears everything


def test_a_reference_stands_still_outside_its_time():
    one = followed()
    after = one.reference.at(one.reference.end_s + 1.0)
    assert not after.w.any()
    assert not after.wdot.any()


def test_turns_beyond_half_a_turn_are_followed():
    angle = np.linspace(0.0, 1.5 * np.pi, 40)
    axis = np.array([0.6, 0.0, 0.8])
    wrapped = Rotation.from_rotvec(angle[:, None] * axis).as_rotvec()
    np.testing.assert_allclose(_unwrapped(wrapped), angle[:, None] * axis, rtol=0, atol=1e-12)
    whole = np.linspace(0.0, 2.0 * np.pi, 60)
    with pytest.raises(BiomecError, match="whole turn"):
        _unwrapped(Rotation.from_rotvec(whole[:, None] * axis).as_rotvec())


def test_the_longest_stretch_and_what_cannot_be_followed():
    assert longest_stretch(np.array([True, False, True, True, True, False, True])) == slice(2, 5)
    with pytest.raises(BiomecError, match="No frame"):
        longest_stretch(np.zeros(3, dtype=bool))
    space = followed().space
    q = np.array(followed().acquisition.truth.q[:10])
    with pytest.raises(BiomecError, match="more than 5 frames"):
        reference_motion(space, np.arange(5), q[:5])
    q[3, 7] = np.nan
    with pytest.raises(BiomecError, match="every frame"):
        reference_motion(space, np.arange(10), q)
    with pytest.raises(BiomecError, match="no freedom left toe"):
        space.indices(["left toe"])
