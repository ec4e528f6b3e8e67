"""Motion of segments against closed forms, Pinocchio, finite differences, and the momentum of the mass matrix."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.errors import BiomecError
from biomec.body.kinematics.segment_motion import segment_motion
from biomec.engine.body import Body, planar_bar
from biomec.engine.reference.human import human_motion, human_system, human_tree
from biomec.engine.reference.spatial import random_tree
from biomec.engine.rotations import elementary, rotation
from biomec.engine.system import System

# Linear maps with coefficients of order one on coordinates of a few metres, then products of three: round-off only.
EXACT = 1e-12


@pytest.fixture
def rng():
    return np.random.default_rng(2003)


def bar(**more):
    """A bar that hangs from a basic point; its centre of mass is off its line."""
    points = {"top": np.zeros(3), "end": np.array([0.02, -0.8, 0.01])}
    return Body("bar", points, ("top", "end", "x", "z"), mass=3.0, centre_of_mass=(0.03, -0.4, 0.05), **more)


def test_a_pendulum_in_closed_form():
    """θ = A sin(ωt) about Z: ω = θ̇ Z, α = θ̈ Z, r = R r', v = θ̇ Z × r, a = θ̈ Z × r − θ̇² (r without its Z part)."""
    system = System([bar()])
    body = system.bodies[0]
    t = np.linspace(0.0, 2.0, 57)
    theta, rate, acceleration = 0.9 * np.sin(3 * t), 2.7 * np.cos(3 * t), -8.1 * np.sin(3 * t)
    R = elementary(theta, 2)
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    Rdot = rate[:, None, None] * turn @ R
    Rddot = (acceleration[:, None, None] * turn + rate[:, None, None] ** 2 * turn @ turn) @ R
    still = np.zeros((57, 3))
    q, qdot, qddot = (body.coordinates(still, attitude) for attitude in (R, Rdot, Rddot))
    motion = segment_motion(system, q, qdot, qddot)
    r = R @ body.points["com"]
    z = np.array([0.0, 0.0, 1.0])
    assert_allclose(motion.R_WB[:, 0], R, atol=EXACT)
    assert_allclose(motion.omega[:, 0], rate[:, None] * z, atol=EXACT)
    assert_allclose(motion.alpha[:, 0], acceleration[:, None] * z, atol=10 * EXACT)
    assert_allclose(motion.p_com[:, 0], r, atol=EXACT)
    assert_allclose(motion.v_com[:, 0], rate[:, None] * np.cross(z, r), atol=EXACT)
    centripetal = rate[:, None] ** 2 * r * (1.0, 1.0, 0.0)
    assert_allclose(motion.a_com[:, 0], acceleration[:, None] * np.cross(z, r) - centripetal, atol=10 * EXACT)
    assert_allclose(motion.whole_body_com, r, atol=EXACT)


def test_a_tree_moves_as_pinocchio_says(rng):
    pin = pytest.importorskip("pinocchio")
    oracles = pytest.importorskip("tests.oracles.pinocchio_tree")
    tree = human_tree()
    system = tree.system()
    oracle = oracles.PinocchioTree(tree, system)
    states = [oracle.random_state(rng) for _ in range(5)]
    naturals = [oracle.natural(*state) for state in states]
    motion = segment_motion(system, *(np.array([getattr(n, k) for n in naturals]) for k in ("q", "qdot", "qddot")))
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    for t, (joint, v, a) in enumerate(states):
        model, data = oracle.model, oracle.data
        model.gravity.linear = np.zeros(3)
        pin.forwardKinematics(model, data, joint, v, a)
        for s, name in enumerate(motion.names):
            frame = oracle.joint_of(name)
            velocity = pin.getVelocity(model, data, frame, world)
            acceleration = pin.getClassicalAcceleration(model, data, frame, world)
            assert_allclose(motion.R_WB[t, s], data.oMi[frame].rotation @ system.bodies[s].attitude, atol=EXACT)
            assert_allclose(motion.omega[t, s], velocity.angular, atol=100 * EXACT)  # rates up to 1e2 along a chain
            assert_allclose(motion.alpha[t, s], acceleration.angular, atol=1000 * EXACT)
        centre = pin.centerOfMass(model, data, joint, v, a)
        assert_allclose(motion.whole_body_com[t], centre, atol=EXACT)
        assert_allclose(motion.whole_body_velocity[t], data.vcom[0], atol=100 * EXACT)
        assert_allclose(motion.whole_body_acceleration[t], data.acom[0], atol=1000 * EXACT)


def human_coordinates(frames, rng):
    tree = human_tree()
    system = human_system()
    return system, tree.coordinates(system, human_motion(tree, frames, rng))


def time_derivative(x):
    """Derivative of one period (1 s) of a smooth cycle (T, …), by its Fourier series: exact but for round-off."""
    k = np.fft.rfftfreq(len(x), 1.0 / len(x)).reshape(-1, *[1] * (x.ndim - 1))
    return np.fft.irfft(2j * np.pi * k * np.fft.rfft(x, axis=0), len(x), axis=0)


def test_rates_are_the_derivatives_of_the_positions(rng):
    system, q = human_coordinates(256, rng)
    qdot = time_derivative(q)
    motion = segment_motion(system, q, qdot, time_derivative(qdot))
    spin = time_derivative(motion.R_WB) @ np.swapaxes(motion.R_WB, -1, -2)
    omega = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], -1)
    assert np.abs(omega).max() > 1.0
    # harmonics beyond the 60th are below round-off; a derivative multiplies round-off by 2π·128 each time
    assert_allclose(motion.omega, omega, atol=1e-11)
    assert_allclose(motion.alpha, time_derivative(motion.omega), atol=1e-8)
    assert_allclose(motion.v_com, time_derivative(motion.p_com), atol=1e-11)
    assert_allclose(motion.whole_body_acceleration, time_derivative(motion.whole_body_velocity), atol=1e-8)


def test_momentum_and_energy_are_those_of_the_mass_matrix(rng):
    """½ q̇ᵀM q̇ = Σ ½ m v² + ½ ωᵀ R J Rᵀ ω, and the total momentum is M q̇ tested with a uniform translation."""
    tree = random_tree(8, rng)
    system = tree.system()
    qdot = np.zeros((1, system.n))
    q = np.asarray(system.reference)[None]
    w, v = rng.normal(size=(2, len(system.bodies), 3))
    for s, body in enumerate(system.bodies):  # every body moves freely: joints do not matter here
        R, p = body.attitude_matrix, np.asarray(body.position)
        rates = [v[s] + np.cross(w[s], p + R @ body.points[name]) for name in body.basic_points]
        rates += [np.cross(w[s], R @ body.vectors[name]) for name in body.basic_vectors]
        qdot[0, system.layout.columns(body.name)] = np.concatenate(rates)
    motion = segment_motion(system, q, qdot)
    energy = 0.0
    for s, body in enumerate(system.bodies):
        local = motion.R_WB[0, s].T @ motion.omega[0, s]
        energy += 0.5 * body.mass * motion.v_com[0, s] @ motion.v_com[0, s] + 0.5 * local @ body.inertia_matrix @ local
    assert energy == pytest.approx(0.5 * qdot[0] @ (system.mass_matrix @ qdot[0]), rel=1e-12)
    assert_allclose(motion.omega[0], w, atol=EXACT)
    shift = np.zeros((system.n, 3))
    for body in system.bodies:
        for slot, name in enumerate(body.basis):
            if name in body.points:
                shift[system.layout.columns(body.name)[3 * slot : 3 * slot + 3]] = np.eye(3)
    momentum = shift.T @ (system.mass_matrix @ qdot[0])
    assert_allclose(motion.mass.sum() * motion.whole_body_velocity[0], momentum, atol=100 * EXACT)


def test_axes_that_are_not_orthonormal_give_the_nearest_rotation(rng):
    system, q = human_coordinates(3, rng)
    noisy = q + 0.01 * rng.normal(size=q.shape)
    R = segment_motion(system, noisy).R_WB
    assert_allclose(np.swapaxes(R, -1, -2) @ R, np.broadcast_to(np.eye(3), R.shape), atol=EXACT)
    for s, body in enumerate(system.bodies):
        maps = [system.layout.local_vector(body.name, axis) for axis in np.eye(3)]
        U, _, Vt = np.linalg.svd(np.stack([one(noisy) for one in maps], axis=-1))
        assert_allclose(R[:, s], U @ Vt, atol=EXACT)


def test_missing_frames_and_rates_are_nan(rng):
    system, q = human_coordinates(4, rng)
    q = q.copy()
    q[1] = np.nan
    motion = segment_motion(system, q, np.zeros_like(q))
    assert np.isnan(motion.R_WB[1]).all()
    assert np.isnan(motion.whole_body_com[1]).all()
    assert np.isfinite(motion.R_WB[[0, 2, 3]]).all()
    assert_allclose(motion.omega[0], 0.0, atol=0)
    assert np.isnan(motion.alpha).all()
    assert not motion.R_WB.flags.writeable


def test_results_are_found_by_name_and_stored(rng):
    system, q = human_coordinates(2, rng)
    motion = segment_motion(system, q)
    assert_allclose(motion.attitudes["hand_R"], motion.R_WB[:, motion.index("hand_R")], atol=0)
    stored = motion.to_result()
    assert stored["p_com"].shape == (2, 21, 3)
    assert list(stored.metadata["names"]) == list(motion.names)
    with pytest.raises(BiomecError, match="There is no segment tail; there are head, thorax"):
        motion.index("tail")


def test_bodies_without_mass_have_no_centre():
    system = System([Body("frame", {"o": np.zeros(3)}, ("o", "x", "y", "z"))])
    motion = segment_motion(system, system.reference[None])
    assert np.isnan(motion.whole_body_com).all()
    assert_allclose(motion.R_WB[0, 0], np.eye(3), atol=0)


def test_wrong_input_is_a_sentence():
    system = System([bar()], name="bar")
    with pytest.raises(BiomecError, match=r"bar has 12 coordinates, so positions need the shape \(frames, 12\)"):
        segment_motion(system, np.zeros(12))
    with pytest.raises(BiomecError, match="There are 2 frames of positions but 3 of velocities"):
        segment_motion(system, np.zeros((2, 12)), np.zeros((3, 12)))
    with pytest.raises(BiomecError, match="is a planar mechanism"):
        segment_motion(System([planar_bar("bar", 1.0)]), np.zeros((1, 4)))


def test_attitudes_do_not_depend_on_the_kind_of_basis(rng):
    R, p = rotation(rng.normal(size=(6, 3)), "XYZ"), rng.normal(size=(6, 3))
    points = {"a": np.zeros(3), "b": np.array([0.1, 0.5, 0.0]), "c": np.array([0.4, 0.0, 0.1]), "d": np.eye(3)[2]}
    for basis in (("a", "x", "y", "z"), ("a", "b", "x", "z"), ("a", "b", "c", "z"), ("a", "b", "c", "d")):
        system = System([Body("body", points, basis, mass=1.0, centre_of_mass=(0.2, 0.1, 0.3))])
        motion = segment_motion(system, system.bodies[0].coordinates(p, R))
        assert_allclose(motion.R_WB[:, 0], R, atol=EXACT)
        assert_allclose(motion.p_com[:, 0], p + R @ [0.2, 0.1, 0.3], atol=EXACT)


def test_a_bar_that_borrows_a_point_of_the_ground_moves_as_one_that_owns_it(rng):
    """Parts that the ground owns are constant: they count in the place of the centre of mass, not in its rates."""
    hook = np.array([0.4, 1.9, -0.3])
    free, hung = System([bar()]), System([bar(shared={"top": "ground.hook"})], ground={"hook": hook})
    R = rotation(rng.normal(size=(5, 3)), "ZXY")
    levels = [free.bodies[0].coordinates(np.tile(hook, (5, 1)), R)]
    levels += [free.bodies[0].coordinates(np.zeros((5, 3)), rng.normal(size=(5, 3, 3))) for _ in range(2)]
    whole = segment_motion(free, *levels)
    every_second = np.repeat(np.asfortranarray(np.stack(levels)[..., 3:]), 2, axis=1)[:, ::2]  # not in one piece
    part = segment_motion(hung, *every_second)
    for name in ("R_WB", "p_com", "v_com", "a_com", "omega", "alpha", "whole_body_com"):
        assert_allclose(getattr(part, name), getattr(whole, name), atol=EXACT, err_msg=name)
        assert not getattr(part, name).flags.writeable
